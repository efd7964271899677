"""Wire: a decoder's counters and the time in, a cable that loses or flips bytes named.

A healthy cable damages nothing. One bad message now and then is sent again and forgotten; several in a few seconds are
the cable's (or its neighbours': a servo's lead beside it).
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from firmware_bridge.codec import Counters

from .faults import FaultName

WINDOW_S = 20.0
FLIPPED_FRAMES = 4  # within the window, of which a share must be put right by one bit
LOST_FRAMES = 6  # so many, and none of them is: hardly flipped bits
LATELY_S = 3.0
AGAIN_S = 60.0  # said again only after so long without
FLIPPED_SHARE = (
    0.25  # so many of the damaged messages are put right by turning one bit, where bits are flipped
)


@dataclass(frozen=True, slots=True)
class WireBad:
    """The cable damages messages. frames: how many within `WINDOW_S`."""

    at_s: float
    fault: FaultName
    frames: int


class WireHealth:
    """Follows the counters of one link while it is up."""

    def __init__(self) -> None:
        # (when, frames dropped, of them put right by one bit)
        self._bad: deque[tuple[float, int, int]] = deque()
        self._dropped = self._one_bit = 0  # of the counters, when last looked at
        self._said_s = float("-inf")
        self._said: FaultName | None = None

    def begin(self, counters: Counters | None) -> None:
        """The link is up: what was dropped before was a board that boots. None: no wire to look at."""
        if counters is None:
            return
        self._dropped, self._one_bit = counters.frames_dropped, counters.one_bit
        self._bad.clear()

    def damaged_lately(self, now_s: float) -> bool:
        """Whether a message was dropped just now: what is told late may only have been told once more."""
        return bool(self._bad) and now_s - self._bad[-1][0] <= LATELY_S

    def look(self, counters: Counters | None, now_s: float) -> WireBad | None:
        """Say it, once, when too much is dropped."""
        if counters is None:
            return None
        dropped = counters.frames_dropped - self._dropped
        if not dropped:
            return None
        one_bit = counters.one_bit - self._one_bit
        self._dropped, self._one_bit = counters.frames_dropped, counters.one_bit
        self._bad.append((now_s, dropped, one_bit))
        while now_s - self._bad[0][0] > WINDOW_S:
            self._bad.popleft()
        frames = sum(number for _, number, _ in self._bad)
        flipped = sum(number for _, _, number in self._bad) >= FLIPPED_SHARE * frames
        if frames < (FLIPPED_FRAMES if flipped else LOST_FRAMES):
            return None
        fault = FaultName.BYTES_FLIPPED if flipped else FaultName.BYTES_LOST
        quiet = now_s - self._said_s >= AGAIN_S
        better_known = flipped and self._said is FaultName.BYTES_LOST
        self._said_s = now_s
        if not quiet and not better_known:
            return None
        self._said = fault
        return WireBad(now_s, fault, frames)
