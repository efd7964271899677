"""A script that waits for the board and never for a clock: what it yields, and the machine that goes on with it.

A script is a generator. It yields `Until(condition, limit_s)` and goes on when the condition holds (it gets True)
or the limit has passed (False). Times are the board side's. No I/O.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass

from .boardside import INF, BoardSide


@dataclass(frozen=True, slots=True)
class Until:
    """Wait. limit_s: absolute host seconds; look_s: when to look again although the board says nothing."""

    condition: Callable[[], bool]
    limit_s: float = INF
    look_s: Callable[[], float] = lambda: INF


def pause(side: BoardSide, lasts_s: float) -> Until:
    """Wait for a time, whatever comes."""
    return Until(lambda: False, side.now_s + lasts_s)


Script = Generator[Until, bool, None]


@dataclass(frozen=True, slots=True)
class Told:
    """A line for people. share: of the whole work that is done, 0..1."""

    text: str
    share: float | None = None


class Machine:
    """Runs one script on one board side."""

    def __init__(self, side: BoardSide, script: Script) -> None:
        self.side = side
        self._script = script
        self._until: Until | None = None
        self.done = False
        self._started = False

    def opened(self, now_s: float) -> None:
        """The port is open."""
        self.side.opened(now_s)
        if not self._started:
            self._started = True
            self._go(None)

    def receive(self, data: bytes, now_s: float) -> None:
        """Bytes came from the board."""
        self.side.receive(data, now_s)
        self.poll()

    def tick(self, now_s: float) -> None:
        """Something falls due."""
        self.side.tick(now_s)
        self.poll()

    def poll(self) -> None:
        """Go on as far as it goes now; also to be called when a person has answered."""
        for _ in range(10_000):
            until = self._until
            if self.done or until is None:
                return
            if until.condition():
                self._go(True)
            elif self.side.now_s >= until.limit_s:
                self._go(False)
            else:
                return

    def take_bytes(self) -> bytes:
        """Bytes for the board."""
        return self.side.take_bytes()

    def due_s(self) -> float:
        """When `tick` wants to be called next."""
        until = self._until
        mine = INF if until is None or self.done else min(until.limit_s, until.look_s())
        return min(self.side.due_s(), mine)

    def _go(self, answer: bool | None) -> None:
        try:
            self._until = next(self._script) if answer is None else self._script.send(answer)
        except StopIteration:
            self._until, self.done = None, True
