"""A pytest plugin: `board` is a controller of each target that --board names; a table of what each keeps ends the run.

    @pytest.mark.board(fit=Fit(...), needs=(Need.INPUTS,), name="what must hold")
    def test_mine(board): ...

Without a test that takes `board` it does nothing. A target that lacks what a test needs is noted with the reason; that
is neither a failure nor a skip.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Any, cast

import pytest

if TYPE_CHECKING:
    from .board import Board
    from .targets import Targets

pytest.register_assert_rewrite("balanxd.contract.board")

OUTCOME = "balanx contract"
"""Name of the property that carries (behaviour, target, reason) of a test to its report."""
NOTE = "balanx note"
"""Name of a property (`record_property`) whose text ends the run."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options of the contract suite."""
    group = parser.getgroup("balanx", "Balanx: which controller the fixture `board` is")
    group.addoption(
        "--board",
        action="append",
        default=[],
        metavar="TARGET",
        help="sim, host, emulated or serial:PORT; may be given again (default: the first three)",
    )
    group.addoption(
        "--board-may-move", action="store_true", help="a real see-saw may be moved: nothing is in its way"
    )


def pytest_configure(config: pytest.Config) -> None:
    """The marker and the table."""
    config.addinivalue_line(
        "markers", "board(fit=Fit(), needs=(), name=None): what a test of a controller takes, and its name"
    )
    config.pluginmanager.register(_Table(), "balanx-contract-table")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Each test that takes `board` runs on each target."""
    if "board" in metafunc.fixturenames and "balanx_target" in metafunc.fixturenames:
        from balanxd.errors import BalanxError

        from .targets import target_names

        try:
            names = target_names(metafunc.config.getoption("--board"))
        except BalanxError as error:
            raise pytest.UsageError(str(error)) from None
        metafunc.parametrize("balanx_target", names)


@pytest.fixture(scope="session")
def balanx_targets(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Targets:
    """What makes boards; everything is compiled once."""
    from .targets import Targets

    return Targets(
        tmp_path_factory.mktemp("contract"), may_move=bool(pytestconfig.getoption("--board-may-move"))
    )


@pytest.fixture
def board(
    request: pytest.FixtureRequest, balanx_target: str, balanx_targets: Targets
) -> Iterator[Board | None]:
    """A controller just switched on; None where the target lacks what the test needs (which then does not run)."""
    from balanxd.errors import BalanxError
    from firmware_bridge.errors import BridgeError

    from .board import Fit, NotHere

    marker = request.node.get_closest_marker("board")
    asked: dict[str, Any] = dict(marker.kwargs) if marker else {}
    name = asked.get("name") or getattr(request.node, "originalname", request.node.name).removeprefix("test_")
    outcome = [name, balanx_target, ""]
    request.node.user_properties.append((OUTCOME, outcome))
    try:
        made = balanx_targets.board(balanx_target, asked.get("fit") or Fit())
    except NotHere as why:
        outcome[2] = str(why)
        yield None
        return
    except (BalanxError, BridgeError) as error:
        pytest.fail(str(error), pytrace=False)
    try:
        lacking = next((need for need in asked.get("needs", ()) if need in made.missing), None)
        if lacking is None:
            yield made
        else:
            outcome[2] = made.missing[lacking]
            yield None
    finally:
        made.close()


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """A test whose target lacks something ends where that is found out."""
    outcome = next(
        (cast(list[str], value) for key, value in pyfuncitem.user_properties if key == OUTCOME), None
    )
    if outcome is None:
        return (yield)
    from .board import NotHere

    if pyfuncitem.funcargs.get("board") is None:
        pyfuncitem.obj = lambda **_: None
    try:
        return (yield)
    except NotHere as why:
        outcome[2] = str(why)
        return True


class _Table:
    """Collects what became of each behaviour on each target; its rows end the run."""

    def __init__(self) -> None:
        self.rows: dict[str, dict[str, str]] = {}
        self.notes: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Takes a report, of this process or of a worker's."""
        for key, value in report.user_properties:
            if key == NOTE and report.when == "call":
                self.notes.append(str(value))
            if key != OUTCOME or (report.when != "call" and not report.failed):
                continue
            name, target, reason = map(str, cast(list[object], value))
            row = self.rows.setdefault(name, {})
            if report.failed:
                row[target] = "FAIL"
            else:
                row.setdefault(target, reason or "ok")

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Prints the table."""
        if self.notes:
            terminalreporter.write_sep("=", "figures of the firmware")
            for note in sorted(self.notes):
                terminalreporter.write_line(note)
        if not self.rows:
            return
        from .targets import IN_CI

        targets = sorted(
            {target for row in self.rows.values() for target in row},
            key=lambda name: (name not in IN_CI, IN_CI.index(name) if name in IN_CI else 0, name),
        )
        reasons: list[str] = []
        width = max(len(name) for name in self.rows)
        terminalreporter.write_sep("=", "the contract")
        terminalreporter.write_line(f"{'':{width}}  " + "  ".join(f"{target:<9}" for target in targets))
        for name in sorted(self.rows):
            cells = []
            for target in targets:
                told = self.rows[name].get(target, "-")
                if told not in ("ok", "FAIL", "-"):
                    if told not in reasons:
                        reasons.append(told)
                    told = f"({reasons.index(told) + 1})"
                cells.append(f"{told:<9}")
            terminalreporter.write_line(f"{name:{width}}  " + "  ".join(cells).rstrip())
        for number, reason in enumerate(reasons, 1):
            terminalreporter.write_line(f"({number}) not here: {reason}")
        counts = [
            f"{target} {sum(row.get(target) == 'ok' for row in self.rows.values())} ok" for target in targets
        ]
        terminalreporter.write_line(f"{len(self.rows)} behaviours: " + ", ".join(counts))
