"""Search for a Balanx move: position, history, node count and seed in, a `Thought` out. Pure; may be stopped.

Negamax with alpha-beta, iterative deepening, a transposition table, killer and history ordering.
"""

from __future__ import annotations

from collections.abc import Iterable

from rules.balanx.game import BalanxGame
from rules.balanx.moves import PASS, Move
from rules.balanx.position import Position
from rules.balanx.tables import Hop, settle

from .deepening import Budget, Known, deepen, known_of
from .dice import Dice
from .errors import NothingToPlay
from .evaluate import WIN, WON, worth_of
from .thought import Stop, Thought

MAX_DEPTH = 64
LINE = 8
"""Longest line of expected moves that a thought tells."""

CUTS_WEIGH = 200
"""Most that a move's history as a refutation counts in the order of moves."""

AGAIN = -40
"""Score of a position that was there before, for the player who brings it back: rather play on."""


_Key = tuple[int, int, int]


def search(
    game: BalanxGame,
    position: Position,
    *,
    nodes: int,
    seed: int,
    history: Iterable[Position] = (),
    stop: Stop = lambda: False,
) -> Thought[Move]:
    """Think about a position. `history` are the positions of the game before it, which it should not repeat.

    Raises NothingToPlay when the game is over. When stopped, or out of nodes, the best move so far is given.
    """
    moves = game.moves(position)
    if not moves:
        raise NothingToPlay("the game is over")
    if moves == (PASS,):
        return Thought(PASS, 0, 0, 0, (PASS,), False)
    return _Search(game, position, nodes, seed, history, stop).run(position)


class _Search:
    """One search on bare bit sets, always from the mover's sight."""

    def __init__(
        self,
        game: BalanxGame,
        position: Position,
        nodes: int,
        seed: int,
        history: Iterable[Position],
        stop: Stop,
    ) -> None:
        self._game = game
        self._tables = game.tables
        self._worth = worth_of(game.layout)
        self._budget = Budget(nodes, stop)
        self._dice = Dice(seed, position.ply)
        self._seen = {_key(before.own, before.other, before.side) for before in (*history, position)}
        self._table: dict[_Key, Known[int]] = {}  # the best step by its `Hop.order`
        self._killers = [-1] * (MAX_DEPTH + 1)
        self._cuts: tuple[dict[int, int], dict[int, int]] = ({}, {})

    def run(self, position: Position) -> Thought[Move]:
        """Deepen until the nodes are used up, the game is decided or somebody says stop."""
        hops = self._tables.hops(position.own, position.occupied)
        hops.sort()
        self._dice.shuffle(hops)  # among equal moves the seed decides
        gains = self._worth.gains[position.side]
        hops.sort(key=lambda hop: -gains[hop.order])
        own, other, side, ply = position.own, position.other, position.side, position.ply
        worth = self._worth.score(position)

        def rate(hop: Hop, depth: int, best: int) -> int:
            rated = worth + gains[hop.order]
            return self._after(own, other, side, ply, hop, depth, best, WIN, rated, 0)

        budget = self._budget
        score, depth = deepen(budget, hops, gains[hops[0].order], rate, most=MAX_DEPTH, won=WON)
        line = self._line(position, hops[0])
        return Thought(hops[0].move, score, budget.nodes, depth, line, budget.stopped)

    def _after(
        self,
        own: int,
        other: int,
        side: int,
        ply: int,
        hop: Hop,
        depth: int,
        alpha: int,
        beta: int,
        rated: int,
        height: int,
    ) -> int:
        """The mover's score after a hop that is `rated` so by its marbles alone; `height` is counted from the root."""
        moved, replying = settle(own ^ hop.flip, other, 1 - side, self._tables.masks.lows, self._tables.files)
        occupied = moved | replying
        finishes = self._tables.masks.finishes
        for seat in (side, 1 - side):
            if occupied & finishes[seat] == finishes[seat] and ply + 1 >= 2 - seat:
                return (WIN - height - 1) * (1 if seat == side else -1)
        if depth == 1:
            return rated
        key = _key(replying, moved, 1 - side)
        if key in self._seen:
            return AGAIN
        self._seen.add(key)
        try:
            return -self._node(
                replying, moved, 1 - side, ply + 1, depth - 1, -beta, -alpha, -rated, height + 1
            )
        finally:
            self._seen.discard(key)

    def _node(
        self,
        own: int,
        other: int,
        side: int,
        ply: int,
        depth: int,
        alpha: int,
        beta: int,
        worth: int,
        height: int,
    ) -> int:
        """Negamax, depth >= 1; the game goes on here. Returns a score or a bound outside of alpha and beta."""
        self._budget.count()
        key = _key(own, other, side)
        known = self._table.get(key)
        if known is not None and known.suffices(depth, alpha, beta):
            return known.score
        hops = self._tables.hops(own, own | other)
        if not hops:
            return self._pass(own, other, side, ply, depth, alpha, beta, worth, height)
        gains = self._worth.gains[side]
        if depth == 1 and not self._near_end(own | other):
            return worth + max([gains[hop.order] for hop in hops])
        self._sort(hops, side, height, known.best if known is not None else -1)
        best, best_order, floor = -WIN, -1, alpha
        for hop in hops:
            rated = worth + gains[hop.order]
            score = self._after(own, other, side, ply, hop, depth, floor, beta, rated, height)
            if score > best:
                best, best_order = score, hop.order
                floor = max(floor, best)
                if best >= beta:
                    self._killers[height] = hop.order
                    cuts = self._cuts[side]
                    cuts[hop.order] = cuts.get(hop.order, 0) + depth * depth
                    break
        self._table[key] = known_of(depth, best, alpha, beta, best_order)
        return best

    def _pass(
        self,
        own: int,
        other: int,
        side: int,
        ply: int,
        depth: int,
        alpha: int,
        beta: int,
        worth: int,
        height: int,
    ) -> int:
        """The mover has no move: the other goes on, or nobody can."""
        if depth == 1 or height >= MAX_DEPTH:
            return worth
        own, other = self._tables.settle(own, other, 1 - side)
        if not self._tables.hops(other, own | other):
            return 0
        return -self._node(other, own, 1 - side, ply + 1, depth - 1, -beta, -alpha, -worth, height + 1)

    def _near_end(self, occupied: int) -> bool:
        """Whether one more marble could fill a corner."""
        return any((finish & ~occupied).bit_count() <= 1 for finish in self._tables.masks.finishes)

    def _sort(self, hops: list[Hop], side: int, height: int, first: int) -> None:
        """Likely best first: what was best before, what refuted a sibling, what advances or often refuted."""
        gains, cuts, killer = self._worth.gains[side], self._cuts[side], self._killers[height]
        rank = {
            order: gains[order] + min(cuts.get(order, 0), CUTS_WEIGH) for order in [hop.order for hop in hops]
        }
        for order, bonus in ((killer, WIN), (first, 2 * WIN)):
            if order in rank:
                rank[order] += bonus
        hops.sort(key=lambda hop: -rank[hop.order])

    def _line(self, position: Position, first: Hop) -> tuple[Move, ...]:
        """The moves that the search expects, as far as its table tells."""
        line = [first.move]
        at = self._game.play(position, first.move)
        while len(line) < LINE and (known := self._table.get(_key(at.own, at.other, at.side))) is not None:
            hop = next(
                (hop for hop in self._tables.hops(at.own, at.occupied) if hop.order == known.best), None
            )
            if hop is None:
                break
            line.append(hop.move)
            at = self._game.play(at, hop.move)
        return tuple(line)


def _key(own: int, other: int, side: int) -> _Key:
    return own, other, side
