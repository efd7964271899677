"""Worth of Four High: house rules in, what a stack of each height is worth on each space out; sums rate a position.

Scores are in hundredths of a point of the game and seen by the player to move; positive is good for him. Only
height and owner count: what lies under the top of a stack changes nothing any more.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final

from rules.fourhigh.house import HouseRules
from rules.fourhigh.layout import CELLS, FILES, HIGHEST, RANKS
from rules.fourhigh.position import Position, height_of

WIN: Final = 1_000_000
"""Score of a won game; a win in n turns is worth WIN - n and the points by which it is won."""

WON: Final = WIN - 100_000
"""Scores above are wins, below -WON losses."""

POINT: Final = 100

HEIGHTS: Final = (0, 100, 210, 330)
"""Of a stack that can still grow: the higher, the nearer to points."""

INNER: Final = (0, 6, 4, 2)
"""For each ring further in: there a stack reaches more others."""


@dataclass(frozen=True, slots=True)
class Worth:
    """of: by height 0..4 and space. points: what a stack of four counts on each space."""

    of: tuple[tuple[int, ...], ...]
    points: tuple[int, ...]

    def score(self, position: Position) -> int:
        """The position as the player to move sees it, the end of the game not looked at."""
        total = 0
        for cell, code in enumerate(position.stacks):
            worth = self.of[height_of(code)][cell]
            total += worth if code & 1 == position.side else -worth
        return total


@cache
def worth_of(house: HouseRules) -> Worth:
    """The worth of stacks by house rules, made once."""
    points = tuple(HIGHEST + number for number in house.numbers.values)
    low = [tuple(HEIGHTS[high] + INNER[high] * _ring(cell) for cell in range(CELLS)) for high in (1, 2, 3)]
    return Worth(((0,) * CELLS, *low, tuple(POINT * count for count in points)), points)


def _ring(cell: int) -> int:
    """How many rings of the board lie outside of a space: 0 at the edge, 3 in the middle."""
    rank, file = divmod(cell, FILES)
    return min(rank, file, RANKS - 1 - rank, FILES - 1 - file)
