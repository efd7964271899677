"""Board time (u32 us, wraps) to host time (float s), from when frames with a board time arrived.

A frame arrives some time after it was made, never before, so the smallest difference of arrival and board
time is nearest to the true offset. The two clocks drift apart (an Uno counts with a ceramic resonator), so
the smallest difference is let grow by the share DRIFT of the time that has passed; else a board whose clock
is slow would seem to report from an ever more distant past.
"""

from __future__ import annotations

DRIFT = 0.005
"""Share of time by which the clocks may run apart."""

_WRAP_US = 1 << 32


class BoardClock:
    """One board since one boot. Times that come out never lie after the arrival."""

    __slots__ = ("_newest_us", "_observed_s", "_offset_s")

    def __init__(self) -> None:
        self._newest_us: int | None = None  # unwrapped
        self._offset_s = 0.0
        self._observed_s = 0.0

    def host_s(self, board_us: int, now_s: float) -> float:
        """Host time of `board_us` (0 .. 2**32 - 1) in a frame that arrived at `now_s` (monotonic).

        Good for board times up to 35 minutes from the newest one seen.
        """
        newest_us = self._newest_us
        if newest_us is None:
            self._newest_us = whole_us = board_us
            self._offset_s = now_s - board_us * 1e-6
        else:
            ahead_us = (board_us - newest_us) % _WRAP_US
            if ahead_us < _WRAP_US // 2:
                self._newest_us = whole_us = newest_us + ahead_us
            else:
                whole_us = newest_us + ahead_us - _WRAP_US
            difference_s = now_s - whole_us * 1e-6
            grown_s = self._offset_s + DRIFT * (now_s - self._observed_s)
            self._offset_s = difference_s if difference_s < grown_s else grown_s
        self._observed_s = now_s
        at_s = whole_us * 1e-6 + self._offset_s
        return at_s if at_s < now_s else now_s

    def board_us(self, at_s: float) -> int:
        """Board time at a host time near the present, u32: inverse of `host_s`. Before any frame came: 0."""
        return round((at_s - self._offset_s) * 1e6) % _WRAP_US if self._newest_us is not None else 0
