"""Espeak: sentences in; spoken by `espeak-ng`, a process for each, out. Nothing here waits for it.

The text goes through standard input, so that none is taken for an option. A machine without a sound card is told by
espeak-ng on standard error only: its exit status is 0 all the same.
"""

from __future__ import annotations

import asyncio
import contextlib
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Awaitable, Callable, Sequence

from .settings import SoundConfig

PROGRAM = "espeak-ng"
HANGS_S = 30.0  # beyond the time that its words take
MISSING = "Speech: the program espeak-ng is missing: sudo apt install espeak-ng."
HUNG = "Speech: espeak-ng did not come to an end and was stopped. Is another program holding the sound card?"
NO_CARD = "Speech: espeak-ng finds no sound card ({}): `aplay -l` lists those there are."


Start = Callable[..., Awaitable[Process]]
"""Starts a process, as asyncio.create_subprocess_exec does. Raises OSError."""


def command_of(config: SoundConfig, *more: str) -> Sequence[str]:
    """The command that reads out what comes on its standard input. more: further options."""
    loud = str(config.volume * 2)  # its own scale ends at 200
    return (PROGRAM, "-v", config.voice, "-a", loud, "-s", str(config.speed), *more, "--stdin")


def lasts_s(text: str, speed: int) -> float:
    """How long a text lasts, about, at so many words a minute."""
    return 60 * len(text.split()) / speed


class Espeak:
    """See balanxd.sound.outlet.Voice. tell: a line where it does not work, each once; done: it has become silent."""

    def __init__(
        self,
        config: SoundConfig,
        tell: Callable[[str], None],
        done: Callable[[], None],
        start: Start = asyncio.create_subprocess_exec,
        hangs_s: float = HANGS_S,
    ) -> None:
        self._command, self._tell, self._done = command_of(config), tell, done
        self._start, self._hangs_s, self._config = start, hangs_s, config
        self._next = ""
        self._work: asyncio.Task[None] | None = None
        self._process: Process | None = None
        self._cut = False  # what is being said is not to be ended
        self._told: set[str] = set()
        self._missing = False

    @property
    def busy(self) -> bool:
        """See Voice."""
        return self._work is not None

    def say(self, text: str) -> None:
        """See Voice."""
        if self._missing:
            return
        self.hush()
        self._next = text
        if self._work is None:
            self._work = asyncio.create_task(self._speak_on())

    def hush(self) -> None:
        """See Voice."""
        self._next, self._cut = "", True
        self._kill()

    async def close(self) -> None:
        """See Voice."""
        self.hush()
        if self._work is not None:
            await self._work

    def _kill(self) -> None:
        if self._process is not None and self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()

    async def _speak_on(self) -> None:
        """Say what is to be said, until there is nothing more."""
        try:
            while text := self._next:
                self._next, self._cut = "", False
                await self._speak(text)
        finally:
            self._work = None
            self._done()

    async def _speak(self, text: str) -> None:
        try:
            process = await self._start(
                *self._command, stdin=PIPE, stdout=DEVNULL, stderr=PIPE, start_new_session=True
            )
        except FileNotFoundError:
            self._missing, self._next = True, ""
            self._say_once(MISSING)
            return
        except OSError as error:
            self._say_once(f"Speech: espeak-ng cannot be started ({error.strerror or error}).")
            return
        self._process = process
        if self._cut:
            self._kill()
        try:
            async with asyncio.timeout(self._hangs_s + lasts_s(text, self._config.speed)):
                _, told = await process.communicate(text.encode())
        except TimeoutError:
            self._kill()
            await process.wait()
            self._say_once(HUNG)
            return
        finally:
            self._process = None
        if not self._cut:
            self._judge(process.returncode, told.decode(errors="replace"))

    def _judge(self, status: int | None, told: str) -> None:
        lines = [line.strip() for line in told.splitlines() if line.strip()]
        last = lines[-1] if lines else f"exit status {status}"
        if status == 0 and last.startswith("error:"):
            self._say_once(NO_CARD.format(last.removeprefix("error:").strip()))
        elif status:
            why = last.removeprefix("Error: ")
            self._say_once(f"Speech: espeak-ng does not speak with the voice {self._config.voice}: {why}")

    def _say_once(self, line: str) -> None:
        if line not in self._told:
            self._told.add(line)
            self._tell(line)
