"""Layouts: shipped plans, the spec's form, and every rule that a plan can break."""

from __future__ import annotations

import pytest
from balanx_boards import layouts
from hypothesis import given, settings

from rules.balanx.layout import SHIPPED, Layout, layout_named
from rules.errors import LayoutError

HEAD = 'name = "x"\nfiles = 7\nranks = 8\n'
CLASSIC = "first_groove = [2, 1, 2, 1, 2, 1, 2]\n"


@pytest.mark.parametrize(("name", "double", "single"), [("classic", 25, 6), ("wide", 24, 8)])
def test_shipped_layouts_have_the_grooves_of_the_spec(name: str, double: int, single: int) -> None:
    layout = layout_named(name)
    assert sum(len(groove) == 2 for groove in layout.grooves) == double
    assert sum(len(groove) == 1 for groove in layout.grooves) == single
    assert layout.name == name
    assert layout.pitch_mm == 27.0


def test_corners_are_triangles_of_ten_opposite_each_other() -> None:
    layout = layout_named("classic")
    names = {layout.cell_names[cell] for cell in layout.starts[0]}
    assert names == {"a8", "a7", "a6", "a5", "b8", "b7", "b6", "c8", "c7", "d8"}
    assert layout.finishes == layout.starts[::-1]
    assert layout.cell("g1") == 6
    assert layout.cell("h1") is None


@given(layouts())
@settings(max_examples=60)
def test_every_valid_layout_reads_back_from_its_text(layout: Layout) -> None:
    again = Layout.load(layout.text)
    assert again == layout
    assert sorted(cell for groove in again.grooves for cell in groove) == list(range(again.cells))
    built = Layout(again.name, again.files, again.ranks, again.grooves)
    assert Layout.load(built.text) == built
    for groove, cells in enumerate(again.grooves):
        assert all(again.groove_of[cell] == groove for cell in cells)


REFUSED = {
    "broken TOML": ("name = ", "TOML"),
    "TOML without an end": ("name = " + "[" * 50_000, "not TOML"),
    "a number without an end": ("ranks = " + "9" * 5000, "not TOML"),
    "unknown key": (HEAD + CLASSIC + "rank = 3\n", "'ranks'"),
    "unknown key in a table": (
        HEAD + CLASSIC + "[board]\npich_mm = 3\n",
        "'board.pich_mm'; the nearest is 'pitch_mm'",
    ),
    "no name": ("files = 7\nranks = 8\n" + CLASSIC, "name: is missing"),
    "empty name": (HEAD.replace('"x"', '""') + CLASSIC, "name"),
    "files missing": ('name = "x"\nranks = 8\n' + CLASSIC, "files: is missing"),
    "too few ranks": ('name = "x"\nfiles = 7\nranks = 3\n' + CLASSIC, "ranks: 3 is not between 4 and 9"),
    "a number that is a truth": ('name = "x"\nfiles = true\nranks = 8\n' + CLASSIC, "files: must be a whole"),
    "neither plan": (HEAD, "exactly one"),
    "both plans": (HEAD + CLASSIC + "grooves = []\n", "exactly one"),
    "too short": (HEAD + "first_groove = [2, 1]\n", "7 numbers"),
    "bad length": (HEAD + "first_groove = [2, 1, 3, 1, 2, 1, 2]\n", "file c must be 1 or 2"),
    "pitch": (HEAD + CLASSIC + "[board]\npitch_mm = nan\n", "pitch_mm"),
    "board no table": (HEAD + CLASSIC + "board = 3\n", "board: must be a table"),
    "unknown space": (HEAD + 'grooves = [["a1", "h2"]]\n', "number 1: there is no space 'h2'"),
    "rule a, missing": (HEAD + 'grooves = [["a1", "a2"]]\n', "rule a: in no groove"),
    "rule a, twice": (HEAD + 'grooves = [["a1", "a2"], ["a2", "a3"]]\n', "rule a: a2 is in more than one"),
    "rule b, length": (HEAD + 'grooves = [["a1", "a2", "a3"]]\n', "rule b: .*a1, a2, a3"),
    "rule b, sideways": (HEAD + 'grooves = [["a1", "b1"]]\n', "rule b: .*a1, b1"),
    "rule b, empty": (HEAD + "grooves = [[]]\n", "rule b"),
    "rule c": ('name = "x"\nfiles = 7\nranks = 7\n' + CLASSIC, "rule c: .*a1, a2"),
    "rule d": (HEAD + "first_groove = [1, 1, 1, 1, 1, 1, 1]\n", "rule d: .*a4, a5"),
    "rule e": ('name = "x"\nfiles = 4\nranks = 4\nfirst_groove = [2, 2, 2, 2]\n', "rule e: .*a1"),
}


@pytest.mark.parametrize(("text", "says"), REFUSED.values(), ids=REFUSED)
def test_a_bad_layout_is_refused_in_one_line_that_says_where(text: str, says: str) -> None:
    with pytest.raises(LayoutError, match=says) as caught:
        Layout.load(text)
    assert "\n" not in str(caught.value)


def test_an_unknown_name_is_refused_with_the_nearest() -> None:
    with pytest.raises(LayoutError, match="nearest is 'classic'"):
        layout_named("clasic")
    assert SHIPPED == ("classic", "wide")
