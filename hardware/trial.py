"""Trial: swings of a motor that counts or runs, before anybody knows how it is mounted. See hardware.motor.

Nothing relies on which end input is which: one that closes on the way stops the board, whichever it is.
"""

from __future__ import annotations

from .motor import STALL_SHARE, STEADY, MotorDrive, MotorMotion
from .tilt import STALLED, TiltArrived, TiltEvent, Why

NEAR_CDEG = 100  # a board that is to go nowhere leaves no end


class TrialDrive(MotorDrive):
    """See Drive. Sides and angles are the motor's own; it must be told first where it stands."""

    tries = 1

    def stands(self, cdeg: float) -> None:
        """Somebody knows where the board stands."""
        self._at_cdeg = cdeg

    @property
    def at_cdeg(self) -> float:
        """Where the board stands, counted from what `stands` was told."""
        return self._at_cdeg or 0.0

    def _angle(self, seat: int) -> int:
        return self.limits.angle(seat)

    def _leaves_none(self, motion: MotorMotion, ends: int) -> bool:
        return not ends or abs(motion.to_cdeg - motion.from_cdeg) < NEAR_CDEG

    def _trouble(self, motion: MotorMotion, ends: int, now_s: float) -> Why | None:
        if not ends:
            motion.left = True
        return STALLED if not motion.left and now_s >= motion.begin_s + STALL_SHARE * motion.swing_s else None

    def _on(self, motion: MotorMotion, ends: int, now_s: float) -> list[TiltEvent]:
        end_s = motion.begin_s + motion.swing_s
        motion.steady = motion.steady + 1 if ends and motion.left else 0
        if motion.steady:
            self._mover.brake()  # at once; a contact that bounces is no end
            if motion.steady < STEADY:
                return []
        else:
            self._follow(motion, min(now_s, end_s))
            if now_s < end_s:
                return []
            self._mover.brake()
        self._motion, self._side = None, motion.seat
        self._release_s = now_s + self.limits.hold_s
        return [TiltArrived(now_s, motion.seat, expected=True)]

    def _rest(self, ends: int, now_s: float) -> list[TiltEvent]:
        return []
