"""The promises of a controller, each checked electrically on a bench; the list is the plan.

A check begins with a controller that was just reset and with all lines at rest, speaks through a `Bench`, and raises
CheckFailed with what it saw. Named after what holds, as the behaviours of the contract suite are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from firmware_bridge.messages import (
    PRODUCT,
    AckEdges,
    DisableTilt,
    EdgeMsg,
    EnableTilt,
    FaultCode,
    Feature,
    NumberedCommand,
    Picture,
    ResetCause,
    Result,
    TiltReport,
    TiltTo,
)
from firmware_bridge.stimulus import StimulusLine

from .bench import Bench
from .outcomes import CheckFailed, RigFailed

LEVEL_US, US_PER_DEG = 1500.0, 50.0
FULL_CDEG = 800
SWING_MS = 600
PERIOD_S = 0.02
WIDEST_US, NARROWEST_US = 1900.0, 1100.0
EDGE_MS = {True: 8.0, False: 25.0}  # through a USB port an answer may wait for its next frame
END0, END1 = StimulusLine.END_SEAT0, StimulusLine.END_SEAT1

NOTHING = Feature(0)
MOTION = Feature.SERVO | Feature.END_INPUTS


@dataclass(frozen=True, slots=True)
class Check:
    """One promise. needs: features of the board. of_rig: a failure says that the rig is broken. limit_s: rig's time."""

    name: str
    promise: str
    run: Callable[[Bench], None]
    needs: Feature = NOTHING
    of_rig: bool = False
    limit_s: float = 60.0


CHECKS: list[Check] = []


def _check(
    needs: Feature = NOTHING, *, of_rig: bool = False
) -> Callable[[Callable[[Bench], None]], Callable[[Bench], None]]:
    def enter(run: Callable[[Bench], None]) -> Callable[[Bench], None]:
        CHECKS.append(Check(run.__name__, " ".join((run.__doc__ or "").split()), run, needs, of_rig))
        return run

    return enter


def _must(true: bool, what: str) -> None:
    if not true:
        raise CheckFailed(what)


def _answers(bench: Bench, command: NumberedCommand, wanted: Result = Result.DONE) -> None:
    result = bench.command(command)
    _must(result is wanted, f"{command} was answered {result.name}")


def _inputs(bench: Bench) -> int:
    hello = bench.hello or bench.greet()
    outputs = bench.link.hello.cells if bench.link.hello else 0
    return min(hello.cells, outputs)


def _edges(bench: Bench) -> list[tuple[int, int]]:
    return [(edge.cell, edge.reading) for _, edge in bench.of(EdgeMsg)]


def _enable(bench: Bench) -> None:
    """The first second over, the servo under signal at level."""
    bench.settle(1.05)
    _answers(bench, EnableTilt(0))
    bench.settle(0.1)


def _tilt(bench: Bench, angle_cdeg: int) -> None:
    """A swing whose full angles close their end input, and what is sent then at rest."""
    _answers(bench, TiltTo(angle_cdeg, SWING_MS))
    bench.settle(0.1)
    bench.set({END0: 0, END1: 0})
    bench.settle(0.4)
    if abs(angle_cdeg) == FULL_CDEG:
        bench.set({END0 if angle_cdeg > 0 else END1: 1})
    bench.settle(0.3)


def _widths(bench: Bench) -> list[float]:
    """Of all pulses since `forget`, in us: at least one."""
    _must(bool(bench.pulses), "no pulse was seen")
    return [pulse.width_us for pulse in bench.pulses]


def _ends_the_signal(bench: Bench, code: FaultCode, name: str, most_s: float) -> None:
    """The fault comes within a time from now; no pulse begins later than two periods behind it."""
    from_s = bench.now_s
    at_s = bench.fault(code, most_s + 1.0)
    bench.measure(name, at_s - from_s, "s", most=most_s)
    bench.settle(0.5)
    late = [pulse for pulse in bench.pulses if pulse.start_s > at_s + 2 * PERIOD_S]
    _must(
        not late, f"the signal did not end: {len(late)} pulses came later than two periods behind the fault"
    )


# -- the rig itself


