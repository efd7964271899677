"""Health: supply, disk, clock, versions and the service's state of a computer in, findings out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

from .findings import Finding
from .machine import Machine

UNIT = "balanxd.service"
SWITCH, SWITCH_DOES = "balanx-poweroff.path", "balanx-poweroff.service"
LEAST_BYTES = 200_000_000
LEAST_FILES = 1000
RESTARTS = 3
OLDEST_PYTHON = (3, 11)
SLACK = timedelta(hours=26)  # names of games have the local time; zones differ by so much

_SUPPLY = (
    "use the supply that is sold for this Pi, with a short cable, and the servo on a supply of its own; "
    "then: vcgencmd get_throttled"
)
_NOW = {
    0: (
        "The supply is too weak: its voltage is too low right now.",
        "The Pi may stop, and the card may be damaged.",
        _SUPPLY,
    ),
    2: (
        "The Pi is slowed down right now.",
        "It is too hot, or its supply too weak: the board answers late.",
        "give it air or a cooler; then: vcgencmd measure_temp",
    ),
    3: (
        "The Pi is at its limit of temperature.",
        "It will be slowed down: the board answers late.",
        "give it air or a cooler; then: vcgencmd measure_temp",
    ),
}
_SINCE = {
    16: (
        "The supply was too weak at least once since the Pi was started.",
        "It will be again, and the card may be damaged.",
        _SUPPLY,
    ),
    18: (
        "The Pi was slowed down at least once since it was started.",
        "It was too hot, or its supply too weak.",
        "give it air or a cooler; then: vcgencmd measure_temp",
    ),
}


def power(machine: Machine) -> Iterator[Finding]:
    """Under-voltage and throttling: the firmware's bits, else the kernel's alarm."""
    told = machine.said("vcgencmd", "get_throttled")
    match = re.fullmatch(r"throttled=0x([0-9a-fA-F]+)", told or "")
    if match is None:
        yield from _alarm(machine)
        return
    bits = int(match[1], 16)
    if bits >> 0 & 1 or bits >> 16 & 1:
        bits &= ~(1 << 2 | 1 << 18)  # a weak supply slows it down: told once, by its cause
    found = [Finding("power", *words) for bit, words in _NOW.items() if bits >> bit & 1]
    found += [
        Finding("power", *words)
        for bit, words in _SINCE.items()
        if bits >> bit & 1 and not bits >> bit - 16 & 1
    ]
    yield from found
    if not found:
        yield Finding("power", "The supply is strong enough and the Pi is cool enough.")


def _alarm(machine: Machine) -> Iterator[Finding]:
    for entry in machine.listed("/sys/class/hwmon/hwmon*"):
        if machine.text(f"{entry}/name") == "rpi_volt":
            if machine.text(f"{entry}/in0_lcrit_alarm") == "1":
                yield Finding("power", *_SINCE[16])
            else:
                yield Finding("power", "The supply is strong enough.")


def disk(machine: Machine, folder: str) -> Iterator[Finding]:
    """Room for games, and whether they can be written at all."""
    if _read_only(machine, folder):
        yield Finding(
            "disk",
            f"The disk under {folder} is read-only.",
            "No turn can be kept. A card that fails becomes read-only.",
            f"balanx backup; then a new card. To try this one: sudo mount -o remount,rw {_mount(machine, folder)[0]}",
        )
        return
    try:
        space = machine.space(machine.path(folder))
    except OSError as error:
        yield Finding(
            "disk",
            f"{folder}: {error.strerror or error}.",
            "Games are kept there.",
            "sudo systemd-tmpfiles --create balanx.conf",
        )
        return
    megabytes = space.free // 1_000_000
    if space.free < LEAST_BYTES or space.files < LEAST_FILES:
        what = f"{megabytes} MB" if space.free < LEAST_BYTES else f"room for {space.files} files"
        yield Finding(
            "disk",
            f"Only {what} are left on the disk of {folder}.",
            "On a full disk turns are not kept.",
            "sudo journalctl --vacuum-size=50M && sudo apt-get clean",
        )
    else:
        yield Finding("disk", f"{megabytes} MB are free for games.")


def _mount(machine: Machine, folder: str) -> tuple[str, str]:
    """(place, options) of the mount that a folder is on."""
    found = ("/", "")
    for line in machine.text("/proc/mounts").splitlines():
        parts = line.split()
        if len(parts) >= 4:
            place = parts[1]
            inside = folder == place or folder.startswith(place.rstrip("/") + "/")
            if inside and len(place) >= len(found[0]):
                found = place, parts[3]
    return found


def _read_only(machine: Machine, folder: str) -> bool:
    return "ro" in _mount(machine, folder)[1].split(",")


def clock(machine: Machine, games: str) -> Iterator[Finding]:
    """Whether the wall's clock is set: nothing in a game depends on it but dates and names."""
    why = "Nothing in a game depends on it, but games get wrong dates."
    set_it = "sudo timedatectl set-ntp true && timedatectl"
    newest = max((Path(name).name for name in machine.listed(f"{games}/*.journal")), default="")
    now = machine.wall().replace(tzinfo=None)
    try:
        last = datetime.strptime(newest[:15], "%Y%m%d-%H%M%S")  # noqa: DTZ007
    except ValueError:
        last = now
    if now + SLACK < last:
        days = (last - now).days
        yield Finding(
            "clock", f"The clock is set {days} days before your newest game: it has jumped.", why, set_it
        )
        return
    told = machine.said("timedatectl", "show", "--property=NTPSynchronized", "--value")
    synchronised = told == "yes" or machine.there("/run/systemd/timesync/synchronized")
    if told is None and not synchronised:
        return  # no systemd here
    if synchronised:
        yield Finding("clock", "The clock is set by the network.")
    else:
        yield Finding("clock", "The clock is not set by the network yet.", why, set_it)


