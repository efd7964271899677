"""Backups: one dated archive that was read back; nothing overwritten, nothing half, everything told in a sentence."""

import errno
import os
import tarfile
from collections import namedtuple
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner

from balanxd import backup as module
from balanxd.backup import back_up, newest, read_archive, restore, sticks, the_stick
from balanxd.cli.backup import backup as backup_command
from balanxd.cli.restore import restore as restore_command
from balanxd.errors import BalanxError
from balanxd.library import Library

NOON = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)


class Home:
    """A state folder with what a board leaves there, a board file, and a stick."""

    def __init__(self, folder: Path) -> None:
        self.state, self.stick = folder / "state", folder / "stick"
        self.board = folder / "etc" / "board.toml"
        for path in (self.state / "games", self.state / "calibration", self.stick, self.board.parent):
            path.mkdir(parents=True)
        self.game = self.state / "games" / "20260101-120000-00.journal"
        self.game.write_bytes(b"one\ntwo\n")
        (self.state / "calibration" / "wiring.toml").write_text("a1 = 3\n")
        self.board.write_text('[link]\nport = "/dev/balanx"\n')
        for name in ("lock", "tokens.json", "table.json"):
            (self.state / name).write_text("not for the stick")

    def back_up(self, at: datetime = NOON) -> Path:
        return back_up(self.state, self.board, self.stick, lambda: at)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def test_there_and_back(home: Home, tmp_path: Path) -> None:
    archive = home.back_up()
    assert archive.name == "balanx-backup-20260501-120000-000.tar.gz"
    new = tmp_path / "new" / "state"
    done = restore(archive, new, tmp_path / "new" / "etc" / "board.toml")
    assert (new / "games" / home.game.name).read_bytes() == home.game.read_bytes()
    assert (new / "calibration" / "wiring.toml").read_text() == "a1 = 3\n"
    assert (tmp_path / "new" / "etc" / "board.toml").read_text() == home.board.read_text()
    assert len(done.new) == 3
    assert not (new / "tokens.json").exists(), "who may play is no matter of a stick"


def test_a_stick_holds_nothing_but_whole_archives(home: Home) -> None:
    for _ in range(3):
        home.back_up()
    assert [path.name[-10:] for path in sorted(home.stick.iterdir())] == [f"00{n}.tar.gz" for n in range(3)]


def test_archives_keep_their_order_when_the_clock_is_set_back(home: Home) -> None:
    first = home.back_up()
    second = home.back_up(NOON.replace(year=1970))
    assert newest(home.stick) == second
    assert first.name < second.name


def test_nothing_that_is_there_is_overwritten(home: Home) -> None:
    archive = home.back_up()
    home.game.write_bytes(b"one\ntwo\nthree\n")
    home.board.write_text("# mine\n")
    done = restore(archive, home.state, home.board)
    assert home.game.read_bytes() == b"one\ntwo\nthree\n"
    assert home.board.read_text() == "# mine\n"
    assert done.new == ()
    assert len(done.beside) == 2
    assert Path(str(home.game) + ".from-backup").read_bytes() == b"one\ntwo\n"
    restore(archive, home.state, home.board)
    assert Path(str(home.game) + ".from-backup2").exists()


def test_restoring_twice_does_nothing_twice(home: Home, tmp_path: Path) -> None:
    archive = home.back_up()
    done = restore(archive, home.state, home.board)
    assert (done.new, done.beside, len(done.same)) == ((), (), 3)


def test_the_daemon_must_not_run_meanwhile(home: Home) -> None:
    archive = home.back_up()
    library = Library(home.state, lambda text: None)
    try:
        home.back_up()  # saving may go on
        with pytest.raises(BalanxError, match="systemctl stop balanxd"):
            restore(archive, home.state, home.board)
    finally:
        library.close()


def _readable(path: Path, whole: dict[str, bytes]) -> bool:
    try:
        found = read_archive(path)
    except BalanxError:
        return False
    assert found == whole
    return True


