"""Players: a line of play of any game, a level and a seed in; a `Thought` with its reason as a sentence out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rules.game import Game
from rules.line import Line

from .errors import EngineError, NothingToPlay
from .levels import level_of, slip
from .thought import Stop, Thought


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
    return slip(game, line.position, level, seed) or _player(game.name)(game, line, nodes, seed, stop)


def _player(name: str) -> Callable[[Any, Line[Any, Any], int, int, Stop], Thought[Any]]:
    """Who thinks about a game: game, line, nodes, seed and stop in."""
    # Loaded by the game: whoever plays one has no use for the engines of the others.
    match name:
        case "balanx":
            from .balanx import consider as balanx

            return balanx
        case "banks":
            from .banks.player import consider as banks

            return banks
        case "boxilies":
            from .boxilies.player import consider as boxilies

            return boxilies
        case "fourhigh":
            from .fourhigh.player import consider as fourhigh

            return fourhigh
    raise EngineError(f"the engine does not play {name}")
