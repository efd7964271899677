"""Perft: the table of the spec, the fast count against the plain one, divide."""

from __future__ import annotations

from pathlib import Path

import pytest
from balanx_boards import layouts, random_position
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.balanx.game import BalanxGame
from rules.balanx.layout import Layout, layout_named
from rules.balanx.position import Position
from rules.game import Game

KNOWN = [
    ("classic", "WWWW3/WWW4/WW5/W6/6B/5BB/4BBB/3BBBB W 0", 16, 256, 4528, 80089, 1475346),
    ("classic", "BBBB3/BBB4/BB5/1B3W1/4W1W/5WW/4WWW/5WW B 93", 17, 256, 4608),
    ("wide", "2W1W3/1WWW3B/WWW5/WW3B1B/4B1B1/3B1BB1/4BB2 B 9", 21, 462, 9642, 211702),
]


@pytest.mark.parametrize("row", KNOWN, ids=lambda row: row[1])
def test_counts(row: tuple[str, str, int]) -> None:
    layout, text, *counts = row
    _check_row(layout, text, counts)


def test_counts_of_the_spec_table(shared: Path) -> None:
    for row in (shared / "spec" / "balanx_perft.tsv").read_text(encoding="utf-8").splitlines():
        layout, text, *counts = row.split("\t")
        _check_row(layout, text, [int(count) for count in counts])


def _check_row(layout: str, text: str, counts: list[int]) -> None:
    game = BalanxGame(layout_named(layout))
    position = game.parse_position(text)
    assert [game.perft(position, depth) for depth in range(len(counts) + 1)] == [1, *counts]


@given(layouts(), st.integers(0, 2**32 - 1), st.integers(0, 2))
@settings(max_examples=150)
def test_counting_side_by_side_equals_playing_one_by_one(layout: Layout, seed: int, depth: int) -> None:
    game = BalanxGame(layout)
    position = random_position(layout, seed)
    assert game.perft(position, depth) == Game.perft(game, position, depth)


ENDS = {
    "over at once": ("7/7/7/7/6W/5WW/4WWW/3WWWW W 4", None),
    "Black has not moved": ("BBBB3/BBB4/BB5/B6/7/7/7/3W3 B 1", None),
    "passes": ("7/7/7/7/7/7/7/6B W 2", None),
    "stuck": ("7/7/7/7/7/7/7/7 W 2", [1, 0, 0, 0]),
    "a last marble fills the corner": ("7/7/7/7/6W/5WW/4WWW/2WBWWW W 20", None),
    "the mover empties the board of replies": ("7/7/7/7/7/7/7/W5B W 2", None),
}


@pytest.mark.parametrize(("text", "counts"), ENDS.values(), ids=ENDS)
def test_ends_and_passes(text: str, counts: list[int] | None) -> None:
    game = BalanxGame(layout_named("classic"))
    position: Position = game.parse_position(text)
    found = [game.perft(position, depth) for depth in range(4)]
    assert found == [Game.perft(game, position, depth) for depth in range(4)]
    if counts is not None:
        assert found == counts


@given(layouts(), st.integers(0, 2**32 - 1))
@settings(max_examples=60)
def test_near_the_end_too(layout: Layout, seed: int) -> None:
    """Nine or ten in a corner, the rest where it fell: wins, self-fills and passes among the replies."""
    game = BalanxGame(layout)
    position = random_position(layout, seed, crowd=False)
    corner = sorted(layout.finishes[seed % 2])[seed // 2 % 2 :]
    white = position.white | sum(1 << cell for cell in corner)
    white, black = game.tables.settle(white, position.black & ~white, position.side)
    near = Position(white, black, position.side, position.ply)
    assert [game.perft(near, depth) for depth in (1, 2)] == [Game.perft(game, near, d) for d in (1, 2)]
