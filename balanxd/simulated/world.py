"""The simulated board of a live game: a `Table` on a pseudo-terminal, moved by the page's virtual hand."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path

from balanxd.config import BoardConfig
from balanxd.devices import Devices
from balanxd.trace import Trace
from balanxd.web import actions as a
from firmware_bridge.transport import PseudoPort, Transport
from sim.errors import SimError

from .build import build_table, set_up
from .marbles import marble_rows
from .pinned import simulated_devices

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
        self._memory = memory
        self._saved = ""
        self._trace = trace
        self.simulator = build_table(board, seed)
        self._port = PseudoPort()
        self.remembers = memory is not None and memory.exists() and self._remember(memory, say)

    def _remember(self, memory: Path, say: Callable[[str], None]) -> bool:
        try:
            self.simulator.restore(json.loads(memory.read_text()))
        except (OSError, ValueError, SimError) as error:
            say(
                f"{memory.name}: where the simulated marbles lay cannot be read ({error}); they are laid anew."
            )
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
        return self.simulator.next_s()

    def set_up(self) -> None:
        """See World."""
        set_up(self.simulator, self._board)

    def lay(self, marbles: Mapping[int, int]) -> None:
        """See World."""
        self.simulator.place(marbles)

    def play_move(self, from_cell: int, to_cell: int) -> None:
        """See World."""
        self.simulator.other_hand.move(from_cell, to_cell)

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
        if self._memory is None:
            return
        text = json.dumps(self.simulator.snapshot())
        if text != self._saved:
            self._saved = text
            spare = self._memory.with_suffix(".new")
            spare.write_text(text)
            os.replace(spare, self._memory)

    def close(self) -> None:
        """See World."""
        self._port.close()


def simulated_world(
    board: BoardConfig, seed: int, memory: Path | None, say: Callable[[str], None], trace: Trace | None
) -> SimulatedWorld:
    """A WorldMaker."""
    return SimulatedWorld(board, seed, memory, say, trace)
