"""The host's end of a stimulus board: bytes in, what it did and saw in host time out; commands with ids, sent again.

No I/O and no clock: `receive`, `tick` and `due_s` as in `link.Link`. All times out are host seconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf

from .clock import BoardClock
from .codec import Decoder, encoder
from .commands import Sending
from .errors import BridgeError
from .messages import Ack, GetHello, Hello, Ping, Pong, Result
from .stimulus import (
    HOST_TO_STIMULUS,
    STIMULUS_TO_HOST,
    Drive,
    Driven,
    GetLines,
    Lines,
    Pulse,
    Release,
    StimulusCommand,
)

PING_EVERY_S = 0.25
AGAIN_S = 0.1
RESENDS = 4
LINES_A_FRAME = 30
ROOM = 56
"""Changes that the board keeps until their time (firmware/stimulus/stimulus.h: CHANGES_MAX)."""
_encode = encoder(HOST_TO_STIMULUS)


@dataclass(frozen=True, slots=True)
class Greeted:
    """The stimulus board answers; it knows this session."""

    at_s: float
    hello: Hello


@dataclass(frozen=True, slots=True)
class Done:
    """The changes of one drive were on their lines at that time (by the stimulus board's clock)."""

    at_s: float
    id: int


@dataclass(frozen=True, slots=True)
class PulseSeen:
    """One whole pulse on the servo line. lost: pulses before it that were not told."""

    start_s: float
    width_us: float
    lost: int


@dataclass(frozen=True, slots=True)
class LinesSeen:
    """Levels of the lines that are looked at."""

    at_s: float
    servo: bool
    power: bool
    waiting: int


@dataclass(frozen=True, slots=True)
class Refused:
    """A command was not done: BUSY (no room), UNKNOWN (no such line) or NO_ANSWER."""

    at_s: float
    id: int
    result: Result


StimulusEvent = Greeted | Done | PulseSeen | LinesSeen | Refused


class StimulusLink:
    """One stimulus board. `session`: random u16, not 0; a hello of another session is none of ours."""

    def __init__(self, session: int) -> None:
        self._session = session
        self._decoder = Decoder(STIMULUS_TO_HOST)
        self._clock = BoardClock()
        self._out = bytearray()
        self._commands: Sending[Drive | Release] = Sending(AGAIN_S, RESENDS, self._finds_room)
        self._kept: dict[int, int] = {}  # drives on the board that have not come about: id -> changes
        self._asked_s = -inf  # for room, while a drive is held back
        self._said_s = -inf
        self._token = 0
        self._pulse: int | None = None
        self.hello: Hello | None = None

    def opened(self, now_s: float) -> None:
        """The port is open: greet."""
        self._say(GetHello(self._session), now_s)

    def drive(self, at_s: float, changes: Mapping[int, int], now_s: float) -> int:
        """Have lines change at one time (line -> level); the command's id. Raises BridgeError for too many."""
        if not 0 < len(changes) <= LINES_A_FRAME:
            raise BridgeError(f"a drive changes 1 to {LINES_A_FRAME} lines, not {len(changes)}")
        pairs = bytes(number for pair in changes.items() for number in pair)
        return self._command(Drive(self._clock.board_us(at_s), pairs), now_s)

    def release(self, now_s: float) -> int:
        """Let all lines rest and forget what waits."""
        return self._command(Release(), now_s)

    def ask_lines(self, now_s: float) -> None:
        """Have the levels told."""
        self._say(GetLines(), now_s)

    @property
    def idle(self) -> bool:
        """Whether every command was answered."""
        return self._commands.idle

    def receive(self, data: bytes, now_s: float) -> list[StimulusEvent]:
        """Bytes came from the board."""
        events: list[StimulusEvent] = []
        for message in self._decoder.feed(data):
            match message:
                case Hello():
                    if message.session == self._session:
                        self.hello = message
                        events.append(Greeted(now_s, message))
                case Ack():
                    self._commands.acknowledged(message.id, message.result)
                    events += self._go_on(now_s)
                case Pong():
                    self._clock.host_s(message.board_us, now_s)
                case Driven():
                    self._kept.pop(message.id, None)
                    events += self._go_on(now_s)
                    events.append(Done(self._clock.host_s(message.at_us, now_s), message.id))
                case Pulse():
                    lost = 0 if self._pulse is None else (message.number - self._pulse - 1) & 0xFFFF
                    self._pulse = message.number
                    start_s = self._clock.host_s(message.start_us, now_s)
                    events.append(PulseSeen(start_s, message.width_half_us / 2, lost))
                case Lines():
                    if not message.waiting:
                        self._kept.clear()  # one that it did not tell
                        events += self._go_on(now_s)
                    self._clock.host_s(message.board_us, now_s)
                    events.append(LinesSeen(now_s, bool(message.servo), bool(message.power), message.waiting))
        return events

    def tick(self, now_s: float) -> list[StimulusEvent]:
        """Send again what was not answered; say that the host lives."""
        events = self._go_on(now_s)
        if self._commands.held_back and now_s >= self._asked_s + AGAIN_S:
            self._asked_s = now_s
            self._say(GetLines(), now_s)
        if now_s >= self._said_s + PING_EVERY_S:
            if self.hello is None:
                self._say(GetHello(self._session), now_s)
            self._token = (self._token + 1) & 0xFFFF
            self._say(Ping(self._token), now_s)
        return events

    def due_s(self) -> float:
        """When `tick` wants to be called next."""
        again = self._asked_s + AGAIN_S if self._commands.held_back else self._commands.due_s(self._said_s)
        return min(again, self._said_s + PING_EVERY_S)

    def take_bytes(self) -> bytes:
        """Bytes to write to the port now."""
        data = bytes(self._out)
        self._out.clear()
        return data

    def _command(self, command: Drive | Release, now_s: float) -> int:
        number = self._commands.add(command)
        self._put_out(now_s)
        return number

    def _finds_room(self, command: Drive | Release) -> bool:
        return isinstance(command, Release) or sum(self._kept.values()) + _count(command) <= ROOM

    def _go_on(self, now_s: float) -> list[StimulusEvent]:
        """Send what may go out now; what became of what was sent."""
        self._commands.start_next()
        self._commands.tick(now_s)
        self._put_out(now_s)
        if not self._commands.held_back:
            self._asked_s = now_s
        ended = self._commands.take_finished()
        return [Refused(now_s, number, Result(result)) for number, result in ended if result != Result.DONE]

    def _put_out(self, now_s: float) -> None:
        for command in self._commands.take_to_send():
            if isinstance(command, Release):
                self._kept.clear()
            else:
                self._kept[command.id] = _count(command)
            self._say(command, now_s)

    def _say(self, message: StimulusCommand, now_s: float) -> None:
        self._said_s = now_s
        self._out += _encode(message)


def _count(drive: Drive) -> int:
    return len(drive.changes) // 2
