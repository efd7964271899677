"""Health: changes and unsure readings in, named sensors out.

What a single cell's history can tell is judged here: it flickers, or it cannot make up its mind. What only
the game can tell (a marble that must be there and is not seen) is the referee's, which adds it with `name`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Set
from dataclasses import dataclass
from enum import StrEnum

from .occupancy import Change

# People flicker in bursts: a put and two lifts give up to 27 changes within the window, in five of its seconds.
FLICKER_CHANGES = 14  # a toggle of 1 Hz reaches this in FLICKER_WINDOW_S ...
FLICKER_SECONDS = 6  # ... and is seen in so many of its seconds
FLICKER_SURE = 40  # more than any hand, however bunched
FLICKER_WINDOW_S = 7.0
UNSURE_S = 3.0
CHECK_S = 0.5  # how often the slow rules below want to be asked while something is wrong
PLAIN_S = 10.0  # a bad cell that has read plainly for so long is trusted again


class Complaint(StrEnum):
    """What is wrong with a sensor."""

    FLICKERING = "flickering"
    UNSURE = "unsure"
    BLIND = "blind"
    STUCK_ON = "stuck_on"


@dataclass(frozen=True, slots=True)
class SensorBad:
    """A cell is left out of rest and comparison from now on."""

    at_s: float
    cell: int
    complaint: Complaint


@dataclass(frozen=True, slots=True)
class SensorWell:
    """A cell is trusted again."""

    at_s: float
    cell: int


HealthEvent = SensorBad | SensorWell


class Health:
    """Per-cell history. `bad` is the set of cells named bad now."""

    def __init__(self) -> None:
        self._changes: dict[int, deque[float]] = {}
        self._bad: dict[int, Complaint] = {}
        self._last_change_s: dict[int, float] = {}
        self._unsure_since_s: dict[int, float] = {}
        self._plain_since_s: dict[int, float] = {}
        self._moved: set[int] = set()

    @property
    def bad(self) -> Set[int]:
        """Cells named bad."""
        return self._bad.keys()

    def complaint(self, cell: int) -> Complaint | None:
        """What was said of a cell."""
        return self._bad.get(cell)

    def name(self, cell: int, complaint: Complaint, now_s: float) -> list[HealthEvent]:
        """Name a cell bad (once)."""
        if cell in self._bad:
            return []
        self._bad[cell] = complaint
        self._last_change_s[cell] = now_s
        self._plain_since_s.pop(cell, None)
        self._moved.discard(cell)
        return [SensorBad(now_s, cell, complaint)]

    def take(self, change: Change) -> list[HealthEvent]:
        """Follow one accepted change."""
        at_s, cell, _ = change
        if cell in self._bad:
            self._last_change_s[cell] = at_s
            self._moved.add(cell)
            return []
        times = self._changes.get(cell)
        if times is None:
            times = self._changes[cell] = deque(maxlen=FLICKER_SURE)
        times.append(at_s)
        while at_s - times[0] > FLICKER_WINDOW_S:
            times.popleft()
        if len(times) < FLICKER_CHANGES:
            return []
        if len(times) == FLICKER_SURE or len({int(at_s - then) for then in times}) >= FLICKER_SECONDS:
            return self.name(cell, Complaint.FLICKERING, at_s)
        return []

    def unsure(self, cells: tuple[int, ...], last_change_s: float, now_s: float) -> list[HealthEvent]:
        """Name cells that have read unsure for UNSURE_S while nothing else changed."""
        events: list[HealthEvent] = []
        for cell in list(self._unsure_since_s):
            if cell not in cells:
                del self._unsure_since_s[cell]
        for cell in cells:
            since = self._unsure_since_s.setdefault(cell, last_change_s)
            if now_s - max(since, last_change_s) >= UNSURE_S:
                events += self.name(cell, Complaint.UNSURE, now_s)
        return events

    def recover(self, plain: Set[int], now_s: float) -> list[HealthEvent]:
        """Trust again the bad cells that have been quiet, and among `plain` (reading what they should), for PLAIN_S.

        A blind or stuck sensor reads plainly all its life: it must also have been seen to change.
        """
        events: list[HealthEvent] = []
        for cell, complaint in list(self._bad.items()):
            if cell not in plain:
                self._plain_since_s.pop(cell, None)
                continue
            since_s = max(self._plain_since_s.setdefault(cell, now_s), self._last_change_s[cell])
            if now_s - since_s < PLAIN_S:
                continue
            if complaint in (Complaint.BLIND, Complaint.STUCK_ON) and cell not in self._moved:
                continue
            del self._bad[cell]
            self._changes.pop(cell, None)
            events.append(SensorWell(now_s, cell))
        return events
