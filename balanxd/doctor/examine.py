"""Examine: one computer and its board file in; all findings out, in an order for people."""

from __future__ import annotations

from balanxd.backends import DcMotor, Stepper
from balanxd.config import BoardConfig, parse_board, read_text
from balanxd.errors import BalanxError

from . import access, health, sound
from .findings import Finding
from .machine import Machine, people_of

SERVICE_USER = "balanx"


def examine(machine: Machine, board_file: str, state: str) -> list[Finding]:
    """Everything. board_file, state: paths as the computer sees them."""
    board, told = _board(machine, board_file)
    service = health.unit_state(machine) or {}
    process = service.get("MainPID", "0")
    needs = access.Needs(
        user=SERVICE_USER if SERVICE_USER in people_of(machine).main else machine.user,
        port=board.port if board is not None and board.port.startswith("/") else "",
        pins=board is not None and bool(board.backends.pins),
        bus=board is not None and board.backends.bus,
        daemon=int(process) if process.isdigit() and process != "0" else None,
        sound=board is not None and board.sound.speech,
    )
    motorkit = board is not None and isinstance(board.backends.motor, Stepper | DcMotor)
    return [
        told,
        *health.versions(machine, pins=needs.pins, motorkit=motorkit),
        *access.groups(machine, needs),
        *access.port(machine, needs),
        *health.firmware(machine, state),
        *access.bus(machine, needs),
        *access.pins(machine, needs),
        *(() if board is None else sound.speech(machine, board.sound)),
        *health.power(machine),
        *health.disk(machine, state),
        *health.clock(machine, f"{state}/games"),
        *health.unit(machine),
        *health.switch(machine),
    ]


def _board(machine: Machine, name: str) -> tuple[BoardConfig | None, Finding]:
    if not machine.there(name):
        why = "Without it nobody knows what the board is made of."
        return None, Finding("board", f"There is no board file {name}.", why, "sudo scripts/install.sh")
    try:
        board = parse_board(read_text(machine.path(name)), name)
    except BalanxError as error:
        return None, Finding("board", str(error), "The daemon does not start with it.", f"sudoedit {name}")
    what = "the simulated board" if board.simulated else f"{board.port}, {board.drive} drive"
    return board, Finding("board", f"{name}: {board.name} ({what}).")
