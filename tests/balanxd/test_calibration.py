"""Calibration on the simulator: scrambled wiring and a reversed servo are found, breaks are gone on from."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from balanxd.calibration.asking import Wanted
from balanxd.calibration.plan import Calibrating
from balanxd.calibration.store import Store
from balanxd.calibration.values import Calibration, apply, parse_calibration
from balanxd.cli.calibrate import calibrate
from balanxd.config import parse_board, simulated_board
from balanxd.errors import BalanxError
from balanxd.players import Player
from balanxd.selftest.boardside import BoardSide
from balanxd.simulated.build import build_table
from balanxd.simulated.headless import headless_record
from balanxd.simulated.helper import Helper
from balanxd.simulated.tested import run_machine
from hardware.mounting import Mounting
from referee.events import Fault, GameEvent
from rules.record import UNKNOWN_DATE
from sim.table import Table

TOLD = simulated_board()
NAMES = list(TOLD.layout.cell_names)
SCRAMBLED = tuple(random.Random(3).sample(NAMES, len(NAMES)))
STRAIGHT = Calibration(TOLD.layout.name, wiring=tuple(NAMES))
Look = Callable[[Table, Calibrating], Callable[[float], None]]


def helped(table: Table, machine: Calibrating) -> Callable[[float], None]:
    return Helper(table, machine).look


def run(
    known: Calibration, look: Look = helped, *, reversed: bool = False, keep: list[Calibration] | None = None
) -> Calibrating:
    wiring = str(list(SCRAMBLED if known.wiring is None else NAMES)).replace("'", '"')
    text = f"[board]\nwiring = {wiring}\n[sim.tilt]\nreversed = {str(reversed).lower()}\n"
    table = build_table(parse_board(text, "a test"), 1)
    table.place({})
    kept = [] if keep is None else keep
    machine = Calibrating(BoardSide(TOLD, session=5), known, kept.append)
    run_machine(table, machine, between=look(table, machine), limit_s=2000)
    return machine


class Broken(Exception):
    """The program was killed."""


@pytest.mark.parametrize("turned", [False, True])
def test_a_scrambled_wiring_and_the_side_of_the_servo_are_found(turned: bool) -> None:
    machine = run(Calibration(), reversed=turned)
    known = machine.known
    assert not machine.failed
    assert (known.wiring, known.reversed) == (SCRAMBLED, turned)
    assert known.angle_deg is not None
    assert 6 <= known.angle_deg <= 8
    assert known.threshold is not None


@pytest.mark.parametrize("after", [1, 30, 56, 57, 58, 59])
def test_it_goes_on_after_a_kill_at_every_step(after: int) -> None:
    kept: list[Calibration] = []

    def killed(table: Table, machine: Calibrating) -> Callable[[float], None]:
        help_out = Helper(table, machine).look

        def look(now_s: float) -> None:
            if len(kept) >= after:
                raise Broken
            help_out(now_s)

        return look

    with pytest.raises(Broken):
        run(Calibration(), killed, keep=kept)
    rest: list[Calibration] = []
    begun = parse_calibration(kept[-1].text(), "kept")
    table = build_table(parse_board(f"[board]\nwiring = {list(SCRAMBLED)}\n".replace("'", '"'), "t"), 2)
    table.place({})
    machine = Calibrating(BoardSide(TOLD, session=5), begun, rest.append)
    run_machine(table, machine, between=Helper(table, machine).look, limit_s=2000)
    assert machine.known.wiring == SCRAMBLED
    assert len(kept) + len(rest) == 60


def test_two_marbles_and_a_space_seen_before_are_refused_in_one_sentence() -> None:
    said: list[str] = []

    def clumsy(table: Table, machine: Calibrating) -> Callable[[float], None]:
        help_out = Helper(table, machine)
        wrong = {1: frozenset({NAMES.index("b1"), NAMES.index("d8")}), 2: frozenset({NAMES.index("a1")})}
        tried: list[Wanted] = []

        def look(now_s: float) -> None:
            said.extend(machine.said)
            machine.said.clear()
            wanted = machine.wanted
            if wanted is not None and wanted.cells == {NAMES.index("b1")} and wrong:
                if wanted not in [each for each in tried if each is wanted]:
                    tried.append(wanted)
                    table.place(dict.fromkeys(wrong.pop(min(wrong)), 0))
                return
            help_out.look(now_s)

        def careful(now_s: float) -> None:
            if tried and machine.wanted is tried[-1]:
                said.extend(machine.said)
                machine.said.clear()
                return
            look(now_s)

        return careful

    machine = run(Calibration(), clumsy)
    assert machine.known.wiring == SCRAMBLED
    assert "2 marbles are seen at once: lift all, and put one on b1 only." in said
    assert "That is where a1 was: lift it, and put it on b1." in said


def test_a_light_shows_the_space_where_the_boards_file_has_it() -> None:
    board = parse_board(f"[board]\nwiring = {list(SCRAMBLED)}\n".replace("'", '"'), "a test")
    table = build_table(board, 1)
    table.place({})
    machine = Calibrating(BoardSide(board, session=5), Calibration(), lambda known: None)
    help_out = Helper(table, machine).look
    lit: dict[str, set[str]] = {}

    def look(now_s: float) -> None:
        for line in machine.said:
            assert "lit space" not in line  # the name decides
        machine.said.clear()
        shown = {SCRAMBLED[number] for number, light in enumerate(table.lights) if light}
        if machine.wanted is not None and len(machine.wanted.cells) == 1 and machine.known.wiring is None:
            (cell,) = machine.wanted.cells
            lit.setdefault(NAMES[cell], set()).update(shown)
        help_out(now_s)

    run_machine(table, machine, between=look, limit_s=2000)
    assert machine.known.wiring == SCRAMBLED
    assert lit == {name: {name} for name in NAMES}


def test_the_file_is_whole_and_the_one_before_comes_back(tmp_path: Path) -> None:
    store = Store(tmp_path / "state")
    store.finish(STRAIGHT)
    store.keep(replace(STRAIGHT, angle_deg=7.0))
    assert store.load() == STRAIGHT
    store.finish(replace(STRAIGHT, angle_deg=7.0))
    assert store.begun(STRAIGHT.layout) is None
    assert store.restore() == STRAIGHT
    assert store.load() == STRAIGHT
    store.path.write_text(STRAIGHT.text()[:40])
    with pytest.raises(BalanxError, match="not a calibration"):
        store.load()


def test_a_break_is_gone_on_from_on_a_board_of_that_layout_only(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.keep(replace(STRAIGHT, layout="wide"))
    assert store.begun("classic") is None
    assert store.begun("wide") is not None


@pytest.mark.parametrize("value", ["NaN", "Infinity", "1e999", '"7"', "[7]"])
@pytest.mark.parametrize("key", ["angle_deg", "lean_deg", "threshold"])
def test_a_file_with_an_impossible_number_is_one_sentence(key: str, value: str) -> None:
    with pytest.raises(BalanxError, match=f"c.json: {key} is "):
        parse_calibration(f'{{"version": 1, "layout": "classic", "{key}": {value}}}', "c.json")


@pytest.mark.parametrize(
    "text",
    [
        f'{{"version": 2, "layout": "classic", "angle_deg": 1{"0" * 400}}}',
        '{"version": 2, "layout": "classic", "found": [["a1", 1e999]]}',
        "[" * 100_000,
    ],
    ids=["beyond any number", "no input", "deep"],
)
def test_a_file_that_no_calibration_wrote_is_one_sentence(text: str) -> None:
    with pytest.raises(BalanxError, match=r"c\.json: not a calibration"):
        parse_calibration(text, "c.json")


def test_a_calibration_of_another_board_is_refused_and_its_own_is_applied() -> None:
    done = replace(STRAIGHT, wiring=SCRAMBLED, reversed=True, ends_exchanged=False, angle_deg=7.0)
    board = apply(TOLD, done, "calibration.json")
    assert board.wiring.inputs[0] == NAMES.index(SCRAMBLED[0])
    assert (board.side_checked, board.mounting, board.limits.full_cdeg) == (
        True,
        Mounting(reversed=True),
        700,
    )
    with pytest.raises(BalanxError, match="layout 'wide'"):
        apply(TOLD, replace(done, layout="wide"), "calibration.json")


def test_the_command_runs_on_the_simulator(tmp_path: Path) -> None:
    said = CliRunner().invoke(calibrate, ["--board", "sim", "--state", str(tmp_path)])
    assert said.exit_code == 0, said.output
    known = Store(tmp_path).load()
    assert known is not None
    assert known.wiring == tuple(NAMES)


def test_a_folder_that_cannot_be_written_is_told_before_a_marble_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    said = CliRunner().invoke(calibrate, ["--board", "sim", "--state", str(tmp_path / "file" / "state")])
    assert isinstance(said.exception, BalanxError)
    assert said.output == ""


def test_a_check_of_the_folder_loses_no_calibration_that_was_broken_off(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.check()
    assert store.begun(STRAIGHT.layout) is None
    store.keep(STRAIGHT)
    store.check()
    assert store.begun(STRAIGHT.layout) == STRAIGHT


def test_a_board_with_a_reversed_servo_plays_once_it_is_known() -> None:
    board = replace(parse_board("[sim.tilt]\nreversed = true\n", "a test"), mounting=Mounting(reversed=True))
    players = (Player("random"), Player("random"))
    faults: list[str] = []

    def say(event: GameEvent) -> None:
        if isinstance(event, Fault):
            faults.append(event.say)

    headless_record(
        board, players, seed=1, max_turns=4, pty=False, date=UNKNOWN_DATE, trace_folder=None, say=say
    )
    assert not faults
