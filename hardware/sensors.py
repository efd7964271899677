"""Sensors: the interface that every sensor back end has, and the one for inputs that this computer reads itself.

Levels of pins in; link events out, the same as the controller's, so that nothing above notices the difference.

What every back end promises (tests/hardware holds all of them to it by name):

* `LinkUp` and the first whole picture come in one batch, and only after `opened`; no edge comes before them.
* A change is told once, by `EdgeSeen`, after n equal samples in a row; what is shorter is not told at all, and when
  everything is quiet the last reading told is the one that is there.
* A picture follows 20 ms after the last accepted edge, and at least once a second; it never contradicts the edges.
* A picture names the worst flickering inputs.
* Inputs that cannot be read are `FaultSeen` (CHAIN_BROKEN) or `LinkLost` with a reason for people, never a made-up
  reading. When they can be read again, it begins anew with `LinkUp`, by itself.
* Time is an argument and nothing happens between the calls.
"""

from __future__ import annotations

from typing import Protocol

from firmware_bridge.codec import Counters
from firmware_bridge.link import EdgeSeen, FaultSeen, LinkEvent, LinkLost, LinkUp, PictureSeen, TiltSeen
from firmware_bridge.messages import FaultCode, Feature, Hello, ResetCause

from .debounce import Debounce
from .errors import HardwareError

INF = float("inf")
PICTURE_AFTER_S = 0.020  # after the last accepted edge
PICTURE_EVERY_S = 1.0
WORST = 6  # flickering inputs that a picture names
BAD_SCANS = 3  # in a row: one that was disturbed is no broken chain
AGAIN_S = 1.0  # pause before inputs that could not be read are tried again
END_SAMPLES = 3


class Unreadable(HardwareError):
    """Inputs cannot be read now. The message says what and what to look at."""


class Sensors(Protocol):
    """What the pipeline needs of a board: `firmware_bridge.link.Link`, or `LocalSensors`. Host seconds."""

    def opened(self, now_s: float) -> None:
        """The port, or the pins, are open."""

    def closed(self, now_s: float, why: str) -> list[LinkEvent]:
        """They are gone."""

    def receive(self, data: bytes, now_s: float) -> list[LinkEvent]:
        """Bytes came from the board (none where there is no port)."""

    def tick(self, now_s: float) -> list[LinkEvent]:
        """Whatever falls due."""

    def take_bytes(self) -> bytes:
        """Bytes for the board."""

    def due_s(self) -> float:
        """When `tick` wants to be called (inf: never)."""

    @property
    def counters(self) -> Counters | None:
        """What was damaged on the way; None where there is no wire."""


class Reader(Protocol):
    """Reads levels of pins."""

    def read(self) -> int:
        """All inputs now, bit i being input i: 1 where a marble (or an end position) is. Raises Unreadable."""


