"""Sensors and marbles as numbers: each number of the specification and of the physics notes, and the verdicts."""

import sys
import tomllib
from dataclasses import replace
from math import sqrt
from pathlib import Path
from random import Random
from typing import Any

import pytest

from balanxd.__main__ import balanx, main
from balanxd.cli.parts import PAIRS
from balanxd.errors import BalanxError
from sim.errors import SimError
from sim.magnets import (
    REMANENCE_T,
    axis_field_mt,
    disc_poles,
    field_mt,
    hold_deg,
    images,
    largest_vertical_mt,
    pull_n,
    share_above,
    sphere_moment_am2,
)
from sim.parts import (
    Bias,
    Board,
    Light,
    Magnet,
    Marble,
    Parts,
    Sensor,
    SensorPart,
    Verdict,
    check,
    missed_share,
)
from sim.sensing import dipole_mt, random_direction

PITCH_MM = 27.0


def dipole(
    diameter_mm: float, z_mm: float, kind: SensorPart = "hall-omnipolar", operate_mt: float = 3.0
) -> Parts:
    return Parts(
        marble=Marble("magnet", 25.0, 20.5, magnet=Magnet(diameter_mm, "N45")),
        sensor=Sensor(kind, z_mm, operate_mt, 1.5 if operate_mt > 1.5 else None),
    )


def steel(
    ball_mm: float = 19.0, z_mm: float | None = None, core_mm: float | None = None, **bias: Any
) -> Parts:
    marble = Marble("steel", ball_mm, core_mm=core_mm)
    return Parts(marble=marble, sensor=Sensor("hall-biased", z_mm, bias=replace(Bias(), **bias)))


def figure(verdict: Verdict, name: str) -> float:
    return verdict.figures[name][0]


# ---- the numbers of the notes, section 4 ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("diameter_mm", "at_14_18_22_mt"),
    [(5, (5.1, 2.4, 1.3)), (6, (8.9, 4.2, 2.3)), (8, (21, 9.9, 5.4)), (10, (41, 19, 10.6))],
)
def test_the_field_on_the_axis(diameter_mm: float, at_14_18_22_mt: tuple[float, ...]) -> None:
    moment = sphere_moment_am2(diameter_mm, REMANENCE_T["N45"])
    found = [axis_field_mt(moment, z_mm) for z_mm in (14, 18, 22)]
    assert found == pytest.approx(at_14_18_22_mt, rel=0.02)


@pytest.mark.parametrize(
    (
        "magnet_mm",
        "z_mm",
        "omni_3",
        "omni_5",
        "unipolar_10",
        "reed_10_at",
        "reed_25_at",
        "neighbour",
        "empty_3",
        "empty_1_5",
    ),
    [
        (6, 14, 34, 56, 100, 23, 56, 0.55, 0, 2.5),
        (6, 18, 72, 100, 100, 48, 100, 0.49, 0, 1.1),
        (8, 14, 14, 24, 74, 10, 24, 1.31, 6, 37),
        (8, 18, 30, 51, 100, 20, 51, 1.17, 4, 32),
        (10, 14, 7, 12, 62, 5, 12, 2.56, 36, 65),
        (10, 18, 16, 26, 76, 10, 26, 2.28, 30, 61),
    ],
)
def test_the_table_of_magnets(
    magnet_mm: float,
    z_mm: float,
    omni_3: float,
    omni_5: float,
    unipolar_10: float,
    reed_10_at: float,
    reed_25_at: float,
    neighbour: float,
    empty_3: float,
    empty_1_5: float,
) -> None:
    def missed(parts: Parts) -> float:
        return figure(check(parts), "missed orientations")

    reed = dipole(magnet_mm, z_mm, "reed")
    tenth = replace(reed, sensor=replace(reed.sensor, operate_at=10, release_mt=None))
    quarter = replace(reed, sensor=replace(reed.sensor, operate_at=25, release_mt=None))
    assert missed(dipole(magnet_mm, z_mm)) == pytest.approx(omni_3, abs=0.8)
    assert missed(dipole(magnet_mm, z_mm, operate_mt=5)) == pytest.approx(omni_5, abs=0.8)
    assert missed(dipole(magnet_mm, z_mm, "hall-unipolar", 10)) == pytest.approx(unipolar_10, abs=0.8)
    assert missed(tenth) == pytest.approx(reed_10_at, abs=0.8)
    assert missed(quarter) == pytest.approx(reed_25_at, abs=0.8)
    told = check(dipole(magnet_mm, z_mm))
    assert figure(told, "one neighbour at most") == pytest.approx(neighbour, abs=0.01)
    # the notes drew them at random
    assert figure(told, "empty space reads marble among 8 neighbours") == pytest.approx(empty_3, abs=1.0)
    assert figure(told, "empty space stays marble among 8 neighbours") == pytest.approx(empty_1_5, abs=1.0)


