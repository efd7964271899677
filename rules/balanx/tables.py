"""A layout turned into tables and masks: bit sets of marbles in, settled bit sets and moves out.

Bit i of a bit set is space i. Every formula here also holds for many boards side by side in one integer, a
*lane* of `lane_bits` bits each: the masks are then repeated lane by lane, and one Python operation works on
all boards. A lane has at least one rank of unused bits above the board, where what is shifted off the board
falls and is masked away.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from operator import lshift, rshift
from typing import NamedTuple

from .layout import Layout
from .moves import Move


class Hop(NamedTuple):
    """One step or jump along a straight. Hops sort in the byte order of their texts."""

    order: int
    """Place of the move among all from-tos, `Tables.by_name` squared, in byte order."""
    origin: int
    """Bit of the space left."""
    flip: int
    """Bits of both spaces: exclusive or makes the move."""
    lane: bytes
    """`flip` as a lane of its own, little end first."""
    move: Move


@dataclass(frozen=True, slots=True)
class Masks:
    """Bit sets of one board, or of many in lanes."""

    ones: int
    """Space a1 of each lane; times a bit set repeats it in each lane."""
    board: int
    lows: int
    """The low space of every groove of two."""
    beyond_first: int
    """All files but the first: where a marble coming from the left can land."""
    before_last: int
    finishes: tuple[int, int]

    def repeated(self, ones: int) -> Masks:
        """These masks of one board, once in each lane of `ones`."""
        white, black = self.finishes
        return Masks(
            ones,
            self.board * ones,
            self.lows * ones,
            self.beyond_first * ones,
            self.before_last * ones,
            (white * ones, black * ones),
        )


class Straight(dict[int, tuple[Hop, ...]]):
    """One file or rank: its occupied spaces -> the hops along it, of either colour. Filled as it is asked."""

    __slots__ = ("_layout", "_order", "_sideways", "_width", "spaces")

    def __init__(self, layout: Layout, spaces: range, order: tuple[int, ...], width: int) -> None:
        super().__init__()
        self._layout = layout
        self._order = order
        self._sideways = spaces.step == 1
        self._width = width
        self.spaces = spaces

    def __missing__(self, occupied: int) -> tuple[Hop, ...]:
        found = []
        for way in (self.spaces, self.spaces[::-1]):
            for place, origin in enumerate(way):
                if not occupied >> origin & 1:
                    continue
                ahead = way[place + 1 :]
                gap = next((step for step, space in enumerate(ahead) if not occupied >> space & 1), None)
                if gap is not None and (gap > 0 or self._sideways):
                    found.append(self._hop(origin, ahead[gap]))
        hops = self[occupied] = tuple(found)
        return hops

    def _hop(self, origin: int, target: int) -> Hop:
        order = self._order[origin] * self._layout.cells + self._order[target]
        flip = 1 << origin | 1 << target
        return Hop(order, 1 << origin, flip, flip.to_bytes(self._width, "little"), Move(origin, target))


class Lanes(dict[int, Masks]):
    """Number of boards side by side -> their masks."""

    __slots__ = ("_bits", "_one")

    def __init__(self, one: Masks, bits: int) -> None:
        super().__init__({1: one})
        self._one = one
        self._bits = bits

    def __missing__(self, count: int) -> Masks:
        masks = self[count] = self._one.repeated(sum(1 << lane * self._bits for lane in range(count)))
        return masks


@dataclass(frozen=True, slots=True, eq=False)
class Tables:
    """Everything computed once for a layout."""

    layout: Layout
    files: int
    cells: int
    lane_bits: int
    masks: Masks
    lanes: Lanes
    by_name: tuple[int, ...]
    """The spaces in the byte order of their names."""
    straights: tuple[tuple[Straight, int], ...]
    """Each file and rank with the mask of its spaces."""

    def hops(self, own: int, occupied: int) -> list[Hop]:
        """The steps and jumps of the marbles `own`, in no order."""
        return [
            hop for straight, mask in self.straights for hop in straight[occupied & mask] if hop.origin & own
        ]

    def reach(self, own: int, occupied: int, masks: Masks) -> Iterator[int]:
        """Where the marbles `own` can be put, in bit sets of which every bit is one legal move."""
        free = masks.board & ~occupied
        for shift, distance, landing, steps in (
            (lshift, 1, masks.beyond_first, True),
            (rshift, 1, masks.before_last, True),
            (lshift, self.files, masks.board, False),
            (rshift, self.files, masks.board, False),
        ):
            yield from _reach_one_way(own, occupied & landing, free & landing, shift, distance, steps)

    def settle(self, white: int, black: int, side: int) -> tuple[int, int]:
        """Both colours after the board went down on that seat's side."""
        return settle(white, black, side, self.masks.lows, self.files)


def settle(white: int, black: int, side: int, lows: int, files: int) -> tuple[int, int]:
    """Roll the loose marbles to the side of a seat: those alone in a groove of two, at its other end.

    `rolling_*` holds the low spaces of the grooves where one rolls, which changes both bits of its groove.
    It does not matter which colour plays White; it does not matter from which tilt the board comes.
    """
    occupied = white | black
    if side == 0:
        open_ = lows & ~occupied
        rolling_white, rolling_black = white >> files & open_, black >> files & open_
    else:
        open_ = lows & ~(occupied >> files)
        rolling_white, rolling_black = white & open_, black & open_
    return white ^ (rolling_white | rolling_white << files), black ^ (rolling_black | rolling_black << files)


@cache
def tables_of(layout: Layout) -> Tables:
    """The tables of a layout, made once."""
    files, ranks, cells = layout.files, layout.ranks, layout.cells
    width = -(-(cells + files) // 8)
    by_name = tuple(sorted(range(cells), key=layout.cell_names.__getitem__))
    order = tuple(by_name.index(cell) for cell in range(cells))
    board = (1 << cells) - 1
    first_file = bits_of(range(0, cells, files))
    white, black = layout.finishes
    masks = Masks(
        ones=1,
        board=board,
        lows=bits_of(groove[0] for groove in layout.grooves if len(groove) == 2),
        beyond_first=board ^ first_file,
        before_last=board ^ first_file << files - 1,
        finishes=(bits_of(white), bits_of(black)),
    )
    rows = [range(rank * files, (rank + 1) * files) for rank in range(ranks)]
    columns = [range(file, cells, files) for file in range(files)]
    straights = tuple((Straight(layout, spaces, order, width), bits_of(spaces)) for spaces in rows + columns)
    return Tables(layout, files, cells, 8 * width, masks, Lanes(masks, 8 * width), by_name, straights)


def bits_of(cells: Iterable[int]) -> int:
    """The bit set of some spaces."""
    bits = 0
    for cell in cells:
        bits |= 1 << cell
    return bits


def cells_of(bits: int) -> Iterator[int]:
    """The spaces of a bit set, lowest first."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


def _reach_one_way(
    own: int, over: int, free: int, shift: Callable[[int, int], int], distance: int, steps: bool
) -> Iterator[int]:
    at = shift(own, distance)
    if steps:
        yield at & free
    while at := at & over:
        at = shift(at, distance)
        yield at & free
