"""Boards: a game and a position in; what the page draws of them out, in values that JSON knows. Pure.

Cells by name. Lengths in cells: the first cell's centre is (0, 0), x to the right, y up (BANKS: row 1 is the top).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cache
from typing import Any

from rules.balanx.game import BalanxGame
from rules.banks import BanksGame
from rules.banks.position import COLOURS, MARKS, SEATS
from rules.boxilies import BoxiliesGame
from rules.boxilies.stones import turned
from rules.fourhigh import FourHighGame
from rules.game import Game
from rules.games import NAMES, game_of_tags

from .errors import BalanxError
from .words import choices

AnyGame = Game[Any, Any]
TITLES = {"balanx": "Balanx", "banks": "BANKS", "boxilies": "Boxilies", "fourhigh": "Four High"}


def plan(game: AnyGame) -> dict[str, Any]:
    """The board as the page draws it: `cells` with name, x, y and shape, and what else the game's board has."""
    match game:
        case BalanxGame():
            return _balanx_plan(game)
        case BanksGame():
            return _banks_plan(game)
        case BoxiliesGame():
            return _boxilies_plan(game)
        case FourHighGame():
            return _fourhigh_plan(game)
        case _:
            raise BalanxError(f"the page cannot draw a board of {game.name} yet")


def pieces(game: AnyGame, position: Any) -> dict[str, dict[str, Any]]:
    """What lies where, by cell: `owner` (a seat or None) and what is to be seen of the piece."""
    found: dict[str, dict[str, Any]] = {}
    for cell, name in enumerate(game.cell_names):
        piece = _piece(game, position, cell)
        if piece is not None:
            found[name] = {**piece, "owner": game.owner(position, cell)}
    return found


def _piece(game: AnyGame, position: Any, cell: int) -> dict[str, Any] | None:
    match game:
        case BanksGame():
            code = position.disks[cell]
            return {"colour": code - 1} if code else None
        case BoxiliesGame():
            reading = position.board[cell]
            if not reading:
                return None
            base = reading - 1 >> 2
            sides = turned(game.stones.stones[base >> 2].sides, base & 3)
            stone = game.stones.names[base >> 2]
            return {"stone": stone, "turn": base & 3, "pointer": reading - 1 & 3, "sides": list(sides)}
        case FourHighGame():
            stack = game.stack(position, cell)
            return {"stack": stack} if stack else None
        case _:
            return {} if game.owner(position, cell) is not None else None


def beside(game: AnyGame, position: Any) -> list[dict[str, Any]]:
    """What each seat has beside the board: disks won and colours owned, or stones to place. Empty for other games."""
    match game:
        case BanksGame():
            owned = [
                [colour for colour, owner in enumerate(position.owners) if owner == seat]
                for seat in range(game.players)
            ]
            return [
                {"disks": list(hand), "colours": colours}
                for hand, colours in zip(position.hands, owned, strict=True)
            ]
        case BoxiliesGame():
            names = game.stones.names
            return [
                {"stones": [{"stone": names[n], "number": n} for n in game.hand(position, seat)]}
                for seat in (0, 1)
            ]
        case _:
            return []


def scores(game: AnyGame, position: Any) -> list[int] | None:
    """Each seat's score as it stands; None in a game that does not count."""
    match game:
        case BanksGame() | FourHighGame():
            return list(game.scores(position))
        case BoxiliesGame():
            return list(position.counts())
        case _:
            return None


def ways(game: AnyGame, position: Any) -> dict[str, list[str]]:
    """Where each piece of the player to move may go: from -> to, for games whose moves are from cell to cell."""
    if isinstance(game, BoxiliesGame):
        return {}
    names = game.cell_names
    found: dict[str, list[str]] = {}
    for move in game.moves(position):
        if not game.is_pass(move):
            start, goal = game.travel(move)
            found.setdefault(names[start], []).append(names[goal])
    return found


def routes(game: AnyGame, position: Any, cells: Iterable[str]) -> dict[str, list[str]]:
    """BANKS: target -> the cells of a shortest way there, for the disk on one of the cells; both ends included."""
    if not isinstance(game, BanksGame):
        return {}
    names, starts = game.cell_names, set(cells)
    return {
        names[move.target]: [names[cell] for cell in game.route(position, move)]
        for move in game.moves(position)
        if not move.is_choice and names[move.origin] in starts
    }


def route(game: AnyGame, position: Any, move: str) -> list[str]:
    """The cells that a move goes over, both ends included; empty where a line from end to end is enough."""
    if not isinstance(game, BanksGame):
        return []
    return [game.cell_names[cell] for cell in game.route(position, game.parse_move(move))]


# -- plans -------------------------------------------------------------------------------------------


