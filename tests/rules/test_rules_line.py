"""Lines: repetition, taking back, ending by agreement, refusals with their number."""

from __future__ import annotations

import pytest

from rules.balanx.game import BalanxGame
from rules.balanx.layout import layout_named
from rules.errors import IllegalMove
from rules.game import Outcome
from rules.line import Line

SHUTTLE = "5B1/7/7/7/7/7/7/1W5 W 10"
ROUND_TRIP = ["b1-c1", "f8-e8", "c1-b1", "e8-f8"]


def test_the_third_time_is_a_draw_and_the_given_position_counts_once() -> None:
    game = BalanxGame(layout_named("classic"))
    line = Line.begin(game, game.parse_position(SHUTTLE))
    for text in [*ROUND_TRIP, *ROUND_TRIP]:
        assert line.outcome is None
        line = line.push(game.parse_move(text))
    assert line.outcome == Outcome(None, "repetition")
    assert game.outcome(line.position) is None
    with pytest.raises(IllegalMove, match="move 9, b1-c1: game_over"):
        line.push(game.parse_move("b1-c1"))


def test_repetition_can_be_switched_off() -> None:
    game = BalanxGame(layout_named("classic"), repetition=False)
    line = Line.begin(game, game.parse_position(SHUTTLE))
    line = line.extend(game.parse_move(text) for text in ROUND_TRIP * 3)
    assert line.outcome is None


def test_a_win_goes_before_a_repetition() -> None:
    game = BalanxGame(layout_named("classic"))
    before = game.parse_position("7/7/7/7/6W/5WW/4WWW/2W1WWW W 20")
    move = game.parse_move("c1-d1")
    filled = game.play(before, move)
    line = Line(game, (filled, before, filled, before), (move, move, move))
    assert line.push(move).outcome == Outcome(0, "blocked" if filled.white.bit_count() < 10 else "home")


def test_taking_back_also_takes_back_the_end() -> None:
    game = BalanxGame(layout_named("classic"))
    line = Line.begin(game)
    longer = line.extend(game.parse_move(text) for text in ("a8-e8", "g1-c1"))
    assert longer.back(2) == line
    assert longer.back(1).moves == longer.moves[:1]
    assert longer.ended(Outcome(1, "resigned")).back(2).outcome is None
    with pytest.raises(ValueError, match="cannot take back 3 of 2"):
        longer.back(3)
    with pytest.raises(ValueError, match="over"):
        longer.ended(Outcome(None, "agreed")).ended(Outcome(None, "agreed"))


def test_an_illegal_move_is_refused_with_number_and_reason() -> None:
    game = BalanxGame(layout_named("classic"))
    line = Line.begin(game).push(game.parse_move("a8-e8"))
    with pytest.raises(IllegalMove, match="move 2, g1-g1: same_space") as caught:
        line.push(game.parse_move("g1-g1"))
    assert (caught.value.number, caught.value.reason, caught.value.cells) == (2, "same_space", (6,))
