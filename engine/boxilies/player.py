"""The opponent at Boxilies: a line, a number of nodes and a seed in, a `Thought` with its reason out."""

from __future__ import annotations

from dataclasses import replace

from engine.thought import Stop, Thought
from rules.boxilies.game import BoxiliesGame
from rules.boxilies.moves import Move
from rules.boxilies.position import Position
from rules.line import Line

from .search import END, plies_left, search


def consider(
    game: BoxiliesGame, line: Line[Position, Move], nodes: int, seed: int, stop: Stop
) -> Thought[Move]:
    """Search the last position of a line, with a reason."""
    position = line.position
    thought = search(game, position, nodes=nodes, seed=seed, stop=stop)
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
