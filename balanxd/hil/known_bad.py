"""Firmware that breaks one promise each, and what must find it: proof that a green run means something."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class KnownBad:
    """A text that stands once in a file of firmware/src, and what stands there instead.

    promise: the behaviour of the contract suite that must go red; check: that of a rig, empty where none can.
    """

    name: str
    file: str
    text: str
    instead: str
    promise: str
    check: str = ""


KNOWN_BAD = (
    KnownBad(
        "silence",
        "tilt.c",
        "++s_silent_ms == SILENCE_MS",
        "0",
        "silent_host_ends_the_signal_and_scanning_goes_on",
        "silent_host_ends_the_signal",
    ),
    KnownBad(
        "late stop",
        "limits.h",
        "SILENCE_MS 1000",
        "SILENCE_MS 1200",
        "silent_host_ends_the_signal_and_scanning_goes_on",
        "silent_host_ends_the_signal",
    ),
    KnownBad(
        "first second",
        "tilt.c",
        "s_now_ms < NO_PULSE_MS",
        "0",
        "no_pulse_before_enable_nor_in_the_first_second",
        "no_pulse_in_the_first_second",
    ),
    KnownBad(
        "limit",
        "limits.h",
        "ANGLE_MAX_CDEG 800",
        "ANGLE_MAX_CDEG 900",
        "angles_and_swings_beyond_the_limits_are_refused",
        "limits_hold",
    ),
    KnownBad(
        "width",
        "limits.h",
        "PER_100_CDEG 50",
        "PER_100_CDEG 52",
        "pulses_keep_their_width_whatever_is_asked",
        "pulse_is_as_wide_as_told",
    ),
    KnownBad(
        "deadline",
        "tilt.c",
        "gone_ms >= settings()->deadline_ms",
        "0",
        "servo_that_does_not_arrive_misses_its_deadline",
        "late_board_misses_its_deadline",
    ),
    KnownBad(
        "stall",
        "tilt.c",
        "if (s_left_end && gone_ms",
        "if (0 && gone_ms",
        "servo_that_does_not_leave_its_end_is_stalled",
        "stalled_board_is_let_go",
    ),
    KnownBad(
        "end input",
        "tilt.c",
        "s_sensed = s_ends_run;",
        ";",
        "end_input_is_reported_without_a_motion",
        "end_inputs_are_told",
    ),
    KnownBad(
        "both ends",
        "tilt.c",
        "fault_tell(FAULT_CODE_BOTH_ENDS, 0);",
        ";",
        "both_ends_at_once_end_the_signal",
        "both_ends_end_the_signal",
    ),
    KnownBad("duty", "tilt.c", "s_duty++;", ";", "motor_that_moved_too_long_must_rest"),
    KnownBad(
        "stuck input",
        "scan.c",
        "board_inputs8(byte) ^",
        "(board_inputs8(byte) | 0x20) ^",
        "what_lies_at_the_start_is_no_edge",
        "no_input_is_stuck",
    ),
    KnownBad(
        "swapped pair",
        "scan.c",
        "edges_add(cell, (s",
        "edges_add(cell ^ 1, (s",
        "bouncing_contact_is_one_edge",
        "every_input_is_itself",
    ),
    KnownBad(
        "no debounce",
        "limits.h",
        "DEBOUNCE_SAMPLES 5",
        "DEBOUNCE_SAMPLES 2",
        "four_samples_are_a_flicker_and_no_edge",
        "short_blink_is_no_edge",
    ),
    KnownBad(
        "four samples",
        "limits.h",
        "DEBOUNCE_SAMPLES 5",
        "DEBOUNCE_SAMPLES 4",
        "four_samples_are_a_flicker_and_no_edge",
    ),
    KnownBad(
        "dropped frame",
        "edges.c",
        "s_sent = 0;\n            s_round",
        "s_round",
        "edges_come_again_each_100_ms_until_acknowledged",
        "unanswered_edge_comes_again",
    ),
    KnownBad("overflow", "edges.c", "s_overflow = 1;", ";", "full_queue_sets_overflow_and_throws_edges_away"),
    KnownBad(
        "done twice",
        "talk.c",
        "s_has_last = 1;",
        ";",
        "command_is_done_once_and_answered_again",
        "repeated_command_is_done_once",
    ),
    KnownBad(
        "boot number",
        "core.c",
        "    boot++;",
        "",
        "reset_counts_boots_and_forgets_the_rest",
        "power_cut_counts_as_a_boot",
    ),
    KnownBad(
        "locked motion",
        "tilt.c",
        "if (settings_locked()) {",
        "if (0) {",
        "damaged_settings_lock_the_motion_until_stored_anew",
    ),
    KnownBad(
        "settings without a check",
        "settings.c",
        "frame_crc(bytes, CRC_AT) == crc &&",
        "",
        "damaged_copy_of_settings_leaves_the_older_one",
    ),
    KnownBad(
        "settings of any form",
        "settings.c",
        "bytes[0] == VERSION &&",
        "bytes[0] != 0 &&",
        "settings_of_another_form_lock_the_motion",
    ),
    KnownBad(
        "one copy of settings",
        "settings.c",
        "        s_copy ^= 1;\n        s_age++;",
        "        s_age++;",
        "store_cut_by_a_reset_leaves_what_was_stored_before",
    ),
    KnownBad(
        "never stored",
        "settings.c",
        "        if (step <= SIZE) {",
        "        if (0) {",
        "stored_settings_outlive_a_reset",
    ),
    KnownBad(
        "chain",
        "watch.c",
        "if (s_wrong >= CHAIN_WRONG_MAX",
        "if (0",
        "broken_chain_is_told_with_its_first_input",
    ),
    KnownBad("supply", "watch.c", "if (supply_mv < min_mv)", "if (0)", "low_supply_is_measured_and_told"),
    KnownBad(
        "silent about damage", "watch.c", "fault_tell(", "(void)(", "damaged_frames_are_counted_and_told"
    ),
    KnownBad(
        "stale feedback",
        "tilt.c",
        "if (s_stale_ms == FEEDBACK",
        "if (0 && s_stale_ms == FEEDBACK",
        "stale_end_inputs_end_a_motion",
    ),
    KnownBad(
        "restart by anyone",
        "talk.c",
        "boot == s_boot",
        "1",
        "restart_that_was_asked_for_ends_the_signal_first",
    ),
    KnownBad(
        "lights in silence",
        "lights.c",
        "if (tilt_silent() != s_silent) {",
        "if (0) {",
        "lights_say_that_the_host_is_silent",
    ),
    KnownBad(
        "narrowed limit",
        "tilt.c",
        "(int16_t)settings()->angle_limit_cdeg",
        "ANGLE_MAX_CDEG",
        "limits_are_narrowed_and_never_widened",
    ),
)

RIG_FINDS = tuple(bad for bad in KNOWN_BAD if bad.check)
"""Those that a check of a rig must find."""
