"""One contract for buttons, wherever they are: inputs of a controller's chain, of the Pi's own chain, pins of the Pi.

Each promise is kept by every back end, over the simulated board's contacts and the whole wire, and each has bad
variants of its own that break it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from balanxd.config import parse_board
from balanxd.simulated.build import build_table
from balanxd.simulated.pinned import PinnedTable
from firmware_bridge.link import EdgeSeen, Link, LinkEvent, LinkLost, LinkUp, PictureSeen
from hardware.buttons import (
    AGAIN_S,
    HOLD_S,
    LOOK_S,
    STUCK_S,
    WELL_S,
    AllButtons,
    Button,
    ButtonEvent,
    ChainButtons,
    Contact,
    Edge,
    PinButtons,
    Pressed,
    Unusable,
)
from hardware.gpio import ButtonPins
from hardware.sensors import LocalSensors, Sensors, Unreadable

NEXT, YES, STOP = Button
BOUNCE = "[sim.noise]\nbounce_mean = 4.0\nbounce_ms = [0.5, 7.0]\nspikes_per_s = 0.0\n"
ON_CHAIN = "[buttons]\nnext = 56\nyes = 57\nstop = 60\n"
ON_PINS = '[gpio]\nfactory = "mock"\n[buttons]\nnext = "GPIO17"\nyes = "GPIO27"\nstop = "GPIO22"\n'
ON = {"controller": ON_CHAIN, "chain": ON_CHAIN, "pins": ON_PINS}


@dataclass(frozen=True)
class Made:
    """What a rig's buttons are made of."""

    contact: Callable[[Button], Contact] = Contact
    chain: type[ChainButtons] = ChainButtons
    pins: type[PinButtons] = PinButtons


class Rig:
    """A board with bad contacts, whatever reads them, and the buttons under test. down: held from the start."""

    def __init__(self, name: str, made: Made, *, down: tuple[Button, ...] = (), seed: int = 1) -> None:
        board = parse_board(f'[tilt]\ndrive = "manual"\n{ON[name]}{BOUNCE}', name)
        self.table = build_table(board, seed)
        self._dead = False
        for button in down:
            self.table.buttons.press(button, float("inf"))
        self._sensors: Sensors = Link(session=7)
        if name == "chain":
            self._sensors = LocalSensors(self, inputs=board.inputs)
        self.buttons: ChainButtons | PinButtons
        if name == "pins":
            edges = ButtonPins(PinnedTable(board, self.table).pins, [pin for _, pin in board.buttons.pins])
            self.buttons = made.pins(edges, [button for button, _ in board.buttons.pins], made.contact)
        else:
            places = {number: button for button, number in board.buttons.inputs}
            self.buttons = made.chain(places, made.contact)
        self.found: list[ButtonEvent] = []
        self.heard: list[LinkEvent] = []
        self._deaf = False
        self._sensors.opened(0.0)
        self.run(4.0)

    @property
    def now_s(self) -> float:
        return self.table.now_s

    @property
    def pressed(self) -> list[Button]:
        return [each.button for each in self.found if isinstance(each, Pressed)]

    @property
    def said(self) -> list[str]:
        return [each.say for each in self.found if isinstance(each, Unusable)]

    def run(self, lasts_s: float) -> None:
        until_s = self.now_s + lasts_s
        while True:
            due_s = min(until_s, self._sensors.due_s(), self.buttons.due_s())
            self.table.advance_to_next(max(due_s, self.now_s))
            self._look()
            if self.now_s >= until_s:
                return

    def sleep(self, lasts_s: float) -> None:
        """The computer is busy with something else."""
        self.table.advance(self.now_s + lasts_s)
        self._look()

    def _look(self) -> None:
        now_s = self.now_s
        events = self._sensors.receive(self.table.read(), now_s) + self._sensors.tick(now_s)
        self.table.write(self._sensors.take_bytes())
        self.heard += events
        for event in events:
            if not (self._deaf and isinstance(event, EdgeSeen)):
                self.found += self.buttons.take(event)
        self.found += self.buttons.tick(now_s)

    def press(self, *buttons: Button, held_s: float = 0.15) -> None:
        for button in buttons:
            self.table.buttons.press(button, held_s)

    def let_go(self, button: Button) -> None:
        self.table.buttons.let_go(button)

    def lose_edges(self) -> None:
        """From now on whatever changes is told by no edge."""
        self._deaf = True
        for button in Button:
            self.table.buttons.watch(button, lambda: None)

    def read(self) -> int:
        """The Pi's own chain."""
        if self._dead:
            raise Unreadable("the sensor chain does not answer")
        return self.table.levels()

    def cut(self) -> None:
        """The board is gone, or its chain."""
        self._dead = True
        self.table.faults.cut_wire()

    def mend(self) -> None:
        self._dead = False
        self.table.faults.mend_wire()

    def was(self, kind: type[LinkEvent]) -> bool:
        return any(isinstance(event, kind) for event in self.heard)


