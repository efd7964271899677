"""The emulator's process: firmware images, wires and timed events in; what the boards did, with its times, out.

`emulator/README.md` has the protocol. Times go over the pipe in whole microseconds and come back in cycles of 16 MHz;
nothing here or there waits on a clock of the wall.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum, IntFlag
from pathlib import Path
from typing import IO, NamedTuple

from balanxd.errors import BalanxError

PROGRAM = "balanx-emulator"
VARIABLE = "BALANX_EMULATOR"
CYCLES_PER_US = 16
BYTE_US = 40
EEPROM_BYTES = 1024
_EVENT = struct.Struct("<QBBHH")
_RECORD = struct.Struct("<QBBHI")
_RUN = struct.Struct("<BQBH")
_STATS = struct.Struct("<Q7I")
_EVENTS_MAX = 0xFFFF


class EmulatorError(BalanxError):
    """The emulator is not there, refused something, or has ended."""


class Do(IntEnum):
    """Kinds of events, and what `a` and `b` say.

    INPUT: input, 1 where its sensor sees something; input CHAIN: the first input that reads as an open wire, NONE for a
    whole chain. PIN: letter << 8 | bit, level 0, 1, or 2 for let go. RX: byte, whose start bit it is. RESET: flags of
    MCUSR. SUPPLY: mV, 8 (an ADC input's number below that). HOLD: 1 keeps the chip in reset or without supply.
    """

    INPUT = 1
    PIN = 2
    RX = 3
    RESET = 4
    SUPPLY = 5
    HOLD = 6


CHAIN = NONE = 0xFFFF


class Saw(IntEnum):
    """Kinds of records, and what `a` and `value` say.

    TX: byte, whose last bit leaves at the record's time. PULSE: value is the width in cycles, the time that of its
    rising edge. LIGHTS: bytes shown. RX_LOST: byte that found the receiver full. PIN: letter << 8 | bit, level.
    """

    TX = 1
    PULSE = 2
    LIGHTS = 3
    RESTARTED = 4
    RX_LOST = 5
    CRASHED = 6
    PIN = 7


class Stop(IntFlag):
    """What ends a run before its time: board 0's frame or changed pulse, board 1's frame."""

    NOTHING = 0
    FRAME = 1
    PULSE = 2
    OTHERS_FRAME = 4


class Flags(IntFlag):
    """How a board is emulated: NO_UART, NO_SERVO without our models, for their tests; FIGURES slower, exact figures."""

    NONE = 0
    NO_UART = 1
    NO_SERVO = 2
    FIGURES = 4


class Event(NamedTuple):
    """What happens to a board at a time, in whole us."""

    at_us: int
    board: int
    kind: Do
    a: int
    b: int = 0


class Record(NamedTuple):
    """What a board did, at a cycle."""

    cycle: int
    board: int
    kind: int
    a: int
    value: int


class HostLine:
    """The host's bytes to a board, one each BYTE_US behind those before."""

    def __init__(self, board: int) -> None:
        self._board = board
        self._free_us = 0

    def free_us(self, now_us: int) -> int:
        """When all that was sent has come."""
        return max(now_us, self._free_us)

    def send(self, data: bytes, now_us: int) -> list[Event]:
        """Bytes that are sent now, as events."""
        first_us = self.free_us(now_us)
        self._free_us = first_us + BYTE_US * len(data)
        return [Event(first_us + BYTE_US * i, self._board, Do.RX, byte) for i, byte in enumerate(data)]


class Ran(NamedTuple):
    """The end of a run: the cycle it came to, how many of its events are done, what the boards did."""

    cycle: int
    done: int
    records: list[Record]


@dataclass(frozen=True, slots=True)
class Stats:
    """Figures of a board since they were last begun anew. load_min_us, load_max_us: between two loads of its chain."""

    cycles: int
    stack_bytes: int
    interrupts_off_us: float
    load_min_us: float
    load_max_us: float
    loads: int
    rx_lost: int
    resets: int


CHECKOUT = Path(__file__).resolve().parents[2] / "emulator"
"""Where the emulator's source lies, if this is a checkout."""


def find_emulator(
    given: Path | None = None, environ: Mapping[str, str] = os.environ, checkout: Path = CHECKOUT
) -> Path:
    """The program: as given, by $BALANX_EMULATOR, made from the checkout, or on the PATH. Raises EmulatorError."""
    named = given or (Path(environ[VARIABLE]) if environ.get(VARIABLE) else None)
    if named is not None:
        if not os.access(named, os.X_OK) or named.is_dir():
            raise EmulatorError(f"{named}: no emulator is there that can be started")
        return named
    why = "this is no checkout of Balanx"
    if (checkout / "Makefile").exists():
        try:
            return build_emulator(checkout, checkout / "build")
        except EmulatorError as error:
            why = str(error)
    found = shutil.which(PROGRAM, path=environ.get("PATH"))
    if found:
        return Path(found)
    raise EmulatorError(
        f"{PROGRAM} is not here ({why}): in a checkout, `make -C emulator` makes it, on Debian after "
        f"`sudo apt-get install gcc make libsimavr-dev libelf-dev`; ${VARIABLE} names one that lies elsewhere."
    )


def build_emulator(source: Path, out: Path) -> Path:
    """Compiles the emulator where it is older than its source. Raises EmulatorError."""
    try:
        made = subprocess.run(
            ["make", "--silent", "--directory", str(source), f"OUT={out}"],
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
    except OSError as error:
        raise EmulatorError(f"make: {error.strerror or error}") from error
    if made.returncode:
        said = [line for line in made.stderr.splitlines() if "rror" in line] or ["it does not compile"]
        raise EmulatorError(said[0].strip())
    return out / PROGRAM


class Emulator:
    """One process with up to two boards. Not for several threads."""

    def __init__(self, program: Path) -> None:
        """Raises EmulatorError."""
        self._words: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (as long as the process lives)
        try:
            self._process = subprocess.Popen(
                [str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._words
            )
        except OSError as error:
            self._words.close()
            raise EmulatorError(f"{program}: {error.strerror or error}") from error
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._stdin, self._stdout = self._process.stdin, self._process.stdout

    def load(self, board: int, image: Path, flags: Flags = Flags.NONE) -> None:
        """Puts an ELF file into a board, which starts by power-on when time first runs. Raises EmulatorError."""
        if not image.is_file():
            raise EmulatorError(f"{image}: there is no such file")
        try:
            self._ask(b"L" + bytes((board, flags)) + os.fsencode(image) + b"\0")
        except EmulatorError as error:
            raise EmulatorError(f"{image}: {error}") from None

    def wire(self, words: str) -> None:
        """One wire, in the words of the README. Raises EmulatorError."""
        self._ask(b"W" + words.encode() + b"\0")

    def run(self, until_us: int, events: Sequence[Event] = (), stop: Stop = Stop.NOTHING) -> Ran:
        """Runs to a time, or until something happens that `stop` names; events lie in the order of their times."""
        cycle, done, rows = self.run_rows(until_us, events, stop)
        return Ran(cycle, done, [Record._make(row) for row in rows])

    def run_rows(
        self, until_us: int, events: Sequence[Event], stop: Stop
    ) -> tuple[int, int, list[tuple[int, int, int, int, int]]]:
        """As `run`, with the records as plain rows: for whoever takes a great many."""
        rows: list[tuple[int, int, int, int, int]] = []
        done = 0
        while True:
            part = events[done : done + _EVENTS_MAX]
            whole = done + len(part) == len(events)
            end_us = until_us if whole else part[-1].at_us
            body = b"".join(
                [_RUN.pack(0x52, end_us, stop, len(part)), *[_EVENT.pack(*each) for each in part]]
            )
            told = self._ask(body)
            cycle, count = struct.unpack_from("<QI", told)
            rows += _RECORD.iter_unpack(told[12:])
            done += count
            if whole or count < len(part) or (stop and cycle < end_us * CYCLES_PER_US):
                return cycle, done, rows

    def set_eeprom(self, board: int, data: bytes) -> None:
        """What the EEPROM holds, from its start on."""
        self._ask(b"E" + bytes((board,)) + data[:EEPROM_BYTES])

    def eeprom(self, board: int) -> bytes:
        """What the EEPROM holds."""
        return self._ask(b"e" + bytes((board,)))

    def light_bytes(self, board: int) -> bytes:
        """What was last sent to the lights: green, red and blue of each."""
        return self._ask(b"G" + bytes((board,)))

    def stats(self, board: int) -> Stats:
        """The figures of a board."""
        cycles, stack, off, least, most, loads, lost, resets = _STATS.unpack(
            self._ask(b"S" + bytes((board,)))
        )
        return Stats(
            cycles,
            stack,
            off / CYCLES_PER_US,
            least / CYCLES_PER_US,
            most / CYCLES_PER_US,
            loads,
            lost,
            resets,
        )

    def begin_stats(self, board: int) -> None:
        """The figures of a board begin anew."""
        self._ask(b"Z" + bytes((board,)))

    def close(self) -> None:
        """Ends the process."""
        for pipe in (self._stdin, self._stdout):
            with contextlib.suppress(OSError):  # it has ended before
                pipe.close()
        self._process.kill()
        self._process.wait()
        self._words.close()

    def __enter__(self) -> Emulator:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _ask(self, body: bytes) -> bytes:
        try:
            self._stdin.write(len(body).to_bytes(4, "little") + body)
            self._stdin.flush()
            length = int.from_bytes(self._stdout.read(4), "little")
            told = self._stdout.read(length)
        except (OSError, ValueError) as error:
            raise EmulatorError(f"the emulator has ended: {self._last_words() or error}") from error
        if not length or len(told) < length:
            raise EmulatorError(f"the emulator has ended: {self._last_words() or 'it said no word'}")
        if told[0]:
            raise EmulatorError(told[1:].decode(errors="replace"))
        return told[1:]

    def _last_words(self) -> str:
        if self._words.closed:
            return "it was closed"
        self._words.seek(0)
        lines: Iterable[str] = self._words.read().decode(errors="replace").splitlines()
        return next((line.strip() for line in reversed([*lines]) if line.strip()), "")
