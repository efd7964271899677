"""Layout and marbles -> grooves with marbles that lie or roll, and their paths under the board's motion.

Coordinates: x to White's right, y towards the last rank, mm, origin at the middle of a1; along a groove
physics uses s in m from the axle, positive towards White (seat 0).
Left out: sideways play within a seat, marbles that hop out of a slot, a hand's pressure on the board.
"""

from dataclasses import dataclass
from random import Random

from rules.balanx.layout import Layout

from .errors import SimError
from .model import Model
from .rolling import Path, Rolling, roll
from .swing import Swing

Zone = tuple[int, int]  # (cell, reading) that a marble's place means to the sensors; cell -1: none


@dataclass(frozen=True, slots=True)
class MarbleView:
    """One marble as the eye sees it. `cell` = nearest space, None in a hand or off the board."""

    id: int
    seat: int
    cell: int | None
    x_mm: float
    y_mm: float
    in_hand: bool
    moving: bool


class Marble:
    """One marble: in a groove (`groove` >= 0, on a path), in a hand, or beside the board."""

    __slots__ = (
        "crossings",
        "groove",
        "id",
        "in_hand",
        "moment",
        "path",
        "seat",
        "turned_m",
        "x_mm",
        "y_mm",
        "zone",
    )

    def __init__(self, number: int, seat: int) -> None:
        self.id = number
        self.seat = seat
        self.groove = -1
        self.path = Path(0.0, 0.0)
        self.in_hand = False
        self.x_mm = 0.0
        self.y_mm = 0.0
        self.zone = -1  # index into the groove's zones when the path began, -1 not known
        self.crossings: list[tuple[float, int]] = []
        self.moment = (0.0, 0.0, 1.0)  # direction of a magnet inside, when s was turned_m
        self.turned_m = 0.0


class Groove:
    """One or two spaces: walls in s, the spaces' middles, the marbles by ascending s."""

    __slots__ = (
        "bounds",
        "cells",
        "held",
        "high_m",
        "index",
        "low_m",
        "marbles",
        "middle_m",
        "rolling",
        "shift_m",
        "x_mm",
        "zones",
    )

    def __init__(self, index: int, cells: tuple[int, ...], middle_m: tuple[float, ...], x_mm: float) -> None:
        self.index = index
        self.cells = cells
        self.middle_m = middle_m
        self.low_m, self.high_m = min(middle_m), max(middle_m)
        self.x_mm = x_mm
        self.marbles: list[Marble] = []
        self.held = 0  # a fault: so many motions of the board leave its marbles where they are
        self.rolling: Rolling
        # per seat: ascending boundaries in s and the zones between them; empty where sensing is not by
        # place alone
        self.bounds: tuple[tuple[float, ...], tuple[float, ...]] = ((), ())
        self.zones: tuple[tuple[Zone, ...], tuple[Zone, ...]] = (((-1, 0),), ((-1, 0),))
        self.shift_m = 0.0


