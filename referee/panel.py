"""Panel: presses, and taps read off the board, in; commands for the session and wishes for the house out. Pure.

    presses -----------------------┐
    occupancies -> taps -----------┴-> menu -> commands, wishes

It also sees when somebody has set the board up for a new game.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import assert_never

from hardware.buttons import Button, Pressed
from hardware.occupancy import Occupancy

from . import commands as c
from . import events as e
from .errors import RefereeError
from .infer import Prospects
from .menu import INF, Item, Menu
from .motion import twins_of
from .offers import AnySession, Seated, offers
from .session import Phase
from .taps import Group, Taps

NEXT, YES, OPENS = 1, 2, 3
"""What so many taps mean."""
AGAIN_S = 2.0  # after a game: the pieces lie for a new one
ANEW_S = 3.0  # in the middle of one
ODD_TIMES, ODD_S = 2, 60.0  # taps on one place that meant nothing, so often within this time, are a sensor's

_CLOSES = (
    e.MoveProvisional,
    e.TurnTaken,
    e.TakenBack,
    e.PositionSet,
    e.GameOver,
    e.GameStarted,
    e.LinkChanged,
)
"""Something was done: what the menu showed may not hold any more."""


class Panel:
    """The buttons, taps and menu of one board. obey: the session's, or whoever stands before it."""

    def __init__(
        self,
        session: AnySession,
        seated: Seated,
        obey: Callable[[c.PlayerCommand, float], None],
        emit: Callable[[e.GameEvent], None],
    ) -> None:
        self._obey = obey
        self.menu = Menu(emit)
        self._seated = seated
        self._wanted: list[c.HouseCommand] = []
        self.begin(session, None, 0.0)

    def begin(self, session: AnySession, seated: Seated | None, now_s: float) -> None:
        """Another game is on the board. seated: None for the same players."""
        self.menu.close(now_s)
        self._session = session
        self._seated = seated or self._seated
        self._taps = Taps(twins_of(session.game))
        self._odd: deque[tuple[float, int]] = deque(maxlen=16)  # taps that meant nothing: when and where
        self._due_s = INF
        self._patient_s = (
            0.0  # how long pieces must lie still before they are compared with a new game's; 0: for ever
        )
        self._looked_s = INF  # the board was compared with a new game's, as it lies since then

    # ---- inputs --------------------------------------------------------------------------------------------

    def press(self, pressed: Sequence[Pressed], now_s: float) -> None:
        """Buttons went down."""
        for _, button in pressed:
            match button:
                case Button.NEXT:
                    self._next(now_s)
                case Button.YES:
                    self._yes(now_s)
                case Button.STOP:
                    self.menu.close(now_s)
                    self._do(c.Stop(), now_s)
                case _:
                    assert_never(button)
        self._plan()

    def see(self, occupancy: Occupancy) -> None:
        """Follow one occupancy."""
        if occupancy.changes or occupancy.edges_lost or not occupancy.known:
            self._taps.see(occupancy, self._session.bad)
            self._plan()

    def follow(self, said: Sequence[e.GameEvent], now_s: float) -> None:
        """What was said of the game by now, and the time."""
        if said:
            if self.menu.open and any(isinstance(event, _CLOSES) for event in said):
                self.menu.close(now_s)
            self._patient_s = self._wait_s()
            self._plan()
        if now_s < self._due_s:
            return
        group = self._taps.group(now_s)
        if group is not None:
            self._tapped(group, now_s)
        elif self.menu.open and self._taps.moved(now_s):
            self.menu.close(now_s)
        self._look_for_new_game(now_s)
        self.menu.tick(now_s)
        self._plan()

    def due_s(self) -> float:
        """When `follow` wants to be called next, though nothing was said (inf: never)."""
        return self._due_s

    def _plan(self) -> None:
        menu, taps = self.menu, self._taps
        self._due_s = min(menu.due_s(), taps.due_s(watched=menu.open))
        if self._patient_s and self._looked_s != taps.still_s:
            self._due_s = min(self._due_s, taps.still_s + self._patient_s)

    def take_wanted(self) -> list[c.HouseCommand]:
        """What the players want of the house since the last time, in order."""
        wanted, self._wanted = self._wanted, []
        return wanted

    # ---- what is meant -------------------------------------------------------------------------------------

    def _tapped(self, group: Group, now_s: float) -> None:
        count, shown = group.count, self.menu.open
        if shown and count == NEXT:
            self._next(now_s)
        elif count == YES and (shown or self._session.stopped):
            self._yes(now_s)
        elif shown and count == OPENS:
            self.menu.close(now_s)
        elif not shown and count == OPENS and group.sudden and self._means_it(group):
            self._open(now_s)
        elif not shown:
            self._odd.append((now_s, group.cell))

    def _means_it(self, group: Group) -> bool:
        """Whether it is a person who taps: a sensor that comes and goes has done so before, in vain."""
        in_vain = sum(cell == group.cell and group.at_s - at_s < ODD_S for at_s, cell in self._odd)
        return in_vain < ODD_TIMES

    def _next(self, now_s: float) -> None:
        if self.menu.open:
            self.menu.next(now_s)
        else:
            self._show(offers(self._session, self._seated), 0, now_s)

    def _yes(self, now_s: float) -> None:
        if not self.menu.open:
            if self._session.stopped:
                self._do(c.GoOn(), now_s)
            else:
                self._open(now_s)
            return
        item = self.menu.choose(now_s)
        if item is None:
            return
        if isinstance(item.does, c.NewGame | c.Park | c.ShutDown):
            self._wanted.append(item.does)
            self.menu.close(now_s, item.done, done=True)
            return
        refused = self._do(item.does, now_s)
        self.menu.close(now_s, refused or item.done, done=not refused)

    def _open(self, now_s: float) -> None:
        """At what the players are asked, or at the first item."""
        items = offers(self._session, self._seated)
        first = 0 if self._session.stopped else _first(items, lambda item: item.asked)
        self._show(items, first, now_s)

    def _show(self, items: tuple[Item, ...], at: int, now_s: float, *, sure: bool = False) -> None:
        self._taps.forget()  # a move that was made before does not close it
        self.menu.show(items, at, now_s, sure=sure)

    def _do(self, command: c.PlayerCommand, now_s: float) -> str:
        """Why it was refused; empty where it was done."""
        try:
            self._obey(command, now_s)
        except RefereeError as error:
            return str(error)
        return ""

    # ---- a new game by setting up --------------------------------------------------------------------------

    def _wait_s(self) -> float:
        session = self._session
        if session.game.setup_in_record:
            return 0.0
        if session.phase is Phase.OVER:
            return AGAIN_S
        playing = session.phase in (Phase.ALIGNING, Phase.OPEN)
        return ANEW_S if playing and session.out_of_step else 0.0

    def _look_for_new_game(self, now_s: float) -> None:
        wait_s, taps, session = self._wait_s(), self._taps, self._session
        picture = taps.picture
        self._patient_s = wait_s
        if not wait_s or now_s < taps.still_s + wait_s or self._looked_s == taps.still_s:
            return
        self._looked_s = taps.still_s
        if picture is None or (self.menu.open and session.phase is not Phase.OVER):
            return
        if not self._shows(session.game.start(), picture) or self._shows(session.position, picture):
            return
        if session.phase is Phase.OVER:
            self._wanted.append(c.NewGame())
            return
        items = offers(session, self._seated)
        self._show(items, _first(items, lambda item: item.does == c.NewGame()), now_s, sure=True)

    def _shows(self, position: object, picture: bytes) -> bool:
        """Whether the picture is that of a position, whichever side is down."""
        session = self._session
        for tilt in (None, 0, 1) if session.game.tilts else (None,):
            prospects = Prospects(session.game, session.sensor, position, tilt)
            if prospects.matches(picture, prospects.expected, session.bad):
                return True
        return False


def _first(items: Sequence[Item], fits: Callable[[Item], bool]) -> int:
    return next((number for number, item in enumerate(items) if fits(item)), 0)
