"""A sensor, a marble and where they lie -> what the sensor can see, and whether a board can be built of them.

The formulas are those of `sensing` and `magnets`; the bands are ours: what is refused stops games, what is marginal
works on a bench and fails on some boards. Nothing here was measured on a real board.
"""

from dataclasses import dataclass, field
from math import exp, log, pi, radians, sin, sqrt, tan
from typing import Literal, assert_never

from .errors import SimError
from .magnets import (
    GRAVITY_M_S2,
    REMANENCE_T,
    axis_field_mt,
    disc_poles,
    field_mt,
    flux_index_t2mm2,
    hold_deg,
    images,
    largest_vertical_mt,
    pull_n,
    share_above,
    share_strong,
    sphere_moment_am2,
)
from .model import MarbleModel, SeatModel, SensorModel
from .sensing import BLACK, WHITE, rings

MarbleKind = Literal["glass", "steel", "magnet"]
SensorPart = Literal[
    "hall-omnipolar", "hall-unipolar", "hall-latching", "hall-biased", "hall-3-axis", "reed", "light"
]

PULL_SHARE = 0.5  # of m g sin(tilt); more, and marbles hold each other (board specification)
MISSED_MOST = 0.10  # two of twenty marbles unseen at a time
NEIGHBOUR_WARN = 0.5  # of the threshold
FALSE_MOST = 0.01  # of all orientations in which eight neighbours make an empty space read "marble"
DRIFT_MT = 0.1  # comparator and sensor
DRIFT_PER_K = 0.0012  # of a neodymium magnet
WARMER_K = 5.0  # than on the day of the trimming
DRIFTS_LEAST, DRIFTS_WELL = 2.0, 6.0  # how often the change must be larger than the drift
REED_MT_PER_AT = 0.2  # 0.1 mT an ampere turn, twice for a reed that lies across the field
TOY_T2MM2 = 0.5  # flux index of a magnet that may be swallowed (EN 71-1)
GLASS_G_CM3, STEEL_G_CM3, MAGNET_G_CM3 = 2.5, 7.85, 7.5


@dataclass(frozen=True, slots=True)
class Magnet:
    """A magnet inside a marble: a ball of a grade, or its dipole moment where that is known."""

    diameter_mm: float = 8.0
    grade: str = "N45"
    moment_am2: float | None = None

    def __post_init__(self) -> None:
        _grade("marble.magnet.grade", self.grade)
        _between("marble.magnet.diameter_mm", self.diameter_mm, 1, 20)
        if self.moment_am2 is not None:
            _between("marble.magnet.moment_am2", self.moment_am2, 1e-6, 10)

    @property
    def moment(self) -> float:
        """A m2."""
        if self.moment_am2 is not None:
            return self.moment_am2
        return sphere_moment_am2(self.diameter_mm, REMANENCE_T[self.grade])


@dataclass(frozen=True, slots=True)
class Marble:
    """core_mm: steel inside a glass marble, None for a whole steel ball; mass_g None: worked out."""

    kind: MarbleKind = "glass"
    diameter_mm: float = 25.0
    mass_g: float | None = None
    core_mm: float | None = None
    magnet: Magnet = field(default_factory=Magnet)

    def __post_init__(self) -> None:
        _between("marble.diameter_mm", self.diameter_mm, 10, 40)
        if self.core_mm is not None:
            _between("marble.core_mm", self.core_mm, 1, self.diameter_mm)
        if self.kind == "magnet" and self.magnet.diameter_mm > self.diameter_mm:
            raise SimError("marble.magnet.diameter_mm is larger than the marble")
        if self.mass_g is not None:
            _between("marble.mass_g", self.mass_g, 0.5, 200)

    @property
    def iron_mm(self) -> float:
        """Diameter of the steel in it."""
        return (self.core_mm or self.diameter_mm) if self.kind == "steel" else 0.0

    @property
    def mass(self) -> float:
        """Grams."""
        if self.mass_g is not None:
            return self.mass_g
        usual = MarbleModel()
        if self.kind != "steel" and self.diameter_mm == usual.diameter_mm:
            return usual.mass_g  # measured by nobody either, but the simulator's
        whole = pi / 6 * (self.diameter_mm / 10) ** 3
        iron = pi / 6 * (self.iron_mm / 10) ** 3
        return GLASS_G_CM3 * (whole - iron) + STEEL_G_CM3 * iron


