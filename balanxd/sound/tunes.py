"""Tunes: one game event and the page's words in; the tune that says what kind of event it is out. Pure tables.

Each tune has a rhythm of its own, so that nothing is said by pitch alone: what differs is how many tones there are,
which of them are short, long or very long, and where a longer pause lies. Only the warning begins with two long tones.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from itertools import groupby

from balanxd.words import Guide, Say
from referee import events as e

STEP_S = 1 / 16
LOW, MIDDLE, HIGH, TOP = 880.0, 1318.5, 1760.0, 2637.0
"""Hz: A5, E6, A6, E7. A piezo is faint below, and a pin driven by software rough above."""
GROUP = 5  # ticks of a menu's item that are counted together


@dataclass(frozen=True, slots=True)
class Tune:
    """rhythm: a sign a step of STEP_S, `#` sounds, `.` is silent; notes: Hz of each run of `#`; says: its meaning."""

    rhythm: str
    notes: tuple[float, ...]
    says: str

    @property
    def seconds(self) -> float:
        """How long it lasts."""
        return len(self.rhythm) * STEP_S

    def runs(self) -> tuple[tuple[int, float | None], ...]:
        """(steps, Hz or None for silence), in order."""
        notes = iter(self.notes)
        return tuple(
            (len(list(run)), next(notes) if sign == "#" else None) for sign, run in groupby(self.rhythm)
        )


class Cue(Enum):
    """What a tune says. `balanx sound test` plays them all; docs/evening.md lists them."""

    WARNING = Tune(
        "####..####..##..", (HIGH, HIGH, LOW), "hands off: the board tilts; again and again until it does"
    )
    SEEN = Tune("#.####", (MIDDLE, HIGH), "a move was seen; it counts in a moment")
    TAKEN = Tune("####.#", (HIGH, MIDDLE), "the turn counts")
    TURN = Tune("#.####.#", (MIDDLE, HIGH, MIDDLE), "the next player may move")
    ANNOUNCED = Tune("####.#.####", (MIDDLE, TOP, MIDDLE), "the computer's move: make it for it")
    PUSH = Tune("####....#", (MIDDLE, LOW), "push the board down")
    WRONG = Tune("##########", (LOW,), "that is not allowed, or the board is not as it should be")
    PUT_BACK = Tune("####.#.#", (MIDDLE, LOW, LOW), "put it back")
    QUESTION = Tune("#.#.####", (MIDDLE, HIGH, TOP), "a question: which move was it?")
    TURNING = Tune("#.#.#.#.####", (MIDDLE, HIGH, MIDDLE, HIGH, MIDDLE), "something is still to be turned")
    WITHDRAWN = Tune("####.#.#.####", (HIGH, MIDDLE, MIDDLE, LOW), "the move was put back: it does not count")
    TAKEBACK = Tune("####....####", (HIGH, MIDDLE), "a turn is being taken back")
    TAKEN_BACK = Tune("####....####....####", (HIGH, MIDDLE, LOW), "it is taken back")
    BEGUN = Tune("#.#.#.####", (MIDDLE, HIGH, MIDDLE, TOP), "a game begins")
    OVER = Tune("##########.#.####.#.####", (HIGH, MIDDLE, HIGH, MIDDLE, TOP), "the game is over")
    WELL = Tune("#....####", (MIDDLE, HIGH), "all is as it should be again")
    FAULT = Tune("#....#....#", (LOW, LOW, LOW), "something of the board does not work")
    LOST = Tune("#....##########", (MIDDLE, LOW), "the board is not connected")
    HALTED = Tune("##########....##########", (LOW, LOW), "the motor was stopped by a hand on the board")
    STOPPED = Tune("##########.#.#", (MIDDLE, LOW, LOW), "stopped: nothing moves until it may go on")
    WENT_ON = Tune("#.#.##########", (LOW, LOW, MIDDLE), "it goes on")
    SURE = Tune("#.####.#.####", (HIGH, TOP, HIGH, TOP), "sure? YES once more does it")
    ANSWERED = Tune("##########.#", (HIGH, TOP), "the menu has done it")
    REFUSED = Tune("##########.####", (HIGH, LOW), "it cannot be done: the page and the voice say why")
    CLOSED = Tune("#.##########", (HIGH, LOW), "the menu is closed, and nothing was done")


QUIET = frozenset(
    {
        Cue.WARNING,
        Cue.ANNOUNCED,
        Cue.PUSH,
        Cue.WRONG,
        Cue.QUESTION,
        Cue.TURNING,
        Cue.FAULT,
        Cue.LOST,
        Cue.HALTED,
        Cue.STOPPED,
        Cue.SURE,
        Cue.ANSWERED,
        Cue.REFUSED,
        Cue.CLOSED,
    }
)
"""What is heard on a quiet board: what somebody has to do something about, and answers to buttons."""


def ticks(number: int) -> Tune:
    """A menu's item: as many short tones as its number (from 1), after five of them a longer pause."""
    groups = [min(GROUP, number - first) for first in range(0, number, GROUP)]
    return Tune(
        "...".join(".".join("#" * size) for size in groups), (HIGH,) * number, f"item {number} of the menu"
    )


def tune_of(event: e.GameEvent, say: Say, *, motor: bool) -> Tune | None:
    """The tune of an event; None: it has none. say: what the page says after it.

    motor: the board is tilted by one, so that a move that was seen is the warning before it starts.
    """
    if isinstance(event, e.MenuShown) and not event.sure:
        return ticks(event.number)
    cue = cue_of(event, say, motor=motor)
    return None if cue is None else cue.value


def cue_of(event: e.GameEvent, say: Say, *, motor: bool) -> Cue | None:
    """See `tune_of`; None also for an item of a menu, whose tune depends on its number."""
    match event:
        case e.TiltWarning():
            return Cue.WARNING
        case e.MoveProvisional():
            return Cue.WARNING if motor else Cue.SEEN
        case e.TurnTaken():
            # A motor that starts says it. Waves made by software on a servo's pin and the buzzer's disturb each other.
            return None if motor else Cue.TAKEN
        case e.TurnOpened():
            return None if say.condition == "thinking" else Cue.TURN
        case e.Announced():
            return Cue.ANNOUNCED
        case e.TiltWanted():
            return Cue.PUSH
        case e.OutOfStep():
            return Cue.WRONG
        case e.InHand():
            return Cue.PUT_BACK if say.kind is Guide.BACK else None
        case e.Question():
            return Cue.QUESTION
        case e.TurningWanted():
            return Cue.TURNING
        case e.MoveWithdrawn():
            return Cue.WITHDRAWN
        case e.TakebackShown():
            return Cue.TAKEBACK
        case e.TakenBack():
            return Cue.TAKEN_BACK
        case e.GameStarted():
            return Cue.BEGUN
        case e.GameOver():
            return Cue.OVER
        case e.BackInStep() | e.TakebackCancelled() | e.PositionSet() | e.LinkChanged(up=True):
            return Cue.WELL
        case e.LinkChanged():
            return Cue.LOST
        case e.SensorNamed() | e.Fault():
            return Cue.FAULT
        case e.TiltStopped():
            return Cue.HALTED
        case e.Stopped():
            return Cue.STOPPED
        case e.WentOn():
            return Cue.WENT_ON
        case e.MenuShown(sure=sure):
            return Cue.SURE if sure else None
        case e.MenuClosed():
            if event.done:
                return Cue.ANSWERED
            return Cue.REFUSED if event.say else Cue.CLOSED
        case _:
            return None
