"""A layout and its wiring -> which space hangs on which pin of which chip; and the controller's pins by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from hardware.wiring import Wiring
from rules.balanx.layout import Layout

INPUTS_A_CHIP = 8
INPUT_LETTERS = "HGFEDCBA"
"""Inputs of a 74HC165 in the order in which they come out of QH."""

PACKAGE_PINS = {
    "A": 11,
    "B": 12,
    "C": 13,
    "D": 14,
    "E": 3,
    "F": 4,
    "G": 5,
    "H": 6,
    "SH/LD": 1,
    "CLK": 2,
    "GND": 8,
    "QH": 9,
    "SER": 10,
    "CLK INH": 15,
    "VCC": 16,
}
"""Legs of a 74HC165 in the 16-pin package."""


NOTHING: Mapping[int, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Pin:
    """One pin of the controller: port and bit as in chip.h, the name on an Arduino Nano or Uno, what it is for."""

    port: str
    board: str
    use: str


PINS = {
    "servo": Pin("PB1", "D9", "servo signal"),
    "load": Pin("PD4", "D4", "SH/LD of all 74HC165"),
    "clock": Pin("PD5", "D5", "CLK of all 74HC165"),
    "data": Pin("PD6", "D6", "QH of the first 74HC165"),
    "lights": Pin("PD7", "D7", "data of the lights"),
    "end0": Pin("PC0", "A0", "end input, White's side down"),
    "end1": Pin("PC1", "A1", "end input, Black's side down"),
    "chain_end": Pin("PC2", "A2", "SER of the last 74HC165"),
    "receive": Pin("PD0", "D0", "line from the computer (USB)"),
    "send": Pin("PD1", "D1", "line to the computer (USB)"),
}
"""The controller's pins; a test holds them against firmware/avr/chip.h."""


@dataclass(frozen=True, slots=True)
class Input:
    """One input of the chain. chip counts from 1 at the controller; leg is that of the package.

    space: None where it lies under none. button: its name, where one is on it.
    """

    number: int
    chip: int
    letter: str
    leg: int
    space: str | None
    button: str = ""


def inputs_of(layout: Layout, wiring: Wiring, buttons: Mapping[int, str] = NOTHING) -> tuple[Input, ...]:
    """The chain from the controller outwards, up to the last input of the last chip. buttons: input -> name."""
    chips = -(-max(len(wiring.inputs), *(number + 1 for number in buttons), 0) // INPUTS_A_CHIP)
    found = []
    for number in range(chips * INPUTS_A_CHIP):
        letter = INPUT_LETTERS[number % INPUTS_A_CHIP]
        cell = wiring.cell(number)
        space = None if cell is None else layout.cell_names[cell]
        chip, leg = number // INPUTS_A_CHIP + 1, PACKAGE_PINS[letter]
        found.append(Input(number, chip, letter, leg, space, buttons.get(number, "")))
    return tuple(found)


def table_text(layout: Layout, wiring: Wiring, buttons: Mapping[int, str] = NOTHING) -> str:
    """The chain as a table for a terminal, one chip a line, and the controller's pins."""
    lines = [f"{layout.name}: inputs of the chain, from the controller outwards", ""]
    lines.append("chip  " + "  ".join(f"{letter} ({PACKAGE_PINS[letter]:>2})" for letter in INPUT_LETTERS))
    chain = inputs_of(layout, wiring, buttons)
    for first in range(0, len(chain), INPUTS_A_CHIP):
        row = chain[first : first + INPUTS_A_CHIP]
        lines.append(
            f"{row[0].chip:>4}  "
            + "  ".join(f"{item.space or item.button or '-':<6}" for item in row).rstrip()
        )
    lines += ["", "Leg of the 74HC165 in brackets. An unused input (-) goes to 5 V.", "", "controller"]
    lines += [f"  {pin.port}  {pin.board:<3} {pin.use}" for pin in PINS.values()]
    return "\n".join(lines) + "\n"
