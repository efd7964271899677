"""Self-test: a board and a plan of what to do with it in; findings by name and space out. No I/O but in `run`."""
