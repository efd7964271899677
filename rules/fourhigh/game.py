"""Four High as a game like others: house rules in, everything that `rules.game.Game` asks out."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rules.errors import RecordError, RulesError
from rules.game import Game, Illegal, Legal, Outcome

from . import judge, moves, perft, position, reach, recognise
from .house import HouseRules
from .layout import CELL_NAMES, CELLS, FILES, RANKS
from .moves import PASS, Move
from .position import Position

_RESULT = re.compile(rf"(0|[1-9]\d{{0,5}})-(0|[1-9]\d{{0,5}}) ({'|'.join(judge.Ending)})", re.ASCII)


@dataclass(frozen=True, slots=True)
class FourHighGame(Game[Position, Move]):
    """Four High by its house rules. Seat 0 is Black, who begins."""

    house: HouseRules = field(default_factory=HouseRules)

    @classmethod
    def of_tags(cls, tags: Mapping[str, str]) -> FourHighGame:
        """The game that a record's tags mean. Raises RulesError naming the tag."""
        return cls(HouseRules.of_tags(tags))

    @property
    def name(self) -> str:
        return "fourhigh"

    @property
    def seats(self) -> tuple[str, ...]:
        return position.COLOURS

    @property
    def cell_names(self) -> tuple[str, ...]:
        return CELL_NAMES

    @property
    def sensors(self) -> tuple[str, ...]:
        return (recognise.STACK, recognise.HEIGHT)

    @property
    def board_kind(self) -> str:
        return f"{self.name} {FILES}x{RANKS}"

    @property
    def piece(self) -> str:
        return "stack"

    @property
    def set_up_sentence(self) -> str:
        return "Set the singles up for a new game: White's on ranks 1 and 2, Black's on 7 and 8."

    @property
    def steady(self) -> bool:
        """A capture makes one stack of two."""
        return False

    def bits(self, sensor: str) -> int:
        self._check_sensor(sensor)
        return 4

    @property
    def unread_tells(self) -> bool:
        """More than four pieces on a space read as none."""
        return True

    def resigned(self, seat: int) -> Outcome | None:
        """None: the scores decide; players may agree on an end."""
        del seat
        return None

    def tags(self) -> tuple[tuple[str, str], ...]:
        return (("Game", self.name), *self.house.tags())

    # -- text -------------------------------------------------------------------------------------

    def start(self) -> Position:
        return position.start_position()

    def parse_position(self, text: str) -> Position:
        return position.parse_position(text, self.house.quiet_limit)

    def position_text(self, position_: Position) -> str:
        return position.position_text(position_)

    def parse_move(self, text: str) -> Move:
        return moves.parse_move(text)

    def move_text(self, move: Move) -> str:
        return moves.move_text(move)

    def result_text(self, outcome: Outcome | None) -> str:
        """Black's score, White's and the reason, as in `13-7 closed`; `*` while the game goes on.

        Raises RulesError for an outcome without scores, such as a resignation: this game knows none.
        """
        if outcome is None:
            return "*"
        if len(outcome.scores) != len(self.seats):
            raise RulesError(f"{self.name} ends with the scores of both, not by {outcome.reason!r} alone")
        black, white = outcome.scores
        return f"{black}-{white} {outcome.reason}"

    def parse_result(self, text: str) -> Outcome | None:
        if text == "*":
            return None
        if (match := _RESULT.fullmatch(text)) is None:
            raise RecordError(f"{text!r} is no result of {self.name}; one is written as in 13-7 closed")
        black, white = int(match[1]), int(match[2])
        winner = None if black == white else int(white > black)
        return Outcome(winner, match[3], (black, white))

    # -- play -------------------------------------------------------------------------------------

    def moves(self, position_: Position) -> tuple[Move, ...]:
        found = tuple(reach.actions(position_.stacks, position_.side))
        if position_.quiet >= self.house.quiet_limit or judge.closed(position_.stacks):
            return ()
        return found or (() if self.outcome(position_) else (PASS,))

    def is_pass(self, move: Move) -> bool:
        return move == PASS

    def play(self, position_: Position, move: Move) -> Position:
        return judge.play(position_, move)

    def outcome(self, position_: Position) -> Outcome | None:
        return judge.outcome(self.house, position_)

    def judge(self, position_: Position, move: Move) -> Legal[Position] | Illegal:
        return judge.judge(self.house, position_, move)

    def perft(self, position_: Position, depth: int) -> int:
        return perft.perft(self.house, position_, depth)

    def scores(self, position_: Position) -> tuple[int, int]:
        """Black's and White's score as it stands."""
        return judge.scores(self.house, position_)

    def agreed(self, position_: Position) -> Outcome:
        """The outcome when both agree to end the game at a position."""
        return judge.ended(self.house, position_, judge.Ending.AGREED)

    # -- the board --------------------------------------------------------------------------------

    def picture(self, position_: Position, sensor: str) -> bytes:
        self._check_sensor(sensor)
        return recognise.picture(position_.stacks, sensor)

    def travel(self, move: Move) -> tuple[int, int]:
        return move.origin, move.target

    def owner(self, position_: Position, cell: int) -> int | None:
        return position.owner_of(position_.stacks[cell])

    def stack(self, position_: Position, cell: int) -> str:
        """The stack on a space from bottom to top, as in `WB`; empty where it is free."""
        return position.stack_text(position_.stacks[cell])

    def lies(self, position_: Position, cell: int) -> str:
        code = position_.stacks[cell]
        seat, height = position.owner_of(code), position.height_of(code)
        if seat is None:
            return ""
        colour = self.seats[seat].lower()
        return f"a {colour} single" if height == 1 else f"a stack of {height} with {colour} on top"

    def lifted(self, position_: Position, edges: Sequence[tuple[int, int]]) -> frozenset[int] | None:
        return recognise.lifted(position_, edges)

    def explain(
        self,
        position_: Position,
        picture: bytes,
        sensor: str,
        tilt: int | None,
        lifted: frozenset[int] | None,
    ) -> tuple[Move, Illegal] | None:
        del tilt, lifted  # the picture alone tells from and to
        self._check_picture(picture, sensor)
        return recognise.explain(self.house, position_, picture, sensor)

    def adopt(
        self,
        position_: Position,
        picture: bytes,
        sensor: str,
        tilt: int | None,
        lifted: frozenset[int] | None,
    ) -> Position | None:
        del tilt, lifted
        self._check_picture(picture, sensor)
        return recognise.adopt(position_, picture, sensor)

    def _check_picture(self, picture: bytes, sensor: str) -> None:
        self._check_sensor(sensor)
        if len(picture) != CELLS:
            raise RulesError(f"a picture of {self.name} has {CELLS} cells, not {len(picture)}")
