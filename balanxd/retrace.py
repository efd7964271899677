"""Retrace: the board's bytes of a trace into a fresh daemon; the record that comes out. No simulator."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from referee import events as e
from referee.commands import Announce, BreakOff, NewGame
from referee.session import Phase
from rules.balanx.layout import Layout
from rules.errors import RulesError
from rules.line import Line
from rules.record import Record

from .assemble import assemble, game_on, header_of
from .config import parse_board
from .errors import BalanxError
from .games import AnyLine, replay
from .library import BROKEN_OFF
from .players import choose, parse_player
from .trace import read_game, read_up


def retrace(folder: Path) -> Record:
    """The record that the board's bytes alone lead to. Raises BalanxError where the trace cannot be read.

    Machines think again, from the same seed; nothing else of the traced run is used.
    """
    return _Retrace(folder).record()


NO_LIMIT = 1 << 62


class _Retrace:
    def __init__(self, folder: Path) -> None:
        traced = read_game(folder)
        try:
            tags = tuple((str(name), str(value)) for name, value in traced.get("tags", ()))
            layout = Layout.load(traced["layout_text"])
            board = parse_board(traced["board_text"], traced["board"], layout, tags)
            self._players = [parse_player(player) for player in traced["players"]]
            self._seed, date = int(traced["seed"]), str(traced["date"])
            self._max_turns = NO_LIMIT if traced["max_turns"] is None else int(traced["max_turns"])
        except (KeyError, TypeError, ValueError, RulesError) as error:
            raise BalanxError(f"{folder}: game.json does not fit: {error}") from error
        line: AnyLine = Line.begin(game_on(board, seed=self._seed))
        header = header_of(line, board, self._players, date)
        self._pipeline = assemble(board, line, self._players, seed=self._seed, header=header)
        self._lasting: list[e.Lasting] = []
        self._turns = 0
        self._run(folder)

    def record(self) -> Record:
        return replay(self._lasting).record()

    def _run(self, folder: Path) -> None:
        pipeline, now_s = self._pipeline, 0.0
        self._follow(pipeline.opened(now_s), now_s)
        for at_s, data in read_up(folder):
            while pipeline.due_s() < at_s:
                now_s = max(now_s, pipeline.due_s())
                self._follow(pipeline.tick(now_s), now_s)
            now_s = at_s
            self._follow(pipeline.receive(data, now_s), now_s)
            if pipeline.due_s() <= now_s:
                self._follow(pipeline.tick(now_s), now_s)
            if self._ends(now_s):
                return

    def _ends(self, now_s: float) -> bool:
        """Do what the players want of the house. True where that is another game, which has a record of its own."""
        pipeline = self._pipeline
        for wanted in pipeline.take_wanted():
            if isinstance(wanted, NewGame):
                if pipeline.session.phase not in (Phase.OVER, Phase.SETTING_UP):
                    self._follow(pipeline.command(BreakOff(BROKEN_OFF), now_s), now_s)
                return True
            self._follow(pipeline.park(now_s), now_s)
        return False

    def _follow(self, events: list[e.GameEvent], now_s: float) -> None:
        pipeline: Any = self._pipeline
        for event in events:
            if isinstance(event, e.GameStarted | e.TurnTaken | e.TakenBack | e.PositionSet | e.GameOver):
                self._lasting.append(event)
            if isinstance(event, e.MoveWanted):
                move = choose(self._players[event.seat], pipeline.session.line, self._seed)
                self._follow(pipeline.command(Announce(move, event.position), now_s), now_s)
            elif isinstance(event, e.TurnTaken):
                self._turns += 1
                if self._turns >= self._max_turns and pipeline.session.line.outcome is None:
                    self._follow(pipeline.command(BreakOff("turn limit"), now_s), now_s)
        pipeline.take_bytes()
