"""Boxilies: texts and their inverses, refusals that name the place, stone files, boards and records."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.boxilies import Board, BoxiliesGame, HouseRules, Stone, StonesError, StoneSet, stone_set_named
from rules.errors import LayoutError, MoveError, PositionError, RecordError
from rules.game import Outcome
from rules.line import Line
from rules.record import Record

GAME = BoxiliesGame()
EXAMPLE = ".,.,./B21B,A51B,./.,.,. A"
SEEDS = st.integers(0, 2**32 - 1)


def _file(**more: object) -> str:
    return json.dumps({"name": "mine", "stones": {"1": [1, 0, 0, 0]}} | more)


BIG = StoneSet.load(
    json.dumps(
        {
            "name": "big",
            "A": {f"{n}{letter}": [n, 0, 0, 0] for n in range(1, 6) for letter in "ab"},
            "B": {f"{n}{letter}": [n - 1, 1, 0, 0] for n in range(1, 6) for letter in "xy"},
        }
    )
)


# -- positions and moves ---------------------------------------------------------------------------


def test_the_spec_s_example_is_read_and_written_alike() -> None:
    position = GAME.parse_position(EXAMPLE)
    assert GAME.position_text(position) == EXAMPLE
    assert (position.side, position.ply) == (0, 2)
    assert position.counts() == (0, 2)
    assert [GAME.stones.names[stone] for stone in GAME.hand(position, 0)] == ["A1", "A2", "A3", "A4"]
    assert [GAME.stones.names[stone] for stone in GAME.hand(position, 1)] == ["B1", "B3", "B4", "B5"]
    assert GAME.position_text(GAME.start()) == ".,.,./.,.,./.,.,. A"


def test_equal_rotations_are_read_and_the_smallest_is_written() -> None:
    assert GAME.move_text(GAME.parse_move("A2@b2r3")) == "A2@b2r1"
    assert GAME.parse_move("A2@b2r3") == GAME.parse_move("A2@b2r1")
    assert GAME.position_text(GAME.parse_position(".,.,./B23B,A51B,./.,.,. A")) == EXAMPLE


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("", "'rows side'"),
        (".,.,./.,.,./.,.,.", "'rows side'"),
        (".,.,./.,.,./.,.,.  A", "'rows side'"),
        (".,.,./.,.,./.,.,. W", "side: must be A or B, not 'W'"),
        (".,.,./.,.,./.,.,. AB", "side: must be A or B"),
        (".,.,./.,.,. A", "2 rows where the board 3x3 has 3"),
        (".,.,./.,./.,.,. A", "row 2: 2 cells where the board has 3"),
        (".,.,.,./.,.,./.,.,. A", "row 3: 4 cells"),
        (".,.,./.,x,./.,.,. A", "placement, b2: 'x' is none of"),
        (".,.,./.,,./.,.,. A", "placement, b2: '' is none of"),
        (".,.,./.,A51,./.,.,. A", "placement, b2: 'A51' is none of"),
        (".,.,./.,A51B ,./.,.,. A", "'rows side'"),
        (".,.,./.,A54B,./.,.,. A", "placement, b2: rotation 4"),
        (".,.,./.,A51C,./.,.,. A", "placement, b2: the owner must be A or B, not 'C'"),
        (".,.,./.,A61B,./.,.,. A", "placement, b2: there is no stone A6 in the set 'default'"),
        (".,.,./.,A5a1B,./.,.,. A", "placement, b2: there is no stone A5a"),
        (".,.,A50A/.,A51B,./.,.,. A", "placement, c3: A5 lies on b2 already"),
        (".,.,./.,#,./.,.,. A", "placement, b2: is not blocked"),
    ],
)
def test_positions_that_cannot_be_are_refused_with_the_place(text: str, place: str) -> None:
    with pytest.raises(PositionError) as refused:
        GAME.parse_position(text)
    assert place in str(refused.value)
    assert "\n" not in str(refused.value)


def test_blocked_cells_stand_as_they_are() -> None:
    text = ".,.,./.,#,./A10B,.,. B"
    game = BoxiliesGame(Board.of_position(text))
    assert game.board == Board.parse("3x3#b2")
    assert game.position_text(game.parse_position(text)) == text
    with pytest.raises(PositionError, match=r"placement, b2: is blocked and must be #"):
        game.parse_position(".,.,./.,.,./.,.,. A")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "--",
        "A5",
        "A5@b2",
        "A5b2r1",
        "C5@b2r1",
        "A0@b2r1",
        "A5@b0r1",
        "A5@b2r",
        "A5@b2r10",
        "a5@b2r1",
        "A5@B2r1",
    ],
)
def test_moves_that_cannot_be_read_are_refused(text: str) -> None:
    with pytest.raises(MoveError, match="is no move; one is written as in A5@b2r1"):
        GAME.parse_move(text)


@pytest.mark.parametrize("text", ["A6@a1r0", "B99z@z99r9", "A5@d1r3", "A5@c4r4", "A1a@a1r0", "B1@a1r0"])
def test_moves_of_what_is_not_there_keep_their_text(text: str) -> None:
    assert GAME.move_text(GAME.parse_move(text)) == text


@given(SEEDS)
@settings(max_examples=80)
def test_position_and_move_texts_invert(seed: int) -> None:
    rng = random.Random(seed)
    game = rng.choice([GAME, BoxiliesGame(Board.parse("4x5#b2,c3"), BIG), BoxiliesGame(starter=1)])
    position = game.start()
    for _ in range(rng.randint(0, game.board.free)):
        position = game.play(position, rng.choice(game.moves(position)))
    text = game.position_text(position)
    assert game.parse_position(text) == position
    assert Board.of_position(text) == game.board
    for move in game.moves(position):
        assert game.parse_move(game.move_text(move)) == move


@given(st.text(alphabet="AB15ab.,#/@r0 ", max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    for read, write in ((GAME.parse_position, GAME.position_text), (GAME.parse_move, GAME.move_text)):
        try:
            value: Any = read(text)
        except (PositionError, MoveError):
            continue
        assert read(write(value)) == value


# -- boards and stones -----------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["3x3", "1x1", "9x9", "2x5", "4x3#a1,d3"])
def test_boards_are_read_and_written_alike(text: str) -> None:
    assert Board.parse(text).text == text


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("", "is no size"),
        ("3", "is no size"),
        ("3x", "is no size"),
        ("0x3", "0 columns are not between 1 and 9"),
        ("3x0", "0 rows are not between 1 and 9"),
        ("10x3", "more than 9x9"),
        ("3x3#", "no cell ''"),
        ("3x3#d1", "no cell 'd1'"),
        ("3x3#a1,a1", "a1 is blocked twice"),
        ("1x1#a1", "all are blocked"),
    ],
)
def test_boards_that_cannot_be_are_refused(text: str, place: str) -> None:
    with pytest.raises(LayoutError) as refused:
        Board.parse(text)
    assert place in str(refused.value)


def test_the_default_set_holds_one_stone_of_each_total_for_both() -> None:
    stones = stone_set_named("default")
    assert stones.hands[0] == stones.hands[1]
    assert [stone.sides for stone in stones.hands[0]] == [
        (1, 0, 0, 0),
        (1, 0, 1, 0),
        (2, 1, 0, 0),
        (2, 1, 1, 0),
        (3, 1, 0, 1),
    ]
    assert stones.names == ("A1", "A2", "A3", "A4", "A5", "B1", "B2", "B3", "B4", "B5")


def test_letters_tell_stones_of_one_total_apart() -> None:
    game = BoxiliesGame(Board(4, 4), BIG)
    position = game.play(game.start(), game.parse_move("A5b@d4r2"))
    assert game.position_text(position) == ".,.,.,A5b2A/.,.,.,./.,.,.,./.,.,.,. B"
    assert game.sensors == ("presence",), "twenty stones do not fit into a byte a cell"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("{", "not JSON"),
        ("[]", "must be an object"),
        ('{"name": "mine"}', "A: is missing"),
        ('{"stones": {"1": [1, 0, 0, 0]}}', "name: is missing"),
        (_file(name=5), "name: must be a text"),
        (_file(name=""), "name: must be a printable text"),
        (_file(stone=1), "unknown key 'stone'; the nearest is 'stones'"),
        (_file(A={}), "stones: stands beside A or B"),
        (_file(stones=[]), "stones: must be an object of stones"),
        (_file(stones={}), "stones: must be an object of stones"),
        (_file(stones={"s1": [1, 0, 0, 0]}), "stones.s1: 's1' is no label"),
        (_file(stones={"1": [1, 0, 0]}), "stones.1: must be a list of four numbers"),
        (_file(stones={"1": [1, 0, 0, -1]}), "stones.1: -1 is no number of arrows"),
        (_file(stones={"1": [True, 0, 0, 0]}), "stones.1: True is no number of arrows"),
        (_file(stones={"1": [0.5, 0.5, 0, 0]}), "stones.1: 0.5 is no number of arrows"),
        (_file(stones={"1": [0, 0, 0, 0]}), "stones.1: 0 arrows in all are not between 1 and 5"),
        (_file(stones={"6": [3, 1, 1, 1]}), "stones.6: 6 arrows in all are not between 1 and 5"),
        (_file(stones={"4": [3, 1, 1, 0]}), "stones.4: 5 arrows in all, but the label says 4"),
        ('{"name": "m", "stones": {"1": [1,0,0,0], "1": [0,1,0,0]}}', "1: stands there twice"),
        ('{"name": "m", "A": {"1": [1,0,0,0]}, "B": {"2": [1,0,0,0]}}', "B.2: 1 arrows in all, but"),
        ('{"name": "m", "stones": {"1": [1' + "0" * 5000 + ",0,0,0]}}", "not JSON"),
    ],
)
def test_stone_files_that_cannot_be_are_refused(text: str, place: str) -> None:
    with pytest.raises(StonesError) as refused:
        StoneSet.load(text)
    assert place in str(refused.value)
    assert "\n" not in str(refused.value)


def test_stones_made_in_code_are_checked_but_for_their_totals() -> None:
    zero = (Stone("1", (0, 0, 0, 0)),)
    assert StoneSet("zero", (zero, zero)).names == ("A1", "B1")
    with pytest.raises(StonesError, match="A: '10' is no label"):
        StoneSet("bad", ((Stone("10", (1, 0, 0, 0)),), ()))
    with pytest.raises(StonesError, match=r"B\.1: stands there twice"):
        StoneSet("bad", (zero, zero * 2))
    with pytest.raises(StonesError, match=r"A\.1: must have four numbers"):
        StoneSet("bad", ((Stone("1", (1, 0, 0, -1)),), ()))
    with pytest.raises(StonesError, match="no stone set is called 'defualt'; the nearest is 'default'"):
        stone_set_named("defualt")
    assert StoneSet.load(BIG.text) == BIG
    made = StoneSet("made", BIG.hands)
    assert StoneSet.load(made.text) == made


# -- records ---------------------------------------------------------------------------------------

RECORD = """\
[SeatA "guest"]
[SeatB "engine 3"]
[Game "boxilies"]
[Board "3x3"]
[Stones "default"]
[Result "5-4"]

