"""Tunes: no two are alike by rhythm alone, a passive piezo on a software pin can play each, events have theirs."""

from __future__ import annotations

from itertools import combinations, groupby
from pathlib import Path

import pytest
from msgspec.structs import replace

from balanxd.assemble import game_on
from balanxd.config import simulated_board
from balanxd.players import Player
from balanxd.sound.tunes import QUIET, STEP_S, Cue, Tune, cue_of, ticks, tune_of
from balanxd.words import Say, Words
from referee import events as e

SAY = Say("turn", "White to move")
ALL = [*(cue.value for cue in Cue), *(ticks(number) for number in range(1, 16))]


def heard(tune: Tune) -> str:
    """What an ear keeps of a rhythm: short, long and very long tones, and where a longer pause lies. No pitch."""
    found = ""
    for sign, run in groupby(tune.rhythm.rstrip(".")):
        steps = len(list(run))
        if sign == "#":
            found += "s" if steps == 1 else "l" if steps <= 4 else "v"
        elif steps >= 3:
            found += " "
    return found


def test_no_two_sound_alike_to_somebody_who_hears_no_pitch() -> None:
    for one, other in combinations(ALL, 2):
        assert heard(one) != heard(other), (one.says, other.says)


def test_tones_are_short_long_or_very_long_and_nothing_between() -> None:
    lengths = {len(run) for tune in ALL for run in tune.rhythm.split(".") if run}
    assert lengths <= {1, 2, 4, 10}


def test_the_warning_has_the_rhythm_of_the_lights_that_say_the_same() -> None:
    from balanxd.lights.signals import STEP_S as BLINK_S
    from balanxd.lights.signals import Signal

    blink = f"{Signal.TILT.value.blink:08b}".replace("1", "#").replace("0", ".")
    times = round(BLINK_S / STEP_S)
    assert Cue.WARNING.value.rhythm == "".join(sign * times for sign in blink)


def test_nothing_but_the_warning_begins_like_it() -> None:
    begins = Cue.WARNING.value.rhythm[: round(0.6 / STEP_S)]
    assert all(not heard(tune).startswith("ll") for tune in ALL if tune is not Cue.WARNING.value)
    assert heard(Tune(begins, (1.0, 1.0), "")) == "ll"


@pytest.mark.parametrize("tune", ALL, ids=lambda tune: tune.says)
def test_each_can_be_played(tune: Tune) -> None:
    assert set(tune.rhythm) <= {"#", "."}
    assert tune.rhythm.startswith("#")
    assert sum(sign == "#" for sign, _ in groupby(tune.rhythm)) == len(tune.notes)
    assert all(
        800 <= hz <= 3000 for hz in tune.notes
    )  # a piezo is faint below, lgpio's software PWM rough above
    assert sum(steps for steps, _ in tune.runs()) * STEP_S == tune.seconds
    assert tune.says


def test_items_of_a_menu_are_counted_in_fives() -> None:
    assert ticks(1).rhythm == "#"
    assert ticks(3).rhythm == "#.#.#"
    assert ticks(7).rhythm == "#.#.#.#.#...#.#"
    assert all(ticks(number).rhythm.count("#") == number for number in range(1, 30))


@pytest.mark.parametrize(
    ("event", "cue"),
    [
        (e.TiltWarning(seat=0, due_s=1.0), Cue.WARNING),
        (e.TiltWarning(seat=None, due_s=1.0), Cue.WARNING),
        (e.TurnOpened(seat=0, ply=0), Cue.TURN),
        (e.OutOfStep(code="differs", say="", guide=""), Cue.WRONG),
        (e.Question(moves=(), say=""), Cue.QUESTION),
        (e.TakebackShown(plies=1, due_s=1.0), Cue.TAKEBACK),
        (e.GameOver(result="1-0 home"), Cue.OVER),
        (e.LinkChanged(up=False), Cue.LOST),
        (e.LinkChanged(up=True), Cue.WELL),
        (e.Stopped(), Cue.STOPPED),
        (e.WentOn(), Cue.WENT_ON),
        (e.MenuShown(number=2, count=3, say="", sure=True), Cue.SURE),
        (e.MenuClosed(say="A draw.", done=True), Cue.ANSWERED),
        (e.MenuClosed(say="This cannot be done now."), Cue.REFUSED),
        (e.MenuClosed(), Cue.CLOSED),
        (e.MoveWanted(seat=1, position=""), None),
        (e.TiltStarted(seat=1), None),
        (e.SensorTrusted(cell="a1"), None),
    ],
)
def test_events_have_their_tunes(event: e.GameEvent, cue: Cue | None) -> None:
    assert cue_of(event, SAY, motor=True) is cue
    assert tune_of(event, SAY, motor=True) == (None if cue is None else cue.value)


def test_a_move_that_is_seen_is_the_warning_where_a_motor_tilts_the_board() -> None:
    seen = e.MoveProvisional(move="a1-a2", due_s=0.7)
    assert cue_of(seen, SAY, motor=True) is Cue.WARNING
    assert cue_of(seen, SAY, motor=False) is Cue.SEEN


def test_the_turn_that_starts_a_motor_is_silent_so_that_its_servo_is_not_disturbed() -> None:
    taken = e.TurnTaken(ply=0, seat=0, move="a1-a2", position="")
    assert cue_of(taken, SAY, motor=True) is None
    assert cue_of(taken, SAY, motor=False) is Cue.TAKEN


def test_a_machine_that_thinks_is_not_called() -> None:
    assert cue_of(e.TurnOpened(seat=1, ply=1), Say("thinking", "Black is thinking"), motor=True) is None


def test_only_a_marble_that_must_go_back_is_asked_back() -> None:
    hand = e.InHand(missing=1, lifted=("e4",))
    words = Words(
        game_on(simulated_board()), (Player("human"), Player("human")), simulated=False, by_hand=False
    )

    def cue(*targets: str, ready: bool = True, to: str = "", missing: int = 1) -> Cue | None:
        event = replace(hand, missing=missing, targets=targets)
        return cue_of(event, words.in_hand(event, 0, own=True, ready=ready, target=to), motor=True)

    assert cue() is Cue.PUT_BACK
    assert cue("e6", ready=False) is Cue.PUT_BACK
    assert cue("e6", missing=2) is Cue.PUT_BACK
    assert cue("e6") is None
    assert cue(to="e6") is None


def test_a_quiet_board_keeps_what_somebody_must_hear() -> None:
    assert {Cue.WARNING, Cue.WRONG, Cue.QUESTION, Cue.SURE, Cue.FAULT, Cue.LOST} <= QUIET
    assert not {Cue.TURN, Cue.SEEN, Cue.TAKEN, Cue.BEGUN} & QUIET


def test_the_page_for_players_has_each_tune() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs/evening.md").read_text(encoding="utf-8")
    for cue in Cue:
        assert f"| `{cue.value.rhythm}` | {cue.value.says} |" in page
