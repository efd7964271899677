"""Calibration: what a board is like, found with a person's hands; kept in a versioned file. No I/O but in `store`."""
