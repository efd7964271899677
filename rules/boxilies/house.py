"""House rules: what the game's authors left open, each with our decision as its default; and who begins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

from rules.errors import RecordError

_ON_OFF = {"on": True, "off": False}
_WORD = 2**64


@dataclass(frozen=True, slots=True)
class HouseRules:
    """Which decisions are in force.

    turning: a stone may be placed in any rotation (False: unturned only).
    ties: an equal side captures, too. chains: captured stones capture on.
    recapture: a stone may change hands more than once. wrap: opposite edges of the board touch.
    """

    turning: bool = True
    ties: bool = False
    chains: bool = False
    recapture: bool = True
    wrap: bool = False

    def tags(self) -> tuple[tuple[str, str], ...]:
        """The record's tags of what differs from the default, as in `[Chains "on"]`."""
        values = ((rule.name, getattr(self, rule.name), rule.default) for rule in fields(self))
        return tuple(
            (name.capitalize(), "on" if now else "off") for name, now, usual in values if now != usual
        )

    @classmethod
    def of_tags(cls, tags: Mapping[str, str]) -> HouseRules:
        """Inverse of `tags`. Raises RecordError naming the tag."""
        rules: dict[str, bool] = {}
        for rule in fields(cls):
            value = tags.get(rule.name.capitalize())
            if value is None:
                continue
            if value not in _ON_OFF:
                raise RecordError(f'[{rule.name.capitalize()}] must be "on" or "off", not {value!r}')
            rules[rule.name] = _ON_OFF[value]
        return cls(**rules)


def starter_of_seed(seed: int) -> int:
    """The seat that begins: the lowest bit of SplitMix64's first number for the seed (Steele et al. 2014)."""
    word = (seed + 0x9E3779B97F4A7C15) % _WORD
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 % _WORD
    word = (word ^ word >> 27) * 0x94D049BB133111EB % _WORD
    return (word ^ word >> 31) & 1
