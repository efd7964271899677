"""A headless game with a person beside it, who answers truthfully what the daemon asks of people.

The person sees the simulated marbles: pushes the board where a drive has failed, says where a marble lies that no
sensor sees, says which move it was, nudges a marble that is stuck. Nothing more: no fault is told.
"""

from __future__ import annotations

from typing import Any

from balanxd.simulated.headless import STALL_S, HeadlessGame
from hardware.faults import FaultName
from referee import events as e
from referee.commands import BoardIsRight, Confirm, MarbleIsThere
from referee.errors import RefereeError
from sim.table import Table

PATIENCE_S = 6.0  # without anything new: then the person helps
GIVES_UP_S = STALL_S


class HelpedGame(HeadlessGame):
    """named: the faults that were said, in order. helped: how often the person did something."""

    def __init__(self, *args: Any, **options: Any) -> None:
        self.named: list[FaultName] = []
        self.helped = 0
        self._push: int | None = None
        self._last: e.GameEvent | None = None
        self._last_s = 0.0
        self._announced: e.Announced | None = None
        self._made = False  # the hand has made the announced move
        super().__init__(*args, **options)

    def _handle(self, event: e.GameEvent, now_s: float) -> None:
        fault = getattr(event, "fault", None)
        if isinstance(event, e.SensorNamed | e.Fault | e.OutOfStep) and fault is not None:
            self.named.append(fault)
        match event:
            case e.TiltWanted(seat=seat):
                self._push = seat
            case e.TurnOpened() | e.TiltStarted():
                self._push = None
            case e.Announced():
                self._announced = event
            case e.TurnTaken() | e.TakenBack() | e.PositionSet():
                self._announced, self._made = None, False
            case _:
                pass
        if not isinstance(event, e.SensorNamed | e.SensorTrusted | e.Fault | e.BackInStep):
            self._last, self._last_s = event, now_s
        super()._handle(event, now_s)

    def _move_by_hand(self, announced: e.Announced) -> None:
        """Nobody makes a move a second time because it is announced again."""
        if not self._made:
            self._made = True
            super()._move_by_hand(announced)

    def play(self) -> bool:  # type: ignore[override]
        """Play to the end; False where it came to none."""
        try:
            while self.over is None:
                now_s = self.lockstep.now_s
                if now_s >= self._last_turn_s + GIVES_UP_S:
                    return False
                self.lockstep.run(lambda: self.over is not None, now_s + 1.0)
                if self.over is None and self.lockstep.now_s - self._last_s >= PATIENCE_S:
                    self._help()
            return True
        finally:
            self._wire.close()
            if self._trace is not None:
                self._trace.close(self.lockstep.now_s)

    def _help(self) -> None:
        table = self.table
        assert isinstance(table, Table)
        if any(hand.busy or hand.carrying is not None for hand in table.hands):
            return
        self.helped += 1
        self._last_s = self.lockstep.now_s
        if self._push is not None:
            table.other_hand.push(self._push)
            return
        lying, names, told = table.occupancy(), self.session.game.cell_names, self._announced
        match self._last:
            case e.OutOfStep(code="stuck_marble", spaces=(high, low)):
                if names.index(high) in lying:
                    table.hand.move(names.index(high), names.index(low))
                else:
                    self._tell(BoardIsRight())
            case e.Question() if told is not None:
                self._tell(Confirm(told.move))
            case e.OutOfStep(missing=spaces) | e.InHand(lifted=spaces) | e.SetUpWanted(missing=spaces):
                missed = {names.index(space) for space in spaces}
                if told is not None and self._made:
                    missed.discard(told.from_cell)  # its neighbour may have rolled there
                unseen = sorted(missed & lying.keys())
                if unseen:
                    for cell in unseen:
                        self._tell(MarbleIsThere(cell))
                elif self._led_back():
                    pass
                elif told is not None:
                    self._tell(Confirm(told.move))
            case _ if told is not None and self._made:
                self._tell(Confirm(told.move))
            case _ if told is not None:
                table.hand.move(told.from_cell, told.to_cell)
                self._made = True
            case _:
                pass

    def _led_back(self) -> bool:
        """Does what the guide says, where one marble lies where it should not."""
        last, table, names = self._last, self.table, self.session.game.cell_names
        assert isinstance(table, Table)
        if not isinstance(last, e.OutOfStep) or len(last.missing) != 1 or len(last.extra) != 1:
            return False
        start, goal = names.index(last.extra[0]), names.index(last.missing[0])
        if start not in table.occupancy() or goal in table.occupancy():
            return False
        table.hand.move(start, goal)
        return True

    def _tell(self, command: Any) -> None:
        try:
            self.lockstep.command(command)
        except RefereeError:
            # The move was led back meanwhile, or never came about: it is made again.
            told, table = self._announced, self.table
            if isinstance(command, Confirm) and told is not None and isinstance(table, Table):
                self._made = told.to_cell in table.occupancy()
