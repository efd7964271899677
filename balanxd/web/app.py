"""The web server's application: a running game in (`Stage`), the page and its live messages out.

Who may come in is decided before anything else (`Door`): the Host header must be one of ours, so that a
name which somebody else points at this machine opens nothing; a websocket must come from our own page; only
GET. Whoever is not at this computer itself may watch, and plays once the `Guard` lets them. What a page sends
is read by `parse_action` and answered in words.
"""

from __future__ import annotations

import asyncio
import hashlib
import ipaddress
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import resources
from typing import TYPE_CHECKING, Protocol

import msgspec

from .actions import Action, ActionError, Pair, Token, parse_action

if TYPE_CHECKING:  # starlette is loaded when an application is made, not when this module is imported
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp, Message, Receive, Scope, Send
    from starlette.websockets import WebSocket

MAX_PAGES = 16
MAX_MESSAGE_BYTES = 64 * 1024
"""For the server's own limit (uvicorn's `ws_max_size`): a longer message ends its sender's connection."""
MESSAGES_A_S = 60.0
BURST = 120.0
TABLE_S = 0.025  # a table goes out at most so often, however often the marbles are looked at
REMIND_S = 5.0  # the state goes out at least so often: a page that hears nothing knows that we are gone
SEND_S = 10.0  # a page that takes nothing for so long is dropped; it comes back by itself
BREATH_S = 0.1  # how long a page that sends too much is not read

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}
KINDS = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


class Stage(Protocol):
    """What the page needs of the running game."""

    def state(self) -> dict[str, object]:
        """The whole `state` message, without `t`: `View.state` and what the runner adds."""

    def table(self) -> dict[str, object] | None:
        """The simulated table: `marbles` (id, seat, x, y, hand, moving), `angle` in degrees; None on a real board."""

    def act(self, action: Action) -> str:
        """Do it. Empty when done, else one clear line why not."""


@dataclass(slots=True, eq=False)
class _Page:
    """What one open page is still to be sent. Bounded: newest state, newest table, last refusals."""

    wake: asyncio.Event = field(default_factory=asyncio.Event)
    wants_state: bool = True
    wants_table: bool = True
    table_s: float = 0.0  # on the loop's clock: no table before
    refused: deque[dict[str, object]] = field(default_factory=lambda: deque(maxlen=4))
    here: bool = True
    """Open at this computer itself."""
    trusted: bool = True
    """May play."""


class Guard(Protocol):
    """Who may ask for anything, other than at this computer itself (see balanxd.pairing)."""

    def wanted(self) -> str:
        """Somebody who may not wants to: the board shows its code. What to say to them."""

    def redeem(self, code: str) -> tuple[str, str]:
        """A token for the code, or empty; and what is to be said."""

    def known(self, token: str) -> bool:
        """Whether a token is one of ours."""


class Broadcaster:
    """Tells every open page. To be called from the application's event loop; never waits.

    A slow page misses tables in between, and gets the newest state and table when it is ready for them.
    """

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._pages: set[_Page] = set()
        self._table: bytes | None = None  # encoded once for all pages

    @property
    def clients(self) -> int:
        """How many pages are open."""
        return len(self._pages)

    def push_state(self) -> None:
        """What `Stage.state` says has changed."""
        for page in self._pages:
            page.wants_state = True
            page.wake.set()

    def push_table(self) -> None:
        """What `Stage.table` says has changed."""
        self._table = None
        for page in self._pages:
            if not page.wants_table:
                page.wants_table = True
                page.wake.set()

    def distrust(self) -> None:
        """Only pages at this computer itself may play from now on; the others are asked anew."""
        for page in self._pages:
            page.trusted = page.here

    def _join(self) -> _Page | None:
        """A new page, None where there are too many."""
        if len(self._pages) >= MAX_PAGES:
            return None
        page = _Page()
        page.wake.set()
        self._pages.add(page)
        return page

    def _leave(self, page: _Page) -> None:
        self._pages.discard(page)

    def _take(self, page: _Page, now_s: float) -> Iterator[bytes]:
        """What is to be sent to the page now; each is made at the last moment."""
        while page.refused:
            yield _encode(page.refused.popleft())
        if page.wants_state:
            page.wants_state = False
            yield _encode({"t": "state", **self._stage.state()})
        if page.wants_table and now_s >= page.table_s:
            page.wants_table = False
            page.table_s = now_s + TABLE_S
            if self._table is None:
                table = self._stage.table()
                self._table = b"" if table is None else _encode({"t": "table", **table})
            if self._table:
                yield self._table


_encode = msgspec.json.encode


