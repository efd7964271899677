"""Routes: a disk's shortest way between two cells, bank by bank, as people see it run; for lights and reasons."""

from __future__ import annotations

from collections import deque

from .layout import Lattice

_State = tuple[int, int, bool]


def route(
    lattice: Lattice, disks: bytes, origin: int, target: int, on_the_spot: bool = True
) -> tuple[int, ...] | None:
    """The cells of a shortest way of the disk on `origin` to `target`, both ends included; None without a way.

    Follows the rules word by word, breadth first over cell, heading and whether the disk has banked; of ways
    of equal length the one whose headings come first. Not fast.
    """
    begin = [(origin, heading, False) for heading in range(6)]
    came: dict[_State, _State | None] = dict.fromkeys(begin)
    queue = deque(begin)
    while queue:
        state = queue.popleft()
        cell, heading, banked = state
        for onward in sorted(lattice.leave(cell, heading)):
            if onward != heading and came[state] is None and not on_the_spot:
                continue
            now_banked = banked or onward != heading
            there = lattice.beside(cell, onward)
            if there is None:
                continue
            free = there == origin or not disks[there]
            if there == target and there != origin and (free or now_banked):
                return (*_back(came, state), there)
            following = (there, onward, now_banked)
            if free and following not in came:
                came[following] = state
                queue.append(following)
    return None


def _back(came: dict[_State, _State | None], state: _State) -> tuple[int, ...]:
    cells = []
    step: _State | None = state
    while step is not None:
        cells.append(step[0])
        step = came[step]
    return tuple(reversed(cells))
