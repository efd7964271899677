"""A game on the emulated image that is flashed: how much faster than real time, with the world connected."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from balanxd.config import parse_board
from balanxd.errors import BalanxError
from balanxd.journal import Journal
from balanxd.players import parse_player
from balanxd.simulated.headless import HeadlessGame

from .figures import Figure

TURNS = 60
TARGET = 30.0


def measure_emulated() -> list[Figure]:
    """Time on the table against processor time of daemon and emulator together, which take turns."""
    what = "the firmware's image in the emulator, with its world"
    cores = os.sched_getaffinity(0)
    try:
        # On one core, as they take turns anyway: to wake another one costs more than many a turn.
        os.sched_setaffinity(0, {min(cores)})
        seconds, ours_s, emulator_s = _play()
    except BalanxError as error:
        return [Figure("emulated", what, None, "x real time", TARGET, "min", str(error))]
    finally:
        os.sched_setaffinity(0, cores)
    note = (
        f"{TURNS} turns, {seconds:.0f} s on the table; emulator {emulator_s:.1f} s, all else {ours_s:.1f} s"
    )
    return [
        Figure("emulated", what, seconds / (ours_s + emulator_s), "x real time", TARGET, "min", note),
        Figure("emulated_alone", "the emulator's own share of it", seconds / emulator_s, "x real time"),
    ]


def _play() -> tuple[float, float, float]:
    with tempfile.TemporaryDirectory(prefix="balanx-") as folder:
        game = HeadlessGame(
            parse_board('[sim]\nfirmware = "build"\n', "the bench's board"),
            [parse_player("random")] * 2,
            seed=1,
            journal=Journal(Path(folder) / "game.journal"),
            max_turns=TURNS,
            repetition=False,
        )
        before = os.times()
        game.play()  # the emulator has ended then, so that its time counts
        after = os.times()
    ours_s = after.user + after.system - before.user - before.system
    children_s = after.children_user + after.children_system
    return (
        game.lockstep.now_s,
        ours_s,
        children_s - before.children_user - before.children_system,
    )
