"""One board for a test, whatever it is made of: bytes, inputs and a see-saw in; messages with their times out.

Times are the board's world's, in seconds from its start; `run` lets them pass. What a target cannot do raises NotHere
with the reason, which a run of the suite shows in its table: a target that lacks something is not red for it, and
nothing is skipped in silence.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from types import MappingProxyType
from typing import TypeVar

from firmware_bridge.codec import Decoder, encode
from firmware_bridge.messages import (
    BOARD_TO_HOST,
    Ack,
    AckEdges,
    BoardMessage,
    EdgeMsg,
    EnableTilt,
    Feature,
    GetHello,
    Hello,
    HostMessage,
    NumberedCommand,
    Picture,
    Ping,
    ResetCause,
    Result,
)

M = TypeVar("M")
SESSION = 77
CELLS = 56
END_DEG = 7.3
ALL = Feature.SERVO | Feature.END_INPUTS | Feature.LIGHTS | Feature.MARGINS
STEP_S = 0.001


class NotHere(Exception):
    """The target lacks what a behaviour needs; the text says what."""


class Need(Enum):
    """What a behaviour needs beside the line."""

    INPUTS = "inputs that a test drives"
    SEESAW = "a see-saw that a test turns"
    MOTION = "leave to move the see-saw"
    FAULTY_SERVO = "a servo that can be made to fail"
    PULSES = "an eye on the servo's pulses"
    WIDTHS = "pulses of a measured width"
    LIGHTS = "an eye on the lights"
    RESETS = "resets of a chosen cause"
    STORE = "leave to overwrite the stored settings"
    STORED = "a hand on the stored bytes"
    SUPPLY = "a supply that a test sets"
    CHAIN = "a chain that a test breaks"
    FEEDBACK = "end inputs that can go stale"


@dataclass(frozen=True, slots=True)
class Fit:
    """What a board is made of. features: beside the chain's end, which each target may have."""

    cells: int = CELLS
    bits: int = 1
    features: Feature | None = None
    reader_every_ms: int = 1
    chain_end: bool = True  # the chain's far end is wired back


