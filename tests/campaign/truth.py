"""A fault's data and the simulator's own marbles in; out, whether sensor, marble or motion could show it at all.

Nothing of what names faults is asked: a blind sensor shows where a marble rests on its space, whatever was said of it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from checker.board import Plan, Space, read_plan, space_named
from checker.journal import read_journal
from checker.marbles import Frame, read_frames

from sim import faults as f

SEEN_S = 1.0  # what lasts shorter is over before anybody looks
TILTED_DEG = 4.0  # here a marble has long rolled


def could_show(fault: f.SimFault, folder: Path, boots: int) -> bool:
    """Whether the game in a trace's folder had what the fault changes. boots: how often the controller restarted."""
    if isinstance(fault, f.ControllerReset | f.BrownOut):
        return boots > 1  # the first is the power's
    plan = read_plan(json.loads((folder / "game.json").read_text())["layout_text"])
    frames = read_frames(folder / "marbles.jsonl", plan)
    entries, _ = read_journal((folder / "game.journal").read_bytes())
    tilts = [
        1 - entry["seat"]
        for entry, after in pairwise(entries)
        if entry["event"] == "TurnTaken" and entry["at_s"] > fault.from_s and after["event"] != "GameOver"
    ]
    told = (json.loads(line) for line in (folder / "marbles.jsonl").read_text().splitlines())
    angle_deg = {line["at_s"]: line["angle_deg"] for line in told}
    last_s = float((folder / "wire.txt").read_text().splitlines()[-1].split()[0])
    return _Game(plan, frames, fault.from_s, last_s, tilts, angle_deg).shows(fault)


@dataclass(frozen=True)
class _Game:
    """tilts: the sides to which the board was to go since the fault began; angle_deg: the board's, at each frame."""

    plan: Plan
    frames: list[Frame]
    from_s: float
    last_s: float
    tilts: list[int]
    angle_deg: dict[float, float]

    def shows(self, fault: f.SimFault) -> bool:
        match fault:
            case f.StuckOn(space=name):
                space = space_named(name)
                return self._at_rest(lambda taken: space not in taken)
            case f.StuckOff(space=name) | f.Weak(space=name):
                space = space_named(name)
                return self._at_rest(lambda taken: space in taken)
            case f.Bouncing(space=name):
                return self._changes(space_named(name))
            case f.Swapped(space=name, other=other_name):
                space, other = space_named(name), space_named(other_name)
                return self._at_rest(lambda taken: (space in taken) != (other in taken))
            case f.Crosstalk(space=name, neighbour=other_name):
                space, other = space_named(name), space_named(other_name)
                return self._at_rest(lambda taken: other in taken and space not in taken)
            case f.DeadChain(input=first):  # wired as its cells are numbered
                dead = {self.plan.space(cell) for cell in range(first, self.plan.files * self.plan.ranks)}
                return self._at_rest(lambda taken: not dead.isdisjoint(taken))
            case f.MarbleStuck(space=name):
                return self._not_rolled(space_named(name))
            case f.EndNever(seat=seat):
                return seat in self.tilts
            case f.EndAlways(seat=seat):
                return 1 - seat in self.tilts
            case f.TiltShort() | f.ServoLate() | f.Stalled() | f.WrongWay():
                return bool(self.tilts)
            case _:  # hum, toggling and bytes need no marble
                return self.last_s - self.from_s >= SEEN_S

    def _since(self) -> Iterator[tuple[Frame, float]]:
        """Frames since the fault began, with how long each lasted."""
        ends = [frame.at_s for frame in self.frames[1:]] + [self.last_s]
        for frame, end_s in zip(self.frames, ends, strict=True):
            lasted_s = end_s - max(frame.at_s, self.from_s)
            if lasted_s > 0:
                yield frame, lasted_s

    def _at_rest(self, holds: Callable[[set[Space]], bool]) -> bool:
        """Whether something held for long enough, of the spaces on which marbles rest."""
        held_s = 0.0
        for frame, lasted_s in self._since():
            taken = {m.space for m in frame.marbles.values() if m.space is not None and not m.moving}
            held_s = held_s + lasted_s if holds(taken) else 0.0
            if held_s >= SEEN_S:
                return True
        return False

    def _changes(self, space: Space) -> bool:
        """Whether a marble came or went."""
        seen = {space in frame.lying for frame, _ in self._since()}
        return len(seen) == 2

    def _not_rolled(self, space: Space) -> bool:
        """Whether a marble that lay alone on the low side of its groove stayed where it was as the board tilted."""
        groove = self.plan.grooves[self.plan.groove_of[space]]
        low, high_s = None, 0.0
        for frame, lasted_s in self._since():
            lone = [m.space for m in frame.marbles.values() if m.space in groove]
            angle_deg = self.angle_deg[frame.at_s]
            if len(lone) != 1:
                low, high_s = None, 0.0
            elif abs(angle_deg) > TILTED_DEG:
                down = lone[0] == groove[0 if angle_deg > 0 else -1]
                low = lone[0] if down else low
                high_s = high_s + lasted_s if lone[0] == low and not down else 0.0
                if high_s >= SEEN_S:
                    return True
        return False
