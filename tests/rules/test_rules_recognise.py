"""Pictures, levels, lifts, explanations and adoption: what the sensors tell of a position."""

from __future__ import annotations

import random
from collections import defaultdict

import pytest
from balanx_boards import layouts, random_position
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.balanx.game import BalanxGame
from rules.balanx.judge import Reason
from rules.balanx.layout import Layout, layout_named
from rules.balanx.moves import PASS, Move
from rules.balanx.position import Position
from rules.balanx.tables import cells_of
from rules.errors import RulesError
from rules.game import Illegal

SEEDS = st.integers(0, 2**32 - 1)


@given(layouts(), SEEDS)
@settings(max_examples=300)
def test_one_picture_one_position(layout: Layout, seed: int) -> None:
    """The theorem on which recognition rests: legal moves with the same picture lead to the same position."""
    game = BalanxGame(layout)
    position = random_position(layout, seed)
    after: dict[bytes, set[Position]] = defaultdict(set)
    for move in game.moves(position):
        if move != PASS:
            reached = game.play(position, move)
            after[game.level(game.picture(reached, "presence"), position.side)].add(reached)
    assert all(len(reached) == 1 for reached in after.values())


@given(layouts(), SEEDS, st.sampled_from(["presence", "colour"]))
@settings(max_examples=100)
def test_levelled_pictures_are_those_of_the_settled_position(layout: Layout, seed: int, sensor: str) -> None:
    game = BalanxGame(layout)
    position = random_position(layout, seed)
    seen = game.picture(position, sensor)
    assert game.level(seen, position.side) == seen
    for side in (0, 1):
        marbles = game.tables.settle(position.white, position.black, side)
        settled = game.picture(Position(*marbles, side, position.ply), sensor)
        assert game.level(seen, side) == settled
        assert game.level(settled, None) == game.level(seen, None)
    assert game.tilt(position) == position.side
    owners = [game.owner(position, cell) for cell in range(layout.cells)]
    assert [owner is not None for owner in owners] == [reading > 0 for reading in seen]
    if sensor == "colour":
        assert bytes(0 if owner is None else owner + 1 for owner in owners) == seen


def test_what_is_unread_rolls_like_a_marble() -> None:
    game = BalanxGame(layout_named("classic"))
    seen = bytearray(56)
    seen[7] = 3  # a2, above a1 in one groove
    assert list(game.level(bytes(seen), 0)).index(3) == 0
    assert list(game.level(bytes(seen), 1)).index(3) == 7


def test_an_unknown_sensor_is_refused() -> None:
    game = BalanxGame(layout_named("classic"))
    with pytest.raises(RulesError, match="only presence, colour"):
        game.picture(game.start(), "smell")


# -- lifts -----------------------------------------------------------------------------------------------------


def _lift_edges(layout: Layout, position: Position, cell: int) -> list[tuple[int, int]]:
    """The edges of a clean lift: the marble above a lifted low one rolls into its place."""
    low, *high = layout.grooves[layout.groove_of[cell]][:: 1 if position.side == 0 else -1]
    if high and cell == low and position.occupied >> high[0] & 1:
        return [(low, 0), (high[0], 0), (low, 1)]
    return [(cell, 0)]


@given(layouts(), SEEDS)
@settings(max_examples=100)
def test_each_lift_is_told_with_and_without_flicker(layout: Layout, seed: int) -> None:
    game = BalanxGame(layout)
    position = random_position(layout, seed)
    rng = random.Random(seed)
    for cell in cells_of(position.occupied):
        edges = _lift_edges(layout, position, cell)
        assert game.lifted(position, edges) == {cell}
        flicker = [(cell, 0), (cell, 1)] * rng.randint(0, 3)
        assert game.lifted(position, flicker) == frozenset()
        assert game.lifted(position, flicker + edges) == {cell}
        for target in cells_of(game.tables.masks.board & ~position.occupied):
            if layout.groove_of[target] != layout.groove_of[cell]:
                bounce = [(target, 1), (target, 0)] * rng.randint(0, 2)
                assert game.lifted(position, [*edges, *bounce, (target, 1)]) == {cell}


def test_lifts_add_up_and_nonsense_tells_nothing() -> None:
    game = BalanxGame(layout_named("classic"))
    position = game.start()
    a8, b8 = game.layout.cell("a8"), game.layout.cell("b8")
    assert a8 is not None
    assert b8 is not None
    assert game.lifted(position, []) == frozenset()
    assert game.lifted(position, [(a8, 0), (b8, 0)]) == {a8, b8}
    assert game.lifted(position, [(a8, 0), (a8, 0)]) is None


def test_lifting_both_marbles_of_a_groove() -> None:
    game = BalanxGame(layout_named("classic"))
    low, high = (game.layout.cell(name) for name in ("a5", "a6"))
    assert low is not None
    assert high is not None
    assert game.layout.groove_of[low] == game.layout.groove_of[high]
    rolled = [(low, 0), (high, 0), (low, 1)]
    assert game.lifted(game.start(), rolled) == {low}
    assert game.lifted(game.start(), [*rolled, (low, 0)]) == {low, high}
    assert game.lifted(game.start(), [(high, 0), (low, 0), (low, 1)]) == {high}


# -- explanations ----------------------------------------------------------------------------------------------


def _moved(position: Position, move: Move) -> tuple[int, int]:
    flip = 1 << move.origin | 1 << move.target
    if position.white >> move.origin & 1:
        return position.white ^ flip, position.black
    return position.white, position.black ^ flip


