"""Who may play: at this computer everybody, from elsewhere whoever has shown the board's code; watching is free."""

import asyncio
import json
import socket
import stat
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from balanxd.control import ask
from balanxd.errors import BalanxError
from balanxd.gate import Gate
from balanxd.pairing import CodeShown, PairingEvent
from balanxd.web import actions as a
from balanxd.web.app import Broadcaster, make_app
from firmware_bridge.messages import Hello

HOST = "board.local:8060"
AWAY = ("192.168.1.7", 50000)
HELLO = Hello(
    major=1, minor=1, build_id=0x1234, cells=56, bits=1, reader_hz=1000, reset_cause=1, boot=1, session=1,
    features=0, firmware=(1, 2, 3), product="Balanx", board_kind="classic", unique_id=b"\x01\x02\x03\x04",
)  # fmt: skip


class Stage:
    """A running game that remembers what it was asked."""

    def __init__(self) -> None:
        self.done: list[a.Action] = []

    def state(self) -> dict[str, object]:
        return {"headline": "White to move"}

    def table(self) -> dict[str, object] | None:
        return None

    def act(self, action: a.Action) -> str:
        self.done.append(action)
        return "heard"


class Place:
    """A daemon's door: its gate, its page, and browsers at any address."""

    def __init__(self, folder: Path) -> None:
        self.now_s = 0.0
        self.said: list[str] = []
        self.shown: list[PairingEvent] = []
        self.stage = Stage()
        self.gate = Gate(
            folder, lambda count: bytes(range(7, 7 + count)), lambda: self.now_s, self.said.append
        )
        self.gate.heard.append(self.shown.append)
        self.pages: Broadcaster
        self.app, self.pages = make_app(
            self.stage, hosts=frozenset({HOST}), guard=self.gate, literal_port=8060
        )
        self.gate.distrust = self.pages.distrust

    @property
    def code(self) -> str:
        shown = [event.code for event in self.shown if isinstance(event, CodeShown)]
        return shown[-1]

    def browser(self, address: tuple[str, int], host: str = HOST) -> TestClient:
        return TestClient(self.app, base_url=f"http://{host}", client=address)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def open_page(client: TestClient, host: str = HOST) -> Any:
    return client.websocket_connect(f"ws://{host}/live", headers={"origin": f"http://{host}"})


def until(line: Any, *kinds: str) -> dict[str, Any]:
    while True:
        message: dict[str, Any] = json.loads(line.receive_text())
        if message["t"] in kinds:
            return message


def send(line: Any, **action: Any) -> None:
    line.send_text(json.dumps(action))


@pytest.mark.parametrize("address", ["127.0.0.1", "127.3.2.1", "::1", "::ffff:127.0.0.1"])
def test_at_this_computer_nobody_is_asked(place: Place, address: str) -> None:
    with place.browser((address, 1)) as client, open_page(client) as line:
        send(line, do="agree_draw")
        assert until(line, "refused")["say"] == "heard"
    assert place.shown == []


@pytest.mark.parametrize(
    "address", ["192.168.1.7", "10.0.0.2", "fe80::1%eth0", "::ffff:10.0.0.2", "nonsense"]
)
def test_from_elsewhere_one_may_watch_and_not_play(place: Place, address: str) -> None:
    with place.browser((address, 1)) as client, open_page(client) as line:
        assert until(line, "state")["headline"] == "White to move"
        for action in ("resign", "agree_draw", "board_is_right"):
            send(line, do=action, **({"seat": 0} if action == "resign" else {}))
            told = until(line, "refused")
            assert told["pair"] is True
            assert "code" in told["say"]
    assert place.stage.done == []


def test_the_code_is_on_the_board_and_in_the_log_and_never_on_a_page(place: Place) -> None:
    with place.browser(AWAY) as client, open_page(client) as line:
        send(line, do="agree_draw")
        heard = json.dumps(until(line, "refused"))
        send(line, do="pair", code="0")
        heard += json.dumps(until(line, "refused"))
        heard += client.get("/").text
    assert place.code not in heard
    assert sum(place.code in said for said in place.said) == 1


def test_the_code_lets_in_and_its_token_again(place: Place) -> None:
    with place.browser(AWAY) as client:
        with open_page(client) as line:
            send(line, do="agree_draw")
            until(line, "refused")
            send(line, do="pair", code=place.code)
            token = until(line, "paired")["token"]
            send(line, do="agree_draw")
            assert until(line, "refused")["say"] == "heard"
        with open_page(client) as line:
            send(line, do="token", token=token)
            assert until(line, "paired", "stranger") == {"t": "paired", "token": ""}
            send(line, do="agree_draw")
            assert until(line, "refused")["say"] == "heard"
    assert len(place.stage.done) == 2


