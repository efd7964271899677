"""Moves: placement texts in, `Move` values out, and back."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rules.errors import MoveError

from .board import COLUMN_LETTERS, Board
from .stones import SEATS, StoneSet, smallest

_TEXT = re.compile(r"([AB])([1-9][0-9]?)([a-z]?)@([a-z])([1-9][0-9]?)r([0-9])")
_LETTERS = f" {COLUMN_LETTERS}"


@dataclass(frozen=True, slots=True)
class Move:
    """A stone onto a cell in a rotation. Stones and cells that the game does not have are negative numbers."""

    stone: int
    cell: int
    rotation: int


def parse_move(board: Board, stones: StoneSet, text: str) -> Move:
    """Read `A5@b2r1`; of equal-looking rotations the smallest is taken. Raises MoveError.

    Stones, cells and rotations that are not there are left to the judge.
    """
    if (match := _TEXT.fullmatch(text)) is None:
        raise MoveError(f"{text!r} is no move; one is written as in A5@b2r1")
    seat, digits, letter, column, row, turns = match.groups()
    rotation = int(turns)
    stone = stones.stone(seat + digits + letter)
    if stone is None:
        stone = -1 - ((SEATS.index(seat) * 100 + int(digits)) * 27 + _LETTERS.index(letter or " "))
    elif rotation < 4:
        rotation = smallest(stones.stones[stone].sides, rotation)
    cell = board.cell(column + row)
    if cell is None:
        cell = -1 - (COLUMN_LETTERS.index(column) * 100 + int(row))
    return Move(stone, cell, rotation)


def move_text(board: Board, stones: StoneSet, move: Move) -> str:
    """Inverse of `parse_move`; writes the smallest rotation that looks the same."""
    rotation = move.rotation
    if move.stone >= 0 and rotation < 4:
        rotation = smallest(stones.stones[move.stone].sides, rotation)
    return f"{stone_name(stones, move.stone)}@{cell_name(board, move.cell)}r{rotation}"


def stone_name(stones: StoneSet, stone: int) -> str:
    """Name of a stone, of the set or not."""
    if stone >= 0:
        return stones.names[stone]
    number, letter = divmod(-1 - stone, 27)
    seat, digits = divmod(number, 100)
    return f"{SEATS[seat]}{digits}{_LETTERS[letter].strip()}"


def cell_name(board: Board, cell: int) -> str:
    """Name of a cell, on the board or off it."""
    if cell >= 0:
        return board.cell_names[cell]
    column, row = divmod(-1 - cell, 100)
    return f"{COLUMN_LETTERS[column]}{row}"
