"""The checker finds nothing in an honest game, and finds each kind of lie."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from checker import check_trace
from checker.board import read_plan, read_position
from checker.compare import check_table
from checker.journal import moves_of_record, read_journal, write_line

Entry = dict[str, Any]


@pytest.fixture
def forged(traced: tuple[Path, str], tmp_path: Path) -> Path:
    """A copy of the trace, to lie in."""
    folder = tmp_path / "forged"
    shutil.copytree(traced[0], folder)
    return folder


def entries_of(folder: Path) -> list[Entry]:
    entries, wrong = read_journal((folder / "game.journal").read_bytes())
    assert wrong == []
    return entries


def forge(folder: Path, entries: list[Entry]) -> list[str]:
    """Write a journal whose checksums are right, and what the checker says of it."""
    lines = [write_line(number, entry) for number, entry in enumerate(entries, start=1)]
    (folder / "game.journal").write_bytes(b"".join(lines))
    return check_trace(folder).wrong


def test_an_honest_game_is_believed_and_every_turn_was_seen(traced: tuple[Path, str]) -> None:
    folder, record = traced
    report = check_trace(folder, record)
    assert report.wrong == []
    assert report.turns == 24
    # The start and all positions but the last, after which no marble was lifted and the board was still level.
    assert (report.exact, report.early) == (24, 1)


def test_a_flipped_colour_in_a_position_is_found(forged: Path) -> None:
    entries = entries_of(forged)
    entries[9]["position"] = (
        entries[9]["position"].replace("W", "b", 1).replace("B", "W", 1).replace("b", "B")
    )
    assert any("line 10" in line for line in forge(forged, entries))


def test_a_marble_that_changes_its_colour_is_found(forged: Path) -> None:
    path = forged / "marbles.jsonl"
    lines = path.read_text().splitlines()
    for number in range(len(lines) // 2, len(lines)):
        frame = json.loads(lines[number])
        frame["marbles"][3]["seat"] ^= 1
        lines[number] = json.dumps(frame)
    path.write_text("\n".join(lines) + "\n")
    assert any("changed its colour" in line for line in check_trace(forged).wrong)


def test_a_lost_marble_is_found(forged: Path) -> None:
    path = forged / "marbles.jsonl"
    lines = path.read_text().splitlines()
    frame = json.loads(lines[-1])
    del frame["marbles"][0]
    path.write_text("\n".join([*lines[:-1], json.dumps(frame)]) + "\n")
    assert any("19 marbles" in line for line in check_trace(forged).wrong)


def test_swapped_moves_are_found(forged: Path) -> None:
    entries = entries_of(forged)
    entries[4]["move"], entries[6]["move"] = entries[6]["move"], entries[4]["move"]
    wrong = forge(forged, entries)
    assert any("line 5" in line and "the marble went" in line for line in wrong)
    assert any("line 7" in line and "the marble went" in line for line in wrong)


def test_each_single_turn_that_is_missing_is_found(forged: Path) -> None:
    whole = entries_of(forged)
    turns = [number for number, entry in enumerate(whole) if entry["event"] == "TurnTaken"]
    for number in turns[:-1]:
        assert forge(forged, whole[:number] + whole[number + 1 :]), f"line {number + 1}"


def test_each_single_wrong_position_is_found(forged: Path) -> None:
    whole = entries_of(forged)
    for number in range(1, len(whole) - 1):
        lied = [dict(entry) for entry in whole]
        placement, side, ply = lied[number]["position"].split(" ")
        rows = placement.split("/")
        rows[0], rows[1] = rows[1], rows[0]
        lied[number]["position"] = " ".join(["/".join(rows), side, ply])
        if lied[number]["position"] != whole[number]["position"]:
            assert forge(forged, lied), f"line {number + 1}"


def test_a_move_that_another_marble_made_is_found(forged: Path) -> None:
    entries = entries_of(forged)
    start, _ = entries[3]["move"].split("-")
    entries[3]["move"] = f"{start}-d4"
    assert forge(forged, entries)


def test_times_that_run_backwards_and_broken_lines_are_found(forged: Path) -> None:
    entries = entries_of(forged)
    entries[5]["at_s"], entries[6]["at_s"] = entries[6]["at_s"], entries[5]["at_s"]
    assert any("earlier" in line for line in forge(forged, entries))
    path = forged / "game.journal"
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    assert check_trace(forged).wrong


def test_a_record_of_another_game_is_found(traced: tuple[Path, str]) -> None:
    folder, record = traced
    moves, result = moves_of_record(record)
    assert len(moves) == 24
    assert result == "*"
    assert check_trace(folder, record.replace(moves[7], moves[9], 1)).wrong
    assert check_trace(folder, record.replace("{turn limit} *", "{turn limit} 1-0 home")).wrong


def test_the_command_says_what_is_wrong_and_fails(traced: tuple[Path, str], forged: Path) -> None:
    tests = Path(__file__).resolve().parents[1]
    command = [sys.executable, "-m", "checker"]
    good = subprocess.run([*command, traced[0]], cwd=tests, capture_output=True, text=True, check=False)
    assert (good.returncode, good.stderr) == (0, "")
    assert "24 turns" in good.stdout
    entries = entries_of(forged)
    forge(forged, entries[:5] + entries[6:])
    bad = subprocess.run([*command, forged], cwd=tests, capture_output=True, text=True, check=False)
    assert bad.returncode == 1
    assert bad.stderr


def test_its_own_reading_of_layouts_gives_the_spec_start() -> None:
    plan = read_plan('name = "classic"\nfiles = 7\nranks = 8\nfirst_groove = [2, 1, 2, 1, 2, 1, 2]\n')
    assert sum(len(groove) == 2 for groove in plan.grooves) == 25
    assert sum(len(groove) == 1 for groove in plan.grooves) == 6
    start = read_position("WWWW3/WWW4/WW5/W6/6B/5BB/4BBB/3BBBB W 0")
    assert plan.rolled(start.lying, 0) == start.lying == plan.rolled(start.lying, 1)


def test_a_table_that_is_elsewhere_than_the_journal_is_found(traced: tuple[Path, str]) -> None:
    plan = read_plan(json.loads((traced[0] / "game.json").read_text())["layout_text"])
    journal = (traced[0] / "game.journal").read_bytes()
    entries, _ = read_journal(journal)
    lying = read_position(entries[-2]["position"]).lying
    marbles = [{"seat": seat, "cell": rank * plan.files + file} for (file, rank), seat in lying.items()]
    assert check_table(plan, journal, json.dumps({"marbles": marbles})).wrong == []
    free = [cell for cell in range(56) if plan.space(cell) not in lying and len(plan.grooves) > cell]
    marbles[0] |= {"cell": free[0]}
    marbles[1] |= {"cell": free[-1]}
    assert check_table(plan, journal, json.dumps({"marbles": marbles})).wrong
