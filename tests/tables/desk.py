"""A session without a table: readings and tilt events by hand, one clock of numbers, a drive that writes down."""

from collections.abc import Callable, Iterable
from typing import Any

from hardware.buttons import Button, Pressed
from hardware.fakes import FakeDrive
from hardware.occupancy import Change, Occupancy
from hardware.tilt import TiltArrived
from referee import events as e
from referee.commands import PlayerCommand
from referee.offers import Seated
from referee.panel import Panel
from referee.pending import Patience
from referee.session import Session
from rules.balanx.game import BalanxGame
from rules.balanx.layout import layout_named
from rules.line import Line

CLASSIC = BalanxGame(layout_named("classic"))


class Desk:
    """A resumed game on an armed board that stands on the side of the player to move, in step, at 1 s."""

    def __init__(
        self,
        position: str = "",
        *,
        before: str = "",
        sensor: str = "presence",
        motor: bool = True,
        machines: Iterable[int] = (),
        patience: Patience | None = None,
        game: BalanxGame = CLASSIC,
    ) -> None:
        begun: Line[Any, Any] = Line.begin(game, game.parse_position(position) if position else None)
        line = begun.extend(game.parse_move(text) for text in before.split())
        self.game, self.sensor = game, sensor
        self.events: list[e.GameEvent] = []
        self.drive = FakeDrive(motor=motor, side=line.position.side)
        self.session: Session[Any, Any] = Session(
            line,
            sensor=sensor,
            drive=self.drive,
            emit=self.events.append,
            machines=frozenset(machines),
            patience=patience,
        )
        self.readings = bytearray(game.picture(line.position, sensor))
        self.now_s = 0.0
        self.session.link(True, "", 0.0)
        self.session.see(Occupancy(0.0, True, bytes(self.readings), (), edges_lost=True))
        self.run(1.0)

    def cell(self, name: str) -> int:
        return self.game.cell_names.index(name)

    def run(self, until_s: float) -> None:
        """Let everything fall due up to a time."""
        while (due_s := self.session.due_s()) <= until_s:
            self.now_s = max(self.now_s, due_s)
            self.session.tick(self.now_s)
        self.now_s = max(self.now_s, until_s)

    def edges(self, text: str, at_s: float | None = None) -> None:
        """`a7-` falls, `a4+` rises (`a4=2` reads 2), each 1 ms after the other from `at_s` on."""
        at_s = self.now_s if at_s is None else at_s
        for word in text.split():
            self.run(at_s)
            if "=" in word:
                name, _, number = word.partition("=")
                reading = int(number)
            else:
                name, reading = word[:-1], int(word[-1] == "+")
            self.readings[self.cell(name)] = reading
            change = Change(at_s, self.cell(name), reading)
            self.session.see(Occupancy(at_s, True, bytes(self.readings), (change,)))
            at_s += 0.001

    def arrives(self, seat: int, *, expected: bool = True) -> None:
        """The board stands with a side down, and every marble has rolled there."""
        self.drive.side = seat
        rolled = self.game.level(bytes(self.readings), seat)
        self.session.tilted(TiltArrived(self.now_s, seat, expected))
        changed = [cell for cell in range(len(rolled)) if rolled[cell] != self.readings[cell]]
        for cell in changed:
            self.readings[cell] = rolled[cell]
        changes = tuple(Change(self.now_s, cell, rolled[cell]) for cell in changed)
        if changes:
            self.session.see(Occupancy(self.now_s, True, bytes(self.readings), changes))

    def ask(self, command: PlayerCommand) -> None:
        self.session.command(command, self.now_s)

    def said(self, kind: Callable[..., Any]) -> list[Any]:
        return [event for event in self.events if type(event) is kind]

    def last(self, kind: Callable[..., Any]) -> Any:
        return self.said(kind)[-1]


class PanelDesk(Desk):
    """The same with a panel. persons: their seats."""

    def __init__(
        self,
        position: str = "",
        *,
        persons: Iterable[int] = (0, 1),
        level: int | None = None,
        levels: tuple[int, ...] = (),
        **more: Any,
    ) -> None:
        self.panel: Panel | None = None
        self._told = 0
        super().__init__(position, **more)
        seated = Seated(frozenset(persons), alike=level is None, level=level, levels=levels)
        self.panel = Panel(self.session, seated, self.session.command, self.events.append)
        self._told = len(self.events)
        inner = self.session.see

        def see(occupancy: Occupancy) -> None:
            inner(occupancy)
            self.buttons.see(occupancy)

        self.session.see = see  # type: ignore[method-assign]
        self.buttons.see(Occupancy(self.now_s, True, bytes(self.readings), (), edges_lost=True))

    @property
    def buttons(self) -> Panel:
        assert self.panel is not None
        return self.panel

    def run(self, until_s: float) -> None:
        if self.panel is None:
            super().run(until_s)
            return
        self._follow()
        while (due_s := min(self.session.due_s(), self.panel.due_s())) <= until_s:
            self.now_s = max(self.now_s, due_s)
            self.session.tick(self.now_s)
            self._follow()
        self.now_s = max(self.now_s, until_s)

    def _follow(self) -> None:
        said, self._told = self.events[self._told :], len(self.events)
        self.buttons.follow(said, self.now_s)

    def press(self, button: Button) -> None:
        self.buttons.press([Pressed(self.now_s, button)], self.now_s)

    def taps(self, name: str, times: int, *, up_s: float = 0.3, apart_s: float = 0.3) -> None:
        """A marble is lifted and put back, and then left alone long enough."""
        for _ in range(times):
            self.run(self.now_s + apart_s)
            self.edges(f"{name}-")
            self.run(self.now_s + up_s)
            self.edges(f"{name}+")
        self.run(self.now_s + 1.0)

    @property
    def shown(self) -> str:
        """The item that the menu shows, with a question mark where it is asked for again; empty where it is closed."""
        found = [event for event in self.events if isinstance(event, e.MenuShown | e.MenuClosed)]
        last = found[-1] if found else None
        return last.say + "?" * last.sure if isinstance(last, e.MenuShown) else ""

    @property
    def closed(self) -> str:
        """What was said when the menu closed last."""
        return str(self.last(e.MenuClosed).say)
