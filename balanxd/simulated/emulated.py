"""A table's controller as an emulated chip: the image that is flashed, in lock step with the table's time.

Levels of inputs and end positions and the host's bytes go to the chip at their own times; frames and servo pulses
come back at theirs. The chip runs ahead to the next event of the table at most, and stops where it sends a frame or
changes its pulses: so neither acts on what the other has not done yet. Times: the table's seconds, which the
chip counts from its start; within 1 us.
"""

from __future__ import annotations

from collections import deque
from math import inf
from operator import attrgetter
from typing import Any

from balanxd.devices import whole_chips
from balanxd.errors import BalanxError
from firmware_bridge.messages import ResetCause
from firmware_bridge.palette import indices_of
from sim.agenda import Agenda
from sim.drive import Drive
from sim.errors import SimError
from sim.inputs import Lines
from sim.model import Model
from sim.outside import Levels
from sim.pulsed import PulsedServo

from .emulator import CYCLES_PER_US, EEPROM_BYTES, Do, Emulator, Event, HostLine, Record, Saw, Stop

BOARD = 0
LOW, LOOSE = 0, 2
TX = int(Saw.TX)
END_PINS = (ord("C") << 8, ord("C") << 8 | 1)  # PC0, PC1
RESET_FLAGS = {
    ResetCause.POWER_ON: 1,
    ResetCause.EXTERNAL: 2,
    ResetCause.BROWN_OUT: 4,
    ResetCause.WATCHDOG: 8,
    ResetCause.SOFTWARE: 8,  # the firmware restarts itself by its watchdog
    ResetCause.UNKNOWN: 0,
}
"""What the chip finds in MCUSR."""

_at = attrgetter("at_us")


def wires(inputs: int, *, chain_end: bool = True) -> tuple[str, ...]:
    """How the controller of a chain of so many inputs is wired, in the emulator's words.

    chain_end: the far end of the chain is wired back.
    """
    back = " C2" if chain_end else ""
    return (f"165 {BOARD} D4 D5 D6 {whole_chips(inputs)}{back}", f"lights {BOARD} D7")


