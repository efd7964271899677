"""Inference: every legal move is found under each knowledge of the tilt; and what is not a move is not one."""

import pytest
from balanx_boards import layouts, random_position
from hypothesis import assume, given
from hypothesis import strategies as st

from referee.infer import (
    Ask,
    Found,
    InStep,
    Lifted,
    Prospects,
    Takeback,
    Wrong,
    difference,
    infer,
    tilt_by_marbles,
)
from rules.balanx.game import BalanxGame
from rules.balanx.layout import Layout, layout_named
from rules.balanx.moves import Move
from rules.balanx.position import Position

CLASSIC = BalanxGame(layout_named("classic"))
MIDDLE = CLASSIC.parse_position("1W5/W1W1B2/1W1WW2/WW2B2/1B2W2/W1B1BBB/3B1B1/4B2 W 38")
NOTHING: frozenset[int] = frozenset()
Edges = list[tuple[int, int]]
SENSORS = ("presence", "colour")


def mate(layout: Layout, cell: int) -> int | None:
    groove = layout.grooves[layout.groove_of[cell]]
    return next((other for other in groove if other != cell), None)


class Board:
    """Readings and edges, as a hand and a tilt make them."""

    def __init__(self, game: BalanxGame, position: Position, sensor: str) -> None:
        self.game, self.side = game, position.side
        self.readings = bytearray(game.picture(position, sensor))
        self.edges: Edges = []

    def set(self, cell: int, reading: int) -> None:
        self.readings[cell] = reading
        self.edges.append((cell, reading))

    def settle(self, side: int) -> None:
        for cell, reading in enumerate(self.game.level(bytes(self.readings), side)):
            if not reading and self.readings[cell]:
                self.set(cell, 0)
        rolled = self.game.level(self.before, side)
        for cell, reading in enumerate(rolled):
            if reading and not self.readings[cell]:
                self.set(cell, reading)

    def lift(self, cell: int) -> int:
        reading = self.readings[cell]
        self.set(cell, 0)
        self.roll(self.side)
        return reading

    def put(self, cell: int, reading: int) -> None:
        self.set(cell, reading)
        self.roll(self.side)

    def roll(self, side: int) -> None:
        self.before = bytes(self.readings)
        self.settle(side)

    def move(self, origin: int, target: int) -> None:
        self.put(target, self.lift(origin))


@st.composite
def positions(draw: st.DrawFn) -> tuple[BalanxGame, Position]:
    layout = draw(layouts())
    game = BalanxGame(layout)
    position = random_position(layout, draw(st.integers(0, 2**32 - 1)))
    assume(game.outcome(position) is None and not game.is_pass(game.moves(position)[0]))
    return game, position


@given(positions(), st.sampled_from(SENSORS), st.sampled_from(["down", "other", "unknown"]), st.booleans())
def test_every_legal_move_is_found(
    told: tuple[BalanxGame, Position], sensor: str, knowledge: str, lost: bool
) -> None:
    game, position = told
    for move in game.moves(position):
        board = Board(game, position, sensor)
        board.move(*game.travel(move))
        if knowledge == "other":
            board.roll(1 - position.side)
        tilt = {"down": position.side, "other": 1 - position.side, "unknown": None}[knowledge]
        prospects = Prospects(game, sensor, position, tilt)
        seen = infer(prospects, (), bytes(board.readings), board.edges, edges_lost=lost, bad=NOTHING)
        assert isinstance(seen, Found), (game.move_text(move), seen)
        assert seen.after == game.play(position, move)
        assert seen.witnessed == (not lost)
        assert seen.or_takeback == 0
        if not lost:
            assert seen.move == move


@given(positions(), st.sampled_from(SENSORS), st.sampled_from([0, 1, None]))
def test_a_settled_position_is_in_step_and_less_one_marble_is_in_hand(
    told: tuple[BalanxGame, Position], sensor: str, tilt: int | None
) -> None:
    game, position = told
    prospects = Prospects(game, sensor, position, tilt)
    readings = game.level(game.picture(position, sensor), tilt)
    assert infer(prospects, (), readings, [], edges_lost=False, bad=NOTHING) == InStep()
    for cell in range(game.cells):
        if game.owner(position, cell) is None:
            continue
        board = Board(game, position, sensor)
        board.lift(cell)
        seen = infer(
            prospects, (), game.level(bytes(board.readings), tilt), board.edges, edges_lost=False, bad=NOTHING
        )
        assert isinstance(seen, Lifted)
        assert seen.missing == 1
        assert seen.extra == ()
        assert seen.cells == {cell}


@given(positions(), st.sampled_from(SENSORS))
def test_an_opponents_marble_is_never_a_move(told: tuple[BalanxGame, Position], sensor: str) -> None:
    game, position = told
    prospects = Prospects(game, sensor, position, position.side)
    theirs = [cell for cell in range(game.cells) if game.owner(position, cell) == 1 - position.side]
    free = [cell for cell in range(game.cells) if game.owner(position, cell) is None]
    for origin in theirs:
        for target in free:
            board = Board(game, position, sensor)
            board.move(origin, target)
            seen = infer(prospects, (), bytes(board.readings), board.edges, edges_lost=False, bad=NOTHING)
            if isinstance(seen, InStep):
                continue  # put into its own groove again, or marbles exchanged, which presence cannot see
            assert isinstance(seen, Wrong), (game.cell_names[origin], game.cell_names[target], seen)
            if seen.illegal is not None and sensor == "presence":
                assert seen.illegal.reason == "not_your_marble"


