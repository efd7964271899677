"""Witness: what the edges have said since the picture was last in step with the game."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, field

from hardware.occupancy import Change


@dataclass(slots=True)
class Witness:
    """changes in the order of time. lost: some never arrived, so that the rest prove nothing."""

    changes: list[Change] = field(default_factory=list)
    lost: bool = False

    def edges(self, bad: Set[int]) -> list[tuple[int, int]]:
        """(cell, reading) of the changes that good sensors told."""
        return [(change.cell, change.reading) for change in self.changes if change.cell not in bad]

    def cells(self) -> set[int]:
        """Cells that changed."""
        return {change.cell for change in self.changes}

    def gap_s(self, start: int, goal: int, rolling: Set[int]) -> float | None:
        """Seconds from the last time that `start` was left to the first time that a marble was seen elsewhere.

        Marbles that roll by themselves, in the cells `rolling`, are not looked at, except on `goal`. None: not seen.
        """
        left_s = put_s = None
        for at_s, cell, reading in self.changes:
            if cell == start:
                if not reading:
                    left_s, put_s = at_s, None
            elif reading and put_s is None and left_s is not None and (cell == goal or cell not in rolling):
                put_s = at_s
        return None if left_s is None or put_s is None else put_s - left_s
