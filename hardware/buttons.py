"""Buttons: link events of the board's own inputs, or edges of this computer's pins, in; presses out.

What both back ends promise (tests/hardware holds both to it by name):

* A press counts once, however the contact bounces and however long it is held, at the time when it went down.
* A button that is down when it is first seen, or when a lost board is found again, is not pressed.
* A press whose edge was lost counts as soon as the button is seen down.
* A button that stays down for STUCK_S is named once and left out; it counts again after it was up for WELL_S.
* Two at once both count. Where all three of a chain go down in one scan, nobody pressed: its power or its wire is gone.
  Then STOP alone counts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple, Protocol

from firmware_bridge.link import EdgeSeen, LinkEvent, LinkLost, LinkUp, PictureSeen

from .sensors import Unreadable

INF = float("inf")
AGAIN_S = 0.05  # up for less is bounce: no finger is so quick
STUCK_S = 20.0
WELL_S = 2.0
SETTLE_S = 0.02  # a pin's level counts when it has stood so long
HOLD_S = 0.02  # that NEXT and YES of a chain wait for the others
SCAN_S = 0.005
LOOK_S = 0.5  # between two looks at pins of which no edge came


class Button(StrEnum):
    """NEXT goes through the menu, YES does what it shows, STOP ends every motion and the menu."""

    NEXT = "next"
    YES = "yes"
    STOP = "stop"


class Pressed(NamedTuple):
    """A button went down. at_s: host seconds."""

    at_s: float
    button: Button


class Unusable(NamedTuple):
    """Something is wrong with a button, said once. at_s: host seconds; say: a sentence for people."""

    at_s: float
    say: str


ButtonEvent = Pressed | Unusable


class Buttons(Protocol):
    """The buttons of one board. A button that is down when it is first seen is not pressed."""

    @property
    def inputs(self) -> int:
        """How many inputs the board's chain must have for them; 0 where they are not on it."""

    def take(self, event: LinkEvent) -> list[ButtonEvent]:
        """Follow one event of the board."""

    def tick(self, now_s: float) -> list[ButtonEvent]:
        """Whatever was pressed by `now_s` and is not on the board's own inputs, and what sticks."""

    def due_s(self) -> float:
        """When `tick` wants to be called next (inf: not before something is pressed)."""


class Contact:
    """One button's debounced level in; its presses out."""

    def __init__(self, button: Button) -> None:
        self.button = button
        self._down: bool | None = None  # None: nobody knows
        self._since_s = -INF
        self._left_out = False
        self._named = False

    def forget(self) -> None:
        """What it does is not seen any more."""
        self._down = None

    def see(self, down: bool, at_s: float) -> list[ButtonEvent]:
        """Its level at a time. Times do not run backwards."""
        before = self._down
        if down == before:
            return []
        up_s = at_s - self._since_s
        self._down, self._since_s = down, at_s if down or before is not None else -INF
        if not down or before is None:
            return []
        if up_s >= WELL_S:
            self._left_out = False
        return [] if self._left_out or up_s < AGAIN_S else [Pressed(at_s, self.button)]

    def tick(self, now_s: float) -> list[ButtonEvent]:
        """Say it where it sticks."""
        if now_s < self.due_s():
            return []
        self._left_out = True
        if self._named:
            return []
        self._named = True
        say = (
            f"The button {self.button.upper()} was down for {STUCK_S:g} s: it counts for nothing until it is let go. "
            "If nobody held it, look at its contact and its wires."
        )
        return [Unusable(now_s, say)]

    def due_s(self) -> float:
        """When it would be said to stick."""
        return self._since_s + STUCK_S if self._down and not self._left_out else INF


class ChainButtons:
    """See Buttons. On inputs of the board's own chain, which debounces them."""

    def __init__(self, inputs: Mapping[int, Button], contact: Callable[[Button], Contact] = Contact) -> None:
        """inputs: which button is on which input. contact: makes each button's Contact."""
        self._contacts = {number: contact(button) for number, button in inputs.items()}
        self._due_s = INF
        self._last_s: dict[Button, float] = {}  # when each went down last
        self._fresh: list[Pressed] = []  # since the last tick, and not yet said
        self._held: list[tuple[float, Pressed]] = []  # (until when, what)

    @property
    def inputs(self) -> int:
        """See Buttons."""
        return max(self._contacts) + 1

    def take(self, event: LinkEvent) -> list[ButtonEvent]:
        """See Buttons. What a picture says and no edge said was lost on the way."""
        found: list[ButtonEvent] = []
        if type(event) is EdgeSeen:
            contact = self._contacts.get(event.cell)
            if contact is None:
                return found
            found = contact.see(event.reading != 0, event.at_s)
        elif type(event) is PictureSeen:
            readings = event.readings
            for number, contact in self._contacts.items():
                if number < len(readings):
                    found += contact.see(readings[number] != 0, event.at_s)
        elif isinstance(event, LinkLost | LinkUp):
            for contact in self._contacts.values():
                contact.forget()
        else:
            return found
        self._due_s = min(contact.due_s() for contact in self._contacts.values())
        return self._hold(found) if found and len(self._contacts) == len(Button) else found

    def _hold(self, found: list[ButtonEvent]) -> list[ButtonEvent]:
        """STOP is said at once, and the others when they turn out not to be all."""
        at_once: list[ButtonEvent] = []
        for event in found:
            if isinstance(event, Pressed):
                self._last_s[event.button] = event.at_s
                if event.button is not Button.STOP:
                    self._fresh.append(event)
                    continue
            at_once.append(event)
        times_s = self._last_s.values()
        if len(times_s) == len(Button) and max(times_s) - min(times_s) <= SCAN_S:
            self._fresh.clear()
            self._held.clear()
        return at_once

    def tick(self, now_s: float) -> list[ButtonEvent]:
        """See Buttons."""
        found: list[ButtonEvent] = []
        if self._fresh or self._held:
            self._held += [(now_s + HOLD_S, event) for event in self._fresh]
            self._fresh.clear()
            found += [event for until_s, event in self._held if until_s <= now_s]
            self._held = [each for each in self._held if each[0] > now_s]
        if now_s >= self._due_s:
            found += [event for contact in self._contacts.values() for event in contact.tick(now_s)]
            self._due_s = min(contact.due_s() for contact in self._contacts.values())
        return found

    def due_s(self) -> float:
        """See Buttons."""
        if self._fresh:
            return -INF
        return min(self._due_s, self._held[0][0]) if self._held else self._due_s


