"""Four High's judge: the test positions of the spec, every reason in order, ends, and a plain second generator."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.errors import IllegalMove
from rules.fourhigh.game import FourHighGame
from rules.fourhigh.house import HouseRules, Stuck
from rules.fourhigh.judge import Reason
from rules.fourhigh.layout import CELL_NAMES
from rules.fourhigh.moves import PASS, Move
from rules.fourhigh.position import Position
from rules.game import Game, Illegal, Legal, Outcome
from rules.line import Line

SEEDS = st.integers(0, 2**32 - 1)
GAME = FourHighGame()
ENDS_STUCK = FourHighGame(HouseRules(stuck=Stuck.END))


def board(stacks: str, side: str = "B", quiet: int = 0) -> Position:
    """A position from `d4 B, d6 WB`."""
    placed = dict(word.split() for word in stacks.split(", "))
    rows = []
    for rank in range(8, 0, -1):
        row = ",".join(placed.pop(f"{file}{rank}", "1") for file in "abcdefgh")
        rows.append(re.sub(r"1(,1)*", lambda gap: str(gap[0].count("1")), row))
    assert not placed
    return GAME.parse_position(f"{'/'.join(rows)} {side} {quiet}")


def random_position(seed: int) -> Position:
    """Stacks anywhere, some boards crowded, so that lines are short and players get stuck."""
    rng = random.Random(seed)
    tall = rng.choice(((1, 2, 3, 4), (1, 1, 1, 2, 3), (4, 4, 4, 3), (2, 3)))
    crowd = rng.choice((0.1, 0.4, 0.8, 0.97))
    codes = bytes(
        1 << (high := rng.choice(tall)) | rng.getrandbits(high) if rng.random() < crowd else 1
        for _ in range(64)
    )
    return Position(codes, rng.randrange(2), rng.choice((0, 0, 1, 50, 98, 99, 100)))


def captures(position: Position) -> list[str]:
    """Targets under attack as `d4xe5`."""
    moves = [move for move in GAME.moves(position) if not GAME.is_pass(move)]
    return [
        f"{CELL_NAMES[move.origin]}x{CELL_NAMES[move.target]}"
        for move in moves
        if GAME.owner(position, move.target) is not None
    ]


CAPTURES = {
    "S2": ("d4 B, d6 W, e5 W", "d4xe5", 20),
    "S3": ("a1 BB, c1 B, a8 W, h8 WW", "a1xa8 a1xh8", None),
    "S4": ("d4 BB, d7 WWW, g4 WW, a1 W", "d4xa1 d4xg4", 8),
    "S5": ("d4 B, d5 WWW, e4 BWWW, c3 WB", "d4xd5", None),
    "S7": ("a1 BBB, a4 B, a8 W, h1 W, e1 WW", "", 22),
    "S13": ("d4 B, f6 W, d5 W", "d4xd5", None),
}


@pytest.mark.parametrize(("stacks", "expected", "quiet"), CAPTURES.values(), ids=CAPTURES)
def test_captures_of_the_spec(stacks: str, expected: str, quiet: int | None) -> None:
    position = board(stacks)
    found = captures(position)
    assert found == expected.split()
    if quiet is not None:
        assert len(GAME.moves(position)) - len(found) == quiet


def test_s1_start() -> None:
    start = GAME.start()
    assert len(GAME.moves(start)) == 76
    assert captures(start) == []
    assert [GAME.perft(start, depth) for depth in range(4)] == [1, 76, 5_484, 469_364]


@pytest.mark.parametrize(
    ("stacks", "outcome"),
    [
        ("d4 WWBB, d5 W", Outcome(0, "closed", (8, 0))),
        ("a1 WBB, d4 WWBB, h8 BW, c6 BBBW, a8 WBWB", Outcome(0, "closed", (13, 7))),
        ("a1 WBWB, h8 BBWW", Outcome(None, "closed", (5, 5))),
        ("c3 BBBB", Outcome(0, "closed", (7, 0))),
        ("a1 B, b1 B", Outcome(None, "closed", (0, 0))),
    ],
    ids=["S6", "S9", "S10", "S12", "one colour alone"],
)
def test_closed_positions(stacks: str, outcome: Outcome) -> None:
    position = board(stacks)
    assert GAME.outcome(position) == outcome
    assert GAME.moves(position) == ()
    assert GAME.perft(position, 1) == 0
    verdict = GAME.judge(position, PASS)
    assert isinstance(verdict, Illegal)
    assert verdict.reason == Reason.GAME_OVER


def test_s8_the_last_capture_closes_the_game() -> None:
    position = board("e4 WB, e7 BW", quiet=7)
    move = GAME.parse_move("e4xe7")
    verdict = GAME.judge(position, move)
    assert isinstance(verdict, Legal)
    assert GAME.stack(verdict.after, CELL_NAMES.index("e7")) == "BWWB"
    assert GAME.owner(verdict.after, CELL_NAMES.index("e4")) is None
    assert (verdict.after.quiet, verdict.after.side) == (0, 1)
    assert verdict.outcome == GAME.outcome_after(position, move) == Outcome(0, "closed", (6, 0))


S11 = "a1 B, a2 BWBW, b1 WBWW, b2 BBBW, h8 W"


def test_s11_who_cannot_act_must_pass() -> None:
    position = board(S11)
    assert GAME.outcome(position) is None
    assert GAME.scores(position) == (0, 16)
    assert GAME.moves(position) == (PASS,)
    assert GAME.perft(position, 1) == 1
    assert GAME.perft(position, 2) == len(GAME.moves(GAME.play(position, PASS))) == 19
    verdict = GAME.judge(position, PASS)
    assert isinstance(verdict, Legal)
    assert (verdict.after.quiet, verdict.after.side, verdict.outcome) == (1, 1, None)
    refused = GAME.judge(position, GAME.parse_move("a1-z9"))
    assert isinstance(refused, Illegal)
    assert refused.reason == Reason.PASS_DUE


def test_s11_ends_at_once_by_the_other_house_rule() -> None:
    position = board(S11)
    assert ENDS_STUCK.outcome(position) == Outcome(1, "stuck", (0, 16))
    assert ENDS_STUCK.moves(position) == ()
    assert ENDS_STUCK.perft(position, 1) == 0


BOTH_STUCK = "a1 B, a2 BWBW, b1 WBWW, b2 BBBW, h8 W, g8 BBBB, g7 BBBB, h7 BBBB"


def test_both_stuck_is_over() -> None:
    for side in "BW":
        position = board(BOTH_STUCK, side)
        assert GAME.outcome(position) == Outcome(None, "stuck", (16, 16))
        assert GAME.moves(position) == ()


def test_s15_a_hundred_quiet_plies_end_any_game() -> None:
    start = GAME.start()
    near = Position(start.stacks, 0, 99)
    assert GAME.outcome(near) is None
    move = GAME.moves(near)[0]
    assert GAME.outcome_after(near, move) == Outcome(None, "quiet", (0, 0))
    over = GAME.play(near, move)
    assert (GAME.moves(over), GAME.perft(over, 1), GAME.perft(near, 2)) == ((), 0, 0)
    assert GAME.outcome(board("c3 BBBB, a1 B, h8 W", quiet=100)) == Outcome(0, "quiet", (7, 0))


def test_a_capture_begins_the_count_anew_even_at_its_end() -> None:
    position = board("d4 B, d5 W, a1 B, h8 W", quiet=99)
    after = GAME.play(position, GAME.parse_move("d4-d5"))
    assert (after.quiet, GAME.outcome(after)) == (0, None)


def test_of_several_ends_closed_stands_before_stuck_before_quiet() -> None:
    closed = GAME.outcome(board("c3 BBBB", quiet=100))
    stuck = GAME.outcome(board(BOTH_STUCK, quiet=100))
    assert closed is not None
    assert stuck is not None
    assert (closed.reason, stuck.reason) == ("closed", "stuck")


def test_the_limit_is_a_house_rule() -> None:
    short = FourHighGame(HouseRules(quiet_limit=3))
    line: Line[Position, Move] = Line.begin(short)
    for text in ("a7-a6", "a2-a3", "b7-b6"):
        assert line.outcome is None
        line = line.push(short.parse_move(text))
    assert line.outcome == Outcome(None, "quiet", (0, 0))
    with pytest.raises(IllegalMove, match="0-0 quiet"):
        line.push(short.parse_move("b2-b3"))


OWN = "a1 BB, a3 B, c3 WWWB, d4 B, e5 W, g7 WW, d7 WWW, f4 WWW, h1 WBBB"
REASONS = {
    "over, before all else": ("c3 BBBB", "z9-z9", Reason.GAME_OVER, ""),
    "pass due": (S11, "a1-a1", Reason.PASS_DUE, ""),
    "no pass": (OWN, "--", Reason.PASS_NOT_ALLOWED, ""),
    "file off the board": (OWN, "i1-a8", Reason.OFF_BOARD, "a8"),
    "rank off the board": (OWN, "a1-a9", Reason.OFF_BOARD, "a1"),
    "both off the board": (OWN, "z99-z99", Reason.OFF_BOARD, ""),
    "same space, even if empty": (OWN, "h8-h8", Reason.SAME_SPACE, "h8"),
    "empty": (OWN, "h8-g8", Reason.EMPTY_FROM, "h8"),
    "White's": (OWN, "e5-d4", Reason.NOT_YOUR_STACK, "e5"),
    "a four stays": (OWN, "h1-h2", Reason.FOUR_STAYS, "h1"),
    "a four stays, own target or not": (OWN, "c3-d4", Reason.FOUR_STAYS, "c3"),
    "own target": (OWN, "a1-a3", Reason.OWN_STACK_TO, "a3"),
    "too high, 2+3": (OWN, "a1-d7", Reason.TOO_HIGH, "a1 d7"),
    "a knight's move": (OWN, "d4-e6", Reason.NOT_IN_LINE, "d4 e6"),
    "a single's capture from afar": (OWN, "d4-f4", Reason.TOO_FAR, "d4 f4"),
    "a pair's move from afar": (OWN, "a1-c1", Reason.TOO_FAR, "a1 c1"),
    "a pair's move over another": (OWN, "a1-a5", Reason.TOO_FAR, "a1 a5"),
    "a single over an own stack": (OWN, "d4-a1", Reason.OWN_STACK_TO, "a1"),
    "a single over an enemy": (OWN, "d4-f6", Reason.WAY_BLOCKED, "d4 f6 e5"),
    "a single over an own one": (OWN, "d4-b2", Reason.WAY_BLOCKED, "d4 b2 c3"),
    "a pair's capture over an own one": (OWN, "a1-g7", Reason.WAY_BLOCKED, "a1 g7 c3"),
}


@pytest.mark.parametrize(("stacks", "move", "reason", "cells"), REASONS.values(), ids=REASONS)
def test_reasons(stacks: str, move: str, reason: Reason, cells: str) -> None:
    verdict = GAME.judge(board(stacks), GAME.parse_move(move))
    assert isinstance(verdict, Illegal)
    assert verdict.reason == reason
    assert verdict.cells == tuple(CELL_NAMES.index(name) for name in cells.split())
    assert verdict.sentence.endswith(".")
    assert "\n" not in verdict.sentence


def test_every_reason_has_its_row() -> None:
    assert {reason for _, _, reason, _ in REASONS.values()} == set(Reason)


# -- a second generator, plain and slow, on texts ---------------------------------------------------


def plain_moves(position: Position) -> list[str]:
    """From-tos of the player to move by the words of the rules, without ends and passes."""
    stacks = {(cell % 8, cell // 8): GAME.stack(position, cell) for cell in range(64)}
    mine = "BW"[position.side]
    found = []
    for (x, y), mover in stacks.items():
        if mover[-1:] != mine or len(mover) == 4:
            continue
        for dx, dy in [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy]:
            for far in range(1, 8):
                to = (x + far * dx, y + far * dy)
                if to not in stacks:
                    break
                met = stacks[to]
                near_enough = far == 1 or (len(mover) == 1) == (not met)
                fits = not met or (met[-1] != mine and len(met) + len(mover) <= 4)
                if near_enough and fits:
                    found.append(f"{'abcdefgh'[x]}{y + 1}-{'abcdefgh'[to[0]]}{to[1] + 1}")
                if met:
                    break
    return sorted(found)


@given(SEEDS)
@settings(max_examples=150)
def test_both_generators_agree_and_so_does_the_judge(seed: int) -> None:
    position = random_position(seed)
    outcome, moves = GAME.outcome(position), GAME.moves(position)
    plain = plain_moves(position)
    if outcome is not None:
        assert moves == ()
        assert outcome.reason != "stuck" or not plain
    elif not plain:
        assert moves == (PASS,)
    else:
        assert [GAME.move_text(move) for move in moves] == plain
    legal = set(moves)
    rng = random.Random(seed)
    some = [Move(rng.randrange(64), rng.randrange(64)) for _ in range(200)]
    for move in [*moves, *some, PASS]:
        verdict = GAME.judge(position, move)
        assert isinstance(verdict, Legal) == (move in legal)
        if isinstance(verdict, Legal):
            assert verdict == Legal(GAME.play(position, move), GAME.outcome_after(position, move))
            assert verdict.outcome == GAME.outcome(verdict.after)
            assert verdict.after.ply == position.ply + 1


@given(SEEDS, st.integers(0, 2), st.sampled_from([GAME, ENDS_STUCK]))
@settings(max_examples=40)
def test_counting_equals_playing_one_by_one(seed: int, depth: int, game: FourHighGame) -> None:
    position = random_position(seed)
    assert game.perft(position, depth) == Game.perft(game, position, depth)


# -- symmetries --------------------------------------------------------------------------------------


def turned(cell: int, symmetry: int) -> int:
    """A space after one of the eight symmetries of the board."""
    rank, file = divmod(cell, 8)
    if symmetry & 1:
        file = 7 - file
    if symmetry & 2:
        rank = 7 - rank
    return 8 * file + rank if symmetry & 4 else 8 * rank + file


@given(SEEDS, st.integers(0, 7), st.booleans())
@settings(max_examples=60)
def test_mirrors_and_changed_colours_change_nothing_else(seed: int, symmetry: int, swap: bool) -> None:
    position = random_position(seed)
    codes = bytearray(64)
    for cell, code in enumerate(position.stacks):
        colours = (1 << code.bit_length() - 1) - 1 if swap else 0
        codes[turned(cell, symmetry)] = code ^ colours
    twin = Position(bytes(codes), position.side ^ swap, position.quiet)

    def there(move: Move) -> Move:
        return move if move == PASS else Move(turned(move.origin, symmetry), turned(move.target, symmetry))

    assert {there(move) for move in GAME.moves(position)} == set(GAME.moves(twin))
    mine, other = GAME.outcome(position), GAME.outcome(twin)
    assert (mine is None) == (other is None)
    if mine is not None and other is not None:
        assert mine.reason == other.reason
        assert other.scores == (mine.scores[::-1] if swap else mine.scores)
        winner = mine.winner if mine.winner is None or not swap else 1 - mine.winner
        assert other.winner == winner


# -- whole games -------------------------------------------------------------------------------------


@given(SEEDS)
@settings(max_examples=12)
def test_games_end_with_all_pieces_on_the_board(seed: int) -> None:
    rng = random.Random(seed)
    position, taken = GAME.start(), 0
    while GAME.outcome(position) is None:
        moves = GAME.moves(position)
        hungry = [move for move in moves if move != PASS and GAME.owner(position, move.target) is not None]
        position = GAME.play(position, rng.choice(hungry or moves))
        taken += bool(hungry)
        stacks = "".join(GAME.stack(position, cell) for cell in range(64))
        assert (stacks.count("B"), stacks.count("W")) == (16, 16)
        assert position.ply <= 2500
        assert position.ply % 2 == position.side
    assert taken <= 24
    assert sum(1 for cell in range(64) if GAME.stack(position, cell)) == 32 - taken
