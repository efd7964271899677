"""Tilt commands -> pulses for the servo (motions of the drive), tilt reports and faults: the controller's
motion part.

No pulse before `enable` nor in the first second after a reset; angle and swing limits; silence of the host
for 1 s ends the signal; a full tilt whose end input does not close in time is a fault. The first pulse
after `enable` makes the servo jump when the host is wrong about where the board stands.
Left out: stall by current, the 20 ms grid of pulses, supply voltage under load.
"""

from collections.abc import Callable
from math import inf

from firmware_bridge.messages import (
    ANGLE_UNKNOWN_CDEG,
    BoardMessage,
    Fault,
    FaultCode,
    Result,
    TiltReport,
)

from .agenda import Agenda
from .drive import Drive
from .model import ClockModel, Model
from .scan import BoardClock
from .settings import HOLD_FOR_EVER, Settings

SILENCE_S = 1.0
NO_PULSE_S = 1.0
REPORT_MOVING_S = 0.1
REPORT_IDLE_S = 5.0
STALL_S = 0.25  # after the swing's own time: the end that was left must have opened
FEEDBACK_STALE_S = 0.1
DUTY_MAX_S = 20.0  # of motion at a stretch; beyond it the motor rests as long as it moved
BOTH_ENDS = 3
BROWN_OUT_AFTER_S = 0.02


