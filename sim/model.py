"""Numbers of the simulated table -> frozen parameter sets; defaults are those of the physics notes, section
6.

Nothing here was measured on a real board. Lengths in mm, times in ms or s as named, angles in degrees.
"""

from dataclasses import dataclass, field
from typing import Literal

from firmware_bridge.messages import MAJOR, MINOR, PRODUCT

from .errors import SimError

SensorKind = Literal["presence", "reed", "hall", "unipolar", "colour"]
TiltKind = Literal["servo", "manual", "none"]

SWING_MIN_MS = 250  # a faster swing throws the outer marbles; the controller refuses it


@dataclass(frozen=True, slots=True)
class MarbleModel:
    """A ball: diameter in mm, mass in g."""

    diameter_mm: float = 25.0
    mass_g: float = 20.5


@dataclass(frozen=True, slots=True)
class SeatModel:
    """Slot of two spaces = smooth trough on two edges; `d_over_r` is contact line to centre, over the
    radius.
    """

    d_over_r: float = 0.60
    rest_scatter_mm: float = 0.2
    put_scatter_mm: float = 1.0


@dataclass(frozen=True, slots=True)
class ContactModel:
    """Friction and restitution; `mu_spread` is the share by which rolling friction differs groove by
    groove.
    """

    rolling_mu: float = 0.005
    mu_spread: float = 0.4
    slide_mu: float = 0.3
    wall_mu: float = 0.0
    e_wall: float = 0.6
    e_marble: float = 0.9
    min_speed_m_s: float = 0.0015


@dataclass(frozen=True, slots=True)
class TiltModel:
    """The see-saw: full tilt, swing time, axle below the marbles' centres, tilt below which dirt holds a
    marble.
    """

    kind: TiltKind = "servo"
    angle_deg: float = 8.0
    start_deg: float | None = None  # None: level, or seat 0 down where people push the board
    swing_s: float = 0.6
    axle_below_centre_mm: float = 20.0
    min_roll_deg: float = 1.0
    end_inputs: bool = True
    reversed: bool = False  # the motor is built in the wrong way round: the other side goes down
    ends_exchanged: bool = False  # each end input closes with the other side down
    lean_deg: float = 0.0  # the whole table leans so much towards seat 0; only marbles feel it
    end_margin_deg: float = 0.7
    brake_s: float = 0.08
    jump_s: float = 0.3
    to_level_s: float = 3.0
    push_s: tuple[float, float] = (0.35, 0.8)
    bearing_hold_sum_x_mm: float = 322.0
    supply_mv: int = 5000


@dataclass(frozen=True, slots=True)
class SensorModel:
    """What lies under every space.

    presence: biased hall under a steel marble, any orientation; half-width of the window in mm, trimmed to
    `spread_mm` cell by cell. reed, hall (omnipolar) and unipolar: dipole in the marble; `b_axis_mt` is the
    field on its axis at the sensor, `distance_mm` below the centre, operate and release in mT. colour:
    reflected light as shares of a white card; window in which the marble fills the view, edge where it is
    out of it.
    """

    kind: SensorKind = "presence"
    window_mm: float = 4.0
    spread_mm: float = 0.3
    hysteresis_mm: float = 0.25
    b_axis_mt: float = 9.9
    distance_mm: float = 18.0
    operate_mt: float = 3.0
    release_mt: float = 2.0
    empty: float = 0.01
    black: float = 0.10
    white: float = 0.85
    noise_mm: float = 0.05  # how far thresholds wander, as a distance of the marble
    full_mm: float = 3.0
    edge_mm: float = 6.0

    @property
    def bits(self) -> int:
        """Bits a cell on the wire."""
        return 2 if self.kind == "colour" else 1


@dataclass(frozen=True, slots=True)
class NoiseModel:
    """Chatter at threshold crossings and spikes; `spikes_per_s` counts over the whole board."""

    bounce: bool = True
    bounce_mean: float = 1.0
    bounce_ms: tuple[float, float] = (0.1, 1.5)
    reed_bounce_ms: tuple[float, float] = (0.3, 1.0)
    margins: bool = True  # a marble that rests near its sensor's threshold flickers
    spikes_per_s: float = 0.4
    spike_ms: tuple[float, float] = (0.2, 3.0)


