"""Stories on the boards of the other games: TOML files in; `PieceStage` plays a story on its board, and judges.

In every story each turn was what lay on the board, the journal leads to the session's position, and the checker
(which knows nothing of what it judges) finds journal and pieces in agreement.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from checker.pieces import KINDS, Snap, check_pieces, snap_of

from balanxd.assemble import assemble, header_of
from balanxd.config import parse_board
from balanxd.games import AnyLine, replay
from balanxd.journal import journal_line, read_journal
from balanxd.options import checked_tags, game_of_options
from balanxd.players import Player
from balanxd.simulated.build import build_sensor_board
from balanxd.simulated.lockstep import Lockstep
from balanxd.simulated.marbles import marble_rows
from balanxd.simulated.pieces import set_of
from balanxd.simulated.wire import PipeWire
from firmware_bridge.messages import ResetCause
from referee import commands as c
from referee import events as e
from referee.errors import RefereeError
from referee.session import Session
from rules.line import Line
from sim.deeds import Manner
from sim.piecehand import PieceHand
from sim.pieces import Laid

from .stage import Failed
from .story import Expected, Step, StoryError, read_expected, read_step

SEEDS = 6
COMMANDS: Mapping[str, Callable[..., c.PlayerCommand]] = {
    "board_is_right": c.BoardIsRight,
    "agree_draw": c.AgreeDraw,
    "take_back_instead": c.TakeBackInstead,
}
_KEYS = {
    "title", "game", "sensor", "options", "position", "before", "laid", "machines", "board_kind", "steps", "turns",
    "line", "result", "never", "counts", "seeds", "apart", "variants",
}  # fmt: skip


@dataclass(frozen=True)
class PieceStory:
    """One story, or one variant. laid: the rows of disks that lie on the board at first, where they are others.

    machines: seats from 0, and the moves that they announce. apart: in the end pieces lie otherwise than in the game.
    """

    name: str
    title: str
    game: str
    sensor: str
    options: Mapping[str, str]
    position: str
    before: tuple[str, ...]
    laid: str
    machines: Mapping[int, tuple[str, ...]]
    board_kind: str
    steps: tuple[Step, ...]
    turns: tuple[str, ...]
    line: tuple[str, ...] | None
    result: str
    never: tuple[Expected, ...]
    counts: Mapping[str, int]
    seeds: int
    apart: bool


def read_piece_stories(folder: Path) -> tuple[PieceStory, ...]:
    """All stories of a folder, in the order of their names. Raises StoryError."""
    found: list[PieceStory] = []
    for path in sorted(folder.glob("*.toml")):
        told = tomllib.loads(path.read_text())
        if strange := told.keys() - _KEYS:
            raise StoryError(f"{path.name}: no story has {', '.join(sorted(strange))}")
        found += _stories(path.stem, told)
    return tuple(found)


def _stories(stem: str, told: dict[str, Any]) -> Iterator[PieceStory]:
    variants: list[dict[str, str]] = told.get("variants", [{}])
    for variant in variants:

        def fill(text: str, variant: dict[str, str] = variant) -> str:
            for key in sorted(variant, key=len, reverse=True):
                text = text.replace(f"${key}", str(variant[key]))
            if "$" in text:
                raise StoryError(f"{stem}: {text!r} names what the variant does not say")
            return text

        yield PieceStory(
            name=f"{stem}-{variant['name']}" if variant else stem,
            title=told["title"],
            game=told["game"],
            sensor=fill(told.get("sensor", "")),
            options={tag: fill(value) for tag, value in told.get("options", {}).items()},
            position=fill(told.get("position", "")),
            before=tuple(fill(told.get("before", "")).split()),
            laid=fill(told.get("laid", "")),
            machines={
                int(seat): tuple(fill(text).split()) for seat, text in told.get("machines", {}).items()
            },
            board_kind=told.get("board_kind", ""),
            steps=tuple(read_step(fill(text)) for text in told["steps"]),
            turns=tuple(fill(told.get("turns", "")).split()),
            line=tuple(fill(told["line"]).split()) if "line" in told else None,
            result=fill(told.get("result", "*")),
            never=tuple(read_expected(fill(text).split()) for text in told.get("never", [])),
            counts=told.get("counts", {}),
            seeds=told.get("seeds", SEEDS if not variant else max(2, SEEDS // len(variants))),
            apart=told.get("apart", False),
        )


class PieceStage:
    """One performance. `play` raises Failed."""

    def __init__(self, story: PieceStory, seed: int) -> None:
        self.story, self._seed = story, seed
        tags = checked_tags(story.game, story.options)
        sensor = f'[board]\nsensor = "{story.sensor}"\n' if story.sensor else ""
        self.board = parse_board(sensor, story.name, None, tags)
        game = game_of_options(tags, seed)
        if story.position and game.setup_in_record:
            game = game_of_options((*tags, ("Setup", story.position)), seed)
        first = game.parse_position(story.position) if story.position else game.start()
        begun: AnyLine = Line.begin(game, first)
        line = begun.extend(game.parse_move(text) for text in story.before)
        self.game, self._begun, self._base = game, begun, line
        self._names = game.cell_names
        self._players = [
            Player("engine", 1) if seat in story.machines else Player("human")
            for seat in range(len(game.seats))
        ]
        self._answers = {seat: list(moves) for seat, moves in story.machines.items()}
        pieces = set_of(game, self.board.sensor)
        self.table = build_sensor_board(self.board, game, seed)
        if story.board_kind:
            self.table.controller._kind = story.board_kind
        self.table.place(self._laid() if story.laid else pieces.laid(line.position))
        self.events: list[e.GameEvent] = []
        self.lasting: list[e.Lasting] = []
        self._at = 0  # events before this have been awaited
        self._snaps: list[Snap] = []
        self._version = -1
        self._links = 0
        header = header_of(begun, self.board, self._players, "????.??.??")
        new = not story.before
        if not new:
            self._journal_before(header)
        self._begin(line, header if new else None)

    def _laid(self) -> list[Laid]:
        """Disks as the rows of a position have them, whatever they are, and one of each colour beside the board."""
        lying = KINDS["banks"].read(self.story.laid)
        return [
            *(Laid(look[0], self._names.index(cell)) for cell, (look,) in lying.items()),
            *(Laid(kind) for kind in range(6)),
        ]

    def _journal_before(self, header: e.GameStarted) -> None:
        self.lasting.append(header)
        line, game = self._base, self.game
        for ply, move in enumerate(line.moves):
            at, after = line.positions[ply], line.positions[ply + 1]
            text, position = game.move_text(move), game.position_text(after)
            self.lasting.append(e.TurnTaken(ply=at.ply, seat=at.side, move=text, position=position))

    def _begin(self, line: AnyLine, header: e.GameStarted | None) -> None:
        self._links += 1
        seed = self._seed * 100 + self._links
        self.pipeline = assemble(self.board, line, self._players, seed=seed, header=header)
        self.lockstep = Lockstep(self.table, self.pipeline, PipeWire(), self._handle)

    @property
    def session(self) -> Session[Any, Any]:
        return self.pipeline.session

    @property
    def now_s(self) -> float:
        return self.table.now_s

    def _handle(self, event: e.GameEvent, now_s: float) -> None:
        self._snap()
        self.events.append(event)
        if isinstance(event, e.GameStarted | e.TurnTaken | e.TakenBack | e.PositionSet | e.GameOver):
            self.lasting.append(event)
        if isinstance(event, e.MoveWanted) and self._answers[event.seat]:
            self.lockstep.command(c.Announce(self._answers[event.seat].pop(0), event.position))
        for never in self.story.never:
            if never.fits(event):
                raise self._failed(f"{event} must never come")

    def _failed(self, why: str) -> Failed:
        log = "\n".join(f"  {event.at_s:8.3f} {event}" for event in self.events[-30:])
        return Failed(f"{self.now_s:.3f} s: {why}\n{log}")

    def _snap(self) -> None:
        kind = KINDS[self.story.game]
        self._snaps.append(snap_of(kind, list(self._names), self.now_s, marble_rows(self.table)))

    def _watch(self) -> None:
        if self.table.version != self._version:
            self._version = self.table.version
            self._snap()

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
                first = len(self.events)
                self._run(lambda: False, float(words[0]))
                for event in self.events[first:]:
                    if any(expected.fits(event) for expected in step.expected):
                        raise self._failed(f"{event} came in the quiet")
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
            case "restart":
                self._restart(float(words[0]))
            case "line":
                self._line_must_be(words)
            case "agrees":
                self._must_agree()
            case "phase":
                if self.session.phase.name.lower() != words[0]:
                    raise self._failed(f"the phase is {self.session.phase.name}")
            case "bad":
                found = {self._names[cell] for cell in self.session.bad}
                if found != set(words):
                    raise self._failed(f"bad sensors are {sorted(found)}")
            case _:
                self._hand(self.table.hands[step.other], step)

    def _hand(self, hand: PieceHand, step: Step) -> None:
        words, told = step.words, step.options or {}
        turn = int(told["turn"]) if "turn" in told else None
        pointer = int(told["pointer"]) if "pointer" in told else None
        match step.verb:
            case "move":
                manner = Manner(words[2]) if len(words) > 2 else Manner.RANDOM
                hand.move(self._cell(words[0]), self._cell(words[1]), manner)
            case "lift":
                count = int(words[1]) if len(words) > 1 else 0
                hand.lift(self._cell(words[0]), Manner.RANDOM, count)
            case "put":
                manner = Manner(words[1]) if len(words) > 1 else Manner.RANDOM
                hand.put(self._cell(words[0]), manner, turn=turn, pointer=pointer)
            case "turn":
                hand.turn(self._cell(words[0]), turn=turn, pointer=pointer, manner=Manner.RANDOM)
            case "back":
                hand.put_back()
            case "aside":
                hand.put_aside()
            case "fetch":
                hand.fetch(int(words[0]))
            case "pause":
                hand.wait(float(words[0]))
            case verb:
                raise AssertionError(verb)

    def _cell(self, name: str) -> int:
        return self._names.index(name)

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

    def _command(self, words: tuple[str, ...]) -> c.PlayerCommand:
        name, *rest = words
        match name:
            case "resign":
                return c.Resign(int(rest[0]))
            case "confirm":
                return c.Confirm(rest[0])
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
                faults.reset(ResetCause.WATCHDOG)
            case "stuck":
                faults.stuck(self._cell(rest[0]), int(rest[1]))
            case "dead" | "unsure" | "heal":
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
        found = replay(read_journal(self.journal()).events)
        self._begin(found.line, None)

    # ---- the end -------------------------------------------------------------------------------------------

    def journal(self) -> bytes:
        return b"".join(journal_line(number, event) for number, event in enumerate(self.lasting, start=1))

    def _line_must_be(self, turns: tuple[str, ...]) -> None:
        told = tuple(map(self.session.game.move_text, self.session.line.moves))
        if told != turns:
            raise self._failed(
                f"the line of play is {' '.join(told) or 'empty'}, not {' '.join(turns) or 'empty'}"
            )

    def _must_agree(self) -> None:
        self._snap()
        text = self.session.game.position_text(self.session.position)
        if self._snaps[-1].lying != KINDS[self.story.game].read(text):
            raise self._failed(f"the pieces lie elsewhere than in {text}")

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
            return
        if not story.apart:
            self._must_agree()
        replayed = replay(read_journal(self.journal()).events)
        if replayed.line.position != session.position:
            raise self._failed("the journal does not lead to the session's position")
        self._check()

    def _check(self) -> None:
        """The journal against the pieces; what was before the story began is not looked at."""
        lasting = list(self.lasting)
        if self.story.before:
            if any(isinstance(event, e.TakenBack) for event in lasting):
                return
            header = lasting[0]
            assert isinstance(header, e.GameStarted)
            at = self.game.position_text(self._base.position)
            fields = {name: getattr(header, name) for name in header.__struct_fields__}
            lasting[: len(self.story.before) + 1] = [e.GameStarted(**{**fields, "position": at})]
        journal = b"".join(journal_line(number, event) for number, event in enumerate(lasting, start=1))
        if wrong := check_pieces(self.story.game, journal, self._snaps).wrong:
            raise self._failed("; ".join(wrong))