class EmulatedController:
    """See sim.outside.AnyController. `emulator` has the image in board 0, was not run yet, and is closed with this."""

    own_time = True

    def __init__(self, emulator: Emulator, agenda: Agenda, model: Model, lines: Lines, drive: Drive) -> None:
        """Raises SimError where the table is none for this chip."""
        if model.sensor.bits != 1:
            raise SimError("the firmware's image has one bit a space: play it with presence sensors")
        self.emulator = emulator
        self.faults: Any = None  # set by the table
        self._agenda = agenda
        self._zero_s = agenda.now_s
        self._drive = drive
        self._dtr_resets = model.board.dtr_resets
        self._inputs = len(lines.all)
        self._queue: list[Event] = []  # for the next run, in the order of time
        self._now_us = 0.0
        self._sent = bytearray()
        self._frames: deque[tuple[float, bytes]] = deque()
        self._line = HostLine(BOARD)
        self._lights = bytes(self._inputs)
        for words in wires(self._inputs):
            emulator.wire(words)
        self.servo = PulsedServo(
            agenda,
            model,
            drive,
            lambda: bool(self.faults.weak_supply),
            lambda: self.reset(ResetCause.BROWN_OUT),
        )
        self._levels = Levels(agenda, lines, self._level_now)
        self.ends_changed()

    # -- what outlives the power

    @property
    def boot(self) -> int:
        """The newer of the two boot numbers in the EEPROM."""
        return boot_of(self.emulator.eeprom(BOARD))

    @boot.setter
    def boot(self, number: int) -> None:
        self.emulator.set_eeprom(BOARD, kept_boot(number))

    @property
    def kept(self) -> str:
        """The EEPROM as hexadecimal digits, without what was never written at its end."""
        return self.emulator.eeprom(BOARD).rstrip(b"\xff").hex()

    @kept.setter
    def kept(self, text: str) -> None:
        try:
            data = bytes.fromhex(text)
        except ValueError:
            raise SimError("kept is not written in hexadecimal digits") from None
        self.emulator.set_eeprom(BOARD, data.ljust(EEPROM_BYTES, b"\xff"))

    # -- what the table asks

    @property
    def lights(self) -> bytes:
        """Palette index of each light, in chain order, as its colour was sent; 255 for a colour of no palette."""
        return self._lights

    def run_to(self, until_s: float) -> float:
        """Let the chip live to a time, to its next frame, or until its pulses change; the time then."""
        until_us = self._us(until_s)
        if until_us <= self._now_us:
            return until_s
        events = self._queue
        for at_s, index, level in self._levels.ahead(until_s):
            events.append(Event(self._us(at_s), BOARD, Do.INPUT, index, level))
        events.sort(key=_at)  # stable: what was asked for first is done first
        due = len(events)
        while due and events[due - 1].at_us > until_us:
            due -= 1
        stop = Stop.FRAME if self.servo.following else Stop.FRAME | Stop.PULSE
        cycle, done, rows = self.emulator.run_rows(until_us, events[:due], stop)
        self._now_us = cycle / CYCLES_PER_US
        reached = self._now_us >= until_us
        # Inputs to come stay planned with their lines, which may yet change their minds.
        self._queue = [event for event in events[done:] if event.kind != Do.INPUT]
        self._levels.passed(until_s if reached else self._s(self._now_us))
        sent = self._sent
        for row in rows:
            if row[2] == TX and row[3]:
                sent.append(row[3])  # most of all that happens
            else:
                self._take(Record._make(row))
        return until_s if reached else self._s(self._now_us)

    def next_s(self) -> float:
        """When the oldest frame not yet read will have left."""
        return self._frames[0][0] if self._frames else inf

    def write(self, data: bytes) -> None:
        """Bytes arrive from now on, behind those that are still on the line."""
        self._queue += self._line.send(self.faults.line_to_board(data), self._us(self._agenda.now_s))

    def read(self) -> bytes:
        """Whole frames that have left by now."""
        now_s = self._agenda.now_s + 1e-9
        gone = []
        while self._frames and self._frames[0][0] <= now_s:
            gone.append(self._frames.popleft()[1])
        return b"".join(gone)

    def opened(self) -> None:
        """The host opens the port (resets boards whose model says so)."""
        if self._dtr_resets:
            self.reset(ResetCause.EXTERNAL)

    def reset(self, cause: ResetCause) -> None:
        """Restart now."""
        self._now(Do.RESET, RESET_FLAGS[cause])

    def ends_changed(self) -> None:
        """The end inputs as they are now: closed to ground, or open."""
        for bit, pin in enumerate(END_PINS):
            self._now(Do.PIN, pin, LOW if self._drive.sensed >> bit & 1 else LOOSE)

    def close(self) -> None:
        """Ends the emulator."""
        self.emulator.close()

    # -- what comes back

    def _take(self, record: Record) -> None:
        at_s = self._s(record.cycle / CYCLES_PER_US)
        match record.kind:
            case Saw.TX:
                self._sent.append(record.a)
                self._frame(at_s)
            case Saw.PULSE:
                width_us = record.value / CYCLES_PER_US
                self.servo.pulse(at_s + width_us / 1e6, width_us)
            case Saw.LIGHTS:
                self._lights = indices_of(self.emulator.light_bytes(BOARD)[: 3 * self._inputs])
            case Saw.RESTARTED:
                if self._sent:  # what it was saying is cut
                    self._frame(at_s)
            case Saw.CRASHED:
                raise BalanxError(f"the emulated firmware ran off after {at_s:.6f} s")

    def _frame(self, at_s: float) -> None:
        data = self.faults.line_to_host(bytes(self._sent))
        self._sent.clear()
        if data:
            self._frames.append((at_s, data))

    # -- times

    def _us(self, at_s: float) -> int:
        return round((at_s - self._zero_s) * 1e6)

    def _s(self, at_us: float) -> float:
        return self._zero_s + at_us / 1e6

    def _level_now(self, index: int, level: int, at_s: float) -> None:
        self._queue.append(Event(self._us(at_s), BOARD, Do.INPUT, index, level))

    def _now(self, kind: Do, a: int, b: int = 0) -> None:
        self._queue.append(Event(self._us(self._agenda.now_s), BOARD, kind, a, b))


def _check(number: int) -> int:
    return 0xA5 ^ (number & 0xFF) ^ (number >> 8)


def kept_boot(number: int) -> bytes:
    """The EEPROM's first bytes as the firmware keeps its boot number (src/core.c): an even and an odd copy."""
    copy = bytes((number & 0xFF, number >> 8, _check(number), 0xFF))
    return b"\xff\xff\xff\xff" + copy if number & 1 else copy + b"\xff\xff\xff\xff"


def boot_of(eeprom: bytes) -> int:
    """The boot number in an EEPROM, 0 for none."""
    numbers = []
    for at in (0, 4):
        number = eeprom[at] | eeprom[at + 1] << 8
        if eeprom[at + 2] == _check(number):
            numbers.append(number)
    if len(numbers) == 2:
        return numbers[0] if (numbers[0] - numbers[1]) & 0xFFFF < 0x8000 else numbers[1]
    return numbers[0] if numbers else 0
