"""What a controller must do, by name: each one a function of a Bench."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

from firmware.boards import ALL, BOOT_S, Bench, Fit, HostBoard

from firmware_bridge.codec import encode, frame
from firmware_bridge.messages import (
    ANGLE_UNKNOWN_CDEG,
    Ack,
    AckEdges,
    ConfigKey,
    Configure,
    DisableTilt,
    EdgeMsg,
    EnableTilt,
    Fault,
    FaultCode,
    Feature,
    GetHello,
    GetMargins,
    GetPicture,
    Hello,
    Lights,
    Margins,
    Picture,
    Ping,
    Pong,
    ResetCause,
    Result,
    StopTilt,
    TiltReport,
    TiltTo,
)

M = TypeVar("M")


@dataclass(frozen=True)
class Behaviour:
    """`why_only_c`: empty when both targets have it."""

    name: str
    check: Callable[[Bench], None]
    fit: Fit
    why_only_c: str


BEHAVIOURS: list[Behaviour] = []


def behaviour(fit: Fit = Fit(), *, why_only_c: str = "") -> Callable[..., Callable[[Bench], None]]:  # noqa: B008
    def enter(check: Callable[[Bench], None]) -> Callable[[Bench], None]:
        BEHAVIOURS.append(Behaviour(check.__name__, check, fit, why_only_c))
        return check

    return enter


def only(found: list[M]) -> M:
    """The one that there must be."""
    assert len(found) == 1, found
    return found[0]


def near(value: float, expected: float, within: float) -> bool:
    return abs(value - expected) <= within


# -- who it is -------------------------------------------------------------------------


@behaviour()
def hello_comes_once_unasked_after_a_reset(bench: Bench) -> None:
    bench.pings = False
    bench.run(1.5)
    hello = only(bench.of(Hello))
    assert (hello.session, hello.boot, hello.reset_cause) == (0, 1, ResetCause.POWER_ON)
    assert near(bench.times(Hello)[0], BOOT_S, 0.01)


@behaviour(Fit(cells=23, features=ALL & ~Feature.END_INPUTS))
def hello_tells_what_the_board_is(bench: Bench) -> None:
    bench.run(0.2)
    hello = only(bench.of(Hello))
    assert (hello.major, hello.minor, hello.product, hello.board_kind) == (1, 1, "Balanx", "classic")
    assert (hello.cells, hello.bits, hello.reader_hz) == (23, 1, 1000)
    assert hello.features == bench.fit.features
    assert hello.build_id == 0xC0FFEE11
    assert hello.unique_id


@behaviour()
def hello_answers_with_the_session_asked(bench: Bench) -> None:
    bench.run(0.2)
    bench.send(GetHello(0xBEEF))
    bench.run(0.02)
    assert [hello.session for hello in bench.of(Hello)] == [0, 0xBEEF]


@behaviour()
def reset_counts_boots_and_forgets_the_rest(bench: Bench) -> None:
    bench.up()
    bench.input(3, 1)
    bench.run(0.1)
    bench.heard.clear()
    bench.reset(ResetCause.WATCHDOG)
    bench.run(0.2)
    hello = only(bench.of(Hello))
    assert (hello.boot, hello.session, hello.reset_cause) == (2, 0, ResetCause.WATCHDOG)
    assert bench.of(EdgeMsg) == []
    assert bench.of(Picture)[-1].readings[3] == 1
    bench.input(3, 0)
    bench.run(0.05)
    assert [(e.number, e.boot) for e in bench.of(EdgeMsg)] == [(1, 2)]


@behaviour(why_only_c="the Python controller has no stored bytes")
def boot_number_survives_a_spoiled_copy(bench: Bench) -> None:
    assert isinstance(bench, HostBoard)
    bench.run(0.2)
    for boot in range(2, 6):
        bench.reset(ResetCause.POWER_ON)
        bench.run(0.1)
        assert bench.of(Hello)[-1].boot == boot
    bench.c.host_stored(4, 0x77)  # boot 5, the newer copy: the older one, 4, counts
    bench.reset(ResetCause.POWER_ON)
    bench.run(0.1)
    assert bench.of(Hello)[-1].boot == 5


# -- sensing ---------------------------------------------------------------------------


@behaviour()
def what_lies_at_the_start_is_no_edge(bench: Bench) -> None:
    bench.input(2, 1)
    bench.run(1.5)
    assert bench.of(EdgeMsg) == []
    assert bench.of(Picture)[0].readings == bytes(int(i == 2) for i in range(16))


@behaviour()
def edge_is_accepted_at_the_fifth_equal_sample(bench: Bench) -> None:
    bench.up()
    bench.send(Ping(9))
    bench.run(0.1)
    bench.heard.clear()
    begin = bench.now_s
    bench.input(5, 1)
    bench.run(0.05)
    edge = only(bench.of(EdgeMsg))
    assert (edge.cell, edge.reading, edge.number, edge.boot) == (5, 1, 1, 1)
    # samples lie at whole milliseconds of the board's time; the first after the change is the first equal one
    assert edge.board_us == round((begin - BOOT_S) * 1000 + 0.5) * 1000 + 4000
    assert near(bench.times(EdgeMsg)[0], begin + 0.005, 0.0015)


@behaviour()
def four_samples_are_a_flicker_and_no_edge(bench: Bench) -> None:
    bench.up()
    for cell, times in ((1, 3), (9, 1)):
        for _ in range(times):
            bench.input(cell, 1)
            bench.run(0.004)
            bench.input(cell, 0)
            bench.run(0.02)
    bench.run(0.01)
    assert bench.of(EdgeMsg) == []
    bench.send(GetPicture())
    bench.run(0.01)
    assert sorted(bench.of(Picture)[-1].flicker) == [(1, 3), (9, 1)]
    bench.send(GetPicture())
    bench.run(0.01)
    assert bench.of(Picture)[-1].flicker == ()


@behaviour()
def flicker_names_the_six_worst(bench: Bench) -> None:
    bench.up()
    for cell in range(8):
        for _ in range(cell + 1):
            bench.input(cell, 1)
            bench.run(0.002)
            bench.input(cell, 0)
            bench.run(0.002)
    bench.send(GetPicture())
    bench.run(0.01)
    assert bench.of(Picture)[-1].flicker == tuple((cell, cell + 1) for cell in (7, 6, 5, 4, 3, 2))


@behaviour()
def bouncing_contact_is_one_edge(bench: Bench) -> None:
    bench.up()
    for reading in (1, 0, 1, 0, 1):
        bench.input(4, reading)
        bench.run(0.003)
    bench.run(0.1)
    assert [(e.cell, e.reading) for e in bench.of(EdgeMsg)] == [(4, 1)]


@behaviour()
def configure_debounce_counts_from_now_on(bench: Bench) -> None:
    bench.up()
    assert bench.order(Configure(ConfigKey.DEBOUNCE_SAMPLES, 50)) == Result.DONE
    begin = bench.now_s
    bench.input(0, 1)
    bench.run(0.048)
    assert bench.of(EdgeMsg) == []
    bench.run(0.006)
    assert near(bench.times(EdgeMsg)[0], begin + 0.05, 0.002)
    for value in (0, 251):
        assert bench.order(Configure(ConfigKey.DEBOUNCE_SAMPLES, value)) == Result.OUT_OF_LIMITS
    assert bench.order(Configure(99, 1)) == Result.UNKNOWN
    assert bench.order(Configure(ConfigKey.DEBOUNCE_SAMPLES, 1)) == Result.DONE
    bench.heard.clear()
    bench.input(0, 0)
    bench.run(0.003)
    assert len(bench.of(EdgeMsg)) == 1


@behaviour(Fit(cells=11, bits=2))
def colour_board_tells_numbers(bench: Bench) -> None:
    bench.input(1, 1)
    bench.up()
    bench.input(1, 2)
    bench.input(10, 3)
    bench.run(0.05)
    assert {(e.cell, e.reading) for e in bench.of(EdgeMsg)} == {(1, 2), (10, 3)}
    picture = bench.of(Picture)[-1]
    assert picture.bits == 2
    assert picture.readings == bytes((0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 3))


@behaviour(Fit(cells=9, bits=3, reader_every_ms=4), why_only_c="the Python controller scans at 1 kHz")
def slower_reader_counts_its_own_samples(bench: Bench) -> None:
    bench.up()
    begin = bench.now_s
    bench.input(8, 6)
    bench.run(0.03)
    assert [(e.cell, e.reading) for e in bench.of(EdgeMsg)] == [(8, 6)]
    assert near(bench.times(EdgeMsg)[0], begin + 0.018, 0.004)
    bench.run(0.05)
    assert bench.of(Picture)[-1].readings == bytes((0, 0, 0, 0, 0, 0, 0, 0, 6))


# -- edges and pictures ----------------------------------------------------------------


@behaviour()
def edges_come_again_each_100_ms_until_acknowledged(bench: Bench) -> None:
    bench.up()
    bench.acks = False
    bench.input(5, 1)
    bench.run(0.557)
    edges = bench.of(EdgeMsg)
    assert len(edges) == 6
    assert len(set(edges)) == 1
    times = bench.times(EdgeMsg)
    assert all(near(b - a, 0.1, 0.002) for a, b in pairwise(times))
    bench.send(AckEdges(edges[0].number, edges[0].boot))
    bench.run(0.5)
    assert len(bench.of(EdgeMsg)) == 6


@behaviour()
def acknowledgement_of_another_life_is_ignored(bench: Bench) -> None:
    bench.up()
    bench.acks = False
    bench.input(5, 1)
    bench.run(0.05)
    bench.send(AckEdges(1, 2))
    bench.run(0.1)
    assert len(bench.of(EdgeMsg)) == 2


@behaviour()
def acknowledgement_counts_for_all_before(bench: Bench) -> None:
    bench.up()
    bench.acks = False
    for cell in (1, 2, 3, 4):
        bench.input(cell, 1)
        bench.run(0.01)
    bench.run(0.02)
    assert [(e.number, e.cell) for e in bench.of(EdgeMsg)] == [(1, 1), (2, 2), (3, 3), (4, 4)]
    bench.send(AckEdges(3, 1))
    bench.heard.clear()
    bench.run(0.15)
    assert [e.number for e in bench.of(EdgeMsg)] == [4]


@behaviour()
def all_that_is_not_acknowledged_comes_again_in_order(bench: Bench) -> None:
    bench.up()
    bench.acks = False
    for cell in range(10):
        bench.input(cell, 1)
    bench.run(0.05)
    first = bench.of(EdgeMsg)
    assert [e.number for e in first] == list(range(1, 11))
    bench.heard.clear()
    bench.run(0.1)
    assert bench.of(EdgeMsg) == first


@behaviour()
def picture_comes_20_ms_after_the_start_and_once_a_second(bench: Bench) -> None:
    bench.pings = False
    bench.run(3.5)
    times = bench.times(Picture)
    assert len(times) == 4
    assert near(times[0], BOOT_S + 0.02, 0.006)
    assert all(near(b - a, 1.0, 0.003) for a, b in pairwise(times))


@behaviour()
def picture_comes_20_ms_after_the_last_edge(bench: Bench) -> None:
    bench.up()
    bench.run(0.1)
    bench.heard.clear()
    for cell in (1, 2, 3):
        bench.input(cell, 1)
        bench.run(0.012)
    bench.run(0.1)
    at = only(bench.times(Picture))
    assert near(at - bench.times(EdgeMsg)[-1], 0.02, 0.003)
    picture = only(bench.of(Picture))
    assert (picture.number, picture.overflow) == (3, False)
    assert picture.readings == bytes(int(i in (1, 2, 3)) for i in range(16))


@behaviour()
def picture_on_request_with_the_tilt_behind(bench: Bench) -> None:
    bench.up()
    bench.run(0.1)
    bench.heard.clear()
    begin = bench.now_s
    bench.send(GetPicture())
    bench.run(0.01)
    kinds = [type(m) for _, m in bench.heard if isinstance(m, Picture | TiltReport)]
    assert kinds == [Picture, TiltReport]
    assert bench.times(Picture)[0] - begin < 0.005


@behaviour(Fit(cells=40))
def full_queue_sets_overflow_and_throws_edges_away(bench: Bench) -> None:
    bench.up()
    bench.acks = False
    for cell in range(20):
        bench.input(cell, 1)
    bench.run(0.02)
    for cell in range(20, 40):
        bench.input(cell, 1)
    bench.run(0.1)
    picture = bench.of(Picture)[-1]
    assert (picture.number, picture.overflow) == (40, True)
    assert picture.readings == bytes([1] * 40)
    bench.heard.clear()
    bench.run(0.5)
    assert bench.of(EdgeMsg) == []
    assert len(bench.of(Picture)) == 5  # each 100 ms until the host has taken one
    bench.send(AckEdges(39, 1))
    bench.run(0.15)
    assert bench.of(Picture)[-1].overflow
    bench.send(AckEdges(40, 1))
    bench.run(0.02)
    bench.send(GetPicture())
    bench.run(0.02)
    assert not bench.of(Picture)[-1].overflow
    bench.input(7, 0)
    bench.run(0.02)
    assert [(e.number, e.cell, e.reading) for e in bench.of(EdgeMsg)] == [(41, 7, 0)]


@behaviour()
def board_time_counts_from_the_start(bench: Bench) -> None:
    bench.run(2.0)
    bench.heard.clear()
    bench.send(Ping(0x1234))
    bench.run(0.01)
    pong = only([m for m in bench.of(Pong) if m.token == 0x1234])
    assert near(pong.board_us, (bench.now_s - 0.01 - BOOT_S) * 1e6, 1500)


# -- commands --------------------------------------------------------------------------


@behaviour()
def ping_is_answered_at_once_with_its_token(bench: Bench) -> None:
    bench.up()
    bench.pings = False
    begin = bench.now_s
    bench.send(Ping(0xABCD))
    bench.run(0.02)
    assert [pong.token for pong in bench.of(Pong)] == [0xABCD]
    assert bench.times(Pong)[0] - begin < 0.005


@behaviour()
def command_is_done_once_and_answered_again(bench: Bench) -> None:
    bench.up(enabled=True)
    swing = TiltTo(800, 600)
    assert bench.order_as(900, swing) == Result.DONE
    assert bench.order_as(900, swing) == Result.DONE  # BUSY if it were done again
    assert bench.order_as(901, swing) == Result.BUSY
    assert bench.order_as(901, swing) == Result.BUSY


@behaviour()
def another_session_makes_the_same_id_a_new_command(bench: Bench) -> None:
    bench.up(enabled=True)
    assert bench.order_as(900, TiltTo(800, 600)) == Result.DONE
    bench.send(GetHello(77))  # the same session: the id is known
    assert bench.order_as(900, TiltTo(800, 600)) == Result.DONE
    bench.send(GetHello(78))
    assert bench.order_as(900, TiltTo(800, 600)) == Result.BUSY


@behaviour()
def broken_frames_are_dropped(bench: Bench) -> None:
    bench.up()
    bench.pings = False
    good = encode(Ping(0x5555))
    bench.write(bytes((good[0], good[1], good[2] ^ 4)) + good[3:])
    bench.write(good[:3] + b"\0")
    bench.write(b"\x99" * 300 + b"\0")
    bench.write(frame(b"\x7e\x01"))  # no such message
    bench.write(frame(bytes((0x4B, 1))))  # too short for its number
    bench.write(b"\0\0")
    bench.run(0.05)
    assert bench.of(Pong) == []
    bench.write(good)
    bench.run(0.02)
    assert len(bench.of(Pong)) == 1


@behaviour()
def fields_of_a_newer_minor_version_are_ignored(bench: Bench) -> None:
    bench.up()
    bench.pings = False
    bench.write(frame(bytes((0x4B, 0x34, 0x12, 9, 9, 9))))
    bench.run(0.02)
    assert [pong.token for pong in bench.of(Pong)] == [0x1234]


@behaviour()
def lights_take_palette_indices(bench: Bench) -> None:
    bench.up()
    assert bench.order(Lights(3, bytes((1, 2, 3)))) == Result.DONE
    assert [bench.light(i) for i in range(2, 7)] == [0, 1, 2, 3, 0]
    assert bench.order(Lights(4, bytes((9,)))) == Result.DONE
    assert [bench.light(i) for i in range(2, 7)] == [0, 1, 9, 3, 0]
    assert bench.order(Lights(15, bytes((1, 2)))) == Result.UNKNOWN
    assert bench.light(15) == 0


@behaviour(why_only_c="the Python controller's lights show what they were told")
def lights_say_that_the_host_is_silent(bench: Bench) -> None:
    bench.up()
    assert bench.order(Lights(0, bytes((1, 2, 3)))) == Result.DONE
    bench.pings = bench.acks = False
    bench.run(1.1)
    assert [bench.light(i) for i in range(4)] == [15, 0, 0, 0]
    bench.send(Ping(1))
    bench.run(0.01)
    assert [bench.light(i) for i in range(4)] == [1, 2, 3, 0]


@behaviour()
def margins_are_told_cell_by_cell(bench: Bench) -> None:
    bench.up()
    bench.send(GetMargins(10, 60))
    bench.run(0.02)
    assert bench.of(Margins) == [Margins(10, tuple((cell, 500) for cell in range(10, 16)))]


@behaviour(Fit(features=ALL & ~Feature.MARGINS), why_only_c="the Python controller always has margins")
def margins_are_refused_where_there_are_none(bench: Bench) -> None:
    bench.up()
    bench.send(GetMargins(0, 10))
    bench.run(0.02)
    assert bench.of(Margins) == [Margins(0, ())]


# -- motion ----------------------------------------------------------------------------


@behaviour()
def no_pulse_before_enable_nor_in_the_first_second(bench: Bench) -> None:
    bench.run(0.2)
    assert bench.order(TiltTo(800, 600)) == Result.NOT_ENABLED
    assert bench.order(EnableTilt(0)) == Result.TOO_SOON
    bench.run(0.7)
    assert bench.order(EnableTilt(0)) == Result.TOO_SOON
    assert not bench.pulses
    bench.run(0.3)
    assert not bench.pulses
    assert bench.order(EnableTilt(0)) == Result.DONE
    bench.run(0.05)
    assert bench.pulses


@behaviour()
def angles_and_swings_beyond_the_limits_are_refused(bench: Bench) -> None:
    bench.up()
    for angle in (801, -801, 0x7FFE, -0x8000):
        assert bench.order(EnableTilt(angle)) == Result.OUT_OF_LIMITS
    assert bench.order(EnableTilt(0)) == Result.DONE
    for angle in (801, -801, 0x7FFF, -0x8000):
        assert bench.order(TiltTo(angle, 600)) == Result.OUT_OF_LIMITS
    assert bench.order(TiltTo(800, 249)) == Result.TOO_FAST
    assert bench.order(TiltTo(800, 250)) == Result.DONE
    bench.run(1.0)
    assert near(bench.angle_deg, 8, 0.02)


@behaviour()
def limits_are_narrowed_and_never_widened(bench: Bench) -> None:
    bench.up(enabled=True)
    assert bench.order(Configure(ConfigKey.ANGLE_LIMIT_CDEG, 801)) == Result.OUT_OF_LIMITS
    assert bench.order(Configure(ConfigKey.SWING_MIN_MS, 249)) == Result.OUT_OF_LIMITS
    assert bench.order(Configure(ConfigKey.ANGLE_LIMIT_CDEG, 300)) == Result.DONE
    assert bench.order(Configure(ConfigKey.SWING_MIN_MS, 500)) == Result.DONE
    assert bench.order(TiltTo(301, 600)) == Result.OUT_OF_LIMITS
    assert bench.order(TiltTo(-300, 499)) == Result.TOO_FAST
    assert bench.order(TiltTo(-300, 500)) == Result.DONE


@behaviour()
def swing_follows_minimum_jerk_and_reports_its_way(bench: Bench) -> None:
    bench.up(enabled=True)
    bench.run(0.3)
    bench.heard.clear()
    begin = bench.now_s
    assert bench.order(TiltTo(800, 600)) == Result.DONE
    bench.run(0.7)
    moving = [(at, m) for at, m in bench.heard if isinstance(m, TiltReport) and m.moving]
    assert len(moving) >= 6
    assert moving[0][1].commanded_cdeg == 0
    for at, report in moving:
        u = (at - begin) / 0.6
        assert near(report.commanded_cdeg, 800 * u**3 * (10 - 15 * u + 6 * u * u), 15)
    last = bench.of(TiltReport)[-1]
    assert (last.commanded_cdeg, last.moving, last.enabled, last.sensed) == (800, False, True, 1)
    assert near(bench.angle_deg, 8, 0.02)


@behaviour()
def swing_under_way_makes_the_board_busy(bench: Bench) -> None:
    bench.up(enabled=True)
    assert bench.order(TiltTo(800, 600)) == Result.DONE
    bench.run(0.5)
    assert bench.order(TiltTo(-800, 600)) == Result.BUSY
    bench.run(0.1)
    assert bench.order(TiltTo(-800, 600)) == Result.DONE


@behaviour()
def stop_holds_the_board_where_it_is(bench: Bench) -> None:
    bench.up(enabled=True)
    assert bench.order(TiltTo(-800, 600)) == Result.DONE
    bench.run(0.25)
    assert bench.order(StopTilt()) == Result.DONE
    bench.run(0.2)
    angle = bench.angle_deg
    assert -7 < angle < -1
    report = bench.of(TiltReport)[-1]
    assert (report.moving, report.enabled) == (False, True)
    assert near(report.commanded_cdeg, angle * 100, 30)
    bench.run(1.0)
    assert bench.angle_deg == angle
    assert bench.order(TiltTo(0, 600)) == Result.DONE


@behaviour()
def disable_ends_the_signal(bench: Bench) -> None:
    bench.up(enabled=True)
    assert bench.order(TiltTo(-800, 600)) == Result.DONE
    bench.run(0.3)
    assert bench.order(DisableTilt()) == Result.DONE
    bench.run(0.1)
    assert not bench.pulses
    report = bench.of(TiltReport)[-1]
    assert (report.moving, report.enabled) == (False, False)
    assert bench.order(TiltTo(0, 600)) == Result.NOT_ENABLED


@behaviour()
def silent_host_ends_the_signal_and_scanning_goes_on(bench: Bench) -> None:
    bench.up(enabled=True)
    bench.pings = bench.acks = False
    begin = bench.now_s
    bench.send(TiltTo(-800, 2000, 901))
    bench.run(0.97)
    assert bench.pulses
    bench.run(0.1)
    assert not bench.pulses
    assert bench.of(Fault) == [Fault(FaultCode.HOST_SILENT, 0)]
    assert near(bench.times(Fault)[0] - begin, 1.0, 0.005)
    stopped = bench.angle_deg
    assert -7.5 < stopped < -0.5
    bench.input(3, 1)
    bench.run(1.0)
    assert near(bench.angle_deg, stopped, 1.0)
    assert not bench.of(TiltReport)[-1].enabled
    assert (bench.of(EdgeMsg)[0].cell, bench.of(EdgeMsg)[0].reading) == (3, 1)
    assert bench.order(TiltTo(0, 600)) == Result.NOT_ENABLED
    assert bench.order(EnableTilt(round(stopped * 100))) == Result.DONE


@behaviour()
def noise_on_the_line_is_no_host(bench: Bench) -> None:
    bench.up(enabled=True)
    bench.pings = bench.acks = False
    for _ in range(11):
        bench.write(b"\x05\x4b\x07\x07\x07\0" + frame(b"\x70"))
        bench.run(0.1)
    assert Fault(FaultCode.HOST_SILENT, 0) in bench.of(Fault)
    assert not bench.pulses


@behaviour()
def silence_is_no_fault_where_nothing_is_enabled(bench: Bench) -> None:
    bench.up()
    bench.pings = bench.acks = False
    bench.run(3.0)
    assert bench.of(Fault) == []


@behaviour()
def unknown_angle_goes_slowly_to_level(bench: Bench) -> None:
    bench.turn(-8.0)
    bench.up()
    assert bench.order(EnableTilt(ANGLE_UNKNOWN_CDEG)) == Result.DONE
    bench.run(1.0)
    assert -8 < bench.angle_deg < -4
    assert bench.order(TiltTo(800, 600)) == Result.BUSY
    bench.run(2.2)
    assert near(bench.angle_deg, 0, 0.02)
    assert bench.order(TiltTo(800, 600)) == Result.DONE


@behaviour()
def hold_ends_the_signal_after_arrival(bench: Bench) -> None:
    bench.up(enabled=True)
    assert bench.order(Configure(ConfigKey.HOLD_MS, 300)) == Result.DONE
    assert bench.order(TiltTo(800, 600)) == Result.DONE
    bench.run(0.8)
    assert bench.pulses
    bench.run(0.2)
    assert not bench.pulses
    assert not bench.of(TiltReport)[-1].enabled
    assert bench.order(TiltTo(-800, 600)) == Result.DONE  # still allowed to move
    bench.run(0.05)
    assert bench.pulses


@behaviour()
def end_input_is_reported_without_a_motion(bench: Bench) -> None:
    bench.up()
    bench.turn(8.0)
    bench.run(0.05)
    assert [r.sensed for r in bench.of(TiltReport)] == [1]
    bench.turn(-8.0)
    bench.run(0.05)
    assert bench.of(TiltReport)[-1].sensed == 2


@behaviour()
def servo_that_does_not_arrive_misses_its_deadline(bench: Bench) -> None:
    bench.up(enabled=True)
    assert bench.order(TiltTo(800, 600)) == Result.DONE
    bench.run(1.0)
    assert bench.order(TiltTo(-800, 600)) == Result.DONE
    bench.run(0.35)
    bench.kill_servo()
    bench.run(2.0)
    fault = only(bench.of(Fault))
    assert fault.code == FaultCode.TILT_DEADLINE
    assert near(fault.argument, 2000, 5)
    assert not bench.pulses
    assert not bench.of(TiltReport)[-1].enabled
    assert bench.order(TiltTo(0, 600)) == Result.NOT_ENABLED


@behaviour()
def deadline_is_configured(bench: Bench) -> None:
    bench.up(enabled=True)
    assert bench.order(Configure(ConfigKey.DEADLINE_MS, 900)) == Result.DONE
    bench.kill_servo()
    assert bench.order(TiltTo(800, 600)) == Result.DONE
    bench.run(1.0)
    fault = only(bench.of(Fault))
    assert (fault.code, near(fault.argument, 900, 5)) == (FaultCode.TILT_DEADLINE, True)


@behaviour(why_only_c="the Python controller leaves stall detection out")
def servo_that_does_not_leave_its_end_is_stalled(bench: Bench) -> None:
    bench.up(enabled=True)
    assert bench.order(TiltTo(800, 600)) == Result.DONE
    bench.run(1.0)
    bench.kill_servo()
    assert bench.order(TiltTo(-800, 600)) == Result.DONE
    bench.run(1.0)
    fault = only(bench.of(Fault))
    assert (fault.code, near(fault.argument, 850, 5)) == (FaultCode.TILT_STALLED, True)
    assert not bench.pulses


@behaviour(why_only_c="the simulated see-saw has no two ends at once")
def both_ends_at_once_end_the_signal(bench: Bench) -> None:
    assert isinstance(bench, HostBoard)
    bench.up(enabled=True)
    bench.c.host_ends(3)
    bench.kill_servo()
    bench.run(0.05)
    assert bench.of(Fault) == [Fault(FaultCode.BOTH_ENDS, 0)]
    assert not bench.pulses


@behaviour(why_only_c="the Python controller leaves the duty limit out")
def motor_that_moved_too_long_must_rest(bench: Bench) -> None:
    bench.up(enabled=True)
    assert bench.order(TiltTo(500, 21_000)) == Result.DONE
    bench.run(21.1)
    assert bench.order(TiltTo(0, 600)) == Result.DUTY_LIMIT
    fault = only(bench.of(Fault))
    assert fault.code == FaultCode.DUTY_LIMIT
    assert 1 <= fault.argument <= 2
    bench.run(fault.argument)
    assert bench.order(TiltTo(0, 600)) == Result.DONE


@behaviour(why_only_c="the Python controller makes no pulses")
def pulses_keep_their_width_whatever_is_asked(bench: Bench) -> None:
    assert isinstance(bench, HostBoard)
    bench.up(enabled=True)
    for angle in (800, -800, 0, -800, 800):
        assert bench.order(TiltTo(angle, 250)) == Result.DONE
        bench.run(0.4)
        assert bench.c.host_pulse_us() == 1500 + angle // 2
    assert (bench.c.host_narrowest_us(), bench.c.host_widest_us()) == (1100, 1900)
    assert bench.c.host_first_pulse_us() >= 1_000_000


@behaviour(Fit(features=ALL & ~Feature.SERVO & ~Feature.END_INPUTS))
def board_without_a_servo_knows_no_tilt(bench: Bench) -> None:
    bench.up()
    assert bench.order(EnableTilt(0)) == Result.UNKNOWN
    assert bench.order(TiltTo(800, 600)) == Result.UNKNOWN
    assert bench.order(StopTilt()) == Result.DONE
    assert bench.order(DisableTilt()) == Result.DONE
    assert not bench.pulses


@behaviour()
def tilt_is_reported_each_five_seconds_at_rest(bench: Bench) -> None:
    bench.run(11.0)
    times = bench.times(TiltReport)
    assert len(times) == 2
    assert near(times[1] - times[0], 5.0, 0.01)


@behaviour()
def motion_is_not_enabled_after_a_reset(bench: Bench) -> None:
    bench.up(enabled=True)
    assert bench.order(TiltTo(800, 600)) == Result.DONE
    bench.run(0.3)
    bench.reset(ResetCause.BROWN_OUT)
    bench.run(0.3)
    assert bench.of(Hello)[-1].reset_cause == ResetCause.BROWN_OUT
    assert not bench.pulses
    assert bench.order(TiltTo(0, 600)) == Result.NOT_ENABLED
    assert bench.order(EnableTilt(0)) == Result.TOO_SOON
    assert [m.result for m in bench.of(Ack)][-1] == Result.TOO_SOON
