"""Events: what the session says. The lasting ones are the journal; replaying them rebuilds the session.

msgspec structs instead of dataclasses: frozen, slotted and closed in the same way, and each has an exact,
validated JSON form for journal and page. Spaces travel by name, seats as numbers from 0, times as seconds.
A new field gets a default, so that a newer version reads what an older one wrote.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from hardware.faults import FaultName
from hardware.health import Complaint


class Event(msgspec.Struct, frozen=True, tag_field="event", tag=True, kw_only=True, omit_defaults=True):
    """Base of all events. at_s: host seconds of the run that made it (not comparable between runs)."""

    at_s: float = 0.0


# ---- lasting: journalled before they are announced ---------------------------------------------------------


class GameStarted(Event, frozen=True):
    """A game begins at `position`, its board tilted to the player to move and at rest.

    tags: what tells the game of a board that does not tilt, as in its record; layout, layout_text and repetition
    are Balanx's.
    """

    game: str
    layout: str
    position: str
    players: tuple[str, ...]
    date: str = "????.??.??"
    title: str = ""
    layout_text: str = ""
    repetition: bool = True
    sensor: str = "presence"
    version: int = 1
    tags: tuple[tuple[str, str], ...] = ()


class TurnTaken(Event, frozen=True):
    """Turn number `ply` (from 0) of `seat` is done; `position` is what the next player will see.

    witness: seen (edges showed the marble), unwitnessed (edges were lost), pass.
    """

    ply: int
    seat: int
    move: str
    position: str
    witness: Literal["seen", "unwitnessed", "pass"] = "seen"


class TakenBack(Event, frozen=True):
    """The last `plies` turns are undone; the game stands at `position` again."""

    plies: int
    position: str


class PositionSet(Event, frozen=True):
    """`The board is right`: the picture on the board was accepted as the position."""

    position: str


class GameOver(Event, frozen=True):
    """The game has ended. result: the record's last token, e.g. `1-0 home`; `*` where it was broken off."""

    result: str
    note: str = ""


Lasting = GameStarted | TurnTaken | TakenBack | PositionSet | GameOver


# ---- live: shown, never journalled -------------------------------------------------------------------------


class TurnOpened(Event, frozen=True):
    """The board is down on the side of `seat` and at rest: it may move."""

    seat: int
    ply: int


class MoveWanted(Event, frozen=True):
    """A machine has the move at `position`; whoever thinks for it answers with `announce`."""

    seat: int
    position: str


class Announced(Event, frozen=True):
    """A machine's move, to be made by a person, or on the simulator by the hand."""

    seat: int
    move: str
    from_cell: int
    to_cell: int


class MoveProvisional(Event, frozen=True):
    """`move` was recognised. It becomes a turn at `due_s`, unless the picture changes before.

    or_takeback: the picture is also that of the position so many plies ago (0: it is not).
    """

    move: str
    due_s: float
    amended: bool = False
    or_takeback: int = 0
    warning: str = ""


class MoveWithdrawn(Event, frozen=True):
    """The provisional `move` was put back."""

    move: str


class TakebackShown(Event, frozen=True):
    """The picture is that of `plies` ago. It is taken back at `due_s` unless a marble is lifted before."""

    plies: int
    due_s: float


class TakebackCancelled(Event, frozen=True):
    """The shown takeback was called off."""


class InHand(Event, frozen=True):
    """`missing` marbles are off the board. lifted: their spaces, where edges or the picture tell.

    targets: spaces where the lifted marble may go, when exactly one of the player to move is up.
    """

    missing: int
    lifted: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()


class OutOfStep(Event, frozen=True):
    """The picture fits no rule. code: a reason of the rules core, or one of the referee's own.

    say: what is wrong, one plain sentence. guide: what to do next. missing, extra: spaces to fill and to clear.
    fault: the name of what is wrong with the board, where it is not the players.
    """

    code: str
    say: str
    guide: str
    move: str = ""
    spaces: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()
    fault: FaultName | None = None


class TurningWanted(Event, frozen=True):
    """`move` lies on the board, and pieces on `cells` are still to be turned for it, the first one now.

    wrong: cells that were changed without a reason; those come first.
    """

    move: str
    say: str
    cells: tuple[str, ...]
    wrong: tuple[str, ...] = ()


