"""`balanx hil`: a controller tested electrically, by a stimulus board and without marbles."""

from __future__ import annotations

import json
import os
import platform
import secrets
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from balanxd.clock import wall_clock
from balanxd.config import BoardConfig, parse_board
from balanxd.errors import BalanxError
from balanxd.keys import nearest
from firmware_bridge.errors import BridgeError

from .arguments import board_of, calibrated, default_state

if TYPE_CHECKING:
    from balanxd.hil.checks import Check
    from balanxd.hil.outcomes import Finding
    from balanxd.hil.rig import Rig

GRACE_S = 15.0  # from the end of the time to the end by force
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
    "--limit",
    "limit_s",
    type=click.IntRange(1),
    default=900,
    show_default=True,
    metavar="SECONDS",
    help="By the clock: what has not run by then did not run, and the report says so.",
)
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
    limit_s: int,
    report: Path | None,
) -> None:
    """Test a controller with hardware in the loop.

    Exit status 0: every promise holds. 1: one does not. 3: the rig is broken or not all was run.
    """
    if marbles:
        if controller is None or stimulus or emulated or known_bad:
            raise click.UsageError("--marbles goes with --controller PORT alone")
        sys.exit(_attended(controller, report))
    if emulated == (controller is not None or stimulus is not None):
        raise click.UsageError("give --controller PORT and --stimulus PORT, or --emulated")
    if not emulated and (controller is None or stimulus is None):
        raise click.UsageError("a rig has two ports: --controller PORT and --stimulus PORT")
    if known_bad:
        if not emulated:
            raise click.UsageError(
                "--known-bad is for --emulated: no bad firmware is flashed into a real board"
            )
        if build is not None or report is not None:
            raise click.UsageError("--known-bad goes with neither --build nor --report")
        sys.exit(_known_bad(only, limit_s))
    ports = (controller, stimulus) if controller and stimulus else None
    sys.exit(_campaign(ports, _planned(only, seed), _build_id(build), reason, limit_s, report))


def _attended(controller: str, report: Path | None) -> int:
    """A person lays marbles; the self-test's runner says what each space saw. `controller`: a port or a board file."""
    from .selftest import attended, write_report

    if controller == "sim" or controller.endswith(".toml"):
        board = board_of(controller, None)
    else:
        board = parse_board(f"[link]\nport = {json.dumps(controller)}\n", f"--controller {controller}", None)
    found = attended(calibrated(board, default_state()))
    if report is not None:
        write_report(found, board.layout, report / "marbles.json")
    return 0 if found.good else 1


def _build_id(text: str | None) -> int | None:
    if text is None:
        return None
    try:
        return int(text, 16)
    except ValueError:
        raise click.UsageError(f"--build {text}: must be a hexadecimal number, as hello tells it") from None


def _planned(only: tuple[str, ...], seed: int) -> list[Check]:
    """Checks and games that are wanted, in the plan's order. Raises UsageError."""
    from balanxd.hil.checks import CHECKS
    from balanxd.hil.games import GAMES, check_of

    board = _table()
    plan = CHECKS + [check_of(game, board, seed) for game in GAMES]
    _check_names(only, [check.name for check in plan])
    return [check for check in plan if not only or check.name in only]


def _table() -> BoardConfig:
    """The simulated table of a rig: its stimulus board drives an input a space, and has none left for buttons."""
    return parse_board("", "the rig's table")


def _check_names(only: tuple[str, ...], names: Sequence[str]) -> None:
    for name in only:
        if name not in names:
            raise click.UsageError(f"--only {name}: there is no such check{nearest(name, names)}")


