"""Headless games: one seed, one record, over a pipe, a pseudo-terminal and from its trace; never from a dead board."""

from collections.abc import Callable
from pathlib import Path

import pytest
from checker import check_trace

from balanxd.config import parse_board, simulated_board
from balanxd.errors import BalanxError
from balanxd.journal import Journal
from balanxd.players import parse_player
from balanxd.retrace import retrace
from balanxd.simulated.build import build_table
from balanxd.simulated.headless import HeadlessGame, Stalled, headless_record
from balanxd.trace import read_up
from firmware_bridge.messages import ResetCause
from referee import events as e
from rules.commands import check_output
from sim.deeds import Manner
from sim.table import Table

MACHINES = [parse_player("random")] * 2
SEED, TURNS = 11, 12


def quiet(event: e.GameEvent) -> None:
    pass


def record_of(*, pty: bool = False, seed: int = SEED, trace: Path | None = None, board: str = "") -> str:
    return headless_record(
        parse_board(board, "the test's board"),
        MACHINES,
        seed=seed,
        max_turns=TURNS,
        pty=pty,
        date="????.??.??",
        trace_folder=trace,
        say=quiet,
    ).text()


@pytest.fixture(scope="module")
def honest() -> str:
    """The record of an untroubled game."""
    return record_of()


def test_the_same_seed_gives_the_same_record_each_time(honest: str) -> None:
    assert record_of() == honest
    assert record_of(seed=SEED + 1) != honest


def test_pipe_and_pseudo_terminal_give_the_same_record_byte_for_byte(honest: str) -> None:
    assert record_of(pty=True).encode() == honest.encode()


def test_a_table_that_has_stood_for_an_hour_is_no_stalled_game(tmp_path: Path) -> None:
    board = simulated_board(None)
    table = build_table(board, SEED, start_s=3600.0)
    journal = Journal(tmp_path / "game.journal")
    game = HeadlessGame(board, MACHINES, seed=SEED, journal=journal, max_turns=2, table=table)
    game.play()
    assert game.turns == 2


def test_the_record_is_one_that_the_rules_accept(honest: str) -> None:
    assert check_output(honest) == "*"
    assert "{turn limit} *" in honest
    assert '[Date "????.??.??"]' in honest
    assert "[Event" not in honest


def test_the_trace_changes_nothing_and_its_marbles_agree(honest: str, tmp_path: Path) -> None:
    assert record_of(trace=tmp_path) == honest
    report = check_trace(tmp_path, honest)
    assert report.wrong == []
    assert (report.turns, report.exact) == (TURNS, TURNS)


@pytest.mark.parametrize(
    "board",
    ["", '[board]\nsensor = "colour"\n', '[board]\nlayout = "wide"\n', "[sim.board]\ndtr_resets = true\n"],
)
def test_the_boards_bytes_alone_give_the_record_again(tmp_path: Path, board: str) -> None:
    record = record_of(trace=tmp_path, board=board)
    assert retrace(tmp_path).text() == record
    assert check_trace(tmp_path, record).wrong == []


