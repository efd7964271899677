"""Search for a Four High move: a game, a position, a number of nodes and a seed in, a `Thought` out. Pure.

Negamax with alpha-beta, deepened step by step, with a transposition table, moves ordered by what they gain and
what refuted their like before, late quiet moves looked at less deeply, and captures followed to their end.
"""

from __future__ import annotations

from typing import Final

from engine.deepening import LEAST, Budget, Known, deepen, known_of
from engine.dice import Dice
from engine.errors import NothingToPlay
from engine.thought import Stop, Thought
from rules.fourhigh.game import FourHighGame
from rules.fourhigh.house import Stuck
from rules.fourhigh.moves import PASS, Move
from rules.fourhigh.position import Position

from .stacks import Stacks, Step, after, captures, closed, quiets, stacks_of, turned
from .worth import POINT, WIN, WON, worth_of

MAX_DEPTH: Final = 40
MAX_HEIGHT: Final = 80
"""Turns from the root after which nothing is followed any more."""

LINE: Final = 6
"""Longest line of expected moves that a thought tells."""

LATE: Final = 6
"""Quiet moves of a node that are looked at in full depth before the rest is looked at less deeply."""

FUTILE: Final = 120
"""What a quiet move could bring at most in the last turn of a search, beside what it gains in worth."""


def search(
    game: FourHighGame, position: Position, *, nodes: int, seed: int, stop: Stop = lambda: False
) -> Thought[Move]:
    """Think about a position. Raises NothingToPlay when the game is over.

    When stopped, or out of nodes, the best move so far is given.
    """
    moves = game.moves(position)
    if not moves:
        raise NothingToPlay("the game is over")
    if moves == (PASS,):
        return Thought(PASS, 0, 0, 0, (PASS,), False)
    return _Search(game, position, nodes, seed, stop).run()


