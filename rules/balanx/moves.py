"""Moves: from-to texts in, `Move` values out, and back. A move names the space before the marble rolled."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from rules.errors import MoveError

from .layout import FILE_LETTERS, Layout

_SPACE = r"([a-z])([1-9][0-9]?)"
_FROM_TO = re.compile(f"{_SPACE}-?{_SPACE}")
_OUTSIDE = -2


@dataclass(frozen=True, slots=True)
class Move:
    """From one space to another. Spaces that the board does not have are negative numbers below -1."""

    origin: int
    target: int


PASS: Final = Move(-1, -1)
PASS_TEXT: Final = "--"


def parse_move(layout: Layout, text: str) -> Move:
    """Read `e4-e6`, `e4e6` or `--`; spaces off the board are left to the judge. Raises MoveError."""
    if text == PASS_TEXT:
        return PASS
    if (match := _FROM_TO.fullmatch(text)) is None:
        raise MoveError(f"{text!r} is no move; one is written as in e4-e6, a pass as --")
    origin_file, origin_rank, target_file, target_rank = match.groups()
    return Move(_number(layout, origin_file, origin_rank), _number(layout, target_file, target_rank))


def move_text(layout: Layout, move: Move) -> str:
    """Inverse of `parse_move`."""
    if move == PASS:
        return PASS_TEXT
    return f"{space_name(layout, move.origin)}-{space_name(layout, move.target)}"


def space_name(layout: Layout, space: int) -> str:
    """Name of a space, on the board or off it."""
    if space >= 0:
        return layout.cell_names[space]
    file, rank = divmod(_OUTSIDE - space, 100)
    return f"{FILE_LETTERS[file]}{rank}"


def _number(layout: Layout, letter: str, digits: str) -> int:
    file, rank = FILE_LETTERS.index(letter), int(digits)
    if file < layout.files and rank <= layout.ranks:
        return (rank - 1) * layout.files + file
    return _OUTSIDE - (100 * file + rank)
