"""Functions of a board in; the named list of what a controller must do out."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from balanxd.contract.board import Board, Fit, Need
from firmware_bridge.messages import Picture

M = TypeVar("M")
Check = Callable[[Board], None]


@dataclass(frozen=True)
class Behaviour:
    """A promise by its name. needs: what a target must be able to do before anything is begun."""

    name: str
    check: Check
    needs: tuple[Need, ...]
    fit: Fit


BEHAVIOURS: list[Behaviour] = []


def behaviour(*needs: Need, fit: Fit = Fit()) -> Callable[[Check], Check]:  # noqa: B008 (frozen)
    """Enters a function in the list, under its own name."""

    def enter(check: Check) -> Check:
        BEHAVIOURS.append(Behaviour(check.__name__, check, needs, fit))
        return check

    return enter


def only(found: list[M]) -> M:
    """The one that there must be."""
    assert len(found) == 1, found
    return found[0]


def ready(board: Board) -> None:
    """Greeted, the first picture is out, and what was heard until then is forgotten."""
    board.greet()
    board.run(0.05)
    assert board.of(Picture)
    board.heard.clear()


def seen(board: Board, *cells: int) -> bytes:
    """Readings of a board that sees something at these inputs."""
    return bytes(int(cell in cells) for cell in range(board.cells))
