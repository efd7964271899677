"""Thinker: machines' moves, found in a process of their own so that the event loop never waits for them.

The daemon's side is `Thinker`; the other side is this module run as a program: one JSON question a line on
standard input, one JSON answer a line on standard output. A line that begins with `!` stops the thinking at once.
The process is started with the first question; a player who only watches people never has one.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
import threading
from collections.abc import Callable
from typing import Any

from rules.errors import RulesError
from rules.games import game_of_tags
from rules.line import Line

from .errors import BalanxError
from .games import AnyLine
from .players import Found, Player, consider, parse_player

STOP = b"!\n"
LINE_LIMIT = 1 << 20
AGAIN_S = 1.0  # pause before thinking that ended unexpectedly is begun again


def question(line: AnyLine, player: Player, seed: int) -> bytes:
    """One question: the game as its record's tags, the line of play as texts, who thinks, and the seed."""
    game = line.game
    start = game.position_text(line.positions[0])
    asked = {
        "tags": {**dict(game.tags()), "Setup": start},
        "start": start,
        "moves": [game.move_text(move) for move in line.moves],
        "player": player.text,
        "seed": seed,
    }
    return json.dumps(asked).encode() + b"\n"


def answer(asked: dict[str, Any], stop: Callable[[], bool]) -> dict[str, str]:
    """The other side's work: a question's move with its reason, or what is wrong with it."""
    try:
        game = game_of_tags(asked["tags"])
        line: AnyLine = Line.begin(game, game.parse_position(asked["start"]))
        line = line.extend(game.parse_move(move) for move in asked["moves"])
        found = consider(parse_player(asked["player"]), line, asked["seed"], stop)
    except (RulesError, BalanxError, KeyError, ValueError) as error:
        return {"error": str(error)}
    return {"move": found.move, "sentence": found.sentence}


class Thinker:
    """The daemon's side. One question at a time; a new one, or `cancel`, stops the one before."""

    def __init__(self) -> None:
        self._process: asyncio.subprocess.Process | None = None
        self._lock = asyncio.Lock()
        self._busy = False
        self._task: asyncio.Task[None] | None = None  # what `ask` waits for
        self._asked = 0  # questions and cancellations: whoever finds another number here was overtaken

    def ask(
        self,
        line: AnyLine,
        player: Player,
        seed: int,
        answer: Callable[[str], None],
        trouble: Callable[[str], None],
    ) -> None:
        """Think beside the loop, again and again where it fails, which `trouble` is told; then `answer` gets the move.

        Neither is called once something else was asked, or `cancel` was.
        """
        self._task = asyncio.create_task(self._until_answered(line, player, seed, answer, trouble))

    async def _until_answered(
        self,
        line: AnyLine,
        player: Player,
        seed: int,
        answer: Callable[[str], None],
        trouble: Callable[[str], None],
    ) -> None:
        mine = asyncio.current_task()
        while mine is self._task:
            try:
                found = await self.think(line, player, seed)
            except BalanxError as error:
                if mine is self._task:
                    trouble(f"{error}; it is asked again.")
                    await asyncio.sleep(AGAIN_S)
            else:
                if mine is self._task:
                    answer(found.move)
                return

    async def think(self, line: AnyLine, player: Player, seed: int) -> Found:
        """The move and its reason. Raises BalanxError where the other side fails."""
        self._overtake()
        mine = self._asked
        async with self._lock:
            process = await self._start()
            assert process.stdin is not None
            assert process.stdout is not None
            self._busy = True
            try:
                process.stdin.write(question(line, player, seed))
                if mine != self._asked:
                    process.stdin.write(STOP)
                await process.stdin.drain()
                told = await process.stdout.readline()
            except (BrokenPipeError, ConnectionResetError):
                told = b""
            finally:
                self._busy = False
            if not told:
                self._process = None
                raise BalanxError("the computer's thinking has ended unexpectedly")
        found = json.loads(told)
        if "move" not in found:
            raise BalanxError(f"the computer found no move: {found.get('error')}")
        return Found(str(found["move"]), str(found["sentence"]))

    def cancel(self) -> None:
        """Stop thinking; the answer comes at once and is of no use."""
        self._task = None
        self._overtake()

    def _overtake(self) -> None:
        self._asked += 1
        process = self._process
        if self._busy and process is not None and process.stdin is not None:
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                process.stdin.write(STOP)

    async def close(self) -> None:
        """End the other side."""
        if self._task is not None:
            self._task.cancel()
        process, self._process = self._process, None
        if process is not None and process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()

    async def _start(self) -> asyncio.subprocess.Process:
        if self._process is None or self._process.returncode is not None:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "balanxd.thinker",
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                limit=LINE_LIMIT,
                # Ctrl-C at the terminal is the daemon's to handle; it ends this process itself.
                start_new_session=True,
            )
        return self._process


def main() -> None:
    """The other side: read questions until standard input ends (the daemon is gone), answer each."""
    questions: list[bytes] = []
    there = threading.Condition()
    asked = begun = stopped = 0  # questions read, begun; up to which one nobody waits any more
    ended = False

    def read() -> None:
        nonlocal asked, stopped, ended
        for line in sys.stdin.buffer:
            with there:
                if line == STOP:
                    stopped = asked
                else:
                    asked += 1
                    questions.append(line)
                    there.notify()
        with there:
            ended = True
            stopped = asked
            there.notify()

    def nobody_waits() -> bool:
        return stopped >= begun

    threading.Thread(target=read, daemon=True).start()
    while True:
        with there:
            there.wait_for(lambda: questions or ended)
            if ended:
                return
            line = questions.pop(0)
            begun += 1
        told = answer(json.loads(line), nobody_waits)
        try:
            # Not through sys.stdout, which would try once more, and complain, when this process ends.
            os.write(sys.stdout.fileno(), json.dumps(told).encode() + b"\n")
        except BrokenPipeError:
            return  # the daemon is gone


if __name__ == "__main__":
    main()
