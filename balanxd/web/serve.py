"""Serves the page on one address inside the daemon's event loop. An address in, a running server out."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable, Iterator, Mapping

from balanxd.errors import BalanxError

from .app import MAX_MESSAGE_BYTES, Guard, Stage, make_app

USUAL = ("127.0.0.1", 8060)
LOCAL_NAMES = ("127.0.0.1", "localhost", "[::1]")
START_S = 10.0


class PageServer:
    """The page of one running game. http: host and port (0: any), None for the usual one or any if it is taken.

    papers: see make_app.
    """

    def __init__(
        self,
        stage: Stage,
        http: tuple[str, int] | None,
        guard: Guard | None = None,
        papers: Mapping[str, Callable[[], str]] | None = None,
    ) -> None:
        """Takes the address at once, so that a taken one is told before anything else happens. Raises BalanxError."""
        self._socket = _listen(http or USUAL, fallback=http is None)
        host, port = self._socket.getsockname()[:2]
        shown = f"[{host}]" if ":" in host else host
        everywhere = host in ("0.0.0.0", "::")
        self.url = f"http://{'localhost' if everywhere else shown}:{port}/"
        names = {*LOCAL_NAMES, shown, socket.gethostname().lower(), f"{socket.gethostname().lower()}.local"}
        self.shown_url = f"http://{socket.gethostname().lower()}.local:{port}/" if everywhere else self.url
        """What to type on another device, as far as this computer knows its name."""
        self._app, self._pages = make_app(
            stage,
            hosts=frozenset(f"{name}:{port}" for name in names),
            guard=guard,
            literal_port=port if everywhere else None,
            papers=papers,
        )
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Serve. Raises BalanxError where the server does not come up."""
        import uvicorn

        config = uvicorn.Config(
            self._app,
            log_level="warning",
            access_log=False,
            lifespan="off",
            ws="websockets-sansio",
            ws_max_size=MAX_MESSAGE_BYTES,
            timeout_graceful_shutdown=1,
            server_header=False,
        )

        class Server(uvicorn.Server):
            @contextlib.contextmanager
            def capture_signals(self) -> Iterator[None]:
                """Signals are the daemon's."""
                yield

        self._server = Server(config)
        self._task = asyncio.create_task(self._server.serve(sockets=[self._socket]))
        for _ in range(round(START_S / 0.01)):
            if self._server.started:
                return
            if self._task.done():
                break
            await asyncio.sleep(0.01)
        raise BalanxError("the page's server does not come up")

    def push_state(self) -> None:
        """The game has changed."""
        self._pages.push_state()

    def push_table(self) -> None:
        """The simulated marbles have moved."""
        self._pages.push_table()

    def distrust(self) -> None:
        """Only pages at this computer itself may play from now on."""
        self._pages.distrust()

    def open_browser(self) -> None:
        """Show the page to the person at this computer, if there is a screen.

        Without one a browser for terminals might open, and take the terminal.
        """
        if sys.platform == "linux" and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
            return
        threading.Thread(target=webbrowser.open, args=(self.url,), daemon=True).start()

    async def close(self) -> None:
        """End the server."""
        if self._task is not None:
            self._server.should_exit = True
            self._server.force_exit = True
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
        self.release()

    def release(self) -> None:
        """Give the address back."""
        self._socket.close()


def _listen(http: tuple[str, int], *, fallback: bool) -> socket.socket:
    host, port = http
    try:
        family, kind, proto, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(family, kind, proto)
    except OSError as error:
        raise BalanxError(f"--http {host}:{port}: {error.strerror or error}") from error
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind(address)
        listening.listen(16)
    except OSError as error:
        listening.close()
        if error.errno == errno.EADDRINUSE and fallback:
            return _listen((host, 0), fallback=False)
        hint = "; another program serves there, give another port" if error.errno == errno.EADDRINUSE else ""
        raise BalanxError(f"--http {host}:{port}: {error.strerror}{hint}") from error
    listening.setblocking(False)
    return listening
