"""Devices: a board's back ends in; open pins, buses and motors out. Where something is missing, one line says the mend.

A simulated board gets mock pins and a fake bus from its composition root; a real one never does.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from hardware.buttons import PinButtons
from hardware.errors import HardwareError
from hardware.gpio import (
    ButtonPins,
    BuzzerPin,
    ChainPins,
    InputPins,
    Pins,
    RenewPin,
    ServoPin,
    open_lgpio,
    open_rpigpio,
)
from hardware.motor import MotorDrive, Mover
from hardware.motorkit import DcMover, ExpanderPins, StepperMover, open_bus, open_kit
from hardware.mounting import AS_TOLD, MountedEnds, Mounting, TurnedMover
from hardware.sensors import LocalSensors, Reader
from hardware.tilt import TiltLimits
from hardware.trial import TrialDrive

from .backends import Chain, DcMotor, GpioServo, Reeds, Stepper
from .config import BoardConfig
from .errors import BalanxError

OPENERS: dict[str, Callable[[], Pins]] = {"lgpio": open_lgpio, "rpigpio": open_rpigpio}


class NoPort:
    """See firmware_bridge.transport.Transport. A board on pins has no port: nothing comes, nothing goes."""

    port = "pins of this computer"

    def fileno(self) -> int | None:
        """See Transport. None."""
        return None

    def read(self) -> bytes:
        """See Transport. Nothing."""
        return b""

    def write(self, data: bytes) -> None:
        """See Transport. Goes nowhere."""

    def close(self) -> None:
        """See Transport."""


class Merged:
    """See hardware.sensors.Reader. Several readers as one: `places[i]` says where each reader's inputs go."""

    def __init__(self, parts: Sequence[tuple[Reader, Sequence[int]]]) -> None:
        self._parts = parts

    def read(self) -> int:
        """See Reader."""
        levels = 0
        for reader, places in self._parts:
            found = reader.read()
            for index, place in enumerate(places):
                levels |= (found >> index & 1) << place
        return levels


@dataclass(frozen=True, slots=True)
class Motor:
    """An open motor and its end inputs, as the board's file has them. renew: for a watchdog outside."""

    mover: Mover
    ends: Reader | None
    renew: Callable[[], None] | None

    def drive(self, limits: TiltLimits, mounting: Mounting = AS_TOLD) -> MotorDrive:
        """A drive of it. Raises HardwareError where it cannot do without end inputs and has none."""
        mover = TurnedMover(self.mover) if mounting.reversed else self.mover
        ends = None if self.ends is None else MountedEnds(self.ends, mounting)
        return MotorDrive(limits, mover, ends, renew=self.renew)

    def trial(self, limits: TiltLimits) -> MotorDrive:
        """A drive for a board whose mounting nobody knows: it takes no end input for an arrival."""
        if self.mover.places:
            return MotorDrive(limits, self.mover, None, renew=self.renew)
        return TrialDrive(limits, self.mover, self.ends, renew=self.renew)


@dataclass(slots=True)
class Devices:
    """What is open. sensors None: the controller reads the spaces; drive None: it moves the board, or people do."""

    sensors: LocalSensors | None
    drive: MotorDrive | None
    say: tuple[str, ...]
    undo: contextlib.ExitStack
    motor: Motor | None = None
    buttons: PinButtons | None = None
    button_pins: ButtonPins | None = None
    buzzer: BuzzerPin | None = None

    def wake_with(self, wake: Callable[[], object]) -> None:
        """wake: called from another thread when something came that `due_s` did not foretell."""
        if self.button_pins is not None:
            self.button_pins.wake = wake

    def close(self, now_s: float) -> None:
        """Let the motor go, give all pins back."""
        if self.drive is not None:
            self.drive.let_go(now_s)
        self.undo.close()


def no_devices() -> Devices:
    """For a board that is all controller."""
    return Devices(None, None, (), contextlib.ExitStack())


def open_devices(board: BoardConfig, pins: Pins | None = None, bus: Any = None) -> Devices:
    """Open what a board needs of this computer. pins, bus: those of a simulated board. Raises BalanxError."""
    with contextlib.ExitStack() as undo:
        try:
            return _open(board, pins, bus, undo)
        except HardwareError as error:
            raise BalanxError(f"{board.source}: {error}") from error


