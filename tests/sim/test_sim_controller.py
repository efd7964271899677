"""The device side of the wire keeps its promises (board spec, The wire)."""

from dataclasses import replace

import pytest
from tables.rig import CALM, Rig, cell, corner_start

from firmware_bridge.link import EdgeSeen, Link, LinkEvent, LinkLost, LinkState, LinkUp, PictureSeen
from firmware_bridge.messages import (
    ANGLE_UNKNOWN_CDEG,
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
    ResetCause,
    Result,
    StopTilt,
    TiltReport,
    TiltTo,
)
from sim.model import BoardModel, ClockModel, Model, TiltModel


def last(rig: Rig, kind: type) -> object:
    return rig.of(kind)[-1]


def test_hello_after_boot_and_on_request() -> None:
    rig = Rig()
    rig.run(0.2)
    (first,) = rig.of(Hello)
    assert isinstance(first, Hello)
    assert (first.session, first.boot, first.reset_cause) == (0, 1, ResetCause.POWER_ON)
    assert (first.cells, first.bits, first.board_kind) == (56, 1, "classic")
    assert first.features & Feature.SERVO
    rig.send(GetHello(4711))
    rig.run(0.1)
    # the chain's end has answered meanwhile
    assert last(rig, Hello) == replace(first, session=4711, features=first.features | Feature.CHAIN_END)
    assert rig.picture() == bytes(int(space in corner_start()) for space in range(56))


def test_bytes_leave_one_every_40_us() -> None:
    rig = Rig()
    rig.run(1.1)
    rig.send(GetPicture())
    begin, got = rig.table.now_s, []
    for i in range(1, 60):
        rig.table.advance(begin + i * 40e-6)
        got.append(len(rig.table.read()))
    assert set(got) == {0, 1}
    assert got.index(0) > 20


def test_picture_once_a_second_and_20_ms_after_the_last_edge() -> None:
    rig = Rig()
    rig.up()
    rig.heard.clear()
    rig.run(5.0)
    times = [at for at, message in rig.heard if isinstance(message, Picture)]
    assert len(times) == 5
    rig.table.hand.lift(cell("d1"))
    rig.heard.clear()
    rig.run(0.4)
    (edge_at,) = [at for at, message in rig.heard if isinstance(message, EdgeMsg)]
    picture_at = next(at for at, message in rig.heard if isinstance(message, Picture) and at > edge_at)
    assert picture_at - edge_at == pytest.approx(0.02, abs=0.002)


def test_edges_come_again_until_they_are_acknowledged() -> None:
    rig = Rig()
    rig.up()
    rig.acks = False
    rig.heard.clear()
    rig.table.hand.lift(cell("d1"))
    rig.run(0.25 + 0.55)
    edges = rig.of(EdgeMsg)
    assert len(edges) == 6
    assert len(set(edges)) == 1
    assert isinstance(edges[0], EdgeMsg)
    rig.send(AckEdges(edges[0].number, edges[0].boot + 1))  # of another life: ignored
    rig.run(0.1)
    assert len(rig.of(EdgeMsg)) == 7
    rig.send(AckEdges(edges[0].number, edges[0].boot))
    rig.run(0.5)
    assert len(rig.of(EdgeMsg)) == 7


def test_a_full_queue_sets_overflow_until_a_picture_is_acknowledged() -> None:
    rig = Rig(model=replace(CALM, board=BoardModel(edge_queue=4)))
    rig.up()
    rig.acks = False
    for spot in ("e1", "f1"):
        rig.table.faults.flicker(cell(spot), 10)
    rig.run(0.6)
    for spot in ("e1", "f1"):
        rig.table.faults.heal(cell(spot))
    rig.run(0.5)
    picture = last(rig, Picture)
    assert isinstance(picture, Picture)
    assert picture.overflow
    assert picture.readings == bytes(int(space in corner_start()) for space in range(56))
    rig.send(AckEdges(picture.number, picture.boot))
    rig.send(GetPicture())
    rig.run(0.05)
    picture = last(rig, Picture)
    assert isinstance(picture, Picture)
    assert not picture.overflow


