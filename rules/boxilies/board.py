"""Boards: a size and its blocked cells as text in, a checked `Board` with names and neighbours out.

Cells are numbered row by row from player A's edge: a1 = 0, b1 = 1, ...; index = (row - 1) * columns + column.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from rules.errors import LayoutError

MOST = 9
"""Greatest number of columns, and of rows."""

COLUMN_LETTERS = "abcdefghijklmnopqrstuvwxyz"
NORTH, EAST, SOUTH, WEST = range(4)

_TEXT = re.compile(r"([0-9]+)x([0-9]+)(?:#(.*))?")
_STEPS = ((NORTH, 0, 1), (EAST, 1, 0), (SOUTH, 0, -1), (WEST, -1, 0))


@dataclass(frozen=True, slots=True)
class Board:
    """`columns` x `rows` cells of which `blocked` take no stone. Raises LayoutError when it cannot be."""

    columns: int = 3
    rows: int = 3
    blocked: frozenset[int] = frozenset()
    cell_names: tuple[str, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for key, number in (("columns", self.columns), ("rows", self.rows)):
            if not 1 <= number <= MOST:
                raise LayoutError(f"board: {number} {key} are not between 1 and {MOST}")
        names = tuple(
            f"{COLUMN_LETTERS[column]}{row + 1}" for row in range(self.rows) for column in range(self.columns)
        )
        object.__setattr__(self, "cell_names", names)
        if not self.blocked <= set(range(self.cells)):
            raise LayoutError(f"board: a blocked cell lies outside {self.columns}x{self.rows}")
        if not self.free:
            raise LayoutError("board: no cell takes a stone, all are blocked")

    @classmethod
    def parse(cls, text: str) -> Board:
        """Read `3x3`, or `4x3#a1,d3` with the blocked cells. Raises LayoutError naming the place."""
        if (match := _TEXT.fullmatch(text)) is None:
            raise LayoutError(f"board: {text!r} is no size; one is written as 3x3, or 4x3#a1,d3")
        columns, rows, blocked = match.groups()
        if len(columns) > 1 or len(rows) > 1:
            raise LayoutError(f"board: {columns}x{rows} is more than {MOST}x{MOST}, or begins with 0")
        board = cls(int(columns), int(rows))
        cells: list[int] = []
        for name in [] if blocked is None else blocked.split(","):
            if (cell := board.cell(name)) is None:
                raise LayoutError(f"board: there is no cell {name!r} to block on {columns}x{rows}")
            if cell in cells:
                raise LayoutError(f"board: {name} is blocked twice")
            cells.append(cell)
        return cls(board.columns, board.rows, frozenset(cells))

    @classmethod
    def of_position(cls, text: str) -> Board:
        """The board on which a position text was written; of the text only its form is looked at."""
        rows = [row.split(",") for row in text.split(" ")[0].split("/")]
        for number, row in enumerate(rows):
            if len(row) != len(rows[0]):
                raise LayoutError(
                    f"placement, row {len(rows) - number}: {len(row)} cells where "
                    f"row {len(rows)} has {len(rows[0])}"
                )
        cells = [cell for row in reversed(rows) for cell in row]
        return cls(len(rows[0]), len(rows), frozenset(n for n, cell in enumerate(cells) if cell == "#"))

    @property
    def text(self) -> str:
        """Inverse of `parse`, as it stands in the record's tag `Board`."""
        blocked = ",".join(self.cell_names[cell] for cell in sorted(self.blocked))
        return f"{self.columns}x{self.rows}{'#' if blocked else ''}{blocked}"

    @property
    def cells(self) -> int:
        """Number of cells, blocked ones included."""
        return self.columns * self.rows

    @property
    def free(self) -> int:
        """Number of cells that take a stone; also the plies of a game."""
        return self.cells - len(self.blocked)

    def cell(self, name: str) -> int | None:
        """The cell of that name, None where there is none."""
        return self.cell_names.index(name) if name in self.cell_names else None

    def neighbours(self, cell: int, *, wrap: bool = False) -> tuple[tuple[int, int], ...]:
        """(direction, cell) of each neighbour that takes a stone; `wrap` joins opposite edges."""
        row, column = divmod(cell, self.columns)
        found = []
        for direction, east, north in _STEPS:
            x, y = column + east, row + north
            if wrap:
                x, y = x % self.columns, y % self.rows
            other = y * self.columns + x
            if 0 <= x < self.columns and 0 <= y < self.rows and other != cell and other not in self.blocked:
                found.append((direction, other))
        return tuple(found)
