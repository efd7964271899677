"""Clock: the only monotonic time of the daemon. Seconds since it was made, times `speed`; never runs backwards."""

from __future__ import annotations

import time
from collections.abc import Callable


class Clock:
    """Host seconds. Wall-clock steps do not touch it; speed is 1 except on a simulated board."""

    def __init__(self, speed: float = 1.0, monotonic: Callable[[], float] = time.monotonic) -> None:
        self.speed = speed
        self._monotonic = monotonic
        self._started = monotonic()

    def now_s(self) -> float:
        """Host seconds since the clock was made."""
        return (self._monotonic() - self._started) * self.speed

    def real_s(self, host_s: float) -> float:
        """How long `host_s` host seconds really last."""
        return host_s / self.speed
