"""Faults as data: what can go wrong with a table, and when each is on. `sim.breaking` makes them happen.

A fault is a frozen value of the closed union `SimFault`; its `kind` is its FaultName. It begins at `from_s`, ends
at `until_s`, and is on with the probability `chance`: drawn once, anew every `every_s` seconds where that is
given, and for faults of the drive at each motion of the motor. All of it comes from the table's seed.

All but `ControllerReset` and `BrownOut` belong to the world (inputs, marbles, board, wire), so they are the same
for any controller.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import Literal

from hardware.faults import FaultName

Way = Literal["both", "to_host", "to_board"]
FOR_EVER = inf
Cause = Literal["watchdog", "brown_out", "external", "power_on", "software"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lasting:
    """When a fault can be on, in simulated seconds, and how likely it then is."""

    from_s: float = 0.0
    until_s: float = FOR_EVER
    chance: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Timed(Lasting):
    """On by time alone: `chance` is drawn at `from_s` and again after each `every_s`."""

    every_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class AtSpace(Timed):
    """A fault of one input: the one of `space`."""

    space: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StuckOn(AtSpace):
    """The input shows `level` for ever."""

    level: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class StuckOff(AtSpace):
    """The input shows nothing for ever."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bouncing(AtSpace):
    """A worn contact: for `lasts_ms` after each change the input chatters, too fast to be accepted."""

    lasts_ms: float = 150.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Flickering(AtSpace):
    """The input toggles `hz` times a second, whatever lies there."""

    hz: float = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Swapped(AtSpace):
    """The wires of two spaces are exchanged."""

    other: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadChain(Timed):
    """From one input of the chain on (counted from 0) all show `level`."""

    input: int
    level: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Crosstalk(AtSpace):
    """The input also sees what lies on `neighbour`."""

    neighbour: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Weak(AtSpace):
    """A marble is seen only just: `hz` short drop-outs a second while one lies there, a share of marbles not at all."""

    hz: float = 20.0
    missed: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenWire(AtSpace):
    """The wire is broken: a cell of several bits reads its top code, a single bit floats: free, with mains hum."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MarbleStuck(AtSpace):
    """Dirt holds what lies in the space's groove for `motions` motions of the board, or until it is lifted."""

    motions: int = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class BytesLost(Timed):
    """A share of all bytes does not arrive."""

    share: float = 0.002
    way: Way = "both"


@dataclass(frozen=True, slots=True, kw_only=True)
class BytesFlipped(Timed):
    """A share of all bytes arrives with one bit flipped."""

    share: float = 0.002
    way: Way = "both"


@dataclass(frozen=True, slots=True, kw_only=True)
class ControllerReset(Timed):
    """The controller restarts at `from_s`, and again after each `every_s`."""

    cause: Cause = "watchdog"


@dataclass(frozen=True, slots=True, kw_only=True)
class Driven(Lasting):
    """A fault of the drive: also by the motor's motions, counted from 1; `chance` is drawn at each of them."""

    from_motion: int = 1
    motions: int = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class TiltShort(Driven):
    """The board turns only to a share of the angle."""

    share: float = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class ServoLate(Driven):
    """The board takes so many times as long."""

    factor: float = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Stalled(Driven):
    """The board is blocked: it does not turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WrongWay(Driven):
    """The board turns to the other side than told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EndNever(Timed):
    """The end input of the side of `seat` never closes."""

    seat: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EndAlways(Timed):
    """The end input of the side of `seat` is always closed."""

    seat: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BrownOut(Driven):
    """The supply breaks down 20 ms after the servo starts."""


SimFault = (
    StuckOn
    | StuckOff
    | Bouncing
    | Flickering
    | Swapped
    | DeadChain
    | Crosstalk
    | Weak
    | OpenWire
    | MarbleStuck
    | TiltShort
    | ServoLate
    | Stalled
    | WrongWay
    | EndNever
    | EndAlways
    | BytesLost
    | BytesFlipped
    | ControllerReset
    | BrownOut
)

KINDS: Mapping[FaultName, type[SimFault]] = {
    FaultName.STUCK_ON: StuckOn,
    FaultName.STUCK_OFF: StuckOff,
    FaultName.BOUNCING: Bouncing,
    FaultName.FLICKERING: Flickering,
    FaultName.SWAPPED: Swapped,
    FaultName.DEAD_CHAIN: DeadChain,
    FaultName.CROSSTALK: Crosstalk,
    FaultName.WEAK: Weak,
    FaultName.OPEN_WIRE: OpenWire,
    FaultName.MARBLE_STUCK: MarbleStuck,
    FaultName.TILT_SHORT: TiltShort,
    FaultName.SERVO_LATE: ServoLate,
    FaultName.STALLED: Stalled,
    FaultName.WRONG_WAY: WrongWay,
    FaultName.END_NEVER: EndNever,
    FaultName.END_ALWAYS: EndAlways,
    FaultName.BYTES_LOST: BytesLost,
    FaultName.BYTES_FLIPPED: BytesFlipped,
    FaultName.CONTROLLER_RESET: ControllerReset,
    FaultName.BROWN_OUT: BrownOut,
}
"""Every fault has its class."""


def kind_of(fault: SimFault) -> FaultName:
    """The fault's name."""
    return next(name for name, kind in KINDS.items() if type(fault) is kind)
