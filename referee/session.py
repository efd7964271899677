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

from typing import Literal, assert_never

from msgspec.structs import replace

from hardware.health import Complaint
from hardware.occupancy import Occupancy
from hardware.rest import Resting
from hardware.tilt import SupplyWeak, TiltArrived, TiltEvent, TiltFailed, TiltLeft, TiltNoticed
from rules.game import M, P, Underway
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
    Unfinished,
    Wrong,
    infer,
)
from .pending import (
    ComplaintPending,
    MotionPending,
    Pending,
    Provisional,
    QuestionPending,
    TakebackPending,
    still_waits,
)
from .quick import Either, First, first_of_two
from .sensors import stuck_marble, unseen_arrival
from .trouble import Trouble
from .turns import Phase as Phase
from .turns import Turns
from .witness import Witness

BLIND_MOST = 3  # more pieces that are not seen are not a sensor's fault, but a hand's


class Session(Turns[P, M]):
    """One game on one board: sees, judges and obeys."""

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
                self._resign(seat, now_s)
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
            case c.TakeBack(plies):
                self._undo(plies, now_s)
            case c.Stop():
                self._stop(now_s)
            case c.GoOn():
                self._go_on(now_s)
            case _:
                assert_never(command)

    @property
    def may_be_right(self) -> bool:
        """Whether `BoardIsRight` would be obeyed now, and answers something."""
        resting = self._table.resting()
        if resting is None or self._motion.moving:
            return False
        if self.phase is Phase.SETTING_UP:
            steady = self.game.steady or self._header is None
            return not steady and self.game.laid_out(resting.picture, self.sensor) is not None
        if self.phase is Phase.OVER or not self.out_of_step:
            return False
        prospects = self._table.prospects(self.position, resting.picture)
        if prospects.matches(resting.picture, prospects.expected, self._sensors.bad):
            return True
        return self._table.adopt(self.position, resting.picture, prospects.tilt) is not None

    @property
    def unseen(self) -> tuple[int, ...]:
        """Cells of which players may say that a piece lies there, since all that is wrong is that none is seen."""
        resting = self._table.resting()
        if resting is None or self.phase is Phase.OVER or self._motion.moving:
            return ()
        if self.phase is not Phase.SETTING_UP and not self._voice.was_away and not self.out_of_step:
            return ()
        prospects = self._table.prospects(self.position, resting.picture)
        missing, extra = prospects.off(resting.picture, prospects.expected, self._sensors.bad)
        return () if extra or len(missing) > BLIND_MOST else missing

    @property
    def may_park(self) -> bool:
        """Whether a motor could bring the board level, and none is stopped or parked."""
        return self.game.tilts and self._motion.drive.motor and not self.stopped

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
        set_up = self.phase is Phase.SETTING_UP
        if self.game.steady and self._table.miswired(prospects, resting, now_s, set_up=set_up):
            self._call_off(now_s)
            return
        bad, witness = self._sensors.bad, self._table.witness
        seen: Inference[P, M] = infer(
            prospects,
            self.line.positions[:-1],
            resting.picture,
            witness.edges(bad, nudges=self.game.steady),
            # While marbles roll to a new side, edges do not tell a lifted one from a rolling one.
            edges_lost=witness.lost or (self.game.tilts and self.phase is Phase.ALIGNING),
            bad=bad,
        )
        if self._pending is not None:
            if still_waits(self._pending, seen, prospects.tilt):
                return
            self._call_off(now_s)
        if self.phase is Phase.SETTING_UP and not isinstance(seen, InStep):
            missing, extra = prospects.off(resting.picture, prospects.expected, bad)
            self._voice.set_up(missing, extra, prospects.expected, now_s)
            if len(extra) == 1 and not missing:  # all marbles are there, and one too many is seen
                self._complain(
                    self._troubles.unexplained(Wrong(missing, extra), self.position), resting, now_s
                )
            return
        if self._undone and not isinstance(seen, InStep) and self._lead_back(prospects, resting, now_s):
            return
        if not self.game.tilts and self._two_turns(seen, prospects, resting, now_s):
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
            case Unfinished(underway):
                self._unfinished(underway, prospects, resting, now_s)
            case _:
                assert_never(seen)

    def _two_turns(
        self, seen: Inference[P, M], prospects: Prospects[P, M], resting: Resting, now_s: float
    ) -> bool:
        """Take a turn that was done before the next player began to move; then the picture is judged anew."""
        if isinstance(seen, InStep | Found | Ask) or self.phase is not Phase.OPEN:
            return False
        made = None if self._made is None else self._made.move
        first = first_of_two(prospects, resting.picture, self._table.witness, self._sensors.bad, made)
        match first:
            case First(move, after, rest, witnessed) if self._announcer.allows(self.position, after):
                lost = self._table.witness.lost
                witness: Literal["seen", "unwitnessed"] = "seen" if witnessed else "unwitnessed"
                self._take_turn(Provisional(move, after, witness, now_s), now_s)
                if self.line.outcome is None:
                    self._open(now_s)
                self._table.witness = Witness([*rest], lost or not witnessed)
                return True
            case Either(moves):
                due_s = max(now_s, resting.since_s + self.patience.complain_s)
                self._pending = QuestionPending(moves, due_s)
                return True
            case _:
                return False

    def _in_step(self, prospects: Prospects[P, M], resting: Resting, now_s: float) -> None:
        self._undone = ()
        self._arm(now_s)
        stuck = stuck_marble(prospects, self._motion, resting.picture, self._sensors.bad)
        if stuck is not None and self.phase is not Phase.SETTING_UP and not self._accept_unrolled:
            self._stuck(*stuck, now_s)
            return
        for found in (self._motion.freed(), self._motion.pushed(resting.picture)):
            if found is not None:
                self._voice.fault(found, now_s)
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

    def _found(self, found: Found[P, M], prospects: Prospects[P, M], resting: Resting, now_s: float) -> None:
        wanted = self._wanted()
        elsewhere = wanted is not None and prospects.tilt not in (None, wanted)
        self._offer = 0
        if self.phase is Phase.ALIGNING:
            if elsewhere or self._on_the_way(prospects.tilt):
                off = prospects.off(resting.picture, prospects.expected, self._sensors.bad)
                self._wrong(Wrong(*off), prospects, resting, now_s)
                return
            # A crash or a lost link while the move was provisional: the picture finds it again.
            self._arm(now_s)
            self._table.witness.lost = True
            self._open(now_s)
        if not self._announcer.allows(self.position, found.after):
            self._not_announced(found.move, prospects, resting, now_s)
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

    # ---- marbles in hand, and pictures that fit nothing ----------------------------------------------------

    def _in_hand(self, hand: Lifted, prospects: Prospects[P, M], resting: Resting, now_s: float) -> None:
        self._offer = 0
        down = self.phase is Phase.ALIGNING and prospects.tilt == self._wanted()
        unseen = unseen_arrival(hand, self._table.witness, self._motion, resting.picture) if down else None
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
                stands = prospects.picture(self._made.after)
                missing, extra = prospects.off(resting.picture, stands, self._sensors.bad)
            if extra:
                trouble = self._troubles.unexplained(Wrong(hand.absent, hand.extra), self.position)
                self._complain(trouble, resting, now_s)
                return
            cells = frozenset(missing)
        free = self.phase is Phase.OPEN and not hand.extra
        targets = prospects.targets(cells) if free else set()
        if hand.missing > 1:  # a capture: one is to lie where the other was
            targets = set() if self.game.steady or hand.missing > 2 else targets & cells
        self._voice.in_hand(hand.missing, cells, targets, now_s)

    def _unfinished(
        self, underway: Underway[M], prospects: Prospects[P, M], resting: Resting, now_s: float
    ) -> None:
        """Pieces are still to be turned for a move: ask for one after the other."""
        if self.phase is Phase.ALIGNING:
            self._open(now_s)
        after = self.game.play(self.position, underway.move)
        if not self._announcer.allows(self.position, after):
            self._not_announced(underway.move, prospects, resting, now_s)
            return
        if underway.wrong:
            self._complain(self._troubles.changed(underway), resting, now_s)
            return
        self._voice.turning(underway, now_s)

    def _not_announced(self, move: M, prospects: Prospects[P, M], resting: Resting, now_s: float) -> None:
        trouble = self._troubles.not_announced(
            prospects, move, self._announcer.announced, resting.picture, self._sensors.bad
        )
        self._complain(trouble, resting, now_s)

    def _ask(self, ask: Ask[M], prospects: Prospects[P, M], resting: Resting, now_s: float) -> None:
        announced = self._announcer.announced
        if not self._sensors.bad and ask.hand is None and announced in ask.moves:
            after = self.game.play(self.position, announced)
            self._found(Found(announced, after, False, 0), prospects, resting, now_s)
            return
        if ask.hand is not None:
            self._in_hand(ask.hand, prospects, resting, now_s)
        if prospects.tilt == self._wanted() or self._reached:
            sure = not self._sensors.bad and ask.hand is None
            wait_s = self.patience.complain_s if sure else self.patience.ask_s
            self._pending = QuestionPending(ask.moves, max(now_s, resting.since_s + wait_s))

    def _wrong(self, wrong: Wrong[M], prospects: Prospects[P, M], resting: Resting, now_s: float) -> None:
        self._offer = 0
        tilt, bad = prospects.tilt, self._sensors.bad
        early = None
        if self.phase is Phase.ALIGNING and (tilt not in (None, self._wanted()) or self._on_the_way(tilt)):
            early = self._troubles.early(prospects, resting.picture, bad)
        elif self._made is not None and wrong.illegal is None:
            early = self._troubles.after(prospects, self._made.after, resting.picture, bad)
        self._complain(early or self._troubles.unexplained(wrong, self.position), resting, now_s)

    def _lead_back(self, prospects: Prospects[P, M], resting: Resting, now_s: float) -> bool:
        """Say how the last of the turns that were taken back, and still lie on the board, is undone by hand."""
        picture, bad = resting.picture, self._sensors.bad
        for before, move, after in self._undone:
            goal = prospects.picture(before)
            missing, extra = prospects.off(picture, goal, bad)
            lifted, more = prospects.off(picture, prospects.picture(after), bad)
            if not lifted and not more and (missing or extra):
                self._complain(self._troubles.undone(move, missing, extra, before), resting, now_s)
                return True
            if len(missing) == len(lifted) == 1 and not extra and not more:
                self._voice.in_hand(1, lifted, missing, now_s)
                return True
        return False

    def _complain(self, trouble: Trouble, resting: Resting, now_s: float) -> None:
        self._pending = ComplaintPending(trouble, max(now_s, resting.since_s + self.patience.complain_s))

    # ---- what falls due ------------------------------------------------------------------------------------

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
                self._voice.ask(moves, now_s, blind=bool(self._sensors.bad))
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
        suspects: list[int] = []
        if self.game.steady:
            suspects = self._table.suspects(self.position, resting.picture)
        elif self.game.unread_tells and trouble.code == "differs":
            unread = (1 << self.game.bits(self.sensor)) - 1
            for cell, reading in enumerate(resting.picture):
                if reading == unread and cell not in self._sensors.bad:
                    self._table.blame(cell, Complaint.UNSURE, now_s)
                    return
        if len(suspects) == 1:
            self._table.blame(suspects[0], Complaint.STUCK_ON, now_s)
            return
        if suspects and self.phase is Phase.OPEN:
            moves = self._table.moves_without(self.position, resting.picture, suspects)
            self._voice.ask(moves, now_s, blind=True)
            return
        self._voice.trouble(trouble, now_s)

    # ---- commands ------------------------------------------------------------------------------------------

    def _announce(self, text: str, position: str, now_s: float) -> None:
        if self.phase is Phase.OVER or position != self._position_text():
            return  # an answer to a question that a takeback has overtaken
        self._announcer.answer(text, self.position)
        if self.phase is Phase.OPEN:
            self._announcer.say_again(self.position, now_s)
            self._table.look_again()  # it may have been made already

    def _resign(self, seat: int, now_s: float) -> None:
        if not 0 <= seat < len(self.game.seats):
            raise RefereeError(f"There is no seat {seat} in this game.")
        outcome = self.game.resigned(seat)
        if outcome is None:
            raise RefereeError("Nobody resigns in this game: all may agree on an end.")
        self._end("resign", outcome, now_s)

    def _laid_out(self, header: e.GameStarted) -> None:
        """The pieces as they lie are to be the first position."""
        game = self.game.laid_out(self._table.at_rest().picture, self.sensor)
        if game is None:
            raise RefereeError(f"No game can begin with the {self.game.piece}s as they lie.")
        # Nothing else of the game is another one, so whatever holds the old one may keep it.
        self.game, self.line = game, Line.begin(game)
        self._header = replace(header, position=self._position_text(), tags=game.tags())
        self._table.look_again()

    def _board_is_right(self, now_s: float) -> None:
        if self.phase is Phase.SETTING_UP and self._header is not None and not self.game.steady:
            self._laid_out(self._header)
            return
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
                f"The board cannot be taken as it is: {self.game.piece}s are missing, or their colours are not certain."
            )
        self.line = Line.begin(self.game, position)
        self._forget()
        self._emit(e.PositionSet(at_s=now_s, position=self._position_text()))
        if self.line.outcome is not None:
            self._finish(self.result, "", now_s)

    def _confirm(self, text: str, now_s: float) -> None:
        position, asked = self.position, self.question
        if not asked and self.phase is not Phase.OPEN:
            raise RefereeError(f"{text} is not one of the moves that were asked about.")
        moves = asked or self.game.moves(position)
        move = next((move for move in moves if self.game.move_text(move) == text), None)
        if move is None:
            why = (
                "is not one of the moves that were asked about"
                if asked
                else "is no move that can be made here"
            )
            raise RefereeError(f"{text} {why}.")
        after = self.game.play(position, move)
        # A machine has announced another move: the picture that is judged, else None.
        another = None if self._announcer.allows(position, after) else self._table.at_rest()
        if self.phase is Phase.ALIGNING:
            self._arm(now_s)
            self._open(now_s)
        if another is not None:
            self._not_announced(move, self._table.prospects(position, another.picture), another, now_s)
            return
        if not asked:  # no sensor that is trusted has seen the move to its end
            self._table.put_unseen(position, after, now_s)
        due_s = now_s + self._table.provisional_s
        self._provisional(Provisional(move, after, "unwitnessed", due_s), now_s)

    def _take_back_instead(self, now_s: float) -> None:
        if not self._offer or self.phase in (Phase.SETTING_UP, Phase.OVER):
            raise RefereeError("The move on the board is no takeback.")
        self._halt(now_s)
        self._take_back(self._offer, now_s)
