"""Composition root for the simulated board: the only rooms of the daemon that build a simulator."""
