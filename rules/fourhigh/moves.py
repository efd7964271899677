"""Moves: from-to texts in, `Move` values out, and back."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from rules.errors import MoveError

from .layout import CELL_NAMES, CELLS, FILE_LETTERS, FILES, RANKS

_SPACE = r"([a-z])([1-9][0-9]?)"
_FROM_TO = re.compile(f"{_SPACE}[-x]{_SPACE}")
_OUTSIDE = -2


@dataclass(frozen=True, slots=True)
class Move:
    """A whole stack from one space to another. Spaces that the board does not have are below -1."""

    origin: int
    target: int


PASS: Final = Move(-1, -1)
PASS_TEXT: Final = "--"

MOVES: Final = tuple(Move(origin, target) for origin in range(CELLS) for target in range(CELLS))
"""Every from-to of the board, at origin * CELLS + target."""


def parse_move(text: str) -> Move:
    """Read `d4-e5`, `d4xe5` or `--`; spaces off the board are left to the judge. Raises MoveError."""
    if text == PASS_TEXT:
        return PASS
    if (match := _FROM_TO.fullmatch(text)) is None:
        raise MoveError(f"{text!r} is no move; one is written as in d4-e5, a pass as --")
    origin_file, origin_rank, target_file, target_rank = match.groups()
    return Move(_number(origin_file, origin_rank), _number(target_file, target_rank))


def move_text(move: Move) -> str:
    """The canonical text; `parse_move` reads it back."""
    if move == PASS:
        return PASS_TEXT
    return f"{space_name(move.origin)}-{space_name(move.target)}"


def space_name(space: int) -> str:
    """Name of a space, on the board or off it."""
    if space >= 0:
        return CELL_NAMES[space]
    file, rank = divmod(_OUTSIDE - space, 100)
    return f"{FILE_LETTERS[file]}{rank}"


def _number(letter: str, digits: str) -> int:
    file, rank = FILE_LETTERS.index(letter), int(digits)
    if file < FILES and rank <= RANKS:
        return (rank - 1) * FILES + file
    return _OUTSIDE - (100 * file + rank)
