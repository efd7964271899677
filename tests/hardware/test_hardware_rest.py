"""Rest: since when a picture has stood still, against a model that looks back at everything."""

from hypothesis import given
from hypothesis import strategies as st

from hardware.occupancy import Change, Occupancy
from hardware.rest import RESTLESS_CHANGES, RESTLESS_WINDOW_S, Rest

CELLS = 5
steps = st.lists(
    st.tuples(st.floats(0.001, 0.4), st.integers(0, CELLS - 1), st.integers(0, 3)), min_size=1, max_size=40
)


@given(steps, st.frozensets(st.integers(0, CELLS - 1), max_size=2))
def test_rest_is_what_looking_back_tells(story: list[tuple[float, int, int]], bad: frozenset[int]) -> None:
    rest, now_s, picture = Rest(3), 0.0, bytearray(CELLS)
    rest.take(Occupancy(0.0, True, bytes(picture), ()), bad)
    changes: list[Change] = []
    for wait_s, cell, reading in story:
        now_s += wait_s
        picture[cell] = reading
        change = Change(now_s, cell, reading)
        changes.append(change)
        rest.take(Occupancy(now_s, True, bytes(picture), (change,)), bad)
        resting = rest.resting(bad)
        assert resting is not None
        good = [change for change in changes if change.cell not in bad]
        since_s = good[-1].at_s if good else 0.0
        recent = [change.cell for change in good if change.at_s >= since_s - RESTLESS_WINDOW_S]
        assert resting.picture == bytes(picture)
        assert resting.since_s == since_s
        assert resting.restless == any(recent.count(cell) >= RESTLESS_CHANGES for cell in recent)
        assert resting.unsure == tuple(c for c in range(CELLS) if picture[c] == 3 and c not in bad)


def test_nothing_rests_while_nothing_is_known() -> None:
    rest = Rest(None)
    assert rest.resting(frozenset()) is None
    rest.take(Occupancy(1.0, True, b"\1\0", ()), frozenset())
    rest.take(Occupancy(2.0, False, b"\1\0", ()), frozenset())
    assert rest.resting(frozenset()) is None
    rest.take(Occupancy(3.0, True, b"\1\0", ()), frozenset())
    resting = rest.resting(frozenset())
    assert resting is not None
    assert resting.since_s == 3.0


def test_a_tilt_begins_the_rest_anew() -> None:
    rest = Rest(None)
    rest.take(Occupancy(1.0, True, b"\1\0", ()), frozenset())
    rest.disturb(5.0)
    rest.disturb(4.0)
    resting = rest.resting(frozenset())
    assert resting is not None
    assert resting.since_s == 5.0


def test_a_one_bit_board_is_never_unsure() -> None:
    rest = Rest(None)
    rest.take(Occupancy(1.0, True, b"\3\0", ()), frozenset())
    resting = rest.resting(frozenset())
    assert resting is not None
    assert resting.unsure == ()
