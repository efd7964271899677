"""Back ends of a board: the tables [sensors], [tilt] and [gpio] of a board file in, frozen values out.

Nothing here opens anything (`balanxd.devices` does). A key that belongs to another back end than the chosen one, a pin
that is no input, and a pin that is used twice are errors that name file and key.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .errors import BalanxError
from .keys import Keys, nearest

SENSOR_BACKENDS = ("controller", "chain", "reeds")
DRIVES = ("servo", "gpio-servo", "stepper", "dc", "manual")
FACTORIES = ("lgpio", "rpigpio", "mock")
STOPS = ("end-switches", "watchdog")
LEVELS = ("low", "high")
FIRST_PIN, LAST_PIN = 2, 27  # 0 and 1 are the EEPROM's of boards that are plugged on
PULLED_UP = (2, 3)  # by resistors on the Pi: they are I2C, too
STEPS_MOST_S = 800.0  # half steps a second that the I2C bus carries at 100 kHz, with room
PEAK = 1.875  # of a minimum-jerk profile: its fastest rate over its mean one

Switch = int | tuple[int, int]
"""A pin of this computer (BCM number), or (I2C address, pin 0..15 with port A first) of an MCP23017."""


@dataclass(frozen=True, slots=True)
class Chain:
    """A chain of 74HC165 on pins. tail: level of its far serial input, None: not wired; check: a pin that drives it."""

    clock: int
    load: int
    data: int
    check: int | None
    tail: bool | None
    active_low: bool
    scan_hz: float
    samples: int


@dataclass(frozen=True, slots=True)
class Reeds:
    """A switch an input, in wiring order."""

    switches: tuple[Switch, ...]
    active_low: bool
    scan_hz: float
    samples: int


@dataclass(frozen=True, slots=True)
class GpioServo:
    """A servo on a pin. us_per_deg is negative where it is mounted the other way round."""

    pin: int
    level_us: float
    us_per_deg: float


@dataclass(frozen=True, slots=True)
class Stepper:
    """A stepper of a MotorKit."""

    address: int
    number: int
    steps_per_deg: float
    reversed: bool


@dataclass(frozen=True, slots=True)
class DcMotor:
    """A DC motor of a MotorKit. full_deg_s: the board's rate at full throttle."""

    address: int
    number: int
    full_deg_s: float
    least: float
    most: float
    reversed: bool


@dataclass(frozen=True, slots=True)
class Backends:
    """What reads the spaces and what moves the board. sensors None: the controller; motor None: it, or people.

    beside: (key, number) of pins that neither sensors nor motor are on.
    """

    factory: str
    sensors: Chain | Reeds | None
    motor: GpioServo | Stepper | DcMotor | None
    end_pins: tuple[int, int] | None
    end_active_low: bool
    watchdog_pin: int | None
    beside: tuple[tuple[str, int], ...] = ()

    @property
    def pins(self) -> tuple[tuple[str, int], ...]:
        """(key, number) of every pin of this computer that is used."""
        return tuple(_pins(self))

    @property
    def bus(self) -> bool:
        """Whether the I2C bus is used."""
        switches = self.sensors.switches if isinstance(self.sensors, Reeds) else ()
        return isinstance(self.motor, Stepper | DcMotor) or any(isinstance(each, tuple) for each in switches)


_OF_SENSORS: Mapping[str, Collection[str]] = {
    "clock_pin": ("chain",),
    "load_pin": ("chain",),
    "data_pin": ("chain",),
    "check_pin": ("chain",),
    "tail": ("chain",),
    "pins": ("reeds",),
    "active": ("chain", "reeds"),
    "scan_hz": ("chain", "reeds"),
    "samples": ("chain", "reeds"),
}
_OF_DRIVE: Mapping[str, Collection[str]] = {
    "pin": ("gpio-servo",),
    "level_us": ("gpio-servo",),
    "us_per_deg": ("gpio-servo",),
    "address": ("stepper", "dc"),
    "stepper": ("stepper",),
    "steps_per_deg": ("stepper",),
    "motor": ("dc",),
    "full_deg_s": ("dc",),
    "least_throttle": ("dc",),
    "most_throttle": ("dc",),
    "reversed": ("stepper", "dc"),
    "stop": ("stepper", "dc"),
    "watchdog_pin": ("gpio-servo", "stepper", "dc"),
    "end_pins": ("gpio-servo", "stepper", "dc", "manual"),
    "end_active": ("gpio-servo", "stepper", "dc", "manual"),
}


