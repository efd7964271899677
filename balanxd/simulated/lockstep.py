"""Lockstep: a simulated table and a pipeline in one loop, as fast as it can; simulated time is the only clock."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from balanxd.errors import BalanxError
from balanxd.pipeline import Pipeline
from balanxd.trace import Trace
from referee.commands import PlayerCommand
from referee.events import GameEvent
from sim.sensorboard import SensorBoard
from sim.table import Table

from .marbles import marble_rows
from .wire import Wire

STUCK_STEPS = 100_000  # steps without any time passing: a fault of ours, not of the board


class Lockstep:
    """Runs table and pipeline. `handle` gets every event before the bytes of the same step leave for the board."""

    def __init__(
        self,
        table: Table | SensorBoard,
        pipeline: Pipeline[Any, Any],
        wire: Wire,
        handle: Callable[[GameEvent, float], None],
        trace: Trace | None = None,
    ) -> None:
        self.table = table
        self.pipeline = pipeline
        self._wire = wire
        self._handle = handle
        self._trace = trace
        self.now_s = table.now_s
        self._traced = -1  # the pieces' version that was traced last
        self._settle(pipeline.opened(self.now_s))

    def command(self, command: PlayerCommand) -> None:
        """A player or machine wants something, now. Raises RefereeError."""
        self._settle(self.pipeline.command(command, self.now_s))

    def run(self, until: Callable[[], bool], limit_s: float) -> None:
        """Step until `until()`, or the simulated time `limit_s` has come."""
        pipeline = self.pipeline
        still = 0
        while not until():
            at_s = self._advance(min(limit_s, pipeline.due_s()))
            if at_s > self.now_s:
                self.now_s, still = at_s, 0
            else:
                still += 1
                if still > STUCK_STEPS:
                    raise BalanxError(f"no time passes any more at {self.now_s:.3f} s")
            self._exchange()
            if at_s >= limit_s:
                return

    def _advance(self, limit_s: float) -> float:
        """Let the table live until it has bytes to say, or to the limit; the time then."""
        table, trace = self.table, self._trace
        if trace is None:
            return table.advance_to_bytes(limit_s)
        # A trace shows every move of a marble, also those that send no bytes.
        at_s = table.advance_to_next(limit_s)
        if not isinstance(table, SensorBoard) or table.version != self._traced:
            self._traced = table.version if isinstance(table, SensorBoard) else -1
            trace.marbles(at_s, marble_rows(table), table.angle_deg)
        return at_s

    def _exchange(self) -> None:
        now_s, pipeline = self.now_s, self.pipeline
        data = self.table.read()
        if data:
            data = self._wire.up(data)
            if self._trace is not None:
                self._trace.up(now_s, data)
            self._settle(pipeline.receive(data, now_s))
        elif pipeline.due_s() <= now_s:
            self._settle(pipeline.tick(now_s))

    def _settle(self, events: list[GameEvent]) -> None:
        """Deal with events, then let the bytes out that belong to them."""
        for event in events:
            self._handle(event, self.now_s)
        data = self.pipeline.take_bytes()
        if data:
            if self._trace is not None:
                self._trace.down(self.now_s, data)
            self.table.write(self._wire.down(data))
