"""What a controller does with the see-saw, by name: each one a function of a board."""

from contract.promises import behaviour, only

from balanxd.contract.board import ALL, SESSION, Board, Fit, Need
from firmware_bridge.codec import frame
from firmware_bridge.messages import (
    ANGLE_UNKNOWN_CDEG,
    Ack,
    ConfigKey,
    Configure,
    DisableTilt,
    EdgeMsg,
    EnableTilt,
    Fault,
    FaultCode,
    Feature,
    Hello,
    ResetCause,
    Restart,
    Result,
    StopTilt,
    TiltReport,
    TiltTo,
)


@behaviour(Need.PULSES, Need.MOTION)
def no_pulse_before_enable_nor_in_the_first_second(board: Board) -> None:
    board.run(0.2)
    assert board.order(TiltTo(800, 600)) == Result.NOT_ENABLED
    assert board.order(EnableTilt(0)) == Result.TOO_SOON
    board.run(0.95 + board.zero_s - board.now_s)
    assert board.order(EnableTilt(0)) == Result.TOO_SOON
    assert not board.pulses
    board.run(0.1)
    assert not board.pulses
    assert board.order(EnableTilt(0)) == Result.DONE
    board.run(0.05)
    assert board.pulses


@behaviour(Need.SEESAW, Need.MOTION)
def angles_and_swings_beyond_the_limits_are_refused(board: Board) -> None:
    board.up()
    for angle in (801, -801, 0x7FFE, -0x8000):
        assert board.order(EnableTilt(angle)) == Result.OUT_OF_LIMITS
    assert board.order(EnableTilt(0)) == Result.DONE
    for angle in (801, -801, 0x7FFF, -0x8000):
        assert board.order(TiltTo(angle, 600)) == Result.OUT_OF_LIMITS
    assert board.order(TiltTo(800, 249)) == Result.TOO_FAST
    assert board.order(TiltTo(800, 250)) == Result.DONE
    board.run(1.0)
    assert board.near(board.angle_deg, 8, 0.02)


@behaviour(Need.MOTION)
def limits_are_narrowed_and_never_widened(board: Board) -> None:
    board.up(enabled=True)
    assert board.order(Configure(ConfigKey.ANGLE_LIMIT_CDEG, 801)) == Result.OUT_OF_LIMITS
    assert board.order(Configure(ConfigKey.SWING_MIN_MS, 249)) == Result.OUT_OF_LIMITS
    assert board.order(Configure(ConfigKey.ANGLE_LIMIT_CDEG, 300)) == Result.DONE
    assert board.order(Configure(ConfigKey.SWING_MIN_MS, 500)) == Result.DONE
    assert board.order(TiltTo(301, 600)) == Result.OUT_OF_LIMITS
    assert board.order(TiltTo(-300, 499)) == Result.TOO_FAST
    assert board.order(TiltTo(-300, 500)) == Result.DONE


@behaviour(Need.SEESAW, Need.MOTION)
def swing_follows_minimum_jerk_and_reports_its_way(board: Board) -> None:
    board.up(enabled=True)
    board.run(0.3)
    board.heard.clear()
    begin = board.now_s
    assert board.order(TiltTo(800, 600)) == Result.DONE
    board.run(0.7)
    moving = [(at, m) for at, m in board.heard if isinstance(m, TiltReport) and m.moving]
    assert len(moving) >= 6
    assert moving[0][1].commanded_cdeg == 0
    for at, report in moving:
        u = (at - begin) / 0.6
        assert board.near(report.commanded_cdeg, 800 * u**3 * (10 - 15 * u + 6 * u * u), 15)
    last = board.of(TiltReport)[-1]
    assert (last.commanded_cdeg, last.moving, last.enabled, last.sensed) == (800, False, True, 1)
    assert board.near(board.angle_deg, 8, 0.02)


@behaviour(Need.MOTION)
def swing_under_way_makes_the_board_busy(board: Board) -> None:
    board.up(enabled=True)
    assert board.order(TiltTo(800, 600)) == Result.DONE
    board.run(0.5)
    assert board.order(TiltTo(-800, 600)) == Result.BUSY
    board.run(0.1)
    assert board.order(TiltTo(-800, 600)) == Result.DONE


@behaviour(Need.SEESAW, Need.MOTION)
def stop_holds_the_board_where_it_is(board: Board) -> None:
    board.up(enabled=True)
    assert board.order(TiltTo(-800, 600)) == Result.DONE
    board.run(0.25)
    assert board.order(StopTilt()) == Result.DONE
    board.run(0.2)
    angle = board.angle_deg
    assert -7 < angle < -1
    report = board.of(TiltReport)[-1]
    assert (report.moving, report.enabled) == (False, True)
    assert board.near(report.commanded_cdeg, angle * 100, 30)
    board.run(1.0)
    assert board.angle_deg == angle
    assert board.order(TiltTo(0, 600)) == Result.DONE


