"""The self-test itself: what is done with the board, in order, as a script; a Report out. No I/O, no clock."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from balanxd.flashing.ports import hello_words
from firmware_bridge.messages import MAJOR, Feature, GetMargins, ResetCause
from hardware.faults import FaultName
from hardware.tilt import LATE_S, SupplyWeak, TiltArrived, TiltFailed, TiltNoticed
from rules.balanx.layout import Layout

from .boardside import BoardSide, Seen
from .findings import Report
from .judge import OTHER_SIDE, Judge, Quiet, Rest, judge_quiet
from .script import Machine, Script, Told, Until, pause

LINK_S = 12.0
QUIET_S = 6.0
SETTLE_S = 0.3
SWING_LIMIT_S = 45.0
LOW_MV = 4500
MARGINS_AT_ONCE = 28
ROLLING_LEAST = 4  # spaces that change: fewer may be bad sensors
MARBLES = 20
SIDES = ("White's", "Black's")
NOT_MOVING = "The board does not move: look at the servo, its supply and linkage."


@dataclass(frozen=True, slots=True)
class Plan:
    """What to do. marbles: the spaces they were laid on (a groove's other space is as good); none: without marbles.

    warned_s: how long before the first motion people are warned.
    """

    marbles: frozenset[int] = frozenset()
    rounds: int = 50
    warned_s: float = 3.0


def lay_out(layout: Layout, lay: str) -> frozenset[int]:
    """Where the marbles are to be laid.

    `grooves`: one into each groove of two, as far as twenty go, so that all roll. `rest`: one into each that is left,
    and the single spaces: both together bring a marble to every space. `start`: as for a game, where none can roll.
    """
    doubles = [groove[0] for groove in layout.grooves if len(groove) == 2]
    step = len(doubles) / min(MARBLES, len(doubles))
    first = frozenset(doubles[int(number * step)] for number in range(min(MARBLES, len(doubles))))
    match lay:
        case "start":
            return frozenset(cell for corner in layout.starts for cell in corner)
        case "rest":
            singles = frozenset(groove[0] for groove in layout.grooves if len(groove) == 1)
            return (frozenset(doubles) - first) | singles
        case _:
            return first


class SelfTest(Machine):
    """One run. `told` gets lines for people; `report` fills as it goes."""

    def __init__(self, side: BoardSide, plan: Plan, told: Callable[[Told], None] = lambda told: None) -> None:
        self.plan, self.report, self._told = plan, Report(side.board.name), told
        self._named: set[int] = set()
        self._end_inputs = side.board.end_inputs
        self._failed: dict[int, TiltFailed] = {}
        self._tried: set[int] = set()
        self._stop_motion = ""
        self._supply: list[int] = []
        self._rests: list[Rest] = []
        super().__init__(side, self._run())

    # -- the script

    def _run(self) -> Script:
        side, report, plan = self.side, self.report, self.plan
        self._told(Told("Waiting for the board.", 0.0))
        up = yield Until(lambda: bool(side.up and side.readings) or bool(side.refused), side.now_s + LINK_S)
        if not up or side.refused:
            report.find(
                "link", (), side.refused or "The board does not answer: look at its cable and its port."
            )
            return
        if not self._fits():
            return
        yield pause(side, SETTLE_S)
        yield from self._quiet()
        if side.drive is None and self._motor() is None:
            report.notes.append(f"No motor was tried: {self._why_no_motor()}")
        else:
            side.let_go()
            yield from self._tilts()
        self._wire()
        if self.plan.marbles and self._rests:
            board = side.board
            marbles, settle_s = plan.marbles, board.limits.settle_s
            Judge(board.layout, board.wiring.inputs, marbles, self._rests, self._named, settle_s).run(report)
        if not self._stop_motion:
            yield from self._level()
        side.let_go()
        report.finished = True
        self._told(Told("Done.", 1.0))

    def _fits(self) -> bool:
        side, report = self.side, self.report
        hello = side.hello
        assert hello is not None
        report.hello = hello_words(hello)
        if not side.on_pins and hello.major != MAJOR:
            report.find("version", (), f"The board speaks protocol {hello.major}.{hello.minor}.")
        used = side.board.inputs
        if hello.cells < used:
            report.find(
                "layout",
                (),
                f"The board has {hello.cells} inputs, its file names {used}: it is another board.",
            )
            return False
        return True

    def _motor(self) -> object | None:
        limits = self.side.board.limits
        return self.side.use_drive(limits, end_inputs=self._end_inputs) if self.side.board.motor else None

    def _why_no_motor(self) -> str:
        board = self.side.board
        if board.drive == "manual":
            return "people push this board."
        return "the motor is locked until `balanx calibrate` has seen to which side it tilts."

    def _cells(self, counts: dict[int, int]) -> dict[int, int]:
        wiring = self.side.board.wiring
        found = ((wiring.cell(number), count) for number, count in counts.items())
        return {cell: count for cell, count in found if cell is not None}

    def _readings(self) -> tuple[int, ...]:
        side = self.side
        return tuple(int(bool(each)) for each in side.board.wiring.picture(side.readings))

    def _quiet(self) -> Script:
        side = self.side
        self._told(Told("Nobody touches the board: looking at its sensors at rest.", 0.02))
        side.look()
        begun_s = side.now_s
        yield pause(side, QUIET_S)
        seen = side.look()
        toggles: dict[int, int] = {}
        for edge in seen.edges:
            toggles[edge.input] = toggles.get(edge.input, 0) + 1
        self._faults(seen)
        readings = self._readings()
        quiet = Quiet(side.now_s - begun_s, self._cells(toggles), self._cells(seen.hums), readings)
        names = side.board.cell_names
        self._named |= judge_quiet(self.report, names, quiet)
        seldom = sum(readings)
        most = sum(len(corner) for corner in side.board.layout.starts)
        if seldom > most:
            self.report.notes.append(f"{seldom} spaces read a marble; the game has {most}.")

    def _tilts(self) -> Script:
        side, plan = self.side, self.plan
        self._told(Told(f"The board tilts in {plan.warned_s:g} s: hands off.", 0.05))
        yield pause(side, plan.warned_s)
        self._motor()
        swings = [seat for _ in range(plan.rounds if plan.marbles else 1) for seat in (0, 1)]
        if not plan.marbles:
            swings.append(0)
        for number, seat in enumerate(swings):
            if self._stop_motion:
                break
            yield from self._swing(seat)
            if number % 2:
                self.report.rounds = (number + 1) // 2
                share = 0.05 + 0.93 * (number + 1) / len(swings)
                if plan.marbles:
                    self._told(Told(f"Round {self.report.rounds} of {plan.rounds}.", share))
        self._judge_drive()

    def _swing(self, seat: int) -> Script:
        """One swing, and the board at rest behind it."""
        side = self.side
        if side.drive is None or not side.drive.armed:
            side.let_go()
            yield Until(lambda: side.up, side.now_s + LINK_S)
            if not side.up or self._motor() is None:
                self._stop_motion = self._stop_motion or "the board is gone"
                return
        drive = side.drive
        assert drive is not None
        side.look()
        ended: list[TiltArrived | TiltFailed] = []
        started_s = side.now_s
        drive.go(seat, side.now_s)

        def over() -> bool:
            seen = side.seen.drive
            ended[:] = [
                e for e in seen if isinstance(e, TiltFailed) or (isinstance(e, TiltArrived) and e.expected)
            ]
            return bool(ended) or not side.up

        yield Until(over, side.now_s + SWING_LIMIT_S)
        motion = side.seen
        first = [report.at_s for report in motion.tilts if report.moving]
        if first:
            started_s = min(first)
        limits = side.board.limits
        for event in ended:
            if isinstance(event, TiltFailed):
                self._failed.setdefault(seat, event)
            else:
                # before it a board may have crept to level, and tried twice
                started_s = max(started_s, event.at_s - limits.swing_s - LATE_S)
        yield pause(side, max(started_s + limits.settle_s - side.now_s, SETTLE_S))
        seen = side.look()
        self._faults(seen)
        yield from self._ask_margins()
        wiring = side.board.wiring
        edges = tuple(
            replace(edge, input=cell)
            for edge in seen.edges
            if (cell := wiring.cell(edge.input)) is not None and edge.at_s >= started_s
        )
        if side.up:
            on_time = any(isinstance(event, TiltArrived) for event in ended)
            self._rests.append(
                Rest(seat, self._readings(), started_s if on_time else None, edges, dict(side.margins))
            )
        self._tried.add(seat)
        failed = self._failed.get(seat)
        if failed is not None and (failed.fault is FaultName.WRONG_WAY or side.on_pins):
            self._stop_motion = failed.why
        if self._failed and self._tried == {0, 1}:
            self._end_inputs = False  # the marbles still tell, and each swing is over sooner
            if not self.plan.marbles or self._rolled() is False:
                self._stop_motion = "the board does not arrive"

    def _ask_margins(self) -> Script:
        """Readings and thresholds of all inputs, where the board tells them."""
        side = self.side
        hello = side.hello
        side.margins.clear()
        if not self.plan.marbles or hello is None or side.on_pins or not hello.features & Feature.MARGINS:
            return
        for first in range(0, hello.cells, MARGINS_AT_ONCE):
            number = side.send(GetMargins(first, min(MARGINS_AT_ONCE, hello.cells - first)))
            if number is None:
                return
            yield Until(partial(side.answers.__contains__, number), side.now_s + 2.0)

    def _level(self) -> Script:
        side = self.side
        drive = side.drive
        if drive is None or not drive.armed or not side.up:
            return
        drive.to_level(side.now_s)
        yield Until(lambda: drive.level or not side.up, side.now_s + 5.0)

    # -- what the drive and the controller said

    def _faults(self, seen: Seen) -> None:
        report = self.report
        self._supply += [each.supply_mv for each in seen.tilts if each.supply_mv]
        for event in seen.drive:
            if isinstance(event, TiltNoticed) and event.fault is FaultName.END_ALWAYS:
                report.find(
                    FaultName.END_ALWAYS,
                    (),
                    f"The end input of {SIDES[event.seat]} side is always closed: look at its switch and wire.",
                )
            elif isinstance(event, TiltNoticed):
                report.find(
                    event.fault, (), "The board comes down late: look at the servo's supply and linkage."
                )
            elif isinstance(event, SupplyWeak):
                report.find(
                    FaultName.BROWN_OUT,
                    (),
                    "The supply breaks down when the servo starts: give it one of its own.",
                )
        for fault in seen.faults:
            report.notes.append(f"The board reported fault {fault.code} ({fault.argument}).")

    def _judge_drive(self) -> None:
        report, failed = self.report, self._failed
        if not failed:
            return
        faults = {each.fault for each in failed.values()}
        rolled = self._rolled()
        if FaultName.WRONG_WAY in faults:
            report.find(FaultName.WRONG_WAY, (), OTHER_SIDE)
            self._rests.clear()
        elif rolled is False or (rolled is None and len(failed) == 2):
            unsure = " Or it moves, and neither end position is ever seen: --marbles tells."
            report.find(FaultName.STALLED, (), NOT_MOVING + (unsure if rolled is None else ""))
            self._rests.clear()
        elif len(failed) == 2:
            report.find(
                FaultName.TILT_SHORT,
                (),
                "The board comes down on neither side all the way: look at the linkage, and at tilt.angle_deg.",
            )
        elif FaultName.STALLED in faults:
            report.find(FaultName.STALLED, (), NOT_MOVING)
        else:
            seat = min(failed)
            report.find(
                FaultName.END_NEVER,
                (),
                f"The end position of {SIDES[seat]} side is never seen: look at its switch, and whether the board "
                "comes down all the way.",
            )

    def _rolled(self) -> bool | None:
        """Whether marbles rolled from side to side; None: nobody can tell."""
        if len(self.plan.marbles) < ROLLING_LEAST or len(self._rests) < 2:
            return None
        ever = zip(*(rest.readings for rest in self._rests), strict=True)
        return sum(len(set(each)) > 1 for each in ever) >= ROLLING_LEAST

    def _wire(self) -> None:
        side, report = self.side, self.report
        for bad in side.wire_bad:
            report.find(
                bad.fault, (), f"The cable damages messages ({bad.frames} in a short time): look at it."
            )
        for hello in side.hellos[1:]:
            kind = (
                FaultName.BROWN_OUT
                if hello.reset_cause == ResetCause.BROWN_OUT
                else FaultName.CONTROLLER_RESET
            )
            report.find(kind, (), "The controller restarted during the test: look at its supply and cable.")
        if self._supply and min(self._supply) < LOW_MV:
            report.find("supply", (), f"The supply fell to {min(self._supply)} mV: 4.5 V is the least.")
