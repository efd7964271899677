"""The very image that is flashed, emulated, as a board for a test; its servo follows each pulse at once."""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType

from balanxd.simulated.emulated import BOARD, LOOSE, LOW, PALETTE, RESET_FLAGS
from balanxd.simulated.emulator import (
    CYCLES_PER_US,
    EEPROM_BYTES,
    NONE,
    Do,
    Emulator,
    Event,
    Record,
    Saw,
    Stop,
)
from firmware_bridge.messages import Feature, ResetCause

from .board import CELLS, END_DEG, Board, Fit, Need, NotHere

FEATURES = Feature.SERVO | Feature.END_INPUTS | Feature.LIGHTS
CHAIN_INPUT = 0xFFFF
AVCC = 8
BYTE_US = 40
PIN_C0, PIN_C1 = ord("C") << 8, ord("C") << 8 | 1
PAUSE_S = 0.03
"""Without a pulse for so long there is no signal."""


class EmulatedBoard(Board):
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
        self.emulator.wire(f"165 {BOARD} D4 D5 D6 {CELLS}" + (" C2" if fit.chain_end else ""))
        self.emulator.wire(f"lights {BOARD} D7")
        self._events: list[Event] = []
        self._line_free_us = 0
        self._angle_deg = 0.0
        self._dead = False
        self._pulse_s = -1.0
        self._widths: list[float] = []
        self._lights = bytes(CELLS)
        self.turn(0.0)

    def close(self) -> None:
        """See Board."""
        self.emulator.close()

    def write(self, data: bytes) -> None:
        """See Board."""
        at_us = max(self._us(), self._line_free_us)
        for byte in data:
            self._events.append(Event(at_us, BOARD, Do.RX, byte))
            at_us += BYTE_US
        self._line_free_us = at_us

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
                if not self._widths or abs(self._widths[-1] - width_us) > 0.1:
                    self._widths.append(width_us)
                if not self._dead:
                    self.turn((width_us - 1500) / 50)
            case Saw.LIGHTS:
                told = self.emulator.light_bytes(BOARD)
                self._lights = bytes(
                    PALETTE.index((told[at], told[at + 1], told[at + 2])) for at in range(0, 3 * CELLS, 3)
                )
            case Saw.CRASHED:
                raise AssertionError(f"the firmware ran off after {self.now_s:.6f} s")

    def input(self, cell: int, reading: int) -> None:
        """See Board."""
        self._do(Do.INPUT, cell, reading)

    def reset(self, cause: ResetCause) -> None:
        """See Board."""
        self._do(Do.RESET, RESET_FLAGS[cause])
        self.zero_s = self.now_s

    def turn(self, angle_deg: float) -> None:
        """See Board."""
        self._angle_deg = angle_deg
        self._ends(angle_deg >= END_DEG, angle_deg <= -END_DEG)

    def both_ends(self) -> None:
        """See Board."""
        self._dead = True
        self._ends(True, True)

    def kill_servo(self) -> None:
        """See Board."""
        self._dead = True

    @property
    def angle_deg(self) -> float:
        """See Board."""
        return self._angle_deg

    @property
    def pulses(self) -> bool:
        """See Board."""
        return self.now_s - self._pulse_s < PAUSE_S

    @property
    def widths_us(self) -> list[float]:
        """See Board."""
        return self._widths

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
        self._do(Do.INPUT, CHAIN_INPUT, NONE if dead_from is None else dead_from)

    def _ends(self, seat0: bool, seat1: bool) -> None:
        self._do(Do.PIN, PIN_C0, LOW if seat0 else LOOSE)
        self._do(Do.PIN, PIN_C1, LOW if seat1 else LOOSE)

    def _us(self) -> int:
        return round(self.now_s * 1e6) + 1

    def _do(self, kind: Do, a: int, b: int = 0) -> None:
        self._events.append(Event(self._us(), BOARD, kind, a, b))
