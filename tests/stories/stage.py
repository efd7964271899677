"""Plays a story on a board that tilts, and judges what came.

Beside what holds in every performance: the motor never starts while a marble is in a hand, every turn is what lies on
the board at that moment, and every turn opens on the board that the game means.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from checker.board import Plan, Position, read_plan, read_position
from checker.compare import check
from checker.marbles import Frame, Marble

from balanxd.assemble import game_on
from balanxd.buttons import buttons_text
from balanxd.config import BoardConfig, load_layout, parse_board
from balanxd.games import AnyLine
from balanxd.keys import Keys
from balanxd.pipeline import Pipeline
from balanxd.simulated.build import build_table
from balanxd.simulated.faults import fault_from
from hardware.faults import FaultName
from hardware.tilt import TiltLimits
from referee import events as e
from referee.pending import Patience
from rules.games import AnyGame
from rules.line import Line
from sim.deeds import Manner
from sim.table import Table

from .performance import Performance
from .story import SEATS, Step, Story

AnyPipeline = Pipeline[Any, Any]
SIDES = {**SEATS, "level": None}
UNSEEN_S = 0.15  # a marble just lifted still chatters in its seat: nobody can know yet


@dataclass(frozen=True)
class Mutation:
    """What a referee lacks. All of it comes in by arguments."""

    patience: Patience | None = None
    limits: TiltLimits | None = None
    game: Callable[[AnyGame], AnyGame] = lambda game: game
    pipeline: Callable[[AnyPipeline], None] = lambda pipeline: None


class Stage(Performance[Story, Table]):
    """One performance. `play` raises Failed."""

    def __init__(self, story: Story, kind: str, seed: int, mutation: Mutation | None = None) -> None:
        self._mutation = mutation = mutation or Mutation()
        board = self._board(story, kind)
        game = mutation.game(game_on(board))
        first = game.parse_position(story.position) if story.position else game.start()
        super().__init__(story, seed, board, Line.begin(game, first), mutation.patience)
        self._plan: Plan = read_plan(board.layout.text)
        self.table = build_table(board, seed)
        position = self._base.position
        owners = ((cell, game.owner(position, cell)) for cell in range(game.cells))
        self.table.place({cell: owner for cell, owner in owners if owner is not None})
        self._frames: list[Frame] = []
        self._done = -1, -1
        self._opened = False
        self._lifted_s: dict[int, float] = {}
        self._begin_story(new=not story.position and not story.before)

    def _board(self, story: Story, kind: str) -> BoardConfig:
        start = {"down": 8.0, "up": -8.0, "level": 0.0}[story.begins]
        if story.begins == "down" and _first_side(story):
            start = -8.0
        buttons = buttons_text(len(load_layout(story.layout).cell_names)) if story.presses else ""
        text = (
            f'[board]\nlayout = "{story.layout}"\nsensor = "{kind}"\n'
            f'[tilt]\ndrive = "{story.drive}"\nend_inputs = {str(story.end_inputs).lower()}\n'
            f"{buttons}[sim.tilt]\nstart_deg = {start}\n{story.sim}"
        )
        board = parse_board(text, story.name)
        return replace(board, limits=self._mutation.limits or board.limits)

    def _begin(self, line: AnyLine, header: e.GameStarted | None) -> None:
        super()._begin(line, header)
        self._mutation.pipeline(self.pipeline)

    # ---- what the referee says -----------------------------------------------------------------------------

    def _judge(self, event: e.GameEvent) -> None:
        match event:
            case e.TiltStarted():
                self._must_be_free("the motor starts")
            case e.TurnTaken() if event.move == "--" or not self._just_lifted():
                # Groove by groove, no tilt changes it.
                self._must_lie_in_grooves(event.position, str(event.move))
            case e.TurnOpened():
                self._opened = True
            case e.MoveProvisional():
                self._opened = False  # the board was found with a move on it
            case _:
                pass

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

    # ---- frames for the checker ----------------------------------------------------------------------------

    def _watch(self) -> None:
        """Called at every step of time: a hand that has done something is worth a picture."""
        hands = self.table.hands
        if self._opened and not self._just_lifted():
            self._must_agree("the turn opens")
        self._opened = False
        done = hands[0].done, hands[1].done
        if done != self._done:
            for number, hand in enumerate(hands):
                if hand.report is not None and hand.report.what == "lifted":
                    self._lifted_s[number] = hand.report.at_s
            self._done = done
            self._picture()

    def _picture(self) -> None:
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

    def _must_agree(self, what: str) -> None:
        self._must_lie_in_grooves(self._position_text(), what)

    # ---- the story -----------------------------------------------------------------------------------------

    def _step(self, step: Step) -> None:
        match step.verb:
            case "inject":
                self._inject(step)
            case "mended":
                self.table.faults.end(FaultName(step.words[0]) if step.words else None)
            case "tilted":
                self.table.other_hand.push(SIDES[step.words[0]])
            case _:
                super()._step(step)

    def _by_hand(self, step: Step) -> None:
        hand, words, options = self.table.hands[step.other], step.words, step.options or {}
        match step.verb:
            case "lift":
                hand.lift(self._cell(words[0]), Manner.RANDOM)
            case "put":
                hand.put(self._cell(words[0]), Manner.RANDOM)
            case "slide":
                path = [self._cell(word) for word in words]
                pause_at = self._cell(options["pause_at"]) if "pause_at" in options else -1
                cell_ms = float(options["cell_ms"]) if "cell_ms" in options else None
                hand.slide(path, pause_at=pause_at, pause_s=float(options.get("pause_s", 0)), cell_ms=cell_ms)
            case "shove":
                hand.shove(self._cell(words[0]), self._cell(words[1]))
            case "push":
                hand.push(SIDES[words[0]])
            case _:
                super()._by_hand(step)

    def _number(self, word: str) -> int:
        return SEATS[word]

    def _cell(self, name: str) -> int:
        """`c1`; or `c1/c2`: the one of them where a marble lies."""
        cells = [self._names.index(one) for one in name.split("/")]
        lying = self.table.occupancy()
        return next((cell for cell in cells[:-1] if cell in lying), cells[-1])

    def _inject(self, step: Step) -> None:
        """A fault as a board file tells it, from now on."""
        told: dict[str, Any] = {key: _value(text) for key, text in (step.options or {}).items()}
        told["kind"] = step.words[0]
        self.table.faults.plan(fault_from(Keys(self.story.name, "inject.", told), told))

    def _found_again(self, line: AnyLine) -> AnyLine:
        return Line(self.game, line.positions, line.moves, line.outcome)

    # ---- the end -------------------------------------------------------------------------------------------

    def _line_must_be(self, turns: tuple[str, ...]) -> None:
        """The whole line. Positions are compared: a move may be named by its twin."""
        line = self._begun.extend(self.game.parse_move(text) for text in turns)
        if self.session.position != line.position:
            moves = " ".join(map(self.game.move_text, self.session.line.moves))
            raise self._failed(f"the line of play is {moves or 'empty'}, not {' '.join(turns) or 'empty'}")

    def _wrong(self, journal: bytes) -> list[str]:
        if self.story.unchecked or self.story.apart:
            return []
        wrong = check(self._plan, journal, self._frames).wrong
        if len(self._frames[0].marbles) != 20:
            wrong = [text for text in wrong if " marbles" not in text]
        return wrong


def _first_side(story: Story) -> int:
    side = story.position.split()[1] if story.position else "W"
    return ("WB".index(side) + len(story.before)) % 2


def _value(text: str) -> str | float | int:
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return text
