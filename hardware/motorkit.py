"""Motors on an Adafruit MotorKit (PCA9685 and H-bridges on I2C), switches on expanders: steps, throttle, readings out.

Packages are imported when something is opened. A hung computer leaves these chips running: the configuration must name
what cuts the motor then (docs/configuration.md).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from .errors import HardwareError, plain
from .motor import MotorLost
from .sensors import Unreadable

MICROSTEPS = 2  # interleaved: half steps
STEPS_AT_ONCE = 24  # half steps in one call: a driver that is told too late does not run after it for ever
LOST = "the motor driver on the I2C bus does not answer ({}): look at its power and its cable"
MEND = (
    "Switch I2C on (sudo raspi-config nonint do_i2c 0), add your user to the group i2c, "
    "and look at the cable (i2cdetect -y 1)."
)


class KitError(HardwareError):
    """The motor driver cannot be used. The message is one sentence for people, with the mend."""


def open_bus(load: Callable[[str], Any] = import_module) -> Any:
    """The I2C bus of the header, through Blinka. Raises KitError."""
    try:
        return load("board").I2C()
    except ImportError as error:
        raise KitError(
            f"tilt: a package for the I2C bus is missing ({plain(error)}): pip install 'balanx[pi]'."
        ) from error
    except AttributeError as error:
        raise KitError("this computer has no I2C bus on its pins: it is no Raspberry Pi. " + MEND) from error
    except Exception as error:  # no gpiod: RuntimeError; no bus: ValueError
        raise KitError(f"the I2C bus cannot be used: {plain(error)}. {MEND}") from error


def open_kit(address: int, bus: Any = None, load: Callable[[str], Any] = import_module) -> Any:
    """A MotorKit on a bus (None: the header's). Raises KitError."""
    try:
        module = load("adafruit_motorkit")
    except ImportError as error:
        raise KitError(
            f"tilt: the package adafruit-circuitpython-motorkit is missing ({plain(error)}): pip install 'balanx[pi]'."
        ) from error
    except Exception as error:
        raise KitError(f"tilt: the motor driver cannot be used here: {plain(error)}. {MEND}") from error
    wired = open_bus(load) if bus is None else bus
    try:
        return module.MotorKit(address=address, i2c=wired, steppers_microsteps=MICROSTEPS)
    except Exception as error:
        raise KitError(
            f"tilt: no motor driver at I2C address {address:#x}: {plain(error)}. {MEND}"
        ) from error


class StepperMover:
    """See hardware.motor.Mover. A stepper of a MotorKit, in half steps, counted from where it was told to be."""

    places = False

    def __init__(self, kit: Any, number: int, *, steps_per_deg: float, reversed: bool = False) -> None:
        """number: 1 or 2. steps_per_deg: full steps of the motor to a degree of the board. Raises KitError."""
        from adafruit_motor import stepper

        self._forward, self._backward = stepper.FORWARD, stepper.BACKWARD
        if reversed:
            self._forward, self._backward = self._backward, self._forward
        self._style = stepper.INTERLEAVE
        self._per_cdeg = steps_per_deg * 2 / 100
        self._count = 0  # half steps, positive: seat 0 down
        try:
            self._stepper = getattr(kit, f"stepper{number}")
            self._stepper.release()
        except Exception as error:
            raise KitError(f"tilt: stepper {number} cannot be used: {plain(error)}. {MEND}") from error

    def here(self, cdeg: float) -> None:
        """See Mover."""
        self._count = round(cdeg * self._per_cdeg)

    def follow(self, cdeg: float, rate_cdeg_s: float) -> None:
        """See Mover. Whole half steps only."""
        missing = round(cdeg * self._per_cdeg) - self._count
        if abs(missing) > STEPS_AT_ONCE:
            missing = STEPS_AT_ONCE if missing > 0 else -STEPS_AT_ONCE
        direction = self._forward if missing > 0 else self._backward
        try:
            for _ in range(abs(missing)):
                self._stepper.onestep(direction=direction, style=self._style)
        except Exception as error:
            raise MotorLost(LOST.format(plain(error))) from error
        self._count += missing

    def brake(self) -> None:
        """See Mover. The coils hold."""

    def release(self) -> None:
        """See Mover."""
        try:
            self._stepper.release()
        except Exception as error:
            raise MotorLost(LOST.format(plain(error))) from error


class DcMover:
    """See hardware.motor.Mover. A DC motor of a MotorKit: throttle by the rate that is wanted; it knows no angle."""

    places = False

    def __init__(
        self,
        kit: Any,
        number: int,
        *,
        full_deg_s: float,
        least: float = 0.15,
        most: float = 1.0,
        reversed: bool = False,
    ) -> None:
        """number: 1..4. full_deg_s: the board's rate at throttle 1. least: throttle below which the motor stands.

        most: throttle that is never passed. Raises KitError.
        """
        self._full_cdeg_s = full_deg_s * 100
        self._least, self._most = least, most
        self._sign = -1.0 if reversed else 1.0
        try:
            self._motor = getattr(kit, f"motor{number}")
            self._motor.throttle = None
        except Exception as error:
            raise KitError(f"tilt: motor {number} cannot be used: {plain(error)}. {MEND}") from error

    def here(self, cdeg: float) -> None:
        """See Mover. Nothing is counted."""

    def follow(self, cdeg: float, rate_cdeg_s: float) -> None:
        """See Mover."""
        throttle = abs(rate_cdeg_s) / self._full_cdeg_s
        if throttle > 0:
            throttle = min(max(throttle, self._least), self._most)
        self._set(self._sign * (throttle if rate_cdeg_s > 0 else -throttle))

    def brake(self) -> None:
        """See Mover. Both sides of the bridge on."""
        self._set(0.0)

    def release(self) -> None:
        """See Mover."""
        self._set(None)

    def _set(self, throttle: float | None) -> None:
        try:
            self._motor.throttle = throttle
        except Exception as error:
            raise MotorLost(LOST.format(plain(error))) from error


IODIRA, GPPUA, GPIOA = 0x00, 0x0C, 0x12


class ExpanderPins:
    """See hardware.sensors.Reader. Switches to ground on MCP23017 expanders; their pins A7 and B7 are no inputs."""

    def __init__(self, bus: Any, pins: Sequence[tuple[int, int]]) -> None:
        """pins: (address, pin 0..15, port A first), one an input. Raises KitError where an expander is missing."""
        self._bus = bus
        self._pins = tuple(pins)
        self._addresses = sorted({address for address, _ in pins})
        for address in self._addresses:
            used = sum(1 << pin for at, pin in set(self._pins) if at == address)
            both = bytes([used & 0xFF, used >> 8])
            try:
                self._transfer(address, bytes([IODIRA]) + both, 0)
                self._transfer(address, bytes([GPPUA]) + both, 0)
            except Exception as error:
                raise KitError(
                    f"sensors: no MCP23017 at I2C address {address:#x}: {plain(error)}. {MEND}"
                ) from error

    def read(self) -> int:
        """See Reader. All pins of one expander are taken at one instant."""
        try:
            levels = {
                address: int.from_bytes(self._transfer(address, bytes([GPIOA]), 2), "little")
                for address in self._addresses
            }
        except Exception as error:
            raise Unreadable(f"an expander on the I2C bus does not answer ({plain(error)})") from error
        return sum((~levels[at] >> pin & 1) << index for index, (at, pin) in enumerate(self._pins))

    def _transfer(self, address: int, data: bytes, count: int) -> bytes:
        bus = self._bus
        while not bus.try_lock():
            pass
        try:
            if not count:
                bus.writeto(address, data)
                return b""
            found = bytearray(count)
            bus.writeto_then_readfrom(address, data, found)
            return bytes(found)
        finally:
            bus.unlock()
