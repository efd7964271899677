"""Headless games: how many of each kind a second go over the whole chain, on simulated boards, without thinking."""

from __future__ import annotations

import time

from balanxd.config import parse_board
from balanxd.options import OTHERS, checked_tags
from balanxd.players import parse_player
from balanxd.simulated.headless import headless_record
from rules.games import game_named

from .figures import Figure

GAMES = 4
TURNS = 600


def measure_headless() -> list[Figure]:
    """Games a second of processor time, and what a turn takes: two random players, the usual boards."""
    return [_measure(name) for name in OTHERS]


def _measure(name: str) -> Figure:
    board = parse_board("", f"the bench's board for {name}", None, checked_tags(name, {}))
    players = [parse_player("random")] * len(game_named(name).seats)
    turns, begun = 0, time.process_time()
    for seed in range(GAMES):
        record = headless_record(
            board,
            players,
            seed=seed,
            max_turns=TURNS,
            pty=False,
            date="????.??.??",
            trace_folder=None,
            say=lambda event: None,
        )
        turns += len(record.line.moves)
    spent_s = time.process_time() - begun
    what = f"{name}, {turns / GAMES:.0f} turns a game, {spent_s / turns * 1000:.1f} ms a turn"
    return Figure(f"headless_{name}", what, GAMES / spent_s, "games/s")
