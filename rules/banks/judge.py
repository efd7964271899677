"""Judge: a position and a move in, the position after it or the reason against it out; the end and the scores."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from math import prod

from rules.errors import RulesError
from rules.game import Illegal, Legal, Outcome

from .layout import Lattice
from .moves import Move, cell_name, choice
from .position import COLOURS, NOBODY, Position, chooser
from .rails import rails_of
from .routes import route


@dataclass(frozen=True, slots=True)
class HouseRules:
    """What the published rules leave open. Raises RulesError for a limit that is none.

    quiet_turns: the game ends after so many turns for each disk of a colour without a capture, 0 for never.
    on_the_spot: a disk on an edge may bank there before it has moved. whole_set: a score multiplies the counts
    of all six colours, also those of which a player holds none.
    """

    quiet_turns: int = 20
    on_the_spot: bool = True
    whole_set: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.quiet_turns <= 1000:
            raise RulesError(f"quiet turns: {self.quiet_turns} is not between 0 (never) and 1000")


@dataclass(frozen=True, slots=True)
class Laws:
    """All that the verdicts hang on: the board, the disks of a colour and the house rules."""

    lattice: Lattice
    disks: int
    house: HouseRules


class Reason(StrEnum):
    """Why a move is not allowed; the first that fits is given, in this order."""

    GAME_OVER = "game_over"
    CHOICE_DUE = "choice_due"
    CHOICE_NOT_ALLOWED = "choice_not_allowed"
    OFF_BOARD = "off_board"
    SAME_CELL = "same_cell"
    EMPTY_FROM = "empty_from"
    COLOUR_TAKEN = "colour_taken"
    NOT_YOUR_DISK = "not_your_disk"
    OFF_RAILS = "off_rails"
    WAY_BLOCKED = "way_blocked"
    NO_BANK = "no_bank"


def scores(position: Position, house: HouseRules) -> tuple[int, ...]:
    """The product of each hand's counts, over the colours that it holds."""
    return tuple(prod(count for count in hand if count or house.whole_set) for hand in position.hands)


def ended(position: Position, house: HouseRules, reason: str) -> Outcome:
    """The end of the game as the hands stand: the highest score wins, an equal one shares."""
    counts = scores(position, house)
    best = max(counts)
    return Outcome(counts.index(best) if counts.count(best) == 1 else None, reason, counts)


def outcome(laws: Laws, position: Position) -> Outcome | None:
    """The end that a position shows: the player to move is stuck, or all have been quiet for too long."""
    if position.choosing:
        return None
    rails = rails_of(laws.lattice, laws.house.on_the_spot)
    codes = own_codes(position)
    disks = position.disks
    if not any(code in codes and rails.can_move(disks, cell) for cell, code in enumerate(disks)):
        return ended(position, laws.house, "stuck")
    if laws.house.quiet_turns and position.quiet >= laws.house.quiet_turns * laws.disks:
        return ended(position, laws.house, "quiet")
    return None


def own_codes(position: Position) -> frozenset[int]:
    """The readings of the disks that the player to move may move."""
    side = position.side
    return frozenset(colour + 1 for colour, owner in enumerate(position.owners) if owner == side)


def moves(laws: Laws, position: Position) -> tuple[Move, ...]:
    """Legal moves or choices in the byte order of their texts; none when the game is over."""
    rails = rails_of(laws.lattice, laws.house.on_the_spot)
    if position.choosing:
        free = {colour + 1 for colour, owner in enumerate(position.owners) if owner == NOBODY}
        return tuple(choice(cell) for cell in rails.order if position.disks[cell] in free)
    if outcome(laws, position) is not None:
        return ()
    return rails.all_moves(position.disks, own_codes(position))


def play(position: Position, move: Move) -> Position:
    """The position for the next player; the move is not checked."""
    disks, side, players = bytearray(position.disks), position.side, len(position.hands)
    code, disks[move.origin] = disks[move.origin], 0
    if move.is_choice:
        owners = (*position.owners[: code - 1], side, *position.owners[code:])
        after = Position(bytes(disks), owners, _held(position, code), side, 0, position.ply + 1)
        seat = chooser(players, after.chosen) if after.choosing else 0
        return Position(after.disks, owners, after.hands, seat, 0, after.ply)
    taken, disks[move.target] = disks[move.target], code
    hands, quiet = (_held(position, taken), 0) if taken else (position.hands, position.quiet + 1)
    return Position(bytes(disks), position.owners, hands, (side + 1) % players, quiet, position.ply + 1)


