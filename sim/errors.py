"""Misuse of the simulated table -> SimError; physics never raises, it answers with what would happen."""


class SimError(ValueError):
    """A table, hand or fault was asked for something that does not exist (a cell, a marble, a part)."""
