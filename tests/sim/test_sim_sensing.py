"""Sensor kinds: what reads a marble, from where, and how often a dipole is missed."""

from dataclasses import replace
from random import Random

import pytest
from tables.rig import CALM, CLASSIC, Rig, cell

from sim.errors import SimError
from sim.model import MarbleModel, Model, SeatModel, SensorModel, TiltModel
from sim.sensing import BLACK, FREE, UNSURE, WHITE, dipole_mt, random_direction, rings
from sim.table import Table


def test_field_of_a_dipole_on_and_beside_its_axis() -> None:
    assert dipole_mt((0, 0, 1), 0, 0, 18, 9.9) == pytest.approx(9.9)
    assert dipole_mt((0, 0, -1), 0, 0, 18, 9.9) == pytest.approx(-9.9)
    assert dipole_mt((1, 0, 0), 0, 0, 18, 9.9) == pytest.approx(0)
    # one neighbour at the pitch of 27 mm: at most about 1.17 mT (notes: 8 mm magnet at 18 mm)
    worst = max(
        abs(dipole_mt(random_direction(random), 27, 0, 18, 9.9))
        for random in [Random(3)]
        for _ in range(3000)
    )
    assert worst == pytest.approx(1.17, rel=0.1)


@pytest.mark.parametrize(
    ("b_axis", "operate", "missed"), [(9.9, 3.0, 0.30), (21.0, 3.0, 0.14), (8.9, 5.0, 0.56), (4.2, 5.0, 1.0)]
)
def test_missed_share_is_operate_over_axis_field(b_axis: float, operate: float, missed: float) -> None:
    random = Random(7)
    count = 6000
    unseen = sum(abs(dipole_mt(random_direction(random), 0, 0, 18, b_axis)) <= operate for _ in range(count))
    assert unseen / count == pytest.approx(missed, abs=0.02)


def dipole_model(kind: str) -> Model:
    return replace(CALM, sensor=SensorModel(kind=kind, b_axis_mt=9.9, operate_mt=3.0, release_mt=2.9))  # type: ignore[arg-type]


@pytest.mark.parametrize(("kind", "missed"), [("hall", 0.30), ("reed", 0.30), ("unipolar", 0.65)])
def test_a_board_of_dipoles_misses_its_share(kind: str, missed: float) -> None:
    seen = total = 0
    spots = [cell(name) for name in ("a1", "c4", "e7", "g3", "b6", "d8", "f2")]  # far apart
    for seed in range(60):
        rig = Rig(seed=seed, model=dipole_model(kind), marbles=dict.fromkeys(spots, 0))
        rig.run(0.1)
        seen += sum(rig.picture()[spot] for spot in spots)
        total += len(spots)
    assert 1 - seen / total == pytest.approx(missed, abs=0.07)


def test_a_rolling_dipole_turns() -> None:
    changed = 0
    for seed in range(12):
        rig = Rig(seed=seed, model=dipole_model("hall"), marbles={cell("a2"): 0})
        rig.up(tilted=None)
        before = rig.table._sensing._field(cell("a2"), rig.table.now_s)
        rig.up()
        after = rig.table._sensing._field(cell("a1"), rig.table.now_s)
        changed += abs(before - after) > 0.5
    assert changed >= 8


def test_a_biased_hall_sees_every_marble_whatever_it_does() -> None:
    for seed in range(8):
        rig = Rig(seed=seed, model=Model())
        rig.up()
        for seat in (1, 0, 1):
            rig.tilt(seat)
            lying = rig.table.occupancy()
            assert rig.picture() == bytes(int(space in lying) for space in range(56))


def test_light_tells_colours() -> None:
    for seed in range(8):
        rig = Rig(seed=seed, model=Model(sensor=SensorModel(kind="colour")))
        rig.up()
        rig.tilt(1)
        lying = rig.table.occupancy()
        assert rig.picture() == bytes(lying[space] + 1 if space in lying else 0 for space in range(56))


def test_a_leaving_white_marble_passes_through_unsure_and_black() -> None:
    found = rings(SensorModel(kind="colour"), 0, 0.0)
    assert [reading for _, reading in found] == [WHITE, UNSURE, BLACK]
    radii = [radius for radius, _ in found]
    assert radii == sorted(radii)
    assert 3.0 < radii[0] < radii[-1] < 6.0
    assert [reading for _, reading in rings(SensorModel(kind="colour"), 1, 0.0)] == [BLACK]
    assert FREE == 0


def test_source_and_target_times_of_a_swing() -> None:
    """Notes section 5: source off 460..490, both empty 135..165, target on up to 655 (window 4 mm, s=5)."""
    model = replace(CALM, sensor=SensorModel(spread_mm=0.0), seat=SeatModel(rest_scatter_mm=0.0))
    rig = Rig(model=model, marbles={cell("a1"): 0, cell("c8"): 1})
    rig.up()
    since = rig.table.now_s
    rig.tilt(1)
    times: dict[tuple[int, int], float] = {}
    for at, message in rig.heard:
        if type(message).__name__ == "EdgeMsg" and at > since:
            times[message.cell, message.reading] = 1000 * (at - since) - 5  # type: ignore[union-attr]
    assert times[cell("a1"), 0] == pytest.approx(475, abs=25)
    assert times[cell("a2"), 1] == pytest.approx(650, abs=20)


def test_margins_shrink_off_the_middle() -> None:
    table = Table(CLASSIC, seed=1)
    table.place({cell("a2"): 0})
    reading, threshold = table._margins(cell("a2"))
    assert reading > threshold
    assert table._margins(cell("b5"))[0] < threshold


@pytest.mark.parametrize(
    "bad",
    [
        lambda: Model(seat=SeatModel(d_over_r=0.1)),
        lambda: Model(tilt=TiltModel(angle_deg=20)),
        lambda: Model(marble=MarbleModel(diameter_mm=5)),
        lambda: Model(sensor=SensorModel(kind="reed", release_mt=5.0)),
        lambda: Table(CLASSIC, seed=1, model=Model(marble=MarbleModel(diameter_mm=27))),
    ],
)
def test_parts_that_cannot_work_are_refused(bad) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(SimError):
        bad()


def test_a_marble_that_rests_near_the_threshold_flickers() -> None:
    """A window of 2 mm, and the upper of two marbles lies 2 mm short: what the notes warn of."""
    marbles = {cell("e1"): 1, cell("e2"): 1}
    noisy = replace(CALM, sensor=SensorModel(window_mm=2.1, spread_mm=0.0))
    rig = Rig(model=noisy, marbles=marbles)
    rig.up()
    since = rig.table.now_s
    rig.run(5.0)
    assert len(rig.edges(since)) > 4
    assert {where for where, _ in rig.edges(since)} == {cell("e2")}
    rig = Rig(model=replace(CALM, sensor=SensorModel(window_mm=4.0)), marbles=marbles)
    rig.up()
    since = rig.table.now_s
    rig.run(5.0)
    assert rig.edges(since) == []
