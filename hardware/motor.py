"""Motor: a drive that this computer moves itself. The referee's commands and end inputs in, motion and tilt events out.

What every motion keeps to (tests/hardware names each rule and breaks each on purpose): nothing moves before `arm`; the
board follows a minimum-jerk profile and never leaves its limits; where it stands is known from the end inputs, else it
creeps to its end; a stop acts at once; an end that is not reached in time, a board that does not leave its side, both
ends at once and a driver that does not answer are tried again once and then reported; the motor is let go after
arrival, and rests when it has worked too much.

The controller's servo has its own rules, in its firmware; `hardware.tilt` speaks to it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from firmware_bridge.link import LinkEvent, LinkLost

from .errors import HardwareError
from .faults import FaultName
from .sensors import Reader, Unreadable
from .tilt import (
    BOTH,
    INF,
    ROCK_REST_S,
    SEAT_OF,
    SHORT,
    STALLED,
    WRONG_WAY,
    BaseDrive,
    TiltArrived,
    TiltEvent,
    TiltLimits,
    Why,
)

STEP_S = 0.02  # while the motor has power
LOOK_S = 0.1  # at the end inputs, while it has none
BLIND_S = 1.0  # pause after end inputs could not be read
AGAIN_S = 0.3  # pause before a motion is tried again
CREEP_CDEG_S = 400.0
OVER_CDEG = 150  # a motor that counts may be so much wrong
JUMP_S = 1.0  # a servo that did not stand where its first pulse says is there after so long
STALL_SHARE = 0.6  # of the swing: by then the board has left its side
STEADY = 2  # looks that must agree before an end input counts as arrival
DUTY_S = 20.0  # of power, at most, before the motor rests
COOLING = 1 / 3  # seconds of power made good by a second of rest

BOTH_ENDS = Why("both end positions are seen at once", FaultName.END_ALWAYS)


class MotorLost(HardwareError):
    """The motor's driver does not do what it is told. The message says what and what to look at."""


class Mover(Protocol):
    """What turns the board. All methods but `here` may raise MotorLost.

    places: it goes to the angle that it is told, wherever it was (a servo), and cannot creep from an unknown one.
    """

    places: bool

    def here(self, cdeg: float) -> None:
        """The board is known to stand at an angle now: count from there."""

    def follow(self, cdeg: float, rate_cdeg_s: float) -> None:
        """Be at this angle now, and go on at this rate."""

    def brake(self) -> None:
        """Turn no further, at once; hold if you can."""

    def release(self) -> None:
        """No power any more."""


@dataclass(slots=True)
class MotorMotion:
    """One motion under way.

    wake_s: when the motor gets power; begin_s: when the profile begins. left: the end input that was closed at its
    start has opened (or none was).
    """

    seat: int
    from_cdeg: float
    to_cdeg: float
    wake_s: float
    begin_s: float
    swing_s: float
    deadline_s: float = INF
    tries: int = 1
    homing: bool = False
    started: bool = False
    left: bool = False
    steady: int = 0
    braked: bool = False
    back_s: float = INF  # when a rocking board is to come back
    rock: bool = False
    last: bool = False  # to level, before the motor is let go


def profile(share: float) -> tuple[float, float]:
    """Minimum jerk: way and rate, both of 1, at a share of the time (physics notes, section 2)."""
    u = min(max(share, 0.0), 1.0)
    return u**3 * (10 - 15 * u + 6 * u * u), 30 * u * u * (1 - u) * (1 - u)


