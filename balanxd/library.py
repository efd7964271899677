"""The folder of games: who may use it, which game goes on, where a new one is written. All of it files."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import IO

from referee.events import GameOver

from .clock import Wall, wall_clock
from .errors import BalanxError
from .games import Replayed, replay, unfinished
from .journal import SUFFIX, Journal, resume_journal

STAMP = "%Y%m%d-%H%M%S"
BROKEN_OFF = "broken off"


class Library:
    """One state folder, for one daemon at a time. Raises BalanxError where it cannot be used."""

    def __init__(self, folder: Path, say: Callable[[str], None], wall: Wall = wall_clock) -> None:
        self.folder = folder
        self.games = folder / "games"
        self._say = say
        self._wall = wall
        try:
            self.games.mkdir(parents=True, exist_ok=True)
            self._lock: IO[str] = (folder / "lock").open("a+")
        except OSError as error:
            raise BalanxError(f"{folder}: {error.strerror or error}") from error
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self._lock.seek(0)
            holder = self._lock.read().strip()
            self._lock.close()
            raise BalanxError(
                f"{folder}: another balanx uses this folder (process {holder or 'unknown'}); "
                "end it, or give another folder with --state"
            ) from error
        self._lock.truncate(0)
        self._lock.write(f"{os.getpid()}\n")
        self._lock.flush()

    def resume(self) -> tuple[Journal, Replayed] | None:
        """The game that goes on, None if there is none. A damaged one is told and left as it is."""
        path = unfinished(self.games)
        if path is None:
            return None
        journal, events = resume_journal(path, self._say)
        try:
            return journal, replay(events)
        except BalanxError as error:
            spare = path.with_suffix(".damaged")
            try:
                path.rename(spare)
            except OSError as failed:
                raise BalanxError(f"{path}: {failed.strerror or failed}") from failed
            self._say(f"{path.name} cannot be resumed ({error}); it was kept as {spare.name}.")
            return None

    def break_off(self) -> None:
        """End the game that goes on, if there is one, as unfinished."""
        found = self.resume()
        if found is not None:
            journal, _ = found
            journal.append(GameOver(result="*", note=BROKEN_OFF))

    def new_journal(self) -> Journal:
        """Where the next game is written; the file comes with its first event.

        Names keep the games in order: where the clock was set back, the newest game's time goes on.
        """
        stamp = self._wall().strftime(STAMP)
        newest = max((path.name for path in self.games.glob("*" + SUFFIX)), default="")
        if newest[: len(stamp)] > stamp:
            with contextlib.suppress(ValueError, OverflowError):
                after = datetime.strptime(newest[: len(stamp)], STAMP) + timedelta(seconds=1)  # noqa: DTZ007
                stamp = after.strftime(STAMP)
        number = 0
        while (path := self.games / f"{stamp}-{number:02}{SUFFIX}").exists():
            number += 1
        return Journal(path)

    def close(self) -> None:
        """Let others use the folder."""
        self._lock.close()
