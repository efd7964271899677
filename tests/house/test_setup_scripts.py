"""The set-up on a machine that lacks something: it is installed when that is allowed, otherwise named in one line."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BASH = shutil.which("bash") or "/bin/bash"


@pytest.fixture
def commands(tmp_path: Path) -> Path:
    """A folder that is the whole PATH of a bare machine: nothing in it but what the test puts there."""
    folder = tmp_path / "bin"
    folder.mkdir()
    stub(folder, "true", "exit 0")
    return folder


def stub(folder: Path, name: str, script: str) -> None:
    """Puts a command of that name there; $LOG is a file that lies beside the folder."""
    command = folder / name
    command.write_text(f"#!{BASH}\nLOG={folder.parent / 'log'}\n{script}\n")
    command.chmod(0o755)


def run_needs(commands: Path) -> subprocess.CompletedProcess[str]:
    """Runs scripts/needs with that PATH."""
    return subprocess.run(
        [BASH, ROOT / "scripts/needs"],
        env={"PATH": str(commands)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("apt", [True, False])
def test_a_user_without_rights_is_told_what_is_missing(commands: Path, apt: bool) -> None:
    stub(commands, "id", "echo 1000")
    if apt:
        stub(commands, "apt-get", 'echo "$@" >> "$LOG"')
        stub(commands, "sudo", "echo a password is required >&2; exit 1")
    told = run_needs(commands)
    assert told.returncode == 1
    assert "Missing: chromium" in told.stderr
    assert "sudo apt-get install chromium" in told.stderr
    assert not (commands.parent / "log").exists()


@pytest.mark.parametrize("user", [0, 1000])
def test_root_and_whoever_may_become_root_get_it_installed(commands: Path, user: int) -> None:
    stub(commands, "id", f"echo {user}")
    stub(commands, "sudo", 'shift; "$@"')  # called with -n: it must never ask for a password
    stub(commands, "apt-get", 'echo "$@" >> "$LOG"')
    told = run_needs(commands)
    assert told.returncode == 0, told.stderr
    update, install = (commands.parent / "log").read_text().splitlines()
    assert "update" in update
    assert "install" in install
    assert "chromium" in install
    assert {"gcc-avr", "binutils-avr"} <= set(install.split())


def test_an_old_python_is_refused_in_one_line(tmp_path: Path) -> None:
    shutil.copy(ROOT / "Makefile", tmp_path)
    for name in ("pyproject.toml", "constraints.txt"):
        (tmp_path / name).touch()
    stub(tmp_path, "old-python", 'if [ "$1" = --version ]; then echo Python 3.9.2; else exit 1; fi')
    command = ["make", "--silent", "-C", str(tmp_path), "play", "PYTHON=./old-python"]
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    assert told.returncode != 0
    assert told.stderr.splitlines()[0].startswith(
        "Balanx needs Python 3.11 or newer, but ./old-python is Python 3.9.2"
    )
    assert not (tmp_path / ".venv").exists()
