"""Boxilies: the spec's test positions, counts and ends, reasons in their order, house rules, symmetries."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.boxilies import (
    Board,
    BoxiliesGame,
    HouseRules,
    Move,
    Position,
    Stone,
    StonesError,
    StoneSet,
    starter_of_seed,
)
from rules.boxilies.judge import Reason
from rules.boxilies.stones import Sides, smallest, turned
from rules.errors import RulesError
from rules.game import Game, Illegal, Legal, Outcome

ZERO: Sides = (0, 0, 0, 0)
SEEDS = st.integers(0, 2**32 - 1)
GAME = BoxiliesGame()


class Scene:
    """Stones of any sides on a board, each seat's own; `place` plays unturned stones of given sides."""

    def __init__(
        self,
        there: str,
        places: str,
        board: Board | None = None,
        house: HouseRules | None = None,
    ) -> None:
        there_ = [word.split(":") for word in there.split()]
        places_ = [word.split(":") for word in places.split()]
        hands: tuple[list[Stone], list[Stone]] = ([], [])
        for name in [*there_, *places_]:
            hand = hands["AB".index(name[1])]
            hand.append(Stone(str(len(hand) + 1), _sides(name[2])))
        for hand in hands:
            hand += [Stone(f"9{letter}", ZERO) for letter in "abcde"[len(hand) :]]
        stones = StoneSet("scene", (tuple(hands[0]), tuple(hands[1])))
        self.game = BoxiliesGame(board or Board(), stones, house or HouseRules())
        cells = [0] * self.game.cells
        used = [0, 0]
        for cell, seat, _ in there_:
            number = self._next(used, seat)
            figure = 0 if seat == "A" else 2
            cells[self._cell(cell)] = 1 + number * 16 + figure
        side = "AB".index(places_[0][1]) if places_ else 0
        self.position = Position(tuple(cells), side)
        self.moves = [Move(self._next(used, seat), self._cell(cell), 0) for cell, seat, _ in places_]

    def owned(self) -> str:
        """`A2 B0` after the placements, which the judge must allow."""
        position = self.position
        for move in self.moves:
            verdict = self.game.judge(position, move)
            assert isinstance(verdict, Legal)
            position = verdict.after
        first, second = position.counts()
        names = self.game.cell_names
        of_a = [names[c] for c in range(self.game.cells) if self.game.owner(position, c) == 0]
        return f"{first}-{second} {' '.join(sorted(of_a))}".strip()

    def _next(self, used: list[int], seat: str) -> int:
        at = "AB".index(seat)
        used[at] += 1
        return used[at] - 1 + (len(self.game.stones.hands[0]) if at else 0)

    def _cell(self, name: str) -> int:
        cell = self.game.board.cell(name)
        assert cell is not None
        return cell


def _sides(digits: str) -> Sides:
    north, east, south, west = map(int, digits)
    return north, east, south, west


EIGHT = "a1:B:0000 a2:B:0000 a3:B:0000 b1:B:0000 b3:A:0000 c1:A:0000 c2:A:0000 c3:A:0000"
VECTORS = {
    "B1": ("b1:B:0001", "a1:A:0200", "2-0 a1 b1"),
    "B2": ("b1:B:0002", "a1:A:0200", "1-1 a1"),
    "B3": ("b1:B:0003", "a1:A:0200", "1-1 a1"),
    "B4": ("b1:B:0000 a2:B:2100 b3:B:0000", "b2:A:1012", "4-0 a2 b1 b2 b3"),
    "B5": ("b1:A:0000 b3:B:0000", "b2:A:0030", "2-1 b1 b2"),
    "B6": ("a1:B:0000 c3:B:0000", "b2:A:2111", "1-2 b2"),
    "B7": ("b1:B:0301 c1:B:0000", "a1:A:0200", "2-1 a1 b1"),
    "B8 first": ("b1:B:1001", "a1:A:0200", "2-0 a1 b1"),
    "B8": ("b1:B:1001", "a1:A:0200 b2:B:0020", "1-2 a1"),
    "B9": ("b2:B:0000", "a2:A:0100", "2-0 a2 b2"),
    "B9 variant": ("b2:B:0000", "a2:A:0010", "1-1 a2"),
    "B10": (EIGHT, "b2:A:3011", "7-2 a2 b1 b2 b3 c1 c2 c3"),
    "B11": (EIGHT, "b2:B:1100", "2-7 c1 c3"),
}


