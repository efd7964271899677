"""Players: a line of play of any game, a level and a seed in; a `Thought` with its reason as a sentence out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from rules.balanx.game import BalanxGame
from rules.game import Game
from rules.line import Line

from . import search as balanx
from .banks import player as banks
from .boxilies import player as boxilies
from .errors import NothingToPlay
from .evaluate import WON
from .fourhigh import player as fourhigh
from .levels import level_of, slip
from .thought import Stop, Thought, by_force


def think(
    game: Game[Any, Any],
    line: Line[Any, Any],
    *,
    level: int,
    seed: int,
    stop: Stop = lambda: False,
) -> Thought[Any]:
    """Think about the last position of a line. The same arguments give the same thought on every machine.

    `stop` is asked at least each 256 positions; where it says True, the best move so far is given at once.
    Raises NothingToPlay when the game is over, EngineError for a game or a level that there is not.
    """
    nodes = level_of(game.name, level).nodes
    if line.outcome is not None:
        raise NothingToPlay("the game is over")
    return slip(game, line.position, level, seed) or _PLAYERS[game.name](game, line, nodes, seed, stop)


def _balanx(game: BalanxGame, line: Line[Any, Any], nodes: int, seed: int, stop: Stop) -> Thought[Any]:
    position = line.position
    thought = balanx.search(
        game,
        position,
        nodes=nodes,
        seed=seed * 1009 + position.ply,
        history=line.positions[:-1],
        stop=stop,
    )
    return replace(thought, sentence=_balanx_reason(game, thought))


def _balanx_reason(game: BalanxGame, thought: Thought[Any]) -> str:
    if game.is_pass(thought.move):
        return "No marble can move."
    if end := by_force(thought.score, WON):
        return end
    expected = ", ".join(map(game.move_text, thought.line[1:4]))
    return f"Expects {expected} next." if expected else "The marbles stand best after it."


_PLAYERS: Final[dict[str, Callable[[Any, Line[Any, Any], int, int, Stop], Thought[Any]]]] = {
    "balanx": _balanx,
    "banks": banks.consider,
    "boxilies": boxilies.consider,
    "fourhigh": fourhigh.consider,
}
"""By the name of the game: game, line, nodes, seed and stop in."""
