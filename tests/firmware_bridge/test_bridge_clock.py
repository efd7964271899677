"""Board time becomes host time: never late, near the truth with jitter, drift and wrap."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.clock import BoardClock

WRAP = 2**32


@given(
    st.integers(0, WRAP - 1),
    st.floats(-0.004, 0.004),
    st.lists(st.floats(0.0, 0.03), min_size=60, max_size=120),
)
def test_near_the_truth_with_jitter_and_drift(start_us, drift, delays):
    clock = BoardClock()
    for n, delay in enumerate(delays):
        true_s = 100.0 + n * 0.25
        arrival_s = true_s + (0.0 if n % 10 == 0 else delay)
        board_us = round(start_us + (true_s - 100.0) * (1 + drift) * 1e6) % WRAP
        at_s = clock.host_s(board_us, arrival_s)
        assert at_s <= arrival_s
        assert at_s == pytest.approx(true_s, abs=0.03)


def test_an_edge_sent_again_keeps_its_time():
    clock = BoardClock()
    for n in range(20):
        clock.host_s((WRAP - 2_000_000 + n * 250_000) % WRAP, 10.0 + n * 0.25)
    # happened at 14.5, arrives on its third attempt
    assert clock.host_s((WRAP - 2_000_000 + 4_500_000) % WRAP, 14.75) == pytest.approx(14.5, abs=0.002)


def test_times_on_both_sides_of_the_wrap():
    clock = BoardClock()
    assert clock.host_s(WRAP - 1, 5.0) == 5.0
    assert clock.host_s(999_999, 6.0) == pytest.approx(6.0, abs=0.006)
    assert clock.host_s(WRAP - 500_001, 6.01) == pytest.approx(4.5, abs=0.006)  # older than the newest


def test_a_first_frame_that_was_late_is_corrected():
    clock = BoardClock()
    assert clock.host_s(0, 1.5) == 1.5  # was really at 1.0
    assert clock.host_s(1_000_000, 2.0) == 2.0
    assert clock.host_s(500_000, 2.0) == pytest.approx(1.5)
