"""`balanx selftest`: what is wrong with a board, by name and space."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from balanxd.clock import date_of, wall_clock
from balanxd.config import BoardConfig
from balanxd.errors import BalanxError
from balanxd.selftest.boardside import BoardSide
from balanxd.selftest.findings import Report, Underway, html, picture
from balanxd.selftest.last import keep
from balanxd.selftest.plan import Plan, SelfTest, lay_out
from balanxd.selftest.script import Told
from rules.balanx.layout import Layout

from .arguments import AddressType, board_of, calibrated, state_of

if TYPE_CHECKING:
    from balanxd.selftest.watched import Watched


@click.command()
@click.option("--board", default="auto", show_default=True, metavar="sim|auto|FILE", help="Which board.")
@click.option("--marbles", is_flag=True, help="Marbles lie as --lay says: both tilts, round after round.")
@click.option(
    "--lay",
    type=click.Choice(["grooves", "rest", "start"]),
    default="grooves",
    show_default=True,
    help="One marble into each of twenty grooves of two; one into each that is left; the start of a game.",
)
@click.option("--rounds", type=click.IntRange(1, 1000), default=50, show_default=True, help="With --marbles.")
@click.option("--seed", type=click.IntRange(0, 2**31 - 1), default=0, help="Chance of the simulated board.")
@click.option(
    "--report",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write FILE as JSON and, beside it, a page with the same name and .html.",
)
@click.option(
    "--state",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder of the board's calibration, where the report is kept for the page, too.",
)
@click.option(
    "--http",
    type=AddressType(),
    metavar="HOST:PORT",
    help="Show the test while it runs, to whoever can reach this address, as 0.0.0.0:8061.",
)
@click.option("--yes", is_flag=True, help="The marbles are laid: do not ask.")
def selftest(
    board: str,
    marbles: bool,
    lay: str,
    rounds: int,
    seed: int,
    report: Path | None,
    state: Path | None,
    http: tuple[str, int] | None,
    yes: bool,
) -> None:
    """Test a board: link, sensors at rest, tilt and end positions; with marbles every space they roll over."""
    config = board_of(board, None)
    folder = state or state_of(config)
    config = calibrated(config, folder)
    if config.tags:
        raise BalanxError(f"{config.source}: the self-test is for boards that tilt")
    spaces = lay_out(config.layout, lay) if marbles else frozenset()
    with ExitStack() as undo:
        watched = None
        if http is not None:
            from balanxd.selftest.watched import Watched

            watched = Watched(http)
            undo.callback(watched.close)
            click.echo(f"The test is shown at {watched.url}", err=True)
        found = run_selftest(config, Plan(spaces, rounds), seed=seed, yes=yes, watched=watched)
        if watched is not None:
            watched.show(html(found, rows_of(config.layout)))
            watched.linger()
    show(found, config.layout)
    try:
        keep(folder, found, rows_of(config.layout), date_of(wall_clock))
    except BalanxError as error:
        click.echo(f"{error}: the page will not show this report.", err=True)
    if report is not None:
        write_report(found, config.layout, report)
    if not found.good:
        raise click.exceptions.Exit(1)


def attended(config: BoardConfig, rounds: int = 5, *, yes: bool = False) -> Report:
    """For `balanx hil --marbles`: a person lays marbles, twice, so that every space is seen; says what each saw."""
    both = Report(config.name, finished=True)
    for lay in ("grooves", "rest"):
        found = run_selftest(config, Plan(lay_out(config.layout, lay), rounds), seed=0, yes=yes)
        show(found, config.layout)
        for space in found.spaces.values():
            if space.tested:
                click.echo(f"{space.space}: seen {space.seen} of {space.expected}, {space.extra} too many")
        both.hello, both.rounds = found.hello, both.rounds + found.rounds
        both.add(found)
    return both


def run_selftest(
    config: BoardConfig, plan: Plan, *, seed: int, yes: bool, watched: Watched | None = None
) -> Report:
    """One run on a simulated or a real board. Raises BalanxError, BridgeError."""
    progress = Progress(config, plan, watched)

    def make(side: BoardSide) -> SelfTest:
        machine = SelfTest(side, plan, progress.tell)
        progress.report = machine.report
        return machine

    if config.simulated:
        from balanxd.simulated.build import build_table
        from balanxd.simulated.tested import devices_for, run_machine

        table = build_table(config, seed)
        try:
            table.place({cell: number % 2 for number, cell in enumerate(sorted(plan.marbles))})
            side = BoardSide(config, session=1 + seed % 0xFFFF, devices=devices_for(config, table))
            machine = make(side)
            run_machine(table, machine)
            return machine.report
        finally:
            table.close()
    from balanxd.selftest.run import run_real

    if plan.marbles:
        names = ", ".join(progress.lay)
        progress.show("Lay one marble on each blue space, and none elsewhere.", None)
        ask_ready(
            f"Lay one marble on each of {names}, and none elsewhere (in a groove of two, either space).", yes
        )
    return run_real(config, make).report


def ask_ready(text: str, yes: bool) -> None:
    """Have a person do something. Raises BalanxError where nobody can answer."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise BalanxError(f"{text} Then say so with --yes.")
    click.echo(text, err=True)
    click.prompt("Enter when done", default="", show_default=False, err=True)


class Progress:
    """Tells people how a test goes: on the terminal (standard error), and on the page where one is served.

    report: the test's, which fills as it goes. lay: names of the spaces that get a marble.
    """

    def __init__(self, config: BoardConfig, plan: Plan, watched: Watched | None) -> None:
        self.report = Report(config.name)
        self.lay = tuple(config.layout.cell_names[cell] for cell in sorted(plan.marbles))
        self._rows, self._watched = rows_of(config.layout), watched

    def tell(self, told: Told) -> None:
        """A line, and how much is done."""
        self.show(told.text, told.share)
        if told.share is None or not sys.stderr.isatty():
            if told.share is None or told.text[:5] != "Round":
                click.echo(told.text, err=True)
            return
        full = round(30 * told.share)
        click.echo(f"\r[{'#' * full}{'.' * (30 - full)}] {told.text:<60}", err=True, nl=told.share >= 1.0)

    def show(self, text: str, share: float | None) -> None:
        """On the page only."""
        if self._watched is not None:
            now = Underway(text, share, self.lay)
            self._watched.show(html(self.report, self._rows, now))


def rows_of(layout: Layout) -> Sequence[Sequence[str]]:
    """Space names as the board lies, Black's edge above."""
    names = layout.cell_names
    return [
        names[rank * layout.files : (rank + 1) * layout.files] for rank in range(layout.ranks - 1, -1, -1)
    ]


def show(report: Report, layout: Layout) -> None:
    """The findings, a picture, one line of verdict."""
    click.echo(report.hello)
    for finding in report.findings:
        where = f" {', '.join(finding.spaces)}" if finding.spaces else ""
        click.echo(f"{finding.kind}{where}: {finding.say}")
    for note in report.remarks():
        click.echo(note)
    if report.spaces or any(each.spaces for each in report.findings):
        click.echo(picture(report, rows_of(layout)))
    if report.good:
        click.echo("Nothing is wrong.")
    else:
        click.echo(
            f"{len(report.findings)} found." if report.findings else "The test did not come to its end."
        )


def write_report(report: Report, layout: Layout, path: Path) -> None:
    """Both files, in a folder that is made where it is not there. Raises BalanxError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(report.data(), indent=1) + "\n", encoding="utf-8")
        path.with_suffix(".html").write_text(html(report, rows_of(layout)), encoding="utf-8")
    except OSError as error:
        raise BalanxError(f"{path}: {error.strerror or error}") from error