class _Search:
    def __init__(self, game: FourHighGame, position: Position, nodes: int, seed: int, stop: Stop) -> None:
        self._house = game.house
        self._worth = worth_of(game.house)
        self._of = self._worth.of
        self._position = position
        self._budget = Budget(nodes, stop)
        self._dice = Dice(seed, position.ply)
        self._table: dict[tuple[Stacks, int], Known[Step]] = {}
        self._killers: list[Step | None] = [None] * (MAX_HEIGHT + 2)
        self._cuts: dict[Step, int] = {}

    def run(self) -> Thought[Move]:
        stacks = stacks_of(self._position)
        worth = self._worth.score(self._position)
        steps = captures(stacks) + quiets(stacks)
        steps.sort()
        self._dice.shuffle(steps)
        steps.sort(key=lambda step: -self._gain(step))
        budget, quiet = self._budget, self._position.quiet

        def rate(step: Step, depth: int, best: int) -> int:
            rated = worth + self._gain(step)
            if best > LEAST:
                score = self._after(stacks, step, rated, quiet, depth, best, best + 1, 0)
                if score <= best:
                    return score
            return self._after(stacks, step, rated, quiet, depth, best, -LEAST, 0)

        score, depth = deepen(budget, steps, worth + self._gain(steps[0]), rate, most=MAX_DEPTH, won=WON)
        line = self._line(stacks, steps[0])
        return Thought(line[0], score, budget.nodes, depth, line, budget.stopped)

    def _gain(self, step: Step) -> int:
        of = self._of
        origin, target, height, prey = step
        return of[height + prey][target] - of[height][origin] + of[prey][target]

    def _after(
        self,
        stacks: Stacks,
        step: Step,
        worth: int,
        quiet: int,
        depth: int,
        alpha: int,
        beta: int,
        height: int,
    ) -> int:
        """The mover's score after a step, of which `worth` is known already."""
        following = after(stacks, step)
        if step.prey:
            if closed(following):
                return -self._over(following, height + 1)
            quiet = 0
        else:
            quiet += 1
            if quiet >= self._house.quiet_limit:
                return -self._over(following, height + 1)
        if depth <= 1 or height >= MAX_HEIGHT:
            return -self._calm(following, -worth, -beta, -alpha, height + 1)
        return -self._node(following, -worth, quiet, depth - 1, -beta, -alpha, height + 1)

    def _over(self, stacks: Stacks, height: int) -> int:
        """The score of a game that is over, for the player who would move."""
        lead = self._points(stacks.own4) - self._points(stacks.foe4)
        return 0 if lead == 0 else (WIN - height) * (1 if lead > 0 else -1) + POINT * lead

    def _points(self, spaces: int) -> int:
        total, points = 0, self._worth.points
        while spaces:
            bit = spaces & -spaces
            spaces ^= bit
            total += points[bit.bit_length() - 1]
        return total

    def _calm(self, stacks: Stacks, worth: int, alpha: int, beta: int, height: int) -> int:
        """The score once no capture is worth while any more; the player may also be content as it stands."""
        self._budget.count()
        if worth >= beta:
            return worth
        best = worth
        alpha = max(alpha, worth)
        of = self._of
        rated = []
        for step in captures(stacks):
            origin, target, high, prey = step
            gain = of[high + prey][target] - of[high][origin] + of[prey][target]
            rated.append((-gain, step))
        rated.sort()
        for loss, step in rated:
            following = after(stacks, step)
            if closed(following):
                score = -self._over(following, height + 1)
            elif height >= MAX_HEIGHT:
                score = worth - loss
            else:
                score = -self._calm(following, loss - worth, -beta, -alpha, height + 1)
            if score > best:
                best = score
                if best >= beta:
                    return best
                alpha = max(alpha, best)
        return best

    def _node(
        self, stacks: Stacks, worth: int, quiet: int, depth: int, alpha: int, beta: int, height: int
    ) -> int:
        """Negamax, depth >= 1; the game goes on here. Returns a score or a bound outside of alpha and beta."""
        self._budget.count()
        # Where the end by quiet turns is in sight, it matters how many there were.
        near = quiet if quiet + MAX_DEPTH >= self._house.quiet_limit else -1
        key = (stacks, near)
        known = self._table.get(key)
        first: Step | None = None
        if known is not None:
            if known.suffices(depth, alpha, beta):
                return known.score
            first = known.best
        steps = self._ordered(stacks, first, height)
        if not steps:
            return self._stuck(stacks, worth, quiet, depth, alpha, beta, height)
        best, best_step, floor = LEAST, steps[0], alpha
        of = self._of
        calm_moves = 0
        for number, step in enumerate(steps):
            origin, target, high, prey = step
            rated = worth + of[high + prey][target] - of[high][origin] + of[prey][target]
            less = 0
            if not prey:
                calm_moves += 1
                if number and depth == 1 and rated + FUTILE <= floor and floor > -WON:
                    best = max(best, rated + FUTILE)
                    continue
                if depth >= 2 and calm_moves > LATE:
                    less = 1 if calm_moves <= 4 * LATE else 2
            if number == 0:
                score = self._after(stacks, step, rated, quiet, depth, floor, beta, height)
            else:
                score = self._after(stacks, step, rated, quiet, depth - less, floor, floor + 1, height)
                if score > floor and less:
                    score = self._after(stacks, step, rated, quiet, depth, floor, floor + 1, height)
                if floor < score < beta:
                    score = self._after(stacks, step, rated, quiet, depth, floor, beta, height)
            if score > best:
                best, best_step = score, step
                floor = max(floor, best)
                if best >= beta:
                    if not prey:
                        self._killers[height] = step
                        self._cuts[step] = self._cuts.get(step, 0) + depth * depth
                    break
        self._table[key] = known_of(depth, best, alpha, beta, best_step)
        return best

    def _ordered(self, stacks: Stacks, first: Step | None, height: int) -> list[Step]:
        """Likely best first: what was best before, captures by gain, what refuted a sibling, the rest."""
        of, cuts, killer = self._of, self._cuts, self._killers[height]
        rated = []
        for step in captures(stacks):
            origin, target, high, prey = step
            rated.append((-10_000 - of[high + prey][target] - of[prey][target] + of[high][origin], step))
        for step in quiets(stacks):
            origin, target, high, _ = step
            place = of[high][origin] - of[high][target] - min(cuts.get(step, 0), 8000)
            rated.append((place - 9000 if step == killer else place, step))
        rated.sort()
        steps = [step for _, step in rated]
        if first is not None and first in steps:
            steps.remove(first)
            steps.insert(0, first)
        return steps

    def _stuck(
        self, stacks: Stacks, worth: int, quiet: int, depth: int, alpha: int, beta: int, height: int
    ) -> int:
        """The mover has no action: he passes, or the game is over."""
        other = turned(stacks)
        if self._house.stuck is Stuck.END or not (captures(other) or quiets(other)):
            return self._over(stacks, height)
        if quiet + 1 >= self._house.quiet_limit:
            return self._over(stacks, height)
        if height >= MAX_HEIGHT:
            return worth
        if depth <= 1:
            return -self._calm(other, -worth, -beta, -alpha, height + 1)
        return -self._node(other, -worth, quiet + 1, depth - 1, -beta, -alpha, height + 1)

    def _line(self, stacks: Stacks, first: Step) -> tuple[Move, ...]:
        """The moves that the search expects, as far as its table tells."""
        line = [Move(first.origin, first.target)]
        at = after(stacks, first)
        while len(line) < LINE and (known := self._table.get((at, -1))) is not None:
            line.append(Move(known.best.origin, known.best.target))
            at = after(at, known.best)
        return tuple(line)
