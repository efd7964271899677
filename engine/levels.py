"""Levels: a game's name in, how strong its engine plays at each level out; and the turns that are left to chance.

The searches are not loaded for it: whoever only asks which levels there are need not wait for them.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from rules.game import Game, M, P

from .dice import Dice
from .errors import EngineError
from .random_player import random_move
from .thought import Thought


class Level(NamedTuple):
    """nodes: positions that are looked at in a turn. slips: of a hundred turns, how many are left to chance."""

    nodes: int
    slips: int = 0


LEVELS: Final[dict[str, tuple[Level, ...]]] = {
    "balanx": tuple(map(Level, (30, 1_200, 6_000, 12_000, 24_000, 48_000, 80_000, 140_000))),
    "banks": (Level(20, 50), Level(20, 20), Level(200), Level(1_500), Level(10_000)),
    # The highest solve the last five stones, and six where there is little to choose.
    "boxilies": (Level(200, 60), Level(200, 25), Level(3_000), Level(20_000), Level(250_000)),
    "fourhigh": (Level(100, 45), Level(200, 15), Level(800), Level(4_000), Level(15_000), Level(50_000)),
}
"""By the name of the game, level 1 first."""


def levels(name: str) -> tuple[int, ...]:
    """The levels at which the engine plays a game, the weakest first. Raises EngineError for an unknown game."""
    if name not in LEVELS:
        raise EngineError(f"no engine plays {name}")
    return tuple(range(1, len(LEVELS[name]) + 1))


def level_of(name: str, level: int) -> Level:
    """What a game's level is made of. Raises EngineError."""
    known = levels(name)
    if level not in known:
        raise EngineError(f"level: {level} is not between 1 and {known[-1]}")
    return LEVELS[name][level - 1]


def slip(game: Game[P, M], position: P, level: int, seed: int) -> Thought[M] | None:
    """The move of chance that a level makes here, so that a child can win; None where it thinks."""
    chance = Dice(seed, position.ply, level).below(100) < level_of(game.name, level).slips
    if not chance or len(game.moves(position)) == 1:
        return None
    move = random_move(game, position, seed)
    return Thought(move, 0, 1, 0, (move,), False, "It is tried without much thought.")
