"""Boxilies: pictures of both sensors, placements under way, lifts, explanations, and a board that is right."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.boxilies import Board, BoxiliesGame, Position
from rules.errors import RulesError

GAME = BoxiliesGame()
SEEDS = st.integers(0, 2**32 - 1)
EXAMPLE = GAME.parse_position(".,.,./B21B,A51B,./.,.,. A")
NORTH, EAST, SOUTH, WEST = range(4)


def _reading(name: str, rotation: int, figure: int) -> int:
    return 1 + ((GAME.stones.names.index(name) * 4 + rotation) * 4 + figure)


def _cell(name: str) -> int:
    return GAME.cell_names.index(name)


def _shown(position: Position, **readings: int) -> bytes:
    """The picture of a position with other readings on some cells."""
    seen = bytearray(GAME.picture(position, "stone"))
    for name, reading in readings.items():
        seen[_cell(name)] = reading
    return bytes(seen)


def _random_position(seed: int) -> Position:
    rng = random.Random(seed)
    position = GAME.start()
    for _ in range(rng.randint(0, 9)):
        position = GAME.play(position, rng.choice(GAME.moves(position)))
    return position


def test_pictures_follow_the_spec_s_formula() -> None:
    picture = GAME.picture(EXAMPLE, "stone")
    assert picture[_cell("a2")] == 1 + ((6 * 4 + 1) * 4 + 2)
    assert picture[_cell("b2")] == 1 + ((4 * 4 + 1) * 4 + 2)
    assert picture.count(0) == 7
    assert GAME.picture(EXAMPLE, "presence") == bytes([0, 0, 0, 1, 1, 0, 0, 0, 0])
    assert GAME.sensors == ("stone", "presence")
    with pytest.raises(RulesError, match="boxilies knows no sensor 'colour', only stone, presence"):
        GAME.picture(EXAMPLE, "colour")


def test_nothing_rolls_and_nothing_tilts() -> None:
    picture = bytes([0, 3, 255, 7, 160, 0, 1, 0, 9])
    assert all(GAME.level(picture, tilt) == picture for tilt in (0, 1, None))
    assert GAME.tilt(EXAMPLE) is None
    assert not GAME.tilts


def test_canonical_readings_of_equal_rotations() -> None:
    seen = _shown(EXAMPLE, a2=_reading("B2", 3, SOUTH))
    assert seen != GAME.picture(EXAMPLE, "stone")
    assert GAME.level(seen, None) == GAME.picture(EXAMPLE, "stone")
    assert GAME.level(bytes([0, 1, 255, 0, 0, 0, 0, 0, 0]), None) == bytes([0, 1, 255, 0, 0, 0, 0, 0, 0])


@given(SEEDS)
@settings(max_examples=40)
def test_every_legal_placement_is_seen_before_and_after_its_figures_are_turned(seed: int) -> None:
    position = _random_position(seed)
    for move in GAME.moves(position)[::3]:
        after = GAME.play(position, move)
        done = GAME.placed(position, GAME.picture(after, "stone"))
        assert done is not None
        assert done.done
        assert done.move == move
        put = bytearray(GAME.picture(position, "stone"))
        put[move.cell] = after.board[move.cell]
        under_way = GAME.placed(position, bytes(put))
        assert under_way is not None
        assert under_way.move == move
        assert under_way.to_turn == GAME.captures(position, move)
        assert under_way.done == (not under_way.to_turn)
        for picture in (GAME.picture(after, "stone"), bytes(put)):
            assert GAME.explain(position, picture, "stone", None, None) is None


def test_a_placement_under_way() -> None:
    # Two arrows of A4 face a2, whose stone was turned so that its sides north and south are bare.
    move = GAME.parse_move("A4@a1r0")
    assert [GAME.cell_names[cell] for cell in GAME.captures(EXAMPLE, move)] == ["a2"]
    sideways = GAME.placed(EXAMPLE, _shown(EXAMPLE, a1=_reading("A4", 0, EAST)))
    assert sideways is not None
    assert (sideways.move, sideways.figure_due, sideways.to_turn) == (move, True, (_cell("a2"),))
    half = GAME.placed(EXAMPLE, _shown(EXAMPLE, a1=_reading("A4", 0, NORTH), a2=_reading("B2", 3, WEST)))
    assert half is not None
    assert (half.figure_due, half.to_turn, half.wrong) == (False, (_cell("a2"),), ())
    wrong = GAME.placed(
        EXAMPLE,
        _shown(
            EXAMPLE, a1=_reading("A4", 0, NORTH), a2=_reading("B2", 1, NORTH), b2=_reading("A5", 1, NORTH)
        ),
    )
    assert wrong is not None
    assert (wrong.to_turn, wrong.wrong, wrong.done) == ((), (_cell("b2"),), False)
    turned = GAME.placed(EXAMPLE, _shown(EXAMPLE, a1=_reading("A4", 0, NORTH), a2=_reading("B2", 0, NORTH)))
    assert turned is not None
    assert turned.wrong == (_cell("a2"),), "the base of a captured stone must not turn"


def test_no_placement_where_there_is_none() -> None:
    a1 = _reading("A4", 0, NORTH)
    for seen in (
        GAME.picture(EXAMPLE, "stone"),
        _shown(EXAMPLE, a1=255),
        _shown(EXAMPLE, a1=a1, c1=_reading("A3", 0, NORTH)),
        _shown(EXAMPLE, a1=a1, c1=a1),
        _shown(EXAMPLE, a1=_reading("B1", 0, SOUTH)),
        _shown(EXAMPLE, a1=_reading("A5", 0, NORTH)),
    ):
        assert GAME.placed(EXAMPLE, seen) is None


@pytest.mark.parametrize(
    ("seen", "move", "reason"),
    [
        ({"a1": ("B1", 2, SOUTH)}, "B1@a1r2", "not_your_stone"),
        ({"c3": ("A5", 0, NORTH), "b2": None}, "A5@c3r0", "not_in_hand"),
        ({"c3": ("B2", 2, SOUTH), "a2": None}, "B2@c3r0", "not_your_stone"),
        ({"b2": ("A3", 1, NORTH)}, "A3@b2r1", "occupied_cell"),
        ({"a2": ("A4", 0, NORTH)}, "A4@a2r0", "occupied_cell"),
        ({"a1": ("B5", 0, SOUTH), "b2": ("A5", 1, EAST)}, None, None),
        ({"a1": ("A4", 0, NORTH)}, None, None),
        ({"a1": ("A4", 0, NORTH), "c1": ("A3", 0, NORTH)}, None, None),
        ({"a2": None}, None, None),
        ({}, None, None),
    ],
)
def test_why_a_picture_is_no_legal_placement(
    seen: dict[str, tuple[str, int, int] | None], move: str | None, reason: str | None
) -> None:
    picture = _shown(EXAMPLE, **{name: _reading(*what) if what else 0 for name, what in seen.items()})
    found = GAME.explain(EXAMPLE, picture, "stone", None, None)
    if move is None:
        assert found is None
        return
    assert found is not None
    assert (GAME.move_text(found[0]), found[1].reason) == (move, reason)


def test_what_presence_alone_can_explain() -> None:
    game = BoxiliesGame(Board.parse("3x3#c1"))
    position = game.parse_position(".,.,./B21B,A51B,./.,.,# A")
    seen = bytearray(game.picture(position, "presence"))
    seen[2] = 1
    found = game.explain(position, bytes(seen), "presence", None, None)
    assert found is not None
    assert (game.move_text(found[0]), found[1].reason) == ("A1@c1r0", "blocked_cell")
    seen[2], seen[0], seen[4] = 0, 1, 0
    found = game.explain(position, bytes(seen), "presence", None, frozenset({4}))
    assert found is not None
    assert (game.move_text(found[0]), found[1].reason) == ("A5@a1r1", "not_in_hand")
    assert game.explain(position, bytes(seen), "presence", None, frozenset({3})) is None
    seen[4] = 1
    assert game.explain(position, bytes(seen), "presence", None, None) is None, "a legal placement"


def test_a_stone_after_the_end() -> None:
    game = BoxiliesGame(Board.parse("1x2#a1"))
    over = game.parse_position("A10A/# B")
    for sensor in game.sensors:
        seen = bytearray(game.picture(over, sensor))
        seen[0] = 1 if sensor == "presence" else _reading("B1", 0, SOUTH)
        found = game.explain(over, bytes(seen), sensor, None, None)
        assert found is not None
        assert found[1].reason == "game_over"


@pytest.mark.parametrize(
    ("edges", "wanted"),
    [
        ([], set()),
        ([("b2", 0)], {"b2"}),
        ([("b2", 0), ("a2", 0)], {"a2", "b2"}),
        ([("b2", 0), ("b2", 70 + 1)], set()),
        ([("b2", 0), ("b2", 1)], set()),
        ([("b2", 255)], set()),
        ([("b2", 65), ("a2", 103)], set()),
        ([("a1", 1), ("a1", 0), ("b2", 0)], {"b2"}),
        ([("b2", 0), ("b2", 17)], {"b2"}),
        ([("a1", 0)], None),
        ([("b2", 0), ("b2", 0)], None),
    ],
)
def test_lifts(edges: list[tuple[str, int]], wanted: set[str] | None) -> None:
    lifted = GAME.lifted(EXAMPLE, [(_cell(name), reading) for name, reading in edges])
    assert (None if lifted is None else {GAME.cell_names[cell] for cell in lifted}) == wanted


@given(SEEDS)
@settings(max_examples=40)
def test_the_board_is_right(seed: int) -> None:
    position = _random_position(seed)
    for sensor in GAME.sensors:
        picture = GAME.picture(position, sensor)
        assert GAME.adopt(position, picture, sensor, None, None) == position


def test_what_can_be_adopted() -> None:
    def adopted(**readings: int) -> str | None:
        position = GAME.adopt(EXAMPLE, _shown(EXAMPLE, **readings), "stone", None, None)
        return None if position is None else GAME.position_text(position)

    assert adopted(b2=_reading("A5", 2, NORTH)) == ".,.,./B21B,A52A,./.,.,. A"
    assert adopted(b2=0, a1=_reading("B5", 0, NORTH)) == ".,.,./B21B,.,./B50A,.,. A"
    assert adopted(a2=_reading("B2", 3, SOUTH)) == ".,.,./B21B,A51B,./.,.,. A"
    assert adopted(b2=_reading("A5", 1, EAST)) is None
    assert adopted(b2=_reading("B2", 1, SOUTH)) is None
    assert adopted(b2=255) is None
    assert adopted(b2=0) is None
    assert adopted(a1=_reading("A1", 0, NORTH)) is None
    moved = bytes([1, 0, 0, 1, 0, 0, 0, 0, 0])
    assert GAME.adopt(EXAMPLE, moved, "presence", None, frozenset({4})) is None
    blocked = BoxiliesGame(Board.parse("3x3#c1"))
    on_it = bytes([0, 0, _reading("A1", 0, NORTH), 0, 0, 0, 0, 0, 0])
    assert blocked.adopt(blocked.parse_position("A20A,.,./.,.,./.,.,# A"), on_it, "stone", None, None) is None
