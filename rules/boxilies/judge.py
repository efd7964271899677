"""Judge: a position and a placement in, the position after it or the reason against it out; and the end."""

from __future__ import annotations

from enum import StrEnum

from rules.game import Illegal, Legal, Outcome

from .moves import Move, cell_name, stone_name
from .position import Position, hand
from .stones import SEATS
from .tables import FIGURES, FREE, Tables, base_of, figure_of, reading_of, stone_of


class Reason(StrEnum):
    """Why a placement is not allowed; the first that fits is given, in this order."""

    GAME_OVER = "game_over"
    NO_SUCH_STONE = "no_such_stone"
    NOT_YOUR_STONE = "not_your_stone"
    NOT_IN_HAND = "not_in_hand"
    OFF_BOARD = "off_board"
    BLOCKED_CELL = "blocked_cell"
    OCCUPIED_CELL = "occupied_cell"
    BAD_ROTATION = "bad_rotation"


def score_text(scores: tuple[int, ...]) -> str:
    """The stones of A, then of B, as in `5-4`."""
    return "-".join(map(str, scores))


def outcome(tables: Tables, position: Position) -> Outcome | None:
    """The end of a full board; or `stuck`, when the player to move has no stone for the cells left.

    Only a position that was set up can be stuck: every game's hands are enough for its board.
    """
    full = position.ply == tables.board.free
    if not full and hand(tables, position, position.side):
        return None
    first, second = position.counts()
    winner = None if first == second else int(second > first)
    return Outcome(winner, "full" if full else "stuck", (first, second))


def captures(tables: Tables, position: Position, move: Move) -> tuple[int, ...]:
    """The cells of the stones that a placement turns over, in the order of cells. The move is not checked."""
    side = position.side
    base = tables.smallest[move.stone * 4 + move.rotation]
    return captured(tables, position.board, side, move.cell, base)


def play(tables: Tables, position: Position, move: Move) -> Position:
    """Place, and turn every captured figure at once; the move is not checked."""
    side, cell = position.side, move.cell
    base = tables.smallest[move.stone * 4 + move.rotation]
    board = list(position.board)
    for taken in captured(tables, position.board, side, cell, base):
        board[taken] = reading_of(base_of(board[taken]), side)
    board[cell] = reading_of(base, side)
    return Position(tuple(board), 1 - side)


def judge(tables: Tables, position: Position, move: Move) -> Legal[Position] | Illegal:
    """The position after a legal placement, or the first reason against it."""
    against = _against_stone(tables, position, move) or _against_cell(tables, position, move)
    if against is not None:
        return against
    after = play(tables, position, move)
    return Legal(after, outcome(tables, after))


def captured(tables: Tables, board: tuple[int, ...], side: int, cell: int, base: int) -> tuple[int, ...]:
    """The opponent's neighbours with a lower facing side; where chains are played, theirs too."""
    house, enemy = tables.house, FIGURES[1 - side]
    taken: list[int] = []
    placed = [(cell, base)]
    for attacker, of in placed:  # grows while it is walked through
        sides = tables.sides[of]
        for facing, opposite, other in tables.neighbours[attacker]:
            reading = board[other]
            if not reading or figure_of(reading) != enemy or other in taken:
                continue
            if not house.recapture and tables.seat_of[stone_of(reading)] == side:
                continue  # it was captured from this seat, and stays where it is
            if sides[facing] + house.ties > tables.sides[base_of(reading)][opposite]:
                taken.append(other)
                if house.chains:
                    placed.append((other, base_of(reading)))
    return tuple(sorted(taken))


def _against_stone(tables: Tables, position: Position, move: Move) -> Illegal | None:
    if (ended := outcome(tables, position)) is not None:
        return Illegal(Reason.GAME_OVER, (), f"The game is over: {score_text(ended.scores)}.")
    name = stone_name(tables.stones, move.stone)
    if not 0 <= move.stone < len(tables.seat_of):
        return Illegal(Reason.NO_SUCH_STONE, (), f"There is no stone {name} in this game.")
    if tables.seat_of[move.stone] != position.side:
        sentence = (
            f"It is {SEATS[position.side]}'s turn, and {name} is a stone of {SEATS[1 - position.side]}."
        )
        return Illegal(Reason.NOT_YOUR_STONE, (), sentence)
    for cell, reading in enumerate(position.board):
        if reading and stone_of(reading) == move.stone:
            sentence = f"{name} was placed already, on {tables.board.cell_names[cell]}."
            return Illegal(Reason.NOT_IN_HAND, (cell,), sentence)
    return None


def _against_cell(tables: Tables, position: Position, move: Move) -> Illegal | None:
    cell, name = move.cell, cell_name(tables.board, move.cell)
    if not 0 <= cell < tables.board.cells:
        return Illegal(Reason.OFF_BOARD, (), f"There is no cell {name} on this board.")
    if cell in tables.board.blocked:
        return Illegal(Reason.BLOCKED_CELL, (cell,), f"The cell {name} is blocked and takes no stone.")
    if position.board[cell] != FREE:
        there = tables.stones.names[stone_of(position.board[cell])]
        return Illegal(Reason.OCCUPIED_CELL, (cell,), f"There is a stone on {name} already, {there}.")
    if not 0 <= move.rotation < 4:
        sentence = f"There is no rotation {move.rotation}; a stone is turned 0 to 3 quarters clockwise."
        return Illegal(Reason.BAD_ROTATION, (cell,), sentence)
    if not tables.house.turning and tables.smallest[move.stone * 4 + move.rotation] & 3:
        return Illegal(Reason.BAD_ROTATION, (cell,), "Stones are placed unturned in this game.")
    return None
