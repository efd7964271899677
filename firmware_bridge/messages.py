"""All messages of the wire, declared once; codec, C header and the table of docs/protocol.md come from here.

A message is a frozen dataclass whose fields carry their wire kind, unit and meaning as `Annotated`
data, and one line in the table at the end of this file: number, wire name, first protocol version.

On the wire the fixed fields come first in declared order, then those of varying length in declared order.
Numbers are little-endian. Compatibility: a minor version may add messages, and fields after the last one of a
message; receivers skip unknown messages and ignore what follows the fields they know. `Hello` never changes
otherwise, in no major version, so that every host can name the version of every board.
"""

# No postponed annotations here: as texts they would have to be compiled again at each start.
from dataclasses import dataclass, fields
from enum import Enum, IntEnum, IntFlag
from typing import Annotated, Any, Generic, TypeVar

MAJOR, MINOR = 1, 1
"""Protocol version of this declaration."""

PRODUCT = "Balanx"
BAUD = 250_000
BITS_PER_CELL = (1, 2, 3, 4, 8)
"""Bits a cell may report; with more than one the top code (3, 7, 15, 255) means "something there, unread"."""

CELLS_MAX = 128
"""Inputs of the longest chain that the firmware reads; an edge has seven bits to name one."""

FLICKER_PAIRS_MAX = 6
ANGLE_UNKNOWN_CDEG = 0x7FFF
"""Angle of `EnableTilt` when the host does not know where the board stands: it then goes slowly to level."""
SESSION_UNASKED = 0
"""Session in a hello that nobody asked for (after a reset). Hosts never use it."""


class Kind(Enum):
    """Wire kinds. The first five are fixed; the others have a length of their own and stand behind those."""

    U8 = "u8"
    U16 = "u16"
    U32 = "u32"
    I16 = "i16"
    BOOL = "bool"  # u8: 0 or 1
    VERSION = "u8[3]"
    TEXT = "text"  # u8 length, ASCII
    OCTETS = "octets"  # u8 length, bytes
    PAIRS8 = "(u8,u8)[]"  # u8 count, pairs
    PAIRS16 = "(u16,u16)[]"  # u8 count, pairs
    READINGS = "readings"  # u8 count of cells, then `bits` bits a cell, first cell in the lowest bits

    @property
    def fixed(self) -> bool:
        return self in _FIXED


_FIXED = frozenset({Kind.U8, Kind.U16, Kind.U32, Kind.I16, Kind.BOOL})


@dataclass(frozen=True, slots=True)
class Wire:
    """How one field travels: kind, meaning and unit ("" for a plain number)."""

    kind: Kind
    meaning: str
    unit: str = ""
    since: tuple[int, int] | None = None
    """First protocol version that has it, when the message is older: then it stands last and has a default."""


class ResetCause(IntEnum):
    """Why the board started."""

    UNKNOWN = 0
    POWER_ON = 1
    EXTERNAL = 2  # reset button, or DTR when a host opened the port
    BROWN_OUT = 3
    WATCHDOG = 4
    SOFTWARE = 5


class Feature(IntFlag):
    """What a board has beside its sensors."""

    SERVO = 1
    END_INPUTS = 2
    LIGHTS = 4
    MARGINS = 8
    CHAIN_END = 16  # the chain's far end answers: a broken chain is noticed


class Sensed(IntFlag):
    """The end-position inputs: whose side is down."""

    SEAT0_DOWN = 1
    SEAT1_DOWN = 2


class Result(IntEnum):
    """Answer to a command. From 250 on made by the host's link itself, never sent by a board."""

    DONE = 0
    NOT_ENABLED = 1  # tilt_to before enable_tilt
    OUT_OF_LIMITS = 2
    TOO_FAST = 3  # a swing shorter than the board allows (marbles would jump)
    TOO_SOON = 4  # no servo pulse within the first second after a reset
    BUSY = 5
    UNKNOWN = 6  # no such key, cell or feature on this board
    DUTY_LIMIT = 7
    LOCKED = 8  # the stored settings were damaged: no motion until settings are stored anew
    NOT_STORED = 9  # what was written does not read back
    NO_ANSWER = 250
    LINK_LOST = 251
    OVERTAKEN = 252  # given up for a stop; whether the board did it is not known


