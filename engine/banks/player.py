"""The opponent at BANKS: a line, a number of nodes and a seed in, a `Thought` with its reason out."""

from __future__ import annotations

from dataclasses import replace

from engine.thought import Stop, Thought, by_force
from rules.banks.game import BanksGame
from rules.banks.moves import Move
from rules.banks.position import COLOURS, Position
from rules.line import Line

from .search import best_choice, search
from .worth import WON


def consider(game: BanksGame, line: Line[Position, Move], nodes: int, seed: int, stop: Stop) -> Thought[Move]:
    """Search the last position of a line, with a reason."""
    position = line.position
    if position.choosing:
        move = best_choice(game, position, seed)
        colour = COLOURS[position.disks[move.origin] - 1]
        return Thought(move, 0, 1, 1, (move,), False, f"The {colour} disks have the most ways to go.")
    thought = search(game, position, nodes=nodes, seed=seed, stop=stop)
    return replace(thought, sentence=reason(position, thought))


def reason(position: Position, thought: Thought[Move]) -> str:
    """Why a thought's move is made, for people."""
    if end := by_force(thought.score, WON):
        return end
    prey = position.disks[thought.move.target]
    if not prey:
        return "There is nothing to gain at once, so the disk goes where it can do more."
    colour, held = COLOURS[prey - 1], position.hands[position.side][prey - 1]
    if not held:
        return f"It captures its first {colour} disk, a new colour to multiply with."
    return f"It captures a {colour} disk: {held + 1} instead of {held} multiply the score."
