"""`balanx replay`: a trace, played again."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
def replay(folder: Path) -> None:
    """Replay the board's bytes of a trace into a fresh daemon and print the record that comes out."""
    from balanxd.retrace import retrace

    click.echo(retrace(folder).text(), nl=False)
