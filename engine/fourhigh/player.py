"""The opponent at Four High: a line, a number of nodes and a seed in, a `Thought` with its reason out."""

from __future__ import annotations

from dataclasses import replace

from engine.thought import Stop, Thought, by_force
from rules.fourhigh.game import FourHighGame
from rules.fourhigh.moves import PASS, Move
from rules.fourhigh.position import FREE, Position, height_of
from rules.line import Line

from .search import search
from .worth import POINT, WON


def consider(
    game: FourHighGame, line: Line[Position, Move], nodes: int, seed: int, stop: Stop
) -> Thought[Move]:
    """Search the last position of a line, with a reason."""
    position = line.position
    thought = search(game, position, nodes=nodes, seed=seed, stop=stop)
    return replace(thought, sentence=reason(position, thought))


def reason(position: Position, thought: Thought[Move]) -> str:
    """Why a thought's move is made, for people."""
    move = thought.move
    if move == PASS:
        return "There is no move, so it passes."
    if end := by_force(thought.score, WON):
        return end
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
