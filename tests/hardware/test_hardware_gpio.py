"""Pin factories: named, never guessed; what is missing is one sentence with its mend; pins do what they are told."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hardware.gpio import (
    ChainPins,
    GpioError,
    InputPins,
    RenewPin,
    ServoPin,
    is_pi5,
    open_lgpio,
    open_rpigpio,
)
from hardware.mockpins import MockPins
from hardware.motor import MotorLost
from hardware.sensors import Unreadable

ROOT = Path(__file__).resolve().parents[2]


class FakeLgpio:
    """The part of lgpio that finds a chip: labels by number; None: it cannot be opened."""

    class error(Exception):
        """As lgpio's own."""

    def __init__(self, labels: dict[int, str | None]) -> None:
        self._labels = labels
        self.closed: list[int] = []

    def gpiochip_open(self, number: int) -> int:
        if self._labels[number] is None:
            raise self.error("'can not open gpiochip'")
        return number + 100

    def gpio_get_chip_info(self, handle: int) -> list[Any]:
        return [0, 54, f"gpiochip{handle - 100}", self._labels[handle - 100]]

    def gpiochip_close(self, handle: int) -> None:
        self.closed.append(handle - 100)


class FakeModule:
    """gpiozero.pins.lgpio with a factory that keeps its chip."""

    class LGPIOPin:
        """A pin as gpiozero's."""

    class LGPIOFactory:
        """A factory as gpiozero's."""

        board_info = "a Pi"

        def __init__(self, chip: int) -> None:
            self.chip = chip

        def close(self) -> None:
            pass


def loader(lgpio: Any, module: Any = FakeModule) -> Callable[[str], Any]:
    return lambda name: lgpio if name == "lgpio" else module


def tree(root: Path, *chips: int) -> Path:
    (root / "dev").mkdir()
    for number in chips:
        (root / f"dev/gpiochip{number}").touch()
    return root


@pytest.fixture(autouse=True)
def keep_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LG_WD", str(tmp_path))


@pytest.mark.parametrize(
    ("labels", "number"),
    [
        ({0: "pinctrl-bcm2835"}, 0),
        ({0: "pinctrl-bcm2711", 1: "raspberrypi-exp-gpio"}, 0),
        ({0: "gpio-brcmstb@107d508500", 4: "pinctrl-rp1", 10: "gpio-brcmstb@107d517c00"}, 4),  # Bookworm
        (
            {0: "pinctrl-rp1", 10: "gpio-brcmstb@107d508500", 11: "gpio-brcmstb@107d508520"},
            0,
        ),  # newer kernels
    ],
)
def test_the_chip_is_found_by_its_label(labels: dict[int, str | None], number: int, tmp_path: Path) -> None:
    lgpio = FakeLgpio(labels)
    pins = open_lgpio(tree(tmp_path, *labels), {"LG_WD": str(tmp_path)}, loader(lgpio))
    assert pins.factory.chip == number
    assert pins.say == f"pins by lgpio, gpiochip{number} ({labels[number]})"
    assert lgpio.closed[-1] == number
    pins.close()


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        ({}, "there is no /dev/gpiochip. This computer has no pins"),
        ({0: "INT34C6:00"}, "none of the gpiochips (INT34C6:00) is a Raspberry Pi's header"),
        (
            {0: None},
            "/dev/gpiochip0 (can not open gpiochip) cannot be opened. Add your user to the group gpio",
        ),
    ],
)
def test_a_missing_chip_is_one_sentence(labels: dict[int, str | None], said: str, tmp_path: Path) -> None:
    with pytest.raises(GpioError) as refused:
        open_lgpio(tree(tmp_path, *labels), {"LG_WD": str(tmp_path)}, loader(FakeLgpio(labels)))
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_pi_that_gpiozero_does_not_know_is_one_sentence(tmp_path: Path) -> None:
    class Unknown(FakeModule):
        class LGPIOFactory:
            """No Pi here."""

            def __init__(self, chip: int) -> None:
                raise RuntimeError("unable to locate Pi revision")

    with pytest.raises(GpioError, match="gpiochip0 cannot be used: unable to locate Pi revision"):
        open_lgpio(tree(tmp_path, 0), {}, loader(FakeLgpio({0: "pinctrl-rp1"}), Unknown))


