"""Offers: a session and who plays in; the items of the menu that can be done now out. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass
from typing import Any

from . import commands as c
from .menu import Item
from .session import Phase, Session

AnySession = Session[Any, Any]


@dataclass(frozen=True, slots=True)
class Seated:
    """Who plays, as far as a menu asks. persons: their seats. alike: all seats are taken by the same kind of player.

    level: of the computers that have one, None where none has; levels: those that the game knows, the weakest first.
    """

    persons: Set[int]
    alike: bool
    level: int | None = None
    levels: tuple[int, ...] = ()


def offers(session: AnySession, seated: Seated) -> tuple[Item, ...]:
    """What can be done now, in the menu's order; never nothing."""
    begun = session.phase in (Phase.ALIGNING, Phase.OPEN) and bool(session.line.moves)
    new = tuple(_new_games(session, seated))
    return (
        *_going_on(session),
        *(() if begun else new),
        *_asked(session),
        *((*_back(session, seated), *_ends(session, seated), *new) if begun else ()),
        *_house(session),
    )


def _going_on(session: AnySession) -> Iterator[Item]:
    if session.stopped:
        yield Item("Go on", c.GoOn(), "The board goes on.")


def _asked(session: AnySession) -> Iterator[Item]:
    for move in session.question:
        text = session.game.move_text(move)
        yield Item(f"It was {text}", c.Confirm(text), f"It was {text}.", asked=True)
    if session.may_be_right:
        yield Item("The board is right", c.BoardIsRight(), "The board is taken as it lies.", asked=True)
    game = session.game
    for cell in session.unseen:
        say = f"A {game.piece} lies on {game.cell_names[cell]}"
        yield Item(say, c.MarbleIsThere(cell), f"{say}.", sure=True)
    if session.may_be_takeback:
        yield Item("It was a takeback", c.TakeBackInstead(), "It is taken back.", asked=True)


def _back(session: AnySession, seated: Seated) -> Iterator[Item]:
    """To the last turn of a person."""
    before = session.line.positions[-2::-1]
    plies = next((plies for plies, at in enumerate(before, start=1) if at.side in seated.persons), 0)
    if plies:
        turns = "1 turn" if plies == 1 else f"{plies} turns"
        yield Item(f"Take back {turns}", c.TakeBack(plies), f"{turns} taken back.")


def _ends(session: AnySession, seated: Seated) -> Iterator[Item]:
    game = session.game
    if len(seated.persons) == len(game.seats):
        if game.agreed(session.position).scores:
            yield Item("All agree to end the game", c.AgreeDraw(), "The game ends here.", sure=True)
        else:
            yield Item("A draw", c.AgreeDraw(), "A draw.", sure=True)
    for seat in sorted(seated.persons):
        if game.resigned(seat) is not None:
            name = game.seats[seat]
            yield Item(f"{name} resigns", c.Resign(seat), f"{name} resigned.", sure=True)


def _new_games(session: AnySession, seated: Seated) -> Iterator[Item]:
    again = f"Set the {session.game.piece}s up."
    yield Item("A new game", c.NewGame(), f"A new game. {again}", sure=True)
    if not seated.alike or len(seated.persons) == len(session.game.seats):
        done = f"A new game with other seats. {again}"
        yield Item("Exchange colours", c.NewGame(exchanged=True), done, sure=True)
    if seated.level is not None and len(seated.levels) > 1:
        higher = [level for level in seated.levels if level > seated.level]
        level = (higher or seated.levels)[0]
        yield Item(
            f"Level {level}", c.NewGame(level=level), f"A new game at level {level}. {again}", sure=True
        )


def _house(session: AnySession) -> Iterator[Item]:
    if session.may_park:
        yield Item("Park the board", c.Park(), "The board goes level.")
    yield Item("Shut down", c.ShutDown(), "It is shut down.", sure=True)
