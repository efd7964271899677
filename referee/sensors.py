"""Sensors: what only the game can tell of a sensor. Pictures and prospects in, named sensors out.

A number of marbles is known, and a lone marble in a groove lies on the low side: so a reading that must be
false can be told, named once, and played on without.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from typing import Any, assert_never

from hardware.health import CHECK_S, Complaint, Health, HealthEvent, SensorBad, SensorWell
from hardware.occupancy import Change
from hardware.rest import Resting

from . import events as e
from .infer import Lifted, Prospects
from .motion import Motion
from .witness import Witness

INF = float("inf")

COMPLAINTS = {
    Complaint.FLICKERING: "The sensor under {} flickers.",
    Complaint.UNSURE: "The sensor under {} cannot tell what lies there.",
    Complaint.BLIND: "The sensor under {} does not see its marble.",
    Complaint.STUCK_ON: "The sensor under {} sees a marble where none is.",
}


class Sensors:
    """Names sensors and trusts them again. `bad` is the set of cells to leave out."""

    def __init__(self, cell_names: tuple[str, ...], emit: Callable[[e.GameEvent], None]) -> None:
        self._names = cell_names
        self._emit = emit
        self._health = Health()
        self.due_s = INF

    @property
    def bad(self) -> Set[int]:
        """Cells named bad now."""
        return self._health.bad

    def take(self, change: Change) -> bool:
        """Follow one change. True if it made a sensor bad."""
        return self._say(self._health.take(change))

    def name(self, cell: int, complaint: Complaint, now_s: float) -> None:
        """Leave a cell out from now on."""
        self._say(self._health.name(cell, complaint, now_s))

    def check(self, resting: Resting, expected: bytes | None, now_s: float) -> bool:
        """What time alone tells. expected: the picture that is surely right, if any. True if something changed."""
        if now_s < self.due_s:
            return False
        said = self._health.unsure(resting.unsure, resting.since_s, now_s)
        if expected is not None:
            plain = frozenset(cell for cell in self.bad if resting.picture[cell] == expected[cell])
            said += self._health.recover(plain, now_s)
        self.due_s = INF
        self.watch(resting, now_s)
        return self._say(said)

    def watch(self, resting: Resting, now_s: float) -> None:
        """Ask to be checked while something is wrong."""
        if resting.unsure or self.bad:
            self.due_s = min(self.due_s, now_s + CHECK_S)

    def _say(self, said: list[HealthEvent]) -> bool:
        for event in said:
            self.due_s = min(self.due_s, event.at_s + CHECK_S)
            name = self._names[event.cell]
            match event:
                case SensorBad(at_s, _, complaint):
                    say = f"{COMPLAINTS[complaint].format(name)} The game goes on without it."
                    self._emit(e.SensorNamed(at_s=at_s, cell=name, complaint=complaint, say=say))
                case SensorWell(at_s, _):
                    self._emit(e.SensorTrusted(at_s=at_s, cell=name))
                case _:
                    assert_never(event)
        return bool(said)


def false_reading(prospects: Prospects[Any, Any], picture: bytes, bad: Set[int]) -> int | None:
    """The one cell without whose reading everything fits, where more marbles are seen than there are."""
    if len(picture) - picture.count(0) <= prospects.total:
        return None
    suspects = []
    for cell, reading in enumerate(picture):
        if not reading or cell in bad:
            continue
        without = picture[:cell] + b"\0" + picture[cell + 1 :]
        if prospects.matches(without, prospects.expected, bad):
            return cell
        if any(prospects.matches(without, wanted, bad) for wanted in prospects.moves):
            suspects.append(cell)
    return suspects[0] if len(suspects) == 1 else None


def stuck_marble(
    prospects: Prospects[Any, Any], motion: Motion, picture: bytes, bad: Set[int]
) -> tuple[int, int] | None:
    """(where a marble lies, where it should have rolled); None if all have rolled, or nothing can be told."""
    if prospects.tilt is None or not motion.twins:
        return None
    level = prospects.game.level(picture, prospects.tilt)
    if level == picture:
        return None
    for cell, (observed, rolled) in enumerate(zip(picture, level, strict=True)):
        if observed and not rolled:
            goal = motion.twins[cell]
            if cell not in bad and goal not in bad:
                return cell, goal
    return None


def unseen_arrival(hand: Lifted, witness: Witness, motion: Motion) -> int | None:
    """After a tilt: the cell at which one marble must have arrived, which left its space, and no hand was near.

    A hand that lifts makes its space flicker; a marble that rolls leaves it once.
    """
    if witness.lost or hand.missing != 1 or hand.extra or len(hand.absent) != 1:
        return None
    (cell,) = hand.absent
    moved = witness.cells()
    left = [change.reading for change in witness.changes if change.cell == motion.twins.get(cell)].count(0)
    if left != 1 or cell in moved or not moved <= motion.twins.keys():
        return None
    return cell
