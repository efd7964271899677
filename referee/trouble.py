"""Trouble: a wrong picture in, what to say of it and how to lead back out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic

from rules.game import Game, M, P

from . import events as e
from .guide import lead_back, what_is_wrong
from .infer import Wrong, difference


@dataclass(frozen=True, slots=True)
class Trouble:
    """What is wrong. code: a reason of the rules core, or `too_early`, `second_marble`, `not_announced`,
    `stuck_marble`, `differs`.

    missing, extra: cells to fill and to clear to be in step again. cells: those that the reason is about.
    """

    code: str
    say: str
    missing: tuple[int, ...]
    extra: tuple[int, ...]
    move: str = ""
    cells: tuple[int, ...] = ()

    def event(self, at_s: float, name: Callable[[int], str], guide: str = "") -> e.OutOfStep:
        """The event that says it. guide: instead of the usual one."""
        missing, extra = (tuple(map(name, cells)) for cells in (self.missing, self.extra))
        return e.OutOfStep(
            at_s=at_s,
            code=self.code,
            say=self.say,
            guide=guide or lead_back(missing, extra),
            move=self.move,
            spaces=tuple(map(name, self.cells)),
            missing=missing,
            extra=extra,
        )


@dataclass(frozen=True, slots=True)
class Troubles(Generic[P, M]):
    """Makes troubles of one game."""

    game: Game[P, M]

    def unexplained(self, wrong: Wrong[M]) -> Trouble:
        """What the rules core says of the one from-to, or the bare difference."""
        names = self.game.cell_names
        if wrong.illegal is not None and wrong.move is not None:
            move = self.game.move_text(wrong.move)
            reason = wrong.illegal
            return Trouble(
                reason.reason.value, reason.sentence, wrong.missing, wrong.extra, move, tuple(reason.cells)
            )
        say = what_is_wrong([names[cell] for cell in wrong.missing], [names[cell] for cell in wrong.extra])
        return Trouble("differs", say, wrong.missing, wrong.extra)

    def too_early(self, missing: tuple[int, ...], extra: tuple[int, ...]) -> Trouble:
        """The next player moved before the board tilted."""
        return Trouble("too_early", "That was too early: the board has to tilt first.", missing, extra)

    def second_marble(self, missing: tuple[int, ...], extra: tuple[int, ...]) -> Trouble:
        """The player to move has moved another marble, too."""
        say = "Only one marble is moved in a turn, and it has been moved already."
        return Trouble("second_marble", say, missing, extra)

    def not_announced(
        self, position: P, found: M, announced: M | None, observed: bytes, expected: bytes
    ) -> Trouble:
        """A machine has the move, and another one was made for it."""
        seat, made = self.game.seats[position.side], self.game.move_text(found)
        said = (
            f"{seat} is still thinking"
            if announced is None
            else f"{seat} plays {self.game.move_text(announced)}"
        )
        missing, extra = difference(observed, expected, frozenset())
        return Trouble("not_announced", f"{said}, not {made}.", missing, extra, made, self.game.travel(found))

    def stuck(self, lies: int, goal: int) -> Trouble:
        """A marble did not roll, even when the board was rocked."""
        names = self.game.cell_names
        say = f"The marble on {names[lies]} has not rolled to {names[goal]}."
        return Trouble("stuck_marble", say, (goal,), (lies,), cells=(lies, goal))
