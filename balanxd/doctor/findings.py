"""Findings: what a check found; words and JSON out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Finding:
    """check: its short name. what: one sentence. why: it matters. mend: by which command; empty: all is well."""

    check: str
    what: str
    why: str = ""
    mend: str = ""

    @property
    def wrong(self) -> bool:
        """Whether there is something to mend."""
        return bool(self.mend)


def words(findings: Iterable[Finding]) -> str:
    """All findings for people, the wrong ones last, where the eye ends."""
    found = sorted(findings, key=lambda finding: finding.wrong)
    lines = []
    for finding in found:
        if finding.wrong:
            lines += [
                "",
                f"WRONG {finding.check}: {finding.what}",
                f"  why   {finding.why}",
                f"  mend  {finding.mend}",
            ]
        else:
            lines.append(f"ok    {finding.check}: {finding.what}")
    wrong = sum(finding.wrong for finding in found)
    things = "one thing is" if wrong == 1 else f"{wrong} things are"
    return "\n".join([*lines, "", f"Doctor: {things} to be mended." if wrong else "Doctor: all is well."])


def table(findings: Iterable[Finding]) -> dict[str, Any]:
    """All findings for programs."""
    found = list(findings)
    return {
        "well": not any(finding.wrong for finding in found),
        "findings": [{**asdict(finding), "wrong": finding.wrong} for finding in found],
    }
