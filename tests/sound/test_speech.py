"""Speech: what is said of an evening, in which order, and what is noise."""

from __future__ import annotations

import random
import re

import pytest

from balanxd.assemble import game_on
from balanxd.config import simulated_board
from balanxd.options import checked_tags
from balanxd.sound.speech import HAND_S, SET_UP_S, Speech
from balanxd.view import View
from hardware.health import Complaint
from referee import events as e
from rules.games import NAMES, AnyGame
from rules.line import Line

INF = float("inf")


class Room:
    """A board with its page and its voice, at a time. said: what the voice began to say; "" where it was cut."""

    def __init__(
        self,
        game: AnyGame,
        players: tuple[str, ...] = ("human", "engine:3"),
        *,
        motor: bool = True,
        quiet: bool = False,
    ) -> None:
        self.game, self.motor = game, motor
        self.view = View(game, players=players, simulated=False, sensor="presence", manual_tilt=not motor)
        self.speech = Speech(names=False, quiet=quiet)
        self.now_s = 0.0
        self.said: list[str] = []
        self.busy = False

    def happens(self, *events: e.GameEvent) -> list[str]:
        """What is said at once of these events."""
        before = len(self.said)
        for event in events:
            self.view.take(event)
            self.speech.follow(event, self.view.say, self.now_s, motor=self.motor)
            self._say()
        return self.said[before:]

    def later(self, seconds: float) -> list[str]:
        """What is said when so much time has passed and the voice has come to its end."""
        before = len(self.said)
        end_s, self.busy = self.now_s + seconds, False
        while (due_s := self.speech.due_s(busy=self.busy)) <= end_s:
            self.now_s = max(self.now_s, due_s)
            self._say()
            self.busy = False
        self.now_s = end_s
        return self.said[before:]

    def _say(self) -> None:
        text = self.speech.take(self.now_s, busy=self.busy)
        if text is not None:
            self.said.append(text)
            self.busy = bool(text)


def game_called(name: str) -> AnyGame:
    return game_on(simulated_board(None, () if name == "balanx" else checked_tags(name, {})), seed=1)


def begun(game: AnyGame, seats: tuple[str, ...] = ("guest", "engine 3")) -> list[e.GameEvent]:
    start = game.position_text(game.start())
    return [
        e.LinkChanged(up=True),
        e.GameStarted(game=game.name, layout="classic", position=start, players=seats),
        e.TurnOpened(seat=game.start().side, ply=0),
    ]


@pytest.fixture
def room() -> Room:
    found = Room(game_called("balanx"))
    found.happens(*begun(found.game))
    found.later(5.0)
    return found


def turn(game: AnyGame, move: str, seat: int = 0, ply: int = 0) -> e.TurnTaken:
    line = Line.begin(game).push(game.parse_move(move))
    return e.TurnTaken(ply=ply, seat=seat, move=move, position=game.position_text(line.position))


def test_a_move_on_a_board_with_a_motor_begins_with_the_warning_and_is_said_once(room: Room) -> None:
    assert room.happens(e.MoveProvisional(move="a8-e8", due_s=0.7)) == ["Hands off. White: a8 to e8."]
    room.later(0.7)
    assert room.happens(turn(room.game, "a8-e8"), e.TiltStarted(seat=1)) == []
    room.later(1.0)
    assert room.happens(e.TurnOpened(seat=1, ply=1), e.MoveWanted(seat=1, position="")) == [
        "Black is thinking."
    ]
    room.later(1.0)
    told = room.happens(e.Announced(seat=1, move="g1-c1", from_cell=6, to_cell=2))
    assert told == ["Black plays g1 to c1. Please take the marble from g1 and put it on c1."]


def test_without_a_motor_the_move_is_news_and_then_the_push_is_asked_for() -> None:
    room = Room(game_called("balanx"), ("human", "human"), motor=False)
    room.happens(*begun(room.game, ("guest", "guest")))
    room.later(5.0)
    assert room.happens(e.MoveProvisional(move="a8-e8", due_s=1.5)) == ["White: a8 to e8."]
    room.later(2.0)
    told = room.happens(turn(room.game, "a8-e8"), e.TiltWanted(seat=1))
    assert told == ["Push the board down on Black's side."]


