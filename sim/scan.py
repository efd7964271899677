"""Raw levels of all inputs -> accepted readings: the controller's 1 kHz scan, worked out from change to
change.

A reading is accepted at the n-th equal sample in a row. Samples lie on the board clock's grid since its
reset; a level that comes and goes between two samples is not seen. Time of acceptance = time of that
sample.
Left out: the time the chain takes to shift (all inputs are taken at one instant), samples missed by a busy
controller.
"""

from collections.abc import Callable
from math import ceil, inf

from .agenda import Agenda
from .inputs import Line, Lines
from .model import ClockModel


class BoardClock:
    """The controller's own time: starts at each reset, runs a little wrong, wraps as u32 us."""

    __slots__ = ("_rate", "_start_us", "_tick_rate", "zero_s")

    def __init__(self, zero_s: float, start_us: int, model: ClockModel, scan_hz: int) -> None:
        self.zero_s = zero_s
        self._start_us = start_us
        self._rate = 1e6 * (1 + model.drift_ppm * 1e-6)
        self._tick_rate = scan_hz * (1 + model.drift_ppm * 1e-6)

    def us(self, now_s: float) -> int:
        """Board time, u32."""
        return (self._start_us + round((now_s - self.zero_s) * self._rate)) & 0xFFFFFFFF

    def tick(self, now_s: float) -> int:
        """The first sample not before a time."""
        return ceil((now_s - self.zero_s) * self._tick_rate - 1e-6)

    def at(self, tick: int) -> float:
        """Time of a sample."""
        return self.zero_s + tick / self._tick_rate


class Debounce:
    """One input's samples in runs: `run` since sample `start`; `accepted` is the reading that counts."""

    __slots__ = ("accepted", "flicker", "run", "start", "under", "under_start")

    def __init__(self, level: int, tick: int) -> None:
        self.run = self.under = self.accepted = level
        self.start = self.under_start = tick
        self.flicker = 0

    def change(self, tick: int, level: int) -> None:
        """Samples from `tick` on see `level`. Ticks come in order; what is due before must be accepted
        first.
        """
        if level == self.run:
            return
        if tick <= self.start:  # the run was never sampled
            if level == self.under:
                self.run, self.start = self.under, self.under_start
                if self.run != self.accepted:
                    self.flicker -= 1
            else:
                self.run = level
            return
        if self.run != self.accepted:
            self.flicker += 1
        self.under, self.under_start = self.run, self.start
        self.run, self.start = level, tick


class Scan:
    """Debounces all inputs; calls `accepted(input, reading, at_s)` for each accepted change while `on`."""

    def __init__(
        self, agenda: Agenda, lines: Lines, samples: int, accepted: Callable[[int, int, float], None]
    ) -> None:
        self._agenda = agenda
        self._lines = lines
        self._accepted = accepted
        self._samples = samples
        self._states: list[Debounce] = []
        self._versions = [0] * len(lines.all)
        self._clock = BoardClock(0.0, 0, ClockModel(), 1000)
        self.on = False
        lines.changed = self._line_changed

    def begin(self, clock: BoardClock, samples: int) -> None:
        """The controller starts to scan: what the inputs show now is accepted without an edge."""
        now = self._agenda.now_s
        self._clock, self._samples = clock, samples
        tick = clock.tick(now)
        self._states = []
        self.on = True
        for line in self._lines.all:
            self._consume(line, now, None)
            self._states.append(Debounce(line.raw, tick))
            self._arm(line)

    def end(self) -> None:
        """The controller is dead; nothing is accepted any more."""
        self.on = False
        for index in range(len(self._versions)):
            self._versions[index] += 1

    def configure(self, samples: int) -> None:
        """Another number of equal samples from now on."""
        self._samples = samples
        if self.on:
            for line in self._lines.all:
                self._line_changed(line)

    def readings(self) -> bytes:
        """The accepted reading of every input, in chain order."""
        return bytes([state.accepted for state in self._states])

    def dead_from(self) -> int:
        """First input of the first chip of eight from which on to the chain's end all inputs read alike."""
        states, now = self._states, self._agenda.now_s
        for line in self._lines.all:
            if line.changes:
                self._consume(line, now, states[line.index])
        runs = [state.run for state in states]
        alike = len(runs)
        while alike and runs[alike - 1] == runs[-1]:
            alike -= 1
        return min(-(-alike // 8) * 8, len(runs))

    def flicker(self, most: int) -> tuple[tuple[int, int], ...]:
        """The worst inputs with changes not accepted since the last call, at most `most`; counts start
        anew.
        """
        states, now = self._states, self._agenda.now_s
        for line in self._lines.all:
            if line.changes:
                self._consume(line, now, states[line.index])
        worst = [(index, min(state.flicker, 255)) for index, state in enumerate(states) if state.flicker > 0]
        for index, _ in worst:
            states[index].flicker = 0
        if len(worst) > most:
            worst.sort(key=lambda pair: (-pair[1], pair[0]))
            del worst[most:]
        return tuple(worst)

    def _line_changed(self, line: Line) -> None:
        """A line's plan changes: what it showed until now is worked in, then the new plan looked at."""
        now = self._agenda.now_s
        state = self._states[line.index] if self.on and line.index >= 0 else None
        self._consume(line, now, state)
        level = line.rebuild(now)
        if level != line.raw:
            line.raw = level
            if state is not None:
                state.change(self._clock.tick(now), level)
        if state is not None:
            self._arm(line)

    def _consume(self, line: Line, until_s: float, state: Debounce | None) -> None:
        """Works the changes up to a time into the samples."""
        changes = line.changes
        gone = 0
        for t, level in changes:
            if t > until_s:
                break
            gone += 1
            line.raw = level
            if state is not None:
                state.change(self._clock.tick(t), level)
        if gone:
            del changes[:gone]

    def _arm(self, line: Line) -> None:
        """Enters the next acceptance of a line, if its plan has one."""
        index = line.index
        self._versions[index] += 1
        state = self._states[index]
        changes = line.changes
        samples = self._samples - 1
        if not changes:
            if state.run == state.accepted:
                return
            due: float = state.start + samples
        else:
            # the same walk as Debounce.change makes, on copies: nothing is counted when one only looks ahead
            run, start, accepted = state.run, state.start, state.accepted
            under, under_start = state.under, state.under_start
            tick_of = self._clock.tick
            due = inf
            for t, level in changes:
                tick = tick_of(t)
                if run != accepted and start + samples < tick:
                    due = start + samples
                    break
                if level == run:
                    continue
                if tick > start:
                    under, under_start, run, start = run, start, level, tick
                elif level == under:
                    run, start = under, under_start
                else:
                    run = level
            else:
                if run != accepted:
                    due = start + samples
        if due < inf:
            # version and input in one number: a later plan makes this call void
            self._agenda.at(self._clock.at(int(due)), self._due, self._versions[index] << 9 | index)

    def _due(self, number: int) -> None:
        index = number & 511
        if self._versions[index] != number >> 9:
            return
        line, state = self._lines.all[index], self._states[index]
        now = self._agenda.now_s
        self._consume(line, now, state)
        if state.run != state.accepted:
            state.accepted = state.run
            self._accepted(index, state.run, now)
        self._arm(line)
