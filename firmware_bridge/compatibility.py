"""A board's hello in plain words: why it cannot be played with, and why it restarted."""

from __future__ import annotations

from .messages import BITS_PER_CELL, MAJOR, MINOR, Hello, ResetCause

UPDATE_COMMAND = "balanx firmware flash"

_CAUSES: dict[int, str] = {
    ResetCause.POWER_ON: "power came on",
    ResetCause.EXTERNAL: "reset button or port opened",
    ResetCause.BROWN_OUT: "brown-out",
    ResetCause.WATCHDOG: "watchdog",
    ResetCause.SOFTWARE: "by its software",
}


def cause_text(reset_cause: int) -> str:
    """A reset cause in plain words."""
    return _CAUSES.get(reset_cause, "cause unknown")


def unplayable(hello: Hello, update_command: str = UPDATE_COMMAND) -> str | None:
    """Why this host cannot play with that board, as one sentence that says what to do; None when it can."""
    if hello.major != MAJOR:
        newer = "this program" if hello.major > MAJOR else "the board's firmware"
        how = "pip install --upgrade balanx" if hello.major > MAJOR else update_command
        return (
            f"The board speaks protocol {hello.major}.{hello.minor} and this program {MAJOR}.{MINOR}: "
            f"update {newer} with `{how}`."
        )
    if hello.cells == 0 or hello.bits not in BITS_PER_CELL:
        return (
            f"The board says it has {hello.cells} cells of {hello.bits} bits, which no board has: "
            f"update its firmware with `{update_command}`."
        )
    return None