def test_a_warning_goes_before_everything_and_is_cut_when_it_is_called_off(room: Room) -> None:
    assert room.happens(e.OutOfStep(code="differs", say="e4 is missing.", guide="Put it on e4."))
    assert room.busy
    assert room.happens(e.TiltWarning(seat=1, due_s=0.7)) == ["Hands off. The board will tilt to Black."]
    assert room.happens(e.MenuShown(number=1, count=2, say="A draw")) == []  # it waits for the warning
    assert room.happens(e.CalledOff()) == [""]


def test_the_newest_news_wins_and_waits_for_the_voice(room: Room) -> None:
    room.happens(e.TakenBack(plies=1, position=room.game.position_text(room.game.start())))
    assert room.busy
    assert room.happens(e.TiltWanted(seat=1)) == []
    assert room.happens(e.TurnOpened(seat=0, ply=0)) == []
    assert room.later(0.0) == ["White to move."]


def test_an_answer_to_a_player_cuts_news_and_the_next_item_cuts_the_one_before(room: Room) -> None:
    room.happens(e.TakenBack(plies=1, position=room.game.position_text(room.game.start())))
    assert room.happens(e.MenuShown(number=1, count=3, say="A draw")) == ["1. A draw."]
    assert room.happens(e.MenuShown(number=2, count=3, say="White resigns")) == ["2. White resigns."]
    told = room.happens(e.MenuShown(number=2, count=3, say="White resigns", sure=True))
    assert told == ["White resigns. Are you sure? Yes once more."]
    assert room.happens(e.MenuClosed(say="White resigned.")) == ["White resigned."]


def test_a_menu_that_is_closed_without_a_choice_says_again_how_the_game_stands(room: Room) -> None:
    room.happens(e.TurnOpened(seat=1, ply=1), e.MoveWanted(seat=1, position=""))
    room.happens(e.Announced(seat=1, move="g1-c1", from_cell=6, to_cell=2))
    first = room.later(5.0)[-1]
    assert "g1 to c1" in first
    room.happens(e.MenuShown(number=1, count=3, say="A draw"))
    room.later(5.0)
    room.happens(e.MenuClosed())
    assert room.later(5.0) == [first]


@pytest.mark.parametrize("busy", [True, False])
def test_what_comes_of_an_item_is_said_after_the_menus_last_word(room: Room, busy: bool) -> None:
    room.happens(e.MenuShown(number=2, count=3, say="White resigns", sure=True))
    if not busy:
        room.later(5.0)
    room.happens(e.GameOver(result="0-1 resigned"), e.MenuClosed(say="White resigned."))
    assert room.said[-1] == "White resigned. Black wins. White resigned."


def test_a_marble_that_is_only_being_moved_is_not_spoken_of(room: Room) -> None:
    hand = e.InHand(missing=1, lifted=("a8",), targets=("e8",))
    assert room.happens(hand) == []
    assert room.later(HAND_S / 2) == []
    assert room.happens(e.MoveProvisional(move="a8-e8", due_s=9.0)) == ["Hands off. White: a8 to e8."]
    assert room.later(5.0) == []


def test_a_marble_that_stays_up_tells_where_it_may_go_or_that_it_must_go_back(room: Room) -> None:
    room.happens(e.InHand(missing=1, lifted=("a8",), targets=("e8", "a6")))
    assert room.later(HAND_S) == ["The marble from a8 is up. It may go to e8 and a6."]
    room.happens(e.InHand(missing=1, lifted=("g1",)))
    assert room.later(HAND_S) == ["The marble from g1 is up. But it is White's turn. Put it back on g1."]


def test_between_marbles_that_are_set_up_there_is_silence() -> None:
    room = Room(game_called("balanx"))
    room.happens(e.LinkChanged(up=True))
    room.later(1.0)
    for left in range(9, 2, -1):
        missing = tuple(f"a{number}" for number in range(1, left))
        assert room.happens(e.SetUpWanted(say="Set the marbles up for a new game.", missing=missing)) == []
        assert room.later(SET_UP_S / 2) == []
    told = room.later(SET_UP_S)
    assert told == ["Set the marbles up for a new game. Still to be filled: a1 and a2."]


