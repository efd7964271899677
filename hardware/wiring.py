"""Wiring: which cell every input of the sensor chain lies under. Input numbers in, cell numbers out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from .errors import HardwareError


@dataclass(frozen=True, slots=True)
class Wiring:
    """`inputs[i]` is the cell over input i of the chain, or None for an unused input.

    Raises HardwareError where a cell is wired twice, not at all, or does not exist.
    """

    inputs: tuple[int | None, ...]
    cells: int
    _straight: bool = field(init=False, repr=False, compare=False)
    _order: tuple[int, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        seen: dict[int, int] = {}
        for number, cell in enumerate(self.inputs):
            if cell is None:
                continue
            if not 0 <= cell < self.cells:
                raise HardwareError(
                    f"wiring: input {number} names cell {cell}, the board has 0..{self.cells - 1}"
                )
            if cell in seen:
                raise HardwareError(f"wiring: cell {cell} is wired to inputs {seen[cell]} and {number}")
            seen[cell] = number
        missing = [cell for cell in range(self.cells) if cell not in seen]
        if missing:
            raise HardwareError(f"wiring: no input for cell {', '.join(map(str, missing))}")
        object.__setattr__(self, "_straight", self.inputs == tuple(range(self.cells)))
        object.__setattr__(self, "_order", tuple(seen[cell] for cell in range(self.cells)))

    @classmethod
    def straight(cls, cells: int) -> Wiring:
        """Input i lies under cell i."""
        return cls(tuple(range(cells)), cells)

    def cell(self, number: int) -> int | None:
        """The cell over an input; None for an unused or unknown input."""
        return self.inputs[number] if number < len(self.inputs) else None

    def picture(self, readings: bytes) -> bytes:
        """Readings in chain order -> readings in cell order. Short readings raise HardwareError."""
        if len(readings) < len(self.inputs):
            raise HardwareError(
                f"wiring: the board reports {len(readings)} inputs, the wiring names {len(self.inputs)}"
            )
        if self._straight:
            return readings[: self.cells]
        return bytes(readings[number] for number in self._order)


def wiring_from_names(names: Sequence[str], cell_names: Sequence[str]) -> Wiring:
    """Space names in chain order (`-` for an unused input) -> Wiring. Raises HardwareError naming the entry."""
    index = {name: cell for cell, name in enumerate(cell_names)}
    inputs: list[int | None] = []
    for number, name in enumerate(names):
        if name != "-" and name not in index:
            raise HardwareError(f"wiring: input {number} is called {name!r}, which is no space of this board")
        inputs.append(None if name == "-" else index[name])
    return Wiring(tuple(inputs), len(cell_names))
