"""`balanx restore`: games and calibration back from a stick."""

from __future__ import annotations

from pathlib import Path

import click

from balanxd.backup import newest, the_stick
from balanxd.backup import restore as lay_back
from balanxd.config import read_text

from .arguments import state_of_the_board
from .backup import MOUNTS
from .serve import BOARD_FILE


@click.command()
@click.argument("archive", required=False, type=click.Path(path_type=Path))
@click.option("--state", type=click.Path(path_type=Path), metavar="DIR", help="State folder.")
@click.option(
    "--board", type=click.Path(path_type=Path), default=BOARD_FILE, show_default=True, help="The board file."
)
def restore(archive: Path | None, state: Path | None, board: Path) -> None:
    """Lay back what an archive, or the newest of a folder or of the stick, holds.

    Nothing that is there is overwritten: what differs is laid beside it, as NAME.from-backup.
    """
    archive = the_stick(read_text(MOUNTS)) if archive is None else archive
    if archive.is_dir():
        archive = newest(archive)
    done = lay_back(archive, state or state_of_the_board(), board)
    click.echo(f"{archive}: {len(done.new)} files laid back, {len(done.same)} were there already.")
    for name in done.beside:
        click.echo(f"Yours differs and stays; the one of the backup is {name}")