class FaultCode(IntEnum):
    """What the board reports by itself; the argument's meaning stands beside each."""

    HOST_SILENT = 1  # 0: the servo signal was ended
    TILT_DEADLINE = 2  # ms since the start
    TILT_STALLED = 3  # ms since the start
    FEEDBACK_STALE = 4  # ms since the last feedback
    SUPPLY_LOW = 5  # mV
    DUTY_LIMIT = 6  # seconds to wait
    CHAIN_BROKEN = 7  # first input that cannot be read; the number of inputs: only the wire back is broken
    BAD_FRAMES = 8  # damaged frames dropped since boot
    BOTH_ENDS = 9  # 0: both end-position inputs at once
    SETTINGS_LOST = 10  # 0: stored settings were damaged; defaults hold and motion is locked


class ConfigKey(IntEnum):
    """What `configure` can set; the value's unit stands beside each."""

    DEBOUNCE_SAMPLES = 1  # equal samples until a reading is accepted
    ANGLE_LIMIT_CDEG = 2
    SWING_MIN_MS = 3
    HOLD_MS = 4  # servo signal after arrival; 0xFFFF: for ever
    THRESHOLD = 5  # of all analogue cells, raw
    DEADLINE_MS = 6
    SUPPLY_MIN_MV = 7  # below it: supply_low
    CHAIN_END = 8  # 1: the chain's far end is wired back and must answer; 0: checked once it has answered
    STORE = 9  # 1: what is set now outlives resets, answered when written; 0: forget what is stored


# -- board to host --------------------


@dataclass(frozen=True, slots=True)
class Hello:
    """Who the board is. Sent once unasked after a reset, and as the answer to `get_hello`."""

    major: Annotated[int, Wire(Kind.U8, "protocol major: another one does not play")]
    minor: Annotated[int, Wire(Kind.U8, "protocol minor: a newer one plays")]
    build_id: Annotated[
        int, Wire(Kind.U32, "first 4 bytes of the SHA-256 of the firmware's sources and options")
    ]
    cells: Annotated[int, Wire(Kind.U8, "inputs in the chain")]
    bits: Annotated[int, Wire(Kind.U8, "bits a cell: 1 presence, 2 colour, 3, 4, 8 other games", "bit")]
    reader_hz: Annotated[int, Wire(Kind.U16, "samples of all inputs a second", "Hz")]
    reset_cause: Annotated[int, Wire(Kind.U8, "a ResetCause")]
    boot: Annotated[int, Wire(Kind.U16, "boot number, kept over power cuts, one more at each reset")]
    session: Annotated[int, Wire(Kind.U16, "that of the get_hello answered, 0: nobody asked")]
    features: Annotated[int, Wire(Kind.U8, "Feature bits")]
    firmware: Annotated[tuple[int, int, int], Wire(Kind.VERSION, "firmware version")]
    product: Annotated[str, Wire(Kind.TEXT, "product name")]
    board_kind: Annotated[str, Wire(Kind.TEXT, "which sensor board, e.g. classic")]
    unique_id: Annotated[bytes, Wire(Kind.OCTETS, "the controller's own id")]
    commit_id: Annotated[
        bytes, Wire(Kind.OCTETS, "first 4 bytes of the commit it was built at, empty: not told", since=(1, 1))
    ] = b""


@dataclass(frozen=True, slots=True)
class EdgeMsg:
    """One accepted change of one cell's reading; sent again every 100 ms until acknowledged."""

    cell: Annotated[int, Wire(Kind.U8, "input in chain order")]
    reading: Annotated[int, Wire(Kind.U8, "the new reading")]
    board_us: Annotated[int, Wire(Kind.U32, "board time of acceptance, wraps", "us")]
    number: Annotated[int, Wire(Kind.U16, "running number since boot, the first is 1, wraps")]
    boot: Annotated[int, Wire(Kind.U16, "boot number")]


@dataclass(frozen=True, slots=True)
class Picture:
    """All readings at once; `number` edges have led to it."""

    number: Annotated[int, Wire(Kind.U16, "number of the last edge before it")]
    overflow: Annotated[bool, Wire(Kind.BOOL, "edges were thrown away; the picture replaces them")]
    board_us: Annotated[int, Wire(Kind.U32, "board time of the picture, wraps", "us")]
    boot: Annotated[int, Wire(Kind.U16, "boot number")]
    bits: Annotated[int, Wire(Kind.U8, "bits a cell", "bit")]
    flicker: Annotated[
        tuple[tuple[int, int], ...],
        Wire(Kind.PAIRS8, "up to six worst (cell, changes not accepted since the last)"),
    ]
    readings: Annotated[bytes, Wire(Kind.READINGS, "one reading a cell, in chain order")]


