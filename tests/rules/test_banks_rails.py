"""BANKS' board: how edges turn disks, the test positions of the spec, and the reach of every disk.

Oracles: the spec's tables, its closed form for empty rhombs, and the word-by-word search of `routes`.
"""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.banks.layout import HEADINGS, STEPS, Lattice
from rules.banks.rails import Rails, rails_of
from rules.banks.routes import route
from rules.errors import LayoutError

Cell = tuple[int, int]
SIZES = st.tuples(st.integers(2, 8), st.integers(2, 8))

BANKS = {
    "right side": ((3, 2), {"E": "SW", "NE": "W"}),
    "left side": ((0, 2), {"W": "NE", "SW": "E"}),
    "top": ((2, 0), {"NE": "SE", "NW": "SW"}),
    "bottom": ((2, 4), {"SE": "NE", "SW": "NW"}),
    "obtuse, right at the top": ((3, 0), {"NE": "W SE", "E": "SW", "NW": "SW"}),
    "obtuse, left at the bottom": ((0, 4), {"SW": "E NW", "W": "NE", "SE": "NE"}),
    "acute, left at the top": ((0, 0), {"W": "SE", "NW": "E", "NE": "SE", "SW": "E"}),
    "acute, right at the bottom": ((3, 4), {"E": "NW", "SE": "W", "NE": "W", "SW": "NW"}),
    "interior": ((2, 2), {}),
}


@pytest.mark.parametrize(("place", "turned"), BANKS.values(), ids=BANKS)
def test_how_each_place_turns_a_disk(place: Cell, turned: dict[str, str]) -> None:
    lattice = Lattice(4, 5)
    for heading, name in enumerate(HEADINGS):
        on = lattice.leave(lattice.cell(*place), heading)
        assert {HEADINGS[k] for k in on} == set(turned.get(name, name).split()), name


@given(SIZES)
def test_every_way_on_stays_on_the_board_and_only_obtuse_corners_leave_a_choice(size: Cell) -> None:
    lattice = Lattice(*size)
    choices = set()
    for cell in range(lattice.cells):
        for heading in range(6):
            on = lattice.leave(cell, heading)
            assert all(lattice.beside(cell, k) is not None for k in on)
            if len(on) > 1:
                choices.add((lattice.place(cell), HEADINGS[heading]))
    assert choices == {((size[0] - 1, 0), "NE"), ((0, size[1] - 1), "SW")}


@given(SIZES)
def test_a_disk_that_comes_back_goes_back(size: Cell) -> None:
    lattice = Lattice(*size)
    for cell in range(lattice.cells):
        for heading in range(6):
            came = lattice.beside(cell, (heading + 3) % 6) is not None
            for onward in lattice.leave(cell, heading):
                if came:
                    assert (heading + 3) % 6 in lattice.leave(cell, (onward + 3) % 6)


@given(SIZES)
def test_legs_of_a_bank_of_a_moving_disk_enclose_sixty_degrees(size: Cell) -> None:
    lattice = Lattice(*size)
    for cell in range(lattice.cells):
        for heading in range(6):
            if lattice.beside(cell, (heading + 3) % 6) is None:
                continue
            for onward in lattice.leave(cell, heading) - {heading}:
                assert (onward - heading) % 6 in (2, 4)


def test_steps_are_where_the_centres_are() -> None:
    lattice = Lattice(5, 5, pitch_mm=30.0)
    x, y = lattice.centre_mm(lattice.cell(2, 2))
    for heading in range(6):
        there = lattice.beside(lattice.cell(2, 2), heading)
        assert there is not None
        to_x, to_y = lattice.centre_mm(there)
        assert math.isclose(math.dist((x, y), (to_x, to_y)), 30.0)
        assert round(math.degrees(math.atan2(to_y - y, to_x - x))) % 360 == 60 * heading


