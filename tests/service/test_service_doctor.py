"""The doctor on trees of a Pi 4 and a Pi 5: nothing wrong, or one thing wrong and the command that mends it."""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from balanxd.cli.doctor import doctor
from balanxd.doctor.examine import examine
from balanxd.doctor.findings import Finding, words
from balanxd.doctor.machine import Machine, Space, real_machine
from balanxd.flashing.surroundings import NotInstalled, Ran

BOARD, STATE = "/etc/balanx/board.toml", "/var/lib/balanx"
CONTROLLER = '[link]\nport = "/dev/balanx"\n'
PINS = '[sensors]\nbackend = "chain"\n'
MOTORKIT = '[sensors]\nbackend = "chain"\n[tilt]\ndrive = "dc"\nend_pins = [20, 21]\nstop = "end-switches"\n'
DAEMON = 700
UNIT = {
    "LoadState": "loaded",
    "ActiveState": "active",
    "SubState": "running",
    "UnitFileState": "enabled",
    "Result": "success",
    "NRestarts": "0",
    "ExecMainStatus": "0",
    "MainPID": str(DAEMON),
}


class Pi:
    """A computer made of files. Every method makes one thing so or otherwise; `machine` is what the doctor is given."""

    def __init__(self, root: Path, model: str = "Raspberry Pi 4 Model B Rev 1.4") -> None:
        self.root = root
        self.unit: dict[str, str] | None = dict(UNIT)
        self.switch = {"LoadState": "loaded", "ActiveState": "active"}
        self.switch_does = {"LoadState": "loaded", "ActiveState": "inactive"}
        self.commands: dict[str, str] = {
            "vcgencmd get_throttled": "throttled=0x0",
            "vcgencmd version": "Mar 13 2026 10:00:00\nversion abc",
            "timedatectl show --property=NTPSynchronized --value": "yes",
        }
        self.space = Space(5_000_000_000, 100_000)
        self.packages = {
            "balanx": "0.1.0",
            "gpiozero": "2.0.1",
            "lgpio": "0.2.2.0",
            "adafruit-circuitpython-motorkit": "1.6.21",
        }
        self.wall = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)
        self.firmware: Mapping[str, Any] | None = {
            "board": "Balanx classic, firmware 1.1.0",
            "kind": "classic",
            "cells": 56,
            "build": 0x1234,
        }
        self.write("/proc/device-tree/model", model + "\0")
        self.write("/etc/os-release", 'PRETTY_NAME="Debian GNU/Linux 13 (trixie)"\nVERSION_ID="13"\n')
        self.write("/etc/passwd", "root:x:0:0::/root:/bin/sh\nbalanx:x:990:990::/var/lib/balanx:/bin/false\n")
        self.groups("dialout:x:20:balanx", "gpio:x:986:balanx", "i2c:x:985:balanx", "balanx:x:990:")
        self.write("/proc/cmdline", "console=tty1 root=PARTUUID=abc rootwait")
        self.write("/proc/mounts", "/dev/mmcblk0p2 / ext4 rw,noatime 0 0\nproc /proc proc rw 0 0\n")
        self.write("/etc/udev/rules.d/60-balanx.rules", "# ours\n")
        self.write("/dev/ttyUSB0", "")
        self.link("/dev/balanx", "ttyUSB0")
        self.write("/dev/i2c-1", "")
        self.process(DAEMON, "balanx", holds="/dev/ttyUSB0", groups="20 985 986")
        self.board(CONTROLLER)
        (root / "var/lib/balanx/games").mkdir(parents=True)

    def write(self, name: str, text: str) -> None:
        path = self.root / name.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def link(self, name: str, to: str) -> None:
        path = self.root / name.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(to)

    def remove(self, name: str) -> None:
        (self.root / name.lstrip("/")).unlink()

    def board(self, text: str) -> None:
        self.write(BOARD, text)

    def groups(self, *lines: str) -> None:
        self.write("/etc/group", "root:x:0:\n" + "\n".join(lines) + "\n")

    def process(self, number: int, name: str, *, holds: str = "", groups: str = "") -> None:
        self.write(f"/proc/{number}/comm", name + "\n")
        self.write(f"/proc/{number}/status", f"Name:\t{name}\nGid:\t990\t990\t990\t990\nGroups:\t{groups}\n")
        if holds:
            self.link(f"/proc/{number}/fd/5", holds)

    def chip(self, number: int, label: str, base: int, home: str) -> None:
        """A gpiochip as the kernel shows it: by number in /dev, by base in /sys/class/gpio."""
        self.write(f"/dev/gpiochip{number}", "")
        self.write(f"/sys/devices/{home}/gpiochip{number}/dev", "254:0")
        self.write(f"/sys/devices/{home}/gpio/gpiochip{base}/label", label + "\n")
        self.link(f"/sys/class/gpio/gpiochip{base}", f"../../devices/{home}/gpio/gpiochip{base}")

    def run(self, command: Sequence[str], limit_s: float) -> Ran:
        if command[0] == "systemctl":
            if self.unit is None:
                raise NotInstalled("systemctl is not installed here.")
            switches = {"balanx-poweroff.path": self.switch, "balanx-poweroff.service": self.switch_does}
            told = switches.get(command[2], self.unit)
            return Ran(0, "\n".join(f"{key}={value}" for key, value in told.items()), "")
        said = self.commands.get(" ".join(command))
        if said is None:
            raise NotInstalled(f"{command[0]} is not installed here.")
        return Ran(0, said + "\n", "")

    @property
    def machine(self) -> Machine:
        return Machine(
            self.root,
            self.run,
            lambda folder: self.space,
            self.packages.get,
            lambda folder: self.firmware,
            lambda: self.wall,
            "pi",
            (3, 13, 5),
            lambda: {("classic", 56): 0x1234, ("wide", 56): 0x5678},
        )

    def examine(self) -> list[Finding]:
        return examine(self.machine, BOARD, STATE)

    def wrong(self) -> list[Finding]:
        return [finding for finding in self.examine() if finding.wrong]


