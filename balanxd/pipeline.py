"""The whole flow on one page: bytes from the board and players' commands in; events, and bytes for the board, out.

    bytes -> frames -> link events -> occupancy -> rest -> inference -> verdict -> game events
             `Link.receive`           `OccupancyTracker.take`  `Session.see`, `.tick`

Nothing here waits, reads a clock or touches a file: the runners (`balanxd.lockstep`, `balanxd.live`) do. A
runner journals the events of a call before it writes the bytes that `take_bytes` then gives; so a turn is
on disk before the motor hears of it.
"""

from __future__ import annotations

from typing import Generic

from firmware_bridge.compatibility import cause_text
from firmware_bridge.link import (
    FaultSeen,
    Incompatible,
    Link,
    LinkEvent,
    LinkLost,
    LinkUp,
)
from firmware_bridge.messages import FaultCode, Hello
from hardware.buttons import Button, Buttons, Pressed
from hardware.faults import FaultName
from hardware.occupancy import OccupancyTracker
from hardware.sensors import Sensors
from hardware.tilt import Drive, SupplyWeak, TiltEvent, TiltNoticed
from hardware.wire import WINDOW_S, WireBad, WireHealth
from hardware.wiring import Wiring
from referee.commands import GoOn, HouseCommand, PlayerCommand, Stop
from referee.events import Fault, GameEvent
from referee.offers import Seated
from referee.panel import Panel
from referee.parking import Parking
from referee.session import Session
from rules.game import M, P
from rules.games import AnyGame

from .lights.outlet import LightShow
from .options import BALANX, OTHERS
from .pairing import CodeShown, PairingEvent


