"""What every game offers to its users: positions and moves in, verdicts and pictures out.

A game is a frozen value made of its board and its house rules. Seats and cells are numbers: seat 0 is the
first of `seats`, a cell is an index into `cell_names`. A picture is one number per cell, as a perfect
sensor board reports it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, Protocol, TypeVar

from .errors import RulesError


class Turn(Protocol):
    """The least that a position says: whose turn it is and how many were taken before. Frozen, hashable."""

    @property
    def side(self) -> int: ...

    @property
    def ply(self) -> int: ...

    def __hash__(self) -> int: ...


P = TypeVar("P", bound=Turn)
M = TypeVar("M", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended. `winner` is a seat, None for a draw or shared win; `scores` where a game counts."""

    winner: int | None
    reason: str
    scores: tuple[int, ...] = ()

    def token(self) -> str:
        """The last token of a record of two seats, as in `1-0 home` or `1/2 stuck`."""
        head = "1/2" if self.winner is None else ("1-0", "0-1")[self.winner]
        return f"{head} {self.reason}"


@dataclass(frozen=True, slots=True)
class Illegal:
    """Why a move is not allowed: the reason's code, the cells that matter and one plain sentence."""

    reason: StrEnum
    cells: tuple[int, ...]
    sentence: str


@dataclass(frozen=True, slots=True)
class Underway(Generic[M]):
    """A legal move that lies on the board but for some pieces that are still to be turned, one after the other.

    cells: where, in the order of guiding. wrong: these were changed without a reason and come first; the sentence
    says what to do on the first of all.
    """

    move: M
    cells: tuple[int, ...]
    wrong: tuple[int, ...]
    sentence: str


@dataclass(frozen=True, slots=True)
class Legal(Generic[P]):
    """The position after an allowed move, and the outcome if that ended the game (repetition: `Line`)."""

    after: P
    outcome: Outcome | None