class Allowance:
    """A token bucket: `rate` a second on the long run, `burst` at once."""

    def __init__(self, rate: float, burst: float, now_s: float) -> None:
        self._rate, self._burst = rate, burst
        self._left, self._at_s = burst, now_s

    def take(self, now_s: float) -> bool:
        """Whether one more is allowed."""
        self._left = min(self._burst, self._left + (now_s - self._at_s) * self._rate)
        self._at_s = now_s
        if self._left < 1.0:
            return False
        self._left -= 1.0
        return True


def make_app(
    stage: Stage,
    *,
    hosts: frozenset[str],
    burst: float = BURST,
    guard: Guard | None = None,
    literal_port: int | None = None,
    papers: Mapping[str, Callable[[], str]] | None = None,
) -> tuple[Starlette, Broadcaster]:
    """The application, and what tells its pages.

    hosts: values of the Host header that mean us, as `localhost:8001`; without port: with any. burst: messages
    that a page may send at once. guard: asked about pages that are not open at this computer; None: all may play.
    literal_port: with this port a Host that is an address, not a name, means us too: addresses come and go with the
    network, and only a name can be pointed at a machine by somebody else. papers: pages that are made when they are
    asked for, by name.
    """
    from starlette.applications import Starlette
    from starlette.middleware import Middleware
    from starlette.routing import Route, WebSocketRoute

    broadcaster = Broadcaster(stage)
    files = _static_files()

    async def page_file(request: Request) -> Response:
        paper = (papers or {}).get(request.path_params.get("name", ""))
        if paper is not None:
            return _paper_response(request, paper())
        return _file_response(request, files.get(request.path_params.get("name", "index.html")))

    async def live(socket: WebSocket) -> None:
        await socket.accept()
        await _serve(socket, stage, broadcaster, burst, guard)

    routes = [
        Route("/", page_file, methods=["GET"]),
        Route("/{name}", page_file, methods=["GET"]),
        WebSocketRoute("/live", live),
    ]
    return Starlette(
        routes=routes, middleware=[Middleware(Door, hosts=hosts, literal_port=literal_port)]
    ), broadcaster


# ---- a page's connection -----------------------------------------------------------------------------------


async def _serve(
    socket: WebSocket, stage: Stage, broadcaster: Broadcaster, burst: float, guard: Guard | None
) -> None:
    page = broadcaster._join()
    if page is None:
        await socket.send_text(
            _encode({"t": "refused", "say": f"{MAX_PAGES} pages are open already: close one."}).decode()
        )
        await socket.close(1013)
        return
    page.here = page.trusted = guard is None or _here(socket.client)
    try:
        async with asyncio.TaskGroup() as both:
            writer = both.create_task(_write(socket, page, broadcaster))
            reader = both.create_task(_read(socket, page, stage, burst, guard))
            writer.add_done_callback(lambda _: reader.cancel())
            reader.add_done_callback(lambda _: writer.cancel())
    finally:
        broadcaster._leave(page)


async def _write(socket: WebSocket, page: _Page, broadcaster: Broadcaster) -> None:
    from starlette.websockets import WebSocketDisconnect

    clock = asyncio.get_running_loop().time
    # A page that has gone, or takes nothing, ends its own connection and nobody else's.
    with suppress(WebSocketDisconnect, TimeoutError, OSError):
        while True:
            wait_s = max(0.0, page.table_s - clock()) if page.wants_table else REMIND_S
            with suppress(TimeoutError):
                async with asyncio.timeout(wait_s):
                    await page.wake.wait()
            if not page.wake.is_set() and not page.wants_table:
                page.wants_state = True
            page.wake.clear()
            for data in broadcaster._take(page, clock()):
                async with asyncio.timeout(SEND_S):
                    await socket.send_text(data.decode())


async def _read(socket: WebSocket, page: _Page, stage: Stage, burst: float, guard: Guard | None) -> None:
    clock = asyncio.get_running_loop().time
    allowance = Allowance(MESSAGES_A_S, burst, clock())
    warned = False
    while True:
        message = await socket.receive()
        if message["type"] != "websocket.receive":
            return
        if not allowance.take(clock()):
            if not warned:
                _refuse(page, "That is too fast: some messages were left out.")
            warned = True
            await asyncio.sleep(BREATH_S)  # not reading holds the sender back
            continue
        warned = False
        data = message.get("text")
        try:
            action = parse_action(message.get("bytes") or b"" if data is None else data)
            if isinstance(action, Pair | Token):
                _introduce(page, guard, action)
                continue
            if guard is not None and not page.trusted:
                _refuse(page, guard.wanted(), pair=True)
                continue
            say = stage.act(action)
        except ActionError as error:
            say = str(error)
        if say:
            _refuse(page, say)


def _refuse(page: _Page, say: str, *, pair: bool = False) -> None:
    page.refused.append({"t": "refused", "say": say, "pair": True} if pair else {"t": "refused", "say": say})
    page.wake.set()


