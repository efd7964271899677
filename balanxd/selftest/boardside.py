"""The board as a script sees it: bytes and the time in; readings, ends, margins, what a drive says out. No I/O.

It speaks through the same link and drives as play, so it is the same for a controller, pins and the simulator.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field

from balanxd.config import BoardConfig
from balanxd.devices import Devices
from firmware_bridge.link import (
    Answered,
    EdgeSeen,
    FaultSeen,
    Incompatible,
    Link,
    LinkEvent,
    LinkLost,
    LinkUp,
    MarginsSeen,
    PictureSeen,
    TiltSeen,
)
from firmware_bridge.messages import Command, Hello
from hardware.mounting import AS_TOLD, MountedServo, Mounting
from hardware.sensors import Sensors, Unreadable
from hardware.tilt import Drive, TiltEvent, TiltLimits
from hardware.wire import WireBad, WireHealth

INF = float("inf")


@dataclass(frozen=True, slots=True)
class Edge:
    """An accepted change of one input, host seconds."""

    at_s: float
    input: int
    reading: int


@dataclass(slots=True)
class Seen:
    """What came since somebody began to look. hums: changes too short to be accepted, by input."""

    edges: list[Edge] = field(default_factory=list)
    hums: dict[int, int] = field(default_factory=dict)
    tilts: list[TiltSeen] = field(default_factory=list)
    drive: list[TiltEvent] = field(default_factory=list)
    faults: list[FaultSeen] = field(default_factory=list)


class BoardSide:
    """One board. All times are host seconds that never run backwards; inputs are numbers in the chain."""

    def __init__(self, board: BoardConfig, *, session: int, devices: Devices | None = None) -> None:
        """session: 1..65535, random."""
        self.board = board
        self.link = Link(session=session)
        self._devices = devices
        own = devices.sensors if devices is not None else None
        self.sensors: Sensors = self.link if own is None else own
        self.on_pins = own is not None
        self.now_s = 0.0
        self.up = False
        self.hello: Hello | None = None
        self.hellos: list[Hello] = []
        self.refused = ""  # why this cannot be a board of ours
        self.readings = b""  # in chain order
        self.changed_s = 0.0  # when a reading changed last
        self.tilt: TiltSeen | None = None
        self.margins: dict[int, tuple[int, int]] = {}
        self.answers: dict[int, int] = {}
        self.wire_bad: list[WireBad] = []
        self._buttons = frozenset(number for _, number in board.buttons.inputs)
        self.drive: Drive | None = None
        self.seen = Seen()
        self._wire = WireHealth()

    # -- what a runner needs

    def opened(self, now_s: float) -> None:
        """The port is open."""
        self.now_s = now_s
        self.sensors.opened(now_s)

    def receive(self, data: bytes, now_s: float) -> None:
        """Bytes came from the board."""
        self._take(self.sensors.receive(data, now_s), now_s)

    def tick(self, now_s: float) -> None:
        """Something falls due."""
        self._take(self.sensors.tick(now_s), now_s)

    def take_bytes(self) -> bytes:
        """Bytes for the board."""
        return self.sensors.take_bytes()

    def due_s(self) -> float:
        """When `tick` wants to be called next."""
        return min(self.sensors.due_s(), INF if self.drive is None else self.drive.due_s())

    # -- what a script does

    def occupied(self) -> frozenset[int]:
        """Inputs that read a marble now. A button is none."""
        return frozenset(number for number, reading in enumerate(self.readings) if reading) - self._buttons

    def look(self) -> Seen:
        """What was seen since the last call; begins anew."""
        seen, self.seen = self.seen, Seen()
        return seen

    def send(self, command: Command) -> int | None:
        """A command to the controller; its number in `answers` later. None where there is no controller, or no link."""
        if self.on_pins or not self.up:
            return None
        return self.link.send(command)

    def use_drive(self, limits: TiltLimits, *, end_inputs: bool) -> Drive | None:
        """A drive that is armed now, or None where no motor may move this board."""
        if self._devices is not None and self._devices.drive is not None:
            self.drive = self._devices.drive
        elif self.board.drive == "servo" and not self.on_pins:
            self.drive = self._servo(limits, self.board.mounting, end_inputs)
        else:
            return None
        self._arm()
        return self.drive

    def try_drive(self, limits: TiltLimits) -> Drive | None:
        """As `use_drive`, for a motor whose mounting nobody knows: sides are its own, end inputs are no arrival."""
        motor = self._devices.motor if self._devices is not None else None
        if motor is not None:
            self.drive = motor.trial(limits)
        elif self.board.drive == "servo" and not self.on_pins:
            self.drive = self._servo(limits, AS_TOLD, False)
        else:
            return None
        self._arm()
        return self.drive

    @property
    def has_ends(self) -> bool:
        """Whether end inputs tell of this board's motor."""
        motor = self._devices.motor if self._devices is not None else None
        return self.board.end_inputs if motor is None else motor.ends is not None

    def ends(self) -> int:
        """The end inputs now, as they are wired (bit = messages.Sensed); 0 where nobody can tell."""
        motor = self._devices.motor if self._devices is not None else None
        if motor is None:
            return self.tilt.sensed if self.has_ends and self.tilt is not None else 0
        with suppress(Unreadable):
            return 0 if motor.ends is None else motor.ends.read()
        return 0

    def _servo(self, limits: TiltLimits, mounting: Mounting, end_inputs: bool) -> Drive:
        return MountedServo(limits, self.link.send, end_inputs=end_inputs, mounting=mounting)

    def _arm(self) -> None:
        if self.up and self.drive is not None:
            if self.tilt is not None:
                self.drive.take(self.tilt)
            self.drive.arm(self.now_s)

    def let_go(self) -> None:
        """No motion any more."""
        if self.drive is not None:
            if self.up:
                self.drive.let_go(self.now_s)
            self.drive = None

    # -- inside

    def _take(self, events: list[LinkEvent], now_s: float) -> None:
        self.now_s = now_s
        for event in events:
            if self.drive is not None:
                self.seen.drive += self.drive.take(event)
            self._one(event)
        if self.drive is not None and self.up:
            self.seen.drive += self.drive.tick(now_s)
        if self.up:
            bad = self._wire.look(self.sensors.counters, now_s)
            if bad is not None:
                self.wire_bad.append(bad)

    def _one(self, event: LinkEvent) -> None:
        match event:
            case LinkUp(hello=hello):
                self.up, self.hello = True, hello
                self.hellos.append(hello)
                self._wire.begin(self.sensors.counters)
                self.changed_s = self.now_s
            case LinkLost():
                self.up = False
            case Incompatible(sentence=sentence):
                self.refused = sentence
            case EdgeSeen(at_s=at_s, cell=number, reading=reading):
                if number < len(self.readings):
                    changed = bytearray(self.readings)
                    changed[number] = reading
                    self.readings = bytes(changed)
                self.changed_s = self.now_s
                self.seen.edges.append(Edge(at_s, number, reading))
            case PictureSeen(readings=readings, flicker=flicker):
                if readings != self.readings:
                    self.readings, self.changed_s = readings, self.now_s
                for number, count in flicker:
                    self.seen.hums[number] = self.seen.hums.get(number, 0) + count
            case TiltSeen():
                self.tilt = event
                self.seen.tilts.append(event)
            case FaultSeen():
                self.seen.faults.append(event)
            case MarginsSeen(first=first, pairs=pairs):
                self.margins.update({first + index: pair for index, pair in enumerate(pairs)})
            case Answered(command_id=number, result=result):
                self.answers[number] = result
