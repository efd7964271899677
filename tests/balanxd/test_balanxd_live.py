"""The running daemon: a board that is unplugged and comes back, noise on its line, a full disk, thinking that dies."""

import asyncio
import errno
import os
import random
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import live_rig
import pytest
from live_rig import Obedient, Story, has_turns, moves_in, tell, until

from balanxd.clock import Clock
from balanxd.config import BoardConfig, parse_board, simulated_board
from balanxd.journal import Journal, RealDisk, read_journal
from balanxd.live import Live, Options
from balanxd.players import parse_player
from balanxd.simulated.build import build_table
from balanxd.simulated.headless import HeadlessGame
from balanxd.simulated.world import simulated_world
from balanxd.web import actions as a
from firmware_bridge.transport import PseudoPort
from referee.events import TurnTaken

SEED = 6
SPEED = 12.0


def options(folder: Path) -> Options:
    return live_rig.options(folder / "state", SEED, speed=SPEED, verbose=True)


def honest_moves(turns: int, folder: Path) -> list[str]:
    """The moves that these players make whatever happens to the board."""
    game = HeadlessGame(
        simulated_board(),
        [parse_player("random")] * 2,
        seed=SEED,
        journal=Journal(folder / "honest.journal"),
        max_turns=turns,
    )
    game.play()
    return [
        event.move
        for event in read_journal(game.journal.path.read_bytes()).events
        if isinstance(event, TurnTaken)
    ]


class RealBoard:
    """A table on a pseudo-terminal that the daemon knows as a real board, by a name that outlives replugging.

    Somebody makes the moves that the daemon announces.
    """

    def __init__(self, folder: Path) -> None:
        self.name = folder / "balanx-port"
        self.table = build_table(simulated_board(), SEED)
        self.clock = Clock(SPEED)
        self.port: PseudoPort | None = None
        self.noise: Callable[[bytes], bytes] = lambda data: data
        self.ports: list[str] = []
        self._hand = Obedient(self.table)

    def plug(self) -> None:
        self.port = PseudoPort()
        self.ports.append(self.port.port)
        self.name.unlink(missing_ok=True)
        self.name.symlink_to(self.port.port)

    def unplug(self) -> None:
        assert self.port is not None
        self.port.close()
        self.port = None
        self.name.unlink()

    def config(self) -> BoardConfig:
        return parse_board(f'[link]\nport = "{self.name}"\n[tilt]\nside_checked = true\n', "real.toml")

    async def pump(self, live: Live) -> None:
        while True:
            self.table.advance(self.clock.now_s())
            if self.port is not None:
                down = self.port.read()
                if down:
                    self.table.write(down)
                up = self.table.read()
                if up:
                    self.port.write(self.noise(up))
            self._hand.look(live)
            await asyncio.sleep(0.001)


async def on_a_real_board(folder: Path, board: RealBoard, story: Story, said: list[str]) -> None:
    async def pumped(live: Live) -> None:
        pump = asyncio.create_task(board.pump(live))
        try:
            await story(live)
        finally:
            pump.cancel()
            await asyncio.wait([pump])

    try:
        await tell(Live(board.config(), options(folder), None, said.append), pumped)
    finally:
        if board.port is not None:
            board.port.close()


async def simulated(folder: Path, story: Story, said: list[str]) -> None:
    await tell(Live(simulated_board(), options(folder), simulated_world, said.append), story)


def test_a_replugged_board_under_another_name_goes_on(tmp_path: Path) -> None:
    board = RealBoard(tmp_path)
    said: list[str] = []
    board.plug()
    other = PseudoPort()  # takes the name that becomes free, so that the board must come back under another

    async def story(live: Live) -> None:
        await until(has_turns(live, 2))
        for _ in range(2):
            before = len(moves_in(live))
            board.unplug()
            await until(lambda: live.state()["link"]["up"] is False)  # type: ignore[index]
            board.plug()
            await until(has_turns(live, before + 2))

    asyncio.run(on_a_real_board(tmp_path, board, story, said))
    other.close()
    assert len(board.ports) == 3
    events = [line for line in said if "LinkChanged" in line]
    assert ["up=True" in line for line in events] == [True, False, True, False, True]
    assert any("went away" in line for line in events)
    lost, back = (next(line for line in events if up in line) for up in ("up=False", "up=True, why=''"))
    assert lost != back


def test_noise_on_the_line_costs_time_but_no_move(tmp_path: Path) -> None:
    board, noise = RealBoard(tmp_path), random.Random(1)
    said: list[str] = []
    board.plug()

    def noisy(data: bytes) -> bytes:
        dice = noise.random()
        if dice < 0.1:
            return noise.randbytes(noise.randrange(1, 40)) + data
        if dice < 0.15:
            where = noise.randrange(len(data))
            return data[:where] + data[where + 1 :]
        return data

    board.noise = noisy

    async def story(live: Live) -> None:
        await until(has_turns(live, 6))

    asyncio.run(on_a_real_board(tmp_path, board, story, said))
    told = [line.split("move='")[1].split("'")[0] for line in said if "TurnTaken" in line]
    assert told == honest_moves(len(told), tmp_path)


def test_a_page_stops_a_real_board_and_cannot_make_it_go_on(tmp_path: Path) -> None:
    board = RealBoard(tmp_path)
    said: list[str] = []
    board.plug()

    async def story(live: Live) -> None:
        await until(has_turns(live, 1))
        assert live.act(a.Stop()) == ""
        assert live.state()["stopped"] == "stopped"
        assert "at the board" in live.act(a.GoOn())
        assert live.state()["stopped"] == "stopped"

    asyncio.run(on_a_real_board(tmp_path, board, story, said))


