"""A simulated controller in; a port of this computer behind which it lives by this computer's clock."""

from __future__ import annotations

import select
import threading
from time import monotonic

from balanxd.contract.simulated import SimBoard
from firmware_bridge.transport import PseudoPort


class RealTime:
    """Enter it for the name of the port. The board is the test's again when it is left."""

    def __init__(self, board: SimBoard) -> None:
        self._board = board
        self._pseudo = PseudoPort()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._live, daemon=True)

    def __enter__(self) -> str:
        self._thread.start()
        return self._pseudo.port

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
        self._pseudo.close()

    def _live(self) -> None:
        board, port = self._board, self._pseudo
        begin_s, number = monotonic() - board.now_s, port.fileno()
        assert number is not None
        while not self._over.is_set():
            select.select([int(number)], [], [], 0.002)
            board.write(port.read())
            while board.now_s < monotonic() - begin_s:
                port.write(board._live(0.0))
