"""What the sensors would say and what hands and faults do to it -> the raw level of every input over time.

A line holds its level now and the list of changes to come, so nothing runs between changes. Bounce (chatter
at each change) is drawn when a change is planned; overlays force a level for a while (a rocking marble, a
finger, a spike).
Faults (`sim.faults`) change what a line makes of it: a remapped level, a marble that is not seen, chatter after each
change, hum on top of all, and a neighbour that it also sees.
Left out: analogue ripple, supply droop that moves all thresholds at once.
"""

from collections.abc import Callable, Sequence
from random import Random

from .model import NoiseModel

Change = tuple[float, int]  # (time s, level from then on)
Overlay = tuple[float, float, int]  # (from s, to s, level)


class Line:
    """One input of the chain: `raw` is its level at the last look, `changes` what comes after."""

    __slots__ = (
        "_base",
        "_base_changes",
        "also",
        "changes",
        "chatter",
        "heard_by",
        "hum",
        "hums",
        "index",
        "missed",
        "overlays",
        "raw",
        "remap",
    )

    def __init__(self, index: int) -> None:
        self.index = index
        self.raw = 0
        self.changes: list[Change] = []
        self._base = 0
        self._base_changes: Sequence[Change] = ()
        self.overlays: list[Overlay] = []
        # faults: level -> level; another line that shows here too; (s, by whose chance) of chatter after each change;
        # (share of marbles not seen, by whose chance); whose chance hums, and pulses over everything
        self.remap: tuple[int, ...] | None = None
        self.also: Line | None = None
        self.heard_by: list[Line] = []
        self.chatter: tuple[float, Random] | None = None
        self.missed: tuple[float, Random] | None = None
        self.hum: Random | None = None
        self.hums: list[Overlay] = []

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

    def plan_from(self, now_s: float) -> tuple[int, Sequence[Change]]:
        """The sensor's own level now and what is planned of it, as `set_base` takes it."""
        return self.base(now_s), tuple(change for change in self._base_changes if change[0] > now_s)

    def rebuild(self, now_s: float) -> int:
        """Works plan, overlays and fault into `changes`; returns the level now. `raw` is left to the
        reader.
        """
        base = self.base(now_s)
        remap = self.remap
        if self.overlays:
            self.overlays = [each for each in self.overlays if each[1] > now_s]
        if self.hums:
            self.hums = [each for each in self.hums if each[1] > now_s]
        if not self.overlays and not self.hums and self.also is None:
            ahead = [change for change in self._base_changes if change[0] > now_s]
            if remap is None:
                self.changes = ahead
                return base
            self.changes = [(t, remap[level]) for t, level in ahead]
            return remap[base]
        times = {t for t, _ in self._base_changes if t > now_s}
        if self.also is not None:
            times.update(t for t, _ in self.also._base_changes if t > now_s)
        laid = self.overlays if self.also is None else self.overlays + self.also.overlays
        for begin, end, _ in (*laid, *self.hums):
            if end > now_s:
                times.add(end)
            if begin > now_s:
                times.add(begin)
        now_level = level = self._shown(now_s)
        changes: list[Change] = []
        for t in sorted(times):
            value = self._shown(t)
            if value != level:
                changes.append((t, value))
                level = value
        self.changes = changes
        return now_level

    def _shown(self, at_s: float) -> int:
        """What the input shows at a time to come."""
        for begin, end, value in self.hums:
            if begin <= at_s < end:
                return value
        level = self.base(at_s)
        if self.also is not None:
            level = level or self.also._with_overlays(at_s, self.also.base(at_s))
        level = self._with_overlays(at_s, level)
        return self.remap[level] if self.remap else level

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
        if line.missed is not None:
            level, changes = _overlook(line.missed, before, level, changes)
        if before == level and not changes and not line.restless:
            return
        if before != level:
            changes.insert(0, (now_s, level))
        if changes and self._noise.bounce:
            changes = self._chatter(before, changes)
        if line.chatter is not None:
            changes = _worn(line.chatter, before, changes)
        line.set_base(before, changes)
        self.changed(line)
        for other in line.heard_by:
            self.changed(other)

    def couple(self, cell: int, neighbour: int | None) -> None:
        """The input of a cell also shows what lies on a neighbour; None: not any more."""
        line = self.of_cell[cell]
        if line.also is not None:
            line.also.heard_by.remove(line)
        line.also = None if neighbour is None else self.of_cell[neighbour]
        if line.also is not None:
            line.also.heard_by.append(line)
        self.changed(line)

    def overlay(self, cell: int, overlays: Sequence[Overlay]) -> None:
        """Forces levels for times to come."""
        if overlays:
            line = self.of_cell[cell]
            line.overlays.extend(overlays)
            self.changed(line)
            for other in line.heard_by:
                self.changed(other)

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


def _overlook(
    missed: tuple[float, Random], before: int, level: int, changes: list[Change]
) -> tuple[int, list[Change]]:
    """A sensor that does not see a share of the marbles that come to it."""
    share, random = missed
    blind = bool(level) and not before and random.random() < share
    now_level = shown = 0 if blind else level
    seen: list[Change] = []
    for t, value in changes:
        if value and not level:
            blind = random.random() < share
        level = value
        if (0 if blind else value) != shown:
            shown = 0 if blind else value
            seen.append((t, shown))
    return now_level, seen


def _worn(chatter: tuple[float, Random], before: int, changes: list[Change]) -> list[Change]:
    """A contact that chatters for a while after each change, in pulses too short to be accepted."""
    lasts_s, random = chatter
    whole: list[Change] = []
    for i, (t, level) in enumerate(changes):
        whole.append((t, level))
        end_s = min(t + lasts_s, changes[i + 1][0] if i + 1 < len(changes) else float("inf"))
        other = before
        t += random.uniform(0.001, 0.004)
        while t < end_s:
            back = t + random.uniform(0.001, 0.004)
            if back >= end_s:
                break
            whole += [(t, other), (back, level)]
            t = back + random.uniform(0.001, 0.004)
        before = level
    return whole
