"""Inference: what the rules expect and a rested picture in, one of seven answers out.

All comparisons are made under the present tilt: expected pictures are rolled ("levelled") to the side that is
down now, and so is the observed one. Where the tilt is not known both are rolled to one agreed side, which
compares the number of marbles in each groove. Cells named bad take whatever reading the candidate expects.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from itertools import combinations
from typing import Generic

from rules.game import Game, Illegal, M, P, Underway

TAKEBACK_PLIES = 8
COLOUR_BLIND = "presence"  # the kind of sensor whose pictures do not tell whose marble it is


@dataclass(frozen=True, slots=True)
class InStep:
    """The picture is the one the rules expect."""


@dataclass(frozen=True, slots=True)
class Lifted:
    """`missing` marbles are off the board. cells: where from, as far as edges or picture tell.

    Where other marbles also lie wrong (`extra` not empty) the cells to fill are `absent`.
    """

    missing: int
    cells: frozenset[int]
    absent: tuple[int, ...]
    extra: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Found(Generic[P, M]):
    """Legal moves explain the picture, and all lead to `after`.

    witnessed: edges showed the marble (False: edges were lost). or_takeback: the picture is also that of the
    position so many plies ago (0: it is not).
    """

    move: M
    after: P
    witnessed: bool
    or_takeback: int


@dataclass(frozen=True, slots=True)
class Ask(Generic[M]):
    """A cell named bad, or the picture itself, leaves several explanations open; these are the moves among them.

    hand: what is missing if the marble is still in a hand; None where it cannot be.
    """

    moves: tuple[M, ...]
    hand: Lifted | None


@dataclass(frozen=True, slots=True)
class Takeback:
    """The picture is only that of the position `plies` ago."""

    plies: int


@dataclass(frozen=True, slots=True)
class Wrong(Generic[M]):
    """Nothing explains the picture. missing, extra: cells to fill and to clear to be in step again.

    illegal: why the one from-to that would explain it is not allowed, if there is one.
    """

    missing: tuple[int, ...]
    extra: tuple[int, ...]
    move: M | None = None
    illegal: Illegal | None = None


@dataclass(frozen=True, slots=True)
class Unfinished(Generic[M]):
    """A legal move lies on the board, and some pieces are still to be turned for it."""

    underway: Underway[M]


Off = tuple[tuple[int, ...], tuple[int, ...]]
"""Cells to fill and to clear."""

Inference = InStep | Lifted | Found[P, M] | Ask[M] | Takeback | Wrong[M] | Unfinished[M]


class Prospects(Generic[P, M]):
    """What the rules expect at one position under one tilt. Move pictures are computed when first needed."""

    def __init__(self, game: Game[P, M], sensor: str, position: P, tilt: int | None) -> None:
        self.game = game
        self.sensor = sensor
        self.position = position
        self.tilt = tilt
        self.expected = self.picture(position)
        self.total = len(self.expected) - self.expected.count(0)
        self._moves: dict[bytes, list[M]] | None = None

    def picture(self, position: P) -> bytes:
        """The picture of a position under this tilt."""
        return self.game.level(self.game.picture(position, self.sensor), self.tilt)

    @property
    def moves(self) -> dict[bytes, list[M]]:
        """Legal moves by the picture they lead to, in text order. Passes move nothing and are left out."""
        if self._moves is None:
            self._moves = {}
            for move in self.game.moves(self.position):
                if not self.game.is_pass(move):
                    after = self.game.play(self.position, move)
                    self._moves.setdefault(self.picture(after), []).append(move)
        return self._moves

    def targets(self, cells: Iterable[int]) -> set[int]:
        """Where the piece of the player to move that was lifted from one of the cells may go."""
        game, position = self.game, self.position
        own = {cell for cell in cells if game.owner(position, cell) == position.side}
        travels = (game.travel(move) for move in game.moves(position) if not game.is_pass(move))
        return {goal for start, goal in travels if start in own}

    def matches(self, observed: bytes, wanted: bytes, bad: Set[int]) -> bool:
        """`observed` (as read) shows `wanted` (levelled), whatever bad cells read."""
        return self.game.level(_filled(observed, wanted, bad), self.tilt) == wanted

    def off(self, observed: bytes, wanted: bytes, bad: Set[int]) -> Off:
        """What to fill and to clear so that `observed` (as read) shows `wanted` (levelled), whatever bad cells read."""
        return difference(self.game.level(_filled(observed, wanted, bad), self.tilt), wanted, bad)


def _filled(observed: bytes, wanted: bytes, bad: Set[int]) -> bytes:
    if not bad:
        return observed
    return bytes(w if cell in bad else o for cell, (o, w) in enumerate(zip(observed, wanted, strict=True)))


def difference(observed: bytes, wanted: bytes, bad: Set[int]) -> Off:
    """Cells to fill and cells to clear so that `observed` becomes `wanted`; a wrong colour is in both."""
    missing, extra = [], []
    for cell, (o, w) in enumerate(zip(observed, wanted, strict=True)):
        if o != w and cell not in bad:
            if w:
                missing.append(cell)
            if o:
                extra.append(cell)
    return tuple(missing), tuple(extra)


def infer(
    prospects: Prospects[P, M],
    earlier: Sequence[P],
    observed: bytes,
    edges: Sequence[tuple[int, int]],
    *,
    edges_lost: bool,
    bad: Set[int],
) -> Inference[P, M]:
    """Explain a rested picture.

    earlier: positions of this game before the present one, latest last. edges: (cell, reading) in time order
    since the picture was last in step. edges_lost: some of them never arrived. bad: cells named bad.
    """
    game, position = prospects.game, prospects.position
    if prospects.matches(observed, prospects.expected, bad):
        return InStep()
    lifted = None if edges_lost else game.lifted(position, _edges_till_put(prospects, edges, observed))
    if bad and lifted and any(not bad.isdisjoint(_slot(game, cell)) for cell in lifted):
        lifted = None  # where one of a groove's sensors is bad, the other cannot tell which marble went
    seen = _filled(observed, prospects.expected, bad)
    if not bad:
        missing = prospects.total - (len(seen) - seen.count(0))
        if missing > 0 and game.steady:
            return _in_hand(prospects, seen, missing, lifted, bad)
        fit = prospects.moves.get(game.level(observed, prospects.tilt), [])
        moves = [move for move in fit if game.shown(position, move, edges)]
        if fit and not moves and edges_lost:
            held = _in_hand(prospects, seen, missing, lifted, bad) if missing > 0 else None
            return Ask(tuple(sorted(fit, key=game.move_text)), held)
    else:
        moves = [
            move
            for wanted, group in prospects.moves.items()
            if prospects.matches(observed, wanted, bad)
            for move in group
        ]
        hand = _could_be_in_hand(prospects, observed, bad)
        if hand:
            held = _in_hand(prospects, seen, 1, lifted, bad)
            return Ask(tuple(sorted(moves, key=game.move_text)), held) if moves else held
    takeback = _earlier(prospects, earlier, observed, bad)
    if moves:
        return _found(prospects, moves, observed, edges, lifted, takeback, edges_lost, bad)
    if takeback:
        return Takeback(takeback)
    underway = game.underway(position, seen, prospects.sensor)
    if underway is not None:
        return Unfinished(underway)
    if not game.steady:
        witness = None if edges_lost else game.witness(position, edges)
        unexplained = wrong(prospects, observed, witness, bad)
        if unexplained.illegal is not None:
            return unexplained
    missing = prospects.total - (len(seen) - seen.count(0))
    if missing > 0:
        return _in_hand(prospects, seen, missing, lifted, bad)
    return wrong(prospects, observed, lifted, bad)


def _in_hand(
    prospects: Prospects[P, M], seen: bytes, missing: int, lifted: frozenset[int] | None, bad: Set[int]
) -> Lifted:
    game, expected, tilt = prospects.game, prospects.expected, prospects.tilt
    picture = game.level(seen, tilt)
    absent, extra = difference(picture, expected, bad)
    if extra and missing <= 2:
        # Of two colours in a groove the low one was lifted, and the other lies in its place.
        for cells in combinations(sorted({*absent, *extra}), missing):
            less = bytearray(expected)
            for cell in cells:
                less[cell] = 0
            if game.level(bytes(less), tilt) == picture:
                return Lifted(missing, frozenset(cells), cells, ())
    return Lifted(missing, lifted if lifted else frozenset(absent), absent, extra)


def _could_be_in_hand(prospects: Prospects[P, M], observed: bytes, bad: Set[int]) -> bool:
    """Does the expected picture less one marble explain what is observed? Only asked where sensors are bad."""
    expected, game = prospects.expected, prospects.game
    for cell, reading in enumerate(expected):
        if reading:
            less = game.level(expected[:cell] + b"\0" + expected[cell + 1 :], prospects.tilt)
            if prospects.matches(observed, less, bad):
                return True
    return False


def _earlier(prospects: Prospects[P, M], earlier: Sequence[P], observed: bytes, bad: Set[int]) -> int:
    for plies, position in enumerate(reversed(earlier[-TAKEBACK_PLIES:]), start=1):
        if prospects.matches(observed, prospects.picture(position), bad):
            return plies
    return 0


def _found(
    prospects: Prospects[P, M],
    moves: Iterable[M],
    observed: bytes,
    edges: Sequence[tuple[int, int]],
    lifted: frozenset[int] | None,
    takeback: int,
    edges_lost: bool,
    bad: Set[int],
) -> Inference[P, M]:
    game, position = prospects.game, prospects.position
    ordered = sorted(moves, key=game.move_text)
    afters = {game.play(position, move) for move in ordered}
    if len(afters) > 1:
        return Ask(tuple(ordered), None)
    if (
        prospects.sensor == COLOUR_BLIND
        and lifted
        and all(game.owner(position, cell) != position.side for cell in lifted)
    ):
        return wrong(prospects, observed, lifted, bad)
    shown = [move for move in ordered if lifted and game.travel(move)[0] in lifted] or ordered
    return Found(_put_first(game, shown, edges), afters.pop(), not edges_lost, takeback)


def _slot(game: Game[P, M], cell: int) -> set[int]:
    """The cells in which a lone piece at `cell` may come to lie."""
    alone = bytes(int(other == cell) for other in range(game.cells))
    return {game.level(alone, seat).index(1) for seat in (0, 1)} | {cell}


def _put_first(game: Game[P, M], moves: Sequence[M], edges: Sequence[tuple[int, int]]) -> M:
    """Of twins that differ in where the marble was put: the one whose space saw it first; else the first."""
    goals = {game.travel(move)[1]: move for move in reversed(moves)}
    if len(goals) > 1:
        for cell, reading in edges:
            if reading and cell in goals:
                return goals[cell]
    return moves[0]


def _edges_till_put(
    prospects: Prospects[P, M], edges: Sequence[tuple[int, int]], observed: bytes
) -> Sequence[tuple[int, int]]:
    """The edges that are a hand's, where the board has been tilted since: all until the picture first was there.

    Marbles that roll to another side look like marbles that are lifted.
    """
    game, position = prospects.game, prospects.position
    side = game.tilt(position)
    if prospects.tilt == side:
        return edges
    there = game.level(observed, None)
    now = bytearray(game.picture(position, prospects.sensor))
    for number, (cell, reading) in enumerate(edges, start=1):
        now[cell] = reading
        if game.level(bytes(now), None) == there:
            return edges[:number]
    return edges


def wrong(
    prospects: Prospects[P, M], observed: bytes, lifted: frozenset[int] | None, bad: Set[int]
) -> Wrong[M]:
    """Why the picture is not what it should be, in cells and, where one from-to explains it, as a reason."""
    game = prospects.game
    seen = _filled(observed, prospects.expected, bad)
    missing, extra = prospects.off(observed, prospects.expected, bad)
    explained = game.explain(prospects.position, seen, prospects.sensor, prospects.tilt, lifted)
    if explained is None:
        return Wrong(missing, extra)
    return Wrong(missing, extra, *explained)


def tilt_by_marbles(game: Game[P, M], observed: bytes) -> tuple[int | None, bool]:
    """The side that is down as single marbles in two-space grooves show it, and whether they agree.

    (None, True): no marble can tell. (None, False): they contradict each other; one is stuck or a sensor lies.
    """
    if not game.tilts:
        return None, True
    low = [seat for seat in (0, 1) if game.level(observed, seat) == observed]
    return (low[0] if len(low) == 1 else None), bool(low)
