"""One performance of a story on some board: steps in; hands, faults, commands and restarts out, and the judgement.

The simulated board, the bytes, the whole pipeline, one clock of numbers. What lies on the board, and how it is
compared with the game, is said by whoever performs (`stage`, `pieces`). In every story the journal leads to the
session's position, and the checker (which knows nothing of what it judges) finds the journal and what lay on the
board in agreement.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

from balanxd.assemble import assemble, header_of
from balanxd.config import BoardConfig
from balanxd.games import AnyLine, replay
from balanxd.journal import journal_line, read_journal
from balanxd.players import Player
from balanxd.simulated.lockstep import Lockstep
from balanxd.simulated.wire import PipeWire
from firmware_bridge.messages import ResetCause
from hardware.buttons import Button
from referee import commands as c
from referee import events as e
from referee.errors import RefereeError
from referee.pending import Patience
from referee.session import Session
from sim.deeds import Manner
from sim.hands import Hand
from sim.piecehand import PieceHand
from sim.sensorboard import SensorBoard
from sim.table import Table

from .story import Step, Told

COMMANDS: Mapping[str, Callable[..., c.PlayerCommand]] = {
    "board_is_right": c.BoardIsRight,
    "agree_draw": c.AgreeDraw,
    "take_back_instead": c.TakeBackInstead,
    "stop": c.Stop,
    "go_on": c.GoOn,
}

S = TypeVar("S", bound=Told)
B = TypeVar("B", Table, SensorBoard)


class Failed(AssertionError):
    """The story went another way."""


class Performance(ABC, Generic[S, B]):
    """One performance. `play` raises Failed. Whoever is one lays out the `table` and then calls `_begin_story`."""

    table: B
    may_begin_nothing = False
    """Whether a story may end before a game has begun."""

    def __init__(
        self, story: S, seed: int, board: BoardConfig, begun: AnyLine, patience: Patience | None = None
    ) -> None:
        """begun: the line before the story's `before` turns."""
        self.story, self.board = story, board
        self._seed, self._patience = seed, patience
        self.game: Any = begun.game
        self._begun = begun
        self._base = begun.extend(self.game.parse_move(text) for text in story.before)
        self._names = self.game.cell_names
        self._players = [
            Player("engine", 1) if seat in story.machines else Player("human")
            for seat in range(len(self.game.seats))
        ]
        self._answers = {seat: list(moves) for seat, moves in story.machines.items()}
        self.events: list[e.GameEvent] = []
        self.lasting: list[e.Lasting] = []
        self._at = 0  # events before this have been awaited
        self._links = 0

    def _begin_story(self, *, new: bool) -> None:
        """new: the daemon begins a game; else it goes on with one."""
        header = header_of(self._begun, self.board, self._players, "????.??.??")
        if not new:
            self._journal_before(header)
        self._begin(self._base, header if new else None)

    def _journal_before(self, header: e.GameStarted) -> None:
        self.lasting.append(header)
        line, game = self._base, self.game
        for ply, move in enumerate(line.moves):
            at, after = line.positions[ply], line.positions[ply + 1]
            text, position = game.move_text(move), game.position_text(after)
            self.lasting.append(e.TurnTaken(ply=at.ply, seat=at.side, move=text, position=position))

    def _begin(self, line: AnyLine, header: e.GameStarted | None) -> None:
        self._links += 1
        self.pipeline = assemble(
            self.board,
            line,
            self._players,
            seed=self._seed * 100 + self._links,
            header=header,
            patience=self._patience,
        )
        self.lockstep = Lockstep(self.table, self.pipeline, PipeWire(), self._handle)

    # ---- what the referee says -----------------------------------------------------------------------------

    @property
    def session(self) -> Session[Any, Any]:
        return self.pipeline.session

    @property
    def now_s(self) -> float:
        return self.table.now_s

    def _handle(self, event: e.GameEvent, now_s: float) -> None:
        self._picture()
        self.events.append(event)
        if isinstance(event, e.GameStarted | e.TurnTaken | e.TakenBack | e.PositionSet | e.GameOver):
            self.lasting.append(event)
        self._judge(event)
        if isinstance(event, e.MoveWanted) and self._answers[event.seat]:
            self.lockstep.command(c.Announce(self._answers[event.seat].pop(0), event.position))
        for never in self.story.never:
            if never.fits(event):
                raise self._failed(f"{event} must never come")

    def _failed(self, why: str) -> Failed:
        log = "\n".join(f"  {event.at_s:8.3f} {event}" for event in self.events[-40:])
        return Failed(f"{self.now_s:.3f} s: {why}\n{log}")

    def _position_text(self) -> str:
        return str(self.session.game.position_text(self.session.position))

    # ---- what lies on the board ----------------------------------------------------------------------------

    @abstractmethod
    def _picture(self) -> None:
        """Take a picture of the board for the checker."""

    @abstractmethod
    def _watch(self) -> None:
        """Called at every step of time."""

    def _judge(self, event: e.GameEvent) -> None:
        """What must hold at the moment of an event. Raises Failed."""

    @abstractmethod
    def _must_agree(self, what: str) -> None:
        """The board must show the game's position. Raises Failed."""

    @abstractmethod
    def _line_must_be(self, turns: tuple[str, ...]) -> None:
        """The whole line of play. Raises Failed."""

    @abstractmethod
    def _wrong(self, journal: bytes) -> list[str]:
        """What the checker says of a journal and the pictures."""

    # ---- the story -----------------------------------------------------------------------------------------

    def play(self) -> None:
        """From the first step to the last, and the end's judgement. Raises Failed."""
        for step in self.story.steps:
            try:
                self._step(step)
            except Failed as failed:
                raise Failed(f"at {step.text!r}: {failed}") from None
        self._end()

    def _run(self, until: Callable[[], bool], lasts_s: float) -> bool:
        """Run until something is so; False if it did not come about in time."""

        def watch() -> bool:
            self._watch()
            return until()

        self.lockstep.run(watch, self.now_s + lasts_s)
        return until()

    def _step(self, step: Step) -> None:
        words = step.words
        match step.verb:
            case "done":
                if not self._run(lambda: not any(hand.busy for hand in self.table.hands), 60.0):
                    raise self._failed("the hands do not come to an end")
            case "wait":
                self._run(lambda: False, float(words[0]))
            case "await":
                self._await(step)
            case "quiet":
                self._quiet(step)
            case "ask":
                self.lockstep.command(self._command(words))
            case "refused":
                try:
                    self.lockstep.command(self._command(words))
                except RefereeError:
                    return
                raise self._failed("that should have been refused")
            case "fault":
                self._fault(words)
            case "press":
                self.table.buttons.press(Button(words[0]))
            case "restart":
                self._restart(float(words[0]))
            case "line":
                self._line_must_be(words)
            case "agrees":
                self._must_agree("now")
            case "bad":
                found = {self._names[cell] for cell in self.session.bad}
                if found != set(words):
                    raise self._failed(f"bad sensors are {sorted(found)}")
            case _:
                self._by_hand(step)

    def _by_hand(self, step: Step) -> None:
        hand: Hand | PieceHand = self.table.hands[step.other]
        words = step.words
        match step.verb:
            case "move":
                manner = Manner(words[2]) if len(words) > 2 else Manner.RANDOM
                hand.move(self._cell(words[0]), self._cell(words[1]), manner)
            case "back":
                hand.put_back()
            case "aside":
                hand.put_aside()
            case "fetch":
                hand.fetch(self._number(words[0]))
            case "pause":
                hand.wait(float(words[0]))
            case "tap":
                hand.tap(self._cell(words[0]), int(words[1]))
            case verb:
                raise AssertionError(verb)

    def _cell(self, name: str) -> int:
        return int(self._names.index(name))

    def _number(self, word: str) -> int:
        """A seat or a kind of piece."""
        return int(word)

    def _await(self, step: Step) -> None:
        (expected,) = step.expected
        found = False

        def come() -> bool:
            nonlocal found
            while not found and self._at < len(self.events):
                self._at += 1
                found = expected.fits(self.events[self._at - 1])
            return found

        start = self._at
        if not come() and not self._run(come, step.within_s):
            self._at = start
            raise self._failed(f"{expected} did not come within {step.within_s:g} s")

    def _quiet(self, step: Step) -> None:
        first = len(self.events)
        self._run(lambda: False, float(step.words[0]))
        for event in self.events[first:]:
            if any(expected.fits(event) for expected in step.expected):
                raise self._failed(f"{event} came in the quiet")

    def _command(self, words: tuple[str, ...]) -> c.PlayerCommand:
        name, *rest = words
        match name:
            case "resign":
                return c.Resign(self._number(rest[0]))
            case "take_back":
                return c.TakeBack(int(rest[0]) if rest else 1)
            case "marble_is_there":
                return c.MarbleIsThere(self._cell(rest[0]))
            case "confirm":
                return c.Confirm(rest[0])
            case "announce":
                return c.Announce(rest[0], self._position_text())
            case _:
                return COMMANDS[name]()

    def _fault(self, words: tuple[str, ...]) -> None:
        faults, (name, *rest) = self.table.faults, words
        match name:
            case "cut":
                faults.cut_wire()
            case "mend":
                faults.mend_wire()
            case "reset":
                faults.reset(ResetCause[rest[0].upper()] if rest else ResetCause.WATCHDOG)
            case "servo_dead":
                faults.servo_dead()
            case "weak_supply":
                faults.weak_supply = True
            case "strong_supply":
                faults.weak_supply = False
            case "lossy":
                faults.to_host.loss = faults.to_board.loss = float(rest[0])
            case "flicker":
                faults.flicker(self._cell(rest[0]), float(rest[1]))
            case "stuck":
                faults.stuck(self._cell(rest[0]), int(rest[1]))
            case "dead" | "inverted" | "unsure" | "heal":
                getattr(faults, name)(self._cell(rest[0]))
            case _:
                raise AssertionError(name)

    def _restart(self, after_s: float) -> None:
        """The daemon is killed and comes back: all that it knew is what it had journalled."""
        until_s = self.now_s + after_s
        while self.now_s < until_s:
            self.table.advance_to_bytes(until_s)
            self.table.read()  # nobody is there to hear it
            self._watch()
        self._picture()
        self._begin(self._found_again(replay(read_journal(self.journal()).events).line), None)

    def _found_again(self, line: AnyLine) -> AnyLine:
        """The line that a daemon reads back from its journal."""
        return line

    # ---- the end -------------------------------------------------------------------------------------------

    def journal(self) -> bytes:
        return _journal_of(self.lasting)

    def _end(self) -> None:
        story, session = self.story, self.session
        if not any(isinstance(event, e.PositionSet) for event in self.lasting):
            self._line_must_be(story.line if story.line is not None else story.before + story.turns)
        if session.result != story.result:
            raise self._failed(f"the result is {session.result}")
        for name, count in story.counts.items():
            found = sum(type(event).__name__ == name for event in self.events)
            if found != count:
                raise self._failed(f"{name} came {found} times, not {count}")
        if not self.lasting:
            if not self.may_begin_nothing:
                raise self._failed("no game has begun")
            return
        self._picture()
        if not story.apart:
            self._must_agree("the end")
        replayed = replay(read_journal(self.journal()).events)
        if replayed.line.position != session.position:
            raise self._failed("the journal does not lead to the session's position")
        self._check()

    def _check(self) -> None:
        """The journal against what lay on the board; what was before the story began is not looked at."""
        lasting = list(self.lasting)
        known = len(self.story.before)
        if known:
            if any(isinstance(event, e.TakenBack) for event in lasting):
                return
            header = lasting[0]
            assert isinstance(header, e.GameStarted)
            at = self.game.position_text(self._base.position)
            fields = {name: getattr(header, name) for name in header.__struct_fields__}
            lasting[: known + 1] = [e.GameStarted(**{**fields, "position": at})]
        if wrong := self._wrong(_journal_of(lasting)):
            raise self._failed("; ".join(wrong))


def _journal_of(lasting: list[e.Lasting]) -> bytes:
    return b"".join(journal_line(number, event) for number, event in enumerate(lasting, start=1))
