"""`--board firmware`: games on the very image that is flashed, its records, traces, faults, and what outlives it."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from checker import check_trace
from click.testing import CliRunner

from balanxd.__main__ import balanx
from balanxd.config import BoardConfig, parse_board
from balanxd.errors import BalanxError
from balanxd.players import parse_player
from balanxd.retrace import retrace
from balanxd.simulated.build import build_table
from balanxd.simulated.emulated import boot_of, kept_boot
from balanxd.simulated.headless import headless_record
from balanxd.simulated.image import build_image
from balanxd.simulated.world import SimulatedWorld
from firmware_bridge.codec import encode
from firmware_bridge.messages import Lights
from firmware_bridge.palette import PALETTE
from rules.commands import check_output
from sim.table import Table

MACHINES = [parse_player("random")] * 2
FIRMWARE = '[sim]\nfirmware = "build"\n'
TURNS = 6
WHITE, BLACK, WHOLE_SEED = "engine:1", "random", 4
"""A short game with an end."""


def board(more: str = "") -> BoardConfig:
    return parse_board(FIRMWARE + more, "the test's board")


def record_of(more: str = "", *, seed: int = 3, trace: Path | None = None) -> str:
    return headless_record(
        board(more),
        MACHINES,
        seed=seed,
        max_turns=TURNS,
        pty=False,
        date="????.??.??",
        trace_folder=trace,
        say=lambda event: None,
    ).text()


def test_one_seed_one_record_and_a_trace_that_tells_it_again(tmp_path: Path):
    record = record_of(trace=tmp_path)
    assert check_output(record) == "*"
    assert record_of() == record, "with and without a trace, and twice"
    assert retrace(tmp_path).text() == record, "from the board's bytes alone"
    report = check_trace(tmp_path, record)
    assert report.wrong == []
    assert (report.turns, report.exact) == (TURNS, TURNS)


@pytest.mark.slow
def test_a_whole_game_from_the_command_line_is_one_that_the_rules_accept(tmp_path: Path):
    runner = CliRunner()
    told = runner.invoke(
        balanx,
        [
            "play",
            "--board",
            "firmware",
            "--headless",
            "--white",
            WHITE,
            "--black",
            BLACK,
            "--seed",
            str(WHOLE_SEED),
        ],
    )
    assert told.exit_code == 0, told.output
    path = tmp_path / "game.txt"
    path.write_text(told.stdout)
    checked = runner.invoke(balanx, ["rules", "check", str(path)])
    assert checked.exit_code == 0, checked.output
    assert check_output(told.stdout) == "1-0 blocked"


# -- what outlives the process


@pytest.fixture
def world(tmp_path: Path) -> Iterator[list[SimulatedWorld]]:
    worlds: list[SimulatedWorld] = []
    yield worlds
    for each in worlds:
        each.close()


def test_marbles_and_eeprom_outlive_the_emulator(tmp_path: Path, world: list[SimulatedWorld]):
    memory = tmp_path / "table.json"
    said: list[str] = []
    for life in (1, 2, 3):
        world.append(SimulatedWorld(board(), 1, memory, said.append))
        table = world[-1].simulator
        assert isinstance(table, Table)
        if life == 1:
            table.place({9: 0, 30: 1})
        table.advance(1.5)
        assert sorted(table.occupancy()) == [9, 30]
        assert table.controller.boot == life, "the firmware counts its starts in the EEPROM"
        world[-1].save()
    assert said == []


def test_a_board_left_by_the_simulator_goes_on_with_its_boot_number(
    tmp_path: Path, world: list[SimulatedWorld]
):
    memory = tmp_path / "table.json"
    plain = build_table(parse_board("", "x"), 1)
    plain.advance(1.0)
    plain.controller.boot = 300
    memory.write_text(json.dumps(plain.snapshot()))
    world.append(SimulatedWorld(board(), 1, memory, print))
    world[0].simulator.advance(0.5)
    assert world[0].simulator.controller.boot == 301


@pytest.mark.parametrize("number", [0, 1, 2, 255, 256, 65535])
def test_a_boot_number_is_kept_as_the_firmware_keeps_it(number: int):
    assert boot_of(kept_boot(number).ljust(1024, b"\xff")) == number


def test_in_real_time_it_is_looked_at_often_enough(tmp_path: Path, world: list[SimulatedWorld]):
    world.append(SimulatedWorld(board(), 1, None, print))
    now_s = 0.0
    for _ in range(200):
        due_s = world[0].due_s()
        assert now_s <= due_s <= now_s + 0.01
        now_s = due_s
        world[0].step(now_s)
    assert now_s > 0.2


# -- lights


def test_every_colour_of_the_palette_is_seen_again():
    table = build_table(board(), 1)
    try:
        table.advance(0.5)
        table.write(encode(Lights(first=8, palette=bytes(range(16)), id=1)))
        table.advance(0.6)
        assert table.lights[8:24] == bytes(range(16))
        assert len(set(PALETTE)) == 16, "so that a colour has one index"
    finally:
        table.close()


# -- what cannot be done is said in one line


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('firmware = "nowhere.elf"\n', "no such file"),
        ("firmware = 3\n", "must be a text"),
        ('firmware = "build"\n[board]\nsensor = "colour"\n', "presence sensors"),
    ],
)
def test_a_board_that_has_no_such_chip_is_refused(text: str, words: str):
    with pytest.raises(BalanxError, match=words) as refused:
        build_table(parse_board("[sim]\n" + text, "the test's board"), 1)
    assert "the test's board" in str(refused.value)
    assert "\n" not in str(refused.value)


def test_without_an_emulator_one_line_says_so(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("BALANX_EMULATOR", "/nowhere/balanx-emulator")
    told = CliRunner().invoke(
        balanx, ["play", "--board", "firmware", "--headless", "--white", "random", "--black", "random"]
    )
    assert isinstance(told.exception, BalanxError)
    assert "no emulator" in str(told.exception)


def test_without_a_compiler_one_sentence_says_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BalanxError, match="apt-get install make gcc-avr") as refused:
        build_image("classic", 56, tmp_path)
    assert "\n" not in str(refused.value)
