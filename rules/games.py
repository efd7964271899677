"""Names and record tags in, the game that they mean out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .balanx.game import BalanxGame
from .balanx.layout import Layout, layout_named
from .errors import RecordError, UnknownGame
from .game import Game

AnyGame = Game[Any, Any]
NAMES = ("balanx",)


def game_named(name: str, layout: Layout | None = None, *, repetition: bool = True) -> AnyGame:
    """A game by its name, on the shipped default board where no layout is given. Raises UnknownGame."""
    if name == "balanx":
        return BalanxGame(layout or layout_named("classic"), repetition)
    raise UnknownGame(f"no game is called {name!r}; there are {', '.join(NAMES)}")


def game_of_tags(tags: Mapping[str, str]) -> AnyGame:
    """The game that a record's tags mean. Raises RulesError naming the tag."""
    if "Game" not in tags:
        raise RecordError("the tag [Game] is missing")
    repetition = tags.get("Repetition", "on")
    if repetition not in ("on", "off"):
        raise RecordError(f'[Repetition] must be "on" or "off", not {repetition!r}')
    return game_named(tags["Game"], _layout_of_tags(tags), repetition=repetition == "on")


def _layout_of_tags(tags: Mapping[str, str]) -> Layout:
    if "LayoutText" not in tags:
        return layout_named(tags.get("Layout", "classic"))
    layout = Layout.load(tags["LayoutText"])
    if layout.name != tags.get("Layout", layout.name):
        raise RecordError(f"[LayoutText] holds the layout {layout.name!r}, [Layout] says {tags['Layout']!r}")
    return layout