@dataclass(frozen=True, slots=True)
class Ack:
    """Answer to a command; the same id is answered again and not done twice."""

    id: Annotated[int, Wire(Kind.U16, "the command's id")]
    result: Annotated[int, Wire(Kind.U8, "a Result")]


@dataclass(frozen=True, slots=True)
class Fault:
    """Something is wrong with the board."""

    code: Annotated[int, Wire(Kind.U8, "a FaultCode")]
    argument: Annotated[int, Wire(Kind.U16, "depends on the code")]


@dataclass(frozen=True, slots=True)
class TiltReport:
    """Where the board stands; sent at start, arrival, stop, change of an end input, each 100 ms in motion."""

    commanded_cdeg: Annotated[int, Wire(Kind.I16, "angle reached; positive: seat 0's side down", "0.01 deg")]
    sensed: Annotated[int, Wire(Kind.U8, "Sensed bits")]
    moving: Annotated[bool, Wire(Kind.BOOL, "a swing is under way")]
    enabled: Annotated[bool, Wire(Kind.BOOL, "the servo gets a signal")]
    supply_mv: Annotated[int, Wire(Kind.U16, "supply as the board measures it, 0: not measured", "mV")]
    board_us: Annotated[int, Wire(Kind.U32, "board time, wraps", "us")]


@dataclass(frozen=True, slots=True)
class Pong:
    """Answer to `ping`."""

    token: Annotated[int, Wire(Kind.U16, "the ping's token")]
    board_us: Annotated[int, Wire(Kind.U32, "board time, wraps", "us")]


@dataclass(frozen=True, slots=True)
class Margins:
    """Answer to `get_margins`: how far analogue readings are from their threshold."""

    first: Annotated[int, Wire(Kind.U8, "first cell")]
    pairs: Annotated[tuple[tuple[int, int], ...], Wire(Kind.PAIRS16, "(reading, threshold), raw")]


# -- host to board --------------------


@dataclass(frozen=True, slots=True)
class GetHello:
    """Asks for `hello`. A session not seen before makes the board forget the last command id."""

    session: Annotated[int, Wire(Kind.U16, "random, never 0; command ids count within it")]


@dataclass(frozen=True, slots=True)
class GetPicture:
    """Asks for `picture` now, and for `tilt` behind it: a host that has just come up knows neither."""


@dataclass(frozen=True, slots=True)
class AckEdges:
    """All edges up to `number` have arrived; ignored when `boot` is not the board's."""

    number: Annotated[int, Wire(Kind.U16, "last edge taken")]
    boot: Annotated[int, Wire(Kind.U16, "boot number the edges belong to")]


@dataclass(frozen=True, slots=True)
class EnableTilt:
    """Lets the board drive the servo, first to where the host last knew it."""

    angle_cdeg: Annotated[int, Wire(Kind.I16, "last known angle, 0x7FFF: unknown", "0.01 deg")]
    id: Annotated[int, Wire(Kind.U16, "command id")] = 0


@dataclass(frozen=True, slots=True)
class TiltTo:
    """Swings to an angle along the board's profile."""

    angle_cdeg: Annotated[int, Wire(Kind.I16, "positive: seat 0's side down", "0.01 deg")]
    swing_ms: Annotated[int, Wire(Kind.U16, "time of the swing", "ms")]
    id: Annotated[int, Wire(Kind.U16, "command id")] = 0


@dataclass(frozen=True, slots=True)
class StopTilt:
    """Stops where the board is and holds."""

    id: Annotated[int, Wire(Kind.U16, "command id")] = 0


@dataclass(frozen=True, slots=True)
class DisableTilt:
    """Ends the servo signal after a whole pulse."""

    id: Annotated[int, Wire(Kind.U16, "command id")] = 0


@dataclass(frozen=True, slots=True)
class Lights:
    """Sets lights from `first` on to palette colours."""

    first: Annotated[int, Wire(Kind.U8, "first cell")]
    palette: Annotated[bytes, Wire(Kind.OCTETS, "one palette index a light")]
    id: Annotated[int, Wire(Kind.U16, "command id")] = 0


