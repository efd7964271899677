"""A run as files: JSON with everything, JUnit for other programs, one page for people."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from xml.etree import ElementTree

from balanxd.errors import BalanxError
from balanxd.pages import page, printable, words

from .outcomes import Finding, Outcome, Run

SIGNS = {
    Outcome.PASS: ("good", "✓"),
    Outcome.FAIL: ("bad", "✗"),
    Outcome.SKIP: ("dim", "–"),
    Outcome.RIG: ("odd", "!"),
    Outcome.NOT_RUN: ("dim", "·"),
}
"""Class and sign of each outcome on the page."""

JUNIT = {
    Outcome.FAIL: "failure",
    Outcome.SKIP: "skipped",
    Outcome.RIG: "error",
    Outcome.NOT_RUN: "error",
}
STYLE = """
dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem}dd{margin:0}
td:first-child{font-size:1.3rem;width:1.5rem;text-align:center}
"""


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
        if kind := JUNIT.get(finding.outcome):
            ElementTree.SubElement(case, kind, type=finding.outcome.value, message=printable(finding.why))
        said = [figure.text() for figure in finding.figures] + finding.notes + finding.tries + finding.raw
        if said:
            ElementTree.SubElement(case, "system-out").text = printable("\n".join(said))
    ElementTree.indent(suite)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(suite, encoding="unicode") + "\n"


def as_page(run: Run) -> str:
    """One page that needs nothing else; what did not pass stands first."""
    identity = {"run": run.run_id, "began": run.began, "ended": run.ended, "where": run.where, **run.identity}
    if run.why:
        identity["no end"] = run.why
    facts = "".join(f"<dt>{words(name)}</dt><dd>{words(value)}</dd>" for name, value in identity.items())
    rows = "".join(
        _row(finding) for finding in sorted(run.findings, key=lambda each: each.outcome is Outcome.PASS)
    )
    kind, _ = SIGNS[run.verdict]
    body = (
        f'<h1>Rig run: <b class="{kind}">{run.verdict}</b></h1>\n'
        f'<p>{run.counts()} of {len(run.findings)} planned.</p>\n<dl class="dim">{facts}</dl>\n<table>{rows}</table>'
    )
    return page(f"Balanx rig: {run.verdict}", body, STYLE)


def _row(finding: Finding) -> str:
    kind, sign = SIGNS[finding.outcome]
    said = [
        *(figure.text() + (", marginal" if figure.marginal else "") for figure in finding.figures),
        *finding.notes,
        *(f"an earlier try: {each}" for each in finding.tries),
    ]
    why = f'<p class="{kind}">{words(finding.why)}</p>' if finding.why else ""
    raw = "\n".join(finding.raw)
    return (
        f'<tr><td class="{kind}" title="{finding.outcome}">{sign}</td>'
        f"<td><b>{words(finding.name.replace('_', ' '))}</b>{' (flaky)' if finding.flaky else ''}"
        f"<p>{words(finding.promise)}</p>{why}"
        + "".join(f"<p><small>{words(text)}</small></p>" for text in said)
        + (f"<details><summary>bytes</summary><pre>{words(raw)}</pre></details>" if raw else "")
        + "</td></tr>\n"
    )


def write_report(run: Run, folder: Path) -> list[Path]:
    """Write `report.json`, `report.xml` (JUnit) and `report.html`; their paths. Raises BalanxError."""
    written = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in (("json", as_json(run)), ("xml", as_junit(run)), ("html", as_page(run))):
            path = folder / f"report.{name}"
            path.write_text(text, encoding="utf-8")
            written.append(path)
    except OSError as error:
        raise BalanxError(f"{folder}: {error.strerror or error}") from error
    return written