class MotorDrive(BaseDrive[MotorMotion]):
    """See hardware.tilt.Drive.

    shape, creep_cdeg_s: way and rate over time, rate of a board that is not known to stand anywhere.
    """

    shape: Callable[[float], tuple[float, float]] = staticmethod(profile)
    creep_cdeg_s = CREEP_CDEG_S

    def __init__(
        self,
        limits: TiltLimits,
        mover: Mover,
        ends: Reader | None,
        *,
        renew: Callable[[], None] | None = None,
    ) -> None:
        """ends: bit 0 closed with seat 0 down, bit 1 with seat 1 down; only a servo does without.

        renew: called at each step while the motor has power, for a watchdog outside.
        """
        if ends is None and not mover.places:
            raise HardwareError("tilt: a motor that counts or runs needs end inputs")
        super().__init__(limits)
        self._mover = mover
        self._ends = ends
        self._renew = renew
        self._at_cdeg: float | None = None
        self._look_s = 0.0
        self._release_s = INF  # when a motor that holds is let go
        self._powered_s = INF  # since when it has power
        self._worked_s = 0.0  # seconds of power not made good by rest
        self._rested_s = 0.0  # since when it has none

    def _angle(self, seat: int) -> int:
        # What counts or runs stops at its end inputs, wherever level lies between them.
        return self.limits.angle(seat) if self._mover.places else self.limits.full_cdeg * (1, -1)[seat]

    @property
    def powered(self) -> bool:
        """Whether the motor has power now."""
        return self._powered_s < INF

    def arm(self, now_s: float) -> None:
        """See Drive."""
        if not self._failed:
            self._armed = True

    def go(self, seat: int, now_s: float) -> None:
        """See Drive. Raises HardwareError while not armed."""
        self._must_be_armed()
        self.motions += 1
        self._plan(seat, now_s, tries=1)

    def rock(self, now_s: float) -> None:
        """See Drive. Does nothing where the side that is down is not known."""
        if not self._armed or self._side is None or self._motion is not None or self._at_cdeg is None:
            return
        seat, swing_s = self._side, self.limits.rock_s
        end, up = self._angle(seat), self._rocked(seat)
        self.motions += 1
        begin_s = self._rested(now_s)
        self._motion = MotorMotion(seat, end, up, begin_s, begin_s, swing_s, left=True, rock=True)
        self._motion.back_s = begin_s + swing_s + ROCK_REST_S

    def stop(self, now_s: float) -> None:
        """See Drive."""
        if self._motion is None:
            return
        self._motion = self._side = None
        try:
            self._mover.brake()
        except MotorLost:
            self._at_cdeg = None
        if not self._mover.places:
            self._at_cdeg = None
        if self.powered:
            self._release_s = now_s + self.limits.hold_s

    def to_level(self, now_s: float) -> None:
        """See Drive. Does nothing where a motor that counts or runs does not know where it stands."""
        start = self._at_cdeg
        if not self._armed or (start is None and not self._mover.places):
            return
        self._level = False
        self.motions += 1
        wake_s = self._rested(now_s)
        begin_s = wake_s + JUMP_S if start is None else wake_s
        swing_s = self.limits.swing_s
        level = self.limits.level_cdeg
        start = level if start is None else start
        self._motion = MotorMotion(0, start, level, wake_s, begin_s, swing_s, left=True, last=True)
        self._look_s = min(self._look_s, now_s)

    def let_go(self, now_s: float) -> None:
        """See Drive. Lets go whatever happens."""
        self._armed = False
        self.stop(now_s)
        self._let_go(now_s)

    def take(self, event: LinkEvent) -> list[TiltEvent]:
        """See Drive. Where nobody sees the marbles nothing moves."""
        if isinstance(event, LinkLost):
            self.stop(event.at_s)
            self._armed = False
        return []

    def tick(self, now_s: float) -> list[TiltEvent]:
        """See Drive. Moves the motor a step."""
        if now_s < self._look_s:
            return []
        self._look_s = now_s + (STEP_S if self._motion is not None or self.powered else LOOK_S)
        if self._motion is None:
            return self._idle(now_s)
        try:
            if self._renew is not None and self.powered:
                self._renew()
            return self._step(self._motion, now_s)
        except (MotorLost, Unreadable) as error:
            return self._again(self._motion, Why(str(error)), now_s)

    def due_s(self) -> float:
        """See Drive."""
        motion = self._motion
        if motion is not None and not motion.started:
            return max(motion.wake_s, self._look_s)
        return self._look_s if self._ends is not None or motion is not None or self.powered else INF

    # ---- planning ------------------------------------------------------------------------------------------

    def _plan(self, seat: int, now_s: float, tries: int) -> None:
        to = self._angle(seat)
        homing = self._at_cdeg is None and not self._mover.places
        start = -to if self._at_cdeg is None else self._at_cdeg
        swing_s = self.limits.swing_s
        begin_s = wake_s = self._rested(now_s if tries == 1 else now_s + AGAIN_S)
        if homing:
            swing_s = max(swing_s, abs(to - start) / self.creep_cdeg_s)
        elif self._at_cdeg is None:
            # Nobody knows where the servo stands: its first pulses say level, and it has time to get there.
            start = self.limits.level_cdeg
            begin_s += JUMP_S
        deadline_s = begin_s + swing_s + self.limits.grace_s
        self._motion = MotorMotion(seat, start, to, wake_s, begin_s, swing_s, deadline_s, tries, homing)
        self._look_s = min(self._look_s, now_s)

    def _rested(self, now_s: float) -> float:
        """When the motor may begin: it rests after much work."""
        worked_s = self._worked_s
        if not self.powered:
            worked_s = max(0.0, worked_s - (now_s - self._rested_s) * COOLING)
        return now_s if worked_s <= DUTY_S else now_s + (worked_s - DUTY_S) / COOLING

    # ---- stepping ------------------------------------------------------------------------------------------

    def _seen(self) -> int:
        return 0 if self._ends is None else self._ends.read()

    def _step(self, motion: MotorMotion, now_s: float) -> list[TiltEvent]:
        ends = self._seen()
        if not motion.started:
            if now_s < motion.wake_s:
                return []
            motion.started = True
            motion.left = motion.left or self._leaves_none(motion, ends)
            self._power(now_s)
            self._mover.here(motion.from_cdeg)
            self._mover.follow(motion.from_cdeg, 0.0)
        if now_s < motion.begin_s:
            return []
        if motion.last:
            return self._level_step(motion, now_s)
        why = self._trouble(motion, ends, now_s)
        if why is not None:
            return self._again(motion, why, now_s)
        if motion.rock:
            return self._rock_step(motion, ends, now_s)
        return self._on(motion, ends, now_s)

    def _on(self, motion: MotorMotion, ends: int, now_s: float) -> list[TiltEvent]:
        """On the way to an end, with nothing in it."""
        goal = 1 << motion.seat
        done = now_s >= motion.begin_s + motion.swing_s
        motion.steady = motion.steady + 1 if ends == goal else 0
        if motion.steady and not self._mover.places:
            if not motion.braked:
                motion.braked = True
                self._mover.brake()  # never against the stop
        elif not motion.braked:
            self._follow(motion, now_s)
        if (motion.steady >= STEADY and (done or motion.braked)) or (self._ends is None and done):
            return self._arrived(motion, now_s)
        return []

    def _leaves_none(self, motion: MotorMotion, ends: int) -> bool:
        """Whether no end input must open in a motion that starts with these closed."""
        return not ends or ends == 1 << motion.seat

    def _trouble(self, motion: MotorMotion, ends: int, now_s: float) -> Why | None:
        """Why the motion cannot go on; None while it can."""
        if ends == BOTH:
            return BOTH_ENDS
        if not ends:
            motion.left = True
        elif ends != 1 << motion.seat and motion.left and not motion.rock:
            motion.tries = self.tries  # it would again
            return WRONG_WAY
        if not motion.left and now_s >= motion.begin_s + STALL_SHARE * motion.swing_s:
            return STALLED
        return SHORT if now_s >= motion.deadline_s else None

    def _follow(self, motion: MotorMotion, now_s: float) -> None:
        way = motion.to_cdeg - motion.from_cdeg
        spent_s = now_s - motion.begin_s
        share, rate = self.shape(spent_s / motion.swing_s)
        at, speed = motion.from_cdeg + way * share, way * rate / motion.swing_s
        over_s = spent_s - motion.swing_s
        if not (self._mover.places or motion.rock or motion.last):
            # What counts may have lost steps, what runs may be late: it creeps on, a little.
            toward = 1.0 if motion.seat == 0 else -1.0
            if over_s > 0:
                creep = min(self.creep_cdeg_s * over_s, OVER_CDEG)
                at, speed = motion.to_cdeg + toward * creep, toward * self.creep_cdeg_s
                if creep >= OVER_CDEG and not motion.homing:
                    speed = 0.0
        self._at_cdeg = at
        self._mover.follow(at, speed)

    def _level_step(self, motion: MotorMotion, now_s: float) -> list[TiltEvent]:
        self._follow(motion, now_s)
        if now_s >= motion.begin_s + motion.swing_s:
            self._at_level()
            self._mover.brake()
            self._release_s = now_s + self.limits.hold_s
        return []

    def _rock_step(self, motion: MotorMotion, ends: int, now_s: float) -> list[TiltEvent]:
        if motion.back_s < INF:
            if now_s < motion.back_s:
                self._follow(motion, now_s)
                return []
            motion.from_cdeg, motion.to_cdeg = motion.to_cdeg, self._angle(motion.seat)
            motion.begin_s, motion.back_s = now_s, INF
            motion.rock = False
            motion.deadline_s = now_s + motion.swing_s + self.limits.grace_s
        return []

    def _arrived(self, motion: MotorMotion, now_s: float) -> list[TiltEvent]:
        self._motion = None
        self._side = motion.seat
        self._at_cdeg = self._angle(motion.seat)
        self._release_s = now_s + self.limits.hold_s
        return [TiltArrived(now_s, motion.seat, expected=True)]

    def _again(self, motion: MotorMotion, why: Why, now_s: float) -> list[TiltEvent]:
        """Stop; once more, from where the end inputs say, or from where nobody knows; after that people push."""
        self._at_cdeg = self._side = None
        with contextlib.suppress(MotorLost):
            self._mover.brake()
        self._let_go(now_s)
        with contextlib.suppress(Unreadable):
            side = SEAT_OF.get(self._seen())
            self._at_cdeg = None if side is None else self._angle(side)
        return super()._again(motion, why, now_s)

    def _retry(self, motion: MotorMotion, now_s: float) -> None:
        self._plan(motion.seat, now_s, tries=motion.tries + 1)

    # ---- at rest -------------------------------------------------------------------------------------------

    def _idle(self, now_s: float) -> list[TiltEvent]:
        if now_s >= self._release_s:
            self._let_go(now_s)
        try:
            if self._renew is not None and self.powered:
                self._renew()
            ends = self._seen()
        except (MotorLost, Unreadable):
            self._look_s = now_s + BLIND_S
            return []
        return self._rest(ends, now_s)

    def _rest(self, ends: int, now_s: float) -> list[TiltEvent]:
        """At rest, with these end inputs closed."""
        if self._ends is None:
            return []
        side = SEAT_OF.get(ends)
        if side is not None:
            self._at_cdeg = self._angle(side)
        elif self._side is not None:
            self._at_cdeg = None
        return self._stands(side, now_s)

    def _power(self, now_s: float) -> None:
        if not self.powered:
            self._worked_s = max(0.0, self._worked_s - (now_s - self._rested_s) * COOLING)
            self._powered_s = now_s
        self._release_s = INF

    def _let_go(self, now_s: float) -> None:
        self._release_s = INF
        if self.powered:
            self._worked_s += now_s - self._powered_s
            self._powered_s, self._rested_s = INF, now_s
        with contextlib.suppress(MotorLost):
            self._mover.release()
