"""The promises of a controller, each checked electrically on a bench; the list is the plan.

A check speaks through a `Bench` and raises CheckFailed with what it saw; figures go to `measure`. Named after what
holds, as the behaviours of the contract suite are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from firmware_bridge.messages import (
    AckEdges,
    DisableTilt,
    EdgeMsg,
    EnableTilt,
    FaultCode,
    Feature,
    Hello,
    Picture,
    ResetCause,
    Result,
    TiltReport,
    TiltTo,
)
from firmware_bridge.stimulus import StimulusLine
from firmware_bridge.stimulus_link import PulseSeen

from .bench import Bench
from .outcomes import CheckFailed, Figure, RigFailed

LEVEL_US, US_PER_DEG = 1500.0, 50.0
FULL_CDEG = 800
SWING_MS = 600
PERIOD_S = 0.02
WIDEST_US, NARROWEST_US = 1900.0, 1100.0
EDGE_MS = {True: 8.0, False: 25.0}  # through a USB port an answer may wait for its next frame
END0, END1 = StimulusLine.END_SEAT0, StimulusLine.END_SEAT1

NOTHING = Feature(0)

Measure = Callable[[Figure], None]


@dataclass(frozen=True, slots=True)
class Check:
    """One promise. needs: features of the board. of_rig: a failure says that the rig is broken."""

    name: str
    promise: str
    run: Callable[[Bench, Measure], None]
    needs: Feature = NOTHING
    of_rig: bool = False


CHECKS: list[Check] = []


def _check(
    needs: Feature = NOTHING, *, of_rig: bool = False
) -> Callable[[Callable[[Bench, Measure], None]], Callable[[Bench, Measure], None]]:
    def enter(run: Callable[[Bench, Measure], None]) -> Callable[[Bench, Measure], None]:
        CHECKS.append(Check(run.__name__, " ".join((run.__doc__ or "").split()), run, needs, of_rig))
        return run

    return enter


def _must(true: bool, what: str) -> None:
    if not true:
        raise CheckFailed(what)


def _inputs(bench: Bench) -> int:
    hello = bench.hello or bench.greet()
    outputs = bench.link.hello.cells if bench.link.hello else 0
    return min(hello.cells, outputs)


def _enabled(bench: Bench, angle_cdeg: int = 0) -> None:
    """A fresh controller, its first second over, its servo under signal at an angle."""
    bench.reset()
    bench.settle(1.05)
    result = bench.command(EnableTilt(angle_cdeg))
    _must(result is Result.DONE, f"enable_tilt was answered {result.name}")
    bench.settle(0.1)


def _widths(pulses: list[PulseSeen]) -> list[float]:
    return [pulse.width_us for pulse in pulses]


def _quiet_from(bench: Bench, since_s: float, what: str) -> None:
    """No pulse begins after a time; half a second is watched."""
    bench.settle(max(0.0, since_s - bench.now_s) + 0.5)
    late = [pulse for pulse in bench.pulses if pulse.start_s > since_s]
    _must(not late, f"{what}: {len(late)} pulses came after {since_s - bench.now_s:+.2f} s")


# -- the rig itself


@_check(of_rig=True)
def rig_lines_reach_the_inputs(bench: Bench, measure: Measure) -> None:
    """Most lines of the stimulus board are seen by the controller's inputs, at both levels."""
    bench.reset()
    count = _inputs(bench)
    before = bench.picture().readings[:count]
    bench.set(dict.fromkeys(range(count), 1))
    bench.settle(0.05)
    after = bench.picture().readings[:count]
    bench.set(dict.fromkeys(range(count), 0))
    bench.settle(0.05)
    seen = sum(a == 0 and b == 1 for a, b in zip(before, after, strict=True))
    measure(Figure("lines not seen", count - seen, "lines", count / 2))
    if seen < count / 2:
        raise RigFailed(f"of {count} lines {seen} reach an input: look at the cable between the boards")


@_check(of_rig=True)
def rig_reset_line_restarts(bench: Bench, measure: Measure) -> None:
    """The reset line restarts the controller, which counts it."""
    first = bench.greet().boot
    bench.reset()
    if bench.greet().boot == first:
        raise RigFailed("the controller was not restarted: look at the wire to its RESET")


