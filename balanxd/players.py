"""Players: `human`, `engine:N`, `random` in; for machines, a position in and a move out."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from rules.balanx.game import BalanxGame

from .errors import BalanxError
from .games import AnyLine

LEVELS = range(1, 9)


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


def choose(player: Player, line: AnyLine, seed: int, stop: Callable[[], bool] = lambda: False) -> str:
    """A machine's move as text. The same line, player and seed give the same move; `stop` ends the thinking."""
    # Loaded here, since a daemon that only watches people never needs them.
    from engine.random_player import random_move
    from engine.search import nodes_of, search

    game, position = line.game, line.position
    if player.kind == "random":
        return game.move_text(random_move(game, position, seed))
    if not isinstance(game, BalanxGame):
        raise BalanxError(f"no engine plays {game.name} yet")
    nodes = nodes_of(player.level)
    thought = search(
        game, position, nodes=nodes, seed=seed * 1009 + position.ply, history=line.positions[:-1], stop=stop
    )
    return game.move_text(thought.move)