def test_an_archive_that_is_damaged_anywhere_is_refused_before_anything_is_written(
    home: Home, tmp_path: Path
) -> None:
    data = home.back_up().read_bytes()
    bad = tmp_path / "bad.tar.gz"
    target = tmp_path / "target"
    whole = read_archive(newest(home.stick))
    for place in range(0, len(data), 11):
        for broken in (data[:place], data[:place] + bytes([data[place] ^ 0x55]) + data[place + 1 :]):
            bad.write_bytes(broken)
            if _readable(bad, whole):
                continue  # a byte that means nothing, as the archive's time
            with pytest.raises(BalanxError) as caught:
                restore(bad, target, tmp_path / "board")
            assert "\n" not in str(caught.value)
            assert not target.exists()


@pytest.mark.parametrize(
    "name", ["../evil", "/etc/passwd", "state/../../evil", "other/file", "state/tokens.json"]
)
def test_an_archive_may_not_reach_elsewhere(home: Home, tmp_path: Path, name: str) -> None:
    path = tmp_path / "evil.tar.gz"
    with tarfile.open(path, "w:gz") as tar:
        tar.addfile(tarfile.TarInfo(name))
    with pytest.raises(BalanxError, match="nothing that a backup holds"):
        restore(path, home.state, home.board)


def test_links_in_an_archive_are_refused(home: Home, tmp_path: Path) -> None:
    path = tmp_path / "evil.tar.gz"
    with tarfile.open(path, "w:gz") as tar:
        link = tarfile.TarInfo("state/link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)
    with pytest.raises(BalanxError):
        restore(path, home.state, home.board)


def test_a_full_stick_is_one_sentence_and_leaves_nothing(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = namedtuple("usage", "total used free")
    with monkeypatch.context() as patch:
        patch.setattr(module.shutil, "disk_usage", lambda path: usage(1000, 999, 1))
        with pytest.raises(BalanxError, match="not enough room"):
            home.back_up()
    assert list(home.stick.iterdir()) == []

    def full(number: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(BalanxError, match="it is full; nothing was kept"):
            home.back_up()
    assert list(home.stick.iterdir()) == []


@pytest.mark.parametrize("what", ["no folder", "a file", "no games"])
def test_other_trouble_is_one_sentence(home: Home, tmp_path: Path, what: str) -> None:
    if what == "no folder":
        home.stick.rmdir()
    elif what == "a file":
        home.stick.rmdir()
        home.stick.touch()
    else:
        home.state, home.board = tmp_path / "none", tmp_path / "none"
    with pytest.raises(BalanxError) as caught:
        home.back_up()
    assert "\n" not in str(caught.value)


MOUNTS = """/dev/mmcblk0p2 / ext4 rw 0 0
/dev/sda1 /media/pi/MY\\040STICK vfat rw,uid=1000 0 0
tmpfs /mnt/ram tmpfs rw 0 0
/dev/sdb1 /mnt/old ext4 ro 0 0
"""


def test_the_stick_is_found_among_the_mounts() -> None:
    assert sticks(MOUNTS) == (Path("/media/pi/MY STICK"),)
    assert the_stick(MOUNTS) == Path("/media/pi/MY STICK")
    with pytest.raises(BalanxError, match="No USB stick"):
        the_stick("/dev/mmcblk0p2 / ext4 rw 0 0\n")
    with pytest.raises(BalanxError, match="Several disks"):
        the_stick(MOUNTS + "/dev/sdc1 /media/two exfat rw 0 0\n")


def test_the_commands(home: Home, tmp_path: Path) -> None:
    runner = CliRunner()
    options = ["--state", str(home.state), "--board", str(home.board)]
    saved = runner.invoke(backup_command, ["--to", str(home.stick), *options])
    assert saved.exit_code == 0
    assert "is written and proved" in saved.output
    home.game.unlink()
    back = runner.invoke(restore_command, [str(home.stick), *options])
    assert back.exit_code == 0
    assert "1 files laid back, 2 were there already" in back.output
    assert home.game.exists()
