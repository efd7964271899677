"""The session's times and its ways in and out, without a table: what is judged when, and what comes of it."""

import pytest
from tables.desk import CLASSIC, Desk

from hardware.health import Complaint
from hardware.occupancy import Occupancy
from hardware.tilt import SupplyWeak, TiltArrived, TiltFailed, TiltLeft
from referee import commands as c
from referee import events as e
from referee.errors import RefereeError
from referee.session import Phase

MIDDLE = "1W5/W1W1B2/1W1WW2/WW2B2/1B2W2/W1B1BBB/3B1B1/4B2 W 38"
FLAT = "WWW4/WWW4/WW5/W6/6B/5BB/4BBB/4BBB W 20"


@pytest.mark.parametrize(
    ("position", "edges", "after_s"),
    [
        (FLAT, "b8- d8+", 0.150),  # from a single space to a single space
        (MIDDLE, "b8- c8+", 0.200),  # into a groove of two
        (MIDDLE, "a3- b3+ b3- b2+", 0.200),
        (FLAT, "b8- b8+ b8- d8+", 0.300),  # a space that changed three times
    ],
)
def test_a_picture_is_judged_when_it_has_rested_long_enough(
    position: str, edges: str, after_s: float
) -> None:
    desk = Desk(position)
    desk.edges(edges, 2.0)
    last_s = 2.0 + 0.001 * (len(edges.split()) - 1)
    desk.run(last_s + after_s - 0.0005)
    assert desk.said(e.MoveProvisional) == []
    desk.run(last_s + after_s + 0.0005)
    (found,) = desk.said(e.MoveProvisional)
    assert found.at_s == pytest.approx(last_s + after_s)


@pytest.mark.parametrize(
    ("motor", "edges", "lasts_s"),
    [
        (True, [("b8-", 2.0), ("d8+", 3.0)], 0.7),
        (False, [("b8-", 2.0), ("d8+", 3.0)], 1.5),
        (True, [("b8-", 2.0), ("d8+", 2.2)], 1.5),  # nobody carries so fast: it slides
        (
            True,
            [("b8-", 2.0), ("d8+", 2.02), ("b8+", 2.03), ("b8-", 2.06)],
            1.5,
        ),  # it chatters as it slides off
    ],
)
def test_a_move_is_provisional_for_its_time(
    motor: bool, edges: list[tuple[str, float]], lasts_s: float
) -> None:
    desk = Desk(FLAT, motor=motor)
    for text, at_s in edges:
        desk.edges(text, at_s)
    desk.run(10.0)
    (found,) = desk.said(e.MoveProvisional)
    (turn,) = desk.said(e.TurnTaken)
    assert found.due_s == pytest.approx(found.at_s + lasts_s)
    assert turn.at_s == pytest.approx(found.due_s)
    assert turn.witness == "seen"


def test_a_turn_comes_before_its_motion_and_opens_the_next() -> None:
    desk = Desk(FLAT)
    desk.edges("b8- d8+", 2.0)
    desk.run(5.0)
    kinds = [type(event).__name__ for event in desk.events]
    assert kinds[-3:] == ["MoveProvisional", "TurnTaken", "TiltStarted"]
    assert desk.drive.done[-1][:2] == ("go", 1)
    desk.arrives(1)
    desk.run(8.0)
    assert desk.last(e.TurnOpened).seat == 1


def test_trouble_is_said_one_second_after_the_last_edge() -> None:
    desk = Desk(MIDDLE)
    desk.edges("d6- d3+", 2.0)
    desk.run(3.0)
    assert desk.said(e.OutOfStep) == []
    desk.run(3.01)
    wrong = desk.last(e.OutOfStep)
    assert (wrong.code, wrong.move, wrong.missing, wrong.extra) == ("forward_step", "d6-d3", ("d6",), ("d3",))
    assert wrong.guide == "Take the marble from d3 and put it on d6."


def test_a_takeback_is_shown_after_one_second_and_done_three_later() -> None:
    desk = Desk(before="a7-a4")
    desk.edges("a4- a7+", 2.0)
    desk.run(20.0)
    (shown,), (taken,) = desk.said(e.TakebackShown), desk.said(e.TakenBack)
    assert shown.at_s == pytest.approx(3.001)
    assert taken.at_s == pytest.approx(6.001)
    (warning,) = desk.said(e.TiltWarning)
    assert warning.at_s >= taken.at_s
    assert desk.drive.done[-1][0] == "go"


