"""Rails: where disks stand in, every cell that a disk can reach out; tables computed once for a board.

An *arc* is a cell with a heading in which a disk leaves it. Each arc leads to one next arc, except straight
into an obtuse corner, where it leads to two; and only there do two arcs lead to the same one. Cut there, the
arcs fall into *segments*: rows of arcs without choice. (A closed loop is cut at some bank and follows itself.)
So every segment begins with a bank, and a disk that enters one may capture anywhere in it.

`Rails.tracks` writes the cells of each segment as an integer, a bit an arc: 1 where the arc arrives at a disk.
How far a disk runs is then the place of the lowest 1 from its own arc on, for a whole chain of banks.
Cells are counted in the byte order of their names here, so that what is found needs no sorting.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from operator import itemgetter
from typing import Any, NamedTuple

from .layout import Lattice
from .moves import Move

_TAKEN = bytes.maketrans(bytes(range(256)), b"0" + b"1" * 255)


Reached = dict[int, int]
"""First arc of a segment that arrives at a disk, as its bit -> what is reached, cells as bits.

Behind the last arc stands an arc that always arrives. What is reached by then is all the cells and, above their
bits, the bit of the segment: the disk goes on into those that follow it.
"""


class Ray(NamedTuple):
    """The rest of a segment, as a disk sees it that sets out there."""

    segment: int
    ahead: int
    """Bits of the arcs to look at: those behind its own, but for arrivals at its own cell, free while it runs."""
    reached: Reached


@dataclass(frozen=True, slots=True, eq=False)
class Rails:
    """The tables of one board. `on_the_spot`: a disk on an edge may bank there before it has moved."""

    lattice: Lattice
    on_the_spot: bool
    order: tuple[int, ...]
    """The cells in the byte order of their names; `place` is the inverse."""
    place: tuple[int, ...]
    rays: tuple[tuple[Ray, ...], ...]
    """By cell."""
    entered: tuple[Reached, ...]
    """By segment: what is reached from its beginning, after a bank."""
    then: tuple[tuple[int, ...], ...]
    """By segment: those that follow."""
    slices: tuple[tuple[int, int], ...]
    """By segment: its first bit in the track of all segments, and a mask of its length."""
    others: tuple[tuple[int, ...], ...]
    """By cell and segment: all bits but those of arcs that arrive at the cell."""
    elsewhere: tuple[int, ...]
    """By cell: the bits of all other cells."""
    moves: tuple[dict[int, Move], ...]
    """By cell: the moves to all others by the bit of the cell they lead to."""
    gather: itemgetter[Any]
    """The cells at which the arcs of all segments arrive, last first."""
    beside: tuple[tuple[int, ...], ...]
    edge: tuple[bool, ...]

    def tracks(self, disks: bytes) -> list[int]:
        """The tracks of all segments for a board's readings."""
        whole = int(bytes(self.gather(disks.translate(_TAKEN) + b"1")), 2)
        return [whole >> offset & mask for offset, mask in self.slices]

    def reach(self, cell: int, tracks: Sequence[int]) -> int:
        """The cells where the disk on a cell can end, captures among them, as bits in the order of names."""
        found = 0
        for segment, ahead, reached in self.rays[cell]:
            disks = tracks[segment] & ahead
            found |= reached[disks & -disks]
        if ended := found >> self.lattice.cells:
            found |= self._followed(cell, tracks, ended)
        return found & self.elsewhere[cell]

    def _followed(self, cell: int, tracks: Sequence[int], ended: int) -> int:
        """What the disk reaches that came to the end of the segments whose bits are set."""
        found, seen = 0, set()
        while ended:
            segment = ended.bit_length() - 1
            ended ^= 1 << segment
            for number in self.then[segment]:
                if number not in seen:
                    seen.add(number)
                    disks = tracks[number] & self.others[cell][number]
                    reached = self.entered[number][disks & -disks]
                    found |= reached
                    ended |= reached >> self.lattice.cells
        return found

    def goals(self, disks: bytes, cell: int) -> tuple[int, ...]:
        """The cells where the disk on a cell can end, in the byte order of their names."""
        reach = self.reach(cell, self.tracks(disks))
        return tuple(goal for bit, goal in enumerate(self.order) if reach >> bit & 1)

    def all_moves(self, disks: bytes, codes: Collection[int]) -> tuple[Move, ...]:
        """The moves of all disks whose readings are among `codes`, in the byte order of their texts."""
        tracks, moves = self.tracks(disks), self.moves
        found: list[Move] = []
        for cell in self.order:
            if disks[cell] in codes and (reach := self.reach(cell, tracks)):
                to = moves[cell]
                while reach:
                    goal = reach & -reach
                    found.append(to[goal])
                    reach ^= goal
        return tuple(found)

    def can_move(self, disks: bytes, cell: int) -> bool:
        """Whether the disk on a cell has a move: exactly where a neighbour is free, or it can bank on the spot."""
        return (self.on_the_spot and self.edge[cell]) or not all(disks[other] for other in self.beside[cell])


@cache
def rails_of(lattice: Lattice, on_the_spot: bool = True) -> Rails:
    """The tables of a board; built once."""
    return _Builder(lattice, on_the_spot).build()


