"""Perft: a position and a depth in, the number of lines of so many turns out. No subtree is remembered."""

from __future__ import annotations

from .position import Position
from .tables import Hop, Masks, Tables, cells_of, settle


def perft(tables: Tables, position: Position, depth: int) -> int:
    """Lines of exactly `depth` turns; a finished or stuck position has no successors, a pass is a turn."""
    return _lines(tables, position.own, position.other, position.side, position.ply, depth)


def _lines(tables: Tables, own: int, other: int, side: int, ply: int, depth: int) -> int:
    """The count from the mover's sight, on bare bit sets."""
    if depth == 0:
        return 1
    occupied = own | other
    if any(occupied & finish == finish for finish in _finishes(tables.masks, ply)):
        return 0
    hops = tables.hops(own, occupied)
    if not hops:
        return _lines_after_pass(tables, own, other, side, ply, depth)
    if depth == 1:
        return len(hops)
    if depth == 2:
        return _replies(tables, own, other, side, ply, hops)
    lows, files, total = tables.masks.lows, tables.files, 0
    for hop in hops:
        moved, replying = settle(own ^ hop.flip, other, 1 - side, lows, files)
        total += _lines(tables, replying, moved, 1 - side, ply + 1, depth - 1)
    return total


def _finishes(masks: Masks, ply: int) -> tuple[int, ...]:
    """The corners that end a game when they are full, at a ply: White's needs Black to have moved."""
    return masks.finishes if ply >= 2 else masks.finishes[1:] if ply == 1 else ()


def _lines_after_pass(tables: Tables, own: int, other: int, side: int, ply: int, depth: int) -> int:
    own, other = tables.settle(own, other, 1 - side)
    if not any(tables.reach(other, own | other, tables.masks)):
        return 0  # stuck: no pass is made
    return _lines(tables, other, own, 1 - side, ply + 1, depth - 1)


def _replies(tables: Tables, own: int, other: int, side: int, ply: int, hops: list[Hop]) -> int:
    """The number of lines of two turns: all positions after the first lie side by side in one integer."""
    masks = tables.lanes[len(hops)]
    moved = own * masks.ones ^ int.from_bytes(b"".join([hop.lane for hop in hops]), "little")
    moved, replying = settle(moved, other * masks.ones, 1 - side, masks.lows, tables.files)
    occupied = moved | replying
    going_on = masks.ones
    for finish in _finishes(masks, ply + 1):
        going_on &= _lanes_with_a_bit(finish & ~occupied, masks, tables.cells)
    movers = replying & (going_on << tables.cells) - going_on
    total = able = 0
    for targets in tables.reach(movers, occupied, masks):
        total += targets.bit_count()
        able |= targets
    for a1 in cells_of(going_on & ~_lanes_with_a_bit(able, masks, tables.cells)):
        own, other = replying >> a1 & tables.masks.board, moved >> a1 & tables.masks.board
        total += _lines_after_pass(tables, own, other, 1 - side, ply + 1, 1)
    return total


def _lanes_with_a_bit(bits: int, masks: Masks, cells: int) -> int:
    """a1 of each lane that has any bit: only then adding a full board carries into the lane's unused bits."""
    return bits + masks.board >> cells & masks.ones
