"""The table as a whole: one seed, time as an argument, snapshot, moment, faults on inputs."""

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tables.rig import CALM, CLASSIC, Rig, cell, corner_start

from firmware_bridge.codec import encode
from firmware_bridge.messages import (
    AckEdges,
    EnableTilt,
    GetHello,
    GetPicture,
    Picture,
    Ping,
    TiltReport,
    TiltTo,
)
from rules.balanx.layout import layout_named
from sim.deeds import Manner
from sim.errors import SimError
from sim.model import BoardModel, Model, SensorModel, TiltModel
from sim.table import Table

SCRIPT: tuple[tuple[float, object], ...] = (
    (0.9, GetHello(5)),
    (1.1, EnableTilt(0, 1)),
    (1.2, TiltTo(800, 600, 2)),
    (1.9, Ping(1)),
    (2.3, ("e1", "e5")),
    (2.7, Ping(2)),
    (3.0, AckEdges(9, 1)),
    (3.5, Ping(3)),
    (4.2, TiltTo(-800, 600, 3)),
    (4.4, ("d8", "d5")),
    (4.6, GetPicture()),
    (5.0, AckEdges(30, 1)),
    (5.4, TiltTo(800, 300, 4)),
)


def play(
    seed: int, cuts: list[float], model: Model | None = None
) -> tuple[bytes, list[tuple[float, int]], str]:
    """All bytes, when each piece had left (of a fixed grid), and the marbles at the end."""
    table = Table(CLASSIC, seed=seed, model=model or Model())
    table.place(corner_start())
    got = bytearray()
    seen: list[tuple[float, int]] = []
    stops = sorted({*cuts, *(at for at, _ in SCRIPT), *(i / 4 for i in range(26))})
    script = dict(SCRIPT)
    for stop in stops:
        table.advance(stop)
        got += table.read()
        if stop * 4 == int(stop * 4):
            seen.append((stop, len(got)))
        what = script.get(stop)
        if isinstance(what, tuple):
            table.hand.move(cell(what[0]), cell(what[1]), Manner.RANDOM)
        elif what is not None:
            table.write(encode(what))  # type: ignore[arg-type]
    return bytes(got), seen, repr(table.marbles())


@settings(max_examples=25)
@given(cuts=st.lists(st.floats(0.0, 6.25), max_size=60), seed=st.integers(0, 3))
def test_how_time_is_sliced_makes_no_difference(cuts: list[float], seed: int) -> None:
    assert play(seed, cuts) == play(seed, [])


@pytest.mark.parametrize("kind", ["colour", "hall"])
def test_the_other_sensors_do_not_depend_on_slices_either(kind: str) -> None:
    model = Model(sensor=SensorModel(kind=kind))  # type: ignore[arg-type]
    assert play(2, [i / 50 for i in range(300)], model) == play(2, [], model)


def test_the_seed_makes_the_run() -> None:
    assert play(1, []) == play(1, [])
    assert play(1, [])[0] != play(2, [])[0]


def test_a_draw_more_in_one_stream_does_not_shift_another() -> None:
    """Another hand at work changes neither trims nor friction nor the first hand's times."""
    first, second = Rig(seed=4, model=Model()), Rig(seed=4, model=Model())
    for rig in (first, second):
        rig.up()
    second.table.other_hand.lift(cell("c6"))
    for rig in (first, second):
        rig.table.hand.move(cell("e1"), cell("c4"), Manner.RANDOM)
        rig.wait_hand()
    assert list(first.table.hand.history) == list(second.table.hand.history)


def test_loose_marbles_follow_the_tilt() -> None:
    rig = Rig(marbles={cell("a1"): 0, cell("c6"): 1, cell("b4"): 0, cell("e4"): 1, cell("e3"): 0})
    rig.up()
    for seat, expected in ((0, ("a1", "c5", "b4", "e3", "e4")), (1, ("a2", "c6", "b5", "e3", "e4"))):
        rig.tilt(seat)
        grooves = {cell(name) for name in expected}
        # b4 lies in a slot with b5 or alone: follow the layout
        slot = CLASSIC.grooves[CLASSIC.groove_of[cell("b4")]]
        grooves -= {cell("b4"), cell("b5")}
        grooves.add(slot[0] if seat == 0 else slot[-1])
        assert set(rig.table.occupancy()) == grooves
        assert rig.picture() == bytes(int(space in grooves) for space in range(56))


