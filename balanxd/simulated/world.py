"""The simulated board of a live game: a `Table` on a pseudo-terminal, moved by the page's virtual hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from balanxd.config import BoardConfig
from balanxd.devices import Devices
from balanxd.games import AnyLine
from balanxd.trace import Trace
from balanxd.web import actions as a
from firmware_bridge.transport import PseudoPort, Transport
from referee.events import Announced

from .build import build_table
from .marbles import marble_rows
from .memory import Memory
from .pinned import simulated_devices
from .sensorworld import SensorWorld

LOOK_S = 0.005
LINGER_S = 0.3  # an eye is still shown frames so long after the last motion


class SimulatedWorld:
    """See balanxd.world.World."""

    def __init__(
        self,
        board: BoardConfig,
        seed: int,
        memory: Path | None,
        say: Callable[[str], None],
        trace: Trace | None = None,
    ) -> None:
        """memory: file in which the marbles outlive the process, None for none."""
        self._board = board
        self._memory = Memory(memory)
        self._trace = trace
        self.simulator = build_table(board, seed)
        self._port = PseudoPort()
        self.remembers = self._remember(say)

    def _remember(self, say: Callable[[str], None]) -> bool:
        if not self._memory.restore(self.simulator, say):
            if self._memory.there:
                self.simulator.close()
                self.simulator = build_table(self._board, 0)
            return False
        for hand in self.simulator.hands:
            # Whoever held a marble when the lights went out lays it back first.
            if hand.carrying is not None:
                hand.put_back()
        return True

    def devices(self) -> Devices:
        """See World."""
        return simulated_devices(self._board, self.simulator)

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

    def lay(self, line: AnyLine) -> None:
        """See World."""
        game = line.game
        owners = ((cell, game.owner(line.position, cell)) for cell in range(game.cells))
        self.simulator.place({cell: seat for cell, seat in owners if seat is not None})

    def play_move(self, line: AnyLine, announced: Announced) -> None:
        """See World."""
        self.simulator.other_hand.move(announced.from_cell, announced.to_cell)

    def push(self, seat: int) -> None:
        """See World."""
        self.simulator.other_hand.push(seat)

    def act(self, action: a.Action) -> str:
        """See World."""
        hand = self.simulator.hand
        names = self._board.layout.cell_names
        pitch = self._board.layout.pitch_mm
        match action:
            case a.Lift(space) | a.Put(space) if space not in names:
                return f"{space} is no space of this board."
            case a.Lift(space):
                if hand.carrying is not None or hand.busy:
                    return "The hand is not free."
                hand.lift(names.index(space))
            case a.Hover(x, y):
                if hand.carrying is not None or hand.busy:
                    hand.hover(x * pitch, y * pitch)
            case a.Put(space):
                hand.put(names.index(space))
            case a.PutBack():
                hand.put_back()
            case a.Push(seat):
                hand.push(seat)
            case _:
                return "This is nothing for the hand."
        return ""

    def table(self) -> dict[str, object]:
        """See World."""
        pitch = self._board.layout.pitch_mm
        marbles = [
            {
                "id": view.id,
                "seat": view.seat,
                "x": round(view.x_mm / pitch, 3),
                "y": round(view.y_mm / pitch, 3),
                "hand": view.in_hand,
                "moving": view.moving,
            }
            for view in self.simulator.marbles()
        ]
        return {"marbles": marbles, "angle": round(self.simulator.angle_deg, 2)}

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


def simulated_world(
    board: BoardConfig, seed: int, memory: Path | None, say: Callable[[str], None], trace: Trace | None
) -> SimulatedWorld | SensorWorld:
    """A WorldMaker."""
    if board.tags:
        return SensorWorld(board, seed, memory, say, trace)
    return SimulatedWorld(board, seed, memory, say, trace)
