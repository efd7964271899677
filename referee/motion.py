"""Motion: the referee's side of the tilt drive. When to start and stop it; how is the drive's (`hardware.tilt`).

Every start of a motor is announced by a warning, which the session lets run (`MotionPending`); while the motor
moves, a change that no rolling marble explains stops it at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from statistics import median
from typing import Any

from hardware.faults import FaultName
from hardware.occupancy import Change
from hardware.tilt import Drive, SupplyWeak, TiltFailed, TiltNoticed
from rules.game import Game

from . import events as e
from .drives import DriveTrouble, Unnamed, gaps_s, said_later, said_of, said_of_freed, what_failed
from .infer import tilt_by_marbles

AnyGame = Game[Any, Any]


class Motion:
    """One board's tilt. moving: a motor is on its way. not_before_s: marbles may roll until then."""

    def __init__(self, game: AnyGame, drive: Drive, emit: Callable[[e.GameEvent], None]) -> None:
        self._game = game
        self._emit = emit
        self.drive = drive
        self.moving = False
        self.not_before_s = 0.0
        self.rocked = False  # since the last tilt or turn
        self.held: tuple[int, int] | None = (
            None  # where a marble lay still, for which it is rocked, and its goal
        )
        self.twins = twins_of(game)
        self._loose: Iterable[int] = ()  # cells from or to which a marble may roll in the present motion
        self._loose_from_s = 0.0
        # when the motor last began to swing, until the picture was in step again
        self.swung_s: float | None = None
        self.came = False  # it has come where it was sent, and was not stopped on the way
        self._usual_gap_s: float | None = None
        self._side_known = False  # as the motor last began to swing
        self._unnamed: Unnamed | None = None

    def side(self, picture: bytes, wanted: int | None) -> int | None:
        """The side that is down now: told by the drive, else by the marbles, else as the rules want it."""
        if not self._game.tilts or self.drive.side is not None:
            return self.drive.side
        if self.drive.motor:
            return None
        side, agree = tilt_by_marbles(self._game, picture)
        return wanted if side is None and agree else side

    def go(self, seat: int, picture: bytes, now_s: float) -> None:
        """Start the motor; its warning has been given. picture: what lies on the board, by the game."""
        limits = self.drive.limits
        self.moving = True
        self._side_known = self.drive.side is not None
        self.rocked = False
        self.held = None
        self.swung_s = now_s
        self.came = False
        self.not_before_s = now_s + limits.settle_s
        # Only a marble that is alone in its groove rolls, and not before the board has passed its level.
        one, other = self._game.level(picture, 0), self._game.level(picture, 1)
        self._loose = {cell for cell in self.twins if one[cell] != other[cell]}
        self._loose_from_s = now_s + limits.swing_s / 2
        self.drive.go(seat, now_s)
        self._emit(e.TiltStarted(at_s=now_s, seat=seat))

    def can_rock(self) -> bool:
        """Whether rocking was not tried yet, and can be."""
        return not self.rocked and self.drive.motor and self.drive.side is not None

    def rock(self, now_s: float) -> bool:
        """Rock the board a little; its warning has been given. False where its side is not known any more."""
        side = self.drive.side
        if side is None:
            return False
        self.moving = self.rocked = True
        self.not_before_s = now_s + self.drive.limits.settle_s
        self._loose, self._loose_from_s = self.twins, now_s
        self.drive.rock(now_s)
        self._emit(e.TiltStarted(at_s=now_s, seat=side, rock=True))
        return True

    def watch(self, changes: Iterable[Change]) -> bool:
        """Stop at once where a change is not a rolling marble's. True if it was stopped."""
        if not self.moving:
            return False
        for change in changes:
            if change.cell not in self._loose or change.at_s < self._loose_from_s:
                self.halt(change.at_s)
                self._emit(e.TiltStopped(at_s=change.at_s, cell=self._game.cell_names[change.cell]))
                return True
        return False

    def pushed(self, picture: bytes) -> DriveTrouble | None:
        """What a failed motion was, where it shows now that people have pushed the board; said once."""
        unnamed, told = self._unnamed, self.drive.side
        if unnamed is None:
            return None
        fault = unnamed.pushed(told, tilt_by_marbles(self._game, picture)[0])
        if fault is not None or told == unnamed.seat:
            self._unnamed = None
        return None if fault is None else said_later(unnamed.seat, fault, self._game.seats)

    def freed(self) -> DriveTrouble | None:
        """A marble that has rolled only because the board was rocked, said once."""
        held, self.held = self.held, None
        return said_of_freed(*held, self._game.cell_names) if held is not None and self.rocked else None

    def halt(self, now_s: float) -> None:
        """Stop, where a motor moves."""
        if self.moving:
            self.moving = False
            self.held = None
            self.drive.stop(now_s)

    def arrived(self, now_s: float, expected: bool) -> None:
        """The board stands at an end position; if it was swung there just now, marbles roll on for a while.

        A motor's board that nobody sent there has stood there before: a link that came up only says so now.
        """
        self.came = self.moving and expected
        self.moving = False
        if expected or not self.drive.motor:
            limits = self.drive.limits
            self.not_before_s = max(self.not_before_s, now_s + limits.settle_s - limits.swing_s)

    def in_step(self, changes: Iterable[Change]) -> None:
        """The board stands where it was sent, and the picture fits: how fast marbles roll here is known now."""
        if self.swung_s is not None:
            gaps = gaps_s(changes, self.twins, self.swung_s)
            self.swung_s = None
            if gaps:
                self._usual_gap_s = median(gaps)

    def trouble(
        self, event: TiltFailed | TiltNoticed | SupplyWeak, changes: Iterable[Change], picture: bytes
    ) -> DriveTrouble:
        """What the drive reports, by its name and in words. changes: since the picture was last in step."""
        fault = None
        if isinstance(event, TiltFailed):
            self.moving = False
            gaps = gaps_s(changes, self.twins, 0.0 if self.swung_s is None else self.swung_s)
            low = self._game.level(picture, event.seat) == picture
            fault = what_failed(event, gaps, self._usual_gap_s, len(tuple(self._loose)) // 2, low)
            if fault is None and event.fault is FaultName.END_NEVER:
                self._unnamed = Unnamed(event.seat, self._side_known)
        return said_of(event, fault, self._game.seats)


def twins_of(game: AnyGame) -> dict[int, int]:
    """Cell -> the other cell of its groove, for grooves in which a marble can roll."""
    twins: dict[int, int] = {}
    if game.tilts:
        for cell in range(game.cells):
            single = bytes(int(other == cell) for other in range(game.cells))
            for seat in (0, 1):
                rolled = game.level(single, seat)
                if rolled != single:
                    twins[cell] = rolled.index(1)
    return twins
