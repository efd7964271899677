"""A port without hardware: two ends in memory, what one writes the other reads, in order, nothing lost.

It refuses what a real port refuses: an end whose other end was closed is gone, like an unplugged board.
"""

from __future__ import annotations

from .errors import PortGone


class MemoryEnd:
    """One end of a pipe in memory; a Transport. Made by `memory_pipe`."""

    __slots__ = ("_inbox", "_open", "_other", "_port", "bytes_read", "bytes_written")

    def __init__(self, port: str) -> None:
        self._port = port
        self._inbox: list[bytes] = []
        self._open = True
        self._other: MemoryEnd | None = None
        self.bytes_read = 0
        self.bytes_written = 0

    @property
    def port(self) -> str:
        return self._port

    def read(self) -> bytes:
        inbox = self._inbox
        if inbox and self._open:
            data = inbox[0] if len(inbox) == 1 else b"".join(inbox)
            inbox.clear()
            self.bytes_read += len(data)
            return data
        self._check()
        return b""

    def write(self, data: bytes) -> None:
        other = self._check()
        if data:
            other._inbox.append(data)
            self.bytes_written += len(data)

    def close(self) -> None:
        self._open = False

    def fileno(self) -> int | None:
        return None

    def _check(self) -> MemoryEnd:
        other = self._other
        if not self._open or other is None or not other._open:
            raise PortGone(self._port, f"{self._port} went away (the other end is closed).")
        return other


def memory_pipe(port: str = "memory") -> tuple[MemoryEnd, MemoryEnd]:
    """Both ends of a new pipe: the host's and the board's."""
    host, board = MemoryEnd(port), MemoryEnd(f"{port} (board's end)")
    host._other, board._other = board, host
    return host, board
