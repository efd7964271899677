"""Matches: games and players in, whole games played by the rules and how they ended out; seeds decide chance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from rules.game import Game
from rules.line import Line

from .greedy import greedy_move
from .players import think
from .random_player import random_move

Chooser = Callable[[Line[Any, Any], int], Any]
"""A line of play and a seed in, a legal move out."""

LONGEST: Final = 2000
"""Turns after which a game is broken off; every game of ours ends earlier by its own limit."""


def engine(level: int) -> Chooser:
    """The engine at a level."""
    return lambda line, seed: think(line.game, line, level=level, seed=seed).move


def greedy(line: Line[Any, Any], seed: int) -> Any:
    """The player who takes what brings most at once."""
    return greedy_move(line.game, line.position, seed)


def chance(line: Line[Any, Any], seed: int) -> Any:
    """The player who plays any legal move."""
    return random_move(line.game, line.position, seed)


@dataclass(frozen=True, slots=True)
class Tally:
    """Games of a match as the first player sees them."""

    wins: int = 0
    draws: int = 0
    losses: int = 0
    turns: int = 0

    @property
    def games(self) -> int:
        """Number of games."""
        return self.wins + self.draws + self.losses

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            self.wins + other.wins,
            self.draws + other.draws,
            self.losses + other.losses,
            self.turns + other.turns,
        )


def play_out(
    game: Game[Any, Any], players: Sequence[Chooser], *, seed: int, opening: int = 0, longest: int = LONGEST
) -> Line[Any, Any]:
    """A whole game, players in the order of seats; the first `opening` turns are left to chance."""
    line: Line[Any, Any] = Line.begin(game)
    while line.outcome is None and len(line.moves) < longest:
        chooser = players[line.position.side] if len(line.moves) >= opening else chance
        line = line.push(chooser(line, seed))
    return line


def one_game(
    game: Game[Any, Any], one: Chooser, others: Chooser, *, seat: int, seed: int, opening: int = 0
) -> Tally:
    """A game of the first player at a seat against the other at all other seats. Broken off, it is a draw."""
    players = [one if at == seat else others for at in range(len(game.seats))]
    line = play_out(game, players, seed=seed, opening=opening)
    winner = None if line.outcome is None else line.outcome.winner
    won, drawn = winner == seat, winner is None
    return Tally(int(won), int(drawn), int(not won and not drawn), len(line.moves))


def match(
    games: Sequence[Game[Any, Any]], one: Chooser, others: Chooser, *, seed: int = 1, opening: int = 0
) -> Tally:
    """All the games, with the first player at each seat in turn, and a seed of its own for each game."""
    tally = Tally()
    for number, game in enumerate(games):
        seat = number % len(game.seats)
        tally += one_game(game, one, others, seat=seat, seed=seed + number, opening=opening)
    return tally
