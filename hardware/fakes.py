"""Fakes, shipped: a drive that only writes down what it is told, and a wire that keeps the commands sent over it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar

from firmware_bridge.link import Answered, LinkEvent
from firmware_bridge.messages import NumberedCommand, Result

from .tilt import TiltEvent, TiltLimits

C = TypeVar("C")


@dataclass(slots=True)
class FakeDrive:
    """See Drive. Whoever owns it sets `motor` and `side`; `done` is what it was told, as (what, seat, time)."""

    limits: TiltLimits = field(default_factory=TiltLimits)
    motor: bool = True
    side: int | None = None
    armed: bool = False
    level: bool = False
    done: list[tuple[str, int | None, float]] = field(default_factory=list)

    def arm(self, now_s: float) -> None:
        """See Drive."""
        self.armed = True

    def go(self, seat: int, now_s: float) -> None:
        """See Drive. Its side is not known until somebody sets it."""
        self.done.append(("go", seat, now_s))
        self.side = None

    def rock(self, now_s: float) -> None:
        """See Drive."""
        self.done.append(("rock", self.side, now_s))

    def stop(self, now_s: float) -> None:
        """See Drive."""
        self.done.append(("stop", None, now_s))
        self.side = None

    def to_level(self, now_s: float) -> None:
        """See Drive. Whoever owns it sets `level`."""
        self.done.append(("level", None, now_s))
        self.side = None

    def let_go(self, now_s: float) -> None:
        """See Drive."""
        self.done.append(("let go", None, now_s))
        self.armed = False

    def take(self, event: LinkEvent) -> list[TiltEvent]:
        """See Drive. Nothing comes of it."""
        return []

    def tick(self, now_s: float) -> list[TiltEvent]:
        """See Drive. Nothing falls due."""
        return []

    def due_s(self) -> float:
        """See Drive."""
        return float("inf")


@dataclass(slots=True)
class FakeWire:
    """Takes commands as `Link.send` does. sent: all of them in order; the id of each is its place, from 1."""

    sent: list[NumberedCommand] = field(default_factory=list)

    def send(self, command: NumberedCommand) -> int:
        """Keep a command; its id."""
        self.sent.append(command)
        return len(self.sent)

    def of(self, kind: type[C]) -> list[C]:
        """The commands of one kind."""
        return [command for command in self.sent if isinstance(command, kind)]

    def answers(self, at_s: float, result: Result = Result.DONE, since: int = 0) -> list[Answered]:
        """The board's answers to the commands from the `since`-th on."""
        return [Answered(at_s, number, result) for number in range(since + 1, len(self.sent) + 1)]
