"""Configuration of a board: TOML text in, frozen values out.

Read once. Every key has a kind and bounds; an unknown key or a broken bound raises BalanxError that names the
file, the key, and the nearest valid key.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hardware.errors import HardwareError
from hardware.mounting import AS_TOLD, Mounting
from hardware.tilt import TiltLimits
from hardware.wiring import Wiring, wiring_from_names
from rules.balanx.layout import SHIPPED, Layout, layout_named
from rules.errors import LayoutError
from rules.games import NAMES

from .backends import DRIVES, Backends, parse_backends
from .buttons import NO_BUTTONS, ButtonPlaces, buttons_text, parse_buttons
from .errors import BalanxError
from .keys import Keys, nearest
from .lights.settings import NO_LIGHTS, LightsConfig
from .options import BALANX, Tags, checked_tags, game_of_options
from .sound.settings import NO_SOUND, SoundConfig, parse_sound

SIM_PORT = "sim"
SENSORS = ("presence", "colour")
PINS_PORT = "pins"
IMAGE_KEY = "firmware"
"""In the table [sim]: the image that an emulated controller runs instead of the simulated one."""


@dataclass(frozen=True, slots=True)
class BoardConfig:
    """One board. text: the file it came from; sim: its [sim] table, which the simulator's composition root reads.

    tags: what tells the game of a board that does not tilt, `Game` first; empty for Balanx, which `layout` tells.
    mounting: what calibration found of motor and end inputs beside what the file says.
    """

    source: str
    text: str
    name: str
    layout: Layout
    port: str
    sensor: str
    drive: str
    end_inputs: bool
    side_checked: bool
    limits: TiltLimits
    wiring: Wiring
    sim: Mapping[str, Any]
    backends: Backends
    tags: Tags = ()
    lights: LightsConfig = NO_LIGHTS
    sound: SoundConfig = NO_SOUND
    mounting: Mounting = AS_TOLD
    buttons: ButtonPlaces = NO_BUTTONS

    @property
    def game(self) -> str:
        """The name of the game that the board is for."""
        return self.tags[0][1] if self.tags else BALANX

    @property
    def cell_names(self) -> tuple[str, ...]:
        """Names of the cells in index order."""
        return game_of_options(self.tags, 0).cell_names if self.tags else self.layout.cell_names

    @property
    def inputs(self) -> int:
        """How many inputs the chain has at least: those of the wiring, and of buttons behind them."""
        return max(len(self.wiring.inputs), self.buttons.inputs_needed)

    @property
    def motor(self) -> bool:
        """Whether a motor may move this board. Not before somebody saw that it tilts to the side that was meant."""
        return self.drive != "manual" and self.side_checked

    @property
    def simulated(self) -> bool:
        """Whether the board is made of numbers."""
        return self.port == SIM_PORT


def load_layout(name: str) -> Layout:
    """A shipped layout by name, or the layout in a TOML file. Raises BalanxError with one line."""
    try:
        if name in SHIPPED:
            return layout_named(name)
        path = Path(name)
        if not path.suffix and not path.exists():
            raise BalanxError(
                f"layout {name!r}: there are {', '.join(SHIPPED)}, or give a TOML file{nearest(name, SHIPPED)}"
            )
        return Layout.load(read_text(path))
    except LayoutError as error:
        raise BalanxError(f"{name}: {error}") from error


def read_text(path: Path, newline: str | None = None) -> str:
    """A UTF-8 file. newline: as for `open`. Raises BalanxError with one line."""
    try:
        with path.open(encoding="utf-8", newline=newline) as file:
            return file.read()
    except OSError as error:
        raise BalanxError(f"{path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise BalanxError(f"{path}: not UTF-8 at byte {error.start}") from error
    except ValueError as error:  # a name that no file can have
        raise BalanxError(f"{str(path)!r}: {error}") from error


def simulated_board(layout: Layout | None = None, tags: Tags = ()) -> BoardConfig:
    """The board that `--board sim` plays on. It has the three buttons behind its last space."""
    return _with_buttons("", "the simulated board", layout, tags)


def emulated_board(layout: Layout | None = None, tags: Tags = ()) -> BoardConfig:
    """The same with the firmware's image for a controller: `--board firmware`. Raises BalanxError."""
    return _with_buttons(f'[sim]\n{IMAGE_KEY} = "build"\n', "the emulated board", layout, tags)


def _with_buttons(text: str, source: str, layout: Layout | None, tags: Tags) -> BoardConfig:
    board = parse_board(text, source, layout, tags)
    return parse_board(text + buttons_text(len(board.wiring.inputs)), source, layout, tags)


def load_board(path: Path, layout: Layout | None = None, tags: Tags = ()) -> BoardConfig:
    """Read a board file. Raises BalanxError."""
    return parse_board(read_text(path), str(path), layout, tags)