def test_a_missing_package_is_one_sentence(tmp_path: Path) -> None:
    def nothing(name: str) -> Any:
        raise ModuleNotFoundError(f"No module named '{name}'")

    with pytest.raises(GpioError, match=r"the package lgpio is missing .*pip install 'balanx\[pi\]', or apt"):
        open_lgpio(tree(tmp_path), {}, nothing)
    with pytest.raises(
        GpioError, match=r"the package RPi.GPIO is missing .*pip install 'balanx\[pi-legacy\]'"
    ):
        open_rpigpio(tmp_path, nothing)


def test_rpi_gpio_off_a_pi_is_one_sentence(tmp_path: Path) -> None:
    def refuses(name: str) -> Any:
        raise RuntimeError("This module can only be run on a Raspberry Pi!")

    with pytest.raises(GpioError, match=r"RPi.GPIO cannot be used here: This module can only be run on a"):
        open_rpigpio(tmp_path, refuses)


@pytest.mark.parametrize(
    ("model", "fifth"),
    [
        ("Raspberry Pi 5 Model B Rev 1.0\0", True),
        ("Raspberry Pi 500 Rev 1.0\0", True),
        ("Raspberry Pi Compute Module 5 Rev 1.0\0", True),
        ("Raspberry Pi 4 Model B Rev 1.5\0", False),
        ("Raspberry Pi 3 Model B Plus Rev 1.3\0", False),
    ],
)
def test_rpi_gpio_is_refused_on_a_pi_5(model: str, fifth: bool, tmp_path: Path) -> None:
    (tmp_path / "proc/device-tree").mkdir(parents=True)
    (tmp_path / "proc/device-tree/model").write_text(model)
    assert is_pi5(tmp_path) == fifth

    class Module:
        RPiGPIOFactory = object

    if fifth:
        with pytest.raises(
            GpioError, match=r'^pins: RPi.GPIO does not work on a Pi 5: set gpio.factory = "lgpio"\.$'
        ):
            open_rpigpio(tmp_path, lambda name: Module)
    else:
        assert open_rpigpio(tmp_path, lambda name: Module).say == "pins by RPi.GPIO"


def test_lgpio_gets_a_folder_of_its_own(tmp_path: Path) -> None:
    """Named, else the unit's runtime folder, else a new one that goes with the pins."""
    named, runtime = tmp_path / "named", tmp_path / "runtime"
    named.mkdir()
    runtime.mkdir()
    tree(tmp_path, 0)
    load = loader(FakeLgpio({0: "pinctrl-rp1"}))
    cases = [
        ({"LG_WD": str(named), "RUNTIME_DIRECTORY": str(runtime)}, named),
        ({"RUNTIME_DIRECTORY": f"{runtime}:{named}"}, runtime),
        ({"LG_WD": str(tmp_path / "gone"), "RUNTIME_DIRECTORY": str(runtime)}, runtime),
    ]
    for environ, folder in cases:
        pins = open_lgpio(tmp_path, environ, load)
        assert os.environ["LG_WD"] == str(folder)
        pins.close()
        assert folder.is_dir()
    pins = open_lgpio(tmp_path, {}, load)
    made = Path(os.environ["LG_WD"])
    assert made.stat().st_mode & 0o777 == 0o700
    pins.close()
    assert not made.exists()