@dataclass(frozen=True, slots=True)
class Bias:
    """The disc magnet under a biased hall sensor; gap_mm from its upper face to the sensor."""

    diameter_mm: float = 5.0
    height_mm: float = 5.0
    gap_mm: float = 7.0
    grade: str = "N35"

    def __post_init__(self) -> None:
        _grade("sensor.bias.grade", self.grade)
        _between("sensor.bias.diameter_mm", self.diameter_mm, 1, 20)
        _between("sensor.bias.height_mm", self.height_mm, 0.5, 20)
        _between("sensor.bias.gap_mm", self.gap_mm, 0.5, 50)


_SIMULATED = SensorModel()


@dataclass(frozen=True, slots=True)
class Light:
    """Reflected light, lamp on minus lamp off, as shares of a white card; gap_mm from sensor to marble."""

    white: float = _SIMULATED.white
    black: float = _SIMULATED.black
    empty: float = _SIMULATED.empty
    noise: float = 0.01
    gap_mm: float = 4.0
    window_mm: float = 9.0

    def __post_init__(self) -> None:
        for name in ("white", "black", "empty", "noise"):
            _between(f"sensor.light.{name}", getattr(self, name), 0, 1)
        _between("sensor.light.gap_mm", self.gap_mm, 0.1, 50)
        _between("sensor.light.window_mm", self.window_mm, 1, 25)


@dataclass(frozen=True, slots=True)
class Sensor:
    """distance_mm: from the sensor to the marble's middle, None for 1.5 mm of floor (biased hall: 2 mm).

    operate_mt, release_mt: a switch; operate_at: a reed, in ampere turns; threshold_mt: a biased hall's change that
    counts as a marble, None for half of what the marble gives; mv_per_mt and range_mt: a linear hall.
    """

    kind: SensorPart = "hall-biased"
    distance_mm: float | None = None
    operate_mt: float = 3.0
    release_mt: float | None = None
    operate_at: float | None = None
    threshold_mt: float | None = None
    mv_per_mt: float = 14.0
    range_mt: float = 150.0
    bias: Bias = field(default_factory=Bias)
    light: Light = field(default_factory=Light)

    def __post_init__(self) -> None:
        if self.distance_mm is not None:
            _between("sensor.distance_mm", self.distance_mm, 1, 60)
        _between("sensor.operate_mt", self.operate_mt, 0.1, 100)
        if self.release_mt is not None:
            _between("sensor.release_mt", self.release_mt, 0.01, self.operate_mt)
        if self.operate_at is not None:
            _between("sensor.operate_at", self.operate_at, 1, 200)
        if self.threshold_mt is not None:
            _between("sensor.threshold_mt", self.threshold_mt, 0.01, 100)
        _between("sensor.mv_per_mt", self.mv_per_mt, 0.1, 500)
        _between("sensor.range_mt", self.range_mt, 1, 2000)

    @property
    def operate(self) -> float:
        """mT along the sensor's axis at which a switch closes."""
        if self.kind == "reed" and self.operate_at is not None:
            return self.operate_at * REED_MT_PER_AT
        return self.operate_mt

    @property
    def release(self) -> float:
        """mT at which it opens again: half, where it is not told."""
        return self.operate / 2 if self.release_mt is None else self.release_mt


@dataclass(frozen=True, slots=True)
class Board:
    """Pitch of the spaces, full tilt."""

    pitch_mm: float = 27.0
    tilt_deg: float = 8.0

    def __post_init__(self) -> None:
        _between("board.pitch_mm", self.pitch_mm, 12, 100)
        _between("board.tilt_deg", self.tilt_deg, 1, 15)


@dataclass(frozen=True, slots=True)
class Parts:
    """One pair of sensor and marble, on one board."""

    name: str = "these parts"
    marble: Marble = field(default_factory=Marble)
    sensor: Sensor = field(default_factory=Sensor)
    board: Board = field(default_factory=Board)

    def __post_init__(self) -> None:
        if self.marble.diameter_mm > self.board.pitch_mm:
            raise SimError(
                "marble.diameter_mm is larger than board.pitch_mm: marbles would not lie side by side"
            )
        if self.sensor.kind != "light" and self.distance_mm < self.marble.diameter_mm / 2:
            raise SimError("sensor.distance_mm is less than the marble's radius: it counts from its middle")

    @property
    def distance_mm(self) -> float:
        """From the sensor to the marble's middle."""
        if self.sensor.distance_mm is not None:
            return self.sensor.distance_mm
        return self.marble.diameter_mm / 2 + (2.0 if self.sensor.kind == "hall-biased" else 1.5)

    @property
    def downhill_n(self) -> float:
        """m g sin(tilt): what rolls a marble."""
        return self.marble.mass / 1000 * GRAVITY_M_S2 * sin(radians(self.board.tilt_deg))


