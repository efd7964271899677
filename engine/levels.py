"""Levels: a game, a line and a level's data in; the turn that is left to chance, or what a search says of it, out."""

from __future__ import annotations

from typing import NamedTuple

from rules.game import Game, M, P

from .dice import Dice
from .random_player import random_move
from .thought import Thought


class Level(NamedTuple):
    """nodes: positions that are looked at in a turn. slips: of a hundred turns, how many are left to chance."""

    nodes: int
    slips: int = 0


def slip(
    game: Game[P, M], position: P, levels: tuple[Level, ...], level: int, seed: int
) -> Thought[M] | None:
    """The move of chance that a level from 1 makes here, so that a child can win; None where it thinks."""
    chance = Dice(seed, position.ply, level).below(100) < levels[level - 1].slips
    if not chance or len(game.moves(position)) == 1:
        return None
    move = random_move(game, position, seed)
    return Thought(move, 0, 1, 0, (move,), False, "It is tried without much thought.")


def by_force(score: int, won: int) -> str:
    """What is said of a move where the end is in sight; empty where it is not. won: the least score of a win."""
    if score > won:
        return "This wins by force."
    if score < -won:
        return "Every move loses against best play; this one holds out longest."
    return ""
