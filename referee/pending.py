"""Pending: what waits for the picture to stay as it is. Any change of the picture calls it off."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Literal

from rules.game import M, P

from .infer import Ask, Found, Inference, InStep, Lifted, Takeback
from .trouble import Trouble


@dataclass(frozen=True, slots=True)
class Patience:
    """How long the referee waits, in seconds (board spec, Recognition)."""

    rest_s: float = 0.150
    rolling_rest_s: float = 0.200
    restless_rest_s: float = 0.300
    slide_s: float = 1.5  # provisional time of a marble that seems to be pushed along the board
    slide_gap_s: float = 0.35  # nobody lifts, carries and puts a marble faster than this
    by_hand_s: float = 1.5  # provisional time where no motor warns
    complain_s: float = 1.0  # after the last edge: taken back, out of step
    ask_s: float = 3.0  # after the last edge: the marble that a bad sensor does not see is not in a hand
    takeback_s: float = 3.0


@dataclass(frozen=True, slots=True)
class Provisional(Generic[P, M]):
    """A recognised move that becomes a turn at `due_s`."""

    move: M
    after: P
    witness: Literal["seen", "unwitnessed", "pass"]
    due_s: float
    or_takeback: int = 0


@dataclass(frozen=True, slots=True)
class TakebackPending:
    """The picture is that of `plies` ago: to be shown, or once shown to be taken back, at `due_s`."""

    plies: int
    due_s: float
    shown: bool


@dataclass(frozen=True, slots=True)
class ComplaintPending:
    """What is wrong will be said at `due_s`."""

    trouble: Trouble
    due_s: float


@dataclass(frozen=True, slots=True)
class QuestionPending(Generic[M]):
    """Which of `moves` it was will be asked at `due_s`."""

    moves: tuple[M, ...]
    due_s: float


@dataclass(frozen=True, slots=True)
class MotionPending:
    """A motor's warning runs until `due_s`. seat None: the board will be rocked."""

    seat: int | None
    due_s: float


Pending = Provisional[P, M] | TakebackPending | ComplaintPending | QuestionPending[M] | MotionPending


def still_waits(pending: Pending[P, M], seen: Inference[P, M], tilt: int | None) -> bool:
    """Whether a picture that is judged again is what `pending` waits for already. tilt: the side that is down."""
    match pending, seen:
        case Provisional(), Found():
            return pending.after == seen.after
        case Provisional(), InStep():
            return pending.witness == "pass"
        case TakebackPending(), Takeback(plies):
            return pending.plies == plies
        case QuestionPending(), Ask(moves):
            return pending.moves == moves
        case MotionPending(), InStep():
            return pending.seat is None or tilt != pending.seat
        case MotionPending(), Lifted():
            return pending.seat is None
        case _:
            return False
