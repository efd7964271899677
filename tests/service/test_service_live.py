"""The daemon as a service: its watchdog, its end, its clock, and what the network may not do."""

import asyncio
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import live_rig
import pytest
from live_rig import PATIENCE_S, has_turns, moves_in, tell, until

from balanxd.config import BoardConfig, parse_board
from balanxd.journal import read_journal
from balanxd.library import Library
from balanxd.live import Live, Options
from balanxd.notify import Notifier
from balanxd.outside import Outside
from balanxd.simulated.world import simulated_world
from balanxd.web import actions as a
from firmware_bridge.codec import Decoder
from firmware_bridge.messages import HOST_TO_BOARD, EnableTilt, TiltTo
from referee.events import GameOver, GameStarted

SPEED = 15.0
RANDOM = ("--seat", "1=random", "--seat", "2=random")
ALL_ACTIONS = (
    a.NewGame(("human", "random")),
    a.BoardIsRight(),
    a.AgreeDraw(),
    a.NewGame(("random", "random")),
    a.Resign(0),
    a.NewGame(("random", "random")),
    a.Confirm("a7-a4"),
    a.TakeBackInstead(),
    a.Stop(),
    a.TakeBack(0),
    a.GoOn(),
    a.MarbleIsThere("a1"),
    a.Push(0),
    a.Push(1),
    a.PutBack(),
    a.Pair("123456"),
    a.Token("0" * 32),
)


def options(state: Path, **more: Any) -> Options:
    return live_rig.options(state, 4, speed=SPEED, verbose=True, **more)


def board(text: str = "") -> BoardConfig:
    return parse_board(text, "test.toml")


# ---- the watchdog ------------------------------------------------------------------------------------------


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        yield manager


def environ(manager: socket.socket, watchdog_s: float) -> dict[str, str]:
    return {"NOTIFY_SOCKET": manager.getsockname(), "WATCHDOG_USEC": str(round(watchdog_s * 1e6))}


def test_a_hung_work_loop_feeds_no_watchdog(tmp_path: Path, manager: socket.socket) -> None:
    """Whoever writes down what is said does not come back: the loop hangs, and nothing else feeds."""
    hang, hangs, go_on = threading.Event(), threading.Event(), threading.Event()
    heard: list[str] = []
    hungry: list[str] = []
    fed_again: list[str] = []

    def say(text: str) -> None:
        if hang.is_set() and not go_on.is_set():
            hangs.set()
            go_on.wait(PATIENCE_S)

    def next_word() -> str:
        return manager.recv(4096).decode()

    def watch() -> None:
        manager.settimeout(PATIENCE_S)
        while heard.count("WATCHDOG=1") < 4:
            heard.append(next_word())
        hang.set()
        hangs.wait(PATIENCE_S)
        manager.settimeout(0.0)
        try:
            while True:
                next_word()  # from before
        except BlockingIOError:
            pass
        manager.settimeout(1.0)  # ten times as long as between two beats
        with contextlib.suppress(TimeoutError):
            hungry.append(next_word())
        go_on.set()
        manager.settimeout(PATIENCE_S)
        fed_again.append(next_word())

    notify = Notifier(environ(manager, 0.4), os.getpid())
    live = Live(board(), options(tmp_path / "state"), simulated_world, say, Outside(notify=notify))
    watching = threading.Thread(target=watch, daemon=True)
    watching.start()
    asyncio.run(tell(live, lambda live: until(lambda: bool(fed_again))))
    watching.join(PATIENCE_S)
    assert heard[0] == "READY=1"
    assert hungry == []
    assert fed_again == ["WATCHDOG=1"]


# ---- start and end -----------------------------------------------------------------------------------------


