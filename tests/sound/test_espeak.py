"""The voice: a process for each sentence that never keeps anybody waiting, and one sentence where it does not work."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import wave
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from balanxd.sound.espeak import HUNG, MISSING, NO_CARD, Espeak, command_of, lasts_s
from balanxd.sound.settings import SoundConfig

CONFIG = SoundConfig(speech=True)
WRITES = "import sys; open({!r}, 'a').write(sys.stdin.read() + '|')"
SLEEPS = "import sys, time; open({!r}, 'a').write(sys.stdin.read() + '|'); time.sleep(60)"


def program(text: str, commands: list[tuple[str, ...]] | None = None) -> Callable[..., Awaitable[Any]]:
    """Starts a Python program instead of espeak-ng."""

    async def start(*command: str, **ways: Any) -> Any:
        if commands is not None:
            commands.append(command)
        return await asyncio.create_subprocess_exec(sys.executable, "-S", "-c", text, **ways)

    return start


class Talk:
    """A voice and what it told of itself."""

    def __init__(self, start: Callable[..., Awaitable[Any]], hangs_s: float = 20.0) -> None:
        self.told: list[str] = []
        self.done = asyncio.Event()
        self.voice = Espeak(CONFIG, self.told.append, self.done.set, start, hangs_s)

    async def over(self) -> None:
        await asyncio.wait_for(self.done.wait(), 20.0)
        self.done.clear()


def test_a_sentence_goes_through_standard_input(tmp_path: Path) -> None:
    heard, commands = tmp_path / "heard", list[tuple[str, ...]]()

    async def talk() -> None:
        one = Talk(program(WRITES.format(str(heard)), commands))
        one.voice.say("-w White to move: a4, or é.")
        assert one.voice.busy
        await one.over()
        assert not one.voice.busy
        assert one.told == []

    asyncio.run(talk())
    assert heard.read_text() == "-w White to move: a4, or é.|"
    assert commands == [("espeak-ng", "-v", "en", "-a", "100", "-s", "170", "--stdin")]


def test_the_newest_sentence_cuts_the_one_that_is_being_said(tmp_path: Path) -> None:
    heard = tmp_path / "heard"

    async def talk() -> None:
        one = Talk(program(SLEEPS.format(str(heard))))
        one.voice.say("old")
        while not heard.exists() or "|" not in heard.read_text():
            await asyncio.sleep(0.01)
        one.voice.say("never begun")
        one.voice.say("new")
        while "new" not in heard.read_text():
            await asyncio.sleep(0.01)
        one.voice.hush()
        await one.over()
        assert one.told == []

    asyncio.run(talk())
    assert heard.read_text() == "old|new|"


def test_the_end_kills_the_program(tmp_path: Path) -> None:
    heard = tmp_path / "heard"

    async def talk() -> None:
        one = Talk(program(SLEEPS.format(str(heard))))
        one.voice.say("for ever")
        while not heard.exists():
            await asyncio.sleep(0.01)
        await asyncio.wait_for(one.voice.close(), 20.0)
        assert not one.voice.busy
        one.voice.hush()

    asyncio.run(talk())


def test_a_missing_program_is_one_sentence_once() -> None:
    async def start(*command: str, **ways: Any) -> Any:
        raise FileNotFoundError(2, "No such file or directory", command[0])

    async def talk() -> None:
        one = Talk(start)
        one.voice.say("first")
        await one.over()
        one.voice.say("second")
        assert not one.voice.busy
        assert one.told == [MISSING]

    asyncio.run(talk())


def test_a_program_that_cannot_be_started_is_named_and_tried_again() -> None:
    tries = list[str]()

    async def start(*command: str, **ways: Any) -> Any:
        tries.append(command[0])
        raise PermissionError(13, "Permission denied", command[0])

    async def talk() -> None:
        one = Talk(start)
        for _ in range(2):
            one.voice.say("first")
            await one.over()
        assert one.told == ["Speech: espeak-ng cannot be started (Permission denied)."]

    asyncio.run(talk())
    assert len(tries) == 2


def test_a_program_that_hangs_is_stopped_and_named_once(tmp_path: Path) -> None:
    async def talk() -> None:
        one = Talk(program(SLEEPS.format(str(tmp_path / "heard"))), hangs_s=0.3)
        for _ in range(2):
            one.voice.say("hello")
            await one.over()
        assert one.told == [HUNG]

    asyncio.run(talk())


def test_no_sound_card_is_told_though_the_status_is_good() -> None:
    noise = "import sys; sys.stderr.write('ALSA lib: cannot find card\\nerror: No such file or directory\\n')"

    async def talk() -> None:
        one = Talk(program(noise))
        one.voice.say("hello")
        await one.over()
        assert one.told == [NO_CARD.format("No such file or directory")]

    asyncio.run(talk())


def test_a_voice_that_does_not_exist_is_told() -> None:
    async def talk() -> None:
        one = Talk(program("import sys; sys.exit('Error: The specified espeak-ng voice does not exist.')"))
        one.voice.say("hello")
        await one.over()
        assert one.told == [
            "Speech: espeak-ng does not speak with the voice en: The specified espeak-ng voice does not exist."
        ]

    asyncio.run(talk())


def real(config: SoundConfig, text: str, *more: str) -> str:
    """What the real program writes."""
    ran = subprocess.run(
        command_of(config, *more), input=text, capture_output=True, text=True, timeout=20, check=True
    )
    return ran.stdout


def seconds_of(file: Path) -> float:
    with wave.open(str(file)) as read:
        return read.getnframes() / read.getframerate()


@pytest.mark.parametrize("speed", [80, 170, 450])
def test_how_long_a_text_lasts_is_known_about(tmp_path: Path, speed: int) -> None:
    text = "The marble from Gustav 7 is up. It may go to Anna 1, Bella 2, Cesar 3, David 4 and Eva 5. " * 3
    real(SoundConfig(speech=True, speed=speed), text, "-w", str(tmp_path / "said.wav"))
    assert 0.5 < seconds_of(tmp_path / "said.wav") / lasts_s(text, speed) < 2.0


def test_the_real_program_reads_a_space_as_a_letter_and_a_number(tmp_path: Path) -> None:
    """No sound card: a file instead, and the phonemes. `a 4` would be an article and a number."""
    file = tmp_path / "said.wav"

    text = "Black plays a7 to a4."
    real(CONFIG, text, "-w", str(file))
    assert 1.0 < seconds_of(file) < 4.0
    phonemes = real(CONFIG, text, "-q", "-x").split()
    assert [word.lstrip(",'") for word in phonemes if "eI" in word and "pl" not in word] == ["eI", "eI"]
