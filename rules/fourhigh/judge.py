"""Judge: a position and a move in, the position after it or the reason against it out; the end and the score."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from rules.game import Illegal, Legal, Outcome

from .house import HouseRules, Stuck
from .layout import CELL_NAMES, CELLS, HIGHEST, way
from .moves import PASS, Move, space_name
from .position import COLOURS, FREE, Position, height_of, joined, owner_of
from .reach import can_act

NO_STACK: Final = HIGHEST + 1
"""In place of the least height where a seat has no stack that could grow: more than any sum that fits."""

_KINDS = bytes(
    0 if code <= FREE or code >= 2 << HIGHEST else height_of(code) + HIGHEST * (code & 1)
    for code in range(256)
)


class Reason(StrEnum):
    """Why a move is not allowed; the first that fits is given, in this order."""

    GAME_OVER = "game_over"
    PASS_DUE = "pass_due"
    PASS_NOT_ALLOWED = "pass_not_allowed"
    OFF_BOARD = "off_board"
    SAME_SPACE = "same_space"
    EMPTY_FROM = "empty_from"
    NOT_YOUR_STACK = "not_your_stack"
    FOUR_STAYS = "four_stays"
    OWN_STACK_TO = "own_stack_to"
    TOO_HIGH = "too_high"
    NOT_IN_LINE = "not_in_line"
    TOO_FAR = "too_far"
    WAY_BLOCKED = "way_blocked"


class Ending(StrEnum):
    """How a game ends; of the first three, which the rules bring about, the first that fits is given."""

    CLOSED = "closed"
    STUCK = "stuck"
    QUIET = "quiet"
    AGREED = "agreed"


# -- the end ---------------------------------------------------------------------------------------


def kinds(stacks: bytes) -> bytes:
    """What is to be seen of each stack: 0 free, 1 to 4 its height with Black on top, 5 to 8 with White."""
    return stacks.translate(_KINDS)


def closed(stacks: bytes) -> bool:
    """Whether no capture can ever happen again.

    The lowest stacks of the two seats that are below four together pass four. Only captures change heights.
    """
    seen = kinds(stacks)
    least = 0
    for base in (0, HIGHEST):
        least += next((high for high in range(1, HIGHEST) if base + high in seen), NO_STACK)
    return least > HIGHEST


def scores(house: HouseRules, position: Position) -> tuple[int, int]:
    """Black's and White's score: four and the number of the space for each stack of four."""
    sums = [0, 0]
    for code, number in zip(position.stacks, house.numbers.values, strict=True):
        if height_of(code) == HIGHEST:
            sums[code & 1] += HIGHEST + number
    return sums[0], sums[1]


def ended(house: HouseRules, position: Position, ending: Ending) -> Outcome:
    """The outcome of a game that ends here: the higher score wins."""
    black, white = scores(house, position)
    winner = None if black == white else int(white > black)
    return Outcome(winner, ending.value, (black, white))


def ending(house: HouseRules, position: Position) -> Ending | None:
    """Which rule ends the game at a position."""
    if closed(position.stacks):
        return Ending.CLOSED
    if not can_act(position.stacks, position.side) and (
        house.stuck is Stuck.END or not can_act(position.stacks, 1 - position.side)
    ):
        return Ending.STUCK
    return Ending.QUIET if position.quiet >= house.quiet_limit else None


def outcome(house: HouseRules, position: Position) -> Outcome | None:
    """The end that a position shows."""
    found = ending(house, position)
    return None if found is None else ended(house, position, found)


# -- the move --------------------------------------------------------------------------------------


def moved(stacks: bytes, move: Move) -> bytes:
    """The stacks after a move or capture; not checked."""
    after = bytearray(stacks)
    after[move.target] = joined(stacks[move.target], stacks[move.origin])
    after[move.origin] = FREE
    return bytes(after)


def play(position: Position, move: Move) -> Position:
    """The position after a move, capture or pass; not checked."""
    stacks, side, ply = position.stacks, 1 - position.side, position.ply + 1
    if move == PASS:
        return Position(stacks, side, position.quiet + 1, ply)
    quiet = position.quiet + 1 if stacks[move.target] == FREE else 0
    return Position(moved(stacks, move), side, quiet, ply)


def judge(house: HouseRules, position: Position, move: Move) -> Legal[Position] | Illegal:
    """The position after a legal move, or the first reason against it."""
    against = _against_turn(house, position, move)
    if against is None and move != PASS:
        against = _against_spaces(position, move) or _against_heights(position, move)
        against = against or _against_way(position, move)
    if against is not None:
        return against
    after = play(position, move)
    return Legal(after, outcome(house, after))


def _against_turn(house: HouseRules, position: Position, move: Move) -> Illegal | None:
    if found := ending(house, position):
        return Illegal(Reason.GAME_OVER, (), f"The game is over: {_WHY_OVER[found]}.")
    able = can_act(position.stacks, position.side)
    if not able and move != PASS:
        return Illegal(Reason.PASS_DUE, (), f"{COLOURS[position.side]} has no legal action and must pass.")
    if able and move == PASS:
        sentence = f"{COLOURS[position.side]} has a legal action and may not pass."
        return Illegal(Reason.PASS_NOT_ALLOWED, (), sentence)
    return None


_WHY_OVER: Final = {
    Ending.CLOSED: "no capture can ever happen again",
    Ending.STUCK: "there is no legal action",
    Ending.QUIET: "there were too many turns without a capture",
}


def _against_spaces(position: Position, move: Move) -> Illegal | None:
    origin, target = space_name(move.origin), space_name(move.target)
    for cell, name in ((move.origin, origin), (move.target, target)):
        if not 0 <= cell < CELLS:
            on_board = tuple(cell for cell in (move.origin, move.target) if 0 <= cell < CELLS)
            return Illegal(Reason.OFF_BOARD, on_board, f"There is no space {name} on this board.")
    if move.origin == move.target:
        return Illegal(Reason.SAME_SPACE, (move.origin,), f"The stack on {origin} did not leave its space.")
    seat = owner_of(position.stacks[move.origin])
    if seat is None:
        return Illegal(Reason.EMPTY_FROM, (move.origin,), f"There is no stack on {origin}.")
    if seat != position.side:
        sentence = f"The stack on {origin} is {COLOURS[seat]}'s."
        return Illegal(Reason.NOT_YOUR_STACK, (move.origin,), sentence)
    return None


def _against_heights(position: Position, move: Move) -> Illegal | None:
    """Reasons that lie in the two stacks, the first the mover's own."""
    mover, below = position.stacks[move.origin], position.stacks[move.target]
    origin, target = CELL_NAMES[move.origin], CELL_NAMES[move.target]
    if height_of(mover) == HIGHEST:
        sentence = f"The stack on {origin} is four high and stays for good."
        return Illegal(Reason.FOUR_STAYS, (move.origin,), sentence)
    if owner_of(below) == position.side:
        sentence = (
            f"The stack on {target} is {COLOURS[position.side]}'s own; only an enemy stack is captured."
        )
        return Illegal(Reason.OWN_STACK_TO, (move.target,), sentence)
    if below != FREE and height_of(mover) + height_of(below) > HIGHEST:
        sum_ = f"{height_of(mover)} and {height_of(below)}"
        sentence = f"The stacks on {origin} and {target} are {sum_} high, together more than four."
        return Illegal(Reason.TOO_HIGH, (move.origin, move.target), sentence)
    return None


def _against_way(position: Position, move: Move) -> Illegal | None:
    """Reasons that lie between the two spaces: a queen's line, and a king's or a queen's distance on it."""
    ends = (move.origin, move.target)
    origin, target = CELL_NAMES[move.origin], CELL_NAMES[move.target]
    between = way(*ends)
    if between is None:
        sentence = f"The space {target} is on no straight line or diagonal from {origin}."
        return Illegal(Reason.NOT_IN_LINE, ends, sentence)
    single = height_of(position.stacks[move.origin]) == 1
    captures = position.stacks[move.target] != FREE
    if single == captures and between:
        what = "A single captures" if single else "A stack of two or three moves"
        sentence = f"{what} one space away, and {target} is further from {origin}."
        return Illegal(Reason.TOO_FAR, ends, sentence)
    first = next((cell for cell in between if position.stacks[cell] != FREE), None)
    if first is not None:
        sentence = f"The stack on {CELL_NAMES[first]} is in the way from {origin} to {target}."
        return Illegal(Reason.WAY_BLOCKED, (*ends, first), sentence)
    return None