def pi4(root: Path) -> Pi:
    pi = Pi(root)
    pi.chip(0, "pinctrl-bcm2711", 512, "platform/soc/fe200000.gpio")
    pi.chip(1, "raspberrypi-exp-gpio", 570, "platform/soc/soc:firmware/expgpio")
    return pi


def pi3(root: Path) -> Pi:
    pi = Pi(root, "Raspberry Pi 3 Model B Plus Rev 1.3")
    pi.chip(0, "pinctrl-bcm2835", 512, "platform/soc/3f200000.gpio")
    return pi


def pi5(root: Path, *, late: bool) -> Pi:
    """Older kernels call the header's chip gpiochip4, newer ones gpiochip0."""
    pi = Pi(root, "Raspberry Pi 5 Model B Rev 1.0")
    pi.chip(0 if late else 4, "pinctrl-rp1", 571, "platform/axi/1000120000.pcie/1f000d0000.gpio")
    pi.chip(10 if late else 0, "gpio-brcmstb@107d508500", 512, "platform/soc@107c000000/107d508500.gpio")
    return pi


PIS: dict[str, tuple[Callable[[Path], Pi], str]] = {
    "Pi 3": (pi3, "/dev/gpiochip0 (pinctrl-bcm2835)"),
    "Pi 4": (pi4, "/dev/gpiochip0 (pinctrl-bcm2711)"),
    "Pi 5, older kernel": (lambda root: pi5(root, late=False), "/dev/gpiochip4 (pinctrl-rp1)"),
    "Pi 5, newer kernel": (lambda root: pi5(root, late=True), "/dev/gpiochip0 (pinctrl-rp1)"),
}


