"""The line between the simulated controller and the host: bytes in at one end, the same bytes out at the other."""

from __future__ import annotations

import select
from typing import Protocol

from firmware_bridge.errors import PortGone
from firmware_bridge.memory import memory_pipe
from firmware_bridge.transport import PseudoPort, SerialTransport, Transport

STALL_S = 5.0


class Wire(Protocol):
    """Carries bytes; what goes in has come out when a call returns, so that simulated time alone decides."""

    def up(self, data: bytes) -> bytes:
        """From the board to the host."""

    def down(self, data: bytes) -> bytes:
        """From the host to the board."""

    def close(self) -> None:
        """Gives the ports back."""


class PipeWire:
    """A pipe in memory."""

    def __init__(self) -> None:
        self._host, self._board = memory_pipe()

    def up(self, data: bytes) -> bytes:
        """See Wire."""
        self._board.write(data)
        return self._host.read()

    def down(self, data: bytes) -> bytes:
        """See Wire."""
        self._host.write(data)
        return self._board.read()

    def close(self) -> None:
        """See Wire."""
        self._host.close()
        self._board.close()


class PseudoWire:
    """A real pseudo-terminal, its host side opened with pyserial as a board's port is."""

    def __init__(self) -> None:
        self._board = PseudoPort()
        self._host = SerialTransport(self._board.port)

    def up(self, data: bytes) -> bytes:
        """See Wire. Raises PortGone."""
        self._board.write(data)
        return _collect(self._host, len(data))

    def down(self, data: bytes) -> bytes:
        """See Wire. Raises PortGone."""
        self._host.write(data)
        return _collect(self._board, len(data))

    def close(self) -> None:
        """See Wire."""
        self._host.close()
        self._board.close()


def _collect(end: Transport, count: int) -> bytes:
    data = end.read()
    while len(data) < count:
        number = end.fileno()
        if number is None or not select.select([number], [], [], STALL_S)[0]:
            raise PortGone(end.port, f"{end.port}: {count - len(data)} of {count} bytes did not arrive.")
        data += end.read()
    return data
