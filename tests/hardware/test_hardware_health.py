"""Health: what a cell's own history tells of its sensor."""

import random

import pytest

from hardware.health import PLAIN_S, UNSURE_S, Complaint, Health, SensorBad, SensorWell
from hardware.occupancy import Change


def toggled(health: Health, hz: float, lasts_s: float, cell: int = 4) -> list[float]:
    """When the cell was named."""
    named, number = [], 0
    while number * 0.5 / hz < lasts_s:
        at_s = number * 0.5 / hz
        named += [
            event.at_s
            for event in health.take(Change(at_s, cell, number % 2))
            if isinstance(event, SensorBad)
        ]
        number += 1
    return named


@pytest.mark.parametrize("hz", [1, 1.3, 2, 5, 10, 20, 30, 50])
def test_a_flickering_sensor_is_named_once_in_good_time(hz: float) -> None:
    health = Health()
    named = toggled(health, hz, 60.0)
    assert len(named) == 1
    assert named[0] <= (5.0 if hz >= 1.5 else 16.0)
    assert health.complaint(4) is Complaint.FLICKERING


@pytest.mark.parametrize("seed", range(30))
def test_a_marble_that_is_lifted_and_put_back_for_two_minutes_blames_no_sensor(seed: int) -> None:
    """As fast as people can: 0.4 s and more in the hand, with all the flicker that hands can make."""
    rng, health, at_s = random.Random(seed), Health(), 0.0
    while at_s < 120.0:
        for most, pause in ((11, rng.uniform(0.4, 1.2)), (7, rng.uniform(0.05, 0.5))):
            for _ in range(rng.randrange(1, most) | 1):
                at_s += rng.uniform(0.005, 0.06)
                assert health.take(Change(at_s, 4, 0)) == []
            at_s += pause


@pytest.mark.parametrize("seed", range(30))
def test_hands_do_not_make_a_sensor_flicker(seed: int) -> None:
    """A marble is put down or lifted every three seconds or so, with all the flicker that hands can make."""
    rng, health, at_s = random.Random(seed), Health(), 0.0
    for _ in range(20):
        at_s += rng.uniform(2.8, 4.0)
        then = at_s
        for _ in range(rng.randrange(1, 12) | 1):
            then += rng.uniform(0.005, 0.06)
            assert health.take(Change(then, 4, 0)) == []
    assert not health.bad


def test_a_cell_is_unsure_for_three_seconds_of_quiet() -> None:
    health = Health()
    assert health.unsure((2,), 10.0, 10.5) == []
    assert health.unsure((2,), 12.0, 13.5) == []  # something else changed meanwhile
    assert health.unsure((2,), 12.0, 12.0 + UNSURE_S - 0.1) == []
    (named,) = health.unsure((2,), 12.0, 12.0 + UNSURE_S)
    assert isinstance(named, SensorBad)
    assert (named.cell, named.complaint) == (2, Complaint.UNSURE)


def test_a_cell_that_makes_up_its_mind_is_not_named() -> None:
    health = Health()
    health.unsure((2,), 10.0, 10.5)
    health.unsure((), 11.0, 11.5)
    assert health.unsure((2,), 12.0, 14.0) == []


def test_trust_comes_back_after_ten_plain_seconds() -> None:
    health = Health()
    health.name(1, Complaint.FLICKERING, 100.0)
    assert health.recover(frozenset({1}), 101.0) == []
    health.take(Change(105.0, 1, 1))
    assert health.recover(frozenset({1}), 105.0 + PLAIN_S - 0.1) == []
    assert health.recover(frozenset({1}), 105.0 + PLAIN_S) == [SensorWell(105.0 + PLAIN_S, 1)]
    assert not health.bad


def test_a_reading_that_is_wrong_in_between_begins_the_ten_seconds_anew() -> None:
    health = Health()
    health.name(1, Complaint.FLICKERING, 100.0)
    health.recover(frozenset({1}), 101.0)
    health.recover(frozenset(), 105.0)
    assert health.recover(frozenset({1}), 112.0) == []
    assert health.recover(frozenset({1}), 122.0) == [SensorWell(122.0, 1)]


@pytest.mark.parametrize("complaint", [Complaint.BLIND, Complaint.STUCK_ON])
def test_a_dead_sensor_is_not_trusted_for_its_silence(complaint: Complaint) -> None:
    health = Health()
    health.name(1, complaint, 0.0)
    assert health.recover(frozenset({1}), 1.0) == []
    assert health.recover(frozenset({1}), 1000.0) == []
    health.take(Change(1001.0, 1, 1))
    assert health.recover(frozenset({1}), 1001.0 + PLAIN_S) == [SensorWell(1001.0 + PLAIN_S, 1)]


def test_a_cell_is_named_once() -> None:
    health = Health()
    assert len(health.name(1, Complaint.BLIND, 0.0)) == 1
    assert health.name(1, Complaint.FLICKERING, 1.0) == []
    assert health.complaint(1) is Complaint.BLIND


def test_a_blind_sensor_whose_input_hums_has_a_broken_wire() -> None:
    health, free = Health(), bytes(8)
    assert health.name(4, Complaint.BLIND, 0.0)
    said = [event for at in range(8) for event in health.count([(4, 20)], free, 0.5 + at)]
    assert [(event.cell, event.complaint) for event in said if isinstance(event, SensorBad)] == [
        (4, Complaint.OPEN)
    ]


def test_a_blind_sensor_is_found_to_be_the_chains_and_a_stuck_one_stays_what_it_is() -> None:
    health = Health()
    health.name(4, Complaint.BLIND, 0.0)
    health.name(5, Complaint.STUCK_ON, 0.0)
    (said,) = health.name(4, Complaint.DEAD_CHAIN, 1.0, (5, 6))
    assert isinstance(said, SensorBad)
    assert said.also == (5, 6)
    assert health.name(5, Complaint.OPEN, 2.0) == []
