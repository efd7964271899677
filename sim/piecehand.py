"""What a person does with pieces on a sensor board -> pieces lifted, carried, put and turned, with flicker.

Like `sim.hands`, for boards that do not tilt. The hand knows pieces and cells only. A cell that is taken refuses a
piece that cannot be stacked: the hand keeps it and says so.
Left out: shadows on neighbouring cells, pieces that slide or fall over.
"""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from .agenda import Agenda
from .deeds import Manner
from .errors import SimError
from .inputs import Lines
from .model import HandModel
from .pieces import BESIDE, Codes, Piece, Stock
from .working import WorkingHand

REACH_S = 0.2  # to or from beside the board
TURN_MS = (300.0, 900.0)  # a figure is turned by a quarter or a half


@dataclass(frozen=True, slots=True)
class PieceDeed:
    """One thing to do. count: pieces to lift from the top (0: all). turn, pointer: None leaves them as they are."""

    what: str
    cell: int = BESIDE
    kind: int = 0
    count: int = 0
    turn: int | None = None
    pointer: int | None = None
    lasts_s: float | None = None
    manner: Manner = Manner.MEDIAN


class PieceHand(WorkingHand[PieceDeed]):
    """One hand over the board."""

    def __init__(
        self,
        agenda: Agenda,
        stock: Stock,
        lines: Lines,
        codes: Codes,
        how: HandModel,
        random: Random,
        changed: Callable[[int], None],
    ) -> None:
        """changed: to be told of a cell that holds something else now."""
        super().__init__(agenda, lines, how, random)
        self._stock = stock
        self._codes = codes
        self._changed = changed
        self._held: list[Piece] = []

    # -- what can be asked

    @property
    def carrying(self) -> int | None:
        """See WorkingHand."""
        return self._held[0].id if self._held else None

    @property
    def held(self) -> tuple[Piece, ...]:
        """The pieces in the hand, bottom first."""
        return tuple(self._held)

    def move(self, from_cell: int, to_cell: int, manner: Manner = Manner.MEDIAN, count: int = 0) -> None:
        """Lifts what lies on a cell, carries it and puts it down."""
        self.lift(from_cell, manner, count)
        if manner is Manner.HESITATING:
            self.wait(self._random.uniform(0.3, 1.5))
        self.put(to_cell, manner)

    def lift(self, cell: int, manner: Manner = Manner.MEDIAN, count: int = 0) -> None:
        """Takes the pieces on a cell, or the upper `count` of them."""
        self._ask(PieceDeed("lift", cell, count=count, manner=manner))

    def put(
        self,
        cell: int,
        manner: Manner = Manner.MEDIAN,
        *,
        turn: int | None = None,
        pointer: int | None = None,
    ) -> None:
        """Carries what is held to a cell and puts it down, turned as told."""
        self._ask(PieceDeed("carry", cell, manner=manner))
        self._ask(PieceDeed("put", cell, turn=turn, pointer=pointer, manner=manner))

    def put_back(self) -> None:
        """Puts what is held back where it was taken; aside where that was beside the board."""
        self._ask(PieceDeed("back"))

    def put_aside(self) -> None:
        """Lays what is held beside the board."""
        self._ask(PieceDeed("aside"))

    def fetch(self, kind: int) -> None:
        """Takes a piece of a kind that lies beside the board."""
        self._ask(PieceDeed("fetch", kind=kind))

    def turn(
        self,
        cell: int,
        *,
        turn: int | None = None,
        pointer: int | None = None,
        manner: Manner = Manner.MEDIAN,
    ) -> None:
        """Turns the base or the figure of the piece on a cell where it lies."""
        self._ask(PieceDeed("turn", cell, turn=turn, pointer=pointer, manner=manner))

    def wait(self, lasts_s: float) -> None:
        """Does nothing for a while."""
        self._ask(PieceDeed("wait", lasts_s=lasts_s))

    def empty(self) -> None:
        """See WorkingHand."""
        super().empty()
        self._held = []

    def hold(self, pieces: list[Piece], taken_from: int) -> None:
        """The pieces are in the hand (from a snapshot)."""
        for piece in pieces:
            piece.in_hand = True
        self._held, self._from_cell = pieces, taken_from

    # -- the queue

    def _let_down(self, cell: int) -> None:
        self._ask(PieceDeed("put", cell))

    def _ask(self, deed: PieceDeed) -> None:
        if deed.cell != BESIDE:
            self._stock.check(deed.cell)
        for quarter in (deed.turn, deed.pointer):
            if quarter is not None and not 0 <= quarter < 4:
                raise SimError(f"nothing is turned by {quarter} quarters")
        super()._ask(deed)

    # -- deeds begin

    def _begin(self, deed: PieceDeed) -> float:
        """Starts a deed; how long it takes, s."""
        how = self._how
        match deed.what:
            case "lift":
                return self._begin_lift(deed)
            case "carry":
                return self._between(how.carry_ms, deed.manner)
            case "put":
                return self._between(how.fall_ms, deed.manner)
            case "back":
                if self._held and self._from_cell != BESIDE:
                    self._deeds.appendleft(PieceDeed("put", self._from_cell, manner=deed.manner))
                    self._deeds.appendleft(PieceDeed("carry", self._from_cell, manner=deed.manner))
                else:
                    self._deeds.appendleft(PieceDeed("aside"))
                return 0.0
            case "turn":
                return self._begin_turn(deed)
            case "wait":
                return deed.lasts_s or 0.0
            case _:
                return REACH_S

    def _begin_lift(self, deed: PieceDeed) -> float:
        now, how = self._agenda.now_s, self._how
        lasts = self._between(how.lift_ms, deed.manner)
        here = self._stock.on[deed.cell]
        if self._held or not here:
            return lasts
        self.touched_s = now
        if how.flicker:
            leaves = now + lasts
            gaps = self._rocking(leaves, lasts, self._less(deed))
            gaps += self._chatter(leaves, self._codes.reading(here))
            self._lines.overlay(deed.cell, gaps)
        return lasts

    def _less(self, deed: PieceDeed) -> int:
        """What a cell reads without the pieces that are lifted."""
        here = self._stock.on[deed.cell]
        return self._codes.reading(here[: -deed.count]) if 0 < deed.count < len(here) else 0

    def _begin_turn(self, deed: PieceDeed) -> float:
        lasts = self._between(TURN_MS, deed.manner)
        if self._stock.on[deed.cell] and self._codes.bits > 1:
            # Between two of its places a sensor cannot tell where a figure points.
            now = self.touched_s = self._agenda.now_s
            self._lines.overlay(deed.cell, [(now + 0.2 * lasts, now + 0.9 * lasts, self._codes.unread)])
        return lasts

    # -- deeds end

    def _finish(self, deed: PieceDeed) -> bool:
        """Ends a deed; False when it could not be done and what was to follow makes no sense."""
        match deed.what:
            case "lift":
                return self._finish_lift(deed)
            case "put":
                return self._finish_put(deed)
            case "turn":
                return self._finish_turn(deed)
            case "fetch":
                piece = None if self._held else self._stock.beside(deed.kind)
                if piece is None:
                    self._say("empty", BESIDE)
                    return False
                self.hold([piece], BESIDE)
                self._say("lifted", BESIDE)
            case "aside":
                if self._held:
                    self._say("aside", BESIDE)
                    for piece in self._held:
                        piece.in_hand = False
                    self._held = []
            case _:
                pass
        return True

    def _finish_lift(self, deed: PieceDeed) -> bool:
        if self._held or not self._stock.on[deed.cell]:
            self._say("empty", deed.cell)
            return False
        self._held, self._from_cell = self._stock.take(deed.cell, deed.count), deed.cell
        self.touched_s = self._agenda.now_s
        self._changed(deed.cell)
        self._say("lifted", deed.cell)
        return True

    def _finish_put(self, deed: PieceDeed) -> bool:
        cell, here = deed.cell, self._stock.on[deed.cell]
        if not self._held:
            self._say("empty", cell)
            return False
        if here and not self._codes.stacks:
            self._say("refused", cell)
            return False
        below, now = self._codes.reading(here), self._agenda.now_s
        for piece in self._held:
            piece.turn = piece.turn if deed.turn is None else deed.turn
            piece.pointer = piece.pointer if deed.pointer is None else deed.pointer
        self._say("put", cell)
        self._stock.put(self._held, cell)
        self._held, self._from_cell = [], cell
        self.touched_s = now
        if self._how.flicker:
            self._settling(cell, below)
        self._changed(cell)
        return True

    def _finish_turn(self, deed: PieceDeed) -> bool:
        here = self._stock.on[deed.cell]
        if not here:
            self._say("empty", deed.cell)
            return False
        piece = here[-1]
        piece.turn = piece.turn if deed.turn is None else deed.turn
        piece.pointer = piece.pointer if deed.pointer is None else deed.pointer
        self.touched_s = self._agenda.now_s
        self._say("turned", deed.cell, piece.id)
        self._changed(deed.cell)
        return True
