"""Findings of a self-test: a fault's name, the spaces it is about, a sentence; and the report that holds them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from balanxd.pages import page, words

AGAIN_S = 2  # the page of a test that is not over is fetched again
STYLE = """
svg{max-width:100%;height:auto;margin:1rem 0}text{fill:#111}
.at-fault{fill:#d55e00}.tested{fill:#3fb08f}.untested{fill:#ddd}
.to-lay{fill:#56b4e9}progress{width:100%}
.wide{overflow-x:auto;overflow-wrap:normal}
"""


@dataclass(frozen=True, slots=True)
class Underway:
    """A test that is not over. told: what goes on, for people; share: how much is done, 0..1; lay: spaces that are
    to have a marble."""

    told: str
    share: float | None = None
    lay: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong. kind: a FaultName, or link, version, supply, slow, layout. spaces: the first is at fault."""

    kind: str
    spaces: tuple[str, ...]
    say: str


@dataclass(slots=True)
class SpaceReport:
    """One space. expected, seen: how often a marble had to lie there and was seen; extra: seen where none lay.

    arrived_ms: the slowest arrival after the start of a swing; margin: worst distance of reading and threshold in raw
    units with a marble (None: the board tells none, or none lay there).
    """

    space: str
    expected: int = 0
    seen: int = 0
    extra: int = 0
    stuck: int = 0
    slow: int = 0
    arrived_ms: int | None = None
    margin: int | None = None
    tested: bool = False


@dataclass(slots=True)
class Report:
    """The result of one run."""

    board: str = ""
    hello: str = ""
    rounds: int = 0
    findings: list[Finding] = field(default_factory=list)
    spaces: dict[str, SpaceReport] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    finished: bool = False

    def find(self, kind: str, spaces: Sequence[str], say: str) -> None:
        """Add a finding, once for the same kind and spaces."""
        found = Finding(str(kind), tuple(spaces), say)
        if not any(each.kind == found.kind and each.spaces == found.spaces for each in self.findings):
            self.findings.append(found)

    def add(self, other: Report) -> None:
        """What another run on the same board found: a space that a marble came to in that one is told of that one."""
        for finding in other.findings:
            self.find(finding.kind, finding.spaces, finding.say)
        self.spaces |= {name: space for name, space in other.spaces.items() if space.tested}
        self.notes += other.notes
        self.finished = self.finished and other.finished

    @property
    def good(self) -> bool:
        """Whether the run came to its end and found nothing."""
        return self.finished and not self.findings

    def remarks(self) -> list[str]:
        """What is no finding: the notes, and where no marble came."""
        far = [name for name, space in self.spaces.items() if not space.tested]
        return self.notes + ([f"No marble came to {', '.join(far)}: `--lay rest` tests them."] if far else [])

    def data(self) -> dict[str, Any]:
        """As plain values for a JSON file."""
        return {**asdict(self), "notes": self.remarks(), "good": self.good}


def picture(report: Report, rows: Sequence[Sequence[str]]) -> str:
    """The board as text, top row first: `x` at fault, `o` tested and well, `.` not tested."""
    bad = {name for each in report.findings for name in each.spaces}
    lines = []
    for row in rows:
        marks = []
        for name in row:
            space = report.spaces.get(name)
            marks.append("x" if name in bad else "o" if space is not None and space.tested else ".")
        lines.append(f"{row[0][1:]:>2}  {'  '.join(marks)}")
    lines.append("    " + "  ".join(name[0] for name in rows[-1]))
    lines.append("x something is wrong, o tested and well, . no marble was there")
    return "\n".join(lines)


def html(
    report: Report,
    rows: Sequence[Sequence[str]],
    now: Underway | None = None,
    *,
    date: str = "",
    sheet: str = "",
) -> str:
    """The report as one page with a picture of the board. now: it comes again by itself. sheet: see pages.page."""
    bad = {name: each.say for each in report.findings for name in each.spaces}
    size, parts = 44, []
    for y, row in enumerate(rows):
        for x, name in enumerate(row):
            kind, said = ("at-fault", bad[name]) if name in bad else _well(report, now, name)
            cx, cy = x * size + size // 2, y * size + size // 2
            parts.append(
                f'<g><title>{words(name)}: {words(said)}</title><circle class="{kind}" cx="{cx}" cy="{cy}" r="18"/>'
                f'<text x="{cx}" y="{cy + 5}" text-anchor="middle" font-size="13">{words(name)}</text></g>'
            )
    board = (
        f'<svg viewBox="0 0 {len(rows[0]) * size} {len(rows) * size}" width="{len(rows[0]) * size}" '
        f'role="img" aria-label="The board with its findings">{"".join(parts)}</svg>'
    )
    found = "".join(
        f"<li><b>{words(each.kind)}</b> {words(', '.join(each.spaces))}: {words(each.say)}</li>"
        for each in report.findings
    )
    table = "".join(
        f"<tr><td>{words(s.space)}</td><td>{s.expected}</td><td>{s.expected - s.seen}</td><td>{s.extra}</td>"
        f"<td>{s.stuck}</td><td>{s.slow}</td><td>{'' if s.arrived_ms is None else s.arrived_ms}</td>"
        f"<td>{'' if s.margin is None else s.margin}</td></tr>"
        for s in report.spaces.values()
        if s.tested
    )
    if table:
        heads = ("space", "marbles", "missed", "extra", "stuck", "slow", "slowest ms", "margin")
        table = f"<table><tr>{''.join(f'<th>{head}</th>' for head in heads)}</tr>{table}</table>"
    notes = "".join(f"<p>{words(note)}</p>" for note in report.remarks()) if now is None else ""
    return page(
        "Balanx self-test",
        f'<h1>Self-test of {words(report.board)}</h1><p class="dim">{words(f"{date} {report.hello}".strip())}</p>'
        f"<p>{_verdict(report) if now is None else _going_on(now)}</p><ul>{found}</ul>{notes}{board}"
        f'<div class="wide">{table}</div>',
        STYLE,
        sheet=sheet,
        again_s=0 if now is None else AGAIN_S,
    )


def _well(report: Report, now: Underway | None, name: str) -> tuple[str, str]:
    """Class and words of a space at which nothing is wrong."""
    if now is not None and name in now.lay:
        return "to-lay", "a marble lies here at the start"
    space = report.spaces.get(name)
    if space is not None and space.tested:
        return "tested", "tested and well"
    return "untested", "no marble was there"


def _verdict(report: Report) -> str:
    if report.good:
        return '<b class="good">Nothing is wrong.</b>'
    if report.findings:
        return '<b class="bad">Something is wrong.</b>'
    return '<b class="odd">Not finished.</b>'


def _going_on(now: Underway) -> str:
    share = "" if now.share is None else f' value="{now.share:.2f}"'
    return f"<b>{words(now.told)}</b><progress{share}></progress>"
