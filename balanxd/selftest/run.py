"""Runs a script on a real board: its port or its pins, in real time. The only part of a self-test with I/O."""

from __future__ import annotations

import random
import select
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import TypeVar

from balanxd.config import BoardConfig
from balanxd.devices import NoPort, open_devices
from firmware_bridge.transport import SerialTransport, Transport

from .boardside import BoardSide
from .script import Machine

LONGEST_WAIT_S = 0.2

M = TypeVar("M", bound=Machine)


def run_real(
    board: BoardConfig, make: Callable[[BoardSide], M], between: Callable[[M], None] = lambda machine: None
) -> M:
    """Open the board, run the script to its end, let the motor go, close. Raises PortError, BalanxError.

    between: called after every step, to tell a person what the script says.
    """
    with ExitStack() as undo:
        devices = open_devices(board)
        undo.callback(lambda: devices.close(time.monotonic()))
        on_pins = devices.sensors is not None
        port: Transport = NoPort() if on_pins else SerialTransport(board.port)
        undo.callback(port.close)
        side = BoardSide(
            board,
            session=random.SystemRandom().randint(1, 0xFFFF),
            devices=devices if on_pins or devices.drive is not None else None,
        )
        machine = make(side)
        try:
            run_port(machine, port, lambda: between(machine))
        finally:
            side.let_go()
            port.write(machine.take_bytes())
        return machine


def run_port(
    machine: Machine,
    port: Transport,
    between: Callable[[], None] = lambda: None,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Run a script over an open port until it is done. clock, sleep: for a port without a file."""
    machine.opened(clock())
    while not machine.done:
        data = machine.take_bytes()
        if data:
            port.write(data)
        wait_s = min(max(machine.due_s() - clock(), 0.0), LONGEST_WAIT_S)
        number = port.fileno()
        if number is None:
            sleep(wait_s)
        else:
            select.select([number], [], [], wait_s)
        read = port.read()
        now_s = clock()
        if read:
            machine.receive(read, now_s)
        else:
            machine.tick(now_s)
        between()
