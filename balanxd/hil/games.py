"""A game on a bench: the table is simulated, the controller under test is not, and the daemon plays between them."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from balanxd.config import BoardConfig
from balanxd.journal import Journal
from balanxd.players import parse_player
from balanxd.simulated.build import build_table
from balanxd.simulated.headless import HeadlessGame, Stalled
from hardware.faults import FaultName
from referee import events as e
from sim.faults import Flickering, SimFault, StuckOff

from .bench import Bench
from .checks import MOTION, Check
from .outcomes import CheckFailed
from .world import on_bench

GAME_TURNS = 12
LIMIT_S = 300.0


@dataclass(frozen=True, slots=True)
class Game:
    """A game to be played against the controller under test. expects: what the daemon must name in it, if anything.

    faults: their times count from the game's start.
    """

    name: str
    promise: str
    turns: int = GAME_TURNS
    faults: tuple[SimFault, ...] = ()
    expects: tuple[FaultName, ...] = ()


GAMES = (
    Game(
        "whole_game",
        "A game with hands, rolling marbles and bouncing contacts is followed turn by turn to the same marbles.",
    ),
    Game(
        "game_with_a_dead_sensor",
        "A sensor that goes blind in a game is named, and the game goes on.",
        faults=(StuckOff(space="c2", from_s=12.0),),
        expects=(FaultName.STUCK_OFF,),
    ),
    Game(
        "game_with_a_flickering_sensor",
        "A sensor that flickers in a game is named, and the game goes on.",
        faults=(Flickering(space="d4", from_s=12.0),),
        expects=(FaultName.FLICKERING,),
    ),
)


def check_of(game: Game, board: BoardConfig, seed: int) -> Check:
    """The game as a check."""
    return Check(game.name, game.promise, partial(play, game, board, seed), needs=MOTION, limit_s=LIMIT_S)


def play(game: Game, board: BoardConfig, seed: int, bench: Bench) -> None:
    """A whole game through the daemon; afterwards the table's own marbles say whether it was right."""
    bench.settle(1.1)
    began_s = bench.now_s
    table = build_table(board, seed, start_s=began_s, controller=on_bench(bench))
    for fault in game.faults:
        table.faults.plan(replace(fault, from_s=fault.from_s + began_s))
    named: set[str] = set()

    def note(event: e.GameEvent) -> None:
        if isinstance(event, e.OutOfStep | e.SensorNamed | e.Fault) and event.fault is not None:
            named.add(event.fault)

    with tempfile.TemporaryDirectory(prefix="balanx-hil-") as folder:
        played = HeadlessGame(
            board,
            [parse_player("random")] * 2,
            seed=seed,
            journal=Journal(Path(folder) / "hil.journal"),
            max_turns=game.turns,
            table=table,
            say=note,
        )
        try:
            played.play()
        except Stalled as stalled:
            raise CheckFailed(str(stalled)) from stalled
        record = played.record()
    bench.notes.append(
        f"{played.turns} turns in {bench.now_s - began_s:.1f} s, named: {', '.join(sorted(named)) or 'nothing'}"
    )
    bench.notes.append(" ".join(record.text().split("\n")[-2:])[:400])
    line = played.session.line
    # The last turn is taken before the board turns to the next player: compared as if no side were down.
    owners = {view.cell: view.seat + 1 for view in table.marbles() if view.cell is not None}
    lying = line.game.level(bytes(owners.get(cell, 0) for cell in range(line.game.cells)), None)
    told = line.game.level(line.game.picture(line.position, "colour"), None)
    names = zip(board.layout.cell_names, lying, told, strict=True)
    if wrong := [name for name, there, wanted in names if there != wanted]:
        raise CheckFailed(f"journal and marbles differ at {', '.join(wrong)}")
    if played.turns < game.turns:
        raise CheckFailed(f"{played.turns} of {game.turns} turns were played")
    if missing := [fault for fault in game.expects if fault not in named]:
        raise CheckFailed(f"not named: {', '.join(missing)}")
    if named and not game.expects:
        raise CheckFailed(f"a healthy board was blamed: {', '.join(sorted(named))}")
