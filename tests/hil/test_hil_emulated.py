"""Both boards emulated and wired together: good firmware passes, bad firmware is found out, a broken rig says so."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from balanxd.config import simulated_board
from balanxd.hil import rig as rigs
from balanxd.hil.bench import Bench
from balanxd.hil.campaign import GAMES, Campaign, Game
from balanxd.hil.checks import CHECKS, Check
from balanxd.hil.images import make_images, try_known_bad
from balanxd.hil.known_bad import KNOWN_BAD, KnownBad
from balanxd.hil.outcomes import CheckFailed, Outcome, Run
from balanxd.simulated.emulator import find_emulator

BOARD = simulated_board(None)
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


def campaign(rig: rigs.Rig, **options: object) -> Campaign:
    return Campaign(Bench(rig, 4711), BOARD, Run("test", "", "emulated"), 1, **options)  # type: ignore[arg-type]


@pytest.mark.slow
def test_every_promise_holds_on_the_emulated_rig(
    rig: rigs.EmulatedRig, capsys: pytest.CaptureFixture[str]
) -> None:
    run = campaign(rig).execute(games=())
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
    run = campaign(rig).execute((), (game,))
    assert [(each.outcome, each.why) for each in run.findings] == [(Outcome.PASS, "")]


@pytest.mark.slow
@pytest.mark.parametrize("bad", KNOWN_BAD, ids=lambda bad: bad.name.replace(" ", "-"))
def test_bad_firmware_is_found_out_by_the_check_of_its_promise(
    bad: KnownBad, capsys: pytest.CaptureFixture[str]
) -> None:
    ((_, finding),) = try_known_bad(BOARD, bads=(bad,))
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
        run = campaign(rig).execute(games=())
    finally:
        rig.close()
    assert run.verdict == "rig error"
    assert not run.count(Outcome.FAIL)
    assert any(words in finding.why or "does not answer" in finding.why for finding in run.findings)


def test_another_image_than_the_one_meant_is_a_rig_error(rig: rigs.EmulatedRig) -> None:
    run = campaign(rig, expected_build=0x12345678).execute(CHECKS[:5], ())
    assert run.verdict == "rig error"
    assert "not 12345678: flash it first" in run.findings[0].why


def test_failure_is_tried_once_more_and_both_results_are_kept(rig: rigs.EmulatedRig) -> None:
    outcomes = iter((CheckFailed("the first time"), None))

    def once(bench: Bench, measure: object) -> None:
        if failed := next(outcomes):
            raise failed

    run = campaign(rig).execute((Check("sometimes", "It holds.", once),), ())
    (finding,) = run.findings
    assert finding.outcome is Outcome.PASS
    assert finding.tries == ["fail: the first time"]
    assert finding.flaky
