"""Worth of BANKS: house rules and the disks that are left in, what each count of a colour is worth out.

A score is a product, so worths are logarithms, and a hand is worth their sum. The score alone would call a first
disk of a new colour worthless, since it multiplies by one; but while many disks are left, colours grow. So a
count c is worth log(c + 1) while disks are plenty, which gathers all colours, and log(c), as the score has it,
when they run out. Where the whole game gives a player few disks, a product of as many is greatest with about e
of a colour: then each disk up to e is worth alike, and no more colours are begun than can grow so far.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import e, log
from typing import Final

from rules.banks.judge import HouseRules

WIN: Final = 10_000_000
"""Score of a won game; a win in n turns is worth WIN - n."""

WON: Final = WIN - 1_000_000

UNIT: Final = 1000
"""Score of a hand whose product is e times another's."""

PLENTY: Final = 4
"""Disks for each player on the board from which on a colour not held counts in full as one to be collected."""

FEW: Final = 11
"""Disks for each player in the whole game below which they do not suffice for all colours."""

_MISSING: Final = 0.2
"""What no disk of a colour counts as, where the house rules multiply by all colours."""


@dataclass(frozen=True, slots=True)
class Worth:
    """of: by count. gain: by count, what one more disk of the colour adds."""

    of: tuple[int, ...]
    gain: tuple[int, ...]

    def hand(self, counts: Sequence[int]) -> int:
        """The worth of a hand."""
        return sum([self.of[count] for count in counts])


def worth_for(house: HouseRules, players: int, left: int, held: int, most: int) -> Worth:
    """Worth of counts from 0 to `most` + 1, while so many disks are left on the board and held by all players."""
    hope = min(1.0, left / (PLENTY * players))
    few = (left + held) / players < FEW
    nothing = _MISSING if house.whole_set else 1.0
    of = tuple(
        round(UNIT * (hope * (_share(count) if few else log(count + 1)) + (1 - hope) * log(count or nothing)))
        for count in range(most + 2)
    )
    return Worth(of, tuple(more - less for less, more in pairwise(of)))


def _share(count: int) -> float:
    """log(count), but below e the straight line that touches it there."""
    return log(count) if count > e else count / e


def standing(worths: Sequence[int], seat: int) -> int:
    """How a seat stands among all hands' worths: against the best other hand, and against all of them."""
    others = [worth for other, worth in enumerate(worths) if other != seat]
    return worths[seat] - (max(others) + sum(others) // len(others)) // 2
