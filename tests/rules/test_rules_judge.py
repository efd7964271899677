"""Judge: every reason in the order of the spec, the ends of a game, and the same verdict as the move generator's."""

from __future__ import annotations

import pytest
from balanx_boards import layouts, random_position
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.balanx.game import BalanxGame
from rules.balanx.judge import Reason
from rules.balanx.layout import Layout, layout_named
from rules.balanx.moves import PASS, Move
from rules.balanx.position import Position
from rules.errors import MoveError
from rules.game import Illegal, Legal, Outcome

START = "WWWW3/WWW4/WW5/W6/6B/5BB/4BBB/3BBBB W 0"
WON = "7/7/7/7/6W/5WW/4WWW/3WWWW W 4"
GAPS = "7/7/7/7/7/7/7/WBB1B1W W 2"
SEEDS = st.integers(0, 2**32 - 1)

REASONS = {
    "over, before all else": (WON, "a1-a1", Reason.GAME_OVER, ""),
    "over, a pass too": (WON, "--", Reason.GAME_OVER, ""),
    "stuck is over": ("7/7/7/7/7/7/7/7 W 2", "--", Reason.GAME_OVER, ""),
    "pass due": ("7/7/7/7/7/7/7/6B W 2", "z1-a1", Reason.PASS_DUE, ""),
    "no pass": (START, "--", Reason.PASS_NOT_ALLOWED, ""),
    "file off the board": (START, "h1-a8", Reason.OFF_BOARD, "a8"),
    "rank off the board": (START, "a8-a9", Reason.OFF_BOARD, "a8"),
    "both off the board": (START, "z99-z99", Reason.OFF_BOARD, ""),
    "same space, even if empty": (START, "e4-e4", Reason.SAME_SPACE, "e4"),
    "empty": (START, "e4-a8", Reason.EMPTY_FROM, "e4"),
    "Black's": (START, "g1-a8", Reason.NOT_YOUR_MARBLE, "g1"),
    "occupied": (START, "a8-b7", Reason.OCCUPIED_TO, "b7"),
    "diagonal": (START, "a5-b4", Reason.DIAGONAL, "a5 b4"),
    "knight": (START, "a5-b3", Reason.DIAGONAL, "a5 b3"),
    "step forwards": (START, "a5-a4", Reason.FORWARD_STEP, "a5 a4"),
    "two forwards": (START, "a5-a3", Reason.FORWARD_STEP, "a5 a3"),
    "step backwards": ("7/7/7/7/7/W6/7/7 W 2", "a3-a4", Reason.FORWARD_STEP, "a3 a4"),
    "too far": (START, "a5-c5", Reason.TOO_FAR, "a5 c5"),
    "past the first gap": (START, "a7-a3", Reason.PAST_FIRST_GAP, "a7 a3 a4"),
    "past it over another": (GAPS, "a1-f1", Reason.PAST_FIRST_GAP, "a1 f1 d1"),
    "over a gap": (GAPS, "g1-d1", Reason.JUMP_OVER_GAP, "g1 d1 f1"),
}


@pytest.mark.parametrize(("text", "move", "reason", "cells"), REASONS.values(), ids=REASONS)
def test_reasons(text: str, move: str, reason: Reason, cells: str) -> None:
    game = BalanxGame(layout_named("classic"))
    verdict = game.judge(game.parse_position(text), game.parse_move(move))
    assert isinstance(verdict, Illegal)
    assert verdict.reason == reason
    assert verdict.cells == tuple(game.layout.cell(name) for name in cells.split())
    assert verdict.sentence.endswith(".")
    assert "\n" not in verdict.sentence


def test_the_sentence_names_the_gap() -> None:
    game = BalanxGame(layout_named("classic"))
    verdict = game.judge(game.parse_position(START), game.parse_move("a7-a3"))
    assert isinstance(verdict, Illegal)
    assert "a4" in verdict.sentence


def test_the_codes_stand_in_the_order_of_the_spec() -> None:
    assert " ".join(Reason) == (
        "game_over pass_due pass_not_allowed off_board same_space empty_from not_your_marble occupied_to "
        "diagonal forward_step too_far past_first_gap jump_over_gap"
    )