def test_a_lift_calls_a_shown_takeback_off() -> None:
    desk = Desk(before="a7-a4")
    desk.edges("a4- a7+", 2.0)
    desk.run(4.0)
    desk.edges("a8-", 5.9)
    desk.run(30.0)
    assert len(desk.said(e.TakebackCancelled)) == 1
    assert desk.said(e.TakenBack) == []
    assert desk.drive.done == []


def test_a_push_by_hand_makes_a_move_a_turn_at_once() -> None:
    desk = Desk(FLAT, motor=False)
    desk.edges("b8- d8+", 2.0)
    desk.run(2.5)
    desk.session.tilted(TiltLeft(desk.now_s))
    (turn,) = desk.said(e.TurnTaken)
    assert turn.at_s == 2.5


def test_a_complaint_dies_with_the_tilt_under_which_it_was_made() -> None:
    desk = Desk(MIDDLE, motor=False)
    desk.edges("d6- d3+", 2.0)
    desk.run(2.9)
    desk.drive.side = None
    desk.session.tilted(TiltLeft(2.9))
    desk.drive.side = 1
    desk.session.tilted(TiltArrived(2.95, 1, expected=False))
    desk.run(3.0)
    desk.run(10.0)  # nothing is raised, and the picture is judged anew
    assert desk.said(e.TurnTaken) == []


def test_a_warning_for_a_tilt_that_people_make_meanwhile_is_called_off() -> None:
    desk = Desk(FLAT)
    desk.drive.side = 1
    desk.session.tilted(TiltArrived(2.0, 1, expected=False))
    desk.run(2.5)
    assert len(desk.said(e.TiltWarning)) == 1
    desk.drive.side = 0
    desk.session.tilted(TiltArrived(2.6, 0, expected=False))
    desk.run(10.0)
    assert desk.said(e.TiltStarted) == []
    assert desk.session.phase is Phase.OPEN


def stuck_desk() -> Desk:
    """The marble on c3 of Black's should lie on c4 after the tilt to Black, and does not roll."""
    desk = Desk("7/7/7/7/7/W1B4/7/1W5 W 20")
    desk.edges("b1- c1+", 2.0)
    desk.run(5.0)
    desk.drive.side = 1
    desk.readings[desk.cell("a3")], desk.readings[desk.cell("a4")] = 0, 1
    desk.readings[desk.cell("c1")], desk.readings[desk.cell("c2")] = 0, 1
    desk.session.tilted(TiltArrived(desk.now_s, 1, expected=True))
    desk.edges("a3- a4+ c1- c2+", desk.now_s)
    desk.run(desk.now_s + 1.5)
    return desk


def test_a_stuck_marble_is_rocked_then_named_and_a_nudge_opens_the_turn() -> None:
    desk = stuck_desk()
    assert desk.said(e.OutOfStep) == []
    desk.run(desk.now_s + 1.0)
    assert desk.last(e.TiltStarted).rock
    assert desk.drive.done[-1][0] == "rock"
    desk.session.tilted(TiltArrived(desk.now_s, 1, expected=True))
    desk.run(desk.now_s + 5.0)
    stuck = desk.last(e.OutOfStep)
    assert (stuck.code, stuck.extra, stuck.missing) == ("stuck_marble", ("c3",), ("c4",))
    assert [what for what, *_ in desk.drive.done].count("rock") == 1
    desk.edges("c3- c4+")
    desk.run(desk.now_s + 2.0)
    assert desk.last(e.TurnOpened).seat == 1


def test_a_stuck_marble_may_be_declared_right() -> None:
    desk = stuck_desk()
    desk.run(desk.now_s + 1.0)
    desk.session.tilted(TiltArrived(desk.now_s, 1, expected=True))
    desk.run(desk.now_s + 5.0)
    desk.ask(c.BoardIsRight())
    desk.run(desk.now_s + 1.0)
    assert desk.last(e.TurnOpened).seat == 1
    assert desk.said(e.PositionSet) == []


def test_a_picture_that_was_found_after_a_lost_link_is_unwitnessed_and_armed() -> None:
    desk = Desk(FLAT)
    desk.session.link(False, "gone", 2.0)
    desk.session.see(Occupancy(2.0, False, bytes(desk.readings), (), edges_lost=True))
    desk.drive.armed, desk.drive.side = False, None
    assert desk.session.due_s() == float("inf")
    desk.readings[desk.cell("b8")], desk.readings[desk.cell("d8")] = 0, 1
    desk.session.link(True, "", 5.0)
    desk.session.see(Occupancy(5.0, True, bytes(desk.readings), (), edges_lost=True))
    desk.run(7.0)
    assert desk.drive.armed
    assert desk.last(e.TurnTaken).witness == "unwitnessed"


