"""Machine: one computer as its files and commands tell it. A root folder and a way to run commands in, facts out.

All paths are those of the computer, `/proc/...`; they are looked up below the root, which tests fill with a tree.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from balanxd.clock import Wall, wall_clock
from balanxd.control import ask
from balanxd.errors import BalanxError
from balanxd.flashing.surroundings import NotInstalled, Ran, run_process

COMMAND_S = 5.0


@dataclass(frozen=True, slots=True)
class Space:
    """Of the disk under a folder, in bytes; files: how many more there can be."""

    free: int
    files: int


@dataclass(frozen=True, slots=True)
class Machine:
    """The outside, as arguments. run: command and limit in s, raises NotInstalled; version: of a package or None.

    ask: the daemon of a state folder, None where none answers. user: who asks. python: its version. builds: kind of
    board and number of its inputs -> build id of the firmware that came with this program.
    """

    root: Path
    run: Callable[[Sequence[str], float], Ran]
    space: Callable[[Path], Space]
    version: Callable[[str], str | None]
    ask: Callable[[Path], Mapping[str, Any] | None]
    wall: Wall
    user: str
    python: tuple[int, ...]
    builds: Callable[[], Mapping[tuple[str, int], int]]

    def path(self, name: str) -> Path:
        """Where a path of the computer is looked up."""
        return self.root / name.lstrip("/")

    def text(self, name: str) -> str:
        """What a file says; empty where it cannot be read. Device-tree files end in a zero byte."""
        try:
            return self.path(name).read_text(errors="replace").strip("\0 \n")
        except OSError:
            return ""

    def there(self, name: str) -> bool:
        """Whether a path exists; a link counts by what it leads to, inside the root."""
        return self.path(self.real(name)).exists()

    def real(self, name: str) -> str:
        """A path with its links followed, as the computer sees it."""
        at = name
        for _ in range(8):
            try:
                to = os.readlink(self.path(at))
            except OSError:
                return at
            at = os.path.normpath(os.path.join(os.path.dirname(at), to))
        return at

    def listed(self, pattern: str) -> list[str]:
        """Paths that fit a pattern such as `/dev/i2c-*`, in order."""
        found = self.root.glob(pattern.lstrip("/"))
        return sorted("/" + str(path.relative_to(self.root)) for path in found)

    def said(self, *command: str) -> str | None:
        """Standard output of a command; None where it is not there or fails."""
        try:
            ran = self.run(command, COMMAND_S)
        except (NotInstalled, OSError):
            return None
        return ran.out.strip() if ran.status == 0 else None

    def processes(self) -> Iterator[tuple[int, str]]:
        """(number, name) of each process."""
        for name in self.listed("/proc/[0-9]*"):
            number = name.removeprefix("/proc/")
            if number.isdigit():
                yield int(number), self.text(f"{name}/comm")

    def holders(self, device: str) -> list[tuple[int, str]]:
        """Processes that have a device open, as far as this user may see."""
        found = []
        for number, name in self.processes():
            try:
                files = list(self.path(f"/proc/{number}/fd").iterdir())
                if any(os.readlink(file) == device for file in files):
                    found.append((number, name))
            except OSError:
                continue  # another user's, or just gone
        return found


@dataclass(frozen=True, slots=True)
class People:
    """Users and groups by /etc/passwd and /etc/group. members: group -> users; main: user -> number of its group."""

    members: Mapping[str, frozenset[str]]
    numbers: Mapping[str, int]
    main: Mapping[str, int]

    def belongs(self, user: str, group: str) -> bool:
        """Whether a user is in a group; root may do everything."""
        return (
            user == "root"
            or user in self.members.get(group, frozenset())
            or (group in self.numbers and self.main.get(user) == self.numbers[group])
        )


def people_of(machine: Machine) -> People:
    """Read both files; lines that are none are left out."""
    members, numbers, main = {}, {}, {}
    for line in machine.text("/etc/group").splitlines():
        name, _, number, users, *_ = [*line.split(":"), "", "", "", ""]
        if name and number.isdigit():
            members[name] = frozenset(user for user in users.split(",") if user)
            numbers[name] = int(number)
    for line in machine.text("/etc/passwd").splitlines():
        name, _, _, number, *_ = [*line.split(":"), "", "", "", ""]
        if name and number.isdigit():
            main[name] = int(number)
    return People(members, numbers, main)


def real_machine() -> Machine:
    """This computer."""
    import getpass
    import sys

    return Machine(
        Path("/"),
        run_process,
        _space,
        _version,
        _ask,
        wall_clock,
        getpass.getuser(),
        tuple(sys.version_info[:3]),
        _builds,
    )


def _ask(folder: Path) -> Mapping[str, Any] | None:
    try:
        return ask(folder, {"do": "status"})
    except BalanxError:
        return None


def _builds() -> Mapping[tuple[str, int], int]:
    from balanxd.flashing.images import shipped

    try:
        return {(image.kind, image.cells): image.build_id for image in shipped()}
    except BalanxError:
        return {}


def _space(folder: Path) -> Space:
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    told = os.statvfs(folder)
    return Space(shutil.disk_usage(folder).free, told.f_favail if told.f_files else 1 << 30)


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