class Pipeline(Generic[P, M]):
    """One board's chain from bytes to events. All times are host seconds that never run backwards."""

    def __init__(
        self, link: Sensors, wiring: Wiring, drive: Drive, session: Session[P, M], said: list[GameEvent]
    ) -> None:
        """link: to a controller, or the sensors that are read here. said: what the session's `emit` appends to."""
        self.link = link
        self.drive = drive
        self.session = session
        self._wiring = wiring
        self._occupancy = OccupancyTracker(wiring)
        self._said = said
        self._fits = True
        self._parking: Parking | None = None  # under way
        self.level = False
        """Whether the board was parked level."""
        self.park_stopped = False
        """Whether somebody stopped the board, or said that it may go on, while it was being parked."""
        self._wire = WireHealth()
        self._damaged = 0  # messages that the board dropped, as last said
        self._boot: int | None = None  # of the board, since the port was opened
        self.lights: LightShow | None = None  # whoever assembles the chain of a board with lights sets it
        self.buttons: Buttons | None = None  # likewise
        self._palm_s = float("-inf")  # until then a hand on STOP may lie on other buttons, too
        self.panel: Panel | None = None  # likewise: menu, taps, and what buttons are for

    def replace_session(
        self, session: Session[P, M], now_s: float, seated: Seated | None = None
    ) -> list[GameEvent]:
        """Another game on the same board; its session emits into the same list. seated: None for the same players."""
        up, stopped = self.session.link_up, self.session.stopped
        self.session = session
        if self.lights is not None:
            self.lights.begin(session)
        if self.panel is not None:
            self.panel.begin(session, seated, now_s)
        if up:
            session.link(True, "", now_s)
            now = self._occupancy.now(now_s)
            session.see(now)
            if self.panel is not None:
                self.panel.see(now)
        if stopped == "parked":
            session.parked(now_s)
        elif stopped:
            session.command(Stop(), now_s)
        return self._flow([], now_s)

    @property
    def said(self) -> list[GameEvent]:
        """The list that sessions emit into."""
        return self._said

    def opened(self, now_s: float) -> list[GameEvent]:
        """The port is open."""
        self._boot = None  # opening may restart the board
        self.link.opened(now_s)
        return self._flow([], now_s)

    def closed(self, now_s: float, why: str) -> list[GameEvent]:
        """The port is gone."""
        return self._flow(self.link.closed(now_s, why), now_s)

    def receive(self, data: bytes, now_s: float) -> list[GameEvent]:
        """Bytes came from the board."""
        link_events = self.link.receive(data, now_s)
        if self.session.link_up:
            bad = self._wire.look(self.link.counters, now_s)
            if bad is not None:
                self._said.append(_wire_fault(bad))
        return self._flow(link_events, now_s)

    def tick(self, now_s: float) -> list[GameEvent]:
        """Something falls due."""
        return self._flow(self.link.tick(now_s), now_s)

    def command(self, command: PlayerCommand, now_s: float) -> list[GameEvent]:
        """A player or a machine wants something. Raises RefereeError."""
        self.obey(command, now_s)
        return self._flow([], now_s)

    def obey(self, command: PlayerCommand, now_s: float) -> None:
        """The same in the middle of a call, for the panel."""
        if self._parking is not None and isinstance(command, Stop | GoOn):
            self.park_stopped = True
            self._parking.halt(now_s)
            self._park_on(self._parking, now_s)
        self.session.command(command, now_s)

    def take_wanted(self) -> list[HouseCommand]:
        """What the players ask of whoever runs games, since the last time, in order. To be taken after each call."""
        return [] if self.panel is None else self.panel.take_wanted()

    def park(self, now_s: float) -> list[GameEvent]:
        """Level the board where that may be, and let its motor go until GoOn, or for ever where the daemon ends."""
        if self._parking is None:
            self.park_stopped = False
            now = self._occupancy.now(now_s)
            self._parking = Parking(self.session, self.drive, now, self._said.append, now_s)
        return self._flow([], now_s)

    def pairing(self, event: PairingEvent, now_s: float) -> None:
        """A pairing code is to be shown by the board's lights, or not any more."""
        if self.lights is not None:
            self.lights.show_code(event.code if isinstance(event, CodeShown) else "", now_s)

    @property
    def hello(self) -> Hello | None:
        """The board's last words about itself."""
        return self.link.hello if isinstance(self.link, Link) else None

    @property
    def parking(self) -> bool:
        """Whether `park` is under way."""
        return self._parking is not None

    @property
    def parked(self) -> bool:
        """Whether `park` is done with, and nobody has said that the board may go on."""
        return self._parking is None and self.session.stopped == "parked"

    def take_bytes(self) -> bytes:
        """Bytes to write to the port now, once the events of the last call are dealt with."""
        return self.link.take_bytes()

    def due_s(self) -> float:
        """When `tick` wants to be called next (inf: never)."""
        who = self.session if self._parking is None else self._parking
        due_s = min(self.link.due_s(), self.drive.due_s(), who.due_s())
        if self.buttons is not None:
            due_s = min(due_s, self.buttons.due_s())
        if self.panel is not None:
            due_s = min(due_s, self.panel.due_s())
        return due_s if self.lights is None else min(due_s, self.lights.due_s())

    def _flow(self, link_events: list[LinkEvent], now_s: float) -> list[GameEvent]:
        session, drive = self.session, self.drive
        for event in link_events:
            if isinstance(event, LinkUp):
                self._link_up(event.hello, now_s)
            if not self._fits:
                continue  # another board than the configured one: nothing it says means anything here
            if isinstance(event, LinkLost):
                session.link(False, event.why, now_s)
            elif isinstance(event, Incompatible):
                self._said.append(Fault(at_s=now_s, kind="board", say=event.sentence))
            elif isinstance(event, FaultSeen) and self._is_news(event):
                fault = FaultName.DEAD_CHAIN if event.code == FaultCode.CHAIN_BROKEN else None
                self._said.append(Fault(at_s=now_s, kind="board", say=_fault_text(event), fault=fault))
            tilt_events = drive.take(event)
            if isinstance(event, LinkUp) and not any(isinstance(each, SupplyWeak) for each in tilt_events):
                self._look_for_restart(event.hello, now_s)
            for tilt_event in tilt_events:
                if not self._only_told_late(tilt_event, now_s):
                    session.tilted(tilt_event)
            occupancy = self._occupancy.take(event)
            if occupancy is not None:
                session.see(occupancy)
                if self.panel is not None:
                    self.panel.see(occupancy)
                if self._parking is not None:
                    self._parking.see(occupancy)
        if self.buttons is not None:
            self._push(self.buttons, link_events, now_s)
        for tilt_event in drive.tick(now_s):
            session.tilted(tilt_event)
        if self._parking is None:
            session.tick(now_s)
        else:
            self._park_on(self._parking, now_s)
        if self.panel is not None:
            self.panel.follow(self._said, now_s)
        said, self._said[:] = self._said[:], []
        if self.lights is not None:
            self.lights.follow(link_events, said, now_s)
        return said

    def _only_told_late(self, event: TiltEvent, now_s: float) -> bool:
        """Whether a board that came late may have come in time, and a cable lost the news."""
        late = isinstance(event, TiltNoticed) and event.fault is FaultName.SERVO_LATE
        return late and self._wire.damaged_lately(now_s)

    def _push(self, buttons: Buttons, link_events: list[LinkEvent], now_s: float) -> None:
        """Follow the buttons. What another board than the configured one says of them means nothing."""
        found = [each for event in link_events for each in buttons.take(event)] if self._fits else []
        found += buttons.tick(now_s)
        if not found:
            return
        pressed = sorted(each for each in found if isinstance(each, Pressed))
        for each in pressed:
            if each.button is Button.STOP:
                self._palm_s = each.at_s + PALM_S
        pressed = [each for each in pressed if each.button is Button.STOP or each.at_s >= self._palm_s]
        for other in found:
            if not isinstance(other, Pressed):
                self._said.append(Fault(at_s=now_s, kind="button", say=other.say))
        if pressed and self.panel is not None:
            self.panel.press(pressed, now_s)

    def _park_on(self, parking: Parking, now_s: float) -> None:
        parking.tick(now_s)
        if parking.done:
            self._parking, self.level = None, parking.level
            self.session.parked(now_s)

    def _link_up(self, hello: Hello, now_s: float) -> None:
        wrong = self._misfit(hello)
        self._fits = not wrong
        if wrong:
            say = f"{wrong}: this is another board, or its configuration is wrong."
            self._said.append(Fault(at_s=now_s, kind="board", say=say))
            return
        self._wire.begin(self.link.counters)
        self.session.link(True, "", now_s)

    def _look_for_restart(self, hello: Hello, now_s: float) -> None:
        """A board with another boot number than before has restarted, though nobody opened its port."""
        before, self._boot = self._boot, hello.boot
        if before not in (None, hello.boot):
            say = (
                f"The controller restarted by itself ({cause_text(hello.reset_cause)}), and the game goes on. "
                "If it comes again, look at its supply and cable."
            )
            self._said.append(Fault(at_s=now_s, kind="board", say=say, fault=FaultName.CONTROLLER_RESET))

    def _is_news(self, fault: FaultSeen) -> bool:
        """Whether a board's fault is to be said: not what the drive names itself, nor a single damaged message."""
        if fault.code != FaultCode.BAD_FRAMES:
            return fault.code not in _DRIVES_OWN
        if fault.argument < self._damaged + DAMAGED_SAID and fault.argument >= self._damaged:
            return False
        self._damaged = fault.argument
        return fault.argument >= DAMAGED_SAID

    def _misfit(self, hello: Hello) -> str:
        """Why the board cannot be the configured one; empty when it can."""
        game, sensor = self.session.game, self.session.sensor
        if not _is_for(hello.board_kind, game):
            return f"The board says {hello.board_kind!r}, and {game.name} is played on {game.board_kind!r}"
        if hello.cells < len(self._wiring.inputs):
            return f"The board has {hello.cells} inputs, the wiring names {len(self._wiring.inputs)}"
        if self.buttons is not None and hello.cells < self.buttons.inputs:
            return f"The board has {hello.cells} inputs, its buttons are on inputs up to {self.buttons.inputs - 1}"
        if hello.bits != game.bits(sensor):
            return f"The board reports {hello.bits} bits a space, the configuration says {sensor} sensors"
        return ""


