"""Boards and positions for property tests: a seed in, a valid layout or a settled position out."""

from __future__ import annotations

import random

from hypothesis import strategies as st

from rules.balanx.layout import CORNER, FILE_LETTERS, SHIPPED, Layout, layout_named
from rules.balanx.position import MARBLES, Position
from rules.balanx.tables import tables_of


def layouts() -> st.SearchStrategy[Layout]:
    """Shipped layouts and random valid ones."""
    seeds = st.integers(0, 2**32 - 1)
    return st.one_of(st.sampled_from(SHIPPED).map(layout_named), seeds.map(random_layout))


def random_layout(seed: int) -> Layout:
    """A valid layout: each pair of files is cut at random, but never across the border of a corner."""
    rng = random.Random(seed)
    while True:
        files, ranks = rng.randint(4, 9), rng.randint(4, 9)
        heights = [CORNER[file] if file < 4 else 0 for file in range(files)]
        if all(heights[file] + heights[files - 1 - file] <= ranks for file in range(files)):
            break
    cuts: dict[int, list[list[int]]] = {}
    for file in range((files + 1) // 2):
        top, bottom = ranks - heights[file], heights[files - 1 - file]
        if file == files - 1 - file:
            half = _pieces(rng, bottom, ranks // 2)
            middle = [[ranks // 2]] if ranks % 2 else []
            if not middle and rng.random() < 0.5 and half and len(half[-1]) == 1 and bottom < ranks // 2:
                middle = [[half.pop()[0], ranks // 2]]
            low = _pieces(rng, 0, bottom) + half
            cuts[file] = low + middle + _turned(low, ranks)
        else:
            cuts[file] = _pieces(rng, 0, bottom) + _pieces(rng, bottom, top) + _pieces(rng, top, ranks)
            cuts[files - 1 - file] = _turned(cuts[file], ranks)
    grooves = [
        "[" + ", ".join(f'"{FILE_LETTERS[file]}{rank + 1}"' for rank in piece) + "]"
        for file, pieces in cuts.items()
        for piece in pieces
    ]
    rng.shuffle(grooves)
    return Layout.load(
        f'name = "random {seed}"\nfiles = {files}\nranks = {ranks}\ngrooves = [{", ".join(grooves)}]\n'
    )


def random_position(layout: Layout, seed: int, *, crowd: bool = True) -> Position:
    """A settled position with up to ten marbles each, anywhere on the board."""
    rng = random.Random(seed)
    most = min(MARBLES, layout.cells // 2)
    numbers = [most if crowd and rng.random() < 0.7 else rng.randint(0, most) for _ in range(2)]
    cells = rng.sample(range(layout.cells), sum(numbers))
    white = sum(1 << cell for cell in cells[: numbers[0]])
    black = sum(1 << cell for cell in cells[numbers[0] :])
    ply = rng.randint(2, 80)
    return Position(*tables_of(layout).settle(white, black, ply % 2), ply % 2, ply)


def _pieces(rng: random.Random, low: int, high: int) -> list[list[int]]:
    pieces = []
    while low < high:
        length = min(rng.randint(1, 2), high - low)
        pieces.append(list(range(low, low + length)))
        low += length
    return pieces


def _turned(pieces: list[list[int]], ranks: int) -> list[list[int]]:
    return [[ranks - 1 - rank for rank in reversed(piece)] for piece in pieces]
