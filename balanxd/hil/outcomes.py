"""What a check can come to, and all that was found about it; plain data that becomes JSON, JUnit and a page."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

MARGINAL = 0.9
"""A figure beyond this share of its upper limit, or with its lower one beyond this share of itself, is marginal."""


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


class Stopped(Exception):
    """Somebody wants the run to end now; the message says why."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured value and its limits; None: there is no such limit."""

    name: str
    value: float
    unit: str
    most: float | None = None
    least: float | None = None

    @property
    def good(self) -> bool:
        """Within its limits."""
        return (self.most is None or self.value <= self.most) and (
            self.least is None or self.value >= self.least
        )

    @property
    def marginal(self) -> bool:
        """Within its limits, and not by much: it passes and is shown."""
        return self.good and (
            (self.most is not None and self.value > MARGINAL * self.most)
            or (self.least is not None and MARGINAL * self.value < self.least)
        )

    def text(self) -> str:
        """As in `edge to frame: 5.3 ms (at most 8 ms)`."""
        words = {"at least": self.least, "at most": self.most}
        limits = " and ".join(f"{word} {limit:g}" for word, limit in words.items() if limit is not None)
        return f"{self.name}: {self.value:.4g} {self.unit} ({limits} {self.unit})"


@dataclass(slots=True)
class Finding:
    """One check of the plan. tries: outcomes of earlier tries, kept. at_s, lasted_s: in the rig's time."""

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
        return any(not each.startswith(self.outcome.value) for each in self.tries)


@dataclass(slots=True)
class Run:
    """One campaign: what was planned and what came of it. identity: versions and build ids of all that took part.

    why: what kept the rest from being run, empty where all was.
    """

    run_id: str
    began: str
    where: str
    identity: dict[str, str] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    ended: str = ""
    why: str = ""

    def plan(self, promises: Iterable[tuple[str, str]]) -> list[Finding]:
        """What is to be run, by name and promise: all of it did not run yet."""
        self.findings = [Finding(name, promise) for name, promise in promises]
        return self.findings

    def leave(self, outcome: Outcome, why: str) -> None:
        """What was not run will not be: it comes to this."""
        self.why = why
        for finding in self.findings:
            if finding.outcome is Outcome.NOT_RUN:
                finding.outcome, finding.why = outcome, why

    def count(self, outcome: Outcome) -> int:
        """How many checks came to that."""
        return sum(each.outcome is outcome for each in self.findings)

    def counts(self) -> str:
        """As in `27 pass, 1 fail`."""
        told = [f"{self.count(outcome)} {outcome.value}" for outcome in Outcome if self.count(outcome)]
        return ", ".join(told) or "nothing was run"

    @property
    def verdict(self) -> Outcome:
        """What the whole run came to, never a skip. Nothing executed is not a pass."""
        for outcome in (Outcome.RIG, Outcome.FAIL, Outcome.NOT_RUN):
            if self.count(outcome):
                return outcome
        return Outcome.PASS if self.count(Outcome.PASS) else Outcome.NOT_RUN
