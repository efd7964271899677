"""Turns: what the session has understood in; turns, tilts and takebacks as events and motions out. Pure.

The line of play of one game, its phase and the one thing that is pending. What a picture means is not decided here
(`referee.session` does, which adds the seeing and the obeying).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from enum import Enum, auto
from typing import Generic, Literal, assert_never

from hardware.tilt import Drive
from rules.game import Game, M, Outcome, P
from rules.line import Line

from . import events as e
from .announcer import Announcer
from .errors import RefereeError
from .pending import (
    ComplaintPending,
    MotionPending,
    Patience,
    Pending,
    Provisional,
    QuestionPending,
    TakebackPending,
)
from .tabletop import Tabletop
from .trouble import Troubles
from .voice import Voice
from .witness import Witness

INF = float("inf")


class Phase(Enum):
    """Where a game stands; see `referee.session`."""

    SETTING_UP = auto()
    ALIGNING = auto()
    OPEN = auto()
    OVER = auto()


class Turns(Generic[P, M]):
    """One game on one board, as far as it is understood. `emit` receives every event at once, in order."""

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
        self._troubles = Troubles(line.game)
        self._voice = Voice(line.game, emit)
        self._pending: Pending[P, M] | None = None
        self._made: Provisional[P, M] | None = None  # the last provisional move, until it is withdrawn
        self._offer = 0  # so many plies back a move that was just made may have been meant as a takeback
        self._reached = header is None  # the board has stood as the position wants it, as far as can be known
        self._accept_unrolled = False  # the players said that a marble which did not roll is right
        self._result = ""
        self.stopped: Literal["", "stopped", "parked"] = ""  # no motion starts before somebody says so
        self._warned_s = -INF  # from then on a provisional move's motor needs no warning of its own
        # Turns that a command took back and that may still lie on the board: each with the positions around it.
        self._undone: tuple[tuple[P, M, P], ...] = ()

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

    @property
    def to_make(self) -> M | None:
        """A machine's announced move, for a hand to make; None where there is none, or it lies on the board."""
        return self._announcer.announced if self._made is None else None

    @property
    def question(self) -> tuple[M, ...]:
        """The moves of which one was made, if the players are asked, or will be in a moment; else none."""
        pending = self._pending
        return pending.moves if isinstance(pending, QuestionPending) else self._voice.question

    @property
    def out_of_step(self) -> bool:
        """Whether the picture fits no rule, and players were told so, or will be in a moment."""
        return self._voice.said == "out_of_step" or isinstance(self._pending, ComplaintPending)

    @property
    def may_be_takeback(self) -> bool:
        """Whether the move that was made last may have been meant as a takeback."""
        return self._offer > 0

    def _position_text(self) -> str:
        return self.game.position_text(self.position)

    def _wanted(self) -> int | None:
        """The side that must be down for the position to be played."""
        return self.game.tilt(self.position)

    # ---- turns ---------------------------------------------------------------------------------------------------

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
        if not self._motion.drive.motor:
            self._voice.tilt_wanted(wanted, now_s)
        elif self._motion.drive.armed and not self.stopped and now_s >= self._warned_s:
            self._go(wanted, now_s)  # else it is warned of once the picture is judged again

    def _forget(self) -> None:
        """The line has changed: nothing that was said or waited for on the old one holds; look again."""
        self.phase = Phase.ALIGNING
        self._pending = self._made = None
        self._undone = ()
        self._offer, self._reached = 0, False
        self._announcer.forget()
        self._voice.forget()
        self._table.witness = Witness()
        self._accept_unrolled = False
        self._table.look_again()

    # ---- tilt ----------------------------------------------------------------------------------------------------

    def _want_tilt(self, seat: int, now_s: float) -> None:
        if self._motion.drive.motor:
            self._warn(seat, now_s)
        else:
            self._voice.tilt_wanted(seat, now_s)

    def _arm(self, now_s: float) -> None:
        """The picture is understood: motors may move, unless somebody has stopped the board."""
        if not self.stopped:
            self._motion.drive.arm(now_s)

    def _stop(self, now_s: float) -> None:
        """No motion, and none that was announced. What a move makes of the game stays as it is."""
        if isinstance(self._pending, MotionPending):
            self._call_off(now_s)
        self._halt(now_s)
        if not self.stopped:
            self.stopped = "stopped"
            self._emit(e.Stopped(at_s=now_s))

    def _go_on(self, now_s: float) -> None:
        if not self.stopped:
            raise RefereeError("The board is not stopped.")
        self.stopped = ""
        self._warned_s = now_s + self._motion.drive.limits.warning_s
        self._emit(e.WentOn(at_s=now_s))
        if self.link_up:
            self._table.look_again()

    def parked(self, now_s: float) -> None:
        """The board was brought level and its motor let go: as if stopped, until somebody says so.

        What was done to it meanwhile has not been seen: an occupancy must follow.
        """
        self.stopped = "parked"
        self._call_off(now_s)
        self._table.tilted(now_s, by_hand=True)
        self._emit(e.Stopped(at_s=now_s, parked=True))

    def _halt(self, now_s: float) -> None:
        """Stop a motor that moves; where the board stands then is to be found out."""
        if self._motion.moving:
            self._motion.halt(now_s)
            self._table.tilted(now_s, by_hand=True)

    def _on_the_way(self, tilt: int | None) -> bool:
        """Whether a motor was sent to the side that the position wants, and never came there."""
        return tilt is None and self._wanted() is not None and not self._reached

    def _warn(self, seat: int | None, now_s: float) -> None:
        """Light and sound before a motor starts; a change of the picture calls it off. seat None: to rock it.

        Nothing on a stopped board: it is looked at again when it goes on.
        """
        if self.stopped:
            return
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
            self._motion.held = lies, goal
            self._warn(None, now_s)
            return
        self._motion.held = None
        self._voice.trouble(self._troubles.stuck(lies, goal), now_s)

    # ---- what is called off, taken back, ended -------------------------------------------------------------------

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

    def _undo(self, plies: int, now_s: float) -> None:
        """Take turns back whose pieces still lie where they were put: then they are led back, one turn at a time."""
        self._must_play("take a turn back")
        line = self.line
        if not 1 <= plies <= len(line.moves):
            raise RefereeError(f"Only {len(line.moves)} turns were taken, so {plies} cannot be taken back.")
        at = len(line.moves) - plies
        undone = [
            *zip(line.positions[at:-1], line.moves[at:], line.positions[at + 1 :], strict=True),
            *([] if self._made is None else [(line.position, self._made.move, self._made.after)]),
        ]
        self._halt(now_s)
        self._take_back(plies, now_s)
        self._undone = tuple(undone)

    def _take_back(self, plies: int, now_s: float) -> None:
        self.line = self.line.back(plies)
        self._forget()
        self._emit(e.TakenBack(at_s=now_s, plies=plies, position=self._position_text()))

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
