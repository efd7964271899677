"""Stop, go on, and turns taken back by a command: at every moment, with drives of every kind."""

import random
from pathlib import Path
from typing import Any

import pytest
from drives.rig import MOTORS, TiltRig
from tables.desk import Desk

from balanxd.config import parse_board
from balanxd.journal import Journal
from balanxd.players import parse_player
from balanxd.simulated.headless import HeadlessGame
from hardware.occupancy import Occupancy
from hardware.tilt import TiltLeft
from referee import commands as c
from referee import events as e
from referee.errors import RefereeError

FLAT = "WWW4/WWW4/WW5/W6/6B/5BB/4BBB/4BBB W 20"
MACHINES = [parse_player("random")] * 2
TURNS = 5


def moving(desk: Desk) -> list[float]:
    """When a motor was started."""
    return [at_s for what, _, at_s in desk.drive.done if what in ("go", "rock", "level")]


def moved() -> Desk:
    """White has moved from b8 to d8, and it is provisional."""
    desk = Desk(FLAT)
    desk.edges("b8-", 2.0)
    desk.edges("d8+", 3.0)
    desk.run(3.2)
    assert desk.last(e.MoveProvisional).due_s < 3.9
    return desk


def test_a_stop_in_the_warning_calls_it_off_until_somebody_says_so() -> None:
    desk = Desk(FLAT)
    desk.arrives(1)
    desk.run(2.0)
    desk.last(e.TiltWarning)
    desk.ask(c.Stop())
    assert desk.said(e.CalledOff)
    desk.run(20.0)
    assert moving(desk) == []
    desk.ask(c.GoOn())
    desk.run(30.0)
    assert moving(desk) == [pytest.approx(desk.last(e.TiltWarning).at_s + 0.7)]
    assert desk.last(e.TiltWarning).at_s >= 20.0


def test_a_provisional_move_counts_on_a_stopped_board_and_its_tilt_waits() -> None:
    desk = moved()
    desk.ask(c.Stop())
    desk.run(12.0)
    assert desk.last(e.TurnTaken).move == "b8-d8"
    assert moving(desk) == []
    assert desk.said(e.TiltWarning) == []
    desk.ask(c.GoOn())
    desk.run(12.69)
    assert moving(desk) == []
    desk.run(13.0)
    assert moving(desk) == [pytest.approx(desk.last(e.TiltWarning).due_s)]


@pytest.mark.parametrize("went_on_s", [3.3, 3.6, 3.84])
def test_a_motor_that_may_go_on_gives_its_whole_warning(went_on_s: float) -> None:
    desk = moved()
    desk.ask(c.Stop())
    desk.run(went_on_s)
    desk.ask(c.GoOn())
    desk.run(10.0)
    (started,) = moving(desk)
    assert started >= went_on_s + 0.7
    assert len(desk.said(e.TurnTaken)) == 1


def test_a_stop_at_once_stops_a_motor_and_a_second_one_says_nothing_new() -> None:
    desk = moved()
    desk.run(4.2)
    assert len(moving(desk)) == 1
    desk.ask(c.Stop())
    assert desk.drive.done[-1] == ("stop", None, 4.2)
    desk.ask(c.Stop())
    assert len(desk.said(e.Stopped)) == 1
    desk.run(20.0)
    assert len(moving(desk)) == 1


def test_a_stop_survives_a_lost_link_and_the_motor_is_not_armed_before_it_may_move() -> None:
    desk = moved()
    desk.ask(c.Stop())
    desk.drive.armed = False
    desk.session.link(False, "pulled", desk.now_s)
    desk.session.link(True, "", 6.0)
    desk.run(6.0)
    desk.edges("", 6.0)
    desk.session.see(_again(desk))
    desk.run(15.0)
    assert desk.session.stopped == "stopped"
    assert not desk.drive.armed
    assert moving(desk) == []
    desk.ask(c.GoOn())
    desk.run(30.0)
    assert desk.drive.armed
    assert len(moving(desk)) == 1
    assert len(desk.said(e.TurnTaken)) == 1


def _again(desk: Desk) -> Occupancy:
    return Occupancy(desk.now_s, True, bytes(desk.readings), (), edges_lost=True)


def test_people_push_a_stopped_board_and_the_turn_opens() -> None:
    desk = moved()
    desk.ask(c.Stop())
    desk.run(4.0)
    desk.session.tilted(TiltLeft(4.0))
    desk.arrives(1, expected=False)
    desk.run(6.0)
    assert desk.last(e.TurnOpened).seat == 1
    assert moving(desk) == []
    assert desk.said(e.TiltWanted) == []


def test_a_stuck_marble_is_not_rocked_on_a_stopped_board() -> None:
    desk = Desk(FLAT)
    desk.ask(c.Stop())
    desk.drive.side = 0
    desk.edges("a3- a4+", 3.0)
    desk.run(20.0)
    assert moving(desk) == []


