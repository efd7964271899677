"""Firmware that breaks one promise each is found out by the behaviour of that name: the tests can go red."""

import shutil
from pathlib import Path

import pytest
from firmware.behaviours import BEHAVIOURS
from firmware.boards import FIRMWARE, HostBoard, load, make

KNOWN_BAD = [
    # what is broken, file, text, instead, the behaviour that must fail
    (
        "silence",
        "tilt.c",
        "++s_silent_ms == SILENCE_MS",
        "0",
        "silent_host_ends_the_signal_and_scanning_goes_on",
    ),
    (
        "late silence",
        "limits.h",
        "SILENCE_MS 1000",
        "SILENCE_MS 1200",
        "silent_host_ends_the_signal_and_scanning_goes_on",
    ),
    (
        "first second",
        "tilt.c",
        "s_now_ms < NO_PULSE_MS",
        "0",
        "no_pulse_before_enable_nor_in_the_first_second",
    ),
    (
        "limit",
        "limits.h",
        "ANGLE_MAX_CDEG 800",
        "ANGLE_MAX_CDEG 900",
        "angles_and_swings_beyond_the_limits_are_refused",
    ),
    ("width", "limits.h", "PER_100_CDEG 50", "PER_100_CDEG 60", "pulses_keep_their_width_whatever_is_asked"),
    (
        "deadline",
        "tilt.c",
        "gone_ms >= settings()->deadline_ms",
        "0",
        "servo_that_does_not_arrive_misses_its_deadline",
    ),
    (
        "stall",
        "tilt.c",
        "if (s_left_end && gone_ms",
        "if (0 && gone_ms",
        "servo_that_does_not_leave_its_end_is_stalled",
    ),
    ("end input", "tilt.c", "s_sensed = s_ends_run;", ";", "end_input_is_reported_without_a_motion"),
    ("both ends", "tilt.c", "fault_tell(FAULT_CODE_BOTH_ENDS, 0);", ";", "both_ends_at_once_end_the_signal"),
    ("duty", "tilt.c", "s_duty++;", ";", "motor_that_moved_too_long_must_rest"),
    (
        "stuck input",
        "scan.c",
        "board_inputs8(byte) ^",
        "(board_inputs8(byte) | 0x20) ^",
        "what_lies_at_the_start_is_no_edge",
    ),
    (
        "swapped pair",
        "scan.c",
        "edges_add(cell, (s",
        "edges_add(cell ^ 1, (s",
        "bouncing_contact_is_one_edge",
    ),
    (
        "no debounce",
        "limits.h",
        "DEBOUNCE_SAMPLES 5",
        "DEBOUNCE_SAMPLES 4",
        "four_samples_are_a_flicker_and_no_edge",
    ),
    (
        "dropped frame",
        "edges.c",
        "s_sent = 0;\n            s_round",
        "s_round",
        "edges_come_again_each_100_ms_until_acknowledged",
    ),
    ("overflow", "edges.c", "s_overflow = 1;", ";", "full_queue_sets_overflow_and_throws_edges_away"),
    (
        "done twice",
        "link.c",
        "s_has_last = 1;\n    s_last_id = id;",
        ";",
        "command_is_done_once_and_answered_again",
    ),
    ("boot number", "core.c", "    boot++;", "", "reset_counts_boots_and_forgets_the_rest"),
]


@pytest.mark.parametrize(
    ("file", "text", "instead", "behaviour"), [pytest.param(*rest, id=name) for name, *rest in KNOWN_BAD]
)
def test_known_bad_firmware_goes_red(
    tmp_path: Path, file: str, text: str, instead: str, behaviour: str
) -> None:
    source = tmp_path / "source"
    shutil.copytree(FIRMWARE, source, ignore=shutil.ignore_patterns("build"))
    broken = source / "src" / file
    good = broken.read_text()
    assert good.count(text) == 1
    broken.write_text(good.replace(text, instead))
    make("host", tmp_path / "out", "WARN=-std=gnu99 -w -fno-strict-aliasing", source=source)
    (promise,) = [each for each in BEHAVIOURS if each.name == behaviour]
    bench = HostBoard(promise.fit, load(tmp_path / "out"))
    with pytest.raises(AssertionError):
        promise.check(bench)