@pytest.mark.parametrize(("magnet_mm", "pull"), [(6, 0.017), (8, 0.094), (10, 0.36)])
def test_the_pull_between_neighbours(magnet_mm: float, pull: float) -> None:
    assert pull_n(sphere_moment_am2(magnet_mm, 1.35), PITCH_MM) == pytest.approx(pull, rel=0.03)


def test_what_rolls_a_glass_marble() -> None:
    assert Parts(marble=Marble("glass")).downhill_n == pytest.approx(0.028, abs=0.0002)


@pytest.mark.parametrize(("z_mm", "missed"), [(14, 0), (18, 60)])
def test_three_axes_see_a_small_magnet_however_it_lies(z_mm: float, missed: float) -> None:
    told = check(dipole(6, z_mm, "hall-3-axis"))
    assert figure(told, "missed orientations") == pytest.approx(missed, abs=1)


def test_steel_over_a_biased_sensor_as_the_notes_have_it() -> None:
    told = check(steel())
    assert figure(told, "bias without a marble") == pytest.approx(22, abs=0.5)
    assert figure(told, "change by the marble") == pytest.approx(6.9, abs=0.05)
    assert figure(told, "change by the marble, electric") == pytest.approx(96, abs=1.5)
    assert figure(told, "one neighbour at most") == pytest.approx(0.014, abs=0.0005)
    assert figure(told, "missed orientations") == 0


def test_a_larger_magnet_gives_more_and_holds_the_ball() -> None:
    told = check(steel(diameter_mm=8.0))
    assert figure(told, "bias without a marble") == pytest.approx(48, rel=0.03)
    assert figure(told, "change by the marble") == pytest.approx(16, abs=0.5)
    # The notes say 0.3 and 1.5 degrees and not how; the largest pull sideways is somewhat more.
    assert 0.3 <= figure(check(steel()), "tilt that the magnet costs") <= 0.5
    assert 1.5 <= figure(told, "tilt that the magnet costs") <= 2.8


@pytest.mark.parametrize(("core_mm", "small", "large"), [(15, 0.55, 1.4), (12, 0.2, 0.6), (10, 0.1, 0.3)])
def test_a_steel_core_in_glass_changes_little(core_mm: float, small: float, large: float) -> None:
    for disc_mm, change in ((5.0, small), (8.0, large)):
        told = check(steel(25.0, 14.5, core_mm, diameter_mm=disc_mm))
        assert figure(told, "change by the marble") == pytest.approx(change, abs=0.05)


def test_a_magnet_too_near_saturates_the_sensor() -> None:
    told = check(steel(gap_mm=2.0))
    assert figure(told, "bias without a marble") == pytest.approx(180, rel=0.05)
    assert any("driven to its end" in reason for reason in told.refused)


# ---- the formulas against each other -------------------------------------------------------------------------


def test_the_missed_share_is_what_the_simulator_misses() -> None:
    """The closed form against the simulator's own dipole, drawn at random."""
    random, parts = Random(3), dipole(8, 18)
    axis = axis_field_mt(parts.marble.magnet.moment, 18)
    draws = [dipole_mt(random_direction(random), 0, 0, 18, axis) for _ in range(4000)]
    unseen = sum(abs(field) < 3 for field in draws) / len(draws)
    assert unseen == pytest.approx(missed_share(parts, axis), abs=0.03)


def test_the_share_of_sums_is_what_random_neighbours_give() -> None:
    random, axis, places = Random(4), 9.88, [(27, 0), (0, 27), (27, 27)]
    limits = [largest_vertical_mt(axis, sqrt(x * x + y * y), 18) for x, y in places]
    draws = 6000
    above = sum(
        abs(sum(dipole_mt(random_direction(random), x, y, 18, axis) for x, y in places)) > 1.2
        for _ in range(draws)
    )
    assert above / draws == pytest.approx(share_above(limits, 1.2), abs=0.02)


