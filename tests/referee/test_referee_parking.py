"""Parking: before the daemon ends the board goes level and its motor is let go, and never over somebody's fingers."""

from typing import Any

import pytest
from drives.rig import MOTORS, PLAYERS, TiltRig

from balanxd.assemble import game_on, header_of, make_session
from firmware_bridge.messages import DisableTilt
from referee import events as e
from referee.commands import GoOn, Stop
from referee.errors import RefereeError
from rules.line import Line

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
    assert kinds <= {e.TiltWarning, e.TiltStarted, e.CalledOff, e.Stopped}


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


# ---- going on again ----------------------------------------------------------------------------------------


def begin_to_park(rig: TiltRig) -> None:
    rig.lockstep._settle(rig.pipeline.park(rig.now_s))


def parked(name: str) -> TiltRig:
    rig = begun(name)
    park(rig)
    assert rig.pipeline.parked
    return rig


def still(rig: TiltRig, lasts_s: float) -> bool:
    """Whether nothing moved and no motor had power, for so long."""
    since_s, before = rig.now_s, rig.table.angle_deg
    rig.run(lasts_s)
    angles = [angle for at_s, angle in rig.trace if at_s > since_s]
    powered = any(on for at_s, on in rig.power if at_s > since_s + 0.1)
    return not powered and max(abs(angle - before) for angle in angles) < 0.01


def opened_again(rig: TiltRig, seat: int) -> None:
    assert rig.until(e.TurnOpened).seat == seat
    assert rig.table.angle_deg * (1 if seat == 0 else -1) > 7.3


@pytest.mark.parametrize("name", MOTORS)
def test_a_parked_board_stays_as_it_is_until_it_may_go_on(name: str) -> None:
    rig = parked(name)
    assert rig.said(e.Stopped) == [e.Stopped(at_s=rig.said(e.Stopped)[0].at_s, parked=True)]
    assert still(rig, 5.0)
    rig.lockstep.command(GoOn())
    assert not rig.pipeline.parked
    gone_on_s = rig.now_s
    rig.until(e.TiltStarted)
    opened_again(rig, 0)
    began_s = min(at_s for at_s in rig.motions() if at_s > gone_on_s)
    warned_s = rig.said(e.TiltWarning)[-1].at_s
    assert began_s - warned_s >= rig.limits.warning_s - 0.006
    assert warned_s >= gone_on_s
    assert [type(event) for event in rig.events if isinstance(event, e.Stopped | e.WentOn)] == [
        e.Stopped,
        e.WentOn,
    ]
    rig.move()
    assert rig.until(e.TurnTaken).move == "a7-a4"
    opened_again(rig, 1)


def test_a_game_goes_on_after_it_was_parked_in_a_provisional_move() -> None:
    rig = begun("controller servo")
    rig.move()
    rig.until(e.MoveProvisional)
    park(rig)
    rig.lockstep.command(GoOn())
    assert rig.until(e.TurnTaken).move == "a7-a4"
    opened_again(rig, 1)


def test_a_move_made_while_it_is_parked_is_found() -> None:
    rig = parked("controller servo")
    rig.move()
    rig.until(e.TurnTaken)
    assert still(rig, 3.0), "a turn may be played, and its tilt waits"
    rig.lockstep.command(GoOn())
    opened_again(rig, 1)


def test_marbles_that_were_moved_meanwhile_are_led_back_before_a_motor_moves() -> None:
    rig = parked("controller servo")
    rig.move("a7", "d4")
    rig.run(3.0)
    rig.lockstep.command(GoOn())
    rig.until(e.OutOfStep) if not rig.said(e.OutOfStep) else None
    assert still(rig, 2.0)
    rig.move("d4", "a7")
    opened_again(rig, 0)


@pytest.mark.parametrize("side", [0, 1])
def test_a_parked_board_that_is_pushed_over_goes_on_from_there(side: int) -> None:
    rig = parked("controller servo")
    rig.table.hand.push(side)
    rig.run(4.0)
    rig.lockstep.command(GoOn())
    rig.run(6.0)
    assert rig.said(e.TurnOpened)[-1].seat == 0
    assert rig.table.angle_deg > 7.3
    rig.move()
    rig.until(e.TurnTaken)
    opened_again(rig, 1)


