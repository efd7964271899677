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


PlayerCommand = (
    Announce | Resign | AgreeDraw | BreakOff | BoardIsRight | MarbleIsThere | Confirm | TakeBackInstead
)
