"""Fakes of chips, shipped: a chain of 74HC165, and the register files of PCA9685 and MCP23017 on a bus.

Driver's side in (levels of lines, bytes on the bus), world's side out (what the pins of the chip do). They refuse
what the real chips refuse, and a chip that is `dead` answers nobody.
"""

from __future__ import annotations

import errno
from collections.abc import Callable

MODE1, MODE2 = 0x00, 0x01
LED0 = 0x06
ALL_LED = 0xFA
PRE_SCALE = 0xFE
RESTART, AUTO_INCREMENT, SLEEP = 0x80, 0x20, 0x10
CLOCK_HZ = 25_000_000.0
FULL = 0x10  # bit 4 of the high byte: full on, or full off


class ShiftRegisters:
    """A chain of 74HC165. `levels()` gives the parallel inputs, bit i being the i-th that is shifted out.

    Load low takes the inputs as long as it is low; a rising clock shifts while load is high. The serial input of the
    far end is `tail`. A broken chain reads as the data line's pull says.
    """

    def __init__(self, inputs: int, levels: Callable[[], int]) -> None:
        self._inputs = inputs
        self._levels = levels
        self._register = 0
        self._load = True
        self._clock = False
        self.tail = False
        self.dead = False
        self.pull = True
        self.clocks = 0

    @property
    def data(self) -> bool:
        """The level of the data line."""
        if self.dead:
            return self.pull
        if not self._load:
            return bool(self._levels() & 1)
        return bool(self._register & 1)

    def load(self, level: bool) -> None:
        """Somebody drives the load line (low: the inputs are taken)."""
        if level != self._load:
            self._register = self._levels()
        self._load = level

    def clock(self, level: bool) -> None:
        """Somebody drives the clock line."""
        if level and not self._clock and self._load:
            self.clocks += 1
            self._register = self._register >> 1 | self.tail << self._inputs - 1
        self._clock = level


def _gone() -> OSError:
    return OSError(errno.EREMOTEIO, "Remote I/O error")


class Chip:
    """A chip with 8-bit registers behind one address. dead: it answers nobody (OSError 121)."""

    dead = False

    def write(self, data: bytes) -> None:
        """Bytes of one transfer: register number, then values."""
        raise NotImplementedError

    def read(self, count: int) -> bytes:
        """Read from the register that was last named."""
        raise NotImplementedError


class Pca9685(Chip):
    """A PCA9685: sixteen pulse outputs of 12 bits.

    Sleeps after power-up; PRE_SCALE can be written asleep only; the pointer moves on only with AI set; a write of
    ALL_LED sets all outputs; full off wins over full on; asleep, no output is on but the full-on ones are off too.
    refused: writes that the chip ignored. history: (register, value) of all that it took.
    """

    def __init__(self) -> None:
        self.registers = bytearray(256)
        self.registers[MODE1] = 0x11
        self.registers[MODE2] = 0x04
        self.registers[PRE_SCALE] = 0x1E
        for channel in range(16):
            self.registers[LED0 + 4 * channel + 3] = FULL
        self.refused: list[tuple[int, int]] = []
        self.history: list[tuple[int, int]] = []
        self.watch: Callable[[], None] = lambda: None  # called after each transfer that changed something
        self._pointer = 0

    def write(self, data: bytes) -> None:
        """See Chip."""
        if self.dead:
            raise _gone()
        if not data:
            return
        self._pointer = data[0]
        for value in data[1:]:
            self._set(self._pointer, value)
            self._step()
        if len(data) > 1:
            self.watch()

    def read(self, count: int) -> bytes:
        """See Chip."""
        if self.dead:
            raise _gone()
        found = bytearray()
        for _ in range(count):
            # The ALL_LED registers read as zero.
            found.append(0 if ALL_LED <= self._pointer < PRE_SCALE else self.registers[self._pointer])
            self._step()
        return bytes(found)

    def _step(self) -> None:
        if self.registers[MODE1] & AUTO_INCREMENT:
            # It rolls over past the last output, and past the last of the four that set all.
            last = self._pointer == LED0 + 63 or self._pointer >= PRE_SCALE - 1
            self._pointer = 0 if last else self._pointer + 1

    def _set(self, register: int, value: int) -> None:
        if register == PRE_SCALE:
            if not self.registers[MODE1] & SLEEP:
                self.refused.append((register, value))
                return
            value = max(value, 3)
        elif ALL_LED <= register < PRE_SCALE:
            for channel in range(16):
                self.registers[LED0 + 4 * channel + register - ALL_LED] = (
                    value & 0x1F if register & 1 else value
                )
        elif register > LED0 + 63:
            self.refused.append((register, value))
            return
        elif register == MODE1:
            value &= ~RESTART  # reads as zero once the outputs run again
        self.history.append((register, value))
        if not ALL_LED <= register < PRE_SCALE:
            self.registers[register] = value

    @property
    def asleep(self) -> bool:
        """Whether the oscillator is off."""
        return bool(self.registers[MODE1] & SLEEP)

    @property
    def frequency_hz(self) -> float:
        """Of all outputs."""
        return CLOCK_HZ / 4096 / (self.registers[PRE_SCALE] + 1)

    def duty(self, channel: int) -> float:
        """How much of the time an output is high, 0..1."""
        at = LED0 + 4 * channel
        on_low, on_high, off_low, off_high = self.registers[at : at + 4]
        if self.asleep or off_high & FULL:
            return 0.0
        if on_high & FULL:
            return 1.0
        on, off = on_low | on_high << 8, off_low | off_high << 8
        return (off - on) % 4096 / 4096


