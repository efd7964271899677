"""Notify: what the daemon tells the service manager. An environment in; datagrams (READY=1, WATCHDOG=1 ...) out.

See sd_notify(3): one datagram to the socket that NOTIFY_SOCKET names. Without that variable nothing is sent.
"""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Mapping

BEATS = 4  # in one watchdog interval: three may come late


class Notifier:
    """Speaks to the service manager. Nothing here raises: a manager that does not listen is no reason to stop."""

    def __init__(self, environ: Mapping[str, str], pid: int) -> None:
        """pid: this process; a watchdog that is meant for another one is not fed."""
        name = environ.get("NOTIFY_SOCKET", "")
        self._address = "\0" + name[1:] if name.startswith("@") else name
        self.beat_s = _interval_s(environ, pid) / BEATS if self._address else float("inf")
        """The watchdog is fed at most so often; inf: there is none."""
        self._due_s = float("-inf")
        self._said = ""

    def ready(self) -> None:
        """Everything is open; the board can be played on."""
        self._send("READY=1")

    def status(self, text: str) -> None:
        """One line that `systemctl status` shows; sent where it has changed."""
        line = " ".join(text.split())
        if line != self._said:
            self._said = line
            self._send(f"STATUS={line}")

    def beat(self, now_s: float) -> None:
        """The loop that does the work came round. now_s: monotonic, real seconds."""
        if now_s >= self._due_s:
            self._due_s = now_s + self.beat_s
            if self.beat_s < float("inf"):
                self._send("WATCHDOG=1")

    def stopping(self) -> None:
        """The end has begun."""
        self._send("STOPPING=1")

    def _send(self, text: str) -> None:
        if not self._address:
            return
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as to:
            to.setblocking(False)
            to.sendto(text.encode(), self._address)


def _interval_s(environ: Mapping[str, str], pid: int) -> float:
    """The watchdog's interval; inf where there is none for this process."""
    told = environ.get("WATCHDOG_USEC", "")
    if not told.isascii() or not told.isdigit() or int(told) == 0:
        return float("inf")
    if environ.get("WATCHDOG_PID", str(pid)) != str(pid):
        return float("inf")
    return int(told) / 1e6