class _Builder:
    def __init__(self, lattice: Lattice, on_the_spot: bool) -> None:
        self._lattice = lattice
        self._on_the_spot = on_the_spot
        names = lattice.cell_names
        self._order = tuple(sorted(range(lattice.cells), key=names.__getitem__))
        self._place = tuple(self._order.index(cell) for cell in range(lattice.cells))
        self._arrival: dict[tuple[int, int], int] = {}
        for cell in range(lattice.cells):
            for heading in range(6):
                if (there := lattice.beside(cell, heading)) is not None:
                    self._arrival[cell, heading] = there

    def build(self) -> Rails:
        lattice, order = self._lattice, self._order
        cells = range(lattice.cells)
        segments = self._segments()
        heads = {segment[0]: number for number, segment in enumerate(segments)}
        # Each segment ends with a 1, so that every run ends: the reading behind the board's is always taken.
        arrivals = [[*(self._arrival[arc] for arc in segment), lattice.cells] for segment in segments]
        others = [[_bits(there != cell for there in each) for each in arrivals] for cell in cells]
        where = {arc: (n, index) for n, segment in enumerate(segments) for index, arc in enumerate(segment)}

        def ray(cell: int, heading: int, banked: bool) -> Ray:
            number, index = where[cell, heading]
            ahead = others[cell][number] >> index << index
            return Ray(number, ahead, self._reached(segments[number], number, index, banked))

        lengths = list(map(len, arrivals))
        return Rails(
            lattice=lattice,
            on_the_spot=self._on_the_spot,
            order=order,
            place=self._place,
            rays=tuple(tuple(ray(cell, *start) for start in self._starts(cell).items()) for cell in cells),
            entered=tuple(self._reached(arcs, number, 0, True) for number, arcs in enumerate(segments)),
            then=tuple(tuple(sorted(heads[arc] for arc, _ in self._next(arcs[-1]))) for arcs in segments),
            slices=tuple((sum(lengths[:number]), (1 << length) - 1) for number, length in enumerate(lengths)),
            others=tuple(map(tuple, others)),
            elsewhere=tuple((1 << lattice.cells) - 1 ^ 1 << self._place[cell] for cell in cells),
            moves=tuple({1 << bit: Move(cell, goal) for bit, goal in enumerate(order)} for cell in cells),
            gather=itemgetter(*reversed([there for each in arrivals for there in each])),
            beside=tuple(
                tuple(
                    there for heading in range(6) if (there := self._arrival.get((cell, heading))) is not None
                )
                for cell in cells
            ),
            edge=tuple(map(lattice.is_edge, cells)),
        )

    def _next(self, arc: tuple[int, int]) -> list[tuple[tuple[int, int], bool]]:
        """The arcs that can follow one, and whether the disk banks between."""
        cell, heading = self._arrival[arc], arc[1]
        on = sorted(self._lattice.leave(cell, heading))
        return [((cell, onward), on != [heading]) for onward in on]

    def _starts(self, cell: int) -> dict[int, bool]:
        """The headings in which a disk can leave a cell where it stands, and whether it has banked by then."""
        starts: dict[int, bool] = {}
        for heading in range(6):
            on = self._lattice.leave(cell, heading)
            banked = on != {heading}
            if self._on_the_spot or not banked:
                for onward in on:
                    starts[onward] = starts.get(onward, False) or banked
        return starts

    def _segments(self) -> list[list[tuple[int, int]]]:
        """All arcs in segments: first those between the corners with a choice, then the closed loops."""
        into: dict[tuple[int, int], int] = {}
        heads: list[tuple[int, int]] = []
        after_a_bank: list[tuple[int, int]] = []
        for arc in self._arrival:
            following = self._next(arc)
            for onward, banked in following:
                into[onward] = into.get(onward, 0) + 1
                if banked:
                    after_a_bank.append(onward)
                if len(following) > 1:
                    heads.append(onward)
        heads += [arc for arc, count in into.items() if count > 1]
        cuts = set(heads)
        segments: list[list[tuple[int, int]]] = []
        done: set[tuple[int, int]] = set()
        for head in (*heads, *after_a_bank):
            if head in done:
                continue
            cuts.add(head)
            segment = [head]
            while len(following := self._next(segment[-1])) == 1 and following[0][0] not in cuts:
                segment.append(following[0][0])
            done.update(segment)
            segments.append(segment)
        return segments

    def _reached(self, arcs: list[tuple[int, int]], number: int, first: int, banked: bool) -> Reached:
        """What is reached in a segment from one of its arcs on: the cells passed and the capture at the end."""
        passed, reached = 0, {}
        for index, arc in enumerate(arcs[first:], start=first):
            bit = 1 << self._place[self._arrival[arc]]
            reached[1 << index] = passed | bit if banked else passed
            passed |= bit
            banked = banked or self._next(arc)[0][1]
        reached[1 << len(arcs)] = passed | 1 << self._lattice.cells + number
        return reached


def _bits(flags: Iterable[bool]) -> int:
    return sum(1 << bit for bit, flag in enumerate(flags) if flag)