Make = Callable[..., Rig]
Promise = Callable[[Make], None]


# ---- the promises ------------------------------------------------------------------------------------------


def a_bouncing_press_counts_once(make: Make) -> None:
    for seed in range(4):
        rig = make(seed=seed)
        for button in (NEXT, YES, STOP, NEXT):
            rig.press(button)
            rig.run(1.0)
        assert rig.pressed == [NEXT, YES, STOP, NEXT]


def a_held_button_counts_once(make: Make) -> None:
    rig = make()
    rig.press(YES, held_s=6.0)
    rig.run(10.0)
    assert rig.pressed == [YES]


def a_press_counts_while_it_is_held(make: Make) -> None:
    rig = make()
    pressed_s = rig.now_s
    rig.press(STOP, held_s=5.0)
    rig.run(0.3)
    assert rig.pressed == [STOP]
    assert pressed_s - 0.01 <= rig.found[0].at_s <= pressed_s + 0.2


def down_at_the_beginning_is_no_press(make: Make) -> None:
    rig = make(down=(YES,))
    rig.run(3.0)
    assert rig.pressed == []
    rig.let_go(YES)
    rig.run(1.0)
    assert rig.pressed == []
    rig.press(YES)
    rig.run(1.0)
    assert rig.pressed == [YES]


def a_press_without_an_edge_counts(make: Make) -> None:
    rig = make()
    rig.lose_edges()
    rig.press(NEXT, held_s=2.0)
    rig.run(4.0)
    rig.press(NEXT, held_s=2.0)
    rig.run(4.0)
    assert rig.pressed == [NEXT, NEXT]


def link_loss_and_return_press_nothing(make: Make) -> None:
    rig = make()
    rig.press(STOP, held_s=12.0)
    rig.run(1.0)
    rig.cut()
    rig.run(4.0)
    if not isinstance(rig.buttons, PinButtons):
        assert rig.was(LinkLost)
    rig.mend()
    rig.run(4.0)
    rig.run(8.0)
    assert rig.pressed == [STOP]
    rig.press(STOP)
    rig.run(1.0)
    assert rig.pressed == [STOP, STOP]


def pressed_while_the_link_is_gone_and_held_is_no_press(make: Make) -> None:
    rig = make()
    rig.cut()
    rig.run(4.0)
    rig.press(YES, held_s=9.0)
    rig.run(1.0)
    rig.mend()
    rig.run(12.0)
    assert rig.pressed == []


def a_stuck_button_is_named_once(make: Make) -> None:
    rig = make()
    for _ in range(3):
        rig.press(YES, held_s=STUCK_S + 5.0)
        rig.run(STUCK_S + 10.0)
    assert len(rig.said) == 1
    assert rig.said[0].startswith(f"The button YES was down for {STUCK_S:g} s: it counts for nothing")


def a_button_that_stuck_is_left_out_until_it_is_well(make: Make) -> None:
    rig = make()
    rig.press(YES, held_s=STUCK_S + 5.0)
    rig.run(STUCK_S + 5.5)
    rig.press(YES)  # still jammed: it comes and goes
    rig.run(0.8)
    rig.press(YES)
    rig.press(NEXT)
    rig.run(0.8)
    assert rig.pressed == [YES, NEXT]
    rig.run(WELL_S + 1.0)
    rig.press(YES)
    rig.run(1.0)
    assert rig.pressed == [YES, NEXT, YES]


