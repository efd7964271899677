"""Calibration as a script: what a person is asked, what the board then reads; a Calibration out. No I/O, no clock."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from balanxd.selftest.boardside import BoardSide
from balanxd.selftest.judge import expected
from balanxd.selftest.plan import lay_out
from balanxd.selftest.script import Machine, Script, Until, pause
from firmware_bridge.messages import ConfigKey, Configure, Feature, GetMargins, Lights
from hardware.tilt import TiltArrived, TiltFailed

from .values import Calibration

STEADY_S = 0.8  # a reading counts after so long without a change
UNSTEADY = 6  # short pulses in that time; a change is always too much
LOOK_S = 0.2
SIDE_CDEG = (300, 450)  # small tilts that tell the side
STEP_CDEG = 100
LEAST_CDEG, MARGIN_CDEG = 600, 200
SETTLE_S = 1.8
SWING_S = 1.0
DARK, LIT = b"\x00", b"\x01"  # of the palette


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the board is to look like: marbles on these spaces and on no other, pushed to `seat` (None: as it is)."""

    cells: frozenset[int]
    seat: int | None
    say: str


class Calibrating(Machine):
    """One run. wanted: what a person is to do now, None while nobody is; said: lines for people, to be taken.

    keep: called with all that is known after every finding. Goes on from `known`.
    """

    def __init__(self, side: BoardSide, known: Calibration, keep: Callable[[Calibration], None]) -> None:
        self.known = replace(known, layout=side.board.layout.name)
        self.wanted: Wanted | None = None
        self.said: list[str] = []
        self.failed = ""
        self._keep = keep
        self._pushed: int | None = None
        self._lit: int | None = None  # an input
        self._empty: list[int] = []
        self._full: list[int] = []
        super().__init__(side, self._run())

    def _run(self) -> Script:
        side = self.side
        yield Until(lambda: bool(side.up and side.readings) or bool(side.refused), side.now_s + 12.0)
        if not side.up:
            self.failed = side.refused or "The board does not answer: look at its cable and its port."
            return
        if self.known.wiring is None:
            yield from self._wiring()
        if self.failed or side.board.drive == "manual":
            return
        if self.known.reversed is None:
            yield from self._side()
        if not self.failed and self.known.angle_deg is None:
            yield from self._angle()
        side.let_go()

    def _learn(self, known: Calibration) -> None:
        self.known = known
        self._keep(known)

    def _ask(self, cells: frozenset[int], say: str, seat: int | None = None) -> None:
        self.wanted = Wanted(cells, seat, say)
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

    # -- tilt

    def _picture(self) -> tuple[int, ...]:
        side = self.side
        names = side.board.layout.cell_names
        read = {name: number for number, name in enumerate(self.known.wiring or ())}
        return tuple(int(bool(side.readings[read[name]])) for name in names)

    def _laid(self, cells: frozenset[int]) -> bool:
        """Whether marbles lie in the grooves of these spaces and in no other, whichever side is down."""
        layout = self.side.board.layout
        there = frozenset(cell for cell, reading in enumerate(self._picture()) if reading)
        return expected(layout, there, 0) == expected(layout, cells, 0)

    def _swing(self, seat: int, cdeg: int) -> Script:
        """A swing to an angle; nobody relies on end inputs here. `seat` is the motor's, reversed or not."""
        side = self.side
        limits = replace(
            side.board.limits,
            full_cdeg=cdeg,
            rock_cdeg=min(side.board.limits.rock_cdeg, cdeg),
            swing_s=SWING_S,
        )
        if side.drive is None or not side.drive.armed or side.drive.limits.full_cdeg != cdeg:
            side.let_go()
            yield pause(side, LOOK_S)
            if side.use_drive(limits, end_inputs=False) is None:
                self.failed = "There is no motor to try."
                return
        drive = side.drive
        assert drive is not None
        yield pause(side, limits.warning_s)
        side.look()
        drive.go(seat, side.now_s)
        yield Until(
            lambda: any(isinstance(e, TiltArrived | TiltFailed) for e in side.seen.drive), side.now_s + 30.0
        )
        yield pause(side, SETTLE_S)

    def _side(self) -> Script:
        """One marble in a groove of two tells to which side the board went."""
        side = self.side
        layout = side.board.layout
        groove = next(
            groove for groove in layout.grooves if len(groove) == 2 and groove[0] >= layout.cells // 3
        )
        low, high = groove
        self._ask(
            frozenset({low}),
            f"Put one marble on {layout.cell_names[low]} and none elsewhere. The board will tilt a little: hands off.",
        )
        yield Until(lambda: self._laid(frozenset({low})))
        yield from self._steady()
        self.wanted = None
        for cdeg in SIDE_CDEG:
            went = []
            for seat in (0, 1, 0):
                yield from self._swing(seat, cdeg)
                if self.failed:
                    return
                went.append((self._picture()[low], self._picture()[high]))
            if went == [(1, 0), (0, 1), (1, 0)]:
                self._learn(replace(self.known, reversed=False))
                self.said.append("The board tilts to the side that was meant.")
                return
            if went == [(0, 1), (1, 0), (0, 1)]:
                self._learn(replace(self.known, reversed=True))
                self.said.append("The motor is mounted the other way round: that is taken into account.")
                return
        self.failed = (
            "The marble did not roll with the board: look at the motor and its linkage, then calibrate again."
        )

    def _angle(self) -> Script:
        """The smallest angle at which all marbles roll, to each side."""
        side = self.side
        layout = side.board.layout
        cells = lay_out(layout, "grooves")
        names = ", ".join(layout.cell_names[cell] for cell in sorted(cells))
        self._ask(
            cells, f"Put one marble on each of {names}. The board will tilt, more each time: hands off."
        )
        yield Until(lambda: self._laid(cells))
        yield from self._steady()
        self.wanted = None
        most = side.board.limits.full_cdeg
        needed: dict[int, int] = {}
        for cdeg in range(200, most + 1, STEP_CDEG):
            for seat in (0, 1, 0):
                yield from self._swing(1 - seat if self.known.reversed else seat, cdeg)
                if self.failed:
                    return
                if self._picture() == expected(layout, cells, seat):
                    needed.setdefault(seat, cdeg)
                else:
                    needed.pop(seat, None)
            if len(needed) == 2:
                break
        if len(needed) < 2:
            missing = "White" if 0 not in needed else "Black"
            self.failed = (
                f"Not all marbles roll to {missing}'s side at {most / 100:g} degrees: clean the grooves, "
                "level the board."
            )
            return
        angle = min(max(max(needed.values()) + MARGIN_CDEG, LEAST_CDEG), most)
        lean = (needed[1] - needed[0]) / 200
        self._learn(replace(self.known, angle_deg=angle / 100, lean_deg=lean))
        if abs(lean) >= 1.0:
            high = "Black" if lean > 0 else "White"
            self.said.append(
                f"Marbles roll sooner to one side: the board is not level, its {high}'s side stands about "
                f"{abs(lean):.1f} degrees too high."
            )
        self.said.append(
            f"All marbles roll from {max(needed.values()) / 100:g} degrees on: {angle / 100:g} is used."
        )