@_check(of_rig=True)
def rig_lines_reach_the_inputs(bench: Bench) -> None:
    """Most lines of the stimulus board are seen by the controller's inputs, at both levels."""
    count = _inputs(bench)
    before = bench.picture().readings[:count]
    bench.set(dict.fromkeys(range(count), 1))
    bench.settle(0.05)
    after = bench.picture().readings[:count]
    seen = sum(a == 0 and b == 1 for a, b in zip(before, after, strict=True))
    bench.measure("lines seen", seen, "lines", least=count / 2)
    if seen < count / 2:
        raise RigFailed(f"of {count} lines {seen} reach an input: look at the cable between the boards")


@_check(of_rig=True)
def rig_reset_line_restarts(bench: Bench) -> None:
    """The reset line restarts the controller, which counts it."""
    first = bench.greet().boot
    bench.reset()
    if bench.greet().boot == first:
        raise RigFailed("the controller was not restarted: look at the wire to its RESET")


@_check(of_rig=True)
def rig_power_switch_cuts(bench: Bench) -> None:
    """The power switch really cuts: the supply is gone, and the controller says power-on."""
    bench.set({StimulusLine.POWER: 0})
    cut = not bench.lines().power
    bench.forget()
    bench.set({StimulusLine.POWER: 1})
    if not cut:
        raise RigFailed("the controller kept its supply: look at the power switch")
    bench.started("no hello came with the power")
    if bench.greet().reset_cause != ResetCause.POWER_ON:
        raise RigFailed("the controller did not lose its supply: it names another cause for its restart")


@_check(Feature.SERVO, of_rig=True)
def rig_servo_line_is_seen(bench: Bench) -> None:
    """The servo's pulses are seen by the capture input."""
    _enable(bench)
    bench.settle(0.1)
    if not bench.pulses:
        raise RigFailed("no pulse is seen: look at the wire of the servo signal")


# -- who it is


@_check()
def says_who_it_is(bench: Bench) -> None:
    """A hello carries the run's id, the product and the number of inputs."""
    hello = bench.greet()
    _must(hello.product == PRODUCT, f"it calls itself {hello.product!r}")
    _must(hello.cells > 0, "it has no inputs")


@_check()
def power_cut_counts_as_a_boot(bench: Bench) -> None:
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
def every_input_is_itself(bench: Bench) -> None:
    """Each line, at both levels, gives one edge of its own input and of no other."""
    for line in range(_inputs(bench)):
        for level in (1, 0):
            bench.forget()
            bench.set({line: level})
            bench.settle(0.015)
            seen = _edges(bench)
            _must(
                seen == [(line, level)],
                f"line {line} went to {level}, and the edges say {seen or 'nothing'}",
            )


@_check()
def no_input_is_stuck(bench: Bench) -> None:
    """With all lines at rest every input reads free, with all lines driven every input reads something."""
    count = _inputs(bench)
    for level in (0, 1, 0):
        bench.set(dict.fromkeys(range(count), level))
        bench.settle(0.1)
        readings = bench.picture().readings[:count]
        wrong = [cell for cell, reading in enumerate(readings) if reading != level]
        _must(not wrong, f"inputs {wrong} do not read {level}")


@_check()
def edge_is_told_at_once(bench: Bench) -> None:
    """From the change of a line to the last byte of its edge: five samples and the line."""
    worst_ms = 0.0
    for line in range(0, _inputs(bench), 3):
        for level in (1, 0):
            bench.forget()
            at_s = bench.set({line: level}, bench.now_s + 0.0081 + 0.00037 * line)
            came_s, _ = bench.wait(EdgeMsg, lambda edge: True, 0.2, f"line {line} gave no edge")
            worst_ms = max(worst_ms, (came_s - at_s) * 1000)
    bench.measure("line to last byte of its edge", worst_ms, "ms", most=EDGE_MS[bench.rig.virtual])


@_check()
def short_blink_is_no_edge(bench: Bench) -> None:
    """A level of 3 ms is not accepted; the next picture counts it as flicker."""
    bench.settle(0.1)
    bench.forget()
    at_s = bench.now_s + 0.02
    bench.plan({5: 1}, at_s)
    bench.set({5: 0}, at_s + 0.003)
    bench.settle(0.05)
    _must(not _edges(bench), "a blink of 3 ms became an edge")
    flicker = dict(bench.picture().flicker)
    _must(flicker.get(5, 0) > 0, "the blink was not counted as flicker")


@_check()
def bounce_is_one_edge(bench: Bench) -> None:
    """A contact that bounces for 4 ms is one edge."""
    bench.settle(0.1)
    bench.forget()
    at_s = bench.now_s + 0.03
    for number, after_ms in enumerate((0.0, 0.7, 1.4, 2.3, 3.1, 4.0, 4.4)):
        bench.plan({9: 1 - number % 2}, at_s + after_ms / 1000)
    bench.settle(0.12)
    _must(_edges(bench) == [(9, 1)], f"the edges say {_edges(bench)}")


