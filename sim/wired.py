"""What every simulated board offers, whatever lies on it: time and bytes in; bytes, lights and faults out.

One agenda of events, one seed; time is an argument, so a board runs in real time or as fast as it is driven, and what
it does never depends on how `advance` is cut into steps.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from math import inf
from typing import Any, Generic, TypeVar

from hardware.buttons import Button

from .agenda import Agenda, Streams
from .breaking import FaultHook
from .buttons import PushButtons
from .errors import SimError
from .inputs import Lines
from .model import Model
from .outside import AnyController
from .working import WorkingHand

H = TypeVar("H", bound=WorkingHand[Any])

SNAPSHOT_VERSION = 1


class Wired(ABC, Generic[H]):
    """One board with its controller and two hands. All times in simulated seconds.

    Whoever is one sets `controller`, `faults` and the hands.
    """

    controller: AnyController
    faults: FaultHook
    hand: H
    other_hand: H
    hands: tuple[H, H]
    kind_of_snapshot: str
    """What a snapshot is said to be of."""

    def __init__(
        self,
        cell_names: Sequence[str],
        model: Model,
        *,
        seed: int,
        start_s: float,
        reed: bool = False,
        buttons: Mapping[Button, int | None] | None = None,
    ) -> None:
        """Inputs, noise and time. buttons: see sim.buttons. Raises SimError for wiring that does not fit the cells."""
        wiring = model.board.wiring
        used = [cell for cell in wiring if cell >= 0]
        if len(set(used)) != len(used) or any(cell >= len(cell_names) for cell in used):
            raise SimError("board.wiring names a space twice, or one that the board has not")
        self.model = model
        self.cell_names = tuple(cell_names)
        self._streams = Streams(seed)
        self._agenda = Agenda(start_s)
        self._lines = Lines(len(cell_names), wiring, model.noise, self._streams.stream("bounce"), reed)
        self.buttons = PushButtons(
            self._agenda, self._lines, buttons or {}, model.noise, self._streams.stream("buttons")
        )
        self._spike = self._streams.stream("spikes")
        if model.noise.spikes_per_s > 0:
            self._agenda.at(start_s + self._spike.expovariate(model.noise.spikes_per_s), self._make_spike)

    # -- time and bytes

    @property
    def now_s(self) -> float:
        """The board's present."""
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

        Nobody but the host needs to look in between, so this is the fast way to drive a board.
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

    def close(self) -> None:
        """The board is not used any more: a controller outside gives back what it holds."""
        self.controller.close()

    # -- what can be seen

    @property
    def last_motion_s(self) -> float:
        """When something was last touched; -inf if never."""
        return max(min(hand.touched_s, self.now_s) for hand in self.hands)

    @property
    def angle_deg(self) -> float:
        """The board's angle now, positive = seat 0's side down; 0 for a board that does not tilt."""
        return 0.0

    @property
    def tilting(self) -> bool:
        """Whether the board turns now."""
        return False

    @property
    def bearings_hold(self) -> bool:
        """Whether the original ball bearings on the low side would hold the board against what lies on it."""
        return True

    @property
    def lights(self) -> bytes:
        """Palette index of each light, in chain order."""
        return bytes(self.controller.lights)

    # -- a board outlives its daemon

    @abstractmethod
    def snapshot(self) -> dict[str, Any]:
        """What lies on the board, and the boot number, as JSON-able data."""

    def restore(self, snapshot: Mapping[str, Any]) -> None:
        """Takes a snapshot over, at the start; raises SimError when it does not fit this board."""
        try:
            self._restore(snapshot)
        except (KeyError, TypeError, ValueError) as error:
            if isinstance(error, SimError):
                raise
            raise SimError(f"not a snapshot of {self.kind_of_snapshot}: {error!r}") from None

    @abstractmethod
    def _restore(self, snapshot: Mapping[str, Any]) -> None:
        """May also raise KeyError, TypeError, ValueError."""

    def _known_cell(self, cell: Any) -> int:
        """A cell out of a snapshot; -1 where it tells none. Raises SimError."""
        if cell is None:
            return -1
        if not isinstance(cell, int) or not 0 <= cell < len(self.cell_names):
            raise SimError(f"taken_from is {cell!r}, which is no space of the board")
        return cell

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

    def _make_spike(self, number: int) -> None:
        """A spike on a wire: one input shows something else for a moment."""
        noise, random, now = self.model.noise, self._spike, self.now_s
        cell = random.randrange(len(self._lines.of_cell))
        lasts = random.uniform(*noise.spike_ms) / 1000
        line = self._lines.of_cell[cell]
        self._lines.overlay(cell, [(now, now + lasts, 0 if line.base(now) else 1)])
        self._agenda.at(now + random.expovariate(noise.spikes_per_s), self._make_spike)
