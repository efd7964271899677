"""Positions: position texts in, disks on cells with owners and hands out, and back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from rules.errors import LayoutError, PositionError

from .layout import Lattice

COLOURS = ("red", "amber", "green", "cyan", "blue", "violet")
"""Names of the colours 0..5 as people see them."""

MARKS = ("●", "▲", "■", "◆", "★", "✚")
"""A mark on each colour's disks, by which they are told apart without colour."""

SEATS = (2, 3, 4, 5, 6)
"""Possible numbers of players."""

ROUNDS = {2: 3, 3: 2, 4: 1, 5: 1, 6: 1}
"""Number of players -> colours that each of them chooses."""

NOBODY: Final = -1
_SHAPE = "rows owners hands seat quiet"
_DIGITS = 9


@dataclass(frozen=True, slots=True)
class Position:
    """Disks, owners, hands and whose turn it is. Only `parse_position` checks that they go together.

    disks: one reading a cell, 0 free, colour + 1 else. owners: the seat of each colour or NOBODY. hands: for
    each seat how many disks it holds of each colour. quiet: turns without a capture. ply: turns since the
    laying out; no part of the text, so two positions that differ in nothing else are equal.
    """

    disks: bytes
    owners: tuple[int, ...]
    hands: tuple[tuple[int, ...], ...]
    side: int
    quiet: int = 0
    ply: int = field(default=0, compare=False)

    @property
    def players(self) -> int:
        """Number of seats."""
        return len(self.hands)

    @property
    def chosen(self) -> int:
        """Number of colours that are owned."""
        return len(self.owners) - self.owners.count(NOBODY)

    @property
    def choosing(self) -> bool:
        """Whether colours are still being chosen."""
        return self.chosen < self.players * ROUNDS[self.players]


def laid_out(disks: bytes, players: int) -> Position:
    """The position before the first choice; the last seat begins."""
    hand = (0,) * len(COLOURS)
    return Position(disks, (NOBODY,) * len(COLOURS), (hand,) * players, players - 1)


def chooser(players: int, chosen: int) -> int:
    """The seat that chooses after so many choices: counter-clockwise, the first mover last."""
    return players - 1 - chosen % players


def position_text(lattice: Lattice, position: Position) -> str:
    """Inverse of `parse_position`, but for `ply`."""
    letters = position.disks.translate(_LETTERS).decode()
    width = lattice.width
    rows = "/".join(letters[first : first + width] for first in range(0, lattice.cells, width))
    owners = "".join("-" if seat == NOBODY else str(seat) for seat in position.owners)
    hands = ";".join(",".join(map(str, hand)) for hand in position.hands)
    return f"{rows} {owners} {hands} {position.side} {position.quiet}"


def shape_of(text: str) -> tuple[Lattice, int]:
    """The board and the number of players that a position text is about. Raises PositionError."""
    rows, _, hands, _, _ = _parts(text)
    each = rows.split("/")
    players = hands.count(";") + 1
    if players not in SEATS:
        raise PositionError(f"hands: {players} players, not {SEATS[0]} to {SEATS[-1]}")
    try:
        return Lattice(len(each[0]), len(each)), players
    except LayoutError as error:
        raise PositionError(f"rows: {error}") from None


def parse_position(lattice: Lattice, players: int, text: str) -> Position:
    """Read `rows owners hands seat quiet`. Raises PositionError that names the place.

    Looked at: form, size, owners and seats; not how many disks there should be.
    """
    rows, owners_text, hands_text, seat_text, quiet_text = _parts(text)
    disks = _disks(lattice, rows)
    owners = _owners(players, owners_text)
    hands = _hands(players, hands_text)
    side = _number("seat", seat_text)
    if side >= players:
        raise PositionError(f"seat: there is no seat {side}; {players} players have 0 to {players - 1}")
    quiet = _number("quiet", quiet_text)
    position = Position(disks, owners, hands, side, quiet)
    if position.choosing:
        _check_choosing(position)
    taken = sum(map(sum, hands))
    # Choices, captures and what was quiet since: as many turns as the text can tell of.
    return Position(disks, owners, hands, side, quiet, max(position.chosen, taken) + quiet)


