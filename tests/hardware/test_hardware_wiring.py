"""Wiring: every input to its cell and back; what cannot be is refused and named."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.errors import HardwareError
from hardware.wiring import Wiring, wiring_from_names

NAMES = ("a1", "b1", "a2", "b2")


@given(st.permutations([*range(12), None, None, None]))
def test_a_picture_is_what_the_inputs_say_one_by_one(inputs: list[int | None]) -> None:
    wiring = Wiring(tuple(inputs), 12)
    readings = bytes(range(100, 100 + len(inputs)))
    picture = wiring.picture(readings + b"more inputs than are wired")
    for number, cell in enumerate(inputs):
        assert wiring.cell(number) == cell
        if cell is not None:
            assert picture[cell] == readings[number]
    assert len(picture) == 12
    assert wiring.cell(len(inputs)) is None


def test_a_straight_wiring_changes_nothing() -> None:
    assert Wiring.straight(5).picture(bytes([1, 0, 2, 3, 1])) == bytes([1, 0, 2, 3, 1])


@pytest.mark.parametrize(
    ("names", "why"),
    [
        (("a1", "b1", "a2", "c9"), "input 3 is called 'c9'"),
        (("a1", "b1", "a1", "b2"), "cell 0 is wired to inputs 0 and 2"),
        (("a1", "-", "a2"), "no input for cell 1, 3"),
    ],
)
def test_a_wiring_that_cannot_be_is_refused(names: tuple[str, ...], why: str) -> None:
    with pytest.raises(HardwareError, match=why):
        wiring_from_names(names, NAMES)


def test_a_cell_that_is_not_there_is_refused() -> None:
    with pytest.raises(HardwareError, match=r"input 1 names cell 7, the board has 0\.\.1"):
        Wiring((0, 7), 2)


def test_too_few_readings_are_refused() -> None:
    wiring = wiring_from_names(("-", "a1", "b1", "a2", "b2"), NAMES)
    with pytest.raises(HardwareError, match="reports 4 inputs, the wiring names 5"):
        wiring.picture(bytes(4))