def parse_backends(
    sensors: Keys,
    tilt: Keys,
    gpio: Keys,
    *,
    drive: str,
    inputs: int,
    full_deg: float,
    swing_s: float,
    beside: Sequence[tuple[str, int]] = (),
) -> Backends:
    """Read the three tables; the caller asks them for `done`. inputs: as wired. Raises BalanxError.

    beside: (key, number) of pins that other tables name.
    """
    backend = sensors.text("backend", "controller", SENSOR_BACKENDS)
    _refuse_foreign(sensors, "backend", backend, _OF_SENSORS)
    _refuse_foreign(tilt, "drive", drive, _OF_DRIVE)
    found = Backends(
        factory=gpio.text("factory", "lgpio", FACTORIES),
        sensors=_sensors(sensors, backend, inputs),
        motor=_motor(tilt, drive, full_deg, swing_s),
        end_pins=_end_pins(tilt) if tilt.has("end_pins") else None,
        end_active_low=tilt.text("end_active", "low", LEVELS) == "low",
        watchdog_pin=_pin(tilt, "watchdog_pin") if tilt.has("watchdog_pin") else None,
        beside=tuple(beside),
    )
    _check_stops(tilt, drive, found)
    if drive == "manual" and found.end_pins and backend == "controller":
        raise tilt.fail("end_pins", "the controller has the end positions of this board on its own inputs")
    used: dict[int, str] = {}
    for key, number in found.pins:
        if number in used:
            raise BalanxError(
                f"{sensors.source}: {key}: pin {number} is {used[number]} already: take another one"
            )
        used[number] = key
    if found.bus:
        for number in PULLED_UP:
            if number in used:
                raise BalanxError(
                    f"{sensors.source}: {used[number]}: pin {number} is the I2C bus of this board"
                )
    if gpio.has("factory") and not used and not found.bus:
        raise gpio.fail("factory", "nothing on this board is on pins of this computer")
    return found


def _refuse_foreign(keys: Keys, chooser: str, chosen: str, belongs: Mapping[str, Collection[str]]) -> None:
    for key, owners in belongs.items():
        if keys.has(key) and chosen not in owners:
            fit = " or ".join(f'"{owner}"' for owner in owners)
            raise keys.fail(key, f"is a key of {keys.path}{chooser} = {fit}, here it is {chosen!r}")


# ---- sensors -----------------------------------------------------------------------------------------------


def _sensors(keys: Keys, backend: str, inputs: int) -> Chain | Reeds | None:
    if backend == "controller":
        return None
    active_low = keys.text("active", "low", LEVELS) == "low"
    samples = keys.whole("samples", 5, 1, 50)
    if backend == "chain":
        tail = keys.text("tail", "low", (*LEVELS, "none"))
        check = _pin(keys, "check_pin") if keys.has("check_pin") else None
        if check is not None and keys.has("tail"):
            raise keys.fail("tail", "check_pin drives that input; leave one of the two out")
        return Chain(
            clock=_pin(keys, "clock_pin", 11),
            load=_pin(keys, "load_pin", 8),
            data=_pin(keys, "data_pin", 9),
            check=check,
            tail={"low": False, "high": True}.get(tail),
            active_low=active_low,
            scan_hz=keys.number("scan_hz", 100.0, 20.0, 500.0),
            samples=samples,
        )
    switches = _switches(keys)
    if len(switches) != inputs:
        raise keys.fail("pins", f"names {len(switches)} pins, the wiring has {inputs} inputs")
    if not active_low:
        for switch in switches:
            if switch in PULLED_UP:
                raise keys.fail("pins", f'pin {switch} is pulled up on the Pi: it cannot be active = "high"')
            if isinstance(switch, tuple):
                raise keys.fail("pins", 'an expander has pull-ups only: it cannot be active = "high"')
    return Reeds(switches, active_low, keys.number("scan_hz", 200.0, 20.0, 500.0), samples)


def _switches(keys: Keys) -> tuple[Switch, ...]:
    values = keys.given("pins")
    if not isinstance(values, list):
        raise keys.fail(
            "pins", 'must be a list of pins: BCM numbers, or texts such as "0x20:A3" for an MCP23017'
        )
    switches: list[Switch] = []
    for value in values:
        switch = _expander_pin(keys, value) if isinstance(value, str) else _checked(keys, "pins", value)
        if switch in switches:
            raise keys.fail("pins", f"{value!r} is there twice")
        switches.append(switch)
    return tuple(switches)


def _expander_pin(keys: Keys, text: str) -> tuple[int, int]:
    match = re.fullmatch(r"0x([0-9A-Fa-f]{2}):(?:GP)?([AB])([0-7])", text)
    if match is None:
        raise keys.fail("pins", f'{text!r} is no pin: a BCM number, or "0x20:A0" to "0x27:B6" on an MCP23017')
    address, port, number = int(match[1], 16), match[2], int(match[3])
    if not 0x20 <= address <= 0x27:
        raise keys.fail("pins", f"{text!r}: an MCP23017 has an address from 0x20 to 0x27")
    if number == 7:
        raise keys.fail("pins", f"{text!r}: pin GP{port}7 of an MCP23017 is an output only; use 0 to 6")
    return address, number + (8 if port == "B" else 0)


# ---- tilt --------------------------------------------------------------------------------------------------


