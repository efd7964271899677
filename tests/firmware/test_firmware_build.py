"""The firmware is compiled from source for its chip and for this computer, from the present declaration of the wire."""

import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from balanxd.contract.plugin import NOTE
from balanxd.errors import BalanxError
from balanxd.flashing.making import make, sources
from firmware_bridge.document import c_header

CELLS_OF_A_BOARD, CELLS_MOST = 56, 128
SHARE_MOST = 0.60
ATMEGA328P = {"Program": 32768, "Data": 2048}


def test_the_header_is_made_from_the_present_declaration() -> None:
    made = (sources() / "src" / "messages.h").read_text()
    assert made == c_header(), (
        "run: python -m firmware_bridge.document --c-header > firmware_bridge/firmware/src/messages.h"
    )


@pytest.fixture(scope="module")
def avr() -> None:
    """avr-gcc with its C library and avr-size; nothing to test without, which is no excuse in CI."""
    missing = [name for name in ("avr-gcc", "avr-size", "avr-objcopy") if shutil.which(name) is None]
    if missing:
        told = f"no {', '.join(missing)} here; on Debian: sudo apt-get install gcc-avr avr-libc binutils-avr"
        if os.environ.get("CI"):
            pytest.fail(told)
        pytest.skip(told)


@pytest.mark.parametrize("cells", [CELLS_OF_A_BOARD, CELLS_MOST])
def test_the_image_leaves_room_on_the_chip(
    cells: int, avr: None, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    told = make("avr", f"CELLS={cells}", out=tmp_path)
    used = {name: int(count) for name, count in re.findall(r"^(Program|Data): +(\d+) bytes", told, re.M)}
    assert used.keys() == ATMEGA328P.keys()
    assert used["Program"] > 4000  # a core that was optimised away would fit as well
    figures = ", ".join(
        f"{name} {used[name]} B ({used[name] / room:.1%})" for name, room in ATMEGA328P.items()
    )
    record_property(NOTE, f"image for {cells} inputs: {figures}")
    for name, room in ATMEGA328P.items():
        assert used[name] <= SHARE_MOST * room, name
    assert (tmp_path / "balanx.hex").read_text().endswith(":00000001FF\n")


def test_a_build_gives_the_same_bytes_again(avr: None, tmp_path: Path) -> None:
    for folder in ("one", "two"):
        make("avr", out=tmp_path / folder)
    assert (tmp_path / "one" / "balanx.hex").read_bytes() == (tmp_path / "two" / "balanx.hex").read_bytes()


def test_every_file_says_its_purpose_in_its_first_line() -> None:
    files = [
        path
        for folder in ("src", "avr", "host", "stimulus")
        for path in sorted((sources() / folder).glob("*.[ch]"))
    ]
    assert len(files) > 20
    for path in files:
        assert re.fullmatch(r"/\* .+ \*/", path.read_text().splitlines()[0]), path.name


def test_only_the_chip_folders_reach_for_a_chip() -> None:
    for path in sorted((sources() / "src").glob("*.[ch]")):
        names = re.findall(r'#include [<"](.+)[>"]', path.read_text())
        assert all(
            name in ("stdint.h", "string.h") or (sources() / "src" / name).is_file() for name in names
        ), path.name
        assert not re.search(r"\b(malloc|calloc|free)\s*\(", path.read_text()), path.name


def test_sources_that_do_not_compile_are_told_in_one_line(avr: None, tmp_path: Path) -> None:
    copy = tmp_path / "firmware"
    shutil.copytree(sources(), copy, ignore=shutil.ignore_patterns("build", "prebuilt"))
    with (copy / "src" / "watch.c").open("a") as file:
        file.write("void watch_other(void) { missing(); }\n")
    with pytest.raises(BalanxError, match=r"does not compile: .*watch\.c:\d+.*error") as refused:
        make("avr", out=tmp_path / "made", source=copy)
    assert "\n" not in str(refused.value)
