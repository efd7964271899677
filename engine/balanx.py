"""The opponent at Balanx: a line, a number of nodes and a seed in, a `Thought` with its reason out."""

from __future__ import annotations

from dataclasses import replace

from rules.balanx.game import BalanxGame
from rules.balanx.moves import Move
from rules.balanx.position import Position
from rules.line import Line

from .evaluate import WON
from .search import search
from .thought import Stop, Thought, by_force


def consider(
    game: BalanxGame, line: Line[Position, Move], nodes: int, seed: int, stop: Stop
) -> Thought[Move]:
    """Search the last position of a line, with a reason."""
    position = line.position
    thought = search(
        game,
        position,
        nodes=nodes,
        seed=seed * 1009 + position.ply,
        history=line.positions[:-1],
        stop=stop,
    )
    return replace(thought, sentence=reason(game, thought))


def reason(game: BalanxGame, thought: Thought[Move]) -> str:
    """Why a thought's move is made, for people."""
    if game.is_pass(thought.move):
        return "No marble can move."
    if end := by_force(thought.score, WON):
        return end
    expected = ", ".join(map(game.move_text, thought.line[1:4]))
    return f"Expects {expected} next." if expected else "The marbles stand best after it."
