"""Search for a BANKS move: a game, a position, a number of nodes and a seed in, a `Thought` out. Pure.

Two players: alpha-beta, deepened step by step. More players: max-n, in which each player is thought to do the
best for himself; or paranoid, in which all are thought to play against one (`View`; measured in docs/games).
Captures are looked at best first; quiet moves where there are few captures.
"""

from __future__ import annotations

from enum import Enum
from sys import maxsize
from typing import Final, NamedTuple

from engine.deepening import LEAST, Budget, deepen
from engine.dice import Dice
from engine.errors import NothingToPlay
from engine.thought import Stop, Thought
from rules.banks.game import BanksGame
from rules.banks.judge import scores
from rules.banks.moves import Move
from rules.banks.position import COLOURS, Position
from rules.banks.rails import Rails, rails_of

from .worth import UNIT, WIN, WON, standing, worth_for

MAX_DEPTH: Final = 24
ROOT_QUIETS: Final = 16
"""Quiet moves that are looked at beside the captures in the position itself."""

QUIETS: Final = 4
"""Quiet moves that are looked at further on, where there is no capture."""

WIDTH: Final = 10
"""Captures that are looked at further on, the best first."""

_Worths = tuple[int, ...]


class View(Enum):
    """How a player thinks of the others."""

    PARANOID = "paranoid"
    MAX_N = "max-n"


class _State(NamedTuple):
    """disks: readings. masks: by reading 1..6, its cells as bits in the order of names. quiet: turns."""

    disks: bytes
    masks: tuple[int, ...]
    hands: tuple[tuple[int, ...], ...]
    worths: _Worths
    side: int
    quiet: int


class _Step(NamedTuple):
    """A move as cells; `prey` is the reading of what it captures, 0 for nothing. gain: in worth, less is better."""

    loss: int
    origin: int
    target: int
    prey: int


def search(
    game: BanksGame,
    position: Position,
    *,
    nodes: int,
    seed: int,
    view: View = View.MAX_N,
    stop: Stop = lambda: False,
) -> Thought[Move]:
    """Think about a position in which colours are chosen. Raises NothingToPlay when the game is over.

    When stopped, or out of nodes, the best move so far is given.
    """
    if game.outcome(position) is not None:
        raise NothingToPlay("the game is over")
    return _Search(game, position, nodes, seed, view, stop).run()


