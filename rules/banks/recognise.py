"""What sensors saw in terms of a position: pictures and edges in; lifts, drops, explanations, positions out."""

from __future__ import annotations

from collections.abc import Sequence

from rules.game import Illegal

from .judge import Laws, Reason, judge
from .moves import Move, choice
from .position import COLOURS, Position

COLOUR = "colour"
"""The one kind of sensor that can follow the game: presence does not tell which disk was captured."""

FREE, UNREAD = 0, len(COLOURS) + 1


def lifted(position: Position, edges: Sequence[tuple[int, int]]) -> frozenset[int] | None:
    """Cells of the position whose disk has left: they read free, or another colour, by now.

    A disk that reads unread still lies there; one that reads its own colour again flickered, or was captured
    by a disk alike, which `dropped` tells. None where the edges do not fit the position.
    """
    now = bytearray(position.disks)
    for cell, reading in edges:
        if reading == FREE and now[cell] == FREE:
            return None
        now[cell] = reading
    return frozenset(
        cell
        for cell, (was, reads) in enumerate(zip(position.disks, now, strict=True))
        if was and reads not in (was, UNREAD)
    )


def dropped(position: Position, edges: Sequence[tuple[int, int]]) -> tuple[int, ...]:
    """Cells with a disk that read free or unread and then a colour again, and still do, in the order of time.

    The witness of a capture; of all captures from one cell of disks alike, only this tells which was made.
    """
    open_cells: set[int] = set()
    found: dict[int, None] = {}
    for cell, reading in edges:
        if reading in (FREE, UNREAD):
            open_cells.add(cell)
            if reading == FREE:
                found.pop(cell, None)
        elif cell in open_cells and position.disks[cell]:
            open_cells.discard(cell)
            found.pop(cell, None)
            found[cell] = None
    return tuple(found)


def explain(
    laws: Laws, position: Position, picture: bytes, witness: frozenset[int] | None
) -> tuple[Move, Illegal] | None:
    """The illegal from-to, or choice, that gives the picture and whose reason stands latest; ties in text order.

    A cell that reads as before but is among the witness saw a disk alike dropped there. Without such a witness
    a disk missing at rest is no move: its player may hold it. While colours are chosen it is a choice.
    """
    before = position.disks
    changed = [cell for cell, (was, reads) in enumerate(zip(before, picture, strict=True)) if was != reads]
    gone = [cell for cell in changed if picture[cell] == FREE]
    if len(gone) != 1 or len(changed) > 2:
        return None
    origin = gone[0]
    if len(changed) == 2:
        target = next(cell for cell in changed if cell != origin)
        candidates = [Move(origin, target)] if picture[target] == before[origin] else []
    else:
        candidates = [
            Move(origin, cell) for cell in witness or () if cell != origin and before[cell] == before[origin]
        ]
        if position.choosing and not candidates:
            candidates = [choice(origin)]
    verdicts = [(move, judge(laws, position, move)) for move in candidates]
    refused = [(move, verdict) for move, verdict in verdicts if isinstance(verdict, Illegal)]
    return min(refused, key=lambda found: _latest_first(laws, *found), default=None)


def _latest_first(laws: Laws, move: Move, verdict: Illegal) -> tuple[int, str, str]:
    place, names = list(Reason).index(Reason(verdict.reason)), laws.lattice.cell_names
    return -place, names[move.origin], names[move.target] if not move.is_choice else ""


def adopt(position: Position, picture: bytes) -> Position | None:
    """The position with the disks of a picture; None when one is unread, missing or too many of its colour."""
    if sorted(picture) != sorted(position.disks):
        return None
    return Position(
        bytes(picture), position.owners, position.hands, position.side, position.quiet, position.ply
    )
