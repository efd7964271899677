"""Two boards and a clock: bytes for the controller and the stimulus board in, their bytes out, in time that passes.

An emulated rig lives in virtual time; one of real ports in the time of this computer. Whoever uses a rig waits on what
comes, never on a clock of its own.
"""

from __future__ import annotations

import select
import time
from collections import deque
from collections.abc import Callable, Sequence
from math import ceil
from pathlib import Path
from typing import Protocol

from balanxd.simulated.emulator import CYCLES_PER_US, Emulator, Event, HostLine, Saw, Stop
from firmware_bridge.errors import BridgeError
from firmware_bridge.transport import SerialTransport, Transport

CONTROLLER, STIMULUS = 0, 1
WIRES = (
    "165 0 D4 D5 D6 {inputs} C2",
    "595 1 D4 D5 D6 {inputs}",
    "cascade",
    "servo B0",
    "pull C0 C0",
    "pull C1 C1",
    "reset C2",
    "power C3",
    "power-seen C4",
)


class Rig(Protocol):
    """A controller (0) and a stimulus board (1). `virtual`: its time is not that of this computer."""

    virtual: bool

    @property
    def now_s(self) -> float:
        """The present."""

    def run_to(self, until_s: float) -> float:
        """Let time pass until then, or until bytes have come from either board; the present."""

    def write(self, board: int, data: bytes) -> None:
        """Bytes for a board, now."""

    def read(self, board: int) -> bytes:
        """Bytes that have come from a board and were not read yet."""

    def close(self) -> None:
        """Let both boards go."""


class EmulatedRig:
    """Both images in one emulator, wired together as docs/firmware.md shows."""

    virtual = True

    def __init__(
        self, program: Path, controller: Path, stimulus: Path, inputs: int, wires: Sequence[str] = WIRES
    ) -> None:
        """Raises BalanxError."""
        self.emulator = Emulator(program)
        self.emulator.load(CONTROLLER, controller)
        self.emulator.load(STIMULUS, stimulus)
        for wire in wires:
            self.emulator.wire(wire.format(inputs=inputs))
        self._now_us = 0
        self._queue: list[Event] = []
        self._lines = HostLine(CONTROLLER), HostLine(STIMULUS)
        self._came: tuple[deque[tuple[float, int]], ...] = (deque(), deque())

    @property
    def now_s(self) -> float:
        """See Rig."""
        return self._now_us / 1e6

    def run_to(self, until_s: float) -> float:
        """See Rig."""
        if until_s <= self.now_s or self._ready():
            return self.now_s
        until_us = max(
            ceil(until_s * 1e6), self._now_us + 1
        )  # a wait for a part of a microsecond must end too
        due = [event for event in self._queue if event.at_us <= until_us]
        ran = self.emulator.run(until_us, due, Stop.FRAME | Stop.OTHERS_FRAME)
        del self._queue[: ran.done]
        now_us = min(until_us, max(self._now_us, ran.cycle // CYCLES_PER_US))
        for record in ran.records:
            if record.kind == Saw.TX:
                at_us = record.cycle / CYCLES_PER_US
                self._came[record.board].append((at_us, record.a))
                if record.a == 0 and at_us > now_us:
                    now_us = min(until_us, int(at_us) + 1)  # the frame's last bit is on its way
        self._now_us = now_us
        return self.now_s

    def write(self, board: int, data: bytes) -> None:
        """See Rig."""
        self._queue += self._lines[board].send(data, self._now_us)
        self._queue.sort(key=lambda event: event.at_us)

    def read(self, board: int) -> bytes:
        """See Rig."""
        came, gone = self._came[board], bytearray()
        while came and came[0][0] <= self._now_us:
            gone.append(came.popleft()[1])
        return bytes(gone)

    def close(self) -> None:
        """See Rig."""
        self.emulator.close()

    def _ready(self) -> bool:
        """Whether a whole frame that has left was not read."""
        return any(byte == 0 and at_us <= self._now_us for came in self._came for at_us, byte in came)


class SerialRig:
    """Two boards on ports of this computer. Raises BridgeError where a port cannot be opened."""

    virtual = False

    def __init__(
        self,
        controller: str,
        stimulus: str,
        clock: Callable[[], float] = time.monotonic,
        open_port: Callable[[str], Transport] = SerialTransport,
    ) -> None:
        self._clock = clock
        ports = []
        try:
            ports.append(open_port(controller))
            ports.append(open_port(stimulus))
        except BridgeError:
            for port in ports:
                port.close()
            raise
        self._ports = ports
        self._held = [bytearray(), bytearray()]

    @property
    def now_s(self) -> float:
        """See Rig."""
        return self._clock()

    def run_to(self, until_s: float) -> float:
        """See Rig."""
        while not any(self._held):
            wait_s = until_s - self._clock()
            if wait_s <= 0:
                break
            handles = [number for port in self._ports if (number := port.fileno()) is not None]
            select.select(handles, [], [], min(wait_s, 0.05))
            for held, port in zip(self._held, self._ports, strict=True):
                held += port.read()
        return self._clock()

    def write(self, board: int, data: bytes) -> None:
        """See Rig."""
        self._ports[board].write(data)

    def read(self, board: int) -> bytes:
        """See Rig."""
        data = bytes(self._held[board]) + self._ports[board].read()
        self._held[board].clear()
        return data

    def close(self) -> None:
        """See Rig."""
        for port in self._ports:
            port.close()