def _open(board: BoardConfig, pins: Pins | None, bus: Any, undo: contextlib.ExitStack) -> Devices:
    backends = board.backends
    say: list[str] = []
    motor = backends.motor if board.motor else None
    expanders = isinstance(backends.sensors, Reeds) and any(
        isinstance(each, tuple) for each in backends.sensors.switches
    )
    if bus is None and (expanders or isinstance(motor, Stepper | DcMotor)):
        bus = open_bus()
    if backends.pins:
        pins = OPENERS[backends.factory]() if pins is None else pins
        undo.callback(pins.close)
        say.append(f"The board is on {pins.say}.")
    ends = None
    if backends.end_pins is not None and (motor is not None or backends.sensors is not None):
        assert pins is not None
        ends = InputPins(
            pins, backends.end_pins, active_low=backends.end_active_low, what="tilt: end positions"
        )
        undo.callback(ends.close)
    drive = opened = None
    if motor is not None:
        renew = None
        if backends.watchdog_pin is not None:
            assert pins is not None
            renew = RenewPin(pins, backends.watchdog_pin)
            undo.callback(renew.close)
        opened = Motor(_mover(motor, board, pins, bus, undo), ends, renew)
        drive = opened.drive(board.limits, board.mounting)
    sensors = None
    if backends.sensors is not None:
        sensors = LocalSensors(
            _reader(backends.sensors, board, pins, bus, undo),
            inputs=board.inputs,
            scan_hz=backends.sensors.scan_hz,
            samples=backends.sensors.samples,
            ends=None if drive is not None else ends,
            board_kind=board.layout.name,
        )
    buttons = edges = None
    if places := board.buttons.pins:
        assert pins is not None
        edges = ButtonPins(pins, [pin for _, pin in places])
        undo.callback(edges.close)
        buttons = PinButtons(edges, [button for button, _ in places])
    buzzer = None
    if board.sound.buzzer is not None:
        assert pins is not None
        buzzer = BuzzerPin(pins, board.sound.buzzer)
        undo.callback(buzzer.close)
    return Devices(sensors, drive, tuple(say), undo.pop_all(), opened, buttons, edges, buzzer)


def _mover(
    motor: GpioServo | Stepper | DcMotor,
    board: BoardConfig,
    pins: Pins | None,
    bus: Any,
    undo: contextlib.ExitStack,
) -> Mover:
    match motor:
        case GpioServo(pin, level_us, us_per_deg):
            assert pins is not None
            servo = ServoPin(
                pins,
                pin,
                limit_deg=(board.limits.full_cdeg + abs(board.limits.level_cdeg)) / 100,
                level_us=level_us,
                us_per_deg=us_per_deg,
            )
            undo.callback(servo.close)
            return servo
        case Stepper(address, number, steps_per_deg, turned):
            return StepperMover(open_kit(address, bus), number, steps_per_deg=steps_per_deg, reversed=turned)
        case DcMotor(address, number, full_deg_s, least, most, turned):
            return DcMover(
                open_kit(address, bus), number, full_deg_s=full_deg_s, least=least, most=most, reversed=turned
            )


def whole_chips(inputs: int) -> int:
    """Inputs of a chain's registers, eight each, that has at least so many."""
    return -(-inputs // 8) * 8


def _reader(
    config: Chain | Reeds, board: BoardConfig, pins: Pins | None, bus: Any, undo: contextlib.ExitStack
) -> Reader:
    if isinstance(config, Chain):
        assert pins is not None
        chain = ChainPins(
            pins,
            clock=config.clock,
            load=config.load,
            data=config.data,
            inputs=whole_chips(board.inputs),
            active_low=config.active_low,
            tail=config.tail,
            check=config.check,
        )
        undo.callback(chain.close)
        return chain
    here = [(index, each) for index, each in enumerate(config.switches) if isinstance(each, int)]
    away = [(index, each) for index, each in enumerate(config.switches) if isinstance(each, tuple)]
    parts: list[tuple[Reader, Sequence[int]]] = []
    if here:
        assert pins is not None
        reeds = InputPins(pins, [pin for _, pin in here], active_low=config.active_low, what="sensors: reeds")
        undo.callback(reeds.close)
        parts.append((reeds, [index for index, _ in here]))
    if away:
        parts.append((ExpanderPins(bus, [each for _, each in away]), [index for index, _ in away]))
    return Merged(parts)
