"""SIGKILL at 30 random moments: every time the same game is resumed, and it is the one that lies on the table."""

import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from checker.board import read_plan
from checker.compare import check_table
from checker.journal import read_journal

from balanxd.config import simulated_board

KILLS = 30
PATIENCE_S = 60.0


class Daemon:
    """One run of `balanx play` with two machines on a fast simulated board."""

    def __init__(self, state: Path) -> None:
        self._errors = state / "stderr"
        state.mkdir(exist_ok=True)
        play = "play --white engine:1 --black engine:1 --no-browser --http 127.0.0.1:0 --speed 20 --seed 5"
        with self._errors.open("wb") as errors:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "balanxd", *play.split(), "--state", str(state)],
                stdout=subprocess.DEVNULL,
                stderr=errors,
            )

    def said(self) -> str:
        return self._errors.read_text()

    def wait(self, ready: Callable[[], bool]) -> None:
        """Until something is there; a daemon that ended, or a hang, fails the test."""
        until = time.monotonic() + PATIENCE_S
        while not ready():
            assert self.process.poll() is None, self.said()
            assert time.monotonic() < until, self.said()
            time.sleep(0.01)

    def end(self, number: signal.Signals) -> None:
        self.process.send_signal(number)
        self.process.wait(timeout=PATIENCE_S)


def journal_of(state: Path) -> bytes:
    """The bytes of the one game; nothing as long as it has not begun."""
    found = list((state / "games").glob("*.journal"))
    assert len(found) <= 1, "a second game was begun"
    return found[0].read_bytes() if found else b""


def whole(data: bytes) -> list[dict[str, Any]]:
    """The events of the whole lines."""
    entries, wrong = read_journal(data[: data.rfind(b"\n") + 1])
    assert wrong == []
    return entries


def turns(data: bytes) -> int:
    return sum(entry["event"] == "TurnTaken" for entry in whole(data))


@pytest.fixture
def daemons() -> Iterator[list[Daemon]]:
    """The daemons of a test; none outlives it."""
    started: list[Daemon] = []
    yield started
    for daemon in started:
        if daemon.process.poll() is None:
            daemon.end(signal.SIGKILL)


@pytest.mark.slow
def test_a_killed_daemon_goes_on_with_the_same_game(tmp_path: Path, daemons: list[Daemon]) -> None:
    state, moment = tmp_path / "state", random.Random(30)
    before = b""
    for kill in range(KILLS):
        daemon = Daemon(state)
        daemons.append(daemon)
        if kill % 6 == 5:
            time.sleep(moment.uniform(0.0, 0.6))  # while it starts
        else:
            daemon.wait(lambda daemon=daemon: "The board is at" in daemon.said())  # type: ignore[misc]
            time.sleep(moment.uniform(0.0, 1.2))
            if whole(before):
                assert "Going on with the game" in daemon.said()
        daemon.end(signal.SIGKILL)
        assert "Traceback" not in daemon.said()
        after = journal_of(state)
        good = before[: before.rfind(b"\n") + 1]
        assert after.startswith(good), "what was journalled is gone"
        assert turns(after) >= turns(before)
        before = after
    daemon = Daemon(state)
    daemons.append(daemon)
    daemon.wait(lambda: turns(journal_of(state)) >= turns(before) + 2)
    daemon.end(signal.SIGTERM)
    assert re.search(r"Going on with the game of \S+, turn \d+", daemon.said())
    journal = journal_of(state)
    assert journal.startswith(before[: before.rfind(b"\n") + 1])
    assert whole(journal)[-1]["event"] == "TurnTaken", (
        "the game is over: it must not end while it is being killed"
    )
    report = check_table(
        read_plan(simulated_board().layout.text), journal, (state / "table.json").read_text()
    )
    assert report.wrong == []
    assert report.turns >= 2
