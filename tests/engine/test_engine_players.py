"""Engines of all games through their one door: legal, repeatable, stoppable, with a reason; stronger than greedy."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import pytest

from engine.errors import EngineError, NothingToPlay
from engine.greedy import greedy_move, standing
from engine.levels import levels
from engine.match import Tally, chance, engine, greedy, match, one_game, play_out
from engine.players import think
from rules import banks, boxilies, fourhigh
from rules.balanx.game import BalanxGame
from rules.balanx.layout import layout_named
from rules.banks import BanksGame, Lattice
from rules.boxilies import Board, BoxiliesGame
from rules.fourhigh import FourHighGame, Stuck
from rules.game import Game, Legal
from rules.games import NAMES
from rules.line import Line

AnyGame = Game[Any, Any]

GAMES: dict[str, AnyGame] = {
    "balanx": BalanxGame(layout_named("classic")),
    **{
        f"banks, {players} players": BanksGame.shuffled(Lattice(4, 5), players, 3, 5)
        for players in range(2, 7)
    },
    "banks 8x8": BanksGame.shuffled(Lattice(8, 8), 2, seed=3),
    "banks, other house rules": BanksGame.shuffled(
        Lattice(4, 4), 2, 2, 9, banks.HouseRules(2, on_the_spot=False, whole_set=True)
    ),
    "boxilies": BoxiliesGame(),
    "boxilies, other house rules": BoxiliesGame(
        Board.parse("2x4#a1"), house=boxilies.HouseRules(ties=True, chains=True, wrap=True), starter=1
    ),
    "fourhigh": FourHighGame(),
    "fourhigh, other house rules": FourHighGame(fourhigh.HouseRules(stuck=Stuck.END, quiet_limit=8)),
}

every_game = pytest.mark.parametrize("name", GAMES)


@cache
def chance_game(name: str) -> Line[Any, Any]:
    """A game of chance, at most 120 turns of it."""
    game = GAMES[name]
    return play_out(game, [chance] * len(game.seats), seed=4, longest=120)


def lines(name: str, number: int = 4) -> list[Line[Any, Any]]:
    """The game at some of its turns, none of them its end, and shortly before that."""
    whole = chance_game(name)
    turns = len(whole.moves)
    return [
        whole.back(turns - at) for at in sorted({turns * n // number for n in range(number)} | {turns - 1})
    ]


def test_there_is_an_engine_for_every_game() -> None:
    assert {game.name for game in GAMES.values()} == set(NAMES)
    for game in GAMES.values():
        assert levels(game.name) == tuple(range(1, len(levels(game.name)) + 1))
        assert 5 <= len(levels(game.name)) <= 8


@every_game
def test_every_level_plays_legal_moves_and_tells_why(name: str) -> None:
    slow = name == "balanx"  # whose search test_engine_search looks at
    for line in lines(name, 2 if slow else 4):
        for level in levels(line.game.name)[: 2 if slow else 4]:
            thought = think(line.game, line, level=level, seed=level)
            assert thought.move in line.game.moves(line.position)
            assert thought.line[0] == thought.move
            assert not thought.stopped
            assert thought.sentence.endswith(".")
            assert thought.sentence[0].isupper()
            assert "\n" not in thought.sentence
            at = line.position
            for move in thought.line:
                verdict = line.game.judge(at, move)
                assert isinstance(verdict, Legal)
                at = verdict.after


@every_game
def test_the_same_line_level_and_seed_give_the_same_thought(name: str) -> None:
    for line in lines(name, 2)[:2]:
        for level in levels(line.game.name)[: 2 if name == "balanx" else 3]:
            assert think(line.game, line, level=level, seed=8) == think(line.game, line, level=level, seed=8)
    line = lines(name)[0]
    assert len({think(line.game, line, level=1, seed=seed).move for seed in range(30)}) > 1


@every_game
def test_thinking_ends_at_once_when_nobody_waits(name: str) -> None:
    """`stop` is asked at least each 256 positions, and the answer is a legal move all the same."""
    for line in lines(name, 2):
        asked = 0

        def stop() -> bool:
            nonlocal asked
            asked += 1
            return asked == 2

        thought = think(line.game, line, level=levels(line.game.name)[-1], seed=1, stop=stop)
        assert thought.move in line.game.moves(line.position)
        assert thought.stopped == (asked == 2)
        assert thought.nodes <= 2 * 256 or not thought.stopped
        assert thought.nodes < 256 * (asked + 1)


@every_game
def test_after_the_end_and_for_other_levels_there_is_no_thought(name: str) -> None:
    line = chance_game(name)
    game = line.game
    with pytest.raises(EngineError, match=r"level: 0 is not between 1 and \d"):
        think(game, lines(name)[0], level=0, seed=1)
    with pytest.raises(EngineError, match="is not between"):
        think(game, lines(name)[0], level=levels(game.name)[-1] + 1, seed=1)
    over = line if line.outcome else line.ended(game.agreed(line.position))
    with pytest.raises(NothingToPlay):
        think(game, over, level=1, seed=1)


@pytest.mark.parametrize(
    ("text", "level"),
    [("8/8/8/8/8/8/BWBW,BBBW,6/B,WBWW,5,W B 7", 1), ("8/8/8/8/8/8/BWBW,BBBW,6/B,WBWW,5,W B 7", 6)],
)
def test_a_due_pass_is_made(text: str, level: int) -> None:
    game = FourHighGame()
    line = Line.begin(game, game.parse_position(text))
    thought = think(game, line, level=level, seed=1)
    assert game.move_text(thought.move) == "--"
    assert "passes" in thought.sentence


# -- the greedy player ---------------------------------------------------------------------------------


@every_game
def test_greedy_takes_what_is_best_at_once(name: str) -> None:
    for line in lines(name):
        game, position = line.game, line.position
        move = greedy_move(game, position, 3)
        assert move in game.moves(position)
        over = game.outcome_after(position, move)
        if over is None:
            mine = standing(game, game.play(position, move), position.side)
            for other in game.moves(position):
                if game.outcome_after(position, other) is None:
                    assert mine >= standing(game, game.play(position, other), position.side)
    over_line = chance_game("boxilies")
    with pytest.raises(NothingToPlay):
        greedy_move(over_line.game, over_line.position, 1)


# -- matches -------------------------------------------------------------------------------------------


def test_a_match_seats_the_first_player_everywhere_and_counts_as_he_sees_it() -> None:
    seen: list[int] = []

    def looks(line: Line[Any, Any], seed: int) -> Any:
        seen.append(line.position.side)
        return chance(line, seed)

    game = BoxiliesGame(Board(1, 1))
    assert match([game] * 4, looks, chance) == Tally(2, 0, 2, 4)
    assert seen == [0, 0]
    three = BanksGame.shuffled(Lattice(4, 4), 3, 2, 1)
    assert match([three] * 3, chance, chance, seed=5).games == 3
    assert one_game(three, chance, greedy, seat=2, seed=6) == one_game(three, chance, greedy, seat=2, seed=6)


STRENGTH = {
    "banks": ([BanksGame.shuffled(Lattice(5, 5), 2, seed=seed // 2) for seed in range(12)], 3, 10),
    "banks of three": ([BanksGame.shuffled(Lattice(5, 5), 3, seed=seed // 3) for seed in range(12)], 3, 6),
    "boxilies": ([BoxiliesGame()] * 24, 3, 19),
    "fourhigh": ([FourHighGame()] * 8, 2, 7),
}
"""Games, a level, and how many the engine must win against the greedy player: what it wins, less one or two."""


@pytest.mark.parametrize(("games", "level", "least"), STRENGTH.values(), ids=STRENGTH)
def test_the_engine_beats_the_greedy_player(games: list[AnyGame], level: int, least: int) -> None:
    tally = match(games, engine(level), greedy, seed=100)
    assert tally.wins >= least, tally


LADDER = {
    "banks": ([BanksGame.shuffled(Lattice(5, 5), 2, seed=seed // 2) for seed in range(10)], 2, 1),
    "banks, higher": ([BanksGame.shuffled(Lattice(5, 5), 2, seed=seed // 2) for seed in range(10)], 3, 2),
    "boxilies": ([BoxiliesGame()] * 30, 2, 1),
    "boxilies, higher": ([BoxiliesGame()] * 16, 3, 2),
    "fourhigh": ([FourHighGame()] * 6, 2, 1),
}


@pytest.mark.parametrize(("games", "level", "lower"), LADDER.values(), ids=LADDER)
def test_a_higher_level_wins_more_often(games: list[AnyGame], level: int, lower: int) -> None:
    tally = match(games, engine(level), engine(lower), seed=50)
    assert tally.wins > tally.losses, tally


@pytest.mark.parametrize("name", ["banks 8x8", "boxilies", "fourhigh"])
def test_the_lowest_level_leaves_a_child_a_chance(name: str) -> None:
    """Some of its moves are left to chance, fewer at the next level and none from the third on."""
    game = GAMES[name]
    rng = random.Random(name)
    line = Line.begin(game)
    for _ in range(7):
        line = line.push(rng.choice(game.moves(line.position)))
    slips = [
        sum(
            "without much thought" in think(game, line, level=level, seed=seed).sentence for seed in range(40)
        )
        for level in (1, 2, 3)
    ]
    assert slips[0] > slips[1] > slips[2] == 0
