"""Bench: the project's figures, measured on this machine, each beside its target. A report comes out.

Nothing is measured by tests, whose machines are busy; nothing here is estimated: what cannot be measured on a
machine says so. Each group is one function that gives its figures.
"""

from __future__ import annotations

import json
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import click

from referee import events as e
from rules.balanx.layout import layout_named
from rules.games import NAMES, game_named
from sim.deeds import Manner

from .benches.emulated import measure_emulated
from .benches.figures import Figure, machine, quantile, table_text
from .benches.games import (
    measure_banks_moves,
    measure_engines,
    measure_fourhigh_perft,
    measure_levels,
    measure_strength,
)
from .benches.headless import measure_headless
from .benches.processes import headless_seconds, served_page
from .benches.rates import beside_chess, python_chess
from .benches.recognition import measure_recognition
from .config import parse_board
from .games import AnyLine
from .journal import Journal
from .players import Player, choose, parse_player
from .simulated.headless import HeadlessGame

PERFT_DEPTH = 5
CHAIN_TURNS = 120
VERDICT_TURNS = 150
MEMORY = Path("/dev/shm")


def run_bench(as_json: bool, only: tuple[str, ...]) -> None:
    """Measure the groups `only` (all but those on request where none is given) and print them.

    Raises click.BadParameter.
    """
    every = GROUPS | ON_REQUEST
    for name in only:
        if name not in every:
            raise click.BadParameter(f"{name!r} is none of {', '.join(every)}", param_hint="'--only'")
    found: list[Figure] = []
    for name, measure in every.items():
        if name in only or (not only and name in GROUPS):
            click.echo(f"measuring {name} ...", err=True)
            found += measure()
    if as_json:
        click.echo(
            json.dumps({"machine": machine(), "figures": [figure.row() for figure in found]}, indent=1)
        )
    else:
        click.echo(table_text(found))


# ---- rules -------------------------------------------------------------------------------------------------


def measure_perft() -> list[Figure]:
    """Leaves a second of both rules cores, in the same run."""
    game = game_named("balanx", layout_named("classic"))
    speed, other = beside_chess(partial(game.perft, game.start(), PERFT_DEPTH))
    found = [Figure("perft", "classic start, depth 5, median of 5", speed / 1e6, "million leaves/s")]
    if other is None:
        return [
            *found,
            Figure(
                "perft_ratio", "against python-chess", None, "times", 4.0, "min", "chess is not installed"
            ),
        ]
    return [
        *found,
        Figure(
            "perft_chess",
            f"python-chess {python_chess().__version__}, depth 4",
            other / 1e6,
            "million leaves/s",
        ),
        Figure("perft_ratio", "against python-chess", speed / other, "times", 4.0, "min"),
    ]


# ---- the whole chain ---------------------------------------------------------------------------------------


@dataclass(slots=True)
class ChainRun:
    """One game over the whole chain. cpu_s: processor time without thinking; calls_ms: pipeline calls with events."""

    turns: int
    simulated_s: float
    cpu_s: float
    calls_ms: list[float]
    verdicts_ms: list[float]


def run_chain(
    turns: int, *, pty: bool = False, seed: int = 1, board_text: str = "", manner: Manner = Manner.MEDIAN
) -> ChainRun:
    """Play `turns` turns of two random players; no client looks, the journal lies in memory-backed storage."""
    thinking_s = 0.0

    def think(player: Player, line: AnyLine, number: int) -> str:
        nonlocal thinking_s
        began = time.process_time()
        move = choose(player, line, number)
        thinking_s += time.process_time() - began
        return move

    verdicts: list[float] = []

    def look(event: e.GameEvent) -> None:
        if isinstance(event, e.MoveProvisional):
            # The table is read as the event is said: nothing has moved since.
            verdicts.append((event.at_s - game.table.last_motion_s) * 1000)

    with _scratch() as folder:
        players = [parse_player("random")] * 2
        board = parse_board(board_text, "the bench's board")
        game = HeadlessGame(
            board,
            players,
            seed=seed,
            journal=Journal(folder / "game.journal"),
            max_turns=turns,
            pty=pty,
            manner=manner,
            repetition=False,
            think=think,
            say=look,
        )
        calls = _watch(game)
        began = time.process_time()
        game.play()
        cpu_s = time.process_time() - began - thinking_s
    return ChainRun(game.turns, game.lockstep.now_s, cpu_s, calls, verdicts)


def _watch(game: HeadlessGame) -> list[float]:
    """Time every call of the pipeline that leads to events, in ms of the wall. The clock reads are the chain's cost."""
    pipeline, calls = game.lockstep.pipeline, []
    for name in ("receive", "tick"):
        work = getattr(pipeline, name)

        def timed(*arguments: Any, work: Callable[..., list[e.GameEvent]] = work) -> list[e.GameEvent]:
            began = time.perf_counter()
            events = work(*arguments)
            if events:
                calls.append((time.perf_counter() - began) * 1000)
            return events

        setattr(pipeline, name, timed)
    return calls


