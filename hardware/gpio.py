"""Pins of this computer through gpiozero: pin numbers in; readers of inputs and a servo's mover out.

The pin factory is named by the configuration and made here; nothing is guessed and nothing falls back. gpiozero and
what it stands on are imported when a factory is opened, not before.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from .buttons import Edge
from .errors import HardwareError, plain
from .motor import MotorLost
from .sensors import Unreadable

HEADER_LABELS = ("pinctrl-rp1", "pinctrl-bcm2711", "pinctrl-bcm2835")  # Pi 5; Pi 4; Pi 3 and older
PULSES_S = 0.02  # a servo's frame
EDGES_MOST = 256  # that are kept while nobody asks
AGE_MOST_S = 5.0  # of an edge whose time is believed
NO_PI = 'This computer has no pins: it is no Raspberry Pi. Play on the simulated board with "--board sim".'
GROUP = "Add your user to the group gpio (sudo usermod -aG gpio $USER), then log in again."


class GpioError(HardwareError):
    """The pins cannot be used. The message is one sentence for people, with the mend."""


class Pins:
    """An open pin factory. say: what was opened, for the log."""

    def __init__(self, factory: Any, say: str, close: Callable[[], None] = lambda: None) -> None:
        self.factory = factory
        self.say = say
        self._close = close

    def close(self) -> None:
        """Give all pins back."""
        self.factory.close()
        self._close()


def is_pi5(root: Path = Path("/")) -> bool:
    """Whether this is a Pi of the fifth generation, whose pins RPi.GPIO cannot reach."""
    try:
        model = (root / "proc/device-tree/model").read_text(errors="replace")
    except OSError:
        return False
    return any(name in model for name in ("Raspberry Pi 5", "Compute Module 5"))


def open_lgpio(
    root: Path = Path("/"),
    environ: Mapping[str, str] | None = None,
    load: Callable[[str], Any] = import_module,
) -> Pins:
    """The factory of lgpio on the chip that carries the header. Raises GpioError."""
    folder, made = _lgpio_folder(os.environ if environ is None else environ)
    os.environ["LG_WD"] = str(folder)  # lgpio makes a pipe there while it is imported, else where we stand

    def tidy() -> None:
        if made:
            shutil.rmtree(folder, ignore_errors=True)

    try:
        lgpio = _loaded(load, "lgpio", "lgpio", "pi")
        number, label = _header_chip(lgpio, root)
        module = _loaded(load, "gpiozero.pins.lgpio", "lgpio", "pi")
        try:
            factory = module.LGPIOFactory(chip=number)
            factory.pin_class = _fine_pin(module, lgpio)
            factory.board_info  # noqa: B018 - asks which Pi this is, now and not at the first pin
        except Exception as error:
            raise GpioError(f"pins: gpiochip{number} cannot be used: {plain(error)}. {GROUP}") from error
    except GpioError:
        tidy()
        raise
    return Pins(factory, f"pins by lgpio, gpiochip{number} ({label})", tidy)


def open_rpigpio(root: Path = Path("/"), load: Callable[[str], Any] = import_module) -> Pins:
    """The factory of RPi.GPIO, for old systems. Raises GpioError, on a Pi 5 too."""
    if is_pi5(root):
        raise GpioError('pins: RPi.GPIO does not work on a Pi 5: set gpio.factory = "lgpio".')
    module = _loaded(load, "gpiozero.pins.rpigpio", "RPi.GPIO", "pi-legacy")
    try:
        return Pins(module.RPiGPIOFactory(), "pins by RPi.GPIO")
    except Exception as error:
        raise GpioError(f"pins: RPi.GPIO cannot be used: {plain(error)}. {GROUP}") from error


def _loaded(load: Callable[[str], Any], module: str, package: str, extra: str) -> Any:
    """Import late. A package that is missing, or that cannot run here, is one sentence."""
    try:
        return load(module)
    except ImportError as error:
        raise GpioError(
            f"pins: the package {package} is missing ({plain(error)}): pip install 'balanx[{extra}]'"
            + (", or apt install python3-lgpio where pip has none." if extra == "pi" else ".")
        ) from error
    except Exception as error:  # RPi.GPIO off a Pi: RuntimeError; lgpio in a folder that cannot be written
        raise GpioError(f"pins: {package} cannot be used here: {plain(error)}. {NO_PI}") from error


def _lgpio_folder(environ: Mapping[str, str]) -> tuple[Path, bool]:
    """A private folder that can be written, for lgpio's pipe, and whether we made it. Raises GpioError."""
    named = [environ.get("LG_WD", ""), *environ.get("RUNTIME_DIRECTORY", "").split(":")]
    for name in named:
        if name and os.path.isdir(name) and os.access(name, os.W_OK | os.X_OK):
            return Path(name), False
    try:
        return Path(tempfile.mkdtemp(prefix="balanx-lgpio-")), True
    except OSError as error:
        raise GpioError(
            f"pins: lgpio needs a folder that can be written ({plain(error)}): set LG_WD to one."
        ) from error


