"""A controller's servo that is mounted the other way round: commands and reports with the sign turned."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from firmware_bridge.link import LinkEvent, TiltSeen
from firmware_bridge.messages import ANGLE_UNKNOWN_CDEG, EnableTilt, NumberedCommand, TiltTo

from .tilt import ServoDrive, TiltEvent, TiltLimits


class MirroredServo(ServoDrive):
    """See ServoDrive. End inputs tell of the board, not of the servo: they stay as they are."""

    def __init__(
        self, limits: TiltLimits, send: Callable[[NumberedCommand], int], *, end_inputs: bool
    ) -> None:
        super().__init__(limits, lambda command: send(_turned(command)), end_inputs=end_inputs)

    def take(self, event: LinkEvent) -> list[TiltEvent]:
        """See Drive."""
        if isinstance(event, TiltSeen):
            event = replace(event, commanded_cdeg=-event.commanded_cdeg)
        return super().take(event)


def _turned(command: NumberedCommand) -> NumberedCommand:
    if isinstance(command, EnableTilt | TiltTo) and command.angle_cdeg != ANGLE_UNKNOWN_CDEG:
        return replace(command, angle_cdeg=-command.angle_cdeg)
    return command