def parse_board(text: str, source: str, layout: Layout | None = None, tags: Tags = ()) -> BoardConfig:
    """Read a board file's text. `layout` and `tags` go before the file's. Raises BalanxError."""
    try:
        top = Keys(source, "", tomllib.loads(text))
    except (ValueError, RecursionError) as error:  # a huge number, deep brackets
        raise BalanxError(f"{source}: {error}") from error
    board = Keys(source, "board.", top.table("board"))
    link = Keys(source, "link.", top.table("link"))
    tilt = Keys(source, "tilt.", top.table("tilt"))
    sim = top.table("sim")
    name = board.text("name", "simulated board")
    layout_name = board.text("layout", "classic")
    try:
        plan = layout or load_layout(layout_name)
    except BalanxError as error:
        raise board.fail("layout", str(error)) from error
    tags = _other_game(board, Keys(source, "options.", top.table("options")), tags)
    other = game_of_options(tags, 0) if tags else None
    kinds = other.sensors if other else SENSORS
    sensor = board.text("sensor", kinds[0], kinds)
    names = board.texts("wiring")
    sensors = Keys(source, "sensors.", top.table("sensors"))
    gpio = Keys(source, "gpio.", top.table("gpio"))
    lights = Keys(source, "lights.", top.table("lights"))
    buttons = Keys(source, "buttons.", top.table("buttons"))
    sound = Keys(source, "sound.", top.table("sound"))
    heard = parse_sound(sound)
    on_pins = sensors.has("backend") and sensors.given("backend") != "controller"
    port = link.text("port", PINS_PORT if on_pins else SIM_PORT, (PINS_PORT, SIM_PORT) if on_pins else ())
    if other:
        if board.has("layout"):
            raise board.fail("layout", f"is Balanx's: a board for {other.name} is told by its [options]")
        if top.has("tilt"):
            raise top.fail("tilt", f"a board for {other.name} does not tilt")
    drive = tilt.text("drive", "manual" if on_pins or other else "servo", DRIVES)
    end_inputs = tilt.flag("end_inputs", not (on_pins or other) and drive in ("servo", "manual"))
    side_checked = tilt.flag("side_checked", port == SIM_PORT)
    usual = TiltLimits()
    angle_deg = tilt.number("angle_deg", 8.0, 2.0, 15.0)
    rock_deg = tilt.number("rock_deg", 2.0, 0.1, 2.0)
    swing_s = tilt.number("swing_s", usual.swing_s, 0.25, 5.0)  # faster throws marbles
    warning_s = tilt.number("warning_s", usual.warning_s, 0.7, 10.0)
    grace_s = tilt.number("grace_s", usual.grace_s, 0.0, 10.0)
    hold_s = tilt.number("hold_s", usual.hold_s, 0.0, 10.0)
    try:
        cells = other.cell_names if other else plan.cell_names
        wiring = Wiring.straight(len(cells)) if names is None else wiring_from_names(names, cells)
    except HardwareError as error:
        raise BalanxError(f"{source}: board.{error}") from error
    if drive == "servo" and on_pins:
        raise tilt.fail(
            "drive", "this servo is the controller's, and the board has none: gpio-servo is the Pi's"
        )
    pushed = parse_buttons(buttons, wiring, cells, chain=sensors.given("backend") != "reeds")
    backends = parse_backends(
        sensors,
        tilt,
        gpio,
        drive=drive,
        inputs=len(wiring.inputs),
        full_deg=angle_deg,
        swing_s=swing_s,
        beside=(*heard.pins, *pushed.pin_keys),
    )
    shown = LightsConfig(
        lights.flag("on", False),
        lights.number("supply_ma", 500.0, 100.0, 5000.0),
        lights.flag("night", False),
    )
    if shown.on and on_pins:
        raise lights.fail("on", "the lights are the controller's, and a board on pins has none")
    for keys in (top, board, link, tilt, sensors, gpio, lights, sound, buttons):
        keys.done()
    if on_pins and sensor != "presence":
        raise board.fail("sensor", "pins tell presence only; colour needs the controller")
    if (backends.pins or backends.bus) and (backends.factory == "mock") != (port == SIM_PORT):
        if backends.factory == "mock":
            raise gpio.fail("factory", f'"mock" has no real pins: it is for link.port = "{SIM_PORT}" only')
        raise link.fail(
            "port",
            f'"{SIM_PORT}", the simulated board, has no real pins: name a port, or gpio.factory = "mock"',
        )
    if drive != "servo" and (on_pins or drive != "manual") and tilt.has("end_inputs"):
        raise tilt.fail(
            "end_inputs", "is for inputs of the controller: name this board's own with tilt.end_pins"
        )
    end_inputs = end_inputs or backends.end_pins is not None
    try:
        limits = TiltLimits(
            round(angle_deg * 100), round(rock_deg * 100), swing_s, warning_s, grace_s, hold_s
        )
    except HardwareError as error:
        raise BalanxError(f"{source}: tilt: {error}") from error
    if sim and port != SIM_PORT:
        raise BalanxError(f'{source}: sim: this table fits only link.port = "{SIM_PORT}"')
    return BoardConfig(
        source,
        text,
        name,
        plan,
        port,
        sensor,
        drive,
        end_inputs,
        side_checked,
        limits,
        wiring,
        sim,
        backends,
        tags,
        lights=shown,
        sound=heard,
        buttons=pushed,
    )


def _other_game(board: Keys, options: Keys, tags: Tags) -> Tags:
    """The tags of the board's game; empty for Balanx. `tags` go before the file's."""
    name = board.text("game", BALANX, NAMES)
    given = options.all()
    if tags:
        if board.has("game") and name != tags[0][1]:
            raise board.fail("game", f"this is a board for {name}, not for {tags[0][1]}")
        return checked_tags(tags[0][1], {**_settings(options, given), **dict(tags[1:])})
    if name == BALANX:
        options.done()
        return ()
    return checked_tags(name, _settings(options, given), f"{options.source}: options.")


def _settings(options: Keys, given: Mapping[str, Any]) -> dict[str, str]:
    """What a board file says of its game, as texts: numbers as they are, true and false as on and off."""
    found = {}
    for tag, value in given.items():
        if isinstance(value, bool):
            found[tag] = "on" if value else "off"
        elif isinstance(value, str | int):
            found[tag] = str(value)
        else:
            raise options.fail(tag, f"must be a text, a whole number, true or false, not {value!r}")
    return found
