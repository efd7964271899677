"""Faults of a simulated board as its file tells them (`[[sim.fault]]`); frozen faults of `sim.faults` out.

[[sim.fault]]
kind = "stuck_on"
space = "e4"
from_s = 10
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any

from balanxd.config import BoardConfig
from balanxd.errors import BalanxError
from balanxd.keys import Keys, dataclass_from, nearest
from hardware.faults import FaultName
from sim.errors import SimError
from sim.faults import KINDS, SimFault
from sim.sensorboard import SensorBoard
from sim.table import Table

KEY = "fault"


def fault_from(keys: Keys, table: Mapping[str, Any]) -> SimFault:
    """One fault; `keys` names the place. Raises BalanxError with the nearest valid kind or key."""
    reader = Keys(keys.source, keys.path, table)
    if "kind" not in table:
        raise reader.fail("kind", f"say which fault: {', '.join(sorted(KINDS))}")
    name = reader.text("kind", "")
    if name not in KINDS:
        raise reader.fail(
            "kind",
            f"there is no fault {name!r}{nearest(name, KINDS) or ' (there are ' + ', '.join(KINDS) + ')'}",
        )
    kind = KINDS[FaultName(name)]
    rest = {key: value for key, value in table.items() if key != "kind"}
    needed = [field.name for field in fields(kind) if field.default is MISSING and field.name not in rest]
    if needed and rest.keys() <= {field.name for field in fields(kind)}:
        raise reader.fail("kind", f"{table['kind']} needs {' and '.join(needed)}")
    fault: SimFault = dataclass_from(reader, kind, rest)
    return fault


def plan_faults(table: Table | SensorBoard, board: BoardConfig) -> None:
    """Have the faults of the board's file. Raises BalanxError that names file, place and key."""
    told = board.sim.get(KEY, [])
    if not isinstance(told, list) or not all(isinstance(each, dict) for each in told):
        raise BalanxError(f"{board.source}: sim.{KEY}: must be written as [[sim.{KEY}]] tables")
    for number, each in enumerate(told, start=1):
        keys = Keys(board.source, f"sim.{KEY}[{number}].", each)
        fault = fault_from(keys, each)
        try:
            table.faults.plan(fault)
        except SimError as error:
            raise BalanxError(f"{board.source}: sim.{KEY}[{number}]: {error}") from error
