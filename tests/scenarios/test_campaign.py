"""Random faults over random games, judged by the independent checker; and health that blames nothing that is well."""

from collections import Counter
from pathlib import Path

import pytest
from campaign.games import MACHINES, campaign_game

from balanxd.config import BoardConfig, parse_board
from balanxd.journal import Journal
from balanxd.simulated.headless import HeadlessGame
from hardware.faults import FaultName
from referee import events as e
from sim.deeds import Manner

SEEDS = range(1, 7)


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
