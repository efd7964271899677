"""A simulated table whose sensors are the stimulus board's lines and whose servo is the controller's.

What marbles do to a sensor goes to the line under that space, late by a fixed time, at which the stimulus board sets
it by its own clock; what the servo is told comes back as pulses that the stimulus board has seen. The controller under
test speaks to the daemon as on a table with marbles.
"""

from __future__ import annotations

from itertools import groupby
from math import inf
from operator import itemgetter
from typing import Any

from firmware_bridge.messages import ResetCause
from firmware_bridge.stimulus import StimulusLine
from sim.agenda import Agenda
from sim.drive import Drive
from sim.inputs import Lines
from sim.model import Model
from sim.outside import AnyController, ControllerMaker, Levels
from sim.pulsed import PulsedServo

from .bench import Bench

LATE_S = {True: 0.012, False: 0.06}
CHUNK_S = 0.004  # changes are told after so long at most: well before their time
ENDS = (StimulusLine.END_SEAT0, StimulusLine.END_SEAT1)
_at = itemgetter(0)


class HilController:
    """See sim.outside.AnyController: the controller on the bench. The table's time is the rig's."""

    own_time = True

    def __init__(self, bench: Bench, agenda: Agenda, model: Model, lines: Lines, drive: Drive) -> None:
        self.faults: Any = None  # set by the table
        self.boot = 0
        self.kept = ""
        self._bench = bench
        self._agenda = agenda
        self._drive = drive
        self._late_s = LATE_S[bench.rig.virtual]
        self._came = bytearray()
        self._lights = bytes(len(lines.all))
        self._changes: list[tuple[float, int, int]] = []
        self._levels = Levels(agenda, lines, lambda index, level, at_s: self._change(at_s, index, level))
        self._servo = PulsedServo(
            agenda, model, drive, lambda: self.faults.weak_supply, lambda: self.reset(ResetCause.BROWN_OUT)
        )
        bench.through = self._came.extend
        bench.pulses.clear()
        self.ends_changed()

    @property
    def lights(self) -> bytes:
        """Not seen from here: dark."""
        return self._lights

    def run_to(self, until_s: float) -> float:
        """See AnyController."""
        bench = self._bench
        for each in self._levels.ahead(self._agenda.now_s):
            self._change(*each)
        self._levels.passed(self._agenda.now_s)
        self._tell()
        now_s = bench.pump(min(until_s, self._agenda.now_s + CHUNK_S))
        for pulse in bench.pulses:
            self._servo.pulse(pulse.start_s + pulse.width_us * 1e-6, pulse.width_us)
        bench.pulses.clear()
        return min(until_s, now_s)

    def next_s(self) -> float:
        """See AnyController."""
        return self._agenda.now_s if self._came else inf

    def write(self, data: bytes) -> None:
        """See AnyController."""
        data = self.faults.line_to_board(data)
        if data:
            self._bench.write(data)

    def read(self) -> bytes:
        """See AnyController."""
        data = self.faults.line_to_host(bytes(self._came)) if self._came else b""
        self._came.clear()
        return data

    def opened(self) -> None:
        """See AnyController: a rig resets by its own line."""

    def reset(self, cause: ResetCause) -> None:
        """See AnyController: by the reset line, or the power switch where the cause is the supply."""
        supply = cause in (ResetCause.BROWN_OUT, ResetCause.POWER_ON)
        line = StimulusLine.POWER if supply else StimulusLine.RESET
        at_s = self._agenda.now_s + self._late_s
        self._bench.plan({line: 0 if supply else 1}, at_s)
        self._bench.plan({line: 1 if supply else 0}, at_s + 0.002)

    def ends_changed(self) -> None:
        """See AnyController."""
        sensed = self._drive.sensed
        for bit, line in enumerate(ENDS):
            self._change(self._agenda.now_s, line, sensed >> bit & 1)

    def close(self) -> None:
        """See AnyController: the bench belongs to somebody else."""
        self._bench.through = None

    def _change(self, at_s: float, line: int, level: int) -> None:
        self._changes.append((at_s, line, level))

    def _tell(self) -> None:
        """Changes of one time go in one command."""
        changes, self._changes = sorted(self._changes, key=_at), []
        for at_s, together in groupby(changes, key=_at):
            self._bench.plan({line: level for _, line, level in together}, at_s + self._late_s)


def on_bench(bench: Bench) -> ControllerMaker:
    """What makes a table's controller of the one on a bench."""

    def make(agenda: Agenda, model: Model, lines: Lines, drive: Drive) -> AnyController:
        return HilController(bench, agenda, model, lines, drive)

    return make
