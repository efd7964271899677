"""Random faults over random games, judged by the independent checker; and health that blames nothing that is well."""

import random
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest
from checker import check_trace
from stories.helped import HelpedGame

from balanxd.config import BoardConfig, parse_board
from balanxd.journal import Journal
from balanxd.players import parse_player
from balanxd.simulated.headless import HeadlessGame
from balanxd.trace import Trace, trace_header
from hardware.faults import FaultName
from referee import events as e
from sim.deeds import Manner

MACHINES = [parse_player("random")] * 2
TURNS = 14
SPACES = [f"{file}{rank}" for rank in range(1, 9) for file in "abcdefg"]
SEEDS = range(1, 7)


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
    """What came of one game."""

    kind: FaultName
    ended: bool
    turns: int
    helped: int
    named: tuple[FaultName, ...]
    wrong: tuple[str, ...]


def campaign_game(kind: FaultName, seed: int, folder: Path) -> Told:
    """One game with one fault, a person beside it, and the checker after it."""
    rng = random.Random(f"{seed} {kind}")
    board = parse_board(random_fault(kind, rng), f"{kind} {seed}")
    trace = Trace(folder, trace_header(board, MACHINES, seed, "????.??.??", TURNS))
    game = HelpedGame(
        board,
        MACHINES,
        seed=seed,
        journal=Journal(folder / "game.journal"),
        max_turns=TURNS,
        manner=Manner.RANDOM,
        trace=trace,
    )
    ended = game.play()
    wrong = tuple(check_trace(folder).wrong)
    return Told(kind, ended, game.turns, game.helped, tuple(game.named), wrong)


@pytest.mark.parametrize("kind", FaultName)
def test_a_game_with_a_fault_goes_on_and_its_journal_is_what_lies_on_the_board(
    kind: FaultName, tmp_path: Path
) -> None:
    told = campaign_game(kind, 1, tmp_path)
    assert told.wrong == ()
    assert told.ended, told


@pytest.mark.parametrize("text", ["", '[board]\nsensor = "colour"\n', '[tilt]\ndrive = "manual"\n'])
def test_nothing_is_blamed_on_a_healthy_board(text: str, tmp_path: Path) -> None:
    """People's hands, bounce, spikes and margins as they are: no fault, no question, no trouble."""
    assert false_alarms(parse_board(text, "a healthy board"), SEEDS, 16, tmp_path) == Counter()


def false_alarms(board: BoardConfig, seeds: range, turns: int, folder: Path) -> Counter[str]:
    """What was said of a healthy board."""
    said: Counter[str] = Counter()

    def say(event: e.GameEvent) -> None:
        if isinstance(event, e.SensorNamed | e.Fault | e.OutOfStep | e.Question | e.TiltStopped):
            said[str(event)] += 1

    for seed in seeds:
        path = folder / f"{seed}.journal"
        HeadlessGame(
            board, MACHINES, seed=seed, journal=Journal(path), max_turns=turns, manner=Manner.RANDOM, say=say
        ).play()
    return said
