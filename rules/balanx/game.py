"""Balanx as a game like others: layout and house rules in, everything that `rules.game.Game` asks out."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

from rules.errors import RecordError
from rules.game import Game, Illegal, Legal, Outcome

from . import judge, moves, position, recognise
from .layout import SHIPPED, Layout, layout_named
from .moves import PASS, Move
from .perft import perft
from .position import Position
from .tables import Tables, tables_of

WINS = ("home", "blocked", "resigned")
DRAWS = ("repetition", "stuck", "agreed")


@dataclass(frozen=True, slots=True)
class BalanxGame(Game[Position, Move]):
    """Balanx on a layout. House rule: `repetition` ends a game as a draw at the third time of a position."""

    layout: Layout
    repetition: bool = True
    tables: Tables = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "tables", tables_of(self.layout))

    @property
    def name(self) -> str:
        return "balanx"

    @property
    def seats(self) -> tuple[str, ...]:
        return judge.COLOURS

    @property
    def cell_names(self) -> tuple[str, ...]:
        return self.layout.cell_names

    @property
    def tilts(self) -> bool:
        return True

    @property
    def sensors(self) -> tuple[str, ...]:
        return (recognise.PRESENCE, recognise.COLOUR)

    @property
    def board_kind(self) -> str:
        return self.layout.name

    def tags(self) -> tuple[tuple[str, str], ...]:
        tags = [("Game", self.name), ("Layout", self.layout.name)]
        if self.layout.name not in SHIPPED or self.layout != layout_named(self.layout.name):
            tags.append(("LayoutText", self.layout.text))
        if not self.repetition:
            tags.append(("Repetition", "off"))
        return tuple(tags)

    def start(self) -> Position:
        return position.start_position(self.layout)

    def parse_position(self, text: str) -> Position:
        return position.parse_position(self.layout, text)

    def position_text(self, position_: Position) -> str:
        return position.position_text(self.layout, position_)

    def parse_move(self, text: str) -> Move:
        return moves.parse_move(self.layout, text)

    def move_text(self, move: Move) -> str:
        return moves.move_text(self.layout, move)

    def parse_result(self, text: str) -> Outcome | None:
        if text == "*":
            return None
        known = [Outcome(seat, reason) for reason in WINS for seat in (0, 1)]
        known += [Outcome(None, reason) for reason in DRAWS]
        for outcome in known:
            if outcome.token() == text:
                return outcome
        raise RecordError(f"{text!r} is no result of {self.name}")

    def moves(self, position_: Position) -> tuple[Move, ...]:
        if self.outcome(position_) is not None:
            return ()
        hops = sorted(self.tables.hops(position_.own, position_.occupied))
        return tuple(hop.move for hop in hops) or (PASS,)

    def is_pass(self, move: Move) -> bool:
        return move == PASS

    def play(self, position_: Position, move: Move) -> Position:
        return judge.play(self.tables, position_, move)

    def outcome(self, position_: Position) -> Outcome | None:
        return judge.outcome(self.tables, position_)

    def outcome_after(self, position_: Position, move: Move) -> Outcome | None:
        return judge.outcome_after(self.tables, position_, move)

    def judge(self, position_: Position, move: Move) -> Legal[Position] | Illegal:
        return judge.judge(self.layout, position_, move)

    def repetition_key(self, position_: Position) -> Hashable | None:
        return (position_.white, position_.black, position_.side) if self.repetition else None

    def perft(self, position_: Position, depth: int) -> int:
        return perft(self.tables, position_, depth)

    def picture(self, position_: Position, sensor: str) -> bytes:
        self._check_sensor(sensor)
        return recognise.picture(self.layout, position_, sensor)

    def level(self, picture: bytes, tilt: int | None) -> bytes:
        return recognise.level(self.layout, picture, tilt)

    def travel(self, move: Move) -> tuple[int, int]:
        return move.origin, move.target

    def owner(self, position_: Position, cell: int) -> int | None:
        if position_.white >> cell & 1:
            return 0
        return 1 if position_.black >> cell & 1 else None

    def lifted(self, position_: Position, edges: Sequence[tuple[int, int]]) -> frozenset[int] | None:
        return recognise.lifted(self.layout, position_, edges)

    def explain(
        self,
        position_: Position,
        picture: bytes,
        sensor: str,
        tilt: int | None,
        lifted: frozenset[int] | None,
    ) -> tuple[Move, Illegal] | None:
        self._check_sensor(sensor)
        seen = recognise.see(self.layout, picture, sensor, tilt)
        return recognise.explain(self.layout, position_, seen, tilt, lifted)

    def adopt(
        self,
        position_: Position,
        picture: bytes,
        sensor: str,
        tilt: int | None,
        lifted: frozenset[int] | None,
    ) -> Position | None:
        self._check_sensor(sensor)
        del tilt  # whatever it is, the position is the one settled to the player to move
        seen = recognise.see(self.layout, picture, sensor, position_.side)
        return recognise.adopt(self.layout, position_, seen, lifted)
