"""[sound] of a board file: what it may say, and one clear line where it is wrong."""

from __future__ import annotations

import pytest

from balanxd.config import parse_board
from balanxd.errors import BalanxError
from balanxd.sound.settings import NO_SOUND, SoundConfig

ON_A_PI = '[link]\nport = "/dev/balanx"\n'


def test_a_board_is_silent_unless_its_file_says_otherwise() -> None:
    board = parse_board("", "b.toml")
    assert board.sound == NO_SOUND
    assert not board.sound.on


def test_all_keys() -> None:
    text = ON_A_PI + (
        '[sound]\nbuzzer = "GPIO13"\nspeech = true\nvoice = "en-gb"\nvolume = 80\n'
        "speed = 200\nnames = true\nquiet = true\n"
    )
    board = parse_board(text, "b.toml")
    assert board.sound == SoundConfig(13, True, "en-gb", 80, 200, True, True)
    assert board.backends.pins == (("sound.buzzer", 13),)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[sound]\nbuzzer = 13\n", 'b.toml: sound.buzzer: must be a pin such as "GPIO13", not 13'),
        ('[sound]\nbuzzer = "13"\n', "b.toml: sound.buzzer: must be a pin such as \"GPIO13\", not '13'"),
        (
            '[sound]\nbuzzer = "GPIO40"\n',
            "b.toml: sound.buzzer: GPIO40: the header has GPIO2 to GPIO27 (BCM numbers)",
        ),
        ("[sound]\nspeach = true\n", "b.toml: sound.speach: no such key (did you mean speech?)"),
        ("[sound]\nspeech = 1\n", "b.toml: sound.speech: must be true or false, not 1"),
        (
            '[sound]\nspeech = true\nvoice = "--help"\n',
            (
                "b.toml: sound.voice: must be one of those that `espeak-ng --voices` lists, such as "
                "\"en-gb\", not '--help'"
            ),
        ),
        ("[sound]\nspeech = true\nvolume = 101\n", "b.toml: sound.volume: must be 0 to 100, not 101"),
        ("[sound]\nspeech = true\nspeed = 60\n", "b.toml: sound.speed: must be 80 to 450, not 60"),
        (
            '[sound]\nvoice = "en"\n',
            "b.toml: sound.voice: is about speech, and there is none: set speech = true",
        ),
        (
            "[sound]\nquiet = true\n",
            "b.toml: sound.quiet: the board makes no sound: name a buzzer's pin, or set speech = true",
        ),
        (
            '[sound]\nbuzzer = "GPIO9"\n[sensors]\nbackend = "chain"\n',
            "b.toml: sound.buzzer: pin 9 is sensors.data_pin already: take another one",
        ),
        (
            '[sound]\nbuzzer = "GPIO13"\n[link]\nport = "sim"\n',
            'b.toml: link.port: "sim", the simulated board, has no real pins: name a port, or gpio.factory = "mock"',
        ),
    ],
)
def test_what_is_wrong_is_one_line(text: str, said: str) -> None:
    with pytest.raises(BalanxError) as refused:
        parse_board(text if "sensors" in text or "link" in text else ON_A_PI + text, "b.toml")
    assert str(refused.value) == said
