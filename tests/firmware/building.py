"""The firmware's sources in, changed if a test wants that; what the compilers make of them out."""

import ctypes
import shutil
import subprocess
from pathlib import Path

from balanxd.contract.host import BUILD_ID
from balanxd.flashing.making import sources

FLAGS = ("-std=gnu99", "-w", "-O0", "-fPIC", f"-DBUILD_ID={BUILD_ID}UL", "-DCOMMIT_ID=0UL")
"""As the Makefile's for this computer, without what takes a compiler's time."""


class Workshop:
    """The host build from objects, so that a changed file is compiled alone."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._source = folder / "source"
        shutil.copytree(sources(), self._source, ignore=shutil.ignore_patterns("build", "prebuilt"))
        self._files = sorted((self._source / "src").glob("*.c")) + [
            self._source / "host" / name for name in ("board_host.c", "codec_host.c")
        ]
        self._made = 0
        self._objects = {path: self._compile(path, "good") for path in self._files}

    def _compile(self, path: Path, kind: str) -> Path:
        made = self._folder / f"{path.stem}-{kind}.o"
        include = [f"-I{self._source / room}" for room in ("src", "host")]
        _run("cc", *FLAGS, *include, "-c", "-o", str(made), str(path))
        return made

    def library(self, file: str = "", text: str = "", instead: str = "") -> ctypes.CDLL:
        """The host build with one text of a file of src/ changed, which must be in it exactly once."""
        self._made += 1
        objects = dict(self._objects)
        if file:
            path = self._source / "src" / file
            good = path.read_text()
            assert good.count(text) == 1, f"{text!r} is {good.count(text)} times in {file}"
            path.write_text(good.replace(text, instead))
            changed = self._files if path.suffix == ".h" else [path]
            objects |= {each: self._compile(each, str(self._made)) for each in changed}
            path.write_text(good)
        library = self._folder / f"libbalanx-{self._made}.so"
        _run("cc", "-shared", "-o", str(library), *map(str, objects.values()))
        return ctypes.CDLL(str(library))


def _run(*command: str) -> None:
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stdout + told.stderr
