"""The sound's outlet: events, the page's words and the time in; tones for a buzzer, sentences for a voice out. No I/O.

Times are real seconds, whatever speed a simulated board runs at: a rhythm is to be heard.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from balanxd.words import Say
from hardware.errors import HardwareError
from referee import events as e

from .player import Player
from .speech import HAND_S, Speech
from .tunes import QUIET, Cue, Tune, cue_of, tune_of

Tell = Callable[[str], None]


class Beeper(Protocol):
    """What sounds."""

    def tone(self, hz: float | None) -> None:
        """Sound at a pitch from now on; None: be silent. Raises HardwareError."""


class Voice(Protocol):
    """What speaks. `say` and `hush` return at once."""

    @property
    def busy(self) -> bool:
        """Whether it speaks."""

    def say(self, text: str) -> None:
        """Say this now, instead of whatever is being said."""

    def hush(self) -> None:
        """Be silent."""

    async def close(self) -> None:
        """Be silent for good."""


class Sound:
    """What is heard of one board. beeper, voice: None where there is none. tell: a line about what does not work.

    show: a line for each tune, None for none.
    """

    def __init__(
        self,
        beeper: Beeper | None,
        voice: Voice | None,
        tell: Tell,
        *,
        names: bool = False,
        quiet: bool = False,
        show: Tell | None = None,
    ) -> None:
        self._beeper, self._voice, self._tell, self._show = beeper, voice, tell, show
        self._quiet = quiet
        self._player = Player()
        self._speech = Speech(names=names, quiet=quiet)
        self._sounds: float | None = None
        self._shown: Tune | None = None
        self._menu = False  # it is shown, and nothing else has happened since

    def another(self, beeper: Beeper | None) -> None:
        """Another board has taken the place of the one before; its buzzer."""
        self._player.calm(-float("inf"))
        self._player.hush()
        self._beeper, self._sounds = beeper, None

    def follow(self, event: e.GameEvent, say: Say, now_s: float, *, motor: bool) -> None:
        """Follow one event. say: what the page says after it; motor: a motor tilts the board once a move is seen."""
        if isinstance(event, e.MenuClosed) and not event.say and not self._menu:
            return  # what happened has closed it, and is heard itself
        if not isinstance(event, e.SensorNamed | e.SensorTrusted | e.Fault):
            self._menu = isinstance(event, e.MenuShown)
        self._play(event, say, now_s, motor)
        if self._voice is not None:
            self._speech.follow(event, say, now_s, motor=motor)
        self.tick(now_s)

    def _play(self, event: e.GameEvent, say: Say, now_s: float, motor: bool) -> None:
        player = self._player
        match event:
            case e.TiltStarted() | e.CalledOff() | e.TiltStopped() | e.Stopped() | e.MoveWithdrawn():
                player.calm(now_s)
            case _:
                pass
        cue, tune = cue_of(event, say, motor=motor), tune_of(event, say, motor=motor)
        if tune is None or (self._quiet and cue is not None and cue not in QUIET):
            if not isinstance(event, e.SensorTrusted):
                player.doubt(now_s)
        elif cue is Cue.WARNING and isinstance(event, e.TiltWarning | e.MoveProvisional):
            player.warn(now_s + event.due_s - event.at_s, now_s)
        else:
            at_once = isinstance(event, e.MenuShown | e.MenuClosed | e.Stopped)
            player.play(tune, now_s, at_once=at_once, wait_s=HAND_S if cue is Cue.PUT_BACK else 0.0)

    def read_code(self, code: str, now_s: float) -> None:
        """Say the digits of a pairing code, and again to who asks how the game stands, until an empty one comes."""
        self._speech.read_code(code, now_s)
        self.tick(now_s)

    def tick(self, now_s: float) -> None:
        """Whatever falls due by now."""
        hz = self._player.tick(now_s)
        if hz != self._sounds:
            self._sound(hz)
        if self._show is not None and self._player.tune is not self._shown:
            self._shown = self._player.tune
            if self._shown is not None:
                self._show(f"sound: {self._shown.rhythm}  {self._shown.says}")
        voice = self._voice
        if voice is not None:
            text = self._speech.take(now_s, busy=voice.busy)
            if text:
                voice.say(text)
            elif text is not None:
                voice.hush()

    def due_s(self, now_s: float) -> float:
        """When `tick` wants to be called next; inf: not before something happens, or the voice is done."""
        due_s = self._player.due_s(now_s)
        return due_s if self._voice is None else min(due_s, self._speech.due_s(busy=self._voice.busy))

    async def close(self) -> None:
        """Be silent for good; the beeper's pin is its maker's to give back."""
        if self._sounds is not None:
            self._sound(None)
        if self._voice is not None:
            await self._voice.close()

    def _sound(self, hz: float | None) -> None:
        self._sounds = hz
        if self._beeper is None:
            return
        try:
            self._beeper.tone(hz)
        except HardwareError as error:
            self._beeper = None
            self._tell(f"{error} There are no tunes any more; the game goes on.")
