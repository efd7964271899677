"""The panel: what buttons and taps do with a game, and that nothing else does anything."""

from collections.abc import Callable

import pytest
from tables.desk import CLASSIC, PanelDesk

from hardware.buttons import Button
from hardware.health import Complaint
from referee import commands as c
from referee import events as e
from referee.errors import RefereeError
from referee.session import Phase

MIDDLE = "1W5/W1W1B2/1W1WW2/WW2B2/1B2W2/W1B1BBB/3B1B1/4B2 W 38"
FLAT = "WWW4/WWW4/WW5/W6/6B/5BB/4BBB/4BBB W 20"
BEGUN = "b8-d8"
NEXT, YES, STOP = Button.NEXT, Button.YES, Button.STOP
START = CLASSIC.position_text(CLASSIC.start())

TWO = [
    "Take back 1 turn",
    "A draw",
    "White resigns",
    "Black resigns",
    "A new game",
    "Exchange colours",
    "Park the board",
    "Shut down",
]
ONE = [
    "Take back 2 turns",
    "White resigns",
    "A new game",
    "Exchange colours",
    "Level 4",
    "Park the board",
    "Shut down",
]
FRESH = ["A new game", "Exchange colours", "Level 4", "Park the board", "Shut down"]


def two() -> PanelDesk:
    """Two people, one turn taken."""
    return PanelDesk(FLAT, before=BEGUN)


def one(before: str = "b8-d8 f2-f4") -> PanelDesk:
    """A person with White against a computer of level 3."""
    return PanelDesk(FLAT, before=before, persons=[0], machines=[1], level=3, levels=(1, 2, 3, 4))


def over() -> PanelDesk:
    desk = one()
    desk.ask(c.Resign(0))
    desk.run(desk.now_s + 1.0)
    return desk


def items(desk: PanelDesk) -> list[str]:
    """Once round the menu."""
    desk.press(NEXT)
    count = desk.last(e.MenuShown).count
    found = [desk.shown]
    for _ in range(count - 1):
        desk.press(NEXT)
        found.append(desk.shown)
    return found


def choose(desk: PanelDesk, say: str) -> None:
    while desk.shown.rstrip("?") != say:
        desk.press(NEXT)
    desk.press(YES)


def told(desk: PanelDesk) -> tuple[str, ...]:
    return tuple(map(desk.game.move_text, desk.session.line.moves))


# ---- what there is -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "wanted"),
    [
        (two, TWO),
        (one, ONE),
        (lambda: one(""), FRESH),
        (over, FRESH),
        (lambda: PanelDesk(FLAT, before=BEGUN, motor=False), [say for say in TWO if "Park" not in say]),
        (lambda: PanelDesk(FLAT), ["A new game", "Exchange colours", "Park the board", "Shut down"]),
        (
            lambda: PanelDesk(FLAT, before=BEGUN, persons=[], machines=[0, 1]),
            ["A new game", "Park the board", "Shut down"],
        ),
    ],
    ids=["two people", "one", "before the first turn", "over", "by hand", "two, before", "nobody"],
)
def test_the_menu_has_what_can_be_done_now(make: Callable[[], PanelDesk], wanted: list[str]) -> None:
    desk = make()
    assert items(desk) == wanted
    desk.press(NEXT)
    assert desk.shown == wanted[0], "it goes round"


def test_a_person_who_has_had_no_turn_takes_none_back() -> None:
    desk = PanelDesk(FLAT, before="b8-d8", persons=[1], machines=[0], level=3, levels=(1, 2, 3))
    assert items(desk)[0] == "Black resigns"


def test_after_the_last_level_comes_the_first() -> None:
    desk = PanelDesk(FLAT, persons=[0], machines=[1], level=4, levels=(1, 2, 3, 4))
    choose(desk, "Level 1")


def test_a_stopped_board_asks_first_whether_it_may_go_on() -> None:
    desk = two()
    desk.press(STOP)
    found = items(desk)
    assert found[0] == "Go on"
    assert found[1:] == [say for say in TWO if say != "Park the board"]


# ---- what the buttons do -----------------------------------------------------------------------------------


def test_yes_on_a_closed_menu_shows_and_does_nothing() -> None:
    desk = two()
    desk.press(YES)
    assert desk.shown == TWO[0]
    assert told(desk) == ("b8-d8",)


