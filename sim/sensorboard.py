"""A sensor board of another game made of numbers: pieces on cells and a seed in; bytes over the wire out.

It has the controller, scan and wire of `sim.table.Table`, but its cells report a number each, nothing rolls and
nothing tilts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from hardware.buttons import Button

from .breaking import FaultHook
from .controller import Controller
from .drive import Drive
from .errors import SimError
from .model import Model, TiltModel
from .piecehand import PieceHand
from .pieces import BESIDE, Codes, Laid, PieceView, Stock, laid_from
from .wired import SNAPSHOT_VERSION, Wired


class SensorBoard(Wired[PieceHand]):
    """One simulated sensor board with its controller and two hands. All times in simulated seconds."""

    controller: Controller
    kind_of_snapshot = "a sensor board"

    def __init__(
        self,
        kind: str,
        cell_names: Sequence[str],
        codes: Codes,
        *,
        seed: int,
        model: Model | None = None,
        start_s: float = 0.0,
        buttons: Mapping[Button, int | None] | None = None,
    ) -> None:
        """An empty board whose controller is switched on at `start_s`. kind: what its hello says. buttons: see
        sim.buttons.

        Raises SimError for parts that do not fit.
        """
        model = replace(model or Model(), tilt=TiltModel(kind="none", end_inputs=False, start_deg=0.0))
        super().__init__(cell_names, model, seed=seed, start_s=start_s, buttons=buttons)
        streams, agenda, lines = self._streams, self._agenda, self._lines
        self._laid = 0
        self.kind = kind
        self.codes = codes
        self._stock = stock = Stock(len(self.cell_names))
        drive = Drive(agenda, model)
        self.controller = Controller(
            agenda, model, lines, drive, lambda cell: (0, 0), kind, streams.stream("boot noise"), codes.bits
        )
        self.faults = FaultHook(
            agenda,
            lines,
            codes.unread,
            streams.stream("faults"),
            self.controller.reset,
            drive.faults,
            self.cell_names,
        )
        self.controller.faults = self.faults
        self.hand, self.other_hand = self.hands = (
            PieceHand(agenda, stock, lines, codes, model.hand, streams.stream("hand"), self._changed),
            PieceHand(agenda, stock, lines, codes, model.hand, streams.stream("other hand"), self._changed),
        )

    # -- pieces

    def place(self, pieces: Sequence[Laid]) -> None:
        """Clears the board and lays pieces, on one cell bottom first. Raises SimError where they do not fit."""
        self._laid += 1
        for hand in self.hands:
            hand.empty()
        self._stock.clear()
        for laid in pieces:
            piece = self._stock.add(laid)
            if piece.cell != BESIDE and len(self._stock.on[piece.cell]) > 1 and not self.codes.stacks:
                raise SimError(f"two pieces do not fit at {self.cell_names[piece.cell]}")
        for cell in range(len(self.cell_names)):
            self._changed(cell)

    def pieces(self) -> tuple[PieceView, ...]:
        """All pieces as the eye sees them now, by id."""
        return self._stock.views()

    @property
    def version(self) -> int:
        """Another number each time that pieces may lie or be held otherwise than before."""
        return self._laid + sum(hand.done for hand in self.hands)

    # -- a board outlives its daemon

    def snapshot(self) -> dict[str, Any]:
        """Pieces and boot number as JSON-able data."""
        taken = [hand.taken_from for hand in self.hands if hand.held]
        return {
            "version": SNAPSHOT_VERSION,
            "board": self.kind,
            "cells": len(self.cell_names),
            "boot": self.controller.boot,
            "taken_from": taken,
            "pieces": self._stock.rows(),
        }

    def _restore(self, snapshot: Mapping[str, Any]) -> None:
        """What was in a hand is in the first hand again."""
        if snapshot.get("version") != SNAPSHOT_VERSION or "board" not in snapshot:
            raise SimError("not a snapshot of a sensor board")
        if (snapshot["board"], snapshot["cells"]) != (self.kind, len(self.cell_names)):
            raise SimError(f"a snapshot of the board {snapshot['board']!r}, this is {self.kind!r}")
        rows = snapshot["pieces"]
        self.place([laid_from(row) for row in rows])
        self.controller.boot = int(snapshot["boot"]) & 0xFFFF
        held = [self._stock.pieces[number] for number, row in enumerate(rows) if row["in_hand"]]
        if held:
            taken = [cell for cell in snapshot["taken_from"] if cell is not None]
            self.hand.hold(held, self._known_cell(taken[0]) if taken else BESIDE)

    # -- inside

    def _changed(self, cell: int) -> None:
        """A cell holds something else now."""
        self._lines.plan(cell, self.now_s, self.codes.reading(self._stock.on[cell]), [])