def _motor(keys: Keys, drive: str, full_deg: float, swing_s: float) -> GpioServo | Stepper | DcMotor | None:
    if drive == "gpio-servo":
        level_us = keys.number("level_us", 1500.0, 900.0, 2100.0)
        us_per_deg = keys.number("us_per_deg", 10.0, -50.0, 50.0)
        if abs(us_per_deg) < 1.0:
            raise keys.fail("us_per_deg", f"must be 1 to 50, or -50 to -1, not {us_per_deg:g}")
        reach_us = abs(us_per_deg) * full_deg
        if level_us - reach_us < 500 or level_us + reach_us > 2500:
            raise keys.fail("us_per_deg", f"{full_deg:g} degrees would need pulses outside 500..2500 us")
        return GpioServo(_pin(keys, "pin"), level_us, us_per_deg)
    if drive not in ("stepper", "dc"):
        return None
    address = keys.whole("address", 0x60, 0x40, 0x7F)
    if address == 0x70:
        raise keys.fail("address", "0x70 calls all chips of this kind at once")
    turned = keys.flag("reversed", False)
    if drive == "stepper":
        steps = keys.number("steps_per_deg", 5.0, 0.5, 100.0)
        peak = 2 * steps * 2 * full_deg / swing_s * PEAK
        if peak > STEPS_MOST_S:
            slow_s = swing_s * peak / STEPS_MOST_S
            raise keys.fail(
                "steps_per_deg",
                f"a swing of {swing_s:g} s would need {peak:.0f} half steps a second, the I2C bus carries "
                f"{STEPS_MOST_S:g}: set tilt.swing_s to {slow_s:.1f} or more",
            )
        return Stepper(address, keys.whole("stepper", 1, 1, 2), steps, turned)
    least = keys.number("least_throttle", 0.15, 0.0, 1.0)
    most = keys.number("most_throttle", 1.0, 0.1, 1.0)
    if least > most:
        raise keys.fail("least_throttle", f"is above most_throttle, {most:g}")
    full_deg_s = keys.number("full_deg_s", 60.0, 5.0, 1000.0)
    return DcMotor(address, keys.whole("motor", 1, 1, 4), full_deg_s, least, most, turned)


def _end_pins(keys: Keys) -> tuple[int, int]:
    values = keys.given("end_pins")
    if not isinstance(values, list) or len(values) != 2:
        raise keys.fail("end_pins", "must be two pins: closed with White's side down, and with Black's")
    first, second = (_checked(keys, "end_pins", value) for value in values)
    return first, second


def _check_stops(keys: Keys, drive: str, found: Backends) -> None:
    """What moves by itself must be stopped by something that needs no computer."""
    if drive not in ("stepper", "dc"):
        return
    if found.end_pins is None:
        raise keys.fail("end_pins", f"a {drive} motor needs both end inputs, for homing and for its stop")
    stop = keys.text("stop", "", ("", *STOPS)) if keys.has("stop") else ""
    if not stop:
        raise keys.fail(
            "stop",
            "a hung computer leaves a MotorKit running: name what cuts the motor then, "
            '"end-switches" in its supply, or a "watchdog" on the chip\'s output-enable line',
        )
    if (stop == "watchdog") != (found.watchdog_pin is not None):
        raise keys.fail("watchdog_pin", 'goes with stop = "watchdog", and that with it')


# ---- pins --------------------------------------------------------------------------------------------------


def named_pin(keys: Keys, key: str, value: Any) -> int | None:
    """The BCM number of a pin that is given as `GPIO17`; None: that is no pin's name. Raises BalanxError."""
    match = re.fullmatch(r"GPIO(\d{1,2})", value) if isinstance(value, str) else None
    if match is None:
        return None
    if not FIRST_PIN <= int(match[1]) <= LAST_PIN:
        raise keys.fail(key, f"{value}: the header has GPIO{FIRST_PIN} to GPIO{LAST_PIN} (BCM numbers)")
    return int(match[1])


def _pin(keys: Keys, key: str, default: int | None = None) -> int:
    value = keys.given(key)
    if value is None:
        if default is None:
            raise keys.fail(key, "is missing: give the BCM number of a pin")
        return default
    return _checked(keys, key, value)


def _checked(keys: Keys, key: str, value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        near = nearest(value, ("GPIO17",)) if isinstance(value, str) else ""
        hint = " (write the number alone)" if near else ""
        raise keys.fail(key, f"must be the BCM number of a pin, not {value!r}{hint}")
    if not FIRST_PIN <= value <= LAST_PIN:
        raise keys.fail(key, f"pin {value}: the header has the pins {FIRST_PIN} to {LAST_PIN} (BCM numbers)")
    return value


def _pins(found: Backends) -> Iterator[tuple[str, int]]:
    match found.sensors:
        case Chain(clock=clock, load=load, data=data, check=check):
            yield from (("sensors.clock_pin", clock), ("sensors.load_pin", load), ("sensors.data_pin", data))
            if check is not None:
                yield "sensors.check_pin", check
        case Reeds(switches=switches):
            yield from (("sensors.pins", switch) for switch in switches if isinstance(switch, int))
        case None:
            pass
    if isinstance(found.motor, GpioServo):
        yield "tilt.pin", found.motor.pin
    yield from (("tilt.end_pins", pin) for pin in found.end_pins or ())
    if found.watchdog_pin is not None:
        yield "tilt.watchdog_pin", found.watchdog_pin
    yield from found.beside
