"""The simulator's marbles as a trace writes them."""

from __future__ import annotations

from typing import Any

from sim.table import Table


def marble_rows(table: Table) -> list[dict[str, Any]]:
    """One row a marble: id, seat, nearest cell (None: off the board), in a hand, moving."""
    return [
        {"id": view.id, "seat": view.seat, "cell": view.cell, "hand": view.in_hand, "moving": view.moving}
        for view in table.marbles()
    ]
