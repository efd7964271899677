"""Boxilies as a game like others: board, stones and house rules in, what `rules.game.Game` asks out."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import comb, factorial

from rules.errors import RecordError, RulesError
from rules.game import Game, Illegal, Legal, Outcome, Underway

from . import judge, moves, position, recognise
from .board import Board
from .house import HouseRules
from .moves import Move
from .position import Position
from .recognise import Placed
from .stones import SEATS, SHIPPED, StonesError, StoneSet, stone_set_named
from .tables import FIGURES, FREE, MOST_STONES, Tables, base_of, figure_of, tables_of

_COUNTS = re.compile(r"([0-9]{1,2})-([0-9]{1,2})( stuck)?")
_BY_PLAYERS = (Outcome(0, "resigned"), Outcome(1, "resigned"), Outcome(None, "agreed"))


def _default_stones() -> StoneSet:
    return stone_set_named("default")


@dataclass(frozen=True, slots=True)
class BoxiliesGame(Game[Position, Move]):
    """Boxilies on a board with a stone set. `starter` is the seat that begins, 0 for A.

    Raises StonesError when a hand has too few stones for its share of the board.
    """

    board: Board = field(default_factory=Board)
    stones: StoneSet = field(default_factory=_default_stones)
    house: HouseRules = field(default_factory=HouseRules)
    starter: int = 0
    tables: Tables = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.starter not in (0, 1):
            raise RulesError(f"starter: must be 0 or 1, not {self.starter}")
        for seat, hand in enumerate(self.stones.hands):
            needed = (self.board.free + (seat == self.starter)) // 2
            if len(hand) < needed:
                raise StonesError(
                    f"{SEATS[seat]}: has {len(hand)} stones where the board {self.board.text} needs {needed}"
                )
        object.__setattr__(self, "tables", tables_of(self.board, self.stones, self.house))

    @classmethod
    def of_tags(cls, tags: Mapping[str, str]) -> BoxiliesGame:
        """The game that a record's tags mean. Raises RulesError naming the tag."""
        try:
            board = Board.parse(tags.get("Board", "3x3"))
        except RulesError as error:
            raise RecordError(f"[Board] {error}") from None
        starter = tags.get("Starter", "A")
        if starter not in tuple(SEATS):
            raise RecordError(f'[Starter] must be "A" or "B", not {starter!r}')
        return cls(board, _stones_of_tags(tags), HouseRules.of_tags(tags), SEATS.index(starter))

    @property
    def name(self) -> str:
        return "boxilies"

    @property
    def seats(self) -> tuple[str, ...]:
        return tuple(SEATS)

    @property
    def player_tags(self) -> tuple[str, ...]:
        """The record's tags for the players' names, by seat."""
        return tuple(f"Seat{seat}" for seat in SEATS)

    @property
    def cell_names(self) -> tuple[str, ...]:
        return self.board.cell_names

    @property
    def sensors(self) -> tuple[str, ...]:
        """`stone` tells stone, rotation and figure, as long as a byte a cell is enough; `presence` always."""
        few = len(self.stones.stones) <= MOST_STONES
        return (recognise.STONE, recognise.PRESENCE) if few else (recognise.PRESENCE,)

    @property
    def board_kind(self) -> str:
        return f"{self.name} {self.board.columns}x{self.board.rows}"

    @property
    def piece(self) -> str:
        return "stone"

    @property
    def set_up_sentence(self) -> str:
        return "Take all stones off the board for a new game: A has those with A, B those with B."

    @property
    def steady(self) -> bool:
        """Every turn brings a stone."""
        return False

    def bits(self, sensor: str) -> int:
        self._check_sensor(sensor)
        return 8 if sensor == recognise.STONE else 1

    def tags(self) -> tuple[tuple[str, str], ...]:
        tags = [("Game", self.name), ("Board", self.board.text), ("Stones", self.stones.name)]
        if self.stones.name not in SHIPPED or self.stones != stone_set_named(self.stones.name):
            tags.append(("StonesText", self.stones.text))
        if self.starter:
            tags.append(("Starter", SEATS[self.starter]))
        return (*tags, *self.house.tags())

    # -- text -------------------------------------------------------------------------------------

    def start(self) -> Position:
        return Position((FREE,) * self.board.cells, self.starter)

    def parse_position(self, text: str) -> Position:
        return position.parse_position(self.tables, text)

    def position_text(self, position_: Position) -> str:
        return position.position_text(self.board, self.stones, position_)

    def parse_move(self, text: str) -> Move:
        return moves.parse_move(self.board, self.stones, text)

    def move_text(self, move: Move) -> str:
        return moves.move_text(self.board, self.stones, move)

    def result_text(self, outcome: Outcome | None) -> str:
        """`5-4`, A's stones first; ` stuck` after it where a hand was empty too early; else the token."""
        if outcome is None:
            return "*"
        if not outcome.scores:
            return outcome.token()
        return judge.score_text(outcome.scores) + (" stuck" if outcome.reason == "stuck" else "")

    def parse_result(self, text: str) -> Outcome | None:
        if text == "*":
            return None
        for outcome in _BY_PLAYERS:
            if outcome.token() == text:
                return outcome
        if match := _COUNTS.fullmatch(text):
            first, second = int(match[1]), int(match[2])
            winner = None if first == second else int(second > first)
            outcome = Outcome(winner, "stuck" if match[3] else "full", (first, second))
            placed = first + second
            possible = placed < self.board.free if match[3] else placed == self.board.free
            if possible and self.result_text(outcome) == text:
                return outcome
        raise RecordError(f"{text!r} is no result of {self.name} on the board {self.board.text}")

    # -- play -------------------------------------------------------------------------------------

    def moves(self, position_: Position) -> tuple[Move, ...]:
        """Placements that look different, in the byte order of their texts."""
        board, placements = position_.board, self.tables.placements
        return tuple(
            [
                move
                for stone in self.hand(position_, position_.side)
                for cell, ways in placements[stone]
                if not board[cell]
                for move in ways
            ]
        )

    def is_pass(self, move: Move) -> bool:
        """Never: there is no passing."""
        del move
        return False

    def play(self, position_: Position, move: Move) -> Position:
        return judge.play(self.tables, position_, move)

    def outcome(self, position_: Position) -> Outcome | None:
        return judge.outcome(self.tables, position_)

    def judge(self, position_: Position, move: Move) -> Legal[Position] | Illegal:
        return judge.judge(self.tables, position_, move)

    def perft(self, position_: Position, depth: int) -> int:
        """Lines of exactly `depth` turns, in closed form: captures never change what can be placed.

        The turns of a seat are an ordered choice of so many of its stones, each in one of its rotations; the
        cells are an ordered choice of those left.
        """
        left = self.board.free - position_.ply
        lines = comb(left, depth) * factorial(depth)
        for seat in (0, 1):
            turns = (depth + (seat == position_.side)) // 2
            ways = [len(self.tables.placements[n][0][1]) for n in self.hand(position_, seat)]
            lines *= factorial(turns) * _choices(ways, turns)
        return lines

    def hand(self, position_: Position, seat: int) -> tuple[int, ...]:
        """The stones that a seat has not placed yet, in the order of their names."""
        return position.hand(self.tables, position_, seat)

    def captures(self, position_: Position, move: Move) -> tuple[int, ...]:
        """The cells whose figures a legal placement turns, in the order of cells."""
        return judge.captures(self.tables, position_, move)

    # -- the board --------------------------------------------------------------------------------

    def picture(self, position_: Position, sensor: str) -> bytes:
        self._check_sensor(sensor)
        return recognise.picture(position_, sensor)

    def level(self, picture: bytes, tilt: int | None) -> bytes:
        """Nothing rolls; of equal-looking rotations of a stone the smallest stands for all."""
        del tilt
        return recognise.canonical(self.tables, picture)

    def travel(self, move: Move) -> tuple[int, int]:
        """The cell, twice: a stone comes from the hand."""
        return move.cell, move.cell

    def owner(self, position_: Position, cell: int) -> int | None:
        """The seat that owns the stone there now."""
        return position_.owner(cell)

    def lifted(self, position_: Position, edges: Sequence[tuple[int, int]]) -> frozenset[int] | None:
        return recognise.lifted(position_, edges)

    def placed(self, position_: Position, picture: bytes) -> Placed | None:
        """The legal placement that a picture of the stone sensor shows, and which figures are to be turned."""
        return recognise.placed(self.tables, position_, picture)

    def underway(self, position_: Position, picture: bytes, sensor: str) -> Underway[Move] | None:
        """A placement whose figures are not all turned; nothing where only presence is known."""
        self._check_sensor(sensor)
        if sensor != recognise.STONE:
            return None
        placed = recognise.placed(self.tables, position_, picture) or self._too_soon(position_, picture)
        if placed is None or placed.done:
            return None
        own = (placed.move.cell,) if placed.figure_due else ()
        cells = (*own, *placed.to_turn)
        return Underway(placed.move, cells, placed.wrong, self._turning(position_, placed, cells))

    def _too_soon(self, position_: Position, picture: bytes) -> Placed | None:
        """A placement, and another stone that was placed before its turn: that one is wrong."""
        new = [cell for cell, before in enumerate(position_.board) if picture[cell] and not before]
        for early in new if len(new) == 2 else ():
            without = picture[:early] + bytes(1) + picture[early + 1 :]
            placed = recognise.placed(self.tables, position_, without)
            if placed is not None:
                return replace(placed, wrong=(early, *placed.wrong))
        return None

    def _turning(self, position_: Position, placed: Placed, cells: tuple[int, ...]) -> str:
        """What to do next."""
        if not placed.wrong:
            name = self.cell_names[cells[0]]
            return f"Turn the figure on {name} to {SEATS[1 - position_.side]}'s side."
        cell = placed.wrong[0]
        name, lies = self.cell_names[cell], self.lies(self.play(position_, placed.move), cell)
        return f"{name} must be as it was: {lies}." if lies else f"Take the stone off {name}."

    def lies(self, position_: Position, cell: int) -> str:
        reading = position_.board[cell]
        if not reading:
            return ""
        base = base_of(reading)
        stone, turns = self.stones.names[base >> 2], base & 3
        turned = ("unturned", "turned once", "turned twice", "turned three times")[turns]
        side = SEATS[1 - FIGURES.index(figure_of(reading))] if figure_of(reading) in FIGURES else "no"
        return f"stone {stone}, {turned}, its figure to {side}'s side"

    def explain(
        self,
        position_: Position,
        picture: bytes,
        sensor: str,
        tilt: int | None,
        lifted: frozenset[int] | None,
    ) -> tuple[Move, Illegal] | None:
        self._check_sensor(sensor)
        del tilt
        return recognise.explain(self.tables, position_, picture, sensor, lifted)

    def adopt(
        self,
        position_: Position,
        picture: bytes,
        sensor: str,
        tilt: int | None,
        lifted: frozenset[int] | None,
    ) -> Position | None:
        self._check_sensor(sensor)
        del tilt, lifted  # a picture of stones tells everything, one of presence nothing that these could add
        return recognise.adopt(self.tables, position_, picture, sensor)


def _choices(ways: Sequence[int], number: int) -> int:
    """Sum over all choices of so many of them of the product of their ways (elementary symmetric sum)."""
    sums = [1] + [0] * number
    for way in ways:
        for chosen in range(number, 0, -1):
            sums[chosen] += sums[chosen - 1] * way
    return sums[number]


def _stones_of_tags(tags: Mapping[str, str]) -> StoneSet:
    name = tags.get("Stones", "default")
    try:
        if "StonesText" not in tags:
            return stone_set_named(name)
        stones = StoneSet.load(tags["StonesText"])
    except StonesError as error:
        raise RecordError(f"[{'StonesText' if 'StonesText' in tags else 'Stones'}] {error}") from None
    if stones.name != tags.get("Stones", stones.name):
        raise RecordError(f"[StonesText] holds the set {stones.name!r}, [Stones] says {name!r}")
    return stones
