"""Lights: no two signals alike, within the supply; and a player who sees only them plays on the simulator."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from balanxd.assemble import assemble, game_on, header_of
from balanxd.config import parse_board
from balanxd.errors import BalanxError
from balanxd.lights.signals import (
    STEPS,
    Signal,
    code_frame,
    frame_of,
    milliamps,
)
from balanxd.pairing import CodeEnded, CodeShown
from balanxd.players import Player
from balanxd.simulated.build import build_table
from balanxd.simulated.lockstep import Lockstep
from balanxd.simulated.wire import PipeWire
from firmware_bridge.messages import ResetCause
from firmware_bridge.palette import PALETTE
from referee import commands as c
from rules.line import Line

ROOT = Path(__file__).parents[2]
NAMES = tuple(f"s{number}" for number in range(56))


def turned(blink: int) -> int:
    """The blink, begun where its number is least: what an eye that sees it again and again sees."""
    return min((blink >> by | blink << (STEPS - by)) & 255 for by in range(STEPS))


def test_no_two_signals_blink_alike() -> None:
    assert len({turned(signal.value.blink) for signal in Signal}) == len(Signal)


def test_palette_is_the_firmwares() -> None:
    text = (ROOT / "firmware_bridge/firmware/avr/lights.c").read_text(encoding="utf-8")
    rows = re.findall(r"\{(\d+), (\d+), (\d+)\}", text)
    assert tuple(tuple(map(int, row)) for row in rows) == PALETTE


@pytest.mark.parametrize("budget_ma", [100, 200, 300, 500, 2000])
@pytest.mark.parametrize("signal", Signal)
def test_supply_is_never_overdrawn(signal: Signal, budget_ma: float) -> None:
    found = dict.fromkeys(NAMES, signal)
    for step in range(STEPS):
        assert milliamps(frame_of(found, NAMES, step, budget_ma, night=False)) <= budget_ma


def test_what_matters_least_goes_first() -> None:
    found = {**dict.fromkeys(NAMES, Signal.TURN), "s7": Signal.EXTRA}
    frame = frame_of(found, NAMES, 0, 75.0, night=False)
    assert frame[7]
    assert 1 < sum(map(bool, frame)) < 56
    assert milliamps(frame_of(found, NAMES, 0, 500.0, night=True)) < milliamps(
        frame_of({**found, "s7": Signal.TARGET}, NAMES, 0, 500.0, night=False)
    )


def test_code_is_shown_digit_by_digit() -> None:
    shown = [sum(map(bool, code_frame("207", step, 56))) for step in range(0, 6 * STEPS, 2 * STEPS)]
    assert shown == [2, 10, 7]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[lights]\nonn = true", "did you mean on?"),
        ("[lights]\nsupply_ma = 3", "100 to 5000"),
        ('[sensors]\nbackend = "chain"\n[lights]\non = true', "lights"),
    ],
)
def test_wrong_keys_are_refused(text: str, says: str) -> None:
    with pytest.raises(BalanxError, match=re.escape(says)):
        parse_board(text, "x.toml")


class Table:
    """A board, and a person who sees nothing but its lights. Marbles are moved by a simulated hand."""

    def __init__(self, machines: bool = False) -> None:
        self.board = parse_board("[lights]\non = true\n", "lit")
        players = [Player("human"), Player("engine", 1) if machines else Player("human")]
        line = Line.begin(game_on(self.board))
        self.table = build_table(self.board, 1)
        self.pipeline = assemble(
            self.board, line, players, seed=1, header=header_of(line, self.board, players, "????.??.??")
        )
        self.lockstep = Lockstep(self.table, self.pipeline, PipeWire(), lambda event, now_s: None)
        self.names = self.board.layout.cell_names

    def run(self, lasts_s: float, until: Callable[[], bool] = lambda: False) -> None:
        self.lockstep.run(until, self.lockstep.now_s + lasts_s)

    def look(self) -> dict[str, Signal]:
        """What a person reads off the lights in two seconds: each one's colour and blink."""
        seen: list[bytes] = []
        for _ in range(2 * STEPS):
            self.run(1 / STEPS)
            seen.append(self.table.lights)
        found = {}
        for number, name in enumerate(self.names):
            last = [frame[number] for frame in seen[STEPS:]]
            blink = int("".join("1" if colour else "0" for colour in last), 2)
            for signal in Signal:
                if max(last) == signal.value.colour and turned(signal.value.blink) == turned(blink):
                    found[name] = signal
        return found

    def spaces(self, signal: Signal) -> set[str]:
        return {name for name, seen in self.look().items() if seen is signal}

    def hand(self, deed: str, space: str) -> None:
        hand = self.table.hands[0]
        (hand.lift if deed == "lift" else hand.put)(self.names.index(space))
        self.run(5.0, lambda: not hand.busy)
        self.run(0.5)

    def await_turn(self) -> set[str]:
        for _ in range(20):
            if turn := self.spaces(Signal.TURN):
                return turn
        raise AssertionError("nobody's turn is shown")

    def play(self) -> tuple[str, str]:
        """A move found by the lights alone: lift one marble after another until targets show."""
        for space in sorted(self.await_turn()):
            self.hand("lift", space)
            targets = self.spaces(Signal.TARGET)
            if targets:
                goal = min(targets)
                self.hand("put", goal)
                return space, goal
            self.hand("put", space)
        raise AssertionError("no marble may move")


