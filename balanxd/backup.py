"""Backup: a state folder and a board file in; one dated archive with checksums on a stick, and back.

Nothing is ever overwritten: an archive gets a name of its own, and a restored file that differs from one that is there
is laid beside it. An archive counts once it was read back and every checksum fits.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import io
import os
import shutil
import tarfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from .clock import Wall
from .errors import BalanxError

PREFIX, SUFFIX = "balanx-backup-", ".tar.gz"
SUMS = "SHA256SUMS"
BOARD = "board.toml"
STATE = "state"
BESIDE = ".from-backup"
LEFT_OUT = ("lock", "control", "tokens.json", "table.json")  # of this computer, or of the simulated board
PLACES = ("/media/", "/mnt/", "/run/media/")
ROOM = 1_000_000  # more than the archive may need for its own tables


@dataclass(frozen=True, slots=True)
class Restored:
    """Names of what was laid down, of what was there already with the same content, and of what was laid beside."""

    new: tuple[str, ...]
    same: tuple[str, ...]
    beside: tuple[str, ...]


def sticks(mounts: str) -> tuple[Path, ...]:
    """Places of removable disks that can be written to, from the text of /proc/mounts."""
    found = []
    for line in mounts.splitlines():
        device, place, _, options, *_ = [*line.split(), "", "", "", ""]
        place = place.replace("\\040", " ")
        if device.startswith("/dev/") and place.startswith(PLACES) and "rw" in options.split(","):
            found.append(Path(place))
    return tuple(found)


def the_stick(mounts: str) -> Path:
    """The one stick. Raises BalanxError where there is none, or more than one."""
    found = sticks(mounts)
    if not found:
        raise BalanxError(
            "No USB stick is mounted. Plug one in, then: sudo mount /dev/sda1 /mnt; or name a folder with --to DIR"
        )
    if len(found) > 1:
        raise BalanxError(f"Several disks are mounted ({', '.join(map(str, found))}): name one with --to DIR")
    return found[0]


def back_up(state: Path, board: Path, to: Path, wall: Wall) -> Path:
    """Write an archive into a folder; its path. Raises BalanxError, and then leaves nothing behind."""
    files = dict(_files(state, board))
    if not files:
        raise BalanxError(f"{state}: there is nothing to back up: no game was played yet")
    if not to.is_dir():
        raise BalanxError(f"{to}: no such folder")
    wanted = sum(map(len, files.values())) + ROOM
    free = shutil.disk_usage(to).free
    if free < wanted:
        raise BalanxError(
            f"{to}: not enough room: {wanted // 1000} kB are needed, {free // 1000} kB are free"
        )
    path = _fresh(to, wall)
    part = path.with_name(path.name + ".part")
    try:
        with part.open("xb") as file:
            file.write(_archive(files))
            file.flush()
            os.fsync(file.fileno())
        if read_archive(part) != files:
            raise BalanxError(f"{to}: what was written cannot be read back: try another stick")
        os.rename(part, path)
    except OSError as error:
        _remove(part)
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        raise BalanxError(
            f"{to}: {'it is full' if full else error.strerror or error}; nothing was kept"
        ) from error
    except BalanxError:
        _remove(part)
        raise
    return path


def newest(folder: Path) -> Path:
    """The newest archive of a folder. Raises BalanxError."""
    found = sorted(folder.glob(f"{PREFIX}*{SUFFIX}"))
    if not found:
        raise BalanxError(f"{folder}: there is no backup ({PREFIX}...{SUFFIX})")
    return found[-1]


def restore(archive: Path, state: Path, board: Path) -> Restored:
    """Lay back what an archive holds. Raises BalanxError before anything is written where it is damaged."""
    files = read_archive(archive)
    new, same, beside = [], [], []
    try:
        state.mkdir(parents=True, exist_ok=True)
        with _alone(state):
            for name, data in sorted(files.items()):
                place = board if name == BOARD else state / PurePosixPath(name).relative_to(STATE)
                if place.exists():
                    if place.read_bytes() == data:
                        same.append(name)
                        continue
                    place = _beside(place)
                    beside.append(str(place))
                else:
                    new.append(name)
                _lay(place, data)
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        raise BalanxError(f"{state}: {'the disk is full' if full else error.strerror or error}") from error
    return Restored(tuple(new), tuple(same), tuple(beside))


def read_archive(path: Path) -> dict[str, bytes]:
    """Name -> content, every checksum proved. Raises BalanxError naming what is wrong."""
    files: dict[str, bytes] = {}
    try:
        with tarfile.open(path, "r:gz") as tar:
            for member in tar:
                content = tar.extractfile(member) if member.isfile() else None
                if content is None or not _safe(member.name):
                    raise BalanxError(f"{path}: {member.name!r} is nothing that a backup holds")
                files[member.name] = content.read()
    except (tarfile.TarError, zlib.error, EOFError, OSError, ValueError) as error:
        what = error.strerror if isinstance(error, OSError) and error.strerror else "damaged, or no backup"
        raise BalanxError(f"{path}: {what}") from error
    sums = files.pop(SUMS, b"")
    if sums != _sums(files):
        raise BalanxError(f"{path}: damaged: the checksums do not fit")
    return files


def _safe(name: str) -> bool:
    parts = PurePosixPath(name).parts
    inside = name in (SUMS, BOARD) or (len(parts) > 1 and parts[0] == STATE)
    return inside and ".." not in parts and parts[-1] not in LEFT_OUT


def _files(state: Path, board: Path) -> Iterator[tuple[str, bytes]]:
    """Everything that a board cannot make again. A journal that is being written is whole up to its last line."""
    try:
        for path in sorted(state.rglob("*")):
            name = f"{STATE}/{path.relative_to(state).as_posix()}"
            kept = path.suffix not in (".new", ".part") and path.name not in LEFT_OUT
            if kept and path.is_file() and not path.is_symlink():
                yield name, path.read_bytes()
        if board.is_file():
            yield BOARD, board.read_bytes()
    except OSError as error:
        raise BalanxError(f"{error.filename}: {error.strerror}; try with sudo") from error


def _sums(files: Mapping[str, bytes]) -> bytes:
    return "".join(
        f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in sorted(files.items())
    ).encode()


def _archive(files: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        for name, data in [*sorted(files.items()), (SUMS, _sums(files))]:
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            entry.mode = 0o600
            tar.addfile(entry, io.BytesIO(data))
    return out.getvalue()


def _fresh(folder: Path, wall: Wall) -> Path:
    """A name that is not there. Names keep the archives in order, whatever the clock does."""
    stamp = wall().strftime("%Y%m%d-%H%M%S")
    last = max((path.name for path in folder.glob(f"{PREFIX}*{SUFFIX}")), default="")
    last = last[len(PREFIX) : len(PREFIX) + len(stamp)]
    stamp = max(stamp, last) if last.replace("-", "").isdigit() else stamp
    number = 0
    while (path := folder / f"{PREFIX}{stamp}-{number:03}{SUFFIX}").exists():
        number += 1
    return path


def _beside(path: Path) -> Path:
    number = 1
    while (beside := path.with_name(f"{path.name}{BESIDE}{number if number > 1 else ''}")).exists():
        number += 1
    return beside


def _lay(path: Path, data: bytes) -> None:
    """A new file, for the folder's owner: a daemon must be able to read what root lays down."""
    folders = [folder for folder in path.parents if not folder.exists()]
    path.parent.mkdir(parents=True, exist_ok=True)
    spare = path.with_name(path.name + ".new")
    spare.write_bytes(data)
    with spare.open("rb") as file:
        os.fsync(file.fileno())
    top = (folders[-1] if folders else path).parent
    owner = top.stat()
    for made in (*folders, spare):
        if os.geteuid() == 0:
            os.chown(made, owner.st_uid, owner.st_gid)
    os.rename(spare, path)


@contextlib.contextmanager
def _alone(state: Path) -> Iterator[None]:
    """No daemon uses the folder meanwhile."""
    with (state / "lock").open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise BalanxError(
                f"{state}: the daemon uses this folder: sudo systemctl stop balanxd, restore, then start it again"
            ) from None
        if os.geteuid() == 0:
            owner = state.stat()
            os.chown(lock.fileno(), owner.st_uid, owner.st_gid)
        yield


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink(missing_ok=True)