def test_a_trace_without_its_last_bytes_gives_no_more_than_they_told(honest: str, tmp_path: Path) -> None:
    record_of(trace=tmp_path)
    lines = (tmp_path / "wire.txt").read_text().splitlines(keepends=True)
    (tmp_path / "wire.txt").write_text("".join(lines[: len(lines) // 2]))
    moves = honest.split("\n\n")[1].split()
    told = retrace(tmp_path).text().split("\n\n")[1].split()
    assert len(told) < len(moves)
    assert told[:-1] == moves[: len(told) - 1]


def test_damaged_traces_are_one_line(tmp_path: Path) -> None:
    record_of(trace=tmp_path)
    game, wire = (tmp_path / "game.json").read_text(), (tmp_path / "wire.txt").read_text()
    for name, text in (
        ("game.json", ""),
        ("game.json", "[]"),
        ("game.json", "{}"),
        ("game.json", game.replace('"random"', '"nobody"')),
        ("game.json", game.replace("first_groove", "first_grove")),
        ("wire.txt", "nonsense\n"),
        ("wire.txt", "x > 00\n"),
        ("wire.txt", "0.1 > 0g\n"),
    ):
        (tmp_path / "game.json").write_text(game)
        (tmp_path / "wire.txt").write_text(wire)
        (tmp_path / name).write_text(text)
        with pytest.raises(BalanxError) as caught:
            retrace(tmp_path)
        assert "\n" not in str(caught.value)
    (tmp_path / "wire.txt").unlink()
    with pytest.raises(BalanxError, match=r"wire\.txt"):
        list(read_up(tmp_path))


@pytest.mark.parametrize("seed", [10, 16, 20])
def test_the_named_move_is_the_one_that_the_hand_made(tmp_path: Path, seed: int) -> None:
    """People's hands, with a marble that is seen again while its neighbour rolls into its place."""
    announced: list[str] = []
    taken: list[str] = []

    def say(event: e.GameEvent) -> None:
        if isinstance(event, e.Announced):
            announced.append(event.move)
        elif isinstance(event, e.TurnTaken):
            taken.append(event.move)

    game = HeadlessGame(
        simulated_board(),
        MACHINES,
        seed=seed,
        journal=Journal(tmp_path / "game.journal"),
        max_turns=20,
        manner=Manner.RANDOM,
        say=say,
    )
    game.play()
    assert taken == announced[: len(taken)]


# ---- what a machine must not get away with -------------------------------------------------------------------


def troubled(tmp_path: Path, trouble: Callable[[Table], None], after: int = 3) -> tuple[str, list[str]]:
    """Play with a fault that comes after some turns: the record (what there is of it), and what was reported."""
    board = simulated_board()
    table = build_table(board, SEED)
    reports: list[str] = []
    turns = 0

    def say(event: e.GameEvent) -> None:
        nonlocal turns
        if isinstance(event, e.TurnTaken):
            turns += 1
            if turns == after:
                trouble(table)
        if isinstance(event, e.Fault | e.SensorNamed | e.OutOfStep | e.Question | e.SetUpWanted):
            reports.append(event.say)
        if isinstance(event, e.LinkChanged) and not event.up:
            reports.append(event.why)

    if after == 0:
        trouble(table)
    game = HeadlessGame(
        board,
        MACHINES,
        seed=SEED,
        journal=Journal(tmp_path / "game.journal"),
        max_turns=TURNS,
        table=table,
        say=say,
    )
    try:
        game.play()
    except Stalled as stalled:
        reports.append(str(stalled))
        return "" if stalled.record is None else stalled.record.text(), reports
    return game.record().text(), reports


def moves_of(record: str) -> list[str]:
    return [word for word in record.split("\n\n")[-1].split() if "-" in word]


@pytest.mark.parametrize("after", [0, 1, 5, 11])
def test_a_cut_wire_stops_the_game_and_is_told(tmp_path: Path, honest: str, after: int) -> None:
    record, reports = troubled(tmp_path, lambda table: table.faults.cut_wire(), after)
    assert record != honest
    assert len(moves_of(record)) == after
    assert any("the game stopped" in report for report in reports)
    if after:
        assert any("no word from the board" in report for report in reports)


@pytest.mark.parametrize("one_way", ["to_host", "to_board"])
def test_a_wire_cut_one_way_stops_the_game_too(tmp_path: Path, honest: str, one_way: str) -> None:
    def cut(table: Table) -> None:
        getattr(table.faults, one_way).cut = True

    record, reports = troubled(tmp_path, cut)
    assert record != honest
    assert reports


@pytest.mark.parametrize("cell", [0, 3, 9, 16, 21, 30, 38, 44, 49, 55])
@pytest.mark.parametrize("after", [0, 4])
def test_an_inverted_cell_is_told_whatever_comes_of_the_game(
    tmp_path: Path, honest: str, cell: int, after: int
) -> None:
    record, reports = troubled(tmp_path, lambda table: table.faults.inverted(cell), after)
    assert reports, record
    if record == honest:
        assert any("sensor" in report.lower() for report in reports)


def test_a_servo_that_does_not_move_is_told(tmp_path: Path, honest: str) -> None:
    record, reports = troubled(tmp_path, lambda table: table.faults.servo_dead())
    assert record != honest
    assert any("tilt" in report.lower() for report in reports)


@pytest.mark.parametrize("cause", list(ResetCause))
def test_a_controller_that_restarts_goes_on_with_the_same_game(
    tmp_path: Path, honest: str, cause: ResetCause
) -> None:
    record, reports = troubled(tmp_path, lambda table: table.faults.reset(cause))
    assert moves_of(record) == moves_of(honest)
    assert any("restarted" in report for report in reports)


def test_a_move_that_lies_on_the_board_when_the_link_comes_back_is_not_made_again(tmp_path: Path) -> None:
    """The board restarts just after the hand has put the marble down."""
    board = parse_board('[[sim.fault]]\nkind = "controller_reset"\nfrom_s = 14.0\n', "the test's board")
    journal = Journal(tmp_path / "game.journal")
    game = HeadlessGame(board, MACHINES, seed=3, journal=journal, max_turns=4)
    game.play()
    lifts = [report for report in game.table.hand.history if report.what == "lifted"]
    assert len(lifts) == game.turns == 4


def test_a_journal_that_cannot_be_written_gives_no_record(tmp_path: Path) -> None:
    game = HeadlessGame(
        simulated_board(),
        MACHINES,
        seed=1,
        journal=Journal(tmp_path / "no such folder" / "game.journal"),
        max_turns=2,
    )
    game.play()
    with pytest.raises(BalanxError, match="could not be written"):
        game.record()
