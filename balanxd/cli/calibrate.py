"""`balanx calibrate`: wiring, thresholds, mounting, tilt angle and level of a board, found with a person's help."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from balanxd.calibration.plan import Calibrating
from balanxd.calibration.store import Store
from balanxd.calibration.values import Calibration
from balanxd.config import BoardConfig
from balanxd.errors import BalanxError
from balanxd.selftest.boardside import BoardSide

from .arguments import board_of, state_of, state_of_the_board


@click.command()
@click.option("--board", default="auto", show_default=True, metavar="sim|auto|FILE", help="Which board.")
@click.option(
    "--state", type=click.Path(path_type=Path, file_okay=False), help="Folder where the calibration is kept."
)
@click.option("--restore", is_flag=True, help="Take the calibration before the present one again, and end.")
@click.option("--anew", is_flag=True, help="Begin at the beginning although one was broken off.")
@click.option("--seed", type=click.IntRange(0, 2**31 - 1), default=0, help="Chance of the simulated board.")
def calibrate(board: str, state: Path | None, restore: bool, anew: bool, seed: int) -> None:
    """Find a board's wiring, thresholds, mounting, tilt angle and level; goes on where it was broken off."""
    if restore:
        store = Store(state or state_of_the_board())
        store.restore()
        click.echo(f"{store.path}: the earlier calibration is used again.")
        return
    config = board_of(board, None)
    if config.tags:
        raise BalanxError(f"{config.source}: calibration is for boards that tilt")
    store = Store(state or state_of(config))
    begun = None if anew else store.begun(config.layout.name)
    if begun is not None:
        click.echo(
            "Going on where the last calibration was broken off (--anew begins at the beginning).", err=True
        )
    known = run_calibration(config, begun or Calibration(), store, seed)
    store.finish(known)
    click.echo(f"{store.path}: written; `balanx calibrate --restore` takes the one before again.")


def run_calibration(config: BoardConfig, known: Calibration, store: Store, seed: int) -> Calibration:
    """One run on a simulated or a real board. Raises BalanxError, BridgeError."""
    store.check()
    # A locked motor is tried, too: a little at first, until a marble has told its side.
    config = replace(config, side_checked=True)

    def make(side: BoardSide) -> Calibrating:
        return Calibrating(side, known, store.keep)

    def tell(machine: Calibrating) -> None:
        for line in machine.said:
            click.echo(line, err=True)
        machine.said.clear()

    if config.simulated:
        from balanxd.simulated.build import build_table
        from balanxd.simulated.helper import Helper
        from balanxd.simulated.tested import devices_for, run_machine

        table = build_table(config, seed)
        try:
            machine = make(BoardSide(config, session=1, devices=devices_for(config, table)))
            helper = Helper(table, machine)

            def between(now_s: float) -> None:
                tell(machine)
                helper.look(now_s)

            run_machine(table, machine, between=between)
        finally:
            table.close()
    else:
        from balanxd.selftest.run import run_real

        machine = run_real(config, make, tell)
    tell(machine)
    if machine.failed:
        raise BalanxError(machine.failed)
    return machine.known
