"""Thinking in another process: stops at once, dies with its daemon, and a death is told."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Awaitable
from pathlib import Path
from typing import Any, TypeVar

import pytest

from balanxd.assemble import game_on
from balanxd.config import simulated_board
from balanxd.errors import BalanxError
from balanxd.players import Player, check_level, choose, consider, parse_player
from balanxd.thinker import STOP, Thinker, answer, question
from rules.banks import BanksGame, Lattice
from rules.boxilies import Board, BoxiliesGame
from rules.fourhigh import FourHighGame, HouseRules, Stuck
from rules.line import Line

BOARD = simulated_board()
STRONGEST = Player("engine", 8)
HANG_S = 60.0  # a test that hangs fails; nothing is measured

T = TypeVar("T")


def start() -> Line[Any, Any]:
    return Line.begin(game_on(BOARD))


def run(work: Awaitable[T]) -> T:
    async def guarded() -> T:
        async with asyncio.timeout(HANG_S):
            return await work

    return asyncio.run(guarded())


def children() -> list[int]:
    """Thinking processes of ours."""
    path = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children")
    found = [int(child) for child in path.read_text().split()]
    return [child for child in found if b"balanxd.thinker" in Path(f"/proc/{child}/cmdline").read_bytes()]


@pytest.mark.parametrize("player", ["random", "engine:1", "engine:2"])
def test_the_other_process_finds_the_same_move(player: str) -> None:
    line = start()

    async def work() -> str:
        thinker = Thinker()
        try:
            return (await thinker.think(line, parse_player(player), 5)).move
        finally:
            await thinker.close()

    assert run(work()) == choose(parse_player(player), line, 5)
    assert children() == []


OTHERS: dict[str, Any] = {
    "banks": BanksGame.shuffled(Lattice(4, 4), players=3, disks=3, seed=2),
    "boxilies": BoxiliesGame(Board(2, 2), starter=1),
    "fourhigh": FourHighGame(HouseRules(stuck=Stuck.END, quiet_limit=40)),
}


@pytest.mark.parametrize("game", OTHERS.values(), ids=OTHERS)
@pytest.mark.parametrize("player", ["random", "engine:1"])
def test_a_question_about_any_game_holds_all_that_its_answer_needs(game: Any, player: str) -> None:
    line: Line[Any, Any] = Line.begin(game)
    for _ in range(2):
        line = line.push(game.moves(line.position)[1])
    asked = json.loads(question(line, parse_player(player), 5))
    found = consider(parse_player(player), line, 5)
    assert answer(asked, lambda: False) == {"move": found.move, "sentence": found.sentence}
    assert bool(found.sentence) == (player != "random")


def test_a_level_that_a_game_does_not_have_is_refused_with_those_that_it_has() -> None:
    with pytest.raises(BalanxError, match=r"boxilies at levels 1 to \d; choose one of these"):
        check_level(Player("engine", 8), OTHERS["boxilies"])
    asked = json.loads(question(Line.begin(OTHERS["boxilies"]), Player("engine", 8), 5))
    assert "at levels 1 to" in answer(asked, lambda: False)["error"]
    check_level(Player("random"), OTHERS["boxilies"])
    check_level(STRONGEST, start().game)


def test_thinking_looks_often_whether_anybody_still_waits() -> None:
    looked = 0

    def stop() -> bool:
        nonlocal looked
        looked += 1
        return looked > 2

    whole, _ = choose(Player("engine", 2), start(), 1), choose(STRONGEST, start(), 1, stop)
    assert looked == 3
    assert whole in {start().game.move_text(move) for move in start().game.moves(start().position)}


@pytest.mark.parametrize("together", [True, False])
def test_a_stop_is_never_lost_even_when_it_comes_with_its_question(together: bool) -> None:
    """The strongest level, asked again and again and stopped each time: the answers come, and are legal moves."""
    asked = question(start(), STRONGEST, 1)
    process = subprocess.Popen(
        [sys.executable, "-m", "balanxd.thinker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin is not None
    assert process.stdout is not None
    legal = {start().game.move_text(move) for move in start().game.moves(start().position)}
    rounds = 40
    for _ in range(rounds):
        if together:
            process.stdin.write(asked + STOP)
        else:
            process.stdin.write(asked)
            process.stdin.flush()
            process.stdin.write(STOP)
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["move"] in legal
    process.stdin.close()
    assert process.wait(HANG_S) == 0
    process.stdout.close()


def test_a_new_question_overtakes_the_one_before() -> None:
    line = start()

    async def work() -> tuple[str, str]:
        thinker = Thinker()
        try:
            first = asyncio.create_task(thinker.think(line, STRONGEST, 1))
            await asyncio.sleep(0)
            second = await thinker.think(line, Player("engine", 1), 5)
            return (await first).move, second.move
        finally:
            await thinker.close()

    assert run(work())[1] == choose(Player("engine", 1), line, 5)


def test_a_killed_process_is_one_clear_error_and_the_next_question_is_answered() -> None:
    line = start()

    async def work() -> str:
        thinker = Thinker()
        try:
            await thinker.think(line, Player("random"), 1)
            (child,) = children()
            thinking = asyncio.create_task(thinker.think(line, STRONGEST, 1))
            await asyncio.sleep(0.05)
            os.kill(child, signal.SIGKILL)
            with pytest.raises(BalanxError, match="ended unexpectedly") as caught:
                await thinking
            assert "\n" not in str(caught.value)
            return (await thinker.think(line, Player("random"), 1)).move
        finally:
            await thinker.close()

    assert run(work()) == choose(Player("random"), line, 1)


def test_a_daemon_that_is_gone_takes_its_thinker_along() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "balanxd.thinker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdout.close()
    process.stdin.write(question(start(), STRONGEST, 1))
    process.stdin.close()
    assert process.wait(HANG_S) == 0
    assert process.stderr is not None
    assert process.stderr.read() == b""
    process.stderr.close()


@pytest.mark.parametrize(
    "change",
    [
        {"tags": {"Game": "chess"}},
        {"tags": {"Game": "balanx", "Layout": "x"}},
        {"start": "x"},
        {"moves": ["a1-a2"]},
        {"player": "nobody"},
    ],
)
def test_a_wrong_question_is_answered_with_the_reason(change: dict[str, Any]) -> None:
    asked = json.loads(question(start(), Player("random"), 1)) | change
    assert set(answer(asked, lambda: False)) == {"error"}
    del asked["tags"]
    assert set(answer(asked, lambda: False)) == {"error"}
