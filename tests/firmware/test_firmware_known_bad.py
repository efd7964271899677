"""Firmware that breaks one promise each is found out by the behaviour of that name: the suite can go red."""

from collections.abc import Callable

import pytest
from contract import keeping, line, motion, sensing
from contract.promises import BEHAVIOURS
from firmware.building import Workshop

from balanxd.contract.host import HostBoard
from balanxd.contract.plugin import NOTE

ROOMS = (keeping, line, motion, sensing)  # whoever imports them has the whole list
PROMISES = {each.name: each for each in BEHAVIOURS}
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
        "talk.c",
        "s_has_last = 1;\n    s_last_id = id;",
        ";",
        "command_is_done_once_and_answered_again",
    ),
    ("boot number", "core.c", "    boot++;", "", "reset_counts_boots_and_forgets_the_rest"),
    (
        "locked motion",
        "tilt.c",
        "if (settings_locked()) {",
        "if (0) {",
        "damaged_settings_lock_the_motion_until_stored_anew",
    ),
    (
        "settings without a check",
        "settings.c",
        "frame_crc(bytes, CRC_AT) == crc &&",
        "",
        "damaged_copy_of_settings_leaves_the_older_one",
    ),
    (
        "settings of any form",
        "settings.c",
        "bytes[0] == VERSION &&",
        "bytes[0] != 0 &&",
        "settings_of_another_form_lock_the_motion",
    ),
    (
        "one copy of settings",
        "settings.c",
        "        s_copy ^= 1;\n        s_age++;",
        "        s_age++;",
        "store_cut_by_a_reset_leaves_what_was_stored_before",
    ),
    (
        "never stored",
        "settings.c",
        "        if (step <= SIZE) {",
        "        if (0) {",
        "stored_settings_outlive_a_reset",
    ),
    (
        "chain",
        "watch.c",
        "if (s_wrong >= CHAIN_WRONG_MAX",
        "if (0",
        "broken_chain_is_told_with_its_first_input",
    ),
    ("supply", "watch.c", "if (supply_mv < min_mv)", "if (0)", "low_supply_is_measured_and_told"),
    ("silent about damage", "watch.c", "fault_tell(", "(void)(", "damaged_frames_are_counted_and_told"),
    (
        "stale feedback",
        "tilt.c",
        "if (s_stale_ms == FEEDBACK",
        "if (0 && s_stale_ms == FEEDBACK",
        "stale_end_inputs_end_a_motion",
    ),
    (
        "restart by anyone",
        "talk.c",
        "boot == s_boot",
        "1",
        "restart_that_was_asked_for_ends_the_signal_first",
    ),
    (
        "lights in silence",
        "lights.c",
        "if (tilt_silent() != s_silent) {",
        "if (0) {",
        "lights_say_that_the_host_is_silent",
    ),
    (
        "narrowed limit",
        "tilt.c",
        "(int16_t)settings()->angle_limit_cdeg",
        "ANGLE_MAX_CDEG",
        "limits_are_narrowed_and_never_widened",
    ),
]
MOTION_RULES = ("silence", "first second", "limit", "deadline", "stall", "end input")
SENSING = ("stuck input", "swapped pair", "dropped frame")


@pytest.mark.parametrize(
    ("name", "file", "text", "instead", "behaviour"), [pytest.param(*each, id=each[0]) for each in KNOWN_BAD]
)
def test_known_bad_firmware_goes_red(
    name: str,
    file: str,
    text: str,
    instead: str,
    behaviour: str,
    workshop: Workshop,
    record_property: Callable[[str, object], None],
) -> None:
    promise = PROMISES[behaviour]
    promise.check(HostBoard(promise.fit, workshop.library()))
    with pytest.raises(AssertionError):  # a green run of a bad firmware fails
        promise.check(HostBoard(promise.fit, workshop.library(file, text, instead)))
    record_property(NOTE, f"known-bad firmware: {name}: caught by {behaviour}")


def test_each_rule_has_its_bad_firmware() -> None:
    assert {each[0] for each in KNOWN_BAD} >= {*MOTION_RULES, *SENSING}
