"""`balanx setup`: flags alone write a board file that is read again; without a terminal the missing flag is named."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from balanxd.calibration.store import Store
from balanxd.cli.play import play
from balanxd.cli.setup import setup
from balanxd.config import load_board
from balanxd.errors import BalanxError
from hardware.buttons import Button

FLAGS = {
    "--name": 'A "B"',
    "--layout": "classic",
    "--port": "sim",
    "--sensor": "presence",
    "--drive": "servo",
}


def test_flags_alone_write_the_file_and_calibrate(tmp_path: Path) -> None:
    out, state = tmp_path / "b.toml", tmp_path / "state"
    flags = [part for pair in FLAGS.items() for part in pair]
    args = ["--out", str(out), *flags, "--ends", "--calibrate", "--state", str(state)]
    said = CliRunner().invoke(setup, args)
    assert said.exit_code == 0, said.output
    board = load_board(out)
    assert (board.name, board.port, board.drive, board.end_inputs) == ('A "B"', "sim", "servo", True)
    known = Store(state).load()
    assert known is not None
    assert known.wiring == board.cell_names
    again = CliRunner().invoke(setup, args)
    assert isinstance(again.exception, BalanxError)
    assert "--force" in str(again.exception)


def test_sound_is_asked_for_with_one_word_or_two(tmp_path: Path) -> None:
    for told, buzzer, speech in (("no", None, False), ("speech", None, True), ("speech,GPIO13", 13, True)):
        flags = [
            part for pair in {**FLAGS, "--port": "/dev/balanx", "--sound": told}.items() for part in pair
        ]
        out = tmp_path / "b.toml"
        said = CliRunner().invoke(setup, ["--out", str(out), *flags, "--ends", "--no-calibrate", "--force"])
        assert said.exit_code == 0, said.output
        assert (load_board(out).sound.buzzer, load_board(out).sound.speech) == (buzzer, speech)


@pytest.mark.parametrize(
    ("told", "why"),
    [
        ("loud", "--sound loud: must be no, speech, the pin of one buzzer such as GPIO13, or speech,GPIO13"),
        ("", "--sound : must be no"),
        ("no,speech", "--sound no,speech: must be"),
        ("speech,speech", "--sound speech,speech: must be"),
        ("GPIO13,speech,GPIO12", "the pin of one buzzer"),
        ("GPIO99", "sound.buzzer: GPIO99: the header has"),
    ],
)
def test_a_sound_that_is_none_is_refused_and_nothing_is_written(tmp_path: Path, told: str, why: str) -> None:
    flags = [part for pair in {**FLAGS, "--sound": told}.items() for part in pair]
    said = CliRunner().invoke(setup, ["--out", str(tmp_path / "b.toml"), *flags, "--ends", "--no-calibrate"])
    assert isinstance(said.exception, BalanxError)
    assert why in str(said.exception)
    assert list(tmp_path.iterdir()) == []


def test_buttons_are_none_or_on_the_chain_or_on_pins(tmp_path: Path) -> None:
    where = {
        "none": {},
        "chain": {Button.NEXT: 56, Button.YES: 57, Button.STOP: 58},
        "pins": {Button.NEXT: 17, Button.YES: 27, Button.STOP: 22},
    }
    for told, places in where.items():
        out = tmp_path / f"{told}.toml"
        flags = {**FLAGS, "--port": "/dev/balanx", "--buttons": told}
        words = [part for pair in flags.items() for part in pair]
        said = CliRunner().invoke(setup, ["--out", str(out), *words, "--ends", "--no-calibrate"])
        assert said.exit_code == 0, said.output
        buttons = load_board(out).buttons
        assert dict((*buttons.inputs, *buttons.pins)) == places


def test_the_missing_flag_is_named_and_nothing_is_written(tmp_path: Path) -> None:
    out = tmp_path / "b.toml"
    for missing in FLAGS:
        flags = [part for key, value in FLAGS.items() if key != missing for part in (key, value)]
        said = CliRunner().invoke(setup, ["--out", str(out), *flags, "--ends", "--no-calibrate"])
        assert isinstance(said.exception, BalanxError)
        assert missing in str(said.exception)
    assert not out.exists()


def test_a_layout_that_is_none_is_told_before_anything_else_is_asked(tmp_path: Path) -> None:
    said = CliRunner().invoke(
        setup, ["--out", str(tmp_path / "b.toml"), "--name", "x", "--layout", "nowhere"]
    )
    assert isinstance(said.exception, BalanxError)
    assert str(said.exception).startswith("layout 'nowhere': there are classic, wide")


def test_a_fresh_board_is_pushed_by_hand_and_plays() -> None:
    args = ["--headless", "--white", "random", "--black", "random", "--seed", "1", "--max-turns", "2"]
    said = CliRunner().invoke(play, [*args, "--fresh-board"])
    assert said.exit_code == 0, said.output
    assert "1. " in said.output
    foreign = CliRunner().invoke(play, [*args, "--fresh-board", "--game", "fourhigh", "--seat", "1=random"])
    assert foreign.exit_code == 2
