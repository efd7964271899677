"""Session: rested pictures, tilt events and players' commands in; game events and tilt motions out. Pure.

One game from its set-up to its end. The phases:

    SETTING_UP   waits for the start position, then tilts to the first player
    ALIGNING     the board is to stand on the side of the player to move and to show the position
    OPEN         the player may move
    OVER         the game has ended

and within a phase at most one pending thing (`referee.pending`), which any change of the picture calls off.

A turn is taken when its provisional move falls due: the event, which the runner journals, then the motion.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from enum import Enum, auto
from typing import Generic, Literal, assert_never

from msgspec.structs import replace

from hardware.health import Complaint
from hardware.occupancy import Occupancy
from hardware.rest import Resting
from hardware.tilt import Drive, SupplyWeak, TiltArrived, TiltEvent, TiltFailed, TiltLeft, TiltNoticed
from rules.game import Game, M, Outcome, P
from rules.line import Line

from . import commands as c
from . import events as e
from .announcer import Announcer
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
)
from .pending import (
    ComplaintPending,
    MotionPending,
    Patience,
    Pending,
    Provisional,
    QuestionPending,
    TakebackPending,
    still_waits,
)
from .sensors import stuck_marble, unseen_arrival
from .tabletop import Tabletop
from .trouble import Trouble, Troubles
from .voice import Voice
from .witness import Witness


class Phase(Enum):
    """Where a game stands; see the module's docstring."""

    SETTING_UP = auto()
    ALIGNING = auto()
    OPEN = auto()
    OVER = auto()


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
        chain: Sequence[int | None] = (),
    ) -> None:
        """header: what to say once the game begins; None where it has begun before (a resumed game).

        chain: the cells in the order of the sensor chain's inputs; empty: as they are numbered.
        """
        self.game: Game[P, M] = line.game
        self.line = line
        self.sensor = sensor
        self.patience = patience or Patience()
        self._announcer = Announcer(line.game, machines, emit)
        self.phase = Phase.SETTING_UP if header is not None else Phase.ALIGNING
        if header is None and line.outcome is not None:
            self.phase = Phase.OVER
        self.link_up = False
        self._header = header
        self._emit = emit
        self._table = Tabletop(line.game, sensor, drive, self.patience, emit, chain)
        self._sensors, self._motion = self._table.sensors, self._table.motion
        self._troubles = Troubles(line.game, sensor)
        self._voice = Voice(line.game, emit)
        self._pending: Pending[P, M] | None = None
        self._made: Provisional[P, M] | None = None  # the last provisional move, until it is withdrawn
        self._offer = 0  # so many plies back a move that was just made may have been meant as a takeback
        self._reached = header is None  # the board has stood as the position wants it, as far as can be known
        self._accept_unrolled = False  # the players said that a marble which did not roll is right
        self._result = ""

    # ---- what others may look at ---------------------------------------------------------------------------

    @property
    def position(self) -> P:
        """The position to be played."""
        return self.line.position

    @property
    def result(self) -> str:
        """The record's last token."""
        return self._result or self.game.result_text(self.line.outcome)

    @property
    def bad(self) -> Set[int]:
        """Cells whose sensors are left out."""
        return self._sensors.bad

    def _position_text(self) -> str:
        return self.game.position_text(self.position)

    def _wanted(self) -> int | None:
        """The side that must be down for the position to be played."""
        return self.game.tilt(self.position)

    # ---- inputs --------------------------------------------------------------------------------------------

    def link(self, up: bool, why: str, now_s: float) -> None:
        """The controller was found or lost."""
        if up == self.link_up:
            return
        self.link_up = up
        self._emit(e.LinkChanged(at_s=now_s, up=up, why=why))
        self._call_off(now_s)
        if not up:
            self._table.lost()
            self._voice.forget()
            if self.phase is Phase.OPEN:
                self.phase = Phase.ALIGNING

    def see(self, occupancy: Occupancy) -> None:
        """Follow one occupancy."""
        if self._table.see(occupancy):
            self._call_off(occupancy.at_s)

    def tilted(self, event: TiltEvent) -> None:
        """Follow one event of the drive."""
        match event:
            case TiltArrived(at_s, _, expected):
                self._motion.arrived(at_s, expected)
                self._tilted(at_s, by_hand=not expected)
            case TiltLeft(at_s):
                self._tilted(at_s, by_hand=True)
            case TiltFailed(at_s) | TiltNoticed(at_s) | SupplyWeak(at_s):
                self._voice.fault(self._table.trouble(event), at_s)
                if isinstance(event, TiltFailed):
                    if self.phase is not Phase.OVER:
                        self._voice.tilt_wanted(event.seat, at_s)
                    self._tilted(at_s, by_hand=False)
            case _:
                assert_never(event)

    def _tilted(self, now_s: float, *, by_hand: bool) -> None:
        self._table.tilted(now_s, by_hand=by_hand)
        pending = self._pending
        if by_hand and isinstance(pending, Provisional) and not self._motion.drive.motor:
            # Pushing the board is how players say that the turn is done.
            self._take_turn(pending, now_s)

    def command(self, command: c.PlayerCommand, now_s: float) -> None:
        """Obey a player. Raises RefereeError where the command does not fit."""
        match command:
            case c.Announce(move, position):
                self._announce(move, position, now_s)
            case c.Resign(seat):
                self._end("resign", Outcome(1 - seat, "resigned"), now_s)
            case c.AgreeDraw():
                self._end("agree to an end", self.game.agreed(self.position), now_s)
            case c.BreakOff(note):
                self._must_play("break the game off")
                self._finish("*", note, now_s)
            case c.BoardIsRight():
                self._board_is_right(now_s)
            case c.MarbleIsThere(cell):
                self._table.marble_is_there(cell, self.position, now_s)
            case c.Confirm(move):
                self._confirm(move, now_s)
            case c.TakeBackInstead():
                self._take_back_instead(now_s)
            case _:
                assert_never(command)

    def tick(self, now_s: float) -> None:
        """Whatever falls due by `now_s`."""
        if now_s < self.due_s():
            return
        resting = self._table.rested(now_s, sure=self._voice.said == "in_step")
        if resting is not None and self.phase is not Phase.OVER:
            self._judge(resting, now_s)
        pending = self._pending
        if pending is not None and now_s >= pending.due_s:
            self._pending = None
            self._fall_due(pending, now_s)

    def due_s(self) -> float:
        """When `tick` wants to be called next (inf: never)."""
        if not self.link_up:
            return float("inf")
        due_s = self._table.due_s()
        if self._pending is not None and self._pending.due_s < due_s:
            return self._pending.due_s
        return due_s

    # ---- judging -------------------------------------------------------------------------------------------

    def _judge(self, resting: Resting, now_s: float) -> None:
        prospects = self._table.prospects(self.position, resting.picture)
        if self.phase is not Phase.SETTING_UP and self._table.miswired(prospects, resting, now_s):
            self._call_off(now_s)
            return
        bad, witness = self._sensors.bad, self._table.witness
        seen: Inference[P, M] = infer(
            prospects,
            self.line.positions[:-1],
            resting.picture,
            witness.edges(bad),
            # While marbles roll to a new side, edges do not tell a lifted one from a rolling one.
            edges_lost=witness.lost or self.phase is Phase.ALIGNING,
            bad=bad,
        )
        if self._pending is not None:
            if still_waits(self._pending, seen, prospects.tilt):
                return
            self._call_off(now_s)
        if self.phase is Phase.SETTING_UP and not isinstance(seen, InStep):
            picture = self.game.level(resting.picture, prospects.tilt)
            self._voice.set_up(*difference(picture, prospects.expected, bad), now_s)
            return
        match seen:
            case InStep():
                self._in_step(prospects, resting, now_s)
            case Lifted():
                self._in_hand(seen, prospects, resting, now_s)
            case Found():
                self._found(seen, prospects, resting, now_s)
            case Ask():
                self._ask(seen, prospects, resting, now_s)
            case Takeback(plies):
                due_s = max(now_s, resting.since_s + self.patience.complain_s)
                self._pending = TakebackPending(plies, due_s, shown=False)
            case Wrong():
                self._wrong(seen, prospects, resting, now_s)
            case _:
                assert_never(seen)

    def _in_step(self, prospects: Prospects[P, M], resting: Resting, now_s: float) -> None:
        self._motion.drive.arm(now_s)
        stuck = stuck_marble(prospects, self._motion, resting.picture, self._sensors.bad)
        if stuck is not None and self.phase is not Phase.SETTING_UP and not self._accept_unrolled:
            self._stuck(*stuck, now_s)
            return
        was_away = self._voice.was_away
        wanted = self._wanted()
        if self._voice.said != "tilt_wanted" or prospects.tilt == wanted:
            self._voice.said = "in_step"
        self._table.in_step()
        made, self._made = self._made, None
        if made is not None:
            self._emit(e.MoveWithdrawn(at_s=now_s, move=self.game.move_text(made.move)))
        elif was_away:
            self._emit(e.BackInStep(at_s=now_s))
        if wanted is not None and prospects.tilt != wanted:
            if self.phase is Phase.OPEN:
                self.phase = Phase.ALIGNING
            self._want_tilt(wanted, now_s)
            return
        if self.phase is Phase.SETTING_UP and self._header is not None:
            self._emit(replace(self._header, at_s=now_s))
            self._header = None
            self.phase = Phase.ALIGNING
        if self.phase is Phase.ALIGNING:
            self._open(now_s)
        elif self._passing():
            self._pass(now_s)
        elif was_away or made is not None:
            self._announcer.say_again(self.position, now_s)

    # ---- turns ---------------------------------------------------------------------------------------------

    def _open(self, now_s: float) -> None:
        self.phase, self._reached = Phase.OPEN, True
        position = self.position
        self._emit(e.TurnOpened(at_s=now_s, seat=position.side, ply=position.ply))
        if self._passing():
            self._pass(now_s)
        else:
            self._announcer.turn(position, now_s)

    def _passing(self) -> bool:
        moves = self.game.moves(self.position)
        return len(moves) == 1 and self.game.is_pass(moves[0])

    def _pass(self, now_s: float) -> None:
        (move,) = self.game.moves(self.position)
        due_s = now_s + self._table.provisional_s
        self._provisional(Provisional(move, self.game.play(self.position, move), "pass", due_s), now_s)

    def _found(self, found: Found[P, M], prospects: Prospects[P, M], resting: Resting, now_s: float) -> None:
        wanted = self._wanted()
        elsewhere = wanted is not None and prospects.tilt not in (None, wanted)
        self._offer = 0
        if self.phase is Phase.ALIGNING:
            if elsewhere or self._on_the_way(prospects.tilt):
                off = self._troubles.off(resting.picture, self.position, prospects.tilt, self._sensors.bad)
                self._wrong(Wrong(*off), prospects, resting, now_s)
                return
            # A crash or a lost link while the move was provisional: the picture finds it again.
            self._motion.drive.arm(now_s)
            self._table.witness.lost = True
            self._open(now_s)
        if not self._announcer.allows(self.position, found.after):
            trouble = self._troubles.not_announced(
                self.position, found.move, self._announcer.announced, resting.picture, prospects.expected
            )
            self._complain(trouble, resting, now_s)
            return
        witness: Literal["seen", "unwitnessed"] = "seen" if found.witnessed else "unwitnessed"
        due_s = now_s + self._table.provisional_for_s(found.move)
        turn = Provisional(found.move, found.after, witness, due_s, found.or_takeback)
        if elsewhere:
            # The board was pushed over at once: the turn is done.
            self._offer = turn.or_takeback
            self._take_turn(turn, now_s, prospects.tilt)
        else:
            self._provisional(turn, now_s)

    def _provisional(self, turn: Provisional[P, M], now_s: float) -> None:
        amended = self._made is not None and self._made.move != turn.move
        self._pending = self._made = turn
        self._offer = turn.or_takeback
        self._voice.said, self._voice.question = "provisional", ()
        outcome = self.game.outcome_after(self.position, turn.move)
        loses = outcome is not None and outcome.winner not in (None, self.position.side)
        self._emit(
            e.MoveProvisional(
                at_s=now_s,
                move=self.game.move_text(turn.move),
                due_s=turn.due_s,
                amended=amended,
                or_takeback=turn.or_takeback,
                warning="This move ends the game, and the other player wins." if loses else "",
            )
        )

    def _take_turn(self, turn: Provisional[P, M], now_s: float, tilt: int | None = None) -> None:
        """The move stands: say it (the runner journals it), then tilt. tilt: the side that is known to be down."""
        ply, seat = self.position.ply, self.position.side
        self.line = self.line.push(turn.move)
        offer = self._offer
        self._forget()
        self._offer = offer + 1 if offer else 0
        text = self.game.move_text(turn.move)
        position = self._position_text()
        self._emit(
            e.TurnTaken(at_s=now_s, ply=ply, seat=seat, move=text, position=position, witness=turn.witness)
        )
        if self.line.outcome is not None:
            self._finish(self.result, "", now_s)
            return
        wanted = self._wanted()
        if wanted is None or wanted in (tilt, self._motion.drive.side):
            return
        if self._motion.drive.motor:
            self._go(wanted, now_s)
        else:
            self._voice.tilt_wanted(wanted, now_s)

    def _forget(self) -> None:
        """The line has changed: nothing that was said or waited for on the old one holds; look again."""
        self.phase = Phase.ALIGNING
        self._pending = self._made = None
        self._offer, self._reached = 0, False
        self._announcer.forget()
        self._voice.forget()
        self._table.witness = Witness()
        self._accept_unrolled = False
        self._table.look_again()

    # ---- tilt ----------------------------------------------------------------------------------------------

    def _want_tilt(self, seat: int, now_s: float) -> None:
        if self._motion.drive.motor:
            self._warn(seat, now_s)
        else:
            self._voice.tilt_wanted(seat, now_s)

    def _on_the_way(self, tilt: int | None) -> bool:
        """Whether a motor was sent to the side that the position wants, and never came there."""
        return tilt is None and self._wanted() is not None and not self._reached

    def _warn(self, seat: int | None, now_s: float) -> None:
        """Light and sound before a motor starts; a change of the picture calls it off. seat None: to rock it."""
        due_s = now_s + self._motion.drive.limits.warning_s
        self._pending = MotionPending(seat, due_s)
        down = self._motion.drive.side if seat is None else seat
        self._emit(e.TiltWarning(at_s=now_s, seat=down or 0, due_s=due_s))

    def _go(self, seat: int, now_s: float) -> None:
        self._motion.go(seat, self.game.picture(self.position, self.sensor), now_s)
        self._table.started(now_s)

    def _rock(self, now_s: float) -> None:
        if self._motion.rock(now_s):
            self._table.started(now_s)
        else:
            self._table.look_again()

    def _stuck(self, lies: int, goal: int, now_s: float) -> None:
        if self._motion.can_rock():
            self._warn(None, now_s)
            return
        self._voice.trouble(self._troubles.stuck(lies, goal), now_s)

    # ---- marbles in hand, and pictures that fit nothing ----------------------------------------------------

    def _in_hand(self, hand: Lifted, prospects: Prospects[P, M], resting: Resting, now_s: float) -> None:
        self._offer = 0
        down = self.phase is Phase.ALIGNING and prospects.tilt == self._wanted()
        unseen = unseen_arrival(hand, self._table.witness, self._motion) if down else None
        if unseen is not None:
            if self._motion.can_rock():
                self._warn(None, now_s)
            else:
                self._table.blame(unseen, Complaint.BLIND, now_s)
            return
        cells = hand.cells
        if hand.extra:
            missing, extra = hand.absent, hand.extra
            if self._made is not None:
                stands, bad = self._made.after, self._sensors.bad
                missing, extra = self._troubles.off(resting.picture, stands, prospects.tilt, bad)
            if extra:
                self._complain(self._troubles.unexplained(Wrong(hand.absent, hand.extra)), resting, now_s)
                return
            cells = frozenset(missing)
        free = self.phase is Phase.OPEN and hand.missing == 1 and not hand.extra
        self._voice.in_hand(hand.missing, cells, prospects.targets(cells) if free else (), now_s)

    def _ask(self, ask: Ask[M], prospects: Prospects[P, M], resting: Resting, now_s: float) -> None:
        if ask.hand is not None:
            self._in_hand(ask.hand, prospects, resting, now_s)
        if prospects.tilt == self._wanted() or self._reached:
            self._pending = QuestionPending(ask.moves, max(now_s, resting.since_s + self.patience.ask_s))

    def _wrong(self, wrong: Wrong[M], prospects: Prospects[P, M], resting: Resting, now_s: float) -> None:
        self._offer = 0
        tilt, bad = prospects.tilt, self._sensors.bad
        early = None
        if self.phase is Phase.ALIGNING and (tilt not in (None, self._wanted()) or self._on_the_way(tilt)):
            early = self._troubles.early(resting.picture, self.position, tilt, bad)
        elif self._made is not None and wrong.illegal is None:
            early = self._troubles.after(resting.picture, self.position, self._made.after, tilt, bad)
        self._complain(early or self._troubles.unexplained(wrong), resting, now_s)

    def _complain(self, trouble: Trouble, resting: Resting, now_s: float) -> None:
        self._pending = ComplaintPending(trouble, max(now_s, resting.since_s + self.patience.complain_s))

    # ---- what falls due ------------------------------------------------------------------------------------

    def _call_off(self, now_s: float) -> None:
        """The picture has changed: nothing that waited for it to stay happens."""
        pending, self._pending = self._pending, None
        self._voice.question = ()
        match pending:
            case None | ComplaintPending() | QuestionPending():
                pass
            case TakebackPending(shown=shown):
                if shown:
                    self._emit(e.TakebackCancelled(at_s=now_s))
            case Provisional() | MotionPending():
                self._emit(e.CalledOff(at_s=now_s))
            case _:
                assert_never(pending)

    def _fall_due(self, pending: Pending[P, M], now_s: float) -> None:
        match pending:
            case Provisional():
                self._take_turn(pending, now_s)
            case TakebackPending(plies, _, True):
                self._take_back(plies, now_s)
            case TakebackPending(plies):
                due_s = now_s + self.patience.takeback_s
                self._pending = TakebackPending(plies, due_s, shown=True)
                self._emit(e.TakebackShown(at_s=now_s, plies=plies, due_s=due_s))
            case ComplaintPending(trouble):
                self._say_trouble(trouble, now_s)
            case QuestionPending(moves):
                self._voice.ask(moves, now_s)
            case MotionPending(seat) if seat is not None:
                self._go(seat, now_s)
            case MotionPending():
                self._rock(now_s)
            case _:
                assert_never(pending)

    def _say_trouble(self, trouble: Trouble, now_s: float) -> None:
        resting = self._table.resting()
        if resting is None:
            return
        suspects = self._table.suspects(self.position, resting.picture)
        if len(suspects) == 1:
            self._table.blame(suspects[0], Complaint.STUCK_ON, now_s)
            return
        if suspects and self.phase is Phase.OPEN:
            self._voice.ask(self._table.moves_without(self.position, resting.picture, suspects), now_s)
            return
        self._voice.trouble(trouble, now_s)

    def _take_back(self, plies: int, now_s: float) -> None:
        self.line = self.line.back(plies)
        self._forget()
        self._emit(e.TakenBack(at_s=now_s, plies=plies, position=self._position_text()))

    # ---- commands ------------------------------------------------------------------------------------------

    def _must_play(self, what: str) -> None:
        if self.phase in (Phase.SETTING_UP, Phase.OVER):
            raise RefereeError(f"No game is going on, so nobody can {what}.")

    def _end(self, what: str, outcome: Outcome, now_s: float) -> None:
        self._must_play(what)
        self.line = self.line.ended(outcome)
        self._finish(self.result, "", now_s)

    def _finish(self, result: str, note: str, now_s: float) -> None:
        self._result = result
        self.phase = Phase.OVER
        self._pending = None
        self._motion.halt(now_s)
        self._emit(e.GameOver(at_s=now_s, result=result, note=note))

    def _announce(self, text: str, position: str, now_s: float) -> None:
        if self.phase is Phase.OVER or position != self._position_text():
            return  # an answer to a question that a takeback has overtaken
        self._announcer.answer(text, self.position)
        if self.phase is Phase.OPEN:
            self._announcer.say_again(self.position, now_s)
            self._table.look_again()  # it may have been made already

    def _board_is_right(self, now_s: float) -> None:
        self._must_play("set the position")
        resting = self._table.at_rest()
        prospects = self._table.prospects(self.position, resting.picture)
        bad = self._sensors.bad
        if prospects.matches(resting.picture, prospects.expected, bad):
            self._accept_unrolled = True
            self._table.look_again()
            return
        position = self._table.adopt(self.position, resting.picture, prospects.tilt)
        if position is None:
            raise RefereeError(
                "The board cannot be taken as it is: marbles are missing, or their colours are not certain."
            )
        self.line = Line.begin(self.game, position)
        self._forget()
        self._emit(e.PositionSet(at_s=now_s, position=self._position_text()))
        if self.line.outcome is not None:
            self._finish(self.result, "", now_s)

    def _confirm(self, text: str, now_s: float) -> None:
        for move in self._voice.question:
            if self.game.move_text(move) == text:
                if self.phase is Phase.ALIGNING:
                    self._motion.drive.arm(now_s)
                    self._open(now_s)
                due_s, after = now_s + self._table.provisional_s, self.game.play(self.position, move)
                self._provisional(Provisional(move, after, "unwitnessed", due_s), now_s)
                return
        raise RefereeError(f"{text} is not one of the moves that were asked about.")

    def _take_back_instead(self, now_s: float) -> None:
        if not self._offer or self.phase in (Phase.SETTING_UP, Phase.OVER):
            raise RefereeError("The move on the board is no takeback.")
        self._motion.halt(now_s)
        self._take_back(self._offer, now_s)
