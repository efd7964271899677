"""The stimulus board's messages, declared like the controller's: the same frames, a wire of their own.

A stimulus board drives the inputs of a controller under test through 74HC595 and time-stamps the servo's pulses.
Its clock is its own (us, wraps); a host learns it by `ping`. Without a host for 1 s it lets all lines rest.
"""

from dataclasses import dataclass
from enum import IntEnum
from typing import Annotated

from .messages import DECLARATIONS, Ack, Direction, GetHello, Hello, Kind, Ping, Pong, Wire, declare

PRODUCT = "Balanx stimulus"


class StimulusLine(IntEnum):
    """Lines beside the outputs 0, 1, ... of the chain."""

    END_SEAT0 = 240  # 1: the end input is closed
    END_SEAT1 = 241
    RESET = 242  # 1: the controller is held in reset
    POWER = 243  # 0: the controller's supply is cut


# -- stimulus to host --------------------


@dataclass(frozen=True, slots=True)
class Driven:
    """All changes of one `drive` are on their lines now. What `release` threw away is never told."""

    id: Annotated[int, Wire(Kind.U16, "the drive's id")]
    at_us: Annotated[int, Wire(Kind.U32, "stimulus time at which the lines had changed, wraps", "us")]


@dataclass(frozen=True, slots=True)
class Pulse:
    """One whole pulse on the servo line."""

    number: Annotated[int, Wire(Kind.U16, "running number; a gap: pulses were lost here, not on the line")]
    start_us: Annotated[int, Wire(Kind.U32, "stimulus time of the rising edge, wraps", "us")]
    width_half_us: Annotated[int, Wire(Kind.U16, "width", "0.5 us")]


@dataclass(frozen=True, slots=True)
class Lines:
    """Answer to `get_lines`."""

    servo: Annotated[int, Wire(Kind.U8, "level of the servo line now")]
    power: Annotated[int, Wire(Kind.U8, "1: the controller has its supply")]
    waiting: Annotated[int, Wire(Kind.U8, "changes that wait for their time")]
    pulses_lost: Annotated[int, Wire(Kind.U16, "pulses that nobody fetched in time")]
    board_us: Annotated[int, Wire(Kind.U32, "stimulus time, wraps", "us")]


# -- host to stimulus --------------------


@dataclass(frozen=True, slots=True)
class Drive:
    """Changes lines at one instant; a time gone by means now. BUSY: no room, ask again later."""

    at_us: Annotated[int, Wire(Kind.U32, "stimulus time, wraps", "us")]
    changes: Annotated[bytes, Wire(Kind.OCTETS, "line and level (0 or 1) in turn, at most 30 lines")]
    id: Annotated[int, Wire(Kind.U16, "command id")] = 0


@dataclass(frozen=True, slots=True)
class Release:
    """Forgets all that waits; every line rests: no marble, no end, no reset, power on."""

    id: Annotated[int, Wire(Kind.U16, "command id")] = 0


@dataclass(frozen=True, slots=True)
class GetLines:
    """Asks for `lines`."""


StimulusMessage = Hello | Ack | Pong | Driven | Pulse | Lines
StimulusCommand = GetHello | Ping | Drive | Release | GetLines

_AS_THE_CONTROLLER = {each.type: each for each in DECLARATIONS}

STIMULUS_TO_HOST: Direction[StimulusMessage] = Direction(
    "stimulus to host",
    (
        *(_AS_THE_CONTROLLER[type_] for type_ in (Hello, Ack, Pong)),
        declare(0x21, "driven", Driven),
        declare(0x22, "pulse", Pulse),
        declare(0x23, "lines", Lines),
    ),
)
HOST_TO_STIMULUS: Direction[StimulusCommand] = Direction(
    "host to stimulus",
    (
        *(_AS_THE_CONTROLLER[type_] for type_ in (GetHello, Ping)),
        declare(0x61, "drive", Drive),
        declare(0x62, "release", Release),
        declare(0x63, "get_lines", GetLines),
    ),
)
