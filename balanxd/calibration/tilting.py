"""How the board tilts, as a script: mounting by one marble, end angles and level by many; findings out. No I/O.

Angles are centidegrees of the motor, the side of seat 0 down being positive, whichever way the motor is mounted.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from functools import partial

from balanxd.backends import DcMotor
from balanxd.selftest.plan import SIDES, lay_out
from balanxd.selftest.script import Script, Until, pause
from hardware.motor import CREEP_CDEG_S, OVER_CDEG
from hardware.tilt import Drive, TiltArrived, TiltFailed
from hardware.trial import TrialDrive

from .asking import Asking
from .values import OFFSET_MOST_DEG, PLACED

SIDE_CDEG = (300, 450)  # small tilts that tell the side
LOWEST_CDEG = -300  # marbles of a board that leans may roll before the motor is level
FINE_CDEG = 25  # a smallest angle is known so exactly
LEAST_CDEG, MARGIN_CDEG = 600, 200
SURE_CDEG = 100  # beyond the smallest angle, to see that the level is right
LEAN_SAID_CDEG = 75
SETTLE_S = 1.8
SWING_S = 1.0
SWING_LIMIT_S = 60.0
LEVEL_LIMIT_S = 120.0
NO_ROLL = "The marble did not roll with the board: look at the motor and its linkage, then calibrate again."

Asked = Generator[Until, bool, bool]
"""A part of a script with an answer."""
Measured = Generator[Until, bool, int]


class Tilting(Asking):
    """The part of a calibration that needs a motor."""

    @property
    def _placed(self) -> bool:
        """Whether the motor goes to angles; else it counts or runs, and its end inputs say where it is."""
        return self.side.board.drive in PLACED

    @property
    def _most(self) -> int:
        return self.side.board.limits.full_cdeg

    # -- swings

    def _swing(self, seat: int, ends: tuple[int, int], swing_s: float | None = None) -> Script:
        """To the side of a seat. ends: how far from 0 the ends of seat 0 and of seat 1 lie."""
        side = self.side
        if self.known.reversed:
            seat, ends = 1 - seat, (ends[1], ends[0])
        full = (ends[0] + ends[1]) // 2
        usual = side.board.limits
        limits = replace(
            usual,
            full_cdeg=full,
            level_cdeg=ends[0] - full,
            rock_cdeg=min(usual.rock_cdeg, full),
            swing_s=max(SWING_S, usual.swing_s) if swing_s is None else swing_s,
        )
        yield pause(side, limits.warning_s)
        drive = self._drive()
        if drive is None:
            return
        drive.limits = limits
        side.look()
        drive.go(seat, side.now_s)
        yield Until(
            lambda: any(isinstance(e, TiltArrived | TiltFailed) for e in side.seen.drive),
            side.now_s + SWING_LIMIT_S,
        )
        failed = next((event for event in side.seen.drive if isinstance(event, TiltFailed)), None)
        if failed is not None:
            self.failed = (
                f"The motor does not do what it is told: {failed.why}. Look at its supply and linkage."
            )
            return
        yield pause(side, SETTLE_S)

    def _drive(self) -> Drive | None:
        """The motor's drive, made when it is needed first; None where there is none, which `failed` tells then."""
        side = self.side
        if side.drive is not None and side.drive.armed:
            return side.drive
        if side.drive is not None:
            self.failed = (
                "The board was lost for a moment: look at its cable and supply, then calibrate again."
            )
        elif side.try_drive(side.board.limits) is None:
            self.failed = "There is no motor to try."
        elif isinstance(side.drive, TrialDrive):
            side.drive.stands(0)  # a person has pushed it level, or it goes to an end first
        return None if self.failed else side.drive

    def _to_end(self, seat: int) -> Script:
        """All the way to the side of a seat: a motor that counts or runs creeps until an end input closes."""
        most = self._most
        if self._placed:
            yield from self._swing(seat, (most, most))
            return
        if self.known.ends_exchanged is not None and self._down() == seat:
            return
        drive = self._drive()
        if isinstance(drive, TrialDrive):
            drive.stands(-self._sign(seat) * most)  # it may be so far away
        swing_s = min((2 * most + OVER_CDEG) / CREEP_CDEG_S, 5.0)
        yield from self._swing(seat, (most + OVER_CDEG, most + OVER_CDEG), swing_s)

    def _sign(self, seat: int) -> int:
        """Of the motor's own angles, with the side of a seat down."""
        return 1 if (seat == 0) != bool(self.known.reversed) else -1

    def _down(self) -> int | None:
        """The seat whose end input is closed."""
        ends = self.side.ends()
        if ends not in (1, 2):
            return None
        return int((ends == 2) != bool(self.known.ends_exchanged))

    # -- the mounting

    def _one_marble(self) -> tuple[frozenset[int], str]:
        """A space of a groove of two in the middle of the board, and its name."""
        layout = self.side.board.layout
        groove = next(
            groove for groove in layout.grooves if len(groove) == 2 and groove[0] >= layout.cells // 3
        )
        return frozenset({groove[0]}), layout.cell_names[groove[0]]

    def _side(self) -> Script:
        """One marble in a groove of two tells to which side the board went, and the end inputs what they make of it."""
        marble, name = self._one_marble()
        self._ask(
            marble,
            f"Push the board level by hand and let go of it. Put one marble on {name} and none elsewhere. The board "
            "will tilt a little: hands off.",
            level=True,
        )
        while True:
            yield Until(lambda: self._laid(marble) and not self.side.ends(), self.side.now_s + LEVEL_LIMIT_S)
            yield from self._steady()
            if not self._laid(marble):
                continue
            if not self.side.ends():
                break
            self.failed = "An end input is closed although the board is level: look at its switch and wire."
            return
        self.wanted = None
        if self.known.reversed is None:
            yield from self._way(marble)
        if not self.failed and self.side.has_ends:
            yield from self._ends(marble)

    def _way(self, marble: frozenset[int]) -> Script:
        """To which side the motor turns."""
        for cdeg in SIDE_CDEG:
            went = []
            for seat in (0, 1, 0):
                yield from self._swing(seat, (cdeg, cdeg), self._short_s(cdeg))
                if self.failed:
                    return
                went.append(next((each for each in (0, 1) if self._lies(marble, each)), None))
            if went in ([0, 1, 0], [1, 0, 1]):
                turned = went[0] == 1
                self._learn(replace(self.known, reversed=turned))
                self.said.append(
                    "The motor is mounted the other way round: that is taken into account."
                    if turned
                    else "The board tilts to the side that was meant."
                )
                return
        self.failed = NO_ROLL

    def _short_s(self, cdeg: int) -> float | None:
        """Time of a small swing: a DC motor cannot turn slowly, so its swing is short."""
        motor = self.side.board.backends.motor
        if not isinstance(motor, DcMotor):
            return None
        slowest_cdeg_s = 100 * motor.full_deg_s * motor.least
        return SWING_S if cdeg >= 2 * slowest_cdeg_s * SWING_S else max(cdeg / (2 * slowest_cdeg_s), 0.25)

    def _ends(self, marble: frozenset[int]) -> Script:
        """Which end input belongs to which side."""
        seen: list[int] = []
        for seat in (0, 1):
            yield from self._to_end(seat)
            if self.failed:
                return
            if not self._lies(marble, seat):
                self.failed = NO_ROLL
                return
            seen.append(self.side.ends())
        self._judge_ends(seen)

    def _ends_by_hand(self) -> Script:
        """The same on a board that people push; the marble tells where they have pushed it."""
        marble, name = self._one_marble()
        seen: list[int] = []
        for seat in (0, 1):
            put = f"Put one marble on {name} and none elsewhere. " if seat == 0 else ""
            self._ask(marble, f"{put}Push the board down on {SIDES[seat]} side, all the way.", seat)
            yield Until(partial(self._lies, marble, seat))
            yield from self._steady()
            seen.append(self.side.ends())
        self.wanted = None
        self._judge_ends(seen)

    def _judge_ends(self, seen: list[int]) -> None:
        """seen: the end inputs with each seat's side down."""
        if seen in ([1, 2], [2, 1]):
            exchanged = seen == [2, 1]
            self._learn(replace(self.known, ends_exchanged=exchanged))
            if exchanged:
                self.said.append("The end inputs are exchanged: that is taken into account.")
            if exchanged != bool(self.known.reversed) and self.side.board.drive == "servo":
                self.said.append(
                    "Motor and end inputs disagree about the sides, so the controller cannot watch the one by the "
                    "other: exchange the wires of the two end inputs when you can, and calibrate again."
                )
        elif 0 in seen:
            self.failed = (
                f"The end input of {SIDES[seen.index(0)]} side does not close: look at its switch and wire, and at "
                f"whether the board comes down all the way (tilt.angle_deg is {self._most / 100:g})."
            )
        else:
            self.failed = "One end input is closed on both sides: look at its switch and wire."

    # -- angles and level

    def _angle(self) -> Script:
        """The smallest angle at which all marbles roll, to each side; what to use; and the level between."""
        side = self.side
        layout = side.board.layout
        cells = lay_out(layout, "grooves")
        names = ", ".join(layout.cell_names[cell] for cell in sorted(cells))
        self._ask(
            cells,
            f"Put one marble on each of {names}. The board will tilt many times, for some minutes: hands off.",
        )
        yield Until(lambda: self._laid(cells))
        yield from self._steady()
        self.wanted = None
        full = self._most
        for seat in (0, 1):
            yield from self._to_end(seat)
            if not self.failed and not self._lies(cells, seat):
                self.failed = (
                    f"Not all marbles roll to {SIDES[seat]} side at {full / 100:g} degrees: clean the grooves, and "
                    f"raise {SIDES[1 - seat]} side of the board a little."
                )
            if self.failed:
                return
            drive = side.drive
            if isinstance(drive, TrialDrive) and side.board.drive == "stepper":
                if seat == 1:  # its swings end where the switches are: half of what was counted between them
                    full = min(round(abs(drive.at_cdeg - self._sign(0) * self._most) / 2), self._most)
                drive.stands(self._sign(seat) * (self._most if seat == 0 else full))
        if side.board.drive == "dc":
            self._learn(replace(self.known, angle_deg=full / 100))
            self.said.append(
                "All marbles roll at both end switches. How level the board is, a DC motor cannot tell: it knows no "
                "angles. Where marbles roll late to one side, raise the other one a little."
            )
            return
        least: list[int] = []
        for seat in (0, 1):
            least.append((yield from self._least(cells, seat, full)))
            if self.failed:
                return
        lean = (least[1] - least[0]) // 2
        if self._placed:
            yield from self._choose(cells, least, lean)
        else:
            yield from self._between(cells, least, lean, full)

    def _least(self, cells: frozenset[int], seat: int, full: int) -> Measured:
        """The smallest angle from which on all marbles roll to a side."""
        low, high = max(LOWEST_CDEG, 400 - full), full
        while high - low > FINE_CDEG:
            middle = (low + high) // 2
            ends = (middle, full) if seat == 0 else (full, middle)
            for each in (1 - seat, seat):
                yield from self._swing(each, ends)
                if self.failed:
                    return high
            if self._lies(cells, seat):
                high = middle
            else:
                low = middle
        return high

    def _rolls(self, cells: frozenset[int], full: int, level: int, *, ends: bool) -> Asked:
        """Whether all marbles roll to both sides so far from a level. ends: and the end inputs close."""
        for seat in (0, 1, 0):
            yield from self._swing(seat, (full + level, full - level))
            if self.failed or not self._lies(cells, seat):
                return False
            if ends and self.side.has_ends and self._down() != seat:
                return False
        return True

    def _choose(self, cells: frozenset[int], least: list[int], lean: int) -> Script:
        """Angle and level of a motor that is told angles; what is chosen is tried before it is kept."""
        levels = [self._level(lean), 0] if abs(lean) >= FINE_CDEG else [0]
        for level in levels:
            worst = max(least[0] - level, least[1] + level)
            top = self._most - abs(level)
            if level:
                small = max(worst + SURE_CDEG, 200)
                if small > top or not (yield from self._rolls(cells, small, level, ends=False)):
                    continue
            for angle in sorted({min(max(worst + MARGIN_CDEG, LEAST_CDEG), top), top}):
                if angle >= 200 and (yield from self._rolls(cells, angle, level, ends=True)):
                    self._found(angle, worst, lean, level)
                    return
                if self.failed:
                    return
        self.failed = (
            f"Marbles roll at {max(least) / 100:g} degrees, and not each time at {self._most / 100:g}: clean the "
            "grooves."
        )

    def _between(self, cells: frozenset[int], least: list[int], lean: int, full: int) -> Script:
        """Level of a motor that counts from its end inputs, where its swings end."""
        level = self._level(lean)
        worst = max(least)
        small = max((least[0] + least[1]) // 2 + SURE_CDEG, 200)
        fits = abs(level) >= FINE_CDEG and small + abs(level) < full
        if not fits or not (yield from self._rolls(cells, small, level, ends=False)):
            level = 0
        if not self.failed:
            self._found(full, worst, lean, level)

    def _level(self, lean: int) -> int:
        most = round(OFFSET_MOST_DEG * 100)
        return min(max(-lean, -most), most)

    def _found(self, angle: int, worst: int, lean: int, level: int) -> None:
        self._learn(replace(self.known, angle_deg=angle / 100, lean_deg=lean / 100, offset_deg=level / 100))
        if level:
            what = "the motor's level is moved by" if self._placed else "the motor parks it"
            shift = f"{abs(level) / 100:.1f} degrees towards {SIDES[level < 0]} side"
            self.said.append(f"The board is not level: from now on {what} {shift}.")
        left = lean + level if self._placed else lean
        if abs(left) >= LEAN_SAID_CDEG:
            why = (
                "its swings end at its end inputs, and no motor can move those"
                if not self._placed or not level
                else f"the motor makes good {OFFSET_MOST_DEG:g} degrees at most"
            )
            self.said.append(
                f"Marbles roll sooner to {SIDES[left < 0]} side: raise that side of the board by about "
                f"{abs(left) / 100:.1f} degrees ({why})."
            )
        self.said.append(
            f"All marbles roll from {max(worst, 0) / 100:g} degrees on; the board will tilt {angle / 100:g} degrees."
        )
