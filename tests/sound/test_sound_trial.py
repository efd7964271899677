"""`balanx sound test`: every tune is played, printed and said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from balanxd.cli.sound import Around, sound
from balanxd.errors import BalanxError
from balanxd.sound.tunes import Cue
from hardware.gpio import GpioError, Pins
from hardware.mockpins import MockPins

BOARD = '[link]\nport = "sim"\n[sound]\nbuzzer = "GPIO13"\n[gpio]\nfactory = "mock"\n'


class Time:
    """Seconds that pass only while somebody sleeps. during: what is looked at then."""

    def __init__(self, pins: MockPins) -> None:
        self.now_s = 0.0
        self.sounded_s = 0.0
        self._pins = pins

    async def sleep(self, seconds: float) -> None:
        self.now_s += seconds
        if self._pins.pin(13).state:
            self.sounded_s += seconds


def test_each_tune_is_played_and_printed_with_its_meaning(tmp_path: Path) -> None:
    file, pins = tmp_path / "board.toml", MockPins()
    file.write_text(BOARD)
    time = Time(pins)
    around = Around(lambda factory: pins, now_s=lambda: time.now_s, sleep=time.sleep)
    ran = CliRunner().invoke(sound, ["test", "--board", str(file)], obj=around, catch_exceptions=False)
    assert ran.exit_code == 0
    lines = ran.output.splitlines()
    for cue in Cue:
        assert any(line.split()[0] == cue.value.rhythm and cue.value.says in line for line in lines)
    assert time.sounded_s == pytest.approx(sum(line.split()[0].count("#") for line in lines) / 16)


@pytest.mark.parametrize("board", [(), ("--board", "sim")])
def test_on_a_laptop_the_rhythms_are_printed(board: tuple[str, ...]) -> None:
    ran = CliRunner().invoke(sound, ["test", *board], catch_exceptions=False)
    assert ran.exit_code == 0
    assert "#.####                    a move was seen" in ran.output


def test_what_does_not_work_is_one_line(tmp_path: Path) -> None:
    file = tmp_path / "board.toml"
    file.write_text(BOARD)

    def no_pins(factory: str) -> Pins:
        raise GpioError("pins: there is no /dev/gpiochip.")

    async def no_program(*command: str, **ways: Any) -> Any:
        raise FileNotFoundError(2, "No such file or directory")

    def said(arguments: list[str]) -> str:
        around = Around(no_pins, no_program)
        with pytest.raises(BalanxError) as refused:
            CliRunner().invoke(sound, arguments, obj=around, catch_exceptions=False)
        return str(refused.value)

    assert said(["test", "--board", str(file)]) == "pins: there is no /dev/gpiochip."
    assert said(["test", "--speech"]).startswith("Speech: the program espeak-ng is missing: sudo apt install")
