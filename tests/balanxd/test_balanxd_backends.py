"""The tables of a board file that name back ends, and whole games through each of them on the simulator's marbles."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from pathlib import Path

import pytest
from board_files import FILE, complaint
from live_rig import PATIENCE_S, Obedient, options, tell

from balanxd.backends import _OF_DRIVE, _OF_SENSORS, Chain, GpioServo, Reeds, Stepper
from balanxd.clock import Clock
from balanxd.config import BoardConfig, load_board, parse_board
from balanxd.devices import NoPort, open_devices
from balanxd.errors import BalanxError
from balanxd.journal import Journal
from balanxd.live import Live
from balanxd.players import parse_player
from balanxd.simulated.build import build_table
from balanxd.simulated.headless import HeadlessGame
from balanxd.simulated.pinned import PinnedTable
from balanxd.simulated.world import simulated_world
from hardware.gpio import GpioError, Pins
from hardware.motor import MotorDrive
from hardware.sensors import LocalSensors
from referee import events as e

EXAMPLES = Path(__file__).resolve().parents[2] / "examples/boards"
SIM = '[link]\nport = "sim"\n[gpio]\nfactory = "mock"\n'
CHAIN = '[sensors]\nbackend = "chain"\n'
SERVO = '[tilt]\ndrive = "gpio-servo"\npin = 18\nend_pins = [20, 21]\n'
STEPPER = '[tilt]\ndrive = "stepper"\nend_pins = [20, 21]\nstop = "end-switches"\n'
QUIET = "[sim.noise]\nspikes_per_s = 0.0\n[sim.tilt]\nstart_deg = 8.0\n"


# ---- the examples ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "sensors", "motor", "port"),
    [
        ("controller-servo", type(None), type(None), "/dev/balanx"),
        ("controller-manual", type(None), type(None), "/dev/balanx"),
        ("pi-chain-stepper", Chain, Stepper, "pins"),
        ("pi-reeds", Reeds, type(None), "pins"),
    ],
)
def test_the_example_is_a_board(name: str, sensors: type, motor: type, port: str) -> None:
    board = load_board(EXAMPLES / f"{name}.toml")
    assert isinstance(board.backends.sensors, sensors)
    assert isinstance(board.backends.motor, motor)
    assert board.port == port
    assert not board.simulated
    assert not board.motor  # locked until somebody has seen that it tilts to the side that is meant


def test_every_example_is_tried() -> None:
    assert {path.stem for path in EXAMPLES.glob("*.toml")} == {
        "controller-servo",
        "controller-manual",
        "pi-chain-stepper",
        "pi-reeds",
    }


# ---- what is refused ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[sensors]\nbackend = "chains"', "sensors.backend: must be chain or controller or reeds"),
        ('[sensors]\nbackend = "chains"', "did you mean chain?"),
        (CHAIN + "clok_pin = 4", "sensors.clok_pin: no such key (did you mean clock_pin?)"),
        (CHAIN + "pins = [4]", 'sensors.pins: is a key of sensors.backend = "reeds"'),
        ("[sensors]\nclock_pin = 4", 'sensors.clock_pin: is a key of sensors.backend = "chain"'),
        (CHAIN + "clock_pin = 28", "sensors.clock_pin: pin 28: the header has the pins 2 to 27"),
        (CHAIN + "clock_pin = 1", "sensors.clock_pin: pin 1"),
        (CHAIN + 'clock_pin = "GPIO4"', "must be the BCM number of a pin, not 'GPIO4' (write the number alone)"),
        (CHAIN + "clock_pin = true", "must be the BCM number of a pin"),
        (CHAIN + "clock_pin = 8", "sensors.load_pin: pin 8 is sensors.clock_pin already"),
        (CHAIN + 'check_pin = 25\ntail = "low"', "sensors.tail: check_pin drives that input"),
        (CHAIN + "samples = 0", "sensors.samples: must be 1 to 50, not 0"),
        (CHAIN + "samples = 2.5", "sensors.samples: must be a whole number"),
        (CHAIN + "scan_hz = 5000", "sensors.scan_hz: must be 20 to 500"),
        (CHAIN + '[board]\nsensor = "colour"', "board.sensor: pins tell presence only"),
        (CHAIN + '[link]\nport = "/dev/ttyUSB0"', "link.port: must be pins or sim"),
        (CHAIN + '[tilt]\ndrive = "servo"', "tilt.drive: this servo is the controller's"),
        (CHAIN + '[tilt]\ndrive = "manual"\nend_inputs = true', "tilt.end_inputs: is for inputs of the controller"),
        (CHAIN + '[gpio]\nfactory = "pigpio"', "gpio.factory: must be lgpio or mock or rpigpio"),
        (CHAIN + '[gpio]\nfactory = "mock"', 'gpio.factory: "mock" has no real pins: it is for link.port = "sim" only'),
        (CHAIN + '[link]\nport = "sim"', 'link.port: "sim", the simulated board, has no real pins'),
        (CHAIN + '[gpio]\nchip = 4', "gpio.chip: no such key"),
        ('[gpio]\nfactory = "lgpio"', "gpio.factory: nothing on this board is on pins"),
        ('[sensors]\nbackend = "reeds"', "sensors.pins: must be a list of pins"),
        ('[sensors]\nbackend = "reeds"\npins = [4, 5]', "sensors.pins: names 2 pins, the wiring has 56 inputs"),
        ('[sensors]\nbackend = "reeds"\npins = [4, 4]', "sensors.pins: 4 is there twice"),
        ('[sensors]\nbackend = "reeds"\npins = ["0x20:A7"]', "pin GPA7 of an MCP23017 is an output only; use 0 to 6"),
        ('[sensors]\nbackend = "reeds"\npins = ["0x20:GPB7"]', "pin GPB7 of an MCP23017 is an output only"),
        ('[sensors]\nbackend = "reeds"\npins = ["0x20:C1"]', "'0x20:C1' is no pin"),
        ('[sensors]\nbackend = "reeds"\npins = ["0x40:A1"]', "an MCP23017 has an address from 0x20 to 0x27"),
        ('[tilt]\ndrive = "step"', "tilt.drive: must be dc or gpio-servo or manual or servo or stepper"),
        ('[tilt]\ndrive = "gpio-servo"', "tilt.pin: is missing: give the BCM number of a pin"),
        (SERVO + "us_per_deg = 0.5", "tilt.us_per_deg: must be 1 to 50, or -50 to -1"),
        (SERVO + "us_per_deg = 50\nangle_deg = 15\nlevel_us = 2000", "would need pulses outside 500..2500 us"),
        (SERVO + 'stop = "watchdog"', 'tilt.stop: is a key of tilt.drive = "stepper" or "dc"'),
        (SERVO.replace("[20, 21]", "[20]"), "tilt.end_pins: must be two pins"),
        (SERVO.replace("[20, 21]", "[20, 18]"), "tilt.end_pins: pin 18 is tilt.pin already"),
        ('[tilt]\ndrive = "servo"\nend_pins = [20, 21]', "tilt.end_pins: is a key of"),
        ('[tilt]\ndrive = "manual"\nend_pins = [20, 21]', "tilt.end_pins: the controller has the end positions"),
        (STEPPER.replace('stop = "end-switches"\n', ""), "tilt.stop: a hung computer leaves a MotorKit running"),
        (STEPPER.replace("end-switches", "hope"), "tilt.stop: must be"),
        (STEPPER.replace("end-switches", "watchdog"), 'tilt.watchdog_pin: goes with stop = "watchdog"'),
        (STEPPER + "watchdog_pin = 26", "tilt.watchdog_pin: goes with"),
        (STEPPER.replace("end_pins = [20, 21]\n", ""), "tilt.end_pins: a stepper motor needs both end inputs"),
        (STEPPER + "steps_per_deg = 40", "set tilt.swing_s to 3.0 or more"),
        (STEPPER + "stepper = 3", "tilt.stepper: must be 1 to 2, not 3"),
        (STEPPER + "motor = 1", 'tilt.motor: is a key of tilt.drive = "dc", here it is \'stepper\''),
        (STEPPER + "address = 0x70", "tilt.address: 0x70 calls all chips"),
        (STEPPER.replace("[20, 21]", "[2, 21]"), "tilt.end_pins: pin 2 is the I2C bus of this board"),
        (STEPPER.replace("stepper", "dc") + "least_throttle = 0.9\nmost_throttle = 0.5", "is above most_throttle"),
    ],
)  # fmt: skip
def test_a_wrong_back_end_is_one_line_that_names_the_key(text: str, said: str) -> None:
    assert said in complaint(text)


def test_pins_that_need_a_pull_down_cannot_be_everywhere() -> None:
    pins = ", ".join(f'"0x2{chip}:{port}{n}"' for chip in range(4) for port in "AB" for n in range(7))
    text = f'[sensors]\nbackend = "reeds"\nactive = "high"\npins = [{pins}]\n'
    assert "an expander has pull-ups only" in complaint(text)
    first = text.replace('"0x20:A0"', "3")
    assert "pin 3 is pulled up on the Pi" in complaint(first)


def test_a_board_that_is_all_controller_opens_nothing() -> None:
    devices = open_devices(parse_board("", FILE))
    assert (devices.sensors, devices.drive, devices.say) == (None, None, ())


def test_a_missing_package_is_one_line_with_the_board(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> Pins:
        raise GpioError("pins: there is no /dev/gpiochip.")

    monkeypatch.setitem(open_devices.__globals__["OPENERS"], "lgpio", refuse)
    board = parse_board(CHAIN, FILE)
    with pytest.raises(BalanxError, match=r"^my/board.toml: pins: there is no /dev/gpiochip\.$"):
        open_devices(board)


def test_pins_have_no_port() -> None:
    port = NoPort()
    port.write(b"lost")
    assert port.read() == b""
    assert port.fileno() is None


# ---- games -------------------------------------------------------------------------------------------------


def _play(board: BoardConfig, folder: Path, turns: int) -> tuple[HeadlessGame, list[str]]:
    said: list[str] = []

    def say(event: e.GameEvent) -> None:
        if isinstance(event, e.Fault | e.OutOfStep | e.SensorNamed | e.Question):
            said.append(event.say)

    game = HeadlessGame(
        board,
        [parse_player("random")] * 2,
        seed=5,
        journal=Journal(folder / "game.journal"),
        max_turns=turns,
        say=say,
    )
    game.play()
    return game, said


BOARDS = {
    "chain and servo": SIM + CHAIN + "check_pin = 25\nscan_hz = 50\nsamples = 3\n" + SERVO,
    "reeds, people push": None,
    "stepper": SIM + STEPPER,
    "dc motor": SIM + STEPPER.replace("stepper", "dc"),
}


@pytest.mark.parametrize("kind", BOARDS)
def test_a_game_is_the_same_on_every_back_end(kind: str, tmp_path: Path) -> None:
    text = BOARDS[kind]
    if text is None:
        reeds = (EXAMPLES / "pi-reeds.toml").read_text().replace('"lgpio"', '"mock"')
        text = reeds.replace("scan_hz = 100", "scan_hz = 50") + '[link]\nport = "sim"\n'
    board = parse_board(text + QUIET, FILE)
    game, said = _play(board, tmp_path, 8)
    assert said == []
    (tmp_path / "honest").mkdir()
    honest, _ = _play(parse_board(QUIET, FILE), tmp_path / "honest", 8)
    assert game.turns == 8
    assert game.record().text().split("\n\n")[1] == honest.record().text().split("\n\n")[1]
    assert isinstance(game.lockstep.pipeline.drive, MotorDrive) == (kind != "reeds, people push")


def test_a_dead_chain_stops_the_game_and_a_mended_one_goes_on(tmp_path: Path) -> None:
    board = parse_board(SIM + CHAIN + "scan_hz = 50\nsamples = 3\n" + QUIET, FILE)
    table = build_table(board, 5)
    wired = PinnedTable(board, table)
    devices = open_devices(board, wired.pins, wired.bus)
    assert devices.sensors is not None
    assert wired.registers is not None
    heard = []
    devices.sensors.opened(table.now_s)
    for step in range(400):
        wired.registers.dead = 100 <= step < 200
        table.advance(step * 0.02)
        heard += [type(event).__name__ for event in devices.sensors.tick(step * 0.02)]
    assert heard[0] == "LinkUp"
    assert [name for name in heard if name in ("LinkUp", "LinkLost")] == ["LinkUp", "LinkLost", "LinkUp"]
    devices.close(8.0)


def test_a_locked_motor_opens_no_motor() -> None:
    board = parse_board(STEPPER + CHAIN + SIM + "[sim.tilt]\nstart_deg = 8.0\n", FILE)
    locked = replace(board, side_checked=False)
    wired = PinnedTable(locked, build_table(locked, 1))
    devices = open_devices(locked, wired.pins, wired.bus)
    assert devices.drive is None
    assert wired.bus.transfers == 0


def test_the_daemon_plays_on_real_pins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No port, no controller: a chain and a servo on pins, with marbles behind them that somebody moves."""
    text = CHAIN + "scan_hz = 20\nsamples = 2\n" + SERVO + "side_checked = true\n"
    board = parse_board(text, FILE)
    assert board.motor
    speed = 6.0
    table = build_table(parse_board(SIM + text + QUIET, FILE), 5)
    wired = PinnedTable(board, table)
    monkeypatch.setitem(open_devices.__globals__["OPENERS"], "lgpio", lambda: wired.pins)
    clock, said, hand = Clock(speed), list[str](), Obedient(table)

    async def story(live: Live) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while not any("GameOver" in line for line in said):
                table.advance(clock.now_s())
                hand.look(live)
                await asyncio.sleep(0.001)

    settings = options(tmp_path, 5, speed=speed, max_turns=3, verbose=True)
    asyncio.run(tell(Live(board, settings, None, said.append), story))
    assert any(line.startswith("The board is on mock pins") for line in said)
    assert sum("TurnTaken" in line for line in said) == 3
    assert sum("TiltStarted" in line for line in said) >= 2
    assert wired.pins.pulse_us(18) is None


