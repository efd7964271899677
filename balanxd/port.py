"""BoardPort: a port's name in; bytes both ways while it is open, and when it is due to be opened again, out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from firmware_bridge.errors import BridgeError
from firmware_bridge.reconnect import Reconnect
from firmware_bridge.transport import SerialTransport, Transport

from .devices import NoPort
from .trace import Trace


class BoardPort:
    """The host's end of one board's line, opened again and again. wake: called in the loop when bytes are there.

    Times are the runner's host seconds.
    """

    def __init__(self, wake: Callable[[], None], trace: Trace | None) -> None:
        self._wake, self._trace = wake, trace
        self._port: Transport | None = None
        # Of the open port's file: a port that went away has none any more.
        self._number: int | None = None
        self._reconnect = Reconnect()

    @property
    def open(self) -> bool:
        """Whether there is a port now."""
        return self._port is not None

    def due_s(self) -> float:
        """When to open it again (inf: it is open)."""
        return float("inf") if self.open else self._reconnect.due_s()

    def begin(self, name: str | None, now_s: float) -> None:
        """Open it; None: a board without a port. Raises PortError, and is due again after a pause then."""
        try:
            self._port = NoPort() if name is None else SerialTransport(name)
        except BridgeError:
            self._reconnect.failed(now_s)
            raise
        self._reconnect.opened(now_s)
        self._number = self._port.fileno()
        if self._number is not None:
            asyncio.get_running_loop().add_reader(self._number, self._wake)

    def drop(self) -> None:
        """Close it, where it is open."""
        port, self._port = self._port, None
        if port is not None:
            if self._number is not None:
                asyncio.get_running_loop().remove_reader(self._number)
            port.close()

    def lose(self, now_s: float) -> None:
        """Close it after an error; it is due again after a pause."""
        self.drop()
        self._reconnect.lost(now_s)

    def read(self, now_s: float) -> bytes:
        """What has come. Raises BridgeError."""
        data = b"" if self._port is None else self._port.read()
        if data and self._trace is not None:
            self._trace.up(now_s, data)
        return data

    def write(self, data: bytes, now_s: float) -> None:
        """Let bytes out; without a port they go nowhere. Raises BridgeError."""
        if not data or self._port is None:
            return
        if self._trace is not None:
            self._trace.down(now_s, data)
        self._port.write(data)
