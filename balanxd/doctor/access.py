"""Access: may the daemon's user reach what the board needs? Groups, port, bus and pins in, findings out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hardware.gpio import HEADER_LABELS

from .findings import Finding
from .machine import Machine, people_of

RULES = "/etc/udev/rules.d/60-balanx.rules"


@dataclass(frozen=True, slots=True)
class Needs:
    """What a board needs of the computer. port: of the controller, empty where there is none. daemon: its process.

    sound: it speaks.
    """

    user: str
    port: str
    pins: bool
    bus: bool
    daemon: int | None
    sound: bool = False


def groups(machine: Machine, needs: Needs) -> Iterator[Finding]:
    """Groups of the user that runs the daemon, and of the daemon that runs."""
    wanted = [
        (group, why)
        for group, needed, why in (
            ("dialout", bool(needs.port), f"the controller on {needs.port} cannot be opened"),
            ("gpio", needs.pins, "the pins cannot be opened"),
            ("i2c", needs.bus, "the I2C bus cannot be opened"),
            ("audio", needs.sound, "the sound card cannot be opened"),
        )
        if needed
    ]
    people = people_of(machine)
    if needs.user not in people.main:
        why = "Nobody may run the daemon."
        yield Finding("groups", f"There is no user {needs.user}.", why, "sudo scripts/install.sh")
        return
    missing = [(group, why) for group, why in wanted if not people.belongs(needs.user, group)]
    for group, why in missing:
        make = "" if group in people.numbers else f"sudo groupadd --system {group} && "
        then = (
            "   (then log in again)" if needs.user == machine.user else " && sudo systemctl restart balanxd"
        )
        yield Finding(
            "groups",
            f"The user {needs.user} is not in the group {group}.",
            f"Without it {why}.",
            f"{make}sudo usermod -aG {group} {needs.user}{then}",
        )
    if missing:
        return
    held = _held(machine, needs.daemon)
    stale = [group for group, _ in wanted if held is not None and people.numbers.get(group) not in held]
    if stale and needs.user != "root":
        yield Finding(
            "groups",
            f"The daemon that runs was begun before its user came into {', '.join(stale)}.",
            "Groups are taken over when a program begins.",
            "sudo systemctl restart balanxd",
        )
    else:
        names = ", ".join(group for group, _ in wanted) or "nothing"
        yield Finding("groups", f"The user {needs.user} may reach all that the board needs ({names}).")


def _held(machine: Machine, process: int | None) -> set[int] | None:
    """Groups of a running process; None where that is not known."""
    status = machine.text(f"/proc/{process}/status") if process else ""
    lines = dict(line.partition(":")[::2] for line in status.splitlines())
    if "Groups" not in lines:
        return None
    return {int(part) for part in (lines["Groups"] + lines.get("Gid", "")).split() if part.isdigit()}


# ---- the port ----------------------------------------------------------------------------------------------


def port(machine: Machine, needs: Needs) -> Iterator[Finding]:
    """The controller's port: there, free, no console on it, no ModemManager at it."""
    if not needs.port:
        return
    name = needs.port
    device = machine.real(name)
    if not machine.there(name):
        yield _missing(machine, name)
        return
    found = list(_console(machine, name, device))
    others = [(number, program) for number, program in machine.holders(device) if number != needs.daemon]
    for number, program in others:
        end = f"sudo kill {number}"
        if program == "ModemManager":
            end = "sudo systemctl disable --now ModemManager"
        elif program.startswith("brltty"):
            end = "sudo apt-get purge -y brltty"
        elif program.startswith(("agetty", "getty")):
            continue  # the console's: told already
        found.append(
            Finding(
                "port",
                f"{name} is in use by {program} (process {number}).",
                "Two programs on one port steal each other's bytes.",
                end,
            )
        )
    yield from found
    yield from _modem_manager(machine, name)
    if not found:
        where = name if name == device else f"{name} ({device})"
        held = needs.daemon is not None and any(
            number == needs.daemon for number, _ in machine.holders(device)
        )
        yield Finding("port", f"{where} is there" + (" and the daemon has it." if held else " and free."))


