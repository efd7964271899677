"""What a motor's driver is told -> how the board turns: a servo's pulse, a stepper's coils, a DC motor's bridge.

Each model gets the board's angle and turns it through `turn(angle_deg, lasts_s)`. Mechanical stops lie half a degree
beyond the full tilt; what pushes against them is counted.
Left out: torque, lost steps, inertia of the motor, sound.
"""

from __future__ import annotations

from collections.abc import Callable
from math import atan2, pi

from hardware.registers import Pca9685

STEP_S = 0.02  # a servo and a stepper follow what they are told so fast
STOP_BEYOND_DEG = 0.5
SLACK_DEG = 0.01
SLIP_DEG = 2.0

Turn = Callable[[float, float], None]


class Stops:
    """The board between its mechanical stops. pushed: how often something turned it against one."""

    def __init__(self, full_deg: float, angle: Callable[[], float], turn: Turn) -> None:
        self._limit_deg = full_deg + STOP_BEYOND_DEG
        self._turn = turn
        self.angle = angle
        self._goal = angle()
        self.pushed = 0

    def turn(self, angle_deg: float, lasts_s: float) -> None:
        """Turn there, or as far as the stops let it."""
        limit = self._limit_deg
        if abs(angle_deg) > limit + SLACK_DEG:
            self.pushed += 1
        self._goal = min(max(angle_deg, -limit), limit)
        self._turn(self._goal, lasts_s)

    def turn_by(self, angle_deg: float, lasts_s: float) -> None:
        """Turn on from where it was told to be; from where it is, where it could not follow (its shaft slips)."""
        here = self.angle()
        self.turn((here if abs(here - self._goal) > SLIP_DEG else self._goal) + angle_deg, lasts_s)

    def run(self, rate_deg_s: float) -> None:
        """Turn at a rate until the stop, or until told otherwise; 0 stands still."""
        here = self.angle()
        if rate_deg_s == 0:
            self._turn(here, 0.0)
            return
        goal = self._limit_deg if rate_deg_s > 0 else -self._limit_deg
        self._turn(goal, max(abs(goal - here) / abs(rate_deg_s), 1e-3))


class ServoHorn:
    """A servo that is told a pulse, or none (it stays)."""

    def __init__(self, stops: Stops, level_us: float, us_per_deg: float) -> None:
        self._stops = stops
        self._level_us, self._us_per_deg = level_us, us_per_deg

    def pulse(self, pulse_us: float | None) -> None:
        """The pulse on its wire from now on."""
        if pulse_us is not None:
            self._stops.turn((pulse_us - self._level_us) / self._us_per_deg, STEP_S)


class StepperShaft:
    """A stepper on a MotorKit: follows the field of its two coils, whole turns of it being four full steps."""

    CHANNELS = ((9, 11, 10, 12), (3, 5, 4, 6))  # of stepper 1 and 2, in the order in which the field turns

    def __init__(self, stops: Stops, chip: Pca9685, number: int, steps_per_deg: float) -> None:
        """steps_per_deg: negative where it turns the other way."""
        self._stops, self._chip = stops, chip
        self._channels = self.CHANNELS[number - 1]
        self._steps_per_deg = steps_per_deg
        self._steps = 0.0

    def look(self) -> None:
        """The chip's outputs have changed."""
        a, b, c, d = (self._chip.duty(channel) for channel in self._channels)
        x, y = a - c, b - d
        if abs(x) + abs(y) < 0.1:
            # Released, or between two writes: the shaft stays, and holds on at the pole where it is.
            return
        steps = atan2(y, x) / (pi / 2)
        off = (steps - self._steps + 2) % 4 - 2
        if abs(off) < 1e-6:
            return
        self._steps += off
        self._stops.turn_by(off / self._steps_per_deg, STEP_S)


class DcShaft:
    """A DC motor on a MotorKit: the board's rate follows the bridge's two inputs at once."""

    CHANNELS = ((9, 10), (11, 12), (3, 4), (5, 6))

    def __init__(self, stops: Stops, chip: Pca9685, number: int, full_deg_s: float) -> None:
        """full_deg_s: negative where it turns the other way."""
        self._stops, self._chip = stops, chip
        self._channels = self.CHANNELS[number - 1]
        self._full_deg_s = full_deg_s
        self._rate = 0.0

    def look(self) -> None:
        """The chip's outputs have changed."""
        forward, backward = (self._chip.duty(channel) for channel in self._channels)
        rate = 0.0 if forward > 0 and backward > 0 else (forward - backward) * self._full_deg_s
        if rate != self._rate:
            self._rate = rate
            self._stops.run(rate)
