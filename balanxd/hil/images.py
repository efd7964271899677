"""Firmware for emulated rigs: the images of the sources, good ones and ones that must fail; rigs with them in."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from balanxd.config import BoardConfig
from balanxd.errors import BalanxError
from balanxd.flashing.making import compiler_version, make, sources
from balanxd.simulated.emulator import find_emulator

from .bench import Bench
from .campaign import Campaign
from .checks import CHECKS
from .known_bad import KnownBad
from .outcomes import Finding, Run
from .rig import EmulatedRig


def make_images(out: Path, cells: int, kind: str, source: Path | None = None) -> tuple[Path, Path]:
    """Compile the controller's and the stimulus board's image into a folder. Raises BalanxError."""
    compiler_version()
    images = out / "balanx.elf", out / "stimulus.elf"
    make(*map(str, images), f"CELLS={cells}", f"KIND={kind}", out=out, source=source)
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
        sources(),
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
            checks = [check for check in CHECKS if check.name == bad.check]
            Campaign(Bench(rig, 1), run).execute(checks)
            yield bad, run.findings[0]
        finally:
            rig.close()
