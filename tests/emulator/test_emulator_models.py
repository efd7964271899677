"""What the emulator adds to simavr, shown with small programs; the two models also with themselves taken out."""

from itertools import pairwise
from pathlib import Path

import pytest

from balanxd.simulated.emulator import (
    CYCLES_PER_US,
    Do,
    Emulator,
    EmulatorError,
    Event,
    Flags,
    HostLine,
    Ran,
    Saw,
    Stop,
    find_emulator,
)

MS = 1000
TEN = b"0123456789"


def bytes_in(data: bytes, at_us: int) -> list[Event]:
    return HostLine(0).send(data, at_us)


def told(ran: Ran, board: int = 0) -> bytes:
    return bytes(record.a for record in ran.records if record.kind == Saw.TX and record.board == board)


def pulses(ran: Ran) -> list[tuple[float, float]]:
    return [
        (record.cycle / CYCLES_PER_US, record.value / CYCLES_PER_US)
        for record in ran.records
        if record.kind == Saw.PULSE
    ]


# -- the receiver


def test_a_receiver_that_is_not_read_keeps_two_bytes_and_one_in_its_shift_register(tiny):
    emulator = tiny("receiver")
    ran = emulator.run(3 * MS, bytes_in(TEN, MS))
    assert told(ran) == b"r012\0"
    assert [record.a for record in ran.records if record.kind == Saw.RX_LOST] == list(b"3456789")
    assert emulator.stats(0).rx_lost == 7


def test_without_the_receivers_model_nothing_would_be_lost(tiny):
    emulator = tiny("receiver", Flags.NO_UART)
    assert told(emulator.run(3 * MS, bytes_in(TEN, MS))) == b"r0123456789\0"


def test_the_receiver_gives_its_bytes_as_fast_as_they_are_read(tiny):
    # 100 us away from bytes of 40 us: never more than three wait, and none is lost in a row that does not end
    emulator = tiny("receiver", Flags.NONE, "-DPAUSE_US=75")
    ran = emulator.run(9 * MS, [*bytes_in(b"ab", MS), *bytes_in(b"cd", 2 * MS), *bytes_in(b"ef", 3 * MS)])
    assert told(ran) == b"rab\0cd\0ef\0"


@pytest.mark.parametrize("flags", [Flags.NONE, Flags.FIGURES])
def test_an_interrupt_keeps_up_with_bytes_back_to_back(tiny, flags):
    data = bytes(byte for byte in range(1, 256) if byte != ord("h"))
    emulator = tiny("echo", flags)
    ran = emulator.run(40 * MS, bytes_in(data, 15 * MS))
    assert told(ran)[2:] == data
    assert emulator.stats(0).rx_lost == 0


def test_a_byte_comes_40_us_after_its_start_bit_and_its_answer_40_us_later(tiny):
    ran = tiny("echo").run(20 * MS, bytes_in(b"x", 15 * MS))
    cycle = next(record.cycle for record in ran.records if record.kind == Saw.TX and record.a == ord("x"))
    assert 80 < cycle / CYCLES_PER_US - 15 * MS < 90


# -- the servo


@pytest.mark.parametrize("flags", [Flags.NONE, Flags.FIGURES])
def test_a_pulse_under_way_keeps_the_width_that_was_latched_when_it_began(tiny, flags):
    emulator = tiny("servo", flags)
    # the second period begins a little behind 20 ms; the new width is asked for in the middle of its pulse
    ran = emulator.run(70 * MS, bytes_in(bytes([120]), 20_700))
    assert [width for _, width in pulses(ran)] == [1500.0, 1200.0, 1200.0]
    starts = [start for start, _ in pulses(ran)]
    assert [later - earlier for earlier, later in pairwise(starts)] == [20000.0, 20000.0]


