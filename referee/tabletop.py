"""Tabletop: occupancies and tilt events in; a picture that has rested, what it is compared with, and witnesses out.

Everything the session knows of the table, and nothing of whose turn it is: rest, sensors, motion, edges.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Generic

from hardware.health import Complaint
from hardware.occupancy import Occupancy
from hardware.rest import Rest, Resting
from hardware.tilt import Drive, SupplyWeak, TiltFailed, TiltNoticed
from rules.game import Game, M, P

from . import events as e
from .drives import DriveTrouble
from .errors import RefereeError
from .infer import Prospects
from .motion import Motion
from .pending import Patience
from .sensors import (
    Sensors,
    exchange_that_fits,
    exchanged_now,
    false_readings,
    jumped,
    swapped_in_place,
    uphill,
)
from .witness import Witness

INF = float("inf")


class Tabletop(Generic[P, M]):
    """One table. judge_at_s: when its picture will have rested; None once judged, or while nothing is known."""

    def __init__(
        self,
        game: Game[P, M],
        sensor: str,
        drive: Drive,
        patience: Patience,
        emit: Callable[[e.GameEvent], None],
        chain: Sequence[int | None] = (),
    ) -> None:
        self.game = game
        self.sensor = sensor
        self.sensors = Sensors(game, emit, chain)
        self.motion = Motion(game, drive, emit)
        self.witness = Witness(lost=True)
        self.judge_at_s: float | None = None
        self._patience = patience
        self._rest = Rest(_top_code(game, sensor))
        self._prospects: Prospects[P, M] | None = None
        self._told: Occupancy | None = None  # the last one, as the wires have it

    def see(self, told: Occupancy) -> bool:
        """Follow one occupancy. True if the picture is another one now, or may be."""
        self._told = told
        occupancy = self.sensors.read(told)
        named = bool(occupancy.flicker) and self.sensors.count(occupancy)
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

    def suspects(self, position: P, picture: bytes) -> list[int]:
        """Cells of which one sees a marble where none can be: everything fits without it."""
        prospects = self.prospects(position, picture)
        return false_readings(prospects, picture, self.sensors.bad, self.witness.changes, self.motion.twins)

    def moves_without(self, position: P, picture: bytes, cells: Iterable[int]) -> tuple[M, ...]:
        """The moves that fit where one of the cells sees a marble that is not there."""
        prospects, bad = self.prospects(position, picture), self.sensors.bad
        return tuple(
            moves[0]
            for wanted, moves in prospects.moves.items()
            if any(prospects.matches(_without(picture, cell), wanted, bad) for cell in cells)
        )

    def miswired(
        self, prospects: Prospects[P, M], resting: Resting, now_s: float, *, set_up: bool = False
    ) -> bool:
        """Whether the picture shows that wires are exchanged or the chain is broken; named, and to be judged anew.

        set_up: the marbles are still being laid.
        """
        picture, witness, motion, bad = resting.picture, self.witness, self.motion, self.sensors.bad
        if picture == prospects.expected or not witness.changes or self._told is None:
            return False
        if self.sensors.dead_chain(picture, prospects.expected, witness, now_s, set_up=set_up):
            self.look_again()
            return True
        pair = None if set_up else swapped_in_place(prospects, motion, witness, picture, bad)
        pair = pair or exchanged_now(prospects, motion, witness, picture, bad, set_up=set_up)
        if pair is None and not set_up:
            pair = jumped(motion, witness, bad)
        if pair is None and not set_up and prospects.tilt is not None:
            pair = uphill(motion, witness, picture, self.game.level(picture, prospects.tilt), bad)
        if pair is None or not bad.isdisjoint(pair):
            return False
        self.exchange(*pair, now_s)
        return True

    def marble_is_there(self, cell: int, position: P, now_s: float) -> None:
        """A player says that a marble lies where none is seen. Where one is seen too many, the two are exchanged.

        Raises RefereeError where none is missing.
        """
        picture = self.at_rest().picture
        prospects = self.prospects(position, picture)
        expected = prospects.expected
        twin = self.motion.twins.get(cell)
        if twin is not None and 0 <= cell < len(picture) and picture[cell] and expected[twin]:
            cell = twin  # of two in a groove one is seen: the other sensor does not see its own
        if not 0 <= cell < len(picture) or picture[cell] or not expected[cell]:
            raise RefereeError(f"No {self.game.piece} is missing there.")
        pair = self._exchanged_with(prospects, picture, cell)
        if pair is not None:
            self.exchange(*pair, now_s)
        else:
            self.blame(cell, Complaint.BLIND, now_s)
            if self.sensors.blind_chain(picture, expected, now_s):
                self.look_again()

    def _exchanged_with(
        self, prospects: Prospects[P, M], picture: bytes, cell: int
    ) -> tuple[int, int] | None:
        """The exchange that explains why a marble on a cell is not seen: with it all fits, or one move does."""
        missing, extra = prospects.off(picture, prospects.expected, self.sensors.bad)
        if missing == (cell,) and len(extra) == 1:
            return self._pair(prospects, picture, prospects.expected, cell, extra[0])
        twins = self.motion.twins
        if not {cell, twins.get(cell, cell)} & {*missing} or len(missing) != 2 or len(extra) != 2:
            return None
        fit = {
            pair
            for wanted in prospects.moves
            for other in extra
            if (pair := self._pair(prospects, picture, wanted, cell, other)) is not None
        }
        return fit.pop() if len(fit) == 1 else None

    def _pair(
        self, prospects: Prospects[P, M], picture: bytes, wanted: bytes, missing: int, extra: int
    ) -> tuple[int, int] | None:
        """The two sensors, in the grooves of a marble unseen and one too many, whose exchange explains a picture."""
        twins = self.motion.twins
        cells, others = ((each, twins.get(each, each)) for each in (missing, extra))
        return exchange_that_fits(prospects, picture, wanted, cells, others)

    def put_unseen(self, position: P, after: P, now_s: float) -> None:
        """A player says that a move was made, and sensors do not show it: name those that must be at fault.

        Raises RefereeError where more than one marble is unseen and one too many seen.
        """
        picture = self.at_rest().picture
        prospects = self.prospects(position, picture)
        wanted = prospects.picture(after)
        missing, extra = prospects.off(picture, wanted, self.sensors.bad)
        if len(missing) > 1 or len(extra) > 1 or (missing and missing == extra):
            raise RefereeError("That move is not what lies on the board.")
        if missing and extra:
            pair = self._pair(prospects, picture, wanted, missing[0], extra[0])
            if pair is None:
                raise RefereeError("That move is not what lies on the board.")
            self.exchange(*pair, now_s)
            return
        for cell in missing:
            self.sensors.name(cell, Complaint.BLIND, now_s)
        for cell in extra:
            self.sensors.name(cell, Complaint.STUCK_ON, now_s)

    def blame(self, cell: int, complaint: Complaint, now_s: float) -> None:
        """Leave a cell out, and judge the picture without it."""
        # What changed while the picture was in step was right then.
        since_s = min((change.at_s for change in self.witness.changes), default=now_s)
        self.sensors.name(cell, complaint, now_s, since_s=since_s)
        self.look_again()

    def in_step(self) -> None:
        """The picture is the one that the game expects: what was witnessed before is done with."""
        self.motion.in_step(self.witness.changes)
        self.witness = Witness()

    def trouble(self, event: TiltFailed | TiltNoticed | SupplyWeak) -> DriveTrouble:
        """What a drive reports, in words."""
        resting = self.resting()
        return self.motion.trouble(event, self.witness.changes, b"" if resting is None else resting.picture)

    def exchange(self, cell: int, other: int, now_s: float) -> None:
        """Two sensors are exchanged: read each for the other."""
        self.sensors.exchange(cell, other, now_s)
        self.witness, self.motion.swung_s = Witness(lost=True), None  # what was seen so far is used up
        if self._told is not None:
            self.see(replace(self._told, at_s=now_s, changes=(), flicker=(), edges_lost=True))

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


def _without(picture: bytes, cell: int) -> bytes:
    return picture[:cell] + b"\0" + picture[cell + 1 :]


def _top_code(game: Game[P, M], sensor: str) -> int | None:
    """The reading that means unsure and keeps a picture from resting, if there is one."""
    bits = game.bits(sensor)
    return None if bits == 1 or game.unread_tells else (1 << bits) - 1
