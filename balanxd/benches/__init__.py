"""What `balanx bench` measures with; the figures themselves are in `balanxd.bench`, which may build simulators."""
