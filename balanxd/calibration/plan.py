"""Calibration as a script: what a person is asked, what the board then reads; a Calibration out. No I/O, no clock."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from balanxd.selftest.boardside import BoardSide
from balanxd.selftest.script import Script, Until, pause
from firmware_bridge.messages import ConfigKey, Configure, Feature, GetMargins, Lights

from .asking import STEADY_S
from .tilting import Tilting
from .values import Calibration

UNSTEADY = 6  # short pulses in that time; a change is always too much
DARK, LIT = b"\x00", b"\x01"  # of the palette


class Calibrating(Tilting):
    """One run, which goes on from `known`."""

    def __init__(self, side: BoardSide, known: Calibration, keep: Callable[[Calibration], None]) -> None:
        self._pushed: int | None = None
        self._lit: int | None = None  # an input
        self._empty: list[int] = []
        self._full: list[int] = []
        super().__init__(side, self._run(), known, keep)

    def _run(self) -> Script:
        side = self.side
        yield Until(lambda: bool(side.up and side.readings) or bool(side.refused), side.now_s + 12.0)
        if not side.up:
            self.failed = side.refused or "The board does not answer: look at its cable and its port."
            return
        if self.known.wiring is None:
            yield from self._wiring()
        if self.failed:
            return
        if side.board.drive == "manual":
            if self.known.ends_exchanged is None and side.has_ends:
                yield from self._ends_by_hand()
            return
        if self.known.reversed is None or (self.known.ends_exchanged is None and side.has_ends):
            yield from self._side()
        if not self.failed and self.known.angle_deg is None:
            yield from self._angle()
        side.let_go()

    # -- wiring

    def _wiring(self) -> Script:
        side = self.side
        layout, names = side.board.layout, side.board.layout.cell_names
        if side.hello is not None and side.hello.features & Feature.LIGHTS:
            self.said.append(
                "A light shows each space where the board file has it. If that is elsewhere, go by the name."
            )
        first = [groove[0] for groove in layout.grooves]
        second = [groove[1] for groove in layout.grooves if len(groove) == 2]
        for seat, cells in ((0, first), (1, second)):
            for cell in cells:
                if any(name == names[cell] for name, _ in self.known.found):
                    continue
                yield from self._visit(seat, cell)
                if self.failed:
                    return
        inputs = {number: name for name, number in self.known.found}
        wiring = tuple(inputs.get(number, "-") for number in range(max(inputs) + 1))
        threshold = None
        if self._empty and self._full and max(self._empty) < min(self._full):
            threshold = (max(self._empty) + min(self._full)) // 2
            side.send(Configure(ConfigKey.THRESHOLD, threshold))
            side.send(Configure(ConfigKey.STORE, 1))
        self._learn(replace(self.known, wiring=wiring, found=(), threshold=threshold))
        self.said.append("The wiring is known.")

    def _visit(self, seat: int, cell: int) -> Script:
        side = self.side
        name = side.board.layout.cell_names[cell]
        push = seat if seat != self._pushed else None
        how = "" if push is None else f"Tilt the board by hand to {('White', 'Black')[seat]}'s side. "
        self._ask(frozenset(), f"{how}Take all marbles off the board.", push)
        self._pushed = seat
        yield Until(lambda: not side.occupied())
        yield from self._steady()
        yield from self._read_margins(None)
        self._light(cell)
        self._ask(frozenset({cell}), f"Put one marble on {name}.")
        while True:
            yield Until(lambda: bool(side.occupied()))
            yield from self._steady()
            side.look()
            yield pause(side, STEADY_S)
            seen, here = side.look(), sorted(side.occupied())
            if seen.edges or any(pulses >= UNSTEADY for pulses in seen.hums.values()):
                wrong = "The reading is not steady: let go of the marble, or look at the sensor. Lift it and try again."
            elif not here:
                continue
            elif len(here) > 1:
                wrong = f"{len(here)} marbles are seen at once: lift all, and put one on {name} only."
            elif before := [other for other, number in self.known.found if number == here[0]]:
                wrong = f"That is where {before[0]} was: lift it, and put it on {name}."
            else:
                yield from self._read_margins(here[0])
                self._light(None)
                self._learn(replace(self.known, found=(*self.known.found, (name, here[0]))))
                return
            self._ask(frozenset(), wrong)
            yield Until(lambda: not side.occupied())
            self._ask(frozenset({cell}), f"Put one marble on {name}.")

    def _light(self, cell: int | None) -> None:
        """Light the space where the board's file has it: lights are strung as the chain is, which nobody knows yet."""
        side = self.side
        hello = side.hello
        if hello is None or not hello.features & Feature.LIGHTS:
            return
        inputs = side.board.wiring.inputs
        lit = inputs.index(cell) if cell is not None and cell in inputs else None
        for number, palette in ((self._lit, DARK), (lit, LIT)):
            if number is not None:
                side.send(Lights(number, palette))
        self._lit = lit

    def _read_margins(self, number: int | None) -> Script:
        """Raw readings of the analogue sensors: all of an empty board (None), or that of a marble's input."""
        side = self.side
        hello = side.hello
        if (
            hello is None
            or side.on_pins
            or not hello.features & Feature.MARGINS
            or (number is None and self._empty)
        ):
            return
        first, count = (0, min(28, hello.cells)) if number is None else (number, 1)
        asked = side.send(GetMargins(first, count))
        if asked is None:
            return
        yield Until(lambda: asked in side.answers, side.now_s + 2.0)
        found = [side.margins[n][0] for n in range(first, first + count) if n in side.margins]
        (self._empty if number is None else self._full).extend(found)
