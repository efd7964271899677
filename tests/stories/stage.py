"""Plays a story: the simulated table, the bytes, the whole pipeline, one clock of numbers; and judges what came.

What holds in every story is looked at all the time: the motor never starts while a marble is in a hand, every
turn is what lies on the board at that moment, every turn opens on the board that the game means, and in the end
the journal agrees with the simulator's marbles (`checker`, which knows nothing of what it judges).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from checker.board import Plan, Position, read_plan, read_position
from checker.compare import check
from checker.marbles import Frame, Marble

from balanxd.assemble import assemble, game_on, header_of
from balanxd.config import BoardConfig, parse_board
from balanxd.games import AnyLine, replay
from balanxd.journal import journal_line, read_journal
from balanxd.keys import Keys
from balanxd.players import Player
from balanxd.simulated.build import build_table
from balanxd.simulated.faults import fault_from
from balanxd.simulated.lockstep import Lockstep
from balanxd.simulated.wire import PipeWire
from firmware_bridge.messages import ResetCause
from hardware.faults import FaultName
from hardware.tilt import TiltLimits
from referee import commands as c
from referee import events as e
from referee.errors import RefereeError
from referee.pending import Patience
from referee.session import Session
from rules.games import AnyGame
from rules.line import Line
from sim.hands import Hand, Manner
from sim.table import Table

from .story import Step, Story

SEATS = {"white": 0, "black": 1, "level": None}
UNSEEN_S = 0.15  # a marble just lifted still chatters in its seat: nobody can know yet
COMMANDS: Mapping[str, Callable[..., c.PlayerCommand]] = {
    "board_is_right": c.BoardIsRight,
    "agree_draw": c.AgreeDraw,
    "take_back_instead": c.TakeBackInstead,
}


class Failed(AssertionError):
    """The story went another way."""


@dataclass(frozen=True)
class Mutation:
    """What a referee lacks. All of it comes in by arguments."""

    patience: Patience | None = None
    limits: TiltLimits | None = None
    game: Callable[[AnyGame], AnyGame] = lambda game: game


class Stage:
    """One performance. `play` raises Failed."""

    def __init__(self, story: Story, kind: str, seed: int, mutation: Mutation | None = None) -> None:
        self.story = story
        self._seed = seed
        self._mutation = mutation or Mutation()
        self.board = self._board(kind)
        game = self._mutation.game(game_on(self.board, repetition=story.repetition))
        first = game.parse_position(story.position) if story.position else game.start()
        begun: AnyLine = Line.begin(game, first)
        line = begun.extend(game.parse_move(text) for text in story.before)
        self.game, self._begun, self._base = game, begun, line
        self._players = [
            Player("engine", 1) if name in story.machines else Player("human") for name in SEAT_NAMES
        ]
        self._answers = {SEATS[name]: list(moves) for name, moves in story.machines.items()}
        self._plan: Plan = read_plan(self.board.layout.text)
        self.table: Table = build_table(self.board, seed)
        self._names = self.board.layout.cell_names
        position = line.position
        owners = ((cell, game.owner(position, cell)) for cell in range(game.cells))
        self.table.place({cell: owner for cell, owner in owners if owner is not None})
        self.events: list[e.GameEvent] = []
        self.lasting: list[e.Lasting] = []
        self._at = 0  # events before this have been awaited
        self._frames: list[Frame] = []
        self._done = -1, -1
        self._opened = False
        self._lifted_s: dict[int, float] = {}
        self._links = 0
        header = header_of(begun, self.board, self._players, "????.??.??")
        new = not story.position and not story.before
        if not new:
            self._journal_before(begun, line, header)
        self._begin(line, header if new else None)

    def _board(self, kind: str) -> BoardConfig:
        story = self.story
        start = {"down": 8.0, "up": -8.0, "level": 0.0}[story.begins]
        if story.begins == "down" and self._first_side():
            start = -8.0
        text = (
            f'[board]\nlayout = "{story.layout}"\nsensor = "{kind}"\n'
            f'[tilt]\ndrive = "{story.drive}"\nend_inputs = {str(story.end_inputs).lower()}\n'
            f"[sim.tilt]\nstart_deg = {start}\n{story.sim}"
        )
        board = parse_board(text, story.name)
        return replace(board, limits=self._mutation.limits or board.limits)

    def _first_side(self) -> int:
        side = self.story.position.split()[1] if self.story.position else "W"
        return ("WB".index(side) + len(self.story.before)) % 2

    def _journal_before(self, begun: AnyLine, line: AnyLine, header: e.GameStarted) -> None:
        self.lasting.append(header)
        for ply, move in enumerate(line.moves):
            at, after = line.positions[ply], line.positions[ply + 1]
            self.lasting.append(
                e.TurnTaken(
                    ply=at.ply,
                    seat=at.side,
                    move=begun.game.move_text(move),
                    position=begun.game.position_text(after),
                )
            )

    def _begin(self, line: AnyLine, header: e.GameStarted | None) -> None:
        self._links += 1
        self.pipeline = assemble(
            self.board,
            line,
            self._players,
            seed=self._seed * 100 + self._links,
            header=header,
            patience=self._mutation.patience,
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
        self._frame()
        self.events.append(event)
        if isinstance(event, e.GameStarted | e.TurnTaken | e.TakenBack | e.PositionSet | e.GameOver):
            self.lasting.append(event)
        match event:
            case e.TiltStarted():
                self._must_be_free("the motor starts")
            case e.TurnTaken() if event.move == "--" or not self._just_lifted():
                self._must_lie_in_grooves(self._before_tilt(event), str(event.move))
            case e.TurnOpened():
                self._opened = True
            case e.MoveProvisional():
                self._opened = False  # the board was found with a move on it
            case e.MoveWanted(seat=seat, position=position):
                answers = self._answers[seat]
                if answers:
                    self.lockstep.command(c.Announce(answers.pop(0), position))
            case _:
                pass
        for never in self.story.never:
            if never.fits(event):
                raise self._failed(f"{event} must never come")

    def _before_tilt(self, event: e.TurnTaken) -> str:
        return event.position  # groove by groove no tilt changes it

    def _just_lifted(self) -> bool:
        return any(
            hand.carrying is not None and self.now_s - self._lifted_s.get(number, 0.0) < UNSEEN_S
            for number, hand in enumerate(self.table.hands)
        )

    def _must_be_free(self, what: str) -> None:
        for number, hand in enumerate(self.table.hands):
            if hand.carrying is not None and self.now_s - self._lifted_s.get(number, 0.0) >= UNSEEN_S:
                raise self._failed(f"{what} while a marble is in a hand")

    def _must_lie_in_grooves(self, text: str, what: str) -> None:
        lying = {self._plan.space(cell): seat for cell, seat in self.table.occupancy().items()}
        position: Position = read_position(text)
        if self._plan.rows(lying) != self._plan.rows(position.lying):
            raise self._failed(f"{what}: the marbles lie elsewhere than in {text}")

    def _failed(self, why: str) -> Failed:
        log = "\n".join(f"  {event.at_s:8.3f} {event}" for event in self.events[-40:])
        return Failed(f"{self.now_s:.3f} s: {why}\n{log}")

    # ---- frames for the checker ----------------------------------------------------------------------------

    def _watch(self) -> None:
        """Called at every step of time: a hand that has done something is worth a picture."""
        hands = self.table.hands
        if self._opened and not self._just_lifted():
            self._must_lie_in_grooves(self.game.position_text(self.session.position), "the turn opens")
        self._opened = False
        done = len(hands[0].history), len(hands[1].history)
        if done != self._done:
            for number, hand in enumerate(hands):
                if hand.report is not None and hand.report.what == "lifted":
                    self._lifted_s[number] = hand.report.at_s
            self._done = done
            self._frame()

    def _frame(self) -> None:
        marbles = {
            view.id: Marble(
                view.seat,
                None if view.cell is None else self._plan.space(view.cell),
                view.in_hand,
                view.moving,
            )
            for view in self.table.marbles()
        }
        self._frames.append(Frame(self.now_s, marbles))

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

        limit_s = self.now_s + lasts_s
        self.lockstep.run(watch, limit_s)
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
            case "inject":
                self._inject(step)
            case "mended":
                self.table.faults.end(FaultName(words[0]) if words else None)
            case "restart":
                self._restart(float(words[0]))
            case "tilted":
                self.table.other_hand.push(SEATS[words[0]])
            case "line":
                self._line_must_be(words)
            case "agrees":
                self._must_lie_in_grooves(self.game.position_text(self.session.position), "now")
            case "phase":
                if self.session.phase.name.lower() != words[0]:
                    raise self._failed(f"the phase is {self.session.phase.name}")
            case "bad":
                found = {self._names[cell] for cell in self.session.bad}
                if found != set(words):
                    raise self._failed(f"bad sensors are {sorted(found)}")
            case _:
                self._hand(self.table.hands[step.other], step)

    def _hand(self, hand: Hand, step: Step) -> None:
        words, options = step.words, step.options or {}
        match step.verb:
            case "move":
                manner = Manner(words[2]) if len(words) > 2 else Manner.RANDOM
                hand.move(self._cell(words[0]), self._cell(words[1]), manner)
            case "lift":
                hand.lift(self._cell(words[0]), Manner.RANDOM)
            case "put":
                hand.put(self._cell(words[0]), Manner.RANDOM)
            case "back":
                hand.put_back()
            case "aside":
                hand.put_aside()
            case "fetch":
                seat = SEATS[words[0]]
                assert seat is not None
                hand.fetch(seat)
            case "slide":
                path = [self._cell(word) for word in words]
                pause_at = self._cell(options["pause_at"]) if "pause_at" in options else -1
                cell_ms = float(options["cell_ms"]) if "cell_ms" in options else None
                hand.slide(path, pause_at=pause_at, pause_s=float(options.get("pause_s", 0)), cell_ms=cell_ms)
            case "shove":
                hand.shove(self._cell(words[0]), self._cell(words[1]))
            case "push":
                hand.push(SEATS[words[0]])
            case "pause":
                hand.wait(float(words[0]))
            case verb:
                raise AssertionError(verb)

    def _cell(self, name: str) -> int:
        """`c1`; or `c1/c2`: the one of them where a marble lies."""
        cells = [self._names.index(one) for one in name.split("/")]
        lying = self.table.occupancy()
        return next((cell for cell in cells[:-1] if cell in lying), cells[-1])

    def _await(self, step: Step) -> None:
        (expected,) = step.expected
        start = self._at

        def come() -> bool:
            while self._at < len(self.events):
                self._at += 1
                if expected.fits(self.events[self._at - 1]):
                    return True
            return False

        if come():
            return
        found = False

        def until() -> bool:
            nonlocal found
            found = found or come()
            return found

        if not self._run(until, step.within_s):
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
                seat = SEATS[rest[0]]
                assert seat is not None
                return c.Resign(seat)
            case "break_off":
                return c.BreakOff("broken off")
            case "marble_is_there":
                return c.MarbleIsThere(self._cell(rest[0]))
            case "confirm":
                return c.Confirm(rest[0])
            case "announce":
                return c.Announce(rest[0], self.game.position_text(self.session.position))
            case _:
                return COMMANDS[name]()

    def _inject(self, step: Step) -> None:
        """A fault as a board file tells it, from now on."""
        told: dict[str, Any] = {key: _value(text) for key, text in (step.options or {}).items()}
        told["kind"] = step.words[0]
        self.table.faults.plan(fault_from(Keys(self.story.name, "inject.", told), told))

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
            case "servo_well":
                faults.servo_dead(False)
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
            case "swapped":
                faults.swapped(self._cell(rest[0]), self._cell(rest[1]))
            case _:
                raise AssertionError(name)

    def _restart(self, after_s: float) -> None:
        """The daemon is killed and comes back: all that it knew is what it had journalled."""
        self.table.advance(self.now_s + after_s)
        self.table.read()
        self._frame()
        found = replay(read_journal(self.journal()).events)
        self._begin(Line(self.game, found.line.positions, found.line.moves, found.line.outcome), None)

    # ---- the end -------------------------------------------------------------------------------------------

    def journal(self) -> bytes:
        return b"".join(journal_line(number, event) for number, event in enumerate(self.lasting, start=1))

    def _line_must_be(self, turns: tuple[str, ...]) -> None:
        """The whole line. Positions are compared: a move may be named by its twin."""
        line = self._begun.extend(self.game.parse_move(text) for text in turns)
        if self.session.position != line.position:
            moves = " ".join(map(self.game.move_text, self.session.line.moves))
            raise self._failed(f"the line of play is {moves or 'empty'}, not {' '.join(turns) or 'empty'}")

    def _end(self) -> None:
        story, session = self.story, self.session
        if not any(isinstance(event, e.PositionSet) for event in self.lasting):
            self._line_must_be(story.line if story.line is not None else story.before + (story.turns or ()))
        if session.result != story.result:
            raise self._failed(f"the result is {session.result}")
        for name, count in story.counts.items():
            found = sum(type(event).__name__ == name for event in self.events)
            if found != count:
                raise self._failed(f"{name} came {found} times, not {count}")
        self._frame()
        if not story.apart:
            self._must_lie_in_grooves(self.game.position_text(session.position), "the end")
        replayed = replay(read_journal(self.journal()).events)
        if replayed.line.position != session.position:
            raise self._failed("the journal does not lead to the session's position")
        self._check()

    def _check(self) -> None:
        """The journal against the marbles; a line that began before the marbles were watched begins here."""
        if self.story.unchecked or self.story.apart:
            return
        known = len(self._base.moves)
        lasting: list[e.Lasting] = list(self.lasting)
        if known:
            back = sum(event.plies for event in lasting if isinstance(event, e.TakenBack))
            if back:
                return
            header = lasting[0]
            assert isinstance(header, e.GameStarted)
            at = self.game.position_text(self._base.position)
            lasting[: known + 1] = [e.GameStarted(**{**_fields(header), "position": at})]
        journal = b"".join(journal_line(number, event) for number, event in enumerate(lasting, start=1))
        wrong = check(self._plan, journal, self._frames).wrong
        if len(self._frames[0].marbles) != 20:
            wrong = [text for text in wrong if " marbles" not in text]
        if wrong:
            raise self._failed("; ".join(wrong))


def _value(text: str) -> str | float | int:
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return text


def _fields(event: e.Event) -> dict[str, Any]:
    return {name: getattr(event, name) for name in event.__struct_fields__}


SEAT_NAMES = ("white", "black")
