"""Drives: what a tilt drive reports and how marbles rolled in; named faults in plain words out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import assert_never

from hardware.faults import FaultName
from hardware.occupancy import Change
from hardware.tilt import SupplyWeak, TiltFailed, TiltNoticed

USUAL_GAP_S = 0.165  # between two sensors, at full tilt (physics notes, section 5)
SLOW = 1.25  # a marble that takes so many times as long rolls on a board that is not all down
IN_TIME = 1.08  # not longer than so: the board is all down


@dataclass(frozen=True, slots=True)
class DriveTrouble:
    """What is said of a drive. seat: the side that it is about."""

    kind: str
    fault: FaultName | None
    say: str
    seat: int | None


def gaps_s(changes: Iterable[Change], twins: Mapping[int, int], since_s: float) -> list[float]:
    """How long each marble that rolled in its groove since a time was between its two sensors."""
    left: dict[int, float] = {}
    found: dict[int, float] = {}
    for at_s, cell, reading in changes:
        twin = twins.get(cell)
        if twin is None or at_s < since_s:
            continue
        if not reading:
            left[cell] = at_s
        elif twin in left:
            found[cell] = at_s - left[twin]
    return list(found.values())


def what_failed(
    event: TiltFailed, gaps: Sequence[float], usual_s: float | None, loose: int, lying_low: bool
) -> FaultName | None:
    """A drive's failure by its name: marbles tell what end inputs cannot.

    gaps: of the marbles that rolled in this motion; usual_s: of a motion that arrived, None if there was none; loose:
    how many marbles should have rolled; lying_low: whether all lone ones lie on the low side. None also where no marble
    has told: see Unnamed.
    """
    if event.fault is not FaultName.END_NEVER:
        return event.fault
    if loose and not gaps and not lying_low:
        return FaultName.STALLED
    share = median(gaps) / (usual_s or USUAL_GAP_S) if gaps else None
    if not lying_low or (share is not None and share > SLOW):
        return FaultName.TILT_SHORT
    return FaultName.END_NEVER if share is not None and share < IN_TIME else None


def said_of(
    event: TiltFailed | TiltNoticed | SupplyWeak, fault: FaultName | None, seats: Sequence[str]
) -> DriveTrouble:
    """The words. fault: as `what_failed` has it; seats: their names."""
    match event:
        case SupplyWeak():
            say = "The motor's supply is too weak: it breaks down as the motor starts. Look at its supply and cable."
            return DriveTrouble("supply", FaultName.BROWN_OUT, say, None)
        case TiltNoticed(_, FaultName.END_ALWAYS, seat):
            say = (
                f"The end input of {seats[seat]}'s side is always closed: look at its switch and wire. "
                "The game goes on without it."
            )
            return DriveTrouble("tilt", event.fault, say, seat)
        case TiltNoticed(_, _, seat):
            say = "The board came down late: look at the servo's supply and whether something rubs. The game goes on."
            return DriveTrouble("tilt", event.fault, say, seat)
        case TiltFailed(_, seat, why):
            return DriveTrouble(
                "tilt", fault, f"{_failure(fault, seats[seat], why)} Push the board by hand.", seat
            )
        case _:
            assert_never(event)


@dataclass(slots=True)
class Unnamed:
    """A motion that did not end, for a reason that only shows when people push the board.

    seat: where the motor was to go; moved: the board had left the side where it was; away: marbles have lain on the
    other side since.
    """

    seat: int
    moved: bool
    away: bool = False

    def pushed(self, told: int | None, marbles: int | None) -> FaultName | None:
        """What it was: told is the side that end inputs tell, marbles the one that marbles lie on."""
        if told == self.seat:
            return FaultName.TILT_SHORT if self.moved else None
        if marbles == 1 - self.seat:
            self.away = True
        return FaultName.END_NEVER if marbles == self.seat and self.away else None


def said_later(seat: int, fault: FaultName, seats: Sequence[str]) -> DriveTrouble:
    """The words for what shows later."""
    return DriveTrouble("tilt", fault, f"{_failure(fault, seats[seat], '')} The game goes on by hand.", seat)


def said_of_freed(lay: int, goal: int, names: Sequence[str]) -> DriveTrouble:
    """A marble lay still until the board was rocked."""
    say = (
        f"The marble on {names[lay]} rolled to {names[goal]} only when the board was rocked: "
        "look whether dirt lies in its groove. The game goes on."
    )
    return DriveTrouble("board", FaultName.MARBLE_STUCK, say, None)


def _failure(fault: FaultName | None, side: str, why: str) -> str:
    match fault:
        case FaultName.STALLED:
            return "The tilt drive failed: the board does not move. Look whether it is blocked, and at the motor."
        case FaultName.WRONG_WAY:
            return "The tilt drive failed: the board went to the other side than told. Look how the motor is built in."
        case FaultName.TILT_SHORT:
            return f"The tilt drive failed: the board does not come down all the way on {side}'s side."
        case FaultName.END_NEVER:
            return (
                f"The tilt drive failed: the marbles have rolled to {side}'s side, and its end input saw nothing. "
                "Look at its switch and wire."
            )
        case _:
            return f"The tilt drive failed: {why}."
