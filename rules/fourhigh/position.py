"""Positions: position texts in, a code for each space's stack with side and quiet plies out, and back.

A stack's code is a 1 and then a bit for each piece from bottom to top: 0 Black, 1 White. A free space is 1.
So joining two stacks appends bits, and all codes lie between 1 and 31.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from rules.errors import PositionError

from .layout import CELL_NAMES, CELLS, FILES, HIGHEST, RANKS

COLOURS: Final = ("Black", "White")
"""The seats in turn order."""

SIDE_LETTERS: Final = "BW"
FREE: Final = 1
_RANKS_AT_START = 2
_COUNTS = tuple(str(count) for count in range(1, FILES + 1))


@dataclass(frozen=True, slots=True)
class Position:
    """`stacks` holds a code for each space; `quiet` counts the plies without a capture, passes included.

    `ply` is no part of what a position is: its text does not hold it, and one that was read only knows the
    least that side and quiet plies tell. It takes no part in comparisons.
    """

    stacks: bytes
    side: int
    quiet: int
    ply: int = field(default=0, compare=False)


def height_of(code: int) -> int:
    """Pieces in a stack, 0 for a free space."""
    return code.bit_length() - 1


def owner_of(code: int) -> int | None:
    """The seat of the piece on top, None for a free space."""
    return None if code == FREE else code & 1


def joined(below: int, above: int) -> int:
    """One stack on another, or on a free space. Not checked for its height."""
    height = height_of(above)
    return below << height | above ^ 1 << height


def stack_text(code: int) -> str:
    """A stack's letters from bottom to top, empty for a free space."""
    return "".join(SIDE_LETTERS[code >> place & 1] for place in reversed(range(height_of(code))))


def stack_of(text: str) -> int:
    """Inverse of `stack_text`; not checked."""
    code = FREE
    for letter in text:
        code = code << 1 | SIDE_LETTERS.index(letter)
    return code


def start_position() -> Position:
    """Sixteen singles each on the two ranks at their edge, White's on ranks 1 and 2; Black to move."""
    men = _RANKS_AT_START * FILES
    white, free, black = bytes([0b11]) * men, bytes([FREE]) * (CELLS - 2 * men), bytes([0b10]) * men
    return Position(white + free + black, 0, 0)


def position_text(position: Position) -> str:
    """Inverse of `parse_position`."""
    rows = []
    for rank in reversed(range(RANKS)):
        words: list[str] = []
        gap = 0
        for code in position.stacks[rank * FILES : (rank + 1) * FILES]:
            if code == FREE:
                gap += 1
                continue
            words += [str(gap)] if gap else []
            words.append(stack_text(code))
            gap = 0
        words += [str(gap)] if gap else []
        rows.append(",".join(words))
    return f"{'/'.join(rows)} {SIDE_LETTERS[position.side]} {position.quiet}"


def parse_position(text: str, quiet_limit: int) -> Position:
    """Read `ranks side quiet`. How many pieces there are is not checked. Raises PositionError with the place."""
    parts = text.split(" ")
    if len(parts) != 3 or not all(parts):
        raise PositionError("a position is 'ranks side quiet' with one blank between")
    placement, letter, digits = parts
    rows = placement.split("/")
    if len(rows) != RANKS:
        raise PositionError(f"ranks: {len(rows)} where the board has {RANKS}")
    codes = [_row(rank, row) for rank, row in zip(reversed(range(RANKS)), rows, strict=True)]
    if letter not in ("B", "W"):
        raise PositionError(f"side: must be B or W, not {letter!r}")
    side = SIDE_LETTERS.index(letter)
    quiet = _quiet(digits, quiet_limit)
    # Black moves at even plies, White at odd: the least ply that side and quiet plies allow.
    return Position(b"".join(reversed(codes)), side, quiet, quiet + (quiet % 2 != side))


def _quiet(digits: str, limit: int) -> int:
    if not (digits.isascii() and digits.isdigit()) or (digits[0] == "0" and digits != "0"):
        raise PositionError(f"quiet: must be a whole number without sign or leading zeros, not {digits!r}")
    if len(digits) > len(str(limit)) or int(digits) > limit:
        raise PositionError(f"quiet: {digits} is more than {limit}, at which a game is over")
    return int(digits)


def _row(rank: int, row: str) -> bytes:
    """The codes of one rank, its first file first."""
    codes: list[int] = []
    after_count = False
    for word in row.split(","):
        place = CELL_NAMES[rank * FILES + len(codes)] if len(codes) < FILES else "its end"
        where = f"rank {rank + 1}, at {place}"
        counts = word.isascii() and word.isdigit()
        if counts:
            if after_count:
                raise PositionError(f"{where}: two counts of free spaces in a row")
            if word not in _COUNTS:
                raise PositionError(f"{where}: {word} is no number of free spaces, 1 to {FILES}")
            codes += [FREE] * int(word)
        elif not word:
            raise PositionError(f"{where}: nothing stands where a stack or a count is due")
        elif unknown := word.strip(SIDE_LETTERS):
            raise PositionError(f"{where}: {unknown[0]!r} is no piece in the stack {word!r}")
        elif len(word) > HIGHEST:
            raise PositionError(f"{where}: the stack {word} is {len(word)} high, more than {HIGHEST}")
        else:
            codes.append(stack_of(word))
        after_count = counts
        if len(codes) > FILES:
            raise PositionError(f"{where}: more than {FILES} files")
    if len(codes) != FILES:
        raise PositionError(f"rank {rank + 1}: {len(codes)} files where the board has {FILES}")
    return bytes(codes)