def test_the_upper_of_two_rests_2_mm_short() -> None:
    rig = Rig(model=replace(CALM))
    rig.up()
    low, high = (view for view in rig.table.marbles() if view.cell in (cell("e1"), cell("e2")))
    assert low.y_mm == pytest.approx(0, abs=0.21)
    assert high.y_mm - low.y_mm == pytest.approx(25, abs=0.21)


def test_place_while_tilted_rolls() -> None:
    rig = Rig()
    rig.up()
    rig.table.place({cell("a2"): 0})
    rig.run(1.0)
    assert rig.table.occupancy() == {cell("a1"): 0}


def test_moment_and_bearings() -> None:
    table = Table(CLASSIC, seed=1, model=CALM)
    table.place(corner_start())
    assert table.moment_nm == pytest.approx(0, abs=1e-9)
    assert table.bearings_hold
    table.place({cell("a1"): 0})
    assert table.moment_nm == pytest.approx(0.0190, abs=0.0001)
    table.place(dict.fromkeys(CLASSIC.starts[1], 0))
    assert table.moment_nm == pytest.approx(0.136, abs=0.002)
    assert not table.bearings_hold
    table.place({cell("a1"): 0, cell("b1"): 0, cell("c1"): 0})  # 283 mm
    assert table.bearings_hold
    table.place({cell(f"{file}1"): 0 for file in "abcd"})  # 378 mm
    assert not table.bearings_hold


def test_snapshot_and_restore() -> None:
    rig = Rig(model=Model())
    rig.up()
    rig.table.hand.move(cell("e1"), cell("c4"))
    rig.wait_hand()
    rig.table.hand.lift(cell("d8"))
    rig.wait_hand()
    saved = json.loads(json.dumps(rig.table.snapshot()))
    other = Rig(seed=9, model=Model(), marbles={})
    other.table.restore(saved)
    assert other.table.occupancy() == rig.table.occupancy()
    assert other.table.angle_deg == pytest.approx(8)
    assert other.table.hand.carrying is not None
    other.run(0.3)
    assert other.table.controller.boot == 2
    lying = rig.table.occupancy()
    assert other.picture() == bytes(int(space in lying) for space in range(56))
    assert other.table.hand.taken_from == cell("d8")
    other.table.hand.put_back()
    other.wait_hand()
    assert len(other.table.occupancy()) == 20
    assert other.table.hand.carrying is None


@pytest.mark.parametrize(
    "bad",
    [
        {},
        {"version": 2},
        {"version": 1, "layout": "wide", "angle_deg": 0, "boot": 1, "marbles": []},
        {"version": 1, "layout": "classic", "angle_deg": 20, "boot": 1, "marbles": []},
        {"version": 1, "layout": "classic", "angle_deg": 0, "boot": 1, "marbles": [{"seat": 0}]},
        {"version": 1, "layout": "classic", "angle_deg": 0, "boot": 1, "marbles": 7},
        {
            "version": 1,
            "layout": "classic",
            "angle_deg": 0,
            "boot": 1,
            "marbles": [{"seat": 0, "cell": None, "in_hand": True, "moment": [0, 0, 1], "taken_from": 56}],
        },
    ],
)
def test_a_bad_snapshot_is_refused(bad: dict[str, object]) -> None:
    with pytest.raises(SimError):
        Table(CLASSIC, seed=1).restore(bad)


