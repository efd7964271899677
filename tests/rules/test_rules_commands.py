"""What the `balanx rules` commands print."""

from __future__ import annotations

import pytest

from rules.commands import apply_output, check_output, moves_output, perft_output
from rules.errors import RulesError
from rules.games import game_named

GAME = game_named("balanx")
PASS_DUE = "7/7/7/7/7/7/7/6B W 2"
STUCK = "7/7/7/7/7/7/7/7 W 2"
WON = "7/7/7/7/6W/5WW/4WWW/3WWWW W 4"
SHUTTLE = "5B1/7/7/7/7/7/7/1W5 W 10"
ROUND_TRIP = ["b1-c1", "f8-e8", "c1-b1", "e8-f8"]


def test_moves_one_a_line_in_byte_order() -> None:
    lines = moves_output(GAME).split("\n")
    assert len(lines) == 16
    assert lines == sorted(lines)
    assert moves_output(GAME, PASS_DUE) == "--"
    assert moves_output(GAME, STUCK) == moves_output(GAME, WON) == ""


def test_apply_prints_position_and_outcome() -> None:
    assert apply_output(GAME, ["a8-e8", "g1-c1"]) == (
        "1WWW3/WWW1W2/WW5/W6/6B/5BB/4BB1/2BBBBB W 2\noutcome: none"
    )
    assert apply_output(GAME, [], WON) == f"{WON}\noutcome: 1-0 home"
    assert apply_output(GAME, [], STUCK) == f"{STUCK}\noutcome: 1/2 stuck"
    assert apply_output(GAME, ["--"], PASS_DUE).endswith("/6B/7 B 3\noutcome: none")


def test_apply_tilts_also_after_the_end_and_counts_repetition() -> None:
    won = apply_output(GAME, ["c1-d1"], "7/7/7/7/6W/5WW/4WWW/2W1WWW W 20")
    assert won == "7/7/7/7/6W/5WW/4WWW/3WWWW B 21\noutcome: 1-0 home"
    assert apply_output(GAME, ROUND_TRIP * 2, SHUTTLE).endswith("W 18\noutcome: 1/2 repetition")
    free = game_named("balanx", repetition=False)
    assert apply_output(free, ROUND_TRIP * 2, SHUTTLE).endswith("W 18\noutcome: none")


@pytest.mark.parametrize(
    ("moves", "position", "says"),
    [
        (["a8-e8", "b7-b3"], None, "move 2, b7-b3: not_your_marble"),
        (["a8-e8", "x"], None, "move 2: 'x' is no move"),
        (["--"], None, "pass_not_allowed"),
        (["a1-a2"], PASS_DUE, "pass_due"),
        (["a1-a2"], WON, "game_over"),
        (["--"], STUCK, "game_over"),
        ([*ROUND_TRIP * 2, "b1-c1"], SHUTTLE, "move 9, b1-c1: game_over"),
        ([], "x", "placement side ply"),
    ],
)
def test_apply_refuses(moves: list[str], position: str | None, says: str) -> None:
    with pytest.raises(RulesError, match=says):
        apply_output(GAME, moves, position)


def test_perft_and_its_division() -> None:
    assert perft_output(GAME, 0) == "1"
    assert perft_output(GAME, 3) == "4528"
    divided = [line.split() for line in perft_output(GAME, 3, divide=True).split("\n")]
    assert [move for move, _ in divided] == moves_output(GAME).split("\n")
    assert sum(int(count) for _, count in divided) == 4528
    assert perft_output(GAME, 1, PASS_DUE, divide=True) == "-- 1"
    assert perft_output(GAME, 2, WON, divide=True) == ""
    with pytest.raises(RulesError, match="depth"):
        perft_output(GAME, -1)


def test_check_prints_the_result() -> None:
    assert check_output('[Game "balanx"]\n[Result "*"]\n\n1. a8-e8 *\n') == "*"
    with pytest.raises(RulesError, match="no game is called 'go'; there are balanx"):
        game_named("go")
