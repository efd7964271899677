"""The simulator's controller (sim/controller.py) as a board for a test, with inputs and a drive of its own."""

from __future__ import annotations

from random import Random
from types import MappingProxyType

from firmware_bridge.messages import Feature, ResetCause
from sim.agenda import Agenda
from sim.breaking import FaultHook
from sim.controller import Controller
from sim.drive import Drive
from sim.inputs import Lines
from sim.model import BoardModel, Model, NoiseModel, SensorModel, TiltModel

from .board import ALL, STEP_S, Board, Fit, Need, NotHere

BETWEEN_SAMPLES_S = 0.00048
BUILD_ID = 0xC0FFEE11


class SimBoard(Board):
    """Time goes in steps of 1 ms that lie between two samples, so that it is clear which sample sees a change."""

    missing = MappingProxyType({Need.WIDTHS: "the simulator's controller makes no pulses"})

    def __init__(self, fit: Fit) -> None:
        """Raises NotHere."""
        super().__init__(fit, ALL)
        if fit.reader_every_ms != 1:
            raise NotHere("the simulator's controller scans at 1 kHz")
        if fit.bits not in (1, 2):
            raise NotHere("the simulator's controller has sensors of 1 or 2 bits")
        if not self.features & Feature.MARGINS:
            raise NotHere("the simulator's controller always has margins")
        model = Model(
            noise=NoiseModel(bounce=False, margins=False, spikes_per_s=0.0),
            sensor=SensorModel(kind="colour" if fit.bits == 2 else "presence"),
            tilt=TiltModel(
                kind="servo" if self.features & Feature.SERVO else "none",
                end_inputs=bool(self.features & Feature.END_INPUTS),
            ),
            board=BoardModel(board_kind="classic", boot_s=self.boot_s, build_id=BUILD_ID),
        )
        self._agenda = agenda = Agenda(0.0)
        self._lines = lines = Lines(fit.cells, (), model.noise, Random(1), False)
        self._drive = drive = Drive(agenda, model)
        self.controller = controller = Controller(
            agenda, model, lines, drive, lambda cell: (cell, 500), "classic", Random(2)
        )
        controller.faults = FaultHook(
            agenda,
            lines,
            3,
            Random(3),
            controller.reset,
            drive.faults,
            tuple(str(cell) for cell in range(fit.cells)),
        )
        drive.ends_changed = controller.ends_changed
        controller.watch.chain(fit.chain_end)
        self._readings = [0] * fit.cells
        self._dead_from = fit.cells
        self.zero_s = self.boot_s
        self._pass(BETWEEN_SAMPLES_S)

    def _pass(self, lasts_s: float) -> None:
        self.now_s += lasts_s
        self._agenda.run(self.now_s)

    def write(self, data: bytes) -> None:
        """See Board."""
        self.controller.write(data)

    def _live(self, until_s: float) -> bytes:
        self._pass(STEP_S)
        return self.controller.read()

    def input(self, cell: int, reading: int) -> None:
        """See Board."""
        self._readings[cell] = reading
        if cell < self._dead_from:
            self._lines.plan(cell, self.now_s, reading, [])

    def reset(self, cause: ResetCause) -> None:
        """See Board."""
        # a restart lies where a sample lay, so that the new life's samples lie there too
        self._pass(STEP_S - BETWEEN_SAMPLES_S)
        self.controller.reset(cause)
        self.zero_s = self.now_s + self.boot_s
        self._pass(BETWEEN_SAMPLES_S)

    def turn(self, angle_deg: float) -> None:
        """See Board."""
        self._drive.set_angle(angle_deg)

    def both_ends(self) -> None:
        """See Board."""
        self._drive.faults.always = 3
        self._drive.faults.changed()

    def kill_servo(self) -> None:
        """See Board."""
        self._drive.dead = True
        self._drive.brake()

    @property
    def angle_deg(self) -> float:
        """See Board."""
        return self._drive.angle_deg

    @property
    def pulses(self) -> bool:
        """See Board."""
        return self.controller.servo.signal

    def light(self, cell: int) -> int:
        """See Board."""
        return self.controller.lights[cell]

    def stored(self, address: int) -> int:
        """See Board."""
        return self.controller.settings.stored[address]

    def spoil(self, address: int, byte: int) -> None:
        """See Board."""
        self.controller.settings.stored[address] = byte

    def supply(self, supply_mv: int) -> None:
        """See Board."""
        self.controller.watch.supply(supply_mv)

    def chain(self, dead_from: int | None) -> None:
        """See Board."""
        self._dead_from = self.cells if dead_from is None else dead_from
        for cell, reading in enumerate(self._readings):
            self._lines.plan(cell, self.now_s, reading if cell < self._dead_from else 0, [])
        self.controller.watch.chain(dead_from is None)

    def feedback(self, fresh: bool) -> None:
        """See Board."""
        self.controller.servo.feedback(fresh)