_LETTERS = bytes.maketrans(bytes(range(7)), b".012345")
_CODES = {letter: code for code, letter in enumerate(".012345")}


def _parts(text: str) -> list[str]:
    parts = text.split(" ")
    if len(parts) != 5 or not all(parts):
        raise PositionError(f"a position is '{_SHAPE}' with one blank between")
    return parts


def _number(where: str, digits: str) -> int:
    if not (digits.isascii() and digits.isdigit()) or (digits[0] == "0" and digits != "0"):
        raise PositionError(f"{where}: must be a whole number without sign or leading zeros, not {digits!r}")
    if len(digits) > _DIGITS:
        raise PositionError(f"{where}: {len(digits)} digits are too many")
    return int(digits)


def _disks(lattice: Lattice, text: str) -> bytes:
    rows = text.split("/")
    if len(rows) != lattice.height:
        raise PositionError(f"rows: {len(rows)} rows where {lattice.name} has {lattice.height}")
    disks = bytearray()
    for r, row in enumerate(rows):
        if len(row) != lattice.width:
            raise PositionError(
                f"rows, row {r + 1}: {len(row)} cells where {lattice.name} has {lattice.width}"
            )
        for q, letter in enumerate(row):
            if letter not in _CODES:
                name = lattice.cell_names[lattice.cell(q, r)]
                raise PositionError(f"rows, row {r + 1}: unknown letter {letter!r} at {name}")
            disks.append(_CODES[letter])
    return bytes(disks)


def _owners(players: int, text: str) -> tuple[int, ...]:
    if len(text) != len(COLOURS):
        raise PositionError(f"owners: {len(text)} characters, not {len(COLOURS)}")
    owners = []
    for colour, letter in zip(COLOURS, text, strict=True):
        if letter not in "-012345"[: players + 1]:
            raise PositionError(f"owners, {colour}: {letter!r} is neither - nor a seat of {players} players")
        owners.append(NOBODY if letter == "-" else int(letter))
    chosen = len(owners) - owners.count(NOBODY)
    if chosen > players * ROUNDS[players]:
        raise PositionError(
            f"owners: {chosen} colours are owned; {players} players choose {players * ROUNDS[players]}"
        )
    for seat in range(players):
        due = sum(chooser(players, earlier) == seat for earlier in range(chosen))
        if (has := owners.count(seat)) != due:
            raise PositionError(f"owners: seat {seat} owns {has} of {chosen} chosen colours, not {due}")
    return tuple(owners)


def _hands(players: int, text: str) -> tuple[tuple[int, ...], ...]:
    hands = text.split(";")
    if len(hands) != players:
        raise PositionError(f"hands: {len(hands)} hands for {players} players")
    found = []
    for seat, hand in enumerate(hands):
        counts = hand.split(",")
        if len(counts) != len(COLOURS):
            raise PositionError(f"hands, seat {seat}: {len(counts)} numbers, not {len(COLOURS)}")
        found.append(
            tuple(
                _number(f"hands, seat {seat}, {colour}", count)
                for colour, count in zip(COLOURS, counts, strict=True)
            )
        )
    return tuple(found)


def _check_choosing(position: Position) -> None:
    due = chooser(position.players, position.chosen)
    if position.side != due:
        raise PositionError(
            f"seat: after {position.chosen} choices seat {due} chooses, not seat {position.side}"
        )
    left = position.players * ROUNDS[position.players] - position.chosen
    free = sum(
        owner == NOBODY and colour + 1 in position.disks for colour, owner in enumerate(position.owners)
    )
    if free < left:
        raise PositionError(f"rows: {free} free colours lie on the board where {left} are still to be chosen")
