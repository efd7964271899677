"""Games on disk: journalled events in, lines of play and records out; finds the game to resume."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, assert_never

from referee.events import GameOver, GameStarted, Lasting, PositionSet, TakenBack, TurnTaken
from rules.balanx.layout import Layout, layout_named
from rules.errors import RulesError
from rules.games import AnyGame, game_named, game_of_tags
from rules.line import Line
from rules.record import Record

from .errors import BalanxError
from .journal import SUFFIX, read_journal

AnyLine = Line[Any, Any]


@dataclass(frozen=True, slots=True)
class Replayed:
    """A journal, played through the rules. over: how it ended, None while it goes on.

    notes: comments for the record, by the number of moves before them.
    """

    header: GameStarted
    line: AnyLine
    over: GameOver | None
    notes: dict[int, list[str]]

    def record(self) -> Record:
        """The game record: the line of play since its start, or since the last position set by hand."""
        header = self.header
        tags = [("Event", header.title)] if header.title else []
        tags.append(("Date", header.date))
        tags += zip(self.line.game.player_tags, header.players, strict=True)
        line, notes = self.line, dict(self.notes)
        if self.over is not None:
            if line.outcome is None:
                outcome = line.game.parse_result(self.over.result)
                line = line if outcome is None else line.ended(outcome)
            if self.over.note:
                notes[len(line.moves)] = [*notes.get(len(line.moves), []), self.over.note]
        return Record.of(line, tags, notes)


def game_of(header: GameStarted) -> AnyGame:
    """The game that a journal's first event means. Raises RulesError."""
    if header.tags:
        return game_of_tags({**dict(header.tags), "Setup": header.position})
    layout = Layout.load(header.layout_text) if header.layout_text else layout_named(header.layout)
    return game_named(header.game, layout, repetition=header.repetition)


def replay(events: Sequence[Lasting]) -> Replayed:
    """Rebuild a game, checking every turn by the rules. Raises BalanxError naming the journal's line."""
    if not events or not isinstance(events[0], GameStarted):
        raise BalanxError("line 1: the journal does not begin with the start of a game")
    header, number = events[0], 1
    notes: dict[int, list[str]] = {}
    over: GameOver | None = None
    try:
        game = game_of(header)
        line: AnyLine = Line.begin(game, game.parse_position(header.position))
        for event in events[1:]:
            number += 1
            match event:
                case TurnTaken():
                    line = line.push(game.parse_move(event.move))
                    _must_be(line, event.position)
                case TakenBack():
                    line = line.back(event.plies)
                    notes = {moves: text for moves, text in notes.items() if moves <= len(line.moves)}
                    _must_be(line, event.position)
                case PositionSet():
                    before = " ".join(game.move_text(move) for move in line.moves)
                    line = Line.begin(game, game.parse_position(event.position))
                    notes = {0: [f"position set on the board; before it: {before or 'no moves'}"]}
                case GameOver():
                    over = event
                case GameStarted():
                    raise BalanxError("a second game begins")
                case _:
                    assert_never(event)
    except (RulesError, BalanxError, ValueError) as error:
        raise BalanxError(f"line {number}: {error}") from error
    return Replayed(header, line, over, notes)


def _must_be(line: AnyLine, text: str) -> None:
    here = line.game.position_text(line.position)
    if here != text:
        raise BalanxError(f"the rules lead to {here}, the journal says {text}")


def unfinished(folder: Path) -> Path | None:
    """The newest journal in `folder` whose game goes on; None if there is none."""
    for path in sorted(folder.glob("*" + SUFFIX), reverse=True):
        try:
            events = read_journal(path.read_bytes()).events
        except OSError:
            continue
        if events and not any(isinstance(event, GameOver) for event in events):
            return path
    return None