def test_a_command_is_done_once_and_answered_again() -> None:
    rig = Rig()
    rig.up()
    rig.send(TiltTo(-800, 600, 900))
    rig.run(0.02)
    rig.send(TiltTo(-800, 600, 900))  # would be BUSY if it were done again
    rig.run(0.02)
    acks = [m for _, m in rig.heard if type(m).__name__ == "Ack" and m.id == 900]  # type: ignore[union-attr]
    assert [m.result for m in acks] == [Result.DONE, Result.DONE]  # type: ignore[union-attr]
    rig.send(GetHello(78))  # another session: the id means a new command
    rig.send(TiltTo(-800, 600, 900))
    rig.run(0.02)
    assert last(rig, type(acks[0])).result == Result.BUSY  # type: ignore[attr-defined]


def test_no_pulse_before_enable_nor_in_the_first_second() -> None:
    rig = Rig()
    rig.run(0.2)
    assert rig.order(TiltTo(800, 600)) == Result.NOT_ENABLED
    assert rig.order(EnableTilt(0)) == Result.TOO_SOON
    rig.run(1.0)
    assert rig.table.angle_deg == 0.0
    assert rig.order(EnableTilt(0)) == Result.DONE
    assert rig.order(TiltTo(801, 600)) == Result.OUT_OF_LIMITS
    assert rig.order(TiltTo(800, 249)) == Result.TOO_FAST
    assert rig.order(TiltTo(800, 600)) == Result.DONE
    rig.run(1)
    assert rig.table.angle_deg == pytest.approx(8)


def test_tilt_reports_tell_start_way_and_arrival() -> None:
    rig = Rig()
    rig.up()
    rig.heard.clear()
    rig.tilt(1)
    reports = [m for m in rig.of(TiltReport) if isinstance(m, TiltReport)]
    assert reports[0].moving
    assert reports[0].commanded_cdeg == 800
    assert (reports[-1].moving, reports[-1].commanded_cdeg, reports[-1].sensed) == (False, -800, 2)
    assert [report.sensed for report in reports] == sorted(
        (report.sensed for report in reports), key=[1, 0, 2].index
    )
    commanded = [report.commanded_cdeg for report in reports]
    assert commanded == sorted(commanded, reverse=True)
    assert 7 <= len(reports) <= 12


def test_unknown_angle_goes_slowly_to_level() -> None:
    rig = Rig(model=replace(CALM, tilt=TiltModel(start_deg=-8.0)))
    rig.run(1.2)
    assert rig.order(EnableTilt(ANGLE_UNKNOWN_CDEG)) == Result.DONE
    rig.run(1.0)
    assert -8 < rig.table.angle_deg < -4
    assert rig.order(TiltTo(800, 600)) == Result.BUSY
    rig.run(2.5)
    assert rig.table.angle_deg == 0.0


def test_stop_holds_the_board_where_it_is() -> None:
    rig = Rig()
    rig.up()
    assert rig.order(TiltTo(-800, 600)) == 0
    rig.run(0.25)
    assert rig.order(StopTilt()) == 0
    rig.run(0.3)
    angle = rig.table.angle_deg
    assert -6 < angle < 6
    report = last(rig, TiltReport)
    assert isinstance(report, TiltReport)
    assert (report.moving, report.enabled) == (False, True)
    assert report.commanded_cdeg == pytest.approx(angle * 100, abs=1)
    rig.run(1)
    assert rig.table.angle_deg == angle
    assert rig.order(DisableTilt()) == 0
    assert not last(rig, TiltReport).enabled  # type: ignore[attr-defined]


