"""When to try a port again: failures and time in, the next attempt's time out. No I/O.

Pauses double from `first_s` to `longest_s`. A port that opened is only trusted again, and the pause short
again, after it was there for `settled_s`: a board that resets itself without end, or two programs that take
the port from each other, must make a slow rhythm and no storm. Only sensing comes back so; motion is armed
elsewhere.
"""

from __future__ import annotations

_INF = float("inf")


class Reconnect:
    """One port's attempts. Starts with an attempt due at once."""

    __slots__ = ("_due_s", "_first_s", "_longest_s", "_opened_s", "_pause_s", "_settled_s", "failures")

    def __init__(self, *, first_s: float = 0.25, longest_s: float = 2.0, settled_s: float = 10.0) -> None:
        self._first_s = first_s
        self._longest_s = longest_s
        self._settled_s = settled_s
        self._pause_s = first_s
        self._due_s = -_INF
        self._opened_s: float | None = None
        self.failures = 0
        """Attempts that failed since the port was last open."""

    def due_s(self) -> float:
        """When to try next; inf while the port is open."""
        return self._due_s

    def opened(self, now_s: float) -> None:
        """The attempt was a success."""
        self._opened_s = now_s
        self._due_s = _INF
        self.failures = 0

    def failed(self, now_s: float) -> None:
        """The attempt failed."""
        self.failures += 1
        self._pause(now_s)

    def lost(self, now_s: float) -> None:
        """The open port went away or was closed."""
        if self._opened_s is not None and now_s - self._opened_s >= self._settled_s:
            self._pause_s = self._first_s
        self._opened_s = None
        self._pause(now_s)

    def _pause(self, now_s: float) -> None:
        self._due_s = now_s + self._pause_s
        self._pause_s = min(2 * self._pause_s, self._longest_s)
