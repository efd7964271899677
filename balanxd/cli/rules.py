"""`balanx rules`: the rules of the games, without a board."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from balanxd.config import load_layout, read_text
from balanxd.errors import BalanxError
from rules import commands as text
from rules.errors import RulesError
from rules.games import NAMES, AnyGame, game_named, game_of_tags

F = TypeVar("F", bound=Callable[..., Any])


@click.group()
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