def test_the_poles_of_a_disc_give_its_known_field() -> None:
    """On the axis: Br/2 ((z+L)/sqrt((z+L)^2+R^2) - z/sqrt(z^2+R^2))."""
    for diameter, height, gap in ((5, 5, 7), (8, 5, 7), (10, 3, 6)):
        radius, far = diameter / 2, gap + height
        exact = 1170 / 2 * (far / sqrt(far**2 + radius**2) - gap / sqrt(gap**2 + radius**2))
        assert field_mt(disc_poles(diameter, height, gap, 1.17))[2] == pytest.approx(exact, rel=0.02)


def test_the_field_leaves_a_steel_ball_at_right_angles() -> None:
    """What makes the images right: on the ball no field runs along the surface."""
    disc = disc_poles(5, 5, 7, 1.17)
    whole = (*disc, *images(disc, 9.5, 0.0, 11.5))
    for nx, ny, nz in ((0.6, 0.0, -0.8), (0.0, 1.0, 0.0), (-0.48, 0.6, 0.64)):
        bx, by, bz = field_mt(whole, (9.5 * nx, 9.5 * ny, 11.5 + 9.5 * nz))
        out = bx * nx + by * ny + bz * nz
        along = sqrt(max(0.0, bx * bx + by * by + bz * bz - out * out))
        assert along < 0.01 * abs(out) + 1e-6


def test_the_ball_is_held_less_by_a_farther_magnet() -> None:
    near, far = (hold_deg(disc_poles(5, 5, gap, 1.17), 9.5, 11.5, 28, 27) for gap in (5, 9))
    assert near > 2 * far > 0


# ---- verdicts ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        (dipole(8, 18), "hold each other on the slope"),
        (dipole(6, 14), "pull each other"),
        (dipole(5, 14), "are not seen"),
        (dipole(5, 14, "hall-unipolar"), "sees one pole"),
        (dipole(5, 14, "hall-latching"), "keeps its state"),
        (dipole(10, 14), "reads `marble`"),
        (replace(dipole(5, 14), marble=Marble("glass")), "glass is not magnetic"),
        (replace(dipole(5, 14, "reed"), marble=Marble("steel", 19.0)), "steel has no field of its own"),
        (Parts(marble=Marble("glass"), sensor=Sensor("hall-biased")), "sees steel"),
        (Parts(marble=Marble("magnet"), sensor=Sensor("hall-biased")), "sees steel"),
        (steel(25.0, 14.5, 10.0), "warmth and comparator"),
        (steel(25.0, 14.5, 12.0, diameter_mm=8.0), "warmth and comparator"),
        (replace(steel(), sensor=Sensor("hall-biased", threshold_mt=6.8)), "leaves 0.1"),
        (steel(gap_mm=2.0), "driven to its end"),
        (replace(steel(diameter_mm=12.0, gap_mm=5.0), board=Board(27, 6)), "holds the ball"),
        (Parts(sensor=Sensor("light", light=Light(black=0.04))), "too near to an empty space"),
        (Parts(sensor=Sensor("light", light=Light(white=0.5))), "does not read white"),
        (Parts(sensor=Sensor("light", light=Light(black=0.4))), "does not read black"),
        (Parts(sensor=Sensor("light", light=Light(gap_mm=20.0))), "sees little at 20 mm"),
        (Parts(sensor=Sensor("light", light=Light(gap_mm=14.0, window_mm=22.0))), "neighbour's marble"),
    ],
)
def test_a_pair_that_cannot_work_is_refused_with_the_reason(parts: Parts, reason: str) -> None:
    assert any(reason in told for told in check(parts).refused), check(parts).refused


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        (steel(25.0, 14.5, 15.0), "trim each space"),
        (steel(diameter_mm=8.0), "holds the ball"),
        (replace(dipole(6, 14, "hall-3-axis"), board=Board(27, 10)), "dirt does the rest"),
        (Parts(sensor=Sensor("light", light=Light(gap_mm=8.0))), "3 to 6 mm is right"),
        (Parts(marble=Marble("steel", 19.0), sensor=Sensor("light")), "presence only"),
    ],
)
def test_a_pair_between_is_marginal(parts: Parts, reason: str) -> None:
    told = check(parts)
    assert told.refused == ()
    assert any(reason in text for text in told.marginal), told.marginal


@pytest.mark.parametrize("parts", [steel(), Parts(sensor=Sensor("light"))])
def test_the_recommended_pairs_work(parts: Parts) -> None:
    told = check(parts)
    assert (told.refused, told.marginal) == ((), ())


