"""What building and flashing reach for outside: ports, processes, time. Real ones here; tests bring their own."""

from __future__ import annotations

import contextlib
import fcntl
import os
import random
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from balanxd.errors import BalanxError
from firmware_bridge.transport import SerialTransport, Transport, open_error


@dataclass(frozen=True, slots=True)
class Ran:
    """A process that ended: exit status, standard output, standard error."""

    status: int
    out: str
    err: str


class NotInstalled(BalanxError):
    """A program is not on this computer."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The outside, as arguments. `run`: command and its time limit in s; raises NotInstalled."""

    open_port: Callable[[str], Transport]
    hold: Callable[[str], AbstractContextManager[None]]
    run: Callable[[Sequence[str], float], Ran]
    now_s: Callable[[], float]
    pause: Callable[[float], None]
    session: int
    dev: Path = Path("/dev")
    sys: Path = Path("/sys")
    proc: Path = Path("/proc")


def real_surroundings() -> Surroundings:
    """This computer."""
    return Surroundings(
        open_port=lambda port: SerialTransport(port, exclusive=False),  # `hold` has the lock
        hold=hold_port,
        run=run_process,
        now_s=time.monotonic,
        pause=time.sleep,
        session=random.SystemRandom().randrange(1, 1 << 16),
    )


@contextlib.contextmanager
def hold_port(port: str) -> Iterator[None]:
    """Keeps every program that asks (our daemon does) off a port, avrdude beside us excepted. Raises PortError.

    The lock is that of SerialTransport; opening resets most boards.
    """
    try:
        number = os.open(port, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    except OSError as error:
        raise open_error(port, error) from None
    try:
        try:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise open_error(port, error) from None
        yield
    finally:
        os.close(number)


def run_process(command: Sequence[str], limit_s: float) -> Ran:
    """Runs a program to its end; one that does not end in time counts as failed. Raises NotInstalled."""
    try:
        ended = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=limit_s,
            check=False,
        )
    except FileNotFoundError:
        raise NotInstalled(f"{command[0]} is not installed here.") from None
    except subprocess.TimeoutExpired:
        return Ran(-1, "", f"{command[0]} did not end within {limit_s:g} s")
    return Ran(ended.returncode, ended.stdout, ended.stderr)
