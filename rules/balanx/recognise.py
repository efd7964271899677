"""What sensors saw in terms of a position: pictures and edges in; level pictures, lifts, explanations out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from rules.game import Illegal

from .judge import Reason, judge
from .layout import Layout
from .moves import Move
from .position import Position
from .tables import bits_of, cells_of, settle, tables_of

FREE, WHITE, BLACK, UNSURE = range(4)
PRESENCE, COLOUR = "presence", "colour"


@dataclass(frozen=True, slots=True)
class Seen:
    """A picture as bit sets: what is occupied, and what is certainly White's or Black's."""

    occupied: int
    white: int
    black: int

    def shows(self, white: int, black: int) -> bool:
        """Whether these marbles, settled alike, give the picture."""
        return self.occupied == white | black and not (self.white & black or self.black & white)


@dataclass(frozen=True, slots=True)
class Lanes:
    """A picture as one integer, a byte a space, a1 lowest: masks and shifts with which all grooves settle at once."""

    sevens: int
    """0x7F in every byte."""
    tops: int
    """0x80 in every byte."""
    lows: int
    """0xFF on the low space of every groove of two."""
    rank: int
    """Bits from a space to the one behind it."""


@cache
def _lanes_of(layout: Layout) -> Lanes:
    lows = sum(0xFF << 8 * groove[0] for groove in layout.grooves if len(groove) == 2)
    sevens, tops = (int.from_bytes(byte * layout.cells, "little") for byte in (b"\x7f", b"\x80"))
    return Lanes(sevens, tops, lows, 8 * layout.files)


_DIGITS = bytes.maketrans(b"01", bytes((FREE, WHITE)))


def _readings(marbles: int, cells: int) -> bytes:
    """1 for each marble of a bit set, a byte a space."""
    return format(marbles | 1 << cells, "b")[:0:-1].encode().translate(_DIGITS)


def picture(layout: Layout, position: Position, sensor: str) -> bytes:
    """Readings of a perfect sensor board: presence 0 or 1, colour 0, 1 White, 2 Black."""
    cells = layout.cells
    if sensor == PRESENCE:
        return _readings(position.occupied, cells)
    white, black = (
        int.from_bytes(_readings(marbles, cells), "little") for marbles in (position.white, position.black)
    )
    return (WHITE * white + BLACK * black).to_bytes(cells, "little")


def level(layout: Layout, readings: bytes, tilt: int | None) -> bytes:
    """Roll what lies alone in a groove of two to that seat's side; an unknown tilt is levelled to White's."""
    lanes = _lanes_of(layout)
    seen = int.from_bytes(readings, "little")
    taken = ((seen & lanes.sevens) + lanes.sevens | seen) & lanes.tops
    # From the top bit of each byte that is not 0 to 0xFF: where a marble lies.
    taken = (taken << 1) - (taken >> 7)
    low, high = seen & lanes.lows, seen >> lanes.rank & lanes.lows
    rolling = low & ~(taken >> lanes.rank) if tilt == 1 else high & ~taken
    return (seen ^ (rolling | rolling << lanes.rank)).to_bytes(len(readings), "little")


def see(layout: Layout, readings: bytes, sensor: str, tilt: int | None) -> Seen:
    """A picture settled to that tilt, as bit sets; with presence no colour is certain."""
    settled = level(layout, readings, tilt)
    occupied = bits_of(cell for cell, reading in enumerate(settled) if reading)
    if sensor == PRESENCE:
        return Seen(occupied, 0, 0)
    of = {code: bits_of(c for c, reading in enumerate(settled) if reading == code) for code in (WHITE, BLACK)}
    return Seen(occupied, of[WHITE], of[BLACK])


# -- lifts -----------------------------------------------------------------------------------------


def lifted(layout: Layout, position: Position, edges: Sequence[tuple[int, int]]) -> frozenset[int] | None:
    """Cells of the position whose marble was lifted, by edges since it rested in step; None if unfit.

    In a full groove the low marble lies at the end and the high one leans on it. When the low one is lifted
    the other rolls off its space while the low space reads free; when the high one is lifted the low space
    stays covered. So a low space that read free before the high one last fell tells that the low one was
    lifted; once is enough, since a marble that leaves may be seen again for a moment while the other rolls.
    """
    before = position.occupied
    now = before
    low_was_free: dict[int, bool] = {}
    fallen = 0
    for cell, reading in edges:
        bit = 1 << cell
        if reading:
            now |= bit
            continue
        if not now & bit:
            return None
        now ^= bit
        fallen |= bit
        partner = _low_partner(layout, position.side, cell)
        if partner is not None:
            low_was_free[cell] = bool(fallen >> partner & 1)
    gone: set[int] = set()
    for cell in cells_of(before & ~now):
        partner = _low_partner(layout, position.side, cell)
        if partner is not None and now >> partner & 1 and low_was_free[cell]:
            cell = partner  # the marble that lay above rolled into its place
        gone.add(cell)
    return frozenset(gone)


def _low_partner(layout: Layout, side: int, cell: int) -> int | None:
    """The space towards which a marble on `cell` would roll, if its groove has one."""
    for other in layout.grooves[layout.groove_of[cell]]:
        if other != cell and (other < cell) == (side == 0):
            return other
    return None


# -- why a picture is no legal move ----------------------------------------------------------------


def explain(
    layout: Layout, position: Position, seen: Seen, tilt: int | None, witness: frozenset[int] | None
) -> tuple[Move, Illegal] | None:
    """The illegal from-to that gives the picture and whose reason stands latest; ties in text order.

    `seen` is settled to `tilt`. Marbles that the edges saw lifted are asked first, an opponent's before an
    own; then all of the player to move; then all of the opponent.
    """
    own, other = set(cells_of(position.own)), set(cells_of(position.other))
    taken = witness or frozenset()
    for origins in (taken & other, taken & own, own, other):
        candidates = [
            (move, verdict)
            for move in _from_tos(layout, position, seen, tilt, origins)
            if isinstance(verdict := judge(layout, position, move), Illegal)
        ]
        if candidates:
            return min(candidates, key=lambda found: _latest_first(layout, *found))
    return None


def _from_tos(
    layout: Layout, position: Position, seen: Seen, tilt: int | None, origins: set[int] | frozenset[int]
) -> Iterator[Move]:
    """Every way to put one of these marbles on a free space that gives the picture."""
    tables = tables_of(layout)
    free = list(cells_of(tables.masks.board & ~position.occupied))
    for origin in origins:
        white_moves = position.white >> origin & 1
        for target in free:
            flip = 1 << origin | 1 << target
            white = position.white ^ (flip if white_moves else 0)
            black = position.black ^ (0 if white_moves else flip)
            if seen.shows(*settle(white, black, tilt or 0, tables.masks.lows, layout.files)):
                yield Move(origin, target)


def _latest_first(layout: Layout, move: Move, verdict: Illegal) -> tuple[int, str, str]:
    place = list(Reason).index(Reason(verdict.reason))
    return -place, layout.cell_names[move.origin], layout.cell_names[move.target]


# -- the board is right ----------------------------------------------------------------------------


def adopt(layout: Layout, position: Position, seen: Seen, witness: frozenset[int] | None) -> Position | None:
    """The position of the same side and ply that a picture settled to that side shows, colours certain.

    No marble may be missing or too many. Grooves that hold as many as before are taken to hold the same.
    """
    if seen.occupied == seen.white | seen.black and seen.occupied:
        white, black = seen.white, seen.black
    elif (colours := _by_presence(layout, position, seen, witness or frozenset())) is not None:
        white, black = colours
    else:
        return None
    numbers = (white.bit_count(), black.bit_count())
    if numbers != (position.white.bit_count(), position.black.bit_count()) or not seen.shows(white, black):
        return None
    return Position(white, black, position.side, position.ply)


def _by_presence(
    layout: Layout, position: Position, seen: Seen, witness: frozenset[int]
) -> tuple[int, int] | None:
    """Groove by groove: what is gone must be certain and of one colour; what is new has that colour."""
    kept: list[int] = []
    gone: list[int] = []
    new: list[int] = []
    tables = tables_of(layout)
    for groove in layout.grooves:
        spaces = bits_of(groove)
        marbles = list(cells_of(position.occupied & spaces))
        missing = len(marbles) - (seen.occupied & spaces).bit_count()
        if missing > 0:
            taken = _taken(position, marbles, missing, witness)
            if taken is None:
                return None
            gone += taken
            kept += [cell for cell in marbles if cell not in taken]
            continue
        kept += marbles
        new += [cell for cell in groove if cell not in marbles][: max(0, -missing)]
    white_gone = {bool(position.white >> cell & 1) for cell in gone}
    if len(white_gone) > 1:
        return None
    kept_bits, new_bits = bits_of(kept), bits_of(new)
    white, black = position.white & kept_bits, position.black & kept_bits
    if True in white_gone:
        white |= new_bits
    else:
        black |= new_bits
    return tables.settle(white, black, position.side)


def _taken(position: Position, marbles: list[int], missing: int, witness: frozenset[int]) -> list[int] | None:
    """Which marbles of a groove are gone; None when two of different colour leave that open."""
    if missing == len(marbles):
        return marbles
    seen_lifted = [cell for cell in marbles if cell in witness]
    if len(seen_lifted) == missing:
        return seen_lifted
    alike = len({position.white >> cell & 1 for cell in marbles}) == 1
    return marbles[:missing] if alike else None