def test_the_pull_is_refused_above_half_of_what_rolls_a_marble() -> None:
    """The rule of the specification, at its border."""
    parts = replace(dipole(6, 14, "hall-3-axis"), board=Board(PITCH_MM, 10))
    border = sqrt(0.5 * parts.downhill_n / pull_n(1.0, PITCH_MM))
    for share, refused in ((0.99, False), (1.01, True)):
        marble = replace(parts.marble, magnet=Magnet(6, "N45", border * share))
        assert any("pull" in text for text in check(replace(parts, marble=marble)).refused) is refused


def test_every_strong_magnet_is_a_hazard() -> None:
    assert any("swallowed" in text for text in check(steel()).hazards)
    assert any("swallowed" in text for text in check(dipole(8, 18)).hazards)
    assert check(Parts(sensor=Sensor("light"))).hazards == ()


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Magnet(8, "N99"),
        lambda: Bias(gap_mm=0.0),
        lambda: Marble("steel", 19.0, core_mm=25.0),
        lambda: Marble("magnet", 12.0, magnet=Magnet(15.0)),
        lambda: Sensor(operate_mt=3.0, release_mt=4.0),
        lambda: Parts(marble=Marble(diameter_mm=25.0), board=Board(20.0)),
        lambda: Parts(sensor=Sensor("reed", 3.0)),
        lambda: Board(tilt_deg=float("nan")),
    ],
)
def test_parts_that_cannot_be_are_refused(wrong) -> None:
    with pytest.raises(SimError):
        wrong()


# ---- the command ---------------------------------------------------------------------------------------------

VERDICTS = {
    "core-over-hall": "marginal",
    "glass-over-light": "works",
    "magnet-over-3-axis": "marginal",
    "magnet-over-hall": "refused",
    "magnet-over-reed": "refused",
    "steel-over-hall": "works",
}


def test_the_shipped_pairs_and_their_verdicts(capsys: pytest.CaptureFixture[str]) -> None:
    balanx(["parts", "list"], standalone_mode=False)
    told = dict(line.split()[:2] for line in capsys.readouterr().out.splitlines())
    assert told == VERDICTS == {path.stem: VERDICTS[path.stem] for path in PAIRS.glob("*.toml")}


@pytest.mark.parametrize("name", sorted(VERDICTS))
def test_a_shipped_pair_is_checked_by_name_and_by_file(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    balanx(["parts", "show", name], standalone_mode=False)
    text = capsys.readouterr().out
    assert tomllib.loads(text)["name"]
    file = tmp_path / "mine.toml"
    file.write_text(text)
    said = []
    for what in (name, str(file)):
        monkeypatch.setattr(sys, "argv", ["balanx", "parts", "check", what])
        refused = VERDICTS[name] == "refused"
        if refused:
            with pytest.raises(SystemExit) as end:
                main()
            assert end.value.code == 1
        else:
            main()
        out = capsys.readouterr()
        said.append(out.out)
        assert out.out.splitlines()[-1] == f"verdict: {VERDICTS[name]}"
        assert ("cannot work together" in out.err) is refused
        assert len(out.err.splitlines()) == refused
    assert said[0] == said[1]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[", "mine.toml: "),
        ("x = " + "[" * 50_000, "mine.toml: "),
        ("[marbel]\n", r"marbel: no such key \(did you mean marble\?\)"),
        ('[sensor]\nkind = "hal-biased"\n', "sensor.kind: must be hall-omnipolar or"),
        ('[sensor]\ndistance_mm = "near"\n', "sensor.distance_mm: must be a number"),
        ("[sensor.bias]\ngap_mm = -1\n", "sensor.bias.gap_mm is -1, it must lie in 0.5..50"),
        ("[board]\npitch_mm = 20.0\n", "would not lie side by side"),
    ],
)
def test_a_file_that_is_wrong_is_told_in_one_line(tmp_path: Path, text: str, sentence: str) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(text)
    with pytest.raises(BalanxError, match=sentence):
        balanx(["parts", "check", str(file)], standalone_mode=False)


def test_a_name_that_is_almost_right_is_helped() -> None:
    with pytest.raises(BalanxError, match="did you mean steel-over-hall"):
        balanx(["parts", "check", "steel-over-hal"], standalone_mode=False)
    with pytest.raises(BalanxError, match="there are core-over-hall"):
        balanx(["parts", "show", "../pyproject"], standalone_mode=False)
