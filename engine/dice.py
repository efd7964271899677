"""Dice: a seed in, the same numbers out on every machine and every version of Python."""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from typing import TypeVar

T = TypeVar("T")
_WORD = (1 << 64) - 1


class Dice:
    """SplitMix64, as in `banks.md`."""

    __slots__ = ("_state",)

    def __init__(self, *seeds: int) -> None:
        self._state = 0
        for seed in seeds:
            self._state = (self._state ^ seed) & _WORD
            self._state = self.word()

    def word(self) -> int:
        """The next 64 bits."""
        self._state = (self._state + 0x9E3779B97F4A7C15) & _WORD
        mixed = self._state
        mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9 & _WORD
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB & _WORD
        return mixed ^ mixed >> 31

    def below(self, limit: int) -> int:
        """A number from 0 to `limit` - 1, each as likely; limit >= 1."""
        bound = (1 << 64) // limit * limit
        while (word := self.word()) >= bound:
            pass
        return word % limit

    def choice(self, items: Sequence[T]) -> T:
        """One of the items, which are not empty."""
        return items[self.below(len(items))]

    def shuffle(self, items: MutableSequence[T]) -> None:
        """Put the items into a random order, in place."""
        for last in range(len(items) - 1, 0, -1):
            other = self.below(last + 1)
            items[last], items[other] = items[other], items[last]