def test_it_is_looked_at_anew_after_a_lost_link() -> None:
    rig = parked("controller servo")
    rig.lockstep._settle(rig.pipeline.closed(rig.now_s, "unplugged"))
    assert not rig.said(e.LinkChanged)[-1].up, "that is said of a parked board too"
    rig.lockstep._settle(rig.pipeline.opened(rig.now_s))
    rig.until(e.LinkChanged)
    assert rig.said(e.LinkChanged)[-1].up
    assert still(rig, 4.0)
    assert rig.pipeline.parked
    rig.lockstep.command(GoOn())
    opened_again(rig, 0)


@pytest.mark.parametrize("command", [Stop(), GoOn()])
@pytest.mark.parametrize("name", ["controller servo", "dc motor"])
def test_stop_in_the_swing_stops_the_motor_at_once(name: str, command: Stop | GoOn) -> None:
    rig = begun(name)
    begin_to_park(rig)
    rig.until(e.TiltStarted)
    rig.run(0.25)
    rig.lockstep.command(command)
    assert not rig.pipeline.parking
    if isinstance(command, Stop):
        rig.run(0.1)
        assert still(rig, 2.0)
        assert abs(rig.table.angle_deg) > 0.5
        rig.lockstep.command(GoOn())
    opened_again(rig, 0)
    assert len(rig.said(e.Stopped)) == len(rig.said(e.WentOn)) == 1


def test_stop_in_the_warning_calls_it_off() -> None:
    rig = begun("controller servo")
    begin_to_park(rig)
    rig.until(e.TiltWarning)
    rig.lockstep.command(Stop())
    assert still(rig, 3.0)
    assert not rig.pipeline.level


def test_a_stopped_board_is_parked_without_a_motion() -> None:
    rig = begun("controller servo")
    rig.lockstep.command(Stop())
    began_s = rig.now_s
    assert park(rig) < 0.01
    assert rig.pipeline.parked
    rig.run(3.0)
    assert [at_s for at_s in rig.motions() if at_s > began_s] == []
    rig.lockstep.command(GoOn())
    rig.move()
    rig.until(e.TurnTaken)
    opened_again(rig, 1)


def test_hands_that_never_rest_keep_it_waiting_for_four_seconds_at_most() -> None:
    rig = begun("controller servo")
    began_s = rig.now_s
    begin_to_park(rig)
    for number in range(16):
        rig.run(0.15 if number % 2 else 0.6, lambda: rig.pipeline.parked)
        rig.table.faults.stuck(rig.cell("a8"), number % 2)
    assert len(rig.said(e.CalledOff)) > 1
    assert rig.said(e.Stopped)[-1].at_s - began_s < 4.8
    assert [at_s for at_s in rig.motions() if at_s > began_s] == []


def test_a_hand_in_the_turns_own_swing_still_stops_it() -> None:
    rig = begun("controller servo")
    rig.move()
    rig.until(e.TiltStarted)
    rig.run(0.1)
    begin_to_park(rig)
    rig.table.faults.stuck(rig.cell("b8"), 0)
    rig.until(e.TiltStopped, 0.1)
    rig.run(0.1)
    before = rig.table.angle_deg
    rig.run(3.0)
    assert rig.table.angle_deg == before
    assert rig.pipeline.parked
    assert not rig.powered


def test_parking_twice_is_parking_once() -> None:
    rig = begun("controller servo")
    begin_to_park(rig)
    warned = rig.until(e.TiltWarning)
    rig.run(0.3)
    begin_to_park(rig)
    assert rig.until(e.TiltStarted).at_s - warned.at_s < rig.limits.warning_s + 0.01
    park(rig)
    park(rig)
    assert len(rig.said(e.TiltStarted)) == 1
    rig.lockstep.command(GoOn())
    with pytest.raises(RefereeError):
        rig.lockstep.command(GoOn())
    opened_again(rig, 0)


@pytest.mark.parametrize("how", ["parked", "stopped"])
def test_a_new_game_leaves_the_board_at_rest_until_it_may_go_on(how: str) -> None:
    rig = parked("controller servo") if how == "parked" else begun("controller servo")
    if how == "stopped":
        rig.lockstep.command(Stop())
    line: Line[Any, Any] = Line.begin(game_on(rig.board))
    header = header_of(line, rig.board, PLAYERS, "????.??.??")
    session = make_session(rig.board, line, PLAYERS, rig.drive, rig.pipeline.said, header=header)
    rig.lockstep._settle(rig.pipeline.replace_session(session, rig.now_s))
    assert rig.events[-1] == e.Stopped(at_s=rig.now_s, parked=how == "parked")
    if how == "parked":
        assert still(rig, 3.0)
    rig.lockstep.command(GoOn())
    opened_again(rig, 0)
