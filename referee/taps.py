"""Taps: occupancies in, groups of taps on one piece out. Pure.

A tap is a piece that is lifted and put back where it was, while nothing else on the board changes: no legal move of any
game leaves the picture as it was. Taps on one piece that follow each other closely are a group. A board that tilts may
roll the other marble of the groove into the place of the lifted one: the groove counts as one place.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass

from hardware.occupancy import Change, Occupancy

INF = float("inf")
UP_S = (0.12, 1.2)  # a tapped piece is off the board for so long
APART_S = 0.9  # taps that are further apart are groups of their own
FLICKER_S = 0.08  # a shorter reading is the sensor's doing, or a finger's
BEFORE_S = 2.0  # a piece that was still for less before its taps may be one whose sensor flickers


@dataclass(frozen=True, slots=True)
class Group:
    """So many taps on the piece at `cell`; none where it came and went in another way. sudden: it was still before."""

    at_s: float
    cell: int
    count: int
    sudden: bool


class Taps:
    """Follows one board. twins: cell -> the other cell of its groove, where a piece can roll."""

    def __init__(self, twins: Mapping[int, int]) -> None:
        self._place = {cell: min(cell, twin) for cell, twin in twins.items()}
        self._base: bytes | None = None  # the picture that the taps begin and end with
        self._now = bytearray()
        self._bad: frozenset[int] = frozenset()
        self._changes: list[Change] = []  # since the base
        self._away: set[int] = set()  # cells that read otherwise than in it
        self._away_s = self._last_s = -INF
        self._before_s: dict[int, float] = {}  # when a place changed last, before these changes

    @property
    def still_s(self) -> float:
        """When a cell changed last."""
        return self._last_s

    @property
    def picture(self) -> bytes | None:
        """What is read now; None while nothing is known."""
        return None if self._base is None else bytes(self._now)

    def see(self, occupancy: Occupancy, bad: Set[int]) -> None:
        """Follow one occupancy. bad: cells whose sensors are not believed."""
        if not occupancy.known:
            self._base = None
            return
        if self._base is None or occupancy.edges_lost or bad != self._bad:
            self._last_s = occupancy.at_s
            self._bad = frozenset(bad)
            self._begin(occupancy.readings)
            return
        for change in occupancy.changes:
            if change.cell not in bad:
                self._take(change, self._base)

    def _take(self, change: Change, base: bytes) -> None:
        at_s, cell, reading = change
        if self._away and at_s - self._last_s > UP_S[1]:
            base = bytes(self._now)
            self._begin(base)
        if not self._away:
            self._away_s = at_s
        self._changes.append(change)
        self._now[cell] = reading
        self._last_s = at_s
        if reading == base[cell]:
            self._away.discard(cell)
        else:
            self._away.add(cell)

    def _begin(self, picture: bytes) -> None:
        for at_s, cell, _ in self._changes:
            self._before_s[self._place.get(cell, cell)] = at_s
        self._base = picture
        self._now[:] = picture
        self._changes.clear()
        self._away.clear()

    def due_s(self, *, watched: bool) -> float:
        """When `group`, or where somebody watches `moved`, may answer next (inf: not before something changes)."""
        if self._base is None or not self._changes:
            return INF
        if not self._away:
            return self._last_s + APART_S
        return self._away_s + UP_S[1] if watched else INF

    def moved(self, now_s: float) -> bool:
        """Whether a piece is up for too long, or lies elsewhere: no tap, but a move in progress. Said once."""
        if self._base is None or not self._away or now_s < self._away_s + UP_S[1]:
            return False
        self._begin(bytes(self._now))
        return True

    def forget(self) -> None:
        """What lies on the board now is what taps begin with."""
        if self._base is not None:
            self._begin(bytes(self._now))

    def group(self, now_s: float) -> Group | None:
        """The taps that have come to an end by now; None where there were none, or something else happened."""
        base = self._base
        if base is None or not self._changes or self._away or now_s < self._last_s + APART_S:
            return None
        found = self._found(base)
        self._begin(base)
        return found

    def _found(self, base: bytes) -> Group | None:
        told: dict[int, list[tuple[float, int]]] = {}
        for at_s, cell, reading in self._changes:
            told.setdefault(cell, []).append((at_s, reading))
        steps = {cell: found for cell, runs in told.items() if (found := _plain(runs, base[cell]))}
        places = {self._place.get(cell, cell) for cell in steps}
        if len(places) != 1:
            return None
        ups = _ups(steps, base)
        taps = all(end_s - begin_s <= UP_S[1] for begin_s, end_s in ups)
        (place,) = places
        sudden = self._changes[0].at_s - self._before_s.get(place, -INF) >= BEFORE_S
        return Group(self._last_s, place, len(ups) if taps else 0, sudden)


def _plain(told: list[tuple[float, int]], base: int) -> list[tuple[float, bool]]:
    """From when on a cell held something or nothing, in turn, without what was too short. base: before all of it.

    A piece that is touched drops out for moments, and when it has gone it is seen again for moments.
    """
    held = [(-INF, bool(base)), *((at_s, bool(reading)) for at_s, reading in told)]
    for is_held, least_s in ((False, UP_S[0]), (True, FLICKER_S)):
        ends = [at_s for at_s, _ in held[1:]] + [INF]
        long = [
            (at_s, now)
            for (at_s, now), end_s in zip(held, ends, strict=True)
            if now != is_held or end_s - at_s >= least_s
        ]
        held = [step for number, step in enumerate(long) if not number or step[1] != long[number - 1][1]]
    return held[1:]


def _ups(steps: Mapping[int, list[tuple[float, bool]]], base: bytes) -> list[tuple[float, float]]:
    """When the place was without its piece: from, to. -inf: it did not begin with a piece that left."""
    away: set[int] = set()
    ups: list[tuple[float, float]] = []
    begin_s = 0.0
    for at_s, cell, now in sorted((at_s, cell, now) for cell, told in steps.items() for at_s, now in told):
        if not away:
            begin_s = -INF if now else at_s
        if now == bool(base[cell]):
            away.discard(cell)
        else:
            away.add(cell)
        if not away:
            ups.append((begin_s, at_s))
    return ups
