"""Thought: what every engine gives out, whichever game it plays."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

M_co = TypeVar("M_co", bound=Hashable, covariant=True)

Stop = Callable[[], bool]
"""Asked while an engine thinks; True means that nobody waits for the answer any more."""

POLL_NODES: Final = 128
"""`stop` is asked each time so many nodes were looked at."""


@dataclass(frozen=True, slots=True)
class Thought(Generic[M_co]):
    """What an engine found. `score` is the mover's, in the units of its game; higher is better for him.

    nodes: positions looked at. depth: turns ahead of the last search that came to its end; 0 where there was
    none. line: the moves that are expected, `move` first. stopped: whether `stop` ended the thinking.
    sentence: one plain sentence with the reason, for people.
    """

    move: M_co
    score: int
    nodes: int
    depth: int
    line: tuple[M_co, ...]
    stopped: bool
    sentence: str = ""


def by_force(score: int, won: int) -> str:
    """What is said of a move where the end is in sight; empty where it is not. won: the least score of a win."""
    if score > won:
        return "This wins by force."
    if score < -won:
        return "Every move loses against best play; this one holds out longest."
    return ""