@pytest.mark.parametrize("name", VECTORS)
def test_the_spec_s_positions(name: str) -> None:
    there, places, wanted = VECTORS[name]
    assert Scene(there, places).owned() == wanted


def test_the_last_cell_ends_the_game_and_the_greater_number_wins() -> None:
    for name, wanted in (("B10", Outcome(0, "full", (7, 2))), ("B11", Outcome(1, "full", (2, 7)))):
        scene = Scene(*VECTORS[name][:2])
        game, move = scene.game, scene.moves[0]
        verdict = game.judge(scene.position, move)
        assert isinstance(verdict, Legal)
        assert verdict.outcome == wanted == game.outcome_after(scene.position, move)
        assert game.outcome(verdict.after) == wanted
        assert game.outcome(scene.position) is None
        assert game.moves(verdict.after) == ()
        assert game.result_text(wanted) == "-".join(map(str, wanted.scores))


@pytest.mark.parametrize(
    ("sides", "rotation", "wanted"),
    [
        ("1000", 1, "0100"),
        ("3101", 1, "1310"),
        ("3101", 2, "0131"),
        ("3101", 3, "1013"),
        ("3101", 0, "3101"),
    ],
)
def test_b12_quarter_turns_clockwise(sides: str, rotation: int, wanted: str) -> None:
    assert turned(_sides(sides), rotation) == _sides(wanted)


def test_of_equal_rotations_the_smallest_stands_for_all() -> None:
    assert [smallest(_sides("1010"), rotation) for rotation in range(4)] == [0, 1, 0, 1]
    assert [smallest(_sides("1100"), rotation) for rotation in range(4)] == [0, 1, 2, 3]
    assert [smallest(ZERO, rotation) for rotation in range(4)] == [0, 0, 0, 0]
    start = GAME.start()
    assert GAME.play(start, Move(1, 4, 3)) == GAME.play(start, Move(1, 4, 1))


@pytest.mark.parametrize(
    ("position", "move", "reason", "cells"),
    [
        (".,.,./B21B,A51B,./.,.,. A", "A1@a2r0", "occupied_cell", ["a2"]),
        (".,.,./B21B,A51B,./.,.,. A", "A1@b2r0", "occupied_cell", ["b2"]),
        (".,.,./B21B,A51B,./.,.,. A", "A5@a1r0", "not_in_hand", ["b2"]),
        (".,.,./B21B,A51B,./.,.,. A", "A5@b2r0", "not_in_hand", ["b2"]),
        (".,.,./B21B,A51B,./.,.,. A", "B1@a1r0", "not_your_stone", []),
        (".,.,./B21B,A51B,./.,.,. B", "B2@a1r0", "not_in_hand", ["a2"]),
        (".,.,./B21B,A51B,./.,.,. A", "A6@a1r0", "no_such_stone", []),
        (".,.,./B21B,A51B,./.,.,. A", "B6@a2r7", "no_such_stone", []),
        (".,.,./B21B,A51B,./.,.,. A", "A1a@a1r0", "no_such_stone", []),
        (".,.,./B21B,A51B,./.,.,. A", "A1@a1r4", "bad_rotation", ["a1"]),
        (".,.,./B21B,A51B,./.,.,. A", "A1@a2r4", "occupied_cell", ["a2"]),
        (".,.,./B21B,A51B,./.,.,. A", "A1@d1r4", "off_board", []),
        (".,.,./B21B,A51B,./.,.,. A", "A1@a4r0", "off_board", []),
        ("A10A,A20A,A30A/A40A,A50A,B10B/B20B,B30B,B40B B", "B5@z9r0", "game_over", []),
    ],
)
def test_b13_and_the_order_of_reasons(position: str, move: str, reason: str, cells: list[str]) -> None:
    verdict = GAME.judge(GAME.parse_position(position), GAME.parse_move(move))
    assert isinstance(verdict, Illegal)
    assert verdict.reason == reason
    assert [GAME.cell_names[cell] for cell in verdict.cells] == cells
    assert verdict.sentence.endswith(".")


