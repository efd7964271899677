"""Four High on its sensor board: pictures, lifts, explanations of wrong moves, and "the board is right"."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.errors import RulesError
from rules.fourhigh.game import FourHighGame
from rules.fourhigh.judge import Reason
from rules.fourhigh.layout import CELL_NAMES, CELLS
from rules.fourhigh.moves import PASS, Move
from rules.fourhigh.position import Position, height_of, stack_of
from rules.fourhigh.recognise import UNREAD
from rules.game import Illegal

SEEDS = st.integers(0, 2**32 - 1)
GAME = FourHighGame()
SENSORS = st.sampled_from(GAME.sensors)


def board(stacks: str, side: str = "B") -> Position:
    """A position from `d4 B, d6 WB`."""
    codes = bytearray([1]) * CELLS
    for name, stack in (word.split() for word in stacks.split(", ")):
        codes[CELL_NAMES.index(name)] = stack_of(stack)
    return Position(bytes(codes), "BW".index(side), 3, 7)


def random_position(seed: int) -> Position:
    """A position that goes on, reached from the start by moves that like to capture."""
    rng = random.Random(seed)
    position = GAME.start()
    for _ in range(rng.randrange(60)):
        moves = GAME.moves(position)
        hungry = [move for move in moves if move != PASS and GAME.owner(position, move.target) is not None]
        after = GAME.play(position, rng.choice(hungry if hungry and rng.random() < 0.6 else moves))
        if GAME.outcome(after) is not None:
            break
        position = after
    return position


def at(name: str) -> int:
    return CELL_NAMES.index(name)


def changed(picture: bytes, readings: dict[str, int]) -> bytes:
    """A picture with other readings in some spaces."""
    after = bytearray(picture)
    for name, reading in readings.items():
        after[at(name)] = reading
    return bytes(after)


# -- pictures ----------------------------------------------------------------------------------------


def test_codes() -> None:
    position = board("a1 B, b1 WB, c1 BWB, d1 WWWB, e1 W, f1 BW, g1 BBW, h1 WWWW")
    assert GAME.picture(position, "stack") == bytes([1, 2, 3, 4, 5, 6, 7, 8]) + bytes(56)
    assert GAME.picture(position, "height") == bytes([1, 2, 3, 4, 1, 2, 3, 4]) + bytes(56)


@given(SEEDS, SENSORS)
@settings(max_examples=60)
def test_pictures_tell_all_moves_and_a_mere_lift_apart(seed: int, sensor: str) -> None:
    position = random_position(seed)
    before = GAME.picture(position, sensor)
    assert GAME.level(before, None) == GAME.level(before, 0) == GAME.level(before, 1) == before
    moves = [move for move in GAME.moves(position) if not GAME.is_pass(move)]
    pictures = {GAME.picture(GAME.play(position, move), sensor) for move in moves}
    lifts = {before[:cell] + b"\0" + before[cell + 1 :] for cell in range(CELLS)}
    assert len(pictures) == len(moves)
    assert not pictures & lifts


@given(st.lists(st.integers(1, 31), min_size=CELLS, max_size=CELLS))
def test_pictures_agree_with_owners_and_heights(codes: list[int]) -> None:
    position = Position(bytes(codes), 0, 0)
    stack, height = (GAME.picture(position, sensor) for sensor in GAME.sensors)
    for cell in range(CELLS):
        assert height[cell] == len(GAME.stack(position, cell))
        assert stack[cell] == height[cell] + (4 if GAME.owner(position, cell) == 1 else 0)


def test_a_pass_and_no_tilt() -> None:
    assert not GAME.tilts
    assert GAME.tilt(GAME.start()) is None
    assert GAME.repetition_key(GAME.start()) is None


def test_unknown_sensors_and_pictures_of_another_board_are_refused() -> None:
    start = GAME.start()
    with pytest.raises(RulesError, match="knows no sensor 'presence', only stack, height"):
        GAME.picture(start, "presence")
    for ask in (GAME.explain, GAME.adopt):
        with pytest.raises(RulesError, match="64 cells, not 56"):
            ask(start, bytes(56), "stack", None, None)
        with pytest.raises(RulesError, match="no sensor"):
            ask(start, bytes(64), "colour", None, None)


# -- lifts -------------------------------------------------------------------------------------------

LIFTS = {
    "nothing": ("", ""),
    "in hand": ("d4=0", "d4"),
    "put elsewhere": ("d4=0 d5=2", "d4"),
    "put on an enemy": ("d4=0 g7=3", "d4"),
    "unread on the way": ("d4=15 d4=0 g7=15 g7=3", "d4"),
    "put back": ("d4=0 d4=2", ""),
    "a flicker, then lifted": ("d4=0 d4=2 d4=0", "d4"),
    "an enemy": ("g7=0", "g7"),
    "an enemy, with colours": ("g7=0 g7=5", ""),
    "two": ("d4=0 g7=0", "d4 g7"),
    "one in the place of another": ("g7=0 d4=0 g7=2", "d4 g7"),
    "a part": ("d4=1", ""),
    "put down and taken up again": ("d4=0 d5=2 d5=0", "d4"),
    "with heights alone": ("g7=0 g7=1", ""),
    "with colours, another single": ("g7=0 g7=1 h8=5", "g7"),
    "from a free space": ("d5=0", None),
    "twice": ("d4=0 d4=0", None),
}


@pytest.mark.parametrize(("edges", "cells"), LIFTS.values(), ids=LIFTS)
def test_lifted(edges: str, cells: str | None) -> None:
    position = board("d4 WB, g7 W, a1 B")
    read = [(at(edge[:2]), int(edge[3:])) for edge in edges.split()]
    expected = None if cells is None else frozenset(at(name) for name in cells.split())
    assert GAME.lifted(position, read) == expected


@given(SEEDS, SENSORS)
@settings(max_examples=40)
def test_the_edges_of_a_move_tell_what_was_lifted(seed: int, sensor: str) -> None:
    position = random_position(seed)
    for move in GAME.moves(position):
        if not GAME.is_pass(move):
            after = GAME.picture(GAME.play(position, move), sensor)
            edges = [(move.origin, 0), (move.target, UNREAD), (move.target, after[move.target])]
            assert GAME.lifted(position, edges) == {move.origin}


# -- why not -----------------------------------------------------------------------------------------

BOARD = "a1 BB, a3 B, c3 WWWB, d4 B, e5 W, g7 WW, d7 WWW, h1 WBBB"
WRONG = {
    "another's": ({"e5": 0, "e6": 5}, "e5-e6", Reason.NOT_YOUR_STACK),
    "another's captures": ({"e5": 0, "d4": 6}, "e5-d4", Reason.NOT_YOUR_STACK),
    "a four": ({"h1": 0, "h2": 4}, "h1-h2", Reason.FOUR_STAYS),
    "own on own": ({"a1": 0, "a3": 3}, "a1-a3", Reason.OWN_STACK_TO),
    "more than four": ({"a1": 0, "d7": UNREAD}, "a1-d7", Reason.TOO_HIGH),
    "no line": ({"d4": 0, "e6": 1}, "d4-e6", Reason.NOT_IN_LINE),
    "too far": ({"a1": 0, "c1": 2}, "a1-c1", Reason.TOO_FAR),
    "too far to capture": ({"d4": 0, "g7": 3}, "d4-g7", Reason.TOO_FAR),
    "over another": ({"d4": 0, "b2": 1}, "d4-b2", Reason.WAY_BLOCKED),
}


@pytest.mark.parametrize("sensor", GAME.sensors)
@pytest.mark.parametrize(("readings", "text", "reason"), WRONG.values(), ids=WRONG)
def test_wrong_moves_are_explained(readings: dict[str, int], text: str, reason: Reason, sensor: str) -> None:
    position = board(BOARD)
    if sensor == "height":
        readings = {name: r - 4 if 4 < r <= 8 else r for name, r in readings.items()}
    found = GAME.explain(position, changed(GAME.picture(position, sensor), readings), sensor, None, None)
    assert found is not None
    move, illegal = found
    assert GAME.move_text(move) == text
    assert illegal == GAME.judge(position, move)
    assert illegal.reason == reason


UNEXPLAINED = {
    "nothing happened": {},
    "a legal move": {"d4": 0, "d5": 1},
    "merely lifted": {"d4": 0},
    "part of a stack": {"a1": 1, "a2": 1},
    "under the enemy": {"d4": 0, "e5": 6},
    "taken as in chess": {"d4": 0, "e5": 1},
    "another colour": {"d4": 0, "h8": 5},
    "another height": {"d4": 0, "h8": 2},
    "unread": {"d4": 0, "d6": UNREAD},
    "two stacks gone": {"d4": 0, "a3": 0},
    "three spaces": {"d4": 0, "a3": 0, "a4": 2},
}


@pytest.mark.parametrize("readings", UNEXPLAINED.values(), ids=UNEXPLAINED)
def test_what_no_from_to_gives_is_not_explained(readings: dict[str, int]) -> None:
    position = board(BOARD)
    picture = changed(GAME.picture(position, "stack"), readings)
    assert GAME.explain(position, picture, "stack", None, None) is None


@given(SEEDS, SENSORS)
@settings(max_examples=40)
def test_every_illegal_from_to_is_explained_as_itself(seed: int, sensor: str) -> None:
    position = random_position(seed)
    rng = random.Random(seed)
    before = GAME.picture(position, sensor)
    stacks = [cell for cell in range(CELLS) if before[cell]]
    for _ in range(50):
        move = Move(rng.choice(stacks), rng.randrange(CELLS))
        if move.origin == move.target:
            continue
        heights = height_of(position.stacks[move.origin]) + height_of(position.stacks[move.target])
        top = UNREAD if heights > 4 else GAME.picture(GAME.play(position, move), sensor)[move.target]
        picture = changed(before, {CELL_NAMES[move.origin]: 0, CELL_NAMES[move.target]: top})
        verdict = GAME.judge(position, move)
        expected = (move, verdict) if isinstance(verdict, Illegal) else None
        assert GAME.explain(position, picture, sensor, None, None) == expected


# -- the board is right ------------------------------------------------------------------------------


def adopted(position: Position, readings: dict[str, int], sensor: str = "stack") -> Position | None:
    picture = changed(GAME.picture(position, sensor), readings)
    found = GAME.adopt(position, picture, sensor, None, None)
    if found is not None:
        assert GAME.picture(found, sensor) == picture
        assert (found.side, found.ply, found.quiet) == (position.side, position.ply, position.quiet)
        before, after = ("".join(GAME.stack(p, cell) for cell in range(CELLS)) for p in (position, found))
        assert sorted(before) == sorted(after)
    return found


@given(SEEDS, SENSORS)
@settings(max_examples=40)
def test_one_stack_put_anywhere_is_adopted_with_all_that_lies_in_it(seed: int, sensor: str) -> None:
    position = random_position(seed)
    rng = random.Random(seed)
    stacks = [cell for cell in range(CELLS) if GAME.stack(position, cell)]
    for _ in range(20):
        move = Move(rng.choice(stacks), rng.randrange(CELLS))
        heights = height_of(position.stacks[move.origin]) + height_of(position.stacks[move.target])
        if move.origin == move.target or heights > 4:
            continue
        after = GAME.play(position, move)
        picture = GAME.picture(after, sensor)
        found = GAME.adopt(position, picture, sensor, None, None)
        assert found == Position(after.stacks, position.side, position.quiet)


ADOPTED = {
    "as it stands": ({}, ""),
    "two stacks moved": ({"a1": 0, "e5": 0, "b8": 2, "c8": 5}, "b8 BB, c8 W"),
    "two on one": ({"a3": 0, "e5": 0, "c8": 6}, "c8 BW"),
    "swapped by pieces": ({"d4": 5, "e5": 1}, "d4 W, e5 B"),
    "split": ({"a1": 1, "a2": 1}, "a1 B, a2 B"),
    "a four split": ({"h1": 2, "h2": 2}, "h1 BB, h2 WB"),
}


@pytest.mark.parametrize(("readings", "stacks"), ADOPTED.values(), ids=ADOPTED)
def test_what_is_certain_is_adopted(readings: dict[str, int], stacks: str) -> None:
    found = adopted(board(BOARD), readings)
    assert found is not None
    for name, stack in (word.split() for word in stacks.split(", ") if word):
        assert sorted(GAME.stack(found, at(name))) == sorted(stack) or "four" in stacks
        assert GAME.stack(found, at(name))[-1] == stack[-1]


REFUSED = {
    "a piece is missing": ({"d4": 0}, "stack"),
    "one too many": ({"h8": 1}, "stack"),
    "a colour that is not there": ({"d4": 5}, "stack"),
    "unread": ({"d4": UNREAD, "e5": 0}, "stack"),
    "no reading of this sensor": ({"d4": 0, "h8": 5}, "height"),
    "whose single lies where": ({"d4": 0, "e5": 0, "b8": 1, "c8": 1}, "height"),
    "a mixed stack split": ({"h1": 2, "h2": 2}, "height"),
}


@pytest.mark.parametrize(("readings", "sensor"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_or_is_not_certain_is_not_adopted(readings: dict[str, int], sensor: str) -> None:
    assert adopted(board(BOARD), readings, sensor) is None


def test_heights_of_one_colour_are_certain() -> None:
    found = adopted(board(BOARD), {"d4": 0, "a3": 0, "b8": 1, "c8": 1}, "height")
    assert found is not None
    assert (GAME.stack(found, at("b8")), GAME.stack(found, at("c8"))) == ("B", "B")
    split = adopted(board(BOARD), {"a1": 1, "a2": 1}, "height")
    assert split is not None
    assert GAME.stack(split, at("a2")) == "B"


@given(SEEDS, SEEDS, SENSORS)
@settings(max_examples=60)
def test_any_two_positions_of_a_game_are_adopted_right_or_not_at_all(a: int, b: int, sensor: str) -> None:
    position, other = random_position(a), random_position(b)
    found = GAME.adopt(position, GAME.picture(other, sensor), sensor, None, None)
    assert found is not None or sensor == "height"
    if found is not None:
        assert GAME.picture(found, sensor) == GAME.picture(other, sensor)
        text = "".join(GAME.stack(found, cell) for cell in range(CELLS))
        assert (text.count("B"), text.count("W")) == (16, 16)
