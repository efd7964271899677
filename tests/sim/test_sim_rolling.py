"""The rolling model against the tables of the physics notes (sections 1 and 2). Tolerances stand beside the
figures.
"""

from dataclasses import replace
from itertools import product
from math import radians

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.model import ContactModel, Model, SeatModel, TiltModel
from sim.rolling import Path, Rolling, roll
from sim.swing import Swing, still

PITCH_M = 0.027
HEIGHT_M = 0.02
RADIUS_M = 0.0125

# d/R -> ms for 27 mm at 4, 6, 8, 10 deg with mu 0.005; ms at 8 deg with mu 0.002 and 0.01
ROLL_MS = {
    1.00: ((345, 278, 240, 214), (237, 244)),
    0.71: ((398, 319, 274, 244), (270, 281)),
    0.68: ((406, 325, 279, 248), (274, 287)),
    0.60: ((435, 347, 298, 265), (292, 308)),
    0.52: ((476, 379, 324, 288), (318, 337)),
}
# (d/R, e) -> arrival ms, settle ms, rebounds above 0.5 mm, largest mm: "event model B"
SETTLE = {
    (1.00, 0.46): (240, 293, 1, 1.3),
    (1.00, 0.63): (240, 340, 1, 2.3),
    (1.00, 0.81): (240, 446, 2, 4.2),
    (0.60, 0.46): (298, 316, 1, 0.6),
    (0.60, 0.63): (298, 330, 1, 1.0),
    (0.60, 0.81): (298, 349, 1, 1.7),
}


def rolling(d_over_r: float, mu: float = 0.005, **contact: float) -> Rolling:
    model = Model(
        seat=SeatModel(d_over_r=d_over_r),
        contact=replace(ContactModel(rolling_mu=mu), **contact),
        tilt=TiltModel(min_roll_deg=0.0),
    )
    return Rolling.of(model)


def arrival_ms(path: Path, wall_m: float) -> float:
    return 1000 * next(t for t, s in zip(path.time, path.position, strict=True) if s >= wall_m - 1e-9)


def settle(path: Path, wall_m: float) -> tuple[float, list[float]]:
    """Last time (ms) farther than 0.5 mm from the wall, and the rebounds (mm) above 0.5 mm."""
    last = 0.0
    for i in range(int((path.rest_s + 0.002) * 10_000)):
        if wall_m - path.at(i / 10_000)[0] > 0.0005:
            last = i / 10
    first = arrival_ms(path, wall_m) / 1000
    turns = [
        1000 * (wall_m - s)
        for t, s, v in zip(path.time, path.position, path.speed, strict=True)
        if t > first and v == 0.0
    ]
    return last, [height for height in turns if height > 0.5]


@pytest.mark.parametrize("d_over_r", ROLL_MS)
def test_roll_times_of_the_table(d_over_r: float) -> None:
    by_angle, by_friction = ROLL_MS[d_over_r]
    for angle, expected in zip((4, 6, 8, 10), by_angle, strict=True):
        path = roll(0, 0, 0, 0, PITCH_M, 0.6, 0.6, still(angle), rolling(d_over_r))
        assert arrival_ms(path, PITCH_M) == pytest.approx(expected, rel=0.01)
    for mu, expected in zip((0.002, 0.01), by_friction, strict=True):
        path = roll(0, 0, 0, 0, PITCH_M, 0.6, 0.6, still(8), rolling(d_over_r, mu))
        assert arrival_ms(path, PITCH_M) == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize(
    ("d_over_r", "mu", "degrees"),
    [(1.0, 0.002, 0.11), (1.0, 0.01, 0.57), (0.6, 0.005, 0.48), (0.52, 0.01, 1.10), (0.71, 0.005, 0.41)],
)
def test_smallest_tilt_of_the_table(d_over_r: float, mu: float, degrees: float) -> None:
    below = roll(0, 0, 0, 0, PITCH_M, 0.6, 0.6, still(degrees - 0.02), rolling(d_over_r, mu))
    above = roll(0, 0, 0, 0, PITCH_M, 0.6, 0.6, still(degrees + 0.02), rolling(d_over_r, mu))
    assert not below.moves
    assert above.rest_m == pytest.approx(PITCH_M)


