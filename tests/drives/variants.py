"""Bad drives: each lacks one rule of motion, and the rule it lacks goes red."""

from __future__ import annotations

from typing import Any

from balanxd.devices import Devices
from hardware.motor import MotorDrive
from hardware.tilt import TiltArrived, TiltEvent, TiltLimits, Why

from . import rules
from .rig import Variant


class Even(MotorDrive):
    """Turns at one rate from the first step to the last."""

    shape = staticmethod(lambda share: (min(max(share, 0.0), 1.0), 1.0 if 0 <= share < 1 else 0.0))


class Leaping(MotorDrive):
    """Is at its goal in half the time."""

    shape = staticmethod(lambda share: MotorDrive.shape(2 * share))


class RunsOn(MotorDrive):
    """Ends what it has begun, whatever happens."""

    def stop(self, now_s: float) -> None:
        pass


class Early(MotorDrive):
    """Has arrived as soon as it is on its way."""

    def _step(self, motion: Any, now_s: float) -> list[TiltEvent]:
        found = super()._step(motion, now_s)
        if self._motion is not None and now_s > motion.begin_s + 0.3:
            self._side, self._motion = motion.seat, None
            return [TiltArrived(now_s, motion.seat, expected=True)]
        return found


class Patient(MotorDrive):
    """Waits for its end position for ever."""

    def _trouble(self, motion: Any, ends: int, now_s: float) -> Why | None:
        motion.deadline_s = float("inf")
        return super()._trouble(motion, ends, now_s)


class Pushing(MotorDrive):
    """Pushes at a board that does not move until its time is up."""

    def _trouble(self, motion: Any, ends: int, now_s: float) -> Why | None:
        motion.left = motion.left or ends != 1 << motion.seat
        return super()._trouble(motion, 0 if ends == 2 - motion.seat else ends, now_s)


class Careless(MotorDrive):
    """Does not look which end it comes to."""

    def _trouble(self, motion: Any, ends: int, now_s: float) -> Why | None:
        return super()._trouble(motion, ends if ends == 1 << motion.seat else 0, now_s)


class GivesUp(MotorDrive):
    """Fails at once."""

    tries = 1


class Stubborn(MotorDrive):
    """Tries again without end."""

    tries = 99


class KeepsPower(MotorDrive):
    """Holds for ever."""

    def _let_go(self, now_s: float) -> None:
        pass


class AlwaysArmed(MotorDrive):
    """Goes when it is told to."""

    def go(self, seat: int, now_s: float) -> None:
        self._armed = True
        super().go(seat, now_s)


class RushesHome(MotorDrive):
    """Looks for its end at full speed."""

    creep_cdeg_s = 10_000.0


def ours(drive: type[MotorDrive]) -> Variant:
    """The devices' drive is another one, on the same motor and end inputs."""

    def swap(devices: Devices, limits: TiltLimits) -> None:
        was = devices.drive
        assert was is not None
        devices.drive = drive(limits, was._mover, was._ends)

    return Variant(devices=swap)


def _coasting(devices: Devices, limits: TiltLimits) -> None:
    """Two degrees pass until the motor has stopped."""
    assert devices.drive is not None
    mover: Any = devices.drive._mover

    class Coasting:
        places = False
        at_cdeg = 0.0

        def follow(self, cdeg: float, rate_cdeg_s: float) -> None:
            self.at_cdeg = cdeg
            mover.follow(cdeg, rate_cdeg_s)

        def brake(self) -> None:
            mover.follow(self.at_cdeg * 1.25, 0.0)

        def __getattr__(self, name: str) -> Any:
            return getattr(mover, name)

    devices.drive._mover = Coasting()  # type: ignore[assignment]


def _no_warning(limits: TiltLimits) -> None:
    object.__setattr__(limits, "warning_s", 0.05)


def _deaf(pipeline: Any) -> None:
    pipeline.session._call_off = lambda now_s: None


def _runs_on(pipeline: Any) -> None:
    pipeline.drive.stop = lambda now_s: None


def _patient(pipeline: Any) -> None:
    pipeline.drive.tick = lambda now_s: []
    pipeline.drive.due_s = lambda: float("inf")


def _always_armed(pipeline: Any) -> None:
    go = pipeline.drive.go

    def eager(seat: int, now_s: float) -> None:
        pipeline.drive._armed = True
        go(seat, now_s)

    pipeline.drive.go = eager


def _unwatched(pipeline: Any) -> None:
    pipeline.session._motion.watch = lambda changes: False


NO_WARNING = Variant(limits=_no_warning)
BAD: tuple[tuple[str, str, Variant, rules.Rule], ...] = (
    ("no warning", "stepper", NO_WARNING, rules.warning_first),
    ("no warning", "controller servo", NO_WARNING, rules.warning_first),
    ("no warning", "stepper", NO_WARNING, rules.warning_before_it_aligns),
    ("coasting", "stepper", Variant(devices=_coasting), rules.limits),
    ("even", "gpio servo", ours(Even), rules.smooth_profile),
    ("even", "stepper", ours(Even), rules.smooth_profile),
    ("leaping", "gpio servo", ours(Leaping), rules.smooth_profile),
    ("deaf", "stepper", Variant(pipeline=_deaf), rules.cancel),
    ("deaf", "controller servo", Variant(pipeline=_deaf), rules.cancel),
    ("runs on", "stepper", ours(RunsOn), rules.stop_at_once),
    ("runs on", "stepper", ours(RunsOn), rules.stops_when_nobody_sees),
    ("runs on", "controller servo", Variant(pipeline=_runs_on), rules.stop_at_once),
    ("unwatched", "dc motor", Variant(pipeline=_unwatched), rules.stop_at_once),
    ("early", "stepper", ours(Early), rules.arrival),
    ("patient", "gpio servo", ours(Patient), rules.deadline),
    ("patient", "controller servo", Variant(pipeline=_patient), rules.deadline),
    ("pushing", "stepper", ours(Pushing), rules.stall),
    ("careless", "dc motor", ours(Careless), rules.wrong_way),
    ("gives up", "stepper", ours(GivesUp), rules.retry_once),
    ("stubborn", "stepper", ours(Stubborn), rules.then_manual),
    ("keeps power", "gpio servo", ours(KeepsPower), rules.release_after_arrival),
    ("keeps power", "dc motor", ours(KeepsPower), rules.release_after_arrival),
    ("always armed", "stepper", ours(AlwaysArmed), rules.never_before_armed),
    ("always armed", "controller servo", Variant(pipeline=_always_armed), rules.never_before_armed),
    ("rushes home", "stepper", ours(RushesHome), rules.creeps_home),
)
"""(what is wrong, on which drive, how, the rule that must go red)."""