@pytest.mark.parametrize(
    ("text", "place"),
    {
        "1x4": "width 1",
        "4x1": "height 1",
        "17x4": "width 17",
        "4x17": "height 17",
        "12x11": "12x11 has 132 cells",
        "8": "'8' is no size",
        "08x8": "'08x8' is no size",
        "8x8 ": "'8x8 ' is no size",
        "": "'' is no size",
    }.items(),
)
def test_sizes_that_cannot_be_are_refused(text: str, place: str) -> None:
    with pytest.raises(LayoutError, match="size: ") as error:
        Lattice.parse(text)
    assert place in str(error.value)


def test_sizes_are_read_and_written_alike() -> None:
    for width in range(2, 17):
        for height in range(2, 17):
            if width * height <= 128:
                assert Lattice.parse(f"{width}x{height}").name == f"{width}x{height}"


# -- the test positions of the spec ----------------------------------------------------------------


def cells(text: str) -> set[Cell]:
    """`10 01` for (1,0) and (0,1)."""
    return {(int(word[0]), int(word[1])) for word in text.split()}


EVERY = {(q, r) for q in range(4) for r in range(4)}
AROUND = cells("21 20 10 01 02 12")
LOOP = cells("11 10 01 21 31 22 13 12")
FROM_11 = "01 02 10 12 13 20 21 22 23 31 32"
POSITIONS: dict[str, tuple[set[Cell], str, set[Cell], str]] = {
    "P1": (set(), "11", cells(FROM_11), ""),
    "P2": (set(), "00", EVERY - cells("00 11 22"), ""),
    "P3": (set(), "30", EVERY - cells("30 11 22"), ""),
    "P4": (AROUND, "11", set(), ""),
    "P5": (EVERY, "10", set(), "01 11"),
    "P6": (EVERY - cells("21 30"), "12", cells("21 30"), "20 31"),
    "P7": (EVERY - cells("20 30"), "10", cells("20 30"), "21 01 11"),
    "P8": (EVERY - cells("10 00"), "20", cells("10 00"), "01 11 21"),
    "P9": (EVERY, "00", set(), "10 01"),
    "P10": (EVERY, "30", set(), "20 21 31"),
    "P11": (cells("21"), "11", cells(FROM_11) - cells("21"), "21"),
    "P13": (EVERY - cells("11"), "21", cells("11"), ""),
    "P14": (EVERY - LOOP, "12", LOOP - cells("12"), ""),
    "P15": (EVERY - LOOP | cells("21"), "12", cells("01 10 11 13 22 31"), "21"),
    "P17": (EVERY - cells("21"), "11", cells("21"), ""),
    "P18": (EVERY - cells("21 31"), "11", cells("21 31"), "22"),
    "P19": (EVERY - cells("10 01"), "11", cells("10 01"), "21 12"),
}


def _split(lattice: Lattice, others: set[Cell], mover: Cell) -> tuple[set[Cell], set[Cell]]:
    """Where the mover can end: free cells and captures; both ways of finding them must agree."""
    disks = bytearray(lattice.cells)
    for place in others | {mover}:
        disks[lattice.cell(*place)] = 1
    origin = lattice.cell(*mover)
    goals = set(rails_of(lattice).goals(bytes(disks), origin))
    assert goals == {
        cell for cell in range(lattice.cells) if route(lattice, bytes(disks), origin, cell) is not None
    }
    free = {lattice.place(cell) for cell in goals if not disks[cell]}
    return free, {lattice.place(cell) for cell in goals if disks[cell]}


@pytest.mark.parametrize(("others", "mover", "free", "captures"), POSITIONS.values(), ids=POSITIONS)
def test_positions_of_the_spec(others: set[Cell], mover: str, free: set[Cell], captures: str) -> None:
    assert _split(Lattice(4, 4), others, *cells(mover)) == (free, cells(captures))


def test_smallest_board_of_the_spec() -> None:
    others = cells("00 01 11")
    assert _split(Lattice(2, 2), others, (1, 0)) == (set(), others)


# -- reach -----------------------------------------------------------------------------------------


