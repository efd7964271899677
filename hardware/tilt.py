"""Tilt: commands of the referee in, wire commands out; tilt reports in, tilt events out.

A drive never decides when to move (the referee does, after its warning); it decides how, and whether the
board arrived. Every motion has a deadline, is tried again once, and is then reported: the game goes on by hand.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, NamedTuple, Protocol, TypeVar

from firmware_bridge.link import Answered, LinkEvent, LinkLost, LinkUp, TiltSeen
from firmware_bridge.messages import (
    ANGLE_UNKNOWN_CDEG,
    ConfigKey,
    Configure,
    DisableTilt,
    EnableTilt,
    NumberedCommand,
    ResetCause,
    Result,
    Sensed,
    StopTilt,
    TiltTo,
)

from .errors import HardwareError
from .faults import FaultName

INF = float("inf")
SETTLE_AFTER_SWING_S = 0.6
AGAIN_S = 0.2  # pause before asking a board again that is not ready for a motion
READY_S = 8.0  # a board may boot, or creep to level from an unknown angle, before it takes the command
ROCK_REST_S = 0.3
WEAK_S = 0.2  # a brown-out so soon after a start of the servo is the servo's doing
EARLY_S = 0.1  # a swing begins before the answer to its command is here
LATE_S = 0.4  # after the swing should have ended
OTHER_SIDE = 0.25  # share of the full angle from which on the servo is told to be on a side
RESTART_S = 2.5  # a board may take so long from its reset to its hello
TRIES = 2
BOTH = int(Sensed.SEAT0_DOWN | Sensed.SEAT1_DOWN)
SEAT_OF = {int(Sensed.SEAT0_DOWN): 0, int(Sensed.SEAT1_DOWN): 1}
"""The seat whose side is down where one end input alone is closed."""
_NOT_READY = frozenset(
    {Result.TOO_SOON, Result.BUSY, Result.NOT_ENABLED, Result.DUTY_LIMIT, Result.OVERTAKEN}
)


@dataclass(frozen=True, slots=True)
class TiltLimits:
    """What a drive may do. Angles in centidegrees, the side of seat 0 down being positive.

    swing_s below 0.25 s is refused: marbles jump (physics notes, section 2).
    level_cdeg: what the motor is told where the board is level; both ends lie full_cdeg from it.
    settle_s: the slowest marble has come to rest so long after the start of the swing.
    """

    full_cdeg: int = 800
    rock_cdeg: int = 200
    swing_s: float = 0.6
    warning_s: float = 0.7
    grace_s: float = 1.0
    hold_s: float = 0.3  # the servo's signal ends so long after arrival
    level_cdeg: int = 0

    def __post_init__(self) -> None:
        if not 200 <= self.full_cdeg <= 1500:
            raise HardwareError(f"tilt: full angle {self.full_cdeg / 100:g} degrees is outside 2..15")
        if self.full_cdeg + abs(self.level_cdeg) > 1500:
            raise HardwareError(
                f"tilt: {self.full_cdeg / 100:g} degrees from a level of {self.level_cdeg / 100:g} are beyond 15"
            )
        if not 0 < self.rock_cdeg <= 200:
            raise HardwareError(f"tilt: rocking by {self.rock_cdeg / 100:g} degrees is outside 0..2")
        if not 0.25 <= self.swing_s <= 5.0:
            raise HardwareError(
                f"tilt: a swing of {self.swing_s:g} s is outside 0.25..5 (faster throws marbles)"
            )
        if not 0.7 <= self.warning_s <= 10.0:
            raise HardwareError(f"tilt: a warning of {self.warning_s:g} s is outside 0.7..10")

    def angle(self, seat: int) -> int:
        """What a motor is told for the side of `seat` down, in centidegrees."""
        return self.level_cdeg + (self.full_cdeg if seat == 0 else -self.full_cdeg)

    @property
    def settle_s(self) -> float:
        """Earliest reading after the start of a swing, in seconds: swing + 0.6 (physics notes, `read_earliest_s`)."""
        return self.swing_s + SETTLE_AFTER_SWING_S

    @property
    def rock_s(self) -> float:
        """Swing time of a rocking motion, which is a small one."""
        return max(0.25, self.swing_s / 2)


@dataclass(frozen=True, slots=True)
class TiltArrived:
    """The board stands with the side of `seat` down. expected: a drive was asked for it."""

    at_s: float
    seat: int
    expected: bool


@dataclass(frozen=True, slots=True)
class TiltLeft:
    """The board has left its end position although nobody asked the drive (pushed by hand, or sagging)."""

    at_s: float


@dataclass(frozen=True, slots=True)
class TiltFailed:
    """A drive could not do what it was asked to, twice. From now on people push the board.

    fault: its name as far as the drive can tell; an `end_never` may be a board that does not come all the way.
    """

    at_s: float
    seat: int
    why: str
    fault: FaultName | None = None


@dataclass(frozen=True, slots=True)
class TiltNoticed:
    """Something is wrong with the drive or its end inputs, and it goes on working. seat: the side it is about."""

    at_s: float
    fault: FaultName
    seat: int


@dataclass(frozen=True, slots=True)
class SupplyWeak:
    """The board browned out as its servo started."""

    at_s: float


TiltEvent = TiltArrived | TiltLeft | TiltFailed | TiltNoticed | SupplyWeak


class Drive(Protocol):
    """What the referee needs of a tilt drive. All times in host seconds."""

    limits: TiltLimits

    @property
    def motor(self) -> bool:
        """True where a motor moves the board; False where people push it."""

    @property
    def side(self) -> int | None:
        """The seat whose side is known to be down and at rest; None: moving or not known."""

    @property
    def armed(self) -> bool:
        """Whether motion is allowed."""

    @property
    def level(self) -> bool:
        """Whether the board came level after `to_level`."""

    def arm(self, now_s: float) -> None:
        """Allow motion: the whole picture was read and agrees with the game."""

    def go(self, seat: int, now_s: float) -> None:
        """Swing to the side of `seat`. The warning has been given."""

    def rock(self, now_s: float) -> None:
        """Lift the low side a little and let it down again, never through level."""

    def stop(self, now_s: float) -> None:
        """Stop at once, where the board is."""

    def to_level(self, now_s: float) -> None:
        """Swing to level, as the last motion before `let_go`. The warning has been given. Where it cannot: nothing."""

    def let_go(self, now_s: float) -> None:
        """Stop; no power and no signal any more, and nothing moves before `arm`."""

    def take(self, event: LinkEvent) -> list[TiltEvent]:
        """Follow one link event."""

    def tick(self, now_s: float) -> list[TiltEvent]:
        """Deadlines."""

    def due_s(self) -> float:
        """When `tick` wants to be called (inf: never)."""


class Why(NamedTuple):
    """What keeps a motion from its end: for people, and by its name where the drive can tell."""

    text: str
    fault: FaultName | None = None


STALLED = Why("the board does not move", FaultName.STALLED)
WRONG_WAY = Why("the board went to the other side than told", FaultName.WRONG_WAY)
SHORT = Why("the board did not reach its end position", FaultName.END_NEVER)


class Motion(Protocol):
    """What all motions have. tries: the how manieth this is. last: to level, before the motor is let go."""

    seat: int
    tries: int
    last: bool


M = TypeVar("M", bound=Motion)


class BaseDrive(Generic[M]):
    """What every drive does in the same way; see Drive. `motions` counts the motions begun."""

    tries = TRIES

    def __init__(self, limits: TiltLimits) -> None:
        self.limits = limits
        self.motions = 0
        self._side: int | None = None
        self._armed = self._failed = self._level = False
        self._motion: M | None = None

    @property
    def motor(self) -> bool:
        """False once the drive has failed: people push from then on."""
        return not self._failed

    @property
    def side(self) -> int | None:
        """See Drive."""
        return None if self._motion is not None else self._side

    @property
    def armed(self) -> bool:
        """See Drive."""
        return self._armed

    @property
    def level(self) -> bool:
        """See Drive."""
        return self._level

    def _must_be_armed(self) -> None:
        if not self._armed:
            raise HardwareError("tilt: the drive is not armed")

    def _angle(self, seat: int) -> int:
        return self.limits.angle(seat)

    def _rocked(self, seat: int) -> int:
        """The angle that a side which is down is lifted to, never through level."""
        return self._angle(seat) - (self.limits.rock_cdeg if seat == 0 else -self.limits.rock_cdeg)

    def _stands(self, side: int | None, at_s: float) -> list[TiltEvent]:
        """At rest the board is seen to stand so: told where it has changed although nobody asked the drive."""
        if side == self._side:
            return []
        self._side = side
        return [TiltLeft(at_s) if side is None else TiltArrived(at_s, side, expected=False)]

    def _at_level(self) -> None:
        self._motion = self._side = None
        self._level = True

    def _again(self, motion: M, why: Why, now_s: float) -> list[TiltEvent]:
        """A motion that cannot go on is tried again; after that people push. Going level is worth no fault."""
        if motion.last:
            self._motion = None
        elif motion.tries < self.tries:
            self._retry(motion, now_s)
        else:
            return self._fail(motion, why, now_s)
        return []

    def _retry(self, motion: M, now_s: float) -> None:
        """Once more."""
        raise NotImplementedError

    def _fail(self, motion: M, why: Why, now_s: float) -> list[TiltEvent]:
        """No motion any more."""
        self._motion = None
        self._failed, self._armed = True, False
        return [TiltFailed(now_s, motion.seat, why.text, why.fault)]


@dataclass(slots=True)
class _Motion:
    """One motion under way.

    deadline_s: when it must have arrived, or when the board must at least have taken the command. again_s: when to
    ask a board once more that was not ready. back_s: when a rocking board is to come back. from_side: the side that
    was down. left: the board has left it. first_s: when it took the command first. end: the one that was seen last.
    """

    seat: int
    cdeg: int
    swing_s: float
    deadline_s: float
    tries: int = 1
    swung_s: float | None = None
    again_s: float = INF
    back_s: float = INF
    from_side: int | None = None
    left: bool = False
    first_s: float | None = None
    end: int | None = None
    last: bool = False
    _open: int = 0

    def saw(self, sensed: int) -> None:
        """The end inputs said this, on the way."""
        self._open |= BOTH & ~sensed
        self.end = SEAT_OF.get(sensed)
        if self.from_side is not None and self.opened(self.from_side):
            self.left = True

    def opened(self, seat: int) -> bool:
        """Whether the end input of a side was open at a moment of this motion."""
        return bool(self._open & 1 << seat)


class EndInputs:
    """Which side is down, from tilt reports: end-position inputs where the board has them, else what was commanded.

    always: the bit of an end input that is known to be closed for ever; what was commanded tells of its side instead.
    """

    def __init__(self, end_inputs: bool) -> None:
        self._end_inputs = end_inputs
        self.always = 0

    def side(self, seen: TiltSeen, limits: TiltLimits) -> int | None:
        """The seat whose side a tilt report shows to be down, at rest; None where it does not tell."""
        if seen.moving:
            return None
        told = next((seat for seat in (0, 1) if seen.commanded_cdeg == limits.angle(seat)), None)
        if self._end_inputs:
            closed = SEAT_OF.get(seen.sensed & ~self.always)
            if closed is not None or not self.always or seen.sensed & ~self.always:
                return closed
            return told if told is not None and self.always == 1 << told else None
        return told if seen.enabled else None


class ServoDrive(BaseDrive[_Motion]):
    """The controller's servo. `send` queues one wire command and answers its id (`Link.send`)."""

    def __init__(
        self, limits: TiltLimits, send: Callable[[NumberedCommand], int], *, end_inputs: bool
    ) -> None:
        super().__init__(limits)
        self._send = send
        self._inputs = EndInputs(end_inputs)
        self._end_inputs = end_inputs
        self._enabled = False
        self._known_cdeg = ANGLE_UNKNOWN_CDEG  # where the board stands, as far as this host knows
        self._swing_id = self._enable_id = -1
        self._started_s = self._moved_s = -INF  # the last start, the last report after it
        self._lost_s = -INF  # when the link was lost in it
        self._lost_to: int | None = None  # where the motion went that the lost link cut off
        self._brown_outs = 0  # in a row
        self._late = False  # said of the last motion

    def arm(self, now_s: float) -> None:
        """See Drive. The signal ends by itself after each motion, so that nothing hums or pushes."""
        if not self._armed and not self._failed:
            self._armed = True
            self._send(Configure(key=ConfigKey.HOLD_MS, value=round(self.limits.hold_s * 1000)))

    def go(self, seat: int, now_s: float) -> None:
        """See Drive. Raises HardwareError while not armed."""
        self._must_be_armed()
        self._begin(_Motion(seat, self._angle(seat), self.limits.swing_s, now_s + READY_S), now_s)

    def rock(self, now_s: float) -> None:
        """See Drive. Does nothing where the side that is down is not known."""
        if not self._armed or self._side is None or self._motion is not None:
            return
        seat, rock_s = self._side, self.limits.rock_s
        motion = _Motion(seat, self._rocked(seat), rock_s, now_s + READY_S)
        motion.back_s = now_s + rock_s + ROCK_REST_S
        self._begin(motion, now_s)

    def stop(self, now_s: float) -> None:
        """See Drive."""
        if self._motion is not None:
            self._motion = self._side = None
            self._known_cdeg = ANGLE_UNKNOWN_CDEG
            self._send(StopTilt())

    def to_level(self, now_s: float) -> None:
        """See Drive."""
        if self.armed:
            self._level = False
            self._begin(_Motion(0, self.limits.level_cdeg, self.limits.swing_s, INF, last=True), now_s)
            self._side = None

    def let_go(self, now_s: float) -> None:
        """See Drive."""
        self.stop(now_s)
        if self._armed:
            self._armed = self._enabled = False
            self._send(DisableTilt())

    def _begin(self, motion: _Motion, now_s: float) -> None:
        motion.from_side = self._side
        self._motion = motion
        self.motions += 1
        self._order(motion, now_s)

    def _order(self, motion: _Motion, now_s: float) -> None:
        motion.again_s = INF
        self._started_s = self._moved_s = now_s
        if not self._enabled:
            self._enable_id = self._send(EnableTilt(angle_cdeg=self._known_cdeg))
            self._enabled = True
        self._swing_id = self._send(TiltTo(angle_cdeg=motion.cdeg, swing_ms=round(motion.swing_s * 1000)))

    def take(self, event: LinkEvent) -> list[TiltEvent]:
        """See Drive."""
        if type(event) is TiltSeen:
            return self._seen(event)
        if isinstance(event, LinkUp):
            return self._up(event)
        if isinstance(event, LinkLost):
            # Sensing comes back alone; motion is armed again by the referee.
            self._armed = self._enabled = False
            self._lost_s = event.at_s
            motion = self._motion
            self._lost_to = None if motion is None or motion.last else motion.seat
            self._motion = self._side = None
            self._known_cdeg = ANGLE_UNKNOWN_CDEG
        elif isinstance(event, Answered):
            return self._answered(event)
        return []

    def _up(self, event: LinkUp) -> list[TiltEvent]:
        """The board is back. A brown-out at a start of the servo is tried again once, like any motion."""
        seat, self._lost_to = self._lost_to, None
        began_s = self._started_s
        if seat is None or event.hello.reset_cause != ResetCause.BROWN_OUT:
            return []
        if self._moved_s > began_s + WEAK_S or self._lost_s > began_s + WEAK_S + RESTART_S:
            return []  # the motor had been running well
        self._brown_outs += 1
        if self._brown_outs < 2:
            return [SupplyWeak(event.at_s)]
        self._failed = True
        return [
            SupplyWeak(event.at_s),
            TiltFailed(event.at_s, seat, "its supply breaks down whenever it starts"),
        ]

    def _answered(self, answer: Answered) -> list[TiltEvent]:
        motion = self._motion
        if answer.command_id == self._enable_id and answer.result != Result.DONE:
            self._enabled = False
        if motion is None:
            return []
        if answer.command_id == self._swing_id and answer.result == Result.DONE:
            motion.swung_s = answer.at_s
            if motion.first_s is None:
                motion.first_s = answer.at_s
            if not motion.last:
                motion.deadline_s = answer.at_s + motion.swing_s + self.limits.grace_s
            self._known_cdeg = motion.cdeg
        elif answer.command_id in (self._swing_id, self._enable_id) and answer.result != Result.DONE:
            if answer.result in _NOT_READY:
                motion.again_s = answer.at_s + AGAIN_S
            else:
                refused = Why(f"the controller refused the command (code {answer.result})")
                return self._again(motion, refused, answer.at_s)
        return []

    def _seen(self, seen: TiltSeen) -> list[TiltEvent]:
        return self._both_ends(seen) + self._follow(seen)

    def _both_ends(self, seen: TiltSeen) -> list[TiltEvent]:
        """Both end inputs are closed: the one that does not belong to where the board was sent lies."""
        if seen.sensed != BOTH or seen.moving or self._inputs.always or not self._end_inputs:
            return []
        motion = self._motion
        there = self._side if motion is None else motion.seat
        if there is None or (motion is not None and (motion.swung_s is None or motion.last)):
            return []
        if self._failed or (motion is not None and not motion.opened(there)):
            there = 1 - there  # its end was closed all the time, and people push where the motor has failed
        self._inputs.always = 2 if there == 0 else 1
        return [TiltNoticed(seen.at_s, FaultName.END_ALWAYS, 1 - there)]

    def _follow(self, seen: TiltSeen) -> list[TiltEvent]:
        if not seen.enabled and not seen.moving:
            self._enabled = False
        side = self._inputs.side(seen, self.limits)
        motion = self._motion
        if motion is not None and motion.last:
            if (
                motion.swung_s is not None
                and not seen.moving
                and seen.commanded_cdeg == self.limits.level_cdeg
            ):
                self._at_level()
            return []
        if motion is not None:
            self._moved_s = max(self._moved_s, seen.at_s)
            swung_s = motion.swung_s
            if swung_s is not None:
                motion.saw(seen.sensed & ~self._inputs.always)
                if self._elsewhere(motion, seen):
                    return self._fail(motion, WRONG_WAY, seen.at_s)
            if swung_s is None or side != motion.seat or motion.back_s < INF:
                return []
            if seen.at_s < swung_s + (0.0 if self._end_inputs else motion.swing_s - EARLY_S):
                return []  # a report made before the swing
            self._motion = None
            self._side = side
            self._brown_outs = 0
            return [TiltArrived(seen.at_s, side, expected=True), *self._lateness(motion, seen.at_s)]
        if side is not None:
            self._known_cdeg = self._angle(side)
        elif self._side is None or not self._end_inputs or seen.moving:
            return []
        else:
            self._known_cdeg = ANGLE_UNKNOWN_CDEG
        return self._stands(side, seen.at_s)

    def _elsewhere(self, motion: _Motion, seen: TiltSeen) -> bool:
        """Whether the board has come to one end while the servo is told to be on the other side."""
        if motion.end is None or not motion.opened(motion.end) or not self._end_inputs:
            return False
        told_cdeg = seen.commanded_cdeg if motion.end == 0 else -seen.commanded_cdeg
        return told_cdeg < -self.limits.full_cdeg * OTHER_SIDE

    def _lateness(self, motion: _Motion, at_s: float) -> list[TiltEvent]:
        """Said once, until a motion is in time again."""
        was_late = self._late
        began_s = at_s if motion.first_s is None else motion.first_s
        self._late = self._end_inputs and at_s > began_s + motion.swing_s + LATE_S
        return [TiltNoticed(at_s, FaultName.SERVO_LATE, motion.seat)] if self._late and not was_late else []

    def tick(self, now_s: float) -> list[TiltEvent]:
        """See Drive."""
        motion = self._motion
        if motion is None:
            return []
        if now_s >= motion.back_s:
            motion.back_s = INF
            motion.cdeg, motion.swung_s, motion.first_s = self._angle(motion.seat), None, None
            motion.deadline_s = now_s + READY_S
            self._order(motion, now_s)
        elif now_s >= motion.again_s:
            self._order(motion, now_s)
        if now_s >= motion.deadline_s:
            return self._again(motion, self._why_not(motion), now_s)
        return []

    def _why_not(self, motion: _Motion) -> Why:
        """What the end inputs tell of a motion that did not arrive."""
        if not self._end_inputs or motion.swung_s is None:
            return Why(SHORT.text)
        return STALLED if motion.from_side is not None and not motion.left else SHORT

    def _retry(self, motion: _Motion, now_s: float) -> None:
        motion.tries += 1
        motion.swung_s = None
        motion.deadline_s = now_s + READY_S
        self._order(motion, now_s)

    def _fail(self, motion: _Motion, why: Why, now_s: float) -> list[TiltEvent]:
        if not self._end_inputs or motion.left:
            self._side = None  # nobody can tell where it stands now, before it is reported
        self._send(DisableTilt())
        return super()._fail(motion, why, now_s)

    def due_s(self) -> float:
        """See Drive."""
        motion = self._motion
        return INF if motion is None else min(motion.deadline_s, motion.again_s, motion.back_s)
