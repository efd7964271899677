"""Commands in; the one under way and what became of the others out. No I/O; time is an argument.

One command is under way at a time, so that losses can neither swap two commands nor make the board
remember more than the last id and its result.

The controller's commands may overtake (CommandQueue). Stops go before all others: motions under way or
waiting are given up (and said so). Lights let all others pass: nobody sees a light that is late, and a
motion must not wait for the answer to one. What was under way and is overtaken goes again afterwards, with
a new id. Done twice it does no harm: lights, settings, margins.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from .errors import TooManyCommands
from .messages import Command, DisableTilt, EnableTilt, GetMargins, Lights, Result, StopTilt, TiltTo

RESEND_S = 0.2
RESENDS = 5
WAITING_MAX = 64

_STOPS = (StopTilt, DisableTilt)
_MOTIONS = (EnableTilt, TiltTo)
_FIRST, _USUAL, _LAST = range(3)  # ranks

C = TypeVar("C", bound=Any)


@dataclass(slots=True)
class _Entry(Generic[C]):
    handle: int
    command: C
    wire_id: int = 0
    sent_s: float | None = None  # None: not yet told when it left
    resends: int = 0


class Sending(Generic[C]):
    """Commands go out in their order, each when the one before has ended. Handles are 1 .. 65535, and the ids sent."""

    __slots__ = (
        "_finished",
        "_handle",
        "_may_start",
        "_now",
        "_resend_s",
        "_resends",
        "_to_send",
        "_waiting",
    )

    def __init__(
        self, resend_s: float = RESEND_S, resends: int = RESENDS, may_start: Callable[[C], bool] | None = None
    ) -> None:
        """may_start: whether a command may go out now; see `start_next`."""
        self._resend_s = resend_s
        self._resends = resends
        self._may_start = may_start
        self._handle = 0
        self._now: _Entry[C] | None = None
        self._waiting: deque[_Entry[C]] = deque()
        self._to_send: list[C] = []
        self._finished: list[tuple[int, int]] = []

    @property
    def idle(self) -> bool:
        """Whether every command has ended."""
        return self._now is None and not self._waiting

    @property
    def held_back(self) -> bool:
        """Whether the next command could go out but for `may_start`."""
        return self._now is None and bool(self._waiting)

    def add(self, command: C) -> int:
        """Queues a command and returns its handle."""
        entry = self._entry(command)
        self._waiting.append(entry)
        self.start_next()
        return entry.handle

    def _entry(self, command: C) -> _Entry[C]:
        self._handle = self._handle % 0xFFFF + 1
        return _Entry(self._handle, command)

    def _id_for(self, entry: _Entry[C]) -> int:
        """The id that a command goes out with; 0: it has none."""
        return entry.handle

    def start_next(self) -> None:
        """Sends the next command if none is under way and it may start: call it when `may_start` may have changed."""
        if self._now is not None or not self._waiting:
            return
        if self._may_start is not None and not self._may_start(self._waiting[0].command):
            return
        entry = self._waiting.popleft()
        entry.sent_s = None
        entry.resends = 0
        entry.wire_id = self._id_for(entry)
        if entry.wire_id:
            entry.command = replace(entry.command, id=entry.wire_id)
        self._now = entry
        self._to_send.append(entry.command)

    def _finish(self, result: int) -> None:
        assert self._now is not None
        self._finished.append((self._now.handle, result))
        self._now = None
        self.start_next()

    def acknowledged(self, wire_id: int, result: int) -> None:
        """An `ack` came; one that answers nothing under way is an echo of a resend and ignored."""
        entry = self._now
        if entry is not None and entry.wire_id and entry.wire_id == wire_id:
            self._finish(result)

    def tick(self, now_s: float) -> None:
        """Times what has left, sends again, gives up."""
        entry = self._now
        if entry is None:
            return
        if entry.sent_s is None:
            entry.sent_s = now_s
        elif now_s >= entry.sent_s + self._resend_s:
            if entry.resends >= self._resends:
                self._finish(Result.NO_ANSWER)
                if self._now is not None:
                    self._now.sent_s = now_s
            else:
                entry.resends += 1
                entry.sent_s = now_s
                self._to_send.append(entry.command)

    def lost(self) -> None:
        """The link is lost: nothing is kept for later, a motion must not start when the board comes back."""
        entries = [self._now] if self._now is not None else []
        self._finished += [(e.handle, Result.LINK_LOST) for e in [*entries, *self._waiting]]
        self._now = None
        self._waiting.clear()
        self._to_send.clear()

    def due_s(self, now_s: float) -> float:
        """When tick wants to be called; `now_s` or earlier means at once."""
        if self._finished:
            return now_s
        if self._now is None:
            return float("inf")
        return now_s if self._now.sent_s is None else self._now.sent_s + self._resend_s

    def take_to_send(self) -> list[C]:
        """Commands to put on the wire now, in order."""
        if not self._to_send:
            return []
        to_send, self._to_send = self._to_send, []
        return to_send

    def take_finished(self) -> list[tuple[int, int]]:
        """(handle, Result) of each command that has ended since."""
        if not self._finished:
            return []
        finished, self._finished = self._finished, []
        return finished


class CommandQueue(Sending[Command]):
    """The controller's. Ids on the wire rise by one with each that goes out: one that was overtaken gets a new one."""

    __slots__ = ("_wire_id",)

    def __init__(self) -> None:
        super().__init__()
        self._wire_id = 0

    def add(self, command: Command) -> int:
        """Queues a command and returns its handle; TooManyCommands for all but stops."""
        stop = isinstance(command, _STOPS)
        if len(self._waiting) >= WAITING_MAX and not stop:
            raise TooManyCommands(f"{WAITING_MAX} commands wait for the board already")
        entry = self._entry(command)
        rank = _rank(command)
        if self._now is not None and _rank(self._now.command) > rank:
            self._waiting.appendleft(self._now)
            self._now = None
        if stop:
            self._give_up((*_MOTIONS, type(command)))
        # Those that wait lie in the order of their ranks.
        self._waiting.insert(sum(_rank(each.command) <= rank for each in self._waiting), entry)
        self.start_next()
        return entry.handle

    def _give_up(self, kinds: tuple[type[Command], ...]) -> None:
        given_up = [each for each in self._waiting if isinstance(each.command, kinds)]
        self._finished += [(each.handle, Result.OVERTAKEN) for each in given_up]
        self._waiting = deque(each for each in self._waiting if not isinstance(each.command, kinds))

    def _id_for(self, entry: _Entry[Command]) -> int:
        if isinstance(entry.command, GetMargins):
            return 0
        self._wire_id = self._wire_id % 0xFFFF + 1
        return self._wire_id

    def margins_came(self, first: int) -> None:
        """A `margins` came: the answer if that cell was asked for."""
        entry = self._now
        if entry is not None and isinstance(entry.command, GetMargins) and entry.command.first == first:
            self._finish(Result.DONE)


def _rank(command: Command) -> int:
    if isinstance(command, _STOPS):
        return _FIRST
    return _LAST if isinstance(command, Lights) else _USUAL
