"""Players: `human`, `engine:N`, `random` in; for machines, a position in and a move out."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from engine.levels import levels
from rules.games import AnyGame

from .errors import BalanxError
from .games import AnyLine

LEVELS = range(1, 9)
"""Levels of Balanx; the other games have some of them, see `check_level`."""


@dataclass(frozen=True, slots=True)
class Player:
    """Who sits at a seat. kind: human, engine or random; level: 1..8 for an engine, else 0."""

    kind: str
    level: int = 0

    @property
    def machine(self) -> bool:
        """Whether somebody has to think for it."""
        return self.kind != "human"

    @property
    def text(self) -> str:
        """Inverse of `parse_player`."""
        return f"engine:{self.level}" if self.kind == "engine" else self.kind

    @property
    def title(self) -> str:
        """The name in a record's tag."""
        return {"human": "guest", "random": "random"}.get(self.kind, f"engine {self.level}")


def parse_player(text: str) -> Player:
    """Read `human`, `random` or `engine:N`. Raises BalanxError."""
    if text in ("human", "random"):
        return Player(text)
    match = re.fullmatch(r"engine:(\d)", text)
    if match and int(match[1]) in LEVELS:
        return Player("engine", int(match[1]))
    raise BalanxError(f"a player is `human`, `random` or `engine:1` to `engine:{LEVELS[-1]}`, not {text!r}")


def titled(text: str) -> Player:
    """A player by its word or its title. Anything else is the name of a person."""
    if match := re.fullmatch(r"engine (\d)", text):
        text = f"engine:{match[1]}"
    try:
        return parse_player(text)
    except BalanxError:
        return Player("human")


@dataclass(frozen=True, slots=True)
class Found:
    """A machine's move as text, and its reason in one plain sentence; the random player has none."""

    move: str
    sentence: str = ""


def check_level(player: Player, game: AnyGame) -> None:
    """Raises BalanxError when the engine does not play this game at the player's level."""
    if player.kind == "engine" and player.level not in (known := levels(game.name)):
        raise BalanxError(
            f"{player.text}: the engine plays {game.name} at levels {known[0]} to {known[-1]}; choose one of these"
        )


def consider(player: Player, line: AnyLine, seed: int, stop: Callable[[], bool] = lambda: False) -> Found:
    """A machine's move. The same line, player and seed give the same; `stop` ends the thinking.

    Raises BalanxError when the engine does not play the game at that level, EngineError when it is over.
    """
    # Loaded where it moves, since a daemon that only watches people never needs either player.
    game = line.game
    if player.kind == "random":
        from engine.random_player import random_move

        return Found(game.move_text(random_move(game, line.position, seed)))
    from engine.players import think

    check_level(player, game)
    thought = think(game, line, level=player.level, seed=seed, stop=stop)
    return Found(game.move_text(thought.move), thought.sentence)


def choose(player: Player, line: AnyLine, seed: int, stop: Callable[[], bool] = lambda: False) -> str:
    """A machine's move as text; see `consider`."""
    return consider(player, line, seed, stop).move
