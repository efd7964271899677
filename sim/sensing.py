"""Marbles' paths -> what each space's sensor will say (plans for the input lines).

Three kinds. A biased hall under a steel marble and reflected light depend on the marble's place alone: a
marble within a radius reads as itself; light passes through the levels between, so a leaving white marble
looks unsure and black for some ms. A magnet in the marble (reed, omnipolar and unipolar hall) is a dipole
of random direction that turns by way/d as the marble rolls; the sensor below sees the vertical part of the
fields of all marbles near by. Per-space trim differs at random. Missed share of a dipole at rest: operate /
axis field (notes, section 4).
Left out: forces between magnets (boards that need them are refused elsewhere), turning about the vertical,
20 Hz sampling of low-power halls, ambient light, ageing, fingers over neighbouring spaces.
"""

from collections.abc import Iterable, Sequence
from math import cos, exp, sin, sqrt
from random import Random

from .agenda import Agenda
from .bed import Bed, Groove, Marble, Zone
from .inputs import Change, Lines
from .model import Model, SensorModel

_LOOK_S = 0.003  # how finely a rolling dipole's field is followed
_FLICKERS_PER_S = 40.0  # of a marble that rests just on its sensor's threshold
_FLICKER_S = 0.004
_DIM = 1.05  # a weak sensor's reading, over its threshold
_BLACK_BELOW, _WHITE_FROM = 0.25, 0.6  # shares of a white card: between them the reading is unsure
FREE, WHITE, BLACK, UNSURE = 0, 1, 2, 3

Vector = tuple[float, float, float]


def rings(sensor: SensorModel, seat: int, trim_mm: float) -> tuple[tuple[float, int], ...]:
    """Readings from the middle outwards: (radius mm up to which, reading). Outside the last one: free."""
    if sensor.kind != "colour":
        return ((sensor.window_mm + trim_mm, 1),)
    full = sensor.white if seat == 0 else sensor.black
    floor = (sensor.empty + sensor.black) / 2
    found = []
    # the light falls linearly from the full view to none, so each level is crossed at one radius
    for level, reading in ((_WHITE_FROM, WHITE), (_BLACK_BELOW, UNSURE), (floor, BLACK)):
        if full > level:
            share = (full - level) / (full - sensor.empty)
            found.append((sensor.full_mm + share * (sensor.edge_mm - sensor.full_mm) + trim_mm, reading))
    return tuple(found)


def dipole_mt(moment: Vector, dx_mm: float, dy_mm: float, distance_mm: float, b_axis_mt: float) -> float:
    """Vertical field below a dipole (unit `moment`) at an offset, scaled by its field on the axis at
    `distance_mm`.
    """
    square = dx_mm * dx_mm + dy_mm * dy_mm + distance_mm * distance_mm
    r = sqrt(square)
    along = (moment[0] * dx_mm + moment[1] * dy_mm - moment[2] * distance_mm) / r
    return b_axis_mt * distance_mm**3 / (square * r) * 0.5 * (3 * along * -distance_mm / r - moment[2])


def random_direction(random: Random) -> Vector:
    """A direction, all equally likely."""
    z = random.uniform(-1, 1)
    turn = random.uniform(0, 6.283185307179586)
    flat = sqrt(1 - z * z)
    return flat * cos(turn), flat * sin(turn), z