def test_what_is_wrong_with_the_board_is_said_after_the_news_and_once(room: Room) -> None:
    named = e.SensorNamed(cell="e4", complaint=Complaint.FLICKERING, say="The sensor of e4 flickers.")
    room.happens(e.TurnOpened(seat=1, ply=1), named, named)
    assert room.later(0.0) == ["The sensor of e4 flickers."]
    assert room.later(60.0) == []


def test_a_quiet_board_says_warnings_answers_and_what_is_asked_of_people() -> None:
    room = Room(game_called("balanx"), quiet=True)
    assert room.happens(*begun(room.game)) == []
    assert room.later(5.0) == []
    assert room.happens(e.TiltWarning(seat=1, due_s=0.7)) == ["Hands off. The board will tilt to Black."]
    room.later(5.0)
    assert room.happens(e.Announced(seat=1, move="g1-c1", from_cell=6, to_cell=2))
    room.later(5.0)
    assert room.happens(e.OutOfStep(code="differs", say="e4 is missing.", guide="Put it on e4."))
    room.later(5.0)
    assert room.happens(e.GameOver(result="1-0 home")) == []
    room.happens(e.MenuShown(number=1, count=1, say="A new game"), e.MenuClosed())
    assert room.later(5.0) == ["White wins. All ten of White's marbles are home."]


def test_how_a_turn_is_begun_is_explained_once() -> None:
    room = Room(game_called("balanx"), ("human", "human"))
    room.happens(*begun(room.game))
    first = room.later(5.0)
    assert any("Lift a white marble" in text for text in first)
    room.happens(e.MoveProvisional(move="a8-e8", due_s=0.7))
    room.later(3.0)
    room.happens(e.TurnOpened(seat=0, ply=2))
    assert room.later(3.0) == []
    assert room.said[-1] == "White to move."


def test_a_pairing_code_is_said_digit_by_digit_and_again_until_it_ends(room: Room) -> None:
    room.speech.read_code("417209", room.now_s)
    assert room.later(3.0) == ["The code is 4, 1, 7, 2, 0, 9."]
    room.happens(e.MenuShown(number=1, count=3, say="A draw"), e.MenuClosed())
    assert room.later(3.0) == ["The code is 4, 1, 7, 2, 0, 9."]
    room.speech.read_code("", room.now_s)
    room.happens(e.MenuShown(number=1, count=3, say="A draw"), e.MenuClosed())
    assert room.later(3.0)[-1].startswith("White to move.")


def test_a_stopped_board_says_so_at_once(room: Room) -> None:
    room.happens(e.TiltWarning(seat=1, due_s=0.7))
    (told,) = room.happens(e.Stopped())
    assert told.startswith("The board is stopped. Nothing moves until you say that it may go on.")
    room.later(3.0)
    assert room.happens(e.WentOn()) == ["It goes on."]


def test_a_move_that_ends_the_game_for_its_player_is_said_with_that(room: Room) -> None:
    warning = "This move ends the game, and the other player wins."
    told = room.happens(e.MoveProvisional(move="a8-e8", due_s=0.7, warning=warning))
    assert told == [f"Hands off. White: a8 to e8. {warning}"]


@pytest.mark.parametrize("name", NAMES)
def test_each_turn_of_each_game_is_said_in_words(name: str) -> None:
    game = game_called(name)
    chance = random.Random(5)
    room = Room(game, ("human",) * len(game.seats), motor=game.tilts)
    room.happens(*begun(game, ("guest",) * len(game.seats)))
    line = Line.begin(game)
    for ply in range(12):
        room.later(3.0)
        moves = game.moves(line.position)
        if not moves:
            break
        seat, move = line.position.side, chance.choice(moves)
        text = game.move_text(move)
        line = line.push(move)
        position = game.position_text(line.position)
        told = room.happens(
            e.MoveProvisional(move=text, due_s=room.now_s + 0.7),
            e.TurnTaken(ply=ply, seat=seat, move=text, position=position),
            e.TiltStarted(seat=line.position.side),
        )
        spaces = re.findall(r"(?<![a-z0-9])[a-z]\d+", text)
        assert len(told) == 1
        assert game.seats[seat] in told[0]
        assert all(space in told[0] for space in spaces)
        room.later(3.0)
        room.happens(e.TurnOpened(seat=line.position.side, ply=ply + 1))
    assert not re.search(r"[a-z]\d+[-@][a-z]|\*[a-z]|r\d\b", " ".join(room.said))
