"""One board for a test, twice: the Python controller of the simulator and the firmware's core built for this computer.

Both are driven alike: inputs, end of the see-saw and bytes from outside, time in steps of 1 ms that lie between two
samples, so that it is clear which sample sees a change.
"""

import ctypes
import subprocess
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
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
from sim.agenda import Agenda
from sim.controller import Controller
from sim.drive import Drive
from sim.faults import FaultHook
from sim.inputs import Lines
from sim.model import BoardModel, Model, NoiseModel, SensorModel, TiltModel

M = TypeVar("M")
FIRMWARE = Path(__file__).resolve().parents[2] / "firmware_bridge" / "firmware"
BOOT_S = 0.05
BYTE_S = 40e-6
BETWEEN_SAMPLES_S = 12 * BYTE_S
END_DEG = 7.3
ALL = Feature.SERVO | Feature.END_INPUTS | Feature.LIGHTS | Feature.MARGINS


@dataclass(frozen=True)
class Fit:
    """What a board is made of."""

    cells: int = 16
    bits: int = 1
    features: Feature = ALL
    reader_every_ms: int = 1


def make(target: str, folder: Path, *variables: str, source: Path = FIRMWARE) -> str:
    """Runs the firmware's Makefile into a folder of the test's own; what it says. Shows a failing compiler's words."""
    command = [
        "make",
        "--silent",
        "-C",
        str(source),
        f"OUT={folder}",
        "BUILD_ID=0xC0FFEE11",
        *variables,
        target,
    ]
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stdout + told.stderr
    return told.stdout


def load(folder: Path) -> ctypes.CDLL:
    """The shared library that `make host` has put there."""
    return ctypes.CDLL(str(folder / "libbalanx.so"))


class Bench(ABC):
    """A board with a host that listens; pings and acknowledges unless told otherwise."""

    def __init__(self, fit: Fit) -> None:
        self.fit = fit
        self.now_s = 0.0
        self.heard: list[tuple[float, BoardMessage]] = []
        self.pings = self.acks = True
        self.decoder = Decoder(BOARD_TO_HOST)
        self._ping_s = 0.0
        self._id = 0

    # -- what a target answers

    @abstractmethod
    def write(self, data: bytes) -> None:
        """Bytes from the host arrive now."""

    @abstractmethod
    def _step(self) -> bytes:
        """1 ms passes; the bytes that have left the board."""

    @abstractmethod
    def input(self, cell: int, reading: int) -> None:
        """An input shows this from now on."""

    @abstractmethod
    def reset(self, cause: ResetCause) -> None:
        """The controller restarts; it is up BOOT_S later."""

    @abstractmethod
    def turn(self, angle_deg: float) -> None:
        """Something else than the servo turns the board."""

    @abstractmethod
    def kill_servo(self) -> None:
        """The servo gets its pulses and does not move the board any more."""

    @property
    @abstractmethod
    def angle_deg(self) -> float:
        """Where the board stands."""

    @property
    @abstractmethod
    def pulses(self) -> bool:
        """Whether the servo gets a signal."""

    @abstractmethod
    def light(self, cell: int) -> int:
        """The palette index that a light was told."""

    # -- what a test does

    def run(self, lasts_s: float) -> None:
        for _ in range(round(lasts_s * 1000)):
            data = self._step()
            for message in self.decoder.feed(data):
                self.heard.append((self.now_s, message))
                if self.acks and isinstance(message, EdgeMsg | Picture):
                    self.send(AckEdges(message.number, message.boot))
            if self.pings and self.now_s >= self._ping_s:
                self._ping_s = self.now_s + 0.25
                self.send(Ping(7))

    def send(self, message: HostMessage) -> None:
        self.write(encode(message))

    def order(self, command: NumberedCommand) -> Result:
        """Sends a command with a fresh id, answers its result."""
        self._id += 1
        return self.order_as(self._id, command)

    def order_as(self, number: int, command: NumberedCommand) -> Result:
        before = len(self.heard)
        self.send(replace(command, id=number))
        self.run(0.012)
        results = [m.result for _, m in self.heard[before:] if isinstance(m, Ack) and m.id == number]
        assert len(results) == 1, f"{len(results)} answers to {command}"
        return Result(results[0])

    def up(self, *, enabled: bool = False) -> None:
        """Past the first second, greeted, and with the servo's signal if asked."""
        self.run(1.2)
        self.send(GetHello(77))
        self.run(0.02)
        assert self.of(Hello)[-1].session == 77
        if enabled:
            assert self.order(EnableTilt(0)) == Result.DONE
        self.heard.clear()

    def of(self, kind: type[M]) -> list[M]:
        return [message for _, message in self.heard if isinstance(message, kind)]

    def times(self, kind: type[M]) -> list[float]:
        return [at for at, message in self.heard if isinstance(message, kind)]