def test_a_blocked_cell_takes_no_stone_and_shields_nothing() -> None:
    game = BoxiliesGame(Board.parse("3x3#b2"))
    verdict = game.judge(game.start(), game.parse_move("A1@b2r0"))
    assert isinstance(verdict, Illegal)
    assert verdict.reason is Reason.BLOCKED_CELL
    assert len(game.moves(game.start())) == 8 * 18
    scene = Scene("b3:B:0000", "b1:A:9000", Board.parse("3x3#b2"))
    assert scene.owned() == "1-1 b1"


def test_b14_ten_cells_can_end_in_a_draw() -> None:
    for size in ("2x5", "5x2"):
        game = BoxiliesGame(Board.parse(size))
        rng, outcomes = random.Random(14), []
        for _ in range(60):
            position = game.start()
            for _ply in range(10):
                assert game.outcome(position) is None
                position = game.play(position, rng.choice(game.moves(position)))
            outcomes.append(game.outcome(position))
        draw = Outcome(None, "full", (5, 5))
        assert draw in outcomes
        assert game.result_text(draw) == "5-5"
        assert game.parse_result("5-5") == draw


def test_counts_of_the_default_set() -> None:
    start = GAME.start()
    assert len(GAME.moves(start)) == 162
    raw = [Move(n, c, r) for n in range(5) for c in range(9) for r in range(4)]
    assert len(raw) == 180
    assert all(isinstance(GAME.judge(start, move), Legal) for move in raw)
    assert {GAME.play(start, move) for move in raw} == {GAME.play(start, m) for m in GAME.moves(start)}
    assert GAME.perft(start, 9) == 410_947_839_590_400
    assert GAME.perft(start, 10) == 0


@given(SEEDS)
@settings(max_examples=40)
def test_perft_s_closed_form_is_the_walk_through_the_tree(seed: int) -> None:
    game, position = _random_game(random.Random(seed), least=5)
    depth = 3 if len(game.moves(position)) < 40 else 2
    for turns in range(depth + 1):
        assert game.perft(position, turns) == Game.perft(game, position, turns)


def test_a_hand_that_is_empty_too_early_ends_a_position_that_was_set_up() -> None:
    position = GAME.parse_position("A10A,A20B,A30A/A40A,A50B,./.,.,. A")
    stuck = Outcome(0, "stuck", (3, 2))
    assert GAME.outcome(position) == stuck
    assert GAME.moves(position) == ()
    assert GAME.perft(position, 1) == 0
    assert GAME.result_text(stuck) == "3-2 stuck"
    assert GAME.parse_result("3-2 stuck") == stuck
    verdict = GAME.judge(position, GAME.parse_move("A1@c1r0"))
    assert isinstance(verdict, Illegal)
    assert verdict.reason is Reason.GAME_OVER


def test_too_few_stones_for_the_board_are_refused() -> None:
    with pytest.raises(StonesError, match="A: has 5 stones where the board 4x4 needs 8"):
        BoxiliesGame(Board(4, 4))
    four = StoneSet("uneven", (GAME.stones.hands[0], GAME.stones.hands[1][:4]))
    assert BoxiliesGame(Board(), four).start().side == 0
    with pytest.raises(StonesError, match="B: has 4 stones where the board 3x3 needs 5"):
        BoxiliesGame(Board(), four, starter=1)
    with pytest.raises(RulesError, match="starter"):
        BoxiliesGame(starter=2)


def test_the_starter_of_a_seed_is_the_lowest_bit_of_splitmix64() -> None:
    # First numbers of the published generator: seed 0: 0xE220A8397B1DCDAF, 1234567: 6457827717110365317.
    assert starter_of_seed(0) == 0xE220A8397B1DCDAF & 1
    assert starter_of_seed(1234567) == 6457827717110365317 & 1
    assert {starter_of_seed(seed) for seed in range(8)} == {0, 1}
    assert BoxiliesGame(starter=1).start().side == 1