def versions(machine: Machine, *, pins: bool, motorkit: bool) -> Iterator[Finding]:
    """Python, our own packages, and two that must never stand side by side."""
    system = re.search(r'^PRETTY_NAME="?([^"\n]*)', machine.text("/etc/os-release"), re.MULTILINE)
    model = machine.text("/proc/device-tree/model") or "no Raspberry Pi"
    python = ".".join(map(str, machine.python))
    if machine.python < OLDEST_PYTHON:
        yield Finding(
            "versions",
            f"Python {python} is too old.",
            "Balanx needs 3.11 or newer: Raspberry Pi OS Bookworm or later.",
            "flash the card anew (docs/pi.md)",
        )
    parts = [f"balanx {machine.version('balanx') or 'unknown'}", f"Python {python}", model]
    parts += [system[1]] if system else []
    if firmware := machine.said("vcgencmd", "version"):
        parts.append(f"Pi firmware of {firmware.splitlines()[0]}")
    lgpio = machine.version("lgpio")
    if pins and lgpio is None:
        yield Finding(
            "packages",
            "The package lgpio is missing.",
            "It opens the pins.",
            "sudo apt-get install -y python3-lgpio && sudo scripts/install.sh",
        )
    if motorkit and machine.version("adafruit-circuitpython-motorkit") is None:
        yield Finding(
            "packages",
            "The package adafruit-circuitpython-motorkit is missing.",
            "It drives the motor.",
            "sudo scripts/install.sh",
        )
    if machine.version("RPi.GPIO") and machine.version("rpi-lgpio"):
        yield Finding(
            "packages",
            "RPi.GPIO and rpi-lgpio are both installed.",
            "Both own the same folder, and the last one installed has overwritten the other.",
            "sudo scripts/install.sh",
        )
    parts += [f"lgpio {lgpio}"] if lgpio else []
    yield Finding("versions", ", ".join(parts) + ".")