def _held(position: Position, code: int) -> tuple[tuple[int, ...], ...]:
    """The hands with one more disk of that reading in the hand of the player to move."""
    hand = position.hands[position.side]
    more = (*hand[: code - 1], hand[code - 1] + 1, *hand[code:])
    return (*position.hands[: position.side], more, *position.hands[position.side + 1 :])


def judge(laws: Laws, position: Position, move: Move) -> Legal[Position] | Illegal:
    """The position after a legal move, or the first reason against it."""
    against = _against_turn(laws, position, move) or _against_disk(laws, position, move)
    if against is None and not move.is_choice:
        against = _against_way(laws, position, move)
    if against is not None:
        return against
    after = play(position, move)
    return Legal(after, outcome(laws, after))


def _player(seat: int) -> str:
    return f"player {seat + 1}"


def _against_turn(laws: Laws, position: Position, move: Move) -> Illegal | None:
    if over := outcome(laws, position):
        points = " ".join(map(str, over.scores))
        return Illegal(Reason.GAME_OVER, (), f"The game is over with the scores {points}.")
    if position.choosing and not move.is_choice:
        sentence = (
            f"{_player(position.side).capitalize()} takes a disk off the board first, to choose a colour."
        )
        return Illegal(Reason.CHOICE_DUE, (), sentence)
    if move.is_choice and not position.choosing:
        return Illegal(
            Reason.CHOICE_NOT_ALLOWED, (), "All colours are chosen; a disk must move to another cell."
        )
    return None


def _against_disk(laws: Laws, position: Position, move: Move) -> Illegal | None:
    lattice = laws.lattice
    ends = (move.origin,) if move.is_choice else (move.origin, move.target)
    on_board = tuple(cell for cell in ends if 0 <= cell < lattice.cells)
    for cell in ends:
        if cell not in on_board:
            sentence = f"There is no cell {cell_name(lattice, cell)} on this board."
            return Illegal(Reason.OFF_BOARD, on_board, sentence)
    origin, here = lattice.cell_names[move.origin], (move.origin,)
    if move.origin == move.target:
        return Illegal(Reason.SAME_CELL, here, f"The disk on {origin} must end on another cell.")
    code = position.disks[move.origin]
    if not code:
        return Illegal(Reason.EMPTY_FROM, here, f"There is no disk on {origin}.")
    colour, owner = COLOURS[code - 1], position.owners[code - 1]
    if move.is_choice:
        if owner == NOBODY:
            return None
        sentence = f"The colour {colour} of the disk on {origin} has been chosen by {_player(owner)}."
        return Illegal(Reason.COLOUR_TAKEN, here, sentence)
    if owner != position.side:
        whose = "nobody's" if owner == NOBODY else f"{_player(owner)}'s"
        return Illegal(Reason.NOT_YOUR_DISK, here, f"The {colour} disk on {origin} is {whose}.")
    return None


def _against_way(laws: Laws, position: Position, move: Move) -> Illegal | None:
    """Reasons that lie between two cells, an own disk on the first."""
    lattice, disks, spot = laws.lattice, position.disks, laws.house.on_the_spot
    if move.target in rails_of(lattice, spot).goals(disks, move.origin):
        return None
    ends = (move.origin, move.target)
    origin, target = (lattice.cell_names[cell] for cell in ends)
    free = route(lattice, bytes(lattice.cells), move.origin, move.target, spot)
    if free is None:
        sentence = f"No way leads from {origin} to {target}, even on an empty board."
        return Illegal(Reason.OFF_RAILS, ends, sentence)
    between = next((cell for cell in free[1:-1] if cell != move.origin and disks[cell]), None)
    if between is not None:
        sentence = (
            f"Disks lie in every way from {origin} to {target}; one is on {lattice.cell_names[between]}."
        )
        return Illegal(Reason.WAY_BLOCKED, (*ends, between), sentence)
    sentence = f"The disk on {target} can be captured only after a bank; from {origin} the way is straight."
    return Illegal(Reason.NO_BANK, ends, sentence)
