"""A simulated table under a script (self-test, calibration): as fast as it can, simulated time the only clock."""

from __future__ import annotations

from collections.abc import Callable

from balanxd.config import BoardConfig
from balanxd.devices import Devices
from balanxd.errors import BalanxError
from balanxd.selftest.script import Machine
from sim.table import Table

from .build import simulated_devices

STUCK_STEPS = 100_000


def run_machine(
    table: Table,
    machine: Machine,
    *,
    limit_s: float = 36_000.0,
    between: Callable[[float], None] = lambda now_s: None,
) -> None:
    """Run until the script is done. between: called after each step (a hand that obeys). Raises BalanxError."""
    now_s = table.now_s
    machine.opened(now_s)
    table.write(machine.take_bytes())
    still = 0
    while not machine.done:
        at_s = table.advance_to_bytes(min(limit_s, machine.due_s()))
        if at_s >= limit_s:
            raise BalanxError(f"the script was not done after {limit_s:g} s")
        still = still + 1 if at_s <= now_s else 0
        if still > STUCK_STEPS:
            raise BalanxError(f"no time passes any more at {now_s:.3f} s")
        now_s = at_s
        data = table.read()
        if data:
            machine.receive(data, now_s)
        else:
            machine.tick(now_s)
        between(now_s)
        down = machine.take_bytes()
        if down:
            table.write(down)


def devices_for(board: BoardConfig, table: Table) -> Devices | None:
    """The back ends of a board on mock pins; None for a controller."""
    devices = simulated_devices(board, table)
    return devices if devices.sensors is not None or devices.drive is not None else None
