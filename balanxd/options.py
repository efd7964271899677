"""Options of a game: a name and settings by their record tags in, a game and its tags out.

What a record's tags say of a game (`docs/games`) is what a command line and a board file say of it, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rules.errors import RulesError
from rules.games import NAMES, AnyGame, game_of_tags

from .errors import BalanxError
from .keys import nearest

BALANX = "balanx"
OTHERS = tuple(name for name in NAMES if name != BALANX)
"""Games of boards that do not tilt; their boards are told by tags."""

Tags = tuple[tuple[str, str], ...]


def settings_of(texts: Iterable[str]) -> dict[str, str]:
    """Read `TAG=VALUE` texts; a later one goes before. Raises BalanxError."""
    found = {}
    for text in texts:
        tag, equals, value = text.partition("=")
        if not equals or not tag:
            raise BalanxError(f"--set {text}: must be TAG=VALUE")
        found[tag] = value
    return found


def checked_tags(name: str, settings: Mapping[str, str], where: str = "--set ") -> Tags:
    """The tags of a game, `Game` first. Raises BalanxError naming a tag that it does not have, or its value."""
    tags = {"Game": name, **settings}
    for tag in settings:
        if tag == "Game" or not means_something(name, tag):
            known = [other for other in TAGS if means_something(name, other)]
            there = nearest(tag, known) or f" (there are {', '.join(known)})"
            raise BalanxError(f"{where}{tag}: {name} has no such tag{there}; docs/games/{name}.md names them")
    try:
        game_of_tags(tags)
    except RulesError as error:
        raise BalanxError(f"{where.strip().rstrip('.')}: {error}") from error
    return tuple(tags.items())


def game_of_options(tags: Tags, seed: int) -> AnyGame:
    """A game by checked tags. seed: gives the chance of a game that begins with one, where no tag does."""
    return game_of_tags({"Seed": str(seed), **dict(tags)})


TAGS = (
    "Board",
    "Players",
    "Disks",
    "Seed",
    "Setup",
    "QuietTurns",
    "BankOnTheSpot",
    "WholeSet",
    "Stones",
    "StonesText",
    "Starter",
    "Turning",
    "Ties",
    "Chains",
    "Recapture",
    "Wrap",
    "Numbers",
    "NumbersText",
    "Stuck",
    "QuietLimit",
)
"""Tags of any game, for a hint to the nearest."""


def means_something(name: str, tag: str) -> bool:
    """Whether a game reads a tag: then it refuses nonsense in it."""
    try:
        game_of_tags({"Game": name, tag: "\0"})
    except RulesError:
        return True
    return False