def _introduce(page: _Page, guard: Guard | None, action: Pair | Token) -> None:
    """A browser shows the code of now, or the token that it was given for one."""
    if guard is None or page.trusted:
        told: dict[str, object] = {"t": "paired", "token": ""}
    elif isinstance(action, Token):
        page.trusted = guard.known(action.token)
        told = {"t": "paired", "token": ""} if page.trusted else {"t": "stranger"}
    else:
        token, say = guard.redeem(action.code)
        page.trusted = bool(token)
        told = {"t": "paired", "token": token} if token else {"t": "refused", "say": say, "pair": True}
        if token and say:
            page.refused.append({"t": "refused", "say": say})
    page.refused.append(told)
    page.wake.set()


def _here(client: tuple[str, int] | None) -> bool:
    """Whether a page is open at this computer."""
    try:
        address = ipaddress.ip_address("" if client is None else client[0].partition("%")[0])
    except ValueError:
        return False
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return (mapped or address).is_loopback


# ---- files -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _File:
    body: bytes
    kind: str
    etag: str


def _static_files() -> dict[str, _File]:
    """The page's files by name. They are few and small, and nothing else is ever served."""
    files = {}
    for entry in resources.files(__package__).joinpath("static").iterdir():
        suffix = entry.name[entry.name.rfind(".") :]
        if suffix in KINDS:
            body = entry.read_bytes()
            files[entry.name] = _File(body, KINDS[suffix], f'"{hashlib.sha256(body).hexdigest()[:16]}"')
    return files


def _paper_response(request: Request, text: str) -> Response:
    from starlette.responses import Response

    kind = KINDS[".css"] if request.url.path.endswith(".css") else KINDS[".html"]
    return Response(text, media_type=kind, headers={"cache-control": "no-cache"})


def _file_response(request: Request, file: _File | None) -> Response:
    from starlette.responses import PlainTextResponse, Response

    if file is None:
        return PlainTextResponse("There is no such page here.\n", 404)
    # `no-cache` asks each time whether a file is still the same: a newer program never meets an older script.
    headers = {"etag": file.etag, "cache-control": "no-cache"}
    if request.headers.get("if-none-match") == file.etag:
        return Response(status_code=304, headers=headers)
    return Response(file.body, media_type=file.kind, headers=headers)


# ---- who may come in ---------------------------------------------------------------------------------------


class Door:
    """ASGI middleware: refuses strange hosts, foreign pages and other methods; adds HEADERS to every answer."""

    def __init__(self, app: ASGIApp, hosts: frozenset[str], literal_port: int | None = None) -> None:
        self._app = app
        self._literal_port = literal_port
        self._hosts = frozenset(host.lower() for host in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request or websocket."""
        if scope["type"] == "http":
            await self._http(scope, receive, _with_headers(send))
        elif scope["type"] == "websocket":
            await self._websocket(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        from starlette.responses import PlainTextResponse

        app: ASGIApp = self._app
        if not self._ours(_header(scope, b"host")):
            app = PlainTextResponse("This address is not served here.\n", 421)
        elif scope["method"] != "GET":
            app = PlainTextResponse("Only GET is answered here.\n", 405, {"allow": "GET"})
        await app(scope, receive, send)

    async def _websocket(self, scope: Scope, receive: Receive, send: Send) -> None:
        host, origin = _header(scope, b"host"), _header(scope, b"origin")
        if self._ours(host) and origin in (f"http://{host}", f"https://{host}"):
            await self._app(scope, receive, send)
            return
        await receive()  # the opening handshake; closing before it is accepted answers 403
        await send({"type": "websocket.close", "code": 1008})

    def _ours(self, host: str) -> bool:
        name, _, port = host.rpartition(":")
        if port == str(self._literal_port) and is_address(name):
            return True
        return host in self._hosts or (port.isdecimal() and name in self._hosts)


def is_address(name: str) -> bool:
    """Whether a host is an address and no name: `192.168.1.5`, `[fe80::1]`."""
    try:
        if name.startswith("[") and name.endswith("]"):
            ipaddress.IPv6Address(name[1:-1])
        else:
            ipaddress.IPv4Address(name)
    except ValueError:
        return False
    return True


def _header(scope: Scope, name: bytes) -> str:
    """The header's only value in lower case; empty when it is missing or given twice."""
    values = [value for key, value in scope["headers"] if key == name]
    return values[0].decode("latin-1").lower() if len(values) == 1 else ""


def _with_headers(send: Send) -> Callable[[Message], Awaitable[None]]:
    extra = [(name.encode(), value.encode()) for name, value in HEADERS.items()]

    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", []), *extra]}
        await send(message)

    return send_with_headers
