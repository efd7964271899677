"""Voice: what a player must be told of the table, once. Cells and moves in, events out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Generic, Literal

from rules.game import Game, M, P, Underway

from . import events as e
from .drives import DriveTrouble
from .trouble import Trouble

Said = Literal["", "in_step", "in_hand", "provisional", "out_of_step", "turning", "question", "tilt_wanted"]


class Voice(Generic[P, M]):
    """Says things of one game. said: what was last said, so that nothing is said twice; question: its moves."""

    def __init__(self, game: Game[P, M], emit: Callable[[e.GameEvent], None]) -> None:
        self._game = game
        self._emit = emit
        self.said: Said = ""
        self.question: tuple[M, ...] = ()
        self._set_up: object = None

    def name(self, cell: int) -> str:
        """A cell's name."""
        return self._game.cell_names[cell]

    def names(self, cells: Iterable[int]) -> tuple[str, ...]:
        """Names in the order of the cells."""
        return tuple(self._game.cell_names[cell] for cell in sorted(cells))

    @property
    def was_away(self) -> bool:
        """Whether players were told that picture and game do not agree."""
        return self.said in ("in_hand", "out_of_step", "turning", "question")

    def forget(self) -> None:
        """Nothing of what was said holds any more."""
        self.said, self.question = "", ()

    def set_up(self, missing: tuple[int, ...], extra: tuple[int, ...], expected: bytes, now_s: float) -> None:
        """A new game waits for its pieces. expected: the picture of its first position."""
        if (missing, extra) != self._set_up:
            self._set_up = missing, extra
            wanted = () if self._game.steady else tuple(expected[cell] for cell in sorted(missing))
            self._emit(
                e.SetUpWanted(
                    at_s=now_s,
                    say=self._game.set_up_sentence,
                    missing=self.names(missing),
                    extra=self.names(extra),
                    wanted=wanted,
                )
            )

    def turning(self, underway: Underway[M], now_s: float) -> None:
        """Pieces are to be turned for a move."""
        self.said = "turning"
        self._emit(
            e.TurningWanted(
                at_s=now_s,
                move=self._game.move_text(underway.move),
                say=underway.sentence,
                cells=self.names(underway.cells),
                wrong=self.names(underway.wrong),
            )
        )

    def tilt_wanted(self, seat: int, now_s: float) -> None:
        """People are to push the board."""
        if self.said != "tilt_wanted":
            self.said = "tilt_wanted"
            self._emit(e.TiltWanted(at_s=now_s, seat=seat))

    def fault(self, said: DriveTrouble, now_s: float) -> None:
        """Something of the table does not work."""
        self._emit(e.Fault(at_s=now_s, kind=said.kind, say=said.say, fault=said.fault, seat=said.seat))

    def in_hand(self, missing: int, lifted: Iterable[int], targets: Iterable[int], now_s: float) -> None:
        """Marbles are off the board."""
        self.said = "in_hand"
        self._emit(
            e.InHand(at_s=now_s, missing=missing, lifted=self.names(lifted), targets=self.names(targets))
        )

    def ask(self, moves: Sequence[M], now_s: float, *, blind: bool) -> None:
        """These moves are open. blind: since a bad sensor does not tell."""
        self.said, self.question = "question", tuple(moves)
        texts = tuple(map(self._game.move_text, moves))
        why = "A sensor there does not work." if blind else "The board alone does not tell."
        piece = self._game.piece
        say = f"{why} Was it {' or '.join(texts)}, or is the {piece} still in your hand?"
        self._emit(e.Question(at_s=now_s, moves=texts, say=say))

    def trouble(self, trouble: Trouble, now_s: float) -> None:
        """The picture fits no rule."""
        self.said = "out_of_step"
        self._emit(trouble.event(now_s, self.name))
