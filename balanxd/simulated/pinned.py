"""A simulated table behind mock pins and a fake bus: what the real back ends meet when `gpio.factory` is mock."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from balanxd.backends import Backends, Chain, DcMotor, GpioServo, Reeds, Stepper
from balanxd.config import BoardConfig
from balanxd.devices import whole_chips
from hardware.mockpins import MockPins
from hardware.registers import Chip, FakeI2c, Mcp23017, Pca9685, ShiftRegisters
from sim.motors import DcShaft, ServoHorn, StepperShaft, Stops
from sim.sensorboard import SensorBoard
from sim.table import Table


class PinnedTable:
    """Mock pins and a fake bus with a table behind them. `chip`: the motor driver's, if there is one."""

    def __init__(self, board: BoardConfig, table: Table | SensorBoard) -> None:
        self.pins = MockPins()
        self.chips: dict[int, Chip] = {}
        self.bus = FakeI2c(self.chips)
        self.registers: ShiftRegisters | None = None
        self.chip: Pca9685 | None = None
        for button, number in board.buttons.pins:
            told = self.pins.button(number, partial(table.buttons.down, button), lambda: table.now_s)
            table.buttons.watch(button, told)
        if isinstance(table, Table):  # nothing else of a sensor board is on pins
            self.stops = Stops(board.limits.full_cdeg / 100, lambda: table.angle_deg, table.turn_to)
            self._wire_sensors(board.backends, table)
            self._wire_ends(board.backends, table)
            self._wire_motor(board.backends, -1.0 if table.model.tilt.reversed else 1.0)

    def _wire_sensors(self, backends: Backends, table: Table) -> None:
        match backends.sensors:
            case Chain() as chain:
                invert = (1 << 256) - 1 if chain.active_low else 0
                count = whole_chips(table.inputs)
                mask = (1 << count) - 1
                registers = ShiftRegisters(count, lambda: (table.levels() ^ invert) & mask)
                registers.tail = chain.tail is True
                registers.pull = chain.tail is not True
                self.pins.chain(
                    registers, clock=chain.clock, load=chain.load, data=chain.data, check=chain.check
                )
                self.registers = registers
            case Reeds() as reeds:
                for index, switch in enumerate(reeds.switches):
                    if isinstance(switch, int):
                        self.pins.input(switch, _bit(table.levels, index, reeds.active_low))
                addresses = {switch[0] for switch in reeds.switches if isinstance(switch, tuple)}
                for address in addresses:
                    places = [
                        (index, switch[1])
                        for index, switch in enumerate(reeds.switches)
                        if isinstance(switch, tuple) and switch[0] == address
                    ]
                    chip = Mcp23017()
                    chip.levels = _port(table.levels, places)
                    self.chips[address] = chip
            case None:
                pass

    def _wire_ends(self, backends: Backends, table: Table) -> None:
        for bit, number in enumerate(backends.end_pins or ()):
            self.pins.input(number, _bit(lambda: table.sensed, bit, backends.end_active_low))

    def _wire_motor(self, backends: Backends, sign: float) -> None:
        """sign: -1 where the motor is built in the other way round than the board's file says."""
        motor = backends.motor
        if isinstance(motor, GpioServo):
            horn = ServoHorn(self.stops, motor.level_us, sign * motor.us_per_deg)
            self.pins.output(motor.pin, horn.pulse)
        elif motor is not None:
            chip = self.chip = Pca9685()
            self.chips[motor.address] = chip
            sign *= -1.0 if motor.reversed else 1.0
            if isinstance(motor, Stepper):
                shaft = StepperShaft(self.stops, chip, motor.number, sign * motor.steps_per_deg)
                chip.watch = shaft.look
            elif isinstance(motor, DcMotor):
                chip.watch = DcShaft(self.stops, chip, motor.number, sign * motor.full_deg_s).look


def _bit(levels: Callable[[], int], bit: int, active_low: bool) -> Callable[[], bool]:
    return lambda: bool(levels() >> bit & 1) != active_low


def _port(levels: Callable[[], int], places: list[tuple[int, int]]) -> Callable[[], int]:
    def both() -> int:
        now, found = levels(), 0xFFFF
        for index, pin in places:
            if now >> index & 1:
                found &= ~(1 << pin)
        return found

    return both
