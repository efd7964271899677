"""One contract for all tilt drives, and the bad variants that break each of its rules by name."""

from __future__ import annotations

import pytest
from drives.rig import TiltRig, Variant
from drives.rules import RULES, Make, Rule, nothing_by_itself
from drives.variants import BAD


def maker(name: str, variant: Variant | None = None) -> Make:
    def make(*, start_deg: float = 8.0, backwards: bool = False) -> TiltRig:
        return TiltRig(name, variant, start_deg=start_deg, backwards=backwards)

    return make


@pytest.mark.parametrize(
    ("rule", "name"),
    [(rule, name) for rule, names in RULES.items() for name in names],
    ids=lambda part: part if isinstance(part, str) else part.__name__,
)
def test_the_drive_keeps_the_rule(rule: Rule, name: str) -> None:
    rule(maker(name))


@pytest.mark.parametrize(
    ("name", "variant", "rule"),
    [
        pytest.param(name, variant, rule, id=f"{rule.__name__} on {name}: {what}")
        for what, name, variant, rule in BAD
    ],
)
def test_a_bad_drive_breaks_the_rule(name: str, variant: Variant, rule: Rule) -> None:
    with pytest.raises(AssertionError) as red:
        rule(maker(name, variant))
    print(f"caught: {rule.__name__} ({red.value})")


def test_every_rule_of_motion_has_a_bad_variant() -> None:
    """The one rule without is that a board without a motor does nothing by itself."""
    assert {rule for _, _, _, rule in BAD} == set(RULES) - {nothing_by_itself}
