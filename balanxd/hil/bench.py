"""A rig with its two boards spoken to: commands and line changes in, answers, edges and pulses out, waited for.

The stimulus board is the witness: times of changes and pulses are by its clock. Every wait has a limit in the rig's
time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import replace
from math import inf
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

from .outcomes import CheckFailed, Figure, RigFailed, Stopped
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
        self.figures: list[Figure] = []
        self.notes: list[str] = []
        self.raw: deque[str] = deque(maxlen=RAW_KEPT)
        self.through: Callable[[bytes], None] | None = None  # takes the controller's bytes instead
        self.hello: Hello | None = None
        self.stop_why = ""  # set: no more time passes
        self.reset_s = 0.0  # when the controller was let go last
        self._limit_s, self._limit_why = inf, ""
        self._decoder = Decoder(BOARD_TO_HOST)
        self._done: dict[int, float] = {}
        self._lines: LinesSeen | None = None
        self._ping_s = 0.0
        self._token = self._id = 0

    @property
    def now_s(self) -> float:
        """The rig's present."""
        return self.rig.now_s

    # -- a check

    def fresh(self, limit_s: float) -> None:
        """For a check that may take so long: controller reset, lines at rest, nothing kept. Raises as `reset`."""
        self.free()
        self._limit_s = self.now_s + limit_s
        self._limit_why = f"it was not over after {limit_s:g} s"
        self.figures.clear()
        self.notes.clear()
        self.release()
        self.reset()

    def free(self) -> None:
        """No check is under way: its limit is no more, and the controller's bytes are the bench's own."""
        self._limit_s = inf
        self.through = None

    def measure(
        self, name: str, value: float, unit: str, *, most: float | None = None, least: float | None = None
    ) -> None:
        """A figure of the check; one beyond its limits fails it, at its end."""
        self.figures.append(Figure(name, value, unit, most, least))

    # -- time

    def pump(self, until_s: float) -> float:
        """Let time pass until then, or until something has come; the present.

        Raises CheckFailed behind the check's limit, Stopped when somebody wants the run to end.
        """
        now = self.rig.now_s
        if self.stop_why:
            raise Stopped(self.stop_why)
        if now >= self._limit_s:
            raise CheckFailed(self._limit_why)
        due = min(until_s, self.link.due_s())
        if self.alive and self.through is None:
            if now >= self._ping_s + PING_EVERY_S:
                self._token = (self._token + 1) & 0xFFFF
                self.say(Ping(self._token))
            due = min(due, self._ping_s + PING_EVERY_S)
        self._flush()
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
                    if event.lost:
                        raise RigFailed(
                            f"the stimulus board did not tell {event.lost} pulses: look at its cable"
                        )
                    self.pulses.append(event)
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
        self._done.clear()

    # -- the controller

    def say(self, message: HostMessage) -> None:
        """Send one message now."""
        self._ping_s = self.now_s
        self.write(encode(message))

    def write(self, data: bytes) -> None:
        """Bytes for the controller, now."""
        self._keep(">", data)
        self.rig.write(CONTROLLER, data)

    def command(self, command: NumberedCommand, *, again: int | None = None) -> Result:
        """Send a command and wait for its answer. again: the id of one sent before. Raises CheckFailed."""
        if again is None:
            self._id = self._id % 0xFFFF + 1
        number = self._id if again is None else again
        said = f"{type(command).__name__} was not answered"
        return Result(self._ask(replace(command, id=number), Ack, said, lambda ack: ack.id == number).result)

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
        self.hello = self._ask(
            GetHello(self.session),
            Hello,
            "the controller does not say who it is",
            lambda hello: hello.session == self.session,
        )
        return self.hello

    def picture(self) -> Picture:
        """Ask for all readings. Raises CheckFailed."""
        return self._ask(GetPicture(), Picture, "no picture came", lambda each: True)

    # -- the stimulus

    def greet_stimulus(self) -> Hello:
        """Ask the stimulus board who it is and let all lines rest. Raises RigFailed."""
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
        return max(self._done[each] for each in ids)

    def plan(self, changes: Mapping[int, int], at_s: float | None = None) -> list[int]:
        """Have lines change at a time (now: as soon as it can be told); the drives' ids."""
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

    def reset(self) -> None:
        """Restart the controller by its reset line and wait for its hello. Raises CheckFailed, RigFailed."""
        self.set({StimulusLine.RESET: 1})
        self.forget()
        self._decoder.reset()
        self.reset_s = self.set({StimulusLine.RESET: 0})
        self.started()

    def started(self, what: str = "no hello came after a reset") -> None:
        """Wait for the hello of a controller that starts. Raises CheckFailed(`what`)."""
        self.wait(Hello, lambda hello: hello.session == 0, 4.0, what)
        self.alive = self.acknowledges = True

    # -- inside

    def _ask(self, question: HostMessage, kind: type[M], what: str, fits: Callable[[M], bool]) -> M:
        """The answer that came after the question."""
        seen = len(self.messages)
        self.say(question)
        return self._wait(kind, fits, ANSWER_S, what, seen)[1]

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