@_check()
def unanswered_edge_comes_again(bench: Bench) -> None:
    """An edge that is not acknowledged is sent again each 100 ms, and no more once it is."""
    bench.acknowledges = False
    bench.forget()
    bench.set({7: 1})
    bench.settle(0.45)
    sent = bench.of(EdgeMsg)
    _must(len(sent) >= 4, f"it was sent {len(sent)} times in 0.45 s")
    _must(len({edge.number for _, edge in sent}) == 1, "it was sent again under another number")
    gaps_ms = [(b - a) * 1000 for (a, _), (b, _) in pairwise(sent)]
    bench.measure("time to the next sending, longest", max(gaps_ms), "ms", most=115)
    bench.measure("time to the next sending, shortest", min(gaps_ms), "ms", least=85)
    bench.say(AckEdges(sent[-1][1].number, sent[-1][1].boot))
    bench.settle(0.05)
    bench.forget()
    bench.settle(0.3)
    _must(not _edges(bench), "it was sent again after it was acknowledged")


@_check()
def picture_comes_once_a_second(bench: Bench) -> None:
    """Without a change a whole picture comes once a second."""
    bench.settle(0.3)
    bench.forget()
    bench.settle(3.2)
    came = len(bench.of(Picture))
    _must(3 <= came <= 4, f"{came} pictures came in 3.2 s")


# -- motion


@_check(Feature.SERVO)
def no_pulse_before_it_is_enabled(bench: Bench) -> None:
    """After a reset no pulse comes by itself, nor for a tilt_to."""
    bench.settle(1.2)
    _answers(bench, TiltTo(FULL_CDEG, SWING_MS), Result.NOT_ENABLED)
    bench.settle(0.3)
    _must(not bench.pulses, f"{len(bench.pulses)} pulses came")


@_check(Feature.SERVO)
def no_pulse_in_the_first_second(bench: Bench) -> None:
    """Whoever asks early is told TOO_SOON, and the first pulse comes a second after the reset or later."""
    _answers(bench, EnableTilt(0), Result.TOO_SOON)
    while bench.command(EnableTilt(0)) is Result.TOO_SOON and bench.now_s < bench.reset_s + 2:
        bench.settle(0.05)
    bench.settle(0.1)
    _must(bool(bench.pulses), "no pulse came after enable_tilt")
    first_s = bench.pulses[0].start_s - bench.reset_s
    _must(first_s >= 1.0, f"the first pulse came {first_s:.3f} s after the reset")


@_check(Feature.SERVO)
def pulse_is_as_wide_as_told(bench: Bench) -> None:
    """Pulses at rest are within 0.5 % of the angle told."""
    _enable(bench)
    worst = 0.0
    for angle_cdeg in (0, 250, 500, FULL_CDEG, -250, -FULL_CDEG):
        _tilt(bench, angle_cdeg)
        bench.forget()
        bench.settle(0.1)
        told_us = LEVEL_US + US_PER_DEG * angle_cdeg / 100
        worst = max(worst, *(abs(width / told_us - 1) * 100 for width in _widths(bench)))
    bench.measure("pulse width off the angle told", worst, "%", most=0.5)


@_check(Feature.SERVO)
def limits_hold(bench: Bench) -> None:
    """Angles beyond the limit and swings too short are refused, and no pulse leaves 1100 to 1900 us."""
    _enable(bench)
    bench.forget()
    _answers(bench, TiltTo(FULL_CDEG + 1, SWING_MS), Result.OUT_OF_LIMITS)
    _answers(bench, TiltTo(-FULL_CDEG - 1, SWING_MS), Result.OUT_OF_LIMITS)
    _answers(bench, TiltTo(32767, SWING_MS), Result.OUT_OF_LIMITS)
    _answers(bench, TiltTo(FULL_CDEG, 100), Result.TOO_FAST)
    for angle_cdeg in (FULL_CDEG, -FULL_CDEG):
        _tilt(bench, angle_cdeg)
    widths = _widths(bench)
    beyond_us = max(0.0, max(widths) - WIDEST_US, NARROWEST_US - min(widths))
    bench.measure("a pulse beyond 1100 to 1900 us, by", beyond_us, "us", most=NARROWEST_US * 0.005)