def _closed_form(size: int, q: int, r: int) -> set[Cell]:
    """L(q), L(r) and L((q+r) mod (N-1)) without the cell itself."""
    last = size - 1
    board = {(a, b) for a in range(size) for b in range(size)}

    def path(number: int) -> set[Cell]:
        if number in (0, last):
            return {(a, b) for a, b in board if {a, b} & {0, last} or a + b == last}
        return {(a, b) for a, b in board if number in (a, b) or a + b in (number, last + number)}

    return (path(q) | path(r) | path((q + r) % last)) - {(q, r)}


@pytest.mark.parametrize("size", range(3, 10))
def test_reach_on_an_empty_rhomb_is_the_closed_form(size: int) -> None:
    lattice = Lattice(size, size)
    rails, empty = rails_of(lattice), bytes(lattice.cells)
    sizes = set()
    for cell in range(lattice.cells):
        reach = {lattice.place(goal) for goal in rails.goals(empty, cell)}
        assert reach == _closed_form(size, *lattice.place(cell))
        sizes.add(len(reach))
    if size == 8:
        assert (min(sizes), max(sizes)) == (33, 57)


@st.composite
def boards(draw: st.DrawFn, square: bool = False) -> tuple[Lattice, bytes]:
    """A board with disks on it, from empty to full."""
    width, height = draw(SIZES)
    lattice = Lattice(width, width if square else height)
    fullness = draw(st.integers(0, 8))
    readings = st.integers(0, 7).map(lambda number: number % 6 + 1 if number < fullness else 0)
    disks = draw(st.lists(readings, min_size=lattice.cells, max_size=lattice.cells))
    return lattice, bytes(disks)


@given(boards(), st.booleans())
@settings(max_examples=60)
def test_rails_find_what_the_rules_say_word_by_word(board: tuple[Lattice, bytes], on_the_spot: bool) -> None:
    lattice, disks = board
    rails = rails_of(lattice, on_the_spot)
    for cell in range(0, lattice.cells, 3):
        goals = rails.goals(disks, cell)
        assert set(goals) == {
            goal
            for goal in range(lattice.cells)
            if route(lattice, disks, cell, goal, on_the_spot) is not None
        }
        assert rails.can_move(disks, cell) == bool(goals)


def _mapped(rails: Rails, disks: bytes, to: list[int]) -> None:
    """Moves of the mapped board are the mapped moves."""
    image = bytearray(len(disks))
    for cell, there in enumerate(to):
        image[there] = disks[cell]
    for cell, there in enumerate(to):
        assert {to[goal] for goal in rails.goals(disks, cell)} == set(rails.goals(bytes(image), there))


@given(boards())
@settings(max_examples=40)
def test_half_a_turn_changes_nothing(board: tuple[Lattice, bytes]) -> None:
    lattice, disks = board
    _mapped(rails_of(lattice), disks, list(reversed(range(lattice.cells))))


@given(boards(square=True))
@settings(max_examples=40)
def test_a_rhomb_can_be_mirrored(board: tuple[Lattice, bytes]) -> None:
    lattice, disks = board
    to = [lattice.cell(r, q) for q, r in map(lattice.place, range(lattice.cells))]
    _mapped(rails_of(lattice), disks, to)


@given(SIZES)
@settings(max_examples=20)
def test_ways_on_an_empty_board_lead_back(size: Cell) -> None:
    lattice = Lattice(*size)
    rails, empty = rails_of(lattice), bytes(lattice.cells)
    pairs = {(cell, goal) for cell in range(lattice.cells) for goal in rails.goals(empty, cell)}
    assert pairs == {(goal, cell) for cell, goal in pairs}


@given(boards())
@settings(max_examples=40)
def test_a_route_is_a_way_of_single_steps_over_free_cells(board: tuple[Lattice, bytes]) -> None:
    lattice, disks = board
    origin = len(disks) // 2
    for goal in rails_of(lattice).goals(disks, origin):
        way = route(lattice, disks, origin, goal)
        assert way is not None
        assert (way[0], way[-1]) == (origin, goal)
        assert all(cell == origin or not disks[cell] for cell in way[:-1])
        for one, other in pairwise(way):
            assert any(lattice.beside(one, heading) == other for heading in range(len(STEPS)))