def test_a_silent_host_ends_the_signal_and_scanning_goes_on() -> None:
    rig = Rig()
    rig.up()
    rig.pings = rig.acks = False
    rig.send(TiltTo(-800, 2000, 901))
    rig.run(1.2)
    assert last(rig, Fault) == Fault(FaultCode.HOST_SILENT, 0)
    stopped = rig.table.angle_deg
    assert -8 < stopped < 8
    rig.run(1.0)
    assert rig.table.angle_deg == pytest.approx(stopped, abs=1.0)
    assert not last(rig, TiltReport).enabled  # type: ignore[attr-defined]
    rig.table.hand.lift(cell("d1"))
    rig.run(0.6)
    assert (cell("d1"), 0) in rig.edges()


def test_a_dead_servo_does_not_leave_its_end() -> None:
    rig = Rig()
    rig.up()
    rig.table.faults.servo_dead()
    assert rig.order(TiltTo(-800, 600)) == 0
    rig.run(3.0)
    fault = last(rig, Fault)
    assert isinstance(fault, Fault)
    assert (fault.code, fault.argument) == (FaultCode.TILT_STALLED, 850)
    assert rig.table.angle_deg == pytest.approx(8)
    assert last(rig, TiltReport).sensed == 1  # type: ignore[attr-defined]


def test_lights_margins_and_configuration() -> None:
    rig = Rig()
    rig.up(tilted=None)
    assert rig.order(Lights(3, bytes((1, 2, 3)))) == 0
    assert rig.table.lights[2:7] == bytes((0, 1, 2, 3, 0))
    assert rig.order(Lights(55, bytes((1, 2)))) == Result.UNKNOWN
    assert rig.order(Configure(99, 1)) == Result.UNKNOWN
    assert rig.order(Configure(ConfigKey.DEBOUNCE_SAMPLES, 0)) == Result.OUT_OF_LIMITS
    assert rig.order(Configure(ConfigKey.DEBOUNCE_SAMPLES, 50)) == 0
    rig.send(GetMargins(0, 10))
    rig.run(0.05)
    margins = last(rig, Margins)
    assert isinstance(margins, Margins)
    assert len(margins.pairs) == 10
    rig.table.hand.lift(cell("d1"))
    rig.run(0.25 + 0.045)
    assert rig.edges() == []
    rig.run(0.02)
    assert rig.edges() == [(cell("d1"), 0)]


def test_a_reset_forgets_all_but_the_boot_number() -> None:
    rig = Rig()
    rig.up()
    rig.table.hand.lift(cell("d1"))
    rig.run(0.3)
    rig.table.faults.reset(ResetCause.WATCHDOG)
    rig.heard.clear()
    rig.run(0.3)
    hello = last(rig, Hello)
    assert isinstance(hello, Hello)
    assert (hello.boot, hello.session, hello.reset_cause) == (2, 0, ResetCause.WATCHDOG)
    assert rig.edges() == []
    assert rig.order(EnableTilt(800)) == Result.TOO_SOON
    rig.table.hand.put(cell("d1"))
    rig.run(0.4)
    edge = last(rig, EdgeMsg)
    assert isinstance(edge, EdgeMsg)
    assert (edge.number, edge.boot) == (1, 2)


def test_a_weak_supply_browns_out_at_a_swing() -> None:
    rig = Rig()
    rig.up()
    rig.table.faults.weak_supply = True
    rig.send(TiltTo(-800, 600, 902))
    rig.run(0.5)
    hello = last(rig, Hello)
    assert isinstance(hello, Hello)
    assert hello.reset_cause == ResetCause.BROWN_OUT
    assert rig.table.angle_deg == pytest.approx(8, abs=0.2)


def test_opening_the_port_resets_a_board_that_has_dtr() -> None:
    rig = Rig(model=replace(CALM, board=BoardModel(dtr_resets=True)))
    rig.run(0.5)
    rig.table.opened()
    rig.run(0.2)
    hello = last(rig, Hello)
    assert isinstance(hello, Hello)
    assert (hello.boot, hello.reset_cause) == (2, ResetCause.EXTERNAL)