def _seen_after(game: BalanxGame, position: Position, move: Move, sensor: str, tilt: int) -> bytes:
    marbles = game.tables.settle(*_moved(position, move), tilt)
    return game.picture(Position(*marbles, tilt, position.ply), sensor)


@given(layouts(), SEEDS, st.sampled_from(["presence", "colour"]), st.integers(0, 1), st.booleans())
@settings(max_examples=150)
def test_an_illegal_move_is_explained(
    layout: Layout, seed: int, sensor: str, tilt: int, witnessed: bool
) -> None:
    game = BalanxGame(layout)
    position = random_position(layout, seed)
    own, free = list(cells_of(position.own)), list(cells_of(game.tables.masks.board & ~position.occupied))
    if not own or not free or game.outcome(position) is not None:
        return
    rng = random.Random(seed)
    move = Move(rng.choice(own), rng.choice(free))
    verdict = game.judge(position, move)
    if not isinstance(verdict, Illegal):
        return
    seen = _seen_after(game, position, move, sensor, tilt)
    found = game.explain(position, seen, sensor, tilt, frozenset({move.origin}) if witnessed else None)
    assert found is not None
    explanation, why = found
    assert game.judge(position, explanation) == why
    assert _seen_after(game, position, explanation, sensor, tilt) == seen
    order = list(Reason)
    assert order.index(Reason(why.reason)) >= order.index(Reason(verdict.reason))


@given(layouts(), SEEDS)
@settings(max_examples=80)
def test_an_opponents_marble_seen_lifted_is_named(layout: Layout, seed: int) -> None:
    game = BalanxGame(layout)
    position = random_position(layout, seed)
    other, free = list(cells_of(position.other)), list(cells_of(game.tables.masks.board & ~position.occupied))
    if not other or not free or game.moves(position) in ((), (PASS,)):
        return
    rng = random.Random(seed)
    move = Move(rng.choice(other), rng.choice(free))
    seen = _seen_after(game, position, move, "presence", position.side)
    found = game.explain(position, seen, "presence", position.side, frozenset({move.origin}))
    assert found is not None
    assert found[1].reason == Reason.NOT_YOUR_MARBLE
    assert found[0].origin == move.origin


def test_the_latest_reason_wins_and_ties_go_by_text() -> None:
    game = BalanxGame(layout_named("classic"))
    start = game.start()
    seen = _seen_after(game, start, game.parse_move("a5-a2"), "presence", 0)
    found = game.explain(start, seen, "presence", 0, None)
    assert found is not None
    # a6-a2 gives the same picture, and that it went past the first gap stands later in the list
    assert game.move_text(found[0]) == "a6-a1"
    assert found[1].reason == Reason.PAST_FIRST_GAP


def test_what_no_single_marble_explains_is_left_unexplained() -> None:
    game = BalanxGame(layout_named("classic"))
    assert game.explain(game.start(), bytes(56), "presence", 0, None) is None
    assert game.explain(game.start(), bytes([1] * 56), "presence", 0, frozenset()) is None


# -- the board is right ----------------------------------------------------------------------------------------


@given(layouts(), SEEDS, st.sampled_from(["presence", "colour"]), st.integers(0, 1))
@settings(max_examples=150)
def test_a_moved_marble_is_adopted_or_left_open_but_never_wrong(
    layout: Layout, seed: int, sensor: str, tilt: int
) -> None:
    game = BalanxGame(layout)
    position = random_position(layout, seed)
    marbles, free = (
        list(cells_of(position.occupied)),
        list(cells_of(game.tables.masks.board & ~position.occupied)),
    )
    if not marbles or not free:
        return
    rng = random.Random(seed)
    move = Move(rng.choice(marbles), rng.choice(free))
    truth = Position(*game.tables.settle(*_moved(position, move), position.side), position.side, position.ply)
    seen = _seen_after(game, position, move, sensor, tilt)
    leaves_groove = layout.groove_of[move.origin] != layout.groove_of[move.target]
    witness = frozenset({move.origin}) if leaves_groove else frozenset[int]()
    assert game.adopt(position, seen, sensor, tilt, witness) == truth
    unwitnessed = game.adopt(position, seen, sensor, tilt, None)
    assert unwitnessed in ((truth,) if sensor == "colour" else (truth, None))


def test_adopting_the_same_picture_gives_the_same_position() -> None:
    game = BalanxGame(layout_named("classic"))
    start = game.start()
    assert game.adopt(start, game.picture(start, "presence"), "presence", None, None) == start


def test_missing_extra_and_unsure_marbles_cannot_be_adopted() -> None:
    game = BalanxGame(layout_named("classic"))
    start = game.start()
    for sensor in game.sensors:
        seen = bytearray(game.picture(start, sensor))
        seen[3] = 0
        assert game.adopt(start, bytes(seen), sensor, 0, None) is None
        seen[3], seen[28 - 7] = 2 if sensor == "colour" else 1, 1
        assert game.adopt(start, bytes(seen), sensor, 0, None) is None
    mixed = game.picture(start, "presence")
    both = bytearray(mixed)
    for name in ("d8", "d1"):  # one of each colour put elsewhere: whose is where?
        cell = game.layout.cell(name)
        assert cell is not None
        both[cell] = 0
    both[21], both[24] = 1, 1
    assert game.adopt(start, bytes(both), "presence", 0, None) is None
