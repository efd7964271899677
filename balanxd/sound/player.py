"""Player: tunes and the time in; the pitch that a buzzer is to sound now out. No I/O.

One tune at a time, the others wait their turn; the warning before a motion goes before all and is repeated till then.
"""

from __future__ import annotations

from collections import deque

from .tunes import STEP_S, Cue, Tune

INF = float("inf")
PAUSE_S = 4 * STEP_S  # between two tunes
WAITING = 2  # tunes that wait at most: older ones are no news any more
LATE_S = 0.5  # a motion that has not begun so long after its time is not coming


class Player:
    """Plays on one buzzer. All times are seconds that never run backwards."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[float, Tune]] = deque(maxlen=WAITING)  # not before this time
        self._tune: Tune | None = None
        self._begun_s = -INF
        self._free_s = -INF  # from when on the next tune may begin
        self._warned_s: float | None = None  # until when the warning may go on

    def play(self, tune: Tune, now_s: float, *, at_once: bool = False, wait_s: float = 0.0) -> None:
        """Play a tune after those that wait. at_once: instead of them and of the one that sounds.

        wait_s: only if nothing else is to be played until then.
        """
        if at_once:
            self.hush()
        self.doubt(now_s)
        self._waiting.append((now_s + wait_s, tune))

    def doubt(self, now_s: float) -> None:
        """Something else happened: what has not stood long enough is not played."""
        while self._waiting and self._waiting[-1][0] > now_s:
            self._waiting.pop()

    def warn(self, due_s: float, now_s: float) -> None:
        """A motor starts at `due_s`: warn from now on, whatever else sounds."""
        self._waiting.clear()
        self._begin(Cue.WARNING.value, now_s)
        self._warned_s = due_s + LATE_S

    def calm(self, now_s: float) -> None:
        """The motor has started, or does not start: no warning any more."""
        if self._warned_s is not None:
            self._warned_s, self._tune, self._free_s = None, None, now_s + PAUSE_S

    def hush(self) -> None:
        """Nothing sounds and nothing waits, but a warning goes on."""
        self._waiting.clear()
        if self._warned_s is None:
            self._tune, self._free_s = None, -INF

    def tick(self, now_s: float) -> float | None:
        """The pitch that sounds now, Hz; None: silence."""
        if self._warned_s is not None and now_s >= self._warned_s:
            self.calm(now_s)
        if self._tune is not None and self._warned_s is None:
            end_s = self._begun_s + self._tune.seconds
            if now_s >= end_s:
                self._tune, self._free_s = None, end_s + PAUSE_S
        if self._tune is None and now_s >= self._free_s and self._waiting and now_s >= self._waiting[0][0]:
            self._begin(self._waiting.popleft()[1], now_s)
        return self._run(now_s)[0]

    @property
    def tune(self) -> Tune | None:
        """The tune that sounds."""
        return self._tune

    def due_s(self, now_s: float) -> float:
        """When the pitch is another one, or may be; inf: not before something is played."""
        if self._tune is None:
            return max(self._free_s, self._waiting[0][0]) if self._waiting else INF
        due_s = self._run(now_s)[1]
        return due_s if self._warned_s is None else min(due_s, self._warned_s)

    def _begin(self, tune: Tune, now_s: float) -> None:
        self._tune, self._begun_s = tune, now_s

    def _run(self, now_s: float) -> tuple[float | None, float]:
        """The pitch now, and until when it lasts. An end that falls together with `now_s` is over."""
        tune = self._tune
        if tune is None:
            return None, INF
        begun_s = self._begun_s
        if self._warned_s is not None:
            begun_s += int((now_s - begun_s) / tune.seconds + 1e-6) * tune.seconds
        end_s = begun_s
        for steps, note in tune.runs():
            end_s += steps * STEP_S
            if now_s < end_s - 1e-6:
                return note, end_s
        return None, end_s
