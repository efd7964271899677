"""What the daemon's tests share: one traced headless game, and where its traces lie."""

from pathlib import Path

import pytest

from balanxd.config import simulated_board
from balanxd.players import parse_player
from balanxd.simulated.headless import headless_record

TURNS = 24


@pytest.fixture(scope="session")
def traced(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder of a trace and the record of its game: two random players, 24 turns, noise on."""
    folder = tmp_path_factory.mktemp("traced")
    record = headless_record(
        simulated_board(),
        [parse_player("random")] * 2,
        seed=7,
        max_turns=TURNS,
        pty=False,
        date="????.??.??",
        trace_folder=folder,
        say=lambda event: None,
    )
    return folder, record.text()
