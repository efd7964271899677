"""Levels of Four High: a position, a level and a seed in, a `Thought` with its reason out.

A level is a number of nodes and a share of slips: turns in which the engine only looks at what is nearest. A
child can so leave a piece to be taken and still win; the highest levels never slip.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final, NamedTuple

from engine.dice import Dice
from engine.random_player import random_move
from engine.thought import Stop, Thought
from rules.fourhigh.game import FourHighGame
from rules.fourhigh.moves import PASS, Move
from rules.fourhigh.position import FREE, Position, height_of

from .search import search
from .worth import POINT, WON


class Level(NamedTuple):
    """nodes: positions that are looked at in a turn. slips: of a hundred turns, how many are left to chance."""

    nodes: int
    slips: int = 0


LEVELS: Final = (
    Level(100, 45),
    Level(200, 15),
    Level(800),
    Level(4_000),
    Level(15_000),
    Level(50_000),
)
"""Level 1 first."""


def at_level(
    game: FourHighGame, position: Position, *, level: int, seed: int, stop: Stop = lambda: False
) -> Thought[Move]:
    """Think as well as a level from 1 does. Raises NothingToPlay."""
    chosen = LEVELS[level - 1]
    slips = Dice(seed, position.ply, level).below(100) < chosen.slips
    if slips and len(game.moves(position)) > 1:
        move = random_move(game, position, seed)
        return Thought(move, 0, 1, 0, (move,), False, "It is tried without much thought.")
    thought = search(game, position, nodes=chosen.nodes, seed=seed, stop=stop)
    return replace(thought, sentence=reason(position, thought))


def reason(position: Position, thought: Thought[Move]) -> str:
    """Why a thought's move is made, for people."""
    move = thought.move
    if move == PASS:
        return "There is no move, so it passes."
    if thought.score > WON:
        return "This wins by force."
    if thought.score < -WON:
        return "Every move loses against best play; this one holds out longest."
    mover, prey = (height_of(position.stacks[cell]) for cell in (move.origin, move.target))
    if position.stacks[move.target] != FREE:
        grown = mover + prey
        if grown == 4:
            return "It makes a stack of four, which counts."
        return f"It captures and stands {grown} high."
    lead = thought.score / POINT
    if lead > 1:
        return "A quiet move that keeps the lead."
    return (
        "A quiet move that leaves little to be captured."
        if lead > -1
        else "A quiet move to save what can be."
    )
