"""The real MotorKit, PCA9685 and motor drivers on a simulated register file; once through the whole of Blinka."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from hardware.errors import HardwareError
from hardware.faults import FaultName
from hardware.motor import MotorDrive, MotorLost
from hardware.motorkit import DcMover, ExpanderPins, KitError, StepperMover, open_bus, open_kit
from hardware.registers import ALL_LED, LED0, MODE1, PRE_SCALE, FakeI2c, Mcp23017, Pca9685
from hardware.sensors import Unreadable
from hardware.tilt import TiltFailed, TiltLeft, TiltLimits

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def chip() -> Pca9685:
    return Pca9685()


@pytest.fixture
def bus(chip: Pca9685) -> FakeI2c:
    return FakeI2c({0x60: chip})


# ---- the register file refuses what the chip refuses --------------------------------------------------------


def test_the_prescaler_is_set_asleep_only(chip: Pca9685) -> None:
    assert chip.asleep
    chip.write(bytes([PRE_SCALE, 100]))
    chip.write(bytes([MODE1, 0x00]))
    chip.write(bytes([PRE_SCALE, 50]))
    assert chip.registers[PRE_SCALE] == 100
    assert chip.refused == [(PRE_SCALE, 50)]
    assert chip.frequency_hz == pytest.approx(60.4, abs=0.1)


def test_the_prescaler_has_a_least_value(chip: Pca9685) -> None:
    chip.write(bytes([PRE_SCALE, 1]))
    assert chip.registers[PRE_SCALE] == 3


def test_several_registers_in_one_transfer_need_auto_increment(chip: Pca9685) -> None:
    chip.write(bytes([LED0, 1, 2, 3, 4]))
    assert chip.registers[LED0] == 4
    assert chip.registers[LED0 + 1] == 0
    chip.write(bytes([MODE1, 0x20]))
    chip.write(bytes([LED0, 1, 2, 3, 4]))
    assert bytes(chip.registers[LED0 : LED0 + 4]) == bytes([1, 2, 3, 4])
    chip.write(bytes([LED0]))
    assert chip.read(4) == bytes([1, 2, 3, 4])


def test_all_outputs_are_set_at_once_and_read_as_nothing(chip: Pca9685) -> None:
    chip.write(bytes([MODE1, 0x20]))
    chip.write(bytes([ALL_LED, 0, 0, 0, 8]))
    assert [chip.duty(channel) for channel in range(16)] == [0.5] * 16
    chip.write(bytes([ALL_LED]))
    assert chip.read(4) == bytes(4)


@pytest.mark.parametrize(
    ("registers", "duty"),
    [
        ((0, 0x10, 0, 0), 1.0),  # full on
        ((0, 0, 0, 0x10), 0.0),  # full off
        ((0, 0x10, 0, 0x10), 0.0),  # off wins
        ((0, 0, 0, 8), 0.5),
        ((0, 8, 0, 4), 0.75),  # from 2048 round to 1024
    ],
)
def test_counts_and_full_bits_make_the_duty(chip: Pca9685, registers: tuple[int, ...], duty: float) -> None:
    chip.write(bytes([MODE1, 0x20]))
    chip.write(bytes([LED0 + 4, *registers]))
    assert chip.duty(1) == duty
    chip.write(bytes([MODE1, 0x30]))
    assert chip.duty(1) == 0.0  # asleep


def test_a_lost_chip_and_an_empty_address_are_error_121(chip: Pca9685, bus: FakeI2c) -> None:
    assert bus.try_lock()
    assert not bus.try_lock()
    for address in (0x60, 0x41):
        chip.dead = True
        with pytest.raises(OSError, match="Remote I/O error") as lost:
            bus.writeto(address, b"\0")
        assert lost.value.errno == 121
    bus.unlock()
    with pytest.raises(RuntimeError, match="lock"):
        bus.writeto(0x60, b"\0")
    with pytest.raises(ValueError, match="Not locked"):
        bus.unlock()


# ---- the real drivers --------------------------------------------------------------------------------------


def test_the_kit_wakes_the_chip_at_its_frequency(chip: Pca9685, bus: FakeI2c) -> None:
    open_kit(0x60, bus)
    assert not chip.asleep
    assert chip.registers[PRE_SCALE] == 3  # 1600 Hz come out as 1526
    assert chip.frequency_hz == pytest.approx(1525.9, abs=0.1)
    assert chip.refused == []
    assert all(chip.duty(channel) == 0 for channel in range(16))


@pytest.mark.parametrize("reversed", [False, True])
@pytest.mark.parametrize(("number", "first", "coils"), [(1, 8, (9, 11, 10, 12)), (2, 2, (3, 5, 4, 6))])
def test_a_stepper_turns_its_field_in_half_steps(
    chip: Pca9685, bus: FakeI2c, number: int, first: int, coils: tuple[int, ...], reversed: bool
) -> None:
    mover = StepperMover(open_kit(0x60, bus), number, steps_per_deg=5.0, reversed=reversed)
    assert all(chip.duty(channel) == 0 for channel in coils)
    assert chip.duty(first) == 1.0  # the bridge's own enable
    mover.here(800.0)
    fields = []
    for step in range(9):
        mover.follow(800.0 - step * 10.0, -100.0)  # 10 cdeg: a half step
        fields.append(tuple(chip.duty(channel) > 0 for channel in coils))
    whole = [fields[step].index(True) for step in range(1, 9) if sum(fields[step]) == 1]
    turns = {(after - before) % 4 for before, after in pairwise(whole)}
    assert turns == ({1} if reversed else {3})
    mover.release()
    assert all(chip.duty(channel) == 0 for channel in coils)


def test_a_stepper_that_is_told_too_late_does_not_run_after_it(chip: Pca9685, bus: FakeI2c) -> None:
    mover = StepperMover(open_kit(0x60, bus), 1, steps_per_deg=5.0)
    mover.here(800.0)
    before = bus.transfers
    mover.follow(-800.0, 0.0)
    assert bus.transfers - before <= 24 * 4 * 2


@pytest.mark.parametrize("reversed", [False, True])
def test_a_dc_motor_gets_throttle_by_rate(chip: Pca9685, bus: FakeI2c, reversed: bool) -> None:
    mover = DcMover(open_kit(0x60, bus), 1, full_deg_s=60.0, least=0.2, most=0.9, reversed=reversed)
    forward, backward = (10, 9) if reversed else (9, 10)
    for rate, duties in [
        (3000.0, (0.5, 0.0)),
        (-3000.0, (0.0, 0.5)),
        (100.0, (0.2, 0.0)),  # less would not turn it
        (9000.0, (0.9, 0.0)),  # never more
    ]:
        mover.follow(0.0, rate)
        assert (chip.duty(forward), chip.duty(backward)) == pytest.approx(duties, abs=0.001)
    mover.brake()
    assert (chip.duty(9), chip.duty(10)) == (1.0, 1.0)
    mover.release()
    assert (chip.duty(9), chip.duty(10)) == (0.0, 0.0)


class Ends:
    """End inputs that say what they are told to."""

    def __init__(self, sensed: int) -> None:
        self.sensed = sensed

    def read(self) -> int:
        return self.sensed


def test_a_chip_that_is_lost_in_a_swing_is_tried_again_once_and_then_reported(
    chip: Pca9685, bus: FakeI2c
) -> None:
    drive = MotorDrive(TiltLimits(), StepperMover(open_kit(0x60, bus), 1, steps_per_deg=5.0), Ends(1))
    drive.tick(0.0)
    drive.arm(0.0)
    drive.go(1, 1.0)
    events, now_s = [], 1.0
    while now_s < 20.0 and drive.motor:
        chip.dead = now_s > 1.1
        events += drive.tick(now_s)
        now_s = max(now_s + 1e-4, min(drive.due_s(), now_s + 0.1))
    (failed,) = events
    assert isinstance(failed, TiltFailed)
    assert "does not answer (Remote I/O error" in failed.why or "[Errno 121]" in failed.why
    assert now_s < 3.0
    with pytest.raises(HardwareError, match="not armed"):
        drive.go(1, now_s)


def test_a_chip_that_is_lost_on_the_way_to_level_moves_nothing_any_more(chip: Pca9685, bus: FakeI2c) -> None:
    """It is not tried again as a swing to a side that nobody was warned of."""
    ends = Ends(1)
    drive = MotorDrive(TiltLimits(), StepperMover(open_kit(0x60, bus), 1, steps_per_deg=5.0), ends)
    drive.tick(0.0)
    drive.arm(0.0)
    drive.to_level(1.0)
    ends.sensed = 0
    for step in range(400):
        now_s = 1.0 + step * 0.01
        chip.dead = 1.1 < now_s < 1.3
        assert [event for event in drive.tick(now_s) if not isinstance(event, TiltLeft)] == []
        if now_s > 1.4:
            assert not drive.powered
    assert not drive.level
    assert drive.motor


def test_both_ends_at_once_are_named(bus: FakeI2c) -> None:
    ends = Ends(1)
    drive = MotorDrive(TiltLimits(), StepperMover(open_kit(0x60, bus), 1, steps_per_deg=5.0), ends)
    drive.tick(0.0)
    drive.arm(0.0)
    drive.go(1, 1.0)
    ends.sensed = 3
    events = [event for step in range(1000) for event in drive.tick(1.0 + step * 0.01)]
    assert [event.fault for event in events if isinstance(event, TiltFailed)] == [FaultName.END_ALWAYS]


def test_a_watchdog_outside_is_renewed_while_the_motor_has_power_and_only_then(bus: FakeI2c) -> None:
    renewed: list[float] = []
    now_s = 0.0
    ends = Ends(1)
    mover = StepperMover(open_kit(0x60, bus), 1, steps_per_deg=5.0)
    drive = MotorDrive(TiltLimits(), mover, ends, renew=lambda: renewed.append(now_s))
    drive.arm(0.0)
    while now_s < 6.0:
        if 2.0 <= now_s < 2.005:
            drive.go(1, now_s)
        ends.sensed = 1 if now_s < 2.2 else 0 if now_s < 2.6 else 2
        drive.tick(now_s)
        now_s += 0.005
    assert min(renewed) >= 2.0
    assert max(renewed) < 3.2
    assert max(after - before for before, after in pairwise(renewed)) < 0.05


def test_a_motor_that_has_worked_too_much_rests_first(bus: FakeI2c) -> None:
    ends = Ends(1)
    drive = MotorDrive(TiltLimits(hold_s=5.0), DcMover(open_kit(0x60, bus), 1, full_deg_s=60.0), ends)
    now_s, gone, left_s, goal = 0.0, 0, 0.0, 0
    waits: list[float] = []
    while gone < 8:
        drive.tick(now_s)
        drive.arm(now_s)
        if drive.side is not None and not drive.powered:
            drive.go(1 - drive.side, now_s)
            asked_s, gone = now_s, gone + 1
            while not drive.powered:
                now_s += 0.01
                drive.tick(now_s)
            waits.append(now_s - asked_s)
            left_s = now_s + 0.2
            goal = 3 - ends.sensed
        if drive.powered:
            ends.sensed = ends.sensed if now_s < left_s else 0 if now_s < left_s + 0.2 else goal
        now_s += 0.01
    assert waits[0] < 0.05
    assert max(waits) > 5.0


def test_a_motor_without_end_inputs_is_refused(bus: FakeI2c) -> None:
    with pytest.raises(HardwareError, match="needs end inputs"):
        MotorDrive(TiltLimits(), DcMover(open_kit(0x60, bus), 1, full_deg_s=60.0), None)


# ---- what is missing ---------------------------------------------------------------------------------------


def _raising(error: Exception) -> Callable[[str], Any]:
    def load(name: str) -> Any:
        raise error

    return load


class Bare:
    """`board` on a computer that Blinka knows no bus of."""


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (lambda bus: open_kit(0x61, bus), "no motor driver at I2C address 0x61"),
        (lambda bus: open_kit(0x60, bus, _raising(ImportError("x"))), "adafruit-circuitpython-motorkit is missing"),
        (lambda bus: open_kit(0x60, bus, _raising(RuntimeError("no gpiod"))), "cannot be used here: no gpiod"),
        (lambda bus: open_bus(_raising(ImportError("x"))), "a package for the I2C bus is missing"),
        (lambda bus: open_bus(_raising(RuntimeError("no gpiod"))), "the I2C bus cannot be used: no gpiod"),
        (lambda bus: open_bus(lambda name: Bare), "this computer has no I2C bus on its pins"),
        (lambda bus: ExpanderPins(bus, [(0x20, 3)]), "sensors: no MCP23017 at I2C address 0x20"),
        (lambda bus: StepperMover(object(), 1, steps_per_deg=5), "stepper 1 cannot be used"),
        (lambda bus: DcMover(object(), 4, full_deg_s=5), "motor 4 cannot be used"),
    ],
)  # fmt: skip
def test_what_is_missing_is_one_sentence_with_its_mend(
    act: Callable[[FakeI2c], object], said: str, bus: FakeI2c
) -> None:
    with pytest.raises(KitError) as refused:
        act(bus)
    message = str(refused.value)
    assert said in message
    assert "\n" not in message
    assert "pip install 'balanx[pi]'" in message or "i2cdetect" in message


@pytest.mark.parametrize("call", ["follow", "brake", "release"])
def test_a_lost_chip_is_a_lost_motor(call: str, chip: Pca9685, bus: FakeI2c) -> None:
    mover = DcMover(open_kit(0x60, bus), 1, full_deg_s=60.0)
    chip.dead = True
    arguments = (0.0, 1000.0) if call == "follow" else ()
    with pytest.raises(MotorLost, match="look at its power and its cable"):
        getattr(mover, call)(*arguments)


# ---- the expander ------------------------------------------------------------------------------------------


def test_an_expander_has_inputs_and_pull_ups_where_it_is_read() -> None:
    chip = Mcp23017()
    chip.registers[chip.IODIR] = 0  # somebody left it so
    chip.levels = lambda: ~(1 << 3 | 1 << 8) & 0xFFFF
    pins = ExpanderPins(FakeI2c({0x21: chip}), [(0x21, 8), (0x21, 0), (0x21, 3)])
    assert (chip.registers[chip.IODIR], chip.registers[chip.IODIR + 1]) == (0b1001, 0b1)
    assert (chip.registers[chip.GPPU], chip.registers[chip.GPPU + 1]) == (0b1001, 0b1)
    assert pins.read() == 0b101
    chip.dead = True
    with pytest.raises(Unreadable, match="expander on the I2C bus does not answer"):
        pins.read()


# ---- the whole of Blinka ------------------------------------------------------------------------------------

BLINKA = textwrap.dedent(
    """
    import os, sys
    os.environ["BLINKA_FORCEBOARD"] = "RASPBERRY_PI_4B"
    os.environ["BLINKA_FORCECHIP"] = "BCM2XXX"
    from hardware.registers import Pca9685
    chip = Pca9685()

    class Bus:
        '''The kernel's bus, as Blinka speaks to it.'''
        def __init__(self, number=None):
            assert number == 1, number
        def _at(self, address):
            if address != 0x60:
                raise OSError(121, "Remote I/O error")
            return chip
        def write_quick(self, address):
            self._at(address)
        def read_byte(self, address):
            return self._at(address).read(1)[0]
        def write_bytes(self, address, data):
            self._at(address).write(bytes(data))
        def read_bytes(self, address, count):
            return self._at(address).read(count)
        def read_i2c_block_data(self, address, register, count):
            self._at(address).write(bytes(register))
            return self._at(address).read(count)

    import Adafruit_PureIO.smbus
    Adafruit_PureIO.smbus.SMBus = Bus
    from hardware.motorkit import DcMover, KitError, StepperMover, open_kit
    kit = open_kit(0x60)
    mover = StepperMover(kit, 1, steps_per_deg=5.0)
    mover.here(0.0)
    mover.follow(50.0, 100.0)
    print([round(chip.duty(channel)) for channel in (9, 11, 10, 12)])
    mover.release()
    motor = DcMover(kit, 3, full_deg_s=60.0)
    motor.follow(0.0, 3000.0)
    print(round(chip.duty(3), 2), round(chip.duty(4), 2), chip.refused)
    try:
        open_kit(0x61)
    except KitError as error:
        print(error)
    chip.dead = True
    try:
        motor.release()
    except Exception as error:
        print(type(error).__name__, error)
    """
)


def test_the_kit_runs_through_the_whole_of_blinka() -> None:
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", BLINKA], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    field, throttle, missing, lost = run.stdout.splitlines()
    assert field.count("1") in (1, 2)
    assert throttle == "0.5 0.0 []"
    assert missing.startswith("tilt: no motor driver at I2C address 0x61")
    assert lost.startswith("MotorLost the motor driver on the I2C bus does not answer")
