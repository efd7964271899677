"""The application: who comes in, what it is sent, and that no message of any shape hurts anybody."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from importlib import resources

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from balanxd.web import actions as a
from balanxd.web import app as web

HOST = "localhost:8001"
ORIGIN = {"origin": f"http://{HOST}"}
STATIC = resources.files("balanxd.web") / "static"


class FakeStage:
    """A running game that remembers what it was asked, and answers what it was told to."""

    def __init__(self) -> None:
        self.done: list[a.Action] = []
        self.answer: Callable[[a.Action], str] = lambda action: ""
        self.headline = "White to move"
        self.seen: dict[str, object] | None = {"marbles": [], "angle": 8.0}

    def state(self) -> dict[str, object]:
        return {"headline": self.headline}

    def table(self) -> dict[str, object] | None:
        return self.seen

    def act(self, action: a.Action) -> str:
        self.done.append(action)
        return self.answer(action)


class Place:
    """An application over a fake stage, and a browser at its address."""

    def __init__(self, hosts=frozenset({HOST}), burst=web.BURST) -> None:
        self.stage = FakeStage()
        self.app, self.pages = web.make_app(self.stage, hosts=hosts, burst=burst)
        self.client = TestClient(self.app, base_url=f"http://{HOST}")

    def __enter__(self):
        self.client.__enter__()  # one event loop for all its connections
        return self

    def __exit__(self, *error):
        self.client.__exit__(*error)

    def open(self, headers=ORIGIN):
        return self.client.websocket_connect(f"ws://{HOST}/live", headers=headers)


@pytest.fixture
def place():
    with Place() as place:
        yield place


def receive(socket):
    return json.loads(socket.receive_text())


def until(socket, kind):
    while (message := receive(socket))["t"] != kind:
        pass
    return message


# ---- files -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/", "/index.html", *(f"/{file.name}" for file in STATIC.iterdir())])
def test_the_page_is_served_whole(place, path):
    answer = place.client.get(path)
    assert answer.status_code == 200
    name = path[1:] or "index.html"
    assert answer.content == (STATIC / name).read_bytes()
    kind = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
    assert answer.headers["content-type"].startswith(kind[name.rpartition(".")[2]])


def test_a_file_that_has_not_changed_is_not_sent_again(place):
    first = place.client.get("/app.js")
    again = place.client.get("/app.js", headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert first.headers["cache-control"] == "no-cache"


@pytest.mark.parametrize(
    "path",
    ["/app.py", "/static/app.js", "/../app.py", "/%2e%2e/app.py", "/nothing", "/live", "/a/b/c"],
)
def test_nothing_else_is_served(place, path):
    answer = place.client.get(path)
    assert answer.status_code == 404
    assert "Traceback" not in answer.text


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE", "BREW"])
@pytest.mark.parametrize("path", ["/", "/app.js", "/live", "/nothing"])
def test_only_get(place, method, path):
    answer = place.client.request(method, path)
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET")


@pytest.mark.parametrize(("path", "status"), [("/", 200), ("/app.js", 200), ("/nothing", 404)])
def test_headers_are_strict_on_every_answer(place, path, status):
    answer = place.client.get(path)
    assert answer.status_code == status
    policy = dict(part.strip().split(" ", 1) for part in answer.headers["content-security-policy"].split(";"))
    assert policy == {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "img-src": "'self'",
        "connect-src": "'self'",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
    }
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"


def test_headers_are_strict_on_refusals(place):
    for answer in (place.client.get("/", headers={"host": "evil"}), place.client.post("/")):
        assert "content-security-policy" in answer.headers


def test_the_page_keeps_its_own_policy():
    """No inline script or style, nothing from outside: the policy would block it, and the page would be broken."""
    html = (STATIC / "index.html").read_text()
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=|javascript:", html)
    for file in STATIC.iterdir():
        text = file.read_text().replace("http://www.w3.org/2000/svg", "")
        assert not re.search(
            r"""https?://|["'(]//|\beval\(|new Function|innerHTML|setAttribute\(["']style""", text
        )


