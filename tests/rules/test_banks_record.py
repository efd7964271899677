"""Records of BANKS: numbered by round, round trip, and refusals that name the place."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.banks import BanksGame, HouseRules, Lattice
from rules.errors import RecordError
from rules.line import Line
from rules.record import Record

SEEDS = st.integers(0, 2**32 - 1)
GAME = BanksGame.shuffled(Lattice(4, 4), 3, 2, 1)
RECORD = """\
[Seat1 "guest"]
[Seat2 "engine 3"]
[Seat3 "Ann"]
[Game "banks"]
[Board "4x4"]
[Players "3"]
[Setup "1553/3..0/.2.4/1420 ------ 0,0,0,0,0,0;0,0,0,0,0,0;0,0,0,0,0,0 2 0"]
[Result "*"]

1. *a1 *b1 *d1 2. *d2 *b3 *d3 3. a2-b3 *
"""


def _played(game: BanksGame, seed: int, plies: int) -> Line[Any, Any]:
    rng = random.Random(seed)
    line: Line[Any, Any] = Line.begin(game)
    while line.outcome is None and len(line.moves) < plies:
        line = line.push(rng.choice(game.moves(line.position)))
    return line


def test_rounds_are_numbered_in_the_order_of_turns() -> None:
    record = Record.parse(RECORD)
    assert record.text() == RECORD
    assert record.line.position.side == 1
    assert [position.side for position in record.line.positions] == [2, 1, 0, 2, 1, 0, 0, 1]


@given(
    st.integers(2, 6),
    st.integers(1, 4),
    SEEDS,
    st.integers(0, 200),
    st.sampled_from([0, 1, 20]),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)
@settings(max_examples=60)
def test_writing_and_reading_back_gives_the_same_record(
    players: int, disks: int, seed: int, plies: int, quiet: int, spot: bool, whole: bool, cut: bool
) -> None:
    game = BanksGame.shuffled(Lattice(4, 3), players, disks, seed, HouseRules(quiet, spot, whole))
    line = _played(game, seed, plies)
    if cut:  # a record that begins in the middle, as after "the board is right"
        line = Line.begin(game, line.positions[len(line.moves) // 2]).extend(
            line.moves[len(line.moves) // 2 :]
        )
    if line.outcome is None and seed % 3 == 0:
        line = line.ended(game.agreed(line.position))
    record = Record.of(line, [("Event", "club")], {0: ["laid out"]} if seed % 2 else None)
    again = Record.parse(record.text())
    assert again.text() == record.text()
    assert (again.line.positions, again.line.moves) == (line.positions, line.moves)
    assert again.line.outcome == line.outcome
    assert isinstance(again.line.game, BanksGame)
    assert (again.line.game.laws, again.tags) == (game.laws, record.tags)


BAD = {
    "no setup": (RECORD.replace("[Setup", "[Set"), "the tag [Setup] is missing"),
    "setup": (RECORD.replace("1553/", "1563/"), "[Setup] rows, row 1: unknown letter '6' at c1"),
    "board": (RECORD.replace("4x4", "4x5"), "[Board] says '4x5', but [Setup] has 4x4"),
    "players": (RECORD.replace('"3"', '"2"'), "[Players] says '2', but [Setup] has 3"),
    "disks": (RECORD.replace("[Setup", '[Disks "0"]\n[Setup'), "[Disks] disks: 0"),
    "disks text": (RECORD.replace("[Setup", '[Disks "x"]\n[Setup'), "[Disks] must be a whole number"),
    "quiet": (RECORD.replace("[Setup", '[QuietTurns "1001"]\n[Setup'), "[QuietTurns] quiet turns: 1001"),
    "switch": (RECORD.replace("[Setup", '[WholeSet "yes"]\n[Setup'), '[WholeSet] must be "on" or "off"'),
    "taken colour": (RECORD.replace("*b1", "*a4"), "line 10: move 1 of Player 2 *a4: colour_taken: "),
    "number": (RECORD.replace("2. *d2", "3. *d2"), "line 10: number 3. where 2. is due"),
    "result": (
        RECORD.replace("a2-b3 *", "a2-b3 1 1 1").replace('Result "*"', 'Result "1 1 1"'),
        "the result is",
    ),
    "limit": (
        RECORD.replace("a2-b3 *", "a2-b3 1 1 1 quiet").replace('Result "*"', 'Result "1 1 1 quiet"'),
        "the result is",
    ),
    "illegal": (RECORD.replace("a2-b3", "b2-b3"), "line 10: move 3 of Player 1 b2-b3: empty_from: "),
    "illegal choice": (RECORD.replace("*b1", "*b2"), "line 10: move 1 of Player 2 *b2: empty_from: "),
}


@pytest.mark.parametrize(("text", "start"), BAD.values(), ids=BAD)
def test_records_that_are_refused(text: str, start: str) -> None:
    with pytest.raises(RecordError) as error:
        Record.parse(text)
    assert str(error.value).startswith(start)
