"""A simulated board plugged into a pseudo-terminal: what a live game does with its bytes, memory and hands.

What lies on it, and what the page's hand may do to that, is said by whoever is one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Generic, TypeVar

from balanxd.config import BoardConfig
from balanxd.games import AnyLine
from balanxd.trace import Trace
from firmware_bridge.transport import PseudoPort, Transport
from hardware.buttons import Button
from referee.events import Announced
from sim.sensorboard import SensorBoard
from sim.table import Table

from .marbles import marble_rows
from .memory import Memory

B = TypeVar("B", bound=Table | SensorBoard)

LOOK_S = 0.005
LINGER_S = 0.3  # an eye is still shown frames so long after the last motion
NOT_FREE = "The hand is not free."
NOT_FOR_THE_HAND = "This is nothing for the hand."
NO_BUTTON = "This board has no button {}."


class Plugged(ABC, Generic[B]):
    """Most of a balanxd.world.World."""

    def __init__(
        self,
        board: BoardConfig,
        build: Callable[[], B],
        memory: Path | None,
        say: Callable[[str], None],
        trace: Trace | None,
    ) -> None:
        """memory: file in which whatever lies on the board outlives the process, None for none."""
        self._board = board
        self._memory = Memory(memory)
        self._trace = trace
        self.simulator = build()
        self._port = PseudoPort()
        self.remembers = self._memory.restore(self.simulator, say)
        if self.remembers:
            for hand in self.simulator.hands:
                # Whoever held something when the lights went out lays it back first.
                if hand.carrying is not None:
                    hand.put_back()
        elif self._memory.there:
            self.simulator.close()
            self.simulator = build()

    @property
    def port(self) -> str:
        """See World."""
        return self._port.port

    @property
    def end(self) -> Transport:
        """See World."""
        return self._port

    def step(self, now_s: float) -> None:
        """See World."""
        table = self.simulator
        table.advance(now_s)
        up = table.read()
        if up:
            self._port.write(up)
        if self._trace is not None:
            self._trace.marbles(now_s, marble_rows(table), table.angle_deg)

    def listen(self) -> None:
        """See World."""
        down = self._port.read()
        if down:
            self.simulator.write(down)

    def due_s(self) -> float:
        """See World."""
        table = self.simulator
        # An emulated chip tells nobody beforehand when it will speak.
        return min(table.next_s(), table.now_s + LOOK_S) if table.controller.own_time else table.next_s()

    def play_move(self, line: AnyLine, announced: Announced) -> None:
        """See World."""
        hand, move = self.simulator.other_hand, (line.position.ply, announced.move)
        if not hand.is_at(move):  # else it is said again, after a lost link
            self._play(line, announced)
            hand.is_for(move)

    @abstractmethod
    def _play(self, line: AnyLine, announced: Announced) -> None:
        """Tell the other hand to make a move."""

    def press(self, button: Button) -> str:
        """A finger presses a button; empty when done, else why not."""
        if button not in self.simulator.buttons.there:
            return NO_BUTTON.format(button.upper())
        self.simulator.buttons.press(button)
        return ""

    @property
    def stirring(self) -> bool:
        """See World."""
        table = self.simulator
        if table.tilting or any(hand.busy or hand.carrying is not None for hand in table.hands):
            return True
        return table.now_s - table.last_motion_s < LINGER_S

    @property
    def bearings_hold(self) -> bool:
        """See World."""
        return self.simulator.bearings_hold

    def save(self) -> None:
        """See World. A crash of the process loses nothing; a power cut may: this is no game record."""
        self._memory.save(self.simulator)

    def close(self) -> None:
        """See World."""
        self._port.close()
        self.simulator.close()
