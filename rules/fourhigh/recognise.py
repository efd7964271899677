"""What sensors saw in terms of a position: pictures and edges in; lifts, explanations, adopted positions out.

A `stack` sensor reads height and top colour, a `height` sensor the height alone. Either tells all legal moves
apart: the space that became free is the one moved from, and the one that grew is the one moved to.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations, product
from typing import Final

from rules.game import Illegal

from .house import HouseRules
from .judge import judge, kinds, moved
from .layout import CELLS, HIGHEST
from .moves import Move
from .position import FREE, Position, height_of, joined

STACK, HEIGHT = "stack", "height"

UNREAD: Final = 15
"""Something that is no stack of up to four."""

MOST_MOVED: Final = 3
"""Whole stacks that may have changed their places at once in a position to be adopted."""

_HEIGHTS = bytes(kind - HIGHEST if HIGHEST < kind <= 2 * HIGHEST else kind for kind in range(256))


def picture(stacks: bytes, sensor: str) -> bytes:
    """Readings of a perfect sensor board."""
    seen = kinds(stacks)
    return seen.translate(_HEIGHTS) if sensor == HEIGHT else seen


def lifted(position: Position, edges: Sequence[tuple[int, int]]) -> frozenset[int] | None:
    """Spaces of the position whose stack was lifted as a whole and is not back, by edges; None if unfit.

    A stack counts as back when its space reads as before. With a `height` sensor, whose readings above four
    do not occur, its height is all there is to compare.
    """
    before = picture(position.stacks, STACK)
    heights = picture(position.stacks, HEIGHT)
    with_colours = any(HIGHEST < reading <= 2 * HIGHEST for _, reading in edges)
    now = bytearray(before)
    gone: set[int] = set()
    for cell, reading in edges:
        if not 0 <= cell < CELLS or (reading == 0 and now[cell] == 0):
            return None
        now[cell] = reading
        if reading == 0:
            gone.add(cell)
        elif reading == before[cell] or (reading == heights[cell] and not with_colours):
            gone.discard(cell)
    return frozenset(cell for cell in gone if before[cell])


def explain(house: HouseRules, position: Position, seen: bytes, sensor: str) -> tuple[Move, Illegal] | None:
    """The illegal from-to that gives the picture, and why not. There is at most one."""
    before = picture(position.stacks, sensor)
    changed = [cell for cell, (was, reads) in enumerate(zip(before, seen, strict=True)) if was != reads]
    left = [cell for cell in changed if not seen[cell]]
    if len(changed) != 2 or len(left) != 1:
        return None
    move = Move(left[0], changed[0] if changed[1] == left[0] else changed[1])
    verdict = judge(house, position, move)
    shown = isinstance(verdict, Illegal) and seen[move.target] == _reading(position.stacks, move, sensor)
    return (move, verdict) if shown and isinstance(verdict, Illegal) else None


def _reading(stacks: bytes, move: Move, sensor: str) -> int:
    """What the space moved to reads when the stack lies there, be it allowed or not."""
    if height_of(stacks[move.origin]) + height_of(stacks[move.target]) > HIGHEST:
        return UNREAD
    return picture(moved(stacks, move), sensor)[move.target]


# -- the board is right ----------------------------------------------------------------------------


def adopt(position: Position, seen: bytes, sensor: str) -> Position | None:
    """The position of the same side, quiet plies and ply that a picture shows, owners certain.

    No piece may be missing or too many. Whole stacks are taken to have changed their places if that explains
    the picture; otherwise the pieces of all changed spaces are dealt out anew. What lies under a top piece
    matters neither for play nor for the score.
    """
    highest = HIGHEST if sensor == HEIGHT else 2 * HIGHEST
    if max(seen) > highest:
        return None
    before = picture(position.stacks, sensor)
    changed = [cell for cell in range(CELLS) if before[cell] != seen[cell]]
    heights = seen.translate(_HEIGHTS)
    if sum(heights) != sum(picture(position.stacks, HEIGHT)):
        return None
    found = [
        stacks for stacks in _rearranged(position.stacks, changed, heights) if picture(stacks, sensor) == seen
    ]
    if found:
        if len({picture(stacks, STACK) for stacks in found}) > 1:
            return None  # whose stack lies where is open
        stacks = min(found)
    else:
        dealt = _dealt(position.stacks, changed, seen, sensor)
        if dealt is None:
            return None
        stacks = dealt
    return Position(stacks, position.side, position.quiet, position.ply)


def _rearranged(stacks: bytes, changed: list[int], heights: bytes) -> Iterator[bytes]:
    """Every way to put the stacks that are gone, whole, on the other changed spaces, that gives the heights."""
    left = [cell for cell in changed if not heights[cell]]
    grown = [cell for cell in changed if heights[cell]]
    if not len(grown) <= len(left) <= MOST_MOVED:
        return
    if any(heights[cell] <= height_of(stacks[cell]) for cell in grown):
        return
    for order in permutations(left):
        for goals in product(grown, repeat=len(order)):
            after = bytearray(stacks)
            for origin, goal in zip(order, goals, strict=True):
                if height_of(after[goal]) + height_of(stacks[origin]) > heights[goal]:
                    break
                after[goal] = joined(after[goal], stacks[origin])
                after[origin] = FREE
            else:
                yield bytes(after)


def _dealt(stacks: bytes, changed: list[int], seen: bytes, sensor: str) -> bytes | None:
    """The pieces of the changed spaces dealt to them anew: tops as they are seen, Black's below first."""
    pieces = [0, 0]
    for cell in changed:
        code = stacks[cell]
        whites = (code ^ 1 << height_of(code)).bit_count()
        pieces[0] += height_of(code) - whites
        pieces[1] += whites
    if sensor == HEIGHT and all(pieces):
        return None
    tops = {cell: _top(seen[cell], sensor, pieces) for cell in changed if seen[cell]}
    for seat in tops.values():
        pieces[seat] -= 1
    if min(pieces) < 0:
        return None
    after = bytearray(stacks)
    for cell in changed:
        code = FREE
        if cell in tops:
            for _ in range(_HEIGHTS[seen[cell]] - 1):
                seat = 0 if pieces[0] else 1
                pieces[seat] -= 1
                code = code << 1 | seat
            code = code << 1 | tops[cell]
        after[cell] = code
    return bytes(after)


def _top(reading: int, sensor: str, pieces: list[int]) -> int:
    """The seat on top: as it is read, or the only one whose pieces were moved."""
    if sensor == HEIGHT:
        return 0 if pieces[0] else 1
    return int(reading > HIGHEST)
