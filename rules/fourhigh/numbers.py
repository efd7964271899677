"""The printed numbers: the TOML text of a table in, a checked `Numbers` out."""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from importlib import resources
from typing import Final

from rules.errors import LayoutError

from .layout import CELL_NAMES, CELLS, FILES, RANKS

SHIPPED: Final = ("rings",)
GREATEST: Final = 999
"""Greatest number of a space; scores must stay readable in a result."""

_KEYS = ("name", "rows")


@dataclass(frozen=True, slots=True)
class Numbers:
    """The number of each space in cell order. Raises LayoutError when it is no table of this board.

    `text` is the TOML source.
    """

    name: str
    values: tuple[int, ...]
    text: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        if not self.name or not self.name.isprintable():
            raise LayoutError("name: must be a printable text that is not empty")
        if len(self.values) != CELLS:
            raise LayoutError(f"rows: {len(self.values)} numbers where the board has {CELLS} spaces")
        for space, value in zip(CELL_NAMES, self.values, strict=True):
            if isinstance(value, bool) or not isinstance(value, int):
                raise LayoutError(f"rows: {space} must be a whole number, not {value!r}")
            if not 0 <= value <= GREATEST:
                raise LayoutError(f"rows: {space} is {value}, not between 0 and {GREATEST}")
        if not self.text:
            object.__setattr__(self, "text", self._toml())  # how a frozen dataclass fills a derived field

    @classmethod
    def load(cls, text: str) -> Numbers:
        """Read the TOML form: `name` and eight `rows` of eight, rank 8 first. Raises LayoutError."""
        try:
            table = tomllib.loads(text)
        except (ValueError, RecursionError) as error:  # a huge number, deep brackets
            raise LayoutError(f"not TOML: {error}") from None
        for key in table:
            if key not in _KEYS:
                nearest = get_close_matches(key, _KEYS, n=1, cutoff=0.0)[0]
                raise LayoutError(f"unknown key {key!r}; the nearest is {nearest!r}")
        name = table.get("name")
        if not isinstance(name, str):
            raise LayoutError("name: must be a text" if "name" in table else "name: is missing")
        return cls(name, _values(table), text)

    def _toml(self) -> str:
        """A source for a table that was not read from one."""
        ranks = reversed(range(RANKS))
        rows = ",\n    ".join(str(list(self.values[rank * FILES : (rank + 1) * FILES])) for rank in ranks)
        return f"name = {json.dumps(self.name, ensure_ascii=False)}\nrows = [\n    {rows},\n]\n"


@cache
def numbers_named(name: str) -> Numbers:
    """A shipped table by its name. Raises LayoutError."""
    if name not in SHIPPED:
        raise LayoutError(f"no numbers are called {name!r}; there are {', '.join(SHIPPED)}")
    file = resources.files(__package__) / "number_tables" / f"{name}.toml"
    return Numbers.load(file.read_text(encoding="utf-8"))


def _values(table: dict[str, object]) -> tuple[int, ...]:
    rows = table.get("rows")
    if not isinstance(rows, list) or len(rows) != RANKS:
        found = f", not {len(rows)}" if isinstance(rows, list) else ""
        raise LayoutError(f"rows: must be a list of {RANKS} rows, rank {RANKS} first{found}")
    for rank, row in zip(reversed(range(RANKS)), rows, strict=True):
        if not isinstance(row, list) or len(row) != FILES:
            raise LayoutError(f"rows: rank {rank + 1} must be a list of {FILES} whole numbers")
    return tuple(value for row in reversed(rows) for value in row)
