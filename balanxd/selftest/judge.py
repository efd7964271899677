"""What a board read at rest after many tilts, against where its marbles must lie: findings by name and space out. Pure.

A cell's reading is 1 where a marble is seen. Every rule compares whole histories, so one bad moment names nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median

from hardware.faults import FaultName
from rules.balanx import recognise
from rules.balanx.layout import Layout

from .boardside import Edge
from .findings import Report, SpaceReport

HUM_HZ = 6.0  # short pulses a second at rest; spikes of a healthy board come 0.4 a second over all its spaces
TOGGLES = 6  # accepted changes at rest
TOGETHER_S = 0.012  # what changes within this time may have one cause
DEAD_LEAST = 3  # wrong inputs at the end of the chain that make it a dead chain
SHARE = 0.25  # of the rounds: less often than this a space is said to be unsure of its marble, not blind
WEAK_MARGIN = 0.4  # share of the board's usual margin
OTHER_SIDE = (
    "The board goes to the other side than told: turn the servo's direction round (`balanx calibrate`)."
)


@dataclass(frozen=True, slots=True)
class Rest:
    """The board at rest with the side of `seat` down. edges: since the swing began, which was at started_s
    (host s; None: it did not arrive, or nobody knows)."""

    seat: int
    readings: tuple[int, ...]  # by cell
    started_s: float | None
    edges: tuple[Edge, ...] = ()  # `input` is a cell here
    margins: Mapping[int, tuple[int, int]] | None = None


@dataclass(slots=True)
class Quiet:
    """What the cells did while nothing moved. seconds: how long they were looked at."""

    seconds: float
    toggles: dict[int, int]
    hums: dict[int, int]
    readings: tuple[int, ...] = ()


def expected(layout: Layout, marbles: frozenset[int], seat: int) -> tuple[int, ...]:
    """Where marbles lie with the side of `seat` down: each in its groove as low as it can."""
    lying = bytes(cell in marbles for cell in range(layout.cells))
    return tuple(recognise.level(layout, lying, seat))


def near(layout: Layout, cell: int) -> Iterator[int]:
    """The spaces around one."""
    file, rank = cell % layout.files, cell // layout.files
    for other in range(layout.cells):
        if other != cell and abs(other % layout.files - file) <= 1 and abs(other // layout.files - rank) <= 1:
            yield other


def judge_quiet(report: Report, names: Sequence[str], quiet: Quiet) -> set[int]:
    """Name what toggles or hums at rest. Returns the cells named."""
    named: set[int] = set()
    for cell, count in sorted(quiet.toggles.items()):
        if count >= TOGGLES:
            report.find(
                FaultName.FLICKERING,
                (names[cell],),
                f"{names[cell]} flickers: its reading changed {count} times in {quiet.seconds:.0f} s at rest. "
                "Look at its solder joints and its distance to the marble.",
            )
            named.add(cell)
    for cell, count in sorted(quiet.hums.items()):
        if cell in named or count / max(quiet.seconds, 1.0) < HUM_HZ:
            continue
        named.add(cell)
        reads = quiet.readings[cell] if cell < len(quiet.readings) else 0
        if reads:
            report.find(
                FaultName.WEAK,
                (names[cell],),
                f"{names[cell]} sees its marble only just ({count} short drop-outs in {quiet.seconds:.0f} s). "
                "Bring the sensor nearer, or set its threshold anew.",
            )
        else:
            report.find(
                FaultName.OPEN_WIRE,
                (names[cell],),
                f"The input of {names[cell]} picks up hum ({count} short pulses in {quiet.seconds:.0f} s): "
                "no sensor answers at its end. Look for a broken wire.",
            )
    return named


class Judge:
    """All rests of a run with marbles. known: cells that were named already; they are left out."""

    def __init__(
        self,
        layout: Layout,
        inputs: Sequence[int | None],
        marbles: frozenset[int],
        rests: Sequence[Rest],
        known: set[int],
        settle_s: float,
    ) -> None:
        self.layout, self.inputs, self.rests, self.known = layout, inputs, rests, set(known)
        self.names = layout.cell_names
        self.settle_s = settle_s
        self.wanted = [expected(layout, marbles, rest.seat) for rest in rests]
        cells = range(layout.cells)
        self.read = {cell: tuple(rest.readings[cell] for rest in rests) for cell in cells}
        self.want = {cell: tuple(wanted[cell] for wanted in self.wanted) for cell in cells}

    def wrong(self, cell: int) -> int:
        """How often a cell read otherwise than it must."""
        return sum(a != b for a, b in zip(self.read[cell], self.want[cell], strict=True))

    def bad(self) -> list[int]:
        """Cells not explained yet that read otherwise than they must."""
        return [cell for cell in range(self.layout.cells) if cell not in self.known and self.wrong(cell)]

    def run(self, report: Report) -> None:
        """Fill the table of spaces, then name what is wrong, the plainest explanation first."""
        self._count(report)
        self._way(report)
        self._chain(report)
        self._stuck_marbles(report)
        self._swapped(report)
        self._crosstalk(report)
        self._single(report)
        self._margins(report)
        self._slow(report)

    def _count(self, report: Report) -> None:
        for cell, name in enumerate(self.names):
            space = report.spaces.setdefault(name, SpaceReport(name))
            space.expected = sum(self.want[cell])
            space.seen = sum(r and w for r, w in zip(self.read[cell], self.want[cell], strict=True))
            space.extra = sum(r and not w for r, w in zip(self.read[cell], self.want[cell], strict=True))
            space.tested = space.expected > 0
        for cell, values in self._margin_values().items():
            report.spaces[self.names[cell]].margin = min(values)

    def _loose(self) -> list[int]:
        """Cells where a marble comes and goes."""
        return [cell for cell, want in self.want.items() if len(set(want)) == 2]

    def _way(self, report: Report) -> None:
        """All marbles on the other side than told: the motor turns the wrong way; none moves: it does not turn."""
        loose = self._loose()
        if len(loose) < 4 or {rest.seat for rest in self.rests} != {0, 1}:
            return
        turned = sum(all(r != w for r, w in zip(self.read[c], self.want[c], strict=True)) for c in loose)
        still = sum(len(set(self.read[cell])) == 1 for cell in loose)
        if turned > 0.6 * len(loose):
            report.find(FaultName.WRONG_WAY, (), OTHER_SIDE)
            self.known.update(range(self.layout.cells))
        elif still > 0.8 * len(loose):
            report.find(FaultName.STALLED, (), "The board does not move: no marble rolled.")
            self.known.update(range(self.layout.cells))

    def _chain(self, report: Report) -> None:
        """From one input on everything reads the same for ever."""
        used = [(number, cell) for number, cell in enumerate(self.inputs) if cell is not None]
        for level in (0, 1):
            first = len(used)
            while first and set(self.read[used[first - 1][1]]) == {level}:
                first -= 1
            tail = used[first:]
            wrong = [(number, cell) for number, cell in tail if self.wrong(cell) and cell not in self.known]
            if len(wrong) < DEAD_LEAST:
                continue
            number, cell = wrong[0]
            report.find(
                FaultName.DEAD_CHAIN,
                tuple(self.names[each] for _, each in used[[n for n, _ in used].index(number) :]),
                f"Nothing is read from input {number} ({self.names[cell]}) of the chain on: all show {level}. "
                "Look at the cable and the supply of the register there.",
            )
            self.known.update(each for _, each in tail)
            return

    def _stuck_marbles(self, report: Report) -> None:
        for groove in self.layout.grooves:
            if len(groove) != 2 or self.known & set(groove):
                continue
            a, b = groove
            if set(self.want[a]) != {0, 1}:
                continue
            stays = [
                high
                for high, low in ((a, b), (b, a))
                for r, s, w in [(self.read[high], self.read[low], self.want[high])]
                if sum(x and not y and not v for x, y, v in zip(r, s, w, strict=True))
                >= max(1, len(r) * SHARE)
                and not any(y and not x and v for x, y, v in zip(r, s, w, strict=True))
            ]
            if len(stays) == 1:
                name = self.names[stays[0]]
                times = sum(
                    x and not v for x, v in zip(self.read[stays[0]], self.want[stays[0]], strict=True)
                )
                report.spaces[name].stuck = times
                report.find(
                    FaultName.MARBLE_STUCK,
                    (name,),
                    f"The marble on {name} does not roll ({times} times): look for dirt in its groove.",
                )
                self.known.update(groove)

    def _swapped(self, report: Report) -> None:
        bad = self.bad()
        for a in bad:
            fits = [
                b
                for b in bad
                if b != a
                and {a, b}.isdisjoint(self.known)
                and self.read[a] == self.want[b]
                and self.read[b] == self.want[a]
            ]
            if len(fits) == 1 and a not in self.known:
                b = fits[0]
                report.find(
                    FaultName.SWAPPED,
                    (self.names[min(a, b)], self.names[max(a, b)]),
                    f"{self.names[a]} and {self.names[b]} are exchanged: exchange their wires, or their names in "
                    "board.wiring.",
                )
                self.known |= {a, b}

    def _crosstalk(self, report: Report) -> None:
        for cell in self.bad():
            read, want = self.read[cell], self.want[cell]
            if any(w and not r for r, w in zip(read, want, strict=True)):
                continue
            found = []
            for other in near(self.layout, cell):
                both = tuple(int(w or o) for w, o in zip(want, self.want[other], strict=True))
                if read != both or len(set(self.want[other])) != 2:
                    continue
                gaps = self._together(cell, other)
                if gaps:
                    found.append((-len(gaps), fmean(gaps), other))
            if not found:
                continue
            other = min(found)[2]
            report.find(
                FaultName.CROSSTALK,
                (self.names[cell], self.names[other]),
                f"{self.names[cell]} sees the marble on {self.names[other]} beside it: move the sensor, or raise its "
                "threshold.",
            )
            self.known.add(cell)

    def _together(self, cell: int, other: int) -> list[float]:
        """How far apart two cells changed in the same direction, where that was at one instant."""
        gaps = []
        for rest in self.rests:
            mine = [edge for edge in rest.edges if edge.input == cell]
            for edge in mine:
                apart = [
                    abs(e.at_s - edge.at_s)
                    for e in rest.edges
                    if e.input == other and bool(e.reading) == bool(edge.reading)
                ]
                if apart and min(apart) <= TOGETHER_S:
                    gaps.append(min(apart))
        return gaps

    def _single(self, report: Report) -> None:
        for cell in self.bad():
            name, pairs = self.names[cell], list(zip(self.read[cell], self.want[cell], strict=True))
            missed = sum(w and not r for r, w in pairs)
            seen = sum(w and r for r, w in pairs)
            extra = sum(r and not w for r, w in pairs)
            if extra and not any(not r for r, _ in pairs):
                report.find(
                    FaultName.STUCK_ON, (name,), f"{name} sees a marble where none lies, all the time."
                )
            elif missed and not seen and not extra:
                report.find(
                    FaultName.STUCK_OFF,
                    (name,),
                    f"{name} does not see its marble ({missed} of {missed} missed).",
                )
            elif missed:
                report.find(
                    FaultName.WEAK, (name,), f"{name} missed its marble {missed} of {missed + seen} times."
                )
            else:
                report.find(
                    FaultName.FLICKERING, (name,), f"{name} saw a marble {extra} times where none lay."
                )
            self.known.add(cell)

    def _margin_values(self) -> dict[int, list[int]]:
        """Distance of reading and threshold, by cell, while a marble lay there and was seen."""
        found: dict[int, list[int]] = {}
        for rest, wanted in zip(self.rests, self.wanted, strict=True):
            for number, (reading, threshold) in (rest.margins or {}).items():
                cell = self.inputs[number] if number < len(self.inputs) else None
                if cell is not None and wanted[cell] and rest.readings[cell]:
                    found.setdefault(cell, []).append(abs(reading - threshold))
        return found

    def _margins(self, report: Report) -> None:
        values = {cell: min(found) for cell, found in self._margin_values().items()}
        if len(values) < 5:
            return
        usual = median(values.values())
        for cell, value in sorted(values.items()):
            if cell not in self.known and value < WEAK_MARGIN * usual:
                name = self.names[cell]
                report.find(
                    FaultName.WEAK,
                    (name,),
                    f"{name} sees its marble only just: {value} above its threshold, the board's usual is {usual:.0f}.",
                )
                self.known.add(cell)

    def _slow(self, report: Report) -> None:
        slow: dict[int, int] = {}
        for rest, wanted in zip(self.rests, self.wanted, strict=True):
            if rest.started_s is None:
                continue
            last: dict[int, float] = {}
            for edge in rest.edges:
                if edge.reading and wanted[edge.input]:
                    last.setdefault(edge.input, edge.at_s)
            for cell, at_s in last.items():
                ms = round((at_s - rest.started_s) * 1000)
                space = report.spaces[self.names[cell]]
                space.arrived_ms = max(ms, space.arrived_ms or 0)
                if ms > self.settle_s * 1000:
                    slow[cell] = slow.get(cell, 0) + 1
        for cell, times in slow.items():
            report.spaces[self.names[cell]].slow = times
        if any(each.kind in (FaultName.TILT_SHORT, FaultName.SERVO_LATE) for each in report.findings):
            return  # the board is late, not its marbles
        often = [cell for cell, times in slow.items() if times >= max(2, SHARE * len(self.rests))]
        if len(often) > 0.3 * len(self._loose()):
            report.find("slow", (), "Most marbles arrive late: look at the tilt's angle and level.")
            return
        for cell, times in sorted(slow.items()):
            name = self.names[cell]
            if cell not in self.known and times >= max(2, SHARE * len(self.rests)):
                report.find(
                    "slow", (name,), f"The marble comes to {name} late ({times} times): clean its groove."
                )
