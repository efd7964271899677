"""Bytes to and from a port that this computer really has. The only file that imports serial."""

from __future__ import annotations

import errno
import os
import tty
from typing import Protocol

import serial

from .errors import PortBusy, PortDenied, PortError, PortGone, PortMissing, PortUnusable
from .messages import BAUD

UNWRITTEN_MAX = 1 << 16
"""Bytes kept for a port that does not take them; more means that nobody is behind it."""

_READ_MAX = 1 << 16
_MISSING = frozenset({errno.ENOENT, errno.ENODEV, errno.ENXIO})
_BUSY = frozenset({errno.EBUSY, errno.EAGAIN, errno.EWOULDBLOCK})
_DENIED = frozenset({errno.EACCES, errno.EPERM})


class Transport(Protocol):
    """One open port. Nothing blocks. After an error or `close` it is of no use any more."""

    @property
    def port(self) -> str:
        """The port's name for people."""

    def read(self) -> bytes:
        """What has arrived, b"" when nothing has; raises PortGone."""

    def write(self, data: bytes) -> None:
        """Sends, or keeps for the next `read` or `write` what the port cannot take now; raises PortGone."""

    def close(self) -> None:
        """Gives the port back; again does nothing."""

    def fileno(self) -> int | None:
        """For a selector or an event loop; None when there is no file behind it."""


def open_error(port: str, error: OSError) -> PortError:
    """Why a port cannot be opened, as one line that names it and says what to do."""
    number = error.errno
    if number is None and error.__context__ is not None and error.__context__.args:
        number = error.__context__.args[0]  # pyserial wraps termios.error, which has the number
    if number in _MISSING:
        return PortMissing(
            port, f"{port}: no such port. Is the board plugged in? `ls /dev/tty*` shows the ports."
        )
    if number in _BUSY:
        return PortBusy(
            port, f"{port}: another program has this port open. Stop it (`fuser {port}` names it)."
        )
    if number in _DENIED:
        return PortDenied(
            port, f"{port}: this user may not open it. `sudo usermod -aG dialout $USER`, then log in again."
        )
    reason = os.strerror(number) if isinstance(number, int) else str(error)
    return PortUnusable(port, f"{port}: cannot be used as a serial port ({reason}). Give the board's port.")


class SerialTransport:
    """A serial port, raw 8N1, opened for us alone (a second opening that asks the same is refused).

    Opening it resets most boards through DTR. A pseudo-terminal has no modem lines; pyserial forgives that.
    """

    def __init__(self, port: str, *, baud: int = BAUD, exclusive: bool = True) -> None:
        """Opens; raises PortMissing, PortBusy, PortDenied, PortUnusable."""
        self._port = port
        self._unwritten = b""
        try:
            self._serial = serial.Serial(port, baud, timeout=0, exclusive=exclusive or None)
        except OSError as error:  # serial.SerialException is one
            raise open_error(port, error) from None
        except ValueError as error:
            raise PortUnusable(port, f"{port}: {error}") from None

    @property
    def port(self) -> str:
        return self._port

    def read(self) -> bytes:
        if self._unwritten:
            self.write(b"")
        try:
            data: bytes = self._serial.read(_READ_MAX)
        except (OSError, TypeError) as error:  # TypeError: pyserial, when closed meanwhile
            raise self._gone(error) from None
        return data

    def write(self, data: bytes) -> None:
        data = self._unwritten + data
        if not data:
            return
        try:
            # Not through pyserial: its write without blocking spins while the port is full.
            written = os.write(self._serial.fileno(), data)
        except BlockingIOError:
            written = 0
        except OSError as error:
            raise self._gone(error) from None
        self._unwritten = data[written:]
        if len(self._unwritten) > UNWRITTEN_MAX:
            raise PortGone(self._port, f"{self._port} takes no bytes any more: plug the board in again.")

    def close(self) -> None:
        try:
            self._serial.close()
        except OSError:
            self._serial.is_open = False  # the device is gone; there is nothing left to give back

    def fileno(self) -> int | None:
        number: int | None = self._serial.fileno() if self._serial.is_open else None
        return number

    def _gone(self, error: Exception) -> PortGone:
        self.close()
        return PortGone(self._port, f"{self._port} went away ({error}): plug the board in again.")


class PseudoPort:
    """The board's end of a pseudo-terminal, a Transport; `port` is the name SerialTransport opens.

    Bytes for a host that does not read wait, up to UNWRITTEN_MAX; what is more is dropped.
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
