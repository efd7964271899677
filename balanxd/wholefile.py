"""A text in; a file that holds all of it, or still what it held before, out."""

from __future__ import annotations

import os
from pathlib import Path

from .journal import sync_folder


def write_whole(path: Path, text: str, mode: int = 0o644) -> None:
    """Durable when this returns, whatever cuts the power. mode: who may read it. Raises OSError."""
    spare = path.with_suffix(".new")
    spare.unlink(missing_ok=True)
    number = os.open(spare, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    with os.fdopen(number, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(spare, path)
    sync_folder(path.parent)
