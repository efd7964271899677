"""Health: changes, unsure readings and counts of flickers in, named sensors out.

What a cell's history can tell is judged here: it flickers, it chatters, it cannot make up its mind. What only the
game can tell (a marble that must be there and is not seen) is the referee's, which adds it with `name`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from enum import StrEnum

from .faults import FaultName
from .occupancy import Change

# A marble that is lifted and put back again and again is off the board for 0.4 s and more in between (board spec), so
# people flicker in bursts. A sensor that toggles slowly is known from them by its staying power.
FAST_GAP_S, FAST_S, FAST_CHANGES = 0.36, 3.5, 12
SLOW_GAP_S, SLOW_S = 0.65, 15.0
UNSURE_S = 3.0
CHECK_S = 0.5  # how often the slow rules below want to be asked while something is wrong
PLAIN_S = 10.0  # a bad cell that has read plainly for so long is trusted again
# Counts are of changes that were too short to be accepted. Healthy spaces count up to 14 at one lift or put (light,
# which passes through the levels between), and nothing at rest.
CHATTER_COUNT = 18
BURST_COUNT = 45  # before a change that is not accepted yet: more than a weak sensor's drop-outs in a second
CHATTER_TIMES = 3  # so often before a contact is called worn
CHATTER_NEAR_S = 0.5  # a count so soon after an accepted change belongs to it
BUZZ_COUNT = 30  # in BUZZ_S, at rest
BUZZ_S = 4.0
ONE_SCAN_S = 0.0015
TOGETHER_S = 0.03  # what changes within this time has changed at one instant


class Complaint(StrEnum):
    """What is wrong with a sensor."""

    FLICKERING = "flickering"
    UNSURE = "unsure"
    BLIND = "blind"
    STUCK_ON = "stuck_on"
    OPEN = "open"
    BOUNCING = "bouncing"
    WEAK = "weak"
    CROSSTALK = "crosstalk"
    SWAPPED = "swapped"
    DEAD_CHAIN = "dead_chain"


FAULTS: Mapping[Complaint, FaultName] = {
    Complaint.FLICKERING: FaultName.FLICKERING,
    Complaint.UNSURE: FaultName.OPEN_WIRE,
    Complaint.BLIND: FaultName.STUCK_OFF,
    Complaint.STUCK_ON: FaultName.STUCK_ON,
    Complaint.OPEN: FaultName.OPEN_WIRE,
    Complaint.BOUNCING: FaultName.BOUNCING,
    Complaint.WEAK: FaultName.WEAK,
    Complaint.CROSSTALK: FaultName.CROSSTALK,
    Complaint.SWAPPED: FaultName.SWAPPED,
    Complaint.DEAD_CHAIN: FaultName.DEAD_CHAIN,
}
"""The fault that a complaint means."""

_SILENT = (Complaint.BLIND, Complaint.STUCK_ON, Complaint.WEAK)  # such a sensor reads plainly all its life

_WHY_BLIND = (Complaint.DEAD_CHAIN, Complaint.OPEN)  # what a sensor that sees nothing is found to be later


@dataclass(frozen=True, slots=True)
class SensorBad:
    """Something is wrong with a cell. left_out: it does not count for rest and comparison from now on.

    also: other cells that belong to it: the neighbour that it sees, its partner in an exchange, the rest of the chain.
    """

    at_s: float
    cell: int
    complaint: Complaint
    also: tuple[int, ...] = ()
    left_out: bool = True


@dataclass(frozen=True, slots=True)
class SensorWell:
    """A cell is trusted again."""

    at_s: float
    cell: int


HealthEvent = SensorBad | SensorWell


class Health:
    """Per-cell history. `bad` is the set of cells to leave out now. near: whether two cells lie side by side."""

    def __init__(self, near: Callable[[int, int], bool] = lambda cell, other: False) -> None:
        self._near = near
        self._fast: dict[int, tuple[float, int]] = {}  # since when without a pause, and how many changes
        self._slow: dict[int, float] = {}
        self._bad: dict[int, Complaint] = {}
        self._warned: dict[int, Complaint] = {}  # named, and still believed
        self._groups: dict[int, tuple[int, ...]] = {}  # cells that a bad cell was named together with
        self._last_change_s: dict[int, float] = {}
        self._unsure_since_s: dict[int, float] = {}
        self._plain_since_s: dict[int, float] = {}
        self._moved: set[int] = set()
        self._was_blind: set[int] = set()
        self._seen: dict[int, Change] = {}  # the last change of each cell
        self._buzzes: dict[int, deque[tuple[float, int]]] = {}
        self._chatters: dict[int, list[float]] = {}
        self._burst_s: dict[int, float] = {}

    @property
    def bad(self) -> Set[int]:
        """Cells named bad."""
        return self._bad.keys()

    def complaint(self, cell: int) -> Complaint | None:
        """What was said of a cell."""
        return self._bad.get(cell) or self._warned.get(cell)

    def name(
        self,
        cell: int,
        complaint: Complaint,
        now_s: float,
        also: tuple[int, ...] = (),
        *,
        since_s: float = 0.0,
    ) -> list[HealthEvent]:
        """Name a cell bad (once). A dead chain is named by its first cell, with all others in `also`.

        since_s: from when on a change of a cell that sees too much may have been its neighbour's doing.
        """
        known = self._bad.get(cell)
        if known is not None and (known is not Complaint.BLIND or complaint not in _WHY_BLIND):
            return []
        if complaint is Complaint.BLIND:
            if cell in self._was_blind:
                complaint = Complaint.WEAK  # it has seen marbles in between
            self._was_blind.add(cell)
        if complaint is Complaint.STUCK_ON:
            neighbour = self._together_with(cell)
            if neighbour is not None and self._seen[cell].at_s >= since_s:
                complaint, also = Complaint.CROSSTALK, (neighbour,)
        self._leave_out(cell, complaint, now_s, also)
        if complaint is Complaint.DEAD_CHAIN:
            for other in also:
                self._leave_out(other, complaint, now_s, (cell, *also))
        return [SensorBad(now_s, cell, complaint, also)]

    def _leave_out(self, cell: int, complaint: Complaint, now_s: float, also: tuple[int, ...]) -> None:
        self._bad[cell] = complaint
        self._groups[cell] = also
        self._last_change_s[cell] = now_s
        self._plain_since_s.pop(cell, None)
        self._moved.discard(cell)

    def _warn(self, cell: int, complaint: Complaint, now_s: float) -> list[HealthEvent]:
        if cell in self._bad or cell in self._warned:
            return []
        self._warned[cell] = complaint
        return [SensorBad(now_s, cell, complaint, left_out=False)]

    def take(self, change: Change) -> list[HealthEvent]:
        """Follow one accepted change."""
        at_s, cell, _ = change
        last = self._seen.get(cell)
        self._seen[cell] = change
        self._buzzes.pop(cell, None)
        if cell in self._bad:
            self._last_change_s[cell] = at_s
            self._moved.add(cell)
            return self._sees_neighbour(cell, at_s)
        gap_s = 0.0 if last is None else at_s - last.at_s
        fast_s, count = self._fast.get(cell, (at_s, 0)) if gap_s <= FAST_GAP_S else (at_s, 0)
        self._fast[cell] = fast_s, count + 1
        slow_s = self._slow.get(cell, at_s) if gap_s <= SLOW_GAP_S else at_s
        self._slow[cell] = slow_s
        if (at_s - fast_s >= FAST_S and count >= FAST_CHANGES) or at_s - slow_s >= SLOW_S:
            return self.name(cell, Complaint.FLICKERING, at_s)
        burst_s = self._burst_s.pop(cell, None)
        if burst_s is not None and at_s - burst_s < CHATTER_NEAR_S:
            return self._chatters_again(cell, at_s)
        for other, complaint in self._bad.items():
            if complaint is Complaint.STUCK_ON and self._together_with(other) == cell:
                return self._sees_neighbour(other, at_s)
        return []

    def _sees_neighbour(self, cell: int, now_s: float) -> list[HealthEvent]:
        """A sensor that was thought to see a marble where none is, and follows another one."""
        other = self._together_with(cell)
        if self._bad.get(cell) is not Complaint.STUCK_ON or other is None:
            return []
        self._leave_out(cell, Complaint.CROSSTALK, now_s, (other,))
        return [SensorBad(now_s, cell, Complaint.CROSSTALK, (other,))]

    def _together_with(self, cell: int) -> int | None:
        """The one good cell whose last change was at the same instant as this one's, and in the same direction."""
        mine = self._seen.get(cell)
        if mine is None:
            return None
        found = sorted(
            (abs(change.at_s - mine.at_s), change.cell)
            for change in self._seen.values()
            if change.cell != cell
            and change.cell not in self._bad
            and abs(change.at_s - mine.at_s) <= TOGETHER_S
            and bool(change.reading) == bool(mine.reading)
        )
        near = [other for _, other in found if self._near(cell, other)]
        if len(near) == 1:
            return near[0]
        if len(found) > 1 and not found[0][0] <= ONE_SCAN_S < found[1][0]:
            return None
        return found[0][1] if found else None

    def count(self, counts: Sequence[tuple[int, int]], readings: bytes, now_s: float) -> list[HealthEvent]:
        """Follow the counts of changes that were too short to be accepted. readings: of all cells, now."""
        events: list[HealthEvent] = []
        for cell, count in counts:
            if cell in self._bad:
                if count >= CHATTER_COUNT:
                    self._last_change_s[cell] = now_s
                if self._bad[cell] is not Complaint.BLIND:
                    continue
            last = self._seen.get(cell)
            if last is not None and now_s - last.at_s < CHATTER_NEAR_S:
                if count >= CHATTER_COUNT:
                    events += self._chatters_again(cell, now_s)
                continue
            if count >= BURST_COUNT:
                self._burst_s[cell] = now_s  # a change that is still to be accepted may follow
            buzzes = self._buzzes.setdefault(cell, deque())
            buzzes.append((now_s, count))
            while now_s - buzzes[0][0] > BUZZ_S:
                buzzes.popleft()
            if len(buzzes) < CHATTER_TIMES or now_s - buzzes[0][0] < BUZZ_S / 2:
                continue
            if sum(number for _, number in buzzes) >= BUZZ_COUNT:
                # A marble seen only just drops out for moments; an input with no sensor picks up hum.
                if readings[cell]:
                    events += self._warn(cell, Complaint.WEAK, now_s)
                else:
                    events += self.name(cell, Complaint.OPEN, now_s)
        return events

    def _chatters_again(self, cell: int, now_s: float) -> list[HealthEvent]:
        times = self._chatters.setdefault(cell, [])
        if not times or now_s - times[-1] > CHATTER_NEAR_S:
            times.append(now_s)
        return self._warn(cell, Complaint.BOUNCING, now_s) if len(times) >= CHATTER_TIMES else []

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

    def recover(self, plain: Set[int], now_s: float, readings: bytes = b"") -> list[HealthEvent]:
        """Trust again the bad cells that have been quiet, and among `plain` (reading what they should), for PLAIN_S.

        A blind or stuck sensor reads plainly all its life: it must also have been seen to change; so must one of a
        dead chain's. One that sees its neighbour is judged while a marble lies there (`readings`).
        """
        events: list[HealthEvent] = []
        for cell, complaint in list(self._bad.items()):
            if cell not in plain:
                self._plain_since_s.pop(cell, None)
                continue
            since_s = max(self._plain_since_s.setdefault(cell, now_s), self._last_change_s[cell])
            if now_s - since_s < PLAIN_S:
                continue
            if complaint in _SILENT and cell not in self._moved:
                continue
            group = self._groups[cell]
            if complaint is Complaint.DEAD_CHAIN and self._moved.isdisjoint((cell, *group)):
                continue
            if complaint is Complaint.CROSSTALK and not any(
                readings[other : other + 1].strip(b"\0") for other in group
            ):
                self._plain_since_s.pop(cell, None)
                continue
            del self._bad[cell]
            self._fast.pop(cell, None)
            self._slow.pop(cell, None)
            events.append(SensorWell(now_s, cell))
        return events
