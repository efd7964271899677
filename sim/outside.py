"""A controller that lives outside the table: what a table asks of any controller, and how inputs are told to one.

The simulator's own `Controller` is one; an emulated chip is another (`balanxd.simulated.emulated`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from firmware_bridge.messages import ResetCause

from .agenda import Agenda
from .drive import Drive
from .inputs import Line, Lines
from .model import Model


class AnyController(Protocol):
    """A table's controller. boot: its boot number, and kept: whatever else outlives the power, as a text.

    own_time: whether it lives by `run_to` and not by the table's agenda alone.
    """

    own_time: bool
    boot: int
    kept: str
    faults: Any

    @property
    def lights(self) -> bytes | bytearray:
        """Palette index of each light, in chain order."""

    def run_to(self, until_s: float) -> float:
        """Live until a time, or until something happens that the table must see first; the time then.

        What it does to the world is in the agenda afterwards, what it says in `next_s` and `read`.
        """

    def next_s(self) -> float:
        """When the next frame not yet read will have left; inf if none is known."""

    def write(self, data: bytes) -> None:
        """Bytes from the host arrive now."""

    def read(self) -> bytes:
        """Bytes that have left by now and were not read yet."""

    def opened(self) -> None:
        """The host opens the port."""

    def reset(self, cause: ResetCause) -> None:
        """Restart now."""

    def ends_changed(self) -> None:
        """An end input changed."""

    def close(self) -> None:
        """Gives back what it holds outside; nothing can be asked of it any more."""


ControllerMaker = Callable[[Agenda, Model, Lines, Drive], AnyController]


class Levels:
    """Follows the levels of all inputs for a controller that samples them itself."""

    def __init__(self, agenda: Agenda, lines: Lines, changed: Callable[[int, int, float], None]) -> None:
        """changed(input, level, at_s): called at once for changes that come now."""
        self._agenda = agenda
        self._changed = changed
        self._ahead: dict[int, Line] = {}
        lines.changed = self._line_changed
        for line in lines.all:
            line.raw = line.rebuild(agenda.now_s)
            changed(line.index, line.raw, agenda.now_s)
            if line.changes:
                self._ahead[line.index] = line

    def ahead(self, until_s: float) -> list[tuple[float, int, int]]:
        """(time, input, level) of the changes planned up to a time, in order; they stay planned."""
        found = [
            (at_s, index, level)
            for index, line in self._ahead.items()
            for at_s, level in line.changes
            if at_s <= until_s
        ]
        found.sort()
        return found

    def passed(self, until_s: float) -> None:
        """Changes up to a time were told."""
        for index, line in list(self._ahead.items()):
            gone = 0
            for at_s, level in line.changes:
                if at_s > until_s:
                    break
                gone += 1
                line.raw = level
            del line.changes[:gone]
            if not line.changes:
                del self._ahead[index]

    def _line_changed(self, line: Line) -> None:
        if line.index < 0:
            return
        now = self._agenda.now_s
        before = line.raw
        level = line.rebuild(now)
        line.raw = level
        if level != before:
            self._changed(line.index, level, now)
        if line.changes:
            self._ahead[line.index] = line
        else:
            self._ahead.pop(line.index, None)
