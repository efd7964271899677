"""Control: questions from this computer itself (`balanx pair`) in, answers out, over a socket in the state folder.

Only the folder's owner may open it. One JSON question a line in, one JSON answer a line out. Here are the daemon's side
and the asking side.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from .errors import BalanxError

NAME = "control"
LINE_LIMIT = 4096
ANSWER_S = 5.0
PATH_LIMIT = 100  # a socket's name is at most 107 bytes long

Answer = Callable[[Mapping[str, Any]], Mapping[str, Any]]


class Control:
    """The daemon's side. `answer`: a question's table -> the answer's."""

    def __init__(self, folder: Path, answer: Answer) -> None:
        self._path = folder / NAME
        self._answer = answer
        self._server: asyncio.Server | None = None

    async def start(self) -> str:
        """Listen. Empty, or one line why nobody can ask."""
        if len(os.fsencode(self._path)) > PATH_LIMIT:
            return f"{self._path}: the folder's name is too long for a socket, so `balanx pair` cannot ask."
        try:
            with contextlib.suppress(FileNotFoundError):
                self._path.unlink()  # of a daemon that was killed: the folder is locked, so nobody listens there
            mask = os.umask(0o177)
            try:
                self._server = await asyncio.start_unix_server(self._serve, self._path, limit=LINE_LIMIT)
            finally:
                os.umask(mask)
        except OSError as error:
            return f"{self._path}: {error.strerror or error}, so `balanx pair` cannot ask."
        return ""

    async def close(self) -> None:
        """Listen no more."""
        if self._server is not None:
            self._server.close()
            with contextlib.suppress(OSError):
                self._path.unlink()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, ValueError, TimeoutError):
            async with asyncio.timeout(ANSWER_S):
                asked = json.loads(await reader.readline())
                told = self._answer(asked if isinstance(asked, dict) else {})
                writer.write(json.dumps(told).encode() + b"\n")
                await writer.drain()
        writer.close()


def ask(folder: Path, question: Mapping[str, Any]) -> dict[str, Any]:
    """The asking side. Raises BalanxError where nobody answers, or with what the daemon says against it."""
    path = folder / NAME
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
            line.settimeout(ANSWER_S)
            line.connect(str(path))
            line.sendall(json.dumps(question).encode() + b"\n")
            with line.makefile("rb") as answers:
                told = json.loads(answers.readline(LINE_LIMIT))
    except (FileNotFoundError, ConnectionRefusedError):
        raise BalanxError(
            f"{path}: no daemon answers there. Is it running? `systemctl status balanxd`"
        ) from None
    except PermissionError:
        raise BalanxError(f"{path}: only the daemon's own user may ask: try `sudo balanx pair`") from None
    except (OSError, ValueError) as error:
        raise BalanxError(f"{path}: the daemon does not answer: {error}") from error
    if not isinstance(told, dict):
        raise BalanxError(f"{path}: the daemon's answer cannot be read")
    if "error" in told:
        raise BalanxError(f"{path}: {told['error']}")
    return told
