"""Tables: a board, its stones and house rules in, everything that play looks up out.

A cell's reading is 0 where it is free, else `1 + (base * 4 + figure)`; a base is `stone * 4 + rotation`, a
figure's direction 0 north, 1 east, 2 south, 3 west. A figure points to its owner's opponent.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from .board import NORTH, SOUTH, Board
from .house import HouseRules
from .moves import Move
from .stones import Sides, StoneSet, smallest, turned

FREE, UNREAD = 0, 255
FIGURES = (NORTH, SOUTH)
"""Where the figure of each seat's stone points."""

MOST_STONES = 15
"""Stones, both hands together, that a reading of one byte can tell apart beside `UNREAD`."""


@dataclass(frozen=True, slots=True, eq=False)
class Tables:
    """neighbours: by cell, (facing side, the neighbour's facing side, neighbour). sides, smallest: by base.

    placements: of each stone, by cell in the order of names: the moves that look different, in text order.
    hands: each seat's stones in the order of names. seat_of: whose hand each stone came from.
    """

    board: Board
    stones: StoneSet
    house: HouseRules
    neighbours: tuple[tuple[tuple[int, int, int], ...], ...]
    sides: tuple[Sides, ...]
    smallest: tuple[int, ...]
    placements: tuple[tuple[tuple[int, tuple[Move, ...]], ...], ...]
    hands: tuple[tuple[int, ...], tuple[int, ...]]
    seat_of: tuple[int, ...]


@cache
def tables_of(board: Board, stones: StoneSet, house: HouseRules) -> Tables:
    """The tables of a game; made once for each."""
    every = stones.stones
    rotations = [sorted({smallest(stone.sides, rot) for rot in range(4)}) for stone in every]
    if not house.turning:
        rotations = [[0] for _ in every]
    by_name = sorted(set(range(board.cells)) - board.blocked, key=board.cell_names.__getitem__)
    seat_of = tuple(map(stones.seat, range(len(every))))
    first, second = (
        sorted((n for n in range(len(every)) if seat_of[n] == seat), key=lambda n: stones.names[n] + "@")
        for seat in (0, 1)
    )
    return Tables(
        board,
        stones,
        house,
        tuple(
            tuple((way, way ^ 2, other) for way, other in board.neighbours(cell, wrap=house.wrap))
            for cell in range(board.cells)
        ),
        tuple(turned(stone.sides, rotation) for stone in every for rotation in range(4)),
        tuple(n * 4 + smallest(stone.sides, rot) for n, stone in enumerate(every) for rot in range(4)),
        tuple(
            tuple((cell, tuple(Move(n, cell, rotation) for rotation in rotations[n])) for cell in by_name)
            for n in range(len(every))
        ),
        (tuple(first), tuple(second)),
        seat_of,
    )


def reading_of(base: int, owner: int) -> int:
    """The reading of a stone at rest with its owner's figure."""
    return 1 + base * 4 + FIGURES[owner]


def stone_of(reading: int) -> int:
    """The stone of a reading that is not free."""
    return reading - 1 >> 4


def base_of(reading: int) -> int:
    """The base of a reading that is not free: stone and rotation."""
    return reading - 1 >> 2


def figure_of(reading: int) -> int:
    """Where the figure of a reading that is not free points."""
    return reading - 1 & 3