def test_an_evening_by_lights_alone() -> None:
    table = Table()
    first = table.await_turn()
    assert len(first) == 10
    table.play()
    second = table.await_turn()
    assert not first & second  # Black's
    assert len(table.pipeline.session.line.moves) == 1

    lifted = max(second)  # a wrong move, led back
    table.hand("lift", lifted)
    targets = table.spaces(Signal.TARGET)
    assert table.spaces(Signal.LIFTED) == {lifted}
    wrong = next(
        name
        for name in table.names
        if name not in targets and table.names.index(name) not in table.table.occupancy() and name != lifted
    )
    table.hand("put", wrong)
    seen = table.look()
    extra = {name for name, signal in seen.items() if signal is Signal.EXTRA}
    missing = {name for name, signal in seen.items() if signal is Signal.MISSING}
    assert len(extra) == len(missing) == 1
    table.hand("lift", extra.pop())
    table.hand("put", missing.pop())
    assert table.await_turn() == second

    table.play()
    table.await_turn()
    assert len(table.pipeline.session.line.moves) == 2
    table.lockstep.command(c.Resign(0))
    assert len(table.spaces(Signal.OVER)) == 10


def test_a_machines_move_is_followed_by_lights() -> None:
    table = Table(machines=True)
    table.play()
    for _ in range(20):
        if Signal.THINKING in table.look().values():
            break
    session = table.pipeline.session
    game, position = session.game, session.line.position
    move = next(iter(game.moves(position)))
    table.lockstep.command(c.Announce(game.move_text(move), game.position_text(position)))
    seen = {signal: name for name, signal in table.look().items()}
    table.hand("lift", seen[Signal.FROM])
    (goal,) = table.spaces(Signal.TARGET)
    assert goal == seen[Signal.TO]
    table.hand("put", goal)
    table.await_turn()
    assert session.line.moves[-1] == move


def test_after_a_lost_link_the_board_is_told_everything_again() -> None:
    table = Table()
    table.await_turn()
    before = table.look()
    table.table.controller.reset(ResetCause.WATCHDOG)
    assert not any(table.table.lights[1:])
    table.run(5.0)
    assert table.look() == before


def test_the_page_of_lights_tells_every_blink() -> None:
    page = (ROOT / "docs/evening.md").read_text(encoding="utf-8")
    text = page.partition("## What the lights say")[2].partition("\n## ")[0]
    told = {row.replace("#", "1").replace(".", "0") for row in re.findall(r"`([#.]{8})`", text)}
    assert told == {f"{signal.value.blink:08b}" for signal in Signal}


def test_a_pairing_code_goes_before_the_game_until_it_ends() -> None:
    table = Table()
    turn = table.await_turn()
    now_s = table.lockstep.now_s
    table.pipeline.pairing(CodeShown("312999", now_s + 120.0), now_s)
    table.run(1.0)
    assert sum(map(bool, table.table.lights)) == 3
    table.pipeline.pairing(CodeEnded(), now_s)
    assert table.await_turn() == turn
