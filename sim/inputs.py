"""What the sensors would say and what hands and faults do to it -> the raw level of every input over time.

A line holds its level now and the list of changes to come, so nothing runs between changes. Bounce (chatter
at each change) is drawn when a change is planned; overlays force a level for a while (a rocking marble, a
finger, a spike).
Left out: analogue ripple, supply droop that moves all thresholds at once, crosstalk between wires.
"""

from collections.abc import Callable, Sequence
from random import Random

from .model import NoiseModel

Change = tuple[float, int]  # (time s, level from then on)
Overlay = tuple[float, float, int]  # (from s, to s, level)


class Line:
    """One input of the chain: `raw` is its level at the last look, `changes` what comes after."""

    __slots__ = ("_base", "_base_changes", "changes", "index", "overlays", "raw", "remap")

    def __init__(self, index: int) -> None:
        self.index = index
        self.raw = 0
        self.changes: list[Change] = []
        self._base = 0
        self._base_changes: Sequence[Change] = ()
        self.overlays: list[Overlay] = []
        self.remap: tuple[int, ...] | None = None  # a fault: level -> level

    def base(self, now_s: float) -> int:
        """What the sensor itself would say, without overlays and faults."""
        level = self._base
        for t, value in self._base_changes:
            if t > now_s:
                break
            level = value
        return level

    @property
    def restless(self) -> bool:
        """Whether the sensor's own level was planned to change."""
        return bool(self._base_changes)

    def set_base(self, level: int, changes: Sequence[Change]) -> None:
        """A new plan of the sensor's own level; `rebuild` makes it count."""
        self._base, self._base_changes = level, changes

    def rebuild(self, now_s: float) -> int:
        """Works plan, overlays and fault into `changes`; returns the level now. `raw` is left to the
        reader.
        """
        base = self.base(now_s)
        remap = self.remap
        if self.overlays:
            self.overlays = [each for each in self.overlays if each[1] > now_s]
        if not self.overlays:
            ahead = [change for change in self._base_changes if change[0] > now_s]
            if remap is None:
                self.changes = ahead
                return base
            self.changes = [(t, remap[level]) for t, level in ahead]
            return remap[base]
        times = {t for t, _ in self._base_changes if t > now_s}
        for begin, end, _ in self.overlays:
            times.add(end)
            if begin > now_s:
                times.add(begin)
        now_level = level = self._with_overlays(now_s, base)
        changes: list[Change] = []
        for t in sorted(times):
            value = self._with_overlays(t, self.base(t))
            if value != level:
                changes.append((t, remap[value] if remap else value))
                level = value
        self.changes = changes
        return remap[now_level] if remap else now_level

    def _with_overlays(self, now_s: float, level: int) -> int:
        for begin, end, value in self.overlays:
            if begin <= now_s < end:
                level = value
        return level


class Lines:
    """All inputs of the chain, and which cell lies over which."""

    def __init__(
        self, cells: int, wiring: Sequence[int], noise: NoiseModel, bounce: Random, reed: bool
    ) -> None:
        count = len(wiring) or cells
        self.all = [Line(index) for index in range(count)]
        cell_of = list(wiring) or list(range(cells))
        # a cell under no input gets a line that nobody reads
        self.of_cell = [Line(-1) for _ in range(cells)]
        for index, cell in enumerate(cell_of):
            if cell >= 0:
                self.of_cell[cell] = self.all[index]
        self._bounce = bounce
        self._noise = noise
        self._ms = noise.reed_bounce_ms if reed else noise.bounce_ms
        self._again = noise.bounce_mean / (1 + noise.bounce_mean)
        self.changed: Callable[[Line], None] = lambda line: None  # set by the reader of the chain

    def plan(self, cell: int, now_s: float, level: int, changes: list[Change]) -> None:
        """The sensor under a cell will say this: `level` from now on, then the changes in time order."""
        line = self.of_cell[cell]
        before = line.base(now_s)
        if before == level and not changes and not line.restless:
            return
        if before != level:
            changes.insert(0, (now_s, level))
        if changes and self._noise.bounce:
            changes = self._chatter(before, changes)
        line.set_base(before, changes)
        self.changed(line)

    def overlay(self, cell: int, overlays: Sequence[Overlay]) -> None:
        """Forces levels for times to come."""
        if overlays:
            line = self.of_cell[cell]
            line.overlays.extend(overlays)
            self.changed(line)

    def _chatter(self, before: int, changes: list[Change]) -> list[Change]:
        random, again = self._bounce.random, self._again
        least, span = self._ms[0] / 1000, (self._ms[1] - self._ms[0]) / 1000
        whole: list[Change] = []
        last = len(changes) - 1
        for i, (t, level) in enumerate(changes):
            whole.append((t, level))
            limit = changes[i + 1][0] if i < last else float("inf")
            while random() < again:
                back = t + least + span * random()
                t = back + least + span * random()
                if t >= limit:
                    break
                whole.append((back, before))
                whole.append((t, level))
            before = level
        return whole
