"""The rules of motion, by name. Each gets a rig maker and raises AssertionError where the drive breaks the rule."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Protocol

from hardware.errors import HardwareError
from hardware.faults import FaultName
from referee import events as e

from .rig import MOTORS, OURS, TEXTS, TiltRig

WARNING_S = 0.7
FULL_DEG = 8.0
HALF_STEP_DEG = 0.11
ALL = tuple(TEXTS)


class Make(Protocol):
    """A rig of the drive under test."""

    def __call__(self, *, start_deg: float = 8.0, backwards: bool = False) -> TiltRig: ...


Rule = Callable[[Make], None]


def warning_first(make: Make) -> None:
    """At least 0.7 s pass between the first sign of a motion and the motion."""
    rig = make()
    rig.begin()
    rig.move()
    shown = rig.until(e.MoveProvisional)
    rig.until(e.TiltStarted)
    rig.run(0.3)
    (started,) = (at_s for at_s in rig.motions() if at_s > shown.at_s)
    assert started - shown.at_s >= WARNING_S - 0.006


def warning_before_it_aligns(make: Make) -> None:
    """A board on the wrong side at the start is warned of, too."""
    rig = make(start_deg=-8.0)
    warned = rig.until(e.TiltWarning)
    rig.begin()
    assert rig.motions()[0] - warned.at_s >= WARNING_S - 0.006


def limits(make: Make) -> None:
    """The board never leaves its full tilt, and nothing pushes against the stops."""
    rig = make()
    rig.begin()
    rig.move()
    rig.until(e.TurnOpened)
    rig.move("g1", "c1")
    rig.until(e.TurnOpened)
    assert max(abs(angle) for _, angle in rig.trace) <= FULL_DEG + 0.05
    assert rig.wired is None or rig.wired.stops.pushed == 0


def smooth_profile(make: Make) -> None:
    """A swing follows the minimum-jerk profile: it begins and ends gently and is never faster than its peak."""
    rig, started = _swinging(make)
    begun = started.at_s
    rig.run(1.5)
    swing_s, way = rig.limits.swing_s, -2 * FULL_DEG
    slack = 3.0 if rig.name == "dc motor" else 1.5
    late_s = 0.02 if rig.name != "controller servo" else 0.0
    for at_s, angle in rig.between(begun + late_s, begun + late_s + swing_s):
        u = (at_s - begun - late_s) / swing_s
        meant = FULL_DEG + way * u**3 * (10 - 15 * u + 6 * u * u)
        assert abs(angle - meant) < slack, f"{angle:.1f} for {meant:.1f} degrees at {u:.2f} of the swing"
    rates = [abs(b - a) / (t - s) for (s, a), (t, b) in pairwise(rig.between(begun, begun + swing_s)[::8])]
    assert max(rates) < 1.4 * 1.875 * abs(way) / swing_s
    assert rates[0] < 0.5 * max(rates)


def cancel(make: Make) -> None:
    """A lift in the warning calls the motion off."""
    rig = make()
    rig.begin()
    rig.move()
    rig.until(e.MoveProvisional)
    rig.run(0.3)
    rig.table.faults.stuck(rig.cell("a3"), 0)  # where the marble has rolled to
    rig.run(2.0)
    assert rig.motions() == []
    assert rig.said(e.TiltStarted) == []


def stop_at_once(make: Make) -> None:
    """A change that no rolling marble explains stops the board where it is, within a tenth of a second."""
    rig, started = _swinging(make)
    rig.run(0.15)
    rig.table.faults.stuck(rig.cell("d4"), 1)
    stopped = rig.until(e.TiltStopped, 2.0)
    rig.run(1.0)
    assert stopped.at_s < started.at_s + rig.limits.swing_s
    after = [angle for _, angle in rig.between(stopped.at_s + 0.1, rig.now_s)]
    assert max(after) - min(after) < 0.01
    assert abs(after[0] - rig.angle_at(stopped.at_s)) < 3.0
    assert after[-1] > -FULL_DEG + 1.0


def stops_when_nobody_sees(make: Make) -> None:
    """A lost link stops the board, and it must be armed anew."""
    rig, _ = _swinging(make)
    rig.run(0.1)
    rig.lockstep._settle(rig.pipeline.closed(rig.now_s, "unplugged"))
    lost_s = rig.now_s
    rig.table.faults.cut_wire()
    rig.run(2.5)
    if rig.name in OURS:
        after = [angle for _, angle in rig.between(lost_s + 0.1, rig.now_s)]
        assert max(after) - min(after) < HALF_STEP_DEG  # letting the coils go may turn a stepper so much
    assert not rig.powered or rig.name == "controller servo"
    _unarmed(rig)


def arrival(make: Make) -> None:
    """Arrived is what stands at its end, with the side that was asked for down; then the turn opens."""
    rig = make()
    rig.begin()
    assert rig.drive.side == 0
    rig.move()
    if rig.name == "manual":
        rig.until(e.MoveProvisional)
        rig.run(0.3)
        rig.table.other_hand.push(1)
    else:
        rig.until(e.TiltStarted)
        assert rig.drive.side is None
        while rig.drive.side is None and rig.now_s < 60:
            rig.run(0.005)
        assert rig.table.sensed == 2
    opened = rig.until(e.TurnOpened)
    assert opened.seat == 1
    assert rig.drive.side == 1
    assert rig.table.angle_deg < -FULL_DEG + 0.75


def deadline(make: Make) -> None:
    """A board that stops half-way is reported in time, and by its name."""
    rig, started = _swinging(make)
    rig.run(rig.limits.swing_s / 2)
    rig.table.faults.servo_dead()
    failed = _tilt_fault(rig, 30.0)
    assert failed.fault is FaultName.TILT_SHORT
    creep_s = 2 * FULL_DEG / 4.0
    assert failed.at_s - started.at_s < 2 * (rig.limits.swing_s + rig.limits.grace_s) + creep_s + 2.0
    rig.run(0.2)
    assert not rig.powered


def stall(make: Make) -> None:
    """A board that does not leave its side is let go before the swing would be over, and said to stand still."""
    rig, started = _swinging(make)
    rig.table.faults.servo_dead()
    assert _tilt_fault(rig, 30.0).fault is FaultName.STALLED
    if rig.name in OURS:
        first = next(at_s for at_s, power in rig.power if not power and at_s > started.at_s + 0.1)
        assert first - started.at_s < 0.8 * rig.limits.swing_s


def wrong_way(make: Make) -> None:
    """A motor that turns the other way is stopped at the first end input that closes, and named."""
    rig = make(start_deg=3.0, backwards=True)
    rig.until(e.TiltWarning)
    assert _tilt_fault(rig, 60.0).fault is FaultName.WRONG_WAY
    rig.run(0.3)
    assert rig.wired is not None
    assert rig.wired.stops.pushed == 0
    closed_s = next(at_s for at_s, angle in rig.trace if angle < -FULL_DEG + 0.69)
    assert not any(power for at_s, power in rig.power if at_s > closed_s + 0.1)


def retry_once(make: Make) -> None:
    """One failure is tried again, and a board that then arrives has not failed."""
    rig, _ = _swinging(make)
    rig.table.faults.servo_dead()
    begun = rig.drive.motions
    rig.run(0.5 if rig.name in OURS else 1.7)
    rig.table.faults.servo_dead(False)
    opened = rig.until(e.TurnOpened)
    assert opened.seat == 1
    assert rig.drive.motor
    assert not any("failed" in fault.say for fault in rig.said(e.Fault))
    assert rig.drive.motions == begun


def then_manual(make: Make) -> None:
    """A drive that failed twice is done: no motion any more, and people push the game on."""
    rig, _ = _swinging(make)
    rig.table.faults.servo_dead()
    _tilt_fault(rig, 30.0)
    assert not rig.drive.motor
    rig.table.faults.servo_dead(False)
    rig.run(0.5)
    since_s = rig.now_s
    rig.run(5.0)
    assert rig.motions() == [] or rig.motions()[-1] < since_s
    rig.table.other_hand.push(1)
    assert rig.until(e.TurnOpened).seat == 1


def release_after_arrival(make: Make) -> None:
    """The motor has no power soon after the board stands, and none while it stands."""
    rig, _ = _swinging(make)
    rig.run(0.3)
    assert rig.powered
    while rig.drive.side is None and rig.now_s < 60:
        rig.run(0.01)
    arrived_s = rig.now_s
    rig.run(4.0)
    late = [at_s for at_s, power in rig.power if power and at_s > arrived_s + rig.limits.hold_s + 0.15]
    assert late == []


def never_before_armed(make: Make) -> None:
    """Nothing moves before the whole picture was seen and agrees with the game."""
    rig = make(start_deg=-8.0)
    rig.table.hand.lift(rig.cell("a8"))
    rig.run(6.0)
    assert rig.motions() == []
    assert not rig.powered
    _unarmed(rig)
    rig.run(2.0)
    assert rig.motions() == []


def nothing_by_itself(make: Make) -> None:
    """People push this board; nothing else does."""
    rig = make()
    rig.begin()
    rig.move()
    rig.run(8.0)
    assert rig.motions() == []
    assert rig.said(e.TiltStarted) == []


def creeps_home(make: Make) -> None:
    """From an angle that nobody knows the board creeps to its end."""
    rig = make(start_deg=3.0)
    rig.begin()
    rates = [abs(b - a) / (t - s) for (s, a), (t, b) in pairwise(rig.trace[::10])]
    assert max(rates) < (30.0 if rig.name == "controller servo" else 10.0)
    assert rig.table.angle_deg > FULL_DEG - 0.75


def _swinging(make: Make) -> tuple[TiltRig, e.TiltStarted]:
    """A board whose motor has just started after White's move."""
    rig = make()
    rig.begin()
    rig.move()
    return rig, rig.until(e.TiltStarted)


