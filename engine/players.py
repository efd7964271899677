"""Players: a line of play of any game, a level and a seed in; a `Thought` with its reason as a sentence out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from rules.balanx.game import BalanxGame
from rules.banks import BanksGame
from rules.boxilies import BoxiliesGame
from rules.fourhigh import FourHighGame
from rules.game import Game
from rules.line import Line

from . import search as balanx
from .banks import levels as banks
from .boxilies import levels as boxilies
from .errors import EngineError, NothingToPlay
from .evaluate import WON
from .fourhigh import levels as fourhigh
from .thought import Stop, Thought

_Think = Callable[[Any, Line[Any, Any], int, int, Stop], Thought[Any]]
"""Game, line, level, seed and stop in."""


def levels(game: Game[Any, Any]) -> tuple[int, ...]:
    """The levels at which the engine plays a game, the weakest first. Raises EngineError for an unknown game."""
    return tuple(range(1, _player_of(game)[0] + 1))


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
    highest, player = _player_of(game)
    if not 1 <= level <= highest:
        raise EngineError(f"level: {level} is not between 1 and {highest}")
    if line.outcome is not None:
        raise NothingToPlay("the game is over")
    return player(game, line, level, seed, stop)


def _player_of(game: Game[Any, Any]) -> tuple[int, _Think]:
    if game.name not in _PLAYERS:
        raise EngineError(f"no engine plays {game.name}")
    return _PLAYERS[game.name]


def _balanx(game: BalanxGame, line: Line[Any, Any], level: int, seed: int, stop: Stop) -> Thought[Any]:
    position = line.position
    thought = balanx.search(
        game,
        position,
        nodes=balanx.nodes_of(level),
        seed=seed * 1009 + position.ply,
        history=line.positions[:-1],
        stop=stop,
    )
    return replace(thought, sentence=_balanx_reason(game, thought))


def _balanx_reason(game: BalanxGame, thought: Thought[Any]) -> str:
    if game.is_pass(thought.move):
        return "No marble can move."
    if thought.score > WON:
        return "This wins by force."
    if thought.score < -WON:
        return "Every move loses against best play; this one holds out longest."
    expected = ", ".join(map(game.move_text, thought.line[1:4]))
    return f"Expects {expected} next." if expected else "The marbles stand best after it."


def _fourhigh(game: FourHighGame, line: Line[Any, Any], level: int, seed: int, stop: Stop) -> Thought[Any]:
    return fourhigh.at_level(game, line.position, level=level, seed=seed, stop=stop)


def _boxilies(game: BoxiliesGame, line: Line[Any, Any], level: int, seed: int, stop: Stop) -> Thought[Any]:
    return boxilies.at_level(game, line.position, level=level, seed=seed, stop=stop)


def _banks(game: BanksGame, line: Line[Any, Any], level: int, seed: int, stop: Stop) -> Thought[Any]:
    return banks.at_level(game, line.position, level=level, seed=seed, stop=stop)


_PLAYERS: Final[dict[str, tuple[int, _Think]]] = {
    "balanx": (len(balanx.LEVELS), _balanx),
    "banks": (len(banks.LEVELS), _banks),
    "boxilies": (len(boxilies.LEVELS), _boxilies),
    "fourhigh": (len(fourhigh.LEVELS), _fourhigh),
}