"""


def _played(game: BoxiliesGame, rng: random.Random, turns: int) -> Line[Any, Any]:
    line: Line[Any, Any] = Line.begin(game)
    for _ in range(turns):
        line = line.push(rng.choice(game.moves(line.position)))
    return line


def test_a_record_is_written_as_in_the_spec_and_read_back() -> None:
    line = next(
        line
        for seed in range(100)
        if (line := _played(GAME, random.Random(seed), 9)).outcome == Outcome(0, "full", (5, 4))
    )
    players = tuple(zip(GAME.player_tags, ("guest", "engine 3"), strict=True))
    text = Record.of(line, players).text()
    assert text.startswith(RECORD)
    assert text.endswith(" 5-4\n")
    again = Record.parse(text)
    assert again.text() == text
    assert again.line == line
    with pytest.raises(RecordError, match="the result is '6-3'"):
        Record.parse(text.replace("5-4", "6-3"))


@given(SEEDS)
@settings(max_examples=60)
def test_records_round_trip_with_boards_stones_starters_and_house_rules(seed: int) -> None:
    rng = random.Random(seed)
    house = HouseRules(*(rng.random() < 0.5 for _ in range(5)))
    board, stones = rng.choice(
        [(Board(), GAME.stones), (Board.parse("4x4#a1"), BIG), (Board(2, 5), GAME.stones)]
    )
    game = BoxiliesGame(board, stones, house, rng.randint(0, 1))
    line = _played(game, rng, rng.randint(0, board.free))
    if line.outcome is None and rng.random() < 0.5:
        line = line.ended(
            rng.choice([Outcome(0, "resigned"), Outcome(1, "resigned"), Outcome(None, "agreed")])
        )
    assert BoxiliesGame.of_tags(dict(game.tags())) == game
    record = Record.of(line, [("SeatA", "x")])
    assert Record.parse(record.text()) == record


@pytest.mark.parametrize(
    ("tags", "place"),
    [
        ({"Board": "3by3"}, r"\[Board\] board: '3by3' is no size"),
        ({"Board": "4x4"}, "A: has 5 stones where the board 4x4 needs 8"),
        ({"Stones": "mine"}, r"\[Stones\] no stone set is called 'mine'"),
        ({"StonesText": "{}"}, r"\[StonesText\] name: is missing"),
        (
            {"Stones": "other", "StonesText": BIG.text},
            r"\[StonesText\] holds the set 'big', \[Stones\] says 'other'",
        ),
        ({"Starter": "C"}, r"\[Starter\] must be"),
        ({"Chains": "yes"}, r'\[Chains\] must be "on" or "off"'),
    ],
)
def test_tags_that_cannot_be_are_refused(tags: dict[str, str], place: str) -> None:
    with pytest.raises((RecordError, StonesError), match=place):
        BoxiliesGame.of_tags({"Game": "boxilies", **tags})


@pytest.mark.parametrize(
    "text", ["5-4", "9-0", "0-9", "3-2 stuck", "0-0 stuck", "1-0 resigned", "1/2 agreed", "*"]
)
def test_results_invert(text: str) -> None:
    assert GAME.result_text(GAME.parse_result(text)) == text


@pytest.mark.parametrize("text", ["", "5-5", "05-4", "5-4 stuck", "1-0", "1-0 home", "5-4 full", "1/2", "-"])
def test_results_that_cannot_be_are_refused(text: str) -> None:
    with pytest.raises(RecordError, match="is no result of boxilies"):
        GAME.parse_result(text)
