"""What to make of the firmware's sources in; files in a folder out, or one sentence that says why not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.resources import files
from pathlib import Path

from balanxd.errors import BalanxError

from .surroundings import NotInstalled, Ran, run_process

Run = Callable[[Sequence[str], float], Ran]

LIMIT_S = 120.0
AVR_GCC = "avr-gcc"
CC = "cc"
_PACKAGES = {AVR_GCC: "make gcc-avr avr-libc binutils-avr", CC: "make gcc"}


def sources() -> Path:
    """The folder of the C sources and their Makefile, as installed."""
    return Path(str(files("firmware_bridge"))) / "firmware"


def compiler_version(compiler: str = AVR_GCC, run: Run = run_process) -> str:
    """The version of a compiler that is here. Raises NotInstalled, with what installs it."""
    try:
        return run([compiler, "-dumpversion"], LIMIT_S).out.strip()
    except NotInstalled as error:
        raise _with_packages(error, compiler) from None


def make(
    *words: str,
    out: Path | None = None,
    compiler: str = AVR_GCC,
    source: Path | None = None,
    run: Run = run_process,
) -> str:
    """Runs the Makefile with targets and variables; what it says. Files go to `out`.

    source: another copy of the sources. Raises NotInstalled, with what installs it, and BalanxError.
    """
    told = ["make", "--silent", "--no-print-directory", "-C", str(source or sources()), *words]
    try:
        made = run(told if out is None else [*told, f"OUT={out}"], LIMIT_S)
    except NotInstalled as error:
        raise _with_packages(error, compiler) from None
    if made.status:
        lines = [line.strip() for line in (made.err + made.out).splitlines() if line.strip()]
        errors = [line for line in lines if "error" in line.lower()]
        raise BalanxError(f"the firmware does not compile: {(errors or lines or ['no word of why'])[0]}")
    return made.out


def _with_packages(error: NotInstalled, compiler: str) -> NotInstalled:
    return NotInstalled(f"{error} On Debian: `sudo apt-get install {_PACKAGES[compiler]}`.")
