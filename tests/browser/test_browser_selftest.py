"""The page's link to the board's last self-test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from page_rig import PATIENCE_MS, Daemon
from playwright.sync_api import Page, expect

from balanxd.cli.selftest import rows_of
from balanxd.config import simulated_board
from balanxd.selftest.findings import Report
from balanxd.selftest.last import keep

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Daemon]:
    board = simulated_board()
    report = Report(board.name, "Balanx 1.0", finished=True)
    report.find("stuck_off", ("b7",), "b7 does not see its marble.")
    keep(tmp_path / "state", report, rows_of(board.layout), "2026.11.30")
    daemon = Daemon(tmp_path, "--seed", "5", speed=6)
    yield daemon
    daemon.kill()


def test_the_page_leads_to_the_last_self_test(page: Page, daemon: Daemon) -> None:
    page.goto(daemon.url)
    link = page.locator("#selftest")
    expect(link).to_have_text("Self-test: 1 found", timeout=PATIENCE_MS)
    link.click()
    expect(page.locator("h1")).to_have_text("Self-test of simulated board")
    expect(page.locator("li")).to_contain_text("b7 does not see its marble.")
    # Its style comes from a file of ours, as the page's policy wants it: else `page` hears the browser complain.
    assert (
        page.locator("circle.at-fault").evaluate("each => getComputedStyle(each).fill") == "rgb(213, 94, 0)"
    )
