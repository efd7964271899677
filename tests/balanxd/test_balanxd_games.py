"""Headless games of BANKS, Boxilies and Four High over the whole chain; records, traces, boards and command lines."""

import json
from pathlib import Path
from typing import Any

import pytest
from checker import Report, check_trace
from checker.journal import read_journal, write_line
from click.testing import CliRunner

from balanxd.__main__ import balanx
from balanxd.config import BoardConfig, parse_board, simulated_board
from balanxd.errors import BalanxError
from balanxd.journal import Journal
from balanxd.options import checked_tags
from balanxd.players import parse_player
from balanxd.retrace import retrace
from balanxd.simulated.headless import HeadlessGame, Stalled, headless_record
from referee import events as e
from rules.commands import check_output
from sim.deeds import Manner

SMALL = {
    "banks": {"Board": "4x4", "QuietTurns": "2"},
    "boxilies": {},
    "fourhigh": {"QuietLimit": "10"},
}
GAMES, CAMPAIGN = 50, 60


def board_for(game: str, seats: int = 2, text: str = "", **more: str) -> BoardConfig:
    options = {**SMALL[game], **more}
    if game == "banks":
        options["Players"] = str(seats)
    return parse_board(text, "the test's board", None, checked_tags(game, options))


def played(
    board: BoardConfig, seats: int, seed: int, folder: Path, who: str = "random", max_turns: int = 600
) -> tuple[str, Report]:
    """The record of a game, and what the checker says of its trace."""
    players = [parse_player(who if seat % 2 else "random") for seat in range(seats)]
    record = headless_record(
        board,
        players,
        seed=seed,
        max_turns=max_turns,
        pty=False,
        date="????.??.??",
        trace_folder=folder,
        say=lambda event: None,
    ).text()
    return record, check_trace(folder, record)


@pytest.mark.slow
@pytest.mark.parametrize("game", SMALL)
def test_fifty_games_end_with_records_that_hold_and_pieces_that_agree(tmp_path: Path, game: str) -> None:
    turns = exact = 0
    for seed in range(GAMES):
        seats = 2 + seed % 5 if game == "banks" else 2
        size = "4x4" if seed % 2 else "5x4"
        more = {"Board": size} if game == "banks" else {}
        who = "engine:1" if seed % 5 == 0 else "random"
        record, report = played(
            board_for(game, seats, **more), seats, seed, tmp_path / str(seed), who, CAMPAIGN
        )
        check_output(record)
        assert report.wrong == [], f"seed {seed}"
        turns, exact = turns + report.turns, exact + report.exact
    assert turns >= GAMES * 4
    assert exact >= turns, "every position was seen as it is"


@pytest.mark.parametrize("game", SMALL)
def test_people_with_slow_and_restless_hands_get_the_same_moves(tmp_path: Path, game: str) -> None:
    announced: list[str] = []
    taken: list[str] = []
    reported: list[str] = []

    def say(event: e.GameEvent) -> None:
        match event:
            case e.Announced():
                announced.append(event.move)
            case e.TurnTaken():
                taken.append(event.move)
            case e.OutOfStep() | e.Question() | e.Fault() | e.SensorNamed():
                reported.append(event.say)
            case _:
                pass

    for seed, manner in enumerate((Manner.RANDOM, Manner.SLOW, Manner.HESITATING)):
        announced.clear()
        taken.clear()
        HeadlessGame(
            board_for(game),
            [parse_player("random")] * 2,
            seed=seed,
            journal=Journal(tmp_path / f"{seed}.journal"),
            max_turns=12,
            manner=manner,
            say=say,
        ).play()
        assert taken == announced[: len(taken)]
        assert len(taken) >= 4
    assert reported == []


@pytest.mark.parametrize("game", SMALL)
def test_the_boards_bytes_alone_give_the_record_again(tmp_path: Path, game: str) -> None:
    record, report = played(board_for(game), 2, 3, tmp_path, max_turns=15)
    assert report.wrong == []
    assert retrace(tmp_path).text() == record


def test_pipe_and_pseudo_terminal_give_the_same_record() -> None:
    records = {
        headless_record(
            board_for("banks"),
            [parse_player("random")] * 2,
            seed=1,
            max_turns=8,
            pty=pty,
            date="????.??.??",
            trace_folder=None,
            say=lambda event: None,
        ).text()
        for pty in (False, True)
    }
    assert len(records) == 1


def test_a_set_up_by_chance_differs_from_seed_to_seed(tmp_path: Path) -> None:
    setups = set()
    for seed in range(3):
        record, _ = played(board_for("banks"), 2, seed, tmp_path / str(seed), max_turns=1)
        setups.add(record.split("[Setup ")[1].split("\n")[0])
    assert len(setups) == 3
    record, _ = played(board_for("banks", Seed="1"), 2, 7, tmp_path / "a", max_turns=1)
    other, _ = played(board_for("banks", Seed="1"), 2, 8, tmp_path / "b", max_turns=1)
    assert record.split("[Setup ")[1].split("\n")[0] == other.split("[Setup ")[1].split("\n")[0]