@pytest.mark.parametrize("text", [CONTROLLER, PINS, MOTORKIT], ids=["controller", "pins", "motorkit"])
@pytest.mark.parametrize("name", PIS)
def test_nothing_is_wrong_with_a_healthy_pi(tmp_path: Path, name: str, text: str) -> None:
    make, chip = PIS[name]
    pi = make(tmp_path)
    pi.board(text)
    assert pi.wrong() == []
    told = {finding.check: finding.what for finding in pi.examine()}
    assert chip in told["pins"]
    assert "Raspberry Pi" in told["versions"]
    assert "trixie" in told["versions"]
    assert {"board", "groups", "power", "disk", "clock", "service", "firmware"} <= told.keys()
    assert words(pi.examine()).endswith("Doctor: all is well.")


Break = Callable[[Pi], object]


def no_dialout(pi: Pi) -> None:
    pi.groups("dialout:x:20:pi", "gpio:x:986:balanx", "balanx:x:990:")


def no_bus_group(pi: Pi) -> None:
    pi.board(MOTORKIT)
    pi.groups("dialout:x:20:balanx", "gpio:x:986:balanx", "balanx:x:990:")


def old_daemon(pi: Pi) -> None:
    pi.write(f"/proc/{DAEMON}/status", "Gid:\t990\t990\t990\t990\nGroups:\t986\n")


def getty(pi: Pi) -> None:
    pi.board('[link]\nport = "/dev/serial0"\n')
    pi.write("/dev/ttyAMA0", "")
    pi.link("/dev/serial0", "ttyAMA0")
    pi.process(411, "agetty", holds="/dev/ttyAMA0")


def console(pi: Pi) -> None:
    pi.board('[link]\nport = "/dev/ttyAMA0"\n')
    pi.write("/dev/ttyAMA0", "")
    pi.link("/dev/serial0", "ttyAMA0")
    pi.write("/proc/cmdline", "console=serial0,115200 console=tty1 rootwait")


def unplugged(pi: Pi) -> None:
    pi.remove("/dev/balanx")
    pi.remove("/dev/ttyUSB0")


def modem_manager(pi: Pi) -> None:
    pi.remove("/etc/udev/rules.d/60-balanx.rules")
    pi.process(512, "ModemManager")


def bus_off(pi: Pi) -> None:
    pi.board(MOTORKIT)
    pi.remove("/dev/i2c-1")


def no_header(pi: Pi) -> None:
    pi.board(PINS)
    pi.write("/sys/devices/platform/soc/fe200000.gpio/gpio/gpiochip512/label", "gpio-mockup\n")


def throttled(bits: int) -> Break:
    return lambda pi: pi.commands.update({"vcgencmd get_throttled": f"throttled={bits:#x}"})


def alarm(pi: Pi) -> None:
    del pi.commands["vcgencmd get_throttled"]
    pi.write("/sys/class/hwmon/hwmon1/name", "rpi_volt\n")
    pi.write("/sys/class/hwmon/hwmon1/in0_lcrit_alarm", "1\n")


def package_missing(pi: Pi) -> None:
    pi.board(PINS)
    del pi.packages["lgpio"]


def read_only(pi: Pi) -> None:
    pi.write("/proc/mounts", "/dev/mmcblk0p2 / ext4 ro,noatime 0 0\n")


def set_back(pi: Pi) -> None:
    pi.write(f"{STATE}/games/20260601-120000-00.journal", "")


def no_text(pi: Pi) -> None:
    (pi.root / BOARD.lstrip("/")).write_bytes(b"\xff")


def switch(**more: str) -> Break:
    return lambda pi: pi.switch.update(more)


def unit(**more: str) -> Break:
    return lambda pi: pi.unit.update(more) if pi.unit is not None else None


