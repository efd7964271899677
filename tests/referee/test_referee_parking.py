"""Parking: before the daemon ends the board goes level and its motor is let go, and never over somebody's fingers."""

from typing import Any

import pytest
from drives.rig import MOTORS, TiltRig

from firmware_bridge.messages import DisableTilt
from referee import events as e

WITHIN_S = 5.0


def begun(name: str) -> TiltRig:
    rig = TiltRig(name)
    rig.begin()
    rig.run(1.0)
    return rig


def park(rig: TiltRig) -> float:
    """Park, and how long it took."""
    began_s = rig.now_s
    rig.lockstep._settle(rig.pipeline.park(began_s))
    rig.run(WITHIN_S, lambda: rig.pipeline.parked)
    return rig.now_s - began_s


@pytest.mark.parametrize("name", MOTORS)
def test_the_board_goes_level_and_the_motor_is_off_in_time(name: str) -> None:
    rig = begun(name)
    assert abs(rig.table.angle_deg) > 7.5
    lasted_s = park(rig)
    assert rig.pipeline.level
    assert lasted_s < WITHIN_S - 1.0
    rig.run(0.5)
    # A DC motor knows no angle: it comes as near as its rate was told rightly.
    assert abs(rig.table.angle_deg) < (1.5 if name == "dc motor" else 0.7)
    assert not rig.powered
    assert not rig.drive.armed


@pytest.mark.parametrize("name", MOTORS)
def test_its_warning_comes_first(name: str) -> None:
    rig = begun(name)
    rig.lockstep._settle(rig.pipeline.park(rig.now_s))
    warned = rig.until(e.TiltWarning)
    rig.run(WITHIN_S, lambda: rig.pipeline.parked)
    (started,) = (at_s for at_s in rig.motions() if at_s > warned.at_s)
    assert started - warned.at_s >= rig.limits.warning_s - 0.006
    assert warned.seat is None, "it goes to nobody's side"
    assert rig.said(e.TiltStarted)[-1].seat is None


@pytest.mark.parametrize("name", ["controller servo", "stepper"])
def test_nothing_moves_while_a_marble_is_in_hand(name: str) -> None:
    rig = begun(name)
    rig.table.hand.lift(rig.cell("a7"))
    rig.run(1.0)
    before = rig.table.angle_deg
    park(rig)
    assert rig.pipeline.parked
    assert not rig.pipeline.level
    rig.run(1.0)
    assert rig.table.angle_deg == before
    assert not rig.powered


def test_a_hand_in_the_warning_calls_it_off_and_the_motor_is_let_go() -> None:
    rig = begun("controller servo")
    rig.lockstep._settle(rig.pipeline.park(rig.now_s))
    rig.until(e.TiltWarning)
    rig.table.faults.stuck(rig.cell("a8"), 0)
    rig.until(e.CalledOff)
    before = rig.table.angle_deg
    rig.run(WITHIN_S, lambda: rig.pipeline.parked)
    assert rig.pipeline.parked
    assert rig.table.angle_deg == before


def test_a_hand_in_the_swing_stops_it_at_once() -> None:
    rig = begun("controller servo")
    rig.lockstep._settle(rig.pipeline.park(rig.now_s))
    rig.until(e.TiltStarted)
    rig.run(0.25)
    rig.table.faults.stuck(rig.cell("a8"), 0)
    rig.run(WITHIN_S, lambda: rig.pipeline.parked)
    stopped_s = rig.now_s
    rig.run(0.5)
    after = [angle for _, angle in rig.between(stopped_s + 0.1, rig.now_s)]
    assert max(after) - min(after) < 0.01
    assert after[0] > 0.5
    assert not rig.powered


def test_a_board_that_people_push_is_left_as_it_stands() -> None:
    rig = begun("manual")
    assert park(rig) < 0.01
    assert rig.pipeline.parked
    assert not rig.pipeline.level


def test_a_board_that_nobody_sees_is_left_as_it_stands() -> None:
    rig = begun("controller servo")
    rig.lockstep._settle(rig.pipeline.closed(rig.now_s, "unplugged"))
    assert park(rig) < 0.01
    assert not rig.pipeline.level


def test_a_swing_under_way_ends_first() -> None:
    rig = begun("controller servo")
    rig.move()
    rig.until(e.TiltStarted)
    rig.run(0.2)
    assert park(rig) < WITHIN_S
    assert rig.pipeline.level
    assert abs(rig.table.angle_deg) < 0.7


def test_the_game_is_left_as_it_is() -> None:
    rig = begun("controller servo")
    rig.move()
    rig.until(e.MoveProvisional)
    since = len(rig.events)
    ply = rig.pipeline.session.position.ply
    park(rig)
    assert rig.pipeline.session.position.ply == ply
    kinds = {type(event) for event in rig.events[since:]}
    assert kinds <= {e.TiltWarning, e.TiltStarted, e.CalledOff}


def test_letting_go_says_so_to_the_controller() -> None:
    rig = begun("controller servo")
    sent: list[object] = []
    inner = rig.drive._send

    def noted(command: Any) -> Any:
        sent.append(command)
        return inner(command)

    rig.drive._send = noted
    park(rig)
    assert isinstance(sent[-1], DisableTilt)