class Sensing:
    """Plans the input lines from the paths of the marbles."""

    def __init__(
        self,
        agenda: Agenda,
        bed: Bed,
        lines: Lines,
        model: Model,
        trim: Random,
        turn: Random,
        margin: Random,
    ) -> None:
        self._agenda = agenda
        self._margin = margin
        # cell -> flickers a second, level seen in them, version (an older plan's calls are void)
        self._weak: dict[int, tuple[float, int, int]] = {}
        self._weak_plans = 0
        self._noise_m = model.sensor.noise_mm / 1000 if model.noise.margins else 0.0
        self._dim: set[int] = set()
        self._bed = bed
        self._lines = lines
        self._sensor = model.sensor
        self._turn = turn
        self._lever_m = model.seat.d_over_r * model.marble.diameter_mm / 2000
        self.shadows = model.sensor.kind == "colour"  # only light sees fingers
        self.dipole = model.sensor.kind in ("reed", "hall", "unipolar")
        spread = model.sensor.spread_mm
        cells = bed.layout.files * bed.layout.ranks
        trims = [min(max(trim.gauss(0, spread), -2 * spread), 2 * spread) for _ in range(cells)]
        # comparators differ by some percent
        self._operate = [model.sensor.operate_mt * (1 + trim.uniform(-0.1, 0.1)) for _ in range(cells)]
        self._near: dict[int, tuple[Groove, ...]] = {}
        if self.dipole:
            self._find_neighbours()
        else:
            for groove in bed.grooves:
                self._lay_out(groove, trims)

    def reading_of(self, marble: Marble) -> int:
        """What a sensor that sees a marble says of it."""
        return marble.seat + 1 if self._sensor.kind == "colour" else 1

    def put_down(self, marble: Marble) -> None:
        """A hand has set a marble down: a magnet in it points anywhere."""
        if self.dipole:
            marble.moment = random_direction(self._turn)
            marble.turned_m = marble.path.rest_m

    def refresh(self, grooves: Iterable[Groove], now_s: float) -> None:
        """Plans the lines of grooves whose marbles' paths are new."""
        if self.dipole:
            cells = sorted({cell for groove in grooves for cell in self._around(groove)})
            for cell in cells:
                self._plan_dipole(cell, now_s)
            return
        plan = self._lines.plan
        for groove in grooves:
            levels: dict[int, int] = dict.fromkeys(groove.cells, 0)
            changes: dict[int, list[Change]] = {}
            for marble in groove.marbles:
                zones = groove.zones[marble.seat]
                cell, reading = zones[marble.zone]
                if cell >= 0:
                    levels[cell] = reading
                for t, zone in marble.crossings:
                    next_cell, reading = zones[zone]
                    if cell >= 0 and cell != next_cell:
                        changes.setdefault(cell, []).append((t, 0))
                    cell = next_cell
                    if cell >= 0:
                        changes.setdefault(cell, []).append((t, reading))
            for cell, level in levels.items():
                found = changes.get(cell)
                if found is None:
                    found = []
                elif len(groove.marbles) > 1:
                    found.sort()
                plan(cell, now_s, level, found)
            if self._noise_m:
                self._look_for_weak(groove, now_s)

    def dim(self, cell: int, dim: bool) -> None:
        """A space's sensor sees a marble only just (what its input then shows is the fault's own affair)."""
        (self._dim.add if dim else self._dim.discard)(cell)

    def margins(self, cell: int, now_s: float) -> tuple[int, int]:
        """Raw reading and threshold of a space's sensor now, 0..1023."""
        reading, threshold = self._margins(cell, now_s)
        return (min(reading, round(threshold * _DIM)) if cell in self._dim else reading), threshold

    def _margins(self, cell: int, now_s: float) -> tuple[int, int]:
        groove = self._bed.groove_at(cell)
        if self.dipole:
            field = abs(self._field(cell, now_s))
            return min(1023, round(field * 20)), round(self._operate[cell] * 20)
        middle = groove.middle_m[groove.cells.index(cell)]
        best = 0.0
        full = 1.0
        for marble in groove.marbles:
            away = abs(marble.path.at(now_s)[0] - middle) * 1000
            if self._sensor.kind == "colour":
                level = self._sensor.white if marble.seat == 0 else self._sensor.black
                share = (self._sensor.edge_mm - away) / (self._sensor.edge_mm - self._sensor.full_mm)
                best = max(best, level * min(max(share, 0.0), 1.0))
            else:
                best = max(best, full - away / (2 * self._sensor.window_mm))
        threshold = (self._sensor.empty + self._sensor.black) / 2 if self._sensor.kind == "colour" else 0.5
        return min(1023, round(1023 * max(best, self._sensor.empty))), round(1023 * threshold)

    # -- noise (of dipoles only spikes and bounce are modelled)

    def _look_for_weak(self, groove: Groove, now_s: float) -> None:
        """Finds marbles that will rest near a border between two readings, and lets those spaces flicker."""
        for cell in groove.cells:
            if cell in self._weak:
                del self._weak[cell]
        for marble in groove.marbles:
            bounds, zones = groove.bounds[marble.seat], groove.zones[marble.seat]
            zone = marble.crossings[-1][1] if marble.crossings else marble.zone
            s = marble.path.rest_m
            up = bounds[zone] - s if zone < len(bounds) else 1.0
            down = s - bounds[zone - 1] if zone else 1.0
            margin = abs(up) if up < down else abs(down)
            if margin > 4 * self._noise_m:
                continue
            here, beyond = zones[zone], zones[zone + 1 if up < down else zone - 1]
            cell = here[0] if here[0] >= 0 else beyond[0]
            rate = _FLICKERS_PER_S * exp(-0.5 * (margin / self._noise_m) ** 2)
            self._weak_plans += 1
            self._weak[cell] = (rate, beyond[1] if beyond[0] == cell else 0, self._weak_plans)
            wait_s = max(marble.path.rest_s - now_s, 0.0) + self._margin.expovariate(rate)
            self._agenda.at(now_s + wait_s, self._flicker, self._weak_plans << 9 | cell)

    def _flicker(self, number: int) -> None:
        cell = number & 511
        weak = self._weak.get(cell)
        if weak is None or weak[2] != number >> 9:
            return
        rate, level, _ = weak
        now = self._agenda.now_s
        lasts_s = self._margin.expovariate(1 / _FLICKER_S)
        self._lines.overlay(cell, [(now, now + lasts_s, level)])
        self._agenda.at(now + lasts_s + self._margin.expovariate(rate), self._flicker, number)

    # -- by place

    def _lay_out(self, groove: Groove, trims: Sequence[float]) -> None:
        groove.shift_m = self._sensor.hysteresis_mm / 1000 / 2
        laid: list[tuple[tuple[float, ...], tuple[Zone, ...]]] = []
        for seat in (0, 1):
            bounds: list[float] = []
            zones: list[Zone] = [(-1, 0)]
            order = sorted(range(len(groove.cells)), key=lambda i: groove.middle_m[i])
            for i in order:
                cell, middle = groove.cells[i], groove.middle_m[i]
                found = rings(self._sensor, seat, trims[cell])
                for radius, reading in reversed(found):
                    bounds.append(middle - radius / 1000)
                    zones.append((cell, reading))
                for place, (radius, _) in enumerate(found):
                    bounds.append(middle + radius / 1000)
                    after = found[place + 1][1] if place + 1 < len(found) else 0
                    zones.append((cell, after) if after else (-1, 0))
            laid.append((tuple(bounds), tuple(zones)))
        groove.bounds = (laid[0][0], laid[1][0])
        groove.zones = (laid[0][1], laid[1][1])

    # -- by field

    def _find_neighbours(self) -> None:
        layout = self._bed.layout
        for cell in range(layout.files * layout.ranks):
            file, rank = cell % layout.files, cell // layout.files
            near = {
                layout.groove_of[r * layout.files + f]
                for r in range(max(0, rank - 1), min(layout.ranks, rank + 2))
                for f in range(max(0, file - 1), min(layout.files, file + 2))
            }
            self._near[cell] = tuple(self._bed.grooves[index] for index in sorted(near))

    def _around(self, groove: Groove) -> set[int]:
        return {cell for cell, near in self._near.items() if groove in near}

    def _field(self, cell: int, now_s: float) -> float:
        bed, sensor = self._bed, self._sensor
        x, y = bed.x_of(cell), bed.y_of(cell)
        total = 0.0
        for groove in self._near[cell]:
            for marble in groove.marbles:
                s = marble.path.at(now_s)[0]
                turn = (s - marble.turned_m) / self._lever_m
                mx, my, mz = marble.moment
                if turn:
                    # rolling towards +s is towards -y: the top of the marble goes to -y
                    c, d = cos(turn), sin(turn)
                    my, mz = my * c - mz * d, my * d + mz * c
                dy = y - (bed.middle_y_mm - 1000 * s)
                total += dipole_mt((mx, my, mz), x - groove.x_mm, dy, sensor.distance_mm, sensor.b_axis_mt)
        return total

    def _plan_dipole(self, cell: int, now_s: float) -> None:
        moving = [
            marble.path
            for groove in self._near[cell]
            for marble in groove.marbles
            if marble.path.rest_s > now_s
        ]
        operate = self._operate[cell]
        release = operate * self._sensor.release_mt / self._sensor.operate_mt
        polar = self._sensor.kind == "unipolar"
        line = self._lines.of_cell[cell]
        level = line.base(now_s)

        def look(t: float, before: int) -> int:
            field = self._field(cell, t)
            if not polar:
                field = abs(field)
            return 1 if field > operate else 0 if field < release else before

        now_level = level = look(now_s, level)
        changes: list[Change] = []
        if moving:
            begin = min(path.start_s for path in moving)
            end = max(path.rest_s for path in moving)
            t = max(now_s, begin)
            while t < end + _LOOK_S:
                t += _LOOK_S
                value = look(t, level)
                if value != level:
                    changes.append((t, value))
                    level = value
        self._lines.plan(cell, now_s, now_level, changes)
