"""Magnets, steel balls and where a sensor lies -> fields in mT, forces in N. Formulas and their source with each.

Frame: the sensor at (0, 0, 0), its axis upwards, the marble above it; lengths in mm.
"""

from collections.abc import Sequence
from itertools import product
from math import asin, cos, degrees, factorial, pi, prod, sin, sqrt
from random import Random

from .sensing import dipole_mt, random_direction

GRAVITY_M_S2 = 9.81
MU_0 = 4e-7 * pi
REMANENCE_T = {
    "N35": 1.17,
    "N38": 1.22,
    "N40": 1.25,
    "N42": 1.30,
    "N45": 1.35,
    "N48": 1.38,
    "N50": 1.40,
    "N52": 1.44,
    "ferrite": 0.39,
}
"""Remanence of magnet grades, the lower end of what catalogues give."""

_RINGS, _SPOKES = 4, 8  # poles that a magnet's round face is cut into
Pole = tuple[float, float, float, float]  # place in mm, strength in mT mm2


def sphere_moment_am2(diameter_mm: float, remanence_t: float) -> float:
    """Dipole moment of a ball magnet: Br V / mu0."""
    return remanence_t * pi / 6 * (diameter_mm / 1000) ** 3 / MU_0


def axis_field_mt(moment_am2: float, distance_mm: float) -> float:
    """Field of a dipole on its own axis: mu0 m / (2 pi z^3)."""
    return 1e3 * MU_0 * moment_am2 / (2 * pi * (distance_mm / 1000) ** 3)


def pull_n(moment_am2: float, apart_mm: float) -> float:
    """Largest pull between two equal dipoles, head to tail: 3 mu0 m^2 / (2 pi d^4)."""
    return 3 * MU_0 * moment_am2**2 / (2 * pi * (apart_mm / 1000) ** 4)


def largest_vertical_mt(b_axis_mt: float, away_mm: float, distance_mm: float) -> float:
    """Vertical field of a dipole `away_mm` to the side, turned so that it is largest."""
    parts = [
        dipole_mt(moment, away_mm, 0.0, distance_mm, b_axis_mt)
        for moment in ((1, 0, 0), (0, 1, 0), (0, 0, 1))
    ]
    return sqrt(sum(part * part for part in parts))


def share_above(limits_mt: Sequence[float], threshold_mt: float) -> float:
    """Share of all orientations in which independent dipoles give together more than +-threshold.

    The vertical field of a dipole of random direction is spread evenly between plus and minus its largest
    value (`limits_mt`); this is the exact distribution of their sum.
    """
    number = len(limits_mt)
    total = 0.0
    for signs in product((-1, 1), repeat=number):
        reach = sum(sign * limit for sign, limit in zip(signs, limits_mt, strict=True)) - threshold_mt
        if reach > 0:
            total += prod(signs) * pow(reach, number)
    share: float = 2 * total / (2.0**number * factorial(number) * prod(limits_mt))
    return min(1.0, max(0.0, share))


def share_strong(
    b_axis_mt: float, offsets_mm: Sequence[tuple[float, float]], distance_mm: float, threshold_mt: float
) -> float:
    """As `share_above`, for a sensor of all three axes, by 4000 draws with a seed of their own."""
    draws, random, above = 4000, Random(1), 0
    # per unit of moment, for each marble: the field's three parts
    places = [(x, y, b_axis_mt * distance_mm**3 / 2) for x, y in offsets_mm]
    for _ in range(draws):
        fx = fy = fz = 0.0
        for x, y, strength in places:
            mx, my, mz = random_direction(random)
            square = x * x + y * y + distance_mm * distance_mm
            r = sqrt(square)
            along = 3 * (mx * x + my * y - mz * distance_mm) / square
            scale = strength / (square * r)
            fx += scale * (along * x - mx)
            fy += scale * (along * y - my)
            fz += scale * (-along * distance_mm - mz)
        above += fx * fx + fy * fy + fz * fz > threshold_mt * threshold_mt
    return above / draws


def disc_poles(
    diameter_mm: float, height_mm: float, below_mm: float, remanence_t: float, x_mm: float = 0.0
) -> tuple[Pole, ...]:
    """A disc magnet whose upper face lies `below_mm` under the sensor, as poles on its two faces."""
    strength = 1e3 * remanence_t * diameter_mm**2 / 16 / (_RINGS * _SPOKES)
    return tuple(
        (
            x_mm + diameter_mm / 2 * sqrt((ring + 0.5) / _RINGS) * cos(2 * pi * (spoke + 0.5) / _SPOKES),
            diameter_mm / 2 * sqrt((ring + 0.5) / _RINGS) * sin(2 * pi * (spoke + 0.5) / _SPOKES),
            z_mm,
            sign * strength,
        )
        for sign, z_mm in ((1, -below_mm), (-1, -below_mm - height_mm))
        for ring in range(_RINGS)
        for spoke in range(_SPOKES)
    )


def images(poles: Sequence[Pole], radius_mm: float, x_mm: float, z_mm: float) -> tuple[Pole, ...]:
    """What a steel ball of high permeability adds to poles outside it, as poles of its own.

    The image of a pole q at D from the middle: -q R/D at R^2/D on the same ray, and +q R/D in the middle, for a
    ball has no net pole. Exact where the permeability is large.
    """
    found: list[Pole] = []
    middle = 0.0
    for px, py, pz, q in poles:
        dx, dy, dz = px - x_mm, py, pz - z_mm
        square = dx * dx + dy * dy + dz * dz
        share = radius_mm * radius_mm / square
        image = q * radius_mm / sqrt(square)
        found.append((x_mm + dx * share, dy * share, z_mm + dz * share, -image))
        middle += image
    return (*found, (x_mm, 0.0, z_mm, middle))


def field_mt(
    poles: Sequence[Pole], at_mm: tuple[float, float, float] = (0.0, 0.0, 0.0)
) -> tuple[float, float, float]:
    """The field of poles at a place."""
    bx = by = bz = 0.0
    for px, py, pz, q in poles:
        dx, dy, dz = at_mm[0] - px, at_mm[1] - py, at_mm[2] - pz
        square = dx * dx + dy * dy + dz * dz
        scale = q / (square * sqrt(square))
        bx += scale * dx
        by += scale * dy
        bz += scale * dz
    return bx, by, bz


def hold_deg(disc: Sequence[Pole], radius_mm: float, z_mm: float, mass_g: float, pitch_mm: float) -> float:
    """By how much the tilt must be larger before a steel ball leaves the disc magnet of its space for the next one."""
    poles = [*disc, *((x + pitch_mm, y, z, q) for x, y, z, q in disc)]
    strongest = 0.0
    steps = 12
    for step in range(1, steps + 1):
        ball = images(poles, radius_mm, pitch_mm / 2 * step / steps, z_mm)
        # force on the magnets by the ball's poles; q in mT mm2 is 4 pi q / mu0 ampere metres
        pull = sum(pole[3] * field_mt(ball, pole[:3])[0] for pole in poles)
        strongest = max(strongest, pull * 1e-12 * 4 * pi / MU_0)
    return degrees(asin(min(1.0, strongest / (mass_g / 1000 * GRAVITY_M_S2))))


def flux_index_t2mm2(surface_t: float, diameter_mm: float) -> float:
    """Square of the surface field times the pole's area; toys that can be swallowed: below 0.5 (EN 71-1)."""
    return surface_t**2 * pi * diameter_mm**2 / 4
