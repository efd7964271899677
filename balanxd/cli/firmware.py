"""`balanx firmware`: the controller's firmware: which one, for which board, and how it gets there."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import click

from balanxd.config import load_board
from balanxd.errors import BalanxError
from balanxd.flashing import images as made
from balanxd.flashing import ports
from balanxd.flashing.settings import store_defaults
from balanxd.flashing.surroundings import Surroundings, real_surroundings
from balanxd.flashing.update import Wish, find_port, flash, plan
from firmware_bridge.errors import BridgeError
from firmware_bridge.messages import CELLS_MAX

_port = click.option(
    "--port", metavar="PORT", help="The board's serial port  [default: the board that is plugged in]."
)
_board = click.option("--board", metavar="FILE", help="Take the port from a board file.")
_yes = click.option("--yes", is_flag=True, help="Open the named port without asking.")


@click.group()
@click.pass_context
def firmware(context: click.Context) -> None:
    """The controller's firmware: build it, write it, say which one runs."""
    context.obj = context.obj or real_surroundings()


@firmware.command("build")
@click.option(
    "--out", required=True, type=click.Path(file_okay=False, path_type=Path), help="Folder for the image."
)
@click.option(
    "--kind", default="classic", show_default=True, help="Which sensor board the firmware says it is on."
)
@click.option(
    "--cells",
    default=56,
    show_default=True,
    type=click.IntRange(8, CELLS_MAX),
    help="Inputs of the chain.",
)
@click.pass_obj
def firmware_build(around: Surroundings, /, out: Path, kind: str, cells: int) -> None:
    """Compile the sources that came with this program (avr-gcc and make)."""
    image = made.build(around, out, kind, cells)
    click.echo(f"{image.path}: {image.words}")
    same = [one for one in made.shipped() if one.sha256 == image.sha256]
    if same:
        click.echo(f"The same bytes as the image that came with this program ({same[0].path.name}).")


@firmware.command("flash")
@_port
@_board
@_yes
@click.option("--first", is_flag=True, help="The chip has no firmware of ours yet (needs --port).")
@click.option("--kind", help="Kind of board  [default: the board's own; with --first classic].")
@click.option(
    "--cells",
    type=click.IntRange(8, CELLS_MAX),
    help="Inputs of the chain, 64 with buttons on it  [default: the board's own; with --first 56].",
)
@click.option(
    "--from",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder of `balanx firmware build`  [default: the images that came with this program].",
)
@click.option("--again", is_flag=True, help="Write the image also where the board runs it already.")
@click.option("--dry-run", is_flag=True, help="Print the commands, open nothing.")
@click.pass_obj
def firmware_flash(
    around: Surroundings,
    /,
    port: str | None,
    board: str | None,
    yes: bool,
    first: bool,
    kind: str | None,
    cells: int | None,
    folder: Path | None,
    again: bool,
    dry_run: bool,
) -> None:
    """Write the firmware over the board's boot loader, verify it, and have the board tell its build id."""
    if first and port is None:
        raise click.UsageError(
            "--first needs --port: a chip without our firmware cannot say that it is the board"
        )
    images = made.shipped() if folder is None else made.images_in(folder)
    wish = Wish(images, port, _configured(board), kind, first, again, cells)
    if dry_run:
        click.echo("At the first rate at which the boot loader answers; nothing is opened now:", err=True)
        for command in plan(around, wish, port or wish.configured or str(around.dev / ports.LINK)):
            click.echo(shlex.join(command))
        return
    chosen = find_port(around, wish, lambda question: yes or _ask(question))
    hello = flash(around, wish, chosen, lambda text: click.echo(text))
    click.echo(f"{chosen}: {ports.hello_words(hello)}")


@firmware.command("list")
@click.pass_obj
def firmware_list(around: Surroundings) -> None:
    """Show the serial ports and the boards on them. Opens only ports that carry our udev link."""
    found = ports.find_ports(around)
    if not found:
        click.echo("No serial port here. Is the board plugged in, with a cable that carries data?")
    for port in found:
        name = port.name if port.name == port.device else f"{port.name} ({port.device})"
        what = port.usb or "not on USB"
        click.echo(f"{name}: {what}: {_state(around, port)}")


@firmware.command("version")
@_port
@_board
@_yes
@click.pass_obj
def firmware_version(around: Surroundings, /, port: str | None, board: str | None, yes: bool) -> None:
    """Say which images came with this program, and which one the board runs."""
    shipped = made.shipped()
    for image in shipped:
        click.echo(f"shipped: {image.words}")
    wish = Wish(shipped, port, _configured(board))
    if port is None and wish.configured is None and not any(one.ours for one in ports.find_ports(around)):
        click.echo(f"board: none is plugged in (there is no {around.dev / ports.LINK}); --port names one.")
        return
    chosen = find_port(around, wish, lambda question: yes or _ask(question))
    hello = ports.refuse_foreign(chosen, ports.ask(around, chosen))
    click.echo(f"board: {chosen}: {ports.hello_words(hello)}")
    here = (hello.board_kind, hello.cells)
    current = [image for image in shipped if (image.kind, image.cells) == here]
    if any(image.build_id == hello.build_id for image in current):
        click.echo("The board runs the shipped image.")
    elif current:
        click.echo("The board runs another image; `balanx firmware flash` writes the shipped one.")


@firmware.command("settings")
@click.option(
    "--store-defaults",
    "store_defaults_",
    is_flag=True,
    help="Forget what is stored: the built-in settings hold.",
)
@_port
@_board
@_yes
@click.pass_obj
def firmware_settings(
    around: Surroundings, /, store_defaults_: bool, port: str | None, board: str | None, yes: bool
) -> None:
    """Put the settings that the board itself keeps back to those built in.

    A board whose stored settings were damaged moves nothing until this is done. Narrower limits that somebody had
    stored are gone then: set them anew.
    """
    if not store_defaults_:
        raise click.UsageError("say what is to be done: --store-defaults")
    chosen = find_port(around, Wish((), port, _configured(board)), lambda question: yes or _ask(question))
    told = store_defaults(around, chosen)
    click.echo(f"{chosen}: {told}")
    click.echo("The built-in settings hold from now on, also after a power cut, and the board may move.")


def _configured(board: str | None) -> str | None:
    if board is None:
        return None
    config = load_board(Path(board))
    if not config.port.startswith("/"):
        raise BalanxError(f"{board}: link.port is {config.port!r}: this board has no controller to flash")
    return config.port


def _ask(question: str) -> bool:
    if not sys.stdin.isatty():
        raise BalanxError(f"{question} Say so with --yes.")
    return click.confirm(question, err=True)


def _state(around: Surroundings, port: ports.Port) -> str:
    if port.holders:
        return f"in use by {', '.join(port.holders)}"
    if not port.ours:
        return "not asked (it does not carry our link; opening could restart a foreign device)"
    try:
        hello = ports.ask(around, port.name)
    except BridgeError as error:
        return str(error)
    return "silent: no Balanx firmware" if hello is None else ports.hello_words(hello)
