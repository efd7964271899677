"""What all searches do alike: counted nodes, a root looked at one turn deeper each time, positions remembered. Pure.

The number of nodes bounds the work, not time, so the same arguments give the same thought on every machine.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Final, Generic, NamedTuple, TypeVar

from .thought import POLL_NODES, Stop

S = TypeVar("S")

LEAST: Final = -(1 << 30)
"""Below the score of every move."""


class Enough(Exception):
    """The nodes are used up, or somebody said stop."""


class Budget:
    """The nodes that a search may look at. nodes: those counted; stopped: whether `stop` ended it."""

    __slots__ = ("_limit", "_stop", "nodes", "stopped")

    def __init__(self, limit: int, stop: Stop) -> None:
        self.nodes = 0
        self.stopped = False
        self._limit, self._stop = limit, stop

    def count(self) -> None:
        """One more node. Raises Enough where it is the last."""
        self.nodes = nodes = self.nodes + 1
        if nodes >= self._limit:
            raise Enough
        if nodes % POLL_NODES == 0 and self._stop():
            self.stopped = True
            raise Enough


class Known(NamedTuple, Generic[S]):
    """What a transposition table knows of a position: the score is exact, or a bound; and the best step."""

    depth: int
    score: int
    bound: int
    """-1: the score is at most this, 0: it is this, 1: it is at least this."""
    best: S

    def suffices(self, depth: int, alpha: int, beta: int) -> bool:
        """Whether the score serves a search of that depth and window."""
        reached, score, bound, _ = self
        return reached >= depth and (bound == 0 or (score >= beta if bound > 0 else score <= alpha))


def known_of(depth: int, score: int, alpha: int, beta: int, best: S) -> Known[S]:
    """What a search with that window has found out."""
    return Known(depth, score, 1 if score >= beta else -1 if score <= alpha else 0, best)


def deepen(
    budget: Budget,
    steps: list[S],
    score: int,
    rate: Callable[[S, int, int], int],
    *,
    most: int,
    won: int = -LEAST,
    single: bool = False,
) -> tuple[int, int]:
    """Rate the root's steps at depth 1, 2, ... `most`; the last score and depth that came to their end.

    The best step is moved to the front of `steps` as soon as it is known, so that it stands there whenever the
    budget ends. rate: a step, the depth and the best score so far in, the step's score out. score: what the first
    step is worth before. Scores beyond `won` end it; so does a single step, or with `single` one that was rated.
    """
    depth = 0
    with suppress(Enough):
        while depth < most and not budget.stopped and abs(score) < won:
            if len(steps) == 1 and not (single and depth == 0):
                break
            best = LEAST
            for step in tuple(steps):
                rated = rate(step, depth + 1, best)
                if rated > best:
                    best = rated
                    steps.remove(step)
                    steps.insert(0, step)
            score, depth = best, depth + 1
    return score, depth
