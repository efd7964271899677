"""A real board at a serial port as a board for a test: bytes and messages alone, in real time."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from firmware_bridge.errors import BridgeError
from firmware_bridge.messages import SESSION_UNASKED, GetHello, Hello, Restart
from firmware_bridge.transport import Transport

from .board import ALL, SESSION, Board, Fit, Need, NotHere

STIMULUS = "needs a stimulus board"
START_S = 5.0
"""In which a board must have said its hello: some wait two seconds in their boot loader."""
MAY_MOVE = "the see-saw may not move (--board-may-move)"


class PortBoard(Board):
    """Each test finds the board restarted (`Restart`). Stored settings are left alone; motions need leave."""

    missing: Mapping[Need, str] = {
        Need.INPUTS: STIMULUS,
        Need.SEESAW: STIMULUS,
        Need.FAULTY_SERVO: STIMULUS,
        Need.PULSES: STIMULUS,
        Need.WIDTHS: STIMULUS,
        Need.CHAIN: STIMULUS,
        Need.LIGHTS: "nobody looks at the lights",
        Need.RESETS: "a reset of a chosen cause needs a stimulus board",
        Need.STORE: "the board's stored settings are its owner's",
        Need.STORED: "nothing reaches a chip's stored bytes from outside",
        Need.SUPPLY: "the supply cannot be set",
        Need.FEEDBACK: "the end inputs cannot be made stale",
    }
    slack_s = 0.03

    def __init__(
        self,
        fit: Fit,
        port: Transport,
        wait: Callable[[Transport, float], None],
        clock: Callable[[], float],
        *,
        may_move: bool,
    ) -> None:
        """wait(port, seconds): until bytes have come, or so long at most. Raises NotHere, BridgeError."""
        if fit != Fit():
            raise NotHere("the board is what it is")
        super().__init__(fit, ALL)
        self._port, self._wait, self._clock = port, wait, clock
        if not may_move:
            self.missing = {**PortBoard.missing, Need.MOTION: MAY_MOVE}
        self._begin_s = clock()
        self._restart()

    def _restart(self) -> None:
        self.pings = self.acks = False
        self.write(b"\0")
        hello = self._hello(GetHello(SESSION))
        self.fit = Fit(cells=hello.cells, bits=hello.bits)
        if (hello.major, hello.minor) < (1, 1):
            raise NotHere(f"wire {hello.major}.{hello.minor} knows no restart: bring the firmware up to date")
        self.heard.clear()
        hello = self._hello(Restart(SESSION, hello.boot))
        self._begin_s += self.now_s - self.boot_s
        self.now_s = self.boot_s
        self.zero_s = 0.0
        self.heard = [(self.boot_s, hello)]
        self.pings = self.acks = True
        self._ping_s = 0.0

    def _hello(self, asked: GetHello | Restart) -> Hello:
        """The answer to what is asked twice a second."""
        want = asked.session if isinstance(asked, GetHello) else SESSION_UNASKED
        until_s = self.now_s + START_S
        while self.now_s < until_s:
            self.send(asked)
            again_s = self.now_s + 0.5
            while self.now_s < again_s:
                self.run(0.005)
                for hello in self.of(Hello):
                    if hello.session == want:
                        return hello
        raise BridgeError(f"{self._port.port}: no hello within {START_S:g} s. Is it a Balanx board?")

    def close(self) -> None:
        """See Board."""
        self._port.close()

    def write(self, data: bytes) -> None:
        """See Board."""
        self._port.write(data)

    def _live(self, until_s: float) -> bytes:
        left_s = until_s - (self._clock() - self._begin_s)
        if left_s > 0:
            self._wait(self._port, left_s)
        self.now_s = self._clock() - self._begin_s
        return self._port.read()
