"""The view: every event and the words, marks and buttons that the page then has."""

from __future__ import annotations

import typing
from dataclasses import dataclass, field
from typing import Any

import msgspec
import pytest

from balanxd.boards import plan
from balanxd.errors import BalanxError
from balanxd.view import View
from hardware.health import Complaint
from referee import events as e
from rules.balanx.game import BalanxGame
from rules.balanx.layout import layout_named
from rules.game import Game, Outcome
from rules.line import Line

GAME = BalanxGame(layout_named("classic"))
START = GAME.position_text(GAME.start())
OPENING = ("a8-e8", "g1-c1")


def header(players=("guest", "engine 3")) -> e.GameStarted:
    return e.GameStarted(game="balanx", layout="classic", position=START, players=players)


def turn(*moves: str) -> list[e.GameEvent]:
    """The events of these turns from the start, up to the next turn being open."""
    line = Line.begin(GAME)
    events: list[e.GameEvent] = []
    for text in moves:
        ply, seat = line.position.ply, line.position.side
        line = line.push(GAME.parse_move(text))
        position = GAME.position_text(line.position)
        events += [
            e.TurnTaken(ply=ply, seat=seat, move=text, position=position),
            e.TiltStarted(seat=line.position.side),
            e.TurnOpened(seat=line.position.side, ply=line.position.ply),
        ]
    return events


BEGUN: list[e.GameEvent] = [e.LinkChanged(up=True), header(), e.TurnOpened(seat=0, ply=0)]
TAKEN: Any = turn("a8-e8")[0]
BLACKS = [*BEGUN, *turn("a8-e8"), e.MoveWanted(seat=1, position="")]
ANNOUNCED = e.Announced(seat=1, move="g1-c1", from_cell=6, to_cell=2)


def view_of(*events: e.GameEvent, players=("human", "engine:3"), simulated=True, manual_tilt=False) -> View:
    view = View(GAME, players=players, simulated=simulated, sensor="presence", manual_tilt=manual_tilt)
    for event in events:
        view.take(event)
    return view


@dataclass(frozen=True)
class Case:
    """Events, and what is then said."""

    events: list[e.GameEvent]
    condition: str
    headline: str
    detail: str = ""
    guide: str = ""
    options: dict[str, object] = field(default_factory=dict)


def case(*events, says, options=None) -> Case:
    condition, headline, detail, guide = (*says, "", "")[:4]
    return Case(list(events), condition, headline, detail, guide, options or {})


REAL = {"simulated": False}
BY_HAND = {"manual_tilt": True}
WRONG = e.OutOfStep(
    code="diagonal",
    say="From a7 to c5 is diagonal.",
    guide="Take the marble from c5 and put it on a7.",
    move="a7-c5",
    spaces=("a7", "c5"),
    missing=("a7",),
    extra=("c5",),
)
LEAP = e.MoveProvisional(at_s=5.0, move="a8-e8", due_s=5.7)

