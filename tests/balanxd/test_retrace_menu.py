"""A game in which people used the menu, told by the board's bytes alone."""

from pathlib import Path

import pytest

from balanxd.assemble import assemble, game_on, header_of
from balanxd.buttons import buttons_text
from balanxd.config import parse_board
from balanxd.games import replay
from balanxd.players import Player
from balanxd.retrace import retrace
from balanxd.simulated.build import build_table
from balanxd.simulated.lockstep import Lockstep
from balanxd.simulated.wire import PipeWire
from balanxd.trace import Trace, trace_header
from hardware.buttons import Button
from referee import events as e
from rules.line import Line

PEOPLE = (Player("human"), Player("human"))


class Traced:
    """A board that leaves a trace, and the journal's events of its game."""

    def __init__(self, folder: Path) -> None:
        self.board = parse_board(f"{buttons_text(56)}[sim.tilt]\nstart_deg = 8.0\n", "traced")
        line: Line = Line.begin(game_on(self.board))
        self.table = build_table(self.board, 1)
        starts = self.board.layout.starts
        self.table.place({cell: seat for seat in (0, 1) for cell in starts[seat]})
        self.pipeline = assemble(
            self.board, line, PEOPLE, seed=1, header=header_of(line, self.board, PEOPLE, "????.??.??")
        )
        self.lasting: list[e.Lasting] = []
        self.trace = Trace(folder, trace_header(self.board, PEOPLE, 1, "????.??.??", None))
        self.lockstep = Lockstep(self.table, self.pipeline, PipeWire(), self._handle, self.trace)
        self.run(2.0)

    def _handle(self, event: e.GameEvent, now_s: float) -> None:
        if isinstance(event, e.GameStarted | e.TurnTaken | e.TakenBack | e.PositionSet | e.GameOver):
            self.lasting.append(event)

    def run(self, lasts_s: float) -> None:
        self.lockstep.run(lambda: False, self.lockstep.now_s + lasts_s)

    def move(self, start: str, goal: str) -> None:
        names = self.board.layout.cell_names
        self.table.hand.move(names.index(start), names.index(goal))
        self.run(8.0)

    def press(self, *buttons: Button) -> None:
        for button in buttons:
            self.table.buttons.press(button)
            self.run(0.5)


@pytest.mark.parametrize("taps", [False, True], ids=["buttons", "taps"])
def test_turns_taken_back_by_the_menu_are_taken_back_in_the_replay(tmp_path: Path, taps: bool) -> None:
    game = Traced(tmp_path)
    game.move("a7", "a4")
    if taps:
        for times in (3, 2):
            game.table.hand.tap(game.board.layout.cell_names.index("e1"), times)
            game.run(6.0)
    else:
        game.press(Button.YES, Button.YES)
    game.run(3.0)
    game.move("a4", "a7")
    game.move("c8", "e8")
    game.trace.close(game.lockstep.now_s)
    told = replay(game.lasting).record().text()
    assert any(isinstance(event, e.TakenBack) for event in game.lasting)
    assert "c8-e8" in told
    assert retrace(tmp_path).text() == told


def test_another_game_ends_the_record_of_this_one(tmp_path: Path) -> None:
    game = Traced(tmp_path)
    game.move("a7", "a4")
    game.press(Button.STOP, Button.YES, *[Button.NEXT] * 5, Button.YES, Button.YES)
    assert game.pipeline.take_wanted()
    game.run(1.0)
    game.move("g2", "g5")
    game.trace.close(game.lockstep.now_s)
    assert "g2-g5" not in retrace(tmp_path).text()
