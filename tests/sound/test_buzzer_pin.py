"""The buzzer: a pin of gpiozero's TonalBuzzer on mock pins: the wave that a tune wants, and a low level after it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from balanxd.config import parse_board
from balanxd.devices import open_devices
from balanxd.sound.tunes import Cue, ticks
from hardware.gpio import BuzzerPin, GpioError
from hardware.mockpins import MockPins

NOTES = sorted({hz for tune in (*(cue.value for cue in Cue), ticks(3)) for hz in tune.notes})


@pytest.fixture
def pins() -> Iterator[MockPins]:
    found = MockPins()
    yield found
    found.close()


@pytest.mark.parametrize("hz", NOTES)
def test_each_note_is_a_square_wave_of_its_frequency(pins: MockPins, hz: float) -> None:
    buzzer = BuzzerPin(pins, 13)
    assert pins.pin(13).frequency is None
    buzzer.tone(hz)
    assert pins.pin(13).frequency == pytest.approx(hz)
    assert pins.pin(13).state == 0.5
    buzzer.tone(None)
    assert pins.pin(13).frequency is None
    assert pins.pin(13).state == 0
    buzzer.close()


def test_a_pin_that_cannot_be_used_is_one_sentence(pins: MockPins) -> None:
    buzzer = BuzzerPin(pins, 13)
    with pytest.raises(GpioError, match=r"^sound: the buzzer's pin cannot be used \(.*\)\.$"):
        buzzer.tone(10.0)  # below what it can
    with pytest.raises(GpioError, match=r"^sound: buzzer pin 13 cannot be used: "):
        BuzzerPin(pins, 13)
    buzzer.close()


def test_a_board_file_opens_it_on_the_named_factory() -> None:
    text = '[link]\nport = "sim"\n[sound]\nbuzzer = "GPIO13"\n[gpio]\nfactory = "mock"\n'
    pins = MockPins()
    devices = open_devices(parse_board(text, "b.toml"), pins)
    assert devices.buzzer is not None
    devices.buzzer.tone(1760.0)
    assert pins.pin(13).frequency == pytest.approx(1760.0)
    devices.close(0.0)
    assert pins.pin(13).frequency is None
