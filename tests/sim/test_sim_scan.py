"""Debounce and board clock against a reference that takes every sample."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.agenda import Agenda
from sim.inputs import Line, Lines
from sim.model import ClockModel, NoiseModel
from sim.scan import BoardClock, Scan

CHANGES = st.lists(
    st.tuples(st.floats(0.00005, 0.03), st.integers(0, 3)),
    max_size=30,
)


def reference(changes: list[tuple[float, int]], samples: int, until_s: float) -> list[tuple[int, int]]:
    """(sample, reading) of each acceptance, sample by sample."""
    accepted, run, length, found = 0, 0, 10**6, []
    level, ahead = 0, list(changes)
    for tick in range(1, int(until_s * 1000) + 1):
        while ahead and ahead[0][0] * 1000 <= tick + 1e-6:
            level = ahead.pop(0)[1]
        if level == run:
            length += 1
        else:
            run, length = level, 1
        if run != accepted and length >= samples:
            accepted = run
            found.append((tick, run))
    return found


def lines_of(count: int = 1) -> Lines:
    return Lines(count, (), NoiseModel(bounce=False), Random(1), False)


@given(gaps=CHANGES, samples=st.integers(1, 12))
def test_debounce_is_n_equal_samples(gaps: list[tuple[float, int]], samples: int) -> None:
    changes, at = [], 0.0
    for gap, level in gaps:
        at += gap
        changes.append((at, level))
    agenda, lines = Agenda(0.0), lines_of()
    found: list[tuple[int, int]] = []
    scan = Scan(agenda, lines, samples, lambda index, level, t: found.append((round(t * 1000), level)))
    scan.begin(BoardClock(0.0, 0, ClockModel(), 1000), samples)
    lines.plan(0, 0.0, 0, list(changes))
    agenda.run(at + 1)
    assert found == reference(changes, samples, at + 1)


@given(gaps=CHANGES, cuts=st.lists(st.floats(0.0, 0.5), max_size=8))
def test_a_plan_that_is_cut_and_made_anew_gives_the_same(
    gaps: list[tuple[float, int]], cuts: list[float]
) -> None:
    changes, at = [], 0.0
    for gap, level in gaps:
        at += gap
        changes.append((at, level))
    agenda, lines = Agenda(0.0), lines_of()
    found: list[tuple[int, int]] = []
    scan = Scan(agenda, lines, 5, lambda index, level, t: found.append((round(t * 1000), level)))
    scan.begin(BoardClock(0.0, 0, ClockModel(), 1000), 5)
    lines.plan(0, 0.0, 0, list(changes))
    for cut in sorted(cuts):
        agenda.run(cut)
        level = next((v for t, v in reversed(changes) if t <= cut), 0)
        lines.plan(0, cut, level, [change for change in changes if change[0] > cut])
    agenda.run(at + 1)
    assert found == reference(changes, 5, at + 1)


@given(
    bounce_ms=st.floats(0.1, 20),
    dwell_s=st.one_of(st.floats(0.03, 0.2), st.floats(0.2, 10)),
    seed=st.integers(0, 1000),
)
def test_one_on_and_one_off_edge_whatever_bounces(bounce_ms: float, dwell_s: float, seed: int) -> None:
    random = Random(seed)

    def bouncing(begin: float, level: int) -> list[tuple[float, int]]:
        # pieces under the debounce time, and long enough for a sample each
        out, at = [(begin, level)], begin
        while True:
            back = at + random.uniform(0.00105, 0.003)
            at = back + random.uniform(0.00105, 0.0035)
            if at - begin > bounce_ms / 1000:
                return out
            out += [(back, 1 - level), (at, level)]

    agenda, lines = Agenda(0.0), lines_of()
    found: list[int] = []
    scan = Scan(agenda, lines, 5, lambda index, level, t: found.append(level))
    scan.begin(BoardClock(0.0, 0, ClockModel(), 1000), 5)
    lines.plan(0, 0.0, 0, bouncing(0.01, 1) + bouncing(0.01 + bounce_ms / 1000 + dwell_s, 0))
    agenda.run(20)
    assert found == [1, 0]


def test_flicker_counts_changes_that_were_not_accepted() -> None:
    agenda, lines = Agenda(0.0), lines_of(3)
    scan = Scan(agenda, lines, 5, lambda index, level, t: None)
    scan.begin(BoardClock(0.0, 0, ClockModel(), 1000), 5)
    lines.plan(1, 0.0, 0, [(t / 1000, v) for t, v in ((10, 1), (12, 0), (30, 1), (33, 0), (50, 1))])
    agenda.run(0.1)
    assert scan.flicker(6) == ((1, 2),)
    assert scan.flicker(6) == ()
    assert scan.readings() == bytes((0, 1, 0))


def test_overlays_force_levels_and_end() -> None:
    agenda, lines = Agenda(0.0), lines_of()
    found: list[tuple[int, int]] = []
    scan = Scan(agenda, lines, 5, lambda index, level, t: found.append((round(t * 1000), level)))
    scan.begin(BoardClock(0.0, 0, ClockModel(), 1000), 5)
    lines.plan(0, 0.0, 0, [(0.1, 1)])
    lines.overlay(0, [(0.2, 0.25, 0), (0.3, 0.303, 0)])
    agenda.run(1)
    assert found == [(104, 1), (204, 0), (254, 1)]


def test_lines_follow_the_wiring() -> None:
    lines = Lines(4, (2, -1, 0), NoiseModel(), Random(1), False)
    assert [line.index for line in lines.of_cell] == [2, -1, 0, -1]
    assert isinstance(lines.all[1], Line)


@pytest.mark.parametrize("ppm", [0.0, 1000.0, -1000.0])
def test_the_board_clock_drifts_and_wraps(ppm: float) -> None:
    clock = BoardClock(5.0, 0xFFFFFFF0, ClockModel(drift_ppm=ppm), 1000)
    assert clock.us(5.0) == 0xFFFFFFF0
    assert clock.us(5.00002) == 4
    for tick in (0, 1, 7, 12345):
        assert clock.tick(clock.at(tick)) == tick
    assert (clock.us(15.0) - clock.us(5.0)) & 0xFFFFFFFF == round(1e7 * (1 + ppm * 1e-6))
