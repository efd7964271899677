"""Trouble: a wrong picture in, what to say of it and how to lead back out."""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import dataclass
from typing import Generic

from hardware.faults import FaultName
from rules.game import Game, M, P, Underway

from . import events as e
from .guide import lead_back, lead_pieces_back, what_is_wrong, what_pieces_are_wrong
from .infer import Wrong, difference

TOO_EARLY = "That was too early: the board has to tilt first."


@dataclass(frozen=True, slots=True)
class Trouble:
    """What is wrong. code: a reason of the rules core, or `too_early`, `second_marble`, `not_announced`, `changed`,
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
            say = f"Only one {self.game.piece} is moved in a turn, and it has been moved already."
            return Trouble("second_marble", say, missing, extra, guide=self._guide(missing, extra, stands))
        if not self.game.tilts:
            return None
        return Trouble("too_early", TOO_EARLY, missing, extra)

    def unexplained(self, wrong: Wrong[M], position: P) -> Trouble:
        """What the rules core says of the one from-to, or the bare difference to a position."""
        names = self.game.cell_names
        guide = self._guide(wrong.missing, wrong.extra, position)
        if wrong.illegal is not None and wrong.move is not None:
            move = self.game.move_text(wrong.move)
            reason = wrong.illegal
            return Trouble(
                reason.reason.value,
                reason.sentence,
                wrong.missing,
                wrong.extra,
                move,
                tuple(reason.cells),
                guide,
            )
        missing, extra = ([names[cell] for cell in cells] for cells in (wrong.missing, wrong.extra))
        if self.game.steady:
            return Trouble("differs", what_is_wrong(missing, extra), wrong.missing, wrong.extra)
        say = what_pieces_are_wrong(missing, extra, self.game.piece)
        return Trouble("differs", say, wrong.missing, wrong.extra, guide=guide)

    def _guide(self, missing: tuple[int, ...], extra: tuple[int, ...], position: P) -> str:
        """How to get back to a position where pieces are not all alike; empty where they are."""
        game = self.game
        if game.steady:
            return ""
        lies = {game.cell_names[cell]: game.lies(position, cell) for cell in missing}
        return lead_pieces_back(tuple(lies), [game.cell_names[cell] for cell in extra], game.piece, lies)

    def changed(self, underway: Underway[M]) -> Trouble:
        """A move lies on the board, and something else was changed with it."""
        say = "Something was changed that this move does not change."
        move = self.game.move_text(underway.move)
        return Trouble("changed", say, underway.wrong, underway.wrong, move, guide=underway.sentence)

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
        seen = observed if self.game.tilts else self.game.level(observed, None)
        missing, extra = difference(seen, expected, frozenset())
        guide = self._guide(missing, extra, position)
        cells = self.game.travel(found)
        return Trouble("not_announced", f"{said}, not {made}.", missing, extra, made, cells, guide)

    def stuck(self, lies: int, goal: int) -> Trouble:
        """A marble did not roll, even when the board was rocked."""
        names = self.game.cell_names
        say = f"The marble on {names[lies]} has not rolled to {names[goal]}."
        guide = f"Nudge it so that it rolls to {names[goal]}, or say that the board is right."
        return Trouble("stuck_marble", say, (goal,), (lies,), cells=(lies, goal), guide=guide)
