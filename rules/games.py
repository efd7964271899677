"""Names and record tags in, the game that they mean out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .balanx.game import BalanxGame
from .balanx.layout import Layout, layout_named
from .banks import BanksGame
from .boxilies import BoxiliesGame
from .errors import RecordError, UnknownGame
from .fourhigh import FourHighGame
from .game import Game

AnyGame = Game[Any, Any]


def game_named(name: str, layout: Layout | None = None, *, repetition: bool = True) -> AnyGame:
    """A game by its name, as it is played where nothing else is said. Raises UnknownGame.

    layout and repetition are Balanx's: the shipped default board where none is given.
    """
    if name == "balanx":
        return BalanxGame(layout or layout_named("classic"), repetition)
    return game_of_tags({"Game": name})


def game_of_tags(tags: Mapping[str, str]) -> AnyGame:
    """The game that a record's tags mean, its board and house rules among them. Raises RulesError naming the tag."""
    if "Game" not in tags:
        raise RecordError("the tag [Game] is missing")
    name = tags["Game"]
    if name not in _OF_TAGS:
        raise UnknownGame(f"no game is called {name!r}; there are {', '.join(NAMES)}")
    return _OF_TAGS[name](tags)


def _balanx_of_tags(tags: Mapping[str, str]) -> AnyGame:
    repetition = tags.get("Repetition", "on")
    if repetition not in ("on", "off"):
        raise RecordError(f'[Repetition] must be "on" or "off", not {repetition!r}')
    return BalanxGame(_layout_of_tags(tags), repetition == "on")


def _layout_of_tags(tags: Mapping[str, str]) -> Layout:
    if "LayoutText" not in tags:
        return layout_named(tags.get("Layout", "classic"))
    layout = Layout.load(tags["LayoutText"])
    if layout.name != tags.get("Layout", layout.name):
        raise RecordError(f"[LayoutText] holds the layout {layout.name!r}, [Layout] says {tags['Layout']!r}")
    return layout


_OF_TAGS: dict[str, Callable[[Mapping[str, str]], AnyGame]] = {
    "balanx": _balanx_of_tags,
    "banks": BanksGame.of_tags,
    "boxilies": BoxiliesGame.of_tags,
    "fourhigh": FourHighGame.of_tags,
}
NAMES = tuple(_OF_TAGS)
