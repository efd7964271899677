"""Journal: lasting events in, an append-only file out, and back. One game, one file.

A line is `CRC32 SEQUENCE JSON`: eight hex digits over the rest of the line, a number from 1, the event. A line
counts once it is whole, in sequence and its checksum fits. What a crash leaves behind the last such line is
cut off when the game is resumed, and kept beside the file; nothing is ever changed in front of it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol
from zlib import crc32

import msgspec

from referee.events import Lasting, event_json, parse_lasting

from .errors import BalanxError

SUFFIX = ".journal"


class Disk(Protocol):
    """The few calls that make a line durable; a seam for the tests that cut power."""

    def append(self, path: Path, data: bytes) -> None:
        """Append and fsync the file; the folder too where the file is new."""


class RealDisk:
    """The operating system's files."""

    def append(self, path: Path, data: bytes) -> None:
        """See Disk. Raises OSError; then the file may end in part of `data`."""
        # An empty file is new too: the attempt that made it may have failed before its name was durable.
        new = not path.exists() or path.stat().st_size == 0
        fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(fd, view) :]
            os.fsync(fd)
        finally:
            os.close(fd)
        if new:
            sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make names in a folder durable."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def journal_line(sequence: int, event: Lasting) -> bytes:
    """One line with its line feed."""
    body = b"%d %s" % (sequence, event_json(event))
    return b"%08x %s\n" % (crc32(body), body)


@dataclass(frozen=True, slots=True)
class Journalled:
    """What a journal holds. good_bytes: length of its good part; torn: what follows it; why: what is wrong there."""

    events: tuple[Lasting, ...]
    good_bytes: int
    torn: bytes
    why: str = ""


def read_journal(data: bytes) -> Journalled:
    """Read the good part of a journal; never raises on what the bytes are."""
    events: list[Lasting] = []
    good = 0
    for number, line in enumerate(data.split(b"\n")[:-1], start=1):
        try:
            events.append(_parse_line(number, line))
        except ValueError as error:
            return Journalled(tuple(events), good, data[good:], f"line {number}: {error}")
        good += len(line) + 1
    torn = data[good:]
    return Journalled(tuple(events), good, torn, f"line {len(events) + 1}: not whole" if torn else "")


def _parse_line(number: int, line: bytes) -> Lasting:
    checksum, _, body = line.partition(b" ")
    if len(checksum) != 8 or checksum != b"%08x" % crc32(body):
        raise ValueError("the checksum does not fit")
    sequence, _, text = body.partition(b" ")
    if sequence != b"%d" % number:
        raise ValueError(f"out of sequence ({sequence.decode('ascii', 'replace')})")
    try:
        return parse_lasting(text)
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        raise ValueError(f"unreadable: {error}") from error


class Journal:
    """The file of one game. Events that cannot be written wait here and are written with the next that can."""

    def __init__(self, path: Path, sequence: int = 0, disk: Disk | None = None) -> None:
        """sequence: lines that the file holds already."""
        self.path = path
        self._sequence = sequence
        self._disk = disk or RealDisk()
        self._waiting: list[bytes] = []
        self._repair: int | None = None
        self.why = ""
        """Why the last attempt to write failed."""

    @property
    def unsaved(self) -> int:
        """Events that are not on disk."""
        return len(self._waiting)

    def append(self, event: Lasting) -> bool:
        """Write one event and all that wait. True once everything is on disk; False: not saved."""
        self._sequence += 1
        self._waiting.append(journal_line(self._sequence, event))
        return self.catch_up()

    def catch_up(self) -> bool:
        """Write what waits. True when nothing waits any more."""
        if not self._waiting:
            return True
        try:
            size = self.path.stat().st_size if self.path.exists() else 0
            if self._repair is not None and size > self._repair:
                os.truncate(self.path, self._repair)
                size = self._repair
            self._repair = None
        except OSError as error:
            self.why = error.strerror or str(error)
            return False
        try:
            self._disk.append(self.path, b"".join(self._waiting))
        except OSError as error:
            self.why = error.strerror or str(error)
            # Part of a line may stand there now; it goes before the next attempt.
            self._repair = size
            return False
        self._waiting.clear()
        return True


def resume_journal(path: Path, say: Callable[[str], None]) -> tuple[Journal, tuple[Lasting, ...]]:
    """Open a journal to go on with. A torn end is moved to a file beside it. Raises BalanxError."""
    try:
        found = read_journal(path.read_bytes())
        if found.torn:
            spare = path.with_suffix(".torn")
            with spare.open("ab") as kept:  # a game may be torn more than once
                kept.write(found.torn)
                kept.flush()
                os.fsync(kept.fileno())
            os.truncate(path, found.good_bytes)
            sync_folder(path.parent)
            say(
                f"{path.name}: {found.why}; {len(found.torn)} bytes behind it were set aside in {spare.name}."
            )
    except OSError as error:
        raise BalanxError(f"{path}: {error.strerror or error}") from error
    return Journal(path, len(found.events)), found.events
