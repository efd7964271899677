"""Occupancy: link events in, per-cell readings at host time out.

Edges are accepted changes that the controller debounced; pictures are the whole truth. Where a picture
differs from what the edges said, the picture wins and the difference counts as changes at its time.
With the link lost every cell is unknown.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from firmware_bridge.link import EdgeSeen, LinkEvent, LinkLost, LinkUp, PictureSeen

from .wiring import Wiring


class Change(NamedTuple):
    """One cell's reading changed. at_s: host seconds; reading: the new number."""

    at_s: float
    cell: int
    reading: int


@dataclass(frozen=True, slots=True)
class Occupancy:
    """What lies where. readings: one number a cell, in cell order; meaningless while `known` is False.

    flicker: (cell, changes too short to be accepted) since the last report, the worst only.
    """

    at_s: float
    known: bool
    readings: bytes
    changes: tuple[Change, ...]
    edges_lost: bool = False
    flicker: tuple[tuple[int, int], ...] = ()


class OccupancyTracker:
    """Keeps the readings; `take` answers None where an event changes nothing."""

    def __init__(self, wiring: Wiring) -> None:
        self._wiring = wiring
        self._readings = bytearray(wiring.cells)
        self._known = False

    def take(self, event: LinkEvent) -> Occupancy | None:
        """The occupancy after `event`, or None where nothing about it changed."""
        if type(event) is EdgeSeen:
            return self._edge(event)
        if type(event) is PictureSeen:
            return self._picture(event)
        if isinstance(event, LinkLost):
            self._known = False
            return Occupancy(event.at_s, False, bytes(self._readings), (), edges_lost=True)
        if isinstance(event, LinkUp):
            # What happened while nobody looked left no edges; the picture that follows is taken whole.
            self._known = False
        return None

    def now(self, at_s: float) -> Occupancy:
        """The occupancy as it is, for somebody who begins to follow it."""
        return Occupancy(at_s, self._known, bytes(self._readings), (), edges_lost=True)

    def _edge(self, event: EdgeSeen) -> Occupancy | None:
        cell = self._wiring.cell(event.cell)
        if cell is None or not self._known or self._readings[cell] == event.reading:
            return None
        self._readings[cell] = event.reading
        change = Change(event.at_s, cell, event.reading)
        return Occupancy(event.at_s, True, bytes(self._readings), (change,))

    def _picture(self, event: PictureSeen) -> Occupancy | None:
        picture = self._wiring.picture(event.readings)
        flicker: list[tuple[int, int]] = []
        for number, count in event.flicker:
            cell = self._wiring.cell(number)
            if cell is not None:
                flicker.append((cell, count))
        if self._known and picture == self._readings and not event.edges_lost:
            return Occupancy(event.at_s, True, picture, (), flicker=tuple(flicker)) if flicker else None
        fresh = not self._known
        changes = (
            ()
            if fresh
            else tuple(
                Change(event.at_s, cell, reading)
                for cell, (reading, before) in enumerate(zip(picture, self._readings, strict=True))
                if reading != before
            )
        )
        self._readings[:] = picture
        self._known = True
        # A change that only a picture told of has lost its edge.
        lost = fresh or event.edges_lost or bool(changes)
        return Occupancy(event.at_s, True, picture, changes, edges_lost=lost, flicker=tuple(flicker))
