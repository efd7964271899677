"""A board's file in; an emulated controller for its simulated table, with the firmware image it runs, out.

`[sim] firmware = "build"` compiles the sources that came with this program, once for each of their states;
`[sim] firmware = "FILE"` takes an ELF file.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

from balanxd.config import IMAGE_KEY, BoardConfig
from balanxd.errors import BalanxError
from balanxd.flashing.making import compiler_version, make
from balanxd.flashing.surroundings import NotInstalled
from balanxd.keys import Keys
from firmware_bridge.messages import CELLS_MAX
from sim.agenda import Agenda
from sim.drive import Drive
from sim.inputs import Lines
from sim.model import Model
from sim.outside import AnyController, ControllerMaker

from .emulated import BOARD, EmulatedController
from .emulator import Emulator, find_emulator

BUILD = "build"


def emulated_of(board: BoardConfig) -> ControllerMaker:
    """What makes the emulated controller of a board whose file names an image. Raises BalanxError."""
    keys = Keys(board.source, "sim.", board.sim)
    given = keys.text(IMAGE_KEY, BUILD)
    inputs = board.inputs
    if inputs > CELLS_MAX:
        raise keys.fail(IMAGE_KEY, f"the firmware reads {CELLS_MAX} inputs at most, this board has {inputs}")
    if board.backends.sensors is not None or board.backends.motor is not None:
        raise keys.fail(IMAGE_KEY, "this board's sensors or motor are not the controller's")
    program = find_emulator()
    if given == BUILD:
        image = build_image(board.layout.name, inputs)
    else:
        image = Path(given)
        if not image.is_file():
            raise keys.fail(IMAGE_KEY, f'{given!r}: there is no such file ("{BUILD}" compiles the sources)')

    def start(agenda: Agenda, model: Model, lines: Lines, drive: Drive) -> AnyController:
        with contextlib.ExitStack() as undo:
            emulator = Emulator(program)
            undo.callback(emulator.close)
            emulator.load(BOARD, image)
            controller = EmulatedController(emulator, agenda, model, lines, drive)
            undo.pop_all()
        return controller

    return start


def usual_cache() -> Path:
    """Where compiled images are kept."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "balanx"


def build_image(kind: str, cells: int, cache: Path | None = None) -> Path:
    """The ELF file of the sources, for a kind of board and so many inputs. Raises BalanxError.

    cache: folder where it is kept under its build id, so that the same sources are compiled once.
    """
    words = (f"CELLS={cells}", f"KIND={kind}")
    folder = cache or usual_cache()
    try:
        path = folder / f"{kind}-{cells}-{make('id', *words).strip()}.elf"
        if path.exists():
            return path
        compiler_version()
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder, prefix="making-") as making:
            made = Path(making) / "balanx.elf"
            make(str(made), *words, out=Path(making))
            os.replace(made, path)  # another one that makes the same at this moment does no harm
    except NotInstalled as error:
        raise BalanxError(
            f'{error} The emulated chip runs it; or name an ELF file with [sim] {IMAGE_KEY} = "FILE" in a board file.'
        ) from None
    except OSError as error:
        raise BalanxError(f"{folder}: {error.strerror or error}") from error
    return path
