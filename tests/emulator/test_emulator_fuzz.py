"""Bytes of all kinds into the image that is flashed: no reset, no pulse that may not be, and it still listens."""

import random
from pathlib import Path

import pytest
from chips.chip import Chip

from balanxd.simulated.emulator import Do
from firmware_bridge.codec import encode
from firmware_bridge.messages import (
    AckEdges,
    Configure,
    DisableTilt,
    EnableTilt,
    GetHello,
    GetMargins,
    GetPicture,
    HostMessage,
    Lights,
    Ping,
    Pong,
    StopTilt,
    TiltTo,
)

BURSTS = 150
NARROW_US, WIDE_US = 1100, 1900


def any_message(chance: random.Random, number: int) -> HostMessage:
    """Any command but a restart, with any values."""
    word, whole = chance.randrange(1 << 16), chance.randrange(-(1 << 15), 1 << 15)
    angle = chance.choice([whole, chance.randint(-900, 900)])
    messages: list[HostMessage] = [
        AckEdges(word, chance.randrange(4)),
        Configure(key=chance.randrange(12), value=chance.choice([word, chance.randrange(700)]), id=number),
        DisableTilt(number),
        EnableTilt(angle, number),
        GetHello(word),
        GetMargins(chance.randrange(256), chance.randrange(256)),
        GetPicture(),
        Lights(first=chance.randrange(60), palette=chance.randbytes(chance.randrange(60)), id=number),
        Ping(word),
        StopTilt(number),
        TiltTo(angle, chance.choice([word, chance.randint(200, 700)]), number),
        TiltTo(chance.randint(-800, 800), chance.randint(250, 400), number),
    ]
    return chance.choice(messages)


def any_bytes(chance: random.Random, number: int) -> bytes:
    """A good frame, a damaged one, or noise."""
    match chance.randrange(8):
        case 0:
            return chance.randbytes(chance.randrange(1, 80))
        case 1:
            return bytes(chance.randrange(1, 256) for _ in range(chance.randrange(260)))
        case 2 | 3:
            frame = bytearray(encode(any_message(chance, number)))
            frame[chance.randrange(len(frame))] = chance.randrange(256)
            return bytes(frame)
        case 4:
            return encode(any_message(chance, number))[: chance.randrange(1, 12)]
        case _:
            return encode(any_message(chance, number))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_no_bytes_make_it_restart_or_move_what_may_not_move(program: Path, image: Path, seed: int):
    chance, chip = random.Random(seed), Chip(program, image)
    try:
        chip.pings = False
        heard = 0
        for burst in range(BURSTS):
            for number in range(chance.randrange(1, 8)):
                chip.write(any_bytes(chance, burst * 8 + number))
            for _ in range(chance.randrange(4)):
                chip.input(chance.randrange(56), chance.randrange(2), chip.now_us + chance.randrange(20_000))
            end = chance.randrange(2)
            chip.at(chip.now_us, Do.PIN, ord("C") << 8 | end, chance.choice([0, 2]))
            chip.run((chip.line_free_us - chip.now_us) / 1000 + chance.choice([1, 20]))
            if burst % 10 == 5:
                chip.send(EnableTilt(0, 50_000 + burst))
            if burst % 10 == 9:
                token = 1000 + burst
                chip.write(b"\0")  # whatever was begun is over
                chip.send(Ping(token))
                chip.run(60)
                heard += any(
                    isinstance(message, Pong) and message.token == token for _, message in chip.heard
                )
        assert heard == BURSTS // 10, "a good frame is still understood"
        assert chip.restarts <= 1, "switched on, and no more"
        assert chip.lost == 0
        assert chip.damaged == 0, "all that it says is whole"
        widths = [width for _, width in chip.pulses]
        assert widths, "it did move"
        assert min(widths) >= NARROW_US
        assert max(widths) <= WIDE_US
        assert min(at_us for at_us, _ in chip.pulses) >= 1_000_000
    finally:
        chip.close()


@pytest.mark.parametrize("seed", range(6))
def test_no_stored_bytes_keep_it_from_starting_with_safe_settings(program: Path, image: Path, seed: int):
    chance, chip = random.Random(seed), Chip(program, image)
    try:
        chip.emulator.set_eeprom(0, chance.randbytes(1024) if seed else bytes(1024))
        chip.run(1100)
        assert chip.restarts <= 1
        chip.send(Ping(77))
        chip.run(50)
        assert any(isinstance(message, Pong) and message.token == 77 for _, message in chip.heard)
        assert not chip.pulses
    finally:
        chip.close()
