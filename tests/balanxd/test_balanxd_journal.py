"""The journal survives a crash at every byte, a power cut after every call, a flipped bit and a full disk."""

import errno
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from balanxd.errors import BalanxError
from balanxd.games import replay
from balanxd.journal import Journal, RealDisk, journal_line, read_journal, resume_journal
from referee.events import GameOver, Lasting, PositionSet, TakenBack


@pytest.fixture(scope="module")
def data(traced: tuple[Path, str]) -> bytes:
    return (traced[0] / "game.journal").read_bytes()


@pytest.fixture(scope="module")
def events(data: bytes) -> tuple[Lasting, ...]:
    found = read_journal(data)
    assert found.torn == b""
    return found.events


def test_cut_at_every_byte_it_reads_as_a_prefix(data: bytes, events: tuple[Lasting, ...]) -> None:
    for length in range(len(data) + 1):
        found = read_journal(data[:length])
        assert found.events == events[: len(found.events)]
        assert found.events == events[: data[:length].count(b"\n")]
        assert data[:length] == data[: found.good_bytes] + found.torn


def test_cut_at_every_byte_of_some_lines_a_game_resumes_and_goes_on(
    data: bytes, events: tuple[Lasting, ...], tmp_path: Path
) -> None:
    ends = [at for at, byte in enumerate(data) if byte == ord("\n")]
    for length in range(ends[4] - 30, ends[6] + 30):
        path = tmp_path / f"{length}.journal"
        path.write_bytes(data[:length])
        said: list[str] = []
        journal, found = resume_journal(path, said.append)
        assert found == events[: len(found)]
        assert len(replay(found).line.moves) == len(found) - 1
        assert bool(said) == path.with_suffix(".torn").exists()
        if said:
            torn = path.with_suffix(".torn").read_bytes()
            assert data[:length].endswith(torn)
        assert journal.append(events[len(found)])
        assert read_journal(path.read_bytes()) == read_journal(data[: ends[len(found)] + 1])


def test_a_second_torn_end_does_not_replace_the_first(events: tuple[Lasting, ...], tmp_path: Path) -> None:
    path = tmp_path / "g.journal"
    path.write_bytes(journal_line(1, events[0]) + b"first")
    resume_journal(path, lambda line: None)
    path.write_bytes(path.read_bytes() + b"second")
    resume_journal(path, lambda line: None)
    assert path.with_suffix(".torn").read_bytes() == b"firstsecond"


def test_a_bit_flip_at_any_byte_never_gives_another_game(data: bytes, events: tuple[Lasting, ...]) -> None:
    for at in range(len(data)):
        flipped = bytearray(data)
        flipped[at] ^= 1 << (at * 5 % 8)
        found = read_journal(bytes(flipped)).events
        assert found == events[: len(found)]
        assert len(found) <= data[:at].count(b"\n")


@given(st.binary(max_size=400), st.integers(0, 10_000))
def test_any_bytes_behind_or_inside_never_give_another_game(data: bytes, noise: bytes, at: int) -> None:
    place = at % (len(data) + 1)
    for broken in (data[:place] + noise + data[place:], noise, data + noise):
        found = read_journal(broken).events
        assert found == read_journal(data).events[: len(found)]


def test_lines_in_another_order_are_refused(data: bytes, events: tuple[Lasting, ...]) -> None:
    lines = data.splitlines(keepends=True)
    for swapped in (
        [*lines[:3], lines[4], lines[3], *lines[5:]],
        [*lines[:3], *lines[4:]],
        [*lines[:4], *lines[3:]],
    ):
        found = read_journal(b"".join(swapped)).events
        assert len(found) in (3, 4)
        assert found == events[: len(found)]


# ---- power cuts: recorded calls, replayed in every legal prefix ----------------------------------------------


@dataclass
class RecordingDisk:
    """Writes for real and remembers what it asked of the system, and what was promised after each append."""

    promised: list[tuple[int, int]] = field(default_factory=list)
    appended: list[bytes] = field(default_factory=list)

    def append(self, path: Path, data: bytes) -> None:
        RealDisk().append(path, data)
        self.appended.append(data)
        self.promised.append((len(self.appended), sum(map(len, self.appended))))


def after_power_cut(appended: Sequence[bytes], whole: int, part: int, hole: bool) -> bytes:
    """What may be on the disk: `whole` synced appends, and of the next one `part` bytes, or zeros for them."""
    solid = b"".join(appended[:whole])
    if whole == len(appended):
        return solid
    rest = appended[whole][:part]
    return solid + (bytes(len(rest)) if hole else rest)


def test_after_a_power_cut_everything_that_was_promised_is_there(
    events: tuple[Lasting, ...], tmp_path: Path
) -> None:
    disk = RecordingDisk()
    journal = Journal(tmp_path / "g.journal", disk=disk)
    for event in events:
        assert journal.append(event)
    assert len(disk.appended) == len(events)
    for whole, data in enumerate(disk.appended):
        for part in range(0, len(data) + 1, 3):
            for hole in (False, True):
                found = read_journal(after_power_cut(disk.appended, whole, part, hole)).events
                assert found == events[: len(found)]
                assert len(found) >= whole


