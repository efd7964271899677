"""Search for a Boxilies placement: a game, a position, a number of nodes and a seed in, a `Thought` out. Pure.

Negamax with alpha-beta, deepened step by step, with a transposition table. As soon as a search reaches the full
board it is exact: so the last turns of a game are solved. Nodes bound the work, not time.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Final, NamedTuple

from engine.dice import Dice
from engine.errors import NothingToPlay
from engine.thought import POLL_NODES, Stop, Thought
from rules.boxilies.game import BoxiliesGame
from rules.boxilies.judge import captured
from rules.boxilies.moves import Move
from rules.boxilies.position import Position
from rules.boxilies.tables import FREE, Tables, base_of, figure_of, reading_of

STONE: Final = 100
"""Score of a stone more."""

RISK: Final = 12
"""What a side costs that some stone of the other's hand could beat, while the cell before it is free."""

END: Final = 10_000
"""Added to the score of a won game, so that a win by one stone counts more than any lead on the way."""

_MOST: Final = 1 << 30


class _Entry(NamedTuple):
    """What the transposition table knows: the score is exact, or a bound (-1 at most, 1 at least)."""

    depth: int
    score: int
    bound: int
    best: Move


class _Child(NamedTuple):
    """What a placement leads to, before it is looked at: `lead` is in stones, for the one who placed."""

    move: Move
    board: tuple[int, ...]
    lead: int


class _Enough(Exception):
    """The nodes are used up, or somebody said stop."""


_Hands = tuple[tuple[int, ...], tuple[int, ...]]


def search(
    game: BoxiliesGame, position: Position, *, nodes: int, seed: int, stop: Stop = lambda: False
) -> Thought[Move]:
    """Think about a position. Raises NothingToPlay when the game is over.

    When stopped, or out of nodes, the best move so far is given. `depth` reaches the stones that are still to
    be placed where the position was solved.
    """
    if game.outcome(position) is not None:
        raise NothingToPlay("the game is over")
    return _Search(game, position, nodes, seed, stop).run()


def plies_left(game: BoxiliesGame, position: Position) -> int:
    """Stones that are still to be placed in a game."""
    return game.board.free - position.ply


