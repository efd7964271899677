"""A board for a test whose servo follows each pulse at once: widths in; angle and end inputs out."""

from __future__ import annotations

from abc import abstractmethod

from firmware_bridge.messages import Feature
from sim.pulsed import LEVEL_US, US_PER_DEG

from .board import END_DEG, Board, Fit

SAME_US = 0.1


class FollowingBoard(Board):
    """Whoever is one tells each pulse by `_pulse`, and from its `__init__` the first angle by `turn`."""

    def __init__(self, fit: Fit, features: Feature) -> None:
        super().__init__(fit, features)
        self._angle_deg = 0.0
        self._dead = False
        self._widths: list[float] = []

    @abstractmethod
    def _ends(self, seat0: bool, seat1: bool) -> None:
        """The end inputs are closed like this from now on."""

    def _pulse(self, width_us: float) -> None:
        if not self._widths or abs(self._widths[-1] - width_us) > SAME_US:
            self._widths.append(width_us)
        if not self._dead:
            self.turn((width_us - LEVEL_US) / US_PER_DEG)

    def turn(self, angle_deg: float) -> None:
        """See Board."""
        self._angle_deg = angle_deg
        self._ends(angle_deg >= END_DEG, angle_deg <= -END_DEG)

    def both_ends(self) -> None:
        """See Board."""
        self._dead = True
        self._ends(True, True)

    def kill_servo(self) -> None:
        """See Board."""
        self._dead = True

    @property
    def angle_deg(self) -> float:
        """See Board."""
        return self._angle_deg

    @property
    def widths_us(self) -> list[float]:
        """See Board."""
        return self._widths
