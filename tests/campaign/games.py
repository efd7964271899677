"""A kind of fault and a seed in; one game with that fault, a person beside it and the checker after it, out."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from checker import check_trace
from stories.helped import HelpedGame

from balanxd.config import parse_board
from balanxd.journal import Journal
from balanxd.players import parse_player
from balanxd.trace import Trace, trace_header
from hardware.faults import FaultName
from referee import events as e
from sim.deeds import Manner
from sim.faults import AtSpace, DeadChain, SimFault, Swapped
from sim.table import Table

from .truth import could_show

MACHINES = [parse_player("random")] * 2
TURNS = 14
SPACES = [f"{file}{rank}" for rank in range(1, 9) for file in "abcdefg"]


def random_fault(kind: FaultName, rng: random.Random) -> str:
    """One fault of a kind, as a board file tells it, from some time in the first turns on."""
    space, other = rng.sample(SPACES, 2)
    beside = f"{chr(ord(space[0]) + (1 if space[0] < 'g' else -1))}{space[1]}"
    more = {
        FaultName.SWAPPED: f'space = "{space}"\nother = "{other}"',
        FaultName.DEAD_CHAIN: f"input = {rng.choice([32, 40, 48])}",
        FaultName.CROSSTALK: f'space = "{space}"\nneighbour = "{beside}"',
        FaultName.FLICKERING: f'space = "{space}"\nhz = {rng.uniform(1.5, 40):.1f}',
        FaultName.MARBLE_STUCK: f'space = "{space}"\nmotions = 2',
        FaultName.TILT_SHORT: f"share = {rng.uniform(0.2, 0.6):.2f}",
        FaultName.SERVO_LATE: f"factor = {rng.uniform(2.5, 5):.1f}",
        FaultName.END_NEVER: f"seat = {rng.randrange(2)}",
        FaultName.END_ALWAYS: f"seat = {rng.randrange(2)}",
        FaultName.BYTES_LOST: f"share = {rng.uniform(0.002, 0.015):.4f}",
        FaultName.BYTES_FLIPPED: f"share = {rng.uniform(0.002, 0.015):.4f}",
        FaultName.CONTROLLER_RESET: "every_s = 20\nchance = 0.5",
        FaultName.BROWN_OUT: "chance = 0.3",
        FaultName.STALLED: "",
        FaultName.WRONG_WAY: "",
    }.get(kind, f'space = "{space}"')
    return f'[[sim.fault]]\nkind = "{kind}"\nfrom_s = {rng.uniform(1, 25):.1f}\n{more}\n'


@dataclass(frozen=True)
class Told:
    """What came of one game. shows: the fault could be seen, by the marbles alone; named: in the order said.

    elsewhere: the fault's name was said of another space.
    """

    kind: FaultName
    shows: bool
    ended: bool
    turns: int
    helped: int
    named: tuple[FaultName, ...]
    elsewhere: bool
    wrong: tuple[str, ...]

    @property
    def right(self) -> bool:
        """The fault was said by its name, and never of another space."""
        return self.kind in self.named and not self.elsewhere

    @property
    def others(self) -> tuple[str, ...]:
        """Other names that were said, each once; its own name where it was said of another space."""
        others = tuple(name for name in dict.fromkeys(self.named) if name is not self.kind)
        return (*others, f"{self.kind} elsewhere") if self.elsewhere else others


def campaign_game(
    kind: FaultName, seed: int, folder: Path, say: Callable[[e.GameEvent], None] = lambda event: None
) -> Told:
    """One game with one fault, a person beside it, and the checker after it. say: told every event."""
    board = parse_board(random_fault(kind, random.Random(f"{seed} {kind}")), f"{kind} {seed}")
    trace = Trace(folder, trace_header(board, MACHINES, seed, "????.??.??", TURNS))
    said_of: list[frozenset[str]] = []

    def follow(event: e.GameEvent) -> None:
        if isinstance(event, e.SensorNamed) and event.fault is kind:
            said_of.append(frozenset((event.cell, *event.also)))
        say(event)

    game = HelpedGame(
        board,
        MACHINES,
        seed=seed,
        journal=Journal(folder / "game.journal"),
        max_turns=TURNS,
        manner=Manner.RANDOM,
        trace=trace,
        say=follow,
    )
    table = game.table
    assert isinstance(table, Table)
    (fault,) = table.faults.planned
    boots = table.controller.boot
    ended = game.play()
    (folder / "game.journal").touch()  # a game that never began has written none
    return Told(
        kind,
        could_show(fault, folder, table.controller.boot - boots),
        ended,
        game.turns,
        game.helped,
        tuple(game.named),
        any(not _spaces(fault) <= spaces for spaces in said_of),
        tuple(check_trace(folder).wrong),
    )


def _spaces(fault: SimFault) -> frozenset[str]:
    """The spaces whose sensors a fault is about, as far as they must be named for it."""
    match fault:
        case Swapped(space=space, other=other):
            return frozenset((space, other))
        case DeadChain(input=first):
            return frozenset(SPACES[first:])  # wired as its cells are numbered
        case AtSpace(space=space):
            return frozenset((space,))
        case _:
            return frozenset()
