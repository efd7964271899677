"""A whole evening at the board: its player sees lights and marbles, has a hand, and buttons or none. No page.

The house around it is what a daemon does: it thinks for the computer, and obeys what players want of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from balanxd.assemble import assemble, game_on, header_of, make_session, seated
from balanxd.buttons import buttons_text
from balanxd.config import parse_board
from balanxd.evening import seated_anew
from balanxd.games import AnyLine
from balanxd.lights.signals import MOST, STEPS, Signal
from balanxd.players import Player, choose
from balanxd.simulated.build import build_table
from balanxd.simulated.lockstep import Lockstep
from balanxd.simulated.wire import PipeWire
from hardware.buttons import Button
from referee import commands as c
from referee import events as e
from rules.line import Line

ROOT = Path(__file__).parents[2]
COMPUTER = (Player("human"), Player("engine", 1))
PEOPLE = (Player("human"), Player("human"))
CARD = [
    [cell.strip() for cell in row.split("|")[1:-1]]
    for row in re.findall(r"^\| \d \|.*$", (ROOT / "docs/evening.md").read_text(encoding="utf-8"), re.M)
]
PLAYING, TWO, OUTSIDE = 1, 2, 3
"""Columns of the card beside the board: against the computer, two people, before the first turn and after the end."""


class House:
    """One board and what a daemon does for it."""

    def __init__(
        self, seed: int, line: AnyLine | None = None, players: tuple[Player, ...] = COMPUTER
    ) -> None:
        self.board = parse_board(f"[lights]\non = true\n{buttons_text(56)}", "evening")
        self.players = players
        self.seed = seed
        begun: AnyLine = Line.begin(game_on(self.board)) if line is None else line
        self.table = build_table(self.board, seed)
        position, game = begun.position, begun.game
        owners = ((cell, game.owner(position, cell)) for cell in range(game.cells))
        self.table.place({cell: owner for cell, owner in owners if owner is not None})
        self.events: list[e.GameEvent] = []
        self.obeyed: list[c.HouseCommand] = []
        header = None if line is not None else header_of(begun, self.board, self.players, "?")
        self.pipeline = assemble(self.board, begun, self.players, seed=seed, header=header)
        self.lockstep = Lockstep(self.table, self.pipeline, PipeWire(), self._handle)

    @property
    def session(self) -> Any:
        return self.pipeline.session

    def _handle(self, event: e.GameEvent, now_s: float) -> None:
        del now_s
        self.events.append(event)
        if isinstance(event, e.MoveWanted):
            move = choose(self.players[event.seat], self.session.line, self.seed)
            self.lockstep.command(c.Announce(move, event.position))

    def run(self, lasts_s: float, until: Callable[[], bool] = lambda: False) -> None:
        def obeyed() -> bool:
            for wanted in self.pipeline.take_wanted():
                self._obey(wanted)
            return until()

        self.lockstep.run(obeyed, self.lockstep.now_s + lasts_s)

    def _obey(self, wanted: c.HouseCommand) -> None:
        self.obeyed.append(wanted)
        now_s, pipeline = self.lockstep.now_s, self.pipeline
        if not isinstance(wanted, c.NewGame):
            self.lockstep._settle(pipeline.park(now_s))
            return
        self.players = seated_anew(self.players, wanted, self.session.game)
        line: AnyLine = Line.begin(game_on(self.board))
        header = header_of(line, self.board, self.players, "?")
        session = make_session(self.board, line, self.players, pipeline.drive, pipeline.said, header=header)
        self.lockstep._settle(pipeline.replace_session(session, now_s, seated(self.players, line)))


class Person:
    """Sees lights and marbles, and has a hand; knows the card, and how the marbles stand before a game."""

    def __init__(self, house: House, *, buttons: bool) -> None:
        self._house, self._buttons = house, buttons
        self._table = house.table
        self.names = house.board.layout.cell_names
        starts = house.board.layout.starts
        self._start = {self.names[cell]: seat for seat in (0, 1) for cell in starts[seat]}

    # ---- eyes ----------------------------------------------------------------------------------------------

    def look(self) -> dict[str, Signal]:
        """What the lights say by their colour and blink, when they have blinked alike for two seconds."""
        before, second = [b""], self._second()
        for _ in range(20):
            if second == before:
                break
            before, second = second, self._second()
        found = {}
        for number, name in enumerate(self.names):
            seen = [frame[number] for frame in second]
            blink = int("".join("1" if colour else "0" for colour in seen), 2)
            for signal in Signal:
                if max(seen) == signal.value.colour and _turned(signal.value.blink) == _turned(blink):
                    found[name] = signal
        return found

    def _second(self) -> list[bytes]:
        seen: list[bytes] = []
        for _ in range(STEPS):
            self._house.run(1 / STEPS)
            seen.append(self._table.lights)
        return seen

    def spaces(self, signal: Signal) -> set[str]:
        return {name for name, seen in self.look().items() if seen is signal}

    def await_signal(self, *signals: Signal, looks: int = 15) -> dict[str, Signal]:
        """Look until one of the signals shows."""
        for _ in range(looks):
            seen = self.look()
            if any(signal in seen.values() for signal in signals):
                return seen
        raise AssertionError(f"{signals} is not shown, but {set(self.look().values())}")

    def marbles(self) -> dict[str, int]:
        """Whose marble lies where."""
        return {self.names[cell]: seat for cell, seat in self._table.occupancy().items()}

    # ---- hands ---------------------------------------------------------------------------------------------

    def lift(self, space: str) -> None:
        self._table.hand.lift(self.names.index(space))
        self._done()

    def put(self, space: str) -> None:
        self._table.hand.put(self.names.index(space))
        self._done()

    def carry(self, start: str, goal: str) -> None:
        self.lift(start)
        self.put(goal)

    def _done(self) -> None:
        hand = self._table.hand
        self._house.run(10.0, lambda: not hand.busy)
        self._house.run(0.5)

    # ---- the menu ------------------------------------------------------------------------------------------

    def _press(self, button: Button, taps: int) -> None:
        if self._buttons:
            self._table.buttons.press(button)
            self._house.run(0.4)
            return
        self._house.run(2.0)  # no hurry
        self._table.hand.tap(min(self._table.occupancy()), taps)
        self._done()
        self._house.run(1.0)

    def yes(self) -> None:
        self._press(Button.YES, 2)

    def number(self, signal: Signal = Signal.MENU) -> int:
        """The item that is shown; 0 where none is."""
        shown = [name for name, seen in self.look().items() if seen is signal]
        assert set(shown) <= set(self.names[:MOST])
        return len(shown)

    def choose(self, column: int, what: str) -> None:
        """Find an item by the card, and do it."""
        number = 1 + [row[column].removesuffix(" (sure?)") for row in CARD].index(what)
        sure = "sure?" in CARD[number - 1][column]
        self._press(Button.NEXT, 3)
        for _ in range(number - 1):
            self._press(Button.NEXT, 1)
        assert self.number() == number
        self.yes()
        if sure:
            assert self.number(Signal.SURE) == number
            self.yes()

    # ---- the game ------------------------------------------------------------------------------------------

    def set_up(self) -> None:
        """The marbles as before a game, one after the other."""
        for _ in range(40):
            lying = self.marbles()
            wrong = sorted(name for name, seat in lying.items() if self._start.get(name) != seat)
            free = {name: seat for name, seat in self._start.items() if name not in lying}
            if not wrong:
                return
            for name in wrong:
                goals = sorted(goal for goal, seat in free.items() if seat == lying[name])
                if goals:
                    self.carry(name, goals[-1] if lying[name] == 0 else goals[0])
                    break
        raise AssertionError("the marbles cannot be set up")

    def play(self) -> tuple[str, str]:
        """A move that the lights allow."""
        turn = {name for name, seen in self.await_signal(Signal.TURN).items() if seen is Signal.TURN}
        for space in sorted(turn):
            self.lift(space)
            targets = self.spaces(Signal.TARGET)
            if targets:
                goal = min(targets)
                self.put(goal)
                return space, goal
            self.put(space)
        raise AssertionError("no marble may move")

    def move_for_the_computer(self) -> None:
        """Its move, as the lights tell it."""
        seen = self.await_signal(Signal.FROM)
        (start,) = (name for name, signal in seen.items() if signal is Signal.FROM)
        (goal,) = (name for name, signal in seen.items() if signal is Signal.TO)
        self.carry(start, goal)

    def lead_back(self) -> int:
        """Marbles back where the lights want them. How many were carried."""
        for carried in range(10):
            seen = self.await_signal(Signal.EXTRA, Signal.TURN, Signal.MENU)
            extra = [name for name, signal in seen.items() if signal is Signal.EXTRA]
            missing = [name for name, signal in seen.items() if signal is Signal.MISSING]
            if not extra:
                return carried
            assert len(extra) == len(missing) == 1
            self.carry(extra[0], missing[0])
        raise AssertionError("there is no end of it")


def _turned(blink: int) -> int:
    return min((blink >> by | blink << (STEPS - by)) & 255 for by in range(STEPS))


def ended_game() -> AnyLine:
    """White gave up after a few turns."""
    line: AnyLine = Line.begin(game_on(parse_board("", "x")))
    for text in ("a7-a4", "g2-g5", "c8-e8"):
        line = line.push(line.game.parse_move(text))
    outcome = line.game.resigned(0)
    assert outcome is not None
    return line.ended(outcome)


@pytest.mark.parametrize("buttons", [True, False], ids=["buttons", "taps"])
def test_a_whole_evening_by_lights_and_nothing_else(buttons: bool) -> None:
    house = House(3, ended_game())
    person = Person(house, buttons=buttons)

    # The last game is over; the marbles are set up for a new one, and that is all.
    person.await_signal(Signal.OVER)
    person.set_up()
    person.await_signal(Signal.TURN)
    assert house.obeyed == [c.NewGame()]

    # A turn, and the computer's, which is read off the lights.
    person.play()
    person.move_for_the_computer()
    person.await_signal(Signal.TURN)
    assert len(house.session.line.moves) == 2

    # A move that is not legal is led back.
    turn = person.spaces(Signal.TURN)
    lifted = max(turn)
    person.lift(lifted)
    wrong = next(
        name
        for name in person.names
        if name not in person.spaces(Signal.TARGET) and name not in person.marbles() and name != lifted
    )
    person.put(wrong)
    assert person.lead_back() == 1
    assert len(house.session.line.moves) == 2

    # Both turns are taken back: the computer's marble first.
    person.choose(PLAYING, "take back")
    assert person.lead_back() == 2
    person.await_signal(Signal.TURN)
    assert house.session.line.moves == ()

    # The board is stopped while it tilts, and goes on.
    person.play()
    if buttons:
        person._press(Button.STOP, 0)
        person.await_signal(Signal.STOPPED)
        assert len(house.session.line.moves) == 1
        angle = house.table.angle_deg
        house.run(5.0)
        assert house.table.angle_deg == angle
        person.yes()
    person.move_for_the_computer()
    person.await_signal(Signal.TURN)

    # The board is parked, and goes on.
    person.choose(PLAYING, "park the board")
    person.await_signal(Signal.STOPPED)
    assert abs(house.table.angle_deg) < 1.0
    person.yes()
    person.await_signal(Signal.TURN)
    assert len(house.session.line.moves) == 2

    # White resigns: Black's marbles shine.
    person.choose(PLAYING, "I resign")
    over = {name for name, seen in person.await_signal(Signal.OVER).items() if seen is Signal.OVER}
    assert over == {name for name, seat in person.marbles().items() if seat == 1}
    assert house.session.result == "0-1 resigned"

    # Other colours, and the computer begins.
    person.choose(OUTSIDE, "exchange colours")
    assert house.players == (Player("engine", 1), Player("human"))
    person.await_signal(Signal.MISSING)
    person.set_up()
    person.move_for_the_computer()
    turn = {name for name, seen in person.await_signal(Signal.TURN).items() if seen is Signal.TURN}
    assert {person.marbles()[name] for name in turn} == {1}

    # A stronger computer; then the day is over.
    person.play()
    person.await_signal(Signal.FROM)
    person.choose(PLAYING, "the computer's next level")
    assert house.players == (Player("engine", 2), Player("human"))
    person.await_signal(Signal.MISSING)
    person.set_up()
    person.await_signal(Signal.FROM)
    person.choose(OUTSIDE, "shut down")
    house.run(6.0)
    assert house.obeyed[-1] == c.ShutDown()
    assert abs(house.table.angle_deg) < 1.0


def test_two_people_agree_on_a_draw_and_play_again() -> None:
    house = House(4, players=PEOPLE)
    person = Person(house, buttons=True)
    person.play()
    first = person.await_signal(Signal.TURN)
    person.play()
    assert person.await_signal(Signal.TURN) != first
    person.choose(TWO, "a draw")
    over = {name for name, seen in person.await_signal(Signal.OVER).items() if seen is Signal.OVER}
    assert over == set(person.marbles())
    assert house.session.result == "1/2 agreed"
    person.set_up()
    person.await_signal(Signal.TURN)
    assert house.obeyed == [c.NewGame()]
    person.play()
    person.await_signal(Signal.TURN)
    assert len(house.session.line.moves) == 1
