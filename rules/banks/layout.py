"""The board: a size in, cells with their names, neighbours and places out, and how an edge turns a disk."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field

from rules.errors import LayoutError

SIDES = (2, 16)
"""Least and greatest number of cells in a row, and of rows."""

MOST_CELLS = 128
DEFAULT_PITCH_MM = 30.0
FILE_LETTERS = "abcdefghijklmnop"

STEPS = ((1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1))
"""The six headings as steps (dq, dr), counter-clockwise from East; opposite headings are three apart."""

HEADINGS = ("E", "NE", "NW", "W", "SW", "SE")
_SIZE = re.compile(r"([1-9][0-9]?)x([1-9][0-9]?)")


@dataclass(frozen=True, slots=True)
class Lattice:
    """A parallelogram of `width` x `height` cells with six headings each. Raises LayoutError for a bad size.

    Cell (q, r) has the index r * width + q; row r = 0 is the top, and each row stands half a cell further right
    than the one above. The corners (0, 0) and (width-1, height-1) are acute, the other two obtuse.
    """

    width: int
    height: int
    pitch_mm: float = DEFAULT_PITCH_MM
    cell_names: tuple[str, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        least, most = SIDES
        for key, number in (("width", self.width), ("height", self.height)):
            if not least <= number <= most:
                raise LayoutError(f"size: the {key} {number} is not between {least} and {most}")
        if self.cells > MOST_CELLS:
            raise LayoutError(f"size: {self.name} has {self.cells} cells, more than {MOST_CELLS}")
        if not (math.isfinite(self.pitch_mm) and 5.0 <= self.pitch_mm <= 200.0):
            raise LayoutError(f"pitch_mm: {self.pitch_mm} is not between 5 and 200")
        names = tuple(f"{FILE_LETTERS[q]}{r + 1}" for r in range(self.height) for q in range(self.width))
        object.__setattr__(self, "cell_names", names)

    @classmethod
    def parse(cls, text: str) -> Lattice:
        """Read a size as in `8x8`, width first. Raises LayoutError."""
        if (match := _SIZE.fullmatch(text)) is None:
            raise LayoutError(f"size: {text!r} is no size; one is written as in 8x8")
        return cls(int(match[1]), int(match[2]))

    @property
    def name(self) -> str:
        """The size as text, as in `8x8`; `parse` reads it."""
        return f"{self.width}x{self.height}"

    @property
    def cells(self) -> int:
        """Number of cells."""
        return self.width * self.height

    def cell(self, q: int, r: int) -> int:
        """Index of a cell of the board."""
        return r * self.width + q

    def place(self, cell: int) -> tuple[int, int]:
        """(q, r) of a cell."""
        r, q = divmod(cell, self.width)
        return q, r

    def centre_mm(self, cell: int) -> tuple[float, float]:
        """Where a cell's centre lies: x to the right of a1's, y up from it (so never positive)."""
        q, r = self.place(cell)
        return self.pitch_mm * (q + r / 2), -self.pitch_mm * r * math.sqrt(3) / 2

    def beside(self, cell: int, heading: int) -> int | None:
        """The neighbour of a cell in a heading 0..5, None beyond the board."""
        q, r = self.place(cell)
        q, r = q + STEPS[heading][0], r + STEPS[heading][1]
        return self.cell(q, r) if 0 <= q < self.width and 0 <= r < self.height else None

    def is_edge(self, cell: int) -> bool:
        """Whether the cell lies on an edge of the board, where a disk can bank."""
        q, r = self.place(cell)
        return q in (0, self.width - 1) or r in (0, self.height - 1)

    def leave(self, cell: int, heading: int) -> frozenset[int]:
        """The headings in which a disk on `cell` goes on: itself, or what the edges it meets turn it to.

        An edge is a mirror through the centres of its cells: at 60 * m degrees, heading k goes on as 2m - k.
        Two headings come out only where a disk runs straight into an obtuse corner; there its player chooses.
        Where the result is not the heading alone, the disk banks. Ends on every board: at most two mirrors.
        """
        q, r = self.place(cell)
        dq, dr = STEPS[heading]
        on: frozenset[int] = frozenset()
        if not 0 <= q + dq < self.width:
            on |= self.leave(cell, (4 - heading) % 6)
        if not 0 <= r + dr < self.height:
            on |= self.leave(cell, -heading % 6)
        return on or frozenset({heading})
