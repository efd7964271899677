"""The bench: what it says of a figure, and that a short chain really is one. No figure is judged here."""

import json

import pytest
from click.testing import CliRunner

from balanxd.__main__ import balanx
from balanxd.bench import GROUPS, run_chain
from balanxd.benches.figures import Figure, quantile, table_text
from balanxd.benches.recognition import WIDEST, answers_of
from referee.infer import Found, Unfinished, Wrong
from referee.quick import First
from rules.games import game_of_tags


@pytest.mark.parametrize(
    ("value", "target", "bound", "verdict"),
    [
        (4.0, 4.0, "min", "ok"),
        (3.9, 4.0, "min", "miss"),
        (5.0, 5.0, "max", "ok"),
        (5.1, 5.0, "max", "miss"),
        (5.1, None, "max", ""),
        (None, 5.0, "max", "not measured"),
    ],
)
def test_a_figure_is_held_against_its_target(value, target, bound, verdict: str) -> None:
    figure = Figure("name", "what", value, "ms", target, bound, "note")
    assert figure.verdict == verdict
    assert figure.row()["verdict"] == verdict
    line = table_text([figure]).splitlines()[1]
    assert verdict in line
    assert "note" in line
    assert ("-" if value is None else f"{value:.4g}") in line


@pytest.mark.parametrize(
    ("share", "value"), [(0.0, 1), (0.01, 1), (0.5, 50), (0.95, 95), (0.951, 96), (0.99, 99), (1.0, 100)]
)
def test_quantiles_are_values_that_were_measured(share: float, value: int) -> None:
    assert quantile(list(range(100, 0, -1)), share) == value


@pytest.mark.parametrize("pty", [False, True])
def test_a_chain_run_is_a_whole_game_with_all_its_parts(pty: bool) -> None:
    run = run_chain(6, pty=pty)
    assert run.turns == 6
    assert run.simulated_s > 6 * 2
    assert run.cpu_s > 0
    assert len(run.calls_ms) > 6 * 3
    assert len(run.verdicts_ms) >= 6
    assert min(run.verdicts_ms) > 100  # nothing is decided before the picture has rested


def test_hands_without_flicker_are_really_without() -> None:
    calm = run_chain(6, board_text="[sim.hand]\nflicker = false\n").verdicts_ms
    assert max(calm) < max(run_chain(6).verdicts_ms)


def test_the_command_prints_json_with_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(
        GROUPS, "chain", lambda: [Figure("chain_pipe", "x", 301.0, "x real time", 300.0, "min")]
    )
    done = CliRunner().invoke(balanx, ["bench", "--json", "--only", "chain"])
    assert done.exit_code == 0
    told = json.loads(done.stdout)
    assert set(told["machine"]) == {"cpu", "cores", "python", "system"}
    assert told["figures"][0]["verdict"] == "ok"
    assert told["figures"][0]["value"] == 301.0


@pytest.mark.parametrize("game", WIDEST)
def test_recognition_is_measured_on_answers_that_explain_the_picture(game: str) -> None:
    tags = {"Game": game, "Setup": WIDEST[game]} if game == "banks" else {"Game": game}
    played = game_of_tags(tags)
    position = played.parse_position(WIDEST[game])
    told = {what: answer() for what, answer in answers_of(played, position).items()}
    assert isinstance(told["a move"], Found | Unfinished)
    assert isinstance(told["a wrong picture"], Wrong)
    if not played.tilts:
        both = told["two quick turns"]
        assert isinstance(both, tuple)
        assert isinstance(both[1], First)
