"""Firmware that breaks one promise each, and the check that must find it: proof that a green run means something."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class KnownBad:
    """A text of a source file and what stands there instead. caught_by: the check that must go red."""

    name: str
    file: str
    text: str
    instead: str
    caught_by: str


KNOWN_BAD = (
    KnownBad(
        "silence",
        "tilt.c",
        "++s_silent_ms == SILENCE_MS",
        "0",
        "silent_host_ends_the_signal",
    ),
    KnownBad("late stop", "limits.h", "SILENCE_MS 1000", "SILENCE_MS 1300", "silent_host_ends_the_signal"),
    KnownBad("first second", "tilt.c", "s_now_ms < NO_PULSE_MS", "0", "no_pulse_in_the_first_second"),
    KnownBad("limit", "limits.h", "ANGLE_MAX_CDEG 800", "ANGLE_MAX_CDEG 900", "limits_hold"),
    KnownBad("width", "limits.h", "PER_100_CDEG 50", "PER_100_CDEG 52", "pulse_is_as_wide_as_told"),
    KnownBad(
        "deadline",
        "tilt.c",
        "gone_ms >= settings()->deadline_ms",
        "0",
        "late_board_misses_its_deadline",
    ),
    KnownBad("stall", "tilt.c", "if (s_left_end && gone_ms", "if (0 && gone_ms", "stalled_board_is_let_go"),
    KnownBad("end input", "tilt.c", "s_sensed = s_ends_run;", ";", "end_inputs_are_told"),
    KnownBad(
        "stuck input",
        "scan.c",
        "board_inputs8(byte) ^",
        "(board_inputs8(byte) | 0x20) ^",
        "no_input_is_stuck",
    ),
    KnownBad(
        "swapped pair", "scan.c", "edges_add(cell, (s", "edges_add(cell ^ 1, (s", "every_input_is_itself"
    ),
    KnownBad("no debounce", "limits.h", "DEBOUNCE_SAMPLES 5", "DEBOUNCE_SAMPLES 2", "short_blink_is_no_edge"),
    KnownBad("dropped frame", "limits.h", "RESEND_MS 100", "RESEND_MS 60000", "unanswered_edge_comes_again"),
)
