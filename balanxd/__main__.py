"""`balanx`: the command line. Exit status 0 good, 1 the input is wrong (one clear line), 2 wrong usage."""

from __future__ import annotations

import os
import sys
from importlib import import_module

import click

from firmware_bridge.errors import BridgeError
from rules.errors import RulesError

from .errors import BalanxError

COMMANDS = {
    "backup": "Games and calibration onto a USB stick.",
    "bench": "Measure the figures on this machine.",
    "calibrate": "Wiring, thresholds, tilt side and angle of a board, found with a person's help.",
    "doctor": "What on this computer keeps the board from playing, and the command that mends it.",
    "firmware": "The controller's firmware: build it, write it, say which one runs.",
    "hil": "Test a controller with hardware in the loop.",
    "layout": "Groove plans of boards.",
    "parts": "Sensors and marbles: which pairs work, before they are bought.",
    "pair": "The code that lets a browser on another machine play.",
    "play": "Play on the simulated board (default) or a real one.",
    "replay": "Replay the board's bytes of a trace into a fresh daemon and print the record that comes out.",
    "selftest": "What is wrong with a board, by name and space.",
    "setup": "Write the file of a board, and calibrate it.",
    "serve": "The daemon of a board, as the service runs it.",
    "sound": "Play each tune of the board, and say what it means.",
    "restore": "Games and calibration back from a USB stick.",
    "rules": "The rules of the games, without a board.",
}
"""Commands and what the list of commands says of them; `balanxd.cli.NAME` holds a click command of that name."""


class _Commands(click.Group):
    """Loads a command when it is asked for: what one command needs is no other's start-up time."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        name = cmd_name.replace("-", "_")
        found = getattr(import_module(f"balanxd.cli.{name}"), name)
        assert isinstance(found, click.Command)
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(sorted(COMMANDS.items()))


@click.group(
    cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(package_name="balanx", message="balanx %(version)s")
def balanx() -> None:
    """A see-saw marble board that comes alive.

    `balanx play` opens a Balanx board in the browser: drag the marbles, the computer plays Black. The same
    daemon drives a real board (`--board FILE`); everything on the simulated one goes the same way: a hand,
    rolling marbles, sensors, bytes on a serial line, recognition, rules, journal.
    """


def main() -> None:
    """The command `balanx`."""
    try:
        balanx(standalone_mode=False)
    except click.UsageError as error:
        error.show()
        sys.exit(2)
    except click.Abort:
        sys.exit(130)
    except click.exceptions.Exit as done:
        sys.exit(done.exit_code)
    except BrokenPipeError:
        # The reader of our output is gone (`| head`); nothing is wrong here.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except (BalanxError, RulesError, BridgeError, OSError) as error:
        click.echo(f"balanx: {' '.join(str(error).split())}", err=True)
        sys.exit(1)


if __name__ == "__main__":
    main()
