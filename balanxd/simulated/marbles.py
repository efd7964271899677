"""The simulator's own marbles and pieces as a trace writes them."""

from __future__ import annotations

from typing import Any

from sim.sensorboard import SensorBoard
from sim.table import Table


def marble_rows(table: Table | SensorBoard) -> list[dict[str, Any]]:
    """One row a marble: id, seat, nearest cell (None: off the board), in a hand, moving.

    Pieces of other games: id, kind, cell, level in a stack from 0, turn, pointer, in a hand.
    """
    if isinstance(table, SensorBoard):
        return [
            {
                "id": view.id,
                "kind": view.kind,
                "cell": view.cell,
                "level": view.level,
                "turn": view.turn,
                "pointer": view.pointer,
                "hand": view.in_hand,
            }
            for view in table.pieces()
        ]
    return [
        {"id": view.id, "seat": view.seat, "cell": view.cell, "hand": view.in_hand, "moving": view.moving}
        for view in table.marbles()
    ]
