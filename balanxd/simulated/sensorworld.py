"""The simulated sensor board of a live game: pieces on a pseudo-terminal, moved by the page's virtual hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from balanxd.assemble import game_on
from balanxd.config import BoardConfig
from balanxd.devices import Devices
from balanxd.games import AnyLine
from balanxd.trace import Trace
from balanxd.web import actions as a
from referee.events import Announced
from sim.deeds import Manner
from sim.sensorboard import SensorBoard

from .build import build_sensor_board, simulated_devices
from .marbles import marble_rows
from .pieces import set_of
from .plugged import NOT_FOR_THE_HAND, NOT_FREE, Plugged

NOTHING_HELD = "The hand holds nothing."


class SensorWorld(Plugged[SensorBoard]):
    """See balanxd.world.World."""

    def __init__(
        self,
        board: BoardConfig,
        seed: int,
        memory: Path | None,
        say: Callable[[str], None],
        trace: Trace | None = None,
    ) -> None:
        """memory: file beside which the pieces outlive the process, None for none."""
        game = game_on(board, seed=seed)
        if memory is not None:  # each board has its own pieces
            memory = memory.with_stem(f"{memory.stem}-{game.board_kind.replace(' ', '-')}")
        super().__init__(board, lambda: build_sensor_board(board, game, seed), memory, say, trace)
        self._names = game.cell_names

    def devices(self) -> Devices:
        """See World."""
        return simulated_devices(self._board, self.simulator)

    def lay(self, line: AnyLine) -> None:
        """See World."""
        self.simulator.place(set_of(line.game, self._board.sensor).laid(line.position))

    def _play(self, line: AnyLine, announced: Announced) -> None:
        game, hand = line.game, self.simulator.hand
        move = game.parse_move(announced.move)
        taken_from = hand.taken_from
        if taken_from is not None and not game.picture(line.position, self._board.sensor)[taken_from]:
            hand.put_aside()  # a disk that was chosen: the choice counted as soon as it was lifted
        pieces = set_of(game, self._board.sensor)
        pieces.play(self.simulator.other_hand, line.position, move, Manner.MEDIAN)

    def push(self, seat: int) -> None:
        """See World. The board does not tilt."""
        del seat

    def act(self, action: a.Action) -> str:
        """See World."""
        hand, names = self.simulator.hand, self._names
        match action:
            case a.Lift(space) | a.Put(space) | a.Turn(space) if space not in names:
                return f"{space} is no cell of this board."
            case a.Lift(space, count):
                if hand.held or hand.busy:
                    return NOT_FREE
                hand.lift(names.index(space), count=count)
            case a.Put(space, turn, pointer):
                if not hand.held and not hand.busy:
                    return NOTHING_HELD
                self._make_room(names.index(space))
                hand.put(names.index(space), turn=turn, pointer=pointer)
            case a.Turn(space, turn, pointer):
                if hand.held or hand.busy:
                    return NOT_FREE
                hand.turn(names.index(space), turn=turn, pointer=pointer)
            case a.Fetch(kind):
                if hand.held or hand.busy:
                    return NOT_FREE
                if not any(view.kind == kind and view.cell is None for view in self.simulator.pieces()):
                    return "No such piece lies beside the board."
                hand.fetch(kind)
            case a.PutBack():
                hand.put_back()
            case a.PutAside():
                hand.put_aside()
            case a.Press(button):
                return self.press(button)
            case a.Hover():
                pass  # the page itself shows where the hand is
            case _:
                return NOT_FOR_THE_HAND
        return ""

    def _make_room(self, cell: int) -> None:
        """A piece that cannot be stacked is put where another lies: the other hand takes that one away first."""
        table = self.simulator
        lies_there = any(view.cell == cell for view in table.pieces())
        if lies_there and not table.codes.stacks and not table.other_hand.busy:
            table.other_hand.lift(cell)
            table.other_hand.put_aside()
            table.hand.wait(0.6)  # it is the quicker one

    def table(self) -> dict[str, object]:
        """See World."""
        held = [piece.id for piece in self.simulator.hand.held]
        cell = self.simulator.hand.taken_from
        taken_from = None if cell is None else self._names[cell]
        rows = []
        for row in marble_rows(self.simulator):
            lies = row["cell"]
            rows.append({**row, "cell": None if lies is None else self._names[lies]})
        return {"pieces": rows, "held": held, "taken_from": taken_from, "angle": 0.0}
