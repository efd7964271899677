"""Trouble: a wrong picture in, what to say of it and how to lead back out."""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import dataclass
from typing import Generic

from hardware.faults import FaultName
from rules.game import Game, M, P

from . import events as e
from .guide import lead_back, what_is_wrong
from .infer import Wrong, difference

TOO_EARLY = "That was too early: the board has to tilt first."


@dataclass(frozen=True, slots=True)
class Trouble:
    """What is wrong. code: a reason of the rules core, or `too_early`, `second_marble`, `not_announced`,
    `stuck_marble`, `differs`.

    missing, extra: cells to fill and to clear to be in step again. cells: those that the reason is about. guide: what
    to do next, where it is not simply to fill and to clear.
    """

    code: str
    say: str
    missing: tuple[int, ...]
    extra: tuple[int, ...]
    move: str = ""
    cells: tuple[int, ...] = ()
    guide: str = ""

    def event(self, at_s: float, name: Callable[[int], str]) -> e.OutOfStep:
        """The event that says it."""
        missing, extra = (tuple(map(name, cells)) for cells in (self.missing, self.extra))
        return e.OutOfStep(
            at_s=at_s,
            code=self.code,
            say=self.say,
            guide=self.guide or lead_back(missing, extra),
            move=self.move,
            spaces=tuple(map(name, self.cells)),
            missing=missing,
            extra=extra,
            fault=FaultName.MARBLE_STUCK if self.code == "stuck_marble" else None,
        )


@dataclass(frozen=True, slots=True)
class Troubles(Generic[P, M]):
    """Makes troubles of one game."""

    game: Game[P, M]
    sensor: str

    def off(
        self, picture: bytes, stands: P, tilt: int | None, bad: Set[int]
    ) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Cells to fill and to clear so that the picture shows a position."""
        game = self.game
        return difference(game.level(picture, tilt), game.level(game.picture(stands, self.sensor), tilt), bad)

    def early(self, picture: bytes, position: P, tilt: int | None, bad: Set[int]) -> Trouble | None:
        """The board is still to tilt for the player to move; has he moved already? None: not, or more is wrong."""
        missing, extra = self.off(picture, position, tilt, bad)
        if not len(missing) == len(extra) == 1:
            return None
        return Trouble("too_early", TOO_EARLY, missing, extra)

    def after(
        self, picture: bytes, position: P, stands: P, tilt: int | None, bad: Set[int]
    ) -> Trouble | None:
        """A move was made at `position`, leads to `stands`, and is not a turn yet: whose was the marble moved since?

        None: it was not one single marble.
        """
        missing, extra = self.off(picture, stands, tilt, bad)
        if not len(missing) == len(extra) == 1:
            return None
        if self.game.owner(position, missing[0]) == position.side:
            say = "Only one marble is moved in a turn, and it has been moved already."
            return Trouble("second_marble", say, missing, extra)
        return Trouble("too_early", TOO_EARLY, missing, extra)

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
        guide = f"Nudge it so that it rolls to {names[goal]}, or say that the board is right."
        return Trouble("stuck_marble", say, (goal,), (lies,), cells=(lies, goal), guide=guide)
