"""Gate: who may play from another machine. Codes and tokens of pages, this computer's own questions in; answers out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from firmware_bridge.messages import Hello

from .control import Control
from .flashing.ports import hello_words
from .pairing import CodeShown, Pairing, PairingEvent


class Gate:
    """See balanxd.web.app.Guard. One daemon's pairing with its clock, and the socket on which `balanx pair` asks.

    heard: told of each code that may be shown at the board, and of its end; never the page.
    """

    def __init__(
        self,
        folder: Path,
        chance: Callable[[int], bytes],
        now_s: Callable[[], float],
        say: Callable[[str], None],
    ) -> None:
        """folder: of the state. now_s: monotonic real seconds. Raises BalanxError."""
        self._pairing = Pairing(folder, chance, self._pairing_says)
        self._control = Control(folder, self._answer)
        self._now_s, self._say = now_s, say
        self.heard: list[Callable[[PairingEvent], None]] = []
        self.hello: Callable[[], Hello | None] = lambda: None
        """The board's own words about itself."""
        self.distrust: Callable[[], None] = lambda: None
        """Called when nobody's token is good any more."""

    def wanted(self) -> str:
        """See Guard."""
        return self._pairing.wanted(self._now_s())

    def redeem(self, code: str) -> tuple[str, str]:
        """See Guard."""
        return self._pairing.redeem(code, self._now_s())

    def known(self, token: str) -> bool:
        """See Guard."""
        return self._pairing.known(token)

    async def start(self) -> None:
        """Hear this computer's own questions; where that cannot be, say why."""
        if why := await self._control.start():
            self._say(why)

    def tick(self) -> None:
        """End a code that is too old."""
        self._pairing.tick(self._now_s())

    async def close(self) -> None:
        """Hear no more."""
        await self._control.close()

    def _pairing_says(self, event: PairingEvent) -> None:
        if isinstance(event, CodeShown):
            self._say(f"A browser on another machine may play with the code {event.code}, for two minutes.")
        for hear in self.heard:
            hear(event)

    def _answer(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        now_s = self._now_s()
        match asked.get("do"):
            case "pair":
                shown = self._pairing.at_the_board(now_s)
                return {"code": shown.code, "seconds": round(shown.until_s - now_s)}
            case "status":
                hello = self.hello()
                if hello is None:
                    return {"board": ""}
                told = {"kind": hello.board_kind, "cells": hello.cells, "build": hello.build_id}
                return {"board": hello_words(hello), **told}
            case "forget":
                try:
                    return {"forgotten": self._pairing.forget_all()}
                except OSError as error:
                    return {"error": f"forgotten until the daemon ends only: {error.strerror or error}"}
                finally:
                    self.distrust()
            case _:
                return {"error": "no such question"}
