"""Headless games: machine players on a simulated board, no page, as fast as it can; a record comes out."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from balanxd.assemble import assemble, game_on, header_of
from balanxd.config import BoardConfig
from balanxd.errors import BalanxError
from balanxd.games import AnyLine, replay
from balanxd.journal import Journal, read_journal
from balanxd.players import Player, choose
from balanxd.trace import Trace, trace_header
from referee import events as e
from referee.commands import Announce, BreakOff
from referee.pending import Patience
from rules.line import Line
from rules.record import UNKNOWN_DATE, Record
from sim.deeds import Manner
from sim.sensorboard import SensorBoard
from sim.table import Table

from .build import build_board, simulated_devices
from .lockstep import Lockstep
from .pieces import set_of
from .wire import PipeWire, PseudoWire

STALL_S = 120.0  # simulated; a turn takes about four
TURN_LIMIT = "turn limit"


class Stalled(BalanxError):
    """The game came to no end. record: the game up to there."""

    def __init__(self, message: str, record: Record | None) -> None:
        super().__init__(message)
        self.record = record


class HeadlessGame:
    """One game of two machines. Every event goes through `say` (for a log); lasting ones are journalled first."""

    def __init__(
        self,
        board: BoardConfig,
        players: Sequence[Player],
        *,
        seed: int,
        journal: Journal,
        max_turns: int,
        pty: bool = False,
        date: str = UNKNOWN_DATE,
        manner: Manner | None = None,
        repetition: bool = True,
        patience: Patience | None = None,
        table: Table | SensorBoard | None = None,
        trace: Trace | None = None,
        think: Callable[[Player, AnyLine, int], str] = choose,
        say: Callable[[e.GameEvent], None] = lambda event: None,
    ) -> None:
        self.journal = journal
        self._players = players
        self._by_hand = (
            not board.motor
        )  # where a motor has failed nobody helps: the game is to stop and say so
        self._seed = seed
        self._max_turns = max_turns
        self._manner = manner
        self._think = think
        self._say = say
        self.turns = 0
        self.over: e.GameOver | None = None
        self._trouble = ""
        line: AnyLine = Line.begin(game_on(board, repetition=repetition, seed=seed))
        self.table = table or build_board(board, line.game, seed)
        self._last_turn_s = self.table.now_s
        self._pieces = set_of(line.game, board.sensor) if board.tags else None
        self._devices = simulated_devices(board, self.table)
        pipeline = assemble(
            board,
            line,
            players,
            seed=seed,
            header=header_of(line, board, players, date),
            patience=patience,
            devices=self._devices,
        )
        self.session = pipeline.session
        self._wire = PseudoWire() if pty else PipeWire()
        self._trace = trace
        # The events of the first step come while the lockstep is being made; they ask nothing of it.
        self.lockstep: Lockstep = Lockstep(self.table, pipeline, self._wire, self._handle, trace)

    def play(self) -> None:
        """Play to the end. Raises Stalled when no turn comes about any more."""
        try:
            while self.over is None:
                self.lockstep.run(lambda: self.over is not None, self._last_turn_s + STALL_S)
                if self.over is None and self.lockstep.now_s >= self._last_turn_s + STALL_S:
                    raise Stalled(
                        f"the game stopped after {self.turns} turns: {self._trouble or 'nothing happens'}",
                        self._record_or_none(),
                    )
        finally:
            self._devices.close(self.lockstep.now_s)
            self._wire.close()
            self.table.close()
            if self._trace is not None:
                self._trace.close(self.lockstep.now_s)

    def record(self) -> Record:
        """The game record, read back from the journal. Raises BalanxError where that could not be written."""
        if not self.journal.catch_up():
            raise BalanxError(f"{self.journal.path}: {self.journal.unsaved} turns could not be written")
        return replay(read_journal(self.journal.path.read_bytes()).events).record()

    def _record_or_none(self) -> Record | None:
        return self.record() if self.session.line.moves else None

    def _handle(self, event: e.GameEvent, now_s: float) -> None:
        if isinstance(event, e.GameStarted | e.TurnTaken | e.TakenBack | e.PositionSet | e.GameOver):
            self.journal.append(event)
        self._say(event)
        match event:
            case e.MoveWanted(seat=seat, position=position):
                move = self._think(self._players[seat], self.session.line, self._seed)
                self.lockstep.command(Announce(move, position))
            case e.Announced():
                # After a lost link it is said again: the hand may be at it, or have done it.
                if self.session.to_make is not None and not self.table.hand.busy:
                    self._move_by_hand(event)
            case e.TiltWanted(seat=seat) if self._by_hand:
                if isinstance(self.table, Table):
                    self.table.other_hand.push(seat)
            case e.TurnTaken():
                self.turns += 1
                self._last_turn_s, self._trouble = now_s, ""
                if self.turns >= self._max_turns and self.session.line.outcome is None:
                    self.lockstep.command(BreakOff(TURN_LIMIT))
            case e.GameOver():
                self.over = event
            case e.OutOfStep(say=say) | e.Fault(say=say) | e.SetUpWanted(say=say) | e.Question(say=say):
                self._trouble = say
            case e.InHand(lifted=lifted):
                self._trouble = f"a {self.session.game.piece} is missing on {', '.join(lifted)}"
            case e.LinkChanged(up=False, why=why):
                self._trouble = f"the board does not answer: {why}"
            case _:
                pass

    def _move_by_hand(self, announced: e.Announced) -> None:
        table, manner = self.table, self._manner or Manner.MEDIAN
        if isinstance(table, Table):
            table.hand.move(announced.from_cell, announced.to_cell, manner)
        elif self._pieces is not None:
            line = self.session.line
            move = line.game.parse_move(announced.move)
            self._pieces.play(table.hand, line.position, move, manner)


def headless_record(
    board: BoardConfig,
    players: Sequence[Player],
    *,
    seed: int | None,
    max_turns: int,
    pty: bool,
    date: str,
    trace_folder: Path | None,
    say: Callable[[e.GameEvent], None],
) -> Record:
    """Play one game in a scratch folder and give its record. Raises Stalled, BalanxError."""
    number = random.SystemRandom().randrange(1 << 31) if seed is None else seed
    with tempfile.TemporaryDirectory(prefix="balanx-") as folder:
        path = (trace_folder or Path(folder)) / "game.journal"
        trace = None
        if trace_folder is not None:
            trace = Trace(trace_folder, trace_header(board, players, number, date, max_turns))
            path.unlink(missing_ok=True)
        game = HeadlessGame(
            board,
            players,
            seed=number,
            journal=Journal(path),
            max_turns=max_turns,
            pty=pty,
            date=date,
            trace=trace,
            say=say,
        )
        game.play()
        return game.record()
