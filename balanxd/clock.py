"""Clock: the daemon's times. Monotonic seconds for everything that lasts; the wall's clock only for names and dates.

Nothing but this module reads a wall clock (tests/house): a Pi starts with an old date, and steps it by years once the
network is there.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime

Wall = Callable[[], datetime]
"""The time of day and its zone. It may step at any moment, either way."""


def wall_clock() -> datetime:
    """This computer's."""
    return datetime.now().astimezone()


def date_of(wall: Wall) -> str:
    """The date as records have it."""
    return wall().strftime("%Y.%m.%d")


class Clock:
    """Host seconds. Wall-clock steps do not touch it; speed is 1 except on a simulated board."""

    def __init__(self, speed: float = 1.0, monotonic: Callable[[], float] = time.monotonic) -> None:
        self.speed = speed
        self._monotonic = monotonic
        self._started = monotonic()

    def now_s(self) -> float:
        """Host seconds since the clock was made."""
        return (self._monotonic() - self._started) * self.speed

    def steady_s(self) -> float:
        """Real seconds since the clock was made, whatever the speed."""
        return self._monotonic() - self._started

    def real_s(self, host_s: float) -> float:
        """How long `host_s` host seconds really last."""
        return host_s / self.speed
