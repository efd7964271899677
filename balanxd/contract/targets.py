"""What --board says in; boards for tests out, each thing made once: library, image, emulator's place."""

from __future__ import annotations

import ctypes
import select
from pathlib import Path
from time import monotonic

from balanxd.errors import BalanxError
from firmware_bridge.transport import SerialTransport, Transport

from .board import CELLS, Board, Fit

IN_CI = ("sim", "host", "emulated")
SERIAL = "serial:"


def target_names(given: list[str]) -> list[str]:
    """Targets of --board, which may be given more than once; none: all that need no board. Raises BalanxError."""
    names = given or list(IN_CI)
    for name in names:
        if name not in IN_CI and not (name.startswith(SERIAL) and len(name) > len(SERIAL)):
            raise BalanxError(f"--board={name}: choose sim, host, emulated or serial:PORT")
    return list(dict.fromkeys(names))


def wait_for_bytes(port: Transport, at_most_s: float) -> None:
    """Until bytes have come from a port, or so long."""
    number = port.fileno()
    if number is not None:
        select.select([number], [], [], at_most_s)


class Targets:
    """Makes boards. folder: where the host build goes. library, image: made before, instead of compiled."""

    def __init__(
        self,
        folder: Path,
        *,
        may_move: bool = False,
        library: ctypes.CDLL | None = None,
        image: Path | None = None,
    ) -> None:
        self._folder = folder
        self._may_move = may_move
        self._library = library
        self._image = image
        self._program: Path | None = None

    def board(self, name: str, fit: Fit) -> Board:
        """A board just switched on. Raises NotHere where the target is none like that, BalanxError, BridgeError."""
        if name == "sim":
            from .simulated import SimBoard

            return SimBoard(fit)
        if name == "host":
            from .host import HostBoard, build_host

            if self._library is None:
                self._library = build_host(self._folder)
            return HostBoard(fit, self._library)
        if name == "emulated":
            from balanxd.simulated.emulator import find_emulator
            from balanxd.simulated.image import build_image

            from .emulated import EmulatedBoard

            if self._program is None:
                self._program = find_emulator()
            if self._image is None:
                self._image = build_image("classic", CELLS)
            return EmulatedBoard(fit, self._program, self._image)
        from .port import PortBoard

        port = SerialTransport(name.removeprefix(SERIAL))
        try:
            return PortBoard(fit, port, wait_for_bytes, monotonic, may_move=self._may_move)
        except BaseException:
            port.close()
            raise
