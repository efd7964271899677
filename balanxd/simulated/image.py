"""A board's file in; an emulated controller for its simulated table, with the firmware image it runs, out.

`[sim] firmware = "build"` compiles the sources that came with this program, once for each of their states;
`[sim] firmware = "FILE"` takes an ELF file.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
from importlib.resources import files
from pathlib import Path

from balanxd.config import BoardConfig
from balanxd.errors import BalanxError
from balanxd.keys import Keys
from sim.agenda import Agenda
from sim.drive import Drive
from sim.inputs import Lines
from sim.model import Model
from sim.outside import AnyController, ControllerMaker

from .emulated import BOARD, EmulatedController
from .emulator import Emulator, find_emulator

KEY = "firmware"
BUILD = "build"
CELLS_MAX = 128
TOOLS = "sudo apt-get install make gcc-avr avr-libc binutils-avr"


def controller_of(board: BoardConfig) -> ControllerMaker | None:
    """What makes the board's emulated controller; None where the simulator's own is meant. Raises BalanxError."""
    if KEY not in board.sim:
        return None
    keys = Keys(board.source, "sim.", board.sim)
    given = keys.text(KEY, BUILD)
    inputs = len(board.wiring.inputs)
    if inputs > CELLS_MAX:
        raise keys.fail(KEY, f"the firmware reads {CELLS_MAX} inputs at most, this board has {inputs}")
    if board.backends.pins or board.backends.bus:
        raise keys.fail(KEY, "this board's sensors or motor are not the controller's")
    program = find_emulator()
    if given == BUILD:
        image = build_image(board.layout.name, inputs)
    else:
        image = Path(given)
        if not image.is_file():
            raise keys.fail(KEY, f'{given!r}: there is no such file ("{BUILD}" compiles the sources)')

    def make(agenda: Agenda, model: Model, lines: Lines, drive: Drive) -> AnyController:
        with contextlib.ExitStack() as undo:
            emulator = Emulator(program)
            undo.callback(emulator.close)
            emulator.load(BOARD, image)
            controller = EmulatedController(emulator, agenda, model, lines, drive)
            undo.pop_all()
        return controller

    return make


def usual_cache() -> Path:
    """Where compiled images are kept."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "balanx"


def build_image(kind: str, cells: int, cache: Path | None = None) -> Path:
    """The ELF file of the sources, for a kind of board and so many inputs. Raises BalanxError.

    cache: folder where it is kept under its build id, so that the same sources are compiled once.
    """
    source = Path(str(files("firmware_bridge"))) / "firmware"
    told = ("make", "--silent", "--no-print-directory", "-C", str(source), f"CELLS={cells}", f"KIND={kind}")
    for tool in ("make", "avr-gcc"):
        if shutil.which(tool) is None:
            raise BalanxError(
                f"{tool} is not installed here, and the firmware must be compiled for the emulator. "
                f'On Debian: `{TOOLS}`; or name an ELF file with [sim] {KEY} = "FILE" in a board file.'
            )
    folder = cache or usual_cache()
    path = folder / f"{kind}-{cells}-{_run(*told, 'id').strip()}.elf"
    if path.exists():
        return path
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder, prefix="making-") as making:
            made = Path(making) / "balanx.elf"
            _run(*told, f"OUT={making}", str(made))
            os.replace(made, path)  # another one that makes the same at this moment does no harm
    except OSError as error:
        raise BalanxError(f"{folder}: {error.strerror or error}") from error
    return path


def _run(*command: str) -> str:
    made = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if made.returncode:
        words = [line for line in made.stderr.splitlines() if line.strip()] or ["no word of why"]
        raise BalanxError(f"the firmware does not compile: {words[0]}")
    return made.stdout
