"""Search for a Boxilies placement: a game, a position, a number of nodes and a seed in, a `Thought` out. Pure.

Negamax with alpha-beta, deepened step by step, with a transposition table. As soon as a search reaches the full
board it is exact: so the last turns of a game are solved.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Final, NamedTuple

from engine.deepening import LEAST, Budget, Enough, Known, deepen, known_of
from engine.dice import Dice
from engine.errors import NothingToPlay
from engine.thought import Stop, Thought
from rules.boxilies.game import BoxiliesGame
from rules.boxilies.judge import captured, play
from rules.boxilies.moves import Move
from rules.boxilies.position import Position
from rules.boxilies.tables import FIGURES, FREE, Tables, base_of, figure_of, reading_of

STONE: Final = 100
"""Score of a stone more."""

RISK: Final = 12
"""What a side costs that some stone of the other's hand could beat, while the cell before it is free."""

END: Final = 10_000
"""Added to the score of a won game, so that a win by one stone counts more than any lead on the way."""


class _Child(NamedTuple):
    """What a placement leads to, before it is looked at: `lead` is in stones, for the one who placed."""

    move: Move
    board: tuple[int, ...]
    lead: int


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
        self._budget = Budget(nodes, stop)
        self._dice = Dice(seed, position.ply)
        self._table: dict[tuple[tuple[int, ...], int], Known[Move]] = {}

    def run(self) -> Thought[Move]:
        position = self._position
        mine, theirs = position.counts()[position.side], position.counts()[1 - position.side]
        children: list[_Child] = []
        with suppress(Enough):
            self._expand(position.board, position.side, mine - theirs, self._hands, children)
        self._dice.shuffle(children)
        children.sort(key=lambda child: -child.lead)
        budget, side = self._budget, position.side

        def rate(child: _Child, depth: int, best: int) -> int:
            return self._after(child, side, self._hands, self._left, depth, best, -LEAST)

        # A single placement is rated too: where it is the last one, that is the game's end.
        score, depth = deepen(budget, children, STONE * children[0].lead, rate, most=self._left, single=True)
        line = self._line(children[0])
        return Thought(line[0], score, budget.nodes, depth, line, budget.stopped)

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
        if known is not None and known.suffices(depth, alpha, beta):
            return known.score
        children: list[_Child] = []
        self._expand(board, side, lead, hands, children)
        first = known.best if known is not None else None
        children.sort(key=lambda child: LEAST if child.move == first else -child.lead)
        best, best_move, floor = LEAST, children[0].move, alpha
        for child in children:
            score = self._after(child, side, hands, left, depth, floor, beta)
            if score > best:
                best, best_move = score, child.move
                floor = max(floor, best)
                # On the last cell nothing but the lead counts, and the first child has the greatest.
                if best >= beta or left == 1:
                    break
        self._table[key] = known_of(depth, best, alpha, beta, best_move)
        return best

    def _expand(
        self, board: tuple[int, ...], side: int, lead: int, hands: _Hands, children: list[_Child]
    ) -> None:
        """Add what each placement leads to."""
        tables, count = self._tables, self._budget.count
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
                    count()

    def _risks(self, board: tuple[int, ...], side: int, hands: _Hands) -> int:
        """What open sides are worth to a seat: those of the other's stones, less its own."""
        tables = self._tables
        ties = tables.house.ties
        strongest = [max(max(tables.sides[stone * 4]) for stone in hand) if hand else -1 for hand in hands]
        total = 0
        for cell, reading in enumerate(board):
            if reading:
                mine = figure_of(reading) == FIGURES[side]
                beaten_by = strongest[1 - side if mine else side] + ties
                sides = tables.sides[base_of(reading)]
                for facing, _, other in tables.neighbours[cell]:
                    if board[other] == FREE and beaten_by > sides[facing]:
                        total += -RISK if mine else RISK
        return total

    def _line(self, first: _Child) -> tuple[Move, ...]:
        """The moves that the search expects, as far as its table tells."""
        line = [first.move]
        at = Position(first.board, 1 - self._position.side)
        while (known := self._table.get((at.board, at.side))) is not None:
            line.append(known.best)
            at = play(self._tables, at, known.best)
        return tuple(line)
