"""Session: rested pictures, tilt events and players' commands in; game events and tilt motions out. Pure.

One game from its set-up to its end. The phases:

    SETTING_UP   waits for the start position, then tilts to the first player
    ALIGNING     the board is to stand on the side of the player to move and to show the position
    OPEN         the player may move
    OVER         the game has ended

and within a phase at most one *pending* thing, which any change of the picture calls off: a provisional
move, a shown takeback, the naming of what is wrong, or the warning before a motor starts.

A turn is taken when its provisional move falls due: the event, then the motion. Whoever runs the session
journals the event before it lets the motion's bytes out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Set
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Generic, assert_never

from hardware.health import CHECK_S, Complaint, Health, HealthEvent, SensorBad, SensorWell
from hardware.occupancy import Change, Occupancy
from hardware.rest import Rest, Resting
from hardware.tilt import Drive, TiltArrived, TiltEvent, TiltFailed, TiltLeft
from rules.game import Game, M, Outcome, P
from rules.line import Line

from . import commands as c
from . import events as e
from .errors import RefereeError
from .infer import (
    Ask,
    Found,
    Inference,
    InStep,
    Lifted,
    Prospects,
    Takeback,
    Wrong,
    difference,
    infer,
    tilt_by_marbles,
)
from .trouble import Trouble, Troubles

INF = float("inf")


@dataclass(frozen=True, slots=True)
class Patience:
    """How long the referee waits, in seconds (board spec, Recognition)."""

    rest_s: float = 0.150
    rolling_rest_s: float = 0.200
    restless_rest_s: float = 0.300
    slide_s: float = 1.5  # provisional time of a marble that seems to be pushed along the board
    slide_gap_s: float = 0.35  # nobody lifts, carries and puts a marble faster than this
    by_hand_s: float = 1.5  # provisional time where no motor warns
    complain_s: float = 1.0  # after the last edge: taken back, out of step
    takeback_s: float = 3.0


class Phase(Enum):
    """Where a game stands; see the module's docstring."""

    SETTING_UP = auto()
    ALIGNING = auto()
    OPEN = auto()
    OVER = auto()


@dataclass(frozen=True, slots=True)
class _Provisional(Generic[P, M]):
    move: M
    after: P
    witness: str
    due_s: float
    or_takeback: int


@dataclass(frozen=True, slots=True)
class _TakebackPending:
    plies: int
    due_s: float
    shown: bool


@dataclass(frozen=True, slots=True)
class _Complaint:
    trouble: Trouble
    due_s: float


@dataclass(frozen=True, slots=True)
class _MotionPending:
    """A motor's warning runs. seat None: rock the board."""

    seat: int | None
    due_s: float


_Pending = _Provisional[P, M] | _TakebackPending | _Complaint | _MotionPending


@dataclass(slots=True)
class _Witness:
    """What the edges have said since the picture was last in step."""

    changes: list[Change] = field(default_factory=list)
    lost: bool = False

    def edges(self, bad: Set[int]) -> list[tuple[int, int]]:
        return [(change.cell, change.reading) for change in self.changes if change.cell not in bad]