class Question(Event, frozen=True):
    """A bad sensor leaves several explanations; the players are asked which `moves` it was (or none)."""

    moves: tuple[str, ...]
    say: str


class BackInStep(Event, frozen=True):
    """Picture and game agree again."""


class CalledOff(Event, frozen=True):
    """The picture changed: the provisional move waits again, or the motor does not start."""


class TiltWarning(Event, frozen=True):
    """The motor will start at `due_s`, towards the side of `seat`; None: to level, before everything ends."""

    seat: int | None
    due_s: float


class TiltStarted(Event, frozen=True):
    """The motor starts; seat as in the warning. `rock`: a little, to free a stuck marble."""

    seat: int | None
    rock: bool = False


class TiltWanted(Event, frozen=True):
    """People are to push the board down on the side of `seat`."""

    seat: int


class TiltStopped(Event, frozen=True):
    """The motor was stopped: the picture changed in a way that no rolling marble explains."""

    cell: str


class SensorNamed(Event, frozen=True):
    """Something is wrong with the sensor under `cell`; the game goes on, without it where it is `left_out`.

    also: other spaces: the neighbour whose marble it sees, its partner in an exchange, the rest of the chain (left out
    too, and each trusted again by an event of its own).
    """

    cell: str
    complaint: Complaint
    say: str
    fault: FaultName | None = None
    also: tuple[str, ...] = ()
    left_out: bool = True


class SensorTrusted(Event, frozen=True):
    """The sensor under `cell` is believed again."""

    cell: str


class Fault(Event, frozen=True):
    """Something of the table or the disk does not work. kind: link, tilt, board, disk, supply, engine, button, sound.

    fault: its name, where it has one. seat: the side of the board that it is about.
    """

    kind: str
    say: str
    fault: FaultName | None = None
    seat: int | None = None


class LinkChanged(Event, frozen=True):
    """The controller was found or lost."""

    up: bool
    why: str = ""


class SetUpWanted(Event, frozen=True):
    """A new game waits for its pieces. missing, extra: spaces to fill and to clear.

    wanted: for each of the missing what its space is to read.
    """

    say: str
    missing: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()
    wanted: tuple[int, ...] = ()


class Stopped(Event, frozen=True):
    """Somebody stopped all motion; it goes on when they say so.

    parked: the motor is let go, the board is level where it could be, and nobody looks at it.
    """

    parked: bool = False


class WentOn(Event, frozen=True):
    """The board may move again."""


class MenuShown(Event, frozen=True):
    """What the buttons, or taps on a marble, would do now: item `number` (from 1) of `count`.

    say: the item for people. sure: it was chosen, and is done when it is confirmed once more.
    """

    number: int
    count: int
    say: str
    sure: bool = False


class MenuClosed(Event, frozen=True):
    """The menu is shown no more. say: what is done, or why it is not; empty where nothing was chosen.

    done: what was chosen is done.
    """

    say: str = ""
    done: bool = False


Live = (
    CalledOff
    | TurnOpened
    | MoveWanted
    | Announced
    | MoveProvisional
    | MoveWithdrawn
    | TakebackShown
    | TakebackCancelled
    | InHand
    | OutOfStep
    | TurningWanted
    | Question
    | BackInStep
    | TiltWarning
    | TiltStarted
    | TiltWanted
    | TiltStopped
    | SensorNamed
    | SensorTrusted
    | Fault
    | LinkChanged
    | SetUpWanted
    | Stopped
    | WentOn
    | MenuShown
    | MenuClosed
)
GameEvent = Lasting | Live

_LASTING = (GameStarted, TurnTaken, TakenBack, PositionSet, GameOver)
_encode = msgspec.json.Encoder().encode
_decode_lasting = msgspec.json.Decoder(Lasting).decode


def lasting(event: Event) -> bool:
    """True for the events that are the journal."""
    return isinstance(event, _LASTING)


def event_json(event: Event) -> bytes:
    """One line of JSON without line breaks."""
    return _encode(event)


def parse_lasting(text: bytes) -> Lasting:
    """Inverse of `event_json` for lasting events. Raises msgspec.ValidationError or DecodeError."""
    event: Any = _decode_lasting(text)
    assert isinstance(event, _LASTING)
    return event
