"""Move generation: stacks and a seat in, what all of its stacks can reach at once out, on bit sets."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from .layout import CELLS, HIGHEST, STEPS
from .moves import MOVES, Move, move_text
from .position import FREE, height_of, owner_of

_STEPS = tuple((step.up, step.down, step.mask, step.delta) for step in STEPS)


def _digits(wanted: Callable[[int], bool]) -> bytes:
    """A translation of stack codes to the digits of a bit set."""
    codes = range(FREE, 2 << HIGHEST)
    return bytes(ord("1") if code in codes and wanted(code) else ord("0") for code in range(256))


_EMPTY = _digits(lambda code: code == FREE)


def _movers(seat: int, high: int) -> bytes:
    return _digits(lambda code: owner_of(code) == seat and height_of(code) == high)


def _prey(seat: int, high: int) -> bytes:
    return _digits(lambda code: owner_of(code) == 1 - seat and height_of(code) + high <= HIGHEST)


_MOVERS = tuple(tuple(_movers(seat, high) for high in range(HIGHEST)) for seat in (0, 1))
_PREY = tuple(tuple(_prey(seat, high) for high in range(HIGHEST)) for seat in (0, 1))
"""Seat by seat and by the height of a mover: its stacks of that height, and what they may capture."""

_TEXT_ORDER = {
    number: place for place, number in enumerate(sorted(range(CELLS**2), key=lambda n: move_text(MOVES[n])))
}


def waves(stacks: bytes, side: int) -> Iterator[tuple[int, int]]:
    """All legal actions in portions: a bit set of targets, and how far each lies from its mover.

    Along one direction at most one mover reaches a space, so no action is told twice or lost.
    """
    digits = stacks[::-1]  # the last space is the highest bit
    empty = int(digits.translate(_EMPTY), 2)
    if singles := int(digits.translate(_MOVERS[side][1]), 2):
        prey = int(digits.translate(_PREY[side][1]), 2)
        for up, down, mask, delta in _STEPS:  # move like a queen, capture like a king
            reached = (singles << up >> down) & mask
            if near := reached & (empty | prey):
                yield near, delta
            distance = delta
            while reached := (reached & empty) << up >> down & mask & empty:
                distance += delta
                yield reached, distance
    for high in (2, 3):
        if movers := int(digits.translate(_MOVERS[side][high]), 2):
            prey = int(digits.translate(_PREY[side][high]), 2)
            for up, down, mask, delta in _STEPS:  # move like a king, capture like a queen
                reached = (movers << up >> down) & mask
                if near := reached & (empty | prey):
                    yield near, delta
                distance = delta
                while reached := (reached & empty) << up >> down & mask:
                    distance += delta
                    if hit := reached & prey:
                        yield hit, distance


def can_act(stacks: bytes, side: int) -> bool:
    """Whether the seat has a move or a capture."""
    return next(waves(stacks, side), None) is not None


def count(stacks: bytes, side: int) -> int:
    """Number of moves and captures."""
    return sum([targets.bit_count() for targets, _ in waves(stacks, side)])


def actions(stacks: bytes, side: int) -> list[Move]:
    """Moves and captures in the byte order of their texts."""
    numbers: list[int] = []
    for targets, distance in waves(stacks, side):
        while targets:
            target = targets.bit_length() - 1
            targets ^= 1 << target
            numbers.append((target - distance) * CELLS + target)
    numbers.sort(key=_TEXT_ORDER.__getitem__)
    return [MOVES[number] for number in numbers]