def test_calls_reach_the_system_in_the_order_that_makes_them_durable(
    events: tuple[Lasting, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """write, then fsync of the file, then of the folder for a new file; each before `append` comes back."""
    import os

    calls: list[str] = []
    write, fsync = os.write, os.fsync

    def watched_write(fd: int, data: bytes) -> int:
        calls.append("write")
        return write(fd, bytes(data)[:50])  # a system may write less than it was given

    def watched_fsync(fd: int) -> None:
        calls.append("fsync folder" if os.path.isdir(f"/proc/self/fd/{fd}") else "fsync")
        fsync(fd)

    monkeypatch.setattr(os, "write", watched_write)
    monkeypatch.setattr(os, "fsync", watched_fsync)
    journal = Journal(tmp_path / "g.journal")
    assert journal.append(events[0])
    assert [call for call in calls if call != "write"] == ["fsync", "fsync folder"]
    assert calls[-3:] == ["write", "fsync", "fsync folder"]
    calls.clear()
    assert journal.append(events[1])
    assert calls[-2:] == ["write", "fsync"]
    assert "fsync folder" not in calls
    assert read_journal(journal.path.read_bytes()).events == events[:2]


# ---- a disk that fails ---------------------------------------------------------------------------------------


@dataclass
class FailingDisk:
    """Fails where `plan` says so, after having written `part` bytes of what it was given."""

    plan: list[int | None]
    unmade: bool = False

    def append(self, path: Path, data: bytes) -> None:
        part = self.plan.pop(0) if self.plan else None
        if part is None:
            RealDisk().append(path, data)
            return
        if not self.unmade:
            with path.open("ab") as file:
                file.write(data[:part])
        raise OSError(errno.ENOSPC, "No space left on device")


@given(st.lists(st.one_of(st.none(), st.integers(0, 300)), max_size=12), st.booleans())
def test_turns_that_could_not_be_saved_are_caught_up(
    events: tuple[Lasting, ...],
    tmp_path_factory: pytest.TempPathFactory,
    plan: list[int | None],
    unmade: bool,
) -> None:
    path = tmp_path_factory.mktemp("full") / "g.journal"
    journal = Journal(path, disk=FailingDisk(list(plan), unmade))
    saved = 0
    for number, event in enumerate(events, start=1):
        good = journal.append(event)
        saved = number if good else saved
        assert journal.unsaved == number - saved
        assert (not good) == bool(journal.unsaved)
        if not good:
            assert "No space" in journal.why
        # Whatever stands there now, everything that was said to be saved can be read.
        found = read_journal(path.read_bytes() if path.exists() else b"").events
        assert found[:saved] == events[:saved]
        assert found == events[: len(found)]
    while not journal.catch_up():
        pass
    assert read_journal(path.read_bytes()).events == events
    assert read_journal(path.read_bytes()).torn == b""


def test_a_folder_that_comes_back_is_written_to(events: tuple[Lasting, ...], tmp_path: Path) -> None:
    path = tmp_path / "gone" / "g.journal"
    journal = Journal(path)
    assert not journal.append(events[0])
    assert not journal.append(events[1])
    path.parent.mkdir()
    assert journal.append(events[2])
    assert read_journal(path.read_bytes()).events == events[:3]


# ---- games.replay --------------------------------------------------------------------------------------------


def test_replay_gives_the_record(events: tuple[Lasting, ...], traced: tuple[Path, str]) -> None:
    assert replay(events).record().text() == traced[1]


def test_replay_takes_back_and_sets_positions(events: tuple[Lasting, ...]) -> None:
    turns = list(events[:8])
    early = replay(events[:6])
    text = early.line.game.position_text(early.line.position)
    back = replay([*turns, TakenBack(plies=2, position=text)])
    assert back.line.positions == early.line.positions
    assert (
        replay([*turns, TakenBack(plies=2, position=text), *events[6:8]]).line.moves
        == replay(turns).line.moves
    )
    placed = replay([*turns, PositionSet(position=text), *events[6:8], GameOver(result="0-1 resigned")])
    record = placed.record().text()
    assert f'[Setup "{text}"]' in record
    assert "position set on the board; before it: " in record
    assert record.rstrip().endswith("0-1 resigned")


def test_replay_refuses_what_the_rules_do_not_allow_and_names_the_line(events: tuple[Lasting, ...]) -> None:
    for broken, line in (
        ([], 1),
        (events[1:], 1),
        ([events[0], events[2]], 2),
        ([*events[:4], events[0]], 5),
        ([*events[:4], TakenBack(plies=9, position="x")], 5),
        ([*events[:4], PositionSet(position="nonsense")], 5),
    ):
        with pytest.raises(BalanxError, match=f"^line {line}: ") as caught:
            replay(broken)
        assert "\n" not in str(caught.value)
