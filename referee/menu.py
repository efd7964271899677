"""Menu: presses in; which item is shown, and the one that is to be done, out. Pure.

What its items are is said by whoever opens it (`referee.offers`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from . import events as e
from .commands import HouseCommand, PlayerCommand

INF = float("inf")
SHOWN_S = 15.0  # without a press it closes


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that can be done now. say: for people; done: what is said of it then.

    sure: it cannot be undone, so it is asked for once more. asked: it answers what the players are asked.
    """

    say: str
    does: PlayerCommand | HouseCommand
    done: str
    sure: bool = False
    asked: bool = False


class Menu:
    """One menu, open or closed."""

    def __init__(self, emit: Callable[[e.GameEvent], None]) -> None:
        self._emit = emit
        self._items: tuple[Item, ...] = ()
        self._at = 0
        self._sure = False
        self._until_s = INF

    @property
    def open(self) -> bool:
        """Whether it is shown."""
        return bool(self._items)

    def show(self, items: tuple[Item, ...], at: int, now_s: float, *, sure: bool = False) -> None:
        """Open it at an item (from 0). sure: as if that had been chosen already."""
        self._items, self._at, self._sure = items, at, sure
        self._say(now_s)

    def next(self, now_s: float) -> None:
        """The item after this one, round."""
        self._at, self._sure = (self._at + 1) % len(self._items), False
        self._say(now_s)

    def choose(self, now_s: float) -> Item | None:
        """The item that is to be done now; None where it is asked for once more."""
        item = self._items[self._at]
        if item.sure and not self._sure:
            self._sure = True
            self._say(now_s)
            return None
        return item

    def close(self, now_s: float, say: str = "", *, done: bool = False) -> None:
        """Show nothing any more, if anything was shown or is to be said. done: what was chosen is."""
        if self._items or say:
            self._items, self._until_s = (), INF
            self._emit(e.MenuClosed(at_s=now_s, say=say, done=done))

    def tick(self, now_s: float) -> None:
        """Close it when nobody has pressed anything for long."""
        if now_s >= self._until_s:
            self.close(now_s)

    def due_s(self) -> float:
        """When `tick` wants to be called next (inf: never)."""
        return self._until_s

    def _say(self, now_s: float) -> None:
        self._until_s = now_s + SHOWN_S
        item = self._items[self._at]
        self._emit(
            e.MenuShown(
                at_s=now_s, number=self._at + 1, count=len(self._items), say=item.say, sure=self._sure
            )
        )
