"""Settings of a board's lights: the checked values of its [lights] table."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LightsConfig:
    """on: the board has lights; supply_ma: what they may draw together; night: they are dim."""

    on: bool = False
    supply_ma: float = 500.0
    night: bool = False


NO_LIGHTS = LightsConfig()
"""A board without lights."""