def two_at_once_both_count(make: Make) -> None:
    rig = make()
    rig.press(NEXT, STOP)
    rig.run(1.0)
    assert sorted(rig.pressed) == [NEXT, STOP]


def quick_presses_all_count(make: Make) -> None:
    rig = make()
    for _ in range(5):
        rig.press(NEXT)  # with 0.12 s between them
    rig.run(2.0)
    assert rig.pressed == [NEXT] * 5


def a_press_is_not_lost_by_a_busy_computer(make: Make) -> None:
    rig = make()
    rig.press(YES)
    rig.press(STOP)
    rig.sleep(0.8)
    rig.run(1.0)
    assert sorted(rig.pressed) == [STOP, YES]


PROMISES: tuple[Promise, ...] = (
    a_bouncing_press_counts_once,
    a_held_button_counts_once,
    a_press_counts_while_it_is_held,
    down_at_the_beginning_is_no_press,
    a_press_without_an_edge_counts,
    link_loss_and_return_press_nothing,
    pressed_while_the_link_is_gone_and_held_is_no_press,
    a_stuck_button_is_named_once,
    a_button_that_stuck_is_left_out_until_it_is_well,
    two_at_once_both_count,
    quick_presses_all_count,
    a_press_is_not_lost_by_a_busy_computer,
)
NOT_PROMISED = {
    (a_press_is_not_lost_by_a_busy_computer, "chain"),  # who does not scan sees nothing
    (pressed_while_the_link_is_gone_and_held_is_no_press, "pins"),  # a link has nothing to do with pins
}


# ---- bad variants ------------------------------------------------------------------------------------------


class EachChange(Contact):
    """Counts whenever it goes down."""

    def see(self, down: bool, at_s: float) -> list[ButtonEvent]:
        counts = down and self._down is False
        super().see(down, at_s)
        return [Pressed(at_s, self.button)] if counts else []


class EachEdge(PinButtons):
    """Does not wait until a pin's level stands."""

    def tick(self, now_s: float) -> list[ButtonEvent]:
        edges = self._edges.take() if self._known else []
        found: list[ButtonEvent] = [
            Pressed(now_s - edge.age_s, self._pins[edge.place].contact.button) for edge in edges if edge.down
        ]
        super().tick(now_s)
        return found


class Repeating(Contact):
    """Counts again each second that it is held."""

    def due_s(self) -> float:
        return min(super().due_s(), self._since_s + 1.0) if self._down else super().due_s()

    def tick(self, now_s: float) -> list[ButtonEvent]:
        if now_s < self.due_s():
            return []
        self._since_s += 1.0
        return [Pressed(now_s, self.button)]


class OnRelease(Contact):
    """Counts when it is let go."""

    def see(self, down: bool, at_s: float) -> list[ButtonEvent]:
        before = self._down
        super().see(down, at_s)
        return [Pressed(at_s, self.button)] if before and not down else []


class FirstCounts(Contact):
    """Takes what it does not know for up."""

    def see(self, down: bool, at_s: float) -> list[ButtonEvent]:
        if self._down is None:
            self._down = False
        return super().see(down, at_s)


class OnlyEdges(ChainButtons):
    """Believes no picture but the first."""

    def take(self, event: LinkEvent) -> list[ButtonEvent]:
        known = any(contact._down is not None for contact in self._contacts.values())
        return [] if known and isinstance(event, PictureSeen) else super().take(event)


class NeverLooks(PinButtons):
    """Waits for edges."""

    def _look(self, now_s: float) -> list[ButtonEvent]:
        if not self._known:
            return super()._look(now_s)
        self._look_s = now_s + LOOK_S
        return [found for pin in self._pins for found in pin.settle(now_s)]


class StillUp(Contact):
    """Takes a board that is gone for one with nothing pressed."""

    def forget(self) -> None:
        self._down = False


class BoardMatters(PinButtons):
    """Begins anew when the board comes back, with everything up."""

    def take(self, event: LinkEvent) -> list[ButtonEvent]:
        if isinstance(event, LinkUp):
            for pin in self._pins:
                pin.down = pin.contact._down = False
        return []


class NamesAgain(Contact):
    """Says each time that it sticks."""

    def tick(self, now_s: float) -> list[ButtonEvent]:
        self._named = False
        return super().tick(now_s)


