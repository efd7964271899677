"""Every fault of the table against the image that is flashed: the daemon names it, and the game goes on."""

import pytest

from balanxd.config import parse_board
from balanxd.players import parse_player
from balanxd.simulated.headless import Stalled, headless_record
from referee import events as e

# name that must be said, what is told of the fault in the board file
FAULTS = {
    "stuck_on": 'kind = "stuck_on"\nspace = "d5"\nfrom_s = 8',
    "stuck_off": 'kind = "stuck_off"\nspace = "c2"\nfrom_s = 13',
    "bouncing": 'kind = "bouncing"\nspace = "c2"\nlasts_ms = 150',
    "flickering": 'kind = "flickering"\nspace = "d4"\nfrom_s = 8',
    "swapped": 'kind = "swapped"\nspace = "e1"\nother = "e2"\nfrom_s = 6',
    "dead_chain": 'kind = "dead_chain"\ninput = 40\nfrom_s = 8',
    "bytes_lost": 'kind = "bytes_lost"\nshare = 0.01\nfrom_s = 4',
    "bytes_flipped": 'kind = "bytes_flipped"\nshare = 0.01\nfrom_s = 4',
    "controller_reset": 'kind = "controller_reset"\nfrom_s = 9',
    "brown_out": 'kind = "brown_out"\nfrom_motion = 3\nmotions = 1',
    "servo_late": 'kind = "servo_late"\nfactor = 5.0\nfrom_motion = 3\nmotions = 2',
    "stalled": 'kind = "stalled"\nfrom_motion = 3',
    "wrong_way": 'kind = "wrong_way"\nfrom_motion = 3\nmotions = 2',
    "end_never": 'kind = "end_never"\nseat = 0\nfrom_s = 8',
    "end_always": 'kind = "end_always"\nseat = 1\nfrom_s = 10',
}


GIVE_UP = {"stalled", "servo_late", "wrong_way", "end_never", "end_always", "dead_chain", "brown_out"}


@pytest.mark.slow
@pytest.mark.parametrize("name", FAULTS)
def test_fault_is_named_and_the_game_goes_on(name: str) -> None:
    board = parse_board(f'[sim]\nfirmware = "build"\n[[sim.fault]]\n{FAULTS[name]}\n', name, None)
    named: dict[str, int] = {}
    turns = 0
    stopped = False

    def say(event: e.GameEvent) -> None:
        nonlocal turns
        turns += isinstance(event, e.TurnTaken)
        if fault := getattr(event, "fault", None):
            named.setdefault(str(fault), turns)

    player = parse_player("random")
    try:
        headless_record(
            board,
            (player, player),
            seed=3,
            max_turns=8,
            pty=False,
            date="2026.01.01",
            trace_folder=None,
            say=say,
        )
    except Stalled:
        # Nobody is there to push a board whose motor has failed, or to mend a chain: it stops and says so.
        stopped = True
    assert name in named, named
    assert not stopped or name in GIVE_UP
