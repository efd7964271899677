"""Calibration of the tilt on simulated movers: mountings, end inputs, angles, level, and what no motor can move."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from balanxd.assemble import assemble, game_on
from balanxd.calibration.plan import Calibrating
from balanxd.calibration.values import Calibration, apply, parse_calibration
from balanxd.config import BoardConfig, parse_board
from balanxd.devices import Devices, open_devices
from balanxd.errors import BalanxError
from balanxd.players import Player
from balanxd.selftest.boardside import BoardSide
from balanxd.selftest.findings import Report
from balanxd.selftest.plan import Plan, SelfTest, lay_out
from balanxd.simulated.build import build_table
from balanxd.simulated.helper import Helper
from balanxd.simulated.pinned import PinnedTable
from balanxd.simulated.tested import run_machine
from hardware.mounting import Mounting
from rules.line import Line
from sim import faults as f
from sim.table import Table

ENDS = "end_pins = [20, 21]\n"
STOP = 'stop = "end-switches"\n'
MOCK = '[gpio]\nfactory = "mock"\n'
BOARDS = {
    "servo": "[tilt]\n",
    "gpio-servo": f'[tilt]\ndrive = "gpio-servo"\npin = 18\n{ENDS}{MOCK}',
    "stepper": f'[tilt]\ndrive = "stepper"\n{ENDS}{STOP}{MOCK}',
    "dc": f'[tilt]\ndrive = "dc"\n{ENDS}{STOP}{MOCK}',
    "servo without ends": "[tilt]\nend_inputs = false\n",
    "gpio-servo without ends": f'[tilt]\ndrive = "gpio-servo"\npin = 18\n{MOCK}',
    "people": '[tilt]\ndrive = "manual"\n',
}
MOTORS = ("servo", "gpio-servo", "stepper", "dc")


class Bench:
    """A board as its file has it, and a table that may be built otherwise."""

    def __init__(self, name: str, sim: str = "", seed: int = 1, *, told: str = "") -> None:
        """sim: lines of [sim.tilt] and tables of [sim] behind it. told: the board's file, where it differs."""
        built = parse_board(f"{BOARDS[name]}[sim.tilt]\n{sim}", "a test")
        self.board = parse_board(told, "a test") if told else built
        self.built, self.seed = built, seed
        self.pulses: list[float] = []

    def table(self) -> Table:
        return build_table(self.built, self.seed)

    def open(self, board: BoardConfig, table: Table) -> tuple[PinnedTable | None, Devices | None]:
        if not board.backends.pins:
            return None, None
        wired = PinnedTable(self.built, table)
        return wired, open_devices(board, wired.pins, wired.bus)

    def calibrate(
        self,
        look: Callable[[Table, Calibrating], None] = lambda table, machine: None,
        fault: f.SimFault | None = None,
        **known: float,
    ) -> Calibrating:
        """From a known wiring on. look: called after each step."""
        table = self.table()
        table.place({})
        if fault is not None:
            table.faults.plan(fault)
        wired, devices = self.open(self.board, table)
        layout = self.board.layout
        begun = replace(Calibration(layout.name, wiring=tuple(layout.cell_names)), **known)  # type: ignore[arg-type]
        machine = Calibrating(BoardSide(self.board, session=5, devices=devices), begun, lambda known: None)
        helper = Helper(table, machine)

        def between(now_s: float) -> None:
            look(table, machine)
            helper.look(now_s)
            if wired is not None and (
                pulse_us := wired.pins.pulse_us(18) if self.built.drive == "gpio-servo" else None
            ):
                self.pulses.append(pulse_us)

        run_machine(table, machine, between=between, limit_s=2000)
        assert wired is None or wired.stops.pushed == 0
        return machine

    def tested(self, known: Calibration, rounds: int = 1) -> Report:
        """The self-test with marbles of the board as calibrated."""
        board, table = apply(self.board, known, "a test"), self.table()
        marbles = lay_out(board.layout, "grooves")
        table.place({cell: number % 2 for number, cell in enumerate(sorted(marbles))})
        wired, devices = self.open(board, table)
        machine = SelfTest(BoardSide(board, session=7, devices=devices), Plan(marbles, rounds))
        run_machine(table, machine)
        assert wired is None or wired.stops.pushed == 0
        self.parked_deg = table.angle_deg
        return machine.report