class Board(ABC):
    """A board with a host that listens; pings and acknowledges unless told otherwise.

    slack_s: how far the world's time may be off the board's. boot_s: from a start to the first word. zero_s: when the
    board's clock began.
    """

    missing: Mapping[Need, str] = MappingProxyType({})
    """What this kind of target cannot do, and why."""
    slack_s = 0.0
    boot_s = 0.05

    def __init__(self, fit: Fit, features: Feature) -> None:
        """features: those of a board of this kind when a fit asks for none."""
        self.fit = fit
        self.features = features if fit.features is None else fit.features
        self.now_s = 0.0
        self.zero_s = 0.0
        self.heard: list[tuple[float, BoardMessage]] = []
        self.pings = self.acks = True
        self._decoder = Decoder(BOARD_TO_HOST)
        self._ping_s = 0.0
        self._id = 0

    # -- what a target answers

    @abstractmethod
    def write(self, data: bytes) -> None:
        """Bytes from the host arrive now."""

    @abstractmethod
    def _live(self, until_s: float) -> bytes:
        """Lives on, at most to a time and at least a little; sets `now_s`; the bytes that have left by then."""

    def close(self) -> None:  # noqa: B027 (most targets hold nothing)
        """Gives back what the target holds."""

    def input(self, cell: int, reading: int) -> None:
        """An input shows this from now on."""
        raise self.lacks(Need.INPUTS)

    def reset(self, cause: ResetCause) -> None:
        """The controller restarts; it says its first word `boot_s` later."""
        raise self.lacks(Need.RESETS)

    def turn(self, angle_deg: float) -> None:
        """Something else than the servo turns the board."""
        raise self.lacks(Need.SEESAW)

    def both_ends(self) -> None:
        """Both end inputs are closed from now on."""
        raise self.lacks(Need.SEESAW)

    def kill_servo(self) -> None:
        """The servo gets its pulses and does not move the board any more."""
        raise self.lacks(Need.FAULTY_SERVO)

    @property
    def angle_deg(self) -> float:
        """Where the board stands."""
        raise self.lacks(Need.SEESAW)

    @property
    def pulses(self) -> bool:
        """Whether the servo gets a signal."""
        raise self.lacks(Need.PULSES)

    @property
    def widths_us(self) -> list[float]:
        """Widths of the pulses so far, in order."""
        raise self.lacks(Need.WIDTHS)

    def light(self, cell: int) -> int:
        """The palette index that a light shows."""
        raise self.lacks(Need.LIGHTS)

    def stored(self, address: int) -> int:
        """A stored byte."""
        raise self.lacks(Need.STORED)

    def spoil(self, address: int, byte: int) -> None:
        """A stored byte is this from now on."""
        raise self.lacks(Need.STORED)

    def supply(self, supply_mv: int) -> None:
        """The supply is this from now on."""
        raise self.lacks(Need.SUPPLY)

    def chain(self, dead_from: int | None) -> None:
        """The chain's data wire breaks before an input, or is whole again."""
        raise self.lacks(Need.CHAIN)

    def feedback(self, fresh: bool) -> None:
        """The end inputs tell something fresh from now on, or nothing any more."""
        raise self.lacks(Need.FEEDBACK)

    # -- what a test does

    @property
    def cells(self) -> int:
        """Inputs of the chain."""
        return self.fit.cells

    def lacks(self, need: Need) -> NotHere:
        """Why something cannot be done here."""
        return NotHere(self.missing.get(need, f"there is no {need.value}"))

    def run(self, lasts_s: float) -> None:
        """So much time passes."""
        until_s = self.now_s + lasts_s
        while self.now_s < until_s - STEP_S / 2:
            data = self._live(min(until_s, max(self._ping_s, self.now_s + STEP_S)) if self.pings else until_s)
            for message in self._decoder.feed(data):
                self.heard.append((self.now_s, message))
                if self.acks and isinstance(message, EdgeMsg | Picture):
                    self.send(AckEdges(message.number, message.boot))
            if self.pings and self.now_s >= self._ping_s:
                self._ping_s = self.now_s + 0.25
                self.send(Ping(7))

    def soon(self) -> None:
        """So much time passes that an answer must have come."""
        self.run(0.02 + 2 * self.slack_s)

    def send(self, message: HostMessage) -> None:
        """Sends a message as it is."""
        self.write(encode(message))

    def order(self, command: NumberedCommand, *, within_s: float = 0.012) -> Result:
        """Sends a command with a fresh id, answers its result."""
        self._id += 1
        return self.order_as(self._id, command, within_s=within_s)

    def order_as(self, number: int, command: NumberedCommand, *, within_s: float = 0.012) -> Result:
        """Sends a command with an id of one's own, answers its result."""
        before = len(self.heard)
        self.send(replace(command, id=number))
        self.run(within_s + self.slack_s)
        results = [m.result for _, m in self.heard[before:] if isinstance(m, Ack) and m.id == number]
        assert len(results) == 1, f"{len(results)} answers to {command}"
        return Result(results[0])

    def greet(self, session: int = SESSION) -> Hello:
        """Started and asked for its hello."""
        self.run(self.boot_s + 0.02)
        self.send(GetHello(session))
        self.run(0.02 + self.slack_s)
        hello = self.of(Hello)[-1]
        assert hello.session == session
        return hello

    def up(self, *, enabled: bool = False) -> None:
        """Past the first second, greeted, with the servo's signal if asked; what was heard before is forgotten."""
        self.run(1.2)
        self.greet()
        if enabled:
            if Need.MOTION in self.missing:
                raise self.lacks(Need.MOTION)
            assert self.order(EnableTilt(0)) == Result.DONE
        self.heard.clear()

    def of(self, kind: type[M]) -> list[M]:
        """All messages of a kind, in order."""
        return [message for _, message in self.heard if isinstance(message, kind)]

    def times(self, kind: type[M]) -> list[float]:
        """When they came."""
        return [at for at, message in self.heard if isinstance(message, kind)]

    def near(self, value: float, expected: float, within: float) -> bool:
        """Whether a time in seconds is right, with this target's slack."""
        return abs(value - expected) <= within + self.slack_s
