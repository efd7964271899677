"""One rig, one user: a lock file that says who holds the rig and what for."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from balanxd.errors import BalanxError


@contextmanager
def rig_lock(folder: Path, rig: str, reason: str) -> Iterator[Path]:
    """Hold a rig, named by its port, at most as long as the process lives. Raises BalanxError that says who has it."""
    name = "".join(letter if letter.isalnum() else "-" for letter in rig).strip("-")
    path = folder / f"rig-{name}.lock"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = path.open("a+")
    except OSError as error:
        raise BalanxError(f"{path}: {error.strerror or error}") from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.seek(0)
            raise BalanxError(
                f"the rig at {rig} is in use: {file.read().strip() or 'nobody says by whom'}. Wait for its end."
            ) from None
        file.truncate(0)
        file.write(f"process {os.getpid()}, {reason}\n")
        file.flush()
        try:
            yield path
        finally:
            file.truncate(0)
