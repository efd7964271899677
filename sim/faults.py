"""What can go wrong with a table, on purpose: bytes on the wire, inputs, the servo, the controller.

A FaultHook belongs to one Table and draws from its own stream, so a fault does not shift noise or hands.
Nothing here is on unless asked for.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random

from firmware_bridge.messages import ResetCause

from .agenda import Agenda
from .errors import SimError
from .inputs import Line, Lines


@dataclass(slots=True)
class ByteFault:
    """Shares of bytes lost and of bytes with one bit flipped, one way; `cut` lets nothing through."""

    loss: float = 0.0
    flip: float = 0.0
    cut: bool = False

    def pass_on(self, data: bytes, random: Random) -> bytes:
        """What arrives of some bytes."""
        if self.cut:
            return b""
        if not self.loss and not self.flip:
            return data
        arrived = bytearray()
        for byte in data:
            if random.random() < self.loss:
                continue
            arrived.append(byte ^ (1 << random.randrange(8)) if random.random() < self.flip else byte)
        return bytes(arrived)


@dataclass(slots=True)
class FaultHook:
    """All faults of one table. Times are the table's present."""

    _agenda: Agenda
    _lines: Lines
    _top: int
    _random: Random
    _reset: Callable[[ResetCause], None]
    _set_servo_dead: Callable[[bool], None]
    _hold_marbles: Callable[[int, int], None]
    to_host: ByteFault = field(default_factory=ByteFault)
    to_board: ByteFault = field(default_factory=ByteFault)
    weak_supply: bool = False
    """The controller browns out 20 ms after each start of the servo."""
    _flickering: dict[int, tuple[float, int]] = field(default_factory=dict)

    def cut_wire(self) -> None:
        """No byte arrives any more, either way."""
        self.to_host.cut = self.to_board.cut = True

    def mend_wire(self) -> None:
        """The wire is whole and clean again."""
        self.to_host, self.to_board = ByteFault(), ByteFault()

    def line_to_host(self, data: bytes) -> bytes:
        """What arrives at the host of bytes that the board sends."""
        return self.to_host.pass_on(data, self._random)

    def line_to_board(self, data: bytes) -> bytes:
        """What arrives at the board of bytes that the host sends."""
        return self.to_board.pass_on(data, self._random)

    def stuck(self, cell: int, level: int) -> None:
        """The cell's input shows one level for ever."""
        self._remap(cell, (level,) * (self._top + 1))

    def dead(self, cell: int) -> None:
        """The cell's sensor sees nothing."""
        self.stuck(cell, 0)

    def inverted(self, cell: int) -> None:
        """The cell's input shows the opposite: something where nothing is, nothing where something is."""
        self._remap(cell, (1,) + (0,) * self._top)

    def unsure(self, cell: int) -> None:
        """A broken wire of a multi-bit cell: the top code."""
        self.stuck(cell, self._top)

    def swapped(self, cell: int, other: int) -> None:
        """The wires of two cells are exchanged."""
        lines = self._lines.of_cell
        a, b = self._line(cell), self._line(other)
        now = self._agenda.now_s
        base_a, base_b = a.base(now), b.base(now)
        lines[cell], lines[other] = b, a
        a.set_base(base_b, ())
        b.set_base(base_a, ())
        self._lines.changed(a)
        self._lines.changed(b)

    def flicker(self, cell: int, hz: float, level: int | None = None) -> None:
        """The cell's input toggles to `level` (None: the other one) and back `hz` times a second until
        healed.
        """
        if hz <= 0:
            raise SimError(f"a flicker needs a rate above 0, not {hz}")
        self._line(cell)
        new = cell not in self._flickering
        self._flickering[cell] = (hz, -1 if level is None else level)
        if new:
            self._toggle(cell)

    def heal(self, cell: int) -> None:
        """The cell's input works again (a swap stays)."""
        self._flickering.pop(cell, None)
        line = self._line(cell)
        line.remap = None
        self._lines.changed(line)

    def stuck_marble(self, cell: int, motions: int) -> None:
        """Dirt holds the marbles of a space's slot for the next motions of the board, or until one is lifted."""
        self._hold_marbles(cell, motions)

    def reset(self, cause: ResetCause = ResetCause.BROWN_OUT) -> None:
        """The controller restarts now."""
        self._reset(cause)

    def servo_dead(self, dead: bool = True) -> None:
        """The servo gets its pulses and does not move the board."""
        self._set_servo_dead(dead)

    def _line(self, cell: int) -> Line:
        if not 0 <= cell < len(self._lines.of_cell):
            raise SimError(f"there is no space {cell} on this board")
        return self._lines.of_cell[cell]

    def _remap(self, cell: int, levels: Sequence[int]) -> None:
        line = self._line(cell)
        line.remap = tuple(levels)
        self._lines.changed(line)

    def _toggle(self, cell: int) -> None:
        if cell not in self._flickering:
            return
        hz, level = self._flickering[cell]
        now = self._agenda.now_s
        if level < 0:
            level = 0 if self._line(cell).base(now) else 1
        half_s = 0.5 / hz
        self._lines.overlay(cell, [(now, now + half_s, level)])
        self._agenda.at(now + 2 * half_s, self._toggle, cell)
