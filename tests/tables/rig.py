"""A table with a host that listens: what the simulator's tests drive."""

from dataclasses import replace

from firmware_bridge.codec import Decoder, encode
from firmware_bridge.messages import (
    BOARD_TO_HOST,
    Ack,
    AckEdges,
    BoardMessage,
    EdgeMsg,
    EnableTilt,
    GetHello,
    HostMessage,
    NumberedCommand,
    Picture,
    Ping,
    TiltTo,
)
from rules.balanx.layout import Layout, layout_named
from sim.model import HandModel, Model, NoiseModel
from sim.table import Table

CLASSIC = layout_named("classic")
CALM = Model(
    noise=NoiseModel(bounce=False, spikes_per_s=0.0),
    hand=HandModel(flicker=False),
)
"""No bounce, no spikes, no flicker."""


def corner_start(layout: Layout = CLASSIC) -> dict[int, int]:
    """The marbles as a game starts."""
    return {cell: seat for seat in (0, 1) for cell in layout.starts[seat]}


def cell(name: str) -> int:
    found = CLASSIC.cell(name)
    assert found is not None
    return found


class Rig:
    """Drives a table event by event; keeps (time, message) of all that arrives; pings and acks unless told."""

    def __init__(self, *, seed: int = 1, model: Model = CALM, marbles: dict[int, int] | None = None) -> None:
        self.table = Table(CLASSIC, seed=seed, model=model)
        self.table.place(corner_start() if marbles is None else marbles)
        self.decoder = Decoder(BOARD_TO_HOST)
        self.heard: list[tuple[float, BoardMessage]] = []
        self.pings = True
        self.acks = True
        self._ping_s = 0.0
        self._id = 0

    def run(self, lasts_s: float) -> None:
        table = self.table
        until = table.now_s + lasts_s
        while True:
            table.advance(min(table.next_s(), until, self._ping_s if self.pings else until))
            self.listen()
            if self.pings and table.now_s >= self._ping_s:
                self.send(Ping(7))
                self._ping_s = table.now_s + 0.25
            if table.now_s >= until:
                return

    def listen(self) -> None:
        for message in self.decoder.feed(self.table.read()):
            self.heard.append((self.table.now_s, message))
            if self.acks and isinstance(message, EdgeMsg):
                self.send(AckEdges(message.number, message.boot))
            if self.acks and isinstance(message, Picture) and message.overflow:
                self.send(AckEdges(message.number, message.boot))

    def send(self, message: HostMessage) -> None:
        self.table.write(encode(message))

    def order(self, command: NumberedCommand) -> int:
        """Sends a numbered command, answers its result."""
        self._id += 1
        self.send(replace(command, id=self._id))
        self.run(0.01)
        results = [m.result for _, m in self.heard if isinstance(m, Ack) and m.id == self._id]
        assert results, f"no answer to {command}"
        return results[-1]

    def up(self, *, tilted: int | None = 0) -> None:
        """Boots, greets, enables the servo, tilts to a seat."""
        self.run(1.2)
        self.send(GetHello(77))
        self.run(0.05)
        if tilted is not None:
            assert self.order(EnableTilt(0)) == 0
            self.tilt(tilted)

    def tilt(self, seat: int) -> None:
        assert self.order(TiltTo(800 if seat == 0 else -800, 600)) == 0
        self.run(1.3)

    def of(self, kind: type[BoardMessage], since_s: float = 0.0) -> list[BoardMessage]:
        return [message for at, message in self.heard if isinstance(message, kind) and at >= since_s]

    def edges(self, since_s: float = 0.0) -> list[tuple[int, int]]:
        """(cell, reading) of all edges in order, repeats left out."""
        seen: dict[tuple[int, int], EdgeMsg] = {}
        for at, message in self.heard:
            if isinstance(message, EdgeMsg) and at >= since_s:
                seen[message.boot, message.number] = message
        return [(edge.cell, edge.reading) for edge in seen.values()]

    def picture(self) -> bytes:
        """The readings of the last picture."""
        last = self.of(Picture)[-1]
        assert isinstance(last, Picture)
        return last.readings

    def wait_hand(self, after_s: float = 0.5) -> None:
        while self.table.hand.busy:
            self.run(0.02)
        self.run(after_s)
