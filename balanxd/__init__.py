"""The daemon: clock, ports, journal, page, command line, and the wiring of everything. Everything impure."""