WRONG: dict[str, tuple[Break, str, str, str]] = {
    "no board file": (lambda pi: pi.remove(BOARD), "board", "no board file", "install.sh"),
    "key unknown": (lambda pi: pi.board("[link]\nprot = 1\n"), "board", "did you mean port", "sudoedit"),
    "no text": (no_text, "board", "not UTF-8 at byte 0", "sudoedit"),
    "dialout": (no_dialout, "groups", "dialout", "usermod -aG dialout balanx && sudo systemctl restart"),
    "i2c, no such group": (no_bus_group, "groups", "i2c", "groupadd --system i2c && sudo usermod"),
    "daemon is older than its groups": (old_daemon, "groups", "begun before", "systemctl restart balanxd"),
    "getty": (getty, "console", "serial console", "do_serial_cons 1"),
    "console": (console, "console", "serial console", "do_serial_cons 1"),
    "unplugged": (unplugged, "port", "not there", "plug the controller in"),
    "not linked": (lambda pi: pi.remove("/dev/balanx"), "port", "/dev/ttyUSB0", "--port /dev/ttyUSB0"),
    "modem manager": (modem_manager, "modems", "ModemManager runs", "disable --now ModemManager"),
    "modem manager holds": (
        lambda pi: pi.process(512, "ModemManager", holds="/dev/ttyUSB0"),
        "port",
        "in use by ModemManager (process 512)",
        "disable --now ModemManager",
    ),
    "taken": (
        lambda pi: pi.process(99, "octoprint", holds="/dev/ttyUSB0"),
        "port",
        "octoprint (process 99)",
        "kill 99",
    ),
    "braille": (
        lambda pi: pi.process(98, "brltty", holds="/dev/ttyUSB0"),
        "port",
        "brltty",
        "purge -y brltty",
    ),
    "firmware": (
        lambda pi: setattr(
            pi, "firmware", {"board": "Balanx classic", "kind": "classic", "cells": 56, "build": 0x99}
        ),
        "firmware",
        "another image than build 0x00001234",
        "stop balanxd && sudo balanx firmware flash",
    ),
    "bus off": (bus_off, "i2c", "no /dev/i2c-1", "raspi-config nonint do_i2c 0"),
    "no header": (no_header, "pins", "is a Pi's header", "full-upgrade"),
    "weak supply": (throttled(0x50005), "power", "voltage is too low right now", "supply"),
    "weak supply before": (throttled(0x50000), "power", "at least once", "supply"),
    "hot": (throttled(0x80008), "power", "limit of temperature", "cooler"),
    "kernel's alarm": (alarm, "power", "supply was too weak", "supply"),
    "disk full": (lambda pi: setattr(pi, "space", Space(50_000_000, 9999)), "disk", "50 MB", "vacuum"),
    "no files": (lambda pi: setattr(pi, "space", Space(10**9, 3)), "disk", "3 files", "vacuum"),
    "read-only": (read_only, "disk", "read-only", "remount"),
    "clock not set": (
        lambda pi: pi.commands.update({"timedatectl show --property=NTPSynchronized --value": "no"}),
        "clock",
        "not set by the network",
        "set-ntp true",
    ),
    "clock set back": (set_back, "clock", "before your newest game", "set-ntp true"),
    "lgpio missing": (package_missing, "packages", "lgpio is missing", "python3-lgpio"),
    "two owners of RPi": (
        lambda pi: pi.packages.update({"RPi.GPIO": "0.7.1", "rpi-lgpio": "0.6"}),
        "packages",
        "both installed",
        "install.sh",
    ),
    "no unit": (unit(LoadState="not-found"), "service", "not installed", "install.sh"),
    "not enabled": (unit(UnitFileState="disabled"), "service", "not enabled", "enable --now"),
    "failed": (unit(ActiveState="failed", Result="exit-code"), "service", "is failed", "journalctl"),
    "comes and goes": (unit(NRestarts="41", Result="watchdog"), "service", "anew 41 times", "journalctl"),
    "does not come up": (
        unit(ActiveState="activating", NRestarts="7"),
        "service",
        "does not come up",
        "journalctl",
    ),
    "no switch": (switch(LoadState="not-found"), "shut down", "is not installed", "install.sh"),
    "switch did not": (
        lambda pi: pi.switch_does.update(ActiveState="failed"),
        "shut down",
        "balanx-poweroff.service has failed",
        "journalctl",
    ),
    "switch failed": (switch(ActiveState="failed"), "shut down", "is failed", "systemctl restart"),
}


