"""Wire: a decoder's counters tell a cable that flips bits from one that loses bytes."""

import random

import pytest

from firmware_bridge.codec import Counters, Decoder, encode
from firmware_bridge.messages import BOARD_TO_HOST, Pong
from hardware.faults import FaultName
from hardware.wire import AGAIN_S, WireHealth


def damaged(how: str, seed: int) -> list[tuple[FaultName, float]]:
    """What is said of 400 messages, a few a second, of which some are damaged."""
    rng, decoder, health, said = random.Random(seed), Decoder(BOARD_TO_HOST), WireHealth(), []
    health.begin(decoder.counters)
    for number in range(400):
        frame = bytearray(encode(Pong(number & 0xFFFF, rng.randrange(1 << 32))))
        if how != "nothing" and rng.random() < 0.15:
            place = rng.randrange(len(frame) - 1)
            if how == "flip":
                frame[place] ^= 1 << rng.randrange(8)
            else:
                del frame[place]
        decoder.feed(bytes(frame))
        bad = health.look(decoder.counters, number * 0.25)
        if bad is not None:
            said.append((bad.fault, bad.at_s))
    return said


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize(
    ("how", "fault"), [("flip", FaultName.BYTES_FLIPPED), ("lose", FaultName.BYTES_LOST)]
)
def test_a_bad_cable_is_named_once_for_what_it_does(how: str, fault: FaultName, seed: int) -> None:
    said = damaged(how, seed)
    assert [each for each, _ in said] == [fault]
    assert said[0][1] < AGAIN_S


@pytest.mark.parametrize("seed", range(5))
def test_a_good_cable_is_not(seed: int) -> None:
    assert damaged("nothing", seed) == []


def test_what_a_booting_board_says_is_not_the_cables_fault() -> None:
    health, noise = WireHealth(), Counters(bad_crc=9)
    health.begin(noise)
    assert health.look(noise, 1.0) is None


def test_a_message_now_and_then_is_no_fault() -> None:
    health, counters = WireHealth(), Counters()
    health.begin(counters)
    for minute in range(60):
        counters.bad_crc += 1
        assert health.look(counters, 60.0 * minute) is None


def test_a_message_that_was_just_damaged_is_known_for_a_moment() -> None:
    health, counters = WireHealth(), Counters()
    health.begin(counters)
    assert not health.damaged_lately(10.0)
    counters.bad_crc += 1
    health.look(counters, 10.0)
    assert health.damaged_lately(11.0)
    assert not health.damaged_lately(20.0)