class Mcp23017(Chip):
    """An MCP23017: two ports of eight pins. levels: what the world puts on the pins, bit 0..7 port A, 8..15 port B.

    Registers as after power-up (IOCON.BANK = 0, the pointer moves on). A pin that is an output reads as it is driven.
    """

    IODIR, IPOL, GPPU, GPIO, OLAT = 0x00, 0x02, 0x0C, 0x12, 0x14

    def __init__(self) -> None:
        self.registers = bytearray(0x16)
        self.registers[0] = self.registers[1] = 0xFF
        self.levels: Callable[[], int] = lambda: 0xFFFF
        self._pointer = 0

    def write(self, data: bytes) -> None:
        """See Chip."""
        if self.dead:
            raise _gone()
        self._pointer = data[0] % 0x16
        for value in data[1:]:
            if self._pointer not in (self.GPIO, self.GPIO + 1):
                self.registers[self._pointer] = value
            self._pointer = (self._pointer + 1) % 0x16

    def read(self, count: int) -> bytes:
        """See Chip."""
        if self.dead:
            raise _gone()
        found = bytearray()
        for _ in range(count):
            at = self._pointer
            if at in (self.GPIO, self.GPIO + 1):
                port = at - self.GPIO
                into = self.registers[self.IODIR + port]
                outside = self.levels() >> 8 * port & 0xFF
                value = (outside & into | self.registers[self.OLAT + port] & ~into) & 0xFF
                found.append(value ^ self.registers[self.IPOL + port] & into)
            else:
                found.append(self.registers[at])
            self._pointer = (at + 1) % 0x16
        return bytes(found)


class FakeI2c:
    """A bus with chips on it, as CircuitPython's drivers use one (`busio.I2C`). No chip at an address: OSError 121."""

    def __init__(self, chips: dict[int, Chip]) -> None:
        self.chips = chips
        self._locked = False
        self.transfers = 0

    def try_lock(self) -> bool:
        """Take the bus; False where somebody has it."""
        if self._locked:
            return False
        self._locked = True
        return True

    def unlock(self) -> None:
        """Give the bus back. Raises ValueError where nobody has it."""
        if not self._locked:
            raise ValueError("Not locked")
        self._locked = False

    def _chip(self, address: int) -> Chip:
        if not self._locked:
            raise RuntimeError("Function requires lock")
        self.transfers += 1
        chip = self.chips.get(address)
        if chip is None or chip.dead:
            raise _gone()
        return chip

    def writeto(self, address: int, buffer: bytes, *, start: int = 0, end: int | None = None) -> None:
        """One transfer to a chip."""
        self._chip(address).write(bytes(buffer)[start:end])

    def readfrom_into(
        self, address: int, buffer: bytearray, *, start: int = 0, end: int | None = None
    ) -> None:
        """One transfer from a chip."""
        end = len(buffer) if end is None else end
        buffer[start:end] = self._chip(address).read(end - start)

    def writeto_then_readfrom(
        self,
        address: int,
        out_buffer: bytes,
        in_buffer: bytearray,
        *,
        out_start: int = 0,
        out_end: int | None = None,
        in_start: int = 0,
        in_end: int | None = None,
    ) -> None:
        """A transfer to a chip, and one from it without a stop in between."""
        self.writeto(address, out_buffer, start=out_start, end=out_end)
        self.readfrom_into(address, in_buffer, start=in_start, end=in_end)
