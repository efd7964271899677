"""`balanx`: the command line. Exit status 0 good, 1 the input is wrong (one clear line), 2 wrong usage."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

import click

from firmware_bridge.errors import BridgeError
from rules import commands as text
from rules.errors import RulesError
from rules.games import NAMES, AnyGame, game_named, game_of_tags
from rules.record import UNKNOWN_DATE

from .config import BoardConfig, load_board, load_layout, read_text, simulated_board
from .errors import BalanxError
from .players import Player, parse_player

HEADLESS_TURNS = 600
AUTO_PORT = "/dev/balanx"  # our udev link

F = TypeVar("F", bound=Callable[..., Any])


class _Player(click.ParamType[Player]):
    name = "human|engine:N|random"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Player:
        if isinstance(value, Player):
            return value
        try:
            return parse_player(value)
        except BalanxError as error:
            self.fail(str(error), param, ctx)


class _Address(click.ParamType[tuple[str, int]]):
    name = "host:port"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, int]:
        if isinstance(value, tuple):
            return value
        host, colon, port = str(value).rpartition(":")
        if not colon or not host or not port.isdecimal() or int(port) > 65535:
            self.fail(f"{value!r} is not HOST:PORT, as in 127.0.0.1:8000", param, ctx)
        return host.strip("[]"), int(port)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="balanx", message="balanx %(version)s")
def balanx() -> None:
    """A see-saw marble board that comes alive.

    `balanx play` opens a Balanx board in the browser: drag the marbles, the computer plays Black. The same
    daemon drives a real board (`--board FILE`); everything on the simulated one goes the same way: a hand,
    rolling marbles, sensors, bytes on a serial line, recognition, rules, journal.
    """


@balanx.command()
@click.option(
    "--board",
    default="sim",
    show_default=True,
    metavar="sim|auto|FILE",
    help="The simulated board; the controller that is plugged in, else the simulated board; or a board file.",
)
@click.option(
    "--white",
    type=_Player(),
    default="human",
    show_default=True,
    metavar="human|engine:N|random",
    help="Who plays White.",
)
@click.option(
    "--black",
    type=_Player(),
    default="engine:2",
    show_default=True,
    metavar="human|engine:N|random",
    help="Who plays Black.",
)
@click.option("--layout", metavar="NAME|FILE", help="Groove plan: classic, wide, or a TOML file.")
@click.option(
    "--seed", type=click.IntRange(0, 2**31 - 1), help="All chance of the simulator and of machine players."
)
@click.option(
    "--http",
    type=_Address(),
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
    "--speed",
    type=click.FloatRange(0.1, 50),
    default=1.0,
    show_default=True,
    help="How fast the simulated board's time runs.",
)
@click.option(
    "--headless",
    is_flag=True,
    help="Two machine players, no page, as fast as it can; prints the game record.",
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
@click.option("-v", "--verbose", is_flag=True, help="Say every event on standard error.")
def play(
    board: str,
    white: Player,
    black: Player,
    layout: str | None,
    seed: int | None,
    http: tuple[str, int] | None,
    no_browser: bool,
    state: Path | None,
    fresh: bool,
    speed: float,
    headless: bool,
    pty: bool,
    max_turns: int | None,
    trace: Path | None,
    verbose: bool,
) -> None:
    """Play Balanx on the simulated board (default) or a real one."""
    config = board_of(board, layout)
    players = (white, black)
    if headless:
        play_headless(config, players, seed, max_turns, pty, trace, verbose)
        return
    if pty:
        raise click.UsageError("--pty is for --headless; with a page the board always has a pseudo-terminal")
    if math.isnan(speed):
        raise click.UsageError("--speed is a number")
    if speed != 1.0 and not config.simulated:
        raise click.UsageError("--speed is for the simulated board")
    from .live import Options, play_live
    from .simulated.world import simulated_world

    options = Options(
        players=players,
        seed=seed,
        http=http,
        open_browser=not no_browser,
        state=state or default_state(),
        fresh=fresh,
        speed=speed,
        max_turns=max_turns or (HEADLESS_TURNS if all(player.machine for player in players) else None),
        trace=trace,
        verbose=verbose,
    )
    play_live(
        config,
        options,
        simulated_world if config.simulated else None,
        lambda line: click.echo(line, err=True),
    )


def board_of(board: str, layout: str | None) -> BoardConfig:
    """The board that `--board` and `--layout` mean. Raises BalanxError."""
    plan = None if layout is None else load_layout(layout)
    if board == "sim":
        return simulated_board(plan)
    if board == "auto":
        if os.path.exists(AUTO_PORT):
            from .config import parse_board

            return parse_board(f'[link]\nport = "{AUTO_PORT}"\n', "--board auto", plan)
        click.echo(
            f"No controller is plugged in ({AUTO_PORT} is not there): playing on the simulated board.",
            err=True,
        )
        return simulated_board(plan)
    return load_board(Path(board), plan)


def default_state() -> Path:
    """Where games are kept: $BALANX_STATE, else the user's state folder."""
    if own := os.environ.get("BALANX_STATE"):
        return Path(own)
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "balanx"


def play_headless(
    config: BoardConfig,
    players: tuple[Player, Player],
    seed: int | None,
    max_turns: int | None,
    pty: bool,
    trace: Path | None,
    verbose: bool,
) -> None:
    """Two machines, one record on standard output."""
    if not all(player.machine for player in players):
        raise click.UsageError(
            "--headless needs two machine players: give --white and --black engine:N or random"
        )
    if not config.simulated:
        raise click.UsageError("--headless plays on the simulated board only")
    from .simulated.headless import Stalled, headless_record

    date = datetime.now().astimezone().strftime("%Y.%m.%d") if seed is None else UNKNOWN_DATE
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