class Servo:
    """The part of the firmware that moves the board. `host_heard_s` is set at each good frame of the host."""

    def __init__(
        self,
        agenda: Agenda,
        model: Model,
        drive: Drive,
        settings: Settings,
        supply_mv: Callable[[], int],
        send: Callable[[BoardMessage], None],
        brown_out: Callable[[], None],
    ) -> None:
        self._agenda = agenda
        self._tilt = model.tilt
        self._drive = drive
        self._settings = settings
        self._supply_mv = supply_mv
        self._stale_s = inf  # since when the end inputs tell nothing fresh
        drive.held = lambda: self._signal and not drive.dead
        self._send = send
        self._brown_out = brown_out
        self._sign = -1 if model.tilt.reversed else 1
        self.fitted = model.tilt.kind == "servo"
        self._clock = BoardClock(agenda.now_s, 0, ClockModel(), 1000)
        self._signal = False
        self._life = 0  # voids what was due in an earlier life
        self._swing = 0
        self.on = False

    @property
    def signal(self) -> bool:
        """Whether the servo gets pulses."""
        return self._signal

    def reset(self) -> None:
        """The controller restarts: pulses end, nothing is enabled."""
        if self.fitted:
            self._drive.brake()
        self._life += 1
        self._swing += 1
        self.on = False
        self._up_s = self._reported_s = self._agenda.now_s
        self.host_heard_s = -inf
        self._armed = self._signal = self._watching = False
        self._target_cdeg = self._from_cdeg = 0
        self._swing_start_s = self._swing_end_s = -inf
        self._duty_s, self._duty_at_s = 0.0, self._agenda.now_s
        self._watched, self._left_end = False, 0

    def begin(self, clock: BoardClock) -> None:
        """The controller is up."""
        self.on = True
        self._clock = clock
        self._up_s = self._agenda.now_s
        self._agenda.at(self._agenda.now_s + REPORT_IDLE_S, self._slow, self._life)

    def enable(self, angle_cdeg: int) -> Result:
        """Lets the pulses begin, first to where the host believes the board is."""
        if not self.fitted:
            return Result.UNKNOWN
        now = self._agenda.now_s
        if now < self._up_s + NO_PULSE_S:
            return Result.TOO_SOON
        if self._settings.locked:
            return Result.LOCKED
        if angle_cdeg != ANGLE_UNKNOWN_CDEG and abs(angle_cdeg) > self._settings.now.angle_limit_cdeg:
            return Result.OUT_OF_LIMITS
        if self._armed and self._signal:
            return Result.DONE
        self._armed = True
        if not self._watching:
            self._watching = True
            self._agenda.at(self.host_heard_s + SILENCE_S, self._silence, self._life)
        here = round(self._sign * self._drive.angle_deg * 100)
        if angle_cdeg == ANGLE_UNKNOWN_CDEG:
            self._from_cdeg = here
            self._start(0, self._tilt.to_level_s)
        else:
            # the first pulse says where to be: a host that is wrong about it makes the servo jump
            self._from_cdeg = angle_cdeg
            off = abs(here - angle_cdeg) > 20
            self._start(angle_cdeg, self._tilt.jump_s if off else 0.0)
        return Result.DONE

    def tilt_to(self, angle_cdeg: int, swing_ms: int) -> Result:
        """A swing along the profile; BUSY while another one is under way."""
        if not self.fitted:
            return Result.UNKNOWN
        if not self._armed:
            return Result.NOT_ENABLED
        if abs(angle_cdeg) > self._settings.now.angle_limit_cdeg:
            return Result.OUT_OF_LIMITS
        if swing_ms < self._settings.now.swing_min_ms:
            return Result.TOO_FAST
        now = self._agenda.now_s
        if now < self._swing_end_s:
            return Result.BUSY
        self._settle_duty()
        if self._duty_s >= DUTY_MAX_S:
            self._send(Fault(FaultCode.DUTY_LIMIT, int(self._duty_s - DUTY_MAX_S) + 1))
            return Result.DUTY_LIMIT
        self._from_cdeg = self._target_cdeg
        self._start(angle_cdeg, swing_ms / 1000)
        return Result.DONE

    def _settle_duty(self) -> None:
        """Brings the time of motion not yet rested up to the present."""
        now, before, end = self._agenda.now_s, self._duty_at_s, self._swing_end_s
        moved = max(0.0, min(now, end) - before)
        rested = max(0.0, now - max(before, end))
        self._duty_s = max(0.0, self._duty_s + moved - rested)
        self._duty_at_s = now

    def _start(self, angle_cdeg: int, lasts_s: float) -> None:
        now = self._agenda.now_s
        self._settle_duty()
        self._signal = True
        self._target_cdeg = angle_cdeg
        self._swing += 1
        self._swing_start_s, self._swing_end_s = now, now + lasts_s
        end, sensed = self._end_of(angle_cdeg), self._drive.sensed
        self._watched = lasts_s > 0 and end != 0
        self._left_end = 0 if end == sensed else sensed
        if lasts_s > 0:
            self._drive.swing_to(self._sign * angle_cdeg / 100, lasts_s)
        self.report()
        if lasts_s > 0:
            self._agenda.at(now + lasts_s, self._arrived, self._swing)
            self._agenda.at(now + REPORT_MOVING_S, self._way, self._swing)
            self._agenda.at(now + BROWN_OUT_AFTER_S, self._pull_down, self._life)
            if self._watched:
                deadline_s = self._settings.now.deadline_ms / 1000
                self._agenda.at(now + max(lasts_s, deadline_s), self._deadline, self._swing)
                self._agenda.at(now + lasts_s + STALL_S, self._stall, self._swing)
                self._agenda.at(max(now, self._stale_s + FEEDBACK_STALE_S), self._feedback_stale, self._life)

    def _end_of(self, angle_cdeg: int) -> int:
        """The end input that a target should close, 0 if none."""
        tilt = self._tilt
        if not tilt.end_inputs:
            return 0
        end = (tilt.angle_deg - tilt.end_margin_deg) * 100
        return 1 if angle_cdeg >= end else 2 if angle_cdeg <= -end else 0

    def _pull_down(self, life: int) -> None:
        if life == self._life:
            self._brown_out()

    def _arrived(self, swing: int) -> None:
        if swing != self._swing:
            return
        self.report()
        hold_ms = self._settings.now.hold_ms
        if hold_ms != HOLD_FOR_EVER:
            self._agenda.at(self._agenda.now_s + hold_ms / 1000, self._hold_over, swing)

    def _hold_over(self, swing: int) -> None:
        if swing == self._swing and self._signal:
            self._signal = False
            self.report()

    def _deadline(self, swing: int) -> None:
        if swing != self._swing or not self._watched:
            return
        self._watched = False
        if self._drive.sensed != self._end_of(self._target_cdeg):
            self._gives_up(FaultCode.TILT_DEADLINE)

    def _stall(self, swing: int) -> None:
        if swing == self._swing and self._watched and self._left_end:
            self._gives_up(FaultCode.TILT_STALLED)

    def _gives_up(self, code: FaultCode) -> None:
        self._send(Fault(code, round((self._agenda.now_s - self._swing_start_s) * 1000)))
        self.end_signal()

    def feedback(self, fresh: bool) -> None:
        """The world: the end inputs tell something fresh from now on, or nothing any more."""
        self._stale_s = inf if fresh else self._agenda.now_s
        if not fresh:
            self._agenda.at(self._stale_s + FEEDBACK_STALE_S, self._feedback_stale, self._life)

    def _feedback_stale(self, life: int) -> None:
        if life == self._life and self._watched and self._stale_s + FEEDBACK_STALE_S <= self._agenda.now_s:
            self._send(Fault(FaultCode.FEEDBACK_STALE, round(FEEDBACK_STALE_S * 1000)))
            self.end_signal()

    def _commanded_cdeg(self) -> int:
        """Where the profile is, which is where the pulses tell the servo to be."""
        now = self._agenda.now_s
        whole = self._swing_end_s - self._swing_start_s
        if now >= self._swing_end_s or whole <= 0:
            return self._target_cdeg
        u = (now - self._swing_start_s) / whole
        return round(
            self._from_cdeg + (self._target_cdeg - self._from_cdeg) * u**3 * (10 - 15 * u + 6 * u * u)
        )

    def stop(self) -> None:
        """Stops where the board is and holds."""
        if self._agenda.now_s < self._swing_end_s:
            self._settle_duty()
            self._watched = False
            self._target_cdeg = self._commanded_cdeg()
            self._swing_end_s = self._agenda.now_s
            self._swing += 1
            self._drive.brake()
            if not self._drive.dead:
                # the profile ends where the braked board will stand
                self._target_cdeg = round(self._sign * self._drive.rest_deg * 100)
            self.report()

    def end_signal(self) -> None:
        """Stops, and no pulse any more until it is enabled again."""
        if not self.fitted:
            return
        self.stop()
        was = self._signal or self._armed
        self._signal = self._armed = self._watched = False
        if was:
            self.report()

    def report(self) -> None:
        """Tells where the board stands."""
        now = self._agenda.now_s
        self._reported_s = now
        self._send(
            TiltReport(
                commanded_cdeg=self._commanded_cdeg(),
                sensed=self._drive.sensed,
                moving=now < self._swing_end_s,
                enabled=self._signal,
                supply_mv=self._supply_mv() if self.fitted else 0,
                board_us=self._clock.us(now),
            )
        )

    def ends_changed(self) -> None:
        """An end-position input changed."""
        if not self.on:
            return
        if not self._drive.sensed & self._left_end:
            self._left_end = 0
        self.report()
        if self._drive.sensed == BOTH_ENDS:
            # no board stands at both ends: nothing that follows could be believed
            self._send(Fault(FaultCode.BOTH_ENDS, 0))
            self.end_signal()

    def _way(self, swing: int) -> None:
        if swing == self._swing and self._agenda.now_s < self._swing_end_s - 1e-9:
            self.report()
            self._agenda.at(self._agenda.now_s + REPORT_MOVING_S, self._way, swing)

    def _slow(self, life: int) -> None:
        if life != self._life:
            return
        due_s = self._reported_s + REPORT_IDLE_S
        if due_s <= self._agenda.now_s:
            self.report()
            due_s = self._reported_s + REPORT_IDLE_S
        self._agenda.at(due_s, self._slow, life)

    def _silence(self, life: int) -> None:
        """Watches the host while something is enabled that must end with its silence."""
        if life != self._life:
            return
        due_s = self.host_heard_s + SILENCE_S
        if not self._armed:
            self._watching = False
        elif due_s > self._agenda.now_s:
            self._agenda.at(due_s, self._silence, life)
        else:
            self._watching = False
            self.end_signal()
            self._send(Fault(FaultCode.HOST_SILENT, 0))