class Session(Generic[P, M]):
    """One game on one board. `emit` receives every event at once, in order."""

    def __init__(
        self,
        line: Line[P, M],
        *,
        sensor: str,
        drive: Drive,
        emit: Callable[[e.GameEvent], None],
        machines: Set[int] = frozenset(),
        patience: Patience | None = None,
        header: e.GameStarted | None = None,
    ) -> None:
        """header: what to say once the game begins; None where it has begun before (a resumed game)."""
        self.game: Game[P, M] = line.game
        self.line = line
        self.sensor = sensor
        self.drive = drive
        self.patience = patience or Patience()
        self.machines = machines
        self.phase = Phase.SETTING_UP if header is not None else Phase.ALIGNING
        if header is None and line.outcome is not None:
            self.phase = Phase.OVER
        self._header = header
        self._emit = emit
        self._rest = Rest(top=None if sensor == "presence" else 3)
        self.health = Health()
        self._witness = _Witness(lost=True)
        self._pending: _Pending[P, M] | None = None
        self._judged_since_s: float | None = None  # `since_s` of the rest that was last judged
        self._not_before_s = 0.0
        self._prospects: Prospects[P, M] | None = None
        self._announced: M | None = None
        self._asked: P | None = None
        self._moving = False  # a motor is on its way
        self._rolling = self._rolling_cells()
        self._tilt_seat: int | None = None  # where the motor was last sent
        self._rocked = False
        self._condition: str = ""  # what was last said of the table, so that nothing is said twice
        self._off_step = False
        self._question: tuple[M, ...] = ()
        self._next_check_s = INF
        self._nudged = False  # the players said that a marble which did not roll is right
        self._provisional_move: M | None = None
        self._stands: P | None = None  # where the last provisional move leads, until it is withdrawn
        self._result = ""
        self._troubles = Troubles(line.game)
        self._set_up_said: tuple[tuple[int, ...], tuple[int, ...]] | None = None
        self.link_up = False

    # ---- what others may look at ---------------------------------------------------------------------------

    @property
    def position(self) -> P:
        """The position to be played."""
        return self.line.position

    @property
    def result(self) -> str:
        """The record's last token."""
        return self._result or self.game.result_text(self.line.outcome)

    def _name(self, cell: int) -> str:
        return self.game.cell_names[cell]

    def _names(self, cells: Iterable[int]) -> tuple[str, ...]:
        return tuple(self.game.cell_names[cell] for cell in sorted(cells))

    # ---- inputs --------------------------------------------------------------------------------------------

    def link(self, up: bool, why: str, now_s: float) -> None:
        """The controller was found or lost."""
        if up == self.link_up:
            return
        self.link_up = up
        self._emit(e.LinkChanged(at_s=now_s, up=up, why=why))
        self._call_off(now_s)
        self._moving = False
        if not up:
            self._witness = _Witness(lost=True)
            self._judged_since_s = None
            if self.phase is Phase.OPEN:
                self.phase = Phase.ALIGNING
            self._condition = ""

    def see(self, occupancy: Occupancy) -> None:
        """Follow one occupancy."""
        bad = self.health.bad
        for change in occupancy.changes:
            self._say_health(self.health.take(change))
        self._rest.take(occupancy, bad)
        if occupancy.edges_lost:
            self._witness.lost = True
        fresh = [change for change in occupancy.changes if change.cell not in bad]
        if not fresh and not occupancy.edges_lost:
            return
        self._judged_since_s = None
        self._witness.changes += fresh
        if self._moving:
            for change in fresh:
                if change.cell not in self._rolling:
                    self._stop_motion(change)
                    break
        self._call_off(occupancy.at_s)

    def tilted(self, event: TiltEvent) -> None:
        """Follow one event of the drive."""
        now_s = event.at_s
        match event:
            case TiltArrived(_, seat, expected):
                self._moving = False
                self._tilt_moved(now_s, seat, expected)
            case TiltLeft():
                self._tilt_moved(now_s, None, expected=False)
            case TiltFailed(_, seat, why):
                self._moving = False
                self._judged_since_s = None
                self._emit(
                    e.Fault(
                        at_s=now_s, kind="tilt", say=f"The tilt drive failed: {why}. Push the board by hand."
                    )
                )
                self._emit(e.TiltWanted(at_s=now_s, seat=seat))
            case _:
                assert_never(event)

    def _tilt_moved(self, now_s: float, seat: int | None, expected: bool) -> None:
        """The board stands elsewhere: what was judged under the old tilt is judged anew."""
        self._prospects = None
        self._judged_since_s = None
        if expected:
            limits = self.drive.limits
            self._not_before_s = max(self._not_before_s, now_s + limits.settle_s - limits.swing_s)
            return
        self._rest.disturb(now_s)
        pending = self._pending
        if isinstance(pending, _Provisional) and not self.drive.motor and self.phase is Phase.OPEN:
            # Pushing the board is how a player says that the turn is done.
            self._pending = None
            self._take_turn(pending, now_s)

    def command(self, command: c.PlayerCommand, now_s: float) -> None:
        """Obey a player. Raises RefereeError where the command does not fit."""
        match command:
            case c.Announce(move, position):
                self._announce(move, position, now_s)
            case c.Resign(seat):
                self._must_play("resign")
                self._end(Outcome(1 - seat, "resigned"), now_s)
            case c.AgreeDraw():
                self._must_play("agree to a draw")
                self._end(Outcome(None, "agreed"), now_s)
            case c.BreakOff(note):
                self._must_play("break the game off")
                self._finish("*", note, now_s)
            case c.BoardIsRight():
                self._board_is_right(now_s)
            case c.MarbleIsThere(cell):
                self._marble_is_there(cell, now_s)
            case c.Confirm(move):
                self._confirm(move, now_s)
            case c.TakeBackInstead():
                self._take_back_instead(now_s)
            case _:
                assert_never(command)

    def tick(self, now_s: float) -> None:
        """Whatever falls due by `now_s`."""
        if not self.link_up:
            return
        self._check_sensors(now_s)
        resting = self._rest.resting(self.health.bad)
        if resting is None:
            return
        if self._judged_since_s is None and not self._moving and now_s >= self._judge_s(resting):
            self._judged_since_s = resting.since_s
            self._judge(resting, now_s)
        pending = self._pending
        if pending is not None and now_s >= pending.due_s:
            self._pending = None
            self._fall_due(pending, resting, now_s)

    def due_s(self) -> float:
        """When `tick` wants to be called next (inf: never)."""
        if not self.link_up:
            return INF
        due = self._next_check_s
        if self._pending is not None:
            due = min(due, self._pending.due_s)
        if self._judged_since_s is None and not self._moving:
            resting = self._rest.resting(self.health.bad)
            if resting is not None:
                due = min(due, self._judge_s(resting))
        return due

    # ---- rest ----------------------------------------------------------------------------------------------

    def _judge_s(self, resting: Resting) -> float:
        """When the picture has rested long enough to be judged (inf: an unsure cell keeps it from resting)."""
        if resting.unsure:
            return INF
        patience = self.patience
        if resting.restless:
            quiet_s = patience.restless_rest_s
        elif self._witness.lost or any(change.cell in self._rolling for change in self._witness.changes):
            quiet_s = patience.rolling_rest_s
        else:
            quiet_s = patience.rest_s
        return max(resting.since_s + quiet_s, self._not_before_s)

    def _rolling_cells(self) -> Set[int]:
        """Cells from or to which a marble can roll by itself: those of grooves with more than one space."""
        game = self.game
        if not game.tilts:
            return frozenset()
        rolling = set()
        for cell in range(game.cells):
            single = bytes(int(other == cell) for other in range(game.cells))
            if game.level(single, 0) != game.level(single, 1):
                rolling.add(cell)
        return rolling

    # ---- judging -------------------------------------------------------------------------------------------

    def _judge(self, resting: Resting, now_s: float) -> None:
        if self.phase is Phase.OVER:
            return
        tilt = self._tilt(resting.picture)
        prospects = self._prospects
        if prospects is None or prospects.position != self.position or prospects.tilt != tilt:
            prospects = self._prospects = Prospects(self.game, self.sensor, self.position, tilt)
        seen = infer(
            prospects,
            self.line.positions[:-1],
            resting.picture,
            self._witness.edges(self.health.bad),
            # While marbles roll to a new side, edges do not tell a lifted one from a rolling one.
            edges_lost=self._witness.lost or self.phase is Phase.ALIGNING,
            bad=self.health.bad,
        )
        self._act(seen, resting, tilt, now_s)

    def _tilt(self, picture: bytes) -> int | None:
        """The side that is down now: told by the drive, else by marbles, else as the rules want it."""
        if not self.game.tilts or self.drive.side is not None:
            return self.drive.side
        if self.drive.motor:
            return None
        side, agree = tilt_by_marbles(self.game, picture)
        if side is None and agree:
            return self.game.tilt(self.position)
        return side

    def _act(self, seen: Inference[P, M], resting: Resting, tilt: int | None, now_s: float) -> None:
        if self.phase is Phase.SETTING_UP and not isinstance(seen, InStep):
            self._say_set_up(resting, tilt, now_s)
            return
        match seen:
            case InStep():
                self._in_step(resting, tilt, now_s)
            case Lifted():
                self._in_hand(seen, resting, now_s)
            case Found():
                self._found(seen, resting, tilt, now_s)
            case Ask(moves):
                self._ask(moves, now_s)
            case Takeback(plies):
                due_s = max(now_s, resting.since_s + self.patience.complain_s)
                self._pending = _TakebackPending(plies, due_s, shown=False)
            case Wrong():
                self._wrong(seen, resting, tilt, now_s)
            case _:
                assert_never(seen)

    def _in_step(self, resting: Resting, tilt: int | None, now_s: float) -> None:
        game, wanted = self.game, self.game.tilt(self.position)
        stuck = self._stuck(resting.picture, tilt)
        if stuck is not None:
            self._stuck_marble(*stuck, now_s)
            return
        if self._stands is not None and self._provisional_move is not None:
            self._emit(e.MoveWithdrawn(at_s=now_s, move=game.move_text(self._provisional_move)))
        elif self._off_step or self._question or self._condition == "in_hand":
            self._emit(e.BackInStep(at_s=now_s))
        self._off_step, self._question, self._condition = False, (), "in_step"
        self._stands = self._provisional_move = None
        self._witness = _Witness()
        self.drive.arm(now_s)
        if game.tilts and tilt != wanted:
            assert wanted is not None
            if self.phase is Phase.OPEN:
                self.phase = Phase.ALIGNING
            self._want_tilt(wanted, now_s)
            return
        if self.phase is Phase.SETTING_UP:
            assert self._header is not None
            self._emit(self._header)
            self._header = None
            self.phase = Phase.ALIGNING
        if self.phase is Phase.ALIGNING:
            self._open(now_s)
        elif self._passing():
            self._pass(now_s)

    def _say_set_up(self, resting: Resting, tilt: int | None, now_s: float) -> None:
        prospects = self._prospects
        assert prospects is not None
        missing, extra = difference(
            self.game.level(resting.picture, tilt), prospects.expected, self.health.bad
        )
        if (missing, extra) != self._set_up_said:
            self._set_up_said = missing, extra
            say = "Set the marbles up for a new game."
            self._emit(
                e.SetUpWanted(at_s=now_s, say=say, missing=self._names(missing), extra=self._names(extra))
            )

    def _want_tilt(self, seat: int, now_s: float) -> None:
        if self.drive.motor:
            self._warn(seat, now_s)
        elif self._condition != "tilt_wanted":
            self._condition = "tilt_wanted"
            self._emit(e.TiltWanted(at_s=now_s, seat=seat))

    def _warn(self, seat: int | None, now_s: float) -> None:
        """Light and sound before a motor starts; a change of the picture calls it off."""
        due_s = now_s + self.drive.limits.warning_s
        self._pending = _MotionPending(seat, due_s)
        to = self.drive.side if seat is None else seat
        self._emit(e.TiltWarning(at_s=now_s, seat=0 if to is None else to, due_s=due_s))

    def _open(self, now_s: float) -> None:
        self.phase = Phase.OPEN
        self._rocked = False
        position = self.position
        self._emit(e.TurnOpened(at_s=now_s, seat=position.side, ply=position.ply))
        if self._passing():
            self._pass(now_s)
        elif position.side in self.machines:
            self._ask_machine(now_s)

    def _ask_machine(self, now_s: float) -> None:
        if self._asked != self.position:
            self._asked, self._announced = self.position, None
            self._emit(
                e.MoveWanted(
                    at_s=now_s, seat=self.position.side, position=self.game.position_text(self.position)
                )
            )
        elif self._announced is not None:
            self._say_announced(self._announced, now_s)

    def _say_announced(self, move: M, now_s: float) -> None:
        start, goal = self.game.travel(move)
        self._emit(
            e.Announced(
                at_s=now_s,
                seat=self.position.side,
                move=self.game.move_text(move),
                from_cell=start,
                to_cell=goal,
            )
        )

    def _passing(self) -> bool:
        moves = self.game.moves(self.position)
        return len(moves) == 1 and self.game.is_pass(moves[0])

    def _pass(self, now_s: float) -> None:
        (move,) = self.game.moves(self.position)
        after = self.game.play(self.position, move)
        self._provisional(_Provisional(move, after, "pass", now_s + self._provisional_s(()), 0), now_s)

    # ---- moves ---------------------------------------------------------------------------------------------

    def _found(self, found: Found[P, M], resting: Resting, tilt: int | None, now_s: float) -> None:
        wanted = self.game.tilt(self.position)
        if self.game.tilts and tilt is not None and tilt != wanted and self.phase is Phase.ALIGNING:
            self._complain(self._early(resting.picture, self.position, tilt), resting, now_s)
            return
        if self.phase is Phase.ALIGNING:
            # A crash or a lost link while the move was provisional: the picture finds it again.
            self.drive.arm(now_s)
            self._open(now_s)
        machine = self.position.side in self.machines
        if machine and (
            self._announced is None or self.game.play(self.position, self._announced) != found.after
        ):
            assert self._prospects is not None
            self._complain(
                self._troubles.not_announced(
                    self.position, found.move, self._announced, resting.picture, self._prospects.expected
                ),
                resting,
                now_s,
            )
            return
        witness = "seen" if found.witnessed else "unwitnessed"
        if self.game.tilts and tilt is not None and tilt != wanted:
            # The board was pushed over at once: the turn is done.
            self._take_turn(_Provisional(found.move, found.after, witness, now_s, found.or_takeback), now_s)
            return
        due_s = now_s + self._provisional_s(self.game.travel(found.move))
        self._provisional(_Provisional(found.move, found.after, witness, due_s, found.or_takeback), now_s)

    def _provisional(self, provisional: _Provisional[P, M], now_s: float) -> None:
        amended = self._provisional_move not in (None, provisional.move)
        self._pending = provisional
        self._off_step, self._question, self._condition = False, (), "provisional"
        self._stands, self._provisional_move = provisional.after, provisional.move
        self._emit(
            e.MoveProvisional(
                at_s=now_s,
                move=self.game.move_text(provisional.move),
                due_s=provisional.due_s,
                amended=amended,
                or_takeback=provisional.or_takeback,
                warning=self._self_defeat(provisional),
            )
        )

    def _self_defeat(self, provisional: _Provisional[P, M]) -> str:
        outcome = self.game.outcome_after(self.position, provisional.move)
        if outcome is not None and outcome.winner not in (None, self.position.side):
            return "This move ends the game, and the other player wins."
        return ""

    def _provisional_s(self, travel: tuple[int, ...]) -> float:
        """How long a found move stays provisional: the motor's warning, longer where a marble seems to slide."""
        patience = self.patience
        if self.game.tilts and not self.drive.motor:
            return patience.by_hand_s
        base_s = self.drive.limits.warning_s if self.game.tilts else patience.by_hand_s
        if not travel:
            return base_s
        start, goal = travel
        left_s = put_s = None
        for change in self._witness.changes:
            if change.cell == start and not change.reading:
                left_s = change.at_s
            elif (
                change.reading
                and change.cell != start
                and left_s is not None
                and put_s is None
                and (change.cell not in self._rolling or change.cell == goal)
            ):
                put_s = change.at_s
        if left_s is not None and put_s is not None and put_s - left_s < patience.slide_gap_s:
            return max(base_s, patience.slide_s)
        return base_s

    def _take_turn(self, turn: _Provisional[P, M], now_s: float) -> None:
        """The move stands: say it (the runner journals it), then tilt."""
        ply, seat = self.position.ply, self.position.side
        self.line = self.line.push(turn.move)
        self._prospects = None
        self._announced = self._asked = self._stands = self._provisional_move = None
        self._witness = _Witness()
        self._condition = ""
        self._emit(
            e.TurnTaken(
                at_s=now_s,
                ply=ply,
                seat=seat,
                move=self.game.move_text(turn.move),
                position=self.game.position_text(self.position),
                witness=turn.witness,  # type: ignore[arg-type]
            )
        )
        if self.line.outcome is not None:
            self._finish(self.result, "", now_s)
            return
        self.phase = Phase.ALIGNING
        self._judged_since_s = None
        wanted = self.game.tilt(self.position)
        if wanted is None:
            return
        if self.drive.motor:
            self._go(wanted, now_s)
        elif self.drive.side != wanted:
            self._condition = "tilt_wanted"
            self._emit(e.TiltWanted(at_s=now_s, seat=wanted))

    def _go(self, seat: int, now_s: float) -> None:
        """Start the motor; its warning has been given."""
        self._moving = True
        self._tilt_seat = seat
        self._prospects = None
        self._judged_since_s = None
        self._nudged = False
        self._not_before_s = now_s + self.drive.limits.settle_s
        self._rest.disturb(now_s)
        self.drive.go(seat, now_s)
        self._emit(e.TiltStarted(at_s=now_s, seat=seat))

    def _stop_motion(self, change: Change) -> None:
        self._moving = False
        self._prospects = None
        self.drive.stop(change.at_s)
        self._condition = ""
        self._emit(e.TiltStopped(at_s=change.at_s, cell=self._name(change.cell)))

    # ---- other answers -------------------------------------------------------------------------------------

    def _in_hand(self, hand: Lifted, resting: Resting, now_s: float) -> None:
        if self._blind_after_tilt(hand, now_s):
            return
        cells = hand.cells
        if hand.extra:
            early = self._lifted_early(resting.picture)
            if early is None:
                wrong: Wrong[M] = Wrong(hand.absent, hand.extra)
                self._complain(self._troubles.unexplained(wrong), resting, now_s)
                return
            cells = early
        game, position = self.game, self.position
        targets: tuple[str, ...] = ()
        if hand.missing == 1 and self.phase is Phase.OPEN and not hand.extra:
            own = {cell for cell in cells if game.owner(position, cell) == position.side}
            goals = {
                game.travel(m)[1]
                for m in game.moves(position)
                if not game.is_pass(m) and game.travel(m)[0] in own
            }
            targets = self._names(frozenset(goals))
        self._condition = "in_hand"
        self._emit(e.InHand(at_s=now_s, missing=hand.missing, lifted=self._names(cells), targets=targets))

    def _lifted_early(self, picture: bytes) -> frozenset[int] | None:
        """The cells lifted from, if the provisional move stands and only marbles are missing from its picture."""
        if self._stands is None or self._prospects is None:
            return None
        stands = self._prospects.picture(self._stands)
        missing, extra = difference(self.game.level(picture, self._prospects.tilt), stands, self.health.bad)
        return None if extra else frozenset(missing)

    def _blind_after_tilt(self, hand: Lifted, now_s: float) -> bool:
        """After a tilt, a marble that left its space and arrived nowhere, with no hand near: a blind sensor.

        The board is rocked first, in case the marble lies between the spaces.
        """
        if self.phase is not Phase.ALIGNING or hand.missing != 1 or hand.extra or len(hand.absent) != 1:
            return False
        (cell,) = hand.absent
        moved = {change.cell for change in self._witness.changes}
        twin = self._groove_twin(cell)
        if (
            self._tilt_seat is None
            or twin is None
            or twin not in moved
            or cell in moved
            or not moved <= self._rolling
        ):
            return False
        if not self._rocked and self.drive.motor and self.drive.side is not None:
            self._rocked = True
            self._warn(None, now_s)
            return True
        self._say_health(self.health.name(cell, Complaint.BLIND, now_s))
        self._judged_since_s = None
        return True

    def _groove_twin(self, cell: int) -> int | None:
        """The other space of the groove from which a marble rolls to `cell`."""
        game = self.game
        single = bytes(int(other == cell) for other in range(game.cells))
        for seat in (0, 1):
            rolled = game.level(single, seat)
            if rolled != single:
                return rolled.index(1)
        return None

    def _stuck(self, picture: bytes, tilt: int | None) -> tuple[int, int] | None:
        """Where a marble lies that did not roll, and where it should lie; None if all rolled."""
        if tilt is None or not self.game.tilts or self.phase is Phase.SETTING_UP or self._nudged:
            return None
        level = self.game.level(picture, tilt)
        bad = self.health.bad
        for cell, (observed, rolled) in enumerate(zip(picture, level, strict=True)):
            if observed and not rolled:
                goal = self._groove_twin(cell)
                if goal is not None and cell not in bad and goal not in bad:
                    return cell, goal
        return None

    def _stuck_marble(self, lies: int, goal: int, now_s: float) -> None:
        if not self._rocked and self.drive.motor and self.drive.side is not None:
            self._rocked = True
            self.drive.arm(now_s)
            self._warn(None, now_s)
            return
        self._off_step = True
        guide = f"Nudge it so that it rolls to {self._name(goal)}, or say that the board is right."
        self._emit(self._troubles.stuck(lies, goal).event(now_s, self._name, guide))

    def _ask(self, moves: tuple[M, ...], now_s: float) -> None:
        if moves == self._question:
            return
        self._question = moves
        texts = tuple(self.game.move_text(move) for move in moves)
        say = (
            f"A sensor there does not work. Was it {' or '.join(texts)}, or is the marble still in your hand?"
        )
        self._emit(e.Question(at_s=now_s, moves=texts, say=say))

    def _early(self, picture: bytes, stands: P, tilt: int | None) -> Trouble:
        wanted = self.game.level(self.game.picture(stands, self.sensor), tilt)
        return self._troubles.too_early(picture, wanted, tilt)

    def _wrong(self, wrong: Wrong[M], resting: Resting, tilt: int | None, now_s: float) -> None:
        trouble = self._troubles.unexplained(wrong)
        stands = self._stands if self.phase is Phase.OPEN else None
        if self.phase is Phase.ALIGNING and tilt not in (None, self.game.tilt(self.position)):
            stands = self.position
        if stands is not None:
            early = self._early(resting.picture, stands, tilt)
            if len(early.missing) == len(early.extra) == 1:
                trouble = early
        self._complain(trouble, resting, now_s)

    def _complain(self, trouble: Trouble, resting: Resting, now_s: float) -> None:
        self._pending = _Complaint(trouble, max(now_s, resting.since_s + self.patience.complain_s))

    # ---- what falls due ------------------------------------------------------------------------------------

    def _call_off(self, now_s: float) -> None:
        """The picture has changed: nothing that waited for it to stay happens."""
        pending, self._pending = self._pending, None
        match pending:
            case None | _Complaint():
                pass
            case _TakebackPending():
                if pending.shown:
                    self._emit(e.TakebackCancelled(at_s=now_s))
            case _Provisional() | _MotionPending():
                self._emit(e.CalledOff(at_s=now_s))
            case _:
                assert_never(pending)

    def _fall_due(self, pending: _Pending[P, M], resting: Resting, now_s: float) -> None:
        match pending:
            case _Provisional():
                self._take_turn(pending, now_s)
            case _TakebackPending():
                self._takeback_due(pending, now_s)
            case _Complaint():
                self._complaint_due(pending.trouble, resting, now_s)
            case _MotionPending():
                if pending.seat is None:
                    self._rock(now_s)
                else:
                    self._go(pending.seat, now_s)
            case _:
                assert_never(pending)

    def _rock(self, now_s: float) -> None:
        if self.drive.side is None:
            return
        self._moving = True
        self._judged_since_s = None
        self._not_before_s = now_s + self.drive.limits.swing_s + self.drive.limits.settle_s
        self._rest.disturb(now_s)
        self.drive.rock(now_s)
        self._emit(e.TiltStarted(at_s=now_s, seat=self._tilt_seat or 0, rock=True))

    def _takeback_due(self, pending: _TakebackPending, now_s: float) -> None:
        if not pending.shown:
            due_s = now_s + self.patience.takeback_s
            self._pending = _TakebackPending(pending.plies, due_s, shown=True)
            self._emit(e.TakebackShown(at_s=now_s, plies=pending.plies, due_s=due_s))
            return
        self._take_back(pending.plies, now_s)

    def _take_back(self, plies: int, now_s: float) -> None:
        self.line = self.line.back(plies)
        self._set_position(now_s, e.TakenBack(at_s=now_s, plies=plies, position=self._position_text()))

    def _position_text(self) -> str:
        return self.game.position_text(self.position)

    def _set_position(self, now_s: float, event: e.GameEvent) -> None:
        """The line was changed from outside: forget all that was pending on the old one, and look again."""
        self.phase = Phase.ALIGNING
        self._pending = self._prospects = self._announced = self._asked = None
        self._stands = self._provisional_move = None
        self._off_step, self._question, self._condition = False, (), ""
        self._witness = _Witness()
        self._judged_since_s = None
        self._rocked = False
        self._emit(event)
        if self.line.outcome is not None:
            self._finish(self.result, "", now_s)

    def _complaint_due(self, trouble: Trouble, resting: Resting, now_s: float) -> None:
        cell = self._false_reading(resting)
        if cell is not None:
            self._say_health(self.health.name(cell, Complaint.STUCK_ON, now_s))
            self._judged_since_s = None
            return
        self._off_step = True
        self._condition = "out_of_step"
        self._emit(trouble.event(now_s, self._name))

    def _false_reading(self, resting: Resting) -> int | None:
        """The one cell without whose reading everything fits, where more marbles are seen than there are."""
        prospects = self._prospects
        if prospects is None or len(resting.picture) - resting.picture.count(0) <= prospects.total:
            return None
        suspects = []
        for cell, reading in enumerate(resting.picture):
            if not reading or cell in self.health.bad:
                continue
            bad = frozenset(self.health.bad) | {cell}
            without = resting.picture[:cell] + b"\0" + resting.picture[cell + 1 :]
            fits = prospects.matches(without, prospects.expected, self.health.bad) or any(
                prospects.matches(without, wanted, self.health.bad) for wanted in prospects.moves
            )
            if fits and prospects.matches(resting.picture, prospects.expected, bad):
                return cell
            if fits:
                suspects.append(cell)
        return suspects[0] if len(suspects) == 1 else None

    # ---- sensors -------------------------------------------------------------------------------------------

    def _check_sensors(self, now_s: float) -> None:
        if now_s < self._next_check_s:
            return
        resting = self._rest.resting(self.health.bad)
        self._next_check_s = INF
        if resting is None:
            return
        self._say_health(self.health.unsure(resting.unsure, resting.since_s, now_s))
        if self._condition == "in_step" and self._prospects is not None:
            expected = self._prospects.expected
            plain = frozenset(cell for cell in self.health.bad if resting.picture[cell] == expected[cell])
            self._say_health(self.health.recover(plain, now_s))
        if resting.unsure or self.health.bad:
            self._next_check_s = now_s + CHECK_S

    def _say_health(self, said: list[HealthEvent]) -> None:
        for event in said:
            self._judged_since_s = None
            self._next_check_s = min(self._next_check_s, event.at_s + CHECK_S)
            name = self._name(event.cell)
            match event:
                case SensorBad(at_s, _, complaint):
                    say = f"{_COMPLAINTS[complaint].format(name)} The game goes on without it."
                    self._emit(e.SensorNamed(at_s=at_s, cell=name, complaint=complaint, say=say))
                case SensorWell(at_s, _):
                    self._emit(e.SensorTrusted(at_s=at_s, cell=name))
                case _:
                    assert_never(event)

    # ---- commands ------------------------------------------------------------------------------------------

    def _must_play(self, what: str) -> None:
        if self.phase in (Phase.SETTING_UP, Phase.OVER):
            raise RefereeError(f"No game is going on, so nobody can {what}.")

    def _end(self, outcome: Outcome, now_s: float) -> None:
        self._finish(self.game.result_text(outcome), "", now_s)

    def _finish(self, result: str, note: str, now_s: float) -> None:
        self._result = result
        self.phase = Phase.OVER
        self._pending = None
        if self._moving:
            self.drive.stop(now_s)
            self._moving = False
        self._emit(e.GameOver(at_s=now_s, result=result, note=note))

    def _announce(self, text: str, position: str, now_s: float) -> None:
        if self.phase is not Phase.OPEN or position != self._position_text():
            return  # an answer to a question that a takeback has overtaken
        move = self.game.parse_move(text)
        if move not in self.game.moves(self.position):
            raise RefereeError(f"{text} was announced, which is not legal here.")
        self._announced = move
        self._say_announced(move, now_s)
        self._judged_since_s = None  # the move may have been made already

    def _resting(self) -> Resting:
        resting = self._rest.resting(self.health.bad)
        if resting is None or self._judged_since_s is None:
            raise RefereeError("The board is not at rest yet: try again in a moment.")
        return resting

    def _board_is_right(self, now_s: float) -> None:
        self._must_play("set the position")
        resting = self._resting()
        tilt = self._tilt(resting.picture)
        prospects = Prospects(self.game, self.sensor, self.position, tilt)
        if prospects.matches(resting.picture, prospects.expected, self.health.bad):
            self._nudged, self._judged_since_s = True, None
            return
        lifted = (
            None
            if self._witness.lost
            else self.game.lifted(self.position, self._witness.edges(self.health.bad))
        )
        position = self.game.adopt(self.position, resting.picture, self.sensor, tilt, lifted)
        if position is None:
            raise RefereeError(
                "The board cannot be taken as it is: marbles are missing, or their colours are not certain."
            )
        self.line = Line.begin(self.game, position)
        self._set_position(now_s, e.PositionSet(at_s=now_s, position=self._position_text()))

    def _marble_is_there(self, cell: int, now_s: float) -> None:
        resting = self._resting()
        prospects = self._prospects
        if (
            prospects is None
            or not 0 <= cell < len(resting.picture)
            or resting.picture[cell]
            or not prospects.expected[cell]
        ):
            raise RefereeError("No marble is missing there.")
        self._say_health(self.health.name(cell, Complaint.BLIND, now_s))

    def _confirm(self, text: str, now_s: float) -> None:
        for move in self._question:
            if self.game.move_text(move) == text:
                after = self.game.play(self.position, move)
                due_s = now_s + self._provisional_s(())
                self._provisional(_Provisional(move, after, "unwitnessed", due_s, 0), now_s)
                return
        raise RefereeError(f"{text} is not one of the moves that were asked about.")

    def _take_back_instead(self, now_s: float) -> None:
        pending = self._pending
        if not isinstance(pending, _Provisional) or not pending.or_takeback:
            raise RefereeError("The move on the board is no takeback.")
        self._take_back(pending.or_takeback, now_s)


_COMPLAINTS = {
    Complaint.FLICKERING: "The sensor under {} flickers.",
    Complaint.UNSURE: "The sensor under {} cannot tell what lies there.",
    Complaint.BLIND: "The sensor under {} does not see its marble.",
    Complaint.STUCK_ON: "The sensor under {} sees a marble where none is.",
}
