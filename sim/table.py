"""A table made of numbers: layout, model and seed in; bytes over the wire and marbles that can be seen out.

What each part leaves out stands in its own module; what it shares with other boards, in `sim.wired`.
"""

from collections.abc import Mapping
from math import cos, radians
from typing import Any

from hardware.buttons import Button
from rules.balanx.layout import Layout

from .bed import Bed, Groove, MarbleView
from .breaking import FaultHook
from .controller import Controller
from .drive import Drive
from .errors import SimError
from .hands import Hand
from .model import Model
from .outside import ControllerMaker
from .sensing import Sensing
from .swing import G_M_S2
from .wired import SNAPSHOT_VERSION, Wired


class Table(Wired[Hand]):
    """One simulated board that tilts, its marbles, controller and hands. All times in simulated seconds."""

    kind_of_snapshot = "a table"

    def __init__(
        self,
        layout: Layout,
        *,
        seed: int,
        model: Model | None = None,
        start_s: float = 0.0,
        controller: ControllerMaker | None = None,
        buttons: Mapping[Button, int | None] | None = None,
    ) -> None:
        """An empty board whose controller is switched on at `start_s`; `controller` makes another one than the
        simulator's own; buttons: see sim.buttons. Raises SimError for parts that do not fit.
        """
        model = model or Model()
        reed = model.sensor.kind == "reed"
        super().__init__(layout.cell_names, model, seed=seed, start_s=start_s, reed=reed, buttons=buttons)
        streams, agenda, lines = self._streams, self._agenda, self._lines
        self.layout = layout
        self._bed = bed = Bed(layout, model, streams.stream("friction"), streams.stream("rest"))
        self._sensing = Sensing(
            agenda,
            bed,
            lines,
            model,
            streams.stream("trim"),
            streams.stream("turn"),
            streams.stream("margin"),
        )
        self._drive = drive = Drive(agenda, model)
        self.controller = (
            controller(agenda, model, lines, drive)
            if controller
            else Controller(
                agenda, model, lines, drive, self._margins, layout.name, streams.stream("boot noise")
            )
        )
        self.faults = FaultHook(
            agenda,
            lines,
            (1 << model.sensor.bits) - 1,
            streams.stream("faults"),
            self.controller.reset,
            drive.faults,
            self.cell_names,
            self._set_servo_dead,
            self._hold_marbles,
            self._sensing.dim,
        )
        drive.faults.begins = self.faults.motion_begins
        self.controller.faults = self.faults
        drive.moved = self._board_moved
        drive.ends_changed = self.controller.ends_changed
        self.hand, self.other_hand = self.hands = (
            Hand(agenda, bed, lines, self._sensing, drive, model, streams.stream("hand"), self._plan),
            Hand(agenda, bed, lines, self._sensing, drive, model, streams.stream("other hand"), self._plan),
        )

    # -- marbles

    def place(self, marbles: Mapping[int, int]) -> None:
        """Clears the board and lays marbles: space -> seat. Loose ones roll if the board is tilted."""
        for hand in self.hands:
            hand.empty()
        self._bed.clear()
        for cell, seat in sorted(marbles.items()):
            marble = self._bed.new_marble(seat)
            if self._bed.drop(marble, cell, 0.0, self.now_s) is None:
                raise SimError(f"two marbles do not fit at {self.layout.cell_names[cell]}")
            self._sensing.put_down(marble)
        for groove in self._bed.grooves:
            self._bed.plan(groove, self._drive.swing, self.now_s)
        self._sensing.refresh(self._bed.grooves, self.now_s)

    def marbles(self) -> tuple[MarbleView, ...]:
        """All marbles as the eye sees them now, by id."""
        return self._bed.views(self.now_s)

    def occupancy(self) -> dict[int, int]:
        """Space -> seat of the marbles that lie on the board now (each at its nearest space)."""
        return {view.cell: view.seat for view in self.marbles() if view.cell is not None}

    @property
    def last_motion_s(self) -> float:
        """When a marble last moved or was touched; -inf if never."""
        return max(self._bed.last_motion_s(self.now_s), super().last_motion_s)

    # -- the see-saw

    @property
    def angle_deg(self) -> float:
        """The board's angle now, positive = seat 0's side down."""
        return self._drive.angle_deg

    @property
    def tilting(self) -> bool:
        """Whether the board turns now."""
        return self._drive.moving

    @property
    def sensed(self) -> int:
        """The end-position inputs now: bit 0 closed with seat 0 down, bit 1 with seat 1 down."""
        return self._drive.sensed

    def turn_to(self, angle_deg: float, lasts_s: float) -> None:
        """A motor that is not the controller's turns the board, at one rate, to an angle."""
        self._drive.turn_to(angle_deg, lasts_s)

    @property
    def inputs(self) -> int:
        """How many inputs the chain has."""
        return len(self._lines.all)

    def levels(self) -> int:
        """The level of every input of the chain now, bit i being input i."""
        now, found = self.now_s, 0
        for line in self._lines.all:
            level = line.raw
            for at_s, value in line.changes:
                if at_s > now:
                    break
                level = value
            found |= (level & 1) << line.index
        return found

    @property
    def moment_nm(self) -> float:
        """Moment of all marbles about the axle, Nm, positive turns seat 0's side down."""
        weight = self.model.marble.mass_g / 1000 * G_M_S2
        return weight * self._bed.sum_s_mm(self.now_s) / 1000 * cos(radians(self.angle_deg))

    @property
    def bearings_hold(self) -> bool:
        """Whether the original ball bearings on the low side would hold the board against the marbles."""
        total = self._bed.sum_s_mm(self.now_s)
        angle = self.angle_deg
        away = abs(total) if abs(angle) < 0.5 else -total if angle > 0 else total
        return away <= self.model.tilt.bearing_hold_sum_x_mm

    # -- a board outlives its daemon

    def snapshot(self) -> dict[str, Any]:
        """Marbles, tilt and boot number as JSON-able data; what moves is taken where it is and will be at
        rest.
        """
        marbles = []
        taken_from = {hand.carrying: hand.taken_from for hand in self.hands}
        for view in self.marbles():
            marble = self._bed.marbles[view.id]
            marbles.append(
                {
                    "seat": view.seat,
                    "cell": view.cell,
                    "y_mm": round(view.y_mm, 3),
                    "in_hand": view.in_hand,
                    "taken_from": taken_from.get(view.id),
                    "moment": [round(part, 6) for part in marble.moment],
                }
            )
        return {
            "version": SNAPSHOT_VERSION,
            "layout": self.layout.name,
            "angle_deg": round(self.angle_deg, 3),
            "boot": self.controller.boot,
            "marbles": marbles,
        } | ({self._kept_key: kept} if (kept := self.controller.kept) else {})

    @property
    def _kept_key(self) -> str:
        """A chip outside keeps other things, in another order, than the simulator's controller."""
        return "kept_outside" if self.controller.own_time else "kept"

    def _restore(self, snapshot: Mapping[str, Any]) -> None:
        if snapshot["version"] != SNAPSHOT_VERSION:
            raise SimError(f"a snapshot of version {snapshot['version']!r}, this reads {SNAPSHOT_VERSION}")
        if snapshot["layout"] != self.layout.name:
            raise SimError(f"a snapshot of layout {snapshot['layout']!r}, the board is {self.layout.name!r}")
        angle = float(snapshot["angle_deg"])
        if abs(angle) > self.model.tilt.angle_deg + 0.01:
            raise SimError(f"angle_deg is {angle}, beyond the board's stops")
        self.place({})
        self._drive.set_angle(angle)
        self.controller.boot = int(snapshot["boot"]) & 0xFFFF
        if snapshot.get(self._kept_key):
            self.controller.kept = str(snapshot[self._kept_key])
        hands = list(self.hands)
        for entry in snapshot["marbles"]:
            marble = self._bed.new_marble(entry["seat"])
            x, y, z = entry["moment"]
            if entry["cell"] is not None:
                off = float(entry["y_mm"]) - self._bed.y_of(entry["cell"])
                if self._bed.drop(marble, int(entry["cell"]), -off, self.now_s) is None:
                    raise SimError(f"two marbles lie at {self.layout.cell_names[entry['cell']]}")
            elif entry["in_hand"] and hands:
                hands.pop(0).hold(marble, self._known_cell(entry.get("taken_from")))
            marble.moment = (float(x), float(y), float(z))
            marble.turned_m = marble.path.rest_m
        for groove in self._bed.grooves:
            self._bed.plan(groove, self._drive.swing, self.now_s)
        self._sensing.refresh(self._bed.grooves, self.now_s)

    # -- inside

    def _plan(self, groove: Groove) -> None:
        """A hand changed a groove."""
        self._bed.plan(groove, self._drive.swing, self.now_s)
        self._sensing.refresh((groove,), self.now_s)

    def _board_moved(self) -> None:
        """A new motion of the board: every marble that can roll gets a new path."""
        bed, swing, now = self._bed, self._drive.swing, self.now_s
        loose = [groove for groove in bed.grooves if groove.marbles and len(groove.cells) > 1]
        if swing.even:
            # A motion in many pieces: most marbles lie at their end for most of them.
            loose = [groove for groove in loose if groove.held or not bed.lies(groove, swing, now)]
        for groove in loose:
            bed.plan(groove, swing, now)
            if groove.held:
                groove.held -= 1
        self._sensing.refresh(loose, now)

    def _margins(self, cell: int) -> tuple[int, int]:
        return self._sensing.margins(cell, self.now_s)

    def _hold_marbles(self, cell: int, motions: int) -> None:
        groove = self._bed.groove_at(cell)
        groove.held = motions
        self._plan(groove)

    def _set_servo_dead(self, dead: bool) -> None:
        self._drive.dead = dead
        if dead:
            self._drive.brake()