@pytest.mark.parametrize(
    ("house", "there", "places", "wanted"),
    [
        (HouseRules(ties=True), "b1:B:0002", "a1:A:0200", "2-0 a1 b1"),
        (HouseRules(ties=True), "b1:B:0003", "a1:A:0200", "1-1 a1"),
        (HouseRules(chains=True), "b1:B:0301 c1:B:0000", "a1:A:0200", "3-0 a1 b1 c1"),
        (HouseRules(chains=True), "b1:B:0301 c1:B:1003", "a1:A:0200", "2-1 a1 b1"),
        (HouseRules(recapture=False), "b1:B:1001", "a1:A:0200 b2:B:0020", "2-1 a1 b1"),
        (HouseRules(wrap=True), "c1:B:0000", "a1:A:0001", "2-0 a1 c1"),
        (HouseRules(wrap=True), "a3:B:0000", "a1:A:0010", "2-0 a1 a3"),
        (HouseRules(), "c1:B:0000 a3:B:0000", "a1:A:0011", "1-2 a1"),
    ],
)
def test_house_rules(house: HouseRules, there: str, places: str, wanted: str) -> None:
    assert Scene(there, places, house=house).owned() == wanted


def test_unturned_stones_only() -> None:
    game = BoxiliesGame(house=HouseRules(turning=False))
    assert len(game.moves(game.start())) == 9 * 5
    verdict = game.judge(game.start(), game.parse_move("A1@a1r1"))
    assert isinstance(verdict, Illegal)
    assert verdict.reason is Reason.BAD_ROTATION
    assert isinstance(game.judge(game.start(), game.parse_move("A2@a1r2")), Legal)


# -- facts of every game ---------------------------------------------------------------------------


