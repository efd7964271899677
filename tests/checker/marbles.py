"""The simulator's marbles as a trace wrote them -> frames: where each of the twenty lay, by its number."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from .board import Lying, Plan, Space


@dataclass(frozen=True)
class Marble:
    """One marble at one moment. space: None in a hand or beside the board."""

    seat: int
    space: Space | None
    in_hand: bool
    moving: bool


@dataclass(frozen=True)
class Frame:
    """All marbles at one moment, by number."""

    at_s: float
    marbles: dict[int, Marble]

    @property
    def lying(self) -> Lying:
        """The colours on the board."""
        return {m.space: m.seat for m in self.marbles.values() if m.space is not None}

    @property
    def held(self) -> frozenset[int]:
        """Marbles in a hand."""
        return frozenset(number for number, marble in self.marbles.items() if marble.in_hand)

    @property
    def at_rest(self) -> bool:
        """Whether nothing rolls."""
        return not any(marble.moving for marble in self.marbles.values())


def read_frames(path: Path, plan: Plan) -> list[Frame]:
    """All frames of a trace in their order."""
    frames = []
    for line in path.read_text().splitlines():
        told = json.loads(line)
        marbles = {
            row["id"]: Marble(
                row["seat"],
                None if row["cell"] is None else plan.space(row["cell"]),
                row["hand"],
                row["moving"],
            )
            for row in told["marbles"]
        }
        frames.append(Frame(told["at_s"], marbles))
    return frames


def faults(frames: list[Frame], number_of_marbles: int = 20) -> list[str]:
    """What marbles cannot do: change colour or number, lie two in a space, go back in time."""
    wrong: list[str] = []
    if not frames:
        return ["marbles: no frame at all"]
    colours = {number: marble.seat for number, marble in frames[0].marbles.items()}
    before = frames[0].at_s
    for frame in frames:
        at = f"marbles at {frame.at_s:.3f} s"
        if frame.at_s < before:
            wrong.append(f"{at}: earlier than the frame before")
        before = frame.at_s
        if len(frame.marbles) != number_of_marbles:
            wrong.append(f"{at}: {len(frame.marbles)} marbles")
        if {number: marble.seat for number, marble in frame.marbles.items()} != colours:
            wrong.append(f"{at}: a marble has changed its colour or its number")
        taken = [m.space for m in frame.marbles.values() if m.space is not None and not m.moving]
        if len(set(taken)) != len(taken):
            wrong.append(f"{at}: two marbles rest in one space")
    return wrong
