"""Announcer: turns of machines in; questions and announcements out, and whether a move is the announced one."""

from __future__ import annotations

from collections.abc import Callable, Set
from typing import Generic

from rules.game import Game, M, P

from . import events as e
from .errors import RefereeError


class Announcer(Generic[P, M]):
    """Speaks for the machines at the seats `machines`. announced: the move of the machine whose turn it is."""

    def __init__(self, game: Game[P, M], machines: Set[int], emit: Callable[[e.GameEvent], None]) -> None:
        self._game = game
        self._machines = machines
        self._emit = emit
        self._asked: P | None = None
        self.announced: M | None = None

    def forget(self) -> None:
        """The position has changed: no question stands any more."""
        self._asked = self.announced = None

    def turn(self, position: P, now_s: float) -> None:
        """It is a player's turn: ask a machine, or say again what it has answered."""
        if position.side not in self._machines:
            return
        if self._asked != position:
            self._asked, self.announced = position, None
            text = self._game.position_text(position)
            self._emit(e.MoveWanted(at_s=now_s, seat=position.side, position=text))
        else:
            self.say_again(position, now_s)

    def answer(self, text: str, position: P) -> None:
        """A machine's move, not yet said. Raises RefereeError, or what the game's reader raises."""
        move = self._game.parse_move(text)
        if move not in self._game.moves(position):
            raise RefereeError(f"{text} was announced, which is not legal here.")
        self.announced = move

    def say_again(self, position: P, now_s: float) -> None:
        """Announce the machine's move, if there is one."""
        if self.announced is not None:
            start, goal = self._game.travel(self.announced)
            text = self._game.move_text(self.announced)
            self._emit(e.Announced(at_s=now_s, seat=position.side, move=text, from_cell=start, to_cell=goal))

    def allows(self, position: P, after: P) -> bool:
        """Whether a move that leads to `after` may be made: a person's any, a machine's only the announced one."""
        if position.side not in self._machines:
            return True
        return self.announced is not None and self._game.play(position, self.announced) == after
