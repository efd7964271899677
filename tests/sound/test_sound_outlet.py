"""The outlet: events become tones and sentences at once, and what fails is said once while the game goes on."""

from __future__ import annotations

import asyncio

from balanxd.sound.board import BoardSound
from balanxd.sound.outlet import Sound
from balanxd.sound.settings import NO_SOUND, SoundConfig
from balanxd.sound.tunes import Cue
from balanxd.words import Say
from hardware.errors import HardwareError
from referee import events as e

INF = float("inf")
SAY = Say("settling", "The board will tilt to Black", "Hands off, please.")
WARNING = e.TiltWarning(at_s=100.0, seat=1, due_s=100.7)


class Piezo:
    """A buzzer that remembers. broken: its pin cannot be used any more."""

    def __init__(self) -> None:
        self.tones: list[float | None] = []
        self.broken = False

    def tone(self, hz: float | None) -> None:
        if self.broken:
            raise HardwareError("sound: the buzzer's pin cannot be used (gone).")
        self.tones.append(hz)


class Speaker:
    """A voice that speaks until it is told to be done."""

    def __init__(self) -> None:
        self.busy = False
        self.said: list[str] = []

    def say(self, text: str) -> None:
        self.busy = True
        self.said.append(text)

    def hush(self) -> None:
        self.busy = False
        self.said.append("")

    async def close(self) -> None:
        self.hush()


def test_the_warning_sounds_and_is_spoken_with_the_event_until_the_motor_starts() -> None:
    piezo, speaker, told = Piezo(), Speaker(), list[str]()
    sound = Sound(piezo, speaker, told.append)
    sound.follow(WARNING, SAY, 5.0, motor=True)
    assert piezo.tones == [Cue.WARNING.value.notes[0]]
    assert speaker.said == ["Hands off. The board will tilt to Black."]
    now_s = 5.0
    silent_s = 0.0
    while (due_s := sound.due_s(now_s)) < 5.7:
        if piezo.tones[-1] is None:
            silent_s += due_s - now_s
        now_s = due_s
        sound.tick(now_s)
    assert silent_s < 0.3
    sound.follow(e.TiltStarted(at_s=100.7, seat=1), SAY, 5.7, motor=True)
    assert piezo.tones[-1] is None


def test_a_warning_that_is_called_off_is_silent_at_once() -> None:
    piezo, speaker = Piezo(), Speaker()
    sound = Sound(piezo, speaker, lambda line: None)
    sound.follow(WARNING, SAY, 5.0, motor=True)
    sound.follow(e.CalledOff(), SAY, 5.1, motor=True)
    assert piezo.tones[-1] is None
    assert speaker.said[-1] == ""
    sound.follow(e.Stopped(), Say("stopped", "The board is stopped"), 5.2, motor=True)
    assert speaker.said[-1] == "The board is stopped."


def test_a_menu_that_a_move_has_closed_says_nothing_of_itself() -> None:
    piezo, speaker = Piezo(), Speaker()
    sound = Sound(piezo, speaker, lambda line: None)
    sound.follow(e.MenuShown(number=1, count=3, say="A draw"), SAY, 1.0, motor=True)
    seen = e.MoveProvisional(move="a8-e8", due_s=9.0)
    sound.follow(seen, Say("provisional", "White: a8-e8"), 2.0, motor=True)
    sound.follow(e.MenuClosed(), SAY, 2.0, motor=True)
    sound.tick(2.1)
    assert speaker.said == ["1. A draw.", "Hands off. White: a8 to e8."]
    assert piezo.tones[-1] == Cue.WARNING.value.notes[0]


def test_a_buzzer_that_fails_is_named_once_and_the_voice_goes_on() -> None:
    piezo, speaker, told = Piezo(), Speaker(), list[str]()
    sound = Sound(piezo, speaker, told.append)
    piezo.broken = True
    sound.follow(WARNING, SAY, 5.0, motor=True)
    sound.follow(WARNING, SAY, 7.0, motor=True)
    assert told == [
        "sound: the buzzer's pin cannot be used (gone). There are no tunes any more; the game goes on."
    ]
    assert len(speaker.said) == 2


def test_tunes_are_shown_where_there_is_no_buzzer() -> None:
    shown = list[str]()
    sound = Sound(None, None, lambda line: None, show=shown.append)
    sound.follow(e.OutOfStep(code="differs", say="", guide=""), SAY, 1.0, motor=False)
    assert shown == ["sound: ##########  that is not allowed, or the board is not as it should be"]


def test_a_quiet_board_plays_what_must_be_heard() -> None:
    piezo = Piezo()
    sound = Sound(piezo, None, lambda line: None, quiet=True)
    sound.follow(e.TurnOpened(seat=0, ply=0), SAY, 1.0, motor=True)
    assert piezo.tones == []
    sound.follow(e.MenuShown(number=2, count=3, say="A draw"), SAY, 2.0, motor=True)
    assert piezo.tones != []


def test_another_board_begins_silent_with_its_own_buzzer() -> None:
    first, second = Piezo(), Piezo()
    sound = Sound(first, None, lambda line: None)
    sound.follow(WARNING, SAY, 5.0, motor=True)
    first.broken = True  # its pins are given back
    sound.another(second)
    sound.tick(5.1)
    sound.follow(e.TurnTaken(ply=0, seat=0, move="", position=""), SAY, 6.0, motor=False)
    assert second.tones == [Cue.TAKEN.value.notes[0]]


def test_the_end_is_silent() -> None:
    piezo, speaker = Piezo(), Speaker()
    sound = Sound(piezo, speaker, lambda line: None)
    sound.follow(WARNING, SAY, 5.0, motor=True)
    asyncio.run(sound.close())
    assert piezo.tones[-1] is None
    assert not speaker.busy


def board_sound(config: SoundConfig, piezo: Piezo | None) -> BoardSound:
    return BoardSound(config, piezo, lambda: 5.0, lambda line: None, lambda: None)


def test_of_a_silent_board_nothing_is_ever_due() -> None:
    sound = board_sound(NO_SOUND, None)
    sound.follow(WARNING, SAY, motor=True)
    sound.tick()
    assert sound.sleep_s() == INF
    asyncio.run(sound.close())


def test_the_daemon_sleeps_until_the_next_tone() -> None:
    piezo = Piezo()
    sound = board_sound(SoundConfig(buzzer=13), piezo)
    assert sound.sleep_s() == INF
    sound.follow(WARNING, SAY, motor=True)
    assert piezo.tones == [Cue.WARNING.value.notes[0]]
    assert 0.2 < sound.sleep_s() < 0.3
