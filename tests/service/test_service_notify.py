"""What the service manager hears, on a socket that the test has bound; and what the log gets."""

import itertools
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from balanxd.notify import BEATS, Notifier
from balanxd.sayings import WARNING, diary_line, log_is, sayer
from referee import events as e

PID = 4711


class Manager:
    """The other end of NOTIFY_SOCKET."""

    def __init__(self, folder: Path, *, abstract: bool = False) -> None:
        self.name = f"@balanx-test-{os.getpid()}" if abstract else str(folder / "notify")
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind("\0" + self.name[1:] if abstract else self.name)
        self._socket.setblocking(False)

    def heard(self) -> list[str]:
        found = []
        while True:
            try:
                found.append(self._socket.recv(4096).decode())
            except BlockingIOError:
                return found

    def close(self) -> None:
        self._socket.close()


@pytest.fixture(params=[False, True], ids=["path", "abstract"])
def manager(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Manager]:
    manager = Manager(tmp_path, abstract=request.param)
    yield manager
    manager.close()


def notifier(manager: Manager, **more: str) -> Notifier:
    return Notifier({"NOTIFY_SOCKET": manager.name, **more}, PID)


def test_each_thing_is_one_datagram(manager: Manager) -> None:
    notify = notifier(manager)
    notify.ready()
    notify.status("White to move,\n turn 3")
    notify.status("White to move,\n turn 3")
    notify.stopping()
    assert manager.heard() == ["READY=1", "STATUS=White to move, turn 3", "STOPPING=1"]


def test_the_watchdog_is_fed_in_time_and_not_more_often(manager: Manager) -> None:
    notify = notifier(manager, WATCHDOG_USEC="10000000", WATCHDOG_PID=str(PID))
    beats = []
    for tick in range(1001):  # 100 s, a round every 0.1 s
        notify.beat(tick / 10)
        beats += [tick / 10] * manager.heard().count("WATCHDOG=1")
    gaps = {round(later - before, 1) for before, later in itertools.pairwise(beats)}
    assert gaps == {10 / BEATS}


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"WATCHDOG_USEC": "10000000", "WATCHDOG_PID": "1"},
        {"WATCHDOG_USEC": "0"},
        {"WATCHDOG_USEC": "-5"},
        {"WATCHDOG_USEC": "soon"},
    ],
)
def test_no_watchdog_no_food(manager: Manager, more: dict[str, str]) -> None:
    notify = notifier(manager, **more)
    for tick in range(100):
        notify.beat(float(tick))
    assert manager.heard() == []


@pytest.mark.parametrize("environ", [{}, {"NOTIFY_SOCKET": "/nothing/here"}, {"NOTIFY_SOCKET": "@nobody"}])
def test_nobody_who_listens_is_no_trouble(environ: dict[str, str]) -> None:
    notify = Notifier({**environ, "WATCHDOG_USEC": "1000"}, PID)
    notify.ready()
    notify.beat(0.0)
    notify.stopping()
    assert (notify.beat_s < float("inf")) == bool(environ), "where nobody is named nobody is to be fed"


# ---- the log -----------------------------------------------------------------------------------------------


def test_the_log_is_told_by_device_and_inode(tmp_path: Path) -> None:
    with (tmp_path / "log").open("w") as file:
        stat = os.fstat(file.fileno())
        assert log_is({"JOURNAL_STREAM": f"{stat.st_dev}:{stat.st_ino}"}, file.fileno())
        assert not log_is({"JOURNAL_STREAM": f"{stat.st_dev}:{stat.st_ino + 1}"}, file.fileno())
        assert not log_is({}, file.fileno())
    assert not log_is({"JOURNAL_STREAM": "1:2"}, 987)


def test_a_line_of_the_log_is_one_line_with_a_priority() -> None:
    lines: list[str] = []
    say = sayer(lines.append, log=True)
    say("The board is at\nhome.")
    say(f"{WARNING}The board does not answer.")
    assert lines == ["<5>The board is at home.", "<4>The board does not answer."]


def test_a_terminal_gets_plain_words() -> None:
    lines: list[str] = []
    say = sayer(lines.append, log=False)
    say("hello")
    say(f"{WARNING}look")
    assert lines == ["hello", "look"]


EVENTS = [
    (e.TurnTaken(at_s=12.5, ply=6, seat=0, move="a7-a4", position="x", witness="seen"), "Turn 7: a7-a4"),
    (e.LinkChanged(at_s=1.0, up=False, why="unplugged"), "<4>The board does not answer: unplugged"),
    (e.LinkChanged(at_s=1.0, up=True, why=""), "The board answers."),
    (e.Fault(at_s=1.0, kind="disk", say="No room."), "<4>No room."),
    (e.GameOver(at_s=1.0, result="1-0", note="resigned"), "The game is over: 1-0 (resigned)"),
    (e.CalledOff(at_s=1.0), ""),
]


@pytest.mark.parametrize(("event", "line"), EVENTS, ids=[type(event).__name__ for event, _ in EVENTS])
def test_events_in_the_log_are_for_people(event: e.GameEvent, line: str) -> None:
    """No time of our own: the log has one; no names of our classes."""
    told = diary_line(event)
    assert told == line
    assert type(event).__name__ not in told
