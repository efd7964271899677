"""What a check can come to, and all that was found about it; plain data that becomes JSON, JUnit and a page."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

MARGINAL = 0.9
"""A figure beyond this share of its limit is marginal: it passes and is shown."""


class Outcome(StrEnum):
    """Five, never two: what was not run is no pass, and a broken rig says nothing about the product."""

    PASS = "pass"
    FAIL = "fail"
    SKIP = "skip"
    RIG = "rig error"
    NOT_RUN = "did not run"


class CheckFailed(Exception):
    """The controller does not keep a promise; the message says what was seen instead."""


class RigFailed(Exception):
    """The rig itself does not work, so nothing can be said about the controller."""


class Missing(Exception):
    """The controller or the rig lacks what a check needs; the message names it."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured value and the most it may be."""

    name: str
    value: float
    unit: str
    limit: float

    @property
    def good(self) -> bool:
        """Within its limit."""
        return self.value <= self.limit

    @property
    def marginal(self) -> bool:
        """Within its limit, and not by much."""
        return MARGINAL * self.limit < self.value <= self.limit

    def text(self) -> str:
        """As in `edge to frame: 5.3 ms (at most 8 ms)`."""
        return f"{self.name}: {self.value:.4g} {self.unit} (at most {self.limit:g} {self.unit})"


@dataclass(slots=True)
class Finding:
    """One check of the plan. tries: outcomes of earlier tries, kept; flaky: they differ. at_s: the rig's time."""

    name: str
    promise: str
    outcome: Outcome = Outcome.NOT_RUN
    why: str = ""
    figures: list[Figure] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    tries: list[str] = field(default_factory=list)
    at_s: float = 0.0
    lasted_s: float = 0.0
    raw: list[str] = field(default_factory=list)

    @property
    def flaky(self) -> bool:
        """Whether tries came to different ends."""
        return bool(self.tries) and any(each != self.outcome for each in self.tries)


@dataclass(slots=True)
class Run:
    """One campaign: what was planned and what came of it. identity: versions and build ids of all that took part."""

    run_id: str
    began: str
    where: str
    identity: dict[str, str] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    ended: str = ""

    def count(self, outcome: Outcome) -> int:
        """How many checks came to that."""
        return sum(each.outcome is outcome for each in self.findings)

    @property
    def verdict(self) -> str:
        """`pass`, `fail`, `rig error` or `did not run`. Nothing executed is not a pass."""
        if self.count(Outcome.RIG):
            return Outcome.RIG
        if self.count(Outcome.FAIL):
            return Outcome.FAIL
        if self.count(Outcome.NOT_RUN) or not self.count(Outcome.PASS):
            return Outcome.NOT_RUN
        return Outcome.PASS
