"""Settings of a board's sound: its [sound] table in, checked values out."""

from __future__ import annotations

import re
from dataclasses import dataclass

from balanxd.backends import named_pin
from balanxd.keys import Keys

_VOICE = re.compile(r"[A-Za-z][A-Za-z0-9+_-]*")


@dataclass(frozen=True, slots=True)
class SoundConfig:
    """buzzer: BCM number of a piezo's pin, None: there is none; speech: sentences are said.

    voice: one of espeak-ng's; volume: of the speech, 0..100; speed: words a minute; names: files are said as names,
    `Bella 4`; quiet: only what must be heard.
    """

    buzzer: int | None = None
    speech: bool = False
    voice: str = "en"
    volume: int = 50
    speed: int = 170
    names: bool = False
    quiet: bool = False

    @property
    def on(self) -> bool:
        """Whether the board makes any sound."""
        return self.buzzer is not None or self.speech

    @property
    def pins(self) -> tuple[tuple[str, int], ...]:
        """(key, number) of every pin of this computer that is used."""
        return () if self.buzzer is None else (("sound.buzzer", self.buzzer),)


NO_SOUND = SoundConfig()
"""A board that is silent."""


def parse_sound(keys: Keys) -> SoundConfig:
    """Read the table; the caller asks it for `done`, and looks whether the pin is used twice. Raises BalanxError."""
    voice = keys.text("voice", NO_SOUND.voice)
    if not _VOICE.fullmatch(voice):
        raise keys.fail(
            "voice", f'must be one of those that `espeak-ng --voices` lists, such as "en-gb", not {voice!r}'
        )
    found = SoundConfig(
        _buzzer(keys),
        keys.flag("speech", False),
        voice,
        keys.whole("volume", NO_SOUND.volume, 0, 100),
        keys.whole("speed", NO_SOUND.speed, 80, 450),
        keys.flag("names", False),
        keys.flag("quiet", False),
    )
    if not found.speech:
        for key in ("voice", "volume", "speed", "names"):
            if keys.has(key):
                raise keys.fail(key, "is about speech, and there is none: set speech = true")
    if keys.has("quiet") and not found.on:
        raise keys.fail("quiet", "the board makes no sound: name a buzzer's pin, or set speech = true")
    return found


def _buzzer(keys: Keys) -> int | None:
    value = keys.given("buzzer")
    if value is None:
        return None
    pin = named_pin(keys, "buzzer", value)
    if pin is None:
        raise keys.fail("buzzer", f'must be a pin such as "GPIO13", not {value!r}')
    return pin