def test_the_daemon_finds_the_simulated_pins(tmp_path: Path) -> None:
    async def look() -> None:
        live = Live(parse_board(SIM + CHAIN, FILE), options(tmp_path, 5), simulated_world, print)
        assert isinstance(live.pipeline.link, LocalSensors)
        await live.close()

    asyncio.run(look())


def test_a_servo_on_a_pin_is_measured_in_its_pulses() -> None:
    board = parse_board(SIM + SERVO + "us_per_deg = -12.5\nlevel_us = 1480\n", FILE)
    assert board.backends.motor == GpioServo(18, 1480.0, -12.5)
    wired = PinnedTable(board, build_table(board, 1))
    pulses: list[float | None] = []
    devices = open_devices(board, wired.pins, wired.bus)
    drive = devices.drive
    assert drive is not None
    drive.arm(0.0)
    drive.go(0, 0.0)
    at_s = 0.0
    while at_s < 6.0:
        at_s += 0.01
        drive.tick(at_s)
        pulses.append(wired.pins.pulse_us(18))
    sent = [pulse for pulse in pulses if pulse is not None]
    assert min(sent) == pytest.approx(1480 - 8 * 12.5, abs=0.5)
    assert max(sent) <= 1480 + 8 * 12.5 + 0.5
    assert pulses[-1] is None


def test_the_documentation_names_every_key() -> None:
    text = (EXAMPLES.parents[1] / "docs/configuration.md").read_text()
    silent = [
        key for key in (*_OF_SENSORS, *_OF_DRIVE) if not re.search(rf"^(# )?{key} = ", text, re.MULTILINE)
    ]
    assert silent == []
