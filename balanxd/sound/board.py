"""A board's sound for the daemon's loop: settings, its buzzer and a clock in; what is heard out.

Of a silent board nothing is loaded, and nothing is ever due.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from balanxd.pairing import CodeShown, PairingEvent
from balanxd.words import Say
from referee import events as e

from .settings import SoundConfig

if TYPE_CHECKING:
    from .outlet import Beeper, Sound


class BoardSound:
    """steady_s: real seconds. tell: a line about what does not work; done: the voice has become silent.

    show: a line for each tune, None for none.
    """

    def __init__(
        self,
        config: SoundConfig,
        beeper: Beeper | None,
        steady_s: Callable[[], float],
        tell: Callable[[str], None],
        done: Callable[[], None],
        show: Callable[[str], None] | None = None,
    ) -> None:
        self._steady_s = steady_s
        self._sound: Sound | None = None
        if not config.on and show is None:
            return
        from .outlet import Sound

        voice = None
        if config.speech:
            from .espeak import Espeak

            voice = Espeak(config, tell, done)
        self._sound = Sound(beeper, voice, tell, names=config.names, quiet=config.quiet, show=show)

    def another(self, beeper: Beeper | None) -> None:
        """Another board has taken the place of the one before; its buzzer."""
        if self._sound is not None:
            self._sound.another(beeper)

    def follow(self, event: e.GameEvent, say: Say, *, motor: bool) -> None:
        """Follow one event. say: what the page says after it; motor: a motor tilts the board once a move is seen."""
        if self._sound is not None:
            self._sound.follow(event, say, self._steady_s(), motor=motor)

    def pairing(self, event: PairingEvent) -> None:
        """A pairing code is to be said, or not any more."""
        if self._sound is not None:
            self._sound.read_code(event.code if isinstance(event, CodeShown) else "", self._steady_s())

    def tick(self) -> None:
        """Whatever falls due."""
        if self._sound is not None:
            self._sound.tick(self._steady_s())

    def sleep_s(self) -> float:
        """How long `tick` need not be called; inf: not before something happens, or the voice is done."""
        if self._sound is None:
            return float("inf")
        now_s = self._steady_s()
        return self._sound.due_s(now_s) - now_s

    async def close(self) -> None:
        """Be silent for good."""
        if self._sound is not None:
            await self._sound.close()
