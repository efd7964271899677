"""The greedy player: a position of any game and a seed in, the move out that is best for the moment alone.

It is the yardstick of the engines: it sees what a move brings at once, and nothing of what is answered.
"""

from __future__ import annotations

from functools import singledispatch
from typing import Any

from rules.balanx.game import BalanxGame
from rules.balanx.position import Position as BalanxPosition
from rules.banks import BanksGame
from rules.banks.position import Position as BanksPosition
from rules.boxilies import BoxiliesGame
from rules.boxilies.position import Position as BoxiliesPosition
from rules.fourhigh import FourHighGame
from rules.fourhigh.position import Position as FourHighPosition
from rules.game import Game, M, P

from .dice import Dice
from .errors import EngineError, NothingToPlay
from .evaluate import WIN, worth_of


def greedy_move(game: Game[P, M], position: P, seed: int) -> M:
    """The move after which the mover stands best, each of equal ones as likely. Raises NothingToPlay."""
    gains = {move: gain_of(game, position, move) for move in game.moves(position)}
    if not gains:
        raise NothingToPlay("the game is over")
    best = max(gains.values())
    return Dice(seed, position.ply).choice([move for move, gain in gains.items() if gain == best])


def gain_of(game: Game[P, M], position: P, move: M) -> int:
    """How well the mover stands right after a legal move, by the game's own count; a win counts most."""
    over = game.outcome_after(position, move)
    won = 0 if over is None or over.winner is None else WIN if over.winner == position.side else -WIN
    return won + standing(game, game.play(position, move), position.side)


@singledispatch
def standing(game: Any, position: Any, seat: int) -> int:
    """The score of a seat against the best other one, as a game counts it while it goes on."""
    del position, seat
    raise EngineError(f"no greedy player knows {getattr(game, 'name', game)!r}")


@standing.register
def _balanx(game: BalanxGame, position: BalanxPosition, seat: int) -> int:
    score = worth_of(game.layout).score(position)
    return score if position.side == seat else -score


@standing.register
def _banks(game: BanksGame, position: BanksPosition, seat: int) -> int:
    scores = game.scores(position)
    return scores[seat] - max(score for other, score in enumerate(scores) if other != seat)


@standing.register
def _boxilies(game: BoxiliesGame, position: BoxiliesPosition, seat: int) -> int:
    del game
    counts = position.counts()
    return counts[seat] - counts[1 - seat]


@standing.register
def _fourhigh(game: FourHighGame, position: FourHighPosition, seat: int) -> int:
    scores = game.scores(position)
    capture = position.quiet == 0 and position.side != seat
    return 100 * (scores[seat] - scores[1 - seat]) + capture
