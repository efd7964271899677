"""Whole processes, measured from outside: `balanx` commands in, seconds, processor time and memory out (Linux)."""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from balanxd.errors import BalanxError
from rules.record import Record

STARTS = 5
QUIET_AFTER_S = 8.0  # set-up, first tilt and first picture are over
WATCHED_S = 10.0
PATIENCE_S = 30.0
COMMAND = (sys.executable, "-m", "balanxd")


@dataclass(frozen=True, slots=True)
class Served:
    """A daemon with a page. Memory in MB of 10^6 bytes, resident; start_s: median of `starts`."""

    start_s: float
    starts: str
    watched_s: float
    cpu_percent: float
    daemon_mb: float
    children_mb: float


def headless_seconds(white: str, black: str, *, seed: int) -> tuple[float, int]:
    """Wall seconds and turns of a headless game, the start of the program included. Raises BalanxError."""
    began = time.perf_counter()
    done = subprocess.run(
        [*COMMAND, "play", "--headless", "--white", white, "--black", black, "--seed", str(seed)],
        capture_output=True,
        text=True,
        check=False,
    )
    seconds = time.perf_counter() - began
    if done.returncode != 0:
        raise BalanxError(f"the headless game failed: {done.stderr.strip()}")
    return seconds, len(Record.parse(done.stdout).line.moves)


def served_page(state: Path) -> Served:
    """Start a daemon some times until its page is there; watch the last one doing nothing. Raises BalanxError."""
    starts: list[float] = []
    for number in range(STARTS):
        began = time.perf_counter()
        with _daemon(state / str(number)) as (process, url):
            _get(url)
            starts.append(time.perf_counter() - began)
            if number < STARTS - 1:
                continue
            time.sleep(QUIET_AFTER_S)
            before_s, before_at = _cpu_s(process.pid), time.perf_counter()
            time.sleep(WATCHED_S)
            used_s, watched_s = _cpu_s(process.pid) - before_s, time.perf_counter() - before_at
            return Served(
                start_s=statistics.median(starts),
                starts=", ".join(f"{start:.2f}" for start in starts),
                watched_s=watched_s,
                cpu_percent=used_s / watched_s * 100,
                daemon_mb=_resident_mb(process.pid),
                children_mb=sum(_resident_mb(child) for child in _children(process.pid)),
            )
    raise AssertionError("the last start is watched")


@contextmanager
def _daemon(state: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    process = subprocess.Popen(
        [*COMMAND, "play", "--no-browser", "--http", "127.0.0.1:0", "--state", str(state), "--seed", "1"],
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stderr is not None
        said = ""
        for line in process.stderr:
            said += line
            if found := re.search(r"http://\S+/", line):
                yield process, found[0]
                return
        raise BalanxError(f"the daemon did not start: {said.strip()}")
    finally:
        process.terminate()
        process.communicate(timeout=PATIENCE_S)


def _get(url: str) -> None:
    with urllib.request.urlopen(url, timeout=PATIENCE_S) as answer:
        if answer.status != 200 or b"<" not in answer.read():
            raise BalanxError(f"{url}: no page")


def _cpu_s(pid: int) -> float:
    """Processor time of a process, its threads included, in seconds (proc(5), stat fields 14 and 15)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _resident_mb(pid: int) -> float:
    """Resident memory, shared libraries included (proc(5), VmRSS in kB of 1024)."""
    found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    return 0.0 if found is None else int(found[1]) * 1024 / 1e6


def _children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
