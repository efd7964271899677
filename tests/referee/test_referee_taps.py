"""Taps: what is one, that no move of any game is one, and that no noise and no hand does anything by itself."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tables.desk import CLASSIC, PanelDesk

from hardware.occupancy import Change, Occupancy
from referee import commands as c
from referee import events as e
from referee.motion import twins_of
from referee.taps import Taps
from rules.games import NAMES, AnyGame, game_of_tags
from rules.line import Line

A, B, TWIN = 3, 7, 11
FIRST_S = 10.0


class Fingers:
    """A row of cells that all hold a piece; 3 and 11 share a groove."""

    def __init__(self, readings: bytes = bytes([1] * 20)) -> None:
        self.taps = Taps({A: TWIN, TWIN: A})
        self.readings = bytearray(readings)
        self.groups: list[tuple[int, int]] = []
        self.taps.see(Occupancy(0.0, True, readings, (), edges_lost=True), set())

    def follow(self, edges: str, bad: frozenset[int] = frozenset()) -> Fingers:
        """`10.0:3=0 10.3:3=1`: from then on the cell reads this."""
        for word in edges.split():
            time, _, step = word.partition(":")
            cell, _, reading = step.partition("=")
            self._see(Change(float(time), int(cell), int(reading)), bad)
        return self

    def _see(self, change: Change, bad: frozenset[int]) -> None:
        self.wait(change.at_s)
        self.readings[change.cell] = change.reading
        self.taps.see(Occupancy(change.at_s, True, bytes(self.readings), (change,)), bad)

    def wait(self, until_s: float) -> list[tuple[int, int]]:
        """The groups so far, as (cell, count)."""
        while (due_s := self.taps.due_s(watched=False)) <= until_s:
            group = self.taps.group(due_s)
            if group is not None and group.count:
                self.groups.append((group.cell, group.count))
        return self.groups


@pytest.mark.parametrize(
    ("edges", "groups"),
    [
        ("10.0:3=0 10.3:3=1", [(A, 1)]),
        ("10.0:7=0 10.13:7=1", [(B, 1)]),
        ("10.0:7=0 10.11:7=1", []),  # too short for a hand
        ("10.0:7=0 11.2:7=1", [(B, 1)]),
        ("10.0:7=0 11.21:7=1", []),  # somebody thought about it
        ("10.0:7=0 10.3:7=1 10.7:7=0 11.0:7=1", [(B, 2)]),
        ("10.0:7=0 10.3:7=1 10.7:7=0 11.0:7=1 11.85:7=0 12.0:7=1", [(B, 3)]),
        ("10.0:7=0 10.3:7=1 11.3:7=0 11.6:7=1", [(B, 1), (B, 1)]),  # two groups of one
        ("10.0:7=0 10.3:7=1 10.7:5=0 11.0:5=1", []),  # two pieces
        ("10.0:7=0 10.1:5=0 10.3:7=1 10.4:5=1", []),
        ("10.0:7=0 10.3:5=0 10.5:5=1 10.7:7=1", []),
        # it rocks before it leaves, is seen for a moment after, and settles
        ("10.0:7=0 10.05:7=1 10.1:7=0 10.16:7=1 10.2:7=0 10.22:7=1 10.26:7=0 10.6:7=1 10.65:7=0 10.7:7=1", [(B, 1)]),
        ("10.0:7=0 10.2:7=1 10.25:7=0 10.5:7=1", [(B, 1)]),  # it is seen once more in the hand
        ("10.0:7=0 10.15:5=0 10.2:5=1 10.4:7=1", [(B, 1)]),  # a finger touches the neighbour
        ("10.0:7=0 10.3:7=1 10.5:5=0 10.55:5=1", [(B, 1)]),
        # the other marble of the groove rolls into the gap, and the lifted one is put beside it
        ("10.0:3=0 10.1:11=0 10.3:3=1 10.6:11=1", [(A, 1)]),
        ("10.0:3=0 10.1:11=0 10.3:3=1 10.6:11=1 10.9:3=0 11.0:11=0 11.2:3=1 11.4:11=1", [(A, 2)]),
        ("10.0:3=0 10.1:11=0 10.3:3=1", []),  # it is still in the hand
        ("10.0:7=2 10.3:7=1", []),  # it reads otherwise, and never left
        ("10.0:7=0 10.3:7=2", []),  # another piece
        ("10.0:7=0 10.3:7=2 10.6:7=1", [(B, 1)]),  # it was read wrongly at first
    ],
)  # fmt: skip
def test_what_is_a_tap(edges: str, groups: list[tuple[int, int]]) -> None:
    fingers = Fingers().follow(edges)
    assert fingers.wait(20.0) == groups


def test_a_piece_that_comes_from_beside_the_board_and_goes_again_is_no_tap() -> None:
    readings = bytearray([1] * 20)
    readings[B] = 0
    assert Fingers(bytes(readings)).follow("10.0:7=1 10.5:7=0").wait(20.0) == []


def test_taps_right_after_a_move_count_when_the_board_was_left_alone() -> None:
    moved = "10.0:7=0 11.0:5=0 12.0:5=1"
    assert Fingers().follow(moved + " 14.0:5=0 14.3:5=1").wait(20.0) == [(5, 1)]
    assert Fingers().follow(moved + " 12.6:5=0 12.9:5=1").wait(20.0) == []


def test_a_bad_sensor_taps_nothing() -> None:
    fingers = Fingers().follow("10.0:5=0 10.3:5=1 13.0:7=0 13.3:7=1", frozenset([B]))
    assert fingers.wait(20.0) == []


def test_what_nobody_saw_is_no_tap() -> None:
    fingers = Fingers().follow("10.0:7=0")
    fingers.taps.see(Occupancy(10.2, False, bytes(20), (), edges_lost=True), set())
    assert fingers.taps.due_s(watched=True) == float("inf")
    fingers.taps.see(Occupancy(10.4, True, bytes([1] * 20), (), edges_lost=True), set())
    assert fingers.wait(20.0) == []


# ---- no move is a tap --------------------------------------------------------------------------------------


def boards() -> list[AnyGame]:
    options = {"banks": ({"Board": "4x4"}, {"Board": "6x6"}), "boxilies": ({},)}
    found = []
    for name in NAMES:
        for more in options.get(name, ({},)):
            tags = {"Game": name, **more}
            found.append(CLASSIC if name == "balanx" else game_of_tags(tags))
    return found


@pytest.mark.parametrize("game", boards(), ids=lambda game: game.name)
@given(chance=st.randoms(use_true_random=False))
@settings(max_examples=8)
def test_no_legal_move_leaves_the_picture_as_it_was(game: AnyGame, chance: random.Random) -> None:
    line: Line = Line.begin(game)
    for _ in range(chance.randrange(40)):
        moves = game.moves(line.position)
        if line.outcome is not None or not moves:
            break
        line = line.push(chance.choice(moves))
    position = line.position
    tilts = (None, 0, 1) if game.tilts else (None,)
    made = [move for move in game.moves(position) if not game.is_pass(move)]
    for sensor in game.sensors:
        for tilt in tilts:
            before = game.level(game.picture(position, sensor), tilt)
            for move in made:
                after = game.level(game.picture(game.play(position, move), sensor), tilt)
                assert after != before, f"{game.move_text(move)} is a tap to {sensor} sensors"
            if made:
                after = game.picture(game.play(position, chance.choice(made)), sensor)
                make(before, game.level(after, tilt), chance)


def make(before: bytes, after: bytes, chance: random.Random) -> None:
    """A move in some order and at some pace."""
    fingers = Fingers(before)
    differ = [cell for cell in range(len(before)) if before[cell] != after[cell]]
    chance.shuffle(differ)
    at_s = FIRST_S
    for cell in differ:
        at_s += chance.uniform(0.1, 1.0)
        fingers.follow(f"{at_s}:{cell}={after[cell]}")
    assert fingers.wait(30.0) == []


# ---- nothing happens by itself -----------------------------------------------------------------------------

FLAT = "WWW4/WWW4/WW5/W6/6B/5BB/4BBB/4BBB W 20"
SPACES = st.sampled_from(CLASSIC.cell_names)
TIMES = st.floats(0.0, 3.0)
DEEDS = st.one_of(
    st.tuples(st.just("taps"), SPACES, st.integers(1, 5), st.floats(0.05, 1.4), st.floats(0.1, 1.1)),
    st.tuples(st.just("flickers"), SPACES, st.lists(st.floats(0.005, 0.11), min_size=1, max_size=8)),
    st.tuples(st.just("toggles"), SPACES, TIMES),
    st.tuples(st.just("moves"), st.integers(0, 30), TIMES),
    st.tuples(st.just("waits"), st.floats(0.0, 20.0)),
)


def do(desk: PanelDesk, deed: tuple, without: int) -> None:
    """without: so many taps are left out (nobody taps so often)."""
    match deed:
        case ("taps", space, count, up_s, apart_s):
            if desk.readings[desk.cell(space)] and count != without:
                desk.taps(space, count, up_s=up_s, apart_s=apart_s)
        case ("flickers", space, lasts_s):
            for each in lasts_s:
                for _ in range(2):
                    toggle(desk, space)
                    desk.run(desk.now_s + each)
        case ("toggles", space, after_s):
            toggle(desk, space)
            desk.run(desk.now_s + after_s)
        case ("moves", number, after_s):
            moves = desk.game.moves(desk.session.position)
            if desk.session.line.outcome is None and moves:
                start, goal = desk.game.travel(moves[number % len(moves)])
                toggle(desk, desk.game.cell_names[start])
                desk.run(desk.now_s + after_s)
                toggle(desk, desk.game.cell_names[goal])
        case ("waits", lasts_s):
            desk.run(desk.now_s + lasts_s)
        case _:
            raise AssertionError(deed)


def toggle(desk: PanelDesk, space: str) -> None:
    desk.edges(f"{space}{'-' if desk.readings[desk.cell(space)] else '+'}")


def asked_for(deeds: list[tuple], without: int) -> list[object]:
    """What the panel asked for in an evening of such deeds, and whether it was ever open."""
    desk = PanelDesk(FLAT, before="b8-d8")
    asked: list[object] = []
    obey = desk.buttons._obey

    def obeyed(command: c.PlayerCommand, now_s: float) -> None:
        asked.append(command)
        obey(command, now_s)

    desk.buttons._obey = obeyed
    for deed in deeds:
        do(desk, deed, without)
    desk.run(desk.now_s + 30.0)
    return asked + desk.buttons.take_wanted()


@given(st.lists(DEEDS, max_size=12))
@settings(max_examples=40)
def test_without_a_yes_nothing_is_done(deeds: list[tuple]) -> None:
    assert asked_for(deeds, without=2) == []


@given(st.lists(DEEDS, max_size=12))
@settings(max_examples=40)
def test_with_a_closed_menu_two_taps_do_nothing(deeds: list[tuple]) -> None:
    assert asked_for(deeds, without=3) == []


@pytest.mark.parametrize("hz", [0.3, 0.45, 0.6, 0.9, 1.4, 2.0, 3.5, 8.0, 30.0])
def test_a_sensor_that_flickers_opens_no_menu(hz: float) -> None:
    desk = PanelDesk(FLAT)
    while desk.now_s < 60.0:
        desk.run(desk.now_s + 0.5 / hz)
        toggle(desk, "b7")
    assert desk.said(e.MenuShown) == []


def test_a_sensor_that_comes_and_goes_at_random_opens_no_menu_after_it_has_done_so_twice() -> None:
    for seed in range(4):
        chance, desk = random.Random(seed), PanelDesk(FLAT)
        for _ in range(2):
            desk.taps("b7", 1)
            desk.run(desk.now_s + 3.0)
        while desk.now_s < 120.0:
            toggle(desk, "b7")
            desk.run(
                desk.now_s + chance.expovariate(1 / (0.4 if desk.readings[desk.cell("b7")] == 0 else 0.8))
            )
        assert desk.said(e.MenuShown) == []


def test_people_may_fail_once_and_then_open_it() -> None:
    desk = PanelDesk(FLAT)
    desk.taps("b7", 4)
    desk.run(desk.now_s + 2.0)
    desk.taps("b7", 3)
    assert desk.shown
    desk.taps("b7", 3)
    assert not desk.shown
    assert twins_of(CLASSIC)