@contextmanager
def _stopped_by_signals(stop: Callable[[str], None], limit_s: int) -> Iterator[None]:
    """A request to end, or the end of the time, is told to `stop`; the next one comes as KeyboardInterrupt."""
    asked: list[int] = []

    def ask(number: int, frame: Any) -> None:
        asked.append(number)
        if len(asked) > 1:
            raise KeyboardInterrupt
        stop(f"{limit_s} s were over" if number == signal.SIGALRM else "somebody stopped the run")

    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGALRM)
    before = [signal.signal(number, ask) for number in numbers]
    signal.setitimer(signal.ITIMER_REAL, limit_s, GRACE_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


def _campaign(
    ports: tuple[str, str] | None,
    checks: Sequence[Check],
    build: int | None,
    reason: str,
    limit_s: int,
    report: Path | None,
) -> int:
    """Run the checks on a rig; the exit status. ports: controller and stimulus board, None for an emulated rig."""
    from balanxd.hil.bench import Bench
    from balanxd.hil.campaign import Campaign
    from balanxd.hil.lock import rig_lock
    from balanxd.hil.outcomes import Outcome, Run
    from balanxd.hil.report import write_report

    session = secrets.randbelow(0xFFFE) + 1
    now = wall_clock()
    where = "emulated" if ports is None else " and ".join(ports)
    run = Run(f"{now:%Y%m%dT%H%M%S}-{session:04x}", now.isoformat(timespec="seconds"), where)
    run.identity["host"] = (
        f"balanx {version('balanx')}, Python {platform.python_version()}, {platform.platform()}"
    )
    run.plan((check.name, check.promise) for check in checks)
    with ExitStack() as undo:
        if ports is not None:
            held = os.path.realpath(ports[0])
            undo.enter_context(rig_lock(default_state(), held, f"{reason}, run {run.run_id}"))
        if report is not None:
            write_report(run, report)  # a folder that cannot be written is told now, not behind the run
        try:
            rig = _rig(ports)
            undo.callback(rig.close)
            bench = Bench(rig, session)

            def stop(why: str) -> None:
                bench.stop_why = why

            with _stopped_by_signals(stop, limit_s):
                Campaign(bench, run, build, _say).execute(checks)
        except KeyboardInterrupt:
            run.leave(Outcome.NOT_RUN, "the run was ended by force")
        except (BridgeError, BalanxError) as error:
            run.leave(Outcome.RIG, str(error))
        run.ended = wall_clock().isoformat(timespec="seconds")
        if report is not None:
            for path in write_report(run, report):
                click.echo(f"wrote {path}", err=True)
    if run.why:
        click.echo(f"The run came to no end: {run.why}")
    click.echo(f"{run.verdict}: {run.counts()} (run {run.run_id})")
    return {Outcome.PASS: 0, Outcome.FAIL: 1}.get(run.verdict, 3)


def _rig(ports: tuple[str, str] | None) -> Rig:
    from balanxd.hil.images import emulated_rig
    from balanxd.hil.rig import SerialRig

    return emulated_rig(_table()) if ports is None else SerialRig(*ports)


def _known_bad(only: tuple[str, ...], limit_s: int) -> int:
    """Run firmware that must fail; the exit status."""
    from balanxd.hil.images import try_known_bad
    from balanxd.hil.known_bad import RIG_FINDS
    from balanxd.hil.outcomes import Outcome

    _check_names(only, [bad.check for bad in RIG_FINDS])
    bads = [bad for bad in RIG_FINDS if not only or bad.check in only]
    green = 0

    def stop(why: str) -> None:
        raise BalanxError(f"{why}: not every bad firmware was tried")

    with _stopped_by_signals(stop, limit_s):
        for bad, finding in try_known_bad(_table(), bads):
            red = finding.outcome is Outcome.FAIL
            green += not red
            mark = "red  " if red else "GREEN"
            click.echo(f"{mark}  {bad.name:16} {bad.check}: {finding.why or finding.outcome.value}")
    click.echo(f"{green} bad firmwares were not found out" if green else "every bad firmware was found out")
    return 1 if green else 0


def _say(finding: Finding) -> None:
    click.echo(f"{SIGNS[finding.outcome]}  {finding.name}{': ' + finding.why if finding.why else ''}")
    if finding.figures:
        click.echo(f"      {'; '.join(figure.text() for figure in finding.figures)}")
    if finding.flaky:
        click.echo(f"      flaky: {'; '.join(finding.tries)}")
