"""What several commands take: players, addresses, board files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from balanxd.config import BoardConfig, load_board, load_layout, parse_board, simulated_board
from balanxd.errors import BalanxError
from balanxd.players import Player, parse_player

AUTO_PORT = "/dev/balanx"  # our udev link


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


def board_of(board: str, layout: str | None) -> BoardConfig:
    """The board that `--board` and `--layout` mean. Raises BalanxError."""
    plan = None if layout is None else load_layout(layout)
    if board == "sim":
        return simulated_board(plan)
    if board == "auto":
        if os.path.exists(AUTO_PORT):
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