def test_the_real_lgpio_loads_in_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    """Without root's right to write anywhere: lgpio makes a pipe where it stands unless it is told where."""
    still, runtime = tmp_path / "still", tmp_path / "runtime"
    still.mkdir(mode=0o555)
    runtime.mkdir(mode=0o700)
    script = textwrap.dedent(
        """
        import ctypes, os, sys
        from pathlib import Path
        if os.getuid() == 0 and len(sys.argv) == 4:
            # What is started next may write only what its user may, root's included.
            for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
                ctypes.CDLL(None).prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP
            os.execv(sys.executable, [sys.executable, "-c", sys.orig_argv[2], *sys.argv[1:], "bare"])
        folder = sys.argv[1]
        os.chdir(sys.argv[2])
        from hardware.gpio import GpioError, open_lgpio
        try:
            Path("here").touch()
            raise SystemExit("this folder can be written")
        except PermissionError:
            pass
        loaded = []
        from importlib import import_module
        def load(name):
            found = import_module(name)
            loaded.append(name)
            return found
        try:
            open_lgpio(Path(sys.argv[3]), {"RUNTIME_DIRECTORY": folder}, load)
        except GpioError as error:
            print(loaded, error)
        print(sorted(path.name for path in Path(folder).iterdir()))
        """
    )
    run = subprocess.run(
        [sys.executable, "-c", script, str(runtime), str(still), str(tree(tmp_path))],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    if sys.version_info < (3, 13):
        assert run.stdout.startswith("['lgpio'] pins: there is no /dev/gpiochip")
        assert ".lgd-nfy0" in run.stdout


def test_a_servo_is_told_fractions_of_a_percent(tmp_path: Path) -> None:
    """gpiozero's pin of lgpio cuts a duty to whole percents: 200 us of a servo's pulse."""
    sent: list[float] = []

    class Lgpio(FakeLgpio):
        def tx_pwm(self, handle: int, pin: int, frequency: float, duty: float) -> None:
            sent.append(duty)

    class Module(FakeModule):
        class LGPIOPin:
            """A pin that has a pulse already."""

            factory = type("Factory", (), {"_handle": 100})
            _number = 18

            def __init__(self) -> None:
                self._pwm: Any = (50, 0)

    pins = open_lgpio(tree(tmp_path, 0), {}, loader(Lgpio({0: "pinctrl-rp1"}), Module))
    pins.factory.pin_class()._set_state(0.0749)
    assert sent == [pytest.approx(7.49)]


# ---- pins --------------------------------------------------------------------------------------------------


def test_a_pin_that_is_taken_is_one_sentence_and_the_others_are_given_back() -> None:
    pins = MockPins()
    taken = InputPins(pins, [5], what="sensors: reeds")
    with pytest.raises(GpioError, match=r"tilt: end positions: pin 5 cannot be used: .*in use") as refused:
        InputPins(pins, [4, 5], what="tilt: end positions")
    assert "\n" not in str(refused.value)
    InputPins(pins, [4], what="sensors: reeds").close()
    taken.close()
    InputPins(pins, [4, 5], what="sensors: reeds").close()


@pytest.mark.parametrize("number", [40, 99])
def test_a_pin_that_does_not_exist_is_one_sentence(number: int) -> None:
    with pytest.raises(GpioError, match=f"servo pin {number} cannot be used"):
        ServoPin(MockPins(), number, limit_deg=8.0, level_us=1500.0, us_per_deg=10.0)


def test_a_chain_that_cannot_have_its_pins_takes_none() -> None:
    pins = MockPins()
    taken = InputPins(pins, [9], what="sensors: reeds")
    with pytest.raises(GpioError, match="sensors: data: pin 9"):
        ChainPins(pins, clock=11, load=8, data=9, inputs=8)
    taken.close()
    InputPins(pins, [8, 11], what="sensors: reeds").close()


def test_no_pulse_comes_before_the_servo_is_told_and_none_after_it_is_let_go() -> None:
    pins = MockPins()
    servo = ServoPin(pins, 18, limit_deg=8.0, level_us=1500.0, us_per_deg=10.0)
    assert pins.pulse_us(18) is None
    servo.follow(300.0, 0.0)
    assert pins.pulse_us(18) == pytest.approx(1530.0)
    servo.follow(99_900.0, 0.0)
    assert pins.pulse_us(18) == pytest.approx(1580.0)  # its limit
    servo.release()
    assert pins.pulse_us(18) is None
    servo.close()


def test_pins_that_fail_later_are_said_to() -> None:
    pins = MockPins()
    reeds = InputPins(pins, [4], what="sensors: reeds")
    servo = ServoPin(pins, 18, limit_deg=8.0, level_us=1500.0, us_per_deg=10.0)
    renew = RenewPin(pins, 26)
    renew()
    renew()
    assert [state.state for state in pins.pin(26).states] == [0, 1, 0]
    for device in (reeds, servo, renew):
        device.close()
    with pytest.raises(Unreadable, match="sensors: reeds: the pins cannot be read"):
        reeds.read()
    with pytest.raises(MotorLost, match="the servo's pin cannot be used"):
        servo.follow(0.0, 0.0)
    with pytest.raises(MotorLost, match="the watchdog's pin cannot be used"):
        renew()
