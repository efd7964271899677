"""`balanx layout`: groove plans."""

from __future__ import annotations

from pathlib import Path

import click

from balanxd.config import load_board, load_layout
from hardware.wiring import Wiring


@click.group()
def layout() -> None:
    """Groove plans of boards."""


@layout.command("show")
@click.argument("name", metavar="NAME|FILE")
def layout_show(name: str) -> None:
    """Draw a layout."""
    from balanxd.drawing import layout_text

    click.echo(layout_text(load_layout(name)))


@layout.command("check")
@click.argument("name", metavar="NAME|FILE")
def layout_check(name: str) -> None:
    """Check a layout and say what it has."""
    plan = load_layout(name)
    double = sum(len(groove) == 2 for groove in plan.grooves)
    click.echo(
        f"{plan.name}: {plan.files} x {plan.ranks}, {double} double and {len(plan.grooves) - double} single grooves"
    )


@layout.command("wiring")
@click.argument("name", metavar="NAME|FILE")
@click.option("--board", metavar="FILE", help="Take the chain's order from a board file.")
@click.option(
    "--svg",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Draw the board and the circuits into this folder.",
)
def layout_wiring(name: str, board: str | None, folder: Path | None) -> None:
    """Say which space hangs on which input of the sensor chain, and draw the wiring."""
    from balanxd.drawings.chain import INPUTS_A_CHIP, inputs_of, table_text
    from balanxd.drawings.circuits import drawings_of
    from balanxd.drawings.plan import plan_svg

    plan = load_layout(name)
    wiring, buttons = Wiring.straight(len(plan.cell_names)), dict[int, str]()
    if board is not None:
        config = load_board(Path(board), plan)
        wiring = config.wiring
        buttons = {number: button.upper() for button, number in config.buttons.inputs}
    if folder is None:
        click.echo(table_text(plan, wiring, buttons), nl=False)
        return
    folder.mkdir(parents=True, exist_ok=True)
    chips = len(inputs_of(plan, wiring, buttons)) // INPUTS_A_CHIP
    drawn = {f"{plan.name}.svg": plan_svg(plan, wiring), **drawings_of(chips, len(wiring.inputs))}
    for file, text in drawn.items():
        (folder / file).write_text(text, encoding="utf-8")
        click.echo(folder / file)
