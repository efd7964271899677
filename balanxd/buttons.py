"""[buttons] of a board file in; on which input of the chain, or on which pin of this computer, each button is, out."""

from __future__ import annotations

from dataclasses import dataclass

from firmware_bridge.messages import CELLS_MAX
from hardware.buttons import Button
from hardware.wiring import Wiring

from .backends import named_pin
from .keys import Keys


@dataclass(frozen=True, slots=True)
class ButtonPlaces:
    """inputs: (button, input of the board's own sensor chain); pins: (button, BCM number)."""

    inputs: tuple[tuple[Button, int], ...] = ()
    pins: tuple[tuple[Button, int], ...] = ()

    @property
    def all(self) -> tuple[Button, ...]:
        """The buttons that the board has."""
        there = {button for button, _ in (*self.inputs, *self.pins)}
        return tuple(button for button in Button if button in there)

    @property
    def pin_keys(self) -> tuple[tuple[str, int], ...]:
        """(key of the board file, pin)."""
        return tuple((f"buttons.{button}", pin) for button, pin in self.pins)

    @property
    def inputs_needed(self) -> int:
        """How many inputs the chain has at least; 0 where no button is on it."""
        return max((number + 1 for _, number in self.inputs), default=0)


NO_BUTTONS = ButtonPlaces()


def parse_buttons(keys: Keys, wiring: Wiring, cell_names: tuple[str, ...], *, chain: bool) -> ButtonPlaces:
    """Read the table; the caller asks it for `done`, and looks whether a pin is used twice. Raises BalanxError.

    chain: whether the sensors are a chain, which may have more inputs than are wired to spaces.
    """
    inputs: list[tuple[Button, int]] = []
    pins: list[tuple[Button, int]] = []
    for button in Button:
        value = keys.given(button.value)
        if value is None:
            continue
        pin = named_pin(keys, button, value)
        if pin is not None:
            pins.append((button, pin))
        elif isinstance(value, int) and not isinstance(value, bool):
            _check_input(keys, button, value, wiring, cell_names, chain)
            taken = next((other for other, number in inputs if number == value), None)
            if taken is not None:
                raise keys.fail(button, f"input {value} is {keys.path}{taken} already: take another one")
            inputs.append((button, value))
        else:
            raise keys.fail(
                button, f'must be an input of the chain such as 60, or a pin such as "GPIO17", not {value!r}'
            )
    return ButtonPlaces(tuple(inputs), tuple(pins))


def _check_input(
    keys: Keys, button: Button, number: int, wiring: Wiring, cell_names: tuple[str, ...], chain: bool
) -> None:
    wired = len(wiring.inputs)
    if not 0 <= number < CELLS_MAX:
        raise keys.fail(button, f"input {number}: a chain has the inputs 0 to {CELLS_MAX - 1}")
    cell = wiring.cell(number)
    if cell is not None:
        free = _free(wiring)
        mend = f"{free} is free" if chain or free < wired else 'name a pin, such as "GPIO17"'
        raise keys.fail(button, f"input {number} lies under {cell_names[cell]}: {mend}")
    if not chain and number >= wired:
        raise keys.fail(
            button, f'input {number}: the reeds are the inputs 0 to {wired - 1}: name a pin, such as "GPIO17"'
        )


def _free(wiring: Wiring) -> int:
    """The first input under no space."""
    return next((at for at, under in enumerate(wiring.inputs) if under is None), len(wiring.inputs))


def clash(places: ButtonPlaces, wiring: Wiring, cell_names: tuple[str, ...]) -> str:
    """What is wrong with buttons where the wiring turns out to be another one than the file's; empty: nothing."""
    for button, number in places.inputs:
        cell = wiring.cell(number)
        if cell is not None:
            return f"buttons.{button}: input {number} lies under {cell_names[cell]}: {_free(wiring)} is free"
    return ""


def buttons_text(first: int) -> str:
    """The table of a board whose three buttons follow each other on its chain."""
    if first + len(Button) > CELLS_MAX:
        return ""
    keys = "".join(f"{button.value} = {first + place}\n" for place, button in enumerate(Button))
    return f"[buttons]\n{keys}"
