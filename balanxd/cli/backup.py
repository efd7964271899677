"""`balanx backup`: games and calibration onto a stick."""

from __future__ import annotations

from pathlib import Path

import click

from balanxd.backup import back_up, the_stick
from balanxd.clock import wall_clock
from balanxd.config import read_text

from .arguments import state_of_the_board
from .serve import BOARD_FILE

MOUNTS = Path("/proc/mounts")


@click.command()
@click.option(
    "--to",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Folder of the archive  [default: the USB stick that is mounted].",
)
@click.option("--state", type=click.Path(path_type=Path), metavar="DIR", help="State folder.")
@click.option(
    "--board", type=click.Path(path_type=Path), default=BOARD_FILE, show_default=True, help="The board file."
)
def backup(to: Path | None, state: Path | None, board: Path) -> None:
    """Write games, calibration and the board file into one dated archive with checksums.

    It is read back before it counts. Nothing is overwritten; the daemon may run meanwhile.
    """
    folder = the_stick(read_text(MOUNTS)) if to is None else to
    click.echo(f"{back_up(state or state_of_the_board(), board, folder, wall_clock)} is written and proved.")
