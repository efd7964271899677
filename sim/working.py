"""What any hand over a board does in time: deeds in, one after the other; flicker on the inputs and reports out.

Each deed takes the time people take (board spec, notes section 5). What a hand holds, and what a deed does to it, is
said by whoever is a hand.
"""

from abc import ABC, abstractmethod
from collections import deque
from random import Random
from typing import Generic, TypeVar

from .agenda import Agenda
from .deeds import HandReport, Manner
from .inputs import Lines, Overlay
from .model import HandModel

TAP_S = (0.3, 0.7)  # a tapped piece is held for so long
BETWEEN_TAPS_S = (0.15, 0.4)  # and lies so long before it is touched again

D = TypeVar("D")
Range = tuple[float, float]


class WorkingHand(ABC, Generic[D]):
    """One hand over a board. All deeds queue up; `cancel` drops what has not begun."""

    def __init__(self, agenda: Agenda, lines: Lines, how: HandModel, random: Random) -> None:
        self._agenda = agenda
        self._lines = lines
        self._how = how
        self._random = random
        self._deeds: deque[D] = deque()
        self._now: D | None = None
        self._errand: object = None
        self._errand_ends: D | None = None  # its last deed
        self._version = 0
        self._from_cell = -1
        self.touched_s = float("-inf")
        self.history: deque[HandReport] = deque(maxlen=1000)
        self.done = 0  # things done or refused so far

    # -- what can be asked

    @property
    def busy(self) -> bool:
        """Whether a deed is under way or waits."""
        return self._now is not None or bool(self._deeds)

    def is_for(self, errand: object) -> None:
        """All that it was asked for until now is for this."""
        self._errand = errand
        self._errand_ends = self._deeds[-1] if self._deeds else self._now

    def is_at(self, errand: object) -> bool:
        """Whether something of it is under way or waits."""
        last = self._errand_ends
        if errand != self._errand or last is None:
            return False
        return last is self._now or any(deed is last for deed in self._deeds)

    @property
    @abstractmethod
    def carrying(self) -> int | None:
        """Id of what is in the hand (of several: the lowest)."""

    @property
    def taken_from(self) -> int | None:
        """Where what is in the hand was taken; None beside the board or where the hand is empty."""
        return self._from_cell if self.carrying is not None and self._from_cell >= 0 else None

    @property
    def report(self) -> HandReport | None:
        """The last thing done or refused."""
        return self.history[-1] if self.history else None

    @abstractmethod
    def lift(self, cell: int, manner: Manner = Manner.MEDIAN) -> None:
        """Takes what lies on a cell."""

    @abstractmethod
    def put_back(self) -> None:
        """Puts what is held back where it was taken."""

    @abstractmethod
    def wait(self, lasts_s: float) -> None:
        """Does nothing for a while."""

    def tap(self, cell: int, times: int = 1) -> None:
        """Lifts what lies on a cell and puts it back at once, so many times, as people who mean something by it."""
        for number in range(times):
            if number:
                self.wait(self._random.uniform(*BETWEEN_TAPS_S))
            self.lift(cell, Manner.RANDOM)
            self.wait(self._random.uniform(*TAP_S))
            self._let_down(cell)

    def cancel(self) -> None:
        """Forgets the deeds that have not begun."""
        self._deeds.clear()

    def empty(self) -> None:
        """Nothing in the hand and nothing to do (the board was cleared)."""
        self._deeds.clear()
        self._leave_off()
        self._from_cell = -1

    # -- the queue

    @abstractmethod
    def _begin(self, deed: D) -> float:
        """Starts a deed; how long it takes, s."""

    @abstractmethod
    def _finish(self, deed: D) -> bool:
        """Ends a deed; False when it could not be done and what was to follow makes no sense."""

    @abstractmethod
    def _let_down(self, cell: int) -> None:
        """Asks for what is held to be put down where it was just lifted, a cell."""

    def _ask(self, deed: D) -> None:
        self._deeds.append(deed)
        if self._now is None:
            self._next()

    def _next(self) -> None:
        if self._deeds:
            deed = self._now = self._deeds.popleft()
            self._version += 1
            self._agenda.at(self._agenda.now_s + self._begin(deed), self._end, self._version)

    def _leave_off(self) -> None:
        """The deed under way is given up."""
        self._now = None
        self._version += 1

    def _end(self, version: int) -> None:
        if version != self._version or self._now is None:
            return
        done = self._finish(self._now)
        self._now = None
        if not done:
            self._deeds.clear()
        self._next()

    def _say(self, what: str, cell: int, piece: int | None = None) -> None:
        """piece: what it was done to; by default what is held."""
        piece = self.carrying if piece is None else piece
        self.done += 1
        self.history.append(HandReport(self._agenda.now_s, what, cell, -1 if piece is None else piece))

    # -- time and flicker

    def _between(self, ms: Range, manner: Manner) -> float:
        """Seconds out of a range in ms, by manner; the draw is made in any case."""
        share = self._random.random()
        if manner is Manner.MEDIAN:
            share = 0.5
        elif manner is Manner.SLOW:
            share = 0.85 + 0.15 * share
        return (ms[0] + (ms[1] - ms[0]) * share) / 1000

    def _gaps(self, count: int, ms: Range, begin: float, end: float, level: int) -> list[Overlay]:
        """Short times with another reading within a window, in order, cut to it."""
        if not count or end <= begin:
            return []
        starts = sorted(self._random.uniform(begin, end) for _ in range(count))
        return [(start, min(start + self._between(ms, Manner.RANDOM), end), level) for start in starts]

    def _rocking(self, leaves: float, lasts: float, level: int = 0) -> list[Overlay]:
        """What is lifted rocks before it leaves: moments in which `level` is seen."""
        how = self._how
        rocks = min(self._between(how.rock_ms, Manner.RANDOM), lasts)
        count = self._random.randint(0, how.lift_flickers)
        return self._gaps(count, how.lift_flicker_ms, leaves - rocks, leaves, level)

    def _chatter(self, leaves: float, level: int) -> list[Overlay]:
        """After it has left it is seen again for moments, as `level`."""
        seen: list[Overlay] = []
        at = leaves
        for _ in range(self._random.randint(0, self._how.leave_chatters)):
            at += 0.005 + 0.02 * self._random.random()
            end = at + self._between(self._how.leave_chatter_ms, Manner.RANDOM)
            seen.append((at, end, level))
            at = end
        return seen

    def _settling(self, cell: int, level: int = 0) -> None:
        """What was put down settles: moments in which `level` is seen. Before the plan of the landing itself, which
        then sees landing and gaps as one.
        """
        now, how = self._agenda.now_s, self._how
        settles = self._between(how.drop_settle_ms, Manner.RANDOM)
        count = self._random.randint(0, how.drop_gaps)
        self._lines.overlay(cell, self._gaps(count, how.drop_gap_ms, now + 0.005, now + settles, level))