def _header_chip(lgpio: Any, root: Path) -> tuple[int, str]:
    """Number and label of the gpiochip with the 40-pin header. Its number differs from kernel to kernel."""
    paths = {
        int(path.name.removeprefix("gpiochip")): path
        for path in (root / "dev").glob("gpiochip*")
        if path.name.removeprefix("gpiochip").isdecimal()
    }
    if not paths:
        raise GpioError(f"pins: there is no /dev/gpiochip. {NO_PI}")
    found: list[str] = []
    closed: list[str] = []
    for number, path in sorted(paths.items()):
        if not os.access(path, os.R_OK | os.W_OK):
            closed.append(path.name)
            continue
        try:
            handle = lgpio.gpiochip_open(number)
        except lgpio.error as error:
            closed.append(f"{path.name} ({plain(error)})")
            continue
        try:
            label = str(lgpio.gpio_get_chip_info(handle)[3])
        finally:
            lgpio.gpiochip_close(handle)
        if label in HEADER_LABELS:
            return number, label
        found.append(label)
    if closed:
        raise GpioError(f"pins: /dev/{', /dev/'.join(closed)} cannot be opened. {GROUP}")
    raise GpioError(f"pins: none of the gpiochips ({', '.join(found)}) is a Raspberry Pi's header. {NO_PI}")


def _fine_pin(module: Any, lgpio: Any) -> Any:
    """gpiozero's pin of lgpio, with a duty in fractions of a percent.

    The original cuts it to whole percents: at 50 Hz that is 200 us, a fifth of a servo's whole way.
    """

    class FinePin(module.LGPIOPin):  # type: ignore[misc]
        _pwm: tuple[float, float] | None

        def _set_state(self, value: float) -> None:
            if not self._pwm:
                super()._set_state(value)
                return
            frequency, _ = self._pwm
            self._pwm = (frequency, value * 100)
            lgpio.tx_pwm(self.factory._handle, self._number, frequency, value * 100)

    return FinePin


def _device(make: Callable[[], Any], what: str) -> Any:
    """Claim a pin. Raises GpioError in one sentence."""
    try:
        return make()
    except Exception as error:
        raise GpioError(f"{what} cannot be used: {plain(error)}.") from error


def _inputs(pins: Pins, numbers: Sequence[int], *, pull_up: bool, what: str) -> list[Any]:
    import gpiozero

    def claim(number: int) -> Any:
        return _device(
            lambda: gpiozero.InputDevice(number, pull_up=pull_up, pin_factory=pins.factory),
            f"{what}: pin {number}",
        )

    claimed: list[Any] = []
    try:
        claimed.extend(claim(number) for number in numbers)
    except GpioError:
        for device in claimed:
            device.close()
        raise
    return claimed


def _levels(devices: Sequence[Any]) -> int:
    """Of all pins, bit i being pin i: 1 where it is high."""
    levels = 0
    for index, device in enumerate(devices):
        if device.pin.state:
            levels |= 1 << index
    return levels


class InputPins:
    """See hardware.sensors.Reader. One pin an input: reeds, or the end positions."""

    def __init__(self, pins: Pins, numbers: Sequence[int], *, active_low: bool = True, what: str) -> None:
        """active_low: the pin is pulled up and a switch draws it to ground. Raises GpioError."""
        self._devices = _inputs(pins, numbers, pull_up=active_low, what=what)
        self._numbers = tuple(numbers)
        self._invert = (1 << len(self._numbers)) - 1 if active_low else 0
        self._what = what

    def read(self) -> int:
        """See Reader."""
        try:
            return _levels(self._devices) ^ self._invert
        except Exception as error:
            raise Unreadable(f"{self._what}: the pins cannot be read ({plain(error)})") from error

    def close(self) -> None:
        """Give the pins back."""
        for device in self._devices:
            device.close()