@behaviour(Need.PULSES, Need.MOTION)
def disable_ends_the_signal(board: Board) -> None:
    board.up(enabled=True)
    assert board.order(TiltTo(-800, 600)) == Result.DONE
    board.run(0.3)
    assert board.order(DisableTilt()) == Result.DONE
    board.run(0.1)
    assert not board.pulses
    report = board.of(TiltReport)[-1]
    assert (report.moving, report.enabled) == (False, False)
    assert board.order(TiltTo(0, 600)) == Result.NOT_ENABLED


@behaviour(Need.INPUTS, Need.SEESAW, Need.PULSES, Need.MOTION)
def silent_host_ends_the_signal_and_scanning_goes_on(board: Board) -> None:
    board.up(enabled=True)
    board.pings = board.acks = False
    begin = board.now_s
    board.send(TiltTo(-800, 2000, 901))
    board.run(0.97)
    assert board.pulses
    board.run(0.1)
    assert not board.pulses
    assert board.of(Fault) == [Fault(FaultCode.HOST_SILENT, 0)]
    assert board.near(board.times(Fault)[0] - begin, 1.0, 0.005)
    stopped = board.angle_deg
    assert -7.5 < stopped < -0.5
    board.input(3, 1)
    board.run(1.0)
    assert board.near(board.angle_deg, stopped, 1.0)
    assert not board.of(TiltReport)[-1].enabled
    assert (board.of(EdgeMsg)[0].cell, board.of(EdgeMsg)[0].reading) == (3, 1)
    assert board.order(TiltTo(0, 600)) == Result.NOT_ENABLED
    assert board.order(EnableTilt(round(stopped * 100))) == Result.DONE


@behaviour(Need.PULSES, Need.MOTION)
def noise_on_the_line_is_no_host(board: Board) -> None:
    board.up(enabled=True)
    board.pings = board.acks = False
    for _ in range(11):
        board.write(b"\x05\x4b\x07\x07\x07\0" + frame(b"\x70"))
        board.run(0.1)
    assert Fault(FaultCode.HOST_SILENT, 0) in board.of(Fault)
    assert not board.pulses


@behaviour()
def silence_is_no_fault_where_nothing_is_enabled(board: Board) -> None:
    board.up()
    board.pings = board.acks = False
    board.run(3.0)
    assert board.of(Fault) == []


@behaviour(Need.SEESAW, Need.MOTION)
def unknown_angle_goes_slowly_to_level(board: Board) -> None:
    board.turn(-8.0)
    board.up()
    assert board.order(EnableTilt(ANGLE_UNKNOWN_CDEG)) == Result.DONE
    board.run(1.0)
    assert -8 < board.angle_deg < -4
    assert board.order(TiltTo(800, 600)) == Result.BUSY
    board.run(2.2)
    assert board.near(board.angle_deg, 0, 0.02)
    assert board.order(TiltTo(800, 600)) == Result.DONE


@behaviour(Need.PULSES, Need.MOTION)
def hold_ends_the_signal_after_arrival(board: Board) -> None:
    board.up(enabled=True)
    assert board.order(Configure(ConfigKey.HOLD_MS, 300)) == Result.DONE
    assert board.order(TiltTo(800, 600)) == Result.DONE
    board.run(0.8)
    assert board.pulses
    board.run(0.2)
    assert not board.pulses
    assert not board.of(TiltReport)[-1].enabled
    assert board.order(TiltTo(-800, 600)) == Result.DONE  # still allowed to move
    board.run(0.05)
    assert board.pulses


@behaviour(Need.SEESAW)
def end_input_is_reported_without_a_motion(board: Board) -> None:
    board.up()
    board.turn(8.0)
    board.run(0.05)
    assert [r.sensed for r in board.of(TiltReport)] == [1]
    board.turn(-8.0)
    board.run(0.05)
    assert board.of(TiltReport)[-1].sensed == 2


@behaviour(Need.FAULTY_SERVO, Need.PULSES, Need.MOTION)
def servo_that_does_not_arrive_misses_its_deadline(board: Board) -> None:
    board.up(enabled=True)
    assert board.order(TiltTo(800, 600)) == Result.DONE
    board.run(1.0)
    assert board.order(TiltTo(-800, 600)) == Result.DONE
    board.run(0.35)
    board.kill_servo()
    board.run(2.0)
    fault = only(board.of(Fault))
    assert fault.code == FaultCode.TILT_DEADLINE
    assert board.near(fault.argument, 2000, 5)
    assert not board.pulses
    assert not board.of(TiltReport)[-1].enabled
    assert board.order(TiltTo(0, 600)) == Result.NOT_ENABLED


@behaviour(Need.FAULTY_SERVO, Need.MOTION)
def deadline_is_configured(board: Board) -> None:
    board.up(enabled=True)
    assert board.order(Configure(ConfigKey.DEADLINE_MS, 900)) == Result.DONE
    board.kill_servo()
    assert board.order(TiltTo(800, 600)) == Result.DONE
    board.run(1.0)
    fault = only(board.of(Fault))
    assert (fault.code, board.near(fault.argument, 900, 5)) == (FaultCode.TILT_DEADLINE, True)