@given(positions(), st.sampled_from(SENSORS), st.integers(0, 80))
def test_with_a_bad_sensor_a_move_is_found_asked_about_or_waited_for(
    told: tuple[BalanxGame, Position], sensor: str, number: int
) -> None:
    game, position = told
    bad = number % game.cells
    prospects = Prospects(game, sensor, position, position.side)
    for move in game.moves(position):
        board = Board(game, position, sensor)
        board.move(*game.travel(move))
        board.readings[bad] = 0
        edges = [edge for edge in board.edges if edge[0] != bad]
        seen = infer(prospects, (), bytes(board.readings), edges, edges_lost=False, bad=frozenset({bad}))
        after = game.play(position, move)
        match seen:
            case Found():
                assert seen.after == after
            case Ask():
                assert after in {game.play(position, each) for each in seen.moves}
            case InStep():
                stays = game.picture(position, sensor), game.level(game.picture(after, sensor), position.side)
                assert all(a == b for cell, (a, b) in enumerate(zip(*stays, strict=True)) if cell != bad)
            case _:
                raise AssertionError((game.move_text(move), seen))


def test_a_takeback_is_to_the_nearest_position_that_looks_so() -> None:
    line = [CLASSIC.start()]
    for text in ("a7-a4", "d1-c1", "d8-e8"):
        line.append(CLASSIC.play(line[-1], CLASSIC.parse_move(text)))
    *earlier, now = line
    prospects = Prospects(CLASSIC, "presence", now, now.side)
    for plies, position in enumerate(reversed(earlier), start=1):
        seen = infer(prospects, earlier, prospects.picture(position), [], edges_lost=True, bad=NOTHING)
        assert seen == Takeback(plies)


def test_a_move_goes_before_a_takeback_and_says_so() -> None:
    line = [CLASSIC.start()]
    for text in ("a7-a4", "g2-g5", "a5-a8", "d1-g1", "a8-a6"):
        line.append(CLASSIC.play(line[-1], CLASSIC.parse_move(text)))
    *earlier, now = line
    board = Board(CLASSIC, now, "presence")
    board.move(CLASSIC.cell_names.index("g1"), CLASSIC.cell_names.index("d1"))
    prospects = Prospects(CLASSIC, "presence", now, now.side)
    seen = infer(prospects, earlier, bytes(board.readings), board.edges, edges_lost=False, bad=NOTHING)
    assert isinstance(seen, Found)
    assert (CLASSIC.move_text(seen.move), seen.or_takeback) == ("g1-d1", 3)


def test_earlier_than_eight_plies_is_no_takeback() -> None:
    position = MIDDLE
    earlier = [position]
    for _ in range(9):
        position = CLASSIC.play(position, CLASSIC.moves(position)[0])
        earlier.append(position)
    *earlier, now = earlier
    prospects = Prospects(CLASSIC, "presence", now, now.side)
    seen = infer(prospects, earlier, prospects.picture(MIDDLE), [], edges_lost=True, bad=NOTHING)
    assert not isinstance(seen, Takeback)


@pytest.mark.parametrize(
    ("move", "reason"),
    [
        ("d6-d3", "forward_step"),
        ("a3-c1", "diagonal"),
        ("e4-a4", "jump_over_gap"),
        ("b5-d5", "too_far"),
        ("b5-b1", "past_first_gap"),
        ("g3-g7", "not_your_marble"),
    ],
)
@pytest.mark.parametrize("sensor", SENSORS)
def test_an_illegal_move_is_explained_and_led_back(move: str, reason: str, sensor: str) -> None:
    travel = CLASSIC.parse_move(move)
    board = Board(CLASSIC, MIDDLE, sensor)
    board.move(travel.origin, travel.target)
    prospects = Prospects(CLASSIC, sensor, MIDDLE, 0)
    seen = infer(prospects, (), bytes(board.readings), board.edges, edges_lost=False, bad=NOTHING)
    assert isinstance(seen, Wrong)
    assert seen.illegal is not None
    assert seen.illegal.reason == reason
    assert seen.move == Move(travel.origin, travel.target)
    assert seen.missing == (travel.origin,)
    assert len(seen.extra) == 1


def test_a_wrong_colour_is_missing_and_extra() -> None:
    assert difference(b"\1\0\2", b"\1\2\1", NOTHING) == ((1, 2), (2,))
    assert difference(b"\1\0\2", b"\1\2\1", frozenset({1})) == ((2,), (2,))


@pytest.mark.parametrize(
    ("placement", "answer"),
    [
        ("7/7/7/7/7/7/7/W6 W 20", (0, True)),
        ("7/7/7/7/7/7/W6/7 B 21", (1, True)),
        ("7/7/7/7/7/7/7/1W5 W 20", (None, True)),
        ("7/7/7/7/7/7/W6/W6 W 20", (None, True)),
    ],
)
def test_single_marbles_tell_the_tilt(placement: str, answer: tuple[int | None, bool]) -> None:
    position = CLASSIC.parse_position(placement)
    assert tilt_by_marbles(CLASSIC, CLASSIC.picture(position, "presence")) == answer


def test_marbles_that_contradict_each_other_tell_nothing() -> None:
    readings = bytearray(56)
    readings[CLASSIC.cell_names.index("a1")] = 1
    readings[CLASSIC.cell_names.index("c2")] = 1
    assert tilt_by_marbles(CLASSIC, bytes(readings)) == (None, False)