@pytest.mark.parametrize(("d_over_r", "e"), SETTLE)
def test_settle_times_and_rebounds_of_the_table(d_over_r: float, e: float) -> None:
    arrives, settles, rebounds, largest = SETTLE[d_over_r, e]
    path = roll(0, 0, 0, 0, PITCH_M, e, e, still(8), rolling(d_over_r))
    assert arrival_ms(path, PITCH_M) == pytest.approx(arrives, abs=1.0)
    at, heights = settle(path, PITCH_M)
    assert at == pytest.approx(settles, abs=3.0)
    assert len(heights) == rebounds
    assert max(heights) == pytest.approx(largest, abs=0.12)


def swing(swing_s: float, d_over_r: float) -> Swing:
    lever = HEIGHT_M + 0.4 * RADIUS_M / d_over_r
    return Swing(0, swing_s, radians(-8), radians(8), height_m=HEIGHT_M, lever_m=lever)


# (swing s, d/R) -> arrival from..to, settle from..to (B and pessimistic wall), over e .4...8, mu
# .002...01, all ranks
SWINGS = {
    (0.6, 1.0): ((610, 633), (696, 1072)),
    (0.6, 0.6): ((667, 701), (664, 801)),
    (0.3, 1.0): ((402, 430), (493, 887)),
    (0.3, 0.6): ((457, 493), (455, 595)),
}


@pytest.mark.parametrize(("swing_s", "d_over_r"), SWINGS)
def test_arrival_and_settle_after_a_swing(swing_s: float, d_over_r: float) -> None:
    arrives, settles = SWINGS[swing_s, d_over_r]
    board = swing(swing_s, d_over_r)
    arrivals, smooth, rough = [], [], []
    for middle, e, mu in product((-0.081, -0.027, 0.0, 0.027, 0.081), (0.4, 0.8), (0.002, 0.01)):
        low, high = middle - PITCH_M / 2, middle + PITCH_M / 2
        path = roll(0, low, 0, low, high, e, e, board, rolling(d_over_r, mu))
        arrivals.append(arrival_ms(path, high))
        smooth.append(settle(path, high)[0])
        path = roll(0, low, 0, low, high, e, e, board, rolling(d_over_r, mu, wall_mu=0.2))
        rough.append(settle(path, high)[0])
    # within 11 ms of the notes' own runs (2 % of the time); the table's settle range is that with rough walls
    assert (min(arrivals), max(arrivals)) == pytest.approx(arrives, abs=11)
    assert (min(rough), max(rough)) == pytest.approx(settles, abs=12)
    assert max(smooth) <= settles[1]
    assert min(smooth) >= min(settles[0], arrives[0]) - 20


def test_a_marble_starts_after_the_board_has_passed_level() -> None:
    board = swing(0.6, 0.6)
    for middle in (-0.081, 0.0, 0.081):
        low, high = middle - PITCH_M / 2, middle + PITCH_M / 2
        path = roll(0, low, 0, low, high, 0.6, 0.6, board, Rolling.of(Model()))
        moved = next(t / 1000 for t in range(1000) if path.at(t / 1000)[0] > low + 0.00002)
        assert 0.320 <= moved <= 0.370  # notes: 332..366 ms, level is passed at 300


def test_the_swing_profile() -> None:
    board = swing(0.6, 0.6)
    states = [board.state(i / 1000) for i in range(601)]
    assert max(abs(a) for _, _, a in states) == pytest.approx(4.5, rel=0.01)
    assert states[0][0] == radians(-8)
    assert states[-1][0] == pytest.approx(radians(8))
    assert board.state(0.3)[0] == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(("d_over_r", "expected"), [(1.0, 57), (0.6, 70)])
