"""C sources, or images that are shipped -> images whose build id is known."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from balanxd.errors import BalanxError

from .making import compiler_version, make, sources
from .surroundings import NotInstalled, Surroundings

INDEX = "index.json"
RENEW = "make -C firmware_bridge/firmware prebuilt"
"""The command that makes the shipped images anew from the sources."""

_KIND = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._-]{0,23}")


@dataclass(frozen=True, slots=True)
class Image:
    """One Intel HEX file; `build_id` is what a board that runs it tells in its hello."""

    path: Path
    kind: str
    cells: int
    build_id: int
    protocol: str
    sha256: str

    @property
    def words(self) -> str:
        """The image in one line."""
        return f"{self.kind}, {self.cells} inputs, build 0x{self.build_id:08x}, protocol {self.protocol}"


def shipped() -> tuple[Image, ...]:
    """The images that came with this program. Raises BalanxError."""
    return images_in(sources() / "prebuilt")


def images_in(folder: Path) -> tuple[Image, ...]:
    """The images of a folder that `build` or the Makefile filled, each as its index says. Raises BalanxError."""
    try:
        index = json.loads((folder / INDEX).read_text(encoding="utf-8"))
        found = tuple(_image(folder, index, entry) for entry in index["images"])
    except OSError as error:
        raise BalanxError(
            f"{folder}: no images here ({error.strerror}); `balanx firmware build` makes some"
        ) from None
    except (ValueError, KeyError, TypeError) as error:
        raise BalanxError(f"{folder / INDEX}: cannot be read ({error}); build it anew") from None
    for image in found:
        if _sha256(image.path) != image.sha256:
            raise BalanxError(
                f"{image.path}: is not the file that {INDEX} names (SHA-256 differs); build it anew"
            )
    return found


def choose(images: tuple[Image, ...], kind: str, cells: int | None = None) -> Image:
    """The image for one kind of board with so many inputs, None for those of its first image. Raises BalanxError."""
    for image in images:
        if image.kind == kind and cells in (None, image.cells):
            return image
    there = ", ".join(f"{image.kind} with {image.cells}" for image in images)
    inputs = "" if cells is None else f" with {cells} inputs"
    raise BalanxError(
        f"no image for a board of kind {kind!r}{inputs} (there are {there}): build one with "
        f"`balanx firmware build --kind {kind!r} --cells {cells or '...'}` and give --from"
    )


def build(around: Surroundings, out: Path, kind: str, cells: int) -> Image:
    """Compiles the sources with avr-gcc into `out`. Raises BalanxError."""
    if not _KIND.fullmatch(kind):
        raise BalanxError(f"--kind {kind!r}: letters, digits, spaces, dots and dashes, at most 24")
    words = (f"CELLS={cells}", f"KIND={kind}")
    with tempfile.TemporaryDirectory(prefix="balanx-") as temporary:
        making = Path(temporary)
        try:
            compiler = compiler_version(run=around.run)
            make("avr", *words, out=making, run=around.run)
        except NotInstalled as error:
            raise BalanxError(
                f"{error} To flash, no compiler is needed: images come with this program."
            ) from None
        build_id = int(make("id", *words, run=around.run), 16)
        try:
            out.mkdir(parents=True, exist_ok=True)
            path = out / f"{kind.replace(' ', '-')}-{cells}.hex"
            shutil.copyfile(making / "balanx.hex", path)
            image = Image(path, kind, cells, build_id, _protocol(), _sha256(path))
            _write_index(out, image, compiler)
        except OSError as error:
            raise BalanxError(f"{out}: {error.strerror or error}") from None
    return image


def _write_index(out: Path, image: Image, compiler: str) -> None:
    entry = {
        "file": image.path.name,
        "kind": image.kind,
        "cells": image.cells,
        "build_id": f"0x{image.build_id:08x}",
        "sha256": image.sha256,
    }
    index = {
        "protocol": image.protocol,
        "compiler": f"avr-gcc {compiler}",
        "chip": "atmega328p",
        "images": [entry],
    }
    (out / INDEX).write_text(json.dumps(index, indent=2) + "\n", encoding="utf-8")


def _image(folder: Path, index: Any, entry: Any) -> Image:
    name = str(entry["file"])
    if Path(name).name != name:
        raise ValueError(f"{name!r} is no file name")
    return Image(
        folder / name,
        str(entry["kind"]),
        int(entry["cells"]),
        int(entry["build_id"], 16),
        str(index["protocol"]),
        str(entry["sha256"]),
    )


def _protocol() -> str:
    header = (sources() / "src" / "messages.h").read_text(encoding="utf-8")
    found = dict(re.findall(r"^#define BALANX_(MAJOR|MINOR) (\d+)", header, re.MULTILINE))
    return f"{found['MAJOR']}.{found['MINOR']}"


def _sha256(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise BalanxError(f"{path}: {error.strerror}") from None
