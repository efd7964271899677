"""A sensor board of another game made of numbers: pieces on cells and a seed in; bytes over the wire out.

It runs like `sim.table.Table` (one agenda, one seed, time an argument), over the same controller, scan and wire, but
its cells report a number each, nothing rolls and nothing tilts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from .agenda import Agenda, Streams
from .breaking import FaultHook
from .controller import Controller
from .drive import Drive
from .errors import SimError
from .inputs import Lines
from .model import Model, TiltModel
from .piecehand import PieceHand
from .pieces import BESIDE, Codes, Laid, PieceView, Stock, laid_from

SNAPSHOT_VERSION = 1


class SensorBoard:
    """One simulated sensor board with its controller and two hands. All times in simulated seconds."""

    def __init__(
        self,
        kind: str,
        cell_names: Sequence[str],
        codes: Codes,
        *,
        seed: int,
        model: Model | None = None,
        start_s: float = 0.0,
    ) -> None:
        """An empty board whose controller is switched on at `start_s`. kind: what its hello says.

        Raises SimError for parts that do not fit.
        """
        model = replace(model or Model(), tilt=TiltModel(kind="none", end_inputs=False, start_deg=0.0))
        cells, wiring = len(cell_names), model.board.wiring
        used = [cell for cell in wiring if cell >= 0]
        if len(set(used)) != len(used) or any(cell >= cells for cell in used):
            raise SimError("board.wiring names a cell twice, or one that the board has not")
        streams = Streams(seed)
        self._laid = 0
        self.kind = kind
        self.cell_names = tuple(cell_names)
        self.codes = codes
        self.model = model
        self._agenda = agenda = Agenda(start_s)
        self._stock = stock = Stock(cells)
        self._lines = lines = Lines(cells, wiring, model.noise, streams.stream("bounce"), reed=False)
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
            lambda dead: None,
            lambda cell, motions: None,
            drive.faults,
            self.cell_names,
            lambda cell, dim: None,
        )
        self.controller.faults = self.faults
        self.hand, self.other_hand = self.hands = (
            PieceHand(agenda, stock, lines, codes, model.hand, streams.stream("hand"), self._changed),
            PieceHand(agenda, stock, lines, codes, model.hand, streams.stream("other hand"), self._changed),
        )
        self._spike = streams.stream("spikes")
        if model.noise.spikes_per_s > 0:
            agenda.at(start_s + self._spike.expovariate(model.noise.spikes_per_s), self._make_spike)

    # -- time and bytes

    @property
    def now_s(self) -> float:
        """The board's present."""
        return self._agenda.now_s

    def next_s(self) -> float:
        """Time of the next event or of the next frame that will have left; inf if none."""
        return min(self._agenda.next_s(), self.controller.next_s())

    def advance(self, until_s: float) -> None:
        """Runs every event up to and including `until_s`; a time gone by does nothing."""
        self._agenda.run(until_s)

    def advance_to_next(self, limit_s: float) -> float:
        """Runs to the next event or frame, or to `limit_s`; returns the time then."""
        at_s = min(limit_s, self.next_s())
        self._agenda.run(at_s)
        return at_s

    def advance_to_bytes(self, limit_s: float) -> float:
        """Runs until the first frame not yet read has left, or to `limit_s`; returns the time then."""
        agenda, controller = self._agenda, self.controller
        while True:
            event, frame = agenda.next_s(), controller.next_s()
            if frame <= event and frame <= limit_s:
                agenda.run(frame)
                return agenda.now_s
            if event > limit_s:
                agenda.run(limit_s)
                return agenda.now_s
            agenda.run(event)

    def close(self) -> None:
        """As that of a table: it holds nothing."""

    def write(self, data: bytes) -> None:
        """Bytes from the host arrive now."""
        self.controller.write(data)

    def read(self) -> bytes:
        """Bytes that have left the controller by now and were not read yet."""
        return self.controller.read()

    def opened(self) -> None:
        """The host opened the port (resets boards whose model says so)."""
        self.controller.opened()

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

    @property
    def last_motion_s(self) -> float:
        """When a hand last touched a piece; -inf if never."""
        return max(min(hand.touched_s, self.now_s) for hand in self.hands)

    @property
    def angle_deg(self) -> float:
        """The board never tilts."""
        return 0.0

    @property
    def tilting(self) -> bool:
        """The board never tilts."""
        return False

    @property
    def lights(self) -> bytes:
        """Palette index of each light, in chain order."""
        return bytes(self.controller.lights)

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

    def restore(self, snapshot: Mapping[str, Any]) -> None:
        """Takes a snapshot over, at the start; raises SimError when it does not fit this board.

        What was in a hand is in the first hand again.
        """
        try:
            self._restore(snapshot)
        except (KeyError, TypeError, ValueError) as error:
            if isinstance(error, SimError):
                raise
            raise SimError(f"not a snapshot of a sensor board: {error!r}") from None

    def _restore(self, snapshot: Mapping[str, Any]) -> None:
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
            self.hand.hold(held, self._cell(taken[0]) if taken else BESIDE)

    def _cell(self, cell: Any) -> int:
        if not isinstance(cell, int) or not 0 <= cell < len(self.cell_names):
            raise SimError(f"taken_from is {cell!r}, which is no cell of the board")
        return cell

    # -- inside

    def _changed(self, cell: int) -> None:
        """A cell holds something else now."""
        self._lines.plan(cell, self.now_s, self.codes.reading(self._stock.on[cell]), [])

    def _make_spike(self, number: int) -> None:
        """A spike on a wire: one input shows something else for a moment."""
        noise, random, now = self.model.noise, self._spike, self.now_s
        cell = random.randrange(len(self._lines.of_cell))
        lasts = random.uniform(*noise.spike_ms) / 1000
        line = self._lines.of_cell[cell]
        self._lines.overlay(cell, [(now, now + lasts, 0 if line.base(now) else 1)])
        self._agenda.at(now + random.expovariate(noise.spikes_per_s), self._make_spike)