class _Search:
    def __init__(self, game: BoxiliesGame, position: Position, nodes: int, seed: int, stop: Stop) -> None:
        self._tables: Tables = game.tables
        self._position = position
        self._left = plies_left(game, position)
        self._hands: _Hands = (game.hand(position, 0), game.hand(position, 1))
        self._limit, self._stop = nodes, stop
        self._dice = Dice(seed, position.ply)
        self._nodes = 0
        self._stopped = False
        self._table: dict[tuple[tuple[int, ...], int], _Entry] = {}

    def run(self) -> Thought[Move]:
        position = self._position
        mine, theirs = position.counts()[position.side], position.counts()[1 - position.side]
        children: list[_Child] = []
        depth = 0
        with suppress(_Enough):
            self._expand(position.board, position.side, mine - theirs, self._hands, children)
        self._dice.shuffle(children)
        children.sort(key=lambda child: -child.lead)
        score = STONE * children[0].lead
        try:
            while depth < self._left and not self._stopped and (len(children) > 1 or depth == 0):
                score = self._deepen(children, depth + 1)
                depth += 1
        except _Enough:
            pass
        line = self._line(children[0])
        return Thought(line[0], score, self._nodes, depth, line, self._stopped)

    def _deepen(self, children: list[_Child], depth: int) -> int:
        """The score at a depth. Moves the best child to the front as soon as it is known."""
        best = -_MOST
        for child in tuple(children):
            score = self._after(child, self._position.side, self._hands, self._left, depth, best, _MOST)
            if score > best:
                best = score
                children.remove(child)
                children.insert(0, child)
        return best

    def _after(
        self, child: _Child, side: int, hands: _Hands, left: int, depth: int, alpha: int, beta: int
    ) -> int:
        """The score of a child for the one who placed."""
        stone = child.move.stone
        first, second = hands
        if side == 0:
            first = tuple([other for other in first if other != stone])
        else:
            second = tuple([other for other in second if other != stone])
        after = (first, second)
        if left == 1 or not after[1 - side]:
            return self._over(child.lead)
        if depth == 1:
            return STONE * child.lead + self._risks(child.board, side, after)
        return -self._node(child.board, 1 - side, -child.lead, after, left - 1, depth - 1, -beta, -alpha)

    def _over(self, lead: int) -> int:
        return STONE * lead + (END if lead > 0 else -END if lead < 0 else 0)

    def _node(
        self,
        board: tuple[int, ...],
        side: int,
        lead: int,
        hands: _Hands,
        left: int,
        depth: int,
        alpha: int,
        beta: int,
    ) -> int:
        """Negamax, depth >= 1; the game goes on here. Returns a score or a bound outside of alpha and beta."""
        key = (board, side)
        known = self._table.get(key)
        if (
            known is not None
            and known.depth >= depth
            and (known.bound == 0 or (known.score >= beta if known.bound > 0 else known.score <= alpha))
        ):
            return known.score
        children: list[_Child] = []
        self._expand(board, side, lead, hands, children)
        first = known.best if known is not None else None
        children.sort(key=lambda child: -_MOST if child.move == first else -child.lead)
        best, best_move, floor = -_MOST, children[0].move, alpha
        for child in children:
            score = self._after(child, side, hands, left, depth, floor, beta)
            if score > best:
                best, best_move = score, child.move
                floor = max(floor, best)
                # On the last cell nothing but the lead counts, and the first child has the greatest.
                if best >= beta or left == 1:
                    break
        self._table[key] = _Entry(depth, best, 1 if best >= beta else -1 if best <= alpha else 0, best_move)
        return best

    def _expand(
        self, board: tuple[int, ...], side: int, lead: int, hands: _Hands, children: list[_Child]
    ) -> None:
        """Add what each placement leads to."""
        tables = self._tables
        for stone in hands[side]:
            for cell, ways in tables.placements[stone]:
                if board[cell] != FREE:
                    continue
                for move in ways:
                    base = tables.smallest[stone * 4 + move.rotation]
                    taken = captured(tables, board, side, cell, base)
                    after = list(board)
                    after[cell] = reading_of(base, side)
                    for other in taken:
                        after[other] = reading_of(base_of(board[other]), side)
                    children.append(_Child(move, tuple(after), lead + 1 + 2 * len(taken)))
                    self._count()

    def _risks(self, board: tuple[int, ...], side: int, hands: _Hands) -> int:
        """What open sides are worth to a seat: those of the other's stones, less its own."""
        tables = self._tables
        ties = tables.house.ties
        strongest = [max(max(tables.sides[stone * 4]) for stone in hand) if hand else -1 for hand in hands]
        total = 0
        own = reading_of(0, side) - 1 & 3
        for cell, reading in enumerate(board):
            if reading:
                mine = figure_of(reading) == own
                beaten_by = strongest[1 - side if mine else side] + ties
                sides = tables.sides[base_of(reading)]
                for facing, _, other in tables.neighbours[cell]:
                    if board[other] == FREE and beaten_by > sides[facing]:
                        total += -RISK if mine else RISK
        return total

    def _count(self) -> None:
        self._nodes += 1
        if self._nodes >= self._limit:
            raise _Enough
        if self._nodes % POLL_NODES == 0 and self._stop():
            self._stopped = True
            raise _Enough

    def _line(self, first: _Child) -> tuple[Move, ...]:
        """The moves that the search expects, as far as its table tells."""
        line = [first.move]
        board, side = first.board, 1 - self._position.side
        while (known := self._table.get((board, side))) is not None:
            move = known.best
            line.append(move)
            after = list(board)
            base = self._tables.smallest[move.stone * 4 + move.rotation]
            for other in captured(self._tables, board, side, move.cell, base):
                after[other] = reading_of(base_of(board[other]), side)
            after[move.cell] = reading_of(base, side)
            board, side = tuple(after), 1 - side
        return tuple(line)
