"""`balanx parts`: sensors and marbles as numbers; which pairs work, before they are bought."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from pathlib import Path

import click

from balanxd.config import read_text
from balanxd.errors import BalanxError
from balanxd.keys import Keys, dataclass_from, nearest
from sim.errors import SimError
from sim.parts import Parts, Verdict
from sim.parts import check as look

PAIRS = Path(str(files("sim"))) / "pairs"


@click.group()
def parts() -> None:
    """Sensors and marbles: which pairs work, before they are bought."""


@parts.command("list")
def parts_list() -> None:
    """Name the pairs that come with this program, and the verdict on each."""
    for name in _names():
        pair = _load(name)
        click.echo(f"{name:<22} {_verdict_words(look(pair)):<9} {pair.name}")


@parts.command("show")
@click.argument("name")
def parts_show(name: str) -> None:
    """Print a shipped pair as a file to begin with."""
    if name not in _names():
        raise BalanxError(f"{name!r}: there are {', '.join(_names())}{nearest(name, _names())}")
    click.echo(read_text(PAIRS / f"{name}.toml"), nl=False)


@parts.command("check")
@click.argument("file", metavar="NAME|FILE")
def parts_check(file: str) -> None:
    """Say what the sensor sees of the marble, and whether a board can be built of them (exit status 1: it cannot)."""
    pair = _load(file)
    verdict = look(pair)
    click.echo(verdict_text(pair, verdict), nl=False)
    if verdict.refused:
        raise BalanxError(f"{file}: these parts cannot work together: {verdict.refused[0]}")


def verdict_text(pair: Parts, verdict: Verdict) -> str:
    """Figures, hazards and reasons, for people."""
    board = f"pitch {pair.board.pitch_mm:g} mm, tilt {pair.board.tilt_deg:g} degrees"
    place = f"{pair.distance_mm:g} mm below the marble's middle"
    rows = [f"{pair.name}", f"{pair.sensor.kind} sensor {place}, {pair.marble.kind} marble, {board}", ""]
    rows += [
        f"  {name:<46} {_number(value):>8} {unit}".rstrip() for name, (value, unit) in verdict.figures.items()
    ]
    rows.append("")
    rows += [f"hazard: {text}" for text in verdict.hazards]
    rows += [f"refused: {text}" for text in verdict.refused]
    rows += [f"marginal: {text}" for text in verdict.marginal]
    rows.append(f"verdict: {_verdict_words(verdict)}")
    return "\n".join(rows) + "\n"


def _verdict_words(verdict: Verdict) -> str:
    return "refused" if verdict.refused else "marginal" if verdict.marginal else "works"


def _number(value: float) -> str:
    return (
        f"{value:.3f}"
        if abs(value) < 0.1 and value
        else f"{value:.2f}"
        if abs(value) < 10
        else f"{value:.1f}"
    )


def _names() -> list[str]:
    return sorted(path.stem for path in PAIRS.glob("*.toml"))


def _load(name: str) -> Parts:
    path = PAIRS / f"{name}.toml" if name in _names() else Path(name)
    if not path.suffix and not path.exists():
        raise BalanxError(
            f"parts {name!r}: there are {', '.join(_names())}, or give a TOML file{nearest(name, _names())}"
        )
    try:
        table = tomllib.loads(read_text(path))
    except (ValueError, RecursionError) as error:  # a huge number, deep brackets
        raise BalanxError(f"{name}: {error}") from None
    try:
        found = dataclass_from(Keys(name, "", table), Parts, table)
    except SimError as error:
        raise BalanxError(f"{name}: {error}") from None
    assert isinstance(found, Parts)
    return found
