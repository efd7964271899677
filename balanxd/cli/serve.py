"""`balanx serve`: the daemon of a board, as the service runs it: waits for the board, parks it before the end."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from balanxd.config import load_board
from balanxd.players import Player

from .arguments import BLACK, SEATS, WHITE, AddressType, calibrated, default_state, players_of

if TYPE_CHECKING:
    from balanxd.world import WorldMaker

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
@SEATS
@WHITE
@BLACK
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
    seats: tuple[tuple[int, Player], ...],
    white: Player | None,
    black: Player | None,
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
    players = players_of(config, seats, white, black, folder)
    from balanxd.evening import power_of
    from balanxd.live import Options, play_live
    from balanxd.notify import Notifier
    from balanxd.outside import Outside
    from balanxd.sayings import log_is, sayer

    make_world: WorldMaker | None = None
    if config.simulated:
        from balanxd.simulated.world import simulated_world

        make_world = simulated_world
    options = Options(
        players=players,
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
        make_world,
        sayer(lambda line: click.echo(line, err=True), log=log_is(os.environ, sys.stderr.fileno())),
        Outside(notify=Notifier(os.environ, os.getpid()), power=power_of(os.environ)),
    )
