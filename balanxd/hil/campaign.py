"""A plan of checks and games on a bench; a run with an outcome for each. Every way out leaves both boards safe."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from balanxd.config import BoardConfig
from balanxd.errors import BalanxError
from balanxd.journal import Journal
from balanxd.players import parse_player
from balanxd.simulated.build import model_of, set_up
from balanxd.simulated.headless import HeadlessGame
from firmware_bridge.errors import BridgeError
from firmware_bridge.messages import DisableTilt, Feature
from hardware.faults import FaultName
from referee import events as e
from sim.faults import Flickering, SimFault, StuckOff
from sim.table import Table

from .bench import Bench
from .checks import CHECKS, Check
from .outcomes import CheckFailed, Figure, Finding, Missing, Outcome, RigFailed, Run
from .world import on_bench

GAME_TURNS = 12
RAW_SHOWN = 120


@dataclass(frozen=True, slots=True)
class Game:
    """A game to be played against the controller under test. expects: what the daemon must name in it."""

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


@dataclass(slots=True)
class Campaign:
    """One run on one bench. said: told each finding as it is made. inner_s: the rig's time that a check may take."""

    bench: Bench
    board: BoardConfig
    run: Run
    seed: int
    expected_build: int | None = None
    said: Callable[[Finding], None] = lambda finding: None
    only: Sequence[str] = ()
    _rig_broken: str = field(default="", init=False)

    def execute(self, checks: Sequence[Check] | None = None, games: Sequence[Game] = GAMES) -> Run:
        """Run the plan. Never raises for what a board does: it becomes an outcome."""
        planned = [check for check in (CHECKS if checks is None else checks) if self._wanted(check.name)]
        self.run.findings += [Finding(check.name, check.promise) for check in planned]
        played = [game for game in games if self._wanted(game.name)]
        self.run.findings += [Finding(game.name, game.promise) for game in played]
        findings = {finding.name: finding for finding in self.run.findings}
        try:
            self._begin()
            for check in planned:
                self._check(check, findings[check.name])
            for game in played:
                self._try(findings[game.name], lambda finding, game=game: self._play(game, finding))  # type: ignore[misc]
        except RigFailed as failed:
            self._rig_broken = str(failed)
            for finding in self.run.findings:
                if finding.outcome is Outcome.NOT_RUN:
                    finding.outcome, finding.why = Outcome.RIG, self._rig_broken
                    self.said(finding)
        finally:
            self.make_safe()
        return self.run

    def make_safe(self) -> None:
        """Servo off, lines at rest; the controller would end its signal by itself after a second too."""
        self.bench.through = None
        with contextlib.suppress(CheckFailed, RigFailed, BridgeError, BalanxError):
            self.bench.command(DisableTilt())
        with contextlib.suppress(RigFailed, BridgeError, BalanxError):
            self.bench.release()

    def _wanted(self, name: str) -> bool:
        return not self.only or name in self.only

    def _begin(self) -> None:
        """Who is there, and that it is the image that is meant: a green run of another one is worth nothing."""
        stimulus = self.bench.begin()
        self.run.identity["stimulus build"] = f"{stimulus.build_id:08x}"
        try:
            self.bench.reset()
            hello = self.bench.greet()
        except CheckFailed as failed:
            raise RigFailed(f"the controller does not answer: {failed}") from failed
        self.run.identity["controller build"] = f"{hello.build_id:08x}"
        self.run.identity["controller"] = (
            f"{hello.product} {hello.board_kind}, firmware {'.'.join(map(str, hello.firmware))}, "
            f"protocol {hello.major}.{hello.minor}, {hello.cells} inputs, boot {hello.boot}"
        )
        if self.expected_build is not None and hello.build_id != self.expected_build:
            raise RigFailed(
                f"the controller runs build {hello.build_id:08x}, not {self.expected_build:08x}: flash it first"
            )

    def _check(self, check: Check, finding: Finding) -> None:
        hello = self.bench.hello
        missing = check.needs & ~Feature(hello.features if hello else 0)
        if missing:
            finding.outcome, finding.why = Outcome.SKIP, f"the board has no {_names(missing)}"
            self.said(finding)
            return

        def once(finding: Finding) -> None:
            self.bench.alive = self.bench.acknowledges = True
            self.bench.forget()
            self.bench.release()
            check.run(self.bench, finding.figures.append)
            _within(finding.figures)

        self._try(finding, once)
        if check.of_rig and finding.outcome is Outcome.FAIL:
            finding.outcome = Outcome.RIG
        if finding.outcome is Outcome.RIG:
            raise RigFailed(finding.why)

    def _try(self, finding: Finding, once: Callable[[Finding], None]) -> None:
        """Once, and once more after a failure that is no figure: both results are kept."""
        finding.at_s = self.bench.now_s
        for last in (False, True):
            finding.figures.clear()
            try:
                once(finding)
                finding.outcome, finding.why = Outcome.PASS, ""
            except CheckFailed as failed:
                finding.outcome, finding.why = Outcome.FAIL, str(failed)
                finding.raw = list(self.bench.raw)[-RAW_SHOWN:]
            except Missing as missing:
                finding.outcome, finding.why = Outcome.SKIP, str(missing)
            except RigFailed as failed:
                finding.outcome, finding.why = Outcome.RIG, str(failed)
                finding.raw = list(self.bench.raw)[-RAW_SHOWN:]
            measured = any(not figure.good for figure in finding.figures)
            if last or finding.outcome is not Outcome.FAIL or measured:
                break
            finding.tries.append(f"{finding.outcome.value}: {finding.why}")
        finding.lasted_s = self.bench.now_s - finding.at_s
        self.said(finding)
        if finding.outcome is Outcome.RIG:
            raise RigFailed(finding.why)

    def _play(self, game: Game, finding: Finding) -> None:
        """A whole game through the daemon; afterwards the table's own marbles say whether it was right."""
        bench = self.bench
        bench.reset()
        bench.settle(1.1)
        table = Table(
            self.board.layout,
            seed=self.seed,
            model=model_of(self.board),
            start_s=bench.now_s,
            controller=on_bench(bench),
        )
        began_s = bench.now_s
        named: set[str] = set()
        set_up(table, self.board)
        for fault in game.faults:
            table.faults.plan(_later(fault, began_s))
        player = parse_player("random")
        with tempfile.TemporaryDirectory(prefix="balanx-hil-") as folder:
            played = HeadlessGame(
                self.board,
                (player, player),
                seed=self.seed,
                journal=Journal(Path(folder) / "hil.journal"),
                max_turns=game.turns,
                table=table,
                say=lambda event: _note_fault(event, named),
            )
            try:
                played.play()
                line = played.session.line
                record = played.record()
            except BalanxError as stalled:
                raise CheckFailed(str(stalled)) from stalled
            finally:
                table.close()
        # The last turn is taken before the board turns to the next player: compared as if no side were down.
        owners = {view.cell: view.seat + 1 for view in table.marbles() if view.cell is not None}
        lying = line.game.level(bytes(owners.get(cell, 0) for cell in range(line.game.cells)), None)
        told = line.game.level(line.game.picture(line.position, "colour"), None)
        wrong = [
            name
            for name, there, wanted in zip(self.board.layout.cell_names, lying, told, strict=True)
            if there != wanted
        ]
        finding.notes.append(
            f"{played.turns} turns in {bench.now_s - began_s:.1f} s, named: {sorted(named) or 'nothing'}"
        )
        finding.notes.append(" ".join(record.text().split("\n")[-2:])[:400])
        if wrong:
            raise CheckFailed(f"journal and marbles differ at {', '.join(wrong)}")
        if played.turns < game.turns:
            raise CheckFailed(f"{played.turns} of {game.turns} turns were played")
        missing = [fault for fault in game.expects if fault not in named]
        if missing:
            raise CheckFailed(f"not named: {', '.join(missing)}")
        if not game.expects and named:
            raise CheckFailed(f"a healthy board was blamed: {', '.join(sorted(named))}")


def _within(figures: Sequence[Figure]) -> None:
    for figure in figures:
        if not figure.good:
            raise CheckFailed(figure.text())


def _names(features: Feature) -> str:
    return " nor ".join(str(each.name).lower().replace("_", " ") for each in Feature if each & features)


def _later(fault: SimFault, by_s: float) -> SimFault:
    from dataclasses import replace

    return replace(fault, from_s=fault.from_s + by_s)


def _note_fault(event: e.GameEvent, named: set[str]) -> None:
    name = getattr(event, "fault", "")
    if name:
        named.add(str(name))
