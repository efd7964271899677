"""Tags of a record: board, players and house rules in, tags out, and back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from rules.errors import RecordError, RulesError

from .deal import default_disks
from .judge import HouseRules
from .layout import Lattice

NAME: Final = "banks"
STANDARD: Final = HouseRules()
STANDARD_SIZE: Final = "8x8"
_DIGITS = 20  # of a seed
_SWITCH = ("off", "on")


def disks_of_position(lattice: Lattice) -> int:
    """Disks of a colour where only a position is given."""
    return max(1, default_disks(lattice))


def write(lattice: Lattice, players: int, disks: int, house: HouseRules) -> tuple[tuple[str, str], ...]:
    """The tags of a game, `Game` first; those of house rules only where they are not the standard ones."""
    tags = [("Game", NAME), ("Board", lattice.name), ("Players", str(players))]
    if disks != disks_of_position(lattice):
        tags.append(("Disks", str(disks)))
    if house.quiet_turns != STANDARD.quiet_turns:
        tags.append(("QuietTurns", str(house.quiet_turns)))
    if house.on_the_spot != STANDARD.on_the_spot:
        tags.append(("BankOnTheSpot", _SWITCH[house.on_the_spot]))
    if house.whole_set != STANDARD.whole_set:
        tags.append(("WholeSet", _SWITCH[house.whole_set]))
    return tuple(tags)


def read_house(tags: Mapping[str, str]) -> HouseRules:
    """The house rules that the tags tell. Raises RecordError."""
    turns = read_number(tags, "QuietTurns", STANDARD.quiet_turns)
    on_the_spot = _switch(tags, "BankOnTheSpot", STANDARD.on_the_spot)
    whole_set = _switch(tags, "WholeSet", STANDARD.whole_set)
    with refusals("[QuietTurns]"):
        return HouseRules(turns, on_the_spot, whole_set)


def read_lattice(tags: Mapping[str, str]) -> Lattice:
    """The board that the tags tell, 8x8 where they do not. Raises RecordError."""
    with refusals("[Board]"):
        return Lattice.parse(tags.get("Board", STANDARD_SIZE))


@contextmanager
def refusals(where: str) -> Iterator[None]:
    """Turns what is refused inside into a RecordError that names the tag."""
    try:
        yield
    except RulesError as error:
        raise RecordError(f"{where} {error}") from None


def read_number(tags: Mapping[str, str], name: str, default: int) -> int:
    """The whole number that a tag holds. Raises RecordError."""
    text = tags.get(name, str(default))
    if not (text.isascii() and text.isdigit() and len(text) <= _DIGITS) or text != str(int(text)):
        raise RecordError(f"[{name}] must be a whole number, not {text!r}")
    return int(text)


def _switch(tags: Mapping[str, str], name: str, default: bool) -> bool:
    text = tags.get(name, _SWITCH[default])
    if text not in _SWITCH:
        raise RecordError(f'[{name}] must be "on" or "off", not {text!r}')
    return text == "on"
