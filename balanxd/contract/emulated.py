"""The very image that is flashed, emulated, as a board for a test; its servo follows each pulse at once."""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType

from balanxd.simulated.emulated import BOARD, END_PINS, LOOSE, LOW, RESET_FLAGS, wires
from balanxd.simulated.emulator import (
    CHAIN,
    CYCLES_PER_US,
    EEPROM_BYTES,
    NONE,
    Do,
    Emulator,
    Event,
    HostLine,
    Record,
    Saw,
    Stop,
)
from firmware_bridge.messages import Feature, ResetCause
from firmware_bridge.palette import indices_of

from .board import CELLS, Fit, Need, NotHere
from .following import FollowingBoard

FEATURES = Feature.SERVO | Feature.END_INPUTS | Feature.LIGHTS
AVCC = 8
PAUSE_S = 0.03
"""Without a pulse for so long there is no signal."""


class EmulatedBoard(FollowingBoard):
    """Time goes from one frame or changed pulse to the next. Closes its emulator with itself."""

    missing = MappingProxyType(
        {Need.FEEDBACK: "the end inputs are pins of the chip, read each millisecond: they cannot go stale"}
    )
    slack_s = 0.0015
    boot_s = 0.005

    def __init__(self, fit: Fit, program: Path, image: Path) -> None:
        """program: the emulator; image: an ELF file for CELLS inputs. Raises NotHere, EmulatorError."""
        super().__init__(fit, FEATURES)
        if fit.cells != CELLS or fit.bits != 1 or fit.reader_every_ms != 1:
            raise NotHere(f"the image that is flashed reads {CELLS} inputs of 1 bit at 1 kHz")
        if self.features != FEATURES:
            raise NotHere("the image that is flashed has servo, end inputs and lights, and no margins")
        self.emulator = Emulator(program)
        self.emulator.load(BOARD, image)
        for words in wires(CELLS, chain_end=fit.chain_end):
            self.emulator.wire(words)
        self._events: list[Event] = []
        self._line = HostLine(BOARD)
        self._pulse_s = -1.0
        self._lights = bytes(CELLS)
        self.turn(0.0)

    def close(self) -> None:
        """See Board."""
        self.emulator.close()

    def write(self, data: bytes) -> None:
        """See Board."""
        self._events += self._line.send(data, self._us())

    def _live(self, until_s: float) -> bytes:
        until_us = round(until_s * 1e6)
        self._events.sort(key=lambda event: event.at_us)  # stable
        due = [event for event in self._events if event.at_us <= until_us]
        ran = self.emulator.run(until_us, due, Stop.FRAME | Stop.PULSE)
        self._events = due[ran.done :] + self._events[len(due) :]
        self.now_s = ran.cycle / CYCLES_PER_US / 1e6
        sent = bytearray()
        for record in ran.records:
            self._take(record, sent)
        return bytes(sent)

    def _take(self, record: Record, sent: bytearray) -> None:
        match record.kind:
            case Saw.TX:
                sent.append(record.a)
            case Saw.PULSE:
                width_us = record.value / CYCLES_PER_US
                self._pulse_s = record.cycle / CYCLES_PER_US / 1e6 + width_us / 1e6
                self._pulse(width_us)
            case Saw.LIGHTS:
                self._lights = indices_of(self.emulator.light_bytes(BOARD)[: 3 * CELLS])
            case Saw.CRASHED:
                raise AssertionError(f"the firmware ran off after {self.now_s:.6f} s")

    def input(self, cell: int, reading: int) -> None:
        """See Board."""
        self._do(Do.INPUT, cell, reading)

    def reset(self, cause: ResetCause) -> None:
        """See Board."""
        self._do(Do.RESET, RESET_FLAGS[cause])
        self.zero_s = self.now_s

    @property
    def pulses(self) -> bool:
        """See Board."""
        return self.now_s - self._pulse_s < PAUSE_S

    def light(self, cell: int) -> int:
        """See Board."""
        return self._lights[cell]

    def stored(self, address: int) -> int:
        """See Board."""
        return self.emulator.eeprom(BOARD)[address]

    def spoil(self, address: int, byte: int) -> None:
        """See Board."""
        data = bytearray(self.emulator.eeprom(BOARD)[:EEPROM_BYTES])
        data[address] = byte
        self.emulator.set_eeprom(BOARD, bytes(data))

    def supply(self, supply_mv: int) -> None:
        """See Board."""
        self._do(Do.SUPPLY, supply_mv, AVCC)

    def chain(self, dead_from: int | None) -> None:
        """See Board."""
        self._do(Do.INPUT, CHAIN, NONE if dead_from is None else dead_from)

    def _ends(self, seat0: bool, seat1: bool) -> None:
        self._do(Do.PIN, END_PINS[0], LOW if seat0 else LOOSE)
        self._do(Do.PIN, END_PINS[1], LOW if seat1 else LOOSE)

    def _us(self) -> int:
        return round(self.now_s * 1e6) + 1

    def _do(self, kind: Do, a: int, b: int = 0) -> None:
        self._events.append(Event(self._us(), BOARD, kind, a, b))
