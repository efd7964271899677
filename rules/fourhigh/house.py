"""House rules: what the published rules leave open, as data; and as tags of a record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from rules.errors import RecordError, RulesError

from .numbers import SHIPPED, Numbers, numbers_named

QUIET_LIMIT: Final = 100
LONGEST_QUIET_LIMIT: Final = 9999


class Stuck(StrEnum):
    """What comes of a player without a legal action while the other has one."""

    PASS = "pass"
    END = "end"


def _rings() -> Numbers:
    return numbers_named("rings")


@dataclass(frozen=True, slots=True)
class HouseRules:
    """The numbers of the spaces, what being stuck means, and the plies without a capture that end a game.

    Raises RulesError. `stuck` may be given as its text.
    """

    numbers: Numbers = field(default_factory=_rings)
    stuck: Stuck = Stuck.PASS
    quiet_limit: int = QUIET_LIMIT

    def __post_init__(self) -> None:
        if self.stuck not in tuple(Stuck):
            raise RulesError(f"stuck: must be {' or '.join(Stuck)}, not {str(self.stuck)!r}")
        object.__setattr__(self, "stuck", Stuck(self.stuck))  # how a frozen dataclass takes its text
        if isinstance(self.quiet_limit, bool) or not isinstance(self.quiet_limit, int):
            raise RulesError(f"quiet_limit: must be a whole number, not {self.quiet_limit!r}")
        if not 1 <= self.quiet_limit <= LONGEST_QUIET_LIMIT:
            raise RulesError(f"quiet_limit: {self.quiet_limit} is not between 1 and {LONGEST_QUIET_LIMIT}")

    @classmethod
    def of_tags(cls, tags: Mapping[str, str]) -> HouseRules:
        """The house rules that a record's tags mean. Raises RulesError naming the tag."""
        stuck = tags.get("Stuck", Stuck.PASS.value)
        if stuck not in tuple(Stuck):
            raise RecordError(f'[Stuck] must be "pass" or "end", not {stuck!r}')
        limit = tags.get("QuietLimit", str(QUIET_LIMIT))
        digits = limit.isascii() and limit.isdigit() and len(limit) <= len(str(LONGEST_QUIET_LIMIT))
        if not digits or str(int(limit)) != limit or limit == "0":
            raise RecordError(
                f"[QuietLimit] must be a whole number from 1 to {LONGEST_QUIET_LIMIT}, not {limit!r}"
            )
        return cls(_numbers_of(tags), Stuck(stuck), int(limit))

    def tags(self) -> tuple[tuple[str, str], ...]:
        """Inverse of `of_tags`: the numbers always, the rest where it is not as usual."""
        tags = [("Numbers", self.numbers.name)]
        if self.numbers.name not in SHIPPED or self.numbers != numbers_named(self.numbers.name):
            tags.append(("NumbersText", self.numbers.text))
        if self.stuck is not Stuck.PASS:
            tags.append(("Stuck", self.stuck.value))
        if self.quiet_limit != QUIET_LIMIT:
            tags.append(("QuietLimit", str(self.quiet_limit)))
        return tuple(tags)


def _numbers_of(tags: Mapping[str, str]) -> Numbers:
    name = tags.get("Numbers", SHIPPED[0])
    if "NumbersText" not in tags:
        try:
            return numbers_named(name)
        except RulesError as error:
            raise RecordError(f"[Numbers] {error}") from None
    try:
        numbers = Numbers.load(tags["NumbersText"])
    except RulesError as error:
        raise RecordError(f"[NumbersText] {error}") from None
    if name != numbers.name and "Numbers" in tags:
        raise RecordError(f"[NumbersText] holds the numbers {numbers.name!r}, [Numbers] says {name!r}")
    return numbers