class NeverNames(Contact):
    """Bears it."""

    def tick(self, now_s: float) -> list[ButtonEvent]:
        super().tick(now_s)
        return []


class StaysIn(Contact):
    """Counts on after it stuck."""

    def see(self, down: bool, at_s: float) -> list[ButtonEvent]:
        self._left_out = False
        return super().see(down, at_s)


class GivenUp(Contact):
    """Is left out for ever once it stuck."""

    def see(self, down: bool, at_s: float) -> list[ButtonEvent]:
        left_out = self._left_out
        found = super().see(down, at_s)
        self._left_out = left_out
        return [] if left_out else found


def exclusive() -> Callable[[Button], Contact]:
    """Contacts that count only while no other is down."""
    all_of_them: list[Contact] = []

    class Exclusive(Contact):
        def see(self, down: bool, at_s: float) -> list[ButtonEvent]:
            found = super().see(down, at_s)
            return [] if any(each._down for each in all_of_them if each is not self) else found

    def make(button: Button) -> Contact:
        all_of_them.append(Exclusive(button))
        return all_of_them[-1]

    return make


class Sluggish(Contact):
    """Takes a quick second press for bounce."""

    def see(self, down: bool, at_s: float) -> list[ButtonEvent]:
        quick = down and at_s - self._since_s < 4 * AGAIN_S
        found = super().see(down, at_s)
        return [] if quick else found


class Sampling(PinButtons):
    """Looks at the pins' levels when it wakes, and not at what their edges told."""

    def tick(self, now_s: float) -> list[ButtonEvent]:
        if self._edges.take():
            self._look_s = now_s
        return super().tick(now_s)


class OnlyStop(ChainButtons):
    """Forgets what came beside a STOP."""

    def take(self, event: LinkEvent) -> list[ButtonEvent]:
        found = super().take(event)
        if found:
            self._fresh.clear()
        return found


ALL = tuple(ON)
CHAINS = ("controller", "chain")
BAD: tuple[tuple[Made, tuple[str, ...], Promise], ...] = (
    (
        Made(EachChange),
        ("controller",),
        a_bouncing_press_counts_once,
    ),  # the Pi's chain scans too slowly for bounce
    (Made(pins=EachEdge), ("pins",), a_bouncing_press_counts_once),
    (Made(Repeating), ALL, a_held_button_counts_once),
    (Made(OnRelease), ALL, a_press_counts_while_it_is_held),
    (Made(FirstCounts), ALL, down_at_the_beginning_is_no_press),
    (Made(chain=OnlyEdges), CHAINS, a_press_without_an_edge_counts),
    (Made(pins=NeverLooks), ("pins",), a_press_without_an_edge_counts),
    (Made(StillUp), CHAINS, link_loss_and_return_press_nothing),
    (Made(pins=BoardMatters), ("pins",), link_loss_and_return_press_nothing),
    (Made(StillUp), CHAINS, pressed_while_the_link_is_gone_and_held_is_no_press),
    (Made(NamesAgain), ALL, a_stuck_button_is_named_once),
    (Made(NeverNames), ALL, a_stuck_button_is_named_once),
    (Made(StaysIn), ALL, a_button_that_stuck_is_left_out_until_it_is_well),
    (Made(GivenUp), ALL, a_button_that_stuck_is_left_out_until_it_is_well),
    (Made(contact=exclusive()), ALL, two_at_once_both_count),
    (Made(Sluggish), ALL, quick_presses_all_count),
    (Made(pins=Sampling), ("pins",), a_press_is_not_lost_by_a_busy_computer),
    (Made(chain=OnlyStop), ("controller",), a_press_is_not_lost_by_a_busy_computer),
)


def maker(name: str, made: Made | None = None) -> Make:
    def make(*, down: tuple[Button, ...] = (), seed: int = 1) -> Rig:
        return Rig(name, made or Made(), down=down, seed=seed)

    return make


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("promise", PROMISES, ids=lambda promise: promise.__name__)
def test_the_buttons_keep_the_promise(promise: Promise, name: str) -> None:
    if (promise, name) not in NOT_PROMISED:
        promise(maker(name))