@_check(Feature.SERVO)
def swing_is_smooth(bench: Bench) -> None:
    """A swing follows its profile: from pulse to pulse never more than a minimum-jerk swing's steepest part."""
    _enable(bench)
    _tilt(bench, -FULL_CDEG)
    bench.forget()
    _tilt(bench, FULL_CDEG)
    steps = [abs(b - a) for a, b in pairwise(_widths(bench))]
    _must(len(steps) > 20, "the swing was not seen")
    # 1.875 times the mean rate (minimum jerk), times one period; the grid of pulses may add a tenth
    steepest_us = 1.875 * (WIDEST_US - NARROWEST_US) / SWING_MS * PERIOD_S * 1000
    beyond = max(0.0, max(steps) / steepest_us - 1) * 100
    bench.measure("largest step between two pulses, beyond the profile's by", beyond, "%", most=10)


@_check(Feature.SERVO)
def silent_host_ends_the_signal(bench: Bench) -> None:
    """A host silent for a second ends the signal behind a whole pulse; sensing goes on."""
    _enable(bench)
    bench.forget()
    bench.alive = bench.acknowledges = False
    quiet_s = bench.now_s
    bench.settle(1.6)
    last_us = _widths(bench)[-1]
    last_s = bench.pulses[-1].start_s
    bench.measure("last pulse after the last word", last_s - quiet_s, "s", most=1.05, least=0.7)
    bench.measure("last pulse's width off", abs(last_us / LEVEL_US - 1) * 100, "%", most=0.5)
    bench.set({3: 1})
    bench.wait(EdgeMsg, lambda edge: edge.cell == 3, 0.2, "sensing stopped with the host's silence")


@_check(MOTION)
def late_board_misses_its_deadline(bench: Bench) -> None:
    """A full tilt whose end input does not close is reported, and the signal ends."""
    _enable(bench)
    _answers(bench, TiltTo(FULL_CDEG, SWING_MS))
    _ends_the_signal(bench, FaultCode.TILT_DEADLINE, "deadline after the command", 2.1)


@_check(MOTION)
def stalled_board_is_let_go(bench: Bench) -> None:
    """An end that does not open when the board should have left it is a stall: reported, and the signal ends."""
    _enable(bench)
    _tilt(bench, FULL_CDEG)
    _answers(bench, TiltTo(-FULL_CDEG, SWING_MS))
    _ends_the_signal(bench, FaultCode.TILT_STALLED, "stall after the command", 1.0)


@_check(MOTION)
def end_inputs_are_told(bench: Bench) -> None:
    """Each end input that closes or opens is in the next tilt report."""
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


@_check(MOTION)
def both_ends_end_the_signal(bench: Bench) -> None:
    """Both end inputs at once cannot be: reported, and the signal ends."""
    _enable(bench)
    bench.set({END0: 1, END1: 1})
    _ends_the_signal(bench, FaultCode.BOTH_ENDS, "fault after the inputs", 0.5)


@_check(Feature.SERVO)
def signal_ends_behind_a_whole_pulse(bench: Bench) -> None:
    """disable_tilt at any moment cuts no pulse."""
    worst_us = 0.0
    for after_s in (0.0003, 0.0009, 0.0015, 0.007):
        _enable(bench)
        bench.forget()
        bench.settle(0.05)
        _widths(bench)
        next_s = bench.pulses[-1].start_s + 2 * PERIOD_S
        bench.settle(max(0.0, next_s + after_s - 0.0006 - bench.now_s))
        _answers(bench, DisableTilt())
        bench.settle(0.1)
        worst_us = max(worst_us, *(abs(width - LEVEL_US) for width in _widths(bench)))
    bench.measure("a pulse's width off", worst_us / LEVEL_US * 100, "%", most=0.5)


@_check(Feature.SERVO)
def repeated_command_is_done_once(bench: Bench) -> None:
    """The same id is answered again and not done again."""
    _enable(bench)
    _answers(bench, TiltTo(200, SWING_MS))
    first = bench.last_id
    bench.settle(0.8)
    result = bench.command(TiltTo(-200, SWING_MS), again=first)
    _must(result is Result.DONE, f"the repeated id was answered {result.name}")
    bench.settle(0.8)
    bench.forget()
    bench.settle(0.1)
    width = _widths(bench)[-1]
    _must(abs(width - 1600) < 8, f"it was done again: the pulses are {width:.0f} us wide")