def test_without_the_servos_model_a_pulse_under_way_is_cut(tiny):
    emulator = tiny("servo", Flags.NO_SERVO)
    ran = emulator.run(70 * MS, bytes_in(bytes([120]), 20_700))
    assert next(width for _, width in pulses(ran)) == pytest.approx(1200.0, abs=5)


def test_the_match_that_ends_a_signal_comes_at_the_end_of_a_pulse_of_any_width(tiny):
    emulator = tiny("servo")
    events = [*bytes_in(bytes([190]), 5 * MS), *bytes_in(b"\0", 45 * MS)]
    ran = emulator.run(120 * MS, events)
    seen = pulses(ran)
    assert [width for _, width in seen] == [1900.0, 1900.0, 1900.0], (
        "the last pulse is whole, and no more come"
    )
    ended_us = next(record.cycle / CYCLES_PER_US for record in ran.records if record.kind == Saw.TX)
    assert ended_us - 40 == pytest.approx(seen[-1][0] + 1900, abs=10)


def test_a_run_stops_where_the_width_has_changed(tiny):
    emulator = tiny("servo")
    emulator.run(30 * MS)
    ran = emulator.run(90 * MS, bytes_in(bytes([120]), 31 * MS), Stop.PULSE)
    start, width = pulses(ran)[-1]
    assert width == 1200.0
    assert 0 <= ran.cycle / CYCLES_PER_US - (start + width) < 5
    assert ran.done == 1


# -- chains and lights


def test_a_chain_of_165_gives_its_inputs_in_order_and_then_what_its_far_end_is_wired_to(tiny):
    emulator = tiny("chain")
    emulator.wire("165 0 D4 D5 D6 16 C2")
    emulator.wire("lights 0 D7")
    seen = [Event(MS, 0, Do.INPUT, index, 1) for index in (0, 3, 15)]
    ran = emulator.run(9 * MS, [*seen, *bytes_in(b"\0", 2 * MS), *bytes_in(b"\1", 5 * MS)])
    assert told(ran) == bytes((0xF6, 0x7F, 0x00)) + bytes((0xF6, 0x7F, 0xFF))
    broken = [Event(9 * MS, 0, Do.INPUT, 0xFFFF, 10), *bytes_in(b"\0", 10 * MS)]
    assert told(emulator.run(12 * MS, broken)) == bytes((0xF6, 0xFF, 0xFF)), "an open wire reads high: free"
    assert emulator.light_bytes(0)[:3] == b"\x12\x80\xff"
    assert [record.a for record in ran.records if record.kind == Saw.LIGHTS] == [3, 3]


def test_pins_are_watched_and_held(tiny):
    emulator = tiny("chain")
    emulator.wire("watch 0 D4")
    ran = emulator.run(4 * MS, bytes_in(b"\0", MS))
    seen = [(record.a, record.value) for record in ran.records if record.kind == Saw.PIN]
    assert seen[-2:] == [(ord("D") << 8 | 4, 0), (ord("D") << 8 | 4, 1)]
    held = [Event(4 * MS, 0, Do.PIN, ord("D") << 8 | 6, 0), *bytes_in(b"\0", 5 * MS)]
    assert told(emulator.run(8 * MS, held)) == b"\0\0\0"
    free = [Event(8 * MS, 0, Do.PIN, ord("D") << 8 | 6, 2), *bytes_in(b"\0", 9 * MS)]
    assert told(emulator.run(12 * MS, free)) == b"\xff\xff\xff", "its pull-up"


# -- a chip's life


@pytest.mark.parametrize(
    ("flags", "cause"), [(1, "power-on"), (2, "external"), (4, "brown-out"), (8, "watchdog")]
)
def test_a_reset_leaves_its_cause_and_the_eeprom(tiny, flags, cause):
    emulator = tiny("echo")
    assert told(emulator.run(20 * MS)) == b"\1\0", "switched on with an empty EEPROM"
    ran = emulator.run(40 * MS, [Event(20 * MS, 0, Do.RESET, flags)])
    assert told(ran) == bytes((flags, 1)), cause
    assert next(record.kind for record in ran.records) == Saw.RESTARTED