class ChainPins:
    """See hardware.sensors.Reader. A chain of 74HC165 on three pins; a fourth can prove that the chain is whole."""

    def __init__(
        self,
        pins: Pins,
        *,
        clock: int,
        load: int,
        data: int,
        inputs: int,
        active_low: bool = True,
        tail: bool | None = False,
        check: int | None = None,
    ) -> None:
        """inputs: those of all registers. tail: level of the serial input at the far end, None: not wired.

        check: a pin that drives that input instead. Raises GpioError.
        """
        import gpiozero

        def output(number: int, what: str, level: bool) -> Any:
            return _device(
                lambda: gpiozero.OutputDevice(number, initial_value=level, pin_factory=pins.factory),
                f"sensors: {what} pin {number}",
            )

        self._devices: list[Any] = []
        try:
            for number, what, level in ((clock, "clock", False), (load, "load", True)):
                self._devices.append(output(number, what, level))
            # Pulled up: where the line or the power is gone everything reads high, which no tail at ground does.
            pull = tail is not True
            self._devices += _inputs(pins, [data], pull_up=pull, what="sensors: data")
            if check is not None:
                self._devices.append(output(check, "check", False))
        except GpioError:
            self.close()
            raise
        self._clock, self._load, self._data = (device.pin for device in self._devices[:3])
        self._check = self._devices[3].pin if check is not None else None
        self._inputs = inputs
        self._invert = (1 << inputs) - 1 if active_low else 0
        self._tail = (True, False) if check is not None else None if tail is None else (tail, tail)

    def read(self) -> int:
        """See Reader. The check bits are pushed in at the far end while the inputs come out at the near one."""
        clock, data, check = self._clock, self._data, self._check
        try:
            self._load.state = False
            self._load.state = True
            levels, bit = 0, 1
            for index in range(self._inputs):
                if data.state:
                    levels |= bit
                bit <<= 1
                if check is not None and index < 2:
                    check.state = index == 0
                clock.state = True
                clock.state = False
            if self._tail is not None:
                first = bool(data.state)
                clock.state = True
                clock.state = False
                if (first, bool(data.state)) != self._tail:
                    raise Unreadable(
                        "the sensor chain does not answer: look at its power, and at its clock, load and data wires"
                    )
        except Unreadable:
            raise
        except Exception as error:
            raise Unreadable(f"the sensor chain's pins cannot be used ({plain(error)})") from error
        return levels ^ self._invert

    def close(self) -> None:
        """Give the pins back."""
        for device in self._devices:
            device.close()


class ButtonPins:
    """See hardware.buttons.EdgePins. A button a pin, which it draws to ground. `wake` is called at each edge.

    Edges come in a thread of gpiozero's, each with its own time.
    """

    def __init__(self, pins: Pins, numbers: Sequence[int]) -> None:
        """Raises GpioError."""
        self.wake: Callable[[], object] = lambda: None
        self._factory = pins.factory
        self._told: deque[tuple[Any, int, bool]] = deque(maxlen=EDGES_MOST)
        self._devices = _inputs(pins, numbers, pull_up=True, what="buttons")
        self._hooks = [self._hook(index) for index in range(len(self._devices))]  # pins hold them weakly
        for device, number, hook in zip(self._devices, numbers, self._hooks, strict=True):
            try:
                device.pin.edges = "both"
                device.pin.when_changed = hook
            except Exception as error:
                self.close()
                raise GpioError(
                    f'buttons: pin {number} tells no edges ({plain(error)}): set gpio.factory = "lgpio".'
                ) from error

    def _hook(self, index: int) -> Callable[[Any, Any], None]:
        def told(ticks: Any, level: Any) -> None:
            self._told.append((ticks, index, not level))
            self.wake()

        return told

    @property
    def waiting(self) -> bool:
        """See EdgePins."""
        return bool(self._told)

    def take(self) -> list[Edge]:
        """See EdgePins. Where a driver's clock is none that tells how long ago an edge was, it was now."""
        if not self._told:
            return []
        now, found = self._factory.ticks(), []
        while self._told:
            ticks, index, down = self._told.popleft()
            age_s = float(self._factory.ticks_diff(now, ticks))
            found.append(Edge(age_s if 0.0 <= age_s <= AGE_MOST_S else 0.0, index, down))
        return found

    def read(self) -> int:
        """See EdgePins."""
        try:
            return _levels(self._devices) ^ (1 << len(self._devices)) - 1
        except Exception as error:
            raise Unreadable(f"their pins cannot be read ({plain(error)})") from error

    def close(self) -> None:
        """Give the pins back."""
        for device in self._devices:
            device.close()


