"""What sensors saw in terms of a position: pictures and edges in; placements under way and reasons out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rules.game import Illegal

from .judge import Reason, captures, judge, play
from .moves import Move, move_text
from .position import Position, hand
from .tables import FIGURES, FREE, UNREAD, Tables, base_of, figure_of, stone_of

STONE, PRESENCE = "stone", "presence"


@dataclass(frozen=True, slots=True)
class Placed:
    """A legal placement as a rested picture shows it.

    figure_due: the placed stone's own figure does not point to the opponent yet.
    to_turn: captured stones whose figure does not point to the opponent yet.
    wrong: cells that changed without a reason. The turn is over when nothing of this is left.
    """

    move: Move
    figure_due: bool
    to_turn: tuple[int, ...]
    wrong: tuple[int, ...]

    @property
    def done(self) -> bool:
        """Whether the board shows the whole turn."""
        return not (self.figure_due or self.to_turn or self.wrong)


def picture(position: Position, sensor: str) -> bytes:
    """Readings of a perfect sensor board: presence 0 or 1, stone as `tables` tells."""
    if sensor == PRESENCE:
        return bytes(1 if reading else 0 for reading in position.board)
    return bytes(position.board)


def canonical(tables: Tables, readings: bytes) -> bytes:
    """The picture with the smallest of equal-looking rotations for each stone; the rest stays as it is."""
    return bytes(_canonical(tables, reading) for reading in readings)


def lifted(position: Position, edges: Sequence[tuple[int, int]]) -> frozenset[int] | None:
    """Cells of the position whose stone was lifted, by edges since it rested in step; None if unfit.

    A stone that went and came back was not lifted. One that turned, or whose figure did, never went.
    """
    now = list(position.board)
    for cell, reading in edges:
        if reading == FREE and now[cell] == FREE:
            return None
        now[cell] = reading
    # 1 is also what a board that knows only presence says of any stone.
    return frozenset(
        cell
        for cell, (before, after) in enumerate(zip(position.board, now, strict=True))
        if before and (after == FREE or (after not in (1, UNREAD) and stone_of(after) != stone_of(before)))
    )


# -- a placement under way -------------------------------------------------------------------------


def placed(tables: Tables, position: Position, readings: bytes) -> Placed | None:
    """The legal placement that a rested picture of the stone sensor shows; None where there is none.

    Figures may point anywhere: those that must be turned are told, and the next placement waits for them.
    """
    if not _readable(tables, readings):
        return None
    new = [cell for cell, before in enumerate(position.board) if readings[cell] and not before]
    if len(new) != 1:
        return None
    cell, reading = new[0], _canonical(tables, readings[new[0]])
    move = Move(stone_of(reading), cell, base_of(reading) & 3)
    if isinstance(judge(tables, position, move), Illegal):
        return None
    after, turning = play(tables, position, move).board, captures(tables, position, move)
    to_turn: list[int] = []
    wrong: list[int] = []
    for other, wanted in enumerate(after):
        seen = _canonical(tables, readings[other])
        if seen == wanted or other == cell:
            continue
        if other in turning and seen and base_of(seen) == base_of(wanted):
            to_turn.append(other)
        else:
            wrong.append(other)
    return Placed(move, reading != after[cell], tuple(to_turn), tuple(wrong))


# -- why a picture is no legal move ----------------------------------------------------------------


def explain(
    tables: Tables, position: Position, readings: bytes, sensor: str, witness: frozenset[int] | None
) -> tuple[Move, Illegal] | None:
    """The illegal placement that gives the picture and whose reason stands latest; ties in text order.

    Figures of the placed stone and of those that it would capture may point anywhere.
    """
    if sensor == PRESENCE:
        moves = _by_presence(tables, position, readings, witness or frozenset())
    elif _readable(tables, readings):
        moves = _by_stone(tables, position, canonical(tables, readings))
    else:
        return None
    found = [
        (move, verdict) for move in moves if isinstance(verdict := judge(tables, position, move), Illegal)
    ]
    return min(found, key=lambda pair: _latest_first(tables, *pair), default=None)


def _by_stone(tables: Tables, position: Position, readings: bytes) -> Iterator[Move]:
    """The placement of the one stone that is new, replaces another, or came from another cell."""
    before = position.board
    changed = [
        cell
        for cell, (old, new) in enumerate(zip(before, readings, strict=True))
        if bool(old) != bool(new) or (new and stone_of(old) != stone_of(new))
    ]
    put = [cell for cell in changed if readings[cell]]
    if len(put) != 1:
        return
    cell = put[0]
    stone, base = stone_of(readings[cell]), base_of(readings[cell])
    if any(stone_of(before[other]) != stone for other in changed if other != cell):
        return
    move = Move(stone, cell, base & 3)
    turner = Position(_without(before, stone, cell), tables.seat_of[stone])
    turning = captures(tables, turner, move)
    for other, (old, new) in enumerate(zip(before, readings, strict=True)):
        if other not in changed and old != new and not (other in turning and base_of(old) == base_of(new)):
            return
    yield move


def _by_presence(
    tables: Tables, position: Position, readings: bytes, witness: frozenset[int]
) -> Iterator[Move]:
    """What a board that sees no stones can tell: one moved on, one too many, or one on a blocked cell."""
    before = position.board
    gone = [cell for cell, old in enumerate(before) if old and not readings[cell]]
    new = [cell for cell, old in enumerate(before) if readings[cell] and not old]
    if len(new) != 1 or len(gone) > 1 or not witness <= set(gone):
        return
    if gone:
        base = base_of(before[gone[0]])
        yield Move(base >> 2, new[0], base & 3)
    else:
        side = position.side
        stones = hand(tables, position, side) or tables.hands[side]
        yield from (Move(stone, new[0], 0) for stone in stones)


def _without(board: tuple[int, ...], stone: int, cell: int) -> tuple[int, ...]:
    """The board before a stone lay there: neither it nor what it replaced."""
    return tuple(
        FREE if other == cell or (reading and stone_of(reading) == stone) else reading
        for other, reading in enumerate(board)
    )


def _latest_first(tables: Tables, move: Move, verdict: Illegal) -> tuple[int, str]:
    place = list(Reason).index(Reason(verdict.reason))
    return -place, move_text(tables.board, tables.stones, move)


# -- the board is right ----------------------------------------------------------------------------


def adopt(tables: Tables, position: Position, readings: bytes, sensor: str) -> Position | None:
    """The position of the same side and ply that a picture shows.

    None for a figure that points sideways, a stone on a blocked cell, or another number of stones; and where
    only presence is known, unless nothing moved: a stone that was put elsewhere may have been turned.
    """
    if sensor == PRESENCE:
        return position if picture(position, sensor) == bytes(map(bool, readings)) else None
    if not _readable(tables, readings) or any(readings[cell] for cell in tables.board.blocked):
        return None
    shown = canonical(tables, readings)
    if any(reading and figure_of(reading) not in FIGURES for reading in shown):
        return None
    adopted = Position(tuple(shown), position.side)
    return adopted if adopted.ply == position.ply else None


def _readable(tables: Tables, readings: bytes) -> bool:
    """Whether every cell is free or tells a stone of the game, none of them twice."""
    stones = [stone_of(reading) for reading in readings if reading]
    return len(set(stones)) == len(stones) and all(stone < len(tables.seat_of) for stone in stones)


def _canonical(tables: Tables, reading: int) -> int:
    if not reading or stone_of(reading) >= len(tables.seat_of):
        return reading
    return 1 + tables.smallest[base_of(reading)] * 4 + figure_of(reading)
