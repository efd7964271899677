"""The project's own papers agree: version, change log, README, make targets, docstrings, documents."""

import ast
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
ROOMS = sorted(path.parent.name for path in ROOT.glob("*/py.typed"))
MODULES = sorted(str(path.relative_to(ROOT)) for room in ROOMS for path in (ROOT / room).rglob("*.py"))
LONGEST_MODULE = 600  # lines; the aim is 500: a longer one holds more than one thought
DOCS = ["README.md", "CHANGELOG.md", "LICENSE"] + [
    f"docs/{name}.md" for name in ("architecture", "protocol", "rules", "configuration", "contributing")
]


def public_definitions(
    module: str,
) -> list[ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]:
    """The module itself and the classes and functions at its top level that a stranger may use."""
    tree = ast.parse((ROOT / module).read_text())
    kinds = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    return [tree, *(node for node in tree.body if isinstance(node, kinds) and not node.name.startswith("_"))]


def test_the_rooms_are_the_same_everywhere() -> None:
    tools = PROJECT["tool"]
    assert set(tools["hatch"]["build"]["targets"]["wheel"]["packages"]) == set(ROOMS)
    assert set(tools["mypy"]["packages"]) == set(ROOMS)
    assert set(tools["importlinter"]["root_packages"]) == set(ROOMS)


def test_the_version_stands_in_the_change_log() -> None:
    headings = re.findall(r"^## \[([^\]]+)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert headings[0] in {"Unreleased", PROJECT["project"]["version"]}
    assert PROJECT["project"]["version"] in headings


@pytest.mark.parametrize("document", DOCS)
def test_the_document_is_there(document: str) -> None:
    assert (ROOT / document).read_text().strip()


@pytest.mark.parametrize("document", [d for d in DOCS if d.endswith(".md")])
def test_what_a_document_points_to_is_there(document: str) -> None:
    path = ROOT / document
    targets = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", path.read_text())
    local = [target for target in targets if "://" not in target]
    assert [target for target in local if not (path.parent / target).exists()] == []


def test_the_make_targets_that_documents_name_exist() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = {name for d in DOCS for name in re.findall(r"`make ([a-z]+)", (ROOT / d).read_text())}
    assert {"play", "test"} <= named
    assert named <= targets


def test_the_readme_sets_up_with_two_commands() -> None:
    readme = (ROOT / "README.md").read_text()
    assert "make play" in readme
    assert "make test" in readme


@pytest.mark.parametrize(
    "script", [".ci/run", "scripts/check", "scripts/needs", "scripts/test", "scripts/pin"]
)
def test_the_scripts_are_executable_bash(script: str) -> None:
    path = ROOT / script
    assert path.stat().st_mode & 0o111
    assert "\nset -euo pipefail\n" in path.read_text()
    subprocess.run(["bash", "-n", path], check=True)


@pytest.mark.parametrize("module", MODULES)
def test_what_is_public_says_what_it_is(module: str) -> None:
    """A docstring is the contract: each module and each public class and function in it has one."""
    silent = [
        getattr(node, "name", module) for node in public_definitions(module) if not ast.get_docstring(node)
    ]
    assert silent == []


@pytest.mark.parametrize("module", MODULES)
def test_no_module_grows_out_of_hand(module: str) -> None:
    assert len((ROOT / module).read_text().splitlines()) <= LONGEST_MODULE
