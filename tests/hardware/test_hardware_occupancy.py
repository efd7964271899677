"""Occupancy: edges and pictures in, changes out; a picture always has the last word."""

from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.link import EdgeSeen, LinkLost, LinkUp, PictureSeen
from firmware_bridge.messages import Hello
from hardware.occupancy import Change, OccupancyTracker
from hardware.wiring import Wiring

CELLS = 4
HELLO = Hello(
    major=1, minor=0, build_id=0, cells=CELLS, bits=1, reader_hz=1000, reset_cause=0, boot=1, session=1,
    features=0, firmware=(1, 0, 0), product="b", board_kind="k", unique_id=b"\0\0\0\0",
)  # fmt: skip


def picture(at_s: float, *readings: int, lost: bool = False) -> PictureSeen:
    return PictureSeen(at_s, bytes(readings), lost, ())


def up() -> OccupancyTracker:
    tracker = OccupancyTracker(Wiring.straight(CELLS))
    assert tracker.take(LinkUp(0.0, HELLO)) is None
    first = tracker.take(picture(0.0, 1, 0, 0, 0, lost=True))
    assert first is not None
    assert (first.known, first.readings, first.changes, first.edges_lost) == (True, b"\1\0\0\0", (), True)
    return tracker


def test_nothing_is_known_before_the_first_picture() -> None:
    tracker = OccupancyTracker(Wiring.straight(CELLS))
    assert tracker.take(EdgeSeen(0.0, 1, 1)) is None
    assert not tracker.now(0.0).known


def test_an_edge_is_a_change_once() -> None:
    tracker = up()
    seen = tracker.take(EdgeSeen(1.0, 2, 1))
    assert seen is not None
    assert seen.changes == (Change(1.0, 2, 1),)
    assert seen.readings == b"\1\0\1\0"
    assert not seen.edges_lost
    assert tracker.take(EdgeSeen(1.1, 2, 1)) is None


def test_a_picture_that_agrees_says_nothing_new() -> None:
    assert up().take(picture(1.0, 1, 0, 0, 0)) is None


def test_what_only_a_picture_tells_has_lost_its_edge() -> None:
    seen = up().take(picture(1.0, 0, 0, 0, 1))
    assert seen is not None
    assert seen.changes == (Change(1.0, 0, 0), Change(1.0, 3, 1))
    assert seen.edges_lost


def test_an_overflow_is_told_even_where_the_picture_is_the_same() -> None:
    seen = up().take(picture(1.0, 1, 0, 0, 0, lost=True))
    assert seen is not None
    assert seen.edges_lost
    assert seen.changes == ()


def test_after_a_lost_link_only_a_whole_picture_counts() -> None:
    tracker = up()
    lost = tracker.take(LinkLost(1.0, "gone"))
    assert lost is not None
    assert not lost.known
    assert tracker.take(EdgeSeen(1.1, 1, 1)) is None
    assert tracker.take(LinkUp(2.0, HELLO)) is None
    seen = tracker.take(picture(2.0, 0, 1, 0, 0))
    assert seen is not None
    assert (seen.readings, seen.changes, seen.edges_lost) == (b"\0\1\0\0", (), True)


def test_an_unused_input_is_nothing() -> None:
    tracker = OccupancyTracker(Wiring((None, 1, 0), 2))
    tracker.take(picture(0.0, 1, 0, 1))
    assert tracker.take(EdgeSeen(1.0, 0, 0)) is None
    seen = tracker.take(EdgeSeen(1.0, 2, 0))
    assert seen is not None
    assert seen.changes == (Change(1.0, 0, 0),)


@given(
    st.lists(st.one_of(st.tuples(st.integers(0, 3), st.integers(0, 3)), st.binary(min_size=4, max_size=4)))
)
def test_changes_played_on_the_last_readings_give_the_next(story: list[tuple[int, int] | bytes]) -> None:
    tracker = up()
    now = bytearray(b"\1\0\0\0")
    for number, what in enumerate(story):
        event = picture(number, *what) if isinstance(what, bytes) else EdgeSeen(number, *what)
        seen = tracker.take(event)
        if seen is None:
            continue
        for change in seen.changes:
            assert now[change.cell] != change.reading
            now[change.cell] = change.reading
        assert seen.readings == bytes(now)
