"""What every test shares: hypothesis without a stop-watch, the specifications, no skips in CI."""

import os
from pathlib import Path

import hypothesis
import pytest

IN_CI = os.environ.get("CI", "").lower() == "true"
SHARED = Path(__file__).resolve().parents[1].parent / "shared"

# A deadline would let the load of the machine decide. In CI the same commit gives the same examples.
hypothesis.settings.register_profile("desk", deadline=None)
hypothesis.settings.register_profile("ci", deadline=None, derandomize=True, database=None)
hypothesis.settings.load_profile("ci" if IN_CI else "desk")

# Failing promises show what they saw. Here, before any test of another folder imports one of them.
pytest.register_assert_rewrite("contract")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The specifications beside the checkout; a bare clone has none and skips the test, which CI refuses."""
    if not SHARED.is_dir():
        pytest.skip(f"no folder of specifications beside the checkout ({SHARED.name}/)")
    return SHARED


def refused_in_ci(config: pytest.Config) -> list[str]:
    """What CI does not tolerate in this run: a test that did not run, or may fail, has proved nothing."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if not IN_CI or reporter is None or hasattr(config, "workerinput"):
        return []
    return [kind for kind in ("skipped", "xfailed", "xpassed") if reporter.stats.get(kind)]


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Turns a run red that would be green in spite of a skipped test or an expected failure."""
    if session.exitstatus == pytest.ExitCode.OK and refused_in_ci(session.config):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Says why such a run is red."""
    for kind in refused_in_ci(config):
        terminalreporter.write_line(f"CI tolerates no {kind} test: this run has failed.", red=True)
