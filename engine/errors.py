"""What the engine room raises.

EngineError
 └─ NothingToPlay     asked for a move in a game that is over
"""

from __future__ import annotations


class EngineError(ValueError):
    """Root of the room's errors."""


class NothingToPlay(EngineError):
    """The position has no move: the game is over."""
