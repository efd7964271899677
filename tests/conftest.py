"""What every test shares: hypothesis without a stop-watch, the specifications, no skips in CI."""

import os
from collections.abc import Generator
from pathlib import Path

import hypothesis
import pytest

IN_CI = os.environ.get("CI", "").lower() == "true"
SHARED = Path(__file__).resolve().parents[1].parent / "shared"

# A deadline would let the load of the machine decide. In CI the same commit gives the same examples.
hypothesis.settings.register_profile("desk", deadline=None)
hypothesis.settings.register_profile("ci", deadline=None, derandomize=True, database=None)
hypothesis.settings.load_profile("ci" if IN_CI else "desk")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The specifications beside the checkout; a bare clone has none and skips the test, which CI refuses."""
    if not SHARED.is_dir():
        pytest.skip(f"no folder of specifications beside the checkout ({SHARED.name}/)")
    return SHARED


@pytest.hookimpl(wrapper=True)
def pytest_sessionfinish(session: pytest.Session) -> Generator[None, None, None]:
    """In CI a skipped or expected failure turns the run red: what did not run has proved nothing."""
    yield
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if not IN_CI or reporter is None or hasattr(session.config, "workerinput"):
        return
    refused = [kind for kind in ("skipped", "xfailed", "xpassed") if reporter.stats.get(kind)]
    if refused and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
        reporter.write_line(f"CI tolerates no {' or '.join(refused)} test: this run has failed.", red=True)
