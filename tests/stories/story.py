"""The reader of stories: a TOML file in, one `Story` a variant out. Every mistake in a file is a StoryError."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from referee import events as e

KINDS = ("presence", "colour")
SEATS = {"white": 0, "black": 1}
SEEDS = 20

VERBS = {
    # hands
    "move": (2, 3), "lift": (1, 2), "put": (1, 4), "back": (0, 0), "aside": (0, 0), "fetch": (1, 1), "turn": (1, 3),
    "slide": (2, 12), "shove": (2, 2), "push": (1, 1), "pause": (1, 1), "tap": (2, 2), "done": (0, 0),
    # time and events
    "wait": (1, 1), "await": (1, 9), "quiet": (2, 12),
    # people at the page, faults, the daemon
    "ask": (1, 3), "refused": (1, 3), "fault": (1, 4), "inject": (1, 6), "mended": (0, 1),
    "restart": (1, 1), "tilted": (1, 1), "press": (1, 1),
    # what must be so now
    "line": (0, 30), "agrees": (0, 0), "bad": (0, 6),
}  # fmt: skip
HAND_VERBS = {
    "move", "lift", "put", "back", "aside", "fetch", "turn", "slide", "shove", "push", "pause", "tap",
}  # fmt: skip


class StoryError(ValueError):
    """A story's file says what no story can; the message names file and step."""


@dataclass(frozen=True)
class Expected:
    """An event by its name, with some of its fields: `=` the same, `~` contains."""

    name: str
    fields: tuple[tuple[str, str, str], ...] = ()

    def fits(self, event: e.Event) -> bool:
        return type(event).__name__ == self.name and all(self._fits(event, *field) for field in self.fields)

    @staticmethod
    def _fits(event: e.Event, key: str, how: str, wanted: str) -> bool:
        found = _text(getattr(event, key))
        return found == wanted if how == "=" else wanted in found

    def __str__(self) -> str:
        return " ".join([self.name, *(f"{key}{how}{wanted}" for key, how, wanted in self.fields)])