class PythonBoard(Bench):
    """sim/controller.py, with inputs and a drive of its own."""

    def __init__(self, fit: Fit) -> None:
        super().__init__(fit)
        servo = bool(fit.features & Feature.SERVO)
        model = Model(
            noise=NoiseModel(bounce=False, margins=False, spikes_per_s=0.0),
            sensor=SensorModel(kind="colour" if fit.bits == 2 else "presence"),
            tilt=TiltModel(
                kind="servo" if servo else "none", end_inputs=bool(fit.features & Feature.END_INPUTS)
            ),
            board=BoardModel(board_kind="classic", boot_s=BOOT_S, build_id=0xC0FFEE11),
        )
        self._agenda = agenda = Agenda(0.0)
        self._lines = Lines(fit.cells, (), model.noise, Random(1), False)
        self._drive = drive = Drive(agenda, model)
        self._controller = controller = Controller(
            agenda, model, self._lines, drive, lambda cell: (cell, 500), "classic", Random(2)
        )
        controller.faults = FaultHook(
            agenda, self._lines, 3, Random(3), controller.reset, lambda dead: None, lambda cell, motions: None
        )
        drive.ends_changed = controller.servo.ends_changed
        self._agenda.run(BETWEEN_SAMPLES_S)
        self.now_s = BETWEEN_SAMPLES_S

    def write(self, data: bytes) -> None:
        self._controller.write(data)

    def _step(self) -> bytes:
        self.now_s += 0.001
        self._agenda.run(self.now_s)
        return self._controller.read()

    def input(self, cell: int, reading: int) -> None:
        self._lines.plan(cell, self.now_s, reading, [])

    def reset(self, cause: ResetCause) -> None:
        # a restart lies where a sample lay, so that the new life's samples lie there too
        self.now_s += 0.001 - BETWEEN_SAMPLES_S
        self._agenda.run(self.now_s)
        self._controller.reset(cause)
        self.now_s += BETWEEN_SAMPLES_S
        self._agenda.run(self.now_s)

    def turn(self, angle_deg: float) -> None:
        self._drive.set_angle(angle_deg)

    def kill_servo(self) -> None:
        self._drive.dead = True
        self._drive.brake()

    @property
    def angle_deg(self) -> float:
        return self._drive.angle_deg

    @property
    def pulses(self) -> bool:
        return self._drive.held()

    def light(self, cell: int) -> int:
        return self._controller.lights[cell]


class HostBoard(Bench):
    """The firmware's core as a shared library, with a servo that follows its pulses at once."""

    def __init__(self, fit: Fit, library: ctypes.CDLL) -> None:
        super().__init__(fit)
        self.c = library
        self._room = ctypes.create_string_buffer(4096)
        self._angle_deg = 0.0
        self._dead = False
        library.host_fit(fit.cells, fit.bits, int(fit.features), fit.reader_every_ms)
        for cell in range(fit.cells):
            library.host_margin(cell, cell, 500)
        self._up_in_ms = round(BOOT_S * 1000)
        self._cause = ResetCause.POWER_ON
        self.now_s = BETWEEN_SAMPLES_S

    def write(self, data: bytes) -> None:
        if not self._up_in_ms:
            assert self.c.host_write(data, len(data)) == len(data)

    def _step(self) -> bytes:
        self.now_s += 0.001
        if self._up_in_ms:
            self._up_in_ms -= 1
            if not self._up_in_ms:
                self.c.host_reset(int(self._cause))
                self.c.host_run(12)
        else:
            self.c.host_run(25)
        if not self._dead and self._up_in_ms == 0:
            pulse_us = self.c.host_pulse_us()
            if pulse_us:
                self.turn((pulse_us - 1500) / 50)
        length = self.c.host_read(self._room, len(self._room))
        return self._room.raw[:length]

    def input(self, cell: int, reading: int) -> None:
        self.c.host_input(cell, reading)

    def reset(self, cause: ResetCause) -> None:
        self._cause = cause
        self._up_in_ms = round(BOOT_S * 1000)
        self.now_s += 0.001
        self.c.host_read(self._room, len(self._room))

    def turn(self, angle_deg: float) -> None:
        self._angle_deg = angle_deg
        self.c.host_ends(1 if angle_deg >= END_DEG else 2 if angle_deg <= -END_DEG else 0)

    def kill_servo(self) -> None:
        self._dead = True

    @property
    def angle_deg(self) -> float:
        return self._angle_deg

    @property
    def pulses(self) -> bool:
        return bool(self.c.host_pulse_us())

    def light(self, cell: int) -> int:
        return self.c.host_light(cell)
