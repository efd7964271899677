"""Witness: what the edges have said since the picture was last in step with the game."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, field

from hardware.occupancy import Change

BLIP_S = 0.06  # a marble seen for a shorter time chatters as it leaves its seat
NUDGE_S = 0.1  # no hand exchanges pieces faster than this
PUT_S = 0.15  # a marble seen for longer on its own space has been put back


@dataclass(slots=True)
class Witness:
    """changes in the order of time. lost: some never arrived, so that the rest prove nothing."""

    changes: list[Change] = field(default_factory=list)
    lost: bool = False

    def edges(self, bad: Set[int], *, nudges: bool = True) -> list[tuple[int, int]]:
        """(cell, reading) of the changes that good sensors told, without what only chattered.

        nudges: with pieces that seemed to be gone for a moment too short for a hand.
        """
        told: list[Change | None] = []
        # cell -> where in `told` its present sight of a marble began and went on; empty once it has read free
        seen: dict[int, list[int]] = {}
        for change in self.changes:
            at_s, cell, reading = change
            if cell in bad:
                continue
            places = seen.get(cell)
            if reading:
                if places is not None:
                    places.append(len(told))
            else:
                seen[cell] = []
                first = told[places[0]] if places else None
                if places and first is not None and at_s - first.at_s < BLIP_S:
                    for place in places:
                        told[place] = None
                    continue
            told.append(change)
        if not nudges:
            _forget_nudges(told)
        return [(change.cell, change.reading) for change in told if change is not None]

    def cells(self) -> set[int]:
        """Cells that changed."""
        return {change.cell for change in self.changes}

    def gap_s(self, start: int, mate: int) -> float | None:
        """Seconds from when `start` was left to when a marble was first seen elsewhere; 0 where that overlaps.

        mate: the other space of its groove, from where a marble may have rolled; not looked at. None: not seen.
        """
        left_s = put_s = back_s = None
        for at_s, cell, reading in self.changes:
            if cell == start:
                if reading:
                    back_s = at_s if back_s is None else back_s
                    continue
                if put_s is None or (back_s is not None and at_s - back_s > PUT_S):
                    left_s, put_s = at_s, None
                back_s = None
            elif reading and put_s is None and left_s is not None and cell != mate:
                put_s = at_s
        return None if left_s is None or put_s is None else put_s - left_s


def _forget_nudges(told: list[Change | None]) -> None:
    """Leave out where a cell read free and soon again what it had read before."""
    before: dict[int, int] = {}
    gone: dict[int, int] = {}  # cell -> where in `told` it became free
    for number, change in enumerate(told):
        if change is None:
            continue
        at_s, cell, reading = change
        if not reading:
            gone[cell] = number
            continue
        first = gone.pop(cell, -1)
        left = told[first] if first >= 0 else None
        if left is not None and at_s - left.at_s < NUDGE_S and before.get(cell, reading) == reading:
            told[number] = told[first] = None
        before[cell] = reading
