"""Search: legal, repeatable, stoppable; wins what is won and does not throw away what is not lost."""

from __future__ import annotations

import pytest
from balanx_boards import layouts, random_position
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import NothingToPlay
from engine.evaluate import WON, worth_of
from engine.levels import level_of, levels
from engine.random_player import random_move
from engine.search import search
from engine.thought import POLL_NODES
from rules.balanx.game import BalanxGame
from rules.balanx.layout import Layout, layout_named
from rules.balanx.moves import PASS
from rules.balanx.position import Position
from rules.game import Legal, Outcome
from rules.line import Line

CLASSIC = BalanxGame(layout_named("classic"))
SEEDS = st.integers(0, 2**32 - 1)
FIRST, SECOND = (level_of("balanx", level).nodes for level in (1, 2))


@given(layouts(), SEEDS, st.sampled_from([1, 30, 300]))
@settings(max_examples=50)
def test_what_is_found_is_legal_and_so_is_the_expected_line(layout: Layout, seed: int, nodes: int) -> None:
    game = BalanxGame(layout)
    position = random_position(layout, seed)
    if not game.moves(position):
        with pytest.raises(NothingToPlay):
            search(game, position, nodes=nodes, seed=seed)
        return
    thought = search(game, position, nodes=nodes, seed=seed)
    assert thought.move in game.moves(position)
    assert thought.nodes <= nodes
    assert thought.line[0] == thought.move
    for move in thought.line:
        verdict = game.judge(position, move)
        assert isinstance(verdict, Legal)
        position = verdict.after


@given(SEEDS, SEEDS)
@settings(max_examples=10)
def test_the_same_arguments_give_the_same_thought(position_seed: int, seed: int) -> None:
    position = random_position(CLASSIC.layout, position_seed)
    if CLASSIC.moves(position):
        first = search(CLASSIC, position, nodes=500, seed=seed, history=[CLASSIC.start()])
        assert first == search(CLASSIC, position, nodes=500, seed=seed, history=[CLASSIC.start()])


def test_the_seed_chooses_among_equal_moves() -> None:
    moves = {search(CLASSIC, CLASSIC.start(), nodes=1, seed=seed).move for seed in range(20)}
    assert len(moves) > 1


def test_stop_ends_at_the_next_poll_with_a_legal_move() -> None:
    asked = []

    def stop() -> bool:
        asked.append(True)
        return len(asked) == 3

    thought = search(CLASSIC, CLASSIC.start(), nodes=10**9, seed=1, stop=stop)
    assert thought.stopped
    assert thought.nodes == 3 * POLL_NODES <= 3 * 256
    assert thought.move in CLASSIC.moves(CLASSIC.start())


WINS = {
    "the last marble comes home": ("7/7/7/7/6W/5WW/4WWW/2W1WWW W 20", "c1-d1"),
    "Black too": ("BBB1B2/BBB4/BB5/B6/7/7/7/5W1 B 21", "e8-d8"),
}


@pytest.mark.parametrize(("text", "move"), WINS.values(), ids=WINS)
@pytest.mark.parametrize("nodes", [1, FIRST, SECOND])
def test_a_win_in_one_is_found(text: str, move: str, nodes: int) -> None:
    position = CLASSIC.parse_position(text)
    thought = search(CLASSIC, position, nodes=nodes, seed=3)
    assert CLASSIC.move_text(thought.move) == move
    assert thought.score > WON
    assert CLASSIC.outcome_after(position, thought.move) is not None


@given(SEEDS)
@settings(max_examples=40)
def test_the_own_start_is_not_filled_while_there_is_another_move(seed: int) -> None:
    """White's start lacks one marble; some move fills it. No level falls for it."""
    corner = sorted(CLASSIC.layout.starts[0])
    position = random_position(CLASSIC.layout, seed, crowd=False)
    full = sum(1 << cell for cell in corner)
    white = full & ~(1 << corner[seed % 10]) | 1 << (seed // 10 % 20)
    white, black = CLASSIC.tables.settle(white, position.black & ~white & ~full, 0)
    near = Position(white, black, 0, 20)
    moves = CLASSIC.moves(near)
    harmless = [move for move in moves if CLASSIC.outcome_after(near, move) is None]
    if harmless:
        for nodes in (1, 30, 300):
            move = search(CLASSIC, near, nodes=nodes, seed=seed).move
            assert CLASSIC.outcome_after(near, move) != Outcome(1, "blocked")


def test_a_pass_is_made_when_it_is_due_and_nothing_after_the_end() -> None:
    passing = CLASSIC.parse_position("7/7/7/7/7/7/7/6B W 2")
    assert search(CLASSIC, passing, nodes=10, seed=1).move == PASS
    assert random_move(CLASSIC, passing, 1) == PASS
    with pytest.raises(NothingToPlay):
        search(CLASSIC, CLASSIC.parse_position("7/7/7/7/7/7/7/7 W 2"), nodes=10, seed=1)
    with pytest.raises(NothingToPlay):
        random_move(CLASSIC, CLASSIC.parse_position("7/7/7/7/7/7/7/7 W 2"), 1)


def test_levels() -> None:
    nodes = [level_of("balanx", level).nodes for level in levels("balanx")]
    assert len(nodes) == 8
    assert nodes == sorted(nodes)


def _game(layout: str, nodes: tuple[int, int], seed: int) -> Line[Position, object]:
    """A whole game; 0 nodes stand for the random player."""
    game = BalanxGame(layout_named(layout))
    line = Line.begin(game)
    while line.outcome is None and len(line.moves) < 300:
        position = line.position
        if nodes[position.side]:
            thought = search(
                game, position, nodes=nodes[position.side], seed=seed, history=line.positions[:-1]
            )
            move = thought.move
        else:
            move = random_move(game, position, seed)
        line = line.push(move)
    return line  # type: ignore[return-value]


@pytest.mark.parametrize("layout", ["classic", "wide"])
@pytest.mark.parametrize("level", [1, 2])
def test_it_beats_random_from_both_sides(layout: str, level: int) -> None:
    for seat in (0, 1):
        strength = level_of("balanx", level).nodes
        nodes = (strength, 0) if seat == 0 else (0, strength)
        outcome = _game(layout, nodes, seed=11).outcome
        assert outcome is not None
        assert outcome.winner == seat


def test_engines_bring_games_to_an_end_and_repeat_them() -> None:
    for seed in (1, 2):
        line = _game("classic", (SECOND, FIRST), seed)
        assert line.outcome is not None
        assert len(line.moves) < 200
    assert _game("classic", (SECOND, FIRST), 2).moves == line.moves


@given(layouts(), SEEDS)
@settings(max_examples=50)
def test_worth_is_fair_and_blind_to_the_tilt(layout: Layout, seed: int) -> None:
    game = BalanxGame(layout)
    worth = worth_of(layout)
    position = random_position(layout, seed)
    score = worth.score(position)
    rolled = game.play(position, PASS)
    assert worth.score(rolled) == -score
    for cell in range(layout.cells):
        assert worth.of[0][cell] == worth.of[1][layout.half_turn(cell)]
    for hop in game.tables.hops(position.own, position.occupied):
        gain = worth.gains[position.side][hop.order]
        assert worth.score(game.play(position, hop.move)) == -(score + gain)
