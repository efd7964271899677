"""Positions: position texts in, two bit sets with side and ply out, and back."""

from __future__ import annotations

from dataclasses import dataclass

from rules.errors import PositionError

from .layout import FILE_LETTERS, Layout
from .tables import cells_of, tables_of

MARBLES = 10
"""Marbles of a colour in a whole set."""

SIDE_LETTERS = "WB"
_PLY_DIGITS = 9


@dataclass(frozen=True, slots=True)
class Position:
    """Marbles as the player to move sees them, settled to his side. Only `parse_position` checks that."""

    white: int
    black: int
    side: int
    ply: int

    @property
    def occupied(self) -> int:
        """Spaces with a marble."""
        return self.white | self.black

    @property
    def own(self) -> int:
        """Marbles of the player to move."""
        return self.black if self.side else self.white

    @property
    def other(self) -> int:
        """Marbles of his opponent."""
        return self.white if self.side else self.black


def start_position(layout: Layout) -> Position:
    """Ten marbles each in the start corners, White to move."""
    white, black = layout.starts
    return Position(sum(1 << cell for cell in white), sum(1 << cell for cell in black), 0, 0)


def position_text(layout: Layout, position: Position) -> str:
    """Inverse of `parse_position`."""
    rows = []
    for rank in reversed(range(layout.ranks)):
        row, gap = "", 0
        for cell in range(rank * layout.files, (rank + 1) * layout.files):
            letter = "W" if position.white >> cell & 1 else "B" if position.black >> cell & 1 else ""
            if not letter:
                gap += 1
                continue
            row, gap = f"{row}{gap or ''}{letter}", 0
        rows.append(f"{row}{gap or ''}")
    return f"{'/'.join(rows)} {SIDE_LETTERS[position.side]} {position.ply}"


def parse_position(layout: Layout, text: str) -> Position:
    """Read `placement side ply`. Raises PositionError that names the place."""
    parts = text.split(" ")
    if len(parts) != 3 or not all(parts):
        raise PositionError("a position is 'placement side ply' with one blank between")
    placement, letter, digits = parts
    if letter not in ("W", "B"):
        raise PositionError(f"side: must be W or B, not {letter!r}")
    side = SIDE_LETTERS.index(letter)
    ply = _ply(digits)
    if ply % 2 != side:
        raise PositionError(
            f"side: {letter} does not move at ply {ply}; White moves at even plies, Black at odd"
        )
    rows = placement.split("/")
    if len(rows) != layout.ranks:
        raise PositionError(f"placement: {len(rows)} ranks where {layout.name} has {layout.ranks}")
    white = black = 0
    for rank, row in zip(reversed(range(layout.ranks)), rows, strict=True):
        row_white, row_black = _row(layout, rank, row)
        white |= row_white << rank * layout.files
        black |= row_black << rank * layout.files
    for colour, marbles in (("White", white), ("Black", black)):
        if marbles.bit_count() > MARBLES:
            raise PositionError(f"placement: {marbles.bit_count()} marbles of {colour}, more than {MARBLES}")
    position = Position(white, black, side, ply)
    _check_settled(layout, position)
    return position


def _ply(digits: str) -> int:
    if not (digits.isascii() and digits.isdigit()) or (digits[0] == "0" and digits != "0"):
        raise PositionError(f"ply: must be a whole number without sign or leading zeros, not {digits!r}")
    if len(digits) > _PLY_DIGITS:
        raise PositionError(f"ply: {len(digits)} digits are too many")
    return int(digits)


def _row(layout: Layout, rank: int, row: str) -> tuple[int, int]:
    """The bits of one rank, its first file at bit 0."""
    where = f"placement, rank {rank + 1}"
    white = black = file = 0
    after_digit = False
    for letter in row:
        space = f"{FILE_LETTERS[file]}{rank + 1}" if file < layout.files else "the end"
        if letter in ("W", "B"):
            if letter == "W":
                white |= 1 << file
            else:
                black |= 1 << file
            file += 1
        elif letter in "123456789":
            if after_digit:
                raise PositionError(f"{where}: two digits in a row at {space}")
            file += int(letter)
        elif letter == "0":
            raise PositionError(f"{where}: 0 is no number of free spaces, at {space}")
        else:
            raise PositionError(f"{where}: unknown letter {letter!r} at {space}")
        after_digit = letter.isdigit()
        if file > layout.files:
            raise PositionError(f"{where}: more than {layout.files} files")
    if file != layout.files:
        raise PositionError(f"{where}: {file} files where {layout.name} has {layout.files}")
    return white, black


def _check_settled(layout: Layout, position: Position) -> None:
    settled = tables_of(layout).settle(position.white, position.black, position.side)
    occupied, rolled = position.occupied, settled[0] | settled[1]
    for cell in cells_of(occupied & ~rolled):
        away = next(other for other in layout.grooves[layout.groove_of[cell]] if other != cell)
        names = layout.cell_names
        raise PositionError(f"placement: not settled: {names[cell]} would roll to {names[away]}")
