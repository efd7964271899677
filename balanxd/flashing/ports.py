"""The computer's serial ports -> what is known of them without opening any; an open port -> the board's hello."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path

from balanxd.errors import BalanxError
from firmware_bridge.codec import Decoder, encode
from firmware_bridge.errors import PortBusy, PortMissing
from firmware_bridge.messages import BOARD_TO_HOST, PRODUCT, GetHello, Hello
from firmware_bridge.transport import Transport

from .surroundings import Surroundings

LINK = "balanx"
"""Name of our udev link below /dev; a second board's begins with it."""

HELLO_WITHIN_S = 8.0
"""A boot loader may listen for two seconds before the firmware starts."""

_ASK_EVERY_S = 0.5
_LOOK_EVERY_S = 0.02
_PATTERNS = ("ttyUSB*", "ttyACM*", "ttyAMA*", "serial0")


@dataclass(frozen=True, slots=True)
class Port:
    """One serial port. name: what to open; device: the file behind it; usb: vendor, product and what it calls
    itself, empty for a port that is not on USB; holders: programs that have it open, as far as this user may see.
    """

    name: str
    device: str
    ours: bool
    usb: str
    holders: tuple[str, ...]


def find_ports(around: Surroundings) -> tuple[Port, ...]:
    """All serial ports that a board could be on, ours first. Opens none."""
    dev = around.dev
    links = {link.resolve(): link for link in sorted(dev.glob(f"{LINK}*"), reverse=True) if link.exists()}
    devices = {path.resolve() for pattern in _PATTERNS for path in dev.glob(pattern) if path.exists()}
    found = [
        Port(
            str(links.get(device, device)),
            str(device),
            device in links,
            _usb_words(around.sys, device.name),
            holders(around, device),
        )
        for device in devices | links.keys()
    ]
    return tuple(sorted(found, key=lambda port: (not port.ours, port.name)))


def holders(around: Surroundings, port: Path) -> tuple[str, ...]:
    """Programs other than this one that have a port open, as `name (process N)`; only those this user may see."""
    device = str(port.resolve())
    found = []
    for process in around.proc.glob("[0-9]*"):
        if process.name == str(os.getpid()):
            continue
        with contextlib.suppress(OSError):  # another user's, or just gone
            if any(os.readlink(file) == device for file in (process / "fd").iterdir()):
                name = (process / "comm").read_text(errors="replace").strip()
                found.append(f"{name} (process {process.name})")
    return tuple(sorted(found))


def check_free(around: Surroundings, port: str) -> None:
    """Raises PortMissing where a port is not there, PortBusy where another program has it open."""
    path = Path(port)
    if not path.exists():
        raise PortMissing(
            port, f"{port}: no such port. Is the board plugged in? `balanx firmware list` shows the ports."
        )
    found = holders(around, path)
    if found:
        raise PortBusy(
            port,
            f"{port} is in use by {', '.join(found)}: end it first (a daemon that runs as a service: "
            "`sudo systemctl stop balanxd`), then try again.",
        )


def read_hello(around: Surroundings, transport: Transport, within_s: float = HELLO_WITHIN_S) -> Hello | None:
    """Asks the board who it is until it answers us; None where nothing that speaks our wire does. Raises PortGone."""
    decoder = Decoder(BOARD_TO_HOST)
    begun_s = around.now_s()
    ask_s = begun_s
    while (now_s := around.now_s()) < begun_s + within_s:
        if now_s >= ask_s:
            ask_s = now_s + _ASK_EVERY_S
            transport.write(b"\0" + encode(GetHello(around.session)))
        for message in decoder.feed(transport.read()):
            if isinstance(message, Hello) and message.session == around.session:
                return message
        around.pause(_LOOK_EVERY_S)
    return None


def ask(around: Surroundings, port: str) -> Hello | None:
    """Opens a port that may be opened, reads the hello and closes it. Raises PortError."""
    check_free(around, port)
    with around.hold(port):
        return ask_held(around, port)


def ask_held(around: Surroundings, port: str) -> Hello | None:
    """As `ask`, for a port that is already held."""
    transport = around.open_port(port)
    try:
        return read_hello(around, transport)
    finally:
        transport.close()


def refuse_foreign(port: str, hello: Hello | None) -> Hello:
    """The hello of a board of ours. Raises BalanxError for silence and for another product."""
    if hello is None:
        raise BalanxError(
            f"{port}: nothing there answers as a Balanx board. For a new chip with no firmware of ours: "
            f"`balanx firmware flash --first --port {port}`."
        )
    if hello.product != PRODUCT:
        raise BalanxError(f"{port}: this is a {hello.product!r} board, not {PRODUCT}. It is left alone.")
    return hello


def hello_words(hello: Hello) -> str:
    """A board in one line."""
    version = ".".join(map(str, hello.firmware))
    return (
        f"{hello.product} {hello.board_kind}, {hello.cells} inputs of {hello.bits} bit, firmware {version} "
        f"build 0x{hello.build_id:08x}, protocol {hello.major}.{hello.minor}, id {hello.unique_id.hex()}"
    )


def _usb_words(sys: Path, name: str) -> str:
    """`1a86:7523 USB Serial`, from the nearest parent of the port that is a USB device."""
    place = (sys / "class" / "tty" / name / "device").resolve()
    for folder in (place, *place.parents):
        if (folder / "idVendor").is_file():
            told = [_read(folder / "idVendor") + ":" + _read(folder / "idProduct")]
            told += [
                text
                for text in (_read(folder / part) for part in ("manufacturer", "product", "serial"))
                if text
            ]
            return " ".join(told)
    return ""


def _read(path: Path) -> str:
    try:
        return " ".join(path.read_text(errors="replace").split())
    except OSError:
        return ""