@pytest.mark.parametrize("exchanged", [False, True])
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("name", MOTORS)
def test_one_marble_tells_every_mounting_on_every_drive(name: str, turned: bool, exchanged: bool) -> None:
    bench = Bench(name, f"reversed = {turned}\nends_exchanged = {exchanged}\n".lower())
    tilts = [0.0]

    def look(table: Table, machine: Calibrating) -> None:
        if machine.wanted is None and machine.known.reversed is None and table.now_s > 0.6:
            tilts.append(abs(table.angle_deg))

    machine = bench.calibrate(look, angle_deg=8.0)
    assert not machine.failed
    known = machine.known
    assert (known.reversed, known.ends_exchanged) == (turned, exchanged)
    assert 2.5 < max(tilts) < 5  # little, until the marble has told the side
    assert any("mounted the other way round" in line for line in machine.said) is turned
    assert any("end inputs are exchanged" in line for line in machine.said) is exchanged
    assert any("exchange the wires" in line for line in machine.said) is (
        name == "servo" and turned != exchanged
    )
    report = bench.tested(known)
    assert report.good, report.findings


@pytest.mark.parametrize("name", ["servo", "gpio-servo"])
def test_a_board_that_is_turned_round_is_found_wrong_by_the_self_test_before_it_is_calibrated(
    name: str,
) -> None:
    bench = Bench(name, "reversed = true\n")
    report = bench.tested(Calibration(bench.board.layout.name))
    assert [each.kind for each in report.findings] == ["wrong_way"]


@pytest.mark.parametrize(("lean_deg", "seed"), [(0.0, 1), (1.0, 2), (-1.0, 3), (2.0, 3), (-2.0, 1), (2.0, 2)])
def test_a_servo_levels_the_board_and_all_marbles_roll_to_both_sides(lean_deg: float, seed: int) -> None:
    rough = (0.003, 0.006, 0.012)[seed - 1]
    least = (0.7, 1.0, 1.3)[seed - 1]
    sim = f"lean_deg = {lean_deg}\nmin_roll_deg = {least}\n[sim.contact]\nrolling_mu = {rough}\nmu_spread = 0.6\n"
    bench = Bench("servo without ends", sim, seed)
    machine = bench.calibrate()
    assert not machine.failed
    known = machine.known
    assert known.angle_deg is not None
    assert known.offset_deg is not None
    assert known.lean_deg == pytest.approx(lean_deg, abs=0.2)
    assert known.offset_deg == pytest.approx(-lean_deg, abs=0.25)
    assert 6.0 <= known.angle_deg <= 8.0 - abs(known.offset_deg)
    assert not any("raise" in line for line in machine.said)
    report = bench.tested(known, rounds=2)
    assert report.good, report.findings
    assert bench.parked_deg + lean_deg == pytest.approx(0.0, abs=0.3)


def test_no_pulse_is_beyond_the_boards_angle_with_its_level_moved() -> None:
    bench = Bench("gpio-servo without ends", "lean_deg = 2.0\n")
    machine = bench.calibrate()
    assert machine.known.offset_deg == pytest.approx(-2.0, abs=0.2)
    assert min(bench.pulses) == pytest.approx(1420, abs=0.5)
    assert max(bench.pulses) == pytest.approx(1580, abs=0.5)
    assert bench.tested(machine.known).good


def test_an_arm_that_sits_askew_is_made_good_where_the_end_inputs_still_close() -> None:
    told = f"{BOARDS['gpio-servo']}".replace("pin = 18", "pin = 18\nlevel_us = 1505.0")
    bench = Bench("gpio-servo", told=told)
    known = bench.calibrate().known
    assert known.lean_deg == pytest.approx(0.5, abs=0.15)
    assert known.offset_deg == pytest.approx(-0.5, abs=0.15)
    assert known.angle_deg == pytest.approx(7.5, abs=0.15)
    assert bench.tested(known).good


