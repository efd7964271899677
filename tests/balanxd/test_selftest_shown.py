"""A self-test's report on the daemon's page, and the page that shows a test while it runs."""

from __future__ import annotations

import asyncio
import json
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from click.testing import CliRunner
from live_rig import options, tell, until
from starlette.testclient import TestClient

from balanxd.cli.selftest import Progress, rows_of, run_selftest, selftest
from balanxd.config import simulated_board
from balanxd.errors import BalanxError
from balanxd.live import Live
from balanxd.selftest.findings import Report, SpaceReport
from balanxd.selftest.last import FILE, LastReport, keep
from balanxd.selftest.plan import Plan, lay_out
from balanxd.selftest.script import Told
from balanxd.selftest.watched import Watched
from balanxd.simulated.world import simulated_world
from balanxd.web import actions as a
from balanxd.web.app import make_app

BOARD = simulated_board()
ROWS = rows_of(BOARD.layout)
HOST = "localhost:8060"


class NoStage:
    """The page needs one; nobody asks it here."""

    def state(self) -> dict[str, object]:
        return {}

    def table(self) -> None:
        return None

    def act(self, action: object) -> str:
        return ""


def browser(last: LastReport) -> TestClient:
    app, _ = make_app(NoStage(), hosts=frozenset({HOST}), papers=last.papers)
    return TestClient(app, base_url=f"http://{HOST}")


def found(board: str = BOARD.name) -> Report:
    report = Report(
        board, "Balanx 1.0", 3, spaces={"a1": SpaceReport("a1", 3, 3, tested=True)}, finished=True
    )
    report.find("stuck_off", ("b7",), "b7 does not see its marble (3 of 3 missed).")
    report.find("link", ("<i>",), "<script>alert(1)</script>")
    return report


def test_the_daemons_page_offers_the_last_report(tmp_path: Path) -> None:
    keep(tmp_path, found(), ROWS, "2026.11.30")
    last = LastReport(tmp_path, BOARD.name)
    assert last.summary == {"date": "2026.11.30", "findings": 2}
    client = browser(last)
    answer = client.get("/selftest")
    assert answer.headers["content-type"].startswith("text/html")
    assert "b7 does not see its marble" in answer.text
    assert "2026.11.30" in answer.text
    assert "<script>" not in answer.text
    assert "<i>" not in answer.text
    # The page's policy lets no style stand in it.
    assert "<style" not in answer.text
    assert "style-src 'self'" in answer.headers["content-security-policy"]
    style = client.get("/selftest.css")
    assert style.headers["content-type"].startswith("text/css")
    assert ".at-fault{" in style.text
    assert 'href="selftest.css"' in answer.text
    keep(tmp_path, Report(BOARD.name, finished=True), ROWS, "2026.12.01")
    assert "2026.12.01" in client.get("/selftest").text  # as it is now


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"date": "x", "rows": [], "report": {}}',
        '{"date": 1, "rows": [["a1"]], "report": {}}',
        "\ud800",
        '{"more": ' + "[" * 200_000,
    ],
)
def test_a_report_that_cannot_be_read_is_one_line(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE).write_bytes(text.encode("utf-8", "surrogatepass"))
    last = LastReport(tmp_path, BOARD.name)
    assert last.summary is None
    answer = browser(last).get("/selftest")
    assert (answer.status_code, "cannot be read" in answer.text) == (200, True)


def test_without_a_report_the_page_says_how_to_make_one(tmp_path: Path) -> None:
    last = LastReport(tmp_path, BOARD.name)
    assert last.summary is None
    assert "run `balanx selftest`" in browser(last).get("/selftest").text


def test_another_boards_report_is_not_this_boards_news(tmp_path: Path) -> None:
    keep(tmp_path, found("another"), ROWS, "2026.11.30")
    assert LastReport(tmp_path, BOARD.name).summary is None


def test_the_command_keeps_its_report(tmp_path: Path) -> None:
    board = tmp_path / "board.toml"
    board.write_text('[[sim.fault]]\nkind = "stuck_off"\nspace = "b7"\n')
    args = ["--board", str(board), "--marbles", "--rounds", "2", "--state", str(tmp_path / "state")]
    assert CliRunner().invoke(selftest, args).exit_code == 1
    summary = LastReport(tmp_path / "state", BOARD.name).summary
    assert summary is not None
    assert summary["findings"] == 1
    assert json.loads((tmp_path / "state" / FILE).read_text())["report"]["findings"][0]["spaces"] == ["b7"]
    (tmp_path / "file").write_text("")
    said = CliRunner().invoke(selftest, [*args[:-1], str(tmp_path / "file" / "state")])
    assert "will not show this report" in said.output


def get(url: str, host: str = "") -> tuple[int, str]:
    request = urllib.request.Request(url, headers={"host": host} if host else {})
    try:
        with urllib.request.urlopen(request, timeout=5) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def test_a_phone_beside_the_board_sees_which_marbles_to_lay_and_how_far_the_test_is() -> None:
    marbles = lay_out(BOARD.layout, "grooves")
    watched = Watched(("127.0.0.1", 0))
    try:
        assert "It begins" in get(watched.url)[1]
        progress = Progress(BOARD, Plan(marbles, 50), watched)
        progress.show("Lay one marble on each blue space.", None)
        page = get(watched.url)[1]
        assert page.count('class="to-lay"') == len(marbles) == 20
        assert 'http-equiv="refresh"' in page
        progress.report.find("weak", ("c4",), "<b>")
        progress.tell(Told("Round 7 of 50.", 0.18))
        page = get(watched.url)[1]
        assert "Round 7 of 50." in page
        assert '<progress value="0.18">' in page
        assert page.count('class="at-fault"') == 1
        assert "&lt;b&gt;" in page
        assert get(watched.url, "evil.example:80")[0] == 421
        with pytest.raises(BalanxError, match="--http"):
            Watched(("127.0.0.1", int(watched.url.split(":")[2].strip("/"))))
    finally:
        watched.close()


class Kept(Watched):
    """Remembers what it showed."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0))
        self.shown: list[str] = []

    def show(self, text: str) -> None:
        self.shown.append(text)
        super().show(text)


def test_a_test_that_runs_shows_itself() -> None:
    watched = Kept()
    try:
        assert run_selftest(BOARD, Plan(), seed=0, yes=True, watched=watched).good
    finally:
        watched.close()
    assert any("looking at its sensors at rest" in page for page in watched.shown)
    assert "Done." in watched.shown[-1]


def test_the_command_says_where_it_is_shown(tmp_path: Path) -> None:
    said = CliRunner().invoke(selftest, ["--board", "sim", "--http", "127.0.0.1:0", "--state", str(tmp_path)])
    assert said.exit_code == 0, said.output
    assert "The test is shown at http://127.0.0.1:" in said.output


def test_a_self_test_is_not_told_of_another_games_board(tmp_path: Path) -> None:
    keep(tmp_path, found(), ROWS, "2026.11.30")
    summary = LastReport(tmp_path, BOARD.name).summary

    async def story(live: Live) -> None:
        await until(lambda: live.pipeline.session.link_up)
        assert live.state()["selftest"] == summary
        assert live.act(a.NewGame(("human", "human"), "boxilies")) == ""
        assert live.state()["selftest"] is None
        assert live.act(a.NewGame(("human", "human"), "balanx")) == ""
        assert live.state()["selftest"] == summary

    asyncio.run(tell(Live(BOARD, options(tmp_path, 1), simulated_world, lambda line: None), story))