def test_parking_lets_go_and_going_on_looks_at_the_board_again() -> None:
    desk = moved()
    desk.drive.side = None
    desk.session.parked(3.3)
    assert desk.last(e.Stopped).parked
    desk.session.see(_again(desk))
    desk.run(9.0)
    assert moving(desk) == []
    assert desk.last(e.TurnTaken).move == "b8-d8"
    desk.ask(c.GoOn())
    desk.run(20.0)
    assert len(moving(desk)) == 1


def test_going_on_without_a_stop_is_refused() -> None:
    with pytest.raises(RefereeError, match="not stopped"):
        Desk(FLAT).ask(c.GoOn())


# ---- turns taken back by a command -------------------------------------------------------------------------


@pytest.mark.parametrize("plies", [0, 1, 2])
def test_no_more_turns_are_taken_back_than_were_taken(plies: int) -> None:
    desk = Desk(FLAT)
    with pytest.raises(RefereeError, match="cannot be taken back"):
        desk.ask(c.TakeBack(plies))
    assert desk.said(e.TakenBack) == []


def test_the_motor_stops_when_its_turn_is_taken_back() -> None:
    desk = moved()
    desk.run(4.2)
    desk.ask(c.TakeBack())
    assert desk.drive.done[-1][0] == "stop"
    assert desk.session.line.moves == ()


def test_a_turn_taken_back_is_led_back_before_anything_else_counts() -> None:
    desk = moved()
    desk.run(4.2)
    desk.arrives(1)
    desk.run(6.0)
    desk.ask(c.TakeBack())
    desk.run(9.0)
    told = desk.last(e.OutOfStep)
    assert (told.code, told.missing, told.extra) == ("undone", ("b8",), ("d8",))
    assert desk.said(e.TurnTaken)[1:] == []
    desk.edges("d8-", 10.0)
    desk.run(11.0)
    assert desk.last(e.InHand).targets == ("b8",)
    desk.edges("b8+", 12.0)
    desk.run(14.0)
    assert desk.last(e.TiltWarning).seat == 0


def test_a_provisional_move_on_top_is_led_back_first() -> None:
    desk = Desk(FLAT, before="b8-d8")
    desk.edges("f2- f4+", 2.0)
    desk.run(2.3)
    made = desk.last(e.MoveProvisional).move
    desk.ask(c.TakeBack())
    desk.run(5.0)
    assert desk.last(e.OutOfStep).say == f"{made} was taken back."
    desk.edges("f4- f2+", 6.0)
    desk.run(9.0)
    assert desk.last(e.OutOfStep).say == "b8-d8 was taken back."


# ---- with drives, and in whole games -----------------------------------------------------------------------


@pytest.mark.parametrize("name", MOTORS)
def test_a_motor_of_every_kind_stops_at_once_and_goes_on_after_a_warning(name: str) -> None:
    rig = TiltRig(name)
    rig.begin()
    rig.move()
    rig.until(e.TiltStarted)
    rig.run(0.25)
    rig.lockstep.command(c.Stop())
    stopped_s = rig.now_s
    rig.run(3.0)
    stood = [angle for _, angle in rig.between(stopped_s + 0.15, rig.now_s)]
    assert max(stood) - min(stood) < 0.2  # a stepper's half step
    assert abs(stood[0]) < 7.0
    rig.lockstep.command(c.GoOn())
    went_on_s = rig.now_s
    rig.until(e.TurnOpened)
    started = next(at_s for at_s in rig.motions() if at_s > went_on_s)
    assert started - went_on_s >= rig.limits.warning_s
    assert rig.pipeline.session.line.position.ply == 1


class Interrupted(HeadlessGame):
    """Somebody stops the board at random moments, and lets it go on a while later."""

    def play_on(self, rng: random.Random) -> None:
        lockstep = self.lockstep
        drive: Any = lockstep.pipeline.drive
        while self.over is None and lockstep.now_s < 400.0:
            lockstep.run(lambda: self.over is not None, lockstep.now_s + rng.uniform(0.0, 6.0))
            if self.over is not None:
                break
            lockstep.command(c.Stop())
            motions, turns = drive.motions, self.turns
            lockstep.run(lambda: False, lockstep.now_s + rng.choice([0.05, 1.0, 4.0]))
            if self.over is None:
                assert drive.motions == motions
            assert self.turns <= turns + 1
            lockstep.command(c.GoOn())


@pytest.mark.parametrize("seed", range(12))
def test_a_stop_at_any_moment_neither_loses_nor_invents_a_turn(tmp_path: Path, seed: int) -> None:
    board = parse_board("", "x")

    def game(name: str) -> Interrupted:
        journal = Journal(tmp_path / name)
        return Interrupted(board, MACHINES, seed=seed, journal=journal, max_turns=TURNS)

    plain = game("plain.journal")
    plain.play()
    stopped = game("stopped.journal")
    stopped.play_on(random.Random(seed))
    assert stopped.over is not None
    assert stopped.record().text() == plain.record().text()
