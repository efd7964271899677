"""Judge: a position and a move in, the position after it or the reason against it out; and the end."""

from __future__ import annotations

from enum import StrEnum

from rules.game import Illegal, Legal, Outcome

from .layout import Layout
from .moves import PASS, Move, space_name
from .position import Position
from .tables import Tables, tables_of

COLOURS = ("White", "Black")


class Reason(StrEnum):
    """Why a move is not allowed; the first that fits is given, in this order."""

    GAME_OVER = "game_over"
    PASS_DUE = "pass_due"
    PASS_NOT_ALLOWED = "pass_not_allowed"
    OFF_BOARD = "off_board"
    SAME_SPACE = "same_space"
    EMPTY_FROM = "empty_from"
    NOT_YOUR_MARBLE = "not_your_marble"
    OCCUPIED_TO = "occupied_to"
    DIAGONAL = "diagonal"
    FORWARD_STEP = "forward_step"
    TOO_FAR = "too_far"
    PAST_FIRST_GAP = "past_first_gap"
    JUMP_OVER_GAP = "jump_over_gap"


def win(tables: Tables, white: int, black: int, first: int, turns: int) -> Outcome | None:
    """The win that the marbles show after so many turns, looked at for the seat `first` first.

    A seat wins when the ten spaces of its finish are occupied and the opponent has made a move: Black has
    after two turns, White after one. Corners hold whole grooves, so the tilt does not matter.
    """
    occupied = white | black
    for seat in (first, 1 - first):
        finish = tables.masks.finishes[seat]
        if occupied & finish == finish and turns >= 2 - seat:
            own = black if seat else white
            return Outcome(seat, "home" if own & finish == finish else "blocked")
    return None


def outcome(tables: Tables, position: Position) -> Outcome | None:
    """The end that a position shows to the player to move."""
    if won := win(tables, position.white, position.black, position.side, position.ply):
        return won
    return (
        Outcome(None, "stuck")
        if not can_move(tables, position) and not _other_can(tables, position)
        else None
    )


def outcome_after(tables: Tables, position: Position, move: Move) -> Outcome | None:
    """The end that a legal move brings; after the move the mover is looked at first."""
    after = play(tables, position, move)
    return win(tables, after.white, after.black, position.side, after.ply) or outcome(tables, after)


def can_move(tables: Tables, position: Position) -> bool:
    """Whether the player to move has a step or a jump."""
    return any(tables.reach(position.own, position.occupied, tables.masks))


def pass_is_due(tables: Tables, position: Position) -> bool:
    """Whether the player to move, in a game that goes on, has nothing but a pass."""
    return not can_move(tables, position) and outcome(tables, position) is None


def play(tables: Tables, position: Position, move: Move) -> Position:
    """Move, and tilt to the next player; the move is not checked.

    What rolls before the tilt stays in its groove and ends where the last tilt wants it: one settling is
    enough.
    """
    flip = 0 if move == PASS else 1 << move.origin | 1 << move.target
    white = position.white ^ (0 if position.side else flip)
    black = position.black ^ (flip if position.side else 0)
    return Position(*tables.settle(white, black, 1 - position.side), 1 - position.side, position.ply + 1)


def judge(layout: Layout, position: Position, move: Move) -> Legal[Position] | Illegal:
    """The position after a legal move, or the first reason against it."""
    tables = tables_of(layout)
    against = _against_turn(tables, position, move)
    if against is None and move != PASS:
        against = _against_spaces(layout, position, move) or _against_way(layout, position, move)
    if against is not None:
        return against
    return Legal(play(tables, position, move), outcome_after(tables, position, move))


def _other_can(tables: Tables, position: Position) -> bool:
    """Whether the opponent could move after a pass."""
    return can_move(tables, play(tables, position, PASS))


def _against_turn(tables: Tables, position: Position, move: Move) -> Illegal | None:
    if ended := outcome(tables, position):
        return Illegal(Reason.GAME_OVER, (), f"The game is over: {ended.token()}.")
    due = pass_is_due(tables, position)
    if due and move != PASS:
        return Illegal(Reason.PASS_DUE, (), f"{COLOURS[position.side]} has no legal move and must pass.")
    if move == PASS and not due:
        sentence = f"{COLOURS[position.side]} has a legal move and may not pass."
        return Illegal(Reason.PASS_NOT_ALLOWED, (), sentence)
    return None


def _against_spaces(layout: Layout, position: Position, move: Move) -> Illegal | None:
    origin, target = space_name(layout, move.origin), space_name(layout, move.target)
    for cell, name in ((move.origin, origin), (move.target, target)):
        if not 0 <= cell < layout.cells:
            on_board = tuple(cell for cell in (move.origin, move.target) if 0 <= cell < layout.cells)
            return Illegal(Reason.OFF_BOARD, on_board, f"There is no space {name} on this board.")
    if move.origin == move.target:
        return Illegal(Reason.SAME_SPACE, (move.origin,), f"The marble on {origin} did not leave its space.")
    if not position.occupied >> move.origin & 1:
        return Illegal(Reason.EMPTY_FROM, (move.origin,), f"There is no marble on {origin}.")
    if not position.own >> move.origin & 1:
        sentence = f"The marble on {origin} is {COLOURS[1 - position.side]}'s."
        return Illegal(Reason.NOT_YOUR_MARBLE, (move.origin,), sentence)
    if position.occupied >> move.target & 1:
        return Illegal(Reason.OCCUPIED_TO, (move.target,), f"There is a marble on {target} already.")
    return None


def _against_way(layout: Layout, position: Position, move: Move) -> Illegal | None:
    """Reasons that lie between two spaces of the board, the first with an own marble, the second free."""
    names = layout.cell_names
    ends = (move.origin, move.target)
    origin, target = names[move.origin], names[move.target]
    (low_rank, low_file), (high_rank, high_file) = (divmod(cell, layout.files) for cell in ends)
    if low_rank != high_rank and low_file != high_file:
        sentence = f"From {origin} to {target} is diagonal; a marble goes along its file or its rank."
        return Illegal(Reason.DIAGONAL, ends, sentence)
    sideways = low_rank == high_rank
    stride = (1 if sideways else layout.files) * (1 if move.target > move.origin else -1)
    between = range(move.origin + stride, move.target, stride)
    gaps = [cell for cell in between if not position.occupied >> cell & 1]
    if not gaps:
        if between or sideways:
            return None
        sentence = f"From {origin} to {target} is a step forwards or backwards; a marble steps only sideways."
        return Illegal(Reason.FORWARD_STEP, ends, sentence)
    if len(gaps) == len(between):
        if sideways:
            sentence = f"From {origin} to {target} is more than one space, with no marble to jump over."
            return Illegal(Reason.TOO_FAR, ends, sentence)
        sentence = f"There is no marble between {origin} and {target} to jump over."
        return Illegal(Reason.FORWARD_STEP, ends, sentence)
    gap = names[gaps[0]]
    if gaps[0] != between[0]:
        sentence = f"The jump from {origin} must end on the first free space, {gap}."
        return Illegal(Reason.PAST_FIRST_GAP, (*ends, gaps[0]), sentence)
    sentence = f"A jump begins over a neighbouring marble, but {gap} next to {origin} is free."
    return Illegal(Reason.JUMP_OVER_GAP, (*ends, gaps[0]), sentence)
