"""What every part of a calibration does: a person is asked, findings are kept, marbles are looked at. No I/O."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from balanxd.selftest.boardside import BoardSide
from balanxd.selftest.judge import expected
from balanxd.selftest.script import Machine, Script, Until

from .values import Calibration

STEADY_S = 0.8  # a reading counts after so long without a change


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the board is to look like: marbles on these spaces and on no other, pushed to `seat` (None: as it is).

    level: pushed level instead.
    """

    cells: frozenset[int]
    seat: int | None
    say: str
    level: bool = False


class Asking(Machine):
    """One run. wanted: what a person is to do now, None while nobody is; said: lines for people, to be taken.

    failed: why it cannot go on, empty while it can. keep: called with all that is known after every finding.
    """

    def __init__(
        self, side: BoardSide, script: Script, known: Calibration, keep: Callable[[Calibration], None]
    ) -> None:
        self.known = replace(known, layout=side.board.layout.name)
        self.wanted: Wanted | None = None
        self.said: list[str] = []
        self.failed = ""
        self._keep = keep
        super().__init__(side, script)

    def _learn(self, known: Calibration) -> None:
        self.known = known
        self._keep(known)

    def _ask(self, cells: frozenset[int], say: str, seat: int | None = None, *, level: bool = False) -> None:
        self.wanted = Wanted(cells, seat, say, level)
        self.said.append(say)

    def _steady(self) -> Script:
        """Wait until nothing has changed for a while; a sensor that never rests is told after some time."""
        side = self.side
        for _ in range(40):
            rested = yield Until(
                lambda: side.now_s >= side.changed_s + STEADY_S,
                side.now_s + 3.0,
                lambda: side.changed_s + STEADY_S,
            )
            if rested:
                return

    def _picture(self) -> tuple[int, ...]:
        """A space's reading each, where the wiring is known."""
        side = self.side
        names = side.board.layout.cell_names
        read = {name: number for number, name in enumerate(self.known.wiring or ())}
        return tuple(int(bool(side.readings[read[name]])) for name in names)

    def _lies(self, cells: frozenset[int], seat: int) -> bool:
        """Whether the marbles laid on these spaces lie where they do with the side of `seat` down."""
        return self._picture() == expected(self.side.board.layout, cells, seat)

    def _laid(self, cells: frozenset[int]) -> bool:
        """Whether marbles lie in the grooves of these spaces and in no other, whichever side is down."""
        layout = self.side.board.layout
        there = frozenset(cell for cell, reading in enumerate(self._picture()) if reading)
        return expected(layout, there, 0) == expected(layout, cells, 0)
