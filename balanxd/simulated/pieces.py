"""The other games on a simulated sensor board: a game, positions and moves in; codes, pieces and a hand's deeds out.

The simulator knows pieces and cells, the rules know positions: this is the only place that knows both.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rules.banks import BanksGame
from rules.boxilies import BoxiliesGame
from rules.fourhigh import FourHighGame
from rules.games import AnyGame
from sim.deeds import Manner
from sim.piecehand import PieceHand
from sim.pieces import BESIDE, Codes, Laid

NORTH, SOUTH = 0, 2  # where a figure points: to the opponent of A, of B


@dataclass(frozen=True, slots=True)
class Set:
    """What a game is played with. laid: all pieces, as they lie at a position; play: has a hand make a move there."""

    codes: Codes
    laid: Callable[[Any], tuple[Laid, ...]]
    play: Callable[[PieceHand, Any, Any, Manner], None]


def set_of(game: AnyGame, sensor: str) -> Set:
    """The pieces of a game on a board with one kind of sensor. Raises TypeError for a game that has none."""
    match game:
        case BanksGame():
            return Set(Codes(game.bits(sensor), kind_step=1, highest=1), _banks_laid(game), _banks_play(game))
        case BoxiliesGame():
            codes = (
                Codes(1, kind_step=0)
                if sensor == "presence"
                else Codes(8, kind_step=16, turn_step=4, pointer_step=1)
            )
            return Set(codes, _boxilies_laid(game), _boxilies_play(game))
        case FourHighGame():
            colours = 4 if sensor == "stack" else 0
            codes = Codes(game.bits(sensor), kind_step=colours, highest=4, stacks=True)
            return Set(codes, _fourhigh_laid(game), _fourhigh_play)
        case _:
            raise TypeError(f"{game.name} is not played with pieces on a sensor board")


# -- BANKS: disks of a colour ----------------------------------------------------------------------


def _banks_laid(game: BanksGame) -> Callable[[Any], tuple[Laid, ...]]:
    def laid(position: Any) -> tuple[Laid, ...]:
        lying = [Laid(code - 1, cell) for cell, code in enumerate(position.disks) if code]
        won = [Laid(kind) for hand in position.hands for kind, count in enumerate(hand) for _ in range(count)]
        return (*lying, *won)

    del game
    return laid


def _banks_play(game: BanksGame) -> Callable[[PieceHand, Any, Any, Manner], None]:
    def play(hand: PieceHand, position: Any, move: Any, manner: Manner) -> None:
        if move.is_choice:
            hand.lift(move.origin, manner)
            hand.put_aside()
            return
        if position.disks[move.target]:
            hand.lift(move.target, manner)
            hand.put_aside()
        hand.move(move.origin, move.target, manner)

    del game
    return play


# -- Boxilies: stones with a base that is turned, and a figure -----------------------------------------


def _boxilies_laid(game: BoxiliesGame) -> Callable[[Any], tuple[Laid, ...]]:
    def laid(position: Any) -> tuple[Laid, ...]:
        placed = {
            reading - 1 >> 4: Laid(reading - 1 >> 4, cell, reading - 1 >> 2 & 3, reading - 1 & 3)
            for cell, reading in enumerate(position.board)
            if reading
        }
        first = len(game.stones.hands[0])
        beside = (
            Laid(stone, BESIDE, 0, NORTH if stone < first else SOUTH)
            for stone in range(len(game.stones.stones))
            if stone not in placed
        )
        return (*placed.values(), *beside)

    return laid


def _boxilies_play(game: BoxiliesGame) -> Callable[[PieceHand, Any, Any, Manner], None]:
    def play(hand: PieceHand, position: Any, move: Any, manner: Manner) -> None:
        pointer = (NORTH, SOUTH)[position.side]
        hand.fetch(move.stone)
        hand.put(move.cell, manner, turn=move.rotation, pointer=pointer)
        for cell in game.captures(position, move):
            hand.turn(cell, pointer=pointer, manner=manner)

    return play


# -- Four High: singles in stacks --------------------------------------------------------------------


def _fourhigh_laid(game: FourHighGame) -> Callable[[Any], tuple[Laid, ...]]:
    def laid(position: Any) -> tuple[Laid, ...]:
        return tuple(
            Laid("BW".index(letter), cell)
            for cell in range(game.cells)
            for letter in game.stack(position, cell)
        )

    return laid


def _fourhigh_play(hand: PieceHand, position: Any, move: Any, manner: Manner) -> None:
    del position
    hand.move(move.origin, move.target, manner)
