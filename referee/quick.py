"""Quick: two turns that left no rested picture between them. A picture and its witnesses in, the first turn out.

On a board that does not tilt the next player may lift, or even have moved, before the turn before has come to rest.
Then the picture is explained two plies deep: the changes since it was last in step must have shown a legal move, and
what came after it must be the next player's doing. Where edges were lost the picture alone must tell.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import Generic

from hardware.occupancy import Change
from rules.game import Game, M, P

from .infer import Prospects
from .witness import Witness


@dataclass(frozen=True, slots=True)
class First(Generic[P, M]):
    """The first of two turns. rest: what changed after it. witnessed: its picture was seen."""

    move: M
    after: P
    rest: tuple[Change, ...]
    witnessed: bool


@dataclass(frozen=True, slots=True)
class Either(Generic[M]):
    """Two turns explain the picture, but these moves may all have been the first."""

    moves: tuple[M, ...]


def first_of_two(
    prospects: Prospects[P, M], observed: bytes, witness: Witness, bad: Set[int], made: M | None
) -> First[P, M] | Either[M] | None:
    """The turn that was done before what lies on the board was begun; None where there is none.

    made: the move that was provisional before the picture changed.
    """
    game = prospects.game
    changes = [change for change in witness.changes if change.cell not in bad]
    if not witness.lost:
        for move, upto in _shown(prospects, changes):
            after = game.play(prospects.position, move)
            if _next_is_at_it(prospects, after, observed, changes[upto:], bad):
                return First(move, after, tuple(changes[upto:]), True)
    if made is not None:
        after = game.play(prospects.position, made)
        if _next_has_lifted(prospects, after, observed, bad):
            return First(made, after, (), not witness.lost)
    return _by_picture(prospects, observed, {change.cell for change in changes}, bad)


def _shown(prospects: Prospects[P, M], changes: Sequence[Change]) -> list[tuple[M, int]]:
    """Legal moves whose picture was there for a moment, and how many changes it took; the latest first."""
    game = prospects.game
    now = bytearray(game.picture(prospects.position, prospects.sensor))
    found: dict[M, int] = {}
    edges: list[tuple[int, int]] = []
    for number, change in enumerate(changes, start=1):
        now[change.cell] = change.reading
        edges.append((change.cell, change.reading))
        for move in prospects.moves.get(game.level(bytes(now), None), ()):
            if game.shown(prospects.position, move, edges):
                found[move] = number
    return sorted(found.items(), key=lambda pair: -pair[1])


def _next_is_at_it(
    prospects: Prospects[P, M], after: P, observed: bytes, rest: Sequence[Change], bad: Set[int]
) -> bool:
    """Whether the next player's turn, or its beginning, leads from a position to the picture."""
    game = prospects.game
    if not rest or game.outcome(after) is not None:
        return False
    cells = {change.cell for change in rest}
    edges = [(change.cell, change.reading) for change in rest]
    if any(game.shown(after, move, edges) for move in _second(prospects, after, observed, cells, bad)):
        return True
    underway = game.underway(after, observed, prospects.sensor)
    return (underway is not None and not underway.wrong) or _in_next_hand(prospects, after, observed, bad)


def _in_next_hand(prospects: Prospects[P, M], after: P, observed: bytes, bad: Set[int]) -> bool:
    """Whether the picture is a position's, less pieces of which one is the player's to move."""
    game = prospects.game
    missing, extra = prospects.off(observed, prospects.picture(after), bad)
    if extra or not missing:
        return False
    return any(game.owner(after, cell) == after.side for cell in missing)


def _next_has_lifted(prospects: Prospects[P, M], after: P, observed: bytes, bad: Set[int]) -> bool:
    """Whether a piece of the player to move at a position is not where it was."""
    game = prospects.game
    missing, _ = prospects.off(observed, prospects.picture(after), bad)
    return any(
        game.owner(after, cell) == after.side == game.owner(prospects.position, cell) for cell in missing
    )


def _by_picture(
    prospects: Prospects[P, M], observed: bytes, touched: Set[int], bad: Set[int]
) -> First[P, M] | Either[M] | None:
    """Two whole turns by the picture they lead to and the cells that were touched."""
    game = prospects.game
    missing, extra = prospects.off(observed, prospects.expected, bad)
    cells = {*touched, *missing, *extra}
    ends: dict[P, M] = {}
    for move in _travelling(game, prospects.position, cells):
        after = game.play(prospects.position, move)
        if game.outcome(after) is None:
            for second in _second(prospects, after, observed, cells, bad):
                ends.setdefault(game.play(after, second), move)
    firsts = tuple(dict.fromkeys(ends.values()))
    if not firsts:
        return None
    if len(ends) > 1:
        return Either(firsts)
    return First(firsts[0], game.play(prospects.position, firsts[0]), (), False)


def _second(prospects: Prospects[P, M], after: P, observed: bytes, cells: Set[int], bad: Set[int]) -> list[M]:
    """Moves at a position, between touched cells only, that lead to the picture."""
    game = prospects.game
    return [
        move
        for move in _travelling(game, after, cells)
        if prospects.matches(observed, prospects.picture(game.play(after, move)), bad)
    ]


def _travelling(game: Game[P, M], position: P, cells: Set[int]) -> list[M]:
    return [
        move
        for move in game.moves(position)
        if not game.is_pass(move) and all(cell in cells for cell in game.travel(move))
    ]
