"""Keeps the last report of a self-test in a folder; what the daemon's page offers of it out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec

from balanxd.errors import BalanxError
from balanxd.pages import STYLE as PAGES_STYLE
from balanxd.pages import page, words
from balanxd.wholefile import write_whole

from .findings import STYLE, Report, html

FILE = "selftest.json"
PAGE, SHEET = "selftest", "selftest.css"
"""Where the daemon's page has it."""
MOST_BYTES = 1_000_000
NONE = "No self-test was made yet: stop the game, and run `balanx selftest`."


class Kept(msgspec.Struct, frozen=True):
    """What the file holds. date: when it was made, for people; rows: space names as the board lies."""

    date: str
    rows: list[list[str]]
    report: Report


def keep(folder: Path, report: Report, rows: Sequence[Sequence[str]], date: str) -> None:
    """Make it the last one. Raises BalanxError."""
    path = folder / FILE
    kept = Kept(date, [list(row) for row in rows], report)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(path, msgspec.json.encode(kept).decode() + "\n")
    except OSError as error:
        raise BalanxError(f"{path}: {error.strerror or error}") from error


class LastReport:
    """The last report in a folder, as the page of a board wants it.

    summary: date and number of findings, read once; None where there is none of this board. papers: the report's
    page and its style by name, as they are when they are asked for.
    """

    def __init__(self, folder: Path, board: str) -> None:
        self._path = folder / FILE
        kept = self._read()
        self.summary: Mapping[str, object] | None = None
        if isinstance(kept, Kept) and kept.report.board == board:
            self.summary = {"date": kept.date, "findings": len(kept.report.findings)}
        self.papers: Mapping[str, Callable[[], str]] = {PAGE: self._page, SHEET: lambda: PAGES_STYLE + STYLE}

    def _page(self) -> str:
        kept = self._read()
        if isinstance(kept, Kept):
            return html(kept.report, kept.rows, sheet=SHEET, date=kept.date)
        return page("Balanx self-test", f"<h1>Self-test</h1><p>{words(kept)}</p>", sheet=SHEET)

    def _read(self) -> Kept | str:
        """The report, or a line why there is none to show."""
        try:
            with self._path.open("rb") as file:
                kept = msgspec.json.decode(file.read(MOST_BYTES), type=Kept)
            if kept.rows and all(kept.rows):
                return kept
        except FileNotFoundError:
            return NONE
        except (OSError, msgspec.DecodeError, RecursionError):
            pass
        return f"The last report cannot be read: make a new one with `balanx selftest` ({self._path})."