def _missing(machine: Machine, name: str) -> Finding:
    adapters = machine.listed("/dev/ttyUSB*") + machine.listed("/dev/ttyACM*")
    what = f"{name} is not there, so no controller is known."
    why = "The daemon waits for its controller."
    if adapters and name == "/dev/balanx":
        what += (
            f" There is a serial adapter at {', '.join(adapters)}, but nothing says that it is the board's."
        )
        return Finding("port", what, why, f"sudo /opt/balanx/install.sh --port {adapters[0]}")
    if adapters:
        return Finding(
            "port",
            f"{what} There is {', '.join(adapters)}.",
            why,
            "sudoedit /etc/balanx/board.toml   (link.port)",
        )
    if name in ("/dev/serial0", "/dev/ttyAMA0", "/dev/ttyS0"):
        return Finding("port", what, why, "sudo raspi-config nonint do_serial_hw 0 && sudo reboot")
    return Finding(
        "port",
        what,
        why,
        "plug the controller in with a cable that carries data, then: sudo dmesg | tail",
    )


def _console(machine: Machine, name: str, device: str) -> Iterator[Finding]:
    """A login on the port, by the kernel's command line or by a getty."""
    consoles = [
        word.removeprefix("console=").partition(",")[0]
        for word in machine.text("/proc/cmdline").split()
        if word.startswith("console=")
    ]
    on_it = any(machine.real(f"/dev/{console}") == device for console in consoles)
    gettys = any(program.startswith(("agetty", "getty")) for _, program in machine.holders(device))
    if on_it or gettys:
        yield Finding(
            "console",
            f"The system's serial console is on {name}.",
            "What the system prints there reaches the controller, and what the controller says is taken for a login.",
            "sudo raspi-config nonint do_serial_cons 1 && sudo reboot",
        )


def _modem_manager(machine: Machine, name: str) -> Iterator[Finding]:
    runs = any(program == "ModemManager" for _, program in machine.processes())
    if runs and not machine.there(RULES):
        yield Finding(
            "modems",
            f"ModemManager runs and is not told to leave {name} alone.",
            "It asks new ports whether they are modems; the controller is busy meanwhile and hears noise.",
            "sudo systemctl disable --now ModemManager   (or: sudo scripts/install.sh, which brings the rule)",
        )


# ---- bus and pins ------------------------------------------------------------------------------------------


def bus(machine: Machine, needs: Needs) -> Iterator[Finding]:
    """The I2C bus of the header."""
    if not needs.bus:
        return
    if machine.there("/dev/i2c-1"):
        yield Finding("i2c", "The I2C bus is on (/dev/i2c-1).")
        return
    yield Finding(
        "i2c",
        "The I2C bus is off: there is no /dev/i2c-1.",
        "The motor driver or the expander is on it.",
        "sudo raspi-config nonint do_i2c 0",
    )


def header(machine: Machine) -> tuple[str, str] | None:
    """The /dev/gpiochip of the header and its label, by what the kernel tells without opening it; None: no Pi's."""
    for entry in machine.listed("/sys/class/gpio/gpiochip*"):
        label = machine.text(f"{entry}/label")
        if label in HEADER_LABELS:
            # .../fe200000.gpio/gpio/gpiochip512 is the old form of .../fe200000.gpio/gpiochip0
            home = machine.path(machine.real(entry)).parent.parent
            for chip in sorted(path.name for path in home.glob("gpiochip*")):
                if machine.there(f"/dev/{chip}"):
                    return f"/dev/{chip}", label
    return None


def pins(machine: Machine, needs: Needs) -> Iterator[Finding]:
    """The chip that carries the header: its number is another one from kernel to kernel."""
    found = header(machine)
    if found is not None:
        yield Finding("pins", f"The header's pins are {found[0]} ({found[1]}).")
    elif needs.pins:
        there = ", ".join(machine.listed("/dev/gpiochip*"))
        yield Finding(
            "pins",
            f"None of {there} is a Pi's header." if there else "There is no /dev/gpiochip: no pins here.",
            "The board file names pins of this computer.",
            "sudo apt-get full-upgrade -y && sudo reboot   (on a Raspberry Pi; elsewhere a board needs the controller)",
        )
