"""Rates: something that counts in, how much of it a second out; python-chess as the yardstick of the same run."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any, Final

RUNS: Final = 5
CHESS_DEPTH: Final = 4


def rate(count: Callable[[], int]) -> float:
    """What is counted a second."""
    began = time.perf_counter()
    leaves = count()
    return leaves / (time.perf_counter() - began)


def beside_chess(count: Callable[[], int]) -> tuple[float, float | None]:
    """Medians of what is counted a second, and of python-chess's perft 4; None where it is not installed.

    They are measured turn by turn, so that both meet the same machine.
    """
    chess = python_chess()
    ours, theirs = [], []
    for _ in range(RUNS):
        ours.append(rate(count))
        if chess is not None:
            theirs.append(rate(partial(_chess_perft, chess.Board(), CHESS_DEPTH)))
    return statistics.median(ours), statistics.median(theirs) if theirs else None


def python_chess() -> Any:
    """The module, None where it is not installed."""
    try:
        import chess
    except ImportError:
        return None
    return chess


def _chess_perft(board: Any, depth: int) -> int:
    """Perft that counts the moves of the last level, as ours does."""
    if depth == 1:
        count: int = board.legal_moves.count()
        return count
    total = 0
    for move in board.legal_moves:
        board.push(move)
        total += _chess_perft(board, depth - 1)
        board.pop()
    return total
