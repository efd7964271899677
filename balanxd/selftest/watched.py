"""Shows a self-test while it runs: an address in; one page, made anew whenever something is told, served there.

It only shows: nothing that comes from a browser but the address in its Host header is looked at.
"""

from __future__ import annotations

import contextlib
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from balanxd.errors import BalanxError
from balanxd.pages import page
from balanxd.web.app import is_address

from .findings import AGAIN_S

CLOSE_S = 0.05  # it looks so often whether it is to end
HEADERS = {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
}


class Watched:
    """One page at an address, until it is closed. url: what to type on another device."""

    def __init__(self, address: tuple[str, int]) -> None:
        """Raises BalanxError where the address cannot be had."""
        self._page = page("Balanx self-test", "<h1>Self-test</h1><p>It begins.</p>", again_s=AGAIN_S).encode()
        self._asked = threading.Event()
        self._watching = False
        host, port = address
        try:
            self._server = _Server(address, self)
        except (OSError, OverflowError) as error:
            raise BalanxError(f"--http {host}:{port}: {getattr(error, 'strerror', None) or error}") from error
        port = self._server.server_address[1]
        name = socket.gethostname().lower()
        self.hosts = frozenset(f"{each}:{port}" for each in ("localhost", name, f"{name}.local"))
        shown = f"{name}.local" if host in ("0.0.0.0", "::") else f"[{host}]" if ":" in host else host
        self.url = f"http://{shown}:{port}/"
        threading.Thread(target=self._server.serve_forever, args=(CLOSE_S,), daemon=True).start()

    def show(self, text: str) -> None:
        """This is the page from now on."""
        self._page = text.encode()
        self._asked.clear()

    def linger(self) -> None:
        """Until somebody who watches has seen the last page, which comes again by itself; not for long."""
        if self._watching:
            self._asked.wait(AGAIN_S + 1.0)

    def answer(self, host: str) -> tuple[int, bytes]:
        """Status and body for a browser that asks for `host`: its name must be ours, or be an address."""
        name = host.rpartition(":")[0]
        if host.lower() not in self.hosts and not is_address(name):
            return 421, b"This address is not served here.\n"
        self._watching = True
        self._asked.set()
        return 200, self._page

    def close(self) -> None:
        """Serve no more."""
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, address: tuple[str, int], watched: Watched) -> None:
        self.address_family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        self.watched = watched
        super().__init__(address, _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that went away is nothing to speak of."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    server_version, sys_version = "balanx", ""
    timeout = 10

    def do_GET(self) -> None:
        status, body = self.server.watched.answer(self.headers.get("host", ""))
        self.send_response(status)
        for name, value in HEADERS.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        with contextlib.suppress(OSError):
            self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """The terminal belongs to the test."""
