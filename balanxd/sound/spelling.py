"""Spelling: a text of the page in; the same as a voice should read it out. Spaces and moves are said, not spelled."""

from __future__ import annotations

import re

# fmt: off
NAMES = (
    "Anna", "Bella", "Cesar", "David", "Eva", "Felix", "Gustav", "Hector",
    "Ida", "Julius", "Karl", "Ludwig", "Martha", "Nora", "Otto", "Paula",
    "Quintus", "Richard", "Samuel", "Theodor", "Ulrich", "Viktor", "Wilhelm", "Xaver",
    "Ypsilon", "Zeppelin",
)
# fmt: on
"""Of files; the first eight are those of chess between players who do not see the board."""

TURNS = ("", ", turned by a quarter", ", turned by half", ", turned by three quarters")

_TRAVEL = re.compile(r"\b([a-z]\d{1,2})-([a-z]\d{1,2})\b")
_CHOICE = re.compile(r"\*([a-z]\d{1,2})\b")
_STONE = re.compile(r"\b([A-Z]\d{1,2}[a-z]?)@([a-z]\d{1,2})r([0-3])\b")
_SPACE = re.compile(r"\b([a-z])(\d{1,2})\b")
_ASIDE = re.compile(r" \(marked\)")


def spoken(text: str, *, names: bool = False) -> str:
    """The text for a voice. names: files are said as names, since b, d, e and g sound alike.

    A space stays one word: a voice reads `a4` as a letter and a number, and the `a` of `a 4` as an article.
    """
    text = _ASIDE.sub("", text)
    text = _TRAVEL.sub(r"\1 to \2", text)
    text = _CHOICE.sub(r"the disk on \1", text)
    text = _STONE.sub(lambda found: f"{found[1]} on {found[2]}{TURNS[int(found[3])]}", text)
    if names:
        text = _SPACE.sub(lambda found: f"{NAMES[ord(found[1]) - ord('a')]} {found[2]}", text)
    return text
