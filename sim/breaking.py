"""Breaks a table on purpose: faults (`sim.faults`) in; bytes, inputs, marbles, drive and controller that fail, out.

A FaultHook belongs to one Table and draws from its own stream, so a fault does not shift noise or hands.
Nothing here is on unless asked for.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from math import inf
from random import Random
from typing import assert_never

from firmware_bridge.messages import ResetCause
from hardware.faults import FaultName

from .agenda import Agenda
from .drive import DriveFaults
from .errors import SimError
from .faults import (
    KINDS,
    Bouncing,
    BrownOut,
    BytesFlipped,
    BytesLost,
    ControllerReset,
    Crosstalk,
    DeadChain,
    Driven,
    EndAlways,
    EndNever,
    Flickering,
    MarbleStuck,
    OpenWire,
    ServoLate,
    SimFault,
    Stalled,
    StuckOff,
    StuckOn,
    Swapped,
    TiltShort,
    Timed,
    Way,
    Weak,
    WrongWay,
)
from .inputs import Line, Lines, Overlay


@dataclass(slots=True)
class ByteFault:
    """Shares of bytes lost and of bytes with one bit flipped, one way; `cut` lets nothing through."""

    loss: float = 0.0
    flip: float = 0.0
    cut: bool = False

    def pass_on(self, data: bytes, random: Random) -> bytes:
        """What arrives of some bytes."""
        if self.cut:
            return b""
        if not self.loss and not self.flip:
            return data
        arrived = bytearray()
        for byte in data:
            if random.random() < self.loss:
                continue
            arrived.append(byte ^ (1 << random.randrange(8)) if random.random() < self.flip else byte)
        return bytes(arrived)


@dataclass(slots=True)
class _Planned:
    """A fault that was asked for. on: it is at work now."""

    fault: SimFault
    random: Random
    on: bool = False
    over: bool = False


@dataclass(slots=True)
class FaultHook:
    """All faults of one table. Times are the table's present.

    What acts on the servo, on marbles and on their sensing does nothing unless told how.
    """

    _agenda: Agenda
    _lines: Lines
    _top: int
    _random: Random
    _reset: Callable[[ResetCause], None]
    _drive: DriveFaults
    _names: Sequence[str]
    _set_servo_dead: Callable[[bool], None] = lambda dead: None
    _hold_marbles: Callable[[int, int], None] = lambda cell, motions: None
    _dim: Callable[[int, bool], None] = lambda cell, dim: None
    to_host: ByteFault = field(default_factory=ByteFault)
    to_board: ByteFault = field(default_factory=ByteFault)
    weak_supply: bool = False
    """The controller browns out 20 ms after each start of the servo."""
    _flickering: dict[int, tuple[float, int]] = field(default_factory=dict)
    _buzzing: dict[int, tuple[float, bool]] = field(default_factory=dict)  # hz, only while a marble is seen
    _planned: list[_Planned] = field(default_factory=list)
    _motions: int = 0

    # -- faults by their data

    def plan(self, fault: SimFault) -> None:
        """Have a fault from its time on. Raises SimError where it names what this table has not."""
        self._check(fault)
        each = _Planned(fault, Random(self._random.random()))
        self._planned.append(each)
        if isinstance(fault, Driven):
            return
        self._agenda.at(fault.from_s, self._begin, len(self._planned) - 1)
        if fault.until_s < inf:
            self._agenda.at(fault.until_s, self._finish, len(self._planned) - 1)

    def end(self, kind: FaultName | None = None) -> None:
        """What was planned (of a kind, or all) is over now."""
        for number, each in enumerate(self._planned):
            if kind is None or type(each.fault) is KINDS[kind]:
                self._finish(number)

    @property
    def planned(self) -> tuple[SimFault, ...]:
        """All that was planned and is not over."""
        return tuple(each.fault for each in self._planned if not each.over)

    def motion_begins(self) -> None:
        """The motor is about to turn the board: faults of the drive are drawn for this motion."""
        self._motions += 1
        now = self._agenda.now_s
        for each in self._planned:
            fault = each.fault
            if not isinstance(fault, Driven) or each.over:
                continue
            due = fault.from_s <= now < fault.until_s
            due = due and fault.from_motion <= self._motions < fault.from_motion + fault.motions
            self._switch(each, due and each.random.random() < fault.chance)

    def _begin(self, number: int) -> None:
        each = self._planned[number]
        fault, now = each.fault, self._agenda.now_s
        assert isinstance(fault, Timed)
        if each.over:
            return
        self._switch(each, each.random.random() < fault.chance)
        if fault.every_s > 0 and now + fault.every_s < fault.until_s:
            self._agenda.at(now + fault.every_s, self._begin, number)

    def _finish(self, number: int) -> None:
        self._planned[number].over = True
        self._switch(self._planned[number], False)

    def _switch(self, each: _Planned, on: bool) -> None:
        if isinstance(each.fault, ControllerReset):
            if on:
                self.reset(ResetCause[each.fault.cause.upper()])
        elif on != each.on:
            each.on = on
            self._set(each, on)

    def _set(self, each: _Planned, on: bool) -> None:
        fault, drive = each.fault, self._drive
        match fault:
            case StuckOn(space=space, level=level):
                self._remap(self._cell(space), (level,) * (self._top + 1) if on else None)
            case StuckOff(space=space):
                self._remap(self._cell(space), (0,) * (self._top + 1) if on else None)
            case Bouncing(space=space, lasts_ms=lasts_ms):
                line = self._line(self._cell(space))
                line.chatter = (lasts_ms / 1000, each.random) if on else None
            case Flickering(space=space, hz=hz):
                if on:
                    self.flicker(self._cell(space), hz)
                else:
                    self._flickering.pop(self._cell(space), None)
            case Swapped(space=space, other=other):
                self.swapped(self._cell(space), self._cell(other))
            case DeadChain(input=first, level=level):
                for line in self._lines.all[first:]:
                    line.remap = (level,) * (self._top + 1) if on else None
                    self._lines.changed(line)
            case Crosstalk(space=space, neighbour=neighbour):
                self._lines.couple(self._cell(space), self._cell(neighbour) if on else None)
            case Weak(space=space, hz=hz, missed=missed):
                cell = self._cell(space)
                self._line(cell).missed = (missed, each.random) if on and missed else None
                self._dim(cell, on)
                self._buzz(cell, hz, each, on, marble=True)
            case OpenWire(space=space):
                cell = self._cell(space)
                self._remap(cell, (self._top if self._top > 1 else 0,) * (self._top + 1) if on else None)
                if self._top == 1:
                    self._buzz(cell, 50.0, each, on, marble=False)
            case MarbleStuck(space=space, motions=motions):
                self._hold_marbles(self._cell(space), motions if on else 0)
            case TiltShort(share=share):
                drive.reach = share if on else 1.0
            case ServoLate(factor=factor):
                drive.slow = factor if on else 1.0
            case Stalled():
                self._set_servo_dead(on)
            case WrongWay():
                drive.mirrored = on
            case EndNever(seat=seat):
                drive.never = drive.never | 1 << seat if on else drive.never & ~(1 << seat)
                drive.changed()
            case EndAlways(seat=seat):
                drive.always = drive.always | 1 << seat if on else drive.always & ~(1 << seat)
                drive.changed()
            case BytesLost(share=share, way=way):
                for wire in self._ways(way):
                    wire.loss = share if on else 0.0
            case BytesFlipped(share=share, way=way):
                for wire in self._ways(way):
                    wire.flip = share if on else 0.0
            case BrownOut():
                self.weak_supply = on
            case ControllerReset():
                raise AssertionError("a reset is over when it has come")
            case _:
                assert_never(fault)

    def _ways(self, way: Way) -> tuple[ByteFault, ...]:
        return {
            "both": (self.to_host, self.to_board),
            "to_host": (self.to_host,),
            "to_board": (self.to_board,),
        }[way]

    def _check(self, fault: SimFault) -> None:
        """Raise SimError for what no table has."""
        for key in ("space", "other", "neighbour"):
            name = getattr(fault, key, None)
            if name is not None:
                self._cell(name)
        if not 0.0 <= fault.chance <= 1.0:
            raise SimError(f"chance is {fault.chance:g}, it must lie in 0..1")
        if not 0.0 <= fault.from_s < fault.until_s:
            raise SimError("from_s must be 0 or later, and before until_s")
        match fault:
            case StuckOn(level=level) if not 0 <= level <= self._top:
                raise SimError(f"level is {level}, a space of this board reads 0..{self._top}")
            case DeadChain(input=first, level=level):
                if not 0 <= first < len(self._lines.all):
                    raise SimError(f"input is {first}, the chain has 0..{len(self._lines.all) - 1}")
                if not 0 <= level <= self._top:
                    raise SimError(f"level is {level}, a space of this board reads 0..{self._top}")
            case Swapped(space=space, other=other) if space == other:
                raise SimError(f"{space} cannot be exchanged with itself")
            case Crosstalk(space=space, neighbour=other) if space == other:
                raise SimError(f"{space} cannot see itself twice")
            case Flickering(hz=hz) | Weak(hz=hz) if not 0 < hz <= 200:
                raise SimError(f"hz is {hz:g}, it must lie above 0 and up to 200")
            case Weak(missed=share) | TiltShort(share=share) if not 0 <= share < 1:
                raise SimError(f"a share of {share:g} is outside 0 to below 1")
            case BytesLost(share=share) | BytesFlipped(share=share) if not 0 <= share <= 1:
                raise SimError(f"share is {share:g}, it must lie in 0..1")
            case ServoLate(factor=factor) if not 1 < factor <= 100:
                raise SimError(f"factor is {factor:g}, it must lie above 1 and up to 100")
            case Bouncing(lasts_ms=lasts_ms) if not 1 <= lasts_ms <= 200:
                raise SimError(f"lasts_ms is {lasts_ms:g}, it must lie in 1..200")
            case EndNever(seat=seat) | EndAlways(seat=seat) if seat not in (0, 1):
                raise SimError(f"seat is {seat}, there are 0 and 1")
            case _:
                pass

    def _cell(self, space: str) -> int:
        if space not in self._names:
            near = get_close_matches(space, self._names, 1, 0.5)
            raise SimError(
                f"there is no space {space!r} on this board{f' (did you mean {near[0]}?)' if near else ''}"
            )
        return self._names.index(space)

    # -- faults by hand

    def cut_wire(self) -> None:
        """No byte arrives any more, either way."""
        self.to_host.cut = self.to_board.cut = True

    def mend_wire(self) -> None:
        """The wire is whole and clean again."""
        self.to_host, self.to_board = ByteFault(), ByteFault()

    def line_to_host(self, data: bytes) -> bytes:
        """What arrives at the host of bytes that the board sends."""
        return self.to_host.pass_on(data, self._random)

    def line_to_board(self, data: bytes) -> bytes:
        """What arrives at the board of bytes that the host sends."""
        return self.to_board.pass_on(data, self._random)

    def stuck(self, cell: int, level: int) -> None:
        """The cell's input shows one level for ever."""
        self._remap(cell, (level,) * (self._top + 1))

    def dead(self, cell: int) -> None:
        """The cell's sensor sees nothing."""
        self.stuck(cell, 0)

    def inverted(self, cell: int) -> None:
        """The cell's input shows the opposite: something where nothing is, nothing where something is."""
        self._remap(cell, (1,) + (0,) * self._top)

    def unsure(self, cell: int) -> None:
        """A broken wire of a multi-bit cell: the top code."""
        self.stuck(cell, self._top)

    def swapped(self, cell: int, other: int) -> None:
        """The wires of two cells are exchanged."""
        lines = self._lines.of_cell
        a, b = self._line(cell), self._line(other)
        now = self._agenda.now_s
        plan_a, plan_b = a.plan_from(now), b.plan_from(now)
        lines[cell], lines[other] = b, a
        a.set_base(*plan_b)
        b.set_base(*plan_a)
        self._lines.changed(a)
        self._lines.changed(b)

    def flicker(self, cell: int, hz: float, level: int | None = None) -> None:
        """The cell's input toggles to `level` (None: the other one) and back `hz` times a second until
        healed.
        """
        if hz <= 0:
            raise SimError(f"a flicker needs a rate above 0, not {hz}")
        self._line(cell)
        new = cell not in self._flickering
        self._flickering[cell] = (hz, -1 if level is None else level)
        if new:
            self._toggle(cell)

    def heal(self, cell: int) -> None:
        """The cell's input works again (a swap stays)."""
        self._flickering.pop(cell, None)
        line = self._line(cell)
        line.remap = None
        self._lines.changed(line)

    def stuck_marble(self, cell: int, motions: int) -> None:
        """Dirt holds the marbles of a space's slot for the next motions of the board, or until one is lifted."""
        self._hold_marbles(cell, motions)

    def reset(self, cause: ResetCause = ResetCause.BROWN_OUT) -> None:
        """The controller restarts now."""
        self._reset(cause)

    def servo_dead(self, dead: bool = True) -> None:
        """The servo gets its pulses and does not move the board."""
        self._set_servo_dead(dead)

    # -- inside

    def _line(self, cell: int) -> Line:
        if not 0 <= cell < len(self._lines.of_cell):
            raise SimError(f"there is no space {cell} on this board")
        return self._lines.of_cell[cell]

    def _remap(self, cell: int, levels: Sequence[int] | None) -> None:
        line = self._line(cell)
        line.remap = None if levels is None else tuple(levels)
        self._lines.changed(line)

    def _toggle(self, cell: int) -> None:
        if cell not in self._flickering:
            return
        hz, level = self._flickering[cell]
        now = self._agenda.now_s
        if level < 0:
            level = 0 if self._line(cell).base(now) else 1
        half_s = 0.5 / hz
        self._lines.overlay(cell, [(now, now + half_s, level)])
        self._agenda.at(now + 2 * half_s, self._toggle, cell)

    def _buzz(self, cell: int, hz: float, each: _Planned, on: bool, *, marble: bool) -> None:
        """Short pulses that no debounce accepts: drop-outs of a marble, or hum on an open wire."""
        if not on:
            self._buzzing.pop(cell, None)
            self._line(cell).hum = None
            return
        new = cell not in self._buzzing
        self._buzzing[cell] = (hz, marble)
        self._line(cell).hum = each.random
        if new:
            self._next_buzz(cell)

    def _next_buzz(self, cell: int) -> None:
        if cell not in self._buzzing:
            return
        hz, marble = self._buzzing[cell]
        line, now = self._line(cell), self._agenda.now_s
        random = line.hum or self._random
        seen = bool(line.base(now))
        if not marble or seen:
            pulse: Overlay = (now, now + random.uniform(0.001, 0.004), 0 if marble else 1)
            line.hums.append(pulse)
            self._lines.changed(line)
        self._agenda.at(now + random.uniform(0.5, 1.5) / hz, self._next_buzz, cell)