@_check(of_rig=True)
def rig_power_switch_cuts(bench: Bench, measure: Measure) -> None:
    """The power switch really cuts: the supply is gone, and the controller says power-on."""
    bench.set({StimulusLine.POWER: 0})
    cut = not bench.lines().power
    bench.forget()
    bench.set({StimulusLine.POWER: 1})
    if not cut:
        raise RigFailed("the controller kept its supply: look at the power switch")
    try:
        bench.wait(Hello, lambda hello: hello.session == 0, 4.0, "no hello came with the power")
    except CheckFailed as failed:
        raise RigFailed(str(failed)) from failed
    if bench.greet().reset_cause != ResetCause.POWER_ON:
        raise RigFailed("the controller did not lose its supply: it names another cause for its restart")


@_check(Feature.SERVO, of_rig=True)
def rig_servo_line_is_seen(bench: Bench, measure: Measure) -> None:
    """The servo's pulses are seen by the capture input."""
    _enabled(bench)
    bench.forget()
    bench.settle(0.2)
    if not bench.pulses:
        raise RigFailed("no pulse is seen: look at the wire of the servo signal")


# -- who it is


@_check()
def says_who_it_is(bench: Bench, measure: Measure) -> None:
    """A hello carries the run's id, the product and the number of inputs."""
    hello = bench.greet()
    _must(hello.product == "Balanx", f"it calls itself {hello.product!r}")
    _must(hello.cells > 0, "it has no inputs")


@_check()
def power_cut_counts_as_a_boot(bench: Bench, measure: Measure) -> None:
    """The boot number outlives the power and is one more after each start."""
    before = bench.greet().boot
    bench.set({StimulusLine.POWER: 0})
    bench.settle(0.2)
    bench.set({StimulusLine.POWER: 1})
    bench.forget()
    bench.settle(0.5)
    after = bench.greet().boot
    _must(after == (before + 1) & 0xFFFF, f"boot {before} was followed by boot {after}")


# -- sensing


@_check()
def every_input_is_itself(bench: Bench, measure: Measure) -> None:
    """Each line, at both levels, gives one edge of its own input and of no other."""
    bench.reset()
    for line in range(_inputs(bench)):
        for level in (1, 0):
            bench.forget()
            bench.set({line: level})
            bench.settle(0.015)
            seen = [(edge.cell, edge.reading) for _, edge in bench.of(EdgeMsg)]
            _must(
                seen == [(line, level)],
                f"line {line} went to {level}, and the edges say {seen or 'nothing'}",
            )


@_check()
def no_input_is_stuck(bench: Bench, measure: Measure) -> None:
    """With all lines at rest every input reads free, with all lines driven every input reads something."""
    bench.reset()
    count = _inputs(bench)
    for level in (0, 1, 0):
        bench.set(dict.fromkeys(range(count), level))
        bench.settle(0.1)
        readings = bench.picture().readings[:count]
        wrong = [cell for cell, reading in enumerate(readings) if reading != level]
        _must(not wrong, f"inputs {wrong} do not read {level}")


@_check()
def edge_is_told_at_once(bench: Bench, measure: Measure) -> None:
    """From the change of a line to the last byte of its edge: five samples and the line."""
    bench.reset()
    worst_ms = 0.0
    for line in range(0, _inputs(bench), 3):
        for level in (1, 0):
            bench.forget()
            at_s = bench.set({line: level}, bench.now_s + 0.0081 + 0.00037 * line)
            came_s, _ = bench.wait(EdgeMsg, lambda edge: True, 0.2, f"line {line} gave no edge")
            worst_ms = max(worst_ms, (came_s - at_s) * 1000)
    measure(Figure("line to last byte of its edge", worst_ms, "ms", EDGE_MS[bench.rig.virtual]))


