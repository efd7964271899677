"""Commands of players: what a button, the page or a machine may ask of the session."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Announce:
    """A machine's answer to MoveWanted. `position` must be the one it was asked about."""

    move: str
    position: str


@dataclass(frozen=True, slots=True)
class Resign:
    """`seat` gives up."""

    seat: int


@dataclass(frozen=True, slots=True)
class AgreeDraw:
    """All players agree to a draw."""


@dataclass(frozen=True, slots=True)
class BreakOff:
    """The game ends unfinished (`*`), with a note for the record."""

    note: str


@dataclass(frozen=True, slots=True)
class BoardIsRight:
    """Accept the picture on the board as the position, if it can be one."""


@dataclass(frozen=True, slots=True)
class MarbleIsThere:
    """The players say that a marble lies on `cell` although its sensor reads free: the sensor is bad."""

    cell: int


@dataclass(frozen=True, slots=True)
class Confirm:
    """The players answer a Question with one of its moves, or say of a marble in hand that it lies there unseen."""

    move: str


@dataclass(frozen=True, slots=True)
class TakeBackInstead:
    """Where a provisional move is also a takeback: it was meant as one."""


@dataclass(frozen=True, slots=True)
class TakeBack:
    """The last `plies` turns are taken back; the board is then led to the position before them."""

    plies: int = 1


@dataclass(frozen=True, slots=True)
class Stop:
    """Every motion ends at once, and none starts before GoOn."""


@dataclass(frozen=True, slots=True)
class GoOn:
    """The board may move again, after a Stop or when it was parked."""


PlayerCommand = (
    Announce
    | Resign
    | AgreeDraw
    | BreakOff
    | BoardIsRight
    | MarbleIsThere
    | Confirm
    | TakeBackInstead
    | TakeBack
    | Stop
    | GoOn
)
"""What the session obeys."""


@dataclass(frozen=True, slots=True)
class NewGame:
    """The same players begin anew; the game that is going on ends unfinished.

    exchanged: each player takes the next seat. level: of all computers from now on, None to keep theirs.
    """

    exchanged: bool = False
    level: int | None = None


@dataclass(frozen=True, slots=True)
class Park:
    """The board goes level and its motor is let go, until GoOn."""


@dataclass(frozen=True, slots=True)
class ShutDown:
    """The board is parked, then this computer is switched off."""


HouseCommand = NewGame | Park | ShutDown
"""What whoever runs sessions obeys: it concerns more than the game that is going on."""
