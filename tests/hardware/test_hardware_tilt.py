"""Drives: commands of the referee and reports of the board in, wire commands and tilt events out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.link import Answered, LinkLost, LinkUp, TiltSeen
from firmware_bridge.messages import (
    ANGLE_UNKNOWN_CDEG,
    Configure,
    DisableTilt,
    EnableTilt,
    Hello,
    NumberedCommand,
    ResetCause,
    Result,
    StopTilt,
    TiltTo,
)
from hardware.errors import HardwareError
from hardware.fakes import FakeDrive, FakeWire
from hardware.manual import ManualDrive
from hardware.tilt import (
    AGAIN_S,
    READY_S,
    Drive,
    ServoDrive,
    SupplyWeak,
    TiltArrived,
    TiltEvent,
    TiltFailed,
    TiltLeft,
    TiltLimits,
)

LIMITS = TiltLimits()
WHITE_DOWN, BLACK_DOWN = 1, 2


def seen(
    at_s: float, cdeg: int = 800, sensed: int = 0, *, moving: bool = False, enabled: bool = True
) -> TiltSeen:
    return TiltSeen(at_s, cdeg, sensed, moving, enabled, 5000)


def hello(cause: ResetCause) -> Hello:
    return Hello(
        major=1, minor=0, build_id=0, cells=56, bits=1, reader_hz=1000, reset_cause=cause, boot=2, session=1,
        features=0, firmware=(1, 0, 0), product="b", board_kind="k", unique_id=b"\0\0\0\0",
    )  # fmt: skip


def servo(*, end_inputs: bool = True, side: int | None = 0) -> tuple[ServoDrive, FakeWire]:
    """An armed drive on a board that stands with a side down."""
    wire = FakeWire()
    drive = ServoDrive(LIMITS, wire.send, end_inputs=end_inputs)
    drive.arm(0.0)
    if side is not None:
        drive.take(seen(0.0, 800 if side == 0 else -800, side + 1))
        assert drive.side == side
    return drive, wire


def accept(drive: ServoDrive, wire: FakeWire, at_s: float, since: int = 0) -> None:
    for answer in wire.answers(at_s, since=since):
        assert drive.take(answer) == []


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"full_cdeg": 100}, "full angle 1 degrees"),
        ({"full_cdeg": 1600}, "full angle"),
        ({"rock_cdeg": 300}, "rocking by 3 degrees"),
        ({"rock_cdeg": 0}, "rocking"),
        ({"swing_s": 0.2}, "faster throws marbles"),
        ({"warning_s": 0.5}, "warning of 0.5 s"),
    ],
)
def test_limits_that_hurt_are_refused(wrong: dict[str, float], why: str) -> None:
    with pytest.raises(HardwareError, match=why):
        TiltLimits(**wrong)  # type: ignore[arg-type]


def test_a_swing_enables_with_the_last_angle_and_arrives_at_the_end_input() -> None:
    drive, wire = servo(side=0)
    drive.go(1, 10.0)
    configure, enable, swing = wire.sent
    assert isinstance(configure, Configure)
    assert configure.value == 300
    assert enable == EnableTilt(angle_cdeg=800)
    assert swing == TiltTo(angle_cdeg=-800, swing_ms=600)
    assert drive.side is None
    assert drive.take(seen(10.01, 800, WHITE_DOWN)) == []  # a report made before it began
    accept(drive, wire, 10.02)
    assert drive.take(seen(10.3, 0, 0, moving=True)) == []
    assert drive.take(seen(10.62, -800, BLACK_DOWN)) == [TiltArrived(10.62, 1, expected=True)]
    assert drive.side == 1
    assert drive.due_s() == float("inf")


def test_an_unknown_angle_is_said_to_be_unknown() -> None:
    drive, wire = servo(side=None)
    drive.go(0, 1.0)
    assert wire.of(EnableTilt) == [EnableTilt(angle_cdeg=ANGLE_UNKNOWN_CDEG)]


def test_the_signal_is_enabled_again_after_it_ended() -> None:
    drive, wire = servo()
    drive.go(1, 1.0)
    accept(drive, wire, 1.0)
    drive.take(seen(1.7, -800, BLACK_DOWN))
    drive.go(0, 3.0)
    assert len(wire.of(EnableTilt)) == 1
    accept(drive, wire, 3.0)
    drive.take(seen(3.7, 800, WHITE_DOWN))
    drive.take(seen(4.0, 800, WHITE_DOWN, enabled=False))
    drive.go(1, 5.0)
    assert wire.of(EnableTilt)[1:] == [EnableTilt(angle_cdeg=800)]


@pytest.mark.parametrize("result", [Result.TOO_SOON, Result.BUSY, Result.NOT_ENABLED, Result.DUTY_LIMIT])
def test_a_board_that_is_not_ready_is_asked_again(result: Result) -> None:
    drive, wire = servo()
    drive.go(1, 1.0)
    first = len(wire.sent)
    assert drive.take(Answered(1.01, first, result)) == []
    assert drive.due_s() == pytest.approx(1.01 + AGAIN_S)
    assert drive.tick(drive.due_s()) == []
    assert len(wire.of(TiltTo)) == 2


def test_a_board_that_never_gets_ready_is_given_up() -> None:
    drive, wire = servo()
    drive.go(1, 0.0)
    events: list[TiltEvent] = []
    now_s = 0.0
    while not events and now_s < 100:
        events += drive.take(Answered(now_s, len(wire.sent), Result.TOO_SOON))
        now_s = drive.due_s()
        events += drive.tick(now_s)
    assert [type(event) for event in events] == [TiltFailed]
    assert now_s < 2 * READY_S + 1
    assert wire.sent[-1] == DisableTilt()


def test_a_refusal_is_tried_once_more_and_then_reported_with_its_code() -> None:
    drive, wire = servo()
    drive.go(1, 1.0)
    assert drive.take(Answered(1.0, len(wire.sent), Result.OUT_OF_LIMITS)) == []
    (failed,) = drive.take(Answered(1.1, len(wire.sent), Result.OUT_OF_LIMITS))
    assert isinstance(failed, TiltFailed)
    assert f"code {int(Result.OUT_OF_LIMITS)}" in failed.why
    assert not drive.motor


def test_a_board_that_does_not_arrive_is_tried_once_more_and_goes_on_by_hand() -> None:
    drive, wire = servo()
    drive.go(1, 1.0)
    accept(drive, wire, 1.0)
    assert drive.due_s() == pytest.approx(1.0 + LIMITS.swing_s + LIMITS.grace_s)
    assert drive.tick(drive.due_s() - 0.01) == []
    assert drive.tick(drive.due_s()) == []
    before = len(wire.sent)
    accept(drive, wire, 3.0, since=before - 1)
    (failed,) = drive.tick(drive.due_s())
    assert isinstance(failed, TiltFailed)
    assert failed.seat == 1
    assert len(wire.of(TiltTo)) == 2
    assert wire.sent[-1] == DisableTilt()
    assert not drive.motor
    assert drive.side == 0  # the end input says so still
    assert drive.take(seen(9.0, 0, BLACK_DOWN, enabled=False)) == [TiltArrived(9.0, 1, expected=False)]


def test_without_end_inputs_a_drive_that_failed_knows_nothing() -> None:
    drive, wire = servo(end_inputs=False, side=0)
    drive.go(1, 1.0)
    for _ in range(2):
        drive.take(Answered(1.0, len(wire.sent), Result.OUT_OF_LIMITS))
    assert not drive.motor
    assert drive.side is None


def test_without_end_inputs_the_time_of_the_swing_tells() -> None:
    drive, wire = servo(end_inputs=False, side=0)
    drive.go(1, 1.0)
    accept(drive, wire, 1.0)
    assert drive.take(seen(1.3, -800)) == []
    assert drive.take(seen(1.6, -800)) == [TiltArrived(1.6, 1, expected=True)]


def test_a_stop_is_sent_at_once_and_the_angle_is_unknown() -> None:
    drive, wire = servo()
    drive.go(1, 1.0)
    accept(drive, wire, 1.0)
    drive.stop(1.3)
    assert wire.sent[-1] == StopTilt()
    assert drive.side is None
    drive.stop(1.4)
    assert wire.sent.count(StopTilt()) == 1


@pytest.mark.parametrize("side", [0, 1])
def test_rocking_goes_a_little_up_and_back_and_never_through_level(side: int) -> None:
    drive, wire = servo(side=side)
    drive.rock(1.0)
    accept(drive, wire, 1.0)
    up_s = drive.due_s()
    assert drive.tick(up_s) == []
    accept(drive, wire, up_s)
    assert drive.take(seen(up_s + 0.5, 800, side + 1)) == [TiltArrived(up_s + 0.5, side, expected=True)]
    angles = [command.angle_cdeg for command in wire.of(TiltTo)]
    sign = 1 if side == 0 else -1
    assert angles == [sign * 600, sign * 800]


def test_a_board_whose_side_is_unknown_is_not_rocked() -> None:
    drive, wire = servo(side=None)
    drive.rock(1.0)
    assert wire.of(TiltTo) == []


def test_a_board_that_is_moved_by_hand_tells() -> None:
    drive, _ = servo(side=0)
    assert drive.take(seen(1.0, 800, 0)) == [TiltLeft(1.0)]
    assert drive.take(seen(2.0, 800, BLACK_DOWN)) == [TiltArrived(2.0, 1, expected=False)]


def test_a_lost_link_forgets_and_disarms() -> None:
    drive, wire = servo(side=0)
    drive.go(1, 1.0)
    assert drive.take(LinkLost(1.1, "gone")) == []
    assert drive.side is None
    assert drive.due_s() == float("inf")
    with pytest.raises(HardwareError, match="not armed"):
        drive.go(1, 2.0)
    drive.rock(2.0)
    assert len(wire.of(TiltTo)) == 1
    drive.arm(3.0)
    drive.go(1, 3.0)
    assert wire.of(EnableTilt)[-1] == EnableTilt(angle_cdeg=ANGLE_UNKNOWN_CDEG)


def brown_out(drive: ServoDrive, at_s: float, cause: ResetCause = ResetCause.BROWN_OUT) -> list[object]:
    drive.arm(at_s)
    drive.go(1, at_s)
    drive.take(LinkLost(at_s + 0.1, "the board restarted"))
    return list(drive.take(LinkUp(at_s + 0.2, hello(cause))))


def test_a_brown_out_at_a_start_is_the_supply_and_the_second_ends_the_motor() -> None:
    drive, _ = servo()
    assert brown_out(drive, 10.0) == [SupplyWeak(10.2)]
    assert drive.motor
    weak, failed = brown_out(drive, 20.0)
    assert weak == SupplyWeak(20.2)
    assert isinstance(failed, TiltFailed)
    assert not drive.motor


def test_brown_outs_with_a_good_swing_between_them_are_not_counted_together() -> None:
    drive, wire = servo()
    brown_out(drive, 10.0)
    drive.arm(11.0)
    drive.go(1, 11.0)
    accept(drive, wire, 11.0)
    drive.take(seen(11.7, -800, BLACK_DOWN))
    assert brown_out(drive, 20.0) == [SupplyWeak(20.2)]


@pytest.mark.parametrize("cause", [ResetCause.WATCHDOG, ResetCause.EXTERNAL, ResetCause.POWER_ON])
def test_another_reset_is_not_the_supply(cause: ResetCause) -> None:
    drive, _ = servo()
    assert brown_out(drive, 10.0, cause) == []


def test_a_brown_out_late_in_a_swing_or_outside_one_is_not_the_servo() -> None:
    drive, wire = servo()
    drive.go(1, 10.0)
    accept(drive, wire, 10.0)
    drive.take(seen(10.4, -100, 0, moving=True))
    drive.take(LinkLost(10.5, "x"))
    assert drive.take(LinkUp(10.6, hello(ResetCause.BROWN_OUT))) == []
    drive.take(LinkLost(20.0, "x"))
    assert drive.take(LinkUp(20.1, hello(ResetCause.BROWN_OUT))) == []


def test_the_last_motion_is_to_level_and_is_asked_for_again_until_it_is_taken() -> None:
    drive, wire = servo(side=0)
    drive.to_level(1.0)
    assert wire.of(TiltTo) == [TiltTo(angle_cdeg=0, swing_ms=600)]
    assert drive.take(seen(1.01, 800, WHITE_DOWN)) == []  # a report made before it began
    assert drive.take(Answered(1.02, len(wire.sent), Result.BUSY)) == []
    assert drive.tick(drive.due_s()) == []
    accept(drive, wire, 1.3, since=len(wire.sent) - 1)
    assert drive.take(seen(1.6, 300, 0, moving=True)) == []
    assert not drive.level
    assert drive.take(seen(2.0, 0, 0)) == []
    assert drive.level
    assert drive.side is None
    assert drive.due_s() == float("inf")


def test_a_board_that_refuses_to_go_level_has_not_failed() -> None:
    drive, wire = servo(side=0)
    drive.to_level(1.0)
    assert drive.take(Answered(1.02, len(wire.sent), Result.OUT_OF_LIMITS)) == []
    assert not drive.level
    assert len(wire.of(TiltTo)) == 1


@pytest.mark.parametrize("end", ["let go", "lost", "stop"])
def test_a_board_on_its_way_to_level_is_not_asked_again_once_it_was_let_go(end: str) -> None:
    drive, wire = servo(side=0)
    drive.to_level(1.0)
    drive.take(Answered(1.02, len(wire.sent), Result.BUSY))
    match end:
        case "let go":
            drive.let_go(1.1)
        case "lost":
            drive.take(LinkLost(1.1, "gone"))
        case _:
            drive.stop(1.1)
            assert wire.sent[-1] == StopTilt()
    assert drive.due_s() == float("inf")
    assert drive.tick(5.0) == []
    assert len(wire.of(TiltTo)) == 1


happenings = st.lists(
    st.one_of(
        st.sampled_from(["arm", "go 0", "go 1", "rock", "stop", "level", "let go", "lost", "up", "tick"]),
        st.tuples(st.sampled_from([-800, -300, 0, 800]), st.integers(0, 3), st.booleans(), st.booleans()),
        st.sampled_from(list(Result)),
    ),
    max_size=40,
)


@given(happenings, st.booleans())
def test_no_motion_is_ever_ordered_before_it_is_armed(story: list[object], end_inputs: bool) -> None:
    wire, armed, now_s = FakeWire(), False, 0.0

    def send(command: NumberedCommand) -> int:
        assert armed or isinstance(command, StopTilt | DisableTilt | Configure)
        if isinstance(command, TiltTo):
            assert abs(command.angle_cdeg) <= LIMITS.full_cdeg
            assert command.swing_ms >= 250
        return wire.send(command)

    drive: Drive = ServoDrive(LIMITS, send, end_inputs=end_inputs)
    for what in story:
        now_s += 0.3
        match what:
            case "arm":
                armed = True
                drive.arm(now_s)
            case "go 0" | "go 1":
                if drive.due_s() < float("inf"):
                    continue
                if drive.armed:
                    drive.go(int(str(what)[-1]), now_s)
                else:
                    with pytest.raises(HardwareError):
                        drive.go(0, now_s)
            case "rock":
                drive.rock(now_s)
            case "stop":
                drive.stop(now_s)
            case "level":
                drive.to_level(now_s)
            case "let go":
                drive.let_go(now_s)
                armed = False
            case "lost":
                armed = False
                drive.take(LinkLost(now_s, "x"))
            case "up":
                drive.take(LinkUp(now_s, hello(ResetCause.BROWN_OUT)))
            case "tick":
                drive.tick(now_s)
            case Result():
                drive.take(Answered(now_s, len(wire.sent), what))
            case (int(cdeg), int(sensed), bool(moving), bool(enabled)):
                drive.take(seen(now_s, cdeg, sensed, moving=moving, enabled=enabled))
        if not armed:
            assert drive.due_s() == float("inf")


def test_by_hand_end_inputs_tell_and_a_lost_link_forgets() -> None:
    drive = ManualDrive(LIMITS, end_inputs=True)
    assert not drive.motor
    assert drive.take(seen(1.0, 0, WHITE_DOWN)) == [TiltArrived(1.0, 0, expected=False)]
    assert drive.take(seen(2.0, 0, WHITE_DOWN)) == []
    assert drive.take(seen(3.0, 0, 0)) == [TiltLeft(3.0)]
    assert drive.take(seen(4.0, 0, BLACK_DOWN)) == [TiltArrived(4.0, 1, expected=False)]
    drive.take(LinkLost(5.0, "x"))
    assert drive.side is None


def test_by_hand_without_end_inputs_nothing_is_known() -> None:
    drive = ManualDrive(LIMITS, end_inputs=False)
    assert drive.take(seen(1.0, 800, WHITE_DOWN)) == []
    assert drive.side is None
    for told in (drive.arm, drive.rock, drive.stop):
        told(1.0)
    drive.go(1, 1.0)
    assert drive.tick(2.0) == []
    assert drive.due_s() == float("inf")


def test_the_shipped_fake_is_a_drive() -> None:
    drive: Drive = FakeDrive(side=0)
    drive.arm(0.0)
    drive.go(1, 1.0)
    assert drive.side is None
    assert drive.take(LinkLost(1.0, "x")) == []