_FAULTS = {
    FaultCode.HOST_SILENT: "The board heard nothing from here for a second and let the tilt go.",
    FaultCode.TILT_DEADLINE: "The tilt took too long ({} ms).",
    FaultCode.TILT_STALLED: "The tilt is blocked.",
    FaultCode.FEEDBACK_STALE: "The tilt's position is not reported any more.",
    FaultCode.SUPPLY_LOW: "The servo's supply is weak ({} mV).",
    FaultCode.DUTY_LIMIT: "The tilt has worked too much and rests for {} s.",
    FaultCode.CHAIN_BROKEN: "The sensor chain cannot be read from input {} on.",
    FaultCode.BAD_FRAMES: "The board had to drop {} damaged messages: look at the cable.",
    FaultCode.SETTINGS_LOST: "The board's stored settings were damaged, and it moves nothing: "
    "`balanx firmware settings --store-defaults` goes back to those built in.",
    FaultCode.BOTH_ENDS: "Both end positions are seen at once: one of the two inputs is faulty.",
}


PALM_S = 0.3
"""Whatever else is pressed so soon after STOP, or with it, was hit by the same hand: YES must not undo it."""

DAMAGED_SAID = 10
"""Messages that the board found damaged since it was last said; the host counts its own beside (`hardware.wire`)."""

_DRIVES_OWN = {FaultCode.TILT_DEADLINE, FaultCode.TILT_STALLED, FaultCode.BOTH_ENDS}
"""Faults of a motion that the drive follows itself, tries again and names (`hardware.tilt`)."""


def _fault_text(fault: FaultSeen) -> str:
    try:
        return _FAULTS[FaultCode(fault.code)].format(fault.argument)
    except ValueError:
        return f"The board reports fault {fault.code} ({fault.argument})."


def _wire_fault(bad: WireBad) -> Fault:
    how = "flips bits" if bad.fault is FaultName.BYTES_FLIPPED else "loses bytes"
    say = (
        f"The cable to the board {how}: {bad.frames} messages in {WINDOW_S:g} s were damaged and sent again. "
        "Look at its plugs, and lay it away from the motor's."
    )
    return Fault(at_s=bad.at_s, kind="link", say=say, fault=bad.fault)


def _is_for(board_kind: str, game: AnyGame) -> bool:
    """Whether a board of a kind is one for the game. Balanx boards may have any name that is no other game's."""
    names = board_kind.split(" ")
    if game.name == BALANX:
        return names[0] not in OTHERS
    return board_kind == game.board_kind
