"""Puts one board's chain together: a configuration, a line of play and players in, a Pipeline out."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from engine.levels import levels
from firmware_bridge.link import Link
from hardware.buttons import AllButtons, Buttons, ChainButtons
from hardware.manual import ManualDrive
from hardware.mounting import MountedServo
from hardware.sensors import Sensors
from hardware.tilt import Drive
from referee.events import GameEvent, GameStarted
from referee.offers import Seated
from referee.panel import Panel
from referee.pending import Patience
from referee.session import Session
from rules.games import AnyGame, game_named

from .config import BoardConfig
from .devices import Devices
from .games import AnyLine
from .lights.outlet import LightShow
from .options import game_of_options
from .pipeline import Pipeline
from .players import Player


def game_on(board: BoardConfig, *, repetition: bool = True, seed: int = 0) -> AnyGame:
    """The game that is played on a board. seed: gives what chance lays out, where the board's options do not."""
    if board.tags:
        return game_of_options(board.tags, seed)
    return game_named("balanx", board.layout, repetition=repetition)


def header_of(
    line: AnyLine, board: BoardConfig, players: Sequence[Player], date: str, title: str = ""
) -> GameStarted:
    """What the journal will say first."""
    tags = dict(line.game.tags())
    return GameStarted(
        game=line.game.name,
        layout="" if board.tags else board.layout.name,
        layout_text=tags.get("LayoutText", ""),
        position=line.game.position_text(line.position),
        players=tuple(player.title for player in players),
        date=date,
        title=title,
        repetition=tags.get("Repetition", "on") == "on",
        sensor=board.sensor,
        tags=line.game.tags() if board.tags else (),
    )


def make_session(
    board: BoardConfig,
    line: AnyLine,
    players: Sequence[Player],
    drive: Drive,
    said: list[GameEvent],
    *,
    header: GameStarted | None,
    patience: Patience | None = None,
) -> Session[Any, Any]:
    """One game on a board. header: None where the game has begun before."""
    return Session(
        line,
        sensor=board.sensor,
        drive=drive,
        emit=said.append,
        machines=frozenset(seat for seat, player in enumerate(players) if player.machine),
        patience=patience,
        header=header,
        chain=board.wiring.inputs,
    )


def assemble(
    board: BoardConfig,
    line: AnyLine,
    players: Sequence[Player],
    *,
    seed: int,
    header: GameStarted | None,
    patience: Patience | None = None,
    devices: Devices | None = None,
) -> Pipeline[Any, Any]:
    """The whole chain for one board. `seed` gives the link's session its number; devices: of a board with pins."""
    link = Link(session=random.Random(f"{seed} link").randint(1, 0xFFFF))
    sensors: Sensors = link if devices is None or devices.sensors is None else devices.sensors
    drive: Drive
    if devices is not None and devices.drive is not None:
        drive = devices.drive
    elif board.motor and board.drive == "servo":
        drive = MountedServo(board.limits, link.send, end_inputs=board.end_inputs, mounting=board.mounting)
    else:
        # End inputs that only a locked motor's own drive would read tell nobody anything.
        told = board.backends.end_pins is None or board.backends.sensors is not None
        drive = ManualDrive(board.limits, end_inputs=board.end_inputs and told, mounting=board.mounting)
    said: list[GameEvent] = []
    session = make_session(board, line, players, drive, said, header=header, patience=patience)
    pipeline = Pipeline(sensors, board.wiring, drive, session, said)
    pipeline.buttons = _buttons(board, devices)
    pipeline.panel = Panel(session, seated(players, line), pipeline.obey, said.append)
    if board.lights.on and sensors is link:
        pipeline.lights = LightShow(board.lights, board.wiring, link.send, session, lambda: drive.motor)
    return pipeline


def seated(players: Sequence[Player], line: AnyLine) -> Seated:
    """Who plays, as the menu asks."""
    engines = [player.level for player in players if player.kind == "engine"]
    return Seated(
        persons=frozenset(seat for seat, player in enumerate(players) if not player.machine),
        alike=len(set(players)) == 1,
        level=max(engines, default=None),
        levels=levels(line.game.name),
    )


def _buttons(board: BoardConfig, devices: Devices | None) -> Buttons | None:
    """The board's buttons, on its own chain and on pins."""
    parts: list[Buttons] = []
    if board.buttons.inputs:
        parts.append(ChainButtons({number: button for button, number in board.buttons.inputs}))
    if devices is not None and devices.buttons is not None:
        parts.append(devices.buttons)
    return AllButtons(parts) if len(parts) > 1 else parts[0] if parts else None
