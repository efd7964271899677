"""Layouts: the TOML text of a board's plan in, a checked `Layout` out; rules, simulator and page draw on it.

Spaces are numbered rank by rank from White's edge: a1 = 0, b1 = 1, ...; index = (rank - 1) * files + file.
"""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from importlib import resources
from itertools import pairwise

from rules.errors import LayoutError

SIDES = (4, 9)
"""Least and greatest number of files, and of ranks."""

CORNER = (4, 3, 2, 1)
"""Spaces of a corner triangle in the files next to the corner, counted from the edge."""

DEFAULT_PITCH_MM = 27.0
SHIPPED = ("classic", "wide")
FILE_LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class Layout:
    """A valid plan: grooves by ascending first space, low rank first. Raises LayoutError when it is none.

    `starts` and `finishes` are the ten spaces of each seat, White first. `text` is the TOML source.
    """

    name: str
    files: int
    ranks: int
    grooves: tuple[tuple[int, ...], ...]
    pitch_mm: float = DEFAULT_PITCH_MM
    text: str = ""
    cell_names: tuple[str, ...] = field(init=False, repr=False, compare=False)
    groove_of: tuple[int, ...] = field(init=False, repr=False, compare=False)
    starts: tuple[frozenset[int], frozenset[int]] = field(init=False, repr=False, compare=False)
    finishes: tuple[frozenset[int], frozenset[int]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.name or not self.name.isprintable():
            raise LayoutError("name: must be a printable text that is not empty")
        for key, number in (("files", self.files), ("ranks", self.ranks)):
            if not SIDES[0] <= number <= SIDES[1]:
                raise LayoutError(f"{key}: {number} is not between {SIDES[0]} and {SIDES[1]}")
        if not (math.isfinite(self.pitch_mm) and 5.0 <= self.pitch_mm <= 200.0):
            raise LayoutError(f"board.pitch_mm: {self.pitch_mm} is not between 5 and 200")
        fill = object.__setattr__  # how a frozen dataclass fills its derived fields
        fill(self, "cell_names", _cell_names(self.files, self.ranks))
        white, black = _corners(self.files, self.ranks)
        fill(self, "starts", (white, black))
        fill(self, "finishes", (black, white))
        fill(self, "grooves", tuple(sorted(tuple(sorted(groove)) for groove in self.grooves)))
        fill(self, "groove_of", self._check_grooves())
        self._check_fair()
        self._check_corners()
        if not self.text:
            fill(self, "text", self._toml())

    @classmethod
    def load(cls, text: str) -> Layout:
        """Read the TOML form. Raises LayoutError naming the key or the broken rule and the spaces where."""
        try:
            table = tomllib.loads(text)
        except (ValueError, RecursionError) as error:  # a huge number, deep brackets
            raise LayoutError(f"not TOML: {error}") from None
        return cls(*_read(table), text=text)

    @property
    def cells(self) -> int:
        """Number of spaces."""
        return self.files * self.ranks

    def cell(self, name: str) -> int | None:
        """The space of that name, None where there is none."""
        return self.cell_names.index(name) if name in self.cell_names else None

    def half_turn(self, cell: int) -> int:
        """The space that the opponent sees where one sees `cell`."""
        return self.cells - 1 - cell

    def _toml(self) -> str:
        """A source for a layout that was not read from one."""
        grooves = [[self.cell_names[cell] for cell in groove] for groove in self.grooves]
        return (
            f"name = {json.dumps(self.name, ensure_ascii=False)}\nfiles = {self.files}\nranks = {self.ranks}\n"
            f"grooves = {json.dumps(grooves)}\n\n[board]\npitch_mm = {float(self.pitch_mm)}\n"
        )

    def _spaces(self, cells: Iterable[int]) -> str:
        return ", ".join(self.cell_names[cell] for cell in sorted(cells))

    def _check_grooves(self) -> tuple[int, ...]:
        """Rules (a) and (b); gives the groove of each space."""
        owner: dict[int, int] = {}
        for number, groove in enumerate(self.grooves):
            if any(not 0 <= cell < self.cells for cell in groove):
                raise LayoutError(f"groove {number + 1}: a space lies outside the board")
            if not 1 <= len(groove) <= 2 or (len(groove) == 2 and groove[1] - groove[0] != self.files):
                raise LayoutError(
                    "rule b: a groove is one space or two neighbouring spaces of one file, "
                    f"not {self._spaces(groove) or 'nothing'}"
                )
            for cell in groove:
                if owner.setdefault(cell, number) != number:
                    raise LayoutError(f"rule a: {self.cell_names[cell]} is in more than one groove")
        if missing := set(range(self.cells)) - owner.keys():
            raise LayoutError(f"rule a: in no groove: {self._spaces(missing)}")
        return tuple(owner[cell] for cell in range(self.cells))

    def _check_fair(self) -> None:
        """Rule (c)."""
        plan = set(self.grooves)
        for groove in self.grooves:
            if tuple(sorted(map(self.half_turn, groove))) not in plan:
                raise LayoutError(
                    "rule c: half a turn must map the plan onto itself, "
                    f"but the groove {self._spaces(groove)} "
                    f"would become {self._spaces(map(self.half_turn, groove))}"
                )

    def _check_corners(self) -> None:
        """Rules (d) and (e)."""
        if both := self.starts[0] & self.starts[1]:
            raise LayoutError(f"rule e: the corner triangles overlap at {self._spaces(both)}")
        for corner in self.starts:
            for groove in self.grooves:
                if 0 < len(corner.intersection(groove)) < len(groove):
                    raise LayoutError(
                        "rule d: a corner triangle must hold whole grooves, "
                        f"but the groove {self._spaces(groove)} lies across its border"
                    )


@cache
def layout_named(name: str) -> Layout:
    """A layout that ships with the program. Raises LayoutError for an unknown name."""
    if name not in SHIPPED:
        raise LayoutError(f"no layout is called {name!r}{_nearest(name, SHIPPED)}")
    source = resources.files(__package__).joinpath("layouts", f"{name}.toml")
    return Layout.load(source.read_text(encoding="utf-8"))


def stagger(first_groove: Iterable[int], ranks: int) -> tuple[tuple[int, ...], ...]:
    """Grooves file by file: the first of the given length, then two by two, the last takes what is left."""
    lengths = tuple(first_groove)
    files = len(lengths)
    grooves = []
    for file, length in enumerate(lengths):
        cells = range(file, files * ranks, files)
        cuts = [0, *range(length, ranks, 2), ranks]
        grooves += [tuple(cells[low:high]) for low, high in pairwise(cuts)]
    return tuple(grooves)


def _cell_names(files: int, ranks: int) -> tuple[str, ...]:
    return tuple(f"{FILE_LETTERS[file]}{rank + 1}" for rank in range(ranks) for file in range(files))


def _corners(files: int, ranks: int) -> tuple[frozenset[int], frozenset[int]]:
    """White's start (far left of him) and Black's, which is half a turn away."""
    white = {
        (ranks - 1 - step) * files + file for file, height in enumerate(CORNER) for step in range(height)
    }
    return frozenset(white), frozenset(files * ranks - 1 - cell for cell in white)


# -- the TOML form ---------------------------------------------------------------------------------


def _read(table: Mapping[str, object]) -> tuple[str, int, int, tuple[tuple[int, ...], ...], float]:
    _only_keys("", table, ("name", "files", "ranks", "first_groove", "grooves", "board"))
    board = table.get("board", {})
    if not isinstance(board, dict):
        raise LayoutError("board: must be a table")
    _only_keys("board.", board, ("pitch_mm",))
    pitch_mm = board.get("pitch_mm", DEFAULT_PITCH_MM)
    if isinstance(pitch_mm, bool) or not isinstance(pitch_mm, int | float):
        raise LayoutError("board.pitch_mm: must be a number")
    name = table.get("name")
    if not isinstance(name, str):
        raise LayoutError("name: must be a text" if "name" in table else "name: is missing")
    files, ranks = _side(table, "files"), _side(table, "ranks")
    if ("first_groove" in table) == ("grooves" in table):
        raise LayoutError("first_groove, grooves: exactly one of the two must be given")
    if "grooves" in table:
        grooves = _named_grooves(table["grooves"], _cell_names(files, ranks))
    else:
        grooves = stagger(_first_groove(table["first_groove"], files), ranks)
    return name, files, ranks, grooves, float(pitch_mm)


def _only_keys(where: str, table: Mapping[str, object], known: tuple[str, ...]) -> None:
    for key in table:
        if key not in known:
            raise LayoutError(f"unknown key {where + key!r}{_nearest(key, known)}")


def _nearest(word: str, known: tuple[str, ...]) -> str:
    near = get_close_matches(word, known, n=1, cutoff=0.0)
    return f"; the nearest is {near[0]!r}" if near else ""


def _side(table: Mapping[str, object], key: str) -> int:
    number = table.get(key)
    if isinstance(number, bool) or not isinstance(number, int):
        raise LayoutError(f"{key}: must be a whole number" if key in table else f"{key}: is missing")
    if not SIDES[0] <= number <= SIDES[1]:
        raise LayoutError(f"{key}: {number} is not between {SIDES[0]} and {SIDES[1]}")
    return number


def _first_groove(value: object, files: int) -> list[int]:
    if not isinstance(value, list) or len(value) != files:
        raise LayoutError(f"first_groove: must be a list of {files} numbers, one a file")
    for file, length in enumerate(value):
        if isinstance(length, bool) or length not in (1, 2):
            raise LayoutError(f"first_groove: file {FILE_LETTERS[file]} must be 1 or 2, not {length!r}")
    return value


def _named_grooves(value: object, names: tuple[str, ...]) -> tuple[tuple[int, ...], ...]:
    if not isinstance(value, list):
        raise LayoutError('grooves: must be a list of lists of spaces, as in [["a1", "a2"], ["b1"]]')
    number_of = {name: cell for cell, name in enumerate(names)}
    grooves = []
    for number, groove in enumerate(value, start=1):
        if not isinstance(groove, list):
            raise LayoutError(f"grooves: number {number} must be a list of spaces")
        for name in groove:
            if not isinstance(name, str) or name not in number_of:
                raise LayoutError(f"grooves: number {number}: there is no space {name!r}")
        if len(set(groove)) != len(groove):
            raise LayoutError(f"rule a: groove number {number} names a space twice: {', '.join(groove)}")
        grooves.append(tuple(number_of[name] for name in groove))
    return tuple(grooves)