class Bed:
    """All grooves and marbles of a table."""

    def __init__(self, layout: Layout, model: Model, friction: Random, rest: Random) -> None:
        self.layout = layout
        self._rest = rest
        self._moved_s = float("-inf")
        self._contact = model.contact
        self._scatter_m = model.seat.rest_scatter_mm / 1000
        self._diameter_m = model.marble.diameter_mm / 1000
        if layout.pitch_mm < model.marble.diameter_mm + 0.5:
            raise SimError(
                f"marbles of {model.marble.diameter_mm:g} mm do not fit at a pitch of {layout.pitch_mm:g} mm"
            )
        self.middle_y_mm = (layout.ranks - 1) / 2 * layout.pitch_mm
        self.marbles: dict[int, Marble] = {}
        self.grooves: list[Groove] = []
        for index, cells in enumerate(layout.grooves):
            middles = tuple(self.s_of(self.y_of(cell)) for cell in cells)
            groove = Groove(index, cells, middles, self.x_of(cells[0]))
            spread = model.contact.mu_spread
            mu = model.contact.rolling_mu * (1 + friction.uniform(-spread, spread))
            groove.rolling = Rolling.of(model, mu)
            self.grooves.append(groove)

    # -- geometry

    def x_of(self, cell: int) -> float:
        """Middle of a space, mm."""
        return cell % self.layout.files * self.layout.pitch_mm

    def y_of(self, cell: int) -> float:
        """Middle of a space, mm."""
        return cell // self.layout.files * self.layout.pitch_mm

    def s_of(self, y_mm: float) -> float:
        """Distance from the axle in m, positive towards seat 0."""
        return (self.middle_y_mm - y_mm) / 1000

    def nearest_cell(self, x_mm: float, y_mm: float) -> int:
        """The space nearest to a point (a rim between two spaces belongs to the nearer one)."""
        pitch = self.layout.pitch_mm
        file = min(max(round(x_mm / pitch), 0), self.layout.files - 1)
        rank = min(max(round(y_mm / pitch), 0), self.layout.ranks - 1)
        return rank * self.layout.files + file

    def groove_at(self, cell: int) -> Groove:
        """The groove of a space; SimError for a space that the board has not."""
        if not 0 <= cell < len(self.layout.groove_of):
            raise SimError(f"there is no space {cell} on this board")
        return self.grooves[self.layout.groove_of[cell]]

    # -- marbles

    def clear(self) -> None:
        """Takes every marble off the board for good."""
        self.marbles.clear()
        for groove in self.grooves:
            groove.marbles.clear()
            groove.held = 0

    def new_marble(self, seat: int) -> Marble:
        """A marble beside the board."""
        if seat not in (0, 1):
            raise SimError(f"there is no seat {seat}")
        marble = Marble(len(self.marbles), seat)
        self.marbles[marble.id] = marble
        return marble

    def marble_at(self, cell: int, now_s: float) -> Marble | None:
        """The marble whose middle is nearest to a space's middle, within half a pitch."""
        groove = self.groove_at(cell)
        middle = groove.middle_m[groove.cells.index(cell)]
        best, reach = None, self.layout.pitch_mm / 2000
        for marble in groove.marbles:
            away = abs(marble.path.at(now_s)[0] - middle)
            if away < reach:
                best, reach = marble, away
        return best

    def take(self, marble: Marble, now_s: float) -> Groove:
        """Lifts a marble out of its groove; the groove is to be planned anew."""
        groove = self.grooves[marble.groove]
        marble.x_mm, marble.y_mm = groove.x_mm, self.middle_y_mm - 1000 * marble.path.at(now_s)[0]
        if marble.path.moves and marble.path.start_s <= now_s:
            self._moved_s = max(self._moved_s, min(marble.path.rest_s, now_s))
        groove.marbles.remove(marble)
        groove.held = 0
        marble.groove = -1
        marble.zone = -1
        marble.crossings = []
        return groove

    def drop(self, marble: Marble, cell: int, off_mm: float, now_s: float) -> Groove | None:
        """Sets a marble down on a space, `off_mm` off its middle; None when another one lies in the way."""
        groove = self.groove_at(cell)
        s = groove.middle_m[groove.cells.index(cell)] + off_mm / 1000
        s = min(max(s, groove.low_m), groove.high_m)
        for other in groove.marbles:
            there = other.path.at(now_s)[0]
            if abs(s - there) < self._diameter_m:
                moved = there - self._diameter_m if s < there else there + self._diameter_m
                if abs(moved - s) > 0.003 or not groove.low_m - 1e-9 <= moved <= groove.high_m + 1e-9:
                    return None
                s = moved
        for other in groove.marbles:
            if abs(s - other.path.at(now_s)[0]) < self._diameter_m - 1e-6:
                return None
        marble.groove = groove.index
        marble.in_hand = False
        marble.zone = -1
        marble.crossings = []
        marble.path = Path(now_s, s)
        groove.marbles.append(marble)
        groove.marbles.sort(key=lambda each: each.path.at(now_s)[0])
        return groove

    # -- motion

    def plan(self, groove: Groove, swing: Swing, now_s: float) -> None:
        """Plans the paths of a groove's marbles from now on, and where the sensors' borders are crossed."""
        marbles = groove.marbles
        if not marbles:
            return
        if len(groove.cells) == 1 or groove.held:
            for marble in marbles:
                self._cross(groove, marble, Path(now_s, marble.path.at(now_s)[0]), now_s)
            return
        size, count = self._diameter_m, len(marbles)
        low_wall, high_wall = groove.low_m, groove.high_m
        contact = self._contact
        before, after = swing.felt_from_rad, swing.felt_to_rad
        towards_high = after > 0 or (not after and before > 0)
        # the leading marble first: where it comes to rest is the follower's wall
        low, high, e_low, e_high = low_wall, high_wall, contact.e_wall, contact.e_wall
        for place in range(count):
            index = count - 1 - place if towards_high else place
            marble = marbles[index]
            s, v = marble.path.at(now_s)
            short = self._rest.random() * self._scatter_m
            if towards_high:
                high = max(high - short, s) if not place else max(high, s)
                low = min(low_wall + size * index, s)
            else:
                low = min(low + short, s) if not place else min(low, s)
                high = max(high_wall - size * (count - 1 - index), s)
            path = roll(now_s, s, v, low, high, e_low, e_high, swing, groove.rolling)
            self._cross(groove, marble, path, now_s)
            if towards_high:
                high, e_high = path.rest_m - size, contact.e_marble
            else:
                low, e_low = path.rest_m + size, contact.e_marble

    def lies(self, groove: Groove, swing: Swing, now_s: float) -> bool:
        """Whether a turn at one rate leaves a groove's marbles where they rest, on the side that stays low."""
        before, after = swing.felt_from_rad, swing.felt_to_rad
        if before * after <= 0:
            return False
        down = 1.0 if after > 0 else -1.0
        edge = (
            groove.high_m if down > 0 else -groove.low_m
        )  # where the next marble is stopped, counted downwards
        for marble in reversed(groove.marbles) if down > 0 else groove.marbles:
            path = marble.path
            if path.rest_s > now_s or down * path.rest_m < edge - self._scatter_m - 1e-6:
                return False
            edge = down * path.rest_m - self._diameter_m
        return True

    def _cross(self, groove: Groove, marble: Marble, path: Path, now_s: float) -> None:
        """Takes the path and lists when the marble crosses the borders of its sensors' zones."""
        bounds = groove.bounds[marble.seat]
        zone = marble.zone
        for t, new in marble.crossings:
            if t > now_s:
                break
            zone = new
        old = marble.path
        if old.moves and old.start_s <= now_s:
            self._moved_s = max(self._moved_s, min(old.rest_s, now_s))
        marble.path = path
        crossings: list[tuple[float, int]] = []
        marble.crossings = crossings
        places = path.position
        if zone < 0:
            zone = 0
            while zone < len(bounds) and places[0] > bounds[zone]:
                zone += 1
        marble.zone = zone
        if len(places) == 1 or not bounds:
            return
        shift, last = groove.shift_m, len(bounds)
        above = bounds[zone] + shift if zone < last else 1e9
        below = bounds[zone - 1] - shift if zone else -1e9
        for i in range(1, len(places)):
            s = places[i]
            while s > above or s < below:
                up = s > above
                gap = (above if up else below) - places[i - 1]
                zone += 1 if up else -1
                crossings.append((path.time[i - 1] + _when(gap, path.speed[i - 1], path.half_a[i - 1]), zone))
                above = bounds[zone] + shift if zone < last else 1e9
                below = bounds[zone - 1] - shift if zone else -1e9

    # -- what can be said of the whole

    def last_motion_s(self, now_s: float) -> float:
        """Latest time up to now at which a marble on the board moved; -inf if none ever did."""
        latest = self._moved_s
        for groove in self.grooves:
            for marble in groove.marbles:
                path = marble.path
                if path.moves and path.start_s <= now_s:
                    latest = max(latest, min(path.rest_s, now_s))
        return latest

    def sum_s_mm(self, now_s: float) -> float:
        """Sum of all marbles' distances from the axle, mm, positive towards seat 0."""
        return 1000 * sum(m.path.at(now_s)[0] for groove in self.grooves for m in groove.marbles)

    def views(self, now_s: float) -> tuple[MarbleView, ...]:
        """All marbles by id."""
        views = []
        for marble in self.marbles.values():
            if marble.groove < 0:
                views.append(
                    MarbleView(
                        marble.id, marble.seat, None, marble.x_mm, marble.y_mm, marble.in_hand, marble.in_hand
                    )
                )
                continue
            groove = self.grooves[marble.groove]
            s, v = marble.path.at(now_s)
            y = self.middle_y_mm - 1000 * s
            cell = min(groove.cells, key=lambda each: abs(self.y_of(each) - y))
            views.append(MarbleView(marble.id, marble.seat, cell, groove.x_mm, y, False, v != 0.0))
        return tuple(views)


def _when(gap: float, v: float, half_a: float) -> float:
    """Time to cross a gap within a monotonic parabola that is known to reach it."""
    if not half_a:
        return gap / v
    root = v * v + 4 * half_a * gap
    root = root**0.5 if root > 0 else 0.0
    below = v + root if gap > 0 or (not gap and v > 0) else v - root
    return 2 * gap / below if below else 0.0
