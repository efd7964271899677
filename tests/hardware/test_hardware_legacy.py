"""RPi.GPIO, the extra pi-legacy: never beside the others, and in an environment of its own one sentence off a Pi."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tomllib
from pathlib import Path

import gpiozero
import pytest

ROOT = Path(__file__).resolve().parents[2]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
SCRIPT = """
from pathlib import Path
from hardware.gpio import GpioError, open_rpigpio
import RPi
try:
    open_rpigpio(Path("/"))
except GpioError as error:
    print(error)
"""


def test_rpi_gpio_is_in_no_other_environment_than_its_own() -> None:
    """Where it can be imported, gpiozero falls back to it, and on a Pi 5 it cannot work."""
    assert importlib.util.find_spec("RPi") is None
    for extra, packages in EXTRAS.items():
        named = [package for package in packages if "rpi" in package.lower()]
        assert bool(named) == (extra == "pi-legacy"), f"{extra}: {named}"


@pytest.mark.slow
def test_the_legacy_extra_in_an_environment_of_its_own(tmp_path: Path) -> None:
    place = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", place], check=True)
    python = place / "bin/python"
    pip = [sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check"]
    install = [*pip, "install", "--quiet", *EXTRAS["pi-legacy"]]
    subprocess.run(install, check=True, capture_output=True)
    # gpiozero and our own rooms come from here, behind what the new environment has itself.
    site = next(place.glob("lib/python*/site-packages"))
    (site / "beside.pth").write_text(f"{Path(gpiozero.__file__).parents[1]}\n{ROOT}\n")
    run = subprocess.run([python, "-c", SCRIPT], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert run.stdout.startswith(
        "pins: RPi.GPIO cannot be used here: This module can only be run on a Raspberry Pi"
    )
    assert run.stdout.count("\n") == 1