@dataclass(frozen=True, slots=True)
class HandModel:
    """Ranges of what people do, low and high, in ms unless named (board spec, notes section 5)."""

    flicker: bool = True
    lift_ms: tuple[float, float] = (100.0, 400.0)
    rock_ms: tuple[float, float] = (0.0, 300.0)
    lift_flickers: int = 3
    lift_flicker_ms: tuple[float, float] = (5.0, 60.0)
    leave_chatters: int = 2
    leave_chatter_ms: tuple[float, float] = (5.0, 40.0)
    carry_ms: tuple[float, float] = (400.0, 1200.0)
    fall_ms: tuple[float, float] = (0.0, 45.0)
    drop_gaps: int = 2
    drop_gap_ms: tuple[float, float] = (15.0, 60.0)
    drop_settle_ms: tuple[float, float] = (50.0, 150.0)
    low_cell_ms: tuple[float, float] = (30.0, 130.0)
    rim_ms: tuple[float, float] = (100.0, 300.0)
    rim_gap_ms: tuple[float, float] = (-80.0, 80.0)
    nudge_share: float = 0.02
    nudge_ms: tuple[float, float] = (20.0, 80.0)
    shadow_ms: tuple[float, float] = (100.0, 400.0)
    hover_speed_mm_s: float = 400.0


@dataclass(frozen=True, slots=True)
class ClockModel:
    """The board's own clock: value at power-on (u32 us) and rate error in parts per million."""

    start_us: int = 0
    drift_ppm: float = 0.0


@dataclass(frozen=True, slots=True)
class BoardModel:
    """The controller: identity and versions in its hello, queue sizes, wiring.

    `wiring[i]` is the cell above input i of the chain, -1 an unused input; empty means identity.
    """

    unique_id: bytes = b"\x51\xab\x1e\x00"
    product: str = PRODUCT
    board_kind: str = ""  # empty: the layout's name
    major: int = MAJOR
    minor: int = MINOR
    firmware: tuple[int, int, int] = (1, 0, 0)
    build_id: int = 0
    scan_hz: int = 1000
    debounce: int = 5
    edge_queue: int = 32
    boot_s: float = 0.05
    byte_s: float = 40e-6
    dtr_resets: bool = False
    wiring: tuple[int, ...] = ()
    clock: ClockModel = field(default_factory=ClockModel)


@dataclass(frozen=True, slots=True)
class Model:
    """All numbers of one table; a pair of parts that cannot work raises SimError."""

    marble: MarbleModel = field(default_factory=MarbleModel)
    seat: SeatModel = field(default_factory=SeatModel)
    contact: ContactModel = field(default_factory=ContactModel)
    tilt: TiltModel = field(default_factory=TiltModel)
    sensor: SensorModel = field(default_factory=SensorModel)
    noise: NoiseModel = field(default_factory=NoiseModel)
    hand: HandModel = field(default_factory=HandModel)
    board: BoardModel = field(default_factory=BoardModel)

    def __post_init__(self) -> None:
        if not 0.3 <= self.seat.d_over_r <= 1.0:
            raise SimError(f"seat.d_over_r is {self.seat.d_over_r}, it must lie in 0.3..1.0")
        if self.marble.diameter_mm < 10:
            raise SimError(f"marble.diameter_mm is {self.marble.diameter_mm}, it must be at least 10")
        if not 0 < self.tilt.angle_deg <= 15:
            raise SimError(f"tilt.angle_deg is {self.tilt.angle_deg}, it must lie in 0..15")
        if self.sensor.kind in ("reed", "hall", "unipolar") and not (
            0 < self.sensor.release_mt <= self.sensor.operate_mt
        ):
            raise SimError("sensor.release_mt must be above 0 and at most operate_mt")
