"""Which drive a board gets: no motor of a real board moves before its side was checked."""

from __future__ import annotations

import pytest

from balanxd.assemble import assemble, game_on
from balanxd.config import parse_board
from balanxd.players import Player
from hardware.manual import ManualDrive
from hardware.tilt import ServoDrive
from rules.line import Line

REAL = '[link]\nport = "/dev/null"\n'


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", ServoDrive),
        ('[tilt]\ndrive = "manual"\n', ManualDrive),
        ("[tilt]\nside_checked = false\n", ManualDrive),
        (REAL, ManualDrive),
        (REAL + "[tilt]\nside_checked = true\n", ServoDrive),
    ],
)
def test_a_motor_is_used_once_its_side_was_checked(text: str, kind: type) -> None:
    board = parse_board(text, "board.toml")
    line = Line.begin(game_on(board))
    pipeline = assemble(board, line, [Player("human"), Player("human")], seed=1, header=None)
    assert isinstance(pipeline.drive, kind)
    assert pipeline.drive.motor is (kind is ServoDrive)
