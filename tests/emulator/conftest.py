"""The emulator and images for it, each compiled once from its sources."""

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from chips.chip import Chip

from balanxd.contract.plugin import NOTE
from balanxd.simulated.emulator import Emulator, Flags, build_emulator
from balanxd.simulated.image import build_image

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(__file__).parent / "programs"


@pytest.fixture(scope="session")
def program() -> Path:
    """The emulator."""
    return build_emulator(ROOT / "emulator", ROOT / "emulator" / "build")


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What $XDG_CACHE_HOME is to these tests."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="session")
def image(cache: Path) -> Path:
    """The firmware's image for the classic board."""
    return build_image("classic", 56, cache / "balanx")


@pytest.fixture
def chip(program: Path, image: Path) -> Iterator[Chip]:
    """The controller, up for two seconds."""
    chip = Chip(program, image)
    chip.run(2000)
    yield chip
    chip.close()


@pytest.fixture
def exact_chip(program: Path, image: Path) -> Iterator[Chip]:
    """The same, looked at after each instruction."""
    chip = Chip(program, image, flags=Flags.FIGURES)
    chip.run(2000)
    chip.emulator.begin_stats(0)
    yield chip
    chip.close()


@pytest.fixture(autouse=True)
def here(program: Path, cache: Path, image: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The emulator and its image are those of this run."""
    monkeypatch.setenv("BALANX_EMULATOR", str(program))
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))


MakeTiny = Callable[..., Emulator]


@pytest.fixture
def tiny(program: Path, tmp_path: Path) -> Iterator[MakeTiny]:
    """Starts one of the small programs beside this file."""
    with_them: list[Emulator] = []

    def make(name: str, flags: Flags = Flags.NONE, *defines: str) -> Emulator:
        elf = tmp_path / f"{name}.elf"
        if not elf.exists():
            subprocess.run(
                [
                    "avr-gcc",
                    "-mmcu=atmega328p",
                    "-DF_CPU=16000000UL",
                    "-Os",
                    "-std=gnu99",
                    "-Wall",
                    "-Wextra",
                    "-Werror",
                    *defines,
                    "-o",
                    str(elf),
                    str(PROGRAMS / f"{name}.c"),
                ],
                check=True,
            )
        emulator = Emulator(program)
        with_them.append(emulator)
        emulator.load(0, elf, flags)
        return emulator

    yield make
    for emulator in with_them:
        emulator.close()


@pytest.fixture
def note(record_property: Callable[[str, object], None]) -> Callable[[str], None]:
    """Shows a measured figure at the end of the run."""
    return lambda line: record_property(NOTE, line)
