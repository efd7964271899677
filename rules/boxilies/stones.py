"""Stones: JSON texts in, a checked `StoneSet` out. A stone's arrows are counted north, east, south, west.

Stones have numbers: those of A's hand in the order of the set, then those of B's.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from difflib import get_close_matches
from importlib import resources

from rules.errors import RulesError

Sides = tuple[int, int, int, int]

SHIPPED = ("default",)
SEATS = "AB"
MOST_ARROWS = 5

_LABEL = re.compile(r"[1-9][a-z]?")


class StonesError(RulesError):
    """A stone set that is refused; the text names the place."""


@dataclass(frozen=True, slots=True)
class Stone:
    """A stone as it is printed on its base, not turned. The label's digit tells its arrows in a stone file."""

    label: str
    sides: Sides


@dataclass(frozen=True, slots=True)
class StoneSet:
    """The stones that A and B hold before the first turn. Raises StonesError when it cannot be one.

    The totals 1..5 are those of files: `load` checks them, stones made in code may have any.
    `text` is the JSON source.
    """

    name: str
    hands: tuple[tuple[Stone, ...], tuple[Stone, ...]]
    text: str = field(default="", compare=False)
    names: tuple[str, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.name or not self.name.isprintable():
            raise StonesError("name: must be a printable text that is not empty")
        for seat, hand in zip(SEATS, self.hands, strict=True):
            labels = [stone.label for stone in hand]
            for stone in hand:
                if not _LABEL.fullmatch(stone.label):
                    raise StonesError(f"{seat}: {stone.label!r} is no label; one is written as 5 or 5a")
                if labels.count(stone.label) > 1:
                    raise StonesError(f"{seat}.{stone.label}: stands there twice")
                if len(stone.sides) != 4 or min(stone.sides) < 0:
                    raise StonesError(f"{seat}.{stone.label}: must have four numbers of arrows from 0")
        names = tuple(
            seat + stone.label for seat, hand in zip(SEATS, self.hands, strict=True) for stone in hand
        )
        object.__setattr__(self, "names", names)
        if not self.text:
            object.__setattr__(self, "text", self._json())

    @classmethod
    def load(cls, text: str) -> StoneSet:
        """Read `{"name": .., "stones": {..}}`, or `"A"` and `"B"` for two hands. Raises StonesError."""
        try:
            table = json.loads(text, object_pairs_hook=_once)
        except StonesError:
            raise
        except (ValueError, RecursionError) as error:
            raise StonesError(f"not JSON: {error}") from None
        if not isinstance(table, dict):
            raise StonesError("a stone set must be an object with a name and stones")
        alike = "stones" in table
        if alike and not {"A", "B"}.isdisjoint(table):
            raise StonesError("stones: stands beside A or B; give one hand for both, or each its own")
        keys = ("name", "stones") if alike else ("name", "A", "B")
        for key in table:
            if key not in keys:
                raise StonesError(f"unknown key {key!r}{_nearest(key, ('name', 'stones', 'A', 'B'))}")
        for key in keys:
            if key not in table:
                raise StonesError(f"{key}: is missing")
        if not isinstance(table["name"], str):
            raise StonesError("name: must be a text")
        hands = [_hand(key, table[key]) for key in keys[1:]]
        return cls(table["name"], (hands[0], hands[-1]), text)

    @property
    def stones(self) -> tuple[Stone, ...]:
        """All stones by number."""
        return self.hands[0] + self.hands[1]

    def seat(self, stone: int) -> int:
        """Whose hand the stone came from."""
        return int(stone >= len(self.hands[0]))

    def stone(self, name: str) -> int | None:
        """The number of the stone with that name, as in `A5`; None where there is none."""
        return self.names.index(name) if name in self.names else None

    def _json(self) -> str:
        """A source for a set that was not read from one."""
        a, b = ({stone.label: list(stone.sides) for stone in hand} for hand in self.hands)
        hands = {"stones": a} if self.hands[0] == self.hands[1] else {"A": a, "B": b}
        return json.dumps({"name": self.name, **hands}, ensure_ascii=False)


def turned(sides: Sides, rotation: int) -> Sides:
    """The sides after so many quarter turns clockwise: `new[i] = old[(i - rotation) mod 4]`."""
    north, east, south, west = (sides[(i - rotation) % 4] for i in range(4))
    return north, east, south, west


def smallest(sides: Sides, rotation: int) -> int:
    """The smallest rotation that looks like this one."""
    return next(less for less in range(4) if turned(sides, less) == turned(sides, rotation))


def stone_set_named(name: str) -> StoneSet:
    """A set that ships with the program. Raises StonesError for an unknown name."""
    if name not in SHIPPED:
        raise StonesError(f"no stone set is called {name!r}{_nearest(name, SHIPPED)}")
    source = resources.files(__package__).joinpath("sets", f"{name}.json")
    return StoneSet.load(source.read_text(encoding="utf-8"))


# -- the JSON form ---------------------------------------------------------------------------------


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    table: dict[str, object] = {}
    for key, value in pairs:
        if key in table:
            raise StonesError(f"{key}: stands there twice")
        table[key] = value
    return table


def _nearest(word: str, known: tuple[str, ...]) -> str:
    near = get_close_matches(word, known, n=1, cutoff=0.0)
    return f"; the nearest is {near[0]!r}" if near else ""


def _hand(where: str, value: object) -> tuple[Stone, ...]:
    if not isinstance(value, dict) or not value:
        raise StonesError(f'{where}: must be an object of stones, as in {{"1": [1, 0, 0, 0]}}')
    return tuple(Stone(label, _sides(f"{where}.{label}", label, sides)) for label, sides in value.items())


def _sides(where: str, label: str, value: object) -> Sides:
    if not _LABEL.fullmatch(label):
        raise StonesError(f"{where}: {label!r} is no label; one is written as 5 or 5a")
    if not isinstance(value, list) or len(value) != 4:
        raise StonesError(f"{where}: must be a list of four numbers: north, east, south, west")
    for number in value:
        if isinstance(number, bool) or not isinstance(number, int) or number < 0:
            raise StonesError(f"{where}: {number!r} is no number of arrows")
    total = sum(value)
    if not 1 <= total <= MOST_ARROWS:
        raise StonesError(f"{where}: {total} arrows in all are not between 1 and {MOST_ARROWS}")
    if total != int(label[0]):
        raise StonesError(f"{where}: {total} arrows in all, but the label says {label[0]}")
    north, east, south, west = value
    return north, east, south, west
