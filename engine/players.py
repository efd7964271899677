"""Players: a line of play of any game, a level and a seed in; a `Thought` with its reason as a sentence out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final, NamedTuple

from rules.balanx.game import BalanxGame
from rules.game import Game
from rules.line import Line

from . import search as balanx
from .banks import levels as banks
from .boxilies import levels as boxilies
from .errors import EngineError, NothingToPlay
from .evaluate import WON
from .fourhigh import levels as fourhigh
from .levels import Level, by_force, slip
from .thought import Stop, Thought


class _Player(NamedTuple):
    """How a game is played. consider: game, line, nodes, seed and stop in."""

    levels: tuple[Level, ...]
    consider: Callable[[Any, Line[Any, Any], int, int, Stop], Thought[Any]]


def levels(game: Game[Any, Any]) -> tuple[int, ...]:
    """The levels at which the engine plays a game, the weakest first. Raises EngineError for an unknown game."""
    return tuple(range(1, len(_player_of(game).levels) + 1))


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
    Raises NothingToPlay when the game is over, EngineError for a level that the game does not have.
    """
    player = _player_of(game)
    highest = len(player.levels)
    if not 1 <= level <= highest:
        raise EngineError(f"level: {level} is not between 1 and {highest}")
    if line.outcome is not None:
        raise NothingToPlay("the game is over")
    chance = slip(game, line.position, player.levels, level, seed)
    return chance or player.consider(game, line, player.levels[level - 1].nodes, seed, stop)


def _player_of(game: Game[Any, Any]) -> _Player:
    if game.name not in _PLAYERS:
        raise EngineError(f"no engine plays {game.name}")
    return _PLAYERS[game.name]


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


_PLAYERS: Final = {
    "balanx": _Player(balanx.LEVELS, _balanx),
    "banks": _Player(banks.LEVELS, banks.consider),
    "boxilies": _Player(boxilies.LEVELS, boxilies.consider),
    "fourhigh": _Player(fourhigh.LEVELS, fourhigh.consider),
}
