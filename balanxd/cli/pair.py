"""`balanx pair`: the code that lets a browser on another machine play."""

from __future__ import annotations

from pathlib import Path

import click

from balanxd.control import NAME, ask

from .arguments import SERVICE_STATE, default_state


@click.command()
@click.option(
    "--state",
    type=click.Path(path_type=Path, file_okay=False),
    help=f"State folder of the daemon  [default: yours, else {SERVICE_STATE}].",
)
@click.option("--forget", is_flag=True, help="No browser that was let in before may play any more.")
def pair(state: Path | None, forget: bool) -> None:
    """Show the six digits that a browser on another machine is asked for.

    They are good for two minutes. Run it on the board's own computer, for the service as root.
    """
    folder = state or default_state()
    if state is None and not (folder / NAME).exists():
        folder = Path(SERVICE_STATE)
    if forget:
        count = ask(folder, {"do": "forget"})["forgotten"]
        click.echo(f"{count} browsers are forgotten. Whoever wants to play enters a new code.")
        return
    told = ask(folder, {"do": "pair"})
    click.echo(f"{told['code']}  (good for {told['seconds']} s)")
