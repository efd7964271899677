"""Moves: texts in, `Move` values out, and back. A move says from and to; the way between does not matter."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from rules.errors import MoveError

from .layout import Lattice

OFF: Final = -1
"""The target of a choice: the disk leaves the board for its player's hand."""

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_CELL = r"([a-z])([1-9][0-9]?)"
_FROM_TO = re.compile(f"{_CELL}-?{_CELL}")
_CHOICE = re.compile(rf"\*{_CELL}")
_OUTSIDE = -2


@dataclass(frozen=True, slots=True)
class Move:
    """From one cell to another, or off the board. Cells that the board lacks are numbers below -1."""

    origin: int
    target: int

    @property
    def is_choice(self) -> bool:
        """Whether a disk is taken off the board and its colour with it."""
        return self.target == OFF


def choice(cell: int) -> Move:
    """The choice of the disk on a cell."""
    return Move(cell, OFF)


def parse_move(lattice: Lattice, text: str) -> Move:
    """Read `b2-d4`, `b2d4` or the choice `*b2`; cells off the board are left to the judge. Raises MoveError."""
    if match := _CHOICE.fullmatch(text):
        return choice(_number(lattice, match[1], match[2]))
    if match := _FROM_TO.fullmatch(text):
        return Move(_number(lattice, match[1], match[2]), _number(lattice, match[3], match[4]))
    raise MoveError(f"{text!r} is no move; one is written as in b2-d4, a choice as in *b2")


def move_text(lattice: Lattice, move: Move) -> str:
    """Inverse of `parse_move`."""
    if move.is_choice:
        return f"*{cell_name(lattice, move.origin)}"
    return f"{cell_name(lattice, move.origin)}-{cell_name(lattice, move.target)}"


def cell_name(lattice: Lattice, cell: int) -> str:
    """Name of a cell, on the board or off it."""
    if cell >= 0:
        return lattice.cell_names[cell]
    file, row = divmod(_OUTSIDE - cell, 100)
    return f"{_LETTERS[file]}{row}"


def _number(lattice: Lattice, letter: str, digits: str) -> int:
    q, r = _LETTERS.index(letter), int(digits) - 1
    if q < lattice.width and r < lattice.height:
        return lattice.cell(q, r)
    return _OUTSIDE - (100 * q + r + 1)
