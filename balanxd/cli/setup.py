"""`balanx setup`: few questions in; a commented board file out, and the calibration begun."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from balanxd.buttons import buttons_text
from balanxd.calibration.store import Store
from balanxd.calibration.values import Calibration
from balanxd.config import load_layout, parse_board
from balanxd.errors import BalanxError
from balanxd.flashing.ports import find_ports
from balanxd.flashing.surroundings import Surroundings, real_surroundings
from balanxd.wholefile import write_whole

from .arguments import state_of
from .calibrate import run_calibration

TEXT = """\
# Written by `balanx setup`. All keys stand in docs/configuration.md.

[board]
name = {name}
layout = {layout}    # classic, wide, or the file of a groove plan
sensor = {sensor}   # presence, or colour where the sensors tell White from Black

[link]
port = {port}    # the controller's serial port; "sim" for the simulated board

[tilt]
drive = {drive}       # servo: the controller's; manual: people push the board down
end_inputs = {ends}    # two switches tell that the board has arrived
# side_checked stays false here: `balanx calibrate` looks to which side the motor tilts
"""

SENSORS, DRIVES, BUTTONS = ("presence", "colour"), ("servo", "manual"), ("none", "chain", "pins")


@click.command()
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), help="The board file to write.")
@click.option("--name", help="What the board is called.")
@click.option("--layout", help="classic, wide, or the file of a groove plan.")
@click.option(
    "--port", metavar="PORT|sim", help="The controller's port; the board that is plugged in is offered."
)
@click.option("--sensor", type=click.Choice(SENSORS), help="What the sensors tell.")
@click.option("--drive", type=click.Choice(DRIVES), help="What tilts the board.")
@click.option("--ends/--no-ends", default=None, help="Whether switches tell the end positions.")
@click.option(
    "--sound",
    metavar="no|speech|GPIO13|speech,GPIO13",
    help="Whether it speaks, and the Pi's pin of its buzzer  [default: no, where nobody can be asked].",
)
@click.option(
    "--buttons",
    type=click.Choice(BUTTONS),
    help="Where the buttons NEXT, YES and STOP are  [default: none, where nobody can be asked].",
)
@click.option("--calibrate/--no-calibrate", "calibrated", default=None, help="Calibrate the board now.")
@click.option("--force", is_flag=True, help="Write over a file that is there.")
@click.option("--state", type=click.Path(path_type=Path, file_okay=False), help="Folder of the calibration.")
@click.pass_context
def setup(
    context: click.Context,
    /,
    out: Path | None,
    name: str | None,
    layout: str | None,
    port: str | None,
    sensor: str | None,
    drive: str | None,
    ends: bool | None,
    sound: str | None,
    buttons: str | None,
    calibrated: bool | None,
    force: bool,
    state: Path | None,
) -> None:
    """Write the file of a board, and calibrate it. With all options given nothing is asked."""
    around: Surroundings = context.obj or real_surroundings()
    out = Path(_ask("--out", "Which file", str(out) if out else None, "board.toml"))
    if out.exists() and not force:
        raise BalanxError(
            f"{out} is there already: name another file with --out, or write over it with --force"
        )
    name = _ask("--name", "What is the board called", name, "My board")
    layout = _ask("--layout", "Which groove plan", layout, "classic")
    cells = load_layout(layout).cells
    text = TEXT.format(
        name=_quoted(name),
        layout=_quoted(layout),
        port=_quoted(_ask("--port", "The controller's port", port, _offered(around))),
        sensor=_quoted(_ask("--sensor", "What do the sensors tell", sensor, "presence", SENSORS)),
        drive=_quoted(_ask("--drive", "What tilts the board", drive, "servo", DRIVES)),
        ends=str(_yes("--ends", "Are there switches for the end positions", ends)).lower(),
    )
    beeps = "Does it speak or beep (no, speech, a buzzer's pin such as GPIO13, or speech,GPIO13)"
    text += _sound_text(_ask("--sound", beeps, sound, "no", must=False))
    pushed = _ask("--buttons", "Where are buttons", buttons, "none", BUTTONS, must=False)
    text += _buttons_text(pushed, cells)
    now = _yes("--calibrate", "Calibrate the board now", calibrated)
    config = parse_board(text, str(out))
    try:
        write_whole(out, text)
    except OSError as error:
        raise BalanxError(f"{out}: {error.strerror or error}") from error
    click.echo(f"{out}: written. Play with `balanx play --board {out}`.")
    if now:
        store = Store(state or state_of(config))
        begun = store.begun(config.layout.name) or Calibration()
        store.finish(run_calibration(config, begun, store, 0))
        click.echo(f"{store.path}: the board is calibrated.")


def _offered(around: Surroundings) -> str:
    """The port of the one board that is plugged in, else the simulator."""
    ours = [port.name for port in find_ports(around) if port.ours]
    return ours[0] if len(ours) == 1 else "sim"


def _ask(
    flag: str,
    question: str,
    given: str | None,
    usual: str,
    among: Sequence[str] | None = None,
    *,
    must: bool = True,
) -> str:
    """The answer, one of `among`. must: it is not to be guessed where nobody can be asked. Raises BalanxError."""
    if given is not None:
        return given
    if not sys.stdin.isatty():
        if not must:
            return usual
        raise BalanxError(f"{question}? Nobody can answer here: say so with {flag}.")
    kind = None if among is None else click.Choice(among)
    return str(click.prompt(question, default=usual, type=kind, err=True))


def _yes(flag: str, question: str, given: bool | None) -> bool:
    if given is not None:
        return given
    if not sys.stdin.isatty():
        raise BalanxError(f"{question}? Nobody can answer here: say so with {flag} or --no-{flag[2:]}.")
    return click.confirm(question, default=True, err=True)


def _sound_text(told: str) -> str:
    """The table of a board that makes sound; empty for `no`. Raises BalanxError."""
    words = [word.strip() for word in told.split(",")]
    if words == ["no"]:
        return ""
    table = {"speech" if word == "speech" else "buzzer": word for word in words}
    if len(table) < len(words) or not table.get("buzzer", "GPIO").startswith("GPIO"):
        raise BalanxError(
            f"--sound {told}: must be no, speech, the pin of one buzzer such as GPIO13, or speech,GPIO13"
        )
    keys = ["speech = true" if key == "speech" else f"buzzer = {_quoted(pin)}" for key, pin in table.items()]
    return "\n[sound]\n" + "".join(f"{key}\n" for key in keys)


def _buttons_text(told: str, cells: int) -> str:
    """The table of a board of so many spaces that has buttons. told: one of BUTTONS; empty for `none`."""
    if told == "none":
        return ""
    if told == "chain":
        table = buttons_text(cells)
        why = "inputs of the chain behind its last space: one chip more, and firmware for it (docs/build.md)"
    else:
        table = '[buttons]\nnext = "GPIO17"\nyes = "GPIO27"\nstop = "GPIO22"\n'
        why = "pins of the Raspberry Pi, each through its button to ground"
    return f"\n# {why}\n{table}"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
