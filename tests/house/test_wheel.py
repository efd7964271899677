"""The built wheel: everything of every room is in it, and it works away from the checkout."""

import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROOMS = sorted(path.parent.name for path in ROOT.glob("*/py.typed"))
# Files that are read at run time: without them the wheel would import and then fail at the first game.
DATA = [
    "rules/**/*.toml",
    "balanxd/**/*.html",
    "balanxd/**/*.js",
    "balanxd/**/*.css",
    "firmware_bridge/golden/*.json",
    "firmware_bridge/firmware/Makefile",
    "firmware_bridge/firmware/avr/*.c",
    "firmware_bridge/firmware/prebuilt/*.hex",
    "sim/pairs/*.toml",
]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the checkout with the tools at hand."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True)
    (path,) = folder.glob("balanx-*.whl")
    return path


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh environment with the wheel alone; its dependencies come from the one that runs this test."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    python = folder / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python)]
    install = [*pip, "install", "--quiet", "--no-deps", "--no-index", str(wheel)]
    subprocess.run(install, check=True, capture_output=True)
    (site,) = folder.glob("lib/python*/site-packages")
    # A path file inside a folder named by a path file is not read: the editable checkout stays out of sight.
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder


def run(environment: Path, *command: str | Path) -> subprocess.CompletedProcess[str]:
    """Runs a command of that environment somewhere else than in the checkout."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return subprocess.run(
        [environment / "bin" / command[0], *command[1:]],
        cwd=environment,
        env=clean,
        capture_output=True,
        text=True,
        check=False,
    )


def test_each_tracked_file_of_each_room_is_in_the_wheel(wheel: Path) -> None:
    listed = subprocess.run(
        ["git", "ls-files", "--", *ROOMS], cwd=ROOT, check=True, capture_output=True, text=True
    )
    tracked = {name for name in listed.stdout.splitlines() if (ROOT / name).is_file()}
    assert tracked
    assert tracked - set(zipfile.ZipFile(wheel).namelist()) == set()


def test_nothing_but_rooms_is_in_the_wheel(wheel: Path) -> None:
    tops = {name.split("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == set(ROOMS)


@pytest.mark.parametrize("pattern", DATA)
def test_the_data_files_are_installed(environment: Path, pattern: str) -> None:
    (site,) = environment.glob("lib/python*/site-packages")
    assert list(site.glob(pattern))


def test_every_room_is_imported_from_the_wheel(environment: Path) -> None:
    told = run(
        environment, "python", "-c", f"import {', '.join(ROOMS)}; print({'.__file__, '.join(ROOMS)}.__file__)"
    )
    assert told.returncode == 0, told.stderr
    (site,) = environment.glob("lib/python*/site-packages")
    assert told.stdout.split() == [str(site / room / "__init__.py") for room in ROOMS]


def test_the_command_explains_itself(environment: Path) -> None:
    told = run(environment, "balanx", "--help")
    assert told.returncode == 0, told.stderr
    assert "play" in told.stdout


@pytest.mark.parametrize(
    ("command", "said"),
    [("firmware version", "shipped: classic, 56 inputs"), ("parts check steel-over-hall", "verdict: works")],
)
def test_what_a_builder_needs_comes_with_the_wheel(environment: Path, command: str, said: str) -> None:
    told = run(environment, "balanx", *command.split())
    assert told.returncode == 0, told.stderr
    assert said in told.stdout