@dataclass(frozen=True, slots=True)
class Verdict:
    """figures: what, how much (numbers that tests compare), unit. refused and marginal: reasons; none: it works."""

    figures: dict[str, tuple[float, str]]
    refused: tuple[str, ...]
    marginal: tuple[str, ...]
    hazards: tuple[str, ...]


class _Report:
    """Collects figures and reasons."""

    def __init__(self) -> None:
        self.figures: dict[str, tuple[float, str]] = {}
        self.refused: list[str] = []
        self.marginal: list[str] = []
        self.hazards: list[str] = []

    def figure(self, name: str, value: float, unit: str) -> float:
        self.figures[name] = (value, unit)
        return value

    def verdict(self) -> Verdict:
        return Verdict(self.figures, tuple(self.refused), tuple(self.marginal), tuple(self.hazards))


def check(parts: Parts) -> Verdict:
    """What a sensor sees of a marble, and whether a board can be built of the two."""
    report = _Report()
    report.figure("marble's mass", parts.marble.mass, "g")
    report.figure("rolls it downhill", 1000 * parts.downhill_n, "mN")
    if parts.marble.kind == "magnet":
        _magnets_among_each_other(parts, report)
    kind = parts.sensor.kind
    match kind:
        case "light":
            _light(parts, report)
        case "hall-biased":
            _biased(parts, report)
        case "hall-omnipolar" | "hall-unipolar" | "hall-latching" | "hall-3-axis" | "reed":
            _switch(parts, report)
        case never:
            assert_never(never)
    return report.verdict()


# -- magnets in marbles


def _magnets_among_each_other(parts: Parts, report: _Report) -> None:
    moment = parts.marble.magnet.moment
    pull = report.figure("pull between neighbours", 1000 * pull_n(moment, parts.board.pitch_mm), "mN")
    share = report.figure("pull / downhill force", pull / (1000 * parts.downhill_n), "")
    if share > PULL_SHARE:
        report.refused.append(
            f"neighbours pull each other with {pull:.0f} mN, {100 * share:.0f} % of the "
            f"{1000 * parts.downhill_n:.0f} mN that roll a marble at {parts.board.tilt_deg:g} degrees "
            f"(at most {100 * PULL_SHARE:.0f} %): they would "
            "hold each other on the slope"
        )
    elif share > PULL_SHARE / 2:
        report.marginal.append(
            f"neighbours pull each other with {pull:.0f} mN, {100 * share:.0f} % of what rolls a marble: dirt does "
            "the rest"
        )
    surface = 2 / 3 * REMANENCE_T[parts.marble.magnet.grade]
    _hazard(report, "the magnet in a marble", flux_index_t2mm2(surface, parts.marble.magnet.diameter_mm))


def _hazard(report: _Report, what: str, index_t2mm2: float) -> None:
    report.figure(f"flux index of {what}", index_t2mm2, "T2mm2")
    if index_t2mm2 > TOY_T2MM2:
        report.hazards.append(
            f"{what} has a flux index of {index_t2mm2:.1f} T2mm2 (toys: below {TOY_T2MM2:g}): two of them swallowed "
            "close the gut between them and can kill. It must not come loose; see a doctor at once if one is missing"
        )


def _switch(parts: Parts, report: _Report) -> None:
    if parts.marble.kind != "magnet":
        what = "glass is not magnetic" if parts.marble.kind == "glass" else "steel has no field of its own"
        report.refused.append(
            f"a {parts.sensor.kind} sensor needs a magnet in the marble: {what}. "
            + ("Use light." if parts.marble.kind == "glass" else "Use hall-biased.")
        )
        return
    b_axis = report.figure(
        "field on the axis", axis_field_mt(parts.marble.magnet.moment, parts.distance_mm), "mT"
    )
    missed = report.figure("missed orientations", 100 * missed_share(parts, b_axis), "%") / 100
    kind = parts.sensor.kind
    if kind == "hall-latching":
        report.refused.append("a latching sensor keeps its state when the marble is gone: it tells nothing")
    elif kind == "hall-unipolar":
        report.refused.append(
            "a unipolar sensor sees one pole; the marble turns as it rolls and shows the other half of the time"
        )
    elif missed > MISSED_MOST:
        report.refused.append(
            f"{100 * missed:.0f} % of all orientations are not seen: {20 * missed:.0f} of 20 marbles would be missing "
            f"at a time (at most {100 * MISSED_MOST:.0f} %)"
        )
    elif missed > 0.001:
        report.marginal.append(
            f"{100 * missed:.0f} % of all orientations are not seen: such a marble reads free until a hand turns it"
        )
    _neighbours(parts, b_axis, report)


