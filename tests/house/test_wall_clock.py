"""Whatever lasts is measured by the monotonic clock: one module reads the wall's, for names and dates alone."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROOMS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["root_packages"]
ALLOWED = {"balanxd/clock.py"}
READS = re.compile(
    r"\b(?:datetime|date)\s*\.\s*(?:now|today|utcnow|fromtimestamp)\b"
    r"|\btime\s*\.\s*(?:time|time_ns|localtime|gmtime|ctime|asctime|strftime|clock_gettime)\b"
    r"|from\s+time\s+import\s+(?!monotonic|perf_counter|sleep)"
    r"|\bst_[acm]time"
)


def readers(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if READS.search(line)]


def test_only_one_module_reads_the_wall_clock() -> None:
    found = {
        str(path.relative_to(ROOT)): readers(path.read_text())
        for room in ROOMS
        for path in (ROOT / room).rglob("*.py")
    }
    assert {name: lines for name, lines in found.items() if lines and name not in ALLOWED} == {}
    assert all(found[name] for name in ALLOWED)


@pytest.mark.parametrize(
    "line",
    [
        "from time import time",
        "    now = datetime.now().astimezone()",
        "x = time.time()",
        "stamp = time.strftime('%Y')",
        "age = path.stat().st_mtime",
        "day = date.today()",
    ],
)
def test_it_would_be_seen(line: str) -> None:
    assert readers(line)


@pytest.mark.parametrize(
    "line", ["time.monotonic()", "from time import monotonic", "loop.time()", "self.time_s"]
)
def test_the_monotonic_clock_is_free(line: str) -> None:
    assert not readers(line)
