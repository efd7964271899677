"""What a person does (from, to, manner) -> marbles lifted, carried, put down, with the flicker that sensors
see.

It knows marbles and spaces only. A space that is taken refuses the marble: the hand keeps it and says so.
Left out: two fingers' exact shape, the shadow on neighbouring spaces, a marble thrown or dropped from above
10 mm, the hand's push on a free board.
"""

from collections.abc import Callable, Iterable, Sequence
from math import hypot
from random import Random

from .agenda import Agenda
from .bed import Bed, Groove, Marble
from .deeds import Deed, Manner
from .drive import Drive
from .errors import SimError
from .inputs import Lines
from .model import Model
from .sensing import UNSURE, Sensing
from .working import WorkingHand


class Hand(WorkingHand[Deed]):
    """One hand over the table."""

    def __init__(
        self,
        agenda: Agenda,
        bed: Bed,
        lines: Lines,
        sensing: Sensing,
        drive: Drive,
        model: Model,
        random: Random,
        planned: Callable[[Groove], None],
    ) -> None:
        super().__init__(agenda, lines, model.hand, random)
        self._bed = bed
        self._sensing = sensing
        self._drive = drive
        self._model = model
        self._planned = planned
        self._held: Marble | None = None
        self.x_mm = 0.0
        self.y_mm = 0.0

    # -- what can be asked

    @property
    def carrying(self) -> int | None:
        """See WorkingHand."""
        return None if self._held is None else self._held.id

    def move(
        self, from_cell: int, to_cell: int, manner: Manner = Manner.MEDIAN, *, flicker: bool = True
    ) -> None:
        """Lifts a marble, carries it and puts it down."""
        self.lift(from_cell, manner, flicker=flicker)
        if manner is Manner.HESITATING:
            if self._random.random() < 0.5:
                self.put_back(flicker=flicker)
                self.wait(self._random.uniform(0.05, 0.4))
                self._ask(Deed("again", manner=manner, flicker=flicker))
            else:
                self.wait(self._random.uniform(0.3, 1.5))
        self._ask(Deed("carry", to_cell, manner=manner))
        self._ask(Deed("put", to_cell, manner=manner, flicker=flicker))

    def lift(self, cell: int, manner: Manner = Manner.MEDIAN, *, flicker: bool = True) -> None:
        """Takes the marble at a space."""
        self._ask(Deed("lift", cell, manner=manner, flicker=flicker))

    def hover(self, x_mm: float, y_mm: float) -> None:
        """Goes high over a point, board frame; a later hover overtakes one that waits."""
        if self._deeds and self._deeds[-1].what == "hover":
            self._deeds.pop()
        if self._now is not None and self._now.what == "hover" and not self._deeds:
            self._leave_off()
        self._ask(Deed("hover", x_mm=x_mm, y_mm=y_mm))

    def put(self, cell: int, manner: Manner = Manner.MEDIAN, *, flicker: bool = True) -> None:
        """Goes over a space and puts the marble down."""
        self._ask(Deed("hover", x_mm=self._bed.x_of(cell), y_mm=self._bed.y_of(cell), cell=cell))
        self._ask(Deed("put", cell, manner=manner, flicker=flicker))

    def put_at(self, x_mm: float, y_mm: float) -> None:
        """Puts the marble down at a point; on a rim it falls to the nearest space."""
        self.put(self._bed.nearest_cell(x_mm, y_mm))

    def put_back(self, *, flicker: bool = True) -> None:
        """Puts the marble back where it was taken, or beside the one that has rolled there."""
        self._ask(Deed("back", flicker=flicker))

    def put_aside(self) -> None:
        """Lays the marble beside the board."""
        self._ask(Deed("aside"))

    def fetch(self, seat: int) -> None:
        """Takes a marble of a seat that lies beside the board."""
        self._ask(Deed("fetch", cell=seat))

    def slide(
        self, path: Sequence[int], *, pause_at: int = -1, pause_s: float = 0.0, cell_ms: float | None = None
    ) -> None:
        """Lifts at path[0], drags low over path[1:-1] (seen there), puts down at the last; may pause over
        one space.
        """
        if len(path) < 2:
            raise SimError("a slide needs at least two spaces")
        self.lift(path[0])
        lasts = None if cell_ms is None else cell_ms / 1000
        self._ask(
            Deed("drag", path[-1], path=tuple(path[1:-1]), pause_at=pause_at, pause_s=pause_s, lasts_s=lasts)
        )
        self._ask(Deed("put", path[-1]))

    def shove(self, from_cell: int, to_cell: int) -> None:
        """Pushes a marble over the rim into the slot beside: both spaces on, or both off, for a moment."""
        self._ask(Deed("shove", to_cell, path=(from_cell, to_cell)))

    def push(self, seat: int | None, lasts_s: float | None = None) -> None:
        """Pushes the board down on a seat's side (None: holds it level); a servo under signal does not give way."""
        self._ask(Deed("push", cell=-1 if seat is None else seat, lasts_s=lasts_s))

    def wait(self, lasts_s: float) -> None:
        """Does nothing for a while."""
        self._ask(Deed("wait", lasts_s=lasts_s))

    # -- the queue

    def _let_down(self, cell: int) -> None:
        self._ask(Deed("into"))

    def _ask(self, deed: Deed) -> None:
        cells = len(self._bed.layout.groove_of)
        for cell in (deed.cell, *deed.path):
            if not -1 <= cell < cells:
                raise SimError(f"there is no space {cell} on this board")
        super()._ask(deed)

    # -- deeds begin

    def _begin(self, deed: Deed) -> float:
        """Starts a deed; how long it takes, s."""
        how = self._how
        match deed.what:
            case "lift":
                return self._begin_lift(deed)
            case "carry":
                return self._between(how.carry_ms, deed.manner)
            case "put":
                return self._begin_put(deed)
            case "hover":
                if self._held is None and deed.cell >= 0:
                    return 0.0
                way = hypot(deed.x_mm - self.x_mm, deed.y_mm - self.y_mm)
                return way / how.hover_speed_mm_s
            case "back":
                if self._held is not None and self._from_cell >= 0:
                    self._deeds.appendleft(Deed("into", flicker=deed.flicker))
                    self._deeds.appendleft(Deed("carry", self._from_cell))
                return 0.0
            case "into":  # where it fits is seen only now: the mate in the slot may have rolled meanwhile
                self._deeds.appendleft(Deed("put", self._way_back(), flicker=deed.flicker))
                return 0.0
            case "again":
                self._deeds.appendleft(
                    Deed("lift", self._from_cell, manner=deed.manner, flicker=deed.flicker)
                )
                return 0.0
            case "drag":
                return self._begin_drag(deed)
            case "shove":
                return self._begin_shove(deed)
            case "push":
                return self._begin_push(deed)
            case "wait":
                return deed.lasts_s or 0.0
            case _:
                return 0.2  # beside the board: a short reach

    def _begin_lift(self, deed: Deed) -> float:
        now = self._agenda.now_s
        self.x_mm, self.y_mm = self._bed.x_of(deed.cell), self._bed.y_of(deed.cell)
        lasts = self._between(self._how.lift_ms, deed.manner)
        if self._held is not None:
            return 0.0
        marble = self._bed.marble_at(deed.cell, now)
        if marble is None:
            return lasts
        self.touched_s = now
        if self._flickers(deed):
            leaves = now + lasts
            gaps = self._rocking(leaves, lasts)
            if self._sensing.shadows:
                shadow = self._between(self._how.shadow_ms, Manner.RANDOM) / 4
                gaps.append((max(now, leaves - shadow), leaves, UNSURE))
            gaps += self._chatter(leaves, self._sensing.reading_of(marble))
            self._lines.overlay(deed.cell, gaps)
        return lasts

    def _flickers(self, deed: Deed) -> bool:
        return deed.flicker and self._how.flicker

    def _begin_put(self, deed: Deed) -> float:
        now = self._agenda.now_s
        falls = self._between(self._how.fall_ms, deed.manner)
        if self._held is not None:
            self.touched_s = now
            if self._flickers(deed) and self._sensing.shadows:
                self._lines.overlay(deed.cell, [(now, now + falls, UNSURE)])
        return falls

    def _way_back(self) -> int:
        """Where the held marble fits again: its own space, or the other one of the slot if its mate rolled."""
        now = self._agenda.now_s
        cells = self._bed.groove_at(self._from_cell).cells
        for cell in (self._from_cell, *cells):
            if self._bed.marble_at(cell, now) is None:
                return cell
        return self._from_cell

    def _begin_drag(self, deed: Deed) -> float:
        """Low over the spaces of the path: each sees the marble for some ms."""
        at = self._agenda.now_s + 0.03
        if self._held is None:
            return 0.0
        level = self._sensing.reading_of(self._held)
        for cell in deed.path:
            seen = (
                deed.lasts_s
                if deed.lasts_s is not None
                else self._between(self._how.low_cell_ms, Manner.RANDOM)
            )
            if cell == deed.pause_at:
                seen += deed.pause_s
            self._lines.overlay(cell, [(at, at + seen, level)])
            at += seen + 0.02 + 0.04 * self._random.random()
        self.touched_s = at
        return at - self._agenda.now_s

    def _begin_shove(self, deed: Deed) -> float:
        now = self._agenda.now_s
        lasts = self._between(self._how.rim_ms, Manner.RANDOM)
        marble = self._bed.marble_at(deed.path[0], now)
        if marble is None or self._held is not None:
            return lasts
        self.touched_s = now
        gap = self._between(self._how.rim_gap_ms, Manner.RANDOM)
        if gap > 0:  # the old space is free before the new one sees the marble
            self._lines.overlay(deed.path[0], [(now + lasts - gap, now + lasts, 0)])
        else:
            self._lines.overlay(
                deed.path[1], [(now + lasts + gap, now + lasts, self._sensing.reading_of(marble))]
            )
        return lasts

    def _begin_push(self, deed: Deed) -> float:
        tilt = self._model.tilt
        lasts = deed.lasts_s
        if lasts is None:
            lasts = self._random.uniform(*tilt.push_s)
        if not self._drive.held():
            angle = 0.0 if deed.cell < 0 else tilt.angle_deg if deed.cell == 0 else -tilt.angle_deg
            self._drive.swing_to(angle, max(lasts, 0.25), by_hand=True)
        return lasts

    # -- deeds end

    def _finish(self, deed: Deed) -> bool:
        """Ends a deed; False when it could not be done and what was to follow makes no sense."""
        match deed.what:
            case "lift":
                return self._finish_lift(deed)
            case "put":
                return self._finish_put(deed.cell, deed)
            case "shove":
                return self._finish_shove(deed)
            case "carry" | "drag":
                self.x_mm, self.y_mm = self._bed.x_of(deed.cell), self._bed.y_of(deed.cell)
            case "hover":
                self.x_mm, self.y_mm = deed.x_mm, deed.y_mm
            case "aside":
                if self._held is not None:
                    self._held.in_hand = False
                    self._held.x_mm, self._held.y_mm = -2 * self._bed.layout.pitch_mm, 0.0
                    self._say("aside", -1)
                    self._held = None
            case "fetch":
                return self._finish_fetch(deed.cell)
            case "push":
                self._say("pushed", deed.cell)
            case _:
                pass
        if self._held is not None:
            self._held.x_mm, self._held.y_mm = self.x_mm, self.y_mm
        return True

    def _finish_lift(self, deed: Deed) -> bool:
        now = self._agenda.now_s
        marble = None if self._held is not None else self._bed.marble_at(deed.cell, now)
        if marble is None:
            self._say("empty", deed.cell)
            return False
        groove = self._bed.take(marble, now)
        self.hold(marble, deed.cell)
        self.touched_s = now
        self._planned(groove)
        self._say("lifted", deed.cell)
        return True

    def _finish_put(self, cell: int, deed: Deed) -> bool:
        if self._held is None:
            self._say("empty", cell)
            return False
        now = self._agenda.now_s
        marble = self._held
        scatter = self._model.seat.put_scatter_mm
        groove = self._bed.drop(marble, cell, self._random.uniform(-scatter, scatter), now)
        if groove is None:
            self._say("refused", cell)
            return False
        self._sensing.put_down(marble)
        self._say("put", cell)
        self._from_cell = cell
        self._held = None
        self.touched_s = now
        if self._flickers(deed):
            self._settling(cell)
            self._nudge(cell, now)
        self._planned(groove)
        return True

    def _nudge(self, cell: int, now: float) -> None:
        """A finger may touch a marble near by: its space shows a gap."""
        files = self._bed.layout.files
        for near in (cell - 1, cell + 1):
            if self._random.random() < self._how.nudge_share and near // files == cell // files and near >= 0:
                lasts = self._between(self._how.nudge_ms, Manner.RANDOM)
                begin = now + 0.05 * self._random.random()
                self._lines.overlay(near, [(begin, begin + lasts, 0)])

    def _finish_shove(self, deed: Deed) -> bool:
        now = self._agenda.now_s
        old, new = deed.path
        marble = None if self._held is not None else self._bed.marble_at(old, now)
        if marble is None:
            self._say("empty", old)
            return False
        groove = self._bed.take(marble, now)
        target = self._bed.drop(marble, new, 0.0, now)
        if target is None:
            target = self._bed.drop(marble, old, 0.0, now)
            self._planned(groove)
            self._say("refused", new, marble.id)
            return target is not None
        self._sensing.put_down(marble)
        self.touched_s = now
        self._planned(groove)
        if target is not groove:
            self._planned(target)
        self._say("put", new, marble.id)
        return True

    def _finish_fetch(self, seat: int) -> bool:
        found = self._beside(seat) if self._held is None else None
        if found is None:
            self._say("empty", -1)
            return False
        self.hold(found)
        self._say("lifted", -1)
        return True

    def _beside(self, seat: int) -> Marble | None:
        marbles: Iterable[Marble] = self._bed.marbles.values()
        return next((m for m in marbles if m.groove < 0 and not m.in_hand and m.seat == seat), None)

    def empty(self) -> None:
        """See WorkingHand."""
        super().empty()
        self._held = None

    def hold(self, marble: Marble, taken_from: int = -1) -> None:
        """The marble is in the hand (also from a snapshot); `taken_from`: its space, -1 beside the board."""
        marble.in_hand = True
        self._from_cell = taken_from
        self._held = marble
        marble.x_mm, marble.y_mm = self.x_mm, self.y_mm
