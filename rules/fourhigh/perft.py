"""Perft: a position and a depth in, the number of lines of so many turns out. No subtree is remembered."""

from __future__ import annotations

from .house import HouseRules, Stuck
from .judge import closed, play
from .moves import PASS
from .position import Position
from .reach import actions, can_act, count


def perft(house: HouseRules, position: Position, depth: int) -> int:
    """Lines of exactly `depth` turns; a finished position has no successors, a forced pass is a turn."""
    if depth == 0:
        return 1
    stacks, side = position.stacks, position.side
    if position.quiet >= house.quiet_limit or closed(stacks):
        return 0
    if depth == 1:
        number = count(stacks, side)
        return number or int(_passes(house, position))
    if moves := actions(stacks, side):
        return sum([perft(house, play(position, move), depth - 1) for move in moves])
    return perft(house, play(position, PASS), depth - 1) if _passes(house, position) else 0


def _passes(house: HouseRules, position: Position) -> bool:
    """Whether a player without an action, in a game that is not over otherwise, passes."""
    return house.stuck is Stuck.PASS and can_act(position.stacks, 1 - position.side)
