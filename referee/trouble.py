"""Trouble: a wrong picture in, what to say of it and how to lead back out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Generic

from hardware.faults import FaultName
from rules.game import Game, M, P, Underway

from . import events as e
from .guide import lead_back, what_is_wrong
from .infer import Prospects, Wrong

Words = Callable[[Sequence[str], Sequence[str], str, Mapping[str, str]], str]
TOO_EARLY = "That was too early: the board has to tilt first."


@dataclass(frozen=True, slots=True)
class Trouble:
    """What is wrong. code: a reason of the rules core, or `too_early`, `second_marble`, `not_announced`, `changed`,
    `stuck_marble`, `undone`, `differs`.

    guide: what to do next. missing, extra: cells to fill and to clear to be in step again. cells: those that the reason
    is about.
    """

    code: str
    say: str
    guide: str
    missing: tuple[int, ...]
    extra: tuple[int, ...]
    move: str = ""
    cells: tuple[int, ...] = ()

    def event(self, at_s: float, name: Callable[[int], str]) -> e.OutOfStep:
        """The event that says it."""
        return e.OutOfStep(
            at_s=at_s,
            code=self.code,
            say=self.say,
            guide=self.guide,
            move=self.move,
            spaces=tuple(map(name, self.cells)),
            missing=tuple(map(name, self.missing)),
            extra=tuple(map(name, self.extra)),
            fault=FaultName.MARBLE_STUCK if self.code == "stuck_marble" else None,
        )


@dataclass(frozen=True, slots=True)
class Troubles(Generic[P, M]):
    """Makes troubles of one game."""

    game: Game[P, M]

    def early(self, prospects: Prospects[P, M], picture: bytes, bad: Set[int]) -> Trouble | None:
        """The board is still to tilt for the player to move; has he moved already? None: not, or more is wrong."""
        missing, extra = prospects.off(picture, prospects.expected, bad)
        if not len(missing) == len(extra) == 1:
            return None
        return self._too_early(missing, extra, prospects.position)

    def _too_early(self, missing: tuple[int, ...], extra: tuple[int, ...], stands: P) -> Trouble:
        return Trouble("too_early", TOO_EARLY, self._guide(missing, extra, stands), missing, extra)

    def after(self, prospects: Prospects[P, M], stands: P, picture: bytes, bad: Set[int]) -> Trouble | None:
        """A move leads to `stands`, and is not a turn yet: whose was the piece moved since?

        None: it was not one single piece.
        """
        position = prospects.position
        missing, extra = prospects.off(picture, prospects.picture(stands), bad)
        if not len(missing) == len(extra) == 1:
            return None
        if self.game.owner(position, missing[0]) == position.side:
            say = f"Only one {self.game.piece} is moved in a turn, and it has been moved already."
            return Trouble("second_marble", say, self._guide(missing, extra, stands), missing, extra)
        return self._too_early(missing, extra, stands) if self.game.tilts else None

    def undone(self, move: M, missing: tuple[int, ...], extra: tuple[int, ...], before: P) -> Trouble:
        """A turn was taken back by a command, and still lies on the board. before: the position to go back to."""
        say = f"{self.game.move_text(move)} was taken back."
        return Trouble("undone", say, self._guide(missing, extra, before), missing, extra)

    def unexplained(self, wrong: Wrong[M], position: P) -> Trouble:
        """What the rules core says of the one from-to, or the bare difference to a position."""
        missing, extra = wrong.missing, wrong.extra
        guide = self._guide(missing, extra, position)
        if wrong.illegal is not None and wrong.move is not None:
            move, reason = self.game.move_text(wrong.move), wrong.illegal
            cells = tuple(reason.cells)
            return Trouble(reason.reason.value, reason.sentence, guide, missing, extra, move, cells)
        say = self._in_words(what_is_wrong, missing, extra, position)
        return Trouble("differs", say, guide, missing, extra)

    def _guide(self, missing: tuple[int, ...], extra: tuple[int, ...], position: P) -> str:
        """How to get back to a position."""
        return self._in_words(lead_back, missing, extra, position)

    def _in_words(self, words: Words, missing: tuple[int, ...], extra: tuple[int, ...], position: P) -> str:
        """One of `referee.guide`'s sentences on the way to a position."""
        game = self.game
        lies = {game.cell_names[cell]: game.lies(position, cell) for cell in missing}
        return words(tuple(lies), [game.cell_names[cell] for cell in extra], game.piece, lies)

    def changed(self, underway: Underway[M]) -> Trouble:
        """A move lies on the board, and something else was changed with it."""
        say = "Something was changed that this move does not change."
        move = self.game.move_text(underway.move)
        return Trouble("changed", say, underway.sentence, underway.wrong, underway.wrong, move)

    def not_announced(
        self, prospects: Prospects[P, M], found: M, announced: M | None, picture: bytes, bad: Set[int]
    ) -> Trouble:
        """A machine has the move, and another one was made for it."""
        position = prospects.position
        seat, made = self.game.seats[position.side], self.game.move_text(found)
        said = (
            f"{seat} is still thinking"
            if announced is None
            else f"{seat} plays {self.game.move_text(announced)}"
        )
        missing, extra = prospects.off(picture, prospects.expected, bad)
        guide = self._guide(missing, extra, position)
        cells = self.game.travel(found)
        return Trouble("not_announced", f"{said}, not {made}.", guide, missing, extra, made, cells)

    def stuck(self, lies: int, goal: int) -> Trouble:
        """A marble did not roll, even when the board was rocked."""
        names = self.game.cell_names
        say = f"The marble on {names[lies]} has not rolled to {names[goal]}."
        guide = f"Nudge it so that it rolls to {names[goal]}, or say that the board is right."
        return Trouble("stuck_marble", say, guide, (goal,), (lies,), cells=(lies, goal))
