"""A plan of checks on a bench; a run with an outcome for each. Every way out leaves both boards safe."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from balanxd.errors import BalanxError
from balanxd.flashing.ports import hello_words
from firmware_bridge.compatibility import cause_text
from firmware_bridge.errors import BridgeError
from firmware_bridge.messages import DisableTilt, Feature

from .bench import Bench
from .checks import Check
from .outcomes import CheckFailed, Finding, Outcome, RigFailed, Run, Stopped

RAW_SHOWN = 120


@dataclass(frozen=True, slots=True)
class Campaign:
    """One run on one bench. expected_build: of the controller; said: told each finding that is made."""

    bench: Bench
    run: Run
    expected_build: int | None = None
    said: Callable[[Finding], None] = lambda finding: None

    def execute(self, checks: Sequence[Check]) -> Run:
        """Run the plan. Never raises for what a board, a port or a stop does: it becomes an outcome."""
        findings = self.run.plan((check.name, check.promise) for check in checks)
        try:
            self._begin()
            for check, finding in zip(checks, findings, strict=True):
                self._check(check, finding)
        except Stopped as stopped:
            self.run.leave(Outcome.NOT_RUN, str(stopped))
        except (RigFailed, BridgeError, BalanxError) as failed:
            self.run.leave(Outcome.RIG, str(failed))
        finally:
            self.make_safe()
        return self.run

    def make_safe(self) -> None:
        """Servo off, lines at rest; both boards would do so by themselves a second after the host is gone."""
        self.bench.stop_why = ""
        self.bench.free()
        for let_go in (lambda: self.bench.command(DisableTilt()), self.bench.release):
            with contextlib.suppress(CheckFailed, RigFailed, BridgeError, BalanxError):
                let_go()

    def _begin(self) -> None:
        """Who is there, and that it is the image that is meant: a green run of another one is worth nothing."""
        identity = self.run.identity
        stimulus = self.bench.greet_stimulus()
        identity["stimulus build"] = f"{stimulus.build_id:08x}"
        identity["stimulus board"] = f"{hello_words(stimulus)}, boot {stimulus.boot}"
        try:
            self.bench.reset()
            hello = self.bench.greet()
        except CheckFailed as failed:
            raise RigFailed(f"the controller does not answer: {failed}") from failed
        identity["controller build"] = f"{hello.build_id:08x}"
        cause = cause_text(hello.reset_cause)
        identity["controller"] = f"{hello_words(hello)}, boot {hello.boot} ({cause})"
        if self.expected_build is not None and hello.build_id != self.expected_build:
            raise RigFailed(
                f"the controller runs build {hello.build_id:08x}, not {self.expected_build:08x}: flash it first"
            )

    def _check(self, check: Check, finding: Finding) -> None:
        """One check, and once more after a failure that is no figure: both results are kept. Raises RigFailed."""
        hello = self.bench.hello
        missing = check.needs & ~Feature(hello.features if hello else 0)
        finding.at_s = self.bench.now_s
        if missing:
            finding.outcome, finding.why = Outcome.SKIP, f"the board has no {_names(missing)}"
        else:
            self._try(check, finding)
            if finding.outcome is Outcome.FAIL and all(figure.good for figure in finding.figures):
                finding.tries.append(f"{finding.outcome.value}: {finding.why}")
                self._try(check, finding)
        finding.lasted_s = self.bench.now_s - finding.at_s
        self.said(finding)
        if finding.outcome is Outcome.RIG:
            raise RigFailed(finding.why)

    def _try(self, check: Check, finding: Finding) -> None:
        bench = self.bench
        try:
            bench.fresh(check.limit_s)
            check.run(bench)
            if beyond := [figure.text() for figure in bench.figures if not figure.good]:
                raise CheckFailed("; ".join(beyond))
            finding.outcome, finding.why = Outcome.PASS, ""
        except CheckFailed as failed:
            finding.outcome, finding.why = Outcome.RIG if check.of_rig else Outcome.FAIL, str(failed)
        except (RigFailed, BridgeError, BalanxError) as failed:
            finding.outcome, finding.why = Outcome.RIG, str(failed)
        finally:
            bench.free()
        finding.figures, finding.notes = list(bench.figures), list(bench.notes)
        if finding.outcome is not Outcome.PASS:
            finding.raw = list(bench.raw)[-RAW_SHOWN:]


def _names(features: Feature) -> str:
    return " nor ".join(str(each.name).lower().replace("_", " ") for each in Feature if each & features)
