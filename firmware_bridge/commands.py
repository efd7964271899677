"""Commands in; the one under way and what became of the others out. No I/O; time is an argument.

One command is under way at a time, so that losses can neither swap two commands nor make the board
remember more than the last id and its result. A stop overtakes: motions under way or waiting are given up
(and said so), anything else that was under way goes again after the stop, with a new id. Done twice it
does no harm: lights, settings, margins.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace

from .errors import TooManyCommands
from .messages import Command, DisableTilt, EnableTilt, GetMargins, Result, StopTilt, TiltTo

RESEND_S = 0.2
RESENDS = 5
WAITING_MAX = 64

_STOPS = (StopTilt, DisableTilt)
_MOTIONS = (EnableTilt, TiltTo)


@dataclass(slots=True)
class _Entry:
    handle: int
    command: Command
    wire_id: int = 0
    sent_s: float | None = None  # None: not yet told when it left
    resends: int = 0


class CommandQueue:
    """Handles are the caller's; ids on the wire rise by one with each new command under way, never 0."""

    __slots__ = ("_finished", "_handle", "_now", "_to_send", "_waiting", "_wire_id")

    def __init__(self) -> None:
        self._handle = 0
        self._wire_id = 0
        self._now: _Entry | None = None
        self._waiting: deque[_Entry] = deque()
        self._to_send: list[Command] = []
        self._finished: list[tuple[int, int]] = []

    def add(self, command: Command) -> int:
        """Queues a command and returns its handle (1 .. 65535); TooManyCommands for all but stops."""
        stop = isinstance(command, _STOPS)
        if len(self._waiting) >= WAITING_MAX and not stop:
            raise TooManyCommands(f"{WAITING_MAX} commands wait for the board already")
        self._handle = self._handle % 0xFFFF + 1
        entry = _Entry(self._handle, command)
        if stop:
            self._overtake(entry)
        else:
            self._waiting.append(entry)
        self._start_next()
        return entry.handle

    def _overtake(self, stop: _Entry) -> None:
        """Puts a stop before all but the stop under way and other kinds of stop that wait."""
        if self._now is not None and not isinstance(self._now.command, _STOPS):
            self._waiting.appendleft(self._now)
            self._now = None
        stops, others = [], []
        for entry in self._waiting:
            if isinstance(entry.command, (*_MOTIONS, type(stop.command))):
                self._finished.append((entry.handle, Result.OVERTAKEN))
            elif isinstance(entry.command, _STOPS):
                stops.append(entry)
            else:
                others.append(entry)
        self._waiting = deque([*stops, stop, *others])

    def _start_next(self) -> None:
        if self._now is not None or not self._waiting:
            return
        entry = self._waiting.popleft()
        entry.sent_s = None
        entry.resends = 0
        if not isinstance(entry.command, GetMargins):
            self._wire_id = self._wire_id % 0xFFFF + 1
            entry.wire_id = self._wire_id
            entry.command = replace(entry.command, id=entry.wire_id)
        self._now = entry
        self._to_send.append(entry.command)

    def _finish(self, result: int) -> None:
        assert self._now is not None
        self._finished.append((self._now.handle, result))
        self._now = None
        self._start_next()

    def acknowledged(self, wire_id: int, result: int) -> None:
        """An `ack` came; one that answers nothing under way is an echo of a resend and ignored."""
        entry = self._now
        if entry is not None and not isinstance(entry.command, GetMargins) and entry.wire_id == wire_id:
            self._finish(result)

    def margins_came(self, first: int) -> None:
        """A `margins` came: the answer if that cell was asked for."""
        entry = self._now
        if entry is not None and isinstance(entry.command, GetMargins) and entry.command.first == first:
            self._finish(Result.DONE)

    def tick(self, now_s: float) -> None:
        """Times what has left, sends again, gives up."""
        entry = self._now
        if entry is None:
            return
        if entry.sent_s is None:
            entry.sent_s = now_s
        elif now_s >= entry.sent_s + RESEND_S:
            if entry.resends >= RESENDS:
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
        return now_s if self._now.sent_s is None else self._now.sent_s + RESEND_S

    def take_to_send(self) -> list[Command]:
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