def test_two_marbles_in_a_slot_have_2_mm_of_play(d_over_r: float, expected: float) -> None:
    path = roll(0, 0, 0, 0, 0.002, 0.6, 0.6, still(8), rolling(d_over_r))
    at, _ = settle(path, 0.002)
    # settle = within 0.5 mm: reached on the way, the rebound is smaller than that
    assert at <= expected + 2
    assert arrival_ms(path, 0.002) == pytest.approx(expected, rel=0.2)
    assert path.rest_s < 0.15


@pytest.mark.parametrize(("d_over_r", "low", "high"), [(1.0, 465, 560), (0.6, 345, 385)])
def test_marble_on_resting_marble(d_over_r: float, low: float, high: float) -> None:
    # notes: 500..550 ms plane, 370 ms s=5, with a lower marble that gives way by up to 0.03 mm
    for e in (0.85, 0.93):
        at, _ = settle(roll(0, 0, 0, 0, PITCH_M, 0.6, e, still(8), rolling(d_over_r)), PITCH_M)
        assert low <= at <= high


def test_wall_friction_is_the_pessimistic_switch() -> None:
    smooth, _ = settle(roll(0, 0, 0, 0, PITCH_M, 0.6, 0.6, still(8), rolling(1.0)), PITCH_M)
    rough, _ = settle(roll(0, 0, 0, 0, PITCH_M, 0.6, 0.6, still(8), rolling(1.0, wall_mu=0.2)), PITCH_M)
    assert rough > smooth


@given(
    s=st.floats(0, PITCH_M),
    v=st.floats(-0.3, 0.3),
    angle=st.floats(-10, 10),
    to=st.floats(-10, 10),
    d_over_r=st.floats(0.4, 1.0),
    e=st.floats(0, 0.95),
    swing_s=st.floats(0.25, 2.0),
    start=st.floats(-1.0, 0.5),
)
def test_every_path_stays_between_the_walls_and_ends(
    s: float, v: float, angle: float, to: float, d_over_r: float, e: float, swing_s: float, start: float
) -> None:
    board = Swing(start, swing_s, radians(angle), radians(to), height_m=HEIGHT_M, lever_m=0.03)
    path = roll(0.0, s, v, 0.0, PITCH_M, e, e, board, rolling(d_over_r))
    assert path.speed[-1] == 0.0
    assert path.time == sorted(path.time)
    assert all(-1e-6 <= place <= PITCH_M + 1e-6 for place in path.position)
    # no jumps: each parabola ends where the next begins
    for i in range(len(path.time) - 1):
        t = path.time[i + 1] - path.time[i]
        end = path.position[i] + (path.speed[i] + path.half_a[i] * t) * t
        assert end == pytest.approx(path.position[i + 1], abs=2e-6)
    if abs(to) > 2:
        assert path.rest_s < 5.0 + max(start, 0) + swing_s
        assert path.rest_m == pytest.approx(PITCH_M if to > 0 else 0.0, abs=1e-5)


def test_the_coarse_grid_of_a_swing_is_fine_enough() -> None:
    lever = HEIGHT_M + 0.4 * RADIUS_M / 0.6
    for swing_s in (0.3, 0.6, 1.2):
        times = [
            arrival_ms(
                roll(
                    0,
                    0,
                    0,
                    0,
                    PITCH_M,
                    0.6,
                    0.6,
                    Swing(
                        0,
                        swing_s,
                        radians(-8),
                        radians(8),
                        height_m=HEIGHT_M,
                        lever_m=lever,
                        grid_s=grid_s,
                    ),
                    rolling(0.6),
                ),
                PITCH_M,
            )
            for grid_s in (0.02, 0.001)
        ]
        assert times[0] == pytest.approx(times[1], abs=0.6)
