"""What the `balanx rules` commands print: a game and texts in, the standard output out, no last newline."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .errors import MoveError, RulesError
from .games import AnyGame
from .line import Line
from .record import Record


def moves_output(game: AnyGame, position: str | None = None) -> str:
    """One legal move a line, sorted by bytes; nothing when the game is over; `--` when a pass is due."""
    return "\n".join(game.move_text(move) for move in game.moves(_position(game, position)))


def apply_output(game: AnyGame, moves: Sequence[str], position: str | None = None) -> str:
    """The position after the moves, and the outcome. Raises IllegalMove, MoveError with the move's number."""
    line = Line.begin(game, _position(game, position))
    for number, text in enumerate(moves, start=1):
        line = line.push(_move(game, number, text))
    result = "none" if line.outcome is None else game.result_text(line.outcome)
    return f"{game.position_text(line.position)}\noutcome: {result}"


def perft_output(game: AnyGame, depth: int, position: str | None = None, *, divide: bool = False) -> str:
    """The number of lines of `depth` turns; with `divide` one `move count` a line, sorted, and no sum."""
    if depth < 0:
        raise RulesError(f"depth: must not be negative, but is {depth}")
    start = _position(game, position)
    if not divide:
        return str(game.perft(start, depth))
    if depth == 0:
        return ""
    return "\n".join(
        f"{game.move_text(move)} {game.perft(game.play(start, move), depth - 1)}"
        for move in game.moves(start)
    )


def check_output(record: str) -> str:
    """The result of a record that holds. Raises RulesError with the place where it does not."""
    return Record.parse(record).result


def _move(game: AnyGame, number: int, text: str) -> Any:
    try:
        return game.parse_move(text)
    except MoveError as error:
        raise MoveError(f"move {number}: {error}") from None


def _position(game: AnyGame, text: str | None) -> Any:
    return game.start() if text is None else game.parse_position(text)
