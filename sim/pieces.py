"""Pieces on a sensor board and what its cells read of them: pieces in, readings out. Nothing here knows a game.

A cell holds pieces one upon the other. A piece has a kind (its colour, or which stone it is), a turn of its base
and a pointer (where its figure points); boards that see less of it read less.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .errors import SimError

BESIDE = -1
"""In place of a cell: beside the board."""


@dataclass(frozen=True, slots=True)
class Codes:
    """What a cell reads: 0 where it is free, else pieces + kind_step * kind + turn_step * turn + ... of the top piece.

    bits: of a reading; its top code is what a cell with more than `highest` pieces reads. stacks: whether hands may
    lay a piece on others.
    """

    bits: int
    kind_step: int = 1
    turn_step: int = 0
    pointer_step: int = 0
    highest: int = 1
    stacks: bool = False

    @property
    def unread(self) -> int:
        """The top code: something is there that cannot be read."""
        return (1 << self.bits) - 1

    def reading(self, pieces: "Sequence[Piece]") -> int:
        """The reading of a cell with these pieces, bottom first."""
        if not pieces:
            return 0
        if len(pieces) > self.highest:
            return self.unread
        top = pieces[-1]
        code = self.kind_step * top.kind + self.turn_step * top.turn + self.pointer_step * top.pointer
        return min(len(pieces) + code, self.unread)


@dataclass(slots=True)
class Piece:
    """One piece. cell: where it lies, BESIDE in a hand or off the board."""

    id: int
    kind: int
    cell: int = BESIDE
    turn: int = 0
    pointer: int = 0
    in_hand: bool = False


@dataclass(frozen=True, slots=True)
class Laid:
    """A piece that somebody lays: where, and how it is turned."""

    kind: int
    cell: int = BESIDE
    turn: int = 0
    pointer: int = 0


@dataclass(frozen=True, slots=True)
class PieceView:
    """A piece as the eye sees it. level: pieces below it. cell None: in a hand, or beside the board."""

    id: int
    kind: int
    cell: int | None
    level: int
    turn: int
    pointer: int
    in_hand: bool


class Stock:
    """All pieces of one board: what lies on each cell, bottom first, and what lies beside."""

    def __init__(self, cells: int) -> None:
        self.pieces: list[Piece] = []
        self.on: list[list[Piece]] = [[] for _ in range(cells)]

    def clear(self) -> None:
        """No pieces at all."""
        self.pieces.clear()
        for each in self.on:
            each.clear()

    def add(self, laid: Laid) -> Piece:
        """A new piece. Raises SimError for a cell that is not there."""
        piece = Piece(len(self.pieces), laid.kind, BESIDE, laid.turn, laid.pointer)
        self.pieces.append(piece)
        if laid.cell != BESIDE:
            self.put([piece], laid.cell)
        return piece

    def put(self, pieces: Sequence[Piece], cell: int) -> None:
        """Pieces, bottom first, come to lie on whatever the cell holds."""
        self.check(cell)
        for piece in pieces:
            piece.cell, piece.in_hand = cell, False
            self.on[cell].append(piece)

    def take(self, cell: int, count: int) -> list[Piece]:
        """The upper `count` pieces of a cell go into a hand; all where 0 or more than there are."""
        here = self.on[cell]
        taken = here[-count:] if 0 < count < len(here) else here[:]
        del here[len(here) - len(taken) :]
        for piece in taken:
            piece.cell, piece.in_hand = BESIDE, True
        return taken

    def beside(self, kind: int) -> Piece | None:
        """A piece of a kind that lies beside the board."""
        return next((p for p in self.pieces if p.kind == kind and p.cell == BESIDE and not p.in_hand), None)

    def check(self, cell: int) -> None:
        """Raise SimError for a cell that is not there."""
        if not 0 <= cell < len(self.on):
            raise SimError(f"there is no cell {cell} on this board")

    def views(self) -> tuple[PieceView, ...]:
        """All pieces by id."""
        return tuple(
            PieceView(
                piece.id,
                piece.kind,
                None if piece.cell == BESIDE else piece.cell,
                0 if piece.cell == BESIDE else self.on[piece.cell].index(piece),
                piece.turn,
                piece.pointer,
                piece.in_hand,
            )
            for piece in self.pieces
        )

    def rows(self) -> list[dict[str, Any]]:
        """Cells bottom first, then what lies beside: what a snapshot says of pieces."""
        lying = [piece for each in self.on for piece in each]
        lying += [piece for piece in self.pieces if piece.cell == BESIDE]
        return [
            {"kind": p.kind, "cell": p.cell, "turn": p.turn, "pointer": p.pointer, "in_hand": p.in_hand}
            for p in lying
        ]


def laid_from(row: Mapping[str, Any]) -> Laid:
    """A row of a snapshot as a piece to lay. Raises KeyError, TypeError, ValueError."""
    laid = Laid(int(row["kind"]), int(row["cell"]), int(row["turn"]), int(row["pointer"]))
    if laid.kind < 0 or not (0 <= laid.turn < 4 and 0 <= laid.pointer < 4):
        raise ValueError(f"no piece is {row!r}")
    return laid
