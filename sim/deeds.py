"""What can be asked of a hand, and what it says of it."""

from dataclasses import dataclass
from enum import Enum


class Manner(Enum):
    """How a hand moves. RANDOM draws every time within the ranges; MEDIAN takes their middles, flicker
    still random.
    """

    MEDIAN = "median"
    RANDOM = "random"
    SLOW = "slow"
    HESITATING = "hesitating"


@dataclass(frozen=True, slots=True)
class HandReport:
    """What a hand did or could not do: lifted, put, empty, refused, aside, pushed. `cell` is -1 beside the
    board.
    """

    at_s: float
    what: str
    cell: int
    marble: int


@dataclass(frozen=True, slots=True)
class Deed:
    """One thing to do: what, where, how long it takes (None: as people do, by manner)."""

    what: str
    cell: int = -1
    x_mm: float = 0.0
    y_mm: float = 0.0
    lasts_s: float | None = None
    manner: Manner = Manner.MEDIAN
    flicker: bool = True
    path: tuple[int, ...] = ()
    pause_at: int = -1
    pause_s: float = 0.0