def test_a_turn_is_taken_back_once_however_often_it_is_asked_for(tmp_path: Path) -> None:
    said: list[str] = []

    def turns(live: Live) -> int:
        return len(live.pipeline.session.line.moves)

    async def story(live: Live) -> None:
        await until(has_turns(live, 3))
        assert live.act(a.Stop()) == ""  # nobody moves on meanwhile
        left = turns(live) - 2
        assert live.act(a.TakeBack(left)) == ""
        assert turns(live) == left
        assert live.act(a.TakeBack(left)) != ""
        assert turns(live) == left
        assert live.act(a.GoOn()) == ""
        assert live.state()["stopped"] is None

    asyncio.run(simulated(tmp_path, story, said))


def test_a_restarted_controller_goes_on_with_the_same_game(tmp_path: Path) -> None:
    said: list[str] = []

    async def story(live: Live) -> None:
        world: Any = live.world
        for turns in (1, 3):
            await until(has_turns(live, turns))
            world.simulator.faults.reset()
        await until(has_turns(live, 5))

    asyncio.run(simulated(tmp_path, story, said))
    told = [line.split("move='")[1].split("'")[0] for line in said if "TurnTaken" in line]
    assert told == honest_moves(len(told), tmp_path)
    assert sum("the board restarted" in line for line in said) == 2


def test_marbles_that_cannot_be_found_again_are_laid_as_the_journal_says(tmp_path: Path) -> None:
    said: list[str] = []
    before: list[str] = []

    async def begin(live: Live) -> None:
        await until(has_turns(live, 3))

    async def go_on(live: Live) -> None:
        before.extend(moves_in(live))
        await until(has_turns(live, len(before) + 2))
        assert moves_in(live)[: len(before)] == before

    asyncio.run(simulated(tmp_path, begin, said))
    (tmp_path / "state" / "table.json").write_text("nonsense")
    asyncio.run(simulated(tmp_path, go_on, said))
    assert len(before) >= 3
    assert sum("laid anew" in line for line in said) == 1
    assert not any("OutOfStep" in line for line in said)


class FullDisk:
    """Takes nothing while it is full."""

    def __init__(self) -> None:
        self.full = False

    def append(self, path: Path, data: bytes) -> None:
        if self.full:
            raise OSError(errno.ENOSPC, "No space left on device")
        RealDisk().append(path, data)


def test_turns_on_a_full_disk_are_shown_as_unsaved_and_caught_up(tmp_path: Path) -> None:
    said: list[str] = []

    async def story(live: Live) -> None:
        disk = FullDisk()
        live.journal = Journal(live.journal.path, disk=disk)
        await until(has_turns(live, 1))
        disk.full = True
        saved = len(moves_in(live))
        await until(lambda: live.view.unsaved >= 2)
        assert len(moves_in(live)) == saved
        assert live.state()["unsaved"]
        assert "disk" in {fault["kind"] for fault in live.state()["faults"]}  # type: ignore[attr-defined]
        disk.full = False
        await until(lambda: live.view.unsaved == 0 and len(moves_in(live)) >= saved + 2)

    asyncio.run(simulated(tmp_path, story, said))
    assert sum("No space left on device" in line for line in said) == 1
    told = [line.split("move='")[1].split("'")[0] for line in said if "TurnTaken" in line]
    assert told == honest_moves(len(told), tmp_path)


def child_of_ours() -> int | None:
    path = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children")
    found = [int(child) for child in path.read_text().split()]
    return found[0] if found else None


@pytest.mark.parametrize("stopped", [False, True])
def test_thinking_that_is_killed_is_told_and_the_game_goes_on(tmp_path: Path, stopped: bool) -> None:
    said: list[str] = []

    async def story(live: Live) -> None:
        for kill in range(2):
            turns = len(moves_in(live))
            await until(has_turns(live, turns + 1))
            await until(lambda: child_of_ours() is not None)
            child = child_of_ours()
            assert child is not None
            if stopped:
                # It cannot answer; so the next question is under way when it dies.
                os.kill(child, signal.SIGSTOP)
                await until(lambda: live._thinker._busy)
            os.kill(child, signal.SIGKILL)
            await until(has_turns(live, turns + 2))
            if stopped:
                faults = [line for line in said if "ended unexpectedly" in line]
                assert len(faults) == kill + 1
                assert "engine" in {fault["kind"] for fault in live.state()["faults"]}  # type: ignore[attr-defined]

    asyncio.run(simulated(tmp_path, story, said))
    told = [line.split("move='")[1].split("'")[0] for line in said if "TurnTaken" in line]
    assert told == honest_moves(len(told), tmp_path)


def test_a_game_that_was_left_goes_on_where_it_was(tmp_path: Path) -> None:
    lengths: list[int] = []
    for _ in range(3):
        said: list[str] = []

        async def story(live: Live) -> None:
            before = len(moves_in(live))
            await until(has_turns(live, before + 2))
            lengths.append(len(moves_in(live)))

        asyncio.run(simulated(tmp_path, story, said))
    assert lengths == sorted(lengths)
    assert len(list((tmp_path / "state" / "games").iterdir())) == 1
    (journal,) = (tmp_path / "state" / "games").iterdir()
    moves = [
        event.move for event in read_journal(journal.read_bytes()).events if isinstance(event, TurnTaken)
    ]
    assert moves == honest_moves(len(moves), tmp_path)