def test_without_a_servo_tilt_commands_are_unknown() -> None:
    rig = Rig(model=replace(CALM, tilt=TiltModel(kind="manual")))
    rig.run(1.2)
    hello = last(rig, Hello)
    assert isinstance(hello, Hello)
    assert not hello.features & Feature.SERVO
    assert rig.order(EnableTilt(0)) == Result.UNKNOWN
    assert rig.order(TiltTo(800, 600)) == Result.UNKNOWN
    rig.table.hand.push(1)
    rig.run(1.5)
    assert rig.table.angle_deg == pytest.approx(-8)
    assert last(rig, TiltReport).sensed == 2  # type: ignore[attr-defined]


def linked(table_rig: Rig, link: Link, lasts_s: float) -> list[LinkEvent]:
    """The real link against the simulated board."""
    table = table_rig.table
    events: list[LinkEvent] = []
    until = table.now_s + lasts_s
    while table.now_s < until:
        out = link.take_bytes()
        if out:
            table.write(out)
        due = link.due_s()
        table.advance(min(table.next_s(), max(due, table.now_s), until))
        data = table.read()
        if data:
            events += link.receive(data, table.now_s)
        if due <= table.now_s:
            events += link.tick(table.now_s)
    return events


@pytest.mark.parametrize(
    "clock",
    [ClockModel(), ClockModel(start_us=0xFFFFFFFF - 2_000_000, drift_ppm=900.0)],
    ids=["true", "wraps"],
)
def test_the_link_of_the_bridge_plays_with_this_board(clock: ClockModel) -> None:
    rig = Rig(model=Model(board=BoardModel(clock=clock)))
    link = Link(session=99)
    link.opened(0.0)
    events = linked(rig, link, 1.5)
    assert link.state is LinkState.UP
    assert [type(event) for event in events[:2]] == [LinkUp, PictureSeen]
    link.send(EnableTilt(0))
    link.send(TiltTo(800, 600))
    events = linked(rig, link, 1.5)
    rig.table.hand.move(cell("e1"), cell("e5"))
    events = linked(rig, link, 2.5)
    edges = [event for event in events if isinstance(event, EdgeSeen)]
    assert edges
    assert all(abs(edge.at_s - rig.table.now_s) < 2.6 for edge in edges)
    pictures = [event for event in events if isinstance(event, PictureSeen)]
    lying = rig.table.occupancy()
    assert pictures[-1].readings == bytes(int(space in lying) for space in range(56))
    assert not any(isinstance(event, LinkLost) for event in events)


def test_the_link_survives_loss_and_overflow() -> None:
    rig = Rig(model=Model(board=BoardModel(edge_queue=4)), seed=5)
    link = Link(session=99)
    link.opened(0.0)
    linked(rig, link, 1.0)
    rig.table.faults.to_host.loss = rig.table.faults.to_board.loss = 0.01
    rig.table.faults.to_host.flip = 0.01
    for spot in ("e1", "f1", "g1"):
        rig.table.faults.flicker(cell(spot), 12)
    linked(rig, link, 5.0)
    for spot in ("e1", "f1", "g1"):
        rig.table.faults.heal(cell(spot))
    rig.table.faults.mend_wire()
    events = linked(rig, link, 2.0)
    assert link.state is LinkState.UP
    pictures = [event for event in events if isinstance(event, PictureSeen)]
    assert pictures[-1].readings == bytes(int(space in corner_start()) for space in range(56))
    assert link.counters.frames_dropped > 0


def test_a_cut_wire_is_silent_both_ways() -> None:
    rig = Rig()
    rig.up()
    rig.table.faults.cut_wire()
    rig.run(0.1)
    rig.heard.clear()
    rig.run(3.0)
    assert rig.heard == []
    rig.table.faults.mend_wire()
    rig.run(1.5)
    assert rig.of(Picture)
    assert not rig.of(TiltReport) or not last(rig, TiltReport).enabled  # type: ignore[attr-defined]
