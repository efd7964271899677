"""Sensors: what only the game can tell of a sensor. Pictures and prospects in, named sensors out.

A number of marbles is known, and a lone marble in a groove lies on the low side: so a reading that must be
false can be told, named once, and played on without.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import replace
from typing import Any, assert_never

from hardware.health import (
    CHECK_S,
    FAULTS,
    TOGETHER_S,
    Complaint,
    Health,
    HealthEvent,
    SensorBad,
    SensorWell,
)
from hardware.occupancy import Change, Occupancy
from hardware.rest import Resting
from rules.game import Game

from . import events as e
from .infer import Lifted, Prospects
from .motion import Motion
from .witness import Witness

INF = float("inf")

INPUTS_A_CHIP = 8
ROLL_S = 0.35  # a marble that rolls has come so soon after it left; nobody carries one so fast
ONE_SCAN_S = 0.0005
CHAIN_MARBLES = 3  # so many that go within one scan have not been lifted

COMPLAINTS = {  # {piece}: what the game calls one
    Complaint.FLICKERING: "The sensor under {} flickers.",
    Complaint.UNSURE: "The sensor under {} cannot tell what lies there: look at its wire.",
    Complaint.BLIND: "The sensor under {} does not see its {piece}.",
    Complaint.STUCK_ON: "The sensor under {} sees a {piece} where none is.",
    Complaint.OPEN: "The wire of {} looks broken: its input picks up hum.",
    Complaint.BOUNCING: "The contact under {} chatters for long after each change: it is worn.",
    Complaint.WEAK: "The sensor under {} sees its {piece} only just, or not each time: look how near it lies.",
    Complaint.CROSSTALK: "The sensor under {} sees the {piece} of {}.",
    Complaint.SWAPPED: "The sensors of {} and {} look exchanged: look at their wires.",
}


class Sensors:
    """Names sensors and trusts them again. `bad` is the set of cells to leave out.

    chain: the cells in the order of the sensor chain's inputs, None for an unused input.
    """

    def __init__(
        self,
        game: Game[Any, Any],
        emit: Callable[[e.GameEvent], None],
        chain: Sequence[int | None] = (),
    ) -> None:
        self._names, self._piece = game.cell_names, game.piece
        self._emit = emit
        self._health = Health(lambda cell, other: touching(game.cell_names, cell, other))
        self._chain: Sequence[int | None] = chain or tuple(range(game.cells))
        self._exchanged: dict[int, int] = {}
        self.due_s = INF

    @property
    def bad(self) -> Set[int]:
        """Cells named bad now."""
        return self._health.bad

    def read(self, occupancy: Occupancy) -> Occupancy:
        """What the cells read, where wires are exchanged: each for the other."""
        swap = self._exchanged
        if not swap:
            return occupancy
        readings = bytearray(occupancy.readings)
        for cell, other in swap.items():
            readings[cell] = occupancy.readings[other]
        return replace(
            occupancy,
            readings=bytes(readings),
            changes=tuple(
                change._replace(cell=swap.get(change.cell, change.cell)) for change in occupancy.changes
            ),
            flicker=tuple((swap.get(cell, cell), count) for cell, count in occupancy.flicker),
        )

    def exchange(self, cell: int, other: int, now_s: float) -> None:
        """Read two cells each for the other from now on; named, or trusted again where they were exchanged before."""
        pair = self._exchanged
        if pair.get(cell) == other:
            del pair[cell], pair[other]
            for each in (cell, other):
                self._emit(e.SensorTrusted(at_s=now_s, cell=self._names[each]))
            return
        if cell in pair or other in pair:
            # More than two wires are crossed: nothing that is worked out would be sure.
            self.name(cell, Complaint.SWAPPED, now_s, (other,))
            self.name(other, Complaint.SWAPPED, now_s, (cell,))
            return
        pair[cell], pair[other] = other, cell
        self._named(SensorBad(now_s, cell, Complaint.SWAPPED, (other,), left_out=False))

    def take(self, change: Change) -> bool:
        """Follow one change. True if it made a sensor bad."""
        return self._say(self._health.take(change))

    def count(self, occupancy: Occupancy) -> bool:
        """Follow the counts of flickers. True if they made a sensor bad."""
        said = self._health.count(occupancy.flicker, occupancy.readings, occupancy.at_s)
        return self._say(said) and any(isinstance(event, SensorBad) and event.left_out for event in said)

    def name(
        self,
        cell: int,
        complaint: Complaint,
        now_s: float,
        also: tuple[int, ...] = (),
        *,
        since_s: float = 0.0,
    ) -> None:
        """Leave a cell out from now on. since_s: see `Health.name`."""
        self._say(self._health.name(cell, complaint, now_s, also, since_s=since_s))

    def dead_chain(
        self, readings: bytes, expected: bytes, witness: Witness, now_s: float, *, set_up: bool = False
    ) -> bool:
        """Name the rest of a chain, if all its inputs show one level since one instant. True if it was named.

        A hand takes marbles one after the other; a broken chain loses them all within one scan. set_up: people lay
        marbles with both hands.
        """
        last = {change.cell: change for change in witness.changes}
        bad = self.bad
        off = [
            change for cell, change in last.items() if readings[cell] != expected[cell] and cell not in bad
        ]
        at_once = _together(off, readings, ONE_SCAN_S)
        fell = at_once if set_up else _together(off, readings, TOGETHER_S)
        # Where edges were lost a picture told of several changes, at one time for all.
        if len(fell) < CHAIN_MARBLES and (set_up or witness.lost or len(at_once) < 2):
            return False
        gone = {change.cell for change in fell}
        first = next(number for number, cell in enumerate(self._chain) if cell in gone)
        level = fell[0].reading
        if not all(self._reads(readings, number, level) for number in range(first, len(self._chain))):
            return False
        self._name_chain(first, readings, level, now_s)
        return True

    def blind_chain(self, readings: bytes, expected: bytes, now_s: float) -> bool:
        """Name the rest of a chain, where its marbles were all said to be there, and none is seen. True if named."""
        health = self._health
        blind = [
            number
            for number, cell in enumerate(self._chain)
            if cell is not None and health.complaint(cell) is Complaint.BLIND and not readings[cell]
        ]
        if len(blind) < CHAIN_MARBLES:
            return False
        cells = [cell for cell in self._chain[blind[0] :] if cell is not None]
        if any(readings[cell] or (expected[cell] and cell not in self.bad) for cell in cells):
            return False
        self._name_chain(blind[0], readings, 0, now_s)
        return True

    def _name_chain(self, first: int, readings: bytes, level: int, now_s: float) -> None:
        """Name the chain that is broken at an input or before it, where all from it on read one level."""
        # Spaces before it that read the same may be dead too; a chain breaks at a plug, which is where a chip ends.
        start = first
        while start and self._reads(readings, start - 1, level):
            start -= 1
        plug = first - first % INPUTS_A_CHIP
        start = plug if plug >= start else start
        alone = (None, Complaint.BLIND)
        cells = [
            cell
            for cell in self._chain[start:]
            if cell is not None and (cell not in self.bad or self._health.complaint(cell) in alone)
        ]
        self._say(self._health.name(cells[0], Complaint.DEAD_CHAIN, now_s, tuple(cells[1:])))

    def _reads(self, readings: bytes, number: int, level: int) -> bool:
        cell = self._chain[number]
        return cell is None or readings[cell] == level

    def check(self, resting: Resting, expected: bytes | None, now_s: float) -> bool:
        """What time alone tells. expected: the picture that is surely right, if any. True if something changed."""
        if now_s < self.due_s:
            return False
        said = self._health.unsure(resting.unsure, resting.since_s, now_s)
        if expected is not None:
            plain = frozenset(cell for cell in self.bad if resting.picture[cell] == expected[cell])
            said += self._health.recover(plain, now_s, resting.picture)
        self.due_s = INF
        self.watch(resting, now_s)
        return self._say(said)

    def watch(self, resting: Resting, now_s: float) -> None:
        """Ask to be checked while something is wrong."""
        if resting.unsure or self.bad:
            self.due_s = min(self.due_s, now_s + CHECK_S)

    def _say(self, said: list[HealthEvent]) -> bool:
        for event in said:
            self.due_s = min(self.due_s, event.at_s + CHECK_S)
            match event:
                case SensorBad():
                    self._named(event)
                case SensorWell(at_s, cell):
                    self._emit(e.SensorTrusted(at_s=at_s, cell=self._names[cell]))
                case _:
                    assert_never(event)
        return bool(said)

    def _named(self, bad: SensorBad) -> None:
        names = [self._names[cell] for cell in (bad.cell, *bad.also)]
        if bad.complaint is Complaint.DEAD_CHAIN:
            say = self._chain_broken(bad.cell, names) + " The game goes on without them."
        else:
            say = COMPLAINTS[bad.complaint].format(*names, piece=self._piece)
            if bad.left_out:
                say += " The game goes on without it."
            elif bad.complaint is Complaint.SWAPPED:
                say += " The game reads each for the other."
            else:
                say += " The game goes on with it."
        self._emit(
            e.SensorNamed(
                at_s=bad.at_s,
                cell=names[0],
                complaint=bad.complaint,
                say=say,
                fault=FAULTS[bad.complaint],
                also=tuple(names[1:]),
                left_out=bad.left_out,
            )
        )

    def _chain_broken(self, first: int, names: list[str]) -> str:
        number = self._chain.index(first)
        more = f" and {len(names) - 1} more spaces" if len(names) > 1 else ""
        chips, within = divmod(number, INPUTS_A_CHIP)
        place = f"in chip {chips + 1}" if within or not chips else f"behind chip {chips}"
        return (
            f"Nothing is seen from input {number} on ({names[0]}{more}): the sensor chain is broken {place}. "
            "Look at the plug there."
        )


def _together(off: Sequence[Change], readings: bytes, within_s: float) -> list[Change]:
    """The most changes that came within a time and read the same since."""
    fell: list[Change] = []
    for one in off:
        with_it = [
            change
            for change in off
            if 0.0 <= change.at_s - one.at_s <= within_s and readings[change.cell] == one.reading
        ]
        fell = with_it if len(with_it) > len(fell) else fell
    return fell


def false_readings(
    prospects: Prospects[Any, Any],
    picture: bytes,
    bad: Set[int],
    changes: Sequence[Change] = (),
    twins: Mapping[int, int] | None = None,
) -> list[int]:
    """Cells without whose reading everything fits, where more marbles are seen than there are.

    One alone where the position itself fits without it (of two in a groove the one on the high side); else all
    without which a move does.
    """
    if len(picture) - picture.count(0) <= prospects.total:
        return []
    suspects, sure = [], []
    real = _rolled_in(changes, twins or {})
    for cell, reading in enumerate(picture):
        if not reading or cell in bad or cell in real:
            continue
        without = _without(picture, cell)
        if prospects.matches(without, prospects.expected, bad):
            sure.append(cell)
        elif not sure and any(prospects.matches(without, wanted, bad) for wanted in prospects.moves):
            suspects.append(cell)
    # A lone marble lies on the low side of its groove: what is seen beside it on the high side is false.
    level = prospects.game.level
    high = [cell for cell in sure if (less := _without(picture, cell)) == level(less, prospects.tilt)]
    sure = high or sure
    if sure:
        return [next((change.cell for change in reversed(changes) if change.cell in sure), sure[0])]
    return suspects


def _rolled_in(changes: Sequence[Change], twins: Mapping[int, int]) -> set[int]:
    """Cells into which a marble was seen to roll from the other space of their groove: what they see is there."""
    came: dict[int, float] = {}
    left: dict[int, float] = {}
    found = set()
    for at_s, cell, reading in changes:
        twin = twins.get(cell)
        if twin is None:
            continue
        if not reading and cell in came:
            left[cell] = at_s
        elif reading:
            came[cell] = at_s
            if 0.0 < at_s - left.get(twin, -INF) < ROLL_S:
                found.add(cell)
    return found


def _without(picture: bytes, cell: int) -> bytes:
    return picture[:cell] + b"\0" + picture[cell + 1 :]


def swapped_in_place(
    prospects: Prospects[Any, Any], motion: Motion, witness: Witness, picture: bytes, bad: Set[int]
) -> tuple[int, int] | None:
    """Two cells that changed to the opposite of each other in one scan, and nothing else did: wires were exchanged.

    A hand needs longer from one space to another, and a marble to roll. Spaces that touch across a rim may be left and
    reached in one scan.
    """
    if witness.lost or len(witness.changes) != 2:
        return None
    one, two = witness.changes
    if abs(one.at_s - two.at_s) > ONE_SCAN_S or bool(one.reading) == bool(two.reading):
        return None
    left, come = (two.cell, one.cell) if one.reading else (one.cell, two.cell)
    if motion.twins.get(left) != come and (
        touching(prospects.game.cell_names, left, come)
        or prospects.off(picture, prospects.expected, bad) != ((left,), (come,))
    ):
        return None
    return left, come


def exchanged_now(
    prospects: Prospects[Any, Any],
    motion: Motion,
    witness: Witness,
    picture: bytes,
    bad: Set[int],
    *,
    set_up: bool,
) -> tuple[int, int] | None:
    """Two cells that changed to the opposite of each other in one scan, whatever else did, and explain the picture.

    Nothing else explains it: no move, no marble in a hand. set_up: only the position that is laid does.
    """
    last = {change.cell: change for change in witness.changes if change.cell not in bad}
    told = [change for cell, change in last.items() if bool(change.reading) == bool(picture[cell])]
    pairs = [
        (left.cell, come.cell)
        for left in told
        for come in told
        if not left.reading
        and come.reading
        and abs(left.at_s - come.at_s) <= ONE_SCAN_S
        and (
            motion.twins.get(left.cell) == come.cell
            or not touching(prospects.game.cell_names, left.cell, come.cell)
        )
    ]
    if not pairs or _explained(prospects, picture, bad, set_up=set_up):
        return None
    fit = [pair for pair in pairs if _explained(prospects, _swapped(picture, *pair), bad, set_up=set_up)]
    return fit[0] if len(fit) == 1 else None


def _explained(prospects: Prospects[Any, Any], picture: bytes, bad: Set[int], *, set_up: bool) -> bool:
    """Whether the position has a picture, or a move, or a marble in a hand."""
    expected = prospects.expected
    if prospects.matches(picture, expected, bad):
        return True
    if set_up:
        return False
    return any(prospects.matches(picture, wanted, bad) for wanted in prospects.moves) or any(
        prospects.matches(picture, prospects.game.level(_without(expected, cell), prospects.tilt), bad)
        for cell, reading in enumerate(expected)
        if reading
    )


def _swapped(picture: bytes, cell: int, other: int) -> bytes:
    read = bytearray(picture)
    read[cell], read[other] = picture[other], picture[cell]
    return bytes(read)


def exchange_that_fits(
    prospects: Prospects[Any, Any], picture: bytes, wanted: bytes, cells: Iterable[int], others: Iterable[int]
) -> tuple[int, int] | None:
    """The two sensors, of one list and the other, whose exchange explains a picture: as marbles lie, else rolled."""
    pairs = [(cell, other) for cell in cells for other in others if picture[cell] != picture[other]]
    fit = [pair for pair in pairs if _swapped(picture, *pair) == wanted]
    fit += [pair for pair in pairs if prospects.matches(_swapped(picture, *pair), wanted, frozenset())]
    return fit[0] if fit else None


def touching(names: Sequence[str], cell: int, other: int) -> bool:
    """Whether two spaces lie side by side, also corner to corner, by names such as `e4` and `f5`."""
    (file, rank), (other_file, other_rank) = (
        (ord(name[0]), int(name[1:])) if name[1:].isdigit() else (0, 0)
        for name in (names[cell], names[other])
    )
    return abs(file - other_file) <= 1 and abs(rank - other_rank) <= 1


def uphill(
    motion: Motion, witness: Witness, picture: bytes, level: bytes, bad: Set[int]
) -> tuple[int, int] | None:
    """A groove in which the marble went to the high side as the board tilted: its two sensors are exchanged."""
    since_s = motion.swung_s
    if since_s is None or not motion.came:
        return None
    for cell, (observed, rolled) in enumerate(zip(picture, level, strict=True)):
        twin = motion.twins.get(cell)
        if not observed or rolled or twin is None or not bad.isdisjoint((cell, twin)):
            continue
        here = [change for change in witness.changes if change.cell in (cell, twin)]
        told = [(change.cell, bool(change.reading)) for change in here]
        if told == [(twin, False), (cell, True)] and here[0].at_s >= since_s:
            return cell, twin
    return None


def jumped(motion: Motion, witness: Witness, bad: Set[int]) -> tuple[int, int] | None:
    """(where a marble that rolled should have come to lie, where one was seen instead) in the present motion.

    Faster than any hand: 0.35 s from one space to another.
    """
    since_s = motion.swung_s
    if since_s is None:
        return None
    last = {change.cell: change for change in witness.changes if change.at_s >= since_s}
    twins = motion.twins

    def went(cell: int | None, reading: int) -> bool:
        change = None if cell is None else last.get(cell)
        return change is not None and bool(change.reading) == bool(reading)

    left = [cell for cell in last if cell in twins and went(cell, 0) and not went(twins[cell], 1)]
    came = [cell for cell in last if went(cell, 1) and not went(twins.get(cell), 0)]
    if len(left) != 1 or len(came) != 1 or not bad.isdisjoint((left[0], twins[left[0]], came[0])):
        return None
    if not 0.0 < last[came[0]].at_s - last[left[0]].at_s < ROLL_S:
        return None
    goal = twins[left[0]]
    return None if came[0] in (goal, left[0]) else (goal, came[0])


def stuck_marble(
    prospects: Prospects[Any, Any], motion: Motion, picture: bytes, bad: Set[int]
) -> tuple[int, int] | None:
    """(where a marble lies, where it should have rolled); None if all have rolled, or nothing can be told."""
    if prospects.tilt is None or not motion.twins:
        return None
    level = prospects.game.level(picture, prospects.tilt)
    if level == picture:
        return None
    for cell, (observed, rolled) in enumerate(zip(picture, level, strict=True)):
        if observed and not rolled:
            goal = motion.twins[cell]
            if cell not in bad and goal not in bad:
                return cell, goal
    return None


def unseen_arrival(hand: Lifted, witness: Witness, motion: Motion, picture: bytes) -> int | None:
    """After a tilt: the cell on which one marble must lie unseen, which left its space, and no hand was near.

    A hand that lifts makes its space flicker; a marble that rolls leaves it once. Where the other one of its groove is
    seen on the high side, none has left: it lies below, on the space that reads free.
    """
    if witness.lost or hand.missing != 1 or hand.extra or len(hand.absent) != 1:
        return None
    (cell,) = hand.absent
    moved, twin = witness.cells(), motion.twins.get(cell)
    left = [change.reading for change in witness.changes if change.cell == twin].count(0)
    if left != 1 or cell in moved or not moved <= motion.twins.keys():
        return None
    return twin if picture[cell] else cell
