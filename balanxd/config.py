"""Configuration of a board: TOML text in, frozen values out.

Read once. Every key has a kind and bounds; an unknown key or a broken bound raises BalanxError that names the
file, the key, and the nearest valid key.
"""

from __future__ import annotations

import contextlib
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields, is_dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

from hardware.errors import HardwareError
from hardware.tilt import TiltLimits
from hardware.wiring import Wiring, wiring_from_names
from rules.balanx.layout import SHIPPED, Layout, layout_named
from rules.errors import LayoutError

from .errors import BalanxError

SIM_PORT = "sim"
SENSORS = ("presence", "colour")
DRIVES = ("servo", "manual")
LARGEST = 1e15


@dataclass(frozen=True, slots=True)
class BoardConfig:
    """One board. text: the file it came from; sim: its [sim] table, which the simulator's composition root reads."""

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

    @property
    def motor(self) -> bool:
        """Whether a motor may move this board. Not before somebody saw that it tilts to the side that was meant."""
        return self.drive == "servo" and self.side_checked

    @property
    def simulated(self) -> bool:
        """Whether the board is made of numbers."""
        return self.port == SIM_PORT


class Keys:
    """One table of a TOML file, read key by key; `done` refuses what nobody read."""

    def __init__(self, source: str, path: str, table: Mapping[str, Any]) -> None:
        self.source = source
        self.path = path
        self._table = dict(table)
        self._known: list[str] = []

    def fail(self, key: str, what: str) -> BalanxError:
        """An error that names file and key."""
        return BalanxError(f"{self.source}: {self.path}{key}: {what}")

    def text(self, key: str, default: str, among: Collection[str] = ()) -> str:
        """A text, one of `among` where that is given."""
        value = self._take(key, default)
        if not isinstance(value, str):
            raise self.fail(key, f"must be a text, not {value!r}")
        if among and value not in among:
            raise self.fail(
                key, f"must be {' or '.join(sorted(among))}, not {value!r}{_nearest(value, among)}"
            )
        return value

    def number(self, key: str, default: float, low: float, high: float) -> float:
        """A number from `low` to `high`."""
        value = self._take(key, default)
        if not _is_number(value):
            raise self.fail(key, f"must be a number, not {value!r}")
        if not low <= value <= high:
            raise self.fail(key, f"must be {low:g} to {high:g}, not {value:g}")
        return float(value)

    def flag(self, key: str, default: bool) -> bool:
        """true or false."""
        value = self._take(key, default)
        if not isinstance(value, bool):
            raise self.fail(key, f"must be true or false, not {value!r}")
        return value

    def texts(self, key: str) -> tuple[str, ...] | None:
        """A list of texts, None where it is not given."""
        value = self._take(key, None)
        if value is None:
            return None
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.fail(key, "must be a list of texts")
        return tuple(value)

    def table(self, key: str) -> dict[str, Any]:
        """A table, empty where it is not given."""
        value = self._take(key, {})
        if not isinstance(value, dict):
            raise self.fail(key, "must be a table")
        return value

    def done(self) -> None:
        """Raise BalanxError for the first key that nobody asked for."""
        for key in self._table:
            if key not in self._known:
                raise self.fail(key, _no_such_key(key, self._known))

    def _take(self, key: str, default: Any) -> Any:
        self._known.append(key)
        return self._table.get(key, default)


