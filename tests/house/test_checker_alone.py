"""The checker in tests/ judges journals with its own eyes: it imports nothing of what it judges."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

CHECKER = Path(__file__).resolve().parents[1] / "checker"
# What produces the journal that is checked, and what injects the faults that are to be found.
JUDGED = ("referee", "engine", "hardware", "firmware_bridge", "balanxd", "sim.faults")


def imported(source: str) -> Iterator[str]:
    """Dotted names of all that a module imports, also inside functions."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                yield from (name.name for name in names)
            case ast.ImportFrom(module=str(module), names=names, level=0):
                yield from (f"{module}.{name.name}" for name in names)


def judged(source: str) -> list[str]:
    """Those of a module's imports that the checker may not have."""
    return [name for name in imported(source) if any(f"{name}.".startswith(f"{room}.") for room in JUDGED)]


@pytest.mark.parametrize(
    "source",
    [
        "import referee",
        "from referee.session import Session",
        "from sim import faults",
        "def f():\n  import balanxd",
    ],
)
def test_a_forbidden_import_is_seen(source: str) -> None:
    assert judged(source)


@pytest.mark.parametrize("source", ["import json", "from rules.balanx import BalanxGame", "import simple"])
def test_an_honest_import_is_allowed(source: str) -> None:
    assert judged(source) == []


def test_the_checker_imports_nothing_that_it_judges() -> None:
    found = {str(path.relative_to(CHECKER)): judged(path.read_text()) for path in CHECKER.rglob("*.py")}
    assert {path: names for path, names in found.items() if names} == {}