def firmware(machine: Machine, state: str) -> Iterator[Finding]:
    """What the controller runs, asked from the daemon that has it; build 0 is no firmware, but made of numbers."""
    told = machine.ask(machine.path(state)) or {}
    build = told.get("build")
    ours = machine.builds().get((str(told.get("kind")), int(told.get("cells", 0)))) if build else None
    if ours is not None and build != ours:
        yield Finding(
            "firmware",
            f"{told['board']}: another image than build 0x{ours:08x} that came with this program.",
            "What was mended in the controller since then is missing.",
            "sudo systemctl stop balanxd && sudo balanx firmware flash; sudo systemctl start balanxd",
        )
    elif told.get("board"):
        yield Finding("firmware", f"{told['board']}.")


def unit(machine: Machine) -> Iterator[Finding]:
    """The service, as the service manager sees it."""
    told = unit_state(machine)
    if told is None:
        return
    if told.get("LoadState") != "loaded":
        yield Finding(
            "service",
            f"{UNIT} is not installed.",
            "The board does not play by itself after a power-up.",
            "sudo scripts/install.sh",
        )
        return
    if told.get("UnitFileState") != "enabled":
        yield Finding(
            "service",
            f"{UNIT} is not enabled.",
            "The board does not play by itself after a power-up.",
            "sudo systemctl enable --now balanxd",
        )
    restarts = int(told.get("NRestarts", "0") or 0)
    state = told.get("ActiveState", "unknown")
    if state == "active" and restarts <= RESTARTS:
        yield Finding("service", f"{UNIT} runs.")
    elif state == "active":
        yield Finding(
            "service",
            f"{UNIT} runs, but was begun anew {restarts} times.",
            f"Something ends it again and again ({told.get('Result', 'unknown')}).",
            "journalctl -u balanxd -p warning -n 50",
        )
    elif state == "activating" and restarts > 0:
        yield Finding(
            "service",
            f"{UNIT} does not come up (tried {restarts} times).",
            f"It ended with {told.get('Result', 'unknown')}, status {told.get('ExecMainStatus', '?')}.",
            "journalctl -u balanxd -n 50",
        )
    elif state == "activating":
        yield Finding("service", f"{UNIT} is starting.")
    else:
        yield Finding(
            "service",
            f"{UNIT} is {state}.",
            f"Nobody follows the board (result {told.get('Result', 'unknown')}).",
            "sudo systemctl restart balanxd; journalctl -u balanxd -n 50",
        )


def switch(machine: Machine) -> Iterator[Finding]:
    """Whether "Shut down" at the board switches this computer off. Told beside a service that runs."""
    service, told = unit_state(machine), unit_state(machine, SWITCH)
    if service is None or told is None or service.get("ActiveState") != "active":
        return
    why = '"Shut down" at the board only parks it, and the computer stays on.'
    log = "journalctl -u balanx-poweroff -n 20"
    if told.get("LoadState") != "loaded":
        yield Finding("shut down", f"{SWITCH} is not installed.", why, "sudo scripts/install.sh")
    elif told.get("ActiveState") != "active":
        state = told.get("ActiveState", "unknown")
        yield Finding("shut down", f"{SWITCH} is {state}.", why, f"sudo systemctl restart {SWITCH}; {log}")
    elif (unit_state(machine, SWITCH_DOES) or {}).get("ActiveState") == "failed":
        yield Finding("shut down", f"{SWITCH_DOES} has failed.", why, log)
    else:
        yield Finding("shut down", "The computer can be shut down at the board.")


def unit_state(machine: Machine, name: str = UNIT) -> dict[str, str] | None:
    """A unit's properties; None where there is no service manager."""
    names = "LoadState,ActiveState,SubState,UnitFileState,Result,NRestarts,ExecMainStatus,MainPID"
    told = machine.said("systemctl", "show", name, f"--property={names}")
    if told is None:
        return None
    return dict(line.partition("=")[::2] for line in told.splitlines())