def test_a_reply_under_an_unknown_tilt_is_early_where_the_board_never_came_down() -> None:
    desk = Desk(FLAT)
    desk.edges("b8-", 1.5)
    desk.edges("d8+", 2.2)
    desk.run(3.2)
    assert len(desk.said(e.TiltStarted)) == 1
    desk.edges("f1- d1+", 3.3)  # no rolling marble explains that
    assert desk.last(e.TiltStopped).cell == "f1"
    assert desk.drive.done[-1][0] == "stop"
    desk.run(10.0)
    assert desk.last(e.OutOfStep).code == "too_early"
    assert len(desk.said(e.TurnTaken)) == 1


def test_a_motor_that_failed_is_replaced_by_people() -> None:
    desk = Desk(FLAT)
    desk.edges("b8- d8+", 2.0)
    desk.run(4.0)
    desk.drive.motor, desk.drive.side = False, 0
    desk.session.tilted(TiltFailed(4.0, 1, "broken"))
    desk.run(10.0)
    assert [event.kind for event in desk.said(e.Fault)] == ["tilt"]
    assert [event.seat for event in desk.said(e.TiltWanted)] == [1]
    desk.arrives(1, expected=False)
    desk.run(12.0)
    assert desk.last(e.TurnOpened).seat == 1


def test_a_weak_supply_is_not_called_a_fault_of_the_link() -> None:
    desk = Desk(FLAT)
    desk.session.tilted(SupplyWeak(2.0))
    (fault,) = desk.said(e.Fault)
    assert fault.kind == "supply"


def test_a_machines_answer_that_comes_while_the_board_is_away_is_not_lost() -> None:
    desk = Desk(FLAT, machines=[0])
    asked = desk.last(e.MoveWanted)
    desk.session.link(False, "gone", 2.0)
    desk.session.see(Occupancy(2.0, False, bytes(desk.readings), (), edges_lost=True))
    desk.ask(c.Announce("b8-d8", asked.position))
    assert desk.said(e.Announced) == []
    desk.session.link(True, "", 3.0)
    desk.session.see(Occupancy(3.0, True, bytes(desk.readings), (), edges_lost=True))
    desk.run(5.0)
    assert desk.last(e.Announced).move == "b8-d8"
    assert len(desk.said(e.MoveWanted)) == 1


def test_an_answer_to_a_question_of_before_is_dropped_and_a_wrong_one_refused() -> None:
    desk = Desk(FLAT, machines=[0])
    desk.ask(c.Announce("b8-d8", "another position"))
    assert desk.said(e.Announced) == []
    with pytest.raises(RefereeError, match="not legal here"):
        desk.ask(c.Announce("b8-e1", desk.last(e.MoveWanted).position))


def test_a_question_is_asked_after_three_seconds_and_ends_with_the_picture() -> None:
    desk = Desk(MIDDLE)
    desk.session._sensors.name(desk.cell("a8"), Complaint.UNSURE, 1.0)
    desk.edges("b8-", 2.0)
    desk.run(4.9)
    assert desk.last(e.InHand).lifted == ("b8",)
    assert desk.said(e.Question) == []
    desk.run(5.1)
    assert desk.last(e.Question).moves == ("b8-a8",)
    desk.edges("b8+", 6.0)
    with pytest.raises(RefereeError, match="not at rest"):
        desk.ask(c.Confirm("b8-a8"))
    desk.run(8.0)
    assert len(desk.said(e.BackInStep)) == 1


def test_a_confirmed_move_is_provisional_and_then_a_turn() -> None:
    desk = Desk(MIDDLE)
    desk.session._sensors.name(desk.cell("a8"), Complaint.UNSURE, 1.0)
    desk.edges("b8-", 2.0)
    desk.run(6.0)
    with pytest.raises(RefereeError):
        desk.ask(c.Confirm("b8-c8"))
    desk.ask(c.Confirm("b8-a8"))
    desk.run(8.0)
    assert desk.last(e.TurnTaken).move == "b8-a8"
    assert desk.last(e.TurnTaken).witness == "unwitnessed"


def test_a_machines_move_is_confirmed_only_as_it_was_announced() -> None:
    desk = Desk(MIDDLE, machines=[0])
    desk.ask(c.Announce("d6-f6", desk.last(e.MoveWanted).position))
    desk.session._sensors.name(desk.cell("a8"), Complaint.UNSURE, 1.0)
    desk.edges("b8-", 2.0)
    desk.run(6.0)
    assert desk.last(e.Question).moves == ("b8-a8",)
    desk.ask(c.Confirm("b8-a8"))
    desk.run(10.0)
    assert desk.said(e.TurnTaken) == []
    assert desk.last(e.OutOfStep).say == "White plays d6-f6, not b8-a8."


