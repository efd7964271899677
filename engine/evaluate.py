"""Evaluation of Balanx: a layout in, the worth of each space for each seat out; the sum over marbles rates a position.

Both spaces of a groove are worth the same, so a tilt changes nothing and a search can add up the gains of its moves.
Scores are in hundredths of a rank's advance and seen by the player to move; positive is good for him.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from rules.balanx.layout import Layout
from rules.balanx.position import Position
from rules.balanx.tables import cells_of, tables_of

WIN = 1_000_000
"""Score of a won game; a win in n turns is worth WIN - n."""

WON = WIN - 10_000
"""Scores above are wins, below -WON losses."""

STEP = 100
STRAGGLING = 16
"""What the square of the distance costs: of two marbles the one that lags is worth more to move."""

HOME = 10
"""Bonus for a marble in its finish corner."""


@dataclass(frozen=True, slots=True)
class Worth:
    """Worth of each space, and the gain of each move by its `Hop.order`; White's first, then Black's."""

    of: tuple[tuple[int, ...], tuple[int, ...]]
    gains: tuple[tuple[int, ...], tuple[int, ...]]

    def score(self, position: Position) -> int:
        """The position as the player to move sees it, wins not looked at."""
        own, other = self.of[position.side], self.of[1 - position.side]
        mine = sum(own[cell] for cell in cells_of(position.own))
        return mine - sum(other[cell] for cell in cells_of(position.other))


@cache
def worth_of(layout: Layout) -> Worth:
    """The worth of the spaces of a layout, made once."""
    white = tuple(_groove_worth(layout, cell) for cell in range(layout.cells))
    black = tuple(white[layout.half_turn(cell)] for cell in range(layout.cells))
    spaces = tables_of(layout).by_name
    white_gains, black_gains = (
        tuple(worth[target] - worth[origin] for origin in spaces for target in spaces)
        for worth in (white, black)
    )
    return Worth((white, black), (white_gains, black_gains))


def _groove_worth(layout: Layout, cell: int) -> int:
    groove = layout.grooves[layout.groove_of[cell]]
    return sum(_white_worth(layout, space) for space in groove) // len(groove)


def _white_worth(layout: Layout, cell: int) -> int:
    """White goes to the last file of rank 1: the way there is counted in files and ranks."""
    rank, file = divmod(cell, layout.files)
    away = rank + layout.files - 1 - file
    return (HOME if cell in layout.finishes[0] else 0) - STEP * away - STRAGGLING * away * away