def missed_share(parts: Parts, b_axis_mt: float) -> float:
    """Share of all orientations of a resting magnet that its own sensor does not see."""
    ratio = parts.sensor.operate / b_axis_mt
    match parts.sensor.kind:
        case "hall-omnipolar" | "reed":
            return min(1.0, ratio)  # the vertical part is spread evenly between plus and minus the axis field
        case "hall-unipolar" | "hall-latching":
            return min(1.0, 0.5 + ratio / 2)
        case "hall-3-axis":
            # |B| is half of the axis field where the magnet lies across, sqrt(1 + 3 cos^2) times that elsewhere
            return min(1.0, sqrt(max(0.0, (4 * ratio * ratio - 1) / 3)))
        case "hall-biased" | "light":
            return 0.0
        case never:
            assert_never(never)


def _neighbours(parts: Parts, b_axis: float, report: _Report) -> None:
    pitch, z = parts.board.pitch_mm, parts.distance_mm
    operate, release = parts.sensor.operate, parts.sensor.release
    around = [(x * pitch, y * pitch) for x in (-1, 0, 1) for y in (-1, 0, 1) if x or y]
    if parts.sensor.kind == "hall-3-axis":
        square = pitch * pitch + z * z
        one = b_axis * z**3 / (square * sqrt(square))
        false = share_strong(b_axis, around, z, operate)
        stays = share_strong(b_axis, around, z, release)
    else:
        limits = [largest_vertical_mt(b_axis, sqrt(x * x + y * y), z) for x, y in around]
        one = max(limits)
        false, stays = share_above(limits, operate), share_above(limits, release)
    report.figure("one neighbour at most", one, "mT")
    share = report.figure("one neighbour / threshold", one / operate, "")
    report.figure("empty space reads marble among 8 neighbours", 100 * false, "%")
    report.figure("empty space stays marble among 8 neighbours", 100 * stays, "%")
    if share >= 1 or false > FALSE_MOST:
        report.refused.append(
            f"an empty space reads `marble` in {100 * false:.0f} % of all cases among eight neighbours (one "
            f"gives up to {one:.2f} mT, the threshold is {operate:g} mT)"
        )
    elif share > NEIGHBOUR_WARN or false > 0.001 or stays > 0.1:
        report.marginal.append(
            f"neighbours come near the threshold: one gives up to {one:.2f} of {operate:g} mT, and among eight a space "
            f"that was left stays `marble` in {100 * stays:.0f} % (release {release:g} mT)"
        )


# -- steel over a biased hall sensor


def _biased(parts: Parts, report: _Report) -> None:
    if parts.marble.kind != "steel":
        what = (
            "glass changes no field: use light"
            if parts.marble.kind == "glass"
            else "a magnet that turns makes its field now stronger, now weaker: it is missed like by a switch"
        )
        report.refused.append(f"a biased hall sensor sees steel, and {what}")
        return
    sensor, bias, z = parts.sensor, parts.sensor.bias, parts.distance_mm
    remanence = REMANENCE_T[bias.grade]
    disc = disc_poles(bias.diameter_mm, bias.height_mm, bias.gap_mm, remanence)
    radius, pitch = parts.marble.iron_mm / 2, parts.board.pitch_mm
    rest = report.figure("bias without a marble", field_mt(disc)[2], "mT")
    change = report.figure("change by the marble", field_mt(images(disc, radius, 0.0, z))[2], "mT")
    report.figure("change by the marble, electric", change * sensor.mv_per_mt, "mV")
    report.figure("missed orientations", 0.0, "%")
    one = report.figure("one neighbour at most", field_mt(images(disc, radius, pitch, z))[2], "mT")
    other = disc_poles(bias.diameter_mm, bias.height_mm, bias.gap_mm, remanence, pitch)
    own = report.figure("neighbour over its own magnet", field_mt(images(other, radius, pitch, z))[2], "mT")
    threshold = report.figure("threshold", sensor.threshold_mt or change / 2, "mT")
    share = report.figure("one neighbour / threshold", (abs(one) + abs(own)) / threshold, "")
    drift = report.figure("drift of bias and comparator", DRIFT_MT + rest * DRIFT_PER_K * WARMER_K, "mT")
    tilt = report.figure(
        "tilt that the magnet costs", hold_deg(disc, radius, z, parts.marble.mass, pitch), "deg"
    )
    surface = remanence / 2 * bias.height_mm / sqrt(bias.height_mm**2 + (bias.diameter_mm / 2) ** 2)
    _hazard(report, "the magnet under a sensor", flux_index_t2mm2(surface, bias.diameter_mm))
    if rest + change > sensor.range_mt:
        report.refused.append(
            f"the sensor is driven to its end: bias {rest:.0f} + {change:.0f} mT, it can {sensor.range_mt:g} mT; "
            "a larger gap to the magnet"
        )
    room = min(threshold, change - threshold)
    if room < drift * DRIFTS_LEAST / 2:
        report.refused.append(
            f"the marble changes the field by {change:.2f} mT and the threshold of {threshold:.2f} mT leaves "
            f"{room:.2f} mT to one side: warmth and comparator alone move it by {drift:.2f} mT"
        )
    elif room < drift * DRIFTS_WELL / 2:
        report.marginal.append(
            f"the marble changes the field by {change:.2f} mT; only {room:.2f} mT lie between it and the "
            f"threshold, drift {drift:.2f} mT: trim each space by itself, and again when the room is warmer"
        )
    if share >= 1:
        report.refused.append(f"a neighbour alone ({abs(one) + abs(own):.2f} mT) passes the threshold")
    elif 8 * share > NEIGHBOUR_WARN:
        report.marginal.append(
            f"eight neighbours together come near the threshold ({8 * share:.1f} of it at the worst)"
        )
    if tilt > parts.board.tilt_deg - 2:
        report.refused.append(
            f"the magnet holds the ball up to {tilt:.1f} of the board's {parts.board.tilt_deg:g} degrees"
        )
    elif tilt > 1:
        report.marginal.append(f"the magnet holds the ball: the tilt must be {tilt:.1f} degrees larger")


