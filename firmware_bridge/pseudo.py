"""The board's end of a pseudo-terminal: a Transport here, for others a name they open as a serial port."""

from __future__ import annotations

import os
import tty

from .errors import PortGone, PortUnusable
from .transport import UNWRITTEN_MAX


class PseudoPort:
    """A pseudo-terminal of our own. `port` is the name for the host's side (SerialTransport opens it).

    Bytes for a host that is not there wait (some kilobytes) or are dropped, as on a real line.
    """

    def __init__(self) -> None:
        """Raises PortUnusable when the system gives no pseudo-terminal."""
        try:
            self._board, self._host = os.openpty()
        except OSError as error:
            raise PortUnusable("pseudo-terminal", f"no pseudo-terminal can be had ({error}).") from None
        tty.setraw(self._host)  # else the line echoes until the host opens it
        os.set_blocking(self._board, False)
        # The host's side is held open: without it reading here fails until the first host comes.
        self._port = os.ttyname(self._host)
        self._unwritten = b""
        self._open = True

    @property
    def port(self) -> str:
        return self._port

    def read(self) -> bytes:
        self._check()
        if self._unwritten:
            self.write(b"")
        try:
            return os.read(self._board, 1 << 16)
        except BlockingIOError:
            return b""
        except OSError as error:
            raise PortGone(self._port, f"{self._port} went away ({error}).") from None

    def write(self, data: bytes) -> None:
        self._check()
        data = self._unwritten + data
        if not data:
            return
        try:
            written = os.write(self._board, data)
        except BlockingIOError:
            written = 0
        except OSError as error:
            raise PortGone(self._port, f"{self._port} went away ({error}).") from None
        self._unwritten = data[written : written + UNWRITTEN_MAX]

    def close(self) -> None:
        """Unplugs: the host's next read fails."""
        if self._open:
            self._open = False
            os.close(self._board)
            os.close(self._host)

    def fileno(self) -> int | None:
        return self._board

    def _check(self) -> None:
        if not self._open:
            raise PortGone(self._port, f"{self._port} is closed.")
