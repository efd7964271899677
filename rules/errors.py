"""What the rules room raises: unusable text and broken contracts. What happens in a game is a value.

RulesError
 ├─ LayoutError       a board's plan that breaks a rule, or its TOML form
 ├─ PositionError     a position text that cannot be read or cannot be
 ├─ MoveError         a move text that cannot be read
 ├─ IllegalMove       a readable move that the rules refuse (carries number, reason, cells)
 ├─ RecordError       a game record that cannot be read or contradicts itself
 └─ UnknownGame       a game name that nobody answers to
"""

from __future__ import annotations


class RulesError(ValueError):
    """Root of the room's errors; its text is one clear line."""


class LayoutError(RulesError):
    """A plan of a board that is refused; the text names the broken rule and where."""


class PositionError(RulesError):
    """A position text that is refused; the text names the place."""


class MoveError(RulesError):
    """A move text that cannot be read."""


class RecordError(RulesError):
    """A game record that is refused; the text names the line or the move."""


class UnknownGame(RulesError):
    """No game of that name."""


class IllegalMove(RulesError):
    """A move that the rules refuse. `number` counts the line's moves from 1, `reason` is the judge's code."""

    def __init__(self, number: int, text: str, reason: str, cells: tuple[int, ...], sentence: str) -> None:
        super().__init__(f"move {number}, {text}: {reason}: {sentence}")
        self.number = number
        self.text = text
        self.reason = reason
        self.cells = cells
        self.sentence = sentence
