"""Hands take the time that people take, flicker as they do, and cannot do what marbles do not allow."""

from dataclasses import replace

import pytest
from tables.rig import CALM, Rig, cell

from firmware_bridge.messages import EdgeMsg
from sim.deeds import HandReport, Manner
from sim.errors import SimError
from sim.model import HandModel, Model, SensorModel, TiltModel


def told(rig: Rig) -> list[str]:
    return [report.what for report in rig.table.hand.history]


def reports(rig: Rig) -> list[HandReport]:
    return list(rig.table.hand.history)


def test_a_move_at_median_times() -> None:
    rig = Rig()
    rig.up()
    begin = rig.table.now_s
    rig.table.hand.move(cell("e1"), cell("e5"))
    rig.wait_hand()
    lifted, put = reports(rig)
    assert (lifted.what, put.what) == ("lifted", "put")
    assert lifted.at_s - begin == pytest.approx(0.25)
    assert put.at_s - lifted.at_s == pytest.approx(0.8 + 0.0225)
    assert rig.table.last_motion_s == pytest.approx(put.at_s, abs=0.4)


def test_random_times_lie_in_their_ranges() -> None:
    lifts, carries = [], []
    rig = Rig(model=Model())
    rig.up()
    spots = [cell("d1"), cell("d4")]
    for turn in range(40):
        begin = rig.table.now_s
        rig.table.hand.move(spots[turn % 2], spots[1 - turn % 2], Manner.RANDOM)
        rig.wait_hand(0.5)
        lifted, put = reports(rig)[-2:]
        lifts.append(lifted.at_s - begin)
        carries.append(put.at_s - lifted.at_s)
    assert 0.1 <= min(lifts) < 0.16
    assert 0.34 < max(lifts) <= 0.4
    assert 0.4 <= min(carries) < 0.55
    assert 1.0 < max(carries) <= 1.245


def test_flicker_is_seen_as_edges_and_ends_in_time() -> None:
    most, settle = 0, 0.0
    for seed in range(25):
        rig = Rig(seed=seed, model=Model())
        rig.up()
        since = rig.table.now_s
        rig.table.hand.move(cell("d1"), cell("b4"))
        rig.wait_hand(0.6)
        lifted, put = reports(rig)
        at_source = [
            at for at, m in rig.heard if isinstance(m, EdgeMsg) and m.cell == cell("d1") and at > since
        ]
        at_target = [
            at for at, m in rig.heard if isinstance(m, EdgeMsg) and m.cell == cell("b4") and at > since
        ]
        assert len(at_source) % 2 == 1
        assert len(at_target) % 2 == 1
        assert len(at_target) <= 5
        assert max(at_target) - put.at_s < 0.17
        assert max(at_source) - lifted.at_s < 0.14
        most = max(most, len(at_source))
        settle = max(settle, max(at_target) - put.at_s)
    assert most >= 3
    assert settle > 0.05


def test_without_flicker_a_move_is_four_plain_edges_at_most() -> None:
    rig = Rig(model=Model())
    rig.up()
    since = rig.table.now_s
    rig.table.hand.move(cell("d1"), cell("b4"), flicker=False)
    rig.wait_hand()
    assert rig.edges(since)[:2] == [(cell("d1"), 0), (cell("b4"), 1)]


def test_lifting_the_low_marble_lets_the_other_roll() -> None:
    rig = Rig()
    rig.up()  # e1 and e2 are one slot, and full
    assert {view.cell for view in rig.table.marbles()} >= {cell("e1"), cell("e2")}
    since = rig.table.now_s
    rig.table.hand.lift(cell("e1"))
    rig.run(1.0)
    assert rig.edges(since) == [(cell("e1"), 0), (cell("e2"), 0), (cell("e1"), 1)]
    assert rig.table.hand.carrying is not None


def test_lifting_the_high_marble_moves_nothing_else() -> None:
    rig = Rig()
    rig.up()
    since = rig.table.now_s
    rig.table.hand.lift(cell("e2"))
    rig.run(1.0)
    assert rig.edges(since) == [(cell("e2"), 0)]


def test_a_taken_space_refuses_and_the_hand_keeps_the_marble() -> None:
    rig = Rig()
    rig.up()
    rig.table.hand.move(cell("e1"), cell("f1"))
    rig.wait_hand()
    assert told(rig) == ["lifted", "refused"]
    assert rig.table.hand.carrying is not None
    rig.table.hand.put_back()  # e2 has rolled to e1: it goes beside it
    rig.wait_hand()
    assert told(rig)[-1] == "put"
    assert rig.table.hand.report is not None
    assert rig.table.hand.report.cell == cell("e2")
    assert rig.table.hand.carrying is None
    assert len(rig.table.occupancy()) == 20


def test_lifting_from_an_empty_space_drops_the_rest_of_the_move() -> None:
    rig = Rig()
    rig.up()
    rig.table.hand.move(cell("d4"), cell("d5"))
    rig.wait_hand()
    assert told(rig) == ["empty"]
    assert not rig.table.hand.busy


