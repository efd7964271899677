"""Actions: one message of the page in (JSON of any shape), one checked action out."""

from __future__ import annotations

import re
from typing import Annotated

import msgspec

from balanxd.errors import BalanxError
from hardware.buttons import Button

MAX_BYTES = 4096
FAR_SPACES = 50.0
"""No hand reaches further than this from a1, in spaces."""

Space = Annotated[str, msgspec.Meta(min_length=1, max_length=8)]
Spaces = Annotated[float, msgspec.Meta(ge=-FAR_SPACES, le=FAR_SPACES)]
Seat = Annotated[int, msgspec.Meta(ge=0, le=7)]
Quarters = Annotated[int, msgspec.Meta(ge=0, le=3)]
Count = Annotated[int, msgspec.Meta(ge=0, le=255)]
Word = Annotated[str, msgspec.Meta(min_length=1, max_length=32)]


class ActionError(BalanxError, ValueError):
    """A message that is no action; the text is one clear line that names the place."""


def _snake(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


class _Action(msgspec.Struct, frozen=True, tag_field="do", tag=_snake, forbid_unknown_fields=True):
    """Base of all actions; `do` is the class's name in snake case."""


class Lift(_Action, frozen=True):
    """The virtual hand takes the marble from `space`; of a stack the upper `count` pieces, 0 for all."""

    space: Space
    count: Count = 0


class Hover(_Action, frozen=True):
    """The virtual hand carries its marble to (x, y): spaces, a1's centre is (0, 0), x along files, y along ranks."""

    x: Spaces
    y: Spaces


class Put(_Action, frozen=True):
    """The virtual hand puts its marble on `space`; a stone with its base and figure turned so many quarters."""

    space: Space
    turn: Quarters | None = None
    pointer: Quarters | None = None


class Turn(_Action, frozen=True):
    """The virtual hand turns the base or the figure of the stone on `space`, so that it stands at so many quarters."""

    space: Space
    turn: Quarters | None = None
    pointer: Quarters | None = None


class Fetch(_Action, frozen=True):
    """The virtual hand takes a piece of a kind (a stone's number, a disk's colour) that lies beside the board."""

    kind: Count


class PutAside(_Action, frozen=True):
    """The virtual hand lays what it holds beside the board."""


class PutBack(_Action, frozen=True):
    """The virtual hand puts its marble back where it came from."""


class Push(_Action, frozen=True):
    """The virtual hand pushes the board down on the side of `seat`."""

    seat: Seat


class Press(_Action, frozen=True):
    """A finger presses a button of the simulated board."""

    button: Button


class NewGame(_Action, frozen=True):
    """A new game between these players, by seat: `human`, `random` or `engine:N`.

    game: another one on the simulated board. options: what is to be other than now, or than usual in another game,
    as a record's tags name it.
    """

    players: Annotated[tuple[Word, ...], msgspec.Meta(min_length=1, max_length=8)]
    game: Annotated[str, msgspec.Meta(max_length=16)] = ""
    options: Annotated[
        dict[Word, Annotated[str, msgspec.Meta(max_length=2048)]], msgspec.Meta(max_length=24)
    ] = {}


class Resign(_Action, frozen=True):
    """`seat` gives up."""

    seat: Seat


class AgreeDraw(_Action, frozen=True):
    """All players agree to a draw."""


class BoardIsRight(_Action, frozen=True):
    """The picture on the board is to be the position."""


class MarbleIsThere(_Action, frozen=True):
    """A marble lies on `space` although its sensor reads free."""

    space: Space


class Confirm(_Action, frozen=True):
    """The answer to a question: it was this move."""

    move: Word


class TakeBackInstead(_Action, frozen=True):
    """The provisional move was meant as a takeback."""


class TakeBack(_Action, frozen=True):
    """Turns are taken back until `left` are left: asked twice, it is done once."""

    left: Annotated[int, msgspec.Meta(ge=0, le=100_000)]


class Stop(_Action, frozen=True):
    """Every motion of the board ends, and none starts before GoOn."""


class GoOn(_Action, frozen=True):
    """A simulated board that was stopped may move again. A real one is told so at the board."""


class Pair(_Action, frozen=True):
    """The code that the board shows: lets this browser play. Answered by the door, not by the game."""

    code: Annotated[str, msgspec.Meta(min_length=1, max_length=16)]


class Token(_Action, frozen=True):
    """What this browser was given for a code, once. Answered by the door, not by the game."""

    token: Annotated[str, msgspec.Meta(min_length=1, max_length=64)]


Action = (
    Lift
    | Hover
    | Put
    | PutBack
    | Turn
    | Fetch
    | PutAside
    | Push
    | Press
    | NewGame
    | Resign
    | AgreeDraw
    | BoardIsRight
    | MarbleIsThere
    | Confirm
    | TakeBackInstead
    | TakeBack
    | Stop
    | GoOn
    | Pair
    | Token
)

_decode = msgspec.json.Decoder(Action).decode


def parse_action(data: bytes | str) -> Action:
    """Read one message. Raises ActionError; its text is short and printable whatever was sent."""
    try:
        raw = data.encode() if isinstance(data, str) else data
        if len(raw) > MAX_BYTES:
            raise ActionError(f"The message is too long: {len(raw)} bytes, {MAX_BYTES} are allowed.")
        action: Action = _decode(raw)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise ActionError(f"The message cannot be read: {_plain(str(error))}.") from None
    return action


def action_json(action: Action) -> bytes:
    """Inverse of `parse_action`."""
    return msgspec.json.encode(action)


def _plain(text: str) -> str:
    """One printable line of at most 160 characters: the decoder's words may quote what was sent."""
    line = "".join(letter if letter.isprintable() else "?" for letter in text)
    return line if len(line) <= 160 else line[:159] + "…"