# -- light


def _light(parts: Parts, report: _Report) -> None:
    light = parts.sensor.light
    report.figure("missed orientations", 0.0, "%")
    # a reflective sensor is strongest at 2.5 mm and has a fifth of that at 15 mm
    strength = report.figure("signal at this gap", min(1.0, exp(-(light.gap_mm - 2.5) * log(5) / 12.5)), "")
    view = report.figure("seen to each side", light.window_mm / 2 + light.gap_mm * tan(radians(16)), "mm")
    neighbour = parts.board.pitch_mm - parts.marble.diameter_mm / 2
    report.figure("nearest neighbour's side", neighbour, "mm")
    report.figure("one neighbour / threshold", 0.0 if view <= neighbour else 1.0, "")
    model = SensorModel(kind="colour", white=light.white, black=light.black, empty=light.empty)
    noise = light.noise / strength
    steps = report.figure(
        "black above the threshold, in noise", (light.black - light.empty) / 2 / max(noise, 1e-6), "times"
    )
    rest = SeatModel().rest_scatter_mm
    if parts.marble.kind == "steel":
        report.marginal.append(
            "steel mirrors what is around it and has one colour: presence only, measure it first"
        )
    else:
        for seat, reading, name in ((0, WHITE, "white"), (1, BLACK, "black")):
            read = rings(model, seat, 0.0)
            if not read or read[0][1] != reading or read[0][0] <= rest:
                report.refused.append(
                    f"a {name} marble of {getattr(light, name):g} of a white card does not read {name}: white must be "
                    "at least 0.6, black below 0.25 and above the empty space"
                )
    if steps < 2:
        report.refused.append(
            f"black ({light.black:g}) is too near to an empty space ({light.empty:g}) for a noise of {noise:.3f}"
        )
    elif steps < 3:
        report.marginal.append(f"black is only {steps:.1f} times the noise above its threshold")
    if not 0.2 <= light.gap_mm <= 15:
        report.refused.append(f"a reflective sensor sees little at {light.gap_mm:g} mm: 3 to 6 mm is right")
    elif not 3 <= light.gap_mm <= 6:
        report.marginal.append(f"a gap of {light.gap_mm:g} mm: 3 to 6 mm is right")
    if not 8 <= light.window_mm <= 10:
        report.marginal.append(f"a window of {light.window_mm:g} mm: 8 to 10 mm is right")
    if view > neighbour:
        report.refused.append("the sensor looks at the neighbour's marble as well: a smaller window or gap")


def _grade(key: str, grade: str) -> None:
    if grade not in REMANENCE_T:
        raise SimError(f"{key} is {grade!r}, there are {', '.join(REMANENCE_T)}")


def _between(key: str, value: float, low: float, high: float) -> None:
    if not low <= value <= high:
        raise SimError(f"{key} is {value:g}, it must lie in {low:g}..{high:g}")