@balanx.group()
def rules() -> None:
    """The rules of the games, without a board."""


def _position_options(command: F) -> F:
    for option in (
        click.option("--position", metavar="TEXT", help="The position to begin with (default: the start)."),
        click.option(
            "--set",
            "settings",
            multiple=True,
            metavar="TAG=VALUE",
            help="Board or house rule of another game, as in its record's tags (docs/games).",
        ),
        click.option("--layout", metavar="NAME|FILE", help="Balanx: groove plan  [default: classic]."),
        click.option(
            "--game", type=click.Choice(NAMES), default="balanx", show_default=True, help="Which game."
        ),
    ):
        command = option(command)
    return command


def _game(
    game: str,
    layout: str | None,
    settings: tuple[str, ...],
    position: str | None,
    repetition: bool = True,
) -> AnyGame:
    if game == "balanx":
        if settings:
            raise click.UsageError("--set is for other games; Balanx has --layout")
        return game_named(game, load_layout(layout or "classic"), repetition=repetition)
    if layout is not None or not repetition:
        raise click.UsageError("--layout and --no-repetition are Balanx's; other games have --set TAG=VALUE")
    tags = {"Game": game}
    if position is not None:
        tags["Setup"] = position  # some games take their board's size from it
    for setting in settings:
        tag, equals, value = setting.partition("=")
        if not equals or not tag:
            raise click.UsageError(f"--set {setting}: must be TAG=VALUE")
        tags[tag] = value
    for tag in tags.keys() - {"Game", "Setup"}:
        if not _means_something(tags, tag):
            raise BalanxError(f"--set {tag}: {game} has no such tag; docs/games/{game}.md names them")
    return game_of_tags(tags)


def _means_something(tags: dict[str, str], tag: str) -> bool:
    """Whether a game reads the tag: then it refuses nonsense in it."""
    try:
        game_of_tags({**tags, tag: "\0"})
    except RulesError:
        return True
    return False


def _print(output: str) -> None:
    if output:
        click.echo(output)


@rules.command()
@_position_options
def moves(game: str, layout: str | None, settings: tuple[str, ...], position: str | None) -> None:
    """Print the legal moves, one a line."""
    _print(text.moves_output(_game(game, layout, settings, position), position))


class _WithPasses(click.Command):
    """Takes `--` for what it is among moves, a pass, and not for the end of the options."""

    stand_in = "pass"

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, [self.stand_in if arg == "--" else arg for arg in args])


@rules.command(cls=_WithPasses)
@_position_options
@click.option("--no-repetition", is_flag=True, help="A third time the same position is no draw.")
@click.argument("moves", nargs=-1)
def apply(
    game: str,
    layout: str | None,
    settings: tuple[str, ...],
    position: str | None,
    no_repetition: bool,
    moves: tuple[str, ...],
) -> None:
    """Play moves and print the position after them, and the outcome."""
    given = ["--" if move == _WithPasses.stand_in else move for move in moves]
    _print(text.apply_output(_game(game, layout, settings, position, not no_repetition), given, position))


@rules.command()
@_position_options
@click.option("--divide", is_flag=True, help="A number for each first move.")
@click.argument("depth", type=int)
def perft(
    game: str, layout: str | None, settings: tuple[str, ...], position: str | None, divide: bool, depth: int
) -> None:
    """Count the lines of exactly DEPTH turns."""
    _print(text.perft_output(_game(game, layout, settings, position), depth, position, divide=divide))


@rules.command()
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
def check(file: Path) -> None:
    """Read a game record (FILE, or - for standard input) and print its result."""
    try:
        record = sys.stdin.buffer.read().decode("utf-8") if str(file) == "-" else read_text(file, newline="")
        _print(text.check_output(record))
    except UnicodeDecodeError as error:
        raise BalanxError(f"{file}: not UTF-8 at byte {error.start}") from error
    except RulesError as error:
        raise BalanxError(f"{file}: {error}") from error


@balanx.group()
def layout() -> None:
    """Groove plans of boards."""


@layout.command("show")
@click.argument("name", metavar="NAME|FILE")
def layout_show(name: str) -> None:
    """Draw a layout."""
    from .drawing import layout_text

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


@balanx.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--only", multiple=True, metavar="NAME", help="Only these figures.")
def bench(as_json: bool, only: tuple[str, ...]) -> None:
    """Measure the figures on this machine."""
    from .bench import run_bench

    run_bench(as_json, only)


@balanx.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
def replay(folder: Path) -> None:
    """Replay the board's bytes of a trace into a fresh daemon and print the record that comes out."""
    from .retrace import retrace

    click.echo(retrace(folder).text(), nl=False)


def main() -> None:
    """The command `balanx`."""
    try:
        balanx(standalone_mode=False)
    except click.UsageError as error:
        error.show()
        sys.exit(2)
    except click.Abort:
        sys.exit(130)
    except click.exceptions.Exit as done:
        sys.exit(done.exit_code)
    except BrokenPipeError:
        # The reader of our output is gone (`| head`); nothing is wrong here.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except (BalanxError, RulesError, BridgeError, OSError) as error:
        click.echo(f"balanx: {' '.join(str(error).split())}", err=True)
        sys.exit(1)


if __name__ == "__main__":
    main()
