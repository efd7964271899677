"""Trial: a buzzer, a voice and a clock in; every tune played and its meaning said, one after the other."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable

from .outlet import Beeper, Voice
from .player import PAUSE_S, Player
from .tunes import Cue, Tune, ticks

EXAMPLES = (3, 7)  # items of a menu
LOOK_S = 0.05  # between two looks whether the voice is done


def tunes() -> Iterable[Tune]:
    """All of them, some items of a menu for those of all its items."""
    yield from (cue.value for cue in Cue)
    yield from map(ticks, EXAMPLES)


def line_of(tune: Tune) -> str:
    """A tune for a terminal: its rhythm, then what it means."""
    return f"{tune.rhythm:<24}  {tune.says}"


async def play_all(
    beeper: Beeper | None,
    voice: Voice | None,
    show: Callable[[str], None],
    now_s: Callable[[], float],
    sleep: Callable[[float], Awaitable[object]],
) -> None:
    """Play each tune, then say what it means. Without a buzzer it is shown only. Raises HardwareError."""
    for tune in tunes():
        show(line_of(tune))
        if beeper is not None:
            await _play(tune, beeper, now_s, sleep)
        if voice is not None:
            voice.say(f"{tune.says}.")
            while voice.busy:
                await sleep(LOOK_S)


async def _play(
    tune: Tune, beeper: Beeper, now_s: Callable[[], float], sleep: Callable[[float], Awaitable[object]]
) -> None:
    player = Player()
    player.play(tune, now_s())
    try:
        while True:
            at_s = now_s()
            beeper.tone(player.tick(at_s))
            due_s = player.due_s(at_s)
            if due_s == float("inf"):
                break
            await sleep(max(0.0, due_s - at_s))
    finally:
        beeper.tone(None)
    await sleep(PAUSE_S)