class LocalSensors:
    """See Sensors. Reads presence sensors through a Reader, `scan_hz` times a second, and debounces them here."""

    def __init__(
        self,
        reader: Reader,
        *,
        inputs: int,
        scan_hz: float = 100.0,
        samples: int = 5,
        ends: Reader | None = None,
        product: str = "pins of this computer",
        board_kind: str = "",
    ) -> None:
        """inputs: how many there are. ends: end positions that are read beside them (bit = messages.Sensed)."""
        self._reader = reader
        self._inputs = inputs
        self._period_s = 1.0 / scan_hz
        self._samples = samples
        self._ends = ends
        self._hello = Hello(
            major=1, minor=0, build_id=0, cells=inputs, bits=1, reader_hz=round(scan_hz),
            reset_cause=int(ResetCause.UNKNOWN), boot=0, session=0,
            features=int(Feature.END_INPUTS) if ends else 0,
            firmware=(0, 0, 0), product=product, board_kind=board_kind, unique_id=b"",
        )  # fmt: skip
        self._next_s = INF  # next scan; inf while closed
        self._debounce: Debounce | None = None
        self._ends_debounce: Debounce | None = None
        self._clean = 0  # scans since the first one, until the picture is believed
        self._up = False
        self._bad = 0  # scans in a row that could not be read
        self._picture_s = INF

    @property
    def counters(self) -> Counters | None:
        """See Sensors. No wire."""
        return None

    def opened(self, now_s: float) -> None:
        """See Sensors. Scanning begins."""
        self._bad = 0
        self._begin(now_s)

    def _begin(self, now_s: float) -> None:
        self._next_s = now_s
        self._debounce = self._ends_debounce = None
        self._clean = 0
        self._up = False
        self._picture_s = INF

    def closed(self, now_s: float, why: str) -> list[LinkEvent]:
        """See Sensors. Nothing is read any more."""
        up = self._up
        self._begin(INF)
        return [LinkLost(now_s, why)] if up else []

    def receive(self, data: bytes, now_s: float) -> list[LinkEvent]:
        """See Sensors. There is no port; nothing is taken."""
        return []

    def take_bytes(self) -> bytes:
        """See Sensors. None."""
        return b""

    def tick(self, now_s: float) -> list[LinkEvent]:
        """See Sensors. Scans where a scan is due; scans that were missed are not made up for."""
        if now_s < self._next_s:
            return []
        self._next_s += self._period_s
        if self._next_s <= now_s:
            self._next_s = now_s + self._period_s
        return self.scan(now_s)

    def due_s(self) -> float:
        """See Sensors."""
        return self._next_s

    def scan(self, now_s: float) -> list[LinkEvent]:
        """Sample all inputs once and say what came of it."""
        try:
            levels = self._reader.read()
            ends = 0 if self._ends is None else self._ends.read()
        except Unreadable as error:
            return self._unreadable(now_s, str(error))
        self._bad = 0
        if self._debounce is None:
            self._debounce = Debounce(self._samples, levels)
            self._ends_debounce = Debounce(END_SAMPLES, ends)
        events: list[LinkEvent] = []
        changed = self._debounce.take(levels)
        if self._up:
            events += [EdgeSeen(now_s, number, self._debounce.accepted >> number & 1) for number in changed]
            if changed:
                self._picture_s = now_s + PICTURE_AFTER_S
        else:
            self._clean += 1
            if self._clean > self._samples:
                self._up = True
                events += [LinkUp(now_s, self._hello), self._picture(now_s, lost=True)]
                if self._ends is not None:
                    events.append(self._end_seen(now_s))
        assert self._ends_debounce is not None
        if self._ends_debounce.take(ends) and self._up:
            events.append(self._end_seen(now_s))
            if self._ends_debounce.accepted == 3:
                events.append(FaultSeen(now_s, int(FaultCode.BOTH_ENDS), 0))
        if now_s >= self._picture_s:
            events.append(self._picture(now_s, lost=False))
        return events

    def _picture(self, now_s: float, *, lost: bool) -> PictureSeen:
        assert self._debounce is not None
        self._picture_s = now_s + PICTURE_EVERY_S
        levels = self._debounce.accepted
        readings = bytes(levels >> number & 1 for number in range(self._inputs))
        return PictureSeen(now_s, readings, lost, self._debounce.flicker(WORST))

    def _end_seen(self, now_s: float) -> TiltSeen:
        assert self._ends_debounce is not None
        return TiltSeen(now_s, 0, self._ends_debounce.accepted, False, False, 0)

    def _unreadable(self, now_s: float, why: str) -> list[LinkEvent]:
        self._bad += 1
        if self._bad < BAD_SCANS:
            return []
        told: list[LinkEvent] = []
        if self._up or self._bad == BAD_SCANS:
            told.append(FaultSeen(now_s, int(FaultCode.CHAIN_BROKEN), 0))
        if self._up:
            told.append(LinkLost(now_s, why))
        self._begin(now_s + AGAIN_S)
        return told
