"""Both boards emulated and wired together: good firmware passes, bad firmware is found out, a broken rig says so."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from balanxd.config import parse_board
from balanxd.hil import rig as rigs
from balanxd.hil.bench import Bench
from balanxd.hil.campaign import Campaign
from balanxd.hil.checks import CHECKS, Check
from balanxd.hil.games import GAMES, Game, check_of
from balanxd.hil.images import make_images, try_known_bad
from balanxd.hil.known_bad import RIG_FINDS, KnownBad
from balanxd.hil.outcomes import CheckFailed, Finding, Outcome, Run
from balanxd.simulated.emulator import find_emulator
from firmware_bridge.messages import EnableTilt, Feature
from hardware.faults import FaultName

BOARD = parse_board("", "the rig's table")  # its stimulus board has no input left for buttons
Images = tuple[Path, Path]


@pytest.fixture(scope="session")
def images(tmp_path_factory: pytest.TempPathFactory) -> Images:
    """Both images of the sources."""
    return make_images(tmp_path_factory.mktemp("images"), 56, "classic")


@pytest.fixture
def rig(images: Images) -> Iterator[rigs.EmulatedRig]:
    """A rig of them."""
    rig = rigs.EmulatedRig(find_emulator(), *images, 56)
    yield rig
    rig.close()


def campaign(rig: rigs.Rig, expected_build: int | None = None) -> Campaign:
    return Campaign(Bench(rig, 4711), Run("test", "", "emulated"), expected_build)


@pytest.mark.slow
def test_every_promise_holds_on_the_emulated_rig(
    rig: rigs.EmulatedRig, capsys: pytest.CaptureFixture[str]
) -> None:
    run = campaign(rig).execute(CHECKS)
    with capsys.disabled():
        print()
        for finding in run.findings:
            print(
                f"hil {finding.outcome.value:5} {finding.name} {'; '.join(f.text() for f in finding.figures)}"
            )
    assert {
        finding.name: finding.why for finding in run.findings if finding.outcome is not Outcome.PASS
    } == {}
    assert run.verdict == "pass"
    assert run.identity["controller build"]


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_whole_game_runs_against_the_controller_without_marbles(rig: rigs.EmulatedRig, game: Game) -> None:
    run = campaign(rig).execute([check_of(game, BOARD, seed=1)])
    assert [(each.outcome, each.why) for each in run.findings] == [(Outcome.PASS, "")]


@pytest.mark.slow
@pytest.mark.parametrize("bad", RIG_FINDS, ids=lambda bad: bad.name.replace(" ", "-"))
def test_bad_firmware_is_found_out_by_the_check_of_its_promise(
    bad: KnownBad, capsys: pytest.CaptureFixture[str]
) -> None:
    ((_, finding),) = try_known_bad(BOARD, (bad,))
    with capsys.disabled():
        print(f"\nknown-bad firmware, {bad.name}: {finding.outcome.value} by {finding.name}: {finding.why}")
    assert finding.outcome is Outcome.FAIL


@pytest.mark.slow
@pytest.mark.parametrize(
    ("missing", "words"),
    [
        ("cascade", "look at the cable between the boards"),
        ("reset C2", "look at the wire to its RESET"),
        ("power C3", "no hello came with the power"),
        ("servo B0", "look at the wire of the servo signal"),
    ],
)
def test_broken_rig_is_a_rig_error_and_not_the_products(images: Images, missing: str, words: str) -> None:
    wires = tuple(wire for wire in rigs.WIRES if wire != missing)
    rig = rigs.EmulatedRig(find_emulator(), *images, 56, wires)
    try:
        run = campaign(rig).execute(CHECKS)
    finally:
        rig.close()
    assert run.verdict == "rig error"
    assert not run.count(Outcome.FAIL)
    assert any(words in finding.why or "does not answer" in finding.why for finding in run.findings)


def test_another_image_than_the_one_meant_is_a_rig_error(rig: rigs.EmulatedRig) -> None:
    run = campaign(rig, expected_build=0x12345678).execute(CHECKS[:5])
    assert run.verdict == "rig error"
    assert "not 12345678: flash it first" in run.findings[0].why


def outcome_of(rig: rigs.EmulatedRig, check: Check) -> Finding:
    (finding,) = campaign(rig).execute([check]).findings
    return finding


def test_failure_is_tried_once_more_and_both_results_are_kept(rig: rigs.EmulatedRig) -> None:
    outcomes = iter((CheckFailed("the first time"), None))

    def once(bench: Bench) -> None:
        bench.measure("tries", 1, "times", most=1)
        if failed := next(outcomes):
            raise failed

    finding = outcome_of(rig, Check("sometimes", "It holds.", once))
    assert finding.outcome is Outcome.PASS
    assert finding.tries == ["fail: the first time"]
    assert finding.flaky
    assert len(finding.figures) == 1  # those of the last try


def test_figure_beyond_its_limit_fails_and_is_not_tried_again(rig: rigs.EmulatedRig) -> None:
    def slow(bench: Bench) -> None:
        bench.measure("delay", 9, "ms", most=8)

    finding = outcome_of(rig, Check("slow", "It is fast.", slow))
    assert (finding.outcome, finding.why) == (Outcome.FAIL, "delay: 9 ms (at most 8 ms)")
    assert not finding.tries


def test_check_without_an_end_is_ended_and_the_next_one_runs(rig: rigs.EmulatedRig) -> None:
    def endless(bench: Bench) -> None:
        while True:
            bench.settle(0.1)

    run = campaign(rig).execute([Check("endless", "It ends.", endless, limit_s=2.0), CHECKS[4]])
    assert [each.outcome for each in run.findings] == [Outcome.FAIL, Outcome.PASS]
    assert run.findings[0].why == "it was not over after 2 s"
    assert run.findings[0].lasted_s < 4.5  # both tries


def test_feature_that_the_board_lacks_is_a_skip_that_names_it(rig: rigs.EmulatedRig) -> None:
    def never(bench: Bench) -> None:
        raise AssertionError

    finding = outcome_of(rig, Check("odd", "It has it.", never, needs=Feature.MARGINS))
    assert (finding.outcome, finding.why) == (Outcome.SKIP, "the board has no margins")


def test_rig_that_goes_away_in_a_check_is_a_rig_error(rig: rigs.EmulatedRig) -> None:
    def unplugged(bench: Bench) -> None:
        rig.close()
        bench.settle(0.1)

    run = campaign(rig).execute([Check("unplugged", "It stays.", unplugged), CHECKS[4]])
    assert [each.outcome for each in run.findings] == [Outcome.RIG, Outcome.RIG]
    assert "the emulator has ended" in run.why


def test_stopped_run_turns_the_servo_off_and_says_what_did_not_run(rig: rigs.EmulatedRig) -> None:
    bench = Bench(rig, 4711)

    def stop(finding: Finding) -> None:
        bench.stop_why = "it is late"

    def moving(bench: Bench) -> None:
        bench.settle(1.1)
        bench.command(EnableTilt(0))
        bench.set({3: 1})

    checks = [Check("moving", "It moves.", moving), *CHECKS[:2]]
    run = Campaign(bench, Run("test", "", "emulated"), said=stop).execute(checks)
    assert [each.outcome for each in run.findings] == [Outcome.PASS, Outcome.NOT_RUN, Outcome.NOT_RUN]
    assert (run.verdict, run.why) == (Outcome.NOT_RUN, "it is late")
    bench.settle(0.05)  # the last pulse is a whole one
    bench.forget()
    bench.settle(0.2)
    assert not bench.pulses
    assert not any(bench.picture().readings)


def test_bytes_both_ways_are_attached_to_a_game_that_fails(rig: rigs.EmulatedRig) -> None:
    game = Game("too_much", "It names what is not there.", turns=1, expects=(FaultName.STALLED,))
    finding = outcome_of(rig, check_of(game, BOARD, seed=1))
    assert (finding.outcome, finding.why) == (Outcome.FAIL, "not named: stalled")
    assert {line.split()[1] for line in finding.raw} == {"<", ">"}


@pytest.mark.slow
def test_run_that_is_terminated_still_writes_its_report(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "balanxd", "hil", "--emulated", "--report", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert "rig_lines_reach_the_inputs" in process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        said = process.stdout.read()
    assert process.returncode == 3
    assert "The run came to no end: somebody stopped the run" in said
    told = json.loads((tmp_path / "report.json").read_text())
    assert told["verdict"] == "did not run"
    assert told["counts"]["did not run"] > 20
