"""`balanx hil`: a controller tested electrically, by a stimulus board and without marbles."""

from __future__ import annotations

import secrets
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from balanxd.clock import wall_clock
from balanxd.config import BoardConfig, simulated_board

from .arguments import default_state

SIGNS = {"pass": "ok  ", "fail": "FAIL", "skip": "skip", "rig error": "RIG ", "did not run": "none"}


@click.command()
@click.option(
    "--controller", metavar="PORT", help="The controller under test; with --marbles also a board file."
)
@click.option("--stimulus", metavar="PORT", help="The stimulus board that drives and watches it.")
@click.option("--emulated", is_flag=True, help="Both boards in the emulator, wired together.")
@click.option(
    "--marbles", is_flag=True, help="No stimulus board: a person places real marbles, step by step."
)
@click.option(
    "--known-bad", is_flag=True, help="Emulated: run firmware that must fail, and see that it does."
)
@click.option("--only", multiple=True, metavar="NAME", help="Only these checks or games.")
@click.option("--build", metavar="HEX", help="The build id that the controller must run.")
@click.option("--reason", default="balanx hil", show_default=True, help="What the rig is held for.")
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="All chance of the games.")
@click.option(
    "--report",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Write report.json, report.xml (JUnit) and report.html there.",
)
def hil(
    controller: str | None,
    stimulus: str | None,
    emulated: bool,
    marbles: bool,
    known_bad: bool,
    only: tuple[str, ...],
    build: str | None,
    reason: str,
    seed: int,
    report: Path | None,
) -> None:
    """Test a controller with hardware in the loop.

    Exit status 0: every promise holds. 1: one does not. 3: the rig is broken or nothing was run.
    """
    if marbles:
        if controller is None or stimulus or emulated or known_bad:
            raise click.UsageError("--marbles goes with --controller PORT alone")
        sys.exit(_attended(controller, report))
    if emulated == (controller is not None or stimulus is not None):
        raise click.UsageError("give --controller PORT and --stimulus PORT, or --emulated")
    if not emulated and (controller is None or stimulus is None):
        raise click.UsageError("a rig has two ports: --controller PORT and --stimulus PORT")
    if known_bad and not emulated:
        raise click.UsageError("--known-bad is for --emulated: no bad firmware is flashed into a real board")
    wanted = _build_id(build)
    _check_names(only)
    with _terminated_as_interrupted():
        if known_bad:
            sys.exit(_known_bad(only, seed))
        sys.exit(_campaign(controller, stimulus, only, wanted, reason, seed, report))


def _attended(controller: str, report: Path | None) -> int:
    """A person lays marbles; the self-test's runner says what each space saw. `controller`: a port or a board file."""
    from .arguments import board_of, calibrated
    from .selftest import attended, write_report

    board = board_of(controller, None) if controller == "sim" or controller.endswith(".toml") else None
    if board is None:
        from balanxd.config import parse_board

        board = parse_board(f'[link]\nport = "{controller}"\n', f"--controller {controller}", None)
    found = attended(calibrated(board, default_state()))
    if report is not None:
        report.mkdir(parents=True, exist_ok=True)
        write_report(found, board.layout, report / "marbles.json")
    return 0 if found.good else 1


def _build_id(text: str | None) -> int | None:
    if text is None:
        return None
    try:
        return int(text, 16)
    except ValueError:
        raise click.UsageError(f"--build {text}: must be a hexadecimal number, as hello tells it") from None


def _check_names(only: tuple[str, ...]) -> None:
    from balanxd.hil.campaign import GAMES
    from balanxd.hil.checks import CHECKS
    from balanxd.keys import nearest

    names = [check.name for check in CHECKS] + [game.name for game in GAMES]
    for name in only:
        if name not in names:
            raise click.UsageError(f"--only {name}: there is no such check{nearest(name, names)}")


@contextmanager
def _terminated_as_interrupted() -> Iterator[None]:
    """A request to end comes as KeyboardInterrupt, so that every way out makes the boards safe."""

    def interrupt(number: int, frame: Any) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _campaign(
    controller: str | None,
    stimulus: str | None,
    only: tuple[str, ...],
    build: int | None,
    reason: str,
    seed: int,
    report: Path | None,
) -> int:
    from balanxd.hil.bench import Bench
    from balanxd.hil.campaign import Campaign
    from balanxd.hil.images import emulated_rig
    from balanxd.hil.lock import rig_lock
    from balanxd.hil.outcomes import Outcome, Run
    from balanxd.hil.report import write_report
    from balanxd.hil.rig import Rig, SerialRig

    board = _board()
    session = secrets.randbelow(0xFFFE) + 1
    now = wall_clock()
    where = "emulated" if controller is None else f"{controller} and {stimulus}"
    run = Run(f"{now:%Y%m%dT%H%M%S}-{session:04x}", now.isoformat(timespec="seconds"), where)
    with rig_lock(default_state(), controller or f"emulated {run.run_id}", f"{reason}, run {run.run_id}"):
        ports = controller, stimulus
        rig: Rig = emulated_rig(board) if ports == (None, None) else SerialRig(str(controller), str(stimulus))
        try:
            Campaign(Bench(rig, session), board, run, seed, build, _say, only).execute()
        except KeyboardInterrupt:
            click.echo("Stopped: the servo is off and all lines are at rest.", err=True)
        finally:
            rig.close()
            run.ended = wall_clock().isoformat(timespec="seconds")
            if report is not None:
                for path in write_report(run, report):
                    click.echo(f"wrote {path}", err=True)
    counts = ", ".join(f"{run.count(outcome)} {outcome.value}" for outcome in Outcome if run.count(outcome))
    click.echo(f"{run.verdict}: {counts or 'nothing was run'} (run {run.run_id})")
    return {"pass": 0, "fail": 1}.get(run.verdict, 3)


def _known_bad(only: tuple[str, ...], seed: int) -> int:
    from balanxd.hil.images import try_known_bad

    green = 0
    for bad, finding in try_known_bad(_board(), only, seed):
        red = finding.outcome.value == "fail"
        green += not red
        click.echo(
            f"{'red ' if red else 'GREEN'}  {bad.name:16} {bad.caught_by}: {finding.why or finding.outcome.value}"
        )
    click.echo(f"{green} bad firmwares were not found out" if green else "every bad firmware was found out")
    return 1 if green else 0


def _board() -> BoardConfig:
    return simulated_board(None)


def _say(finding: Any) -> None:
    figures = "; ".join(figure.text() for figure in finding.figures)
    click.echo(f"{SIGNS[finding.outcome.value]}  {finding.name}{': ' + finding.why if finding.why else ''}")
    if figures:
        click.echo(f"      {figures}")
    if finding.flaky:
        click.echo(f"      flaky: {'; '.join(finding.tries)}")
