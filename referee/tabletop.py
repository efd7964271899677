"""Tabletop: occupancies and tilt events in; a picture that has rested, what it is compared with, and witnesses out.

Everything the session knows of the table, and nothing of whose turn it is: rest, sensors, motion, edges.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic

from hardware.occupancy import Occupancy
from hardware.rest import Rest, Resting
from hardware.tilt import Drive
from rules.game import Game, M, P

from . import events as e
from .errors import RefereeError
from .infer import Prospects
from .motion import Motion
from .pending import Patience
from .sensors import Sensors, false_reading
from .witness import Witness

INF = float("inf")
TOP_CODE = {"presence": None, "colour": 3}
"""The reading that means unsure, by kind of sensor."""


class Tabletop(Generic[P, M]):
    """One table. judge_at_s: when its picture will have rested; None once judged, or while nothing is known."""

    def __init__(
        self,
        game: Game[P, M],
        sensor: str,
        drive: Drive,
        patience: Patience,
        emit: Callable[[e.GameEvent], None],
    ) -> None:
        self.game = game
        self.sensor = sensor
        self.sensors = Sensors(game.cell_names, emit)
        self.motion = Motion(game, drive, emit)
        self.witness = Witness(lost=True)
        self.judge_at_s: float | None = None
        self._patience = patience
        self._rest = Rest(TOP_CODE[sensor])
        self._prospects: Prospects[P, M] | None = None

    def see(self, occupancy: Occupancy) -> bool:
        """Follow one occupancy. True if the picture is another one now, or may be."""
        named = False
        for change in occupancy.changes:
            named |= self.sensors.take(change)
        bad = self.sensors.bad
        self._rest.take(occupancy, bad)
        if occupancy.edges_lost:
            self.witness.lost = True
        fresh = [change for change in occupancy.changes if change.cell not in bad]
        if not (fresh or named or occupancy.edges_lost):
            return False
        self.witness.changes += fresh
        if self.motion.watch(fresh):
            self._prospects = None
        self.look_again()
        return True

    def lost(self) -> None:
        """The link is gone: nothing is known any more."""
        self.motion.moving = False
        self.witness = Witness(lost=True)
        self.judge_at_s = None

    def tilted(self, now_s: float, *, by_hand: bool) -> None:
        """The board stands elsewhere: what was judged under the old tilt is judged anew."""
        self._prospects = None
        if by_hand:
            self._rest.disturb(now_s)
        self.look_again()

    def started(self, now_s: float) -> None:
        """A motor was started."""
        self.tilted(now_s, by_hand=True)

    def look_again(self) -> None:
        """The picture is to be judged once it has rested."""
        resting = self.resting()
        if resting is None:
            self.judge_at_s = None
            return
        if resting.unsure:
            # It cannot rest before the cell makes up its mind, or is named bad.
            self.judge_at_s = None
            self.sensors.watch(resting, resting.since_s)
            return
        patience = self._patience
        if resting.restless:
            quiet_s = patience.restless_rest_s
        elif self.witness.lost or any(change.cell in self.motion.twins for change in self.witness.changes):
            quiet_s = patience.rolling_rest_s
        else:
            quiet_s = patience.rest_s
        self.judge_at_s = max(resting.since_s + quiet_s, self.motion.not_before_s)

    def resting(self) -> Resting | None:
        """The picture now and since when it rests; None while nothing is known."""
        return self._rest.resting(self.sensors.bad)

    def at_rest(self) -> Resting:
        """The picture that was judged last. Raises RefereeError while it is being made."""
        resting = self.resting()
        if resting is None or self.judge_at_s is not None or self.motion.moving:
            raise RefereeError("The board is not at rest yet: try again in a moment.")
        return resting

    def false_reading(self, position: P, picture: bytes) -> int | None:
        """The one cell that sees a marble where none can be, if everything fits without it."""
        return false_reading(self.prospects(position, picture), picture, self.sensors.bad)

    def rested(self, now_s: float, sure: bool) -> Resting | None:
        """The picture, if it is to be judged now. sure: it was in step, so that sensors can be checked by it."""
        resting = self.resting()
        if resting is None:
            self.judge_at_s = None
            return None
        expected = self._prospects.expected if sure and self._prospects is not None else None
        if self.sensors.check(resting, expected, now_s):
            self.look_again()
        if self.judge_at_s is None or now_s < self.judge_at_s or self.motion.moving:
            return None
        self.judge_at_s = None
        return resting

    def due_s(self) -> float:
        """When `rested` may answer next (inf: never)."""
        judge_at_s = self.judge_at_s
        if judge_at_s is None or self.motion.moving or judge_at_s > self.sensors.due_s:
            return self.sensors.due_s
        return judge_at_s

    @property
    def provisional_s(self) -> float:
        """How long a move stays provisional: the motor's warning."""
        drive = self.motion.drive
        return drive.limits.warning_s if self.game.tilts and drive.motor else self._patience.by_hand_s

    def provisional_for_s(self, move: M) -> float:
        """The same for a move that was found: longer where its marble seems to slide along the board."""
        start, _ = self.game.travel(move)
        gap_s = self.witness.gap_s(start, self.motion.twins.get(start, start))
        if gap_s is not None and gap_s < self._patience.slide_gap_s:
            return max(self.provisional_s, self._patience.slide_s)
        return self.provisional_s

    def adopt(self, position: P, picture: bytes, tilt: int | None) -> P | None:
        """`The board is right`: the position that the picture shows; None where that is not certain."""
        lifted = (
            None if self.witness.lost else self.game.lifted(position, self.witness.edges(self.sensors.bad))
        )
        return self.game.adopt(position, picture, self.sensor, tilt, lifted)

    def prospects(self, position: P, picture: bytes) -> Prospects[P, M]:
        """What the rules expect at `position` under the tilt of now."""
        tilt = self.motion.side(picture, self.game.tilt(position))
        known = self._prospects
        if known is None or known.position != position or known.tilt != tilt:
            known = self._prospects = Prospects(self.game, self.sensor, position, tilt)
        return known