def _balanx_plan(game: BalanxGame) -> dict[str, Any]:
    layout, names = game.layout, game.cell_names

    def spaces(cells: Iterable[int]) -> list[str]:
        return [names[cell] for cell in sorted(cells)]

    return {
        "name": layout.name,
        "files": layout.files,
        "ranks": layout.ranks,
        "spaces": list(names),
        "grooves": [spaces(groove) for groove in layout.grooves],
        "starts": [spaces(corner) for corner in layout.starts],
        "finishes": [spaces(corner) for corner in layout.finishes],
        "cells": _grid(names, layout.files, "round"),
    }


def _grid(names: Iterable[str], files: int, shape: str) -> list[dict[str, Any]]:
    return [
        {"name": name, "x": cell % files, "y": cell // files, "shape": shape}
        for cell, name in enumerate(names)
    ]


def _banks_plan(game: BanksGame) -> dict[str, Any]:
    lattice = game.lattice
    cells = []
    for cell, name in enumerate(game.cell_names):
        q, r = lattice.place(cell)
        y = round(-r * math.sqrt(3) / 2, 4)
        cells.append({"name": name, "x": q + r / 2, "y": y, "shape": "hex", "edge": lattice.is_edge(cell)})
    return {
        "name": lattice.name,
        "files": lattice.width,
        "ranks": lattice.height,
        "cells": cells,
        "rails": _rails(game),
        "colours": [{"name": name, "mark": mark} for name, mark in zip(COLOURS, MARKS, strict=True)],
        "disks": game.disks,
    }


def _rails(game: BanksGame) -> list[list[str]]:
    """The straight lines of the lattice, each from edge to edge, in its three directions."""
    lattice, names = game.lattice, game.cell_names
    rails = []
    for heading in (0, 1, 5):
        back = (heading + 3) % 6
        for cell in range(lattice.cells):
            if lattice.beside(cell, back) is not None:
                continue
            rail, at = [], cell
            while True:
                rail.append(names[at])
                beyond = lattice.beside(at, heading)
                if beyond is None:
                    break
                at = beyond
            if len(rail) > 1:
                rails.append(rail)
    return rails


def _boxilies_plan(game: BoxiliesGame) -> dict[str, Any]:
    board, stones = game.board, game.stones
    return {
        "name": board.text,
        "files": board.columns,
        "ranks": board.rows,
        "cells": [
            {**cell, "blocked": number in board.blocked}
            for number, cell in enumerate(_grid(game.cell_names, board.columns, "square"))
        ],
        "stones": [
            {"stone": name, "number": number, "seat": stones.seat(number), "sides": list(stone.sides)}
            for number, (name, stone) in enumerate(zip(stones.names, stones.stones, strict=True))
        ],
        "turning": game.house.turning,
    }


def _fourhigh_plan(game: FourHighGame) -> dict[str, Any]:
    names = game.cell_names
    return {
        "name": "8x8",
        "files": 8,
        "ranks": 8,
        "cells": _grid(names, 8, "square"),
        "numbers": {name: game.house.numbers.values[cell] for cell, name in enumerate(names)},
    }


# -- what can be played ----------------------------------------------------------------------------------


def offered(game: AnyGame, simulated: bool) -> list[dict[str, Any]]:
    """What a new game may be: name, title, names of the most seats, who may sit there, and options by tag.

    A real board is for its own game alone. Each option has the `value` of the game that is there, or the usual one.
    """
    return [
        {
            "game": name,
            "title": TITLES[name],
            "seats": list(_seats(name) if simulated else game.seats),
            "players": choices(name),
            "options": _options(name, dict(game.tags()) if name == game.name else {}) if simulated else [],
        }
        for name in (NAMES if simulated else (game.name,))
    ]


@cache
def _seats(name: str) -> tuple[str, ...]:
    most = {"Players": str(SEATS[-1])} if name == "banks" else {}
    return game_of_tags({"Game": name, **most}).seats


def _options(name: str, tags: dict[str, str]) -> list[dict[str, Any]]:
    found = []
    for tag, label, values in OPTIONS.get(name, ()):
        value = tags.get(tag, values[0])
        found.append(
            {"tag": tag, "label": label, "values": list(dict.fromkeys((*values, value))), "value": value}
        )
    return found


OPTIONS: dict[str, tuple[tuple[str, str, tuple[str, ...]], ...]] = {
    "banks": (
        ("Board", "Size", ("8x8", "6x6", "5x5", "4x4")),
        ("Players", "Players", tuple(map(str, SEATS))),
    ),
    "boxilies": (("Board", "Board", ("3x3", "4x3#a1,d3")), ("Starter", "Begins", ("A", "B"))),
    "fourhigh": (
        ("Stuck", "Without a move", ("pass", "end")),
        ("QuietLimit", "Quiet turns", ("100", "50", "20")),
    ),
}
"""What a new game asks for: tag, label and values, the usual one first; all other tags keep theirs."""