def test_ids_that_scripts_look_for_are_there():
    html = (STATIC / "index.html").read_text()
    there = set(re.findall(r'\bid="([^"]+)"', html))
    for file in STATIC.iterdir():
        if file.name.endswith(".js"):
            text = file.read_text()
            wanted = set(re.findall(r"""(?:getElementById|\$)\(["']([\w-]+)["']\)""", text))
            assert wanted <= there, file.name


# ---- who comes in ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hosts", "host", "status"),
    [
        ({HOST}, HOST, 200),
        ({HOST}, "LOCALHOST:8001", 200),
        ({HOST}, "localhost:8002", 421),
        ({HOST}, "localhost", 421),
        ({HOST}, "evil.example:8001", 421),
        ({HOST}, "evil.example", 421),
        ({HOST}, f"{HOST}.evil.example", 421),
        ({HOST}, "", 421),
        ({HOST}, f"{HOST}, evil", 421),
        ({"localhost"}, "localhost:9", 200),
        ({"localhost"}, "localhost", 200),
        ({"localhost"}, "localhost:evil", 421),
        ({"[::1]"}, "[::1]:8001", 200),
        ({"[::1]:8001"}, "[::1]:8001", 200),
        ({"[::1]:8001"}, "[::2]:8001", 421),
    ],
)
def test_only_our_own_names(hosts, host, status):
    assert Place(frozenset(hosts)).client.get("/", headers={"host": host}).status_code == status


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": f"https://{HOST}"},
        {"origin": f"http://{HOST}"},
        {"origin": f"http://{HOST.upper()}", "host": HOST.upper()},
    ],
)
def test_our_own_page_gets_a_line(place, headers):
    with place.open(headers) as socket:
        assert receive(socket)["t"] == "state"


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"origin": "null"},
        {"origin": ""},
        {"origin": "http://evil.example"},
        {"origin": f"http://{HOST}.evil.example"},
        {"origin": "http://localhost:8002"},
        {"origin": "http://localhost"},
        {"origin": f"file://{HOST}"},
        {"origin": "http://evil.example:8001", "host": "evil.example:8001"},
        {"origin": f"http://{HOST}", "host": "evil.example:8001"},
    ],
)
def test_a_foreign_page_gets_no_line(place, headers):
    with pytest.raises(WebSocketDisconnect), place.open(headers):
        raise AssertionError("came in")
    assert place.pages.clients == 0
    assert place.stage.done == []


def test_there_is_one_line_only(place):
    with (
        pytest.raises(WebSocketDisconnect),
        place.client.websocket_connect(f"ws://{HOST}/other", headers=ORIGIN),
    ):
        raise AssertionError("came in")


# ---- the line ----------------------------------------------------------------------------------------------


def test_a_new_page_gets_the_whole_state_first(place):
    for _ in range(2):  # and again when it comes back
        with place.open() as socket:
            assert receive(socket) == {"t": "state", "headline": "White to move"}
            assert receive(socket) == {"t": "table", "marbles": [], "angle": 8.0}
            assert place.pages.clients == 1


def test_a_real_board_has_no_table(place):
    place.stage.seen = None

    def act(action):
        place.pages.push_table()
        return "said"

    place.stage.answer = act
    with place.open() as socket:
        assert receive(socket)["t"] == "state"
        socket.send_text('{"do":"put_back"}')
        assert receive(socket)["t"] == "refused"


def test_actions_arrive_in_order(place):
    place.stage.answer = lambda action: f"not {type(action).__name__}"
    with place.open() as socket:
        socket.send_text('{"do":"lift","space":"a8"}')
        assert until(socket, "refused")["say"] == "not Lift"
        socket.send_bytes(b'{"do":"hover","x":1.5,"y":2}')
        assert until(socket, "refused")["say"] == "not Hover"
        socket.send_text('{"do":"put","space":"e8"}')
        assert until(socket, "refused")["say"] == "not Put"
    assert place.stage.done == [a.Lift("a8"), a.Hover(1.5, 2.0), a.Put("e8")]


def test_what_is_done_is_not_answered(place):
    def act(action):
        return "" if isinstance(action, a.Hover) else "last"

    place.stage.answer = act
    with place.open() as socket:
        for _ in range(3):
            socket.send_text('{"do":"hover","x":1,"y":2}')
        socket.send_text('{"do":"put_back"}')
        assert until(socket, "refused")["say"] == "last"
    assert len(place.stage.done) == 4