def _unarmed(rig: TiltRig) -> None:
    if rig.name == "manual":
        return
    try:
        rig.drive.go(1, rig.now_s)
    except HardwareError as error:
        assert "not armed" in str(error)  # noqa: PT017
    else:
        raise AssertionError("it goes although it is not armed")


def _tilt_fault(rig: TiltRig, lasts_s: float) -> e.Fault:
    end_s = rig.now_s + lasts_s
    while rig.now_s < end_s:
        for fault in rig.said(e.Fault):
            if fault.kind == "tilt" and "failed" in fault.say:
                return fault
        rig.run(0.05)
    raise AssertionError("the failure was never reported")


RULES: dict[Rule, tuple[str, ...]] = {
    warning_first: MOTORS,
    warning_before_it_aligns: MOTORS,
    limits: MOTORS,
    smooth_profile: MOTORS,
    cancel: ALL,
    stop_at_once: MOTORS,
    stops_when_nobody_sees: MOTORS,
    arrival: ALL,
    deadline: MOTORS,
    stall: MOTORS,
    wrong_way: ("stepper", "dc motor"),
    retry_once: MOTORS,
    then_manual: MOTORS,
    release_after_arrival: MOTORS,
    never_before_armed: ALL,
    nothing_by_itself: ("manual",),
    creeps_home: ("controller servo", "stepper", "dc motor"),
}
"""Each rule, and the drives that it is for."""
