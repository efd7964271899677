"""Laying out: a seed and numbers of disks in, the disks on the cells out, alike on every machine."""

from __future__ import annotations

from rules.errors import PositionError

from .layout import Lattice
from .position import COLOURS, ROUNDS, SEATS

MOST_DISKS = 128
"""Disks of a colour: more could not lie on the greatest board."""

_WORD = (1 << 64) - 1


class _Dice:
    """SplitMix64. Our own copy: the rules import no other room, and the deal is part of the rules."""

    __slots__ = ("_state",)

    def __init__(self, seed: int) -> None:
        self._state = seed

    def word(self) -> int:
        """The next 64 bits."""
        self._state = (self._state + 0x9E3779B97F4A7C15) & _WORD
        mixed = self._state
        mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9 & _WORD
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB & _WORD
        return mixed ^ mixed >> 31

    def below(self, limit: int) -> int:
        """A number from 0 to `limit` - 1, each as likely."""
        bound = (1 << 64) // limit * limit
        while (word := self.word()) >= bound:
            pass
        return word % limit

    def shuffle(self, bag: bytearray) -> None:
        """Fisher-Yates from the end, in place."""
        for last in range(len(bag) - 1, 0, -1):
            other = self.below(last + 1)
            bag[last], bag[other] = bag[other], bag[last]


def words(seed: int, count: int) -> tuple[int, ...]:
    """The first numbers of 64 bits that a seed gives: what other machines must agree on."""
    dice = _Dice(seed)
    return tuple(dice.word() for _ in range(count))


def default_disks(lattice: Lattice) -> int:
    """Disks of each colour where none is asked for; 0 on the smallest boards, which then cannot be laid out."""
    return lattice.cells // len(COLOURS)


def deal(lattice: Lattice, players: int, disks: int, seed: int) -> bytes:
    """The readings of a shuffled board: `disks` of each colour in the bag, blanks up to the number of cells.

    What does not fit stays in the box; should fewer colours lie on the board than will be chosen, the bag is
    shuffled again. Raises PositionError for numbers with which no game can begin.
    """
    if players not in SEATS:
        raise PositionError(f"players: {players} is not between {SEATS[0]} and {SEATS[-1]}")
    if not 0 <= seed <= _WORD:
        raise PositionError(f"seed: {seed} is not between 0 and 2^64 - 1")
    if not 1 <= disks <= MOST_DISKS:
        raise PositionError(f"disks: {disks} of a colour are not between 1 and {MOST_DISKS}")
    needed = players * ROUNDS[players]
    if lattice.cells < needed:
        raise PositionError(
            f"size: {lattice.name} has {lattice.cells} cells for {needed} colours to be chosen"
        )
    bag = bytearray(code for code in range(1, len(COLOURS) + 1) for _ in range(disks))
    bag += bytes(max(0, lattice.cells - len(bag)))
    dice = _Dice(seed)
    dice.shuffle(bag)
    while len({*bag[: lattice.cells]} - {0}) < needed:
        dice.shuffle(bag)
    return bytes(bag[: lattice.cells])
