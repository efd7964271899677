"""The firmware's core compiled for this computer as a board for a test; its servo follows each pulse at once."""

from __future__ import annotations

import ctypes
from pathlib import Path

from balanxd.flashing.making import CC, compiler_version, make
from firmware_bridge.messages import ResetCause

from .board import ALL, STEP_S, Fit
from .following import FollowingBoard

LIBRARY = "libbalanx.so"
BUILD_ID = 0xC0FFEE11
SLOT_US = 40
SLOTS_A_STEP = 25
BETWEEN_SAMPLES = 12  # slots
END_RIGHT, END_WRONG = 1, 2
STALE = 0x80


def build_host(folder: Path) -> ctypes.CDLL:
    """Compiles the core into a folder and loads it. Raises BalanxError."""
    compiler_version(CC)
    make("host", f"BUILD_ID={BUILD_ID:#x}", out=folder, compiler=CC)
    return ctypes.CDLL(str(folder / LIBRARY))


class HostBoard(FollowingBoard):
    """`library` holds one board: a second HostBoard of the same library takes it over."""

    def __init__(self, fit: Fit, library: ctypes.CDLL) -> None:
        super().__init__(fit, ALL)
        self.c = library
        self._room = ctypes.create_string_buffer(8192)
        self._closed = self._stale = 0  # ENDS bits
        library.host_fit(fit.cells, fit.bits, int(self.features), fit.reader_every_ms)
        library.host_chain(END_RIGHT if fit.chain_end else END_WRONG, 128)
        for cell in range(fit.cells):
            library.host_margin(cell, cell, 500)
        self._starts(ResetCause.POWER_ON)
        self.now_s = BETWEEN_SAMPLES * SLOT_US / 1e6
        self.zero_s = self.boot_s

    def _starts(self, cause: ResetCause) -> None:
        self._cause = cause
        self._up_in_steps = round(self.boot_s / STEP_S)

    def write(self, data: bytes) -> None:
        """See Board."""
        if not self._up_in_steps:
            assert self.c.host_write(data, len(data)) == len(data)

    def _live(self, until_s: float) -> bytes:
        self.now_s += STEP_S
        if self._up_in_steps:
            self._up_in_steps -= 1
            if not self._up_in_steps:
                self.c.host_reset(int(self._cause))
                self.c.host_run(BETWEEN_SAMPLES)
        else:
            self.c.host_run(SLOTS_A_STEP)
        if not self._up_in_steps:
            pulse_us = self.c.host_pulse_us()
            if pulse_us:
                self._pulse(pulse_us)
        length = self.c.host_read(self._room, len(self._room))
        return self._room.raw[:length]

    def input(self, cell: int, reading: int) -> None:
        """See Board."""
        self.c.host_input(cell, reading)

    def reset(self, cause: ResetCause) -> None:
        """See Board."""
        self._starts(cause)
        self.now_s += STEP_S
        self.zero_s = self.now_s - BETWEEN_SAMPLES * SLOT_US / 1e6 + self.boot_s
        self.c.host_read(self._room, len(self._room))

    def _ends(self, seat0: bool, seat1: bool) -> None:
        self._closed = seat0 | seat1 << 1
        self._tell_ends()

    def _tell_ends(self) -> None:
        self.c.host_ends(self._closed | self._stale)

    @property
    def pulses(self) -> bool:
        """See Board."""
        return bool(self.c.host_pulse_us())

    def light(self, cell: int) -> int:
        """See Board."""
        return int(self.c.host_light(cell))

    def stored(self, address: int) -> int:
        """See Board."""
        return int(self.c.host_stored_at(address))

    def spoil(self, address: int, byte: int) -> None:
        """See Board."""
        self.c.host_stored(address, byte)

    def supply(self, supply_mv: int) -> None:
        """See Board."""
        self.c.host_supply(supply_mv)

    def chain(self, dead_from: int | None) -> None:
        """See Board."""
        self.c.host_chain(
            END_RIGHT if dead_from is None else END_WRONG, 128 if dead_from is None else dead_from
        )

    def feedback(self, fresh: bool) -> None:
        """See Board."""
        self._stale = 0 if fresh else STALE
        self._tell_ends()
