"""What can go wrong on the wire: one root, each message one clear line for the person at the board."""

from __future__ import annotations


class BridgeError(RuntimeError):
    """Root of this room's errors."""


class EncodeError(BridgeError):
    """A message holds a value its wire field cannot carry, or would not fit into a frame."""


class NotUp(BridgeError):
    """A command was given while the link is not up."""


class TooManyCommands(BridgeError):
    """More commands are waiting than the link keeps; the caller is faster than the board."""


class PortError(BridgeError):
    """Root of what can happen to a port; `port` names it."""

    def __init__(self, port: str, sentence: str) -> None:
        super().__init__(sentence)
        self.port = port


class PortMissing(PortError):
    """There is no such port (now)."""


class PortBusy(PortError):
    """Somebody else has the port open."""


class PortDenied(PortError):
    """The operating system does not let this user open the port."""


class PortUnusable(PortError):
    """The name exists but is no serial port, or it cannot be set as the board needs it."""


class PortGone(PortError):
    """The port went away while it was in use (unplugged, or the other end closed)."""