@contextmanager
def _scratch() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(
        prefix="balanx-bench-", dir=MEMORY if MEMORY.is_dir() else None
    ) as folder:
        yield Path(folder)


def measure_chain() -> list[Figure]:
    """Processor time of physics, bytes, daemon and journal against the time that passes on the table."""
    found = []
    for name, pty, target in (("chain_pipe", False, 300.0), ("chain_pty", True, 200.0)):
        runs = [run_chain(CHAIN_TURNS, pty=pty, seed=seed) for seed in (1, 2, 3)]
        run = sorted(runs, key=lambda run: run.simulated_s / run.cpu_s)[1]
        note = f"{run.turns} turns, {run.simulated_s:.0f} s on the table; median of 3 games"
        wire = "pseudo-terminal" if pty else "memory pipe"
        found += [
            Figure(
                name,
                f"whole chain over the {wire}",
                run.simulated_s / run.cpu_s,
                "x real time",
                target,
                "min",
                note,
            ),
            Figure(
                f"{name}_turn", "processor time a turn", run.cpu_s / run.turns * 1000, "ms", 15.0, "max", note
            ),
        ]
    return found


def measure_processing() -> list[Figure]:
    """From the last byte, or the moment the rest timer falls due, to the events: the pipeline's calls that give any."""
    run = run_chain(CHAIN_TURNS, pty=True, seed=4)
    note = f"{len(run.calls_ms)} calls that gave events, median {statistics.median(run.calls_ms):.2f} ms"
    return [
        Figure(
            "processing",
            "last byte or rest timer to the event, p99",
            quantile(run.calls_ms, 0.99),
            "ms",
            5.0,
            "max",
            note,
        )
    ]


def measure_verdict() -> list[Figure]:
    """From the simulator's own last motion to the provisional move, in time of the table; hands as people are."""
    found = []
    for sensor in ("presence", "colour"):
        for name, flicker, target in (("calm", "false", 250.0), ("flicker", "true", 400.0)):
            text = f'[board]\nsensor = "{sensor}"\n[sim.hand]\nflicker = {flicker}\n'
            times: list[float] = []
            for seed in (1, 2):
                times += run_chain(
                    VERDICT_TURNS, seed=seed, board_text=text, manner=Manner.RANDOM
                ).verdicts_ms
            found.append(
                Figure(
                    f"verdict_{sensor}_{name}",
                    f"last motion to verdict, {sensor} sensors, hands {'with' if name == 'flicker' else 'without'} "
                    "flicker, p95",
                    quantile(times, 0.95),
                    "ms",
                    target,
                    "max",
                    f"{len(times)} verdicts, median {statistics.median(times):.0f} ms",
                )
            )
    return found


# ---- whole processes ---------------------------------------------------------------------------------------


def measure_match() -> list[Figure]:
    """A whole game of two engines as a person would start it."""
    seconds, turns = headless_seconds("engine:2", "engine:1", seed=1)
    return [
        Figure(
            "match",
            "engine:2 against engine:1, headless, seed 1",
            seconds,
            "s",
            60.0,
            "max",
            f"{turns} turns",
        )
    ]


def measure_daemon() -> list[Figure]:
    """`balanx play` from the command to the page, and what it costs when nothing happens."""
    with _scratch() as folder:
        seen = served_page(folder)
    note = "a person to move, no page open"
    thinker = "not started yet" if seen.children_mb == 0 else f"children {seen.children_mb:.0f} MB more"
    return [
        Figure(
            "start", "command to the served page, median of 5", seen.start_s, "s", 2.0, "max", seen.starts
        ),
        Figure(
            "idle_cpu",
            f"idle daemon, over {seen.watched_s:.0f} s",
            seen.cpu_percent,
            "% of a core",
            2.0,
            "max",
            note,
        ),
        Figure(
            "idle_memory", "idle daemon, resident", seen.daemon_mb, "MB", 80.0, "max", f"thinker: {thinker}"
        ),
    ]


GROUPS: dict[str, Callable[[], list[Figure]]] = {
    "perft": measure_perft,
    "chain": measure_chain,
    "processing": measure_processing,
    "verdict": measure_verdict,
    "match": measure_match,
    "daemon": measure_daemon,
    "emulated": measure_emulated,
    "banks-moves": measure_banks_moves,
    "fourhigh-perft": measure_fourhigh_perft,
    "engines": measure_engines,
    "recognition": measure_recognition,
    "headless": measure_headless,
}

ON_REQUEST: dict[str, Callable[[], list[Figure]]] = {
    f"{kind}-{name}": partial(measure, name)
    for kind, measure in (("strength", measure_strength), ("levels", measure_levels))
    for name in NAMES
}
"""Matches of an hour or so: measured where they are asked for."""