class _Search:
    def __init__(
        self, game: BanksGame, position: Position, nodes: int, seed: int, view: View, stop: Stop
    ) -> None:
        self._game = game
        self._position = position
        self._house = game.house
        self._rails: Rails = rails_of(game.lattice, game.house.on_the_spot)
        self._bits = tuple(1 << place for place in self._rails.place)
        self._edge = sum(bit for bit, edge in zip(self._bits, self._rails.edge, strict=True) if edge)
        self._players = position.players
        self._root = position.side
        self._codes = tuple(
            tuple(colour for colour, owner in enumerate(position.owners) if owner == seat)
            for seat in range(self._players)
        )
        self._budget = Budget(nodes, stop)
        self._quiet_limit = game.house.quiet_turns * game.disks or maxsize
        self._dice = Dice(seed, position.ply)
        self._alone = view is View.PARANOID or self._players == 2
        left = game.lattice.cells - position.disks.count(0)
        most = max(map(max, position.hands)) + left
        self._worth = worth_for(game.house, self._players, left, sum(map(sum, position.hands)), most)

    # -- the root -----------------------------------------------------------------------------------

    def run(self) -> Thought[Move]:
        state = self._state()
        steps = self._steps(state, all_quiet=True)
        captures = [step for step in steps if step.prey]
        quiets = [step for step in steps if not step.prey]
        for some in (captures, quiets):
            some.sort()
            self._dice.shuffle(some)
        captures.sort(key=lambda step: step.loss)
        steps = captures + quiets[: max(ROOT_QUIETS - len(captures), QUIETS)]

        def rate(step: _Step, depth: int, best: int) -> int:
            following = self._after(state, step)
            if self._alone:
                return self._against(following, depth - 1, best, -LEAST, 1)
            return standing(self._each(following, depth - 1, 1), self._root)

        budget = self._budget
        score, depth = deepen(budget, steps, -steps[0].loss, rate, most=MAX_DEPTH, won=WON)
        move = Move(steps[0].origin, steps[0].target)
        return Thought(move, score, budget.nodes, depth, (move,), budget.stopped)

    def _state(self) -> _State:
        position = self._position
        masks = [0] * len(COLOURS)
        for cell, code in enumerate(position.disks):
            if code:
                masks[code - 1] |= self._bits[cell]
        worths = tuple(map(self._worth.hand, position.hands))
        return _State(position.disks, tuple(masks), position.hands, worths, position.side, position.quiet)

    # -- what follows -------------------------------------------------------------------------------

    def _after(self, state: _State, step: _Step) -> _State:
        """The state after a step, for the next player."""
        disks, masks, hands, worths, side, quiet = state
        _, origin, target, prey = step
        board = bytearray(disks)
        code = board[origin]
        board[origin], board[target] = 0, code
        sets = list(masks)
        sets[code - 1] ^= self._bits[origin] | self._bits[target]
        following = (side + 1) % self._players
        if not prey:
            return _State(bytes(board), tuple(sets), hands, worths, following, quiet + 1)
        sets[prey - 1] ^= self._bits[target]
        hand = list(hands[side])
        gained = self._worth.gain[hand[prey - 1]]
        hand[prey - 1] += 1
        held = (*hands[:side], tuple(hand), *hands[side + 1 :])
        sums = (*worths[:side], worths[side] + gained, *worths[side + 1 :])
        return _State(bytes(board), tuple(sets), held, sums, following, 0)

    def _steps(self, state: _State, *, all_quiet: bool = False) -> list[_Step]:
        """Captures, best first, and quiet moves after them: all, or a few where there is no capture."""
        rails = self._rails
        disks, masks, hands, _, side, _ = state
        tracks = rails.tracks(disks)
        own = 0
        for colour in self._codes[side]:
            own |= masks[colour]
        taken = 0
        for mask in masks:
            taken |= mask
        gain, hand, order = self._worth.gain, hands[side], rails.order
        found: list[_Step] = []
        quiets: list[_Step] = []
        while own:
            bit = own & -own
            own ^= bit
            cell = order[bit.bit_length() - 1]
            reach = rails.reach(cell, tracks)
            hits = reach & taken
            while hits:
                hit = hits & -hits
                hits ^= hit
                target = order[hit.bit_length() - 1]
                prey = disks[target]
                found.append(_Step(-gain[hand[prey - 1]], cell, target, prey))
            if all_quiet or (not found and len(quiets) < QUIETS):
                free = reach & ~taken
                while free and (all_quiet or len(quiets) < QUIETS):
                    to = free & -free
                    free ^= to
                    quiets.append(_Step(0, cell, order[to.bit_length() - 1], 0))
        found.sort()
        return found + quiets if all_quiet or not found else found[:WIDTH]

    def _is_stuck(self, state: _State) -> bool:
        own = 0
        for colour in self._codes[state.side]:
            own |= state.masks[colour]
        if own & self._edge and self._house.on_the_spot:
            return False
        rails, disks = self._rails, state.disks
        while own:
            bit = own & -own
            own ^= bit
            if rails.can_move(disks, rails.order[bit.bit_length() - 1]):
                return False
        return True

    def _ended(self, state: _State, height: int) -> _Worths | None:
        """The worths of a game that is over at a state, with the win in them; None while it goes on."""
        if not self._is_stuck(state) and state.quiet < self._quiet_limit:
            return None
        position = Position(state.disks, self._position.owners, state.hands, state.side, state.quiet)
        counts = scores(position, self._house)
        best = max(counts)
        # The one who ends it ahead has won; the others are as far behind as their scores say.
        return tuple(
            worth + (WIN - height * UNIT if count == best else -WIN + height * UNIT)
            if counts.count(best) == 1
            else worth
            for worth, count in zip(state.worths, counts, strict=True)
        )

    def _against(self, state: _State, depth: int, alpha: int, beta: int, height: int) -> int:
        """The root's score when all others play against it: alpha-beta with maximum and minimum."""
        self._budget.count()
        over = self._ended(state, height)
        if over is not None:
            return standing(over, self._root)
        if depth <= 0:
            return standing(state.worths, self._root)
        mine = state.side == self._root
        best = LEAST if mine else -LEAST
        for step in self._steps(state):
            score = self._against(self._after(state, step), depth - 1, alpha, beta, height + 1)
            if mine:
                best = max(best, score)
                alpha = max(alpha, best)
            else:
                best = min(best, score)
                beta = min(beta, best)
            if alpha >= beta:
                break
        return best

    def _each(self, state: _State, depth: int, height: int) -> _Worths:
        """The worths of all hands when each player does the best for himself."""
        self._budget.count()
        over = self._ended(state, height)
        if over is not None:
            return over
        if depth <= 0:
            return state.worths
        side = state.side
        best: _Worths | None = None
        highest = LEAST
        for step in self._steps(state):
            found = self._each(self._after(state, step), depth - 1, height + 1)
            score = standing(found, side)
            if score > highest:
                best, highest = found, score
        return best or state.worths


def best_choice(game: BanksGame, position: Position, seed: int) -> Move:
    """The colour to choose, and the disk to take for it: what leaves its owner most to do on the board."""
    moves = game.moves(position)
    if not moves:
        raise NothingToPlay("the game is over")
    rated = []
    for move in moves:
        after = game.play(position, move)
        rated.append((_freedom(game, after, position.side), move))
    best = max(rate for rate, _ in rated)
    return Dice(seed, position.ply).choice([move for rate, move in rated if rate == best])


def _freedom(game: BanksGame, position: Position, seat: int) -> int:
    """How many cells a seat's disks reach together, and how many disks it has."""
    rails = rails_of(game.lattice, game.house.on_the_spot)
    tracks = rails.tracks(position.disks)
    owned = {colour + 1 for colour, owner in enumerate(position.owners) if owner == seat}
    reached, number = 0, 0
    for cell, code in enumerate(position.disks):
        if code in owned:
            reached |= rails.reach(cell, tracks)
            number += 1
    return reached.bit_count() + 2 * number
