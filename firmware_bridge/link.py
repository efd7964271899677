"""Bytes from the board and the time in; link events, and bytes for the board, out. No I/O, no clock.

Theory of operation
-------------------
A link goes through five states; TABLE in states.py is the whole of it.

  CLOSED        no port. Whoever owns the port calls `opened` and `closed`.
  GREETING      the port is open, perhaps the board is booting (opening may reset it by DTR). We ask
                `get_hello` with our session twice a second and believe nothing but a hello that carries
                it. Boot noise ends at the zero byte we send first, or fails its CRC.
  READING       we know who the board is and ask for a whole picture. Edges mean nothing yet.
  UP            the first whole picture is here: LinkUp and PictureSeen come in one batch.
  INCOMPATIBLE  another major version. We say so once and wait until it restarts with another firmware.

Edges are numbered by the board since its boot and sent again until acknowledged. We take only the next
number in order (go-back-N), so nothing is taken twice or out of order; what is missing comes again within
100 ms. We acknowledge the last number taken, once per batch. A picture says which edge it comes after:
one that is ahead of us is not passed on, but asked for again when the missing edges are here; one that is
behind us is old and dropped. When the board's queue overflowed, the picture replaces the edges: it is
taken, our number jumps to its number, and `edges_lost` says that there are changes nobody saw. The first
picture after the link came up says the same.

Each side must hear a good frame at least once a second. We ping when we have been quiet for 250 ms; the
answer keeps the board alive for us. A board that restarted is known by a hello without our session or by
another boot number in edges or pictures. Silence and restart lose the link: LinkLost, then greeting
again, by itself. Commands do not survive it: a motion ordered before must not start after (see
commands.py). What may move again is decided above.

Board time becomes host time here and nowhere else (clock.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from .clock import BoardClock
from .codec import Counters, Decoder, encode
from .commands import CommandQueue
from .compatibility import UPDATE_COMMAND, cause_text, unplayable
from .errors import BridgeError, NotUp
from .messages import (
    BOARD_TO_HOST,
    SESSION_UNASKED,
    Ack,
    AckEdges,
    BoardMessage,
    Command,
    EdgeMsg,
    Fault,
    GetHello,
    GetPicture,
    Hello,
    HostMessage,
    Margins,
    Picture,
    Ping,
    Pong,
    TiltReport,
)
from .states import IGNORED, TABLE, Input
from .states import LinkState as LinkState

HELLO_EVERY_S = 0.5
HELLO_PAUSE_S = 0.05  # at least, even when the board restarts without end
PICTURE_EVERY_S = 0.25  # while READING
PING_EVERY_S = 0.25
SILENCE_S = 1.0
HELD_FAULTS_MAX = 16

_INF = float("inf")
_HALF = 1 << 15
_MASK = 0xFFFF


# -- events ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LinkUp:
    """The board is known and its first whole picture follows in the same batch."""

    at_s: float
    hello: Hello


@dataclass(frozen=True, slots=True)
class LinkLost:
    """The link was up and is not any more; `why` is for people."""

    at_s: float
    why: str


@dataclass(frozen=True, slots=True)
class Incompatible:
    """The board speaks, but not our language; `sentence` says what to do."""

    at_s: float
    sentence: str


@dataclass(frozen=True, slots=True)
class EdgeSeen:
    """One accepted change; each exactly once and in order while no picture says `edges_lost`."""

    at_s: float
    cell: int
    reading: int


@dataclass(frozen=True, slots=True)
class PictureSeen:
    """All readings in chain order, one number a cell, after all edges passed on so far.

    edges_lost: changes before it may have had no edge (first picture of a link, or overflow).
    flicker: (cell, changes not accepted since the last picture), the worst up to six.
    """

    at_s: float
    readings: bytes
    edges_lost: bool
    flicker: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class TiltSeen:
    """Where the board stands. `sensed`: messages.Sensed bits; `supply_mv` 0: not measured."""

    at_s: float
    commanded_cdeg: int
    sensed: int
    moving: bool
    enabled: bool
    supply_mv: int


@dataclass(frozen=True, slots=True)
class FaultSeen:
    """The board reports a fault: messages.FaultCode and its argument; `at_s` is the arrival."""

    at_s: float
    code: int
    argument: int


@dataclass(frozen=True, slots=True)
class Answered:
    """What became of the command that `send` returned `command_id` for: a messages.Result."""

    at_s: float
    command_id: int
    result: int


@dataclass(frozen=True, slots=True)
class MarginsSeen:
    """(reading, threshold) raw, of cells from `first` on."""

    at_s: float
    first: int
    pairs: tuple[tuple[int, int], ...]


LinkEvent = (
    LinkUp | LinkLost | Incompatible | EdgeSeen | PictureSeen | TiltSeen | FaultSeen | Answered | MarginsSeen
)


class Link:
    """The host's side of one port. Calls come from one thread; `now_s` never runs backwards."""

    def __init__(self, *, session: int, update_command: str = UPDATE_COMMAND) -> None:
        """`session`: random, 1 .. 65535, new for each Link."""
        if session == SESSION_UNASKED or not 0 <= session <= _MASK:
            raise BridgeError(f"session {session}: must be 1 .. {_MASK}")
        self._session = session
        self._update_command = update_command
        self._state = LinkState.CLOSED
        self._decoder = Decoder(BOARD_TO_HOST)
        self._commands = CommandQueue()
        self._out: list[bytes] = []
        self._now_s = 0.0
        self._heard_s = 0.0  # last good frame
        self._spoke_s = 0.0  # last frame of ours
        self._ask_s = 0.0  # next get_hello or get_picture
        self._greeted_s = -_INF  # last get_hello
        self._hello: Hello | None = None
        self._clock = BoardClock()
        self._stamped_s = -_INF  # at_s of the last edge or picture passed on
        self._taken = 0  # number of the last edge taken
        self._ack_due = False
        self._wanted: int | None = None  # number of a picture that came before its edges
        self._faults: list[FaultSeen] = []  # seen while READING
        self._ping = 0
        self._strange = 0

    @property
    def state(self) -> LinkState:
        return self._state

    @property
    def hello(self) -> Hello | None:
        """The board's last hello; None before the first and while it is asked anew."""
        return self._hello

    @property
    def counters(self) -> Counters:
        """What the decoder has dropped, and why."""
        return self._decoder.counters

    @property
    def strange(self) -> int:
        """Good frames that do not fit the board's own hello (cell, reading or size), dropped."""
        return self._strange

    # -- the port ----------------------------------------------------------------------

    def opened(self, now_s: float) -> None:
        """The port is open: forget what was, greet. Raises BridgeError when it was open."""
        if self._state is not LinkState.CLOSED:
            raise BridgeError(f"the port is opened while the link is {self._state.name}")
        self._now_s = now_s
        self._decoder.reset()
        self._greeted_s = -_INF
        self._out = [b"\0"]  # ends whatever noise the opening made in the board's receiver
        self._step(Input.PORT_OPENED, now_s, [])

    def closed(self, now_s: float, why: str) -> list[LinkEvent]:
        """The port is closed or gone; `why` for people."""
        self._now_s = now_s
        events: list[LinkEvent] = []
        self._step(Input.PORT_CLOSED, now_s, events, why)
        self._out = []
        return events

    def receive(self, data: bytes, now_s: float) -> list[LinkEvent]:
        """Bytes came from the port, in any pieces; never raises on what they are."""
        self._now_s = now_s
        events: list[LinkEvent] = []
        if self._state is LinkState.CLOSED:
            return events
        for message in self._decoder.feed(data):
            self._heard_s = now_s
            self._take(message, now_s, events)
        if self._ack_due:
            self._ack_due = False
            if self._hello is not None:
                self._write(AckEdges(self._taken, self._hello.boot))
                if self._wanted == self._taken:
                    self._wanted = None
                    self._write(GetPicture())
        self._collect(now_s, events)
        return events

    def tick(self, now_s: float) -> list[LinkEvent]:
        """The time is now; call it at `due_s` or any time."""
        self._now_s = now_s
        events: list[LinkEvent] = []
        state = self._state
        if state in (LinkState.READING, LinkState.UP) and now_s >= self._heard_s + SILENCE_S:
            self._step(Input.SILENCE, now_s, events, f"no word from the board for {SILENCE_S:g} s")
        elif state is LinkState.GREETING:
            self._greet(now_s)
        elif state is LinkState.READING and now_s >= self._ask_s:
            self._ask_s = now_s + PICTURE_EVERY_S
            self._write(GetPicture())
        elif state is LinkState.UP:
            self._commands.tick(now_s)
            self._collect(now_s, events)
            if now_s >= self._spoke_s + PING_EVERY_S:
                self._ping = (self._ping + 1) & _MASK
                self._write(Ping(self._ping))
        self._collect(now_s, events)
        return events

    def due_s(self) -> float:
        """When `tick` wants to be called next; inf: never. Not later than the last `now_s` means at once."""
        match self._state:
            case LinkState.CLOSED | LinkState.INCOMPATIBLE:
                return _INF
            case LinkState.GREETING:
                return self._ask_s
            case LinkState.READING:
                return min(self._ask_s, self._heard_s + SILENCE_S)
            case LinkState.UP:
                return min(
                    self._heard_s + SILENCE_S,
                    self._spoke_s + PING_EVERY_S,
                    self._commands.due_s(self._now_s),
                )
            case never:
                assert_never(never)

    def send(self, command: Command) -> int:
        """Queues a command (its id field is filled in here) and returns the id its `Answered` will carry.

        Sent again after 200 ms without an answer, five times, then Answered(NO_ANSWER). A stop overtakes all,
        all others overtake lights.
        Raises NotUp, TooManyCommands, EncodeError.
        """
        if self._state is not LinkState.UP:
            raise NotUp(f"{type(command).__name__} while the link is {self._state.name}")
        encode(command)  # so that a value that does not fit is refused here, not inside a later tick
        handle = self._commands.add(command)
        self._write_commands()
        return handle

    def ask_picture(self) -> None:
        """Asks the board for a picture now (one comes each second anyway). Raises NotUp."""
        if self._state is not LinkState.UP:
            raise NotUp(f"a picture is asked for while the link is {self._state.name}")
        self._write(GetPicture())

    def take_bytes(self) -> bytes:
        """Bytes to write to the port now."""
        if not self._out:
            return b""
        data = b"".join(self._out)
        self._out.clear()
        return data

    # -- states ------------------------------------------------------------------------

    def _step(self, what: Input, now_s: float, events: list[LinkEvent], why: str = "") -> None:
        """One row of the table; a pair in neither table is a mistake in this file."""
        before = self._state
        if what in IGNORED[before]:
            return
        after = TABLE[before][what]
        if before is LinkState.UP:
            events.append(LinkLost(now_s, why))
            self._commands.lost()
            self._collect(now_s, events)
        self._state = after
        self._enter(after, now_s)

    def _enter(self, state: LinkState, now_s: float) -> None:
        match state:
            case LinkState.CLOSED:
                self._hello = None
            case LinkState.GREETING:
                self._hello = None
                self._ack_due = False
                self._ask_s = self._greeted_s + HELLO_PAUSE_S
                self._greet(now_s)
            case LinkState.READING:
                self._clock = BoardClock()
                self._stamped_s = -_INF
                self._wanted = None
                self._faults = []
                self._ask_s = now_s + PICTURE_EVERY_S
                self._write(GetPicture())
            case LinkState.INCOMPATIBLE:
                self._hello = None
                self._ack_due = False
            case LinkState.UP:
                pass
            case never:
                assert_never(never)

    def _greet(self, now_s: float) -> None:
        if now_s >= self._ask_s:
            self._greeted_s = now_s
            self._ask_s = now_s + HELLO_EVERY_S
            self._write(GetHello(self._session))

    # -- messages ----------------------------------------------------------------------

    def _take(self, message: BoardMessage, now_s: float, events: list[LinkEvent]) -> None:
        if isinstance(message, Hello):
            self._take_hello(message, now_s, events)
            return
        hello = self._hello
        if hello is None or (self._state is not LinkState.UP and self._state is not LinkState.READING):
            return  # a board that we do not know (yet)
        match message:
            case EdgeMsg():
                if message.boot != hello.boot:
                    self._step(Input.RESTART, now_s, events, "the board restarted")
                elif self._state is LinkState.UP:
                    self._take_edge(message, hello, now_s, events)
            case Pong():
                self._clock.host_s(message.board_us, now_s)
            case Picture():
                if message.boot != hello.boot:
                    self._step(Input.RESTART, now_s, events, "the board restarted")
                else:
                    self._take_picture(message, hello, now_s, events)
            case TiltReport():
                at_s = self._clock.host_s(message.board_us, now_s)
                if self._state is LinkState.UP:
                    events.append(
                        TiltSeen(
                            at_s,
                            message.commanded_cdeg,
                            message.sensed,
                            message.moving,
                            message.enabled,
                            message.supply_mv,
                        )
                    )
            case Ack():
                self._commands.acknowledged(message.id, message.result)
            case Fault():
                seen = FaultSeen(now_s, message.code, message.argument)
                if self._state is LinkState.UP:
                    events.append(seen)
                elif len(self._faults) < HELD_FAULTS_MAX:
                    self._faults.append(seen)
            case Margins():
                if self._state is LinkState.UP:
                    events.append(MarginsSeen(now_s, message.first, message.pairs))
                    self._commands.margins_came(message.first)
            case never:
                assert_never(never)

    def _take_hello(self, hello: Hello, now_s: float, events: list[LinkEvent]) -> None:
        sentence = unplayable(hello, self._update_command)
        if sentence is not None:
            was = self._state
            self._step(Input.FOREIGN_HELLO, now_s, events, "the board restarted with another firmware")
            if self._state is LinkState.INCOMPATIBLE and was is not LinkState.INCOMPATIBLE:
                events.append(Incompatible(now_s, sentence))
            return
        known = self._hello
        if hello.session != self._session or (known is not None and hello.boot != known.boot):
            self._step(Input.RESTART, now_s, events, f"the board restarted: {cause_text(hello.reset_cause)}")
            return
        was = self._state
        self._step(Input.HELLO, now_s, events)
        if was is LinkState.GREETING:
            self._hello = hello

    def _take_edge(self, edge: EdgeMsg, hello: Hello, now_s: float, events: list[LinkEvent]) -> None:
        ahead = (edge.number - self._taken) & _MASK
        at_s = self._clock.host_s(edge.board_us, now_s)
        if ahead == 1:
            self._taken = edge.number
            self._ack_due = True
            if edge.cell < hello.cells and edge.reading < (1 << hello.bits):
                events.append(EdgeSeen(self._stamp(at_s), edge.cell, edge.reading))
            else:
                self._strange += 1
        elif ahead == 0 or ahead >= _HALF:
            self._ack_due = True  # had it: our acknowledgement was lost
        # else one before it was lost: all come again

    def _take_picture(self, picture: Picture, hello: Hello, now_s: float, events: list[LinkEvent]) -> None:
        at_s = self._clock.host_s(picture.board_us, now_s)
        if len(picture.readings) != hello.cells or picture.bits != hello.bits:
            self._strange += 1
            return
        if self._state is LinkState.READING:
            self._step(Input.WHOLE_PICTURE, now_s, events)
            self._taken = picture.number
            self._ack_due = True
            at_s = self._stamp(at_s)
            events.append(LinkUp(at_s, hello))
            events.append(PictureSeen(at_s, picture.readings, True, picture.flicker))
            events += self._faults
            self._faults = []
            return
        ahead = (picture.number - self._taken) & _MASK
        if ahead >= _HALF:
            return  # older than what we know
        if picture.overflow:
            self._taken = picture.number
            self._ack_due = True  # also tells the board that the overflow is over
        elif ahead:
            self._wanted = picture.number
            return
        lost = picture.overflow and ahead > 0
        events.append(PictureSeen(self._stamp(at_s), picture.readings, lost, picture.flicker))

    def _stamp(self, at_s: float) -> float:
        """Edges and pictures keep their order in time, though the clock's offset still gets better."""
        if at_s > self._stamped_s:
            self._stamped_s = at_s
        return self._stamped_s

    # -- writing -----------------------------------------------------------------------

    def _write(self, message: HostMessage) -> None:
        self._spoke_s = self._now_s
        self._out.append(encode(message))

    def _write_commands(self) -> None:
        for command in self._commands.take_to_send():
            self._write(command)

    def _collect(self, now_s: float, events: list[LinkEvent]) -> None:
        for handle, result in self._commands.take_finished():
            events.append(Answered(now_s, handle, result))
        self._write_commands()