def test_hover_put_and_rim() -> None:
    rig = Rig()
    rig.up()
    hand = rig.table.hand
    hand.lift(cell("e1"))
    for step in range(20):
        hand.hover(100.0 - step, 10.0 + step)  # a mouse: the latest point counts
    rig.wait_hand(0.0)
    assert (hand.x_mm, hand.y_mm) == (81.0, 29.0)
    held = next(view for view in rig.table.marbles() if view.in_hand)
    assert (held.x_mm, held.y_mm) == (81.0, 29.0)
    hand.put_at(3.4 * 27, 4.4 * 27)  # on the rim towards e: nearest is d5
    rig.wait_hand()
    assert rig.table.hand.report is not None
    assert (rig.table.hand.report.what, rig.table.hand.report.cell) == ("put", cell("d5"))


@pytest.mark.parametrize("pause_s", [0.0, 1.0])
def test_a_slow_slide_is_seen_over_each_space(pause_s: float) -> None:
    rig = Rig()
    rig.up()
    since = rig.table.now_s
    path = [cell(name) for name in ("d1", "c1", "b1", "a1")]
    rig.table.hand.slide(path, pause_at=cell("b1"), pause_s=pause_s)
    rig.wait_hand()
    for spot in (cell("c1"), cell("b1")):
        assert [level for where, level in rig.edges(since) if where == spot] == [1, 0]
    assert (cell("a1"), 1) in rig.edges(since)
    times = {(m.cell, m.reading): at for at, m in rig.heard if isinstance(m, EdgeMsg) and at > since}
    assert times[cell("b1"), 0] - times[cell("b1"), 1] == pytest.approx(0.08 + pause_s, abs=0.06)


def test_hesitating_lifts_more_than_once_or_waits() -> None:
    twice = 0
    for seed in range(10):
        rig = Rig(seed=seed)
        rig.up()
        rig.table.hand.move(cell("e1"), cell("b1"), Manner.HESITATING)
        rig.wait_hand()
        assert told(rig)[-1] == "put"
        twice += told(rig).count("lifted") == 2
    assert 0 < twice < 10


def test_a_marble_shoved_over_the_rim() -> None:
    overlaps = gaps = 0
    for seed in range(12):
        rig = Rig(seed=seed)
        rig.up()
        since = rig.table.now_s
        rig.table.hand.shove(cell("d1"), cell("c1"))
        rig.wait_hand()
        edges = rig.edges(since)
        assert sorted(edges) == sorted([(cell("d1"), 0), (cell("c1"), 1)])
        overlaps += edges[0][0] == cell("c1")
        gaps += edges[0][0] == cell("d1")
        assert rig.table.occupancy()[cell("c1")] == 1
    assert overlaps
    assert gaps


def test_marbles_can_be_laid_aside_and_fetched() -> None:
    rig = Rig()
    rig.up()
    hand = rig.table.hand
    hand.lift(cell("e1"))
    hand.put_aside()
    rig.wait_hand()
    assert len(rig.table.occupancy()) == 19
    hand.fetch(0)
    rig.wait_hand()
    assert told(rig)[-1] == "empty"  # only a black one lies there
    hand.fetch(1)
    hand.put(cell("d5"))
    rig.wait_hand()
    assert len(rig.table.occupancy()) == 20


def test_two_hands_hold_two_marbles() -> None:
    rig = Rig()
    rig.up()
    rig.table.hand.lift(cell("e1"))
    rig.table.other_hand.lift(cell("f1"))
    rig.run(0.5)
    assert rig.table.hand.carrying is not None
    assert rig.table.other_hand.carrying is not None
    assert len(rig.table.occupancy()) == 18


def test_only_light_sees_fingers() -> None:
    rig = Rig(model=replace(CALM, sensor=SensorModel(kind="colour"), hand=HandModel(flicker=True)))
    rig.up()
    since = rig.table.now_s
    rig.table.hand.move(cell("e1"), cell("c4"))
    rig.wait_hand()
    assert (cell("e1"), 3) in rig.edges(since)


def test_a_push_tilts_a_board_without_a_servo_only() -> None:
    rig = Rig()
    rig.up()
    rig.table.hand.push(1)
    rig.run(1.5)
    assert rig.table.angle_deg == pytest.approx(8)
    rig = Rig(model=replace(CALM, tilt=TiltModel(kind="manual")))
    rig.run(0.5)
    assert rig.table.angle_deg == pytest.approx(8)
    rig.table.hand.push(1)
    rig.run(1.5)
    assert rig.table.angle_deg == pytest.approx(-8)


def test_spaces_that_are_not_there() -> None:
    rig = Rig()
    with pytest.raises(SimError):
        rig.table.hand.move(3, 56)
    with pytest.raises(SimError):
        rig.table.hand.slide([3])