def test_the_watchdog_bites_a_program_that_hangs(tiny):
    emulator = tiny("echo")
    emulator.run(20 * MS)
    ran = emulator.run(80 * MS, bytes_in(b"h", 25 * MS))
    assert told(ran) == b"h\x08\1"
    restarted = next(record for record in ran.records if record.kind == Saw.RESTARTED)
    assert 40 * MS < restarted.cycle / CYCLES_PER_US < 45 * MS


def test_the_eeprom_goes_over_from_one_chip_to_the_next(tiny):
    first = tiny("echo")
    first.run(20 * MS)
    second = tiny("echo")
    second.set_eeprom(0, first.eeprom(0))
    assert told(second.run(20 * MS)) == b"\1\1"


def test_a_chip_held_in_reset_does_nothing(tiny):
    emulator = tiny("echo")
    emulator.run(20 * MS)
    held = [Event(20 * MS, 0, Do.HOLD, 1), *bytes_in(b"x", 25 * MS)]
    assert told(emulator.run(30 * MS, held)) == b""
    let_go = [Event(30 * MS, 0, Do.HOLD, 0), Event(30 * MS, 0, Do.RESET, 2)]
    assert told(emulator.run(50 * MS, let_go)) == b"\2\1"


def test_the_same_run_in_other_pieces_is_the_same(tiny):
    data = bytes_in(bytes(range(1, 90)), 15 * MS)
    whole = tiny("echo").run(30 * MS, data)
    pieces, parts = tiny("echo"), []
    for until_us in range(100, 30 * MS + 1, 100):
        due = [event for event in data if until_us - 100 < event.at_us <= until_us]
        parts += pieces.run(until_us, due).records
    assert parts == whole.records


# -- what cannot be done is said


def test_wrong_orders_are_refused_and_harm_nothing(tiny, tmp_path):
    emulator: Emulator = tiny("echo")
    text = tmp_path / "text.elf"
    text.write_text("no image")
    with pytest.raises(EmulatorError, match=r"text\.elf"):
        emulator.load(1, text)
    with pytest.raises(EmulatorError, match="no such file"):
        emulator.load(1, tmp_path / "nothing.elf")
    with pytest.raises(EmulatorError, match="165"):
        emulator.wire("165 0 D4 D5 X6 16")
    with pytest.raises(EmulatorError, match="no such wire"):
        emulator.wire("ribbon")
    with pytest.raises(EmulatorError, match="behind the end"):
        emulator.run(10, [Event(20, 0, Do.RX, 1)])
    with pytest.raises(EmulatorError, match="no such board"):
        emulator.stats(1)
    assert told(emulator.run(20 * MS)) == b"\1\0"


def test_an_emulator_that_has_ended_says_so(tiny):
    emulator = tiny("echo")
    emulator.close()
    with pytest.raises(EmulatorError, match="has ended"):
        emulator.run(20 * MS)


def test_the_emulator_is_found_where_it_is_named(program, tmp_path):
    assert find_emulator(program, {}) == program
    assert find_emulator(None, {"BALANX_EMULATOR": str(program)}) == program
    with pytest.raises(EmulatorError, match="can be started"):
        find_emulator(tmp_path, {})
    with pytest.raises(EmulatorError, match="can be started"):
        find_emulator(Path("nowhere"), {})


def test_where_it_is_nowhere_one_sentence_says_how_to_get_it(program, tmp_path):
    with pytest.raises(EmulatorError) as refused:
        find_emulator(None, {"PATH": str(tmp_path)}, tmp_path / "no-checkout")
    words = str(refused.value)
    assert "\n" not in words
    assert "make -C emulator" in words
    assert "libsimavr-dev" in words
    assert find_emulator(None, {"PATH": str(program.parent)}, tmp_path / "no-checkout") == program