def _is_number(value: Any) -> bool:
    """Whether a TOML value is a number that can be reckoned with (not nan, inf, or one too large for a float)."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) <= LARGEST


def _no_such_key(key: str, known: Collection[str]) -> str:
    return f"no such key{_nearest(key, known) or ' (there are ' + ', '.join(known) + ')'}"


def _nearest(word: str, among: Collection[str]) -> str:
    near = get_close_matches(word, list(among), 1, 0.5)
    return f" (did you mean {near[0]}?)" if near else ""


def load_layout(name: str) -> Layout:
    """A shipped layout by name, or the layout in a TOML file. Raises BalanxError with one line."""
    try:
        if name in SHIPPED:
            return layout_named(name)
        path = Path(name)
        if not path.suffix and not path.exists():
            raise BalanxError(
                f"layout {name!r}: there are {', '.join(SHIPPED)}, or give a TOML file{_nearest(name, SHIPPED)}"
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


def simulated_board(layout: Layout | None = None) -> BoardConfig:
    """The board that `--board sim` plays on."""
    return parse_board("", "the simulated board", layout)


def load_board(path: Path, layout: Layout | None = None) -> BoardConfig:
    """Read a board file. Raises BalanxError."""
    return parse_board(read_text(path), str(path), layout)


def parse_board(text: str, source: str, layout: Layout | None = None) -> BoardConfig:
    """Read a board file's text. `layout` goes before the file's. Raises BalanxError."""
    try:
        top = Keys(source, "", tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
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
    sensor = board.text("sensor", "presence", SENSORS)
    names = board.texts("wiring")
    port = link.text("port", SIM_PORT)
    drive = tilt.text("drive", "servo", DRIVES)
    end_inputs = tilt.flag("end_inputs", True)
    side_checked = tilt.flag("side_checked", port == SIM_PORT)
    usual = TiltLimits()
    angle_deg = tilt.number("angle_deg", 8.0, 2.0, 15.0)
    rock_deg = tilt.number("rock_deg", 2.0, 0.1, 2.0)
    swing_s = tilt.number("swing_s", usual.swing_s, 0.25, 5.0)  # faster throws marbles
    warning_s = tilt.number("warning_s", usual.warning_s, 0.7, 10.0)
    grace_s = tilt.number("grace_s", usual.grace_s, 0.0, 10.0)
    hold_s = tilt.number("hold_s", usual.hold_s, 0.0, 10.0)
    for keys in (top, board, link, tilt):
        keys.done()
    try:
        limits = TiltLimits(
            round(angle_deg * 100), round(rock_deg * 100), swing_s, warning_s, grace_s, hold_s
        )
    except HardwareError as error:
        raise BalanxError(f"{source}: tilt: {error}") from error
    try:
        cells = len(plan.cell_names)
        wiring = Wiring.straight(cells) if names is None else wiring_from_names(names, plan.cell_names)
    except HardwareError as error:
        raise BalanxError(f"{source}: board.{error}") from error
    if sim and port != SIM_PORT:
        raise BalanxError(f'{source}: sim: this table fits only link.port = "{SIM_PORT}"')
    return BoardConfig(
        source, text, name, plan, port, sensor, drive, end_inputs, side_checked, limits, wiring, sim
    )


def dataclass_from(keys: Keys, kind: type[Any], table: Mapping[str, Any]) -> Any:
    """A frozen dataclass of plain values and ranges from a TOML table, over its defaults. Raises BalanxError."""
    hints = get_type_hints(kind)
    known = [field.name for field in fields(kind)]
    values: dict[str, Any] = {}
    for key, value in table.items():
        if key not in known:
            raise keys.fail(key, _no_such_key(key, known))
        hint = hints[key]
        if is_dataclass(hint):
            if not isinstance(value, dict):
                raise keys.fail(key, "must be a table")
            values[key] = dataclass_from(Keys(keys.source, f"{keys.path}{key}.", value), hint, value)  # type: ignore[arg-type]
        else:
            values[key] = _fit(keys, key, value, hint)
    try:
        return kind(**values)
    except ValueError as error:
        raise BalanxError(f"{keys.source}: {keys.path.rstrip('.')}: {error}") from error


def _fit(keys: Keys, key: str, value: Any, hint: Any) -> Any:
    """A TOML value as a field's type wants it. Raises BalanxError."""
    kind, parts = get_origin(hint), get_args(hint)
    if kind is Literal:
        if value not in parts:
            raise keys.fail(key, f"must be {' or '.join(map(str, parts))}, not {value!r}")
        return value
    if kind is tuple:
        if not isinstance(value, list):
            raise keys.fail(key, f"must be a list, not {value!r}")
        if parts[-1] is Ellipsis:
            parts = parts[:1] * len(value)
        if len(parts) != len(value):
            raise keys.fail(key, f"must be a list of {len(parts)}, not of {len(value)}")
        found = tuple(_fit(keys, key, item, part) for item, part in zip(value, parts, strict=True))
        if parts == (float, float) and found[0] > found[1]:
            raise keys.fail(key, f"is a range, but {found[0]:g} is above {found[1]:g}")
        return found
    if float in (hint, *parts):
        if _is_number(value):
            return float(value)
        raise keys.fail(key, f"must be a number, not {value!r}")
    if hint in (bool, int, str) and type(value) is hint:
        return value
    if hint is bytes and isinstance(value, str):
        with contextlib.suppress(ValueError):
            return bytes.fromhex(value)
    wanted = {bool: "true or false", int: "a whole number", str: "a text", bytes: "hexadecimal digits"}
    raise keys.fail(key, f"must be {wanted.get(hint, 'something else')}, not {value!r}")
