"""Calls due at times -> calls in order of time; the one clock and the random streams of a table."""

from collections.abc import Callable
from heapq import heappop, heappush
from random import Random

Call = Callable[[int], None]


class Agenda:
    """One heap of (time, order of entry, call, number for the call). Times in simulated seconds."""

    __slots__ = ("_entries", "_heap", "now_s")

    def __init__(self, now_s: float) -> None:
        self.now_s = now_s
        self._heap: list[tuple[float, int, Call, int]] = []
        self._entries = 0

    def at(self, due_s: float, call: Call, number: int = 0) -> None:
        """Have `call(number)` made at a time; a time gone by means now."""
        self._entries += 1
        heappush(self._heap, (due_s if due_s > self.now_s else self.now_s, self._entries, call, number))

    def next_s(self) -> float:
        """Time of the next call, inf if none."""
        return self._heap[0][0] if self._heap else float("inf")

    def run(self, until_s: float) -> None:
        """Makes every call due up to and including a time, then sets the clock to it."""
        heap = self._heap
        while heap and heap[0][0] <= until_s:
            due_s, _, call, number = heappop(heap)
            self.now_s = due_s
            call(number)
        if until_s > self.now_s:
            self.now_s = until_s


class Streams:
    """One seed -> independent random streams by purpose, so that a draw more in one shifts no other."""

    __slots__ = ("_seed",)

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def stream(self, purpose: str) -> Random:
        """A new generator for a purpose; the same purpose gives the same numbers."""
        return Random(f"{self._seed}/{purpose}")  # a text seed is hashed by SHA-512: same on every Python
