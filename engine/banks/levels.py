"""Levels of BANKS: a position, a level and a seed in, a `Thought` with its reason out.

A level is a number of nodes and a share of slips: turns that are left to chance. The highest levels never slip.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final, NamedTuple

from engine.dice import Dice
from engine.random_player import random_move
from engine.thought import Stop, Thought
from rules.banks.game import BanksGame
from rules.banks.moves import Move
from rules.banks.position import COLOURS, Position

from .search import best_choice, search
from .worth import WON


class Level(NamedTuple):
    """nodes: positions that are looked at in a turn. slips: of a hundred turns, how many are left to chance."""

    nodes: int
    slips: int = 0


LEVELS: Final = (
    Level(20, 50),
    Level(20, 20),
    Level(200),
    Level(1_500),
    Level(10_000),
)
"""Level 1 first."""


def at_level(
    game: BanksGame, position: Position, *, level: int, seed: int, stop: Stop = lambda: False
) -> Thought[Move]:
    """Think as well as a level from 1 does. Raises NothingToPlay."""
    chosen = LEVELS[level - 1]
    slips = Dice(seed, position.ply, level).below(100) < chosen.slips
    if slips and len(game.moves(position)) > 1:
        move = random_move(game, position, seed)
        return Thought(move, 0, 1, 0, (move,), False, "It is tried without much thought.")
    if position.choosing:
        move = best_choice(game, position, seed)
        colour = COLOURS[position.disks[move.origin] - 1]
        return Thought(move, 0, 1, 1, (move,), False, f"The {colour} disks have the most ways to go.")
    thought = search(game, position, nodes=chosen.nodes, seed=seed, stop=stop)
    return replace(thought, sentence=reason(position, thought))


def reason(position: Position, thought: Thought[Move]) -> str:
    """Why a thought's move is made, for people."""
    if thought.score > WON:
        return "This wins by force."
    if thought.score < -WON:
        return "Every move loses against best play; this one holds out longest."
    prey = position.disks[thought.move.target]
    if not prey:
        return "There is nothing to gain at once, so the disk goes where it can do more."
    colour, held = COLOURS[prey - 1], position.hands[position.side][prey - 1]
    if not held:
        return f"It captures its first {colour} disk, a new colour to multiply with."
    return f"It captures a {colour} disk: {held + 1} instead of {held} multiply the score."
