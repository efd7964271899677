"""Light before every start of a motor, also before the one that a move itself brings about; and nothing sent then."""

from __future__ import annotations

import pytest

from balanxd.assemble import assemble, game_on, header_of
from balanxd.config import parse_board
from balanxd.lights.outlet import QUIET_S
from balanxd.lights.signals import Signal
from balanxd.players import Player
from balanxd.simulated.build import build_table
from balanxd.simulated.lockstep import Lockstep
from balanxd.simulated.wire import PipeWire
from referee import events as e
from rules.line import Line

AMBER = Signal.TILT.value.colour
LIT_S = 0.3  # of 0.7, by its blink


@pytest.mark.parametrize("drive", ["servo", "manual"])
def test_a_move_that_is_seen_lights_the_warning_where_a_motor_follows(drive: str) -> None:
    board = parse_board(f'[tilt]\ndrive = "{drive}"\n[lights]\non = true\nsupply_ma = 5000\n', "lit")
    players = [Player("human"), Player("human")]
    line = Line.begin(game_on(board))
    events: list[e.GameEvent] = []
    table = build_table(board, 1)
    pipeline = assemble(board, line, players, seed=1, header=header_of(line, board, players, "????.??.??"))
    lockstep = Lockstep(table, pipeline, PipeWire(), lambda event, now_s: events.append(event))

    def happened(*kinds: type[e.Event]) -> bool:
        return any(isinstance(event, kinds) for event in events)

    lockstep.run(lambda: happened(e.TurnOpened), lockstep.now_s + 60.0)
    lockstep.run(lambda: False, lockstep.now_s + 1.0)
    start, goal = line.game.travel(line.game.moves(line.position)[0])
    hand = table.hands[0]
    hand.lift(start)
    lockstep.run(lambda: not hand.busy, lockstep.now_s + 9.0)
    events.clear()
    hand.put(goal)
    lockstep.run(lambda: happened(e.MoveProvisional), lockstep.now_s + 9.0)
    seen_s = lockstep.now_s
    lit_s = sent_s = 0.0
    before = table.lights
    while not happened(e.TurnTaken):
        lockstep.run(lambda: False, lockstep.now_s + 0.01)
        lit_s += 0.01 * (sum(colour == AMBER for colour in table.lights) == 56)
        if table.lights != before and not happened(e.TiltStarted):
            before, sent_s = table.lights, lockstep.now_s
    warned = drive == "servo"
    assert happened(e.TiltStarted) == warned
    assert (lit_s > LIT_S) == warned
    if warned:
        assert lockstep.now_s - sent_s >= QUIET_S - 0.05
        assert lockstep.now_s - seen_s >= board.limits.warning_s - 0.05
