"""Speech: game events and the page's words in; the sentences that are worth saying now out. Pure: no voice, no clock.

The newest wins. A warning goes before everything, an answer to a player before news; what comes and goes, such as a
marble in a hand, is said when it has stood for a moment. What is wrong with the board is said when there is time.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from enum import IntEnum

from balanxd.words import Guide, Say
from referee import events as e

from .spelling import spoken

INF = float("inf")
HAND_S = 0.6  # a marble that stays up so long is not just being moved
LOOK_S = 0.4  # what a sensor may take back at once
SET_UP_S = 2.0  # between marbles that are set up nobody wants to hear what is missing
NOTICES = 3


class Rank(IntEnum):
    """What goes before what: a later one is not made to wait for an earlier one."""

    NEWS = 0
    ANSWER = 1
    WARNING = 2


@dataclass(frozen=True, slots=True)
class Utterance:
    """Sentences, after `wait_s` without another event of the game."""

    text: str
    rank: Rank = Rank.NEWS
    wait_s: float = 0.0


def utterance(event: e.GameEvent, say: Say, *, motor: bool) -> Utterance | None:
    """What is said of an event; None: nothing. say: what the page says after it.

    motor: the board is tilted by one, so that a move that was seen is the warning before it starts.
    """
    guide = "" if say.kind is Guide.ASIDE else say.guide
    whole = sentences(say.headline, say.detail, guide)
    match event:
        case e.TiltWarning():
            return Utterance(sentences("Hands off", say.headline), Rank.WARNING)
        case e.MoveProvisional():
            more = sentences(event.warning, guide)
            if motor:
                return Utterance(sentences("Hands off", say.headline, more), Rank.WARNING)
            return Utterance(sentences(say.headline, more))
        case e.TurnOpened() | e.MoveWanted() | e.TiltWanted():
            return Utterance(sentences(say.headline))
        case e.BackInStep():
            return Utterance(sentences(say.headline), wait_s=LOOK_S)
        case e.Announced() | e.TurnTaken() | e.TakebackShown():
            return Utterance(sentences(say.headline, guide))
        case e.InHand():
            return Utterance(whole, Rank.ANSWER, HAND_S)
        case e.OutOfStep() | e.Question() | e.TiltStopped() | e.Stopped():
            return Utterance(whole, Rank.ANSWER)
        case e.TurningWanted():
            return Utterance(whole, Rank.ANSWER, LOOK_S)
        case e.SetUpWanted():
            return Utterance(sentences(say.headline, guide), wait_s=SET_UP_S)
        case e.MoveWithdrawn() | e.TakebackCancelled():
            return Utterance(sentences(say.detail), wait_s=LOOK_S)
        case e.CalledOff():
            return Utterance(sentences(say.detail), wait_s=2 * HAND_S)
        case e.GameStarted() | e.TakenBack() | e.PositionSet() | e.GameOver():
            return Utterance(sentences(say.headline, say.detail))
        case e.LinkChanged():
            return Utterance("The board answers." if event.up else sentences(say.headline, say.detail))
        case e.WentOn():
            return Utterance("It goes on.", Rank.ANSWER)
        case e.MenuShown():
            sure = "Are you sure? Yes once more." if event.sure else ""
            return Utterance(sentences("" if event.sure else str(event.number), event.say, sure), Rank.ANSWER)
        case e.MenuClosed():
            return Utterance(sentences(event.say), Rank.ANSWER) if event.say else None
        case _:
            return None


class Speech:
    """What is said of one board. names: files are said as names; quiet: answers and warnings only."""

    def __init__(self, *, names: bool, quiet: bool) -> None:
        self._names, self._quiet = names, quiet
        self._next: tuple[float, Utterance] | None = None  # not before this time
        self._notices: deque[str] = deque(maxlen=NOTICES)
        self._said: Utterance | None = None  # last, and perhaps still
        self._said_s = -INF
        self._scene: Utterance | None = None  # how the game stands, for who asks again
        self._code: Utterance | None = None  # or what is to be typed somewhere
        self._move = ""  # that was said before it became a turn
        self._stale = False  # what is being said is not so any more
        self._explained: set[str] = set()  # how a turn is begun needs no second telling

    def follow(self, event: e.GameEvent, say: Say, now_s: float, *, motor: bool) -> None:
        """Follow one event; say: what the page says after it."""
        match event:
            case e.SensorNamed() | e.Fault():
                if event.say not in self._notices:
                    self._notices.append(event.say)
                return
            case e.SensorTrusted():
                return
            case e.CalledOff() | e.TiltStopped() | e.Stopped():
                self._stale = self._said is not None and self._said.rank is Rank.WARNING
            case e.MenuClosed(say=""):
                again = self._code or self._scene
                self._next, self._said = None if again is None else (now_s + LOOK_S, again), None
                return
            case _:
                pass
        if isinstance(event, e.TurnTaken):
            known, self._move = event.move == self._move, ""
            if known and event.witness != "unwitnessed":
                return
        found = utterance(event, say, motor=motor)
        if found is not None and say.condition == "turn" and isinstance(event, e.TurnOpened):
            found = self._explain(found, say)
        if isinstance(event, e.MenuClosed) and found is not None:
            found = self._with_news(found, now_s)
        if isinstance(event, e.MoveProvisional):
            self._move = event.move
        if found is None or not found.text:
            if self._next is not None and self._next[0] > now_s:
                self._next = None
            return
        if not isinstance(event, e.MenuShown | e.MenuClosed):
            self._scene = Utterance(found.text, Rank.ANSWER)
        if not (
            self._quiet and found.rank is Rank.NEWS and not isinstance(event, e.Announced | e.TiltWanted)
        ):
            self._next = now_s + found.wait_s, found

    def read_code(self, code: str, now_s: float) -> None:
        """Say the digits of a pairing code; empty: it is good no more."""
        self._code = Utterance(f"The code is {', '.join(code)}.", Rank.ANSWER) if code else None
        if self._code is not None:
            self._next = now_s, self._code

    def due_s(self, *, busy: bool) -> float:
        """When `take` wants to be called next; inf: not before an event, or before the voice is done."""
        if self._stale and busy:
            return -INF
        if self._next is not None:
            return self._next[0] if not busy or self._may_cut(self._next[1]) else INF
        return -INF if self._notices and not busy else INF

    def take(self, now_s: float, *, busy: bool) -> str | None:
        """What is to be said now instead of whatever is said; "": silence; None: nothing new. busy: a voice speaks."""
        stale, self._stale = self._stale and busy, False
        if self._next is not None and now_s >= self._next[0]:
            found = self._next[1]
            if not busy or stale or self._may_cut(found):
                self._next = None
                if self._said is None or found.text != self._said.text or found.rank is not Rank.NEWS:
                    self._said, self._said_s = found, now_s
                    return spoken(found.text, names=self._names)
        if not busy and self._notices and self._next is None:
            self._said = Utterance(self._notices.popleft())
            return spoken(self._said.text, names=self._names)
        return "" if stale else None

    def _explain(self, found: Utterance, say: Say) -> Utterance:
        if say.detail in self._explained:
            return found
        self._explained.add(say.detail)
        return replace(found, text=sentences(found.text, say.detail))

    def _with_news(self, found: Utterance, now_s: float) -> Utterance:
        """The menu's last word, and after it what came of it: that has been said just before, or waits."""
        news = self._said if self._said_s == now_s else None
        if self._next is not None and self._next[0] <= now_s:
            news = self._next[1]
        if news is None or news.rank is not Rank.NEWS:
            return found
        return replace(found, text=sentences(found.text, news.text))

    def _may_cut(self, found: Utterance) -> bool:
        said = Rank.NEWS if self._said is None else self._said.rank
        return found.rank > Rank.NEWS and found.rank >= said


def sentences(*parts: str) -> str:
    """Sentences, each with its end."""
    return " ".join(part if part[-1] in ".?!:" else f"{part}." for part in parts if part)
