"""Firmware for emulated rigs: the images of the sources, good ones and ones that must fail; rigs with them in."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from importlib.resources import files
from pathlib import Path

from balanxd.config import BoardConfig
from balanxd.errors import BalanxError
from balanxd.simulated.emulator import find_emulator

from .bench import Bench
from .campaign import Campaign
from .checks import CHECKS
from .known_bad import KnownBad
from .outcomes import Finding, Run
from .rig import EmulatedRig

TOOLS = "sudo apt-get install make gcc-avr avr-libc binutils-avr"


def make_images(out: Path, cells: int, kind: str, source: Path | None = None) -> tuple[Path, Path]:
    """Compile the controller's and the stimulus board's image into a folder. Raises BalanxError."""
    folder = source or Path(str(files("firmware_bridge"))) / "firmware"
    for tool in ("make", "avr-gcc"):
        if shutil.which(tool) is None:
            raise BalanxError(
                f"{tool} is not installed here, and an emulated rig compiles its firmware: {TOOLS}"
            )
    told = ["make", "--silent", "-C", str(folder), f"OUT={out}", f"CELLS={cells}", f"KIND={kind}"]
    images = out / "balanx.elf", out / "stimulus.elf"
    made = subprocess.run(
        [*told, *map(str, images)], capture_output=True, text=True, errors="replace", check=False
    )
    if made.returncode:
        words = [line for line in made.stderr.splitlines() if line.strip()] or ["no word of why"]
        raise BalanxError(f"the firmware does not compile: {words[0]}")
    return images


def emulated_rig(board: BoardConfig, source: Path | None = None) -> EmulatedRig:
    """Both boards in an emulator. Raises BalanxError."""
    program = find_emulator()
    inputs = len(board.wiring.inputs)
    with tempfile.TemporaryDirectory(prefix="balanx-hil-") as folder:
        controller, stimulus = make_images(Path(folder), inputs, board.layout.name, source)
        return EmulatedRig(program, controller, stimulus, inputs)  # both are read at once


def bad_sources(bad: KnownBad, folder: Path) -> Path:
    """A copy of the sources with one promise broken. Raises BalanxError where the text is not found once."""
    copy = folder / "firmware"
    shutil.copytree(
        Path(str(files("firmware_bridge"))) / "firmware",
        copy,
        ignore=shutil.ignore_patterns("build", "prebuilt"),
    )
    path = copy / "src" / bad.file
    text = path.read_text()
    if text.count(bad.text) != 1:
        raise BalanxError(f"known-bad firmware {bad.name!r}: {bad.file} does not hold {bad.text!r} once")
    path.write_text(text.replace(bad.text, bad.instead))
    return copy


def try_known_bad(board: BoardConfig, bads: Sequence[KnownBad]) -> Iterator[tuple[KnownBad, Finding]]:
    """Each firmware that must fail, with what the check that must find it came to. Raises BalanxError."""
    for bad in bads:
        with tempfile.TemporaryDirectory(prefix="balanx-bad-") as folder:
            rig = emulated_rig(board, bad_sources(bad, Path(folder)))
        try:
            run = Run("known-bad", "", f"emulated, {bad.name}")
            checks = [check for check in CHECKS if check.name == bad.caught_by]
            Campaign(Bench(rig, 1), run).execute(checks)
            yield bad, run.findings[0]
        finally:
            rig.close()