@dataclass(frozen=True, slots=True)
class Configure:
    """Sets one value until the next reset; the key `store` makes what is set outlive it."""

    key: Annotated[int, Wire(Kind.U8, "a ConfigKey")]
    value: Annotated[int, Wire(Kind.U16, "in the key's unit")]
    id: Annotated[int, Wire(Kind.U16, "command id")] = 0


@dataclass(frozen=True, slots=True)
class GetMargins:
    """Asks for `margins` (answered by that, not by `ack`)."""

    first: Annotated[int, Wire(Kind.U8, "first cell")]
    count: Annotated[int, Wire(Kind.U8, "cells, at most 60")]


@dataclass(frozen=True, slots=True)
class Ping:
    """Tells the board that the host lives."""

    token: Annotated[int, Wire(Kind.U16, "comes back in `pong`")]


@dataclass(frozen=True, slots=True)
class Restart:
    """Restarts the board behind the servo's last whole pulse; ignored unless both numbers are the board's own."""

    session: Annotated[int, Wire(Kind.U16, "of the last get_hello")]
    boot: Annotated[int, Wire(Kind.U16, "boot number")]


BoardMessage = Hello | EdgeMsg | Picture | Ack | Fault | TiltReport | Pong | Margins
HostMessage = (
    GetHello
    | GetPicture
    | AckEdges
    | EnableTilt
    | TiltTo
    | StopTilt
    | DisableTilt
    | Lights
    | Configure
    | GetMargins
    | Ping
    | Restart
)
Message = BoardMessage | HostMessage
NumberedCommand = EnableTilt | TiltTo | StopTilt | DisableTilt | Lights | Configure
Command = NumberedCommand | GetMargins


# -- the table --------------------


@dataclass(frozen=True, slots=True)
class Field:
    """One field as it travels."""

    name: str
    kind: Kind
    unit: str
    meaning: str
    since: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Declaration:
    """One message as it travels. `fields` in wire order; `since`: first protocol version that has it."""

    number: int
    name: str
    type: type[Any]
    since: tuple[int, int]
    fields: tuple[Field, ...]

    @property
    def meaning(self) -> str:
        return " ".join((self.type.__doc__ or "").split())


M = TypeVar("M", covariant=True)


@dataclass(frozen=True, slots=True)
class Direction(Generic[M]):
    """All messages that go one way. A decoder knows one direction, so an echoing port is not believed."""

    name: str
    declarations: tuple[Declaration, ...]

    @property
    def types(self) -> frozenset[type[Any]]:
        return frozenset(d.type for d in self.declarations)


def declare(number: int, name: str, type_: type[Any], since: tuple[int, int] = (1, 0)) -> Declaration:
    """A message as it travels, from its dataclass, whose annotations are not postponed."""
    declared = []
    for f in fields(type_):
        annotated: Any = f.type
        (wire,) = annotated.__metadata__
        declared.append(Field(f.name, wire.kind, wire.unit, wire.meaning, wire.since or since))
    declared.sort(key=lambda f: not f.kind.fixed)  # stable: declared order within both parts
    return Declaration(number, name, type_, since, tuple(declared))


BOARD_TO_HOST: Direction[BoardMessage] = Direction(
    "board to host",
    (
        declare(0x01, "hello", Hello),
        declare(0x02, "edge", EdgeMsg),
        declare(0x03, "picture", Picture),
        declare(0x04, "ack", Ack),
        declare(0x05, "fault", Fault),
        declare(0x06, "tilt", TiltReport),
        declare(0x07, "pong", Pong),
        declare(0x08, "margins", Margins),
    ),
)
HOST_TO_BOARD: Direction[HostMessage] = Direction(
    "host to board",
    (
        declare(0x41, "get_hello", GetHello),
        declare(0x42, "get_picture", GetPicture),
        declare(0x43, "ack_edges", AckEdges),
        declare(0x44, "enable_tilt", EnableTilt),
        declare(0x45, "tilt_to", TiltTo),
        declare(0x46, "stop_tilt", StopTilt),
        declare(0x47, "disable_tilt", DisableTilt),
        declare(0x48, "lights", Lights),
        declare(0x49, "configure", Configure),
        declare(0x4A, "get_margins", GetMargins),
        declare(0x4B, "ping", Ping),
        declare(0x4C, "restart", Restart, (1, 1)),
    ),
)
DECLARATIONS: tuple[Declaration, ...] = BOARD_TO_HOST.declarations + HOST_TO_BOARD.declarations
