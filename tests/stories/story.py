"""The reader of stories: a TOML file in, one `Story` a variant out. Every mistake in a file is a StoryError."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from referee import events as e

KINDS = ("presence", "colour")
SEEDS = 20

VERBS = {
    # hands
    "move": (2, 3), "lift": (1, 2), "put": (1, 4), "back": (0, 0), "aside": (0, 0), "fetch": (1, 1), "turn": (1, 3),
    "slide": (2, 12), "shove": (2, 2), "push": (1, 1), "pause": (1, 1), "done": (0, 0),
    # time and events
    "wait": (1, 1), "await": (1, 9), "quiet": (2, 12),
    # people at the page, faults, the daemon
    "ask": (1, 3), "refused": (1, 3), "fault": (1, 4), "inject": (1, 6), "mended": (0, 1),
    "restart": (1, 1), "tilted": (1, 1),
    # what must be so now
    "line": (0, 30), "agrees": (0, 0), "phase": (1, 1), "bad": (0, 6),
}  # fmt: skip
HAND_VERBS = {"move", "lift", "put", "back", "aside", "fetch", "turn", "slide", "shove", "push", "pause"}


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


@dataclass(frozen=True)
class Story:
    """One story, or one variant of it."""

    name: str
    title: str
    kinds: tuple[str, ...]
    layout: str
    position: str
    before: tuple[str, ...]
    machines: Mapping[str, tuple[str, ...]]
    drive: str
    end_inputs: bool
    begins: str
    sim: str
    repetition: bool
    steps: tuple[Step, ...]
    turns: tuple[str, ...] | None
    line: tuple[str, ...] | None
    unchecked: str
    result: str
    never: tuple[Expected, ...]
    counts: Mapping[str, int]
    apart: bool
    seeds: int


_KEYS = {
    "title", "kinds", "why", "layout", "position", "before", "machines", "drive", "end_inputs", "begins", "sim",
    "repetition", "steps", "turns", "result", "never", "counts", "apart", "seeds", "variants", "line",
    "unchecked",
}  # fmt: skip


def read_stories(folder: Path) -> tuple[Story, ...]:
    """All stories of a folder, in the order of their names."""
    return tuple(story for path in sorted(folder.glob("*.toml")) for story in read_story(path))


def read_story(path: Path) -> tuple[Story, ...]:
    """The variants of one file; one Story where it has none. Raises StoryError."""
    try:
        told = tomllib.loads(path.read_text())
    except tomllib.TOMLDecodeError as error:
        raise StoryError(f"{path.name}: {error}") from None
    if strange := told.keys() - _KEYS:
        raise StoryError(f"{path.name}: no story has {', '.join(sorted(strange))}")
    try:
        return tuple(_stories(path.stem, told))
    except StoryError as error:
        raise StoryError(f"{path.name}: {error}") from None


def _stories(stem: str, told: dict[str, Any]) -> Iterator[Story]:
    kinds = tuple(told.get("kinds", KINDS))
    if kinds != KINDS and not told.get("why"):
        raise StoryError("a story for one kind of sensor says `why`")
    variants: list[dict[str, str]] = told.get("variants", [{}])
    shared = told.get("seeds", max(4, -(-SEEDS // len(variants))))
    for variant in variants:
        name = f"{stem}-{variant['name']}" if variant else stem

        def fill(text: str, variant: dict[str, str] = variant, name: str = name) -> str:
            for key in sorted(variant, key=len, reverse=True):
                text = text.replace(f"${key}", str(variant[key]))
            if "$" in text:
                raise StoryError(f"{name}: {text!r} names what the variant does not say")
            return text

        yield Story(
            name=name,
            title=told["title"],
            kinds=tuple(fill(",".join(kinds)).split(",")),
            layout=told.get("layout", "classic"),
            position=fill(told.get("position", "")),
            before=tuple(fill(told.get("before", "")).split()),
            machines={seat: tuple(fill(text).split()) for seat, text in told.get("machines", {}).items()},
            drive=told.get("drive", "servo"),
            end_inputs=told.get("end_inputs", True),
            begins=told.get("begins", "down"),
            sim=fill(told.get("sim", "")),
            repetition=told.get("repetition", True),
            steps=tuple(read_step(fill(text)) for text in told["steps"]),
            turns=tuple(fill(told["turns"]).split()) if "turns" in told else None,
            line=tuple(fill(told["line"]).split()) if "line" in told else None,
            unchecked=told.get("unchecked", ""),
            result=fill(told.get("result", "*")),
            never=tuple(read_expected(fill(text).split()) for text in told.get("never", [])),
            counts=told.get("counts", {}),
            apart=told.get("apart", False),
            seeds=shared if variant else told.get("seeds", SEEDS),
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
