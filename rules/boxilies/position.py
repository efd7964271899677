"""Positions: position texts in, the readings of all cells with the side to move out, and back."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rules.errors import PositionError

from .board import Board
from .stones import SEATS, StoneSet
from .tables import FIGURES, FREE, Tables, base_of, figure_of, reading_of, stone_of

_STONE = re.compile(r"([AB][1-9][a-z]?)([0-9])(.)")


@dataclass(frozen=True, slots=True)
class Position:
    """A reading for each cell, figures north or south only, and the seat to move. Nothing is checked."""

    board: tuple[int, ...]
    side: int

    @property
    def ply(self) -> int:
        """Number of stones placed."""
        return len(self.board) - self.board.count(FREE)

    def owner(self, cell: int) -> int | None:
        """The seat that owns the stone on the cell now."""
        reading = self.board[cell]
        return FIGURES.index(figure_of(reading)) if reading else None

    def counts(self) -> tuple[int, int]:
        """Stones owned by A and by B now."""
        mine = sum(1 for reading in self.board if reading and figure_of(reading) == FIGURES[0])
        return mine, self.ply - mine


def hand(tables: Tables, position: Position, seat: int) -> tuple[int, ...]:
    """The stones that a seat has not placed yet, in the order of names."""
    placed = {stone_of(reading) for reading in position.board if reading}
    return tuple(stone for stone in tables.hands[seat] if stone not in placed)


def position_text(board: Board, stones: StoneSet, position: Position) -> str:
    """Inverse of `parse_position`."""
    rows = []
    for row in reversed(range(board.rows)):
        cells = range(row * board.columns, (row + 1) * board.columns)
        rows.append(",".join(_cell_text(board, stones, position, cell) for cell in cells))
    return f"{'/'.join(rows)} {SEATS[position.side]}"


def parse_position(tables: Tables, text: str) -> Position:
    """Read `rows side`; of equal-looking rotations the smallest is taken. Raises PositionError.

    Whose turn the number of stones suggests is not looked at.
    """
    board = tables.board
    parts = text.split(" ")
    if len(parts) != 2 or not all(parts):
        raise PositionError("a position is 'rows side' with one blank between")
    placement, side = parts
    if side not in tuple(SEATS):
        raise PositionError(f"side: must be A or B, not {side!r}")
    rows = placement.split("/")
    if len(rows) != board.rows:
        raise PositionError(f"placement: {len(rows)} rows where the board {board.text} has {board.rows}")
    cells: list[int] = []
    places: dict[int, str] = {}
    for number, row in enumerate(reversed(rows)):
        words = row.split(",")
        if len(words) != board.columns:
            raise PositionError(
                f"placement, row {number + 1}: {len(words)} cells where the board has {board.columns}"
            )
        for word in words:
            name = board.cell_names[len(cells)]
            reading = _reading(tables, len(cells), f"placement, {name}", word)
            if reading:
                stone = stone_of(reading)
                if stone in places:
                    raise PositionError(
                        f"placement, {name}: {tables.stones.names[stone]} lies on {places[stone]} already"
                    )
                places[stone] = name
            cells.append(reading)
    return Position(tuple(cells), SEATS.index(side))


def _cell_text(board: Board, stones: StoneSet, position: Position, cell: int) -> str:
    reading, owner = position.board[cell], position.owner(cell)
    if owner is None:
        return "#" if cell in board.blocked else "."
    return f"{stones.names[stone_of(reading)]}{base_of(reading) & 3}{SEATS[owner]}"


def _reading(tables: Tables, cell: int, where: str, word: str) -> int:
    blocked = cell in tables.board.blocked
    if blocked != (word == "#"):
        raise PositionError(f"{where}: {'is blocked and must be #' if blocked else 'is not blocked'}")
    if word in (".", "#"):
        return FREE
    if (match := _STONE.fullmatch(word)) is None:
        raise PositionError(f"{where}: {word!r} is none of '.', '#' and a stone as in A51B")
    name, digit, letter = match.groups()
    stone, rotation = tables.stones.stone(name), int(digit)
    if stone is None:
        raise PositionError(f"{where}: there is no stone {name} in the set {tables.stones.name!r}")
    if rotation > 3:
        raise PositionError(f"{where}: rotation {rotation} is not between 0 and 3")
    if letter not in SEATS:
        raise PositionError(f"{where}: the owner must be A or B, not {letter!r}")
    return reading_of(tables.smallest[stone * 4 + rotation], SEATS.index(letter))
