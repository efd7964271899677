"""Four High's records and results: lossless round trips through `rules.record`, and what is refused."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rules.errors import RecordError, RulesError
from rules.fourhigh.game import FourHighGame
from rules.fourhigh.house import HouseRules, Stuck
from rules.fourhigh.moves import PASS
from rules.fourhigh.numbers import Numbers
from rules.game import Outcome
from rules.line import Line
from rules.record import Record

GAME = FourHighGame()
OWN_NUMBERS = FourHighGame(HouseRules(Numbers('of "mine"', tuple(range(64))), Stuck.END, 30))
EXAMPLE = """\
[Event "Tuesday club"]
[Date "2026.11.29"]
[Black "guest"]
[White "engine 3"]
[Game "fourhigh"]
[Numbers "rings"]
[Result "*"]

1. a7-a3 b2-a3 2. b7-b4 *
"""


def _random_line(game: FourHighGame, rng: random.Random, start: str | None) -> Line[Any, Any]:
    line: Line[Any, Any] = Line.begin(game, None if start is None else game.parse_position(start))
    for _ in range(rng.choice((0, 1, 10, 200))):
        if line.outcome is not None:
            return line
        moves = game.moves(line.position)
        hungry = [m for m in moves if m != PASS and game.owner(line.position, m.target) is not None]
        line = line.push(rng.choice(hungry or moves))
    if line.outcome is None and rng.random() < 0.5:
        line = line.ended(game.agreed(line.position))
    return line


def test_the_example_is_read_and_written_alike() -> None:
    read = Record.parse(EXAMPLE)
    assert read.text() == EXAMPLE
    assert read.line.position.quiet == 1
    assert GAME.stack(read.line.position, 16) == "BW"


SETUPS = (
    None,
    "8/8/2,W,5/3,W,4/3,B,4/8/8/B,7 W 12",
    "7,W/8/8/8/8/8/BWBW,BBBW,6/B,WBWW,6 B 0",
)


@given(st.integers(0, 2**32 - 1), st.sampled_from([GAME, OWN_NUMBERS]), st.sampled_from(SETUPS))
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_writing_and_reading_back_gives_the_same_record(
    seed: int, game: FourHighGame, start: str | None
) -> None:
    line = _random_line(game, random.Random(seed), start)
    made = Record.of(line, [("Date", "2026.11.29"), ("Black", "a"), ("White", "b")], {0: ["{ or not"]})
    read = Record.parse(made.text())
    assert read == made
    assert read.text() == made.text()
    assert read.line.game == game
    assert [p.ply for p in read.line.positions][1:] == [p.ply + 1 for p in read.line.positions][:-1]


def test_a_forced_pass_is_written_and_white_may_begin() -> None:
    line: Line[Any, Any] = Line.begin(GAME, GAME.parse_position(SETUPS[2] or ""))
    line = line.push(PASS).push(GAME.parse_move("h8-h7"))
    assert Record.of(line).text().endswith("\n1. -- h8-h7 *\n")
    line = Line.begin(GAME, GAME.parse_position(SETUPS[1] or ""))
    line = line.push(GAME.parse_move("d5xd4"))
    assert "\n1... d5-d4" in Record.of(line).text()


RESULTS = {
    "13-7 closed": Outcome(0, "closed", (13, 7)),
    "7-13 stuck": Outcome(1, "stuck", (7, 13)),
    "0-0 quiet": Outcome(None, "quiet", (0, 0)),
    "5-5 agreed": Outcome(None, "agreed", (5, 5)),
    "*": None,
}


@pytest.mark.parametrize(("text", "outcome"), RESULTS.items())
def test_results_invert(text: str, outcome: Outcome | None) -> None:
    assert GAME.parse_result(text) == outcome
    assert GAME.result_text(outcome) == text


@pytest.mark.parametrize(
    "text",
    ["", "13-7", "1-0 home", "13-7 Closed", "013-7 quiet", "-1-7 quiet", "1-0 resigned", "13 - 7 quiet"],
)
def test_bad_results_are_refused(text: str) -> None:
    with pytest.raises(RecordError, match="is no result of fourhigh"):
        GAME.parse_result(text)


def test_an_outcome_without_scores_has_no_text() -> None:
    with pytest.raises(RulesError, match="ends with the scores of both"):
        GAME.result_text(Outcome(0, "resigned"))


BAD_RECORDS = {
    "illegal": (EXAMPLE.replace("b7-b4", "b7-b1"), "line 9: move 2 of Black b7-b1: too_far"),
    "unreadable": (EXAMPLE.replace("b7-b4", "b7b4"), "line 9: move 2 of Black: 'b7b4' is no move"),
    "a pass": (EXAMPLE.replace("b7-b4", "--"), "pass_not_allowed"),
    "another result": (EXAMPLE.replace('Result "*"', 'Result "0-0 agreed"'), r"\[Result\] says"),
    "no result of this game": (EXAMPLE.replace("*", "1-0 home"), "'1-0 home' is no result"),
    "set-up": (EXAMPLE.replace("[Result", '[Setup "8 B 0"]\n[Result'), r"\[Setup\] ranks: 1"),
    "numbers": (EXAMPLE.replace("rings", "stars"), r"\[Numbers\]"),
    "limit": (EXAMPLE.replace("[Result", '[QuietLimit "x"]\n[Result'), r"\[QuietLimit\]"),
}


@pytest.mark.parametrize(("text", "place"), BAD_RECORDS.values(), ids=BAD_RECORDS)
def test_bad_records_are_refused_with_their_place(text: str, place: str) -> None:
    with pytest.raises(RulesError, match=place):
        Record.parse(text)


def test_a_game_that_ended_by_its_rules_has_that_result() -> None:
    line: Line[Any, Any] = Line.begin(GAME, GAME.parse_position("8/4,BW,3/8/8/4,WB,3/8/8/8 B 0"))
    text = Record.of(line.push(GAME.parse_move("e4xe7"))).text()
    assert text.endswith("1. e4-e7 6-0 closed\n")
    with pytest.raises(RecordError, match="the moves lead to '6-0 closed'"):
        Record.parse(text.replace("6-0", "7-0"))
