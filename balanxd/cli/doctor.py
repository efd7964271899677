"""`balanx doctor`: what on this computer keeps the board from playing, and the command that mends it."""

from __future__ import annotations

import json
import os
import sys

import click

from balanxd.doctor.examine import examine
from balanxd.doctor.findings import table, words
from balanxd.doctor.machine import Machine, real_machine

from .arguments import SERVICE_STATE, default_state
from .serve import BOARD_FILE


@click.command()
@click.option("--board", default=BOARD_FILE, show_default=True, metavar="FILE", help="The board file.")
@click.option("--state", metavar="DIR", help=f"State folder  [default: {SERVICE_STATE}, else yours].")
@click.option("--json", "as_json", is_flag=True, help="For programs.")
@click.pass_context
def doctor(context: click.Context, board: str, state: str | None, as_json: bool) -> None:
    """Look for what keeps the board from playing: groups, port, firmware, supply, disk, clock, service.

    Changes nothing and opens no port. Exit status 0: all is well; 1: something is to be mended. As root it sees which
    programs of other users hold the port.
    """
    machine: Machine = context.obj or real_machine()
    folder = state or (SERVICE_STATE if machine.there(SERVICE_STATE) else str(default_state()))
    findings = examine(machine, os.path.abspath(board), os.path.abspath(folder))
    click.echo(json.dumps(table(findings), indent=1) if as_json else words(findings))
    if any(finding.wrong for finding in findings):
        sys.exit(1)
