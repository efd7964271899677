"""`balanx serve`: the daemon of a board, as the service runs it: waits for the board, parks it before the end."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from balanxd.config import load_board
from balanxd.players import Player

from .arguments import AddressType, PlayerType, calibrated, default_state

BOARD_FILE = "/etc/balanx/board.toml"
EVERYWHERE = "0.0.0.0:8060"


@click.command()
@click.option(
    "--board",
    default=BOARD_FILE,
    show_default=True,
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The board file.",
)
@click.option(
    "--white", type=PlayerType(), default="human", show_default=True, metavar="human|engine:N|random"
)
@click.option(
    "--black", type=PlayerType(), default="engine:2", show_default=True, metavar="human|engine:N|random"
)
@click.option(
    "--http",
    type=AddressType(),
    default=EVERYWHERE,
    show_default=True,
    metavar="HOST:PORT",
    help="Where the page is served. On other machines one may watch; who plays enters the board's code.",
)
@click.option(
    "--state", type=click.Path(path_type=Path, file_okay=False), help="Folder of games and calibration."
)
@click.option("-v", "--verbose", is_flag=True, help="Say every event.")
def serve(
    board: Path,
    white: Player,
    black: Player,
    http: tuple[str, int],
    state: Path | None,
    verbose: bool,
) -> None:
    """Run the daemon of a board, without a screen; systemd/balanxd.service starts it so.

    A controller that is not plugged in is waited for. The end (SIGTERM) is clean: the board goes level after its
    warning, if nothing is in hand, the motor is let go, the game is kept.
    """
    folder = state or default_state()
    config = calibrated(load_board(board), folder)
    from balanxd.live import Options, play_live
    from balanxd.notify import Notifier
    from balanxd.outside import Outside
    from balanxd.sayings import log_is, sayer
    from balanxd.simulated.world import simulated_world

    options = Options(
        players=(white, black),
        state=folder,
        http=http,
        verbose=verbose,
        diary=True,
        patient=True,
        park=True,
    )
    play_live(
        config,
        options,
        simulated_world if config.simulated else None,
        sayer(lambda line: click.echo(line, err=True), log=log_is(os.environ, sys.stderr.fileno())),
        Outside(notify=Notifier(os.environ, os.getpid())),
    )
