"""The plugin in a builder's own folder of tests: the fixture, what is not here, and the table that ends the run."""

import os
import subprocess
import sys
from pathlib import Path

MINE = """
import pytest
from balanxd.contract.board import Fit, Need

@pytest.mark.board(name="my board answers")
def test_mine(board):
    assert board.greet().cells == board.cells

@pytest.mark.board(needs=(Need.WIDTHS,))
def test_pulses(board):
    raise AssertionError("nobody measures pulses here")

def test_found_out_late(board):
    board.widths_us

def test_bad(board):
    board.run(0.1)
    assert not board.heard
"""
PLAIN = "def test_plain(): pass\n"


def pytest_in(folder: Path, text: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    (folder / "test_mine.py").write_text(text)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "balanxd.contract.plugin",
    ]
    alone = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # others take seconds to load
    return subprocess.run(
        [*command, *arguments, str(folder)],
        cwd=folder,
        env=alone,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_builder_tests_his_own_board(tmp_path: Path) -> None:
    told = pytest_in(tmp_path, MINE, "--board=sim")
    assert told.returncode == 1, told.stdout + told.stderr
    lines = [" ".join(line.split()) for line in told.stdout.splitlines()]
    assert "my board answers ok" in lines
    assert "pulses (1)" in lines
    assert "found_out_late (1)" in lines
    assert "bad FAIL" in lines
    assert "(1) not here: the simulator's controller makes no pulses" in lines
    assert "4 behaviours: sim 1 ok" in lines
    assert "skipped" not in told.stdout


def test_without_a_board_the_plugin_says_nothing(tmp_path: Path) -> None:
    told = pytest_in(tmp_path, PLAIN)
    assert told.returncode == 0
    assert "contract" not in told.stdout


def test_an_unknown_target_is_one_line(tmp_path: Path) -> None:
    told = pytest_in(tmp_path, MINE, "--board=sims")
    assert told.returncode != 0
    assert "--board=sims: choose sim, host, emulated or serial:PORT" in told.stdout + told.stderr
    assert "Traceback" not in told.stdout + told.stderr
