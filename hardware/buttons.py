"""Buttons: what presses them in, presses out. Which inputs or pins they are on is their maker's."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple, Protocol

from firmware_bridge.link import LinkEvent


class Button(StrEnum):
    """NEXT goes through the menu, YES does what it shows, STOP ends every motion and the menu."""

    NEXT = "next"
    YES = "yes"
    STOP = "stop"


class Pressed(NamedTuple):
    """A button went down. at_s: host seconds."""

    at_s: float
    button: Button


class Buttons(Protocol):
    """The buttons of one board. A button that is down when it is first seen is not pressed."""

    def take(self, event: LinkEvent) -> list[Pressed]:
        """Follow one event of the board."""

    def tick(self, now_s: float) -> list[Pressed]:
        """Whatever was pressed by `now_s` and is not on the board's own inputs."""

    def due_s(self) -> float:
        """When `tick` wants to be called next (inf: not before something is pressed)."""
