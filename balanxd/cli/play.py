"""`balanx play`: a game on the simulated board or a real one."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from balanxd.clock import date_of, wall_clock
from balanxd.config import BoardConfig
from balanxd.errors import BalanxError
from balanxd.options import BALANX, checked_tags, settings_of
from balanxd.players import Player
from rules.games import NAMES
from rules.record import UNKNOWN_DATE

from .arguments import BLACK, SEATS, WHITE, AddressType, board_of, calibrated, default_state, players_of

HEADLESS_TURNS = 600


@click.command()
@click.option(
    "--board",
    default="sim",
    show_default=True,
    metavar="sim|firmware|auto|FILE",
    help="The simulated board; the same with the firmware's own program in an emulator; the controller that is "
    "plugged in, else the simulated board; or a board file.",
)
@click.option(
    "--game",
    type=click.Choice(NAMES),
    help="Which game  [default: the board file's, else balanx].",
)
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="TAG=VALUE",
    help="Board or house rule of another game than Balanx, as in its record's tags (docs/games).",
)
@SEATS
@WHITE
@BLACK
@click.option("--layout", metavar="NAME|FILE", help="Groove plan: classic, wide, or a TOML file.")
@click.option(
    "--seed", type=click.IntRange(0, 2**31 - 1), help="All chance of the simulator and of machine players."
)
@click.option(
    "--http",
    type=AddressType(),
    metavar="HOST:PORT",
    help="Where the page is served  [default: 127.0.0.1:8060].",
)
@click.option("--no-browser", is_flag=True, help="Do not open the page in a browser.")
@click.option(
    "--state",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder of games and of the simulated board's marbles.",
)
@click.option("--new", "fresh", is_flag=True, help="Begin a new game even where one is unfinished.")
@click.option(
    "--fresh-board", is_flag=True, help="The simulated board is new: its motor is locked, and people push it."
)
@click.option(
    "--speed",
    type=click.FloatRange(0.1, 50),
    default=1.0,
    show_default=True,
    help="How fast the simulated board's time runs.",
)
@click.option(
    "--headless",
    is_flag=True,
    help="Machines at all seats, no page, as fast as it can; prints the game record.",
)
@click.option(
    "--pty", is_flag=True, help="Headless: over a real pseudo-terminal instead of a pipe in memory."
)
@click.option(
    "--max-turns",
    type=click.IntRange(1),
    help=f"End with * after so many turns (two machines: {HEADLESS_TURNS}).",
)
@click.option(
    "--trace",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Write the bytes both ways and the simulator's marbles into a folder.",
)
@click.option("--speech", is_flag=True, help="What happens is said by espeak-ng.")
@click.option("-v", "--verbose", is_flag=True, help="Say every event, and show its tune, on standard error.")
def play(
    board: str,
    game: str | None,
    settings: tuple[str, ...],
    seats: tuple[tuple[int, Player], ...],
    white: Player | None,
    black: Player | None,
    layout: str | None,
    seed: int | None,
    http: tuple[str, int] | None,
    no_browser: bool,
    state: Path | None,
    fresh: bool,
    fresh_board: bool,
    speed: float,
    headless: bool,
    pty: bool,
    max_turns: int | None,
    trace: Path | None,
    speech: bool,
    verbose: bool,
) -> None:
    """Play Balanx, or another game, on the simulated board (default) or a real one."""
    folder = state or default_state()
    config = calibrated(_board(board, layout, game, settings), folder)
    if fresh_board:
        if not config.simulated or config.tags:
            raise click.UsageError("--fresh-board is for the simulated board that tilts")
        config = replace(config, side_checked=False)
    players = players_of(config, seats, white, black, None if headless else folder)
    if speech:
        config = replace(config, sound=replace(config.sound, speech=True))
    if headless:
        if speech:
            raise click.UsageError("--speech is for a game that somebody follows, not for --headless")
        play_headless(config, players, seed, max_turns, pty, trace, verbose)
        return
    if pty:
        raise click.UsageError("--pty is for --headless; with a page the board always has a pseudo-terminal")
    if math.isnan(speed):
        raise click.UsageError("--speed is a number")
    if speed != 1.0 and not config.simulated:
        raise click.UsageError("--speed is for the simulated board")
    from balanxd.live import Options, play_live
    from balanxd.simulated.world import simulated_world

    options = Options(
        players=players,
        seed=seed,
        http=http,
        open_browser=not no_browser,
        state=folder,
        fresh=fresh,
        speed=speed,
        max_turns=max_turns or (HEADLESS_TURNS if all(player.machine for player in players) else None),
        trace=trace,
        verbose=verbose,
        park=not config.simulated,
    )
    play_live(
        config,
        options,
        simulated_world if config.simulated else None,
        lambda line: click.echo(line, err=True),
    )


def _board(board: str, layout: str | None, game: str | None, settings: tuple[str, ...]) -> BoardConfig:
    told = settings_of(settings)
    if game in (None, BALANX) and told:
        raise click.UsageError("--set is for other games: name one with --game; Balanx has --layout")
    if game not in (None, BALANX) and layout is not None:
        raise click.UsageError("--layout is Balanx's; other games have --set TAG=VALUE")
    config = board_of(board, layout, () if game in (None, BALANX) else checked_tags(str(game), told))
    if game is not None and config.game != game:
        raise BalanxError(f"{config.source}: board.game: this is a board for {config.game}, not for {game}")
    return config


def play_headless(
    config: BoardConfig,
    players: tuple[Player, ...],
    seed: int | None,
    max_turns: int | None,
    pty: bool,
    trace: Path | None,
    verbose: bool,
) -> None:
    """Machines at all seats, one record on standard output."""
    if not all(player.machine for player in players):
        raise click.UsageError(
            "--headless needs machines at all seats: give --white and --black, or --seat N=, engine:L or random"
        )
    if not config.simulated:
        raise click.UsageError("--headless plays on the simulated board only")
    from balanxd.simulated.headless import Stalled, headless_record

    date = date_of(wall_clock) if seed is None else UNKNOWN_DATE
    try:
        record = headless_record(
            config,
            players,
            seed=seed,
            max_turns=max_turns or HEADLESS_TURNS,
            pty=pty,
            date=date,
            trace_folder=trace,
            say=_say_headless if verbose else _say_faults,
        )
    except Stalled as stalled:
        if stalled.record is not None:
            click.echo(stalled.record.text(), nl=False)
        raise
    click.echo(record.text(), nl=False)


def _say_headless(event: Any) -> None:
    click.echo(f"{event.at_s:10.3f}  {event}", err=True)


def _say_faults(event: Any) -> None:
    from referee import events as e

    if isinstance(event, e.Fault | e.SensorNamed | e.OutOfStep | e.SetUpWanted | e.Question):
        click.echo(f"{event.at_s:10.3f} s  {event.say}", err=True)
    elif isinstance(event, e.LinkChanged) and not event.up:
        click.echo(f"{event.at_s:10.3f} s  The board does not answer: {event.why}", err=True)
