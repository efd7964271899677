"""Keeps calibrations in a folder: the present one, the one before, and one under way. Never half written."""

from __future__ import annotations

from pathlib import Path

from balanxd.errors import BalanxError
from balanxd.wholefile import write_whole

from .values import Calibration, parse_calibration


class Store:
    """Files `calibration.json`, `calibration.previous.json`, `calibration.partial.json`. Raises BalanxError."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.path = folder / "calibration.json"
        self.previous = folder / "calibration.previous.json"
        self.partial = folder / "calibration.partial.json"

    def load(self) -> Calibration | None:
        """The present calibration, if there is one."""
        return _read(self.path)

    def begun(self, layout: str) -> Calibration | None:
        """One of that layout that was broken off."""
        known = _read(self.partial)
        return known if known is not None and known.layout == layout else None

    def check(self) -> None:
        """See that something can be kept, so that nobody lays marbles for nothing."""
        self._write(self.partial, _text(self.partial) or Calibration().text())

    def keep(self, known: Calibration) -> None:
        """Keep what is known so far, to go on from after a break."""
        self._write(self.partial, known.text())

    def finish(self, known: Calibration) -> None:
        """Make it the present one; the one before can be restored."""
        old = _text(self.path)
        if old is not None:
            self._write(self.previous, old)
        self._write(self.path, known.text())
        self.partial.unlink(missing_ok=True)

    def restore(self) -> Calibration:
        """Exchange the present calibration with the one before."""
        before, now = _text(self.previous), _text(self.path)
        if before is None:
            raise BalanxError(f"{self.previous}: there is no earlier calibration to restore")
        known = parse_calibration(before, str(self.previous))
        self._write(self.path, before)
        if now is not None:
            self._write(self.previous, now)
        return known

    def _write(self, path: Path, text: str) -> None:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            write_whole(path, text)
        except PermissionError as error:
            raise BalanxError(
                f"{path}: you may not write there: go on as the service's user (sudo -u balanx balanx ...), or name a "
                "folder of your own with --state"
            ) from error
        except OSError as error:
            raise BalanxError(f"{path}: {error.strerror or error}") from error


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise BalanxError(f"{path}: {error}") from error


def _read(path: Path) -> Calibration | None:
    text = _text(path)
    return None if text is None else parse_calibration(text, str(path))
