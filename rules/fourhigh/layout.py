"""The board of Four High as geometry: names of its 64 spaces and bit set steps in the eight directions.

Spaces are numbered rank by rank from a1 = 0, b1 = 1 up to h8 = 63. Bit i of a bit set is space i.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

FILES: Final = 8
RANKS: Final = 8
CELLS: Final = FILES * RANKS
HIGHEST: Final = 4
"""Singles in the highest stack."""

FILE_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
CELL_NAMES: Final = tuple(f"{FILE_LETTERS[file]}{rank + 1}" for rank in range(RANKS) for file in range(FILES))

_BOARD = (1 << CELLS) - 1
_FILE_A = sum(1 << FILES * rank for rank in range(RANKS))
_NOT_FIRST = _BOARD & ~_FILE_A
_NOT_LAST = _BOARD & ~(_FILE_A << FILES - 1)


@dataclass(frozen=True, slots=True)
class Step:
    """One space in a direction: a bit set is stepped by `bits << up >> down & mask`, a space by `delta`.

    One of `up` and `down` is 0. The mask drops what would leave the board or come in again on its other side.
    """

    up: int
    down: int
    mask: int
    delta: int


def _step(files: int, ranks: int) -> Step:
    delta = FILES * ranks + files
    mask = _NOT_FIRST if files > 0 else _NOT_LAST if files < 0 else _BOARD
    return Step(max(delta, 0), max(-delta, 0), mask, delta)


STEPS: Final = tuple(_step(files, ranks) for ranks in (-1, 0, 1) for files in (-1, 0, 1) if files or ranks)
"""The eight directions of a queen and of a king."""


def cell(name: str) -> int | None:
    """The space of that name, None where there is none."""
    return CELL_NAMES.index(name) if name in CELL_NAMES else None


def way(origin: int, target: int) -> range | None:
    """The spaces between two different ones of the board on a queen's line; None when they are on none."""
    (rank, file), (to_rank, to_file) = divmod(origin, FILES), divmod(target, FILES)
    ranks, files = to_rank - rank, to_file - file
    if ranks and files and abs(ranks) != abs(files):
        return None
    delta = (target - origin) // max(abs(ranks), abs(files))
    return range(origin + delta, target, delta)