@pytest.mark.parametrize(
    ("made", "name", "promise"),
    [
        pytest.param(made, name, promise, id=f"{promise.__name__} on {name} {number}")
        for number, (made, names, promise) in enumerate(BAD)
        for name in names
    ],
)
def test_bad_buttons_break_the_promise(made: Made, name: str, promise: Promise) -> None:
    with pytest.raises(AssertionError):
        promise(maker(name, made))


def test_every_promise_has_a_bad_variant_on_every_back_end() -> None:
    broken = {(promise, name) for _, names, promise in BAD for name in names}
    missing = {(promise, name) for promise in PROMISES for name in ALL} - broken - NOT_PROMISED
    assert missing == {(a_bouncing_press_counts_once, "chain")}


# ---- what only one of them can -------------------------------------------------------------------------


class Pins:
    """Pins that fail when they are told to."""

    waiting = False
    why = ""

    def take(self) -> list[Edge]:
        return []

    def read(self) -> int:
        if self.why:
            raise Unreadable(self.why)
        return 1


def test_pins_that_cannot_be_read_are_named_once_and_press_nothing() -> None:
    pins = Pins()
    buttons = PinButtons(pins, [STOP])
    assert buttons.tick(0.0) == []
    pins.why = "their pins cannot be read (gone)"
    said = [event for step in range(20) for event in buttons.tick(1.0 + step)]
    assert [event.say for event in said if isinstance(event, Unusable)] == [
        "The buttons cannot be used: their pins cannot be read (gone)."
    ]
    assert len(said) == 1
    pins.why = ""
    assert [event for step in range(20) for event in buttons.tick(30.0 + step)] == []


def test_buttons_of_several_kinds_are_one() -> None:
    chain = ChainButtons({3: STOP, 9: YES})
    both = AllButtons([chain, PinButtons(Pins(), [NEXT])])
    assert both.inputs == 10
    assert both.tick(0.0) == []
    both.take(PictureSeen(1.0, bytes(10), True, ()))
    assert both.take(EdgeSeen(2.0, 3, 1)) == [Pressed(2.0, STOP)]
    assert both.tick(19.0) == []
    assert both.due_s() <= 20.0
    (stuck,) = both.tick(21.0)  # down since it was first seen
    assert isinstance(stuck, Unusable)
    assert "NEXT" in stuck.say


def test_all_three_in_one_scan_are_the_chain_and_only_stop_counts() -> None:
    """The chain's supply is gone: every input reads closed, in edges one after the other, or in a picture."""
    by_edges: list[LinkEvent] = [EdgeSeen(2.0, number, 1) for number in (56, 57, 58)]
    by_picture: list[LinkEvent] = [PictureSeen(2.0, bytes([0] * 56 + [1] * 3), True, ())]
    for told in (by_edges, by_picture):
        chain = ChainButtons({56: NEXT, 57: YES, 58: STOP})
        chain.take(PictureSeen(1.0, bytes(59), True, ()))
        found: list[ButtonEvent] = []
        for step, event in enumerate(told):
            found += chain.take(event)
            found += chain.tick(2.03 + step * 0.001)  # the first of many edges, and they took their time
        found += chain.tick(4.0)
        assert found == [Pressed(2.0, STOP)]


def test_two_in_one_scan_both_count() -> None:
    for first, second in ((56, 57), (57, 58), (56, 58)):
        chain = ChainButtons({56: NEXT, 57: YES, 58: STOP})
        chain.take(PictureSeen(1.0, bytes(59), True, ()))
        found = chain.take(EdgeSeen(2.0, first, 1)) + chain.take(EdgeSeen(2.0, second, 1)) + chain.tick(2.001)
        assert chain.due_s() <= 2.001 + HOLD_S
        found += chain.tick(2.001 + HOLD_S)
        assert {each.button for each in found if isinstance(each, Pressed)} == {
            list(Button)[number - 56] for number in (first, second)
        }
        assert len(found) == 2


def test_a_picture_of_a_shorter_chain_says_nothing_of_the_buttons() -> None:
    chain = ChainButtons({8: YES})
    assert chain.take(PictureSeen(1.0, bytes(8), True, ())) == []
    assert chain.take(PictureSeen(2.0, bytes([1] * 8), False, ())) == []