@pytest.mark.parametrize(
    ("say", "command"),
    [
        ("Take back 1 turn", c.TakeBack(1)),
        ("A draw", c.AgreeDraw()),
        ("White resigns", c.Resign(0)),
        ("Black resigns", c.Resign(1)),
        ("A new game", c.NewGame()),
        ("Exchange colours", c.NewGame(exchanged=True)),
        ("Park the board", c.Park()),
        ("Shut down", c.ShutDown()),
    ],
)
def test_an_item_is_done_and_what_cannot_be_undone_only_at_the_second_yes(
    say: str, command: c.PlayerCommand | c.HouseCommand
) -> None:
    desk = two()
    obeyed: list[object] = []
    desk.buttons._obey = lambda command, now_s: obeyed.append(command)
    choose(desk, say)
    if say not in ("Take back 1 turn", "Park the board"):
        assert desk.shown == f"{say}?"
        assert obeyed + desk.buttons.take_wanted() == []
        desk.press(NEXT)
        assert desk.shown != f"{say}?"
        choose(desk, say)
        desk.press(YES)
    assert obeyed + desk.buttons.take_wanted() == [command]
    assert desk.shown == ""
    assert desk.closed
    assert desk.last(e.MenuClosed).done
    assert desk.buttons.take_wanted() == [], "it is taken once"


def test_a_level_is_wanted_by_its_number() -> None:
    desk = one()
    choose(desk, "Level 4")
    desk.press(YES)
    assert desk.buttons.take_wanted() == [c.NewGame(level=4)]


def test_a_command_that_is_refused_says_why_and_changes_nothing() -> None:
    desk = two()
    desk.press(NEXT)
    desk.buttons._obey = refuse
    desk.press(YES)
    assert desk.closed == "not now"
    assert not desk.last(e.MenuClosed).done
    assert told(desk) == ("b8-d8",)


def refuse(command: c.PlayerCommand, now_s: float) -> None:
    del command, now_s
    raise RefereeError("not now")


def test_a_menu_that_nobody_uses_closes() -> None:
    desk = two()
    desk.press(NEXT)
    opened_s = desk.now_s
    desk.run(opened_s + 14.9)
    assert desk.shown
    desk.press(NEXT)
    desk.run(opened_s + 29.8)
    assert desk.shown
    desk.run(opened_s + 30.0)
    assert desk.shown == ""
    assert desk.closed == ""
    assert not desk.last(e.MenuClosed).done


def test_stop_stops_and_closes_and_yes_goes_on() -> None:
    desk = two()
    desk.press(NEXT)
    desk.press(STOP)
    assert desk.shown == ""
    assert desk.session.stopped == "stopped"
    desk.press(YES)
    assert desk.session.stopped == ""
    assert desk.shown == ""


def test_a_move_closes_the_menu_and_is_made() -> None:
    desk = two()
    desk.press(NEXT)
    desk.edges("f2-", desk.now_s)
    desk.run(desk.now_s + 0.7)
    assert desk.shown
    desk.edges("f4+", desk.now_s)
    desk.run(desk.now_s + 0.5)
    assert desk.shown == ""
    desk.run(desk.now_s + 5.0)
    assert told(desk)[1:] == ("f2-f4",)


@pytest.mark.parametrize("edges", [["f2-"], ["f2-", "a1+"]], ids=["up for long", "put elsewhere"])
def test_what_is_no_tap_closes_the_menu(edges: list[str]) -> None:
    desk = two()
    desk.press(NEXT)
    for text in edges:
        desk.edges(text)
        desk.run(desk.now_s + 0.4)
    desk.run(desk.now_s + 1.2)
    assert desk.shown == ""
    assert told(desk) == ("b8-d8",)


def test_a_game_that_ends_closes_the_menu_that_showed_something_of_it() -> None:
    desk = two()
    desk.press(NEXT)
    desk.ask(c.Resign(0))
    desk.run(desk.now_s + 0.1)
    assert desk.shown == ""


# ---- what is asked -----------------------------------------------------------------------------------------


def test_yes_opens_at_what_is_asked() -> None:
    desk = two()
    desk.edges("f2-", desk.now_s)
    desk.run(desk.now_s + 1.0)
    desk.edges("a1+", desk.now_s)
    desk.run(desk.now_s + 3.0)
    desk.last(e.OutOfStep)
    desk.press(YES)
    assert desk.shown == "The board is right"
    desk.press(YES)
    assert desk.said(e.PositionSet)


