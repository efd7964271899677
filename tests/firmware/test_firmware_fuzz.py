"""Two million frames, half of them well-framed, and stored bytes of any age into the core under sanitizers."""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from balanxd.contract.plugin import NOTE
from balanxd.flashing.making import CC, make

FRAMES = 2_000_000
PARTS = 2
CORE = ("core", "edges", "faults", "frame", "lights", "link", "scan", "settings", "talk", "tilt", "watch")
COVERED_LEAST = 0.95


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, PARTS + 1))
def test_no_frames_and_no_stored_bytes_break_a_promise(
    seed: int, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    make("fuzz", out=tmp_path, compiler=CC)
    command = [str(tmp_path / "fuzz"), str(seed), str(FRAMES // PARTS)]
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stdout + told.stderr
    record_property(NOTE, f"fuzz, seed {seed}: {told.stdout.strip()}")
    numbers = [int(number) for number in re.findall(r"\d+", told.stdout)]
    frames, well_framed, lives, locked, _hellos, restarts = numbers[:6]
    assert frames == FRAMES // PARTS
    assert well_framed > 0.49 * frames
    assert lives > locked > 100
    assert restarts > 100
    by_message = numbers[6:]
    assert len(by_message) == 13  # the twelve of the host, and unknown ones
    assert min(by_message) > 10_000


def test_the_fuzzer_comes_through_the_whole_core(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    make("coverage", out=tmp_path, compiler=CC)
    for command in (
        ["./fuzz-coverage", "3", "50000"],
        ["gcov", "-n", *(f"fuzz-coverage-{n}.gcda" for n in CORE)],
    ):
        told = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert told.returncode == 0, told.stdout + told.stderr
    shares = re.findall(r"src/(\w+)\.c'\nLines executed:([\d.]+)% of (\d+)", told.stdout)
    assert {name for name, _, _ in shares} == set(CORE)
    record_property(NOTE, "fuzz, lines run: " + ", ".join(f"{name} {share}%" for name, share, _ in shares))
    lines = sum(int(of) for _, _, of in shares)
    covered = sum(float(share) / 100 * int(of) for _, share, of in shares)
    assert covered / lines >= COVERED_LEAST