class Edge(NamedTuple):
    """A pin changed. age_s: so long ago; place: which one; down: whether its button is down from then on."""

    age_s: float
    place: int
    down: bool


class EdgePins(Protocol):
    """Pins with a button each, that tell their edges by themselves."""

    @property
    def waiting(self) -> bool:
        """Whether `take` has something."""

    def take(self) -> list[Edge]:
        """The edges since the last call, the oldest first."""

    def read(self) -> int:
        """All buttons now, bit i being button i: 1 where it is down. Raises Unreadable."""


class _Pin:
    """One pin's level as it is told, until it has stood long enough to count."""

    __slots__ = ("contact", "down", "since_s", "stands")

    def __init__(self, contact: Contact) -> None:
        self.contact = contact
        self.down = False
        self.since_s = 0.0
        self.stands = False  # whether its level is the contact's

    def change(self, down: bool, at_s: float) -> list[ButtonEvent]:
        """Another level, maybe; what stood long enough before it counts."""
        found = self.settle(at_s)
        if down != self.down:
            self.down, self.since_s, self.stands = down, at_s, False
        return found

    def settle(self, now_s: float) -> list[ButtonEvent]:
        """Let the level count if it has stood until now."""
        if self.stands or now_s < self.since_s + SETTLE_S:
            return []
        self.stands = True
        return self.contact.see(self.down, self.since_s)

    def due_s(self) -> float:
        return INF if self.stands else self.since_s + SETTLE_S


class PinButtons:
    """See Buttons. On pins of this computer: their edges tell, and a look now and then whether one was lost."""

    inputs = 0

    def __init__(
        self, pins: EdgePins, buttons: Sequence[Button], contact: Callable[[Button], Contact] = Contact
    ) -> None:
        """buttons: which button is on which pin. contact: makes each button's Contact."""
        self._edges = pins
        self._pins = [_Pin(contact(button)) for button in buttons]
        self._look_s = -INF
        self._known = False
        self._said = ""

    def take(self, event: LinkEvent) -> list[ButtonEvent]:
        """See Buttons. The board has nothing to do with them."""
        del event
        return []

    def tick(self, now_s: float) -> list[ButtonEvent]:
        """See Buttons."""
        found: list[ButtonEvent] = []
        for age_s, place, down in self._edges.take():
            if self._known:
                pin = self._pins[place]
                found += pin.change(down, max(now_s - age_s, pin.since_s))
        if now_s >= min(self._look_s, min(pin.due_s() for pin in self._pins)):
            found += self._look(now_s)
        for pin in self._pins:
            found += pin.contact.tick(now_s)
        return found

    def _look(self, now_s: float) -> list[ButtonEvent]:
        """What the pins really show now is what counts."""
        self._look_s = now_s + LOOK_S
        try:
            levels = self._edges.read()
        except Unreadable as error:
            return self._unreadable(str(error), now_s)
        self._said = ""
        found: list[ButtonEvent] = []
        for index, pin in enumerate(self._pins):
            down = bool(levels >> index & 1)
            if self._known:
                found += pin.change(down, now_s)
                found += pin.settle(now_s)
            else:
                pin.down, pin.since_s, pin.stands = down, now_s, True
                found += pin.contact.see(down, now_s)
        self._known = True
        return found

    def _unreadable(self, why: str, now_s: float) -> list[ButtonEvent]:
        self._known = False
        for pin in self._pins:
            pin.stands = True
            pin.contact.forget()
        if why == self._said:
            return []
        self._said = why
        return [Unusable(now_s, f"The buttons cannot be used: {why}.")]

    def due_s(self) -> float:
        """See Buttons."""
        if self._edges.waiting:
            return -INF
        return min(self._look_s, *(min(pin.due_s(), pin.contact.due_s()) for pin in self._pins))


class AllButtons:
    """See Buttons. Buttons of several kinds as one."""

    def __init__(self, parts: Sequence[Buttons]) -> None:
        self._parts = parts

    @property
    def inputs(self) -> int:
        """See Buttons."""
        return max(part.inputs for part in self._parts)

    def take(self, event: LinkEvent) -> list[ButtonEvent]:
        """See Buttons."""
        return [found for part in self._parts for found in part.take(event)]

    def tick(self, now_s: float) -> list[ButtonEvent]:
        """See Buttons."""
        return [found for part in self._parts for found in part.tick(now_s)]

    def due_s(self) -> float:
        """See Buttons."""
        return min(part.due_s() for part in self._parts)
