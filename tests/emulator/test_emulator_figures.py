"""The figures of the firmware, measured in virtual time on the image that is flashed."""

import random
import re
import subprocess
from collections.abc import Callable, Iterator
from itertools import count, pairwise
from pathlib import Path

import pytest
from chips.chip import Chip

from balanxd.simulated.emulator import Do, Flags
from balanxd.simulated.image import build_image
from firmware_bridge.codec import encode
from firmware_bridge.messages import (
    Ack,
    AckEdges,
    EdgeMsg,
    EnableTilt,
    Lights,
    Picture,
    Ping,
    Pong,
    Result,
    TiltTo,
)

RAM_BYTES = 2048
STRESS_MS = 2000
Note = Callable[[str], None]


def test_an_edge_is_told_within_8_ms(exact_chip: Chip, note: Note):
    chance, levels, waits_ms = random.Random(5), [0] * 56, []
    for _ in range(40):
        index = chance.randrange(56)
        levels[index] ^= 1
        at_us = exact_chip.now_us + chance.randrange(1000)
        exact_chip.input(index, levels[index], at_us)
        before = len(exact_chip.heard)
        exact_chip.run(30)
        told = [
            (told_us, message)
            for told_us, message in exact_chip.heard[before:]
            if isinstance(message, EdgeMsg) and message.cell == index
        ]
        assert [message.reading for _, message in told] == [levels[index]]
        waits_ms.append((told[0][0] - at_us) / 1000)
    note(f"input to last byte of its edge: {min(waits_ms):.2f} to {max(waits_ms):.2f} ms (at most 8)")
    assert max(waits_ms) <= 8
    assert min(waits_ms) >= 4, "five equal samples"


@pytest.fixture(params=[56, 128])
def loaded(request: pytest.FixtureRequest, program: Path, cache: Path) -> Iterator[tuple[Chip, Path]]:
    """A chip with so many inputs, up and moving, looked at after each instruction, and its image."""
    inputs = request.param
    image = build_image("classic" if inputs == 56 else "long", inputs, cache / "balanx")
    chip = Chip(program, image, inputs, Flags.FIGURES)
    chip.run(2000)
    assert chip.order(EnableTilt(0, chip.next_id())) == Result.DONE
    chip.emulator.begin_stats(0)
    chip.restarts = 0
    yield chip, image
    chip.close()


