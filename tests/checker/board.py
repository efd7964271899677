"""Position texts and layouts -> which colour lies where; written from the spec alone.

A space is a pair (file, rank), both from 0; a colour is 0 (White) or 1 (Black).
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Space = tuple[int, int]
Lying = dict[Space, int]


def space_named(name: str) -> Space:
    """`d4` -> (3, 3). Raises ValueError."""
    if len(name) < 2 or not "a" <= name[0] <= "z" or not name[1:].isdigit():
        raise ValueError(f"{name!r} is no space")
    return ord(name[0]) - ord("a"), int(name[1:]) - 1


def space_name(space: Space) -> str:
    """Inverse of `space_named`."""
    return f"{chr(ord('a') + space[0])}{space[1] + 1}"


@dataclass(frozen=True)
class Position:
    """A position text, taken apart."""

    lying: Lying
    side: int
    ply: int


def read_position(text: str) -> Position:
    """`WWWW3/... W 0`. Raises ValueError."""
    placement, side, ply = text.split(" ")
    rows = placement.split("/")
    lying: Lying = {}
    for rank, row in enumerate(reversed(rows)):
        file = 0
        for letter in row:
            if letter.isdigit():
                file += int(letter)
            else:
                lying[file, rank] = "WB".index(letter)
                file += 1
    return Position(lying, "WB".index(side), int(ply))


@dataclass(frozen=True)
class Plan:
    """A layout: its grooves, each its spaces from the low rank up."""

    files: int
    ranks: int
    grooves: tuple[tuple[Space, ...], ...]

    @property
    def groove_of(self) -> Mapping[Space, int]:
        """The number of each space's groove."""
        return {space: number for number, groove in enumerate(self.grooves) for space in groove}

    def space(self, cell: int) -> Space:
        """A cell's number is rank by rank from a1."""
        return cell % self.files, cell // self.files

    def rows(self, lying: Lying) -> list[list[int]]:
        """The colours in each groove from the low rank up: what no tilt changes."""
        return [[lying[space] for space in groove if space in lying] for groove in self.grooves]

    def rolled(self, lying: Lying, side: int) -> Lying:
        """All marbles rolled to one player's side."""
        found: Lying = {}
        for groove, colours in zip(self.grooves, self.rows(lying), strict=True):
            spaces = groove[: len(colours)] if side == 0 else groove[len(groove) - len(colours) :]
            found.update(zip(spaces, colours, strict=True))
        return found


def read_plan(text: str) -> Plan:
    """A layout's TOML."""
    data: dict[str, Any] = tomllib.loads(text)
    files, ranks = data["files"], data["ranks"]
    if "grooves" in data:
        named = [tuple(sorted(space_named(name) for name in groove)) for groove in data["grooves"]]
        return Plan(files, ranks, tuple(named))
    grooves: list[tuple[Space, ...]] = []
    for file, first in enumerate(data["first_groove"]):
        rank, length = 0, first
        while rank < ranks:
            grooves.append(tuple((file, r) for r in range(rank, min(rank + length, ranks))))
            rank, length = rank + length, 2
    return Plan(files, ranks, tuple(grooves))
