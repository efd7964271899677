"""A rig with its two boards spoken to: commands and line changes in, answers, edges and pulses out, waited for.

The stimulus board is the witness: times of changes and pulses are by its clock. Every wait has a limit in the rig's
time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeVar

from firmware_bridge.codec import Decoder, encode
from firmware_bridge.messages import (
    BOARD_TO_HOST,
    Ack,
    AckEdges,
    BoardMessage,
    EdgeMsg,
    Fault,
    FaultCode,
    GetHello,
    GetPicture,
    Hello,
    HostMessage,
    NumberedCommand,
    Picture,
    Ping,
    Pong,
    Result,
    TiltReport,
)
from firmware_bridge.stimulus import PRODUCT, StimulusLine
from firmware_bridge.stimulus_link import (
    LINES_A_FRAME,
    Done,
    Greeted,
    LinesSeen,
    PulseSeen,
    Refused,
    StimulusLink,
)

from .outcomes import CheckFailed, RigFailed
from .rig import CONTROLLER, STIMULUS, Rig

PING_EVERY_S = 0.25
ANSWER_S = 0.5
SOON_S = 0.005  # a change is told so long before its time
RAW_KEPT = 400

M = TypeVar("M", bound=BoardMessage)


class Bench:
    """One controller under test. `messages` and `pulses`: what has come since `forget`."""

    def __init__(self, rig: Rig, session: int) -> None:
        """session: the run's id, u16, not 0; both boards say it back in their hello."""
        self.rig = rig
        self.session = session
        self.link = StimulusLink(session)
        self.alive = True  # the controller is pinged
        self.acknowledges = True
        self.messages: list[tuple[float, BoardMessage]] = []
        self.pulses: list[PulseSeen] = []
        self.pulses_lost = 0
        self.raw: deque[str] = deque(maxlen=RAW_KEPT)
        self.through: Callable[[bytes], None] | None = None  # takes the controller's bytes instead
        self.hello: Hello | None = None
        self._decoder = Decoder(BOARD_TO_HOST)
        self._done: dict[int, float] = {}
        self._lines: LinesSeen | None = None
        self._ping_s = 0.0
        self._token = self._id = 0

    @property
    def now_s(self) -> float:
        """The rig's present."""
        return self.rig.now_s

    # -- time

    def pump(self, until_s: float) -> float:
        """Let time pass until then, or until something has come; the present."""
        now = self.rig.now_s
        if self.alive and self.through is None and now >= self._ping_s + PING_EVERY_S:
            self._token = (self._token + 1) & 0xFFFF
            self.say(Ping(self._token))
        self._flush()
        due = min(until_s, self.link.due_s())
        if self.alive and self.through is None:
            due = min(due, self._ping_s + PING_EVERY_S)
        now = self.rig.run_to(max(due, now))
        data = self.rig.read(CONTROLLER)
        if data:
            self._keep("<", data)
            if self.through is not None:
                self.through(data)
            else:
                for message in self._decoder.feed(data):
                    self._take(message, now)
        data = self.rig.read(STIMULUS)
        events = self.link.receive(data, now) if data else []
        for event in events + self.link.tick(now):
            match event:
                case Done(at_s, number):
                    self._done[number] = at_s
                case PulseSeen():
                    self.pulses.append(event)
                    self.pulses_lost += event.lost
                case LinesSeen():
                    self._lines = event
                case Refused(result=result):
                    raise RigFailed(f"the stimulus board refused a change of its lines: {result.name}")
                case Greeted():
                    pass
        self._flush()
        return now

    def settle(self, lasts_s: float) -> None:
        """Let time pass."""
        until_s = self.now_s + lasts_s
        while self.now_s < until_s:
            self.pump(until_s)

    def until(self, true: Callable[[], bool], limit_s: float) -> bool:
        """Let time pass until something is true; False when the limit came first."""
        end_s = self.now_s + limit_s
        while not true():
            if self.now_s >= end_s:
                return False
            self.pump(end_s)
        return True

    def forget(self) -> None:
        """Begin `messages` and `pulses` anew."""
        self.messages.clear()
        self.pulses.clear()

    # -- the controller

    def say(self, message: HostMessage) -> None:
        """Send one message now."""
        data = encode(message)
        self._keep(">", data)
        self._ping_s = self.now_s
        self.rig.write(CONTROLLER, data)

    def command(self, command: NumberedCommand, *, again: int | None = None) -> Result:
        """Send a command and wait for its answer. again: the id of one sent before. Raises CheckFailed."""
        if again is None:
            self._id = self._id % 0xFFFF + 1
        number = self._id if again is None else again
        seen = len(self.messages)
        self.say(replace(command, id=number))
        found = self._wait(
            Ack, lambda ack: ack.id == number, ANSWER_S, f"{type(command).__name__} was not answered", seen
        )
        return Result(found[1].result)

    @property
    def last_id(self) -> int:
        """The id of the last command."""
        return self._id

    def wait(self, kind: type[M], fits: Callable[[M], bool], limit_s: float, what: str) -> tuple[float, M]:
        """The first message of that kind, among those kept or to come, and when. Raises CheckFailed(`what`)."""
        return self._wait(kind, fits, limit_s, what, 0)

    def fault(self, code: FaultCode, limit_s: float) -> float:
        """Wait for a fault; when it came. Raises CheckFailed."""
        return self.wait(
            Fault, lambda each: each.code == code, limit_s, f"the fault {code.name} was not reported"
        )[0]

    def of(self, kind: type[M]) -> list[tuple[float, M]]:
        """All messages of a kind that were kept."""
        return [(at_s, each) for at_s, each in self.messages if isinstance(each, kind)]

    def greet(self) -> Hello:
        """Ask who it is. Raises CheckFailed."""
        seen = len(self.messages)
        self.say(GetHello(self.session))
        fits = lambda hello: hello.session == self.session  # noqa: E731
        self.hello = self._wait(Hello, fits, ANSWER_S, "the controller does not say who it is", seen)[1]
        return self.hello

    def picture(self) -> Picture:
        """Ask for all readings. Raises CheckFailed."""
        seen = len(self.messages)
        self.say(GetPicture())
        return self._wait(Picture, lambda each: True, ANSWER_S, "no picture came", seen)[1]

    def report(self) -> TiltReport:
        """Ask where the see-saw stands. Raises CheckFailed."""
        seen = len(self.messages)
        self.say(GetPicture())
        return self._wait(TiltReport, lambda each: True, ANSWER_S, "no tilt report came", seen)[1]

    # -- the stimulus

    def begin(self) -> Hello:
        """Greet the stimulus board and let all lines rest. Raises RigFailed."""
        self.link.opened(self.now_s)
        if not self.until(lambda: self.link.hello is not None, 3.0):
            raise RigFailed("the stimulus board does not answer: look at its port and its supply")
        hello = self.link.hello
        assert hello is not None
        if hello.product != PRODUCT:
            raise RigFailed(f"a {hello.product!r} answers where the stimulus board should be")
        self.settle(0.3)  # its clock is learned by pings
        self.release()
        return hello

    def release(self) -> None:
        """Let all lines rest. Raises RigFailed."""
        self.link.release(self.now_s)
        if not self.until(lambda: self.link.idle, 1.0):
            raise RigFailed("the stimulus board does not let its lines go")

    def set(self, changes: Mapping[int, int], at_s: float | None = None) -> float:
        """Change lines together; when they had changed, by the stimulus board's clock. Raises RigFailed."""
        ids = self.plan(changes, at_s)
        if not self.until(lambda: all(each in self._done for each in ids), 2.0):
            raise RigFailed("the stimulus board did not say that it changed its lines")
        return max(self._done.pop(each) for each in ids)

    def plan(self, changes: Mapping[int, int], at_s: float | None = None) -> list[int]:
        """Have lines change at a time (now: as soon as it can be told); ids for `done_s`."""
        at_s = self.now_s + SOON_S if at_s is None else at_s
        lines = list(changes.items())
        return [
            self.link.drive(at_s, dict(lines[first : first + LINES_A_FRAME]), self.now_s)
            for first in range(0, len(lines), LINES_A_FRAME)
        ]

    def lines(self) -> LinesSeen:
        """The levels that the stimulus board sees. Raises RigFailed."""
        self._lines = None
        self.link.ask_lines(self.now_s)
        if not self.until(lambda: self._lines is not None, 1.0):
            raise RigFailed("the stimulus board does not tell its lines")
        assert self._lines is not None
        return self._lines

    def reset(self) -> float:
        """Restart the controller by its reset line and wait for its hello; when it was let go. Raises CheckFailed."""
        self.set({StimulusLine.RESET: 1})
        self.forget()
        self._decoder.reset()
        let_go_s = self.set({StimulusLine.RESET: 0})
        self.wait(Hello, lambda hello: hello.session == 0, 4.0, "no hello came after a reset")
        self.alive = self.acknowledges = True
        return let_go_s

    # -- inside

    def _wait(
        self, kind: type[M], fits: Callable[[M], bool], limit_s: float, what: str, seen: int
    ) -> tuple[float, M]:
        end_s = self.now_s + limit_s
        while True:
            for at_s, message in self.messages[seen:]:
                if isinstance(message, kind) and fits(message):
                    return at_s, message
            if self.now_s >= end_s:
                raise CheckFailed(what)
            seen = len(self.messages)
            self.pump(end_s)

    def _take(self, message: BoardMessage, now_s: float) -> None:
        if isinstance(message, Pong):
            return
        self.messages.append((now_s, message))
        if isinstance(message, EdgeMsg) and self.acknowledges:
            self.say(AckEdges(message.number, message.boot))

    def _flush(self) -> None:
        data = self.link.take_bytes()
        if data:
            self.rig.write(STIMULUS, data)

    def _keep(self, way: str, data: bytes) -> None:
        self.raw.append(f"{self.now_s:12.6f} {way} {data.hex()}")
