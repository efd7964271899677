"""Rest: occupancy in, the picture and since when it has rested out.

This room says since when; how long is enough is the referee's to say (it knows which marbles can roll).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Set
from dataclasses import dataclass

from .occupancy import Change, Occupancy

RESTLESS_WINDOW_S = 0.5
RESTLESS_CHANGES = 3  # a cell that changed more than twice in the window is handled gently


@dataclass(frozen=True, slots=True)
class Resting:
    """A picture and since when (host seconds) no accepted change has touched it.

    restless: some cell changed more than twice in the half second before `since_s`.
    unsure: cells that read the top code ("something there, unread") and are not named bad.
    """

    picture: bytes
    since_s: float
    restless: bool
    unsure: tuple[int, ...]


class Rest:
    """Follows the occupancy. `top`: the code that means unsure (3, 7, 15, 255), or None on one-bit boards."""

    def __init__(self, top: int | None) -> None:
        self._top = top
        self._picture: bytes | None = None
        self._since_s = 0.0
        self._recent: deque[Change] = deque(maxlen=64)
        self._said: Resting | None = None  # what `resting` answers until something changes
        self._said_bad: frozenset[int] = frozenset()

    def take(self, occupancy: Occupancy, bad: Set[int]) -> None:
        """Follow one occupancy. Changes of cells named bad do not disturb the rest."""
        if occupancy.known and not occupancy.changes and occupancy.readings == self._picture:
            return
        self._said = None
        if not occupancy.known:
            self._picture = None
            return
        if self._picture is None:
            self._since_s = occupancy.at_s
        self._picture = occupancy.readings
        for change in occupancy.changes:
            if change.cell in bad:
                continue
            self._recent.append(change)
            self._since_s = max(self._since_s, change.at_s)

    def disturb(self, at_s: float) -> None:
        """Something other than a change may have moved marbles (a tilt): the rest starts anew at `at_s`."""
        self._said = None
        self._since_s = max(self._since_s, at_s)

    def resting(self, bad: Set[int]) -> Resting | None:
        """The picture now, or None while nothing is known."""
        if self._picture is None:
            return None
        if self._said is None or self._said_bad != bad:
            self._said_bad = frozenset(bad)
            self._said = Resting(self._picture, self._since_s, self._restless(), self._unsure(bad))
        return self._said

    def _restless(self) -> bool:
        counts: dict[int, int] = {}
        for change in reversed(self._recent):
            if change.at_s < self._since_s - RESTLESS_WINDOW_S:
                break
            count = counts.get(change.cell, 0) + 1
            if count >= RESTLESS_CHANGES:
                return True
            counts[change.cell] = count
        return False

    def _unsure(self, bad: Set[int]) -> tuple[int, ...]:
        if self._top is None or self._picture is None or self._top not in self._picture:
            return ()
        return tuple(
            cell for cell, reading in enumerate(self._picture) if reading == self._top and cell not in bad
        )