def test_one_browser_lets_in_no_other(place: Place) -> None:
    with place.browser(AWAY) as client, open_page(client) as one, open_page(client) as two:
        send(one, do="agree_draw")
        until(one, "refused")
        send(one, do="pair", code=place.code)
        until(one, "paired")
        send(two, do="agree_draw")
        assert until(two, "refused")["pair"] is True
    assert place.stage.done == []


def test_a_token_that_is_not_ours_is_told_so(place: Place) -> None:
    with place.browser(AWAY) as client, open_page(client) as line:
        send(line, do="token", token="0" * 32)
        assert until(line, "paired", "stranger")["t"] == "stranger"
        send(line, do="agree_draw")
        assert until(line, "refused")["pair"] is True
    assert place.stage.done == []
    assert len(place.shown) == 1


def test_addresses_mean_us_whenever_they_come(place: Place) -> None:
    """A service that listens everywhere is reached by address, too; a name of somebody else's opens nothing."""
    for host in ("192.168.7.9:8060", "[fe80::5]:8060", HOST):
        assert place.browser(AWAY, host).get("/").status_code == 200
    for host in (
        "192.168.7.9:80",
        "192.168.7.9",
        "evil.example:8060",
        "1.2.3.4.evil.example:8060",
        "0x7f.1:8060",
    ):
        assert place.browser(AWAY).get("/", headers={"host": host}).status_code == 421


# ---- `balanx pair` -----------------------------------------------------------------------------------------


def asked(place: Place, folder: Path, question: dict[str, Any]) -> dict[str, Any]:
    async def both() -> dict[str, Any]:
        await place.gate.start()
        assert stat.S_IMODE((folder / "control").stat().st_mode) == 0o600
        try:
            return await asyncio.to_thread(ask, folder, question)
        finally:
            await place.gate.close()

    return asyncio.run(both())


def test_the_computer_itself_may_ask_for_the_code(place: Place, tmp_path: Path) -> None:
    told = asked(place, tmp_path, {"do": "pair"})
    assert told == {"code": place.code, "seconds": 120}
    assert not (tmp_path / "control").exists()
    with place.browser(AWAY) as client, open_page(client) as line:
        send(line, do="pair", code=told["code"])
        assert until(line, "paired")["token"]


def test_the_doctor_asks_what_the_board_runs(place: Place, tmp_path: Path) -> None:
    assert asked(place, tmp_path, {"do": "status"}) == {"board": ""}
    place.gate.hello = lambda: HELLO
    told = asked(place, tmp_path, {"do": "status"})
    assert told["board"].startswith("Balanx classic, 56 inputs of 1 bit, firmware 1.2.3 build 0x00001234")
    assert (told["kind"], told["cells"], told["build"]) == ("classic", 56, 0x1234)


def test_forgetting_shuts_open_pages_out_too(place: Place, tmp_path: Path) -> None:
    with place.browser(AWAY) as client, open_page(client) as line, open_page(client) as other:
        send(line, do="agree_draw")
        until(line, "refused")
        send(line, do="pair", code=place.code)
        until(line, "paired")
        assert asked(place, tmp_path, {"do": "forget"}) == {"forgotten": 1}
        send(line, do="agree_draw")
        assert until(line, "refused")["pair"] is True
        send(other, do="board_is_right")
        assert until(other, "refused")["pair"] is True
    assert place.stage.done == []


def test_what_a_killed_daemon_left_is_no_hindrance(place: Place, tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as left:
        left.bind(str(tmp_path / "control"))
    assert "code" in asked(place, tmp_path, {"do": "pair"})


@pytest.mark.parametrize("question", [{}, {"do": "open sesame"}])
def test_other_questions_are_answered_in_words(
    place: Place, tmp_path: Path, question: dict[str, Any]
) -> None:
    with pytest.raises(BalanxError, match="no such question"):
        asked(place, tmp_path, question)


def test_a_disk_that_forgets_nothing_is_told_and_open_pages_are_shut_out(
    place: Place, tmp_path: Path
) -> None:
    with place.browser(AWAY) as client, open_page(client) as line:
        send(line, do="agree_draw")
        until(line, "refused")
        send(line, do="pair", code=place.code)
        until(line, "paired")
        (tmp_path / "tokens.new").mkdir()  # where the new file would be written
        with pytest.raises(BalanxError, match="until the daemon ends only: Is a directory"):
            asked(place, tmp_path, {"do": "forget"})
        send(line, do="agree_draw")
        assert until(line, "refused")["pair"] is True
    assert place.stage.done == []


def test_without_a_daemon_it_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(BalanxError, match="no daemon answers there"):
        ask(tmp_path, {"do": "pair"})


def test_a_folder_with_a_long_name_is_told_and_no_more(tmp_path: Path) -> None:
    folder = tmp_path / ("long" * 30)
    folder.mkdir()
    place = Place(folder)

    async def start() -> None:
        await place.gate.start()
        await place.gate.close()

    asyncio.run(start())
    assert "too long" in place.said[0]
