"""Manual: a drive without a motor. Tilt reports in, the side that people have pushed down out."""

from __future__ import annotations

from firmware_bridge.link import LinkEvent, LinkLost, TiltSeen

from .tilt import INF, EndInputs, TiltArrived, TiltEvent, TiltLeft, TiltLimits


class ManualDrive:
    """People push the board. End-position inputs tell where it stands, if it has them; else only marbles can."""

    def __init__(self, limits: TiltLimits, *, end_inputs: bool) -> None:
        self.limits = limits
        self._inputs = EndInputs(limits, True) if end_inputs else None
        self._side: int | None = None

    @property
    def motor(self) -> bool:
        """See Drive."""
        return False

    @property
    def side(self) -> int | None:
        """See Drive."""
        return self._side

    @property
    def armed(self) -> bool:
        """See Drive."""
        return False

    @property
    def level(self) -> bool:
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
            side = self._inputs.side(event)
            if side != self._side:
                self._side = side
                return [
                    TiltLeft(event.at_s) if side is None else TiltArrived(event.at_s, side, expected=False)
                ]
        return []

    def tick(self, now_s: float) -> list[TiltEvent]:
        """See Drive."""
        return []

    def due_s(self) -> float:
        """See Drive."""
        return INF
