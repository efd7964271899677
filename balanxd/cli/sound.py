"""`balanx sound`: the board's tunes and its voice, tried out."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

import click

from balanxd.clock import Clock
from balanxd.config import BoardConfig
from balanxd.devices import OPENERS
from balanxd.errors import BalanxError
from balanxd.sound.espeak import Espeak, Start
from balanxd.sound.settings import NO_SOUND, SoundConfig
from balanxd.sound.trial import play_all
from hardware.errors import HardwareError
from hardware.gpio import BuzzerPin, Pins

from .arguments import board_of


def _open_pins(factory: str) -> Pins:
    if factory == "mock":
        from hardware.mockpins import MockPins

        return MockPins()
    return OPENERS[factory]()


@dataclass(frozen=True, slots=True)
class Around:
    """What the command reaches for: pins by the name of their factory, how a process is started, and how to wait."""

    open_pins: Callable[[str], Pins] = _open_pins
    start: Start = asyncio.create_subprocess_exec
    now_s: Callable[[], float] = field(default_factory=lambda: Clock().steady_s)
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep


@click.group()
def sound() -> None:
    """Sound of the board: tunes by a buzzer on a pin, speech by espeak-ng."""


@sound.command()
@click.option(
    "--board",
    metavar="sim|auto|FILE",
    help="The board, for its buzzer and voice; without it rhythms are printed.",
)
@click.option("--speech/--no-speech", default=None, help="Say the meanings, whatever the board file says.")
@click.pass_context
def test(context: click.Context, board: str | None, speech: bool | None) -> None:
    """Play each tune and say what it means.

    A daemon that runs has the buzzer's pin: stop it before. No motor moves, and nothing else of the board is touched.
    """
    around: Around = context.obj or Around()
    config = None if board is None else board_of(board, None)
    settings = NO_SOUND if config is None else config.sound
    if speech is not None:
        settings = replace(settings, speech=speech)
    try:
        asyncio.run(_test(settings, config, around))
    except HardwareError as error:
        raise BalanxError(str(error)) from error


async def _test(settings: SoundConfig, config: BoardConfig | None, around: Around) -> None:
    told: list[str] = []
    with contextlib.ExitStack() as undo:
        beeper = None
        if settings.buzzer is not None and config is not None:
            pins = around.open_pins(config.backends.factory)
            undo.callback(pins.close)
            beeper = BuzzerPin(pins, settings.buzzer)
            undo.callback(beeper.close)
        voice = Espeak(settings, told.append, lambda: None, around.start) if settings.speech else None

        def show(line: str) -> None:
            if told:
                raise BalanxError(told[0])
            click.echo(line)

        await play_all(beeper, voice, show, around.now_s, around.sleep)
        if told:
            raise BalanxError(told[0])
