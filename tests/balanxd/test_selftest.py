"""The self-test on the simulator: each fault by its name at its space, and nothing on a healthy board."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from balanxd.cli.hil import hil
from balanxd.cli.selftest import selftest, write_report
from balanxd.config import simulated_board
from balanxd.selftest.boardside import BoardSide
from balanxd.selftest.findings import Report, SpaceReport
from balanxd.selftest.plan import Plan, SelfTest, lay_out
from balanxd.selftest.run import run_port
from balanxd.selftest.script import Told
from balanxd.simulated.build import build_table
from balanxd.simulated.tested import run_machine
from sim import faults as f
from sim.table import Table

BOARD = simulated_board()
LAYOUT = BOARD.layout


def run_test(seed: int, fault: f.SimFault | None = None, lay: str = "grooves", rounds: int = 3) -> Report:
    """A run with marbles; `lay` empty: without."""
    table = build_table(BOARD, seed)
    marbles = lay_out(LAYOUT, lay) if lay else frozenset()
    table.place({cell: number % 2 for number, cell in enumerate(sorted(marbles))})
    if fault is not None:
        table.faults.plan(fault)
    machine = SelfTest(BoardSide(BOARD, session=7), Plan(marbles, rounds))
    run_machine(table, machine)
    return machine.report


SENSORS: list[tuple[f.SimFault, tuple[str, ...]]] = [
    (f.StuckOn(space="e2"), ("e2",)),
    (f.StuckOn(space="b8"), ("b8",)),
    (f.StuckOff(space="b7"), ("b7",)),
    (f.Swapped(space="a1", other="e2"), ("a1", "e2")),
    (f.Swapped(space="c4", other="b8"), ("c4", "b8")),
    (f.Swapped(space="c3", other="c4"), ("c3", "c4")),
    (f.Crosstalk(space="d1", neighbour="c1"), ("d1", "c1")),
    (f.Crosstalk(space="b7", neighbour="a7"), ("b7", "a7")),
    (f.Weak(space="a8"), ("a8",)),
    (f.Flickering(space="c7"), ("c7",)),
    (f.Flickering(space="b1"), ("b1",)),
    (f.OpenWire(space="a8"), ("a8",)),
    (f.OpenWire(space="d1"), ("d1",)),
    (f.MarbleStuck(space="d2"), ("d2",)),
    (f.MarbleStuck(space="c7"), ("c7",)),
]
DRIVES: list[f.SimFault] = [
    f.TiltShort(),
    f.Stalled(),
    f.WrongWay(),
    f.EndNever(seat=0),
    f.EndNever(seat=1),
    f.EndAlways(seat=0),
    f.EndAlways(seat=1),
    f.ServoLate(),
    f.BrownOut(motions=1),
]


@pytest.mark.parametrize(("fault", "spaces"), SENSORS, ids=lambda each: str(getattr(each, "space", "")))
def test_a_faulty_sensor_or_marble_is_named_at_its_space(fault: f.SimFault, spaces: tuple[str, ...]) -> None:
    report = run_test(1, fault)
    assert [(each.kind, each.spaces) for each in report.findings] == [(f.kind_of(fault), spaces)]


@pytest.mark.parametrize("level", [0, 1])
def test_a_dead_chain_is_named_from_its_first_input_on(level: int) -> None:
    (found,) = run_test(1, f.DeadChain(input=LAYOUT.cell_names.index("b6"), level=level)).findings
    assert found.kind == "dead_chain"
    assert "b6" in found.spaces[: 1 + level]  # a6 before it was never free of doubt
    assert found.spaces[-1] == "g8"


@pytest.mark.parametrize("fault", DRIVES, ids=repr)
def test_a_faulty_drive_is_named(fault: f.SimFault) -> None:
    report = run_test(2, fault)
    assert [each.kind for each in report.findings] == [f.kind_of(fault)]
    if isinstance(fault, f.EndNever | f.EndAlways):
        assert ("White's", "Black's")[fault.seat] in report.findings[0].say


@pytest.mark.parametrize(
    "fault", [f.Stalled(), f.WrongWay(), f.EndNever(seat=1), f.EndAlways(seat=1)], ids=repr
)
def test_a_faulty_drive_is_named_without_marbles(fault: f.SimFault) -> None:
    assert [each.kind for each in run_test(3, fault, lay="").findings] == [f.kind_of(fault)]


@pytest.mark.parametrize("seed", range(20))
def test_nothing_is_found_on_a_healthy_board(seed: int) -> None:
    report = run_test(seed, lay=("grooves", "rest", "start", "")[seed % 4])
    assert report.good, report.findings


def test_grooves_and_rest_bring_a_marble_to_every_space() -> None:
    both = [run_test(1, lay=lay).spaces for lay in ("grooves", "rest")]
    assert all(any(spaces[name].tested for spaces in both) for name in LAYOUT.cell_names)


def test_a_silent_board_is_one_sentence() -> None:
    table = build_table(BOARD, 1)
    table.faults.cut_wire()
    machine = SelfTest(BoardSide(BOARD, session=7), Plan())
    run_machine(table, machine)
    (found,) = machine.report.findings
    assert found.kind == "link"
    assert not machine.report.good


def test_the_command_writes_both_reports_and_tells_by_its_status(tmp_path: Path) -> None:
    board = tmp_path / "board.toml"
    board.write_text('[[sim.fault]]\nkind = "stuck_off"\nspace = "b7"\n')
    out, state = tmp_path / "report.json", ["--state", str(tmp_path)]
    said = CliRunner().invoke(
        selftest, ["--board", str(board), "--marbles", "--rounds", "2", "--report", str(out), *state]
    )
    assert said.exit_code == 1
    assert "stuck_off b7: b7 does not see its marble" in said.output
    told = json.loads(out.read_text())
    assert told["findings"][0]["kind"] == "stuck_off"
    assert "b7 does not see its marble" in out.with_suffix(".html").read_text()
    well = CliRunner().invoke(selftest, ["--board", "sim", *state])
    assert (well.exit_code, well.output.splitlines()[-1]) == (0, "Nothing is wrong.")


def test_a_person_with_marbles_brings_one_to_every_space(tmp_path: Path) -> None:
    said = CliRunner().invoke(hil, ["--controller", "sim", "--marbles", "--report", str(tmp_path / "out")])
    assert said.exit_code == 0, said.output
    for name in LAYOUT.cell_names:
        assert re.search(rf"^{name}: seen (5|10) of \1, 0 too many$", said.output, re.MULTILINE)
    told = json.loads((tmp_path / "out" / "marbles.json").read_text())
    assert (told["good"], told["notes"], told["rounds"]) == (True, [], 10)
    assert all(space["tested"] for space in told["spaces"].values())


class Line:
    """A port without a file: bytes of a simulated table, which lives while somebody sleeps."""

    port = "a simulated table"

    def __init__(self, table: Table) -> None:
        self._table = table

    def fileno(self) -> None:
        return None

    def sleep(self, lasts_s: float) -> None:
        self._table.advance(self._table.now_s + max(lasts_s, 0.001))

    def write(self, data: bytes) -> None:
        self._table.write(data)

    def read(self) -> bytes:
        return self._table.read()

    def close(self) -> None:
        pass


def test_the_test_runs_over_a_port() -> None:
    table = build_table(BOARD, 1)
    line = Line(table)
    told: list[Told] = []
    machine = SelfTest(BoardSide(BOARD, session=7), Plan(), told.append)
    run_port(machine, line, clock=lambda: table.now_s, sleep=line.sleep)
    assert machine.report.good, machine.report.findings
    assert told[-1].share == 1.0


def test_names_in_the_page_are_no_markup(tmp_path: Path) -> None:
    report = Report("<b>", spaces={"a1": SpaceReport("a1")})
    report.find("link", ("<i>",), "<script>")
    write_report(report, LAYOUT, tmp_path / "r.json")
    page = (tmp_path / "r.html").read_text()
    assert "<script>" not in page
    assert "<i>" not in page
