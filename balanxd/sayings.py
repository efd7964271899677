"""Sayings: game events and lines for people in; lines for a terminal, or entries of the system's log, out.

Under systemd standard error is the log (JOURNAL_STREAM names it by device and inode): the log has its own time, and a
line that begins with `<4>` is a warning there, see sd-daemon(3).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from referee import events as e

WARNING = "<4>"
NOTICE = "<5>"

LOCKED = (
    "{}: the motor is locked until one marble has told to which side it tilts: end this, and run `balanx calibrate`. "
    "Until then people push the board."
)
BEARINGS = {
    True: "The ball bearings of the original board would hold it now.",
    False: "The marbles outweigh the ball bearings of the original board: whoever they lean to is far ahead.",
}

Say = Callable[[str], None]


def log_is(environ: Mapping[str, str], number: int) -> bool:
    """Whether a file descriptor is the system's log."""
    try:
        found = os.fstat(number)
    except OSError:
        return False
    return environ.get("JOURNAL_STREAM", "") == f"{found.st_dev}:{found.st_ino}"


def sayer(write: Say, *, log: bool) -> Say:
    """What says lines: as entries of the log, one line each whatever is in the text; else as they are.

    A line may bring its priority along.
    """

    def say(text: str) -> None:
        priority, said = (text[:3], text[3:]) if text.startswith(WARNING) else (NOTICE, text)
        write(priority + " ".join(said.split()) if log else said)

    return say


def diary_line(event: e.GameEvent) -> str:
    """One line for people about what lasts or goes wrong; empty for what comes and goes."""
    match event:
        case e.GameStarted():
            return f"A game begins: {' against '.join(event.players)}."
        case e.TurnTaken():
            unseen = " (found on the board, not seen)" if event.witness == "unwitnessed" else ""
            return f"Turn {event.ply + 1}: {event.move}{unseen}"
        case e.TakenBack():
            return f"Taken back: {event.plies}."
        case e.PositionSet():
            return "The board as it lies was taken as the position."
        case e.GameOver():
            return f"The game is over: {event.result}" + (f" ({event.note})" if event.note else "")
        case e.LinkChanged(up=True):
            return "The board answers."
        case e.LinkChanged():
            return f"{WARNING}The board does not answer: {event.why}"
        case e.Fault() | e.SensorNamed():
            return f"{WARNING}{event.say}"
        case e.OutOfStep():
            return f"Out of step: {event.say}"
        case e.TiltStopped():
            return f"{WARNING}The motion was stopped: something changed at {event.cell}."
        case e.Stopped(parked=parked):
            return "The board is parked." if parked else "The board was stopped."
        case e.WentOn():
            return "The board goes on."
        case _:
            return ""
