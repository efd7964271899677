"""Manual: a drive without a motor. Tilt reports in, the side that people have pushed down out."""

from __future__ import annotations

from dataclasses import replace

from firmware_bridge.link import LinkEvent, LinkLost, TiltSeen

from .mounting import AS_TOLD, Mounting
from .tilt import INF, BaseDrive, EndInputs, Motion, TiltEvent, TiltLimits


class ManualDrive(BaseDrive[Motion]):
    """People push the board. End-position inputs tell where it stands, if it has them; else only marbles can."""

    def __init__(self, limits: TiltLimits, *, end_inputs: bool, mounting: Mounting = AS_TOLD) -> None:
        super().__init__(limits)
        self._mounting = mounting
        self._inputs = EndInputs(True) if end_inputs else None

    @property
    def motor(self) -> bool:
        """See Drive."""
        return False

    def arm(self, now_s: float) -> None:
        """See Drive. Nothing to arm."""

    def go(self, seat: int, now_s: float) -> None:
        """See Drive. People do it."""

    def rock(self, now_s: float) -> None:
        """See Drive. People do it."""

    def stop(self, now_s: float) -> None:
        """See Drive. Nothing to stop."""

    def to_level(self, now_s: float) -> None:
        """See Drive. People do it."""

    def let_go(self, now_s: float) -> None:
        """See Drive. Nothing holds it."""

    def take(self, event: LinkEvent) -> list[TiltEvent]:
        """See Drive."""
        if isinstance(event, LinkLost):
            self._side = None
        elif self._inputs is not None and isinstance(event, TiltSeen):
            event = replace(event, sensed=self._mounting.sensed(event.sensed))
            return self._stands(self._inputs.side(event, self.limits), event.at_s)
        return []

    def tick(self, now_s: float) -> list[TiltEvent]:
        """See Drive."""
        return []

    def due_s(self) -> float:
        """See Drive."""
        return INF
