"""A board text in; a simulated table, the whole pipeline and one drive behind mock pins or the wire, out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from balanxd.assemble import assemble, game_on, header_of
from balanxd.config import parse_board
from balanxd.devices import Devices, no_devices, open_devices
from balanxd.players import Player
from balanxd.simulated.build import build_table
from balanxd.simulated.lockstep import Lockstep
from balanxd.simulated.pinned import PinnedTable
from balanxd.simulated.wire import PipeWire
from firmware_bridge.link import LinkEvent, TiltSeen
from hardware.tilt import TiltLimits
from referee import events as e
from rules.line import Line

PLAYERS = (Player("human"), Player("human"))
SAMPLE_S = 0.005
SEED = 3

_MOTOR = '[tilt]\ndrive = "{}"\nend_pins = [20, 21]\n{}[gpio]\nfactory = "mock"\n'
_STOP = 'stop = "end-switches"\n'
TEXTS = {
    "controller servo": "",
    "gpio servo": _MOTOR.format("gpio-servo", "pin = 18\n"),
    "stepper": _MOTOR.format("stepper", _STOP),
    "dc motor": _MOTOR.format("dc", _STOP),
    "manual": '[tilt]\ndrive = "manual"\n',
}
MOTORS = tuple(name for name in TEXTS if name != "manual")
OURS = ("gpio servo", "stepper", "dc motor")

E = TypeVar("E")


@dataclass(frozen=True)
class Variant:
    """What is wrong with a drive: how its devices, its limits or its pipeline are changed before it begins."""

    devices: Callable[[Devices, TiltLimits], None] = lambda devices, limits: None
    limits: Callable[[TiltLimits], None] = lambda limits: None
    pipeline: Callable[[Any], None] = lambda pipeline: None


class TiltRig:
    """One board. trace: (time, angle) every 5 ms; events: what the session said, in order."""

    def __init__(
        self, name: str, variant: Variant | None = None, *, start_deg: float = 8.0, backwards: bool = False
    ) -> None:
        variant = variant or Variant()
        self.name = name
        quiet = "[sim.noise]\nbounce = false\nspikes_per_s = 0.0\n[sim.hand]\nflicker = false\nnudge_share = 0.0\n"
        table = f"[sim.tilt]\nstart_deg = {start_deg}\n{quiet}"
        self.board = wired = parse_board(TEXTS[name] + table, name)
        if backwards:
            self.board = parse_board(TEXTS[name].replace("[gpio]", "reversed = true\n[gpio]") + table, name)
        variant.limits(self.board.limits)
        self.table = build_table(self.board, SEED)
        self.wired: PinnedTable | None = None
        self.devices = no_devices()
        if self.board.backends.pins:
            self.wired = PinnedTable(wired, self.table)
            self.devices = open_devices(self.board, self.wired.pins, self.wired.bus)
            variant.devices(self.devices, self.board.limits)
        line: Line[Any, Any] = Line.begin(game_on(self.board))
        self.pipeline = assemble(
            self.board,
            line,
            PLAYERS,
            seed=SEED,
            header=header_of(line, self.board, PLAYERS, "????.??.??"),
            devices=self.devices,
        )
        variant.pipeline(self.pipeline)
        self.reports: list[TiltSeen] = []
        self._tap()
        self.events: list[e.GameEvent] = []
        self.trace: list[tuple[float, float]] = []
        self.power: list[tuple[float, bool]] = []
        self.lockstep = Lockstep(
            self.table, self.pipeline, PipeWire(), lambda event, now_s: self.events.append(event)
        )

    def _tap(self) -> None:
        """Keep the controller's tilt reports beside what the drive makes of them."""
        inner = self.pipeline.link.receive

        def receive(data: bytes, now_s: float) -> list[LinkEvent]:
            found = inner(data, now_s)
            self.reports += [event for event in found if isinstance(event, TiltSeen)]
            return found

        self.pipeline.link.receive = receive  # type: ignore[method-assign]

    @property
    def now_s(self) -> float:
        return self.lockstep.now_s

    @property
    def drive(self) -> Any:
        return self.pipeline.drive

    @property
    def limits(self) -> TiltLimits:
        return self.board.limits

    @property
    def powered(self) -> bool:
        """Whether the motor gets anything, as the world sees it."""
        if self.wired is None:
            return bool(self.reports) and self.reports[-1].enabled
        if self.wired.chip is not None:
            channels = (9, 10, 11, 12) if self.name == "stepper" else (9, 10)
            return any(self.wired.chip.duty(channel) > 0 for channel in channels)
        return self.wired.pins.pulse_us(18) is not None

    def run(self, lasts_s: float, until: Callable[[], bool] = lambda: False) -> None:
        end_s = self.now_s + lasts_s
        while self.now_s < end_s - 1e-9 and not until():
            self.lockstep.run(until, min(end_s, self.now_s + SAMPLE_S))
            self.trace.append((self.now_s, self.table.angle_deg))
            self.power.append((self.now_s, self.powered))

    def until(self, kind: type[E], lasts_s: float = 30.0) -> E:
        """Run until something more of a kind is said. AssertionError where it is not."""
        since = len(self.events)
        self.run(lasts_s, lambda: any(isinstance(event, kind) for event in self.events[since:]))
        for event in self.events[since:]:
            if isinstance(event, kind):
                return event
        raise AssertionError(f"no {kind.__name__} in {lasts_s:g} s")

    def said(self, kind: type[E]) -> list[E]:
        return [event for event in self.events if isinstance(event, kind)]

    def cell(self, name: str) -> int:
        return self.board.layout.cell_names.index(name)

    def begin(self) -> None:
        """Until White may move."""
        self.until(e.TurnOpened)

    def move(self, start: str = "a7", goal: str = "a4") -> None:
        """A hand makes a move."""
        self.table.hand.move(self.cell(start), self.cell(goal))

    def angle_at(self, at_s: float) -> float:
        return min(self.trace, key=lambda pair: abs(pair[0] - at_s))[1]

    def between(self, from_s: float, to_s: float) -> list[tuple[float, float]]:
        return [pair for pair in self.trace if from_s <= pair[0] <= to_s]

    def motions(self) -> list[float]:
        """Times at which the board begins to turn after it stood for at least 0.1 s."""
        begun: list[float] = []
        still_s = self.trace[0][0] - 1.0
        for (_, before), (at_s, angle) in zip(self.trace, self.trace[1:], strict=False):
            if abs(angle - before) > 1e-4:
                if at_s - still_s > 0.1:
                    begun.append(at_s)
                still_s = at_s
        return begun
