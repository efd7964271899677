"""Orders: an action of the page in; what the session is told for it out."""

from __future__ import annotations

from typing import Any

from balanxd.errors import BalanxError
from referee import commands as c
from referee.session import Session

from . import actions as a


def order_of(action: a.Action, session: Session[Any, Any]) -> c.PlayerCommand | None:
    """The command that an action is; None for one that is no player's. Raises BalanxError: no space of that name."""
    match action:
        case a.Resign(seat):
            return c.Resign(seat)
        case a.AgreeDraw():
            return c.AgreeDraw()
        case a.BoardIsRight():
            return c.BoardIsRight()
        case a.MarbleIsThere(space):
            names = session.game.cell_names
            if space not in names:
                raise BalanxError(f"{space} is no space of this board.")
            return c.MarbleIsThere(names.index(space))
        case a.Confirm(move):
            return c.Confirm(move)
        case a.TakeBackInstead():
            return c.TakeBackInstead()
        case a.TakeBack(left):
            return c.TakeBack(len(session.line.moves) - left)
        case a.Stop():
            return c.Stop()
        case a.GoOn():
            return c.GoOn()
        case _:
            return None
