"""What several commands take: players, addresses, board files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from balanxd.config import BoardConfig, emulated_board, load_board, load_layout, parse_board, simulated_board
from balanxd.errors import BalanxError
from balanxd.options import Tags
from balanxd.players import Player, check_level, parse_player

AUTO_PORT = "/dev/balanx"  # our udev link
MOST_SEATS = 6
USUAL_LEVEL = 2
SERVICE_STATE = "/var/lib/balanx"  # systemd/balanxd.service


class PlayerType(click.ParamType[Player]):
    """`human`, `engine:N` or `random`."""

    name = "human|engine:N|random"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Player:
        if isinstance(value, Player):
            return value
        try:
            return parse_player(value)
        except BalanxError as error:
            self.fail(str(error), param, ctx)


class AddressType(click.ParamType[tuple[str, int]]):
    """HOST:PORT."""

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


class SeatType(click.ParamType[tuple[int, Player]]):
    """`N=PLAYER`, seats counted from 1."""

    name = "N=PLAYER"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, Player]:
        if isinstance(value, tuple):
            return value
        number, equals, text = str(value).partition("=")
        if not equals or not number.isdecimal() or not 1 <= int(number) <= MOST_SEATS:
            self.fail(f"{value!r} is not N=PLAYER, as in 1=human or 2=engine:3", param, ctx)
        try:
            return int(number), parse_player(text)
        except BalanxError as error:
            self.fail(str(error), param, ctx)


SEATS = click.option(
    "--seat",
    "seats",
    type=SeatType(),
    multiple=True,
    metavar="N=human|engine:L|random",
    help="Who plays at seat N, counted from 1  [default: those who were chosen last, at first 1=human, the others "
    f"engine:{USUAL_LEVEL}].",
)
WHITE = click.option(
    "--white", type=PlayerType(), metavar="human|engine:N|random", help="Balanx: the same as --seat 1=..."
)
BLACK = click.option(
    "--black", type=PlayerType(), metavar="human|engine:N|random", help="Balanx: the same as --seat 2=..."
)


def players_of(
    config: BoardConfig,
    seats: Sequence[tuple[int, Player]],
    white: Player | None,
    black: Player | None,
    state: Path | None = None,
) -> tuple[Player, ...]:
    """Who sits at each seat of a board's game. state: where no seat is given, who sat there last by what is kept there.

    Raises click.UsageError, and BalanxError for no such level.
    """
    from balanxd.assemble import game_on
    from balanxd.evening import remembered

    named = [(number, player) for number, player in ((1, white), (2, black)) if player is not None]
    if named and config.tags:
        raise click.UsageError("--white and --black are Balanx's; other games have --seat N=PLAYER")
    game = game_on(config)
    if state is not None and not named and not seats and (last := remembered(state, game)) is not None:
        return last
    players = seated(game.seats, (*named, *seats))
    for player in players:
        check_level(player, game)
    return players


def seated(names: Sequence[str], given: Sequence[tuple[int, Player]]) -> tuple[Player, ...]:
    """Who sits at each seat of a game: as given, else a person at the first and engines at the others.

    Raises click.UsageError for a seat that is not there or is given twice.
    """
    players = [Player("human"), *[Player("engine", USUAL_LEVEL)] * (len(names) - 1)]
    for number, player in given:
        if number > len(names):
            seats = ", ".join(f"{place} is {name}" for place, name in enumerate(names, start=1))
            raise click.UsageError(f"--seat {number}: there is no such seat ({seats})")
        players[number - 1] = player
    numbers = [number for number, _ in given]
    if twice := {number for number in numbers if numbers.count(number) > 1}:
        raise click.UsageError(f"--seat {min(twice)} is given twice")
    return tuple(players)


def board_of(board: str, layout: str | None, tags: Tags = ()) -> BoardConfig:
    """The board that `--board`, `--layout`, `--game` and `--set` mean. Raises BalanxError."""
    plan = None if layout is None else load_layout(layout)
    if board == "sim":
        return simulated_board(plan, tags)
    if board == "firmware":
        return emulated_board(plan, tags)
    if board == "auto":
        if os.path.exists(AUTO_PORT):
            return parse_board(f'[link]\nport = "{AUTO_PORT}"\n', "--board auto", plan, tags)
        click.echo(
            f"No controller is plugged in ({AUTO_PORT} is not there): playing on the simulated board.",
            err=True,
        )
        return simulated_board(plan, tags)
    return load_board(Path(board), plan, tags)


def default_state() -> Path:
    """Where games are kept: $BALANX_STATE, else the user's state folder."""
    if own := os.environ.get("BALANX_STATE"):
        return Path(own)
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "balanx"


def state_of_the_board() -> Path:
    """The service's state folder where it is installed, else the user's own."""
    service = Path(SERVICE_STATE)
    return service if service.exists() and "BALANX_STATE" not in os.environ else default_state()


def state_of(board: BoardConfig) -> Path:
    """Where a board's calibration and its last self-test are: the service's board has them in the service's folder."""
    return default_state() if board.simulated else state_of_the_board()


def calibrated(board: BoardConfig, state: Path) -> BoardConfig:
    """A real board with what calibration found in the state folder; any other board as it is. Raises BalanxError."""
    from balanxd.calibration.store import Store
    from balanxd.calibration.values import apply

    if board.simulated or board.tags:
        return board
    store = Store(state)
    known = store.load()
    return board if known is None else apply(board, known, str(store.path))
