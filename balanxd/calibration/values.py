"""What calibration found, as a frozen value; its JSON text and back; a board's configuration with it applied."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields, replace
from math import isfinite
from typing import Any

from balanxd.buttons import clash
from balanxd.config import BoardConfig
from balanxd.errors import BalanxError
from hardware.errors import HardwareError
from hardware.mounting import Mounting
from hardware.wiring import wiring_from_names

VERSION = 2
OFFSET_MOST_DEG = 2.0
SINCE_2 = frozenset({"ends_exchanged", "offset_deg"})
"""Keys that a file of version 1, which is still read, has not."""
PLACED = ("servo", "gpio-servo")
"""Drives that go to the angle that they are told: a level that is moved moves their ends, too."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """What is known so far; None: not found yet. wiring: a space's name an input, `-` for an unused one.

    found: while the wiring is under way, the spaces visited and their inputs. reversed: the motor is mounted the
    other way round. ends_exchanged: so are the end inputs. angle_deg: the end angle to use; lean_deg: how much sooner
    marbles roll to White's side; offset_deg: what the motor is told where the board is level, -2..2.
    """

    layout: str = ""
    found: tuple[tuple[str, int], ...] = ()
    wiring: tuple[str, ...] | None = None
    threshold: int | None = None
    reversed: bool | None = None
    ends_exchanged: bool | None = None
    angle_deg: float | None = None
    lean_deg: float | None = None
    offset_deg: float | None = None

    def text(self) -> str:
        """As JSON."""
        return json.dumps({"version": VERSION, **asdict(self)}, indent=1) + "\n"


def parse_calibration(text: str, source: str) -> Calibration:
    """The inverse of `Calibration.text`. Raises BalanxError."""
    try:
        told: dict[str, Any] = json.loads(text)
        version = told.pop("version", None) if isinstance(told, dict) else None
        if version not in (1, VERSION):
            raise BalanxError(f"{source}: not a calibration of version 1 to {VERSION}; calibrate anew")
        known = {field.name for field in fields(Calibration)} - (SINCE_2 if version == 1 else set())
        if set(told) - known:
            raise BalanxError(f"{source}: unknown key {min(set(told) - known)!r}")
        told["found"] = tuple((str(name), int(number)) for name, number in told.get("found", ()))
        if told.get("wiring") is not None:
            told["wiring"] = tuple(str(name) for name in told["wiring"])
        number = (int, float)
        kinds: dict[str, type | tuple[type, ...]] = {
            "threshold": int,
            "reversed": bool,
            "ends_exchanged": bool,
            "angle_deg": number,
            "lean_deg": number,
            "offset_deg": number,
        }
        for key, kind in kinds.items():
            value = told.get(key)
            fits = value is None or isinstance(value, kind)
            if (
                not fits
                or not isfinite(value or 0)
                or (key == "offset_deg" and abs(value or 0) > OFFSET_MOST_DEG)
            ):
                raise BalanxError(f"{source}: {key} is {value!r}")
        return Calibration(**told)
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        raise BalanxError(f"{source}: not a calibration ({error})") from error


def apply(board: BoardConfig, known: Calibration, source: str) -> BoardConfig:
    """The board as calibrated, never tilted further than its file allows.

    Raises BalanxError where the calibration is another board's.
    """
    if known.layout != board.layout.name:
        raise BalanxError(
            f"{source}: this calibration is of layout {known.layout!r}, the board is {board.layout.name!r}"
        )
    try:
        if known.wiring is not None:
            board = replace(board, wiring=wiring_from_names(known.wiring, board.layout.cell_names))
            if wrong := clash(board.buttons, board.wiring, board.layout.cell_names):
                raise BalanxError(f"{board.source}: {wrong} (so {source} has it)")
        board = replace(board, mounting=Mounting(bool(known.reversed), bool(known.ends_exchanged)))
        if known.reversed is not None:
            board = replace(board, side_checked=True)
        # An angle of version 1 may be one at which the end inputs do not close: nobody looked at them.
        unsure = board.end_inputs and known.ends_exchanged is None
        if known.angle_deg is not None and not unsure:
            level_cdeg = round((known.offset_deg or 0.0) * 100)
            most_cdeg = board.limits.full_cdeg - (abs(level_cdeg) if board.drive in PLACED else 0)
            full_cdeg = min(round(known.angle_deg * 100), most_cdeg)
            limits = replace(board.limits, full_cdeg=full_cdeg, level_cdeg=level_cdeg)
            board = replace(board, limits=limits)
    except HardwareError as error:
        raise BalanxError(f"{source}: {error}") from error
    return board
