"""Levels of Boxilies: a position, a level and a seed in, a `Thought` with its reason out.

A level is a number of nodes and a share of slips: turns that are left to chance. The highest levels never slip
and solve the end of the game: the last five stones, and six at the highest where there is little to choose.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final, NamedTuple

from engine.dice import Dice
from engine.random_player import random_move
from engine.thought import Stop, Thought
from rules.boxilies.game import BoxiliesGame
from rules.boxilies.moves import Move
from rules.boxilies.position import Position

from .search import END, plies_left, search


class Level(NamedTuple):
    """nodes: positions that are looked at in a turn. slips: of a hundred turns, how many are left to chance."""

    nodes: int
    slips: int = 0


LEVELS: Final = (
    Level(200, 60),
    Level(200, 25),
    Level(3_000),
    Level(20_000),
    Level(250_000),
)
"""Level 1 first."""


def at_level(
    game: BoxiliesGame, position: Position, *, level: int, seed: int, stop: Stop = lambda: False
) -> Thought[Move]:
    """Think as well as a level from 1 does. Raises NothingToPlay."""
    chosen = LEVELS[level - 1]
    slips = Dice(seed, position.ply, level).below(100) < chosen.slips
    if slips and len(game.moves(position)) > 1:
        move = random_move(game, position, seed)
        return Thought(move, 0, 1, 0, (move,), False, "It is tried without much thought.")
    thought = search(game, position, nodes=chosen.nodes, seed=seed, stop=stop)
    return replace(thought, sentence=reason(game, position, thought))


def reason(game: BoxiliesGame, position: Position, thought: Thought[Move]) -> str:
    """Why a thought's move is made, for people."""
    taken = len(game.captures(position, thought.move))
    turns = f"turns {taken} stone{'s' if taken > 1 else ''}" if taken else ""
    if thought.depth and thought.depth == plies_left(game, position):
        if thought.score > END:
            return "Worked out to the end: this wins."
        if thought.score < -END:
            return "Worked out to the end: every placement loses against best play."
        return "Worked out to the end: this draws."
    if turns:
        return f"It {turns} and is hard to answer." if thought.score > 0 else f"It {turns}."
    return "Nothing can be won at once, so it keeps its weak sides covered."
