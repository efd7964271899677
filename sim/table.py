"""A table made of numbers: layout, model and seed in; bytes over the wire and marbles that can be seen out.

One agenda of events, one seed; time is an argument, so the table runs in real time or as fast as it is
driven, and what it does never depends on how `advance` is cut into steps. What each part leaves out stands
in its own module.
"""

from collections.abc import Mapping
from math import cos, inf, radians
from typing import Any

from rules.balanx.layout import Layout

from .agenda import Agenda, Streams
from .bed import Bed, Groove, MarbleView
from .breaking import FaultHook
from .controller import Controller
from .drive import Drive
from .errors import SimError
from .hands import Hand
from .inputs import Lines
from .model import Model
from .outside import AnyController, ControllerMaker
from .sensing import Sensing
from .swing import G_M_S2

SNAPSHOT_VERSION = 1


class Table:
    """One simulated board with its controller and two hands. All times in simulated seconds."""

    def __init__(
        self,
        layout: Layout,
        *,
        seed: int,
        model: Model | None = None,
        start_s: float = 0.0,
        controller: ControllerMaker | None = None,
    ) -> None:
        """An empty board whose controller is switched on at `start_s`; `controller` makes another one than the
        simulator's own. Raises SimError for parts that do not fit.
        """
        model = model or Model()
        cells = layout.files * layout.ranks
        wiring = model.board.wiring
        used = [cell for cell in wiring if cell >= 0]
        if len(set(used)) != len(used) or any(cell >= cells for cell in used):
            raise SimError("board.wiring names a space twice, or one that the layout has not")
        streams = Streams(seed)
        self.layout = layout
        self.model = model
        self._agenda = agenda = Agenda(start_s)
        self._bed = bed = Bed(layout, model, streams.stream("friction"), streams.stream("rest"))
        reed = model.sensor.kind == "reed"
        self._lines = lines = Lines(cells, wiring, model.noise, streams.stream("bounce"), reed)
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
        self.controller: AnyController = (
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
            self._set_servo_dead,
            self._hold_marbles,
            drive.faults,
            layout.cell_names,
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
        self._spike = streams.stream("spikes")
        if model.noise.spikes_per_s > 0:
            agenda.at(start_s + self._spike.expovariate(model.noise.spikes_per_s), self._make_spike)

    # -- time and bytes

    @property
    def now_s(self) -> float:
        """The table's present."""
        return self._agenda.now_s

    def next_s(self) -> float:
        """Time of the next event or of the next frame that will have left; inf if none. Later than now
        unless due.
        """
        event, frame = self._agenda.next_s(), self.controller.next_s()
        return frame if frame < event else event

    def advance(self, until_s: float) -> None:
        """Runs every event up to and including `until_s`; a time gone by does nothing."""
        if self.controller.own_time:
            self._beside(until_s, to_bytes=False)
        else:
            self._agenda.run(until_s)

    def advance_to_next(self, limit_s: float) -> float:
        """Runs to the next event or frame, or to `limit_s`; returns the time then."""
        if self.controller.own_time:
            return self._beside(min(limit_s, self._agenda.next_s()), to_bytes=True)
        at_s = min(limit_s, self.next_s())
        self._agenda.run(at_s)
        return at_s

    def advance_to_bytes(self, limit_s: float) -> float:
        """Runs until the first frame not yet read has left, or to `limit_s`; returns the time then.

        Nobody but the host needs to look in between, so this is the fast way to drive a table.
        """
        agenda, controller = self._agenda, self.controller
        if controller.own_time:
            return self._beside(limit_s, to_bytes=True)
        while True:
            event, frame = agenda.next_s(), controller.next_s()
            if frame <= event and frame <= limit_s:
                agenda.run(frame)
                return agenda.now_s
            if event > limit_s:
                agenda.run(limit_s)
                return agenda.now_s
            agenda.run(event)

    def write(self, data: bytes) -> None:
        """Bytes from the host arrive now."""
        self.controller.write(data)

    def read(self) -> bytes:
        """Bytes that have left the controller by now and were not read yet."""
        return self.controller.read()

    def opened(self) -> None:
        """The host opened the port (resets boards whose model says so)."""
        self.controller.opened()

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
        rolled = self._bed.last_motion_s(self.now_s)
        return max(rolled, *(min(hand.touched_s, self.now_s) for hand in self.hands))

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
    def lights(self) -> bytes:
        """Palette index of each light, in chain order."""
        return bytes(self.controller.lights)

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

    def restore(self, snapshot: Mapping[str, Any]) -> None:
        """Takes a snapshot over, at the start; raises SimError when it does not fit this table."""
        try:
            self._restore(snapshot)
        except (KeyError, TypeError, ValueError) as error:
            if isinstance(error, SimError):
                raise
            raise SimError(f"not a snapshot of a table: {error!r}") from None

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

    def close(self) -> None:
        """The table is not used any more: a controller outside gives back what it holds."""
        self.controller.close()

    # -- inside

    def _beside(self, until_s: float, *, to_bytes: bool) -> float:
        """Run agenda and controller side by side, neither past what the other has not done; returns the time then.

        to_bytes: not beyond the first frame that has left.
        """
        agenda, controller = self._agenda, self.controller
        while True:
            frame = controller.next_s() if to_bytes else inf
            if frame <= agenda.now_s:
                return agenda.now_s
            agenda.run(controller.run_to(min(agenda.next_s(), until_s, frame)))
            if agenda.now_s >= until_s and agenda.next_s() > until_s:
                return agenda.now_s

    def _known_cell(self, cell: Any) -> int:
        """A cell out of a snapshot; -1 where it tells none. Raises SimError."""
        if cell is None:
            return -1
        if not isinstance(cell, int) or not 0 <= cell < self.layout.files * self.layout.ranks:
            raise SimError(f"taken_from is {cell!r}, which is no space of the board")
        return cell

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

    def _make_spike(self, number: int) -> None:
        """A spike on a wire: one input shows something else for a moment."""
        noise, random, now = self.model.noise, self._spike, self.now_s
        cell = random.randrange(len(self._lines.of_cell))
        lasts = random.uniform(*noise.spike_ms) / 1000
        line = self._lines.of_cell[cell]
        self._lines.overlay(cell, [(now, now + lasts, 0 if line.base(now) else 1)])
        self._agenda.at(now + random.expovariate(noise.spikes_per_s), self._make_spike)
