"""Positions: text and back, settling, and every refusal with its place."""

from __future__ import annotations

import pytest
from balanx_boards import layouts, random_position
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.balanx.layout import Layout, layout_named
from rules.balanx.position import Position, parse_position, position_text, start_position
from rules.balanx.tables import tables_of
from rules.errors import PositionError

STARTS = {
    "classic": "WWWW3/WWW4/WW5/W6/6B/5BB/4BBB/3BBBB W 0",
    "wide": "WWWW4/WWW5/WW6/W6B/6BB/5BBB/4BBBB W 0",
}
SEEDS = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize(("name", "text"), STARTS.items())
def test_the_start_is_written_as_in_the_spec(name: str, text: str) -> None:
    layout = layout_named(name)
    assert position_text(layout, start_position(layout)) == text
    assert parse_position(layout, text) == start_position(layout)


@given(layouts(), SEEDS)
@settings(max_examples=150)
def test_position_text_round_trip(layout: Layout, seed: int) -> None:
    position = random_position(layout, seed)
    assert parse_position(layout, position_text(layout, position)) == position


@given(layouts(), SEEDS)
@settings(max_examples=150)
def test_settling_is_idempotent_keeps_grooves_and_forgets_earlier_tilts(layout: Layout, seed: int) -> None:
    tables = tables_of(layout)
    position = random_position(layout, seed)
    marbles = (position.white, position.black)
    for side in (0, 1):
        settled = tables.settle(*marbles, side)
        assert tables.settle(*settled, side) == settled
        assert tables.settle(*tables.settle(*marbles, 1 - side), side) == settled
        for groove in layout.grooves:
            spaces = sum(1 << cell for cell in groove)
            assert [(m & spaces).bit_count() for m in settled] == [(m & spaces).bit_count() for m in marbles]
            if len(groove) == 2 and ((settled[0] | settled[1]) & spaces).bit_count() == 1:
                assert (settled[0] | settled[1]) >> groove[side] & 1


PLACE = "WWWW3/WWW4/WW5/W6/6B/5BB/4BBB/3BBBB"
REFUSED = {
    "empty": ("", "placement side ply"),
    "no ply": (f"{PLACE} W", "placement side ply"),
    "two blanks": (f"{PLACE}  W 0", "one blank"),
    "blank at the end": (f"{PLACE} W 0 ", "one blank"),
    "line end": (f"{PLACE} W 0\n", "ply"),
    "too few ranks": ("WWWW3/WWW4/WW5 W 0", "3 ranks where classic has 8"),
    "too few files": (PLACE.replace("W6", "W5") + " W 0", "rank 5: 6 files where classic has 7"),
    "too many files": (PLACE.replace("W6", "WW6") + " W 0", "rank 5: more than 7 files"),
    "unknown letter": (PLACE.replace("W6", "w6") + " W 0", "rank 5: unknown letter 'w' at a5"),
    "foreign digit": (PLACE.replace("W6", "W٦") + " W 0", "rank 5: unknown letter"),
    "superscript": (PLACE.replace("W6", "W⁶") + " W 0", "rank 5: unknown letter"),
    "zero": (PLACE.replace("W6", "W06") + " W 0", "rank 5: 0 .*at b5"),
    "two digits": (PLACE.replace("W6", "W33") + " W 0", "rank 5: two digits in a row at e5"),
    "eleven": (PLACE.replace("W6", "WW5") + " W 0", "11 marbles of White"),
    "not settled": ("7/7/7/7/2W4/7/7/7 W 0", "not settled: c4 would roll to c3"),
    "not settled to Black": ("7/7/7/7/7/2B4/7/7 B 1", "not settled: c3 would roll to c4"),
    "side": (f"{PLACE} w 0", "side: must be W or B"),
    "side and ply": (f"{PLACE} W 1", "W does not move at ply 1"),
    "side and ply 2": (f"{PLACE} B 0", "B does not move at ply 0"),
    "sign": (f"{PLACE} W +2", "ply"),
    "minus": (f"{PLACE} W -2", "ply"),
    "leading zero": (f"{PLACE} W 02", "ply"),
    "foreign ply": (f"{PLACE} W ٢", "ply"),
    "huge ply": (f"{PLACE} W {'2' * 5000}", "too many"),
    "other layout": (STARTS["wide"], "7 ranks where classic has 8"),
}


@pytest.mark.parametrize(("text", "says"), REFUSED.values(), ids=REFUSED)
def test_a_bad_position_is_refused_with_its_place(text: str, says: str) -> None:
    with pytest.raises(PositionError, match=says):
        parse_position(layout_named("classic"), text)


@given(st.text(alphabet="WB123456780/ -+wx\n", max_size=60))
@settings(max_examples=200)
def test_any_text_is_read_or_refused(text: str) -> None:
    layout = layout_named("classic")
    refusal = ""
    try:
        position = parse_position(layout, text)
    except PositionError as error:
        refusal = str(error)
    else:
        assert parse_position(layout, position_text(layout, position)) == position
    assert "\n" not in refusal


def test_fewer_than_ten_marbles_are_fine() -> None:
    assert parse_position(layout_named("classic"), "7/7/7/7/7/7/7/7 B 5") == Position(0, 0, 1, 5)
