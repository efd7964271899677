"""Rates: something that counts in, how much of it a second out; python-chess as the yardstick of the same run."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any


def rate(count: Callable[[], int]) -> float:
    """What is counted a second."""
    began = time.perf_counter()
    leaves = count()
    return leaves / (time.perf_counter() - began)


def python_chess() -> Any:
    """The module, None where it is not installed."""
    try:
        import chess
    except ImportError:
        return None
    return chess


def chess_perft(board: Any, depth: int) -> int:
    """Perft that counts the moves of the last level, as ours does."""
    if depth == 1:
        count: int = board.legal_moves.count()
        return count
    total = 0
    for move in board.legal_moves:
        board.push(move)
        total += chess_perft(board, depth - 1)
        board.pop()
    return total
