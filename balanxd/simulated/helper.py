"""The simulated table's hands at a calibration: marbles lie where they are wanted, the board is pushed."""

from __future__ import annotations

from balanxd.calibration.asking import Asking, Wanted
from sim.table import Table


class Helper:
    """Call `look` after each step."""

    def __init__(self, table: Table, machine: Asking) -> None:
        self._table, self._machine = table, machine
        self._done: Wanted | None = None

    def look(self, now_s: float) -> None:
        """Do what is wanted now, once."""
        wanted = self._machine.wanted
        if wanted is None or wanted is self._done:
            return
        self._done = wanted
        if wanted.seat is not None or wanted.level:
            self._table.hand.push(wanted.seat, 0.5)
        self._table.place({cell: number % 2 for number, cell in enumerate(sorted(wanted.cells))})
