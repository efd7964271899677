"""The emulated controller on a bench: levels, bytes and times in; frames, pulses and figures out. Virtual time only."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from heapq import heappop, heappush
from pathlib import Path

from balanxd.simulated.emulated import wires
from balanxd.simulated.emulator import CYCLES_PER_US, Do, Emulator, Event, Flags, HostLine, Saw
from firmware_bridge.codec import Decoder, encode
from firmware_bridge.messages import (
    BOARD_TO_HOST,
    Ack,
    AckEdges,
    BoardMessage,
    EdgeMsg,
    HostMessage,
    NumberedCommand,
    Picture,
    Ping,
    Result,
)

STEP_US = 1000


@dataclass
class Chip:
    """Board 0 with the controller's image; a host that pings and acknowledges, and notes all with the time in us."""

    program: Path
    image: Path
    inputs: int = 56
    flags: Flags = Flags.NONE
    pings: bool = True
    now_us: int = 0
    heard: list[tuple[float, BoardMessage]] = field(default_factory=list)
    pulses: list[tuple[float, float]] = field(default_factory=list)
    restarts: int = 0
    lost: int = 0
    boot: int = 0
    damaged: int = 0

    def __post_init__(self) -> None:
        self.emulator = Emulator(self.program)
        self.emulator.load(0, self.image, self.flags)
        for words in wires(self.inputs):
            self.emulator.wire(words)
        self._decoder = Decoder(BOARD_TO_HOST)
        self._events: list[tuple[int, int, Event]] = []
        self._count = 0
        self._line = HostLine(0)
        self._ping_us = 0
        self._id = 0

    def close(self) -> None:
        self.emulator.close()

    # -- in

    def at(self, at_us: int, kind: Do, a: int, b: int = 0) -> None:
        self._plan(Event(at_us, 0, kind, a, b))

    def _plan(self, event: Event) -> None:
        self._count += 1
        heappush(self._events, (event.at_us, self._count, event))

    def input(self, index: int, level: int, at_us: int | None = None) -> None:
        self.at(self.now_us if at_us is None else at_us, Do.INPUT, index, level)

    def write(self, data: bytes) -> None:
        """One byte each 40 us, behind those before."""
        for event in self._line.send(data, self.now_us):
            self._plan(event)

    @property
    def line_free_us(self) -> int:
        """When the host's bytes so far will have come."""
        return self._line.free_us(self.now_us)

    def send(self, message: HostMessage) -> None:
        self.write(encode(message))

    def next_id(self) -> int:
        self._id += 1
        return self._id

    # -- time

    def run(self, lasts_ms: float, each_ms: Callable[[], None] = lambda: None) -> None:
        end_us = self.now_us + round(lasts_ms * 1000)
        while self.now_us < end_us:
            each_ms()
            if self.pings and self.now_us >= self._ping_us:
                self._ping_us = self.now_us + 250_000
                self.send(Ping(7))
            self._step(min(self.now_us + STEP_US, end_us))

    def _step(self, until_us: int) -> None:
        due = []
        while self._events and self._events[0][0] <= until_us:
            due.append(heappop(self._events)[2])
        ran = self.emulator.run(until_us, due)
        self.now_us = until_us
        for record in ran.records:
            at_us = record.cycle / CYCLES_PER_US
            if record.kind == Saw.TX:
                for message in self._decoder.feed(bytes([record.a])):
                    self._hear(at_us, message)
            elif record.kind == Saw.PULSE:
                self.pulses.append((at_us, record.value / CYCLES_PER_US))
            elif record.kind == Saw.RESTARTED:
                self.restarts += 1
            elif record.kind == Saw.RX_LOST:
                self.lost += 1
            assert record.kind != Saw.CRASHED
        counters = self._decoder.counters
        self.damaged = counters.bad_crc + counters.too_long

    def _hear(self, at_us: float, message: BoardMessage) -> None:
        self.heard.append((at_us, message))
        if isinstance(message, EdgeMsg | Picture):
            self.boot = message.boot
            self.send(AckEdges(message.number, message.boot))

    # -- out

    def told(self, kind: type[BoardMessage]) -> list[tuple[float, BoardMessage]]:
        return [(at_us, message) for at_us, message in self.heard if isinstance(message, kind)]

    def order(self, command: NumberedCommand) -> Result:
        """Sends a numbered command; its answer, which must come within 50 ms."""
        self.send(command)
        self.run(50)
        results = [
            message.result
            for _, message in self.heard
            if isinstance(message, Ack) and message.id == command.id
        ]
        assert results, f"no answer to {command}"
        return Result(results[-1])

    def widths(self, since_us: float) -> set[float]:
        return {width for at_us, width in self.pulses if at_us >= since_us}


def bytes_of(messages: Iterable[HostMessage]) -> bytes:
    return b"".join(encode(message) for message in messages)