ENDS = {
    "home": (WON, Outcome(0, "home")),
    "home of Black": ("BBBB3/BBB4/BB5/B6/7/7/7/3W3 B 5", Outcome(1, "home")),
    "blocked by what Black left": ("7/7/7/7/6W/5WB/4WWW/3WWWW W 4", Outcome(0, "blocked")),
    "put back": ("WWWW3/WWW4/WW5/W6/7/7/7/3B3 B 3", Outcome(1, "blocked")),
    "Black has not moved": ("7/7/7/7/6B/5BB/4BBB/3BBBB W 0", None),
    "nor after one turn": ("1W5/7/7/7/6B/5BB/4BBB/3BBBB B 1", None),
    "but after two": ("1W5/7/7/7/6B/5BB/4BBB/3BBBB W 2", Outcome(0, "blocked")),
    "White has not moved": ("WWWW3/WWW4/WW5/W6/7/7/7/5B1 W 0", None),
    "White has": ("WWWW3/WWW4/WW5/W6/7/7/7/5B1 B 1", Outcome(1, "blocked")),
    "both: who is to move": ("BBBB3/BBB4/BB5/B6/6W/5WW/4WWW/3WWWW W 80", Outcome(0, "home")),
    "both: who is to move, Black": ("BBBB3/BBB4/BB5/B6/6W/5WW/4WWW/3WWWW B 81", Outcome(1, "home")),
    "nine": ("7/7/7/7/6W/5WW/4WWW/4WWW W 4", None),
    "stuck": ("7/7/7/7/7/7/7/7 W 2", Outcome(None, "stuck")),
    "a pass is no end": ("7/7/7/7/7/7/7/6B W 2", None),
}


@pytest.mark.parametrize(("text", "outcome"), ENDS.values(), ids=ENDS)
def test_ends(text: str, outcome: Outcome | None) -> None:
    game = BalanxGame(layout_named("classic"))
    position = game.parse_position(text)
    assert game.outcome(position) == outcome
    if outcome is not None:
        assert game.moves(position) == ()


def test_after_a_move_the_mover_is_looked_at_first() -> None:
    game = BalanxGame(layout_named("classic"))
    # Black is home already: what counts is the move that fills the second corner.
    before = Position(
        game.parse_position("7/7/7/7/6W/5WW/4WWW/2W1WWW W 80").white,
        game.parse_position("BBBB3/BBB4/BB5/B6/7/7/7/7 W 80").black,
        0,
        80,
    )
    move = game.parse_move("c1-d1")
    assert game.outcome_after(before, move) == Outcome(0, "home")
    assert game.outcome(game.play(before, move)) == Outcome(1, "home")


def test_filling_ones_own_start_is_legal_and_loses() -> None:
    game = BalanxGame(layout_named("classic"))
    position = game.parse_position("WWW4/WWWB3/WW1W3/W6/7/7/7/7 W 2")
    verdict = game.judge(position, game.parse_move("d6-d8"))
    assert isinstance(verdict, Legal)
    assert verdict.outcome == Outcome(1, "blocked")


@given(layouts(), SEEDS)
@settings(max_examples=10)
def test_judge_allows_what_the_generator_gives_and_nothing_else(layout: Layout, seed: int) -> None:
    game = BalanxGame(layout)
    position = random_position(layout, seed)
    moves = game.moves(position)
    texts = [game.move_text(move) for move in moves]
    assert texts == sorted(texts)
    allowed = {
        move
        for move in [PASS, *(Move(a, b) for a in range(layout.cells) for b in range(layout.cells))]
        if isinstance(game.judge(position, move), Legal)
    }
    assert allowed == set(moves)
    for move in moves:
        verdict = game.judge(position, move)
        assert isinstance(verdict, Legal)
        assert verdict.after == game.play(position, move)
        assert verdict.outcome == game.outcome_after(position, move)


@given(layouts(), SEEDS)
@settings(max_examples=100)
def test_half_a_turn_changes_nothing(layout: Layout, seed: int) -> None:
    game = BalanxGame(layout)
    position = random_position(layout, seed)
    turned = _turned(layout, position)
    turned_moves = {_turned_move(layout, move) for move in game.moves(position)}
    assert set(game.moves(turned)) == turned_moves
    for move in game.moves(position):
        after = game.play(turned, _turned_move(layout, move))
        assert after == _turned(layout, game.play(position, move))
    mine, theirs = game.outcome(position), game.outcome(turned)
    assert (mine and mine.reason) == (theirs and theirs.reason)


def _turned(layout: Layout, position: Position) -> Position:
    def turn(bits: int) -> int:
        return int(f"{bits:0{layout.cells}b}"[::-1], 2)

    return Position(turn(position.black), turn(position.white), 1 - position.side, position.ply + 1)


def _turned_move(layout: Layout, move: Move) -> Move:
    return PASS if move == PASS else Move(layout.half_turn(move.origin), layout.half_turn(move.target))


@pytest.mark.parametrize("text", ["a8-e8", "a8e8", "--", "h9-a1", "z99-z98"])
def test_moves_are_read_and_written(text: str) -> None:
    game = BalanxGame(layout_named("classic"))
    move = game.parse_move(text)
    assert game.parse_move(game.move_text(move)) == move
    assert game.move_text(move).replace("-", "") == text.replace("-", "")


@pytest.mark.parametrize(
    "text", ["", "-", "---", "A8-e8", "a8", "a0-a1", "a08-a1", "a8 -e8", "a8-e8\n", "a8–e8", "a٣-a1"]
)
def test_what_is_no_move_is_refused(text: str) -> None:
    game = BalanxGame(layout_named("classic"))
    with pytest.raises(MoveError):
        game.parse_move(text)