@_check()
def short_blink_is_no_edge(bench: Bench, measure: Measure) -> None:
    """A level of 3 ms is not accepted; the next picture counts it as flicker."""
    bench.reset()
    bench.settle(0.1)
    bench.forget()
    at_s = bench.now_s + 0.02
    bench.plan({5: 1}, at_s)
    bench.set({5: 0}, at_s + 0.003)
    bench.settle(0.05)
    _must(not bench.of(EdgeMsg), "a blink of 3 ms became an edge")
    flicker = dict(bench.picture().flicker)
    _must(flicker.get(5, 0) > 0, "the blink was not counted as flicker")


@_check()
def bounce_is_one_edge(bench: Bench, measure: Measure) -> None:
    """A contact that bounces for 4 ms is one edge."""
    bench.reset()
    bench.settle(0.1)
    bench.forget()
    at_s = bench.now_s + 0.03
    for number, after_ms in enumerate((0.0, 0.7, 1.4, 2.3, 3.1, 4.0, 4.4)):
        bench.plan({9: 1 - number % 2}, at_s + after_ms / 1000)
    bench.settle(0.12)
    seen = [(edge.cell, edge.reading) for _, edge in bench.of(EdgeMsg)]
    _must(seen == [(9, 1)], f"the edges say {seen}")


@_check()
def unanswered_edge_comes_again(bench: Bench, measure: Measure) -> None:
    """An edge that is not acknowledged is sent again each 100 ms, and no more once it is."""
    bench.reset()
    bench.acknowledges = False
    bench.forget()
    bench.set({7: 1})
    bench.settle(0.45)
    sent = bench.of(EdgeMsg)
    _must(len(sent) >= 4, f"it was sent {len(sent)} times in 0.45 s")
    _must(len({edge.number for _, edge in sent}) == 1, "it was sent again under another number")
    gaps_ms = [(b - a) * 1000 for (a, _), (b, _) in pairwise(sent)]
    measure(Figure("time between two sendings, off 100 ms", max(abs(gap - 100) for gap in gaps_ms), "ms", 15))
    bench.say(AckEdges(sent[-1][1].number, sent[-1][1].boot))
    bench.settle(0.05)
    bench.forget()
    bench.settle(0.3)
    _must(not bench.of(EdgeMsg), "it was sent again after it was acknowledged")


@_check()
def picture_comes_once_a_second(bench: Bench, measure: Measure) -> None:
    """Without a change a whole picture comes once a second."""
    bench.reset()
    bench.settle(0.3)
    bench.forget()
    bench.settle(3.2)
    times = [at_s for at_s, _ in bench.of(Picture)]
    _must(len(times) >= 3, f"{len(times)} pictures came in 3.2 s")


# -- motion


@_check(Feature.SERVO)
def no_pulse_before_it_is_enabled(bench: Bench, measure: Measure) -> None:
    """After a reset no pulse comes by itself, nor for a tilt_to."""
    bench.reset()
    bench.settle(1.2)
    result = bench.command(TiltTo(FULL_CDEG, SWING_MS))
    _must(result is Result.NOT_ENABLED, f"tilt_to was answered {result.name}")
    bench.settle(0.3)
    _must(not bench.pulses, f"{len(bench.pulses)} pulses came")


@_check(Feature.SERVO)
def no_pulse_in_the_first_second(bench: Bench, measure: Measure) -> None:
    """Whoever asks early is told TOO_SOON, and the first pulse comes a second after the reset or later."""
    let_go_s = bench.reset()
    result = bench.command(EnableTilt(0))
    _must(result is Result.TOO_SOON, f"enable_tilt was answered {result.name}")
    while result is Result.TOO_SOON and bench.now_s < let_go_s + 2:
        bench.settle(0.05)
        result = bench.command(EnableTilt(0))
    bench.settle(0.1)
    _must(bool(bench.pulses), "no pulse came after enable_tilt")
    first_s = bench.pulses[0].start_s - let_go_s
    _must(first_s >= 1.0, f"the first pulse came {first_s:.3f} s after the reset")


