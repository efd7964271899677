"""One folder of games: one daemon at a time, the right game goes on, damaged ones are kept."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from balanxd.errors import BalanxError
from balanxd.games import unfinished
from balanxd.journal import journal_line, read_journal
from balanxd.library import Library
from referee.events import GameOver


@pytest.fixture(scope="module")
def data(traced: tuple[Path, str]) -> bytes:
    """A game that goes on: everything but its end."""
    return b"".join((traced[0] / "game.journal").read_bytes().splitlines(keepends=True)[:-1])


def nothing(line: str) -> None:
    raise AssertionError(line)


def test_a_second_daemon_is_refused_in_one_line_that_names_the_first(tmp_path: Path) -> None:
    library = Library(tmp_path, nothing)
    with pytest.raises(BalanxError, match=rf"another balanx uses this folder \(process {os.getpid()}\)"):
        Library(tmp_path, nothing)
    library.close()
    Library(tmp_path, nothing).close()


def test_a_second_process_ends_with_one_plain_line(tmp_path: Path) -> None:
    library = Library(tmp_path, nothing)
    command = ["play", "--no-browser", "--http", "127.0.0.1:0", "--state", str(tmp_path)]
    done = subprocess.run(
        [sys.executable, "-m", "balanxd", *command], capture_output=True, text=True, check=False, timeout=60
    )
    library.close()
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "another balanx uses this folder" in done.stderr


def test_the_newest_unfinished_game_goes_on(tmp_path: Path, data: bytes) -> None:
    library = Library(tmp_path, nothing)
    assert library.resume() is None
    lines = data.splitlines(keepends=True)
    over = journal_line(len(lines) + 1, GameOver(result="*"))
    (library.games / "20260101-000000-00.journal").write_bytes(data)
    (library.games / "20260102-000000-00.journal").write_bytes(b"".join(lines[:9]))
    (library.games / "20260103-000000-00.journal").write_bytes(data + over)
    (library.games / "20260104-000000-00.journal").write_bytes(b"rubbish")
    (library.games / "20260105-000000-00.journal").mkdir()
    found = library.resume()
    assert found is not None
    journal, replayed = found
    assert journal.path.name == "20260102-000000-00.journal"
    assert len(replayed.line.moves) == 8
    library.break_off()
    assert read_journal(journal.path.read_bytes()).events[-1] == GameOver(result="*", note="broken off")
    assert unfinished(library.games) == library.games / "20260101-000000-00.journal"
    library.close()


def test_a_damaged_game_is_told_and_kept_byte_for_byte(tmp_path: Path, data: bytes) -> None:
    said: list[str] = []
    library = Library(tmp_path, said.append)
    events = read_journal(data).events
    impossible = journal_line(1, events[0]) + journal_line(2, events[3])
    path = library.games / "20260101-000000-00.journal"
    path.write_bytes(impossible)
    assert library.resume() is None
    assert path.with_suffix(".damaged").read_bytes() == impossible
    assert len(said) == 1
    assert "line 2" in said[0]
    assert library.resume() is None
    library.close()


def test_new_journals_never_take_an_existing_name(tmp_path: Path) -> None:
    library = Library(tmp_path, nothing)
    paths = set()
    for _ in range(5):
        path = library.new_journal().path
        assert not path.exists()
        path.write_bytes(b"")
        paths.add(path)
    assert len(paths) == 5
    library.close()


@pytest.mark.parametrize("make", ["a file", "a file above", "no right"])
def test_a_folder_that_cannot_be_used_is_one_line(tmp_path: Path, make: str) -> None:
    folder = tmp_path / "state"
    if make == "a file":
        folder.write_text("")
    elif make == "a file above":
        folder.write_text("")
        folder = folder / "deeper"
    else:
        folder = Path("/proc/balanx")
    with pytest.raises(BalanxError) as caught:
        Library(folder, nothing)
    assert str(folder) in str(caught.value)
    assert "\n" not in str(caught.value)
