"""The random player: a position of any game and a seed in, one of the legal moves out."""

from __future__ import annotations

from rules.game import Game, M, P

from .dice import Dice
from .errors import NothingToPlay


def random_move(game: Game[P, M], position: P, seed: int) -> M:
    """A legal move, each as likely; a seed repeats a game. Raises NothingToPlay when the game is over."""
    moves = game.moves(position)
    if not moves:
        raise NothingToPlay("the game is over")
    return Dice(seed, position.ply).choice(moves)