@_check(Feature.SERVO)
def pulse_is_as_wide_as_told(bench: Bench, measure: Measure) -> None:
    """Pulses at rest are within 0.5 % of the angle told."""
    _enabled(bench)
    worst = 0.0
    for angle_cdeg in (0, 250, 500, FULL_CDEG, -250, -FULL_CDEG):
        bench.set({END0: 0, END1: 0})
        _must(bench.command(TiltTo(angle_cdeg, SWING_MS)) is Result.DONE, f"tilt_to {angle_cdeg} was refused")
        bench.settle(0.5)
        if abs(angle_cdeg) == FULL_CDEG:
            bench.set({END0 if angle_cdeg > 0 else END1: 1})
        bench.settle(0.3)
        bench.forget()
        bench.settle(0.1)
        told_us = LEVEL_US + US_PER_DEG * angle_cdeg / 100
        _must(bool(bench.pulses), f"no pulse at {angle_cdeg / 100} degrees")
        worst = max(worst, *(abs(width / told_us - 1) * 100 for width in _widths(bench.pulses)))
    measure(Figure("pulse width off the angle told", worst, "%", 0.5))


@_check(Feature.SERVO)
def limits_hold(bench: Bench, measure: Measure) -> None:
    """Angles beyond the limit and swings too short are refused, and no pulse leaves 1100 to 1900 us."""
    _enabled(bench)
    bench.forget()
    for command, wanted in (
        (TiltTo(FULL_CDEG + 1, SWING_MS), Result.OUT_OF_LIMITS),
        (TiltTo(-FULL_CDEG - 1, SWING_MS), Result.OUT_OF_LIMITS),
        (TiltTo(32767, SWING_MS), Result.OUT_OF_LIMITS),
        (TiltTo(FULL_CDEG, 100), Result.TOO_FAST),
    ):
        result = bench.command(command)
        _must(result is wanted, f"{command} was answered {result.name}")
    for angle_cdeg, line in ((FULL_CDEG, END0), (-FULL_CDEG, END1)):
        bench.set({END0: 0, END1: 0})
        bench.command(TiltTo(angle_cdeg, SWING_MS))
        bench.settle(0.6)
        bench.set({line: 1})
        bench.settle(0.3)
    widths = _widths(bench.pulses)
    measure(Figure("widest pulse", max(widths), "us", WIDEST_US * 1.005))
    measure(
        Figure("narrowest pulse, below 3000 us by", 3000 - min(widths), "us", 3000 - NARROWEST_US * 0.995)
    )


@_check(Feature.SERVO)
def swing_is_smooth(bench: Bench, measure: Measure) -> None:
    """A swing follows its profile: from pulse to pulse never more than a minimum-jerk swing's steepest part."""
    _enabled(bench)
    bench.command(TiltTo(-FULL_CDEG, SWING_MS))
    bench.settle(0.6)
    bench.set({END1: 1})
    bench.settle(0.3)
    bench.forget()
    bench.command(TiltTo(FULL_CDEG, SWING_MS))
    bench.settle(0.1)
    bench.set({END1: 0})
    bench.settle(0.4)
    bench.set({END0: 1})
    bench.settle(0.3)
    widths = _widths(bench.pulses)
    steps = [abs(b - a) for a, b in pairwise(widths)]
    _must(len(steps) > 20, "the swing was not seen")
    # 1.875 times the mean rate (minimum jerk), times one period, and a tenth for the grid of pulses
    steepest_us = 1.875 * (WIDEST_US - NARROWEST_US) / SWING_MS * PERIOD_S * 1000
    measure(Figure("largest step between two pulses", max(steps), "us", steepest_us * 1.1))


@_check(Feature.SERVO)
def silent_host_ends_the_signal(bench: Bench, measure: Measure) -> None:
    """A host silent for a second ends the signal behind a whole pulse; sensing goes on."""
    _enabled(bench)
    bench.forget()
    bench.alive = bench.acknowledges = False
    quiet_s = bench.now_s
    bench.settle(1.6)
    pulses = bench.pulses
    _must(bool(pulses), "no pulse was seen at all")
    measure(Figure("last pulse after the last word", (pulses[-1].start_s - quiet_s), "s", 1.05))
    _must(pulses[-1].start_s - quiet_s > 0.7, "the signal ended too soon")
    measure(Figure("last pulse's width off", abs(pulses[-1].width_us - LEVEL_US) / 15, "%", 0.5))
    bench.set({3: 1})
    bench.wait(EdgeMsg, lambda edge: edge.cell == 3, 0.2, "sensing stopped with the host's silence")


