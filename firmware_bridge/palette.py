"""The palette of the lights: index of a `lights` command in; green, red and blue, 0 .. 255 each, out; and back."""

from __future__ import annotations

PALETTE = (
    (0, 0, 0), (20, 20, 20), (0, 24, 0), (24, 0, 0), (0, 0, 24), (16, 24, 0), (16, 0, 16), (0, 20, 16),
    (8, 24, 0), (4, 4, 4), (0, 6, 0), (6, 0, 0), (0, 0, 6), (60, 60, 60), (0, 60, 0), (0, 8, 4),
)  # fmt: skip
"""Green, red and blue of each index, as firmware/avr/lights.c has them."""

NO_COLOUR = 255
"""Stands for a colour of no palette."""

_INDICES = {bytes(colour): index for index, colour in enumerate(PALETTE)}


def indices_of(colours: bytes) -> bytes:
    """The index of each colour, given as green, red and blue in a row; NO_COLOUR for others."""
    return bytes(_INDICES.get(colours[at : at + 3], NO_COLOUR) for at in range(0, len(colours), 3))