@pytest.mark.parametrize("kind", ["banks 8x8", "boxilies 3x3", "fourhigh 8x8", "classic"])
@pytest.mark.parametrize("game", [*SMALL, "balanx"])
def test_no_game_is_played_on_another_games_board(tmp_path: Path, game: str, kind: str) -> None:
    text = f'[sim.board]\nboard_kind = "{kind}"\n'
    board = parse_board(text, "board") if game == "balanx" else board_for(game, 2, text)
    said: list[e.GameEvent] = []
    table = HeadlessGame(
        board,
        [parse_player("random")] * 2,
        seed=1,
        journal=Journal(tmp_path / "game.journal"),
        max_turns=1,
        say=said.append,
    )
    fits = kind.split(" ")[0] == game or (game == "balanx" and kind == "classic")
    if game == "banks" and kind == "banks 8x8":
        fits = False  # its board is 4x4 here
    if fits:
        table.play()
        return
    with pytest.raises(Stalled, match="The board says"):
        table.play()
    faults = [event.say for event in said if isinstance(event, e.Fault)]
    assert len(faults) == 1
    assert kind in faults[0]
    assert not any(isinstance(event, e.GameStarted) for event in said)


# ---- the checker ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", SMALL)
def test_the_checker_finds_each_kind_of_lie(tmp_path: Path, game: str) -> None:
    record, report = played(board_for(game), 2, 3, tmp_path, max_turns=9)
    assert report.wrong == []
    assert report.exact == report.turns + 1
    whole, _ = read_journal((tmp_path / "game.journal").read_bytes())
    turns = [number for number, entry in enumerate(whole) if entry["event"] == "TurnTaken"]

    def forged(entries: list[dict[str, Any]]) -> list[str]:
        lines = [write_line(number, entry) for number, entry in enumerate(entries, start=1)]
        (tmp_path / "game.journal").write_bytes(b"".join(lines))
        return check_trace(tmp_path).wrong

    for number in turns[:-1]:
        assert forged(whole[:number] + whole[number + 1 :]), "a turn is missing"
    first, second = turns[2], turns[4]
    swapped = [dict(entry) for entry in whole]
    swapped[first]["move"], swapped[second]["move"] = whole[second]["move"], whole[first]["move"]
    assert forged(swapped), "moves are exchanged"
    wrong = [dict(entry) for entry in whole]
    wrong[first]["position"] = whole[second]["position"]
    assert forged(wrong), "a position is another one's"
    other = [dict(entry) for entry in whole]
    other[first]["seat"] = 1 - whole[first]["seat"]
    assert forged(other), "another player's turn"
    assert forged(whole) == []
    lines = (tmp_path / "marbles.jsonl").read_text().splitlines()
    frame = json.loads(lines[-1])
    del frame["marbles"][0]
    (tmp_path / "marbles.jsonl").write_text("\n".join([*lines, json.dumps(frame)]) + "\n")
    assert any("came, went" in line for line in check_trace(tmp_path).wrong)
    assert check_trace(tmp_path, record.replace("{turn limit} *", "{turn limit} 1-0")).wrong


# ---- what cannot be ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('[board]\ngame = "chess"\n', "board.game"),
        ('[board]\ngame = "banks"\nlayout = "wide"\n', "board.layout"),
        ('[board]\ngame = "banks"\n[tilt]\ndrive = "servo"\n', "tilt"),
        ('[board]\ngame = "banks"\nsensor = "presence"\n', "board.sensor"),
        ('[board]\ngame = "banks"\n[options]\nSize = "4x4"\n', "Size"),
        ('[board]\ngame = "banks"\n[options]\nBoard = "4x"\n', "size"),
        ('[board]\ngame = "banks"\n[options]\nPlayers = 7\n', "Players"),
        ('[board]\ngame = "banks"\n[options]\nPlayers = [2]\n', "Players"),
        ('[board]\ngame = "boxilies"\n[options]\nStones = "mine"\n', "mine"),
        ('[board]\ngame = "fourhigh"\n[options]\nQuietLimit = 0\n', "QuietLimit"),
        ("[options]\nPlayers = 2\n", "options"),
        ('[board]\ngame = "fourhigh"\nwiring = ["a1"]\n', "wiring"),
    ],
)
def test_a_board_file_that_cannot_be_is_refused_with_its_place(text: str, says: str) -> None:
    with pytest.raises(BalanxError) as caught:
        parse_board(text, "board.toml")
    assert str(caught.value).startswith("board.toml")
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_board_file_tells_its_game() -> None:
    board = parse_board(
        '[board]\ngame = "boxilies"\nsensor = "presence"\n[options]\nBoard = "4x3#a1,d3"\nTies = true\n',
        "board.toml",
    )
    assert board.game == "boxilies"
    assert dict(board.tags) == {"Game": "boxilies", "Board": "4x3#a1,d3", "Ties": "on"}
    assert len(board.cell_names) == 12
    assert board.sensor == "presence"
    assert not board.motor
    assert simulated_board().game == "balanx"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("--game banks --set Bord=4x4", "Board"),
        ("--game banks --set Board", "TAG=VALUE"),
        ("--game banks --set Board=1x1", "size"),
        ("--game banks --set Players=1", "layers"),
        ("--game banks --layout wide", "--layout"),
        ("--game banks --white random", "--seat"),
        ("--game banks --seat 3=random", "no such seat"),
        ("--game banks --seat 0=random", "N=PLAYER"),
        ("--game banks --seat 1=wizard", "player"),
        ("--game banks --seat 1=random --seat 1=random", "twice"),
        ("--game fourhigh --seat 1=engine:8", "levels"),
        ("--game fourhigh", "machines at all seats"),
        ("--set Board=4x4", "--game"),
        ("--game chess", "chess"),
    ],
)
def test_a_command_line_that_cannot_be_is_one_clear_line(arguments: str, says: str) -> None:
    result = CliRunner().invoke(balanx, ["play", "--headless", *arguments.split()])
    assert result.exit_code != 0
    told = f"{result.output} {result.exception}"
    assert says in told
    assert "Traceback" not in told
