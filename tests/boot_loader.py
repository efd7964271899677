"""A boot loader on a pseudo-terminal as avrdude's `arduino` programmer knows it: STK500 version 1, flash as bytes."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol

from firmware_bridge.errors import PortGone
from firmware_bridge.transport import PseudoPort

IN_SYNC, OK, END = b"\x14", b"\x10", 0x20
ATMEGA328P = bytes((0x1E, 0x95, 0x0F))
# How many bytes follow each command before its end; 0x64 (program page) tells its own.
FOLLOW = {0x30: 0, 0x41: 1, 0x42: 20, 0x45: 5, 0x50: 0, 0x51: 0, 0x55: 2, 0x56: 4, 0x74: 3, 0x75: 0}


@dataclass
class BootLoader:
    """What it is and what was done to it. `stuck`: an address whose byte cannot be written."""

    signature: bytes = ATMEGA328P
    stuck: int | None = None
    flash: bytearray = field(default_factory=lambda: bytearray(b"\xff" * 32768))
    commands: list[int] = field(default_factory=list)
    _address: int = 0

    def answer(self, command: int, body: bytes) -> bytes:
        """What comes between IN_SYNC and OK."""
        self.commands.append(command)
        if command == 0x41:
            return b"\x03"
        if command == 0x55:
            self._address = 2 * int.from_bytes(body, "little")
        elif command == 0x64 and body[2:3] == b"F":
            self.flash[self._address : self._address + len(body) - 3] = body[3:]
            if self.stuck is not None:
                self.flash[self.stuck] = 0
        elif command == 0x74:
            size = int.from_bytes(body[:2], "big")
            return bytes(self.flash[self._address : self._address + size])
        elif command == 0x75:
            return self.signature
        elif command == 0x56:
            return b"\x00"
        return b""

    def feed(self, waiting: bytearray) -> bytes:
        """Takes whole commands off `waiting`; the answers."""
        out = b""
        while waiting:
            command = waiting[0]
            size = FOLLOW.get(command)
            if command == 0x64 and len(waiting) >= 4:
                size = 3 + int.from_bytes(waiting[1:3], "big")
            if size is None and command != 0x64:
                del waiting[0]
                continue
            if size is None or len(waiting) < size + 2:
                break
            body, end = bytes(waiting[1 : size + 1]), waiting[size + 1]
            del waiting[: size + 2]
            if end == END:
                out += IN_SYNC + self.answer(command, body) + OK
        return out


class Serves(Protocol):
    """Something behind a serial port."""

    def feed(self, waiting: bytearray) -> bytes:
        """Takes what it understands off `waiting`; the answers."""


@contextmanager
def serving(loader: Serves) -> Iterator[str]:
    """It listens on the port whose name this gives, in a thread of its own."""
    port = PseudoPort()
    done = threading.Event()

    def listen() -> None:
        waiting = bytearray()
        while not done.wait(0.002):
            try:
                waiting += port.read()
                port.write(loader.feed(waiting))
            except PortGone:
                return

    thread = threading.Thread(target=listen)
    thread.start()
    try:
        yield port.port
    finally:
        done.set()
        thread.join()
        port.close()