def _random_game(rng: random.Random, least: int = 0) -> tuple[BoxiliesGame, Position]:
    """A board, stones and house rules at random, and a position of its play."""
    columns, rows = rng.choice([(3, 3), (3, 3), (2, 5), (4, 3), (2, 2), (1, 4)])
    blocked = frozenset(rng.sample(range(columns * rows), rng.randint(0, 2)))
    board = Board(columns, rows, blocked)
    hands = [
        tuple(
            Stone(f"{1 + n % 9}{'ab'[n // 9]}", _sides("".join(str(rng.randint(0, 3)) for _ in range(4))))
            for n in range((board.free + 1) // 2 + rng.randint(0, 1))
        )
        for _ in range(2)
    ]
    house = HouseRules(*(rng.random() < 0.5 for _ in range(5))) if rng.random() < 0.5 else HouseRules()
    game = BoxiliesGame(board, StoneSet("random", (hands[0], hands[1])), house, rng.randint(0, 1))
    position = game.start()
    for _ in range(max(0, rng.randint(least, board.free) if least <= board.free else board.free)):
        position = game.play(position, rng.choice(game.moves(position)))
    return game, position


@given(SEEDS)
@settings(max_examples=80)
def test_a_game_lasts_as_many_turns_as_there_are_cells_and_its_moves_are_good(seed: int) -> None:
    rng = random.Random(seed)
    game, _ = _random_game(rng)
    position = game.start()
    while (outcome := game.outcome(position)) is None:
        moves = game.moves(position)
        texts = [game.move_text(move) for move in moves]
        assert texts == sorted(texts, key=str.encode)
        assert [game.parse_move(text) for text in texts] == list(moves)
        if game.sensors[0] == "stone":
            assert len({game.picture(game.play(position, m), "stone") for m in moves}) == len(moves)
        move = rng.choice(moves)
        verdict = game.judge(position, move)
        assert verdict == Legal(game.play(position, move), game.outcome_after(position, move))
        after = game.play(position, move)
        changed = {c for c in range(game.cells) if after.board[c] != position.board[c]}
        assert changed == {move.cell, *game.captures(position, move)}
        assert (after.side, after.ply) == (1 - position.side, position.ply + 1)
        assert not game.is_pass(move)
        assert game.travel(move) == (move.cell, move.cell)
        position = after
    assert position.ply == game.board.free
    assert sum(outcome.scores) == game.board.free
    assert game.parse_result(game.result_text(outcome)) == outcome


@given(SEEDS)
@settings(max_examples=60)
def test_what_is_not_among_the_legal_moves_is_refused_with_a_reason(seed: int) -> None:
    rng = random.Random(seed)
    game, position = _random_game(rng)
    legal = {game.play(position, move) for move in game.moves(position)}
    for _ in range(60):
        stone = rng.randint(-3, len(game.stones.stones) - 1)
        move = Move(stone, rng.randint(-3, game.cells - 1), rng.randint(0, 5))
        verdict = game.judge(position, move)
        if isinstance(verdict, Legal):
            assert verdict.after in legal
        else:
            assert verdict.reason in Reason
            assert move not in game.moves(position)


@given(SEEDS)
@settings(max_examples=60)
def test_captures_as_an_independent_reading_of_the_rules_finds_them(seed: int) -> None:
    rng = random.Random(seed)
    game, position = _random_game(rng)
    game = BoxiliesGame(game.board, game.stones, HouseRules(), game.starter)
    columns = game.board.columns
    for move in game.moves(position)[:40]:
        mine = turned(game.stones.stones[move.stone].sides, move.rotation)
        x, y = move.cell % columns, move.cell // columns
        wanted = []
        for other in range(game.cells):
            if game.owner(position, other) != 1 - position.side:
                continue
            code = position.board[other] - 1
            theirs = turned(game.stones.stones[code // 16].sides, code // 4 % 4)
            facing = {(0, 1): (0, 2), (1, 0): (1, 3), (0, -1): (2, 0), (-1, 0): (3, 1)}
            sides = facing.get((other % columns - x, other // columns - y))
            if sides and mine[sides[0]] > theirs[sides[1]]:
                wanted.append(other)
        assert game.captures(position, move) == tuple(wanted)


# -- symmetries ------------------------------------------------------------------------------------


@given(SEEDS)
@settings(max_examples=60)
def test_a_quarter_turn_of_the_table_turns_the_game(seed: int) -> None:
    """Cells and bases turn alike; figures keep pointing to the opponents, so owners stay."""
    rng = random.Random(seed)
    game, position = _random_game(rng)
    board = game.board
    width, height = board.rows, board.columns

    def cell(old: int) -> int:
        x, y = old % board.columns, old // board.columns
        return (height - 1 - x) * width + y

    twin_board = Board(width, height, frozenset(map(cell, board.blocked)))
    house = HouseRules(True, *(getattr(game.house, rule) for rule in ("ties", "chains", "recapture", "wrap")))
    game = BoxiliesGame(board, game.stones, house, game.starter)
    twin = BoxiliesGame(twin_board, game.stones, house, game.starter)

    def place(old: Position) -> Position:
        cells = [0] * board.cells
        for at, reading in enumerate(old.board):
            if reading:
                base, figure = divmod(reading - 1, 4)
                sides = game.stones.stones[base // 4].sides
                cells[cell(at)] = 1 + (base // 4 * 4 + smallest(sides, (base + 1) % 4)) * 4 + figure
        return Position(tuple(cells), old.side)

    for move in game.moves(position)[:30]:
        moved = Move(move.stone, cell(move.cell), (move.rotation + 1) % 4)
        assert twin.play(place(position), moved) == place(game.play(position, move))


@given(SEEDS)
@settings(max_examples=60)
def test_the_other_side_of_the_table_sees_the_same_game(seed: int) -> None:
    """Half a turn with the seats exchanged: hands, owners, starter and counts change places."""
    game, position = _random_game(random.Random(seed))
    game = BoxiliesGame(game.board, game.stones, HouseRules(), game.starter)
    last, first = game.cells - 1, len(game.stones.hands[0])
    board = Board(game.board.columns, game.board.rows, frozenset(last - cell for cell in game.board.blocked))
    stones = StoneSet("turned", (game.stones.hands[1], game.stones.hands[0]))
    twin = BoxiliesGame(board, stones, HouseRules(), 1 - game.starter)

    def other(stone: int) -> int:
        return stone - first if stone >= first else stone + len(game.stones.hands[1])

    def place(old: Position) -> Position:
        cells = [0] * game.cells
        for at, reading in enumerate(old.board):
            if reading:
                base, figure = divmod(reading - 1, 4)
                stone = other(base // 4)
                rotation = smallest(stones.stones[stone].sides, (base + 2) % 4)
                cells[last - at] = 1 + (stone * 4 + rotation) * 4 + (2 - figure)
        return Position(tuple(cells), 1 - old.side)

    assert place(position).counts() == position.counts()[::-1]
    for move in game.moves(position)[:30]:
        moved = Move(other(move.stone), last - move.cell, (move.rotation + 2) % 4)
        assert twin.play(place(position), moved) == place(game.play(position, move))


def test_the_default_board_is_fair_in_numbers() -> None:
    assert BoxiliesGame(starter=1).perft(BoxiliesGame(starter=1).start(), 5) == GAME.perft(GAME.start(), 5)