class ServoPin:
    """See hardware.motor.Mover. gpiozero's AngularServo; no pulse before the first `follow`."""

    places = True

    def __init__(
        self, pins: Pins, number: int, *, limit_deg: float, level_us: float, us_per_deg: float
    ) -> None:
        """us_per_deg: negative where the servo is mounted the other way round. Raises GpioError."""
        import gpiozero

        reach_us = limit_deg * abs(us_per_deg)
        self._sign = 1.0 if us_per_deg > 0 else -1.0
        self._limit_deg = limit_deg
        self._servo = _device(
            lambda: gpiozero.AngularServo(
                number,
                initial_angle=None,
                min_angle=-limit_deg,
                max_angle=limit_deg,
                min_pulse_width=(level_us - reach_us) / 1e6,
                max_pulse_width=(level_us + reach_us) / 1e6,
                frame_width=PULSES_S,
                pin_factory=pins.factory,
            ),
            f"tilt: servo pin {number}",
        )

    def here(self, cdeg: float) -> None:
        """See Mover. A servo goes where its pulse says."""

    def follow(self, cdeg: float, rate_cdeg_s: float) -> None:
        """See Mover."""
        angle = min(max(cdeg / 100, -self._limit_deg), self._limit_deg)
        self._do(lambda: setattr(self._servo, "angle", self._sign * angle))

    def brake(self) -> None:
        """See Mover. The pulse stays as it is: the servo stands."""

    def release(self) -> None:
        """See Mover. No pulse any more."""
        self._do(self._servo.detach)

    def close(self) -> None:
        """Give the pin back."""
        self._servo.close()

    def _do(self, act: Callable[[], None]) -> None:
        try:
            act()
        except Exception as error:
            raise MotorLost(f"the servo's pin cannot be used ({plain(error)})") from error


class BuzzerPin:
    """A passive piezo on a pin: gpiozero's TonalBuzzer, four octaves around C6, which lgpio's 10 kHz hold with room."""

    def __init__(self, pins: Pins, number: int) -> None:
        """Raises GpioError."""
        import gpiozero
        from gpiozero.tones import Tone

        self._tone = Tone
        self._buzzer = _device(
            lambda: gpiozero.TonalBuzzer(number, mid_tone=Tone("C6"), octaves=2, pin_factory=pins.factory),
            f"sound: buzzer pin {number}",
        )

    def tone(self, hz: float | None) -> None:
        """Sound at 262..4186 Hz from now on; None: be silent. Raises GpioError."""
        try:
            if hz is not None:
                self._buzzer.play(self._tone.from_frequency(hz))
                return
            self._buzzer.stop()
            # Whatever half of the wave it was in: a magnetic one must not be left under current.
            self._buzzer.pwm_device.pin.state = 0
        except Exception as error:
            raise GpioError(f"sound: the buzzer's pin cannot be used ({plain(error)}).") from error

    def close(self) -> None:
        """Give the pin back."""
        self._buzzer.close()


class RenewPin:
    """An output that a watchdog outside must see change while a motor has power."""

    def __init__(self, pins: Pins, number: int) -> None:
        """Raises GpioError."""
        import gpiozero

        self._device = _device(
            lambda: gpiozero.OutputDevice(number, initial_value=False, pin_factory=pins.factory),
            f"tilt: watchdog pin {number}",
        )

    def __call__(self) -> None:
        """One edge more. Raises MotorLost."""
        try:
            self._device.toggle()
        except Exception as error:
            raise MotorLost(f"the watchdog's pin cannot be used ({plain(error)})") from error

    def close(self) -> None:
        """Give the pin back."""
        self._device.close()