class Game(ABC, Generic[P, M]):
    """One game with its board and house rules. All methods are pure."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The name in `[Game]` and on the command line."""

    @property
    @abstractmethod
    def seats(self) -> tuple[str, ...]:
        """Names of the seats in turn order."""

    @property
    def player_tags(self) -> tuple[str, ...]:
        """The record's tags for the players' names, by seat."""
        return self.seats

    @property
    @abstractmethod
    def cell_names(self) -> tuple[str, ...]:
        """Names of the cells in index order."""

    @property
    def cells(self) -> int:
        """Number of cells."""
        return len(self.cell_names)

    @property
    def tilts(self) -> bool:
        """Whether the board tilts to the player to move."""
        return False

    @property
    @abstractmethod
    def sensors(self) -> tuple[str, ...]:
        """Kinds of sensor with which the game can be followed; `picture` knows each of them."""

    @property
    @abstractmethod
    def board_kind(self) -> str:
        """What a sensor board for it says in its hello: the game's name first, but for Balanx its layout's."""

    @property
    def piece(self) -> str:
        """What people call one piece."""
        return "marble"

    @property
    def set_up_sentence(self) -> str:
        """What is to be done before the first turn."""
        return f"Set the {self.piece}s up for a new game."

    @property
    def steady(self) -> bool:
        """Whether as many cells are occupied all through a game. False: what is missing may be captured or taken."""
        return True

    def bits(self, sensor: str) -> int:
        """Bits a cell of a sensor's readings; with more than one the top code means that a piece cannot be read."""
        return 1 if sensor == "presence" else 2

    @property
    def unread_tells(self) -> bool:
        """Whether the top code is also what a wrong position reads, so that a picture with it can come to rest."""
        return False

    @abstractmethod
    def tags(self) -> tuple[tuple[str, str], ...]:
        """The record's tags that say which board and house rules are in force, `Game` first."""

    @property
    def setup_in_record(self) -> bool:
        """Whether every record holds its first position, because no other tag tells it."""
        return False

    def place_in_round(self, position: P) -> int:
        """How many turns of the present round were taken before, as the record's numbers count them."""
        return position.side

    # -- text -------------------------------------------------------------------------------------

    @abstractmethod
    def start(self) -> P:
        """The position before the first turn."""

    @abstractmethod
    def parse_position(self, text: str) -> P:
        """Read a position. Raises PositionError that names the place."""

    @abstractmethod
    def position_text(self, position: P) -> str:
        """Exact inverse of `parse_position`."""

    @abstractmethod
    def parse_move(self, text: str) -> M:
        """Read a move; whether it is legal is not looked at. Raises MoveError."""

    @abstractmethod
    def move_text(self, move: M) -> str:
        """The canonical text of a move; `parse_move` reads it back."""

    def result_text(self, outcome: Outcome | None) -> str:
        """The record's last token; `*` while the game goes on."""
        return "*" if outcome is None else outcome.token()

    @abstractmethod
    def parse_result(self, text: str) -> Outcome | None:
        """Inverse of `result_text`. Raises RecordError."""

    # -- play -------------------------------------------------------------------------------------

    @abstractmethod
    def moves(self, position: P) -> tuple[M, ...]:
        """Legal moves in the byte order of their texts; none when it is over; the pass alone when due."""

    @abstractmethod
    def is_pass(self, move: M) -> bool:
        """Whether the move is a pass, which nobody makes on the board."""

    @abstractmethod
    def play(self, position: P, move: M) -> P:
        """The position as the next player sees it. The move is not checked."""

    @abstractmethod
    def outcome(self, position: P) -> Outcome | None:
        """The end that the position alone shows, seen by the player to move."""

    def outcome_after(self, position: P, move: M) -> Outcome | None:
        """The end that a legal move brings: after the move, mover first, then as the next player sees it."""
        return self.outcome(self.play(position, move))

    @abstractmethod
    def judge(self, position: P, move: M) -> Legal[P] | Illegal:
        """The checked door: the position after the move, or the first reason against it."""

    def agreed(self, position: P) -> Outcome:
        """The end when all players agree on it here: a draw, unless the game counts."""
        del position
        return Outcome(None, "agreed")

    def resigned(self, seat: int) -> Outcome | None:
        """The end when a seat gives up; None where the game knows no such end."""
        return Outcome(1 - seat, "resigned")

    def repetition_key(self, position: P) -> Hashable | None:
        """What must come a third time for a draw; None where the house rules know no repetition."""
        del position
        return None

    def perft(self, position: P, depth: int) -> int:
        """Number of lines of exactly `depth` turns; repetition is not looked at."""
        if depth == 0:
            return 1
        moves = self.moves(position)
        if depth == 1:
            return len(moves)
        return sum(self.perft(self.play(position, move), depth - 1) for move in moves)

    # -- the board --------------------------------------------------------------------------------

    def tilt(self, position: P) -> int | None:
        """The seat whose side must be down when the position is to be played; None without tilt."""
        return position.side if self.tilts else None

    @abstractmethod
    def picture(self, position: P, sensor: str) -> bytes:
        """One number per cell, as the player to move sees the position."""

    def level(self, picture: bytes, tilt: int | None) -> bytes:
        """The picture after every loose piece rolled to that seat's side; None gives one canonical form.

        Equal pieces under unknown tilts, and pieces that look equal, have the same canonical form.
        """
        del tilt
        return picture

    @abstractmethod
    def travel(self, move: M) -> tuple[int, int]:
        """The cells from and to which a piece goes, for hands and lights. Not asked for a pass."""

    @abstractmethod
    def owner(self, position: P, cell: int) -> int | None:
        """The seat whose piece lies there."""

    @abstractmethod
    def lifted(self, position: P, edges: Sequence[tuple[int, int]]) -> frozenset[int] | None:
        """The cells whose piece was lifted, not merely rolled, by (cell, reading) edges in the order of time.

        The edges begin when the board rested in step with the position under its own tilt. None when they do
        not fit the position, so that nothing can be told.
        """

    @abstractmethod
    def explain(
        self, position: P, picture: bytes, sensor: str, tilt: int | None, lifted: frozenset[int] | None
    ) -> tuple[M, Illegal] | None:
        """The illegal move that best explains a rested picture, and why not; None if no single one does."""

    @abstractmethod
    def adopt(
        self, position: P, picture: bytes, sensor: str, tilt: int | None, lifted: frozenset[int] | None
    ) -> P | None:
        """The position of the same player and ply that a rested picture shows ("the board is right").

        None when it cannot be one, or when it is not certain whose piece lies where.
        """

    def shown(self, position: P, move: M, edges: Sequence[tuple[int, int]]) -> bool:
        """Whether edges show a legal move whose picture lies on the board.

        False where that picture is also that of a piece in a hand, or of other moves, and the edges show none of this.
        """
        del position, move, edges
        return True

    def underway(self, position: P, picture: bytes, sensor: str) -> Underway[M] | None:
        """The legal move that a rested picture shows, where pieces are still to be turned for it; else None."""
        del position, picture, sensor
        return None

    def witness(self, position: P, edges: Sequence[tuple[int, int]]) -> frozenset[int] | None:
        """What `explain` takes as `lifted`: the cells at which edges show that something was done."""
        return self.lifted(position, edges)

    def lies(self, position: P, cell: int) -> str:
        """What lies on a cell, in words as in "a red disk"; empty where it is free, or a piece says enough."""
        del position, cell
        return ""

    def laid_out(self, picture: bytes, sensor: str) -> Game[P, M] | None:
        """The same game with the first position that a board laid out by hand shows; None where it cannot be one."""
        del picture, sensor
        return None

    def _check_sensor(self, sensor: str) -> None:
        if sensor not in self.sensors:
            raise RulesError(f"{self.name} knows no sensor {sensor!r}, only {', '.join(self.sensors)}")
