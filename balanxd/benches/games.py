"""Figures of the games on sensor boards and of all engines: speed of rules and thinking, and how strong engines are."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Final

from engine.levels import levels
from engine.match import Tally, chance, engine, greedy, one_game, play_out
from engine.players import think
from rules.banks import BanksGame, Lattice
from rules.boxilies import BoxiliesGame
from rules.fourhigh import FourHighGame
from rules.games import AnyGame, game_named

from .figures import Figure
from .rates import beside_chess

PERFT_DEPTH: Final = 3
MIDDLE: Final = 30
"""Turns of a random game after which a position counts as one of its middle."""

MATCH_GAMES: Final = 100
LEVEL_GAMES: Final = 40


# ---- rules -------------------------------------------------------------------------------------------------


def measure_banks_moves() -> list[Figure]:
    """Time for all legal moves of middle positions of BANKS, 8x8; the median position, each measured often."""
    times = []
    for seed in range(20):
        game = BanksGame.shuffled(Lattice(8, 8), 2, seed=seed)
        position = play_out(game, [chance] * 2, seed=seed, longest=MIDDLE).position
        best = min(_seconds(partial(game.moves, position)) for _ in range(50))
        times.append(best * 1000)
    note = f"20 positions after {MIDDLE} random turns, greatest {max(times):.3f} ms"
    what = "legal moves of a BANKS middle position, 8x8, median"
    return [Figure("banks_moves", what, statistics.median(times), "ms", 0.2, "max", note)]


def measure_fourhigh_perft() -> list[Figure]:
    """Leaves a second of Four High, perft 3, beside python-chess, perft 4, turn by turn in the same run."""
    game = FourHighGame()
    mine, theirs = beside_chess(partial(game.perft, game.start(), PERFT_DEPTH))
    ratio = mine / theirs if theirs else None
    note = "" if theirs else "chess is not installed"
    return [
        Figure("fourhigh_perft", "Four High, perft 3, median of 5", mine / 1e6, "million leaves/s"),
        Figure("fourhigh_ratio", "against python-chess, perft 4", ratio, "times", 1.0, "min", note),
    ]


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


# ---- engines -----------------------------------------------------------------------------------------------


def measure_engines() -> list[Figure]:
    """Positions a second of each engine at its strongest, and the time for a move, early and in mid-game."""
    found = []
    for name, game in _boards():
        nodes, seconds, top = 0, [], levels(game.name)[-1]
        middle = play_out(game, [chance] * len(game.seats), seed=1, longest=_middle(game))
        for line in (middle.back(len(middle.moves)), middle):
            began = time.perf_counter()
            nodes += think(game, line, level=top, seed=1).nodes
            seconds.append(time.perf_counter() - began)
        note = f"level {top}, a move takes {max(seconds):.1f} s"
        what = f"{name}: positions the engine looks at"
        found.append(
            Figure(f"engine_{game.name}", what, nodes / sum(seconds) / 1000, "thousand/s", note=note)
        )
    return found


def _boards() -> Iterator[tuple[str, AnyGame]]:
    yield "Balanx", game_named("balanx")
    yield "BANKS 8x8, 2 players", BanksGame.shuffled(Lattice(8, 8), 2, seed=1)
    yield "Boxilies", BoxiliesGame()
    yield "Four High", FourHighGame()


def _middle(game: AnyGame) -> int:
    return 3 if game.name == "boxilies" else MIDDLE


# ---- strength ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Pairing:
    """One game of a match: which game, the levels of both (0: the greedy player), and its number."""

    game: str
    players: int
    level: int
    against: int
    number: int

    def play(self) -> Tally:
        """Play it. The first player sits at each seat in turn; BANKS is laid out anew once each had his turn."""
        board = _board(self.game, self.players, self.number // self.players)
        one, others = (engine(level) if level else greedy for level in (self.level, self.against))
        seat = self.number % self.players
        return one_game(board, one, others, seat=seat, seed=1000 + self.number, opening=_OPENINGS[self.game])


_OPENINGS = {"balanx": 2, "banks": 0, "boxilies": 0, "fourhigh": 2}
"""First turns that are left to chance, so that no two games are alike."""


def _board(name: str, players: int, seed: int) -> AnyGame:
    return BanksGame.shuffled(Lattice(8, 8), players, seed=seed) if name == "banks" else game_named(name)


def match(name: str, level: int, against: int, games: int, players: int = 2) -> Tally:
    """A match on all cores; the games are the same on every machine."""
    pairings = [Pairing(name, players, level, against, number) for number in range(games)]
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        return sum(pool.map(Pairing.play, pairings), Tally())


def measure_strength(name: str) -> list[Figure]:
    """The strongest level against the greedy player, from both sides together."""
    top = levels(name)[-1]
    tally = match(name, top, 0, MATCH_GAMES)
    what = f"{name}: level {top} against the greedy player"
    return [Figure(f"strength_{name}", what, float(tally.wins), "of 100", 80.0, "min", _told(tally))]


def measure_levels(name: str) -> list[Figure]:
    """Each level against the one below it."""
    found = []
    for level in levels(name)[1:]:
        tally = match(name, level, level - 1, LEVEL_GAMES)
        share = 100 * (tally.wins + tally.draws / 2) / tally.games
        what = f"{name}: level {level} against level {level - 1}"
        found.append(Figure(f"level_{name}_{level}", what, share, "%", 50.0, "min", _told(tally)))
    return found


def _told(tally: Tally) -> str:
    return f"{tally.wins} won, {tally.draws} drawn, {tally.losses} lost; {tally.turns / tally.games:.0f} turns a game"
