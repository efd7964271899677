"""A line of play: a position and moves in, the positions on the way and the end out, repetition included."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Generic

from .errors import IllegalMove
from .game import Game, Illegal, M, Outcome, P

TIMES_FOR_A_DRAW = 3


@dataclass(frozen=True, slots=True)
class Line(Generic[P, M]):
    """Positions and the moves between them, one fewer. Every change gives a new line."""

    game: Game[P, M]
    positions: tuple[P, ...]
    moves: tuple[M, ...] = ()
    outcome: Outcome | None = None

    @classmethod
    def begin(cls, game: Game[P, M], position: P | None = None) -> Line[P, M]:
        """A line without moves, from the start or from a position."""
        first = game.start() if position is None else position
        return cls(game, (first,), (), game.outcome(first))

    @property
    def position(self) -> P:
        """The position after the last move."""
        return self.positions[-1]

    def push(self, move: M) -> Line[P, M]:
        """The line with one more move. Raises IllegalMove, also when the line has ended."""
        number, text = len(self.moves) + 1, self.game.move_text(move)
        if self.outcome is not None:
            sentence = f"The game is over: {self.game.result_text(self.outcome)}."
            raise IllegalMove(number, text, "game_over", (), sentence)
        verdict = self.game.judge(self.position, move)
        if isinstance(verdict, Illegal):
            raise IllegalMove(number, text, verdict.reason, verdict.cells, verdict.sentence)
        positions = (*self.positions, verdict.after)
        outcome = verdict.outcome or self._repeated(positions)
        return replace(self, positions=positions, moves=(*self.moves, move), outcome=outcome)

    def extend(self, moves: Iterable[M]) -> Line[P, M]:
        """`push` one after another."""
        line = self
        for move in moves:
            line = line.push(move)
        return line

    def back(self, plies: int) -> Line[P, M]:
        """The line without its last moves. Raises ValueError when there are not so many."""
        if not 0 <= plies <= len(self.moves):
            raise ValueError(f"cannot take back {plies} of {len(self.moves)} moves")
        if plies == 0:
            return self
        left = len(self.moves) - plies
        return replace(self, positions=self.positions[: left + 1], moves=self.moves[:left], outcome=None)

    def ended(self, outcome: Outcome) -> Line[P, M]:
        """The line ended by the players: resigned or agreed. Raises ValueError when it has ended already."""
        if self.outcome is not None:
            raise ValueError("the game is over already")
        return replace(self, outcome=outcome)

    def _repeated(self, positions: tuple[P, ...]) -> Outcome | None:
        key = self.game.repetition_key(positions[-1])
        if key is None:
            return None
        times = sum(self.game.repetition_key(earlier) == key for earlier in positions)
        return Outcome(None, "repetition") if times >= TIMES_FOR_A_DRAW else None
