"""The simulated board of a live game: a `Table` on a pseudo-terminal, moved by the page's virtual hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from balanxd.config import BoardConfig
from balanxd.devices import Devices
from balanxd.games import AnyLine
from balanxd.trace import Trace
from balanxd.web import actions as a
from referee.events import Announced
from sim.table import Table

from .build import build_table, simulated_devices
from .plugged import NOT_FOR_THE_HAND, NOT_FREE, Plugged
from .sensorworld import SensorWorld


class SimulatedWorld(Plugged[Table]):
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
        super().__init__(board, lambda: build_table(board, seed), memory, say, trace)

    def devices(self) -> Devices:
        """See World."""
        return simulated_devices(self._board, self.simulator)

    def lay(self, line: AnyLine) -> None:
        """See World."""
        game = line.game
        owners = ((cell, game.owner(line.position, cell)) for cell in range(game.cells))
        self.simulator.place({cell: seat for cell, seat in owners if seat is not None})

    def _play(self, line: AnyLine, announced: Announced) -> None:
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
                    return NOT_FREE
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
            case a.Press(button):
                return self.press(button)
            case _:
                return NOT_FOR_THE_HAND
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


def simulated_world(
    board: BoardConfig, seed: int, memory: Path | None, say: Callable[[str], None], trace: Trace | None
) -> SimulatedWorld | SensorWorld:
    """A WorldMaker."""
    if board.tags:
        return SensorWorld(board, seed, memory, say, trace)
    return SimulatedWorld(board, seed, memory, say, trace)
