"""Tilt commands -> pulses for the servo (motions of the drive), tilt reports and faults: the controller's
motion part.

No pulse before `enable` nor in the first second after a reset; angle and swing limits; silence of the host
for 1 s ends the signal; a full tilt whose end input does not close in time is a fault. The first pulse
after `enable` makes the servo jump when the host is wrong about where the board stands.
Left out: duty limit, stall by current, the 20 ms grid of pulses, supply voltage under load.
"""

from collections.abc import Callable
from math import inf

from firmware_bridge.messages import (
    ANGLE_UNKNOWN_CDEG,
    BoardMessage,
    ConfigKey,
    Fault,
    FaultCode,
    Result,
    TiltReport,
)

from .agenda import Agenda
from .drive import Drive
from .model import SWING_MIN_MS, ClockModel, Model
from .scan import BoardClock

SILENCE_S = 1.0
NO_PULSE_S = 1.0
REPORT_MOVING_S = 0.1
REPORT_IDLE_S = 5.0
DEADLINE_MS = 2000
BROWN_OUT_AFTER_S = 0.02
HOLD_FOR_EVER = 0xFFFF


class Servo:
    """The part of the firmware that moves the board. `host_heard_s` is set at each good frame of the host."""

    def __init__(
        self,
        agenda: Agenda,
        model: Model,
        drive: Drive,
        send: Callable[[BoardMessage], None],
        brown_out: Callable[[], None],
    ) -> None:
        self._agenda = agenda
        self._tilt = model.tilt
        self._drive = drive
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

    def reset(self) -> None:
        """The controller restarts: pulses end, nothing is enabled, limits are the built-in ones."""
        if self.fitted:
            self._drive.brake()
        self._life += 1
        self._swing += 1
        self.on = False
        self._reset_s = self._reported_s = self._agenda.now_s
        self.host_heard_s = -inf
        self._armed = self._signal = self._watching = False
        self._target_cdeg = self._from_cdeg = 0
        self._swing_start_s = self._swing_end_s = -inf
        self._limit_cdeg = round(self._tilt.angle_deg * 100)
        self._swing_min_ms = SWING_MIN_MS
        self._hold_ms = HOLD_FOR_EVER
        self._deadline_ms = DEADLINE_MS

    def begin(self, clock: BoardClock) -> None:
        """The controller is up."""
        self.on = True
        self._clock = clock
        self._agenda.at(self._agenda.now_s + REPORT_IDLE_S, self._slow, self._life)

    def configure(self, key: int, value: int) -> Result:
        """Sets a limit until the next reset; never beyond the built-in ones."""
        match key:
            case ConfigKey.ANGLE_LIMIT_CDEG:
                if value > round(self._tilt.angle_deg * 100):
                    return Result.OUT_OF_LIMITS
                self._limit_cdeg = value
            case ConfigKey.SWING_MIN_MS:
                if value < SWING_MIN_MS:
                    return Result.OUT_OF_LIMITS
                self._swing_min_ms = value
            case ConfigKey.HOLD_MS:
                self._hold_ms = value
            case ConfigKey.DEADLINE_MS:
                self._deadline_ms = value
            case _:
                return Result.UNKNOWN
        return Result.DONE

    def enable(self, angle_cdeg: int) -> Result:
        """Lets the pulses begin, first to where the host believes the board is."""
        if not self.fitted:
            return Result.UNKNOWN
        now = self._agenda.now_s
        if now < self._reset_s + NO_PULSE_S:
            return Result.TOO_SOON
        if angle_cdeg != ANGLE_UNKNOWN_CDEG and abs(angle_cdeg) > self._limit_cdeg:
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
        if abs(angle_cdeg) > self._limit_cdeg:
            return Result.OUT_OF_LIMITS
        if swing_ms < self._swing_min_ms:
            return Result.TOO_FAST
        now = self._agenda.now_s
        if now < self._swing_end_s:
            return Result.BUSY
        self._from_cdeg = self._target_cdeg
        self._start(angle_cdeg, swing_ms / 1000)
        return Result.DONE

    def _start(self, angle_cdeg: int, lasts_s: float) -> None:
        now = self._agenda.now_s
        self._signal = True
        self._target_cdeg = angle_cdeg
        self._swing += 1
        self._swing_start_s, self._swing_end_s = now, now + lasts_s
        if lasts_s > 0:
            self._drive.swing_to(self._sign * angle_cdeg / 100, lasts_s)
        self.report()
        if lasts_s > 0:
            self._agenda.at(now + lasts_s, self._arrived, self._swing)
            self._agenda.at(now + REPORT_MOVING_S, self._way, self._swing)
            self._agenda.at(now + BROWN_OUT_AFTER_S, self._pull_down, self._life)
            if self._end_of(angle_cdeg):
                self._agenda.at(now + max(lasts_s, self._deadline_ms / 1000), self._deadline, self._swing)

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
        if self._hold_ms != HOLD_FOR_EVER:
            self._agenda.at(self._agenda.now_s + self._hold_ms / 1000, self._hold_over, swing)

    def _hold_over(self, swing: int) -> None:
        if swing == self._swing and self._signal:
            self._signal = False
            self.report()

    def _deadline(self, swing: int) -> None:
        if swing != self._swing or self._drive.sensed == self._end_of(self._target_cdeg):
            return
        self._send(Fault(FaultCode.TILT_DEADLINE, round((self._agenda.now_s - self._swing_start_s) * 1000)))
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
        self._signal = self._armed = False
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
                supply_mv=self._tilt.supply_mv if self.fitted else 0,
                board_us=self._clock.us(now),
            )
        )

    def ends_changed(self) -> None:
        """An end-position input changed."""
        if self.on:
            self.report()

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
