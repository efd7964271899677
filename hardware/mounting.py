"""How motor and end inputs are mounted: a Mounting in; a drive, a mover and end inputs turned round for it, out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from firmware_bridge.link import LinkEvent, TiltSeen
from firmware_bridge.messages import ANGLE_UNKNOWN_CDEG, EnableTilt, NumberedCommand, TiltTo

from .motor import Mover
from .sensors import Reader
from .tilt import BOTH, ServoDrive, TiltEvent, TiltLimits


@dataclass(frozen=True, slots=True)
class Mounting:
    """Beside what the board's file says. reversed: the motor turns the board to the other side than told.

    ends_exchanged: each end input closes with the other seat's side down.
    """

    reversed: bool = False
    ends_exchanged: bool = False

    @property
    def crossed(self) -> bool:
        """Whether motor and end inputs disagree: a controller then cannot watch the one by the other."""
        return self.reversed != self.ends_exchanged

    def sensed(self, ends: int) -> int:
        """Which sides are down (bit = seat), from end inputs as they are wired; the same the other way."""
        return (ends >> 1 | ends << 1) & BOTH if self.ends_exchanged else ends


AS_TOLD = Mounting()
"""As the board's file says."""


class MountedServo(ServoDrive):
    """See ServoDrive. The controller's servo and end inputs, turned round in commands and reports."""

    def __init__(
        self,
        limits: TiltLimits,
        send: Callable[[NumberedCommand], int],
        *,
        end_inputs: bool,
        mounting: Mounting,
    ) -> None:
        super().__init__(limits, lambda command: send(self._turned(command)), end_inputs=end_inputs)
        self._mounting = mounting

    def take(self, event: LinkEvent) -> list[TiltEvent]:
        """See Drive."""
        if isinstance(event, TiltSeen):
            turned = -event.commanded_cdeg if self._mounting.reversed else event.commanded_cdeg
            event = replace(event, commanded_cdeg=turned, sensed=self._mounting.sensed(event.sensed))
        return super().take(event)

    def _turned(self, command: NumberedCommand) -> NumberedCommand:
        if not self._mounting.reversed or not isinstance(command, EnableTilt | TiltTo):
            return command
        if command.angle_cdeg == ANGLE_UNKNOWN_CDEG:
            return command
        return replace(command, angle_cdeg=-command.angle_cdeg)


class TurnedMover:
    """See hardware.motor.Mover. One that is mounted the other way round."""

    def __init__(self, mover: Mover) -> None:
        self._mover = mover
        self.places = mover.places

    def here(self, cdeg: float) -> None:
        """See Mover."""
        self._mover.here(-cdeg)

    def follow(self, cdeg: float, rate_cdeg_s: float) -> None:
        """See Mover."""
        self._mover.follow(-cdeg, -rate_cdeg_s)

    def brake(self) -> None:
        """See Mover."""
        self._mover.brake()

    def release(self) -> None:
        """See Mover."""
        self._mover.release()


class MountedEnds:
    """See hardware.sensors.Reader. End inputs, bit = the seat whose side is down."""

    def __init__(self, ends: Reader, mounting: Mounting) -> None:
        self._ends, self._mounting = ends, mounting

    def read(self) -> int:
        """See Reader."""
        return self._mounting.sensed(self._ends.read())
