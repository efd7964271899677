"""An image and a held port in; a chip that was read, written and verified over its boot loader out. avrdude does it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from balanxd.errors import BalanxError

from .surroundings import NotInstalled, Ran, Surroundings

BAUDS = (115_200, 57_600)
"""What boot loaders of ATmega328P boards listen at: Uno and newer Nano, then older Nano and Pro Mini."""

_READ_LIMIT_S = 30.0
_WRITE_LIMIT_S = 120.0
_CHIPS = {(0x1E, 0x95, 0x0F): ("ATmega328P", "m328p"), (0x1E, 0x95, 0x16): ("ATmega328PB", "m328pb")}
_OTHERS = {
    (0x1E, 0x95, 0x14): "ATmega328",
    (0x1E, 0x94, 0x06): "ATmega168",
    (0x1E, 0x94, 0x0B): "ATmega168P",
    (0x1E, 0x95, 0x87): "ATmega32U4",
    (0x1E, 0x98, 0x01): "ATmega2560",
    (0x1E, 0x97, 0x05): "ATmega1284P",
}
_SIGNATURE = re.compile(r"^\s*0x([0-9a-f]{1,2}),\s*0x([0-9a-f]{1,2}),\s*0x([0-9a-f]{1,2})\s*$", re.I | re.M)
_PORT_TROUBLE = re.compile(
    r"permission denied|busy|no such file|can't open|unable to open port|cannot open port", re.I
)
_MISMATCH = re.compile(r"verification (error|mismatch)|content mismatch|verification .*failed", re.I)


@dataclass(frozen=True, slots=True)
class Chip:
    """A chip that answered: its name, avrdude's name of it, and the rate its boot loader listens at."""

    name: str
    part: str
    baud: int


def signature_command(port: str, baud: int) -> list[str]:
    """Reads the signature and nothing else. -F: so that another chip's is told as well, instead of an error."""
    device = ["-c", "arduino", "-p", "m328p", "-P", port, "-b", str(baud)]
    return ["avrdude", "-q", "-q", *device, "-n", "-F", "-U", "signature:r:-:h"]


def write_command(port: str, chip: Chip, image: Path) -> list[str]:
    """Writes and verifies flash. -D: a boot loader erases page by page; fuses and boot loader stay as they are."""
    device = ["-c", "arduino", "-p", chip.part, "-P", port, "-b", str(chip.baud)]
    return ["avrdude", "-q", *device, "-D", "-U", f"flash:w:{image}:i"]


def read_signature(around: Surroundings, port: str, say: Callable[[str], None]) -> Chip:
    """Finds the boot loader's rate and the chip. Raises BalanxError for silence and for any other chip."""
    last = ""
    for baud in BAUDS:
        ran = _run(around, signature_command(port, baud), _READ_LIMIT_S)
        found = _SIGNATURE.search(ran.out)
        if ran.status == 0 and found:
            return _chip(port, (int(found[1], 16), int(found[2], 16), int(found[3], 16)), baud)
        last = _last_line(ran.err)
        if _PORT_TROUBLE.search(ran.err):
            raise BalanxError(f"{port}: avrdude cannot open it: {last}")
        say(f"No boot loader answers at {baud} baud.")
    raise BalanxError(
        f"{port}: no boot loader answers, neither at {BAUDS[0]} nor at {BAUDS[1]} baud ({last}). Press the board's "
        "reset button just before you try again; a chip without boot loader needs an ISP programmer (docs/build.md)."
    )


def write(around: Surroundings, port: str, chip: Chip, image: Path) -> None:
    """Writes an image and has avrdude read it back. Raises BalanxError."""
    ran = _run(around, write_command(port, chip, image), _WRITE_LIMIT_S)
    if _MISMATCH.search(ran.err):
        raise BalanxError(
            f"{port}: what was written does not read back ({_last_line(ran.err, _MISMATCH)}). "
            "The board must not be used like this: flash it again with `--first`; if that fails twice, change the chip."
        )
    if ran.status != 0:
        raise BalanxError(
            f"{port}: writing failed ({_last_line(ran.err)}). Flash it again with `--first`; the boot loader is intact."
        )


def _run(around: Surroundings, command: list[str], limit_s: float) -> Ran:
    try:
        return around.run(command, limit_s)
    except NotInstalled as error:
        raise BalanxError(f"{error} On Debian: `sudo apt-get install avrdude`, then try again.") from None


def _chip(port: str, signature: tuple[int, int, int], baud: int) -> Chip:
    if signature in _CHIPS:
        return Chip(*_CHIPS[signature], baud)
    told = " ".join(f"{byte:02X}" for byte in signature)
    named = f", an {_OTHERS[signature]}" if signature in _OTHERS else ""
    raise BalanxError(
        f"{port}: the chip's signature is {told}{named}; this firmware is for the ATmega328P (1E 95 0F) and "
        "ATmega328PB (1E 95 16). Nothing was written."
    )


def _last_line(text: str, wanted: re.Pattern[str] | None = None) -> str:
    """The last line that says something, without avrdude's goodbye."""
    lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    lines = [line for line in lines if "Thank you" not in line and (wanted is None or wanted.search(line))]
    return lines[-1] if lines else "it says nothing"