@pytest.mark.parametrize("name", WRONG)
def test_one_thing_wrong_is_told_with_its_mend(tmp_path: Path, name: str) -> None:
    breaks, check, what, mend = WRONG[name]
    pi = pi4(tmp_path)
    breaks(pi)
    found = pi.wrong()
    named = [finding for finding in found if finding.check == check]
    assert named, found
    assert what in named[0].what
    assert mend in named[0].mend
    assert named[0].why
    told = words(pi.examine())
    assert named[0].mend in told
    assert "Doctor: all is well" not in told


def test_one_thing_wrong_is_one_finding(tmp_path: Path) -> None:
    """Nothing is told twice, and nothing comes with it that is well."""
    for number, name in enumerate(WRONG):
        pi = pi4(tmp_path / str(number))
        WRONG[name][0](pi)
        assert len(pi.wrong()) == 1, (name, pi.wrong())


def test_the_daemon_itself_is_no_stranger_at_its_port(tmp_path: Path) -> None:
    pi = pi4(tmp_path)
    assert any("the daemon has it" in finding.what for finding in pi.examine())


def test_a_computer_without_any_of_it_is_examined_too(tmp_path: Path) -> None:
    """No systemd, no vcgencmd, no /sys: what cannot be known is not told, and nothing breaks."""
    pi = Pi(tmp_path)
    pi.unit, pi.commands, pi.firmware = None, {}, None
    pi.board("")
    checks = {finding.check for finding in pi.examine()}
    assert pi.wrong() == []
    assert not {"power", "service", "clock"} & checks


@pytest.mark.parametrize(("kind", "build"), [("classic", 0), ("banks 8x8", 0x99)])
def test_a_board_of_numbers_and_a_kind_of_ones_own_have_no_shipped_firmware(
    tmp_path: Path, kind: str, build: int
) -> None:
    pi = pi4(tmp_path)
    pi.firmware = {"board": "Balanx, firmware 1.0.0", "kind": kind, "build": build}
    assert pi.wrong() == []
    assert any(finding.check == "firmware" for finding in pi.examine())


def test_this_program_brings_firmware() -> None:
    builds = real_machine().builds()
    assert {("classic", 56), ("classic", 64)} <= builds.keys()
    assert all(builds.values())


def test_garbage_in_the_files_does_no_harm(tmp_path: Path) -> None:
    pi = pi4(tmp_path)
    for name in ("/etc/group", "/etc/passwd", "/proc/mounts", "/proc/cmdline", f"/proc/{DAEMON}/status"):
        (tmp_path / name.lstrip("/")).write_bytes(os.urandom(300) + b"\n:::\nGroups:\tx\n")
    pi.commands["vcgencmd get_throttled"] = "error=1"
    for finding in pi.examine():
        assert "\n" not in finding.what


def test_an_old_python_is_told(tmp_path: Path) -> None:
    pi = pi4(tmp_path)
    found = examine(replace(pi.machine, python=(3, 9, 2)), BOARD, STATE)
    assert any("Python 3.9.2 is too old" in finding.what for finding in found)


@pytest.mark.parametrize("well", [True, False])
def test_the_command(tmp_path: Path, well: bool) -> None:
    pi = pi4(tmp_path)
    if not well:
        no_dialout(pi)
    runner = CliRunner()
    told = runner.invoke(doctor, ["--board", BOARD, "--state", STATE], obj=pi.machine)
    as_json = runner.invoke(doctor, ["--board", BOARD, "--state", STATE, "--json"], obj=pi.machine)
    assert told.exit_code == as_json.exit_code == (0 if well else 1)
    found = json.loads(as_json.output)
    assert found["well"] is well
    assert all({"check", "what", "why", "mend", "wrong"} == set(finding) for finding in found["findings"])
    assert ("WRONG groups:" in told.output) is not well
