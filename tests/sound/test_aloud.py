"""What a browser reads aloud of the page: the same words as a board that speaks itself, spelled for a voice."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from balanxd.assemble import game_on
from balanxd.config import simulated_board
from balanxd.options import checked_tags
from balanxd.sound.aloud import aloud
from balanxd.sound.speech import HAND_S
from balanxd.view import View
from referee import events as e

LIFTED = e.InHand(missing=1, lifted=("a8",), targets=("e8", "a6"))


def heard(*events: e.GameEvent, name: str = "balanx", motor: bool = True) -> dict[str, object]:
    """After the start of a game that people play, and these events."""
    game = game_on(simulated_board(None, () if name == "balanx" else checked_tags(name, {})), seed=1)
    start = game.position_text(game.start())
    seats = ("human",) * len(game.seats)
    view = View(game, players=seats, simulated=False, sensor="presence", manual_tilt=False)
    begun = e.GameStarted(game=game.name, layout="classic", position=start, players=seats)
    opened = e.TurnOpened(seat=game.start().side, ply=0)
    for event in (e.LinkChanged(up=True), begun, opened, *events):
        view.take(event)
    return aloud(view, motor=motor)


def seen(move: str, **more: object) -> e.MoveProvisional:
    return e.MoveProvisional(move=move, due_s=1.0, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("events", "text", "cuts", "wait_s"),
    [
        ((), "White to move.", False, 0.0),
        ((LIFTED,), "The marble from a8 is up. It may go to e8 and a6.", True, HAND_S),
        ((seen("a8-e8"),), "Hands off. White: a8 to e8.", True, 0.0),
        (
            (seen("a8-e8", or_takeback=1),),
            "Hands off. White: a8 to e8. Or was it to take back 1 turn?",
            True,
            0.0,
        ),
        ((e.TiltStarted(seat=1),), "", False, 0.0),
        ((e.Fault(kind="disk", say="It is full."),), "White to move.", False, 0.0),
        ((e.LinkChanged(up=False, why="unplugged"),), "The board is not connected. Unplugged.", False, 0.0),
        ((e.MenuShown(number=1, count=2, say="It was a8-e8"),), "1. It was a8 to e8.", True, 0.0),
    ],
)
def test_what_is_worth_saying_is_read(
    events: Sequence[e.GameEvent], text: str, cuts: bool, wait_s: float
) -> None:
    found = heard(*events)
    assert (found["text"], found["cuts"], found["wait_s"]) == (text, cuts, wait_s)


def test_a_motor_is_warned_of_only_where_there_is_one() -> None:
    found = heard(seen("a8-e8"), motor=False)
    assert (found["text"], found["cuts"]) == ("White: a8 to e8.", False)


def test_the_menus_last_word_comes_beside_what_the_page_shows() -> None:
    closed = e.MenuClosed(say="It was a8-e8.", done=True)
    found = heard(e.MenuShown(number=1, count=2, say="It was a8-e8"), closed)
    assert (found["text"], found["answer"]) == ("White to move.", "It was a8 to e8.")
    assert heard()["answer"] == ""


def test_a_board_that_was_never_seen_is_looked_for() -> None:
    game = game_on(simulated_board(), seed=1)
    view = View(game, players=("human", "human"), simulated=False, sensor="presence", manual_tilt=False)
    assert aloud(view, motor=True)["text"] == "Looking for the board. The game begins when it answers."


def test_moves_of_other_games_are_spelled_too() -> None:
    game = game_on(simulated_board(None, checked_tags("banks", {})), seed=1)
    start = game.start()
    text = game.move_text(game.moves(start)[0])
    assert text.startswith("*")
    assert (
        heard(seen(text), name="banks", motor=False)["text"]
        == f"{game.seats[start.side]}: the disk on {text[1:]}."
    )