def blind() -> PanelDesk:
    """The sensor under a8 is bad, and White's marble from b8 is gone."""
    desk = PanelDesk(MIDDLE)
    desk.session._sensors.name(desk.cell("a8"), Complaint.UNSURE, desk.now_s)
    desk.edges("b8-", desk.now_s)
    desk.run(desk.now_s + 6.0)
    assert desk.last(e.Question).moves == ("b8-a8",)
    return desk


def test_a_question_is_answered_by_buttons() -> None:
    desk = blind()
    desk.press(YES)
    assert desk.shown == "It was b8-a8"
    assert desk.last(e.MenuShown).number == 3, "before the first turn, new games come first"
    desk.press(YES)
    desk.run(desk.now_s + 5.0)
    assert told(desk) == ("b8-a8",)


def test_a_question_is_answered_by_taps_though_they_lift_marbles() -> None:
    desk = blind()
    desk.taps("g3", 3)
    assert desk.shown == "It was b8-a8"
    desk.taps("g3", 2)
    desk.run(desk.now_s + 5.0)
    assert told(desk) == ("b8-a8",)


def test_a_takeback_that_may_have_been_meant_is_an_item() -> None:
    desk = PanelDesk(before="a7-a4 g2-g5 a5-a8 d1-g1 a8-a6")
    desk.edges("g1-", desk.now_s)
    desk.run(desk.now_s + 1.0)
    desk.edges("d1+", desk.now_s)
    desk.run(desk.now_s + 0.4)
    assert desk.last(e.MoveProvisional).or_takeback == 3
    desk.press(YES)
    assert desk.shown == "It was a takeback"
    desk.press(YES)
    assert desk.last(e.TakenBack).plies == 3


def test_a_marble_that_no_sensor_sees_is_said_to_lie_there_and_asked_for_again() -> None:
    desk = two()
    desk.edges("d8-", desk.now_s)
    desk.run(desk.now_s + 3.0)
    desk.press(YES)
    assert desk.shown == "A marble lies on d8"
    desk.press(YES)
    assert desk.said(e.SensorNamed) == []
    desk.press(YES)
    assert desk.last(e.SensorNamed).cell == "d8"
    assert "A marble lies on d8" not in items(two())


# ---- a new game by setting up ------------------------------------------------------------------------------


def lay(desk: PanelDesk, position: str) -> None:
    """The marbles as a position has them, a few moments later."""
    wanted = CLASSIC.picture(CLASSIC.parse_position(position), "presence")
    for cell, name in enumerate(CLASSIC.cell_names):
        if desk.readings[cell] != wanted[cell]:
            desk.run(desk.now_s + 0.5)
            desk.edges(f"{name}{'+' if wanted[cell] else '-'}")


def test_marbles_set_up_after_the_game_are_a_new_one() -> None:
    desk = over()
    lay(desk, START)
    desk.run(desk.now_s + 1.9)
    assert desk.buttons.take_wanted() == []
    desk.run(desk.now_s + 0.2)
    assert desk.buttons.take_wanted() == [c.NewGame()]
    desk.run(desk.now_s + 60.0)
    assert desk.buttons.take_wanted() == []


def test_a_game_that_ended_as_it_began_is_not_begun_anew_by_itself() -> None:
    desk = PanelDesk()
    desk.ask(c.Resign(0))
    desk.run(desk.now_s + 20.0)
    desk.taps("a7", 1)
    desk.run(desk.now_s + 20.0)
    assert desk.buttons.take_wanted() == []


def test_marbles_set_up_in_the_middle_of_a_game_ask_for_a_yes() -> None:
    desk = two()
    lay(desk, START)
    desk.run(desk.now_s + 2.9)
    assert desk.shown == ""
    desk.run(desk.now_s + 0.2)
    assert desk.shown == "A new game?"
    assert desk.buttons.take_wanted() == []
    desk.run(desk.now_s + 16.0)
    assert desk.shown == "", "nobody answers"
    desk.run(desk.now_s + 60.0)
    assert desk.shown == "", "it is not asked again"
    assert desk.session.phase is not Phase.OVER
    desk.taps("a7", 1)
    desk.run(desk.now_s + 5.0)
    assert desk.shown == "A new game?"
    desk.press(YES)
    assert desk.buttons.take_wanted() == [c.NewGame()]
