"""One list of promises for every sensor back end: the serial controller, the 74HC165 chain, reeds, and an expander.

The drivers run on gpiozero's mock factory and on a fake bus; a chain is clocked by the real driver's own writes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tables.rig import CALM, CLASSIC

from firmware_bridge.link import (
    EdgeSeen,
    FaultSeen,
    Link,
    LinkEvent,
    LinkLost,
    LinkUp,
    PictureSeen,
    TiltSeen,
)
from firmware_bridge.messages import FaultCode
from hardware.debounce import Debounce
from hardware.gpio import ChainPins, InputPins
from hardware.mockpins import MockPins
from hardware.motorkit import ExpanderPins
from hardware.registers import FakeI2c, Mcp23017, ShiftRegisters
from hardware.sensors import LocalSensors, Reader, Unreadable
from sim.scan import Debounce as SimDebounce
from sim.table import Table

INPUTS = 16
SAMPLES = 5
SOON_S = 0.2


class Rig(Protocol):
    """One back end with the world behind it. Inputs 0..7 may be set; period_s: between two samples."""

    period_s: float
    heard: list[LinkEvent]

    @property
    def now_s(self) -> float: ...

    def open(self) -> None: ...

    def set(self, *inputs: int) -> None: ...

    def run(self, lasts_s: float) -> None: ...

    def break_off(self) -> None: ...

    def mend(self) -> None: ...


class LocalRig:
    """LocalSensors over some reader."""

    period_s = 0.01

    def __init__(self, *, ends: Reader | None = None) -> None:
        self.levels = 0
        self.dead = False
        self.heard: list[LinkEvent] = []
        self._now_s = 0.0
        self.sensors = self.make(ends)

    @property
    def now_s(self) -> float:
        return self._now_s

    def reader(self) -> Reader:
        raise NotImplementedError

    def make(self, ends: Reader | None) -> LocalSensors:
        return LocalSensors(
            self.reader(), inputs=INPUTS, scan_hz=1 / self.period_s, samples=SAMPLES, ends=ends
        )

    def open(self) -> None:
        self.sensors.opened(self.now_s)

    def set(self, *inputs: int) -> None:
        self.levels = sum(1 << number for number in inputs)

    def run(self, lasts_s: float) -> None:
        until_s = self.now_s + lasts_s
        while (due_s := self.sensors.due_s()) <= until_s:
            self._now_s = due_s
            self.heard += self.sensors.tick(due_s)
        self._now_s = until_s

    def break_off(self) -> None:
        self.dead = True

    def mend(self) -> None:
        self.dead = False


class ChainRig(LocalRig):
    """A chain of two 74HC165 on mock pins; switches draw the inputs low."""

    check: int | None = None

    def reader(self) -> Reader:
        pins = MockPins()
        self.registers = ShiftRegisters(INPUTS, lambda: ~self.levels & 0xFFFF)
        pins.chain(self.registers, clock=11, load=8, data=9, check=self.check)
        return ChainPins(pins, clock=11, load=8, data=9, inputs=INPUTS, check=self.check)

    def break_off(self) -> None:
        self.registers.dead = True

    def mend(self) -> None:
        self.registers.dead = False


class CheckedChainRig(ChainRig):
    """The far end is driven by a pin. Here the data line is stuck low when it breaks."""

    check = 25

    def break_off(self) -> None:
        self.registers.dead, self.registers.pull = True, False


class ReedRig(LocalRig):
    """A mock pin a reed."""

    def reader(self) -> Reader:
        pins = MockPins()

        def level(index: int) -> Callable[[], bool]:
            def now() -> bool:
                if self.dead:
                    raise OSError(5, "Input/output error")
                return not self.levels >> index & 1

            return now

        numbers = list(range(4, 4 + INPUTS))
        for index, number in enumerate(numbers):
            pins.input(number, level(index))
        return InputPins(pins, numbers, what="sensors: reeds")


class ExpanderRig(LocalRig):
    """Seven pins of each port of two MCP23017."""

    def reader(self) -> Reader:
        self.chips = Mcp23017(), Mcp23017()
        places = [(chip, pin) for chip in (0, 1) for pin in (*range(7), *range(8, 15))][:INPUTS]
        for number, chip in enumerate(self.chips):
            chip.levels = self._port(number, places)
        bus = FakeI2c({0x20: self.chips[0], 0x21: self.chips[1]})
        return ExpanderPins(bus, [(0x20 + chip, pin) for chip, pin in places])

    def _port(self, number: int, places: list[tuple[int, int]]) -> Callable[[], int]:
        def now() -> int:
            down = sum(
                1 << pin
                for index, (chip, pin) in enumerate(places)
                if chip == number and self.levels >> index & 1
            )
            return ~down & 0xFFFF

        return now

    def break_off(self) -> None:
        self.chips[1].dead = True

    def mend(self) -> None:
        self.chips[1].dead = False


class ControllerRig:
    """A simulated controller over the wire; marbles appear and vanish on a level board."""

    period_s = 0.001

    def __init__(self) -> None:
        self.heard: list[LinkEvent] = []
        # Its clock wanders off the host's; this test looks at milliseconds.
        self.table = Table(CLASSIC, seed=1, model=replace(CALM, tilt=replace(CALM.tilt, kind="none")))
        self.table.advance(2.0)
        self.table.read()
        self.link = Link(session=7)

    @property
    def now_s(self) -> float:
        return self.table.now_s

    def open(self) -> None:
        self.table.advance(self.now_s + 0.1)  # it has been on for a while
        self.table.read()
        self.table.opened()
        self.link.opened(self.now_s)
        self.table.write(self.link.take_bytes())

    def set(self, *inputs: int) -> None:
        self.table.place(dict.fromkeys(inputs, 0))

    def run(self, lasts_s: float) -> None:
        until_s = self.now_s + lasts_s
        while True:
            self.table.advance_to_bytes(min(until_s, self.link.due_s()))
            self.heard += self.link.receive(self.table.read(), self.now_s)
            self.heard += self.link.tick(self.now_s)
            self.table.write(self.link.take_bytes())
            if self.now_s >= until_s:
                return

    def break_off(self) -> None:
        self.table.faults.cut_wire()

    def mend(self) -> None:
        self.table.faults.mend_wire()


RIGS: dict[str, Callable[[], Rig]] = {
    "chain": ChainRig,
    "checked chain": CheckedChainRig,
    "reeds": ReedRig,
    "expander": ExpanderRig,
    "controller": ControllerRig,
}


def of(rig: Rig, kind: type[LinkEvent], since: int = 0) -> list[LinkEvent]:
    return [event for event in rig.heard[since:] if isinstance(event, kind)]


def edges(rig: Rig, since: int = 0) -> list[tuple[int, int]]:
    return [(event.cell, event.reading) for event in rig.heard[since:] if isinstance(event, EdgeSeen)]


def last_picture(rig: Rig) -> list[int]:
    picture = of(rig, PictureSeen)[-1]
    assert isinstance(picture, PictureSeen)
    return [number for number, reading in enumerate(picture.readings) if reading]


def up(rig: Rig, *inputs: int) -> int:
    """Open it and wait until it is up; how much was heard by then."""
    rig.set(*inputs)
    rig.open()
    rig.run(0.3 if isinstance(rig, LocalRig) else 4.0)
    assert of(rig, LinkUp), "the board never came up"
    return len(rig.heard)


# ---- the promises ------------------------------------------------------------------------------------------


def nothing_before_it_is_opened(rig: Rig) -> None:
    rig.set(1)
    rig.run(1.0)
    assert rig.heard == []


def up_comes_with_a_whole_picture(rig: Rig) -> None:
    up(rig, 0, 3, 7)
    first, second = [event for event in rig.heard if not isinstance(event, TiltSeen)][:2]
    assert isinstance(first, LinkUp)
    assert isinstance(second, PictureSeen)
    assert second.edges_lost
    assert last_picture(rig) == [0, 3, 7]
    assert len(second.readings) == first.hello.cells
    assert first.hello.bits == 1
    assert edges(rig) == []


def a_change_is_told_once(rig: Rig) -> None:
    since = up(rig, 2)
    rig.set(2, 5)
    rig.run(SOON_S)
    rig.set(5)
    rig.run(SOON_S)
    assert edges(rig, since) == [(5, 1), (2, 0)]


def a_change_is_told_after_n_equal_samples(rig: Rig) -> None:
    since = up(rig)
    changed_s = rig.now_s
    rig.set(4)
    rig.run(SOON_S)
    (edge,) = of(rig, EdgeSeen, since)
    late_s = edge.at_s - changed_s
    assert (SAMPLES - 1.5) * rig.period_s <= late_s <= (SAMPLES + 1.5) * rig.period_s


def a_short_pulse_is_not_told(rig: Rig) -> None:
    since = up(rig)
    rig.set(4)
    rig.run(2.5 * rig.period_s)
    rig.set()
    rig.run(SOON_S)
    assert edges(rig, since) == []
    assert last_picture(rig) == []


def a_pulse_never_hides_the_next_change(rig: Rig) -> None:
    since = up(rig)
    for _ in range(3):
        rig.set(4)
        rig.run(1.5 * rig.period_s)
        rig.set()
        rig.run(1.5 * rig.period_s)
    rig.set(4)
    rig.run(SOON_S)
    assert edges(rig, since) == [(4, 1)]


def several_at_once_are_all_told(rig: Rig) -> None:
    since = up(rig, 0, 1, 2)
    rig.set(5, 6, 7)
    rig.run(SOON_S)
    assert sorted(edges(rig, since)) == [(0, 0), (1, 0), (2, 0), (5, 1), (6, 1), (7, 1)]


def a_picture_follows_the_edges(rig: Rig) -> None:
    since = up(rig)
    rig.set(6)
    rig.run(SAMPLES * rig.period_s + 0.08)
    told = [event for event in rig.heard[since:] if isinstance(event, EdgeSeen | PictureSeen)]
    assert isinstance(told[-1], PictureSeen)
    assert isinstance(told[-2], EdgeSeen)
    assert last_picture(rig) == [6]
    assert not told[-1].edges_lost


def a_picture_comes_every_second(rig: Rig) -> None:
    since = up(rig)
    rig.run(3.1)
    assert 2 <= len(of(rig, PictureSeen, since)) <= 5


def flickering_is_named(rig: Rig) -> None:
    since = up(rig)
    for _ in range(6):
        rig.set(3)
        rig.run(1.5 * rig.period_s)
        rig.set()
        rig.run(1.5 * rig.period_s)
    rig.run(1.5)
    counts = [pair for event in rig.heard[since:] if isinstance(event, PictureSeen) for pair in event.flicker]
    assert {number for number, _ in counts} == {3}
    assert 4 <= sum(count for _, count in counts) <= 7


def what_cannot_be_read_is_said(rig: Rig) -> None:
    since = up(rig, 1)
    rig.break_off()
    rig.run(2.5)
    told = of(rig, LinkLost, since)
    assert len(told) == 1
    lost = told[0]
    assert isinstance(lost, LinkLost)
    assert lost.why
    assert "Error" not in lost.why.split(" ")[0]
    assert edges(rig, since) == []


def it_comes_back_by_itself_and_whole(rig: Rig) -> None:
    up(rig, 1)
    rig.break_off()
    rig.run(2.5)
    since = len(rig.heard)
    rig.set(2)
    rig.mend()
    rig.run(2.5)
    assert len(of(rig, LinkUp, since)) == 1
    assert edges(rig, since) == []
    assert last_picture(rig) == [2]


PROMISES: tuple[Callable[[Rig], None], ...] = (
    nothing_before_it_is_opened,
    up_comes_with_a_whole_picture,
    a_change_is_told_once,
    a_change_is_told_after_n_equal_samples,
    a_short_pulse_is_not_told,
    a_pulse_never_hides_the_next_change,
    several_at_once_are_all_told,
    a_picture_follows_the_edges,
    a_picture_comes_every_second,
    flickering_is_named,
    what_cannot_be_read_is_said,
    it_comes_back_by_itself_and_whole,
)


@pytest.mark.parametrize("kind", RIGS)
@pytest.mark.parametrize("promise", PROMISES, ids=lambda promise: promise.__name__)
def test_every_back_end_keeps_the_promise(promise: Callable[[Rig], None], kind: str) -> None:
    promise(RIGS[kind]())


# ---- known-bad readers: the promise that is broken goes red, by name ----------------------------------------


class Blanking(ReedRig):
    """Takes the first level and looks away for a while, as bounce times do."""

    def make(self, ends: Reader | None) -> LocalSensors:
        inner, rig = self.reader(), self

        class Look:
            taken, until_s = 0, -1.0

            def read(self) -> int:
                levels = inner.read()
                if levels != self.taken and rig.now_s >= self.until_s:
                    self.taken, self.until_s = levels, rig.now_s + 0.05
                return self.taken

        return LocalSensors(Look(), inputs=INPUTS, scan_hz=1 / self.period_s, samples=1)


class Hasty(ReedRig):
    """Believes one sample."""

    def make(self, ends: Reader | None) -> LocalSensors:
        return LocalSensors(self.reader(), inputs=INPUTS, scan_hz=1 / self.period_s, samples=1)


class ClockFirst(ChainRig):
    """Clocks before it looks: the first input is never seen."""

    def reader(self) -> Reader:
        inner = super().reader()

        class Shifted:
            def read(self) -> int:
                return inner.read() >> 1

        return Shifted()


class Believing(ChainRig):
    """Has no wire at the far end, and takes a dead chain for an empty board."""

    def reader(self) -> Reader:
        pins = MockPins()
        self.registers = ShiftRegisters(INPUTS, lambda: ~self.levels & 0xFFFF)
        pins.chain(self.registers, clock=11, load=8, data=9, check=None)
        return ChainPins(pins, clock=11, load=8, data=9, inputs=INPUTS, tail=None)


class Silent(ReedRig):
    """Tells no pictures but the first."""

    def run(self, lasts_s: float) -> None:
        super().run(lasts_s)
        first = next((event for event in self.heard if isinstance(event, PictureSeen)), None)
        self.heard = [event for event in self.heard if event is first or not isinstance(event, PictureSeen)]


BAD: tuple[tuple[Callable[[], Rig], Callable[[Rig], None]], ...] = (
    (Blanking, a_short_pulse_is_not_told),
    (Hasty, a_change_is_told_after_n_equal_samples),
    (Hasty, a_short_pulse_is_not_told),
    (ClockFirst, up_comes_with_a_whole_picture),
    (Believing, what_cannot_be_read_is_said),
    (Silent, a_picture_comes_every_second),
    (Silent, a_picture_follows_the_edges),
)


@pytest.mark.parametrize(("bad", "promise"), BAD, ids=lambda part: part.__name__)
def test_a_bad_reader_breaks_the_promise(bad: Callable[[], Rig], promise: Callable[[Rig], None]) -> None:
    with pytest.raises(AssertionError):
        promise(bad())


# ---- the debounce rule, and what only some back ends have ---------------------------------------------------


@given(st.lists(st.integers(0, 1), min_size=1, max_size=60), st.integers(1, 6))
@settings(max_examples=200, deadline=None)
def test_the_simulator_and_we_accept_by_the_same_rule(levels: list[int], samples: int) -> None:
    ours = Debounce(samples, 0)
    theirs = SimDebounce(0, 0)
    ours.take(0)
    accepted: list[tuple[int, int]] = []
    told: list[tuple[int, int]] = []
    for tick, level in enumerate(levels, start=1):
        theirs.change(tick, level)
        if theirs.run != theirs.accepted and tick - theirs.start + 1 >= samples:
            theirs.accepted = theirs.run
            accepted.append((tick, theirs.accepted))
        if ours.take(level):
            told.append((tick, ours.accepted))
    assert told == accepted


@given(st.lists(st.integers(0, 7), max_size=40), st.integers(1, 5))
@settings(max_examples=100, deadline=None)
def test_what_is_quiet_is_what_counts(noise: list[int], samples: int) -> None:
    debounce = Debounce(samples, 5)
    changes = [number for levels in noise for number in debounce.take(levels)]
    changes += [number for _ in range(samples) for number in debounce.take(2)]
    assert debounce.accepted == 2
    for number, first, last in ((0, 1, 0), (1, 0, 1), (2, 1, 0)):
        assert changes.count(number) % 2 == first ^ last


def test_end_positions_are_told_as_the_controller_tells_them() -> None:
    class Ends:
        sensed = 1

        def read(self) -> int:
            return self.sensed

    ends = Ends()
    rig = ReedRig(ends=ends)
    since = up(rig)
    told = of(rig, TiltSeen)
    assert [event.sensed for event in told if isinstance(event, TiltSeen)] == [1]
    ends.sensed = 0
    rig.run(0.1)
    ends.sensed = 2
    rig.run(0.1)
    ends.sensed = 3
    rig.run(0.1)
    later = [event.sensed for event in rig.heard[since:] if isinstance(event, TiltSeen)]
    assert later == [0, 2, 3]
    (fault,) = of(rig, FaultSeen, since)
    assert isinstance(fault, FaultSeen)
    assert fault.code == FaultCode.BOTH_ENDS


def test_a_chain_that_never_answered_is_named_once() -> None:
    rig = ChainRig()
    rig.break_off()
    rig.open()
    rig.run(10.0)
    (fault,) = rig.heard
    assert isinstance(fault, FaultSeen)
    assert fault.code == FaultCode.CHAIN_BROKEN
    rig.mend()
    rig.run(3.0)
    assert len(of(rig, LinkUp)) == 1


@pytest.mark.parametrize("kind", [ChainRig, CheckedChainRig])
def test_one_disturbed_scan_is_no_broken_chain(kind: type[ChainRig]) -> None:
    rig = kind()
    since = up(rig, 1)
    rig.break_off()
    rig.run(1.5 * rig.period_s)
    rig.mend()
    rig.run(SOON_S)
    assert edges(rig, since) == []
    assert of(rig, LinkLost) == []


def test_the_check_pin_sees_a_line_that_is_stuck_either_way() -> None:
    for stuck in (False, True):
        rig = CheckedChainRig()
        reader = rig.reader()
        rig.registers.dead, rig.registers.pull = True, stuck
        with pytest.raises(Unreadable, match="look at its power"):
            reader.read()


def test_scans_that_were_missed_are_not_made_up_for() -> None:
    rig = ReedRig()
    up(rig)
    rig.sensors.tick(rig.now_s + 5.0)
    assert rig.sensors.due_s() == pytest.approx(rig.now_s + 5.0 + rig.period_s)


def test_a_closed_board_reads_nothing() -> None:
    rig = ReedRig()
    up(rig)
    assert rig.sensors.closed(rig.now_s, "unplugged") == [LinkLost(rig.now_s, "unplugged")]
    since = len(rig.heard)
    rig.run(5.0)
    assert rig.heard[since:] == []
