"""Trace: bytes both ways with their times, and the simulator's marbles, as text files; and back.

`wire.txt`: one line a read or write, `seconds > hex` from the board, `seconds < hex` to it; `seconds > ` at the end.
`marbles.jsonl`: one line each time a marble was lifted, put or has rolled. `game.json`: what was played.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

from .config import BoardConfig
from .errors import BalanxError
from .players import Player

WIRE, MARBLES, GAME = "wire.txt", "marbles.jsonl", "game.json"


def trace_header(
    board: BoardConfig, players: Sequence[Player], seed: int, date: str, max_turns: int | None
) -> dict[str, Any]:
    """What `balanx replay` needs to build the same daemon again."""
    return {
        "board": board.source,
        "board_text": board.text,
        "layout_text": board.layout.text,
        "tags": [list(tag) for tag in board.tags],
        "players": [player.text for player in players],
        "seed": seed,
        "date": date,
        "max_turns": max_turns,
    }


class Trace:
    """Writes a trace into a folder, which is made if need be. Raises BalanxError where it cannot."""

    def __init__(self, folder: Path, game: Mapping[str, Any]) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / GAME).write_text(json.dumps(game, indent=1) + "\n")
            self._wire: TextIO = (folder / WIRE).open("w")
            self._marbles: TextIO = (folder / MARBLES).open("w")
        except OSError as error:
            raise BalanxError(f"{folder}: {error.strerror or error}") from error
        self._last = ""

    def up(self, at_s: float, data: bytes) -> None:
        """Bytes from the board."""
        self._wire.write(f"{at_s!r} > {data.hex()}\n")

    def down(self, at_s: float, data: bytes) -> None:
        """Bytes to the board."""
        self._wire.write(f"{at_s!r} < {data.hex()}\n")

    def marbles(self, at_s: float, marbles: list[dict[str, Any]], angle_deg: float) -> None:
        """The simulator's own marbles; written where they differ from the last."""
        text = json.dumps(marbles, separators=(",", ":"))
        if text != self._last:
            self._last = text
            self._marbles.write(f'{{"at_s":{at_s!r},"angle_deg":{angle_deg:.2f},"marbles":{text}}}\n')

    def close(self, at_s: float) -> None:
        """The run ends at `at_s`; write what is left."""
        self.up(at_s, b"")
        self._wire.close()
        self._marbles.close()


def read_game(folder: Path) -> dict[str, Any]:
    """What was played. Raises BalanxError."""
    path = folder / GAME
    try:
        game = json.loads(path.read_text())
    except OSError as error:
        raise BalanxError(f"{path}: {error.strerror or error}") from error
    except ValueError as error:
        raise BalanxError(f"{path}: {error}") from error
    if not isinstance(game, dict):
        raise BalanxError(f"{path}: not a table")
    return game


def read_up(folder: Path) -> Iterator[tuple[float, bytes]]:
    """The bytes from the board, with their times; none at the end of the run. Raises BalanxError naming the line."""
    path = folder / WIRE
    try:
        lines = path.read_text().splitlines()
    except OSError as error:
        raise BalanxError(f"{path}: {error.strerror or error}") from error
    for number, line in enumerate(lines, start=1):
        try:
            at, way, data = line.split(" ")
            if way == ">":
                yield float(at), bytes.fromhex(data)
        except ValueError as error:
            raise BalanxError(f"{path}: line {number}: {error}") from error
