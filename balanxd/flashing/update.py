"""A port, an image and a yes in; a board that proved to run that image out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from balanxd.errors import BalanxError
from firmware_bridge.messages import Hello

from .avrdude import BAUDS, Chip, read_signature, signature_command, write, write_command
from .images import Image, choose
from .ports import LINK, Port, ask_held, check_free, find_ports, hello_words, refuse_foreign
from .surroundings import Surroundings

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Wish:
    """What is wanted. port: None for the board that is plugged in; kind, cells: None for the board's own; configured:
    the port that a board file names; again: write also what is there already.
    """

    images: tuple[Image, ...]
    port: str | None = None
    configured: str | None = None
    kind: str | None = None
    first: bool = False
    again: bool = False
    cells: int | None = None


def find_port(around: Surroundings, wish: Wish, confirm: Callable[[str], bool]) -> str:
    """The port to use. `confirm` is asked before a port that is neither configured nor our link. Raises BalanxError."""
    if wish.port is None and wish.configured is not None:
        return wish.configured
    ports = find_ports(around)
    if wish.port is None:
        ours = [port for port in ports if port.ours]
        if len(ours) == 1:
            return ours[0].name
        names = ", ".join(port.name for port in ours or ports) or "none at all"
        if ours:
            raise BalanxError(f"several boards are plugged in ({names}): say which with --port")
        raise BalanxError(
            f"no Balanx board is plugged in (there is no {around.dev / LINK}). Serial ports here: {names}; "
            "name the board's with --port."
        )
    if wish.port == wish.configured or any(
        port.ours and wish.port in (port.name, port.device) for port in ports
    ):
        return wish.port
    check_free(around, wish.port)
    known = next((port for port in ports if wish.port in (port.name, port.device)), None)
    if not confirm(_question(wish.port, known)):
        raise BalanxError(f"{wish.port}: left alone, nothing was opened")
    return wish.port


def plan(around: Surroundings, wish: Wish, port: str) -> list[list[str]]:
    """The commands that flashing would run, without opening anything. Raises BalanxError."""
    image = choose(wish.images, wish.kind or wish.images[0].kind, wish.cells)
    chips = [Chip("ATmega328P", "m328p", baud) for baud in BAUDS]
    return [
        command
        for chip in chips
        for command in (signature_command(port, chip.baud), write_command(port, chip, image.path))
    ]


def flash(around: Surroundings, wish: Wish, port: str, say: Say) -> Hello:
    """Reads who is there, writes, verifies, and reads the build id back. Raises BalanxError and PortError."""
    check_free(around, port)
    with around.hold(port):
        image = _image_for_board(around, wish, port, say)
        if isinstance(image, Hello):
            return image
        chip = read_signature(around, port, say)
        say(f"{port}: {chip.name}, boot loader at {chip.baud} baud. Writing {image.words} ...")
        write(around, port, chip, image.path)
        say("Written and verified. Waiting for the board ...")
        return _prove(around, port, image)


def _image_for_board(around: Surroundings, wish: Wish, port: str, say: Say) -> Image | Hello:
    """The image to write; the board's hello where it runs that one already."""
    if wish.first:
        return choose(wish.images, wish.kind or wish.images[0].kind, wish.cells)
    hello = refuse_foreign(port, ask_held(around, port))
    say(f"{port}: {hello_words(hello)}")
    if wish.kind is not None and wish.kind != hello.board_kind:
        raise BalanxError(
            f"{port}: this is a board of kind {hello.board_kind!r}, not {wish.kind!r}. To make it one: --first."
        )
    image = choose(wish.images, hello.board_kind, wish.cells or hello.cells)
    if image.build_id == hello.build_id and not wish.again:
        say("The board runs this image already; nothing was written (--again writes it all the same).")
        return hello
    return image


def _prove(around: Surroundings, port: str, image: Image) -> Hello:
    hello = ask_held(around, port)
    if hello is None:
        raise BalanxError(
            f"{port}: the image was written and verified, but the board does not answer. Unplug it, plug it in again, "
            "and look with `balanx firmware version`."
        )
    if hello.build_id != image.build_id:
        raise BalanxError(
            f"{port}: the board runs build 0x{hello.build_id:08x}, not 0x{image.build_id:08x} that was written. "
            "Is this the port of the same board? Flash again."
        )
    return hello


def _question(port: str, known: Port | None) -> str:
    what = f" ({known.usb})" if known and known.usb else ""
    return (
        f"{port}{what} is not known as a Balanx board. Opening it restarts whatever is connected there, "
        "a 3D printer at work too. Is it your Balanx controller?"
    )