@behaviour(Need.FAULTY_SERVO, Need.PULSES, Need.MOTION)
def servo_that_does_not_leave_its_end_is_stalled(board: Board) -> None:
    board.up(enabled=True)
    assert board.order(TiltTo(800, 600)) == Result.DONE
    board.run(1.0)
    board.kill_servo()
    assert board.order(TiltTo(-800, 600)) == Result.DONE
    board.run(1.0)
    fault = only(board.of(Fault))
    assert (fault.code, board.near(fault.argument, 850, 5)) == (FaultCode.TILT_STALLED, True)
    assert not board.pulses


@behaviour(Need.SEESAW, Need.PULSES, Need.MOTION)
def both_ends_at_once_end_the_signal(board: Board) -> None:
    board.up(enabled=True)
    board.both_ends()
    board.run(0.1)
    assert board.of(Fault) == [Fault(FaultCode.BOTH_ENDS, 0)]
    assert not board.pulses


@behaviour(Need.MOTION)
def motor_that_moved_too_long_must_rest(board: Board) -> None:
    board.up(enabled=True)
    assert board.order(TiltTo(500, 21_000)) == Result.DONE
    board.run(21.1)
    assert board.order(TiltTo(0, 600)) == Result.DUTY_LIMIT
    fault = only(board.of(Fault))
    assert fault.code == FaultCode.DUTY_LIMIT
    assert 1 <= fault.argument <= 2
    board.run(fault.argument)
    assert board.order(TiltTo(0, 600)) == Result.DONE


@behaviour(Need.WIDTHS, Need.MOTION)
def pulses_keep_their_width_whatever_is_asked(board: Board) -> None:
    board.up(enabled=True)
    for angle in (800, -800, 0, -800, 800):
        assert board.order(TiltTo(angle, 250)) == Result.DONE
        board.run(0.4)
        wanted_us = 1500 + angle / 2
        assert abs(board.widths_us[-1] - wanted_us) <= 0.005 * wanted_us
    assert min(board.widths_us) >= 1100 * 0.995
    assert max(board.widths_us) <= 1900 * 1.005


@behaviour(Need.PULSES, Need.MOTION, fit=Fit(features=ALL & ~Feature.SERVO & ~Feature.END_INPUTS))
def board_without_a_servo_knows_no_tilt(board: Board) -> None:
    board.up()
    assert board.order(EnableTilt(0)) == Result.UNKNOWN
    assert board.order(TiltTo(800, 600)) == Result.UNKNOWN
    assert board.order(StopTilt()) == Result.DONE
    assert board.order(DisableTilt()) == Result.DONE
    assert not board.pulses


@behaviour()
def tilt_is_reported_each_five_seconds_at_rest(board: Board) -> None:
    board.run(11.0)
    times = board.times(TiltReport)[-2:]
    assert len(times) == 2
    assert board.near(times[1] - times[0], 5.0, 0.01)


@behaviour(Need.PULSES, Need.RESETS, Need.MOTION)
def motion_is_not_enabled_after_a_reset(board: Board) -> None:
    board.up(enabled=True)
    assert board.order(TiltTo(800, 600)) == Result.DONE
    board.run(0.3)
    board.reset(ResetCause.BROWN_OUT)
    board.run(0.3)
    assert board.of(Hello)[-1].reset_cause == ResetCause.BROWN_OUT
    assert not board.pulses
    assert board.order(TiltTo(0, 600)) == Result.NOT_ENABLED
    assert board.order(EnableTilt(0)) == Result.TOO_SOON
    assert [m.result for m in board.of(Ack)][-1] == Result.TOO_SOON


@behaviour(Need.FEEDBACK, Need.MOTION, Need.PULSES)
def stale_end_inputs_end_a_motion(board: Board) -> None:
    board.up(enabled=True)
    board.feedback(False)
    board.run(0.2)
    assert board.of(Fault) == []  # nothing moves
    assert board.order(TiltTo(800, 600)) == Result.DONE
    board.run(0.2)
    fault = only(board.of(Fault))
    assert fault == Fault(FaultCode.FEEDBACK_STALE, 100)
    assert not board.pulses
    board.feedback(True)
    assert board.order(TiltTo(800, 600)) == Result.NOT_ENABLED


@behaviour(Need.MOTION, Need.PULSES, Need.RESETS)
def restart_that_was_asked_for_ends_the_signal_first(board: Board) -> None:
    board.up(enabled=True)
    board.run(0.05)
    assert board.pulses
    board.send(Restart(SESSION, 2))  # another life
    board.send(Restart(SESSION + 1, 1))  # another session
    board.run(0.2)
    assert board.of(Hello) == []
    board.send(Restart(SESSION, 1))
    board.run(0.4)
    hello = only(board.of(Hello))
    assert (hello.boot, hello.session) == (2, 0)
    assert hello.reset_cause in (ResetCause.SOFTWARE, ResetCause.WATCHDOG)
    assert not board.pulses
    assert board.order(TiltTo(0, 600)) == Result.NOT_ENABLED
