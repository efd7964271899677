"""The lights' outlet: events and the time in; `lights` commands for the board, only of what changed, out. No I/O."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from balanxd.view import View
from firmware_bridge.errors import BridgeError
from firmware_bridge.link import Answered, LinkEvent
from firmware_bridge.messages import Command, Lights
from hardware.wiring import Wiring
from referee import events as e
from referee.session import Session

from .settings import LightsConfig
from .signals import STEP_S, Signal, code_frame, frame_of, menu_frame, signals

SPAN = 48  # lights in one command
QUIET_S = 0.25  # before a motion nothing is sent that it would have to wait for
_BESIDE = e.SensorNamed | e.SensorTrusted | e.Fault | e.MenuShown | e.MenuClosed
"""Events that leave a question as it is."""


class LightShow:
    """Keeps the board's lights as the events say. `send` is the link's; one command is under way at a time.

    motor: whether a motor tilts the board once a move is seen: then its time is that motor's warning.
    """

    def __init__(
        self,
        config: LightsConfig,
        wiring: Wiring,
        send: Callable[[Command], int],
        session: Session[Any, Any],
        motor: Callable[[], bool],
    ) -> None:
        self._config, self._wiring, self._send, self._motor = config, wiring, send, motor
        self._shown: bytes | None = None  # what the board shows; None: nobody knows
        self._asked: tuple[int, int, bytes] | None = None  # under way: its handle, first light, palette
        self._next_s = 0.0
        self._quiet_s: tuple[float, float] = (0.0, 0.0)
        self._code: tuple[str, int] | None = (
            None  # a pairing code, and the step of the blink at which it began
        )
        self._up = False
        self._found: dict[str, Signal] = {}
        self.begin(session)

    def begin(self, session: Session[Any, Any]) -> None:
        """Another game is on the board."""
        game = session.game
        self._session = session
        self._menu: e.MenuShown | None = None
        self._choices: tuple[str, ...] = ()
        self._view = View(
            game,
            players=("human",) * len(game.seats),
            simulated=False,
            sensor=session.sensor,
            manual_tilt=False,
        )
        if session.line.moves or session.line.outcome is not None:
            self._view.resume(session.line)
        self._names = tuple(None if cell is None else game.cell_names[cell] for cell in self._wiring.inputs)

    def show_code(self, code: str, now_s: float) -> None:
        """Show the digits of a pairing code instead of the game, until an empty one comes."""
        self._code = (code, int(now_s / STEP_S)) if code else None

    def follow(self, link_events: list[LinkEvent], said: list[e.GameEvent], now_s: float) -> None:
        """What the board answered, what the session said of it, and the time."""
        for event in link_events:
            self._answered(event)
        self._take(said, now_s)
        self._tick(now_s)

    def _answered(self, event: LinkEvent) -> None:
        if self._asked is None or not isinstance(event, Answered) or event.command_id != self._asked[0]:
            return
        _, first, palette = self._asked
        self._asked = None
        if event.result == 0 and self._shown is not None:
            self._shown = self._shown[:first] + palette + self._shown[first + len(palette) :]
        else:
            self._shown = None

    def _take(self, events: list[e.GameEvent], now_s: float) -> None:
        for event in events:
            self._view.take(event)
            match event:
                case e.LinkChanged(up=up):
                    self._up, self._shown, self._asked = up, None, None
                case e.TiltWarning(due_s=due_s) | e.MoveProvisional(due_s=due_s) if self._warns(event):
                    self._quiet_s = (due_s - QUIET_S, due_s + QUIET_S)
                case e.TiltStarted() | e.CalledOff():
                    self._quiet_s = (0.0, 0.0)
                case e.MenuShown():
                    self._menu = event
                case e.MenuClosed():
                    self._menu = None
                case _:
                    pass
            if isinstance(event, e.Question):
                self._choices = tuple(self._goals(event))
            elif not isinstance(event, _BESIDE):
                self._choices = ()
        if events:
            self._found = self._signals(now_s)

    def due_s(self) -> float:
        """When `follow` wants to be called next; inf: not before the board answers or something happens."""
        if not self._up or self._asked is not None:
            return float("inf")
        dark = not self._found and self._code is None and self._menu is None
        if dark and self._shown is not None and not any(self._shown):
            return float("inf")
        begin_s, end_s = self._quiet_s
        return end_s if begin_s <= self._next_s < end_s else self._next_s

    def _tick(self, now_s: float) -> None:
        if not self._up or self._asked is not None or now_s < self._next_s:
            return
        if self._quiet_s[0] <= now_s < self._quiet_s[1]:
            return
        step = int(now_s / STEP_S + 1e-6)
        self._next_s = max((step + 1) * STEP_S, now_s + STEP_S / 2)
        frame = self._frame(step)
        shown = self._shown
        if shown is None:
            self._shown = shown = bytes([255] * len(frame))  # fits nothing
        changed = [number for number, (new, old) in enumerate(zip(frame, shown, strict=True)) if new != old]
        if not changed:
            return
        first, end = changed[0], min(changed[-1] + 1, changed[0] + SPAN)
        if changed[-1] >= end:
            self._next_s = now_s  # the rest of this step, as soon as the board has answered
        try:
            handle = self._send(Lights(first, frame[first:end]))
        except BridgeError:
            self._shown = None  # the link was lost in this very step, or is busy: again, from the beginning
            return
        self._asked = handle, first, frame[first:end]

    def _frame(self, step: int) -> bytes:
        if self._code is not None:
            code, begun = self._code
            return code_frame(code, step - begun, len(self._names))
        config, menu = self._config, self._menu
        if menu is not None:
            lights = len(self._names)
            return menu_frame(menu.number, step, lights, config.supply_ma, sure=menu.sure, night=config.night)
        return frame_of(self._found, self._names, step, config.supply_ma, night=config.night)

    def _warns(self, event: e.GameEvent) -> bool:
        return isinstance(event, e.TiltWarning) or self._motor()

    def _signals(self, now_s: float) -> dict[str, Signal]:
        session, game = self._session, self._session.game
        position, names = session.line.position, self._session.game.cell_names
        owners = [game.owner(position, cell) for cell in range(game.cells)]
        state = self._view.state(now_s)
        if self._motor():
            state["tilt_warning"] = state["tilt_warning"] or state["provisional"]
        winner = None if state["outcome"] is None else state["outcome"]["winner"]
        return signals(
            {**state, "spaces": names},
            [name for name, owner in zip(names, owners, strict=True) if owner == position.side],
            [
                name
                for name, owner in zip(names, owners, strict=True)
                if owner is not None and winner in (None, owner)
            ],
            self._choices,
        )

    def _goals(self, question: e.Question) -> list[str]:
        """The spaces that the moves of a question lead to."""
        game = self._session.game
        moves = [game.parse_move(move) for move in question.moves]
        return [game.cell_names[game.travel(move)[1]] for move in moves if not game.is_pass(move)]