def test_all_pages_hear_and_many_changes_are_one_message(place):
    """A page gets the newest state and table, not each: the bound for a slow one."""

    def act(action):
        for number in range(100):
            place.stage.headline = f"state {number}"
            place.stage.seen = {"angle": number}
            place.pages.push_state()
            place.pages.push_table()
        return ""

    place.stage.answer = act
    with place.open() as one, place.open() as two:
        for socket in (one, two):
            assert [receive(socket)["t"], receive(socket)["t"]] == ["state", "table"]
        assert place.pages.clients == 2
        one.send_text('{"do":"put_back"}')
        for socket in (one, two):
            assert receive(socket) == {"t": "state", "headline": "state 99"}
            assert receive(socket) == {"t": "table", "angle": 99}


def test_pages_are_bounded(place):
    with ExitStack() as stack:
        for _ in range(web.MAX_PAGES):
            stack.enter_context(place.open())
        with place.open() as one_more:
            assert receive(one_more)["t"] == "refused"
            with pytest.raises(WebSocketDisconnect) as caught:
                one_more.receive_text()
            assert caught.value.code == 1013
        assert place.pages.clients == web.MAX_PAGES


def test_pages_that_leave_are_forgotten(place):
    with place.open() as socket:
        receive(socket)
    with place.open() as socket:
        receive(socket)
        assert place.pages.clients == 1


def test_a_page_that_sends_too_much_is_held_back_and_stays():
    with Place(burst=5) as place, place.open() as socket:
        place.stage.answer = lambda action: "" if isinstance(action, a.Hover) else "heard"
        for _ in range(12):
            socket.send_text('{"do":"hover","x":1,"y":1}')
        assert "too fast" in until(socket, "refused")["say"]
        for _ in range(12):
            socket.send_text('{"do":"put_back"}')
        while until(socket, "refused")["say"] != "heard":
            pass
    assert len(place.stage.done) < 24


def test_allowance_is_a_token_bucket():
    allowance = web.Allowance(2.0, 3.0, 10.0)
    assert [allowance.take(10.0) for _ in range(4)] == [True, True, True, False]
    assert [allowance.take(10.5), allowance.take(10.5)] == [True, False]
    assert [allowance.take(99.0) for _ in range(4)] == [True, True, True, False]


JSONS = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
NEARLY = st.fixed_dictionaries(
    {"do": st.sampled_from(["lift", "hover", "put", "push", "new_game", "confirm", "fly"])},
    optional={"space": JSONS, "x": JSONS, "y": JSONS, "seat": JSONS, "white": JSONS, "black": JSONS},
)
MESSAGES = st.one_of(
    st.text(max_size=200), st.binary(max_size=200), JSONS.map(json.dumps), NEARLY.map(json.dumps)
)


def test_a_message_of_any_shape_is_answered_in_words_and_harms_nobody():
    # What is sent is in question here, not how much: hence the burst.
    with Place(burst=1000) as place, place.open() as other, place.open() as socket:
        place.stage.answer = lambda action: "heard"
        assert receive(other)["t"] == "state"

        @settings(max_examples=150)
        @given(MESSAGES)
        def any_shape(message):
            if isinstance(message, bytes):
                socket.send_bytes(message)
            else:
                try:
                    message.encode()
                except UnicodeEncodeError:
                    return  # no websocket carries that
                socket.send_text(message)
            say = until(socket, "refused")["say"]
            assert say.isprintable()
            assert "Traceback" not in say

        any_shape()
        socket.send_text('{"do":"put_back"}')
        assert until(socket, "refused")["say"] == "heard"
        other.send_text('{"do":"agree_draw"}')
        assert until(other, "refused")["say"] == "heard"


def test_a_long_message_is_refused(place):
    with place.open() as socket:
        socket.send_text('{"do":"lift","space":"' + "e" * 100_000 + '"}')
        assert "too long" in until(socket, "refused")["say"]
    assert place.stage.done == []


def test_importing_is_light():
    """The page's server is loaded when a page is served, not by whoever imports its names."""
    code = "import sys, balanxd.web.app; sys.exit(any(m in sys.modules for m in ('starlette', 'uvicorn', 'anyio')))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
