"""Each import contract of pyproject.toml really fails when its rule is broken, and only that one."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LINTER = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
NAMES = {contract["name"]: contract["id"] for contract in LINTER["contracts"]}

# (a module added to the tree, its text, the contracts that this breaks)
CASES = [
    ("firmware_bridge/intruder.py", "import hardware", {"rooms"}),
    ("hardware/intruder.py", "import referee", {"rooms"}),
    ("referee/intruder.py", "import engine", {"rooms"}),
    ("hardware/intruder.py", "import sim", {"rooms", "composition-roots"}),
    ("rules/intruder.py", "import hardware", {"rules-alone"}),
    ("hardware/intruder.py", "from rules import game", {"cells-not-games"}),
    ("firmware_bridge/intruder.py", "import rules.balanx", {"cells-not-games"}),
    ("engine/intruder.py", "import hardware", {"engine-rules-only"}),
    ("referee/intruder.py", "import firmware_bridge", {"referee-not-wire"}),
    ("sim/intruder.py", "import rules.balanx", {"sim-geometry-only"}),
    ("sim/intruder.py", "from rules.balanx.layout import Layout", set()),
    ("balanxd/intruder.py", "import sim", {"composition-roots"}),
    ("balanxd/bench.py", "import sim", set()),
    ("rules/intruder.py", "import time", {"pure-rooms"}),
    ("referee/intruder.py", "import asyncio", {"pure-rooms"}),
    ("engine/intruder.py", "from threading import Thread", {"pure-rooms"}),
    ("hardware/intruder.py", "import os.path", {"pure-rooms"}),
    ("sim/intruder.py", "def run() -> None:\n    import subprocess", {"pure-rooms"}),
    ("firmware_bridge/intruder.py", "import socket", {"pure-rooms"}),
    ("engine/intruder.py", "import random", {"seeded-chance"}),
    ("sim/intruder.py", "import random", set()),
    ("balanxd/intruder.py", "import serial", {"one-serial-file"}),
    ("firmware_bridge/intruder.py", "from serial.tools import list_ports", {"one-serial-file"}),
    ("balanxd/intruder.py", "import gpiozero", {"back-ends"}),
    ("hardware/intruder.py", "from adafruit_motorkit import MotorKit", {"back-ends"}),
    ("hardware/motorkit.py", "import gpiozero, time", {"back-ends", "pure-rooms"}),
    ("hardware/mockpins.py", "import gpiozero", set()),
    ("rules/intruder.py", "from rules import accomplice", {"no-cycles"}),
]


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the rooms and of the contracts."""
    copy = tmp_path_factory.mktemp("tree")
    for room in LINTER["root_packages"]:
        shutil.copytree(ROOT / room, copy / room, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", copy)
    return copy


def broken_contracts(tree: Path) -> set[str]:
    """The ids of the contracts that import-linter reports as broken in this tree."""
    run = subprocess.run(
        [Path(sys.executable).parent / "lint-imports", "--no-cache", "--no-logo"],
        cwd=tree,
        env=os.environ | {"COLUMNS": "400"},
        capture_output=True,
        text=True,
        check=False,
    )
    verdicts = dict(re.findall(r"^(.+) (KEPT|BROKEN)\b", run.stdout, re.MULTILINE))
    assert verdicts.keys() == NAMES.keys(), run.stdout + run.stderr
    return {NAMES[name] for name, verdict in verdicts.items() if verdict == "BROKEN"}


@pytest.fixture(scope="module")
def broken_before(tree: Path) -> set[str]:
    """What the tree breaks by itself: one test says so, the others need not fail with it."""
    return broken_contracts(tree)


def test_each_contract_has_a_case() -> None:
    assert set[str]().union(*(expected for _, _, expected in CASES)) == set(NAMES.values())


def test_each_room_is_under_contract() -> None:
    assert set(LINTER["root_packages"]) == {path.parent.name for path in ROOT.glob("*/py.typed")}


def test_the_tree_as_it_is_keeps_every_contract(broken_before: set[str]) -> None:
    assert broken_before == set()


@pytest.mark.parametrize(
    ("path", "text", "expected"), CASES, ids=[f"{path}: {text}" for path, text, _ in CASES]
)
def test_a_forbidden_import_breaks_its_contract(
    tree: Path, broken_before: set[str], path: str, text: str, expected: set[str]
) -> None:
    added = {tree / path: text, tree / "rules/accomplice.py": "from rules import intruder"}
    before = {module: module.read_text() if module.exists() else None for module in added}
    try:
        for module, source in added.items():
            module.write_text(source + "\n")
        assert broken_contracts(tree) - broken_before == expected - broken_before
    finally:
        for module, source_before in before.items():
            if source_before is None:
                module.unlink()
            else:
                module.write_text(source_before)
