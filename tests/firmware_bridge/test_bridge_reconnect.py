"""A board that comes back is found within seconds; trouble makes a slow rhythm, never a storm."""

from itertools import pairwise

from firmware_bridge.reconnect import Reconnect


def attempts(policy, until_s, works):
    """Times of the attempts while `works(time)` is false, and of the first that worked."""
    times, now_s = [], 0.0
    while now_s <= until_s:
        if now_s >= policy.due_s():
            times.append(now_s)
            if works(now_s):
                policy.opened(now_s)
                break
            policy.failed(now_s)
        now_s = round(now_s + 0.01, 2)
    return times


def test_the_first_attempt_is_at_once():
    policy = Reconnect()
    assert policy.due_s() < 0
    policy.opened(0.0)
    assert policy.due_s() == float("inf")


def test_pauses_grow_and_end():
    policy = Reconnect()
    times = attempts(policy, 60.0, lambda now_s: False)
    pauses = [round(b - a, 2) for a, b in pairwise(times)]
    assert pauses[:4] == [0.25, 0.5, 1.0, 2.0]
    assert set(pauses[3:]) == {2.0}
    assert policy.failures == len(times)


def test_back_within_two_seconds_after_any_time_away():
    for back_s in (0.3, 3.0, 17.0, 40.0):
        times = attempts(Reconnect(), 60.0, lambda now_s, back_s=back_s: now_s >= back_s)
        assert times[-1] <= back_s + 2.0


def test_a_port_that_flaps_is_not_tried_in_a_storm():
    policy, now_s, tries = Reconnect(), 0.0, 0
    while now_s < 60.0:
        now_s = max(now_s, policy.due_s())
        policy.opened(now_s)
        tries += 1
        now_s += 0.05
        policy.lost(now_s)
    assert tries < 35


def test_after_a_good_while_the_pause_is_short_again():
    policy = Reconnect()
    for now_s in range(10):
        policy.failed(float(now_s))
    policy.opened(20.0)
    assert policy.failures == 0
    policy.lost(31.0)
    assert policy.due_s() == 31.25
    policy.opened(31.25)
    policy.lost(32.0)
    assert policy.due_s() == 32.5