CASES = {
    "nothing yet": case(says=("no_board", "Looking for the board", "The game begins when it answers.")),
    "link up": case(
        e.LinkChanged(up=True), says=("starting", "A moment, please", "The game is getting ready.")
    ),
    "link lost": case(
        *BEGUN,
        e.LinkChanged(up=False, why="nothing heard for 1 s"),
        says=(
            "no_board",
            "The board is not connected",
            "Nothing heard for 1 s.",
            "It is looked for all the time, and nothing is lost.",
        ),
    ),
    "link back": case(
        *BEGUN,
        e.LinkChanged(up=False),
        e.LinkChanged(up=True),
        says=("settling", "The board is compared with the game", "It gets ready for White."),
    ),
    "set-up": case(
        e.LinkChanged(up=True),
        e.SetUpWanted(say="Set the marbles up.", missing=("a8", "b8"), extra=("d4",)),
        says=(
            "set_up",
            "Set the marbles up.",
            "Each player's marbles begin in the corner at the far left.",
            "Still to be filled: a8 and b8. To be cleared: d4.",
        ),
    ),
    "started": case(*BEGUN[:2], says=("settling", "A new game", "White against Black (computer, level 3).")),
    "turn": case(
        *BEGUN,
        says=(
            "turn",
            "White to move",
            "Lift a white marble: it jumps over others, or steps one space sideways.",
            "Drag it with the mouse or a finger.",
        ),
    ),
    "turn on a real board": case(
        *BEGUN,
        says=(
            "turn",
            "White to move",
            "Lift a white marble: it jumps over others, or steps one space sideways.",
        ),
        options=REAL,
    ),
    "provisional": case(
        *BEGUN,
        LEAP,
        says=(
            "provisional",
            "White: a8-e8",
            "In a moment the board tilts to Black.",
            "It can still be changed, or put back.",
        ),
    ),
    "provisional, by hand": case(
        *BEGUN,
        LEAP,
        says=(
            "provisional",
            "White: a8-e8",
            "Push the board down on Black's side.",
            "It can still be changed, or put back.",
        ),
        options=BY_HAND,
    ),
    "provisional or takeback": case(
        *BEGUN,
        e.MoveProvisional(move="a8-e8", due_s=1.0, or_takeback=2),
        says=(
            "provisional",
            "White: a8-e8",
            "In a moment the board tilts to Black.",
            "Or was it to take back 2 turns?",
        ),
    ),
    "pass": case(
        *BEGUN,
        e.MoveProvisional(move="--", due_s=1.0),
        says=("provisional", "White has no move and passes", "The board tilts to Black."),
    ),
    "called off": case(
        *BEGUN,
        LEAP,
        e.CalledOff(),
        says=(
            "looking",
            "White to move",
            "a8-e8 waits: something moved on the board.",
            "Drag it with the mouse or a finger.",
        ),
    ),
    "tilt called off": case(
        *BEGUN[:2],
        e.TiltWarning(seat=0, due_s=1.0),
        e.CalledOff(),
        says=("looking", "A new game", "The tilt waits: something moved on the board."),
    ),
    "withdrawn": case(
        *BEGUN,
        LEAP,
        e.CalledOff(),
        e.MoveWithdrawn(move="a8-e8"),
        says=("turn", "White to move", "a8-e8 was put back.", "Drag it with the mouse or a finger."),
    ),
    "turn taken": case(*BEGUN, TAKEN, says=("settling", "White played a8-e8", "The board tilts to Black.")),
    "turn taken, by hand": case(
        *BEGUN,
        TAKEN,
        says=("settling", "White played a8-e8", "Push the board down on Black's side."),
        options=BY_HAND,
    ),
    "turn not witnessed": case(
        *BEGUN,
        msgspec.structs.replace(TAKEN, witness="unwitnessed"),
        says=(
            "settling",
            "White played a8-e8",
            "The board tilts to Black.",
            "The board did not see the marble being lifted, only where it came to lie.",
        ),
    ),
    "tilting": case(
        *BEGUN,
        TAKEN,
        e.TiltStarted(seat=1),
        says=("tilting", "The board tilts to Black", "Loose marbles roll one space."),
    ),
    "rocking": case(
        *BEGUN,
        e.TiltStarted(seat=0, rock=True),
        says=("tilting", "The board rocks a little", "A marble has not rolled: this may free it."),
    ),
    "tilt warning": case(
        *BEGUN[:2],
        e.TiltWarning(seat=1, due_s=0.7),
        says=("tilt_warning", "The board will tilt to Black", "Hands off, please."),
    ),
    "level warning": case(
        *BEGUN[:2],
        e.TiltWarning(seat=None, due_s=0.7),
        says=("tilt_warning", "The board will go level", "Hands off, please."),
    ),
    "going level": case(
        *BEGUN,
        TAKEN,
        e.TiltStarted(seat=None),
        says=("tilting", "The board goes level", "The game is kept and goes on from here."),
    ),
    "tilt wanted": case(
        *BEGUN,
        TAKEN,
        e.TiltWanted(seat=1),
        says=("tilt_wanted", "Push the board down on Black's side", "Then the marbles roll."),
        options=BY_HAND,
    ),
    "tilt stopped": case(
        *BEGUN,
        TAKEN,
        e.TiltStarted(seat=1),
        e.TiltStopped(cell="d4"),
        says=(
            "tilt_stopped",
            "The tilt was stopped",
            "Something happened on d4 that no rolling marble does.",
            "Hands off: it goes on when all marbles are in place.",
        ),
    ),
    "thinking": case(
        *BLACKS, says=("thinking", "Black is thinking", "It is the turn of the computer, level 3.")
    ),
    "announced": case(
        *BLACKS,
        ANNOUNCED,
        says=("announced", "Black plays g1-c1", "The hand on the screen makes the move."),
    ),
    "announced on a real board": case(
        *BLACKS,
        ANNOUNCED,
        says=(
            "announced",
            "Black plays g1-c1",
            "The computer cannot move marbles: make its move for it.",
            "Please take the marble from g1 and put it on c1.",
        ),
        options=REAL,
    ),
    "in hand": case(
        *BEGUN,
        e.InHand(missing=1, lifted=("a8",), targets=("a4", "e8")),
        says=("in_hand", "The marble from a8 is up", "It may go to a4 and e8.", "Or put it back."),
    ),
    "in hand, not known which": case(
        *BEGUN,
        e.InHand(missing=1),
        says=("in_hand", "A marble is up", "", "Put it back where it was."),
    ),
    "in hand, of the other": case(
        *BEGUN,
        e.InHand(missing=1, lifted=("g1",)),
        says=("in_hand", "The marble from g1 is up", "But it is White's turn.", "Put it back on g1."),
    ),
    "in hand, no way": case(
        *BEGUN,
        e.InHand(missing=1, lifted=("b8",)),
        says=("in_hand", "The marble from b8 is up", "It has nowhere to go.", "Put it back on b8."),
    ),
    "several up": case(
        *BEGUN,
        e.InHand(missing=2, lifted=("a8", "g1")),
        says=(
            "in_hand",
            "2 marbles are off the board",
            "One marble is moved at a time.",
            "Put them back: a8 and g1.",
        ),
    ),
    "in hand before the tilt": case(
        *BEGUN,
        TAKEN,
        e.InHand(missing=1, lifted=("g1",)),
        says=(
            "in_hand",
            "The marble from g1 is up",
            "The board never tilts while a marble is in a hand.",
            "Put it back on g1.",
        ),
    ),
    "in hand while it thinks": case(
        *BLACKS,
        e.InHand(missing=1, lifted=("g1",)),
        says=(
            "in_hand",
            "The marble from g1 is up",
            "It is the turn of the computer, level 3.",
            "Put it back on g1.",
        ),
    ),
    "the announced marble up": case(
        *BLACKS,
        ANNOUNCED,
        e.InHand(missing=1, lifted=("g1",)),
        says=("in_hand", "The marble from g1 is up", "", "Put it on c1."),
        options=REAL,
    ),
    "the announced marble in the virtual hand": case(
        *BLACKS,
        ANNOUNCED,
        e.InHand(missing=1, lifted=("g1",)),
        says=("in_hand", "Black plays g1-c1", "The hand on the screen makes the move."),
    ),
    "out of step": case(
        *BEGUN,
        WRONG,
        says=(
            "out_of_step",
            "That move is not allowed",
            "From a7 to c5 is diagonal.",
            "Take the marble from c5 and put it on a7.",
        ),
    ),
    "too early": case(
        *BEGUN,
        e.OutOfStep(code="too_early", say="The board tilts first.", guide="Put it back."),
        says=("out_of_step", "Too early", "The board tilts first.", "Put it back."),
    ),
    "back in step": case(
        *BEGUN,
        WRONG,
        e.BackInStep(),
        says=(
            "turn",
            "White to move",
            "Lift a white marble: it jumps over others, or steps one space sideways.",
            "Drag it with the mouse or a finger.",
        ),
    ),
    "question": case(
        *BEGUN,
        e.Question(moves=("a8-e8", "a8-a4"), say="Which?"),
        says=("question", "Which move was it?", "Which?"),
    ),
    "takeback shown": case(
        *BEGUN,
        *turn(*OPENING),
        e.TakebackShown(plies=2, due_s=3.0),
        says=(
            "takeback",
            "Taking back 2 turns",
            "The marbles lie as they did before.",
            "Lift any marble to go on without taking back.",
        ),
    ),
    "takeback cancelled": case(
        *BEGUN,
        *turn(*OPENING),
        e.TakebackShown(plies=2, due_s=3.0),
        e.TakebackCancelled(),
        says=("turn", "White to move", "Nothing is taken back.", "Drag it with the mouse or a finger."),
    ),
    "taken back": case(
        *BEGUN,
        *turn(*OPENING),
        e.TakenBack(plies=2, position=START),
        says=("settling", "2 turns taken back", "White is to move again."),
    ),
    "position set": case(
        *BEGUN,
        e.PositionSet(position=START),
        says=("settling", "The board is right", "White is to move. The moves before stay in the record."),
    ),
    "a sensor named": case(
        *BEGUN[:2],
        e.SensorNamed(cell="d4", complaint=Complaint.BLIND, say="Blind."),
        says=("settling", "A new game", "White against Black (computer, level 3)."),
    ),
    "a fault": case(
        *BEGUN[:2],
        e.Fault(kind="tilt", say="It is blocked."),
        says=("settling", "A new game", "White against Black (computer, level 3)."),
    ),
    "pieces are to be turned": case(
        *BEGUN[:2],
        e.TurningWanted(move="A5@b2r1", say="Turn the figure on b1 to B's side.", cells=("b1", "c2")),
        says=("turning", "A5@b2r1", "Turn the figure on b1 to B's side.", "Then 1 more."),
    ),
    "parked": case(
        *BEGUN,
        e.Stopped(parked=True),
        says=("parked", "The board is parked", "Its motor is off. The game is kept."),
    ),
    "stopped": case(
        *BEGUN,
        e.Stopped(),
        says=("stopped", "The board is stopped", "Nothing moves until you say that it may go on."),
    ),
    "going on after it was parked": case(
        *BEGUN,
        e.Stopped(parked=True),
        e.WentOn(),
        says=("settling", "The board is compared with the game", "It gets ready for White."),
    ),
    "a turn on a stopped board": case(
        *BEGUN,
        e.Stopped(),
        TAKEN,
        says=("settling", "White played a8-e8", "It does not tilt until somebody says that it may go on."),
    ),
    "a marble whose turn was taken back is up": case(
        *BEGUN,
        *turn("a8-e8"),
        e.TakenBack(plies=1, position=START),
        e.InHand(missing=1, lifted=("e8",), targets=("a8",)),
        says=("in_hand", "The marble from e8 is up", "", "Put it on a8."),
    ),
    "a menu leaves the scene as it is": case(
        *BEGUN,
        e.TurnOpened(seat=0, ply=0),
        e.MenuShown(number=1, count=3, say="Take back"),
        e.MenuClosed(say="Nothing was done."),
        says=(
            "turn",
            "White to move",
            "Lift a white marble: it jumps over others, or steps one space sideways.",
            "Drag it with the mouse or a finger.",
        ),
    ),
    "over": case(
        *BEGUN,
        e.GameOver(result="1-0 home"),
        says=("over", "White wins", "All ten of White's marbles are home."),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_said(name):
    case_ = CASES[name]
    state = view_of(*case_.events, **case_.options).state(5.0)
    said = tuple(state[key] for key in ("condition", "headline", "detail", "guide"))
    assert said == (case_.condition, case_.headline, case_.detail, case_.guide)


def test_no_event_is_left_out():
    told = {type(event) for case_ in CASES.values() for event in case_.events} | {e.SensorTrusted}
    assert told == set(typing.get_args(e.GameEvent))


def test_the_menu_and_what_came_of_it_are_shown():
    view = view_of(*BEGUN, e.MenuShown(number=2, count=3, say="White resigns", sure=True))
    state = view.state(5.0)
    assert state["menu"] == {"number": 2, "count": 3, "say": "White resigns", "sure": True}
    assert state["menu_said"] == ""
    assert state["stopped"] is None
    view.take(e.MenuClosed(say="White resigned."))
    view.take(e.Stopped())
    state = view.state(5.0)
    assert (state["menu"], state["menu_said"], state["stopped"]) == (None, "White resigned.", "stopped")
    view.take(e.Stopped(parked=True))
    assert view.state(5.0)["stopped"] == "parked"
    view.take(e.WentOn())
    assert view.state(5.0)["stopped"] is None


@pytest.mark.parametrize("name", CASES)
def test_a_state_is_json_and_offers_no_dead_button(name):
    case_ = CASES[name]
    state = view_of(*case_.events, **case_.options).state(5.0)
    assert msgspec.json.decode(msgspec.json.encode(state))["headline"]
    for value in state["buttons"].values():
        assert value, "a button that fits nothing is left out"


@pytest.mark.parametrize(
    ("result", "headline", "detail"),
    [
        ("1-0 home", "White wins", "All ten of White's marbles are home."),
        ("0-1 blocked", "Black wins", "Black's corner is full, and White's own marbles are in it."),
        ("0-1 resigned", "Black wins", "White resigned."),
        ("1/2 repetition", "A draw", "The same position stood for the third time."),
        ("1/2 stuck", "A draw", "Neither player can move."),
        ("1/2 agreed", "A draw", "The players agreed."),
        ("*", "The game was broken off", "Turn limit."),
    ],
)
def test_how_a_game_ended(result, headline, detail):
    note = "turn limit" if result == "*" else ""
    state = view_of(*BEGUN, e.GameOver(result=result, note=note)).state(0.0)
    winner = {"1": 0, "0": 1}.get(result[0]) if result[:3] in ("1-0", "0-1") else None
    assert state["outcome"] == {"result": result, "headline": headline, "detail": detail, "winner": winner}
    assert state["phase"] == "over"
    assert set(state["buttons"]) == {"new_game"}


def test_a_finished_game_stays_finished_when_the_board_goes():
    state = view_of(*BEGUN, e.GameOver(result="1-0 home"), e.LinkChanged(up=False)).state(0.0)
    assert (state["condition"], state["headline"]) == ("over", "White wins")


# ---- facts -------------------------------------------------------------------------------------------------


def test_turns_are_numbered_as_in_a_record():
    state = view_of(*BEGUN, *turn(*OPENING, "a7-a4")).state(0.0)
    assert [(m["number"], m["seat"], m["move"]) for m in state["moves"]] == [
        (1, 0, "a8-e8"),
        (1, 1, "g1-c1"),
        (2, 0, "a7-a4"),
    ]
    assert (state["side"], state["ply"], state["last"]) == (1, 3, {"from": "a7", "to": "a4", "rests": "a4"})


def test_the_last_move_is_marked_where_its_marble_has_rolled():
    view = view_of(e.LinkChanged(up=True))
    view.resume(Line.begin(GAME).push(GAME.parse_move("a8-e8")))
    assert view.state(0.0)["last"] == {"from": "a8", "to": "e8", "rests": "e8"}
    moves = ("c7-d7", "e1-c1", "c7-d7", "g1-g5", "b7-c7")
    view.resume(Line.begin(GAME).extend(map(GAME.parse_move, moves)))
    assert view.state(0.0)["last"] == {"from": "b7", "to": "c7", "rests": "c8"}


def test_a_game_set_up_with_black_to_move_is_numbered_from_one():
    line = Line.begin(GAME).push(GAME.parse_move("a8-e8"))
    view = view_of(*BEGUN, e.PositionSet(position=GAME.position_text(line.position)))
    after = line.push(GAME.parse_move("g1-c1"))
    view.take(e.TurnTaken(ply=1, seat=1, move="g1-c1", position=GAME.position_text(after.position)))
    (move,) = view.state(0.0)["moves"]
    assert (move["number"], move["seat"]) == (1, 1)


def test_takeback_takes_the_moves_away():
    view = view_of(*BEGUN, *turn(*OPENING, "a7-a4"))
    view.take(e.TakenBack(plies=2, position=TAKEN.position))
    state = view.state(0.0)
    assert [m["move"] for m in state["moves"]] == ["a8-e8"]
    assert state["position"] == TAKEN.position


def test_resumed_game_shows_its_moves_and_waits_for_the_board():
    line = Line.begin(GAME).extend(map(GAME.parse_move, OPENING))
    view = view_of(e.LinkChanged(up=True))
    view.resume(line)
    state = view.state(0.0)
    assert state["phase"] == "aligning"
    assert (state["headline"], state["detail"]) == (
        "The game goes on",
        "2 turns so far. The board is compared with the game.",
    )
    assert len(state["moves"]) == 2
    view.take(e.TakenBack(plies=2, position=START))
    assert view.state(0.0)["moves"] == []


def test_a_resumed_game_that_has_ended_is_over():
    view = view_of(e.LinkChanged(up=True))
    view.resume(Line.begin(GAME).ended(Outcome(None, "agreed")))
    assert view.state(0.0)["outcome"]["result"] == "1/2 agreed"


def test_countdowns_say_what_is_left():
    view = view_of(*BEGUN, LEAP)
    clock = view.state(5.2)["provisional"]
    assert clock == {"left_s": 0.5, "total_s": 0.7, "move": "a8-e8", "or_takeback": 0, "warning": ""}
    assert view.state(9.0)["provisional"]["left_s"] == 0.0
    view.take(e.TiltWarning(at_s=9.0, seat=1, due_s=9.7))
    state = view.state(9.0)
    assert state["provisional"] is None
    assert state["tilt_warning"] == {"left_s": 0.7, "total_s": 0.7, "seat": 1}
    view.take(e.TakebackShown(at_s=10.0, plies=1, due_s=13.0))
    assert view.state(12.0)["takeback"] == {"left_s": 1.0, "total_s": 3.0, "plies": 1}


def test_marks_lead_back():
    state = view_of(*BEGUN, WRONG).state(0.0)
    assert (state["missing"], state["extra"], state["wrong"]) == (("a7",), ("c5",), ("a7", "c5"))
    assert state["arrows"] == [{"from": "c5", "to": "a7", "kind": "back"}]
    assert view_of(*BEGUN, WRONG, e.BackInStep()).state(0.0)["arrows"] == []


def test_targets_are_lit_while_a_marble_is_up():
    view = view_of(*BEGUN, e.InHand(missing=1, lifted=("a8",), targets=("a4", "e8")))
    state = view.state(0.0)
    assert (state["lifted"], state["targets"]) == (("a8",), ("a4", "e8"))
    view.take(e.BackInStep())
    assert view.state(0.0)["targets"] == ()


def test_an_announced_move_is_an_arrow_and_its_goal_a_target():
    view = view_of(*BLACKS, ANNOUNCED, simulated=False)
    assert view.state(0.0)["arrows"] == [{"from": "g1", "to": "c1", "kind": "announced"}]
    view.take(e.InHand(missing=1, lifted=("g1",), targets=("a1", "c1")))
    assert view.state(0.0)["targets"] == ("c1",)
    line = Line.begin(GAME).extend(map(GAME.parse_move, OPENING))
    view.take(e.TurnTaken(ply=1, seat=1, move="g1-c1", position=GAME.position_text(line.position)))
    assert view.state(0.0)["announced"] is None


def test_nothing_of_the_game_is_marked_while_the_board_is_away():
    state = view_of(*BEGUN, WRONG, e.LinkChanged(up=False)).state(0.0)
    assert (state["missing"], state["extra"], state["arrows"]) == ((), (), [])
    assert "board_is_right" not in state["buttons"]


# ---- what lies where on a board that only its sensors see ---------------------------------------------------


def shown(*events) -> dict[str, int]:
    return view_of(*events, simulated=False).state(0.0)["shown"]


def test_shown_is_the_position_when_nothing_is_going_on():
    state = view_of(*BEGUN, simulated=False).state(0.0)
    assert state["shown"] == state["placement"]
    assert sorted(state["placement"].values()) == [0] * 10 + [1] * 10


def test_shown_follows_a_move_and_rolls_only_with_the_tilt():
    assert "e7" in shown(*BEGUN, LEAP), "a marble put on e8 rolls down to White"
    assert "a8" not in shown(*BEGUN, LEAP)
    assert shown(*BEGUN, TAKEN) == shown(*BEGUN, LEAP), "the turn is done, the board has not tilted yet"
    tilted = shown(*BEGUN, TAKEN, e.TiltStarted(seat=1))
    assert "e8" in tilted
    assert "e7" not in tilted
    level = view_of(*BEGUN, TAKEN, e.TiltStarted(seat=1), e.TiltStarted(seat=None), simulated=False).state(
        0.0
    )
    assert level["shown"] == tilted, "a board that goes level rolls nothing"
    assert level["tilt"]["seat"] is None


def test_shown_leaves_out_what_is_up_and_puts_in_what_is_too_much():
    assert "a8" not in shown(*BEGUN, e.InHand(missing=1, lifted=("a8",)))
    wrong = shown(*BEGUN, WRONG)
    assert "a7" not in wrong
    assert wrong["c5"] == 0, "one white marble is missing: that is the one"
    unknown = shown(*BEGUN, e.OutOfStep(code="differs", say="", guide="", extra=("d4",)))
    assert unknown["d4"] == -1
    set_up = shown(e.LinkChanged(up=True), e.SetUpWanted(say="", missing=("a8",), extra=("d4",)))
    assert (set_up.get("a8"), set_up["d4"]) == (None, -1)


def test_shown_takeback_is_the_earlier_position():
    events = [*BEGUN, *turn(*OPENING), e.TakebackShown(plies=2, due_s=1.0)]
    assert shown(*events) == view_of(*BEGUN).state(0.0)["placement"]


# ---- buttons -----------------------------------------------------------------------------------------------

PLAYING = {"new_game": True, "stop": True}
ONE_AWAY = e.OutOfStep(code="differs", say="", guide="", missing=("a8",))


@pytest.mark.parametrize(
    ("events", "options", "buttons"),
    [
        ([], {}, {"new_game": True}),
        (BEGUN, {}, {**PLAYING, "resign": [0]}),
        (BEGUN, {"players": ("human", "human")}, {**PLAYING, "resign": [0, 1], "agree_draw": True}),
        (BEGUN, {"players": ("engine:1", "random")}, PLAYING),
        ([*BEGUN, WRONG], {}, {**PLAYING, "resign": [0], "board_is_right": True}),
        (
            [*BEGUN, ONE_AWAY],
            {},
            {**PLAYING, "resign": [0], "board_is_right": True, "marble_is_there": ("a8",)},
        ),
        (
            [*BEGUN, e.InHand(missing=1, lifted=("a8",))],
            {},
            {**PLAYING, "resign": [0], "marble_is_there": ("a8",)},
        ),
        (
            [*BEGUN, e.Question(moves=("a8-e8", "a8-a4"), say="")],
            {},
            {**PLAYING, "resign": [0], "confirm": ("a8-e8", "a8-a4")},
        ),
        (
            [*BEGUN, e.MoveProvisional(move="a8-e8", due_s=1.0, or_takeback=2)],
            {},
            {**PLAYING, "resign": [0], "take_back_instead": 2},
        ),
        ([*BEGUN, LEAP], BY_HAND, {"new_game": True, "resign": [0], "push": [1]}),
        (
            [*BEGUN, TAKEN, e.TiltWanted(seat=1)],
            BY_HAND,
            {"new_game": True, "resign": [0], "take_back": 1, "push": [1]},
        ),
        (
            [*BEGUN, TAKEN, e.TiltWanted(seat=1)],
            {"manual_tilt": True, "simulated": False},
            {"new_game": True, "resign": [0], "take_back": 1},
        ),
    ],
)
def test_buttons_that_fit(events, options, buttons):
    assert view_of(*events, **options).state(0.0)["buttons"] == buttons


@pytest.mark.parametrize(
    ("players", "turns"),
    [
        (("human", "engine:3"), 2),
        (("engine:3", "human"), 1),
        (("human", "human"), 1),
        (("random", "engine:3"), None),
    ],
)
def test_turns_are_taken_back_to_the_last_one_of_a_person(players, turns):
    view = view_of(*BEGUN, *turn(*OPENING), players=players)
    assert view.state(0.0)["buttons"].get("take_back") == turns


def test_a_stopped_board_goes_on_from_the_page_only_where_it_is_simulated():
    for simulated in (True, False):
        state = view_of(*BEGUN, e.Stopped(), simulated=simulated).state(0.0)
        assert "stop" not in state["buttons"]
        assert ("go_on" in state["buttons"]) == simulated
        assert ("two taps on a marble" in state["guide"]) != simulated


# ---- trouble -----------------------------------------------------------------------------------------------


def test_bad_sensors_are_named_until_trusted():
    view = view_of(*BEGUN, e.SensorNamed(cell="d4", complaint=Complaint.BLIND, say="Blind."))
    assert view.state(0.0)["bad_sensors"] == [{"space": "d4", "say": "Blind."}]
    view.take(e.SensorTrusted(cell="d4"))
    assert view.state(0.0)["bad_sensors"] == []


def test_faults_are_said_once_kept_few_and_go_when_they_are_over():
    view = view_of(*BEGUN)
    for number in (1, 2, 2, 3, 4, 5):
        view.take(e.Fault(kind="tilt", say=f"fault {number}"))
    assert [fault["say"] for fault in view.state(0.0)["faults"]] == [f"fault {n}" for n in (2, 3, 4, 5)]
    view.take(e.TurnOpened(seat=0, ply=0))
    assert view.state(0.0)["faults"] == []
    view.take(e.Fault(kind="disk", say="No room."))
    view.unsaved = 1
    view.take(TAKEN)
    assert view.state(0.0)["unsaved"] == 1
    assert [fault["kind"] for fault in view.state(0.0)["faults"]] == ["disk"]
    view.unsaved = 0
    view.take(turn(*OPENING)[3])
    assert view.state(0.0)["faults"] == []


@pytest.mark.parametrize(
    ("text", "title", "machine"),
    [
        ("human", "person", False),
        ("guest", "person", False),
        ("engine:4", "computer, level 4", True),
        ("engine 4", "computer, level 4", True),
        ("random", "random player", True),
        ("Anna", "person", False),
    ],
)
def test_players_by_word_or_title(text, title, machine):
    (player, _) = view_of(players=(text, "human")).state(0.0)["players"]
    assert (player["title"], player["machine"]) == (title, machine)


def test_the_plan_names_all_spaces():
    for name in ("classic", "wide"):
        layout = plan(BalanxGame(layout_named(name)))
        spaces = sorted(layout["spaces"])
        assert sorted(space for groove in layout["grooves"] for space in groove) == spaces
        assert [len(corner) for corner in layout["finishes"] + layout["starts"]] == [10] * 4


def test_a_board_that_cannot_be_drawn_is_refused_in_words():
    class Other(BalanxGame):
        pass

    assert plan(Other(layout_named("wide")))["name"] == "wide"
    with pytest.raises(BalanxError, match="cannot draw"):
        plan(typing.cast(Game, type("Strange", (), {"name": "strange"})()))