class Service:
    """`balanx serve` as the unit starts it: a board file, a state folder, a log, a manager that listens."""

    def __init__(self, folder: Path, manager: socket.socket, text: str = "", *seats: str) -> None:
        (folder / "board.toml").write_text(text)
        self.log = folder / "log"
        self.state = folder / "state"
        with self.log.open("ab") as log:
            stat = os.fstat(log.fileno())
            self.process = subprocess.Popen(
                [sys.executable, "-m", "balanxd", "serve", *self.places(folder), *(seats or RANDOM)],
                stderr=log,
                stdout=log,
                env={
                    **os.environ,
                    **environ(manager, 10.0),
                    "JOURNAL_STREAM": f"{stat.st_dev}:{stat.st_ino}",
                },
            )

    @staticmethod
    def places(folder: Path) -> tuple[str, ...]:
        """Board file, page and state of a daemon that lives in a folder."""
        file, state = str(folder / "board.toml"), str(folder / "state")
        return ("--board", file, "--http", "127.0.0.1:0", "--state", state)

    def lines(self) -> list[str]:
        return self.log.read_text().splitlines()

    def wait(self, ready: Callable[[], bool]) -> None:
        until_s = time.monotonic() + PATIENCE_S
        while not ready():
            assert self.process.poll() is None, self.log.read_text()
            assert time.monotonic() < until_s, self.log.read_text()
            time.sleep(0.02)

    def kill(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


def words(manager: socket.socket) -> list[str]:
    manager.setblocking(False)
    found = []
    while True:
        try:
            found.append(manager.recv(4096).decode())
        except BlockingIOError:
            return found


def test_sigterm_levels_the_board_and_keeps_the_game(tmp_path: Path, manager: socket.socket) -> None:
    service = Service(tmp_path, manager)
    try:
        service.wait(lambda: any("Turn 1:" in line for line in service.lines()))
        service.process.send_signal(signal.SIGTERM)
        assert service.process.wait(timeout=PATIENCE_S) == 0
    finally:
        service.kill()
    lines = service.lines()
    assert "<5>The board is level, its motor is off." in lines
    assert all(line[:3] in ("<4>", "<5>") for line in lines), "each line of the log has its priority"
    assert not any("Traceback" in line for line in lines)
    heard = words(manager)
    assert heard[0] == "READY=1"
    assert heard[1].startswith("STATUS=The page is at http://127.0.0.1:")
    assert "WATCHDOG=1" in heard
    assert "STOPPING=1" in heard
    table = json.loads((service.state / "table.json").read_text())
    assert abs(table["angle_deg"]) < 0.5
    (journal,) = (service.state / "games").iterdir()
    found = read_journal(journal.read_bytes())
    assert found.torn == b""
    assert not any(isinstance(event, GameOver) for event in found.events)


def test_a_board_that_is_not_there_is_waited_for(tmp_path: Path, manager: socket.socket) -> None:
    service = Service(tmp_path, manager, f'[link]\nport = "{tmp_path}/no-board"\n')
    try:
        service.wait(lambda: "READY=1" in words(manager))
        service.wait(lambda: any("waited for" in line for line in service.lines()))
        service.process.send_signal(signal.SIGTERM)
        assert service.process.wait(timeout=PATIENCE_S) == 0
    finally:
        service.kill()


# ---- the clock ---------------------------------------------------------------------------------------------


class Wild:
    """A wall clock that steps by a day, either way, whenever somebody looks."""

    def __init__(self) -> None:
        self.looks = 0

    def __call__(self) -> datetime:
        self.looks += 1
        day = (1, -1, 0, -1, 1)[self.looks % 5]
        return datetime(2026, 3, 1, 12, 0, self.looks % 60, tzinfo=UTC) + timedelta(days=day)


def played(folder: Path, wall: Callable[[], datetime], count: int) -> list[str]:
    said: list[str] = []
    live = Live(board(), options(folder), simulated_world, said.append, Outside(wall=wall))
    moves: list[str] = []

    async def story(live: Live) -> None:
        await until(has_turns(live, count))
        moves.extend(moves_in(live)[:count])

    asyncio.run(tell(live, story))
    assert not any("OutOfStep" in line or "LinkChanged(up=False" in line for line in said)
    return moves


def test_a_clock_that_steps_by_days_changes_nothing_in_a_game(tmp_path: Path) -> None:
    wild = Wild()
    calm = played(tmp_path / "calm", lambda: datetime(2026, 3, 1, tzinfo=UTC), 6)
    assert played(tmp_path / "wild", wild, 6) == calm
    assert wild.looks > 0


def test_games_keep_their_order_whatever_the_clock_does(tmp_path: Path) -> None:
    library = Library(tmp_path, lambda text: None, Wild())
    names = []
    for number in range(12):
        journal = library.new_journal()
        journal.append(GameStarted(game="balanx", layout="classic", layout_text="", position="x", players=()))
        if number < 11:
            journal.append(GameOver(result="*", note=""))
        names.append(journal.path.name)
    assert names == sorted(names)
    assert len(set(names)) == 12
    library.close()


@pytest.mark.parametrize("name", ["99999999-999999-00.journal", "holiday.journal", "zzz.journal"])
def test_a_name_that_is_no_time_does_no_harm(tmp_path: Path, name: str) -> None:
    library = Library(tmp_path, lambda text: None, Wild())
    (library.games / name).touch()
    assert library.new_journal().path.name.startswith("2026")
    library.close()


# ---- what the network may not do ---------------------------------------------------------------------------


def motions_asked_for(trace: Path) -> int:
    """EnableTilt and TiltTo among everything that went to the board."""
    decoder = Decoder(HOST_TO_BOARD)
    found = 0
    for line in (trace / "wire.txt").read_text().splitlines():
        _, way, data = line.split(" ")
        if way == "<":
            found += sum(
                isinstance(message, EnableTilt | TiltTo) for message in decoder.feed(bytes.fromhex(data))
            )
    return found


@pytest.mark.parametrize("armed", [False, True])
def test_nothing_from_the_network_moves_a_board_that_was_not_armed_at_it(tmp_path: Path, armed: bool) -> None:
    """Every wish of a page, over and over; the counter-proof is a board whose tilt was checked at the first set-up."""
    text = f"[tilt]\nside_checked = {str(armed).lower()}\n"
    settings = options(tmp_path / "state", trace=tmp_path / "trace")
    live = Live(board(text), settings, simulated_world, lambda line: None)

    async def story(live: Live) -> None:
        await until(lambda: live.pipeline.session.link_up)
        for _ in range(3):
            for action in ALL_ACTIONS:
                live.act(action)
                await asyncio.sleep(0.02)
        live.act(a.NewGame(("random", "random")))
        await until(has_turns(live, 2))

    asyncio.run(tell(live, story))
    assert (motions_asked_for(tmp_path / "trace") > 0) == armed


# ---- who plays ---------------------------------------------------------------------------------------------


THREE = '[board]\ngame = "banks"\n[options]\nPlayers = 3\n'


def test_a_board_for_three_has_three_players(tmp_path: Path, manager: socket.socket) -> None:
    service = Service(tmp_path, manager, THREE, "--seat", "1=random", "--seat", "2=random")
    try:
        service.wait(lambda: any("Turn 3:" in line for line in service.lines()))
        begun = next(line for line in service.lines() if "A game begins" in line)
        assert begun.endswith("random against random against engine 2.")
    finally:
        service.kill()


@pytest.mark.parametrize(
    ("text", "seats", "status", "said"),
    [
        (THREE, ("--white", "random"), 2, "--white and --black are Balanx's"),
        (THREE, ("--seat", "4=random"), 2, "--seat 4: there is no such seat"),
        ('[board]\ngame = "boxilies"\n', ("--seat", "2=engine:8"), 1, "the engine plays boxilies at levels 1 to 5"),
        ("[board]\nnaem = 1\n", (), 1, "board.toml: board.naem: no such key (did you mean name?)"),
    ],
)  # fmt: skip
def test_what_cannot_be_served_is_one_line(
    tmp_path: Path, text: str, seats: tuple[str, ...], status: int, said: str
) -> None:
    (tmp_path / "board.toml").write_text(text)
    command = [sys.executable, "-m", "balanxd", "serve", *Service.places(tmp_path), *seats]
    told = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE_S)
    assert told.returncode == status
    assert said in told.stderr.splitlines()[-1]
    assert "Traceback" not in told.stderr
    assert told.stdout == ""
