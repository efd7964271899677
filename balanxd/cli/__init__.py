"""The commands of `balanx`, one file each, loaded when they are asked for (`balanxd/__main__.py` lists them)."""
