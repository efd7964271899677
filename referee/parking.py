"""Parking: a session and what the table reads in; the board brought level and its motor let go, out. Pure.

The last thing before the daemon ends, or until the players go on. The session judges nothing meanwhile, so that
nothing of the game changes: a move that was provisional is found again. As before every motion: at least the warning's
time, nothing in hand, the picture at rest; a change of the picture calls it off.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto
from typing import Any

from hardware.occupancy import Occupancy
from hardware.rest import Rest
from hardware.tilt import Drive

from . import events as e
from .session import Session

INF = float("inf")
WAIT_S = 2.0  # for a motion under way, and for marbles and hands, at most
QUIET_S = 0.3
LATE_S = 0.7  # after the swing should have ended
LONGEST_S = 4.0  # whatever hands do: no swing begins later


class Stage(Enum):
    """How far it is."""

    WAITING = auto()
    WARNING = auto()
    SWINGING = auto()
    DONE = auto()


class Parking:
    """One board on its way to rest. level: it got there."""

    def __init__(
        self,
        session: Session[Any, Any],
        drive: Drive,
        occupancy: Occupancy,
        emit: Callable[[e.GameEvent], None],
        now_s: float,
    ) -> None:
        self._game, self._position, self._sensor = session.game, session.position, session.sensor
        self._bad = frozenset(session.bad)
        self._drive = drive
        self._emit = emit
        self._rest = Rest(None)
        self._rest.take(occupancy, self._bad)
        self._rest.disturb(now_s)
        self._until_s = now_s + WAIT_S
        self._last_s = now_s + LONGEST_S
        self.stage = Stage.WAITING
        self.level = False
        may_move = self._game.tilts and drive.motor and drive.armed and not session.stopped
        if not (session.link_up and may_move):
            self.halt(now_s)

    @property
    def done(self) -> bool:
        """Whether the motor is let go, wherever the board stands."""
        return self.stage is Stage.DONE

    def see(self, occupancy: Occupancy) -> None:
        """Follow one occupancy."""
        changed = any(change.cell not in self._bad for change in occupancy.changes)
        self._rest.take(occupancy, self._bad)
        if self.done:
            return
        if not occupancy.known or (changed and self.stage is Stage.SWINGING):
            self.halt(occupancy.at_s)
        elif changed and self.stage is Stage.WARNING:
            self._emit(e.CalledOff(at_s=occupancy.at_s))
            self.stage = Stage.WAITING
            self._until_s = min(occupancy.at_s + WAIT_S / 2, self._last_s)

    def tick(self, now_s: float) -> None:
        """Whatever falls due by `now_s`."""
        drive = self._drive
        if self.stage is Stage.SWINGING and drive.level:
            self.level = True
            self.halt(now_s)
        elif self.stage is Stage.WAITING and now_s < self._until_s and self._at_ease(now_s):
            self.stage = Stage.WARNING
            self._until_s = now_s + drive.limits.warning_s
            self._emit(e.TiltWarning(at_s=now_s, seat=None, due_s=self._until_s))
        elif now_s >= self._until_s and self.stage is Stage.WARNING:
            self.stage = Stage.SWINGING
            self._emit(e.TiltStarted(at_s=now_s, seat=None))
            self._until_s = now_s + drive.limits.swing_s + LATE_S
            drive.to_level(now_s)
        elif now_s >= self._until_s:
            self.halt(now_s)

    def halt(self, now_s: float) -> None:
        """The end of it, wherever the board stands: its motor stops at once and is let go."""
        self.stage = Stage.DONE
        self._drive.let_go(now_s)

    def due_s(self) -> float:
        """When `tick` wants to be called next (inf: never)."""
        if self.done:
            return INF
        resting = self._rest.resting(self._bad)
        if self.stage is not Stage.WAITING or resting is None or self._drive.side is None:
            return self._until_s
        return min(self._until_s, resting.since_s + QUIET_S) if self._whole() else self._until_s

    def _at_ease(self, now_s: float) -> bool:
        """Whether a motor may start after its warning: the board stands, nothing moves, nothing is in hand."""
        resting = self._rest.resting(self._bad)
        if resting is None or self._drive.side is None or now_s < resting.since_s + QUIET_S:
            return False
        return self._whole()

    def _whole(self) -> bool:
        """Whether as many marbles are seen as the position has; a bad sensor may hide one."""
        resting = self._rest.resting(self._bad)
        if resting is None:
            return False
        wanted = sum(map(bool, self._game.picture(self._position, self._sensor)))
        seen = sum(bool(code) for cell, code in enumerate(resting.picture) if cell not in self._bad)
        return seen + len(self._bad) >= wanted