def test_faults_of_inputs_and_their_healing() -> None:
    start = bytes(int(space in corner_start()) for space in range(56))

    def picture_with(**faults: str) -> bytes:
        rig = Rig()
        rig.run(0.2)
        for what, name in faults.items():
            if what == "stuck":
                rig.table.faults.stuck(cell(name), 1)
            elif what == "swapped":
                rig.table.faults.swapped(cell(name), cell("d4"))
            else:
                getattr(rig.table.faults, what)(cell(name))
        rig.run(0.2)
        picture = rig.picture()
        for name in faults.values():
            rig.table.faults.heal(cell(name))
        rig.run(0.2)
        if "swapped" not in faults:
            assert rig.picture() == start
        return picture

    def differing(picture: bytes) -> set[int]:
        return {i for i in range(56) if picture[i] != start[i]}

    assert differing(picture_with(inverted="e1")) == {cell("e1")}
    assert differing(picture_with(inverted="d4")) == {cell("d4")}
    assert differing(picture_with(stuck="d4")) == {cell("d4")}
    assert differing(picture_with(dead="e1")) == {cell("e1")}
    assert differing(picture_with(swapped="e1")) == {cell("e1"), cell("d4")}


def test_a_flickering_cell_is_counted_or_sent() -> None:
    rig = Rig()
    rig.up()
    rig.table.faults.flicker(cell("e1"), 125.0)  # 4 ms off, 4 ms on: never 5 equal samples
    since = rig.table.now_s
    rig.run(2.0)
    assert rig.edges(since) == []
    pictures = [message for at, message in rig.heard if isinstance(message, Picture) and at > since]
    assert any(cell("e1") in dict(picture.flicker) for picture in pictures)
    rig.table.faults.heal(cell("e1"))
    rig.table.faults.flicker(cell("f1"), 10.0)
    since = rig.table.now_s
    rig.run(1.0)
    assert 15 <= len(rig.edges(since)) <= 21


def test_wiring_turns_cells_into_inputs() -> None:
    wiring = (*reversed(range(56)), -1, -1)
    rig = Rig(model=replace(CALM, board=BoardModel(wiring=wiring)))
    rig.run(0.2)
    start = bytes(int(space in corner_start()) for space in range(56))
    assert rig.picture() == start[::-1] + b"\0\0"
    with pytest.raises(SimError):
        Table(CLASSIC, seed=1, model=Model(board=BoardModel(wiring=(1, 1))))


def test_the_wide_layout_too() -> None:
    layout = layout_named("wide")
    table = Table(layout, seed=1)
    table.place({space: seat for seat in (0, 1) for space in layout.starts[seat]})
    table.advance(3.0)
    assert len(table.occupancy()) == 20


def test_spikes_and_bounce_are_on_by_default() -> None:
    rig = Rig(model=Model(), seed=3)
    rig.up()
    rig.run(60.0)
    pictures = [message for _, message in rig.heard if isinstance(message, Picture)]
    flickers = sum(count for picture in pictures for _, count in picture.flicker)
    assert flickers > 5
    assert rig.edges(rig.table.now_s - 55) == []


def test_a_stuck_marble_stays_for_some_motions() -> None:
    rig = Rig(marbles={cell("a1"): 0, cell("c8"): 1})
    rig.up()
    rig.table.faults.stuck_marble(cell("a1"), 2)
    rig.tilt(1)
    assert set(rig.table.occupancy()) == {cell("a1"), cell("c8")}
    rig.tilt(0)
    rig.tilt(1)
    assert set(rig.table.occupancy()) == {cell("a2"), cell("c8")}


def test_a_servo_built_in_the_wrong_way_round() -> None:
    rig = Rig(model=replace(CALM, tilt=TiltModel(reversed=True)), marbles={cell("a1"): 0})
    rig.up()
    assert rig.table.angle_deg == pytest.approx(-8)
    assert set(rig.table.occupancy()) == {cell("a2")}
    (report,) = [m for _, m in rig.heard if isinstance(m, TiltReport)][-1:]
    assert (report.commanded_cdeg, report.sensed) == (800, 2)


def test_driving_from_frame_to_frame_gives_the_same_bytes() -> None:
    plain = Table(CLASSIC, seed=3)
    fast = Table(CLASSIC, seed=3)
    got = []
    for table in (plain, fast):
        table.place(corner_start())
        table.hand.move(cell("d1"), cell("d4"))
        data = b""
        while table.now_s < 4.0:
            if table is fast:
                assert table.advance_to_bytes(4.0) == table.now_s
            else:
                table.advance(min(table.next_s(), 4.0))
            data += table.read()
        got.append(data)
    assert got[0] == got[1]