@_check(Feature.SERVO | Feature.END_INPUTS)
def late_board_misses_its_deadline(bench: Bench, measure: Measure) -> None:
    """A full tilt whose end input does not close is reported, and the signal ends."""
    _enabled(bench)
    bench.forget()
    bench.command(TiltTo(FULL_CDEG, SWING_MS))
    start_s = bench.now_s
    at_s = bench.fault(FaultCode.TILT_DEADLINE, 3.0)
    measure(Figure("deadline after the command", at_s - start_s, "s", 2.1))
    _quiet_from(bench, at_s + 2 * PERIOD_S, "the signal did not end")


@_check(Feature.SERVO | Feature.END_INPUTS)
def stalled_board_is_let_go(bench: Bench, measure: Measure) -> None:
    """An end that does not open when the board should have left it is a stall: reported, and the signal ends."""
    _enabled(bench)
    bench.set({END0: 1})
    bench.settle(0.05)
    bench.command(TiltTo(FULL_CDEG, SWING_MS))
    bench.settle(0.8)
    bench.forget()
    bench.command(TiltTo(-FULL_CDEG, SWING_MS))
    start_s = bench.now_s
    at_s = bench.fault(FaultCode.TILT_STALLED, 1.5)
    measure(Figure("stall after the command", at_s - start_s, "s", 1.0))
    _quiet_from(bench, at_s + 2 * PERIOD_S, "the signal did not end")


@_check(Feature.SERVO | Feature.END_INPUTS)
def end_inputs_are_told(bench: Bench, measure: Measure) -> None:
    """Each end input that closes or opens is in the next tilt report."""
    bench.reset()
    for line, bit in ((END0, 1), (END1, 2)):
        for level in (1, 0):
            bench.forget()
            bench.set({line: level})
            bench.wait(
                TiltReport,
                lambda report, want=bit * level: report.sensed == want,  # type: ignore[misc]
                0.3,
                f"end input {bit - 1} went to {level} and no report says so",
            )


@_check(Feature.SERVO | Feature.END_INPUTS)
def both_ends_end_the_signal(bench: Bench, measure: Measure) -> None:
    """Both end inputs at once cannot be: reported, and the signal ends."""
    _enabled(bench)
    bench.forget()
    bench.set({END0: 1, END1: 1})
    at_s = bench.fault(FaultCode.BOTH_ENDS, 0.5)
    _quiet_from(bench, at_s + 2 * PERIOD_S, "the signal did not end")


@_check(Feature.SERVO)
def signal_ends_behind_a_whole_pulse(bench: Bench, measure: Measure) -> None:
    """disable_tilt at any moment cuts no pulse."""
    for after_s in (0.0003, 0.0009, 0.0015, 0.007):
        _enabled(bench)
        bench.forget()
        bench.settle(0.05)
        next_s = bench.pulses[-1].start_s + 2 * PERIOD_S
        bench.settle(max(0.0, next_s + after_s - 0.0006 - bench.now_s))
        _must(bench.command(DisableTilt()) is Result.DONE, "disable_tilt was refused")
        bench.settle(0.1)
        off = max(abs(width - LEVEL_US) for width in _widths(bench.pulses))
        _must(off < 7.5, f"a pulse was {off:.1f} us off its width")
    bench.settle(0.1)


@_check(Feature.SERVO)
def repeated_command_is_done_once(bench: Bench, measure: Measure) -> None:
    """The same id is answered again and not done again."""
    _enabled(bench)
    _must(bench.command(TiltTo(200, SWING_MS)) is Result.DONE, "tilt_to was refused")
    first = bench.last_id
    bench.settle(0.8)
    _must(
        bench.command(TiltTo(-200, SWING_MS), again=first) is Result.DONE,
        "the repeated id was answered otherwise",
    )
    bench.settle(0.8)
    bench.forget()
    bench.settle(0.1)
    width = bench.pulses[-1].width_us if bench.pulses else 0.0
    _must(abs(width - 1600) < 8, f"it was done again: the pulses are {width:.0f} us wide")
