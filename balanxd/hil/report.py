"""A run as files: JSON with everything, JUnit for other programs, one page for people."""

from __future__ import annotations

import dataclasses
import html
import json
from pathlib import Path
from xml.etree import ElementTree

from .outcomes import Finding, Outcome, Run

COLOURS = {
    Outcome.PASS: "#2a7d5f",
    Outcome.FAIL: "#b3402e",
    Outcome.SKIP: "#777",
    Outcome.RIG: "#8a5a00",
    Outcome.NOT_RUN: "#777",
}
SIGNS = {Outcome.PASS: "✓", Outcome.FAIL: "✗", Outcome.SKIP: "–", Outcome.RIG: "!", Outcome.NOT_RUN: "·"}


def printable(text: str) -> str:
    """A text without control characters: a byte of a log must not make a file unreadable."""
    return "".join(
        letter if letter in "\n\t" or (letter.isprintable() and not "\ud800" <= letter <= "\udfff") else "�"
        for letter in text
    )


def as_json(run: Run) -> str:
    """Everything that was found."""
    data = dataclasses.asdict(run)
    data["verdict"] = run.verdict
    data["counts"] = {outcome.value: run.count(outcome) for outcome in Outcome}
    for told, finding in zip(data["findings"], run.findings, strict=True):
        told["flaky"] = finding.flaky
    return json.dumps(data, indent=1, ensure_ascii=True)


def as_junit(run: Run) -> str:
    """For programs that read JUnit: a rig error is an error, what did not run is one too."""
    suite = ElementTree.Element(
        "testsuite",
        name="balanx hil",
        tests=str(len(run.findings)),
        failures=str(run.count(Outcome.FAIL)),
        errors=str(run.count(Outcome.RIG) + run.count(Outcome.NOT_RUN)),
        skipped=str(run.count(Outcome.SKIP)),
        timestamp=printable(run.began),
    )
    properties = ElementTree.SubElement(suite, "properties")
    for name, value in {"run id": run.run_id, "where": run.where, **run.identity}.items():
        ElementTree.SubElement(properties, "property", name=printable(name), value=printable(value))
    for finding in run.findings:
        case = ElementTree.SubElement(
            suite, "testcase", classname="hil", name=finding.name, time=f"{finding.lasted_s:.3f}"
        )
        kind = {
            Outcome.FAIL: "failure",
            Outcome.SKIP: "skipped",
            Outcome.RIG: "error",
            Outcome.NOT_RUN: "error",
        }
        if finding.outcome in kind:
            ElementTree.SubElement(
                case, kind[finding.outcome], type=finding.outcome.value, message=printable(finding.why)
            )
        said = [figure.text() for figure in finding.figures] + finding.notes + finding.tries + finding.raw
        if said:
            ElementTree.SubElement(case, "system-out").text = printable("\n".join(said))
    ElementTree.indent(suite)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(suite, encoding="unicode") + "\n"


def as_page(run: Run) -> str:
    """One page that needs nothing else."""
    rows = "".join(_row(finding) for finding in run.findings)
    facts = "".join(
        f"<dt>{html.escape(printable(name))}</dt><dd>{html.escape(printable(value))}</dd>"
        for name, value in {"run": run.run_id, "began": run.began, "where": run.where, **run.identity}.items()
    )
    counts = ", ".join(f"{run.count(outcome)} {outcome.value}" for outcome in Outcome if run.count(outcome))
    return f"""<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Balanx rig: {run.verdict}</title>
<style>
:root {{ color-scheme: light dark; --line: #8883 }}
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }}
h1 {{ font-weight: 600 }} h1 b {{ color: {COLOURS[Outcome(run.verdict)]} }}
dl {{ display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; color: #777 }}
dd {{ margin: 0; overflow-wrap: anywhere }}
table {{ border-collapse: collapse; width: 100% }}
td {{ border-top: 1px solid var(--line); padding: .5rem; vertical-align: top }}
td:first-child {{ font-size: 1.3rem; width: 1.5rem; text-align: center }} p {{ margin: 0 }} small {{ color: #777 }}
pre {{ overflow-x: auto; font-size: .75rem; max-height: 16rem }}
</style>
<h1>Rig run: <b>{run.verdict}</b></h1><p>{counts or "nothing was run"} of {len(run.findings)} planned.</p>
<dl>{facts}</dl><table>{rows}</table></html>
"""


def _row(finding: Finding) -> str:
    said = "".join(
        f"<br><small>{html.escape(printable(text))}</small>"
        for text in [
            *(figure.text() + (", marginal" if figure.marginal else "") for figure in finding.figures),
            *finding.notes,
            *(f"an earlier try: {each}" for each in finding.tries),
        ]
    )
    why = f"<p>{html.escape(printable(finding.why))}</p>" if finding.why else ""
    raw = (
        f"<details><summary>bytes</summary><pre>{html.escape(printable(chr(10).join(finding.raw)))}</pre></details>"
        if finding.raw
        else ""
    )
    colour, sign = COLOURS[finding.outcome], SIGNS[finding.outcome]
    return (
        f'<tr><td style="color:{colour}" title="{finding.outcome.value}">{sign}</td>'
        f"<td><b>{html.escape(finding.name.replace('_', ' '))}</b>{' (flaky)' if finding.flaky else ''}"
        f"<p>{html.escape(finding.promise)}</p>{why}{said}{raw}</td></tr>"
    )


def write_report(run: Run, folder: Path) -> list[Path]:
    """Write `report.json`, `report.xml` (JUnit) and `report.html`; their paths. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, text in (("json", as_json(run)), ("xml", as_junit(run)), ("html", as_page(run))):
        path = folder / f"report.{name}"
        path.write_text(text, encoding="utf-8")
        written.append(path)
    return written