def test_under_all_load_at_once_it_keeps_its_time_and_answers(loaded: tuple[Chip, Path], note: Note):
    chip, image = loaded
    chip.pings = False
    inputs, chance = range(chip.inputs), random.Random(7)
    first_us = chip.now_us
    for step in range(STRESS_MS * 2 // 11):  # each 5.5 ms: the shortest in which five equal samples are sure
        for index in inputs:
            chip.at(first_us + 5500 * step, Do.INPUT, index, (step + index) % 2)
    asked: dict[int, int] = {}
    tokens, filler = count(100), encode(AckEdges(1, 0xFFFF))
    due = {"ping": first_us, "lights": first_us, "tilt": first_us}
    side = 1

    def flood() -> None:
        """The line is never free; a ping each 20 ms, new lights each 8 ms and a swing each 0.7 s among the rest."""
        nonlocal side
        while chip.line_free_us < chip.now_us + 2000:
            at_us = chip.line_free_us
            if at_us >= due["ping"]:
                due["ping"] += 20_000
                token = next(tokens)
                chip.send(Ping(token))
                asked[token] = chip.line_free_us
            elif at_us >= due["tilt"]:
                due["tilt"] += 700_000
                side = -side
                chip.send(TiltTo(800 * side, 600, chip.next_id()))
            elif at_us >= due["lights"]:
                due["lights"] += 8_000
                palette = bytes(chance.randrange(16) for _ in inputs)
                chip.send(Lights(first=0, palette=palette, id=chip.next_id()))
            else:
                chip.write(filler)

    heard_before = len(chip.heard)
    chip.run(STRESS_MS, flood)
    stats = chip.emulator.stats(0)
    answers = {
        message.token: (at_us, message.board_us)
        for at_us, message in chip.heard[heard_before:]
        if isinstance(message, Pong)
    }
    whole = [token for token, at_us in asked.items() if at_us < chip.now_us - 50_000]
    waits_ms = [(answers[token][0] - asked[token]) / 1000 for token in whole if token in answers]
    first, last = answers[whole[0]], answers[max(answers)]
    drift = (last[1] - first[1]) / (last[0] - first[0]) - 1
    jitter = max(stats.load_max_us - 1000, 1000 - stats.load_min_us) / 1000
    lit = sum(isinstance(message, Ack) for _, message in chip.heard[heard_before:])
    static = static_ram(image)
    share = (static + stats.stack_bytes) / RAM_BYTES
    note(
        f"{chip.inputs} inputs, all toggling, lights each 8 ms, line full: pong after {max(waits_ms):.1f} ms at most "
        f"({len(waits_ms)} of {len(whole)}), time {drift * 1e6:+.0f} ppm, jitter {jitter:.1%}, interrupts off "
        f"{stats.interrupts_off_us:.1f} us, stack {stats.stack_bytes} B + static {static} B = {share:.1%}, "
        f"{stats.rx_lost} bytes lost, {lit} commands answered"
    )
    assert stats.rx_lost == 0
    assert stats.resets == chip.restarts == 0
    assert abs(stats.loads - STRESS_MS) <= 1, "a tick was left out"
    assert jitter <= 0.1
    assert stats.interrupts_off_us <= 60
    assert abs(drift) <= 0.001
    assert max(waits_ms) <= 50
    if chip.inputs == 56:
        assert len(waits_ms) == len(whole), (
            "with 128 lights a frame may find the ring full, and is sent again"
        )
    assert share < 0.8
    assert chip.damaged == 0

    wanted = bytes(int(index % 3 == 0) for index in inputs)
    for index in inputs:
        chip.input(index, wanted[index])
    chip.pings = True
    before = len(chip.heard)
    chip.run(300)
    pictures = [message for _, message in chip.heard[before:] if isinstance(message, Picture)]
    assert pictures[-1].readings == wanted


def static_ram(image: Path) -> int:
    """Bytes of RAM that the image has taken before it runs."""
    told = subprocess.run(["avr-size", "-A", str(image)], capture_output=True, text=True, check=True).stdout
    return sum(int(size) for size in re.findall(r"^\.(?:data|bss|noinit)\s+(\d+)", told, re.MULTILINE))


def test_pulses_are_as_wide_as_told(chip: Chip, note: Note):
    assert chip.order(EnableTilt(0, chip.next_id())) == Result.DONE
    worst = 0.0
    for angle_cdeg in (800, -800, 350, -125, 800, 0):
        assert chip.order(TiltTo(angle_cdeg, 300, chip.next_id())) == Result.DONE
        chip.run(500)
        told_us = 1500 + angle_cdeg / 2
        widths = chip.widths(chip.now_us - 100_000)
        assert widths, "the signal is held"
        worst = max(worst, *(abs(width / told_us - 1) for width in widths))
    note(f"width of a held pulse: at most {worst:.3%} off (0.5 %)")
    assert worst <= 0.005
    starts = [at_us for at_us, _ in chip.pulses]
    assert {round(later - earlier) for earlier, later in pairwise(starts)} == {20000}


def test_limits_hold_in_measured_microseconds(program: Path, image: Path):
    chip = Chip(program, image)
    try:
        chip.run(20)  # it starts
        assert chip.order(EnableTilt(0, chip.next_id())) == Result.TOO_SOON
        chip.run(1000)
        assert not chip.pulses
        assert chip.order(TiltTo(300, 300, chip.next_id())) == Result.NOT_ENABLED
        assert not chip.pulses
        assert chip.order(EnableTilt(0, chip.next_id())) == Result.DONE
        for angle_cdeg, swing_ms, result in (
            (801, 600, Result.OUT_OF_LIMITS),
            (-32767, 600, Result.OUT_OF_LIMITS),
            (800, 249, Result.TOO_FAST),
            (800, 250, Result.DONE),
        ):
            assert chip.order(TiltTo(angle_cdeg, swing_ms, chip.next_id())) == result
        chip.run(400)
        assert chip.order(TiltTo(-800, 250, chip.next_id())) == Result.DONE
        chip.run(400)
        widths = [width for _, width in chip.pulses]
        assert min(widths) == 1100
        assert max(widths) == 1900
        # the steepest part of a whole swing in 250 ms: 1.875 * 800 us / 250 ms a period of 20 ms
        steepest = max(abs(later - earlier) for earlier, later in pairwise(widths))
        assert steepest <= 1.875 * 800 / 250 * 20 + 1
        chip.pings = False
        chip.run(1100)
        silent_us = chip.now_us
        chip.run(500)
        assert not chip.widths(silent_us), "a host that is silent for a second ends the signal"
        assert {width for _, width in chip.pulses[-3:]} == {1100.0}, "whole to the last"
    finally:
        chip.close()
