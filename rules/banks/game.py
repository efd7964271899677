"""BANKS as a game like others: board, players and house rules in, all that `rules.game.Game` asks out."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rules.errors import PositionError, RecordError, RulesError
from rules.game import Game, Illegal, Legal, Outcome

from . import judge, moves, position, recognise, routes, tags
from .deal import MOST_DISKS, deal, default_disks
from .judge import HouseRules, Laws
from .layout import Lattice
from .moves import Move
from .position import COLOURS, ROUNDS, SEATS, Position

_RESULT = re.compile(r"((?:0|[1-9][0-9]*)(?: (?:0|[1-9][0-9]*))+)(?: (quiet|agreed))?")


@dataclass(frozen=True, slots=True)
class BanksGame(Game[Position, Move]):
    """BANKS from a position laid out. Made by `shuffled`, `of_position`, `of_picture` or `of_tags`.

    disks: of each colour in the set; with the house rules it sets the limit of quiet turns.
    """

    lattice: Lattice
    laid: Position
    disks: int
    house: HouseRules = tags.STANDARD
    laws: Laws = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not 1 <= self.disks <= MOST_DISKS:
            raise PositionError(f"disks: {self.disks} of a colour are not between 1 and {MOST_DISKS}")
        object.__setattr__(self, "laws", Laws(self.lattice, self.disks, self.house))

    @classmethod
    def shuffled(
        cls,
        lattice: Lattice,
        players: int = 2,
        disks: int | None = None,
        seed: int = 0,
        house: HouseRules = tags.STANDARD,
    ) -> BanksGame:
        """A game on a board laid out by chance. `disks` of each colour, by default as many as fit.

        Raises RulesError naming what cannot be.
        """
        each = default_disks(lattice) if disks is None else disks
        return cls(lattice, position.laid_out(deal(lattice, players, each, seed), players), each, house)

    @classmethod
    def of_position(cls, text: str, disks: int | None = None, house: HouseRules = tags.STANDARD) -> BanksGame:
        """A game that starts at a position; size and players are the text's. Raises PositionError."""
        lattice, players = position.shape_of(text)
        laid = position.parse_position(lattice, players, text)
        return cls(lattice, laid, tags.disks_of_position(lattice) if disks is None else disks, house)

    @classmethod
    def of_picture(
        cls,
        lattice: Lattice,
        players: int,
        picture: bytes,
        disks: int | None = None,
        house: HouseRules = tags.STANDARD,
    ) -> BanksGame:
        """A game on a board laid out by hand and read by its sensors. Raises PositionError.

        Nothing may be unread, and as many colours must lie there as will be chosen.
        """
        if players not in SEATS:
            raise PositionError(f"players: {players} is not between {SEATS[0]} and {SEATS[-1]}")
        if len(picture) != lattice.cells:
            raise PositionError(f"picture: {len(picture)} cells where {lattice.name} has {lattice.cells}")
        for name, reading in zip(lattice.cell_names, picture, strict=True):
            if reading > len(COLOURS):
                raise PositionError(f"picture: the disk on {name} cannot be read")
        present, needed = len({*picture} - {0}), players * ROUNDS[players]
        if present < needed:
            raise PositionError(f"picture: {present} colours where {needed} are to be chosen")
        each = tags.disks_of_position(lattice) if disks is None else disks
        return cls(lattice, position.laid_out(bytes(picture), players), each, house)

    @classmethod
    def of_tags(cls, values: Mapping[str, str]) -> BanksGame:
        """The game that tags mean: from [Setup], or laid out by [Board], [Players], [Disks] and [Seed].

        [Board] and [Players] must agree with [Setup]. Raises RecordError naming the tag.
        """
        house, seed = tags.read_house(values), tags.read_number(values, "Seed", 0)
        if "Setup" not in values:
            lattice = tags.read_lattice(values)
            players = tags.read_number(values, "Players", SEATS[0])
            disks = tags.read_number(values, "Disks", default_disks(lattice))
            with tags.refusals("[Board], [Players], [Disks], [Seed]"):
                return cls.shuffled(lattice, players, disks, seed, house)
        with tags.refusals("[Setup]"):
            lattice, players = position.shape_of(values["Setup"])
            laid = position.parse_position(lattice, players, values["Setup"])
        for tag, told in (("Board", lattice.name), ("Players", str(players))):
            if values.get(tag, told) != told:
                raise RecordError(f"[{tag}] says {values[tag]!r}, but [Setup] has {told}")
        disks = tags.read_number(values, "Disks", tags.disks_of_position(lattice))
        with tags.refusals("[Disks]"):
            return cls(lattice, laid, disks, house)

    @property
    def name(self) -> str:
        return tags.NAME

    @property
    def players(self) -> int:
        """Number of players."""
        return self.laid.players

    @property
    def seats(self) -> tuple[str, ...]:
        return tuple(f"Player {seat + 1}" for seat in range(self.players))

    @property
    def player_tags(self) -> tuple[str, ...]:
        return tuple(f"Seat{seat + 1}" for seat in range(self.players))

    @property
    def cell_names(self) -> tuple[str, ...]:
        return self.lattice.cell_names

    @property
    def sensors(self) -> tuple[str, ...]:
        return (recognise.COLOUR,)

    @property
    def setup_in_record(self) -> bool:
        """A record must hold the position laid out: no other tag tells what chance gave."""
        return True

    @property
    def board_kind(self) -> str:
        return f"{self.name} {self.lattice.name}"

    @property
    def piece(self) -> str:
        return "disk"

    @property
    def set_up_sentence(self) -> str:
        return "Lay the disks out as they are shown, or any way you like and say that the board is right."

    @property
    def steady(self) -> bool:
        """Captured and chosen disks leave the board."""
        return False

    def bits(self, sensor: str) -> int:
        self._check_sensor(sensor)
        return 3

    def resigned(self, seat: int) -> Outcome | None:
        """None: the published text lets nobody give up; players may agree on an end."""
        del seat
        return None

    def tags(self) -> tuple[tuple[str, str], ...]:
        return tags.write(self.lattice, self.players, self.disks, self.house)

    def start(self) -> Position:
        return self.laid

    def parse_position(self, text: str) -> Position:
        return position.parse_position(self.lattice, self.players, text)

    def position_text(self, position_: Position) -> str:
        return position.position_text(self.lattice, position_)

    def parse_move(self, text: str) -> Move:
        return moves.parse_move(self.lattice, text)

    def move_text(self, move: Move) -> str:
        return moves.move_text(self.lattice, move)

    def result_text(self, outcome: Outcome | None) -> str:
        if outcome is None:
            return "*"
        points = " ".join(map(str, outcome.scores))
        return points if outcome.reason == "stuck" else f"{points} {outcome.reason}"

    def parse_result(self, text: str) -> Outcome | None:
        if text == "*":
            return None
        match = _RESULT.fullmatch(text)
        counts = tuple(map(int, match[1].split())) if match else ()
        if match is None or len(counts) != self.players:
            raise RecordError(f"{text!r} is no result of {self.name} with {self.players} players")
        best = max(counts)
        winner = counts.index(best) if counts.count(best) == 1 else None
        return Outcome(winner, match[2] or "stuck", counts)

    def moves(self, position_: Position) -> tuple[Move, ...]:
        return judge.moves(self.laws, position_)

    def is_pass(self, move: Move) -> bool:
        del move
        return False

    def play(self, position_: Position, move: Move) -> Position:
        return judge.play(position_, move)

    def outcome(self, position_: Position) -> Outcome | None:
        return judge.outcome(self.laws, position_)

    def agreed(self, position_: Position) -> Outcome:
        """The end of a game that its players break off: the scores as they stand."""
        return judge.ended(position_, self.house, "agreed")

    def scores(self, position_: Position) -> tuple[int, ...]:
        """The scores as they stand, in seat order."""
        return judge.scores(position_, self.house)

    def judge(self, position_: Position, move: Move) -> Legal[Position] | Illegal:
        return judge.judge(self.laws, position_, move)

    def place_in_round(self, position_: Position) -> int:
        """How many turns of the present round were taken before: choosing goes against the order of seats."""
        return self.players - 1 - position_.side if position_.choosing else position_.side

    def picture(self, position_: Position, sensor: str) -> bytes:
        self._check_sensor(sensor)
        return position_.disks

    def travel(self, move: Move) -> tuple[int, int]:
        """The cells from and to; for a choice, whose disk leaves the board, its cell twice."""
        return move.origin, move.origin if move.is_choice else move.target

    def route(self, position_: Position, move: Move) -> tuple[int, ...]:
        """The cells of a shortest way of a legal move, both ends included; for a choice its cell."""
        if move.is_choice:
            return (move.origin,)
        way = routes.route(self.lattice, position_.disks, move.origin, move.target, self.house.on_the_spot)
        return way or (move.origin, move.target)

    def owner(self, position_: Position, cell: int) -> int | None:
        code = position_.disks[cell]
        seat = position_.owners[code - 1] if code else position.NOBODY
        return None if seat == position.NOBODY else seat

    def lifted(self, position_: Position, edges: Sequence[tuple[int, int]]) -> frozenset[int] | None:
        return recognise.lifted(position_, edges)

    def dropped(self, position_: Position, edges: Sequence[tuple[int, int]]) -> tuple[int, ...]:
        """The cells where a disk came to lie in another's place, in the order of time: see `recognise`."""
        return recognise.dropped(position_, edges)

    def shown(self, position_: Position, move: Move, edges: Sequence[tuple[int, int]]) -> bool:
        """Of captures of a disk alike the edges must show the drop: in the picture only the mover's cell is free."""
        disks = position_.disks
        if move.is_choice or disks[move.target] != disks[move.origin]:
            return True
        return move.target in recognise.dropped(position_, edges)[-1:]

    def witness(self, position_: Position, edges: Sequence[tuple[int, int]]) -> frozenset[int] | None:
        """Cells lifted from and dropped on."""
        lifted = recognise.lifted(position_, edges)
        return None if lifted is None else lifted | {*recognise.dropped(position_, edges)}

    def lies(self, position_: Position, cell: int) -> str:
        code = position_.disks[cell]
        return f"{'an' if code == 2 else 'a'} {position.COLOURS[code - 1]} disk" if code else ""

    def laid_out(self, picture: bytes, sensor: str) -> BanksGame | None:
        self._check_sensor(sensor)
        try:
            return BanksGame.of_picture(self.lattice, self.players, picture, self.disks, self.house)
        except RulesError:
            return None

    def explain(
        self,
        position_: Position,
        picture: bytes,
        sensor: str,
        tilt: int | None,
        lifted: frozenset[int] | None,
    ) -> tuple[Move, Illegal] | None:
        del tilt
        self._check_sensor(sensor)
        return recognise.explain(self.laws, position_, picture, lifted)

    def adopt(
        self,
        position_: Position,
        picture: bytes,
        sensor: str,
        tilt: int | None,
        lifted: frozenset[int] | None,
    ) -> Position | None:
        del tilt, lifted  # colours are seen
        self._check_sensor(sensor)
        return recognise.adopt(position_, picture)