def _text(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return ",".join(sorted(map(str, value)))
    return str(value)


@dataclass(frozen=True)
class Step:
    """One line of a story. options: the `key=value` words of slides."""

    text: str
    verb: str
    words: tuple[str, ...]
    other: bool = False
    within_s: float = 20.0
    expected: tuple[Expected, ...] = ()
    options: Mapping[str, str] | None = None


@dataclass(frozen=True, kw_only=True)
class Told:
    """What every story has, on whatever board. Of a story with variants, one variant.

    machines: seats from 0, and the moves that they announce. line: the line of play in the end, None where that is
    `before` and `turns`. apart: in the end the board shows something else than the game.
    """

    name: str
    title: str
    position: str
    before: tuple[str, ...]
    machines: Mapping[int, tuple[str, ...]]
    steps: tuple[Step, ...]
    turns: tuple[str, ...]
    line: tuple[str, ...] | None
    result: str
    never: tuple[Expected, ...]
    counts: Mapping[str, int]
    apart: bool
    seeds: int

    @property
    def presses(self) -> bool:
        """Whether the board has buttons."""
        return any(step.verb == "press" for step in self.steps)


@dataclass(frozen=True, kw_only=True)
class Story(Told):
    """One story on a board that tilts."""

    kinds: tuple[str, ...]
    layout: str
    drive: str
    end_inputs: bool
    begins: str
    sim: str
    unchecked: str


Fill = Callable[[str], str]
T = TypeVar("T", bound=Told)

SHARED_KEYS = {
    "title", "position", "before", "machines", "steps", "turns", "line", "result", "never", "counts", "apart", "seeds",
    "variants",
}  # fmt: skip
_KEYS = SHARED_KEYS | {
    "kinds", "why", "layout", "drive", "end_inputs", "begins", "sim", "unchecked",
}  # fmt: skip


def read_stories(folder: Path) -> tuple[Story, ...]:
    """All stories of a folder, in the order of their names."""
    return tuple(story for path in sorted(folder.glob("*.toml")) for story in read_story(path))


def read_story(path: Path) -> tuple[Story, ...]:
    """The variants of one file; one Story where it has none. Raises StoryError."""
    return read_file(path, _KEYS, _stories)


def read_file(
    path: Path, keys: Set[str], stories: Callable[[str, dict[str, Any]], Iterator[T]]
) -> tuple[T, ...]:
    """The stories of a file that has no other keys. Raises StoryError that names the file."""
    try:
        told = tomllib.loads(path.read_text())
        if strange := told.keys() - keys:
            raise StoryError(f"no story has {', '.join(sorted(strange))}")
        return tuple(stories(path.stem, told))
    except (StoryError, tomllib.TOMLDecodeError) as error:
        raise StoryError(f"{path.name}: {error}") from None


def variants_of(stem: str, told: Mapping[str, Any]) -> Iterator[tuple[str, Fill]]:
    """Name of each variant, and what puts its words for `$word` into a text."""
    variants: list[dict[str, str]] = told.get("variants", [{}])
    for variant in variants:
        name = f"{stem}-{variant['name']}" if variant else stem

        def fill(text: str, variant: dict[str, str] = variant, name: str = name) -> str:
            for key in sorted(variant, key=len, reverse=True):
                text = text.replace(f"${key}", str(variant[key]))
            if "$" in text:
                raise StoryError(f"{name}: {text!r} names what the variant does not say")
            return text

        yield name, fill


def shared(name: str, told: Mapping[str, Any], fill: Fill) -> dict[str, Any]:
    """What every story has, but its machines and seeds."""
    return {
        "name": name,
        "title": told["title"],
        "position": fill(told.get("position", "")),
        "before": tuple(fill(told.get("before", "")).split()),
        "steps": tuple(read_step(fill(text)) for text in told["steps"]),
        "turns": tuple(fill(told.get("turns", "")).split()),
        "line": tuple(fill(told["line"]).split()) if "line" in told else None,
        "result": fill(told.get("result", "*")),
        "never": tuple(read_expected(fill(text).split()) for text in told.get("never", [])),
        "counts": told.get("counts", {}),
        "apart": told.get("apart", False),
    }


def _stories(stem: str, told: dict[str, Any]) -> Iterator[Story]:
    kinds = tuple(told.get("kinds", KINDS))
    if kinds != KINDS and not told.get("why"):
        raise StoryError("a story for one kind of sensor says `why`")
    many = len(told.get("variants", ()))
    for name, fill in variants_of(stem, told):
        yield Story(
            **shared(name, told, fill),
            machines={
                SEATS[seat]: tuple(fill(text).split()) for seat, text in told.get("machines", {}).items()
            },
            seeds=told.get("seeds", max(4, -(-SEEDS // many)) if many else SEEDS),
            kinds=tuple(fill(",".join(kinds)).split(",")),
            layout=told.get("layout", "classic"),
            drive=told.get("drive", "servo"),
            end_inputs=told.get("end_inputs", True),
            begins=told.get("begins", "down"),
            sim=fill(told.get("sim", "")),
            unchecked=told.get("unchecked", ""),
        )


def read_step(text: str) -> Step:
    """One line of a story. Raises StoryError."""
    words = text.split()
    other = words[0] == "other"
    verb, rest = (words[1], words[2:]) if other else (words[0], words[1:])
    if verb not in VERBS or (other and verb not in HAND_VERBS):
        raise StoryError(f"{text!r}: nobody can do that")
    least, most = VERBS[verb]
    if not least <= len(rest) <= most:
        raise StoryError(f"{text!r}: {verb} takes {least} to {most} words")
    if verb == "await":
        within_s = 20.0
        if "within" in rest:
            at = rest.index("within")
            within_s, rest = float(rest[at + 1]), rest[:at]
        return Step(text, verb, (), within_s=within_s, expected=(read_expected(rest),))
    if verb == "quiet":
        quiet = tuple(read_expected([word]) for word in rest[1:])
        return Step(text, verb, tuple(rest[:1]), expected=quiet)
    options = dict(word.split("=", 1) for word in rest if "=" in word)
    return Step(text, verb, tuple(word for word in rest if "=" not in word), other, options=options)


def read_expected(words: list[str]) -> Expected:
    """An event and its fields. Raises StoryError."""
    name, *fields = words
    kind = getattr(e, name, None)
    if not (isinstance(kind, type) and issubclass(kind, e.Event)):
        raise StoryError(f"there is no event {name!r}")
    found = []
    for field in fields:
        how = "~" if "~" in field and "=" not in field.split("~")[0] else "="
        key, _, wanted = field.partition(how)
        if key not in kind.__struct_fields__:
            raise StoryError(f"{name} has no {key!r}")
        found.append((key, how, wanted.replace("_", " ") if how == "~" else wanted))
    return Expected(name, tuple(found))