@pytest.mark.parametrize("announced", ["", "b8-d8"])
def test_a_machines_unseen_move_is_confirmed_only_as_it_was_announced(announced: str) -> None:
    desk = Desk(FLAT, machines=[0])
    if announced:
        desk.ask(c.Announce(announced, desk.last(e.MoveWanted).position))
    desk.edges("b8-", 2.0)
    desk.run(6.0)
    desk.ask(c.Confirm("b8-b5"))
    desk.run(10.0)
    said = "plays b8-d8" if announced else "is still thinking"
    assert desk.last(e.OutOfStep).say == f"White {said}, not b8-b5."
    assert desk.said(e.TurnTaken) == []
    assert desk.said(e.SensorNamed) == []
    if announced:
        desk.ask(c.Confirm(announced))
        desk.run(14.0)
        assert desk.last(e.TurnTaken).move == announced


def test_a_bad_sensor_is_not_to_be_filled_where_a_machines_move_was_another() -> None:
    desk = Desk(FLAT, machines=[0])
    desk.ask(c.Announce("a5-b5", desk.last(e.MoveWanted).position))
    desk.session._sensors.name(desk.cell("a7"), Complaint.BLIND, 1.0)
    desk.edges("a7-", 2.0)
    desk.run(4.0)
    desk.edges("b8- d8+", 5.0)
    desk.run(9.0)
    wrong = desk.last(e.OutOfStep)
    assert (wrong.code, wrong.missing, wrong.extra) == ("not_announced", ("b8",), ("d8",))


@pytest.mark.parametrize("command", [c.Resign(0), c.AgreeDraw(), c.BreakOff("x"), c.BoardIsRight()])
def test_nothing_can_be_asked_of_a_game_that_is_over(command: c.PlayerCommand) -> None:
    desk = Desk(FLAT)
    desk.ask(c.Resign(1))
    assert desk.last(e.GameOver).result == "1-0 resigned"
    with pytest.raises(RefereeError, match="No game is going on"):
        desk.ask(command)
    desk.edges("b8- d8+", 2.0)
    desk.run(10.0)
    assert desk.said(e.TurnTaken) == []


@pytest.mark.parametrize("command", [c.BoardIsRight(), c.MarbleIsThere(0)])
def test_a_board_that_is_not_at_rest_is_not_judged(command: c.PlayerCommand) -> None:
    desk = Desk(FLAT)
    desk.edges("b8-", 2.0)
    with pytest.raises(RefereeError, match="not at rest"):
        desk.ask(command)


@pytest.mark.parametrize("name", ["d4", "a8"])
def test_a_marble_that_is_not_missing_is_not_there(name: str) -> None:
    desk = Desk(FLAT)
    with pytest.raises(RefereeError, match="No marble is missing"):
        desk.ask(c.MarbleIsThere(desk.cell(name)))


def test_a_number_that_is_no_space_is_refused() -> None:
    with pytest.raises(RefereeError):
        Desk(FLAT).ask(c.MarbleIsThere(99))


def test_the_board_is_not_right_while_a_marble_is_missing() -> None:
    desk = Desk(MIDDLE)
    desk.edges("d6-", 2.0)
    desk.run(5.0)
    with pytest.raises(RefereeError, match="cannot be taken as it is"):
        desk.ask(c.BoardIsRight())


def test_a_takeback_that_was_not_offered_is_refused() -> None:
    with pytest.raises(RefereeError, match="no takeback"):
        Desk(FLAT).ask(c.TakeBackInstead())


def test_a_change_of_a_bad_cell_neither_delays_nor_calls_off() -> None:
    desk = Desk(FLAT)
    desk.session._sensors.name(desk.cell("g8"), Complaint.FLICKERING, 1.0)
    desk.edges("b8-", 1.5)
    desk.edges("d8+", 2.0)
    desk.run(2.5)
    desk.edges("g8+ g8- g8+", 2.55)
    desk.run(2.9)
    assert desk.last(e.TurnTaken).move == "b8-d8"
    assert desk.said(e.CalledOff) == []


def test_times_of_a_game_by_positions_are_kept() -> None:
    desk = Desk(before="a7-a4 d1-c1")
    assert CLASSIC.position_text(desk.session.position).endswith("W 2")
    assert desk.last(e.TurnOpened).ply == 2
