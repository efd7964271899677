"""Stacks of Four High as bit sets by height, from the mover's sight: positions in, moves and what follows out.

Much faster than the rules' own positions, since owner and height are all that a search must know.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from rules.fourhigh.layout import CELLS, HIGHEST, STEPS
from rules.fourhigh.position import FREE, Position, height_of

_BOARD: Final = (1 << CELLS) - 1
_STEPS: Final = tuple((step.up, step.down, step.mask, step.delta) for step in STEPS)
_NONE: Final = HIGHEST + 1


class Stacks(NamedTuple):
    """Bit sets of spaces: the mover's stacks of one, two, three and four, then the other's."""

    own1: int
    own2: int
    own3: int
    own4: int
    foe1: int
    foe2: int
    foe3: int
    foe4: int


class Step(NamedTuple):
    """A move or capture: spaces, the mover's height, and the height of what it captures (0: a quiet move)."""

    origin: int
    target: int
    height: int
    prey: int


def stacks_of(position: Position) -> Stacks:
    """The stacks of a position as its player to move sees them."""
    sets = [0] * 8
    for cell, code in enumerate(position.stacks):
        if code != FREE:
            sets[height_of(code) - 1 + (0 if code & 1 == position.side else 4)] |= 1 << cell
    return Stacks(*sets)


def turned(stacks: Stacks) -> Stacks:
    """The same as the other player sees them."""
    return Stacks(*stacks[4:], *stacks[:4])


def after(stacks: Stacks, step: Step) -> Stacks:
    """The stacks after a step as the other player sees them."""
    origin, target, height, prey = step
    sets = list(stacks)
    sets[height - 1] ^= 1 << origin
    sets[height + prey - 1] ^= 1 << target
    if prey:
        sets[3 + prey] ^= 1 << target
    return Stacks(*sets[4:], *sets[:4])


def closed(stacks: Stacks) -> bool:
    """Whether no capture can ever happen again."""
    own1, own2, own3, _, foe1, foe2, foe3, _ = stacks
    least = 1 if own1 else 2 if own2 else 3 if own3 else _NONE
    return least + (1 if foe1 else 2 if foe2 else 3 if foe3 else _NONE) > HIGHEST


def captures(stacks: Stacks) -> list[Step]:
    """All captures."""
    own1, own2, own3, own4, foe1, foe2, foe3, foe4 = stacks
    empty = _BOARD ^ (own1 | own2 | own3 | own4 | foe1 | foe2 | foe3 | foe4)
    found: list[Step] = []
    low = foe1 | foe2
    if own1:
        prey = low | foe3
        for up, down, mask, delta in _STEPS:
            if hit := (own1 << up >> down) & mask & prey:
                _add_hits(found, hit, delta, 1, foe1, foe2)
    for height, movers, prey in ((2, own2, low), (3, own3, foe1)):
        if movers:
            for up, down, mask, delta in _STEPS:
                reached = (movers << up >> down) & mask
                distance = delta
                while reached:
                    if hit := reached & prey:
                        _add_hits(found, hit, distance, height, foe1, foe2)
                    reached = (reached & empty) << up >> down & mask
                    distance += delta
    return found


def _add_hits(found: list[Step], hit: int, distance: int, height: int, foe1: int, foe2: int) -> None:
    while hit:
        bit = hit & -hit
        hit ^= bit
        target = bit.bit_length() - 1
        found.append(Step(target - distance, target, height, 1 if bit & foe1 else 2 if bit & foe2 else 3))


def quiets(stacks: Stacks) -> list[Step]:
    """All moves to free spaces."""
    own1, own2, own3, own4, foe1, foe2, foe3, foe4 = stacks
    empty = _BOARD ^ (own1 | own2 | own3 | own4 | foe1 | foe2 | foe3 | foe4)
    found: list[Step] = []
    for up, down, mask, delta in _STEPS:
        reached, distance = own1, 0
        while reached := (reached << up >> down) & mask & empty:
            distance += delta
            hit = reached
            while hit:
                bit = hit & -hit
                hit ^= bit
                target = bit.bit_length() - 1
                found.append(Step(target - distance, target, 1, 0))
        for height, movers in ((2, own2), (3, own3)):
            hit = (movers << up >> down) & mask & empty
            while hit:
                bit = hit & -hit
                hit ^= bit
                target = bit.bit_length() - 1
                found.append(Step(target - delta, target, height, 0))
    return found