def test_what_end_inputs_fix_is_told_and_not_moved() -> None:
    machine = Bench("servo", "lean_deg = 2.0\n").calibrate()
    assert (machine.known.offset_deg, machine.known.angle_deg) == (0.0, 8.0)
    assert any(
        "raise that side of the board by about 2.0 degrees" in line and "White's" in line
        for line in machine.said
    )


def test_what_is_more_than_the_motor_may_make_good_is_told() -> None:
    machine = Bench("servo without ends", "lean_deg = -3.0\n").calibrate()
    assert machine.known.offset_deg == 2.0
    assert any(
        "raise that side of the board by about 1.0 degrees" in line and "Black's" in line
        for line in machine.said
    )


def test_a_stepper_knows_where_level_is_between_its_ends() -> None:
    bench = Bench("stepper", "lean_deg = -1.5\nreversed = true\n")
    machine = bench.calibrate()
    known = machine.known
    assert known.offset_deg == pytest.approx(1.5, abs=0.2)
    assert known.angle_deg == pytest.approx(7.35, abs=0.2)  # where its end switches are
    assert any("raise" in line and "Black's" in line for line in machine.said)
    assert bench.tested(known).good
    assert bench.parked_deg == pytest.approx(1.5, abs=0.2)


def test_a_dc_motor_is_told_what_it_cannot_know() -> None:
    machine = Bench("dc", "lean_deg = 1.0\n").calibrate()
    assert (machine.known.angle_deg, machine.known.offset_deg) == (8.0, None)
    assert any("a DC motor cannot tell" in line for line in machine.said)


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        (f.EndNever(seat=1), "end input of Black's side does not close"),
        (f.EndAlways(seat=0), "closed although the board is level"),
        (f.Stalled(), "did not roll with the board"),
    ],
)
def test_what_keeps_it_from_its_end_is_one_sentence(fault: f.SimFault, why: str) -> None:
    assert why in Bench("servo").calibrate(fault=fault).failed


@pytest.mark.parametrize("exchanged", [False, True])
def test_people_who_push_the_board_show_which_end_input_is_which(exchanged: bool) -> None:
    bench = Bench("people", f"ends_exchanged = {exchanged}\n".lower())
    machine = bench.calibrate()
    assert (machine.failed, machine.known.ends_exchanged) == ("", exchanged)
    board, table = apply(bench.board, machine.known, "a test"), bench.table()
    players = (Player("human"), Player("human"))
    pipeline = assemble(board, Line.begin(game_on(board)), players, seed=1, header=None)
    table.advance(0.5)
    pipeline.opened(table.now_s)
    for _ in range(200):
        table.write(pipeline.take_bytes())
        table.advance(table.now_s + 0.01)
        pipeline.receive(table.read(), table.now_s)
    assert pipeline.drive.side == 0  # the table begins with White's side down


V1 = Path(__file__).with_name("calibration_v1.json")


def test_a_file_of_the_version_before_is_read_and_its_angle_used_where_no_end_input_must_close() -> None:
    known = parse_calibration(V1.read_text(), str(V1))
    assert (known.reversed, known.angle_deg, known.ends_exchanged, known.offset_deg) == (
        False,
        6.0,
        None,
        None,
    )
    with_ends = apply(Bench("servo").board, known, "c.json")
    assert (with_ends.side_checked, with_ends.limits.full_cdeg) == (True, 800)
    assert apply(Bench("servo without ends").board, known, "c.json").limits.full_cdeg == 600
    assert parse_calibration(known.text(), "again") == known
    with pytest.raises(BalanxError, match="unknown key 'offset_deg'"):
        parse_calibration(V1.read_text().replace('"lean_deg"', '"offset_deg"'), "c.json")


def test_a_calibration_tilts_no_further_than_the_boards_file_allows() -> None:
    board = Bench("servo without ends").board
    known = Calibration(board.layout.name, reversed=True, angle_deg=7.5, offset_deg=-1.5)
    applied = apply(board, known, "c.json")
    assert applied.mounting == Mounting(reversed=True)
    assert (applied.limits.angle(0), applied.limits.angle(1)) == (500, -800)
    with pytest.raises(BalanxError, match=r"offset_deg is 2\.1"):
        parse_calibration(replace(known, offset_deg=2.1).text(), "c.json")
