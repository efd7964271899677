"""The player: tunes as tones in time, one after the other; the warning before all, until the motor starts."""

from __future__ import annotations

from balanxd.sound.player import PAUSE_S, Player
from balanxd.sound.tunes import STEP_S, Cue, Tune, ticks

INF = float("inf")


def played(player: Player, until_s: float, now_s: float = 0.0) -> list[tuple[float, float | None]]:
    """(time, pitch) of each change, as a loop that sleeps until something is due hears it."""
    found: list[tuple[float, float | None]] = []
    last: float | None = None
    for _ in range(1000):
        hz = player.tick(now_s)
        if hz != last:
            found.append((round(now_s, 4), hz))
            last = hz
        due_s = player.due_s(now_s)
        if due_s > until_s or due_s == INF:
            return found
        assert due_s > now_s
        now_s = due_s
    raise AssertionError("the player asks to be called again and again")


def rhythm(found: list[tuple[float, float | None]], begun_s: float, tune: Tune) -> str:
    """What was played, written as a tune."""
    signs = ""
    for step in range(len(tune.rhythm)):
        middle = begun_s + (step + 0.5) * STEP_S
        sounds = [hz for at_s, hz in found if at_s <= middle]
        signs += "#" if sounds and sounds[-1] is not None else "."
    return signs


def test_a_tune_is_played_as_it_is_written() -> None:
    for cue in Cue:
        player = Player()
        player.play(cue.value, 3.0)
        found = played(player, INF, 3.0)
        assert rhythm(found, 3.0, cue.value) == cue.value.rhythm
        assert [hz for _, hz in found if hz is not None] == list(cue.value.notes)


def test_nothing_is_due_when_nothing_plays() -> None:
    player = Player()
    assert player.tick(1.0) is None
    assert player.due_s(1.0) == INF
    player.play(Cue.TAKEN.value, 1.0)
    played(player, INF, 1.0)
    assert player.due_s(100.0) == INF


def test_tunes_follow_each_other_with_a_pause() -> None:
    player = Player()
    player.play(Cue.TAKEN.value, 0.0)
    player.play(Cue.TURN.value, 0.0)
    found = played(player, INF)
    second_s = Cue.TAKEN.value.seconds + PAUSE_S
    assert rhythm(found, 0.0, Cue.TAKEN.value) == Cue.TAKEN.value.rhythm
    assert rhythm(found, second_s, Cue.TURN.value) == Cue.TURN.value.rhythm


def test_old_news_are_dropped_where_much_happens_at_once() -> None:
    player = Player()
    player.play(Cue.TAKEN.value, 0.0)
    assert player.tick(0.0) is not None
    for cue in (Cue.WRONG, Cue.TURN, Cue.OVER):
        player.play(cue.value, 0.0)
    found = played(player, INF)
    notes = [hz for _, hz in found if hz is not None]
    assert notes == [*Cue.TAKEN.value.notes, *Cue.TURN.value.notes, *Cue.OVER.value.notes]


def test_items_of_a_menu_do_not_wait() -> None:
    player = Player()
    player.play(ticks(3), 0.0, at_once=True)
    player.tick(0.0)
    player.play(ticks(4), 0.2, at_once=True)
    assert rhythm(played(player, INF, 0.2), 0.2, ticks(4)) == ticks(4).rhythm


def test_what_does_not_stand_long_enough_is_not_played() -> None:
    player = Player()
    player.play(Cue.PUT_BACK.value, 0.0, wait_s=0.6)
    assert player.tick(0.0) is None
    assert player.due_s(0.0) == 0.6
    player.doubt(0.4)
    assert played(player, INF, 0.4) == []
    player.play(Cue.PUT_BACK.value, 1.0, wait_s=0.6)
    assert rhythm(played(player, INF, 1.0), 1.6, Cue.PUT_BACK.value) == Cue.PUT_BACK.value.rhythm


def test_the_warning_begins_at_once_and_goes_on_until_the_motor_starts() -> None:
    player = Player()
    player.play(Cue.OVER.value, 0.0)
    player.tick(0.0)
    player.warn(due_s=2.7, now_s=0.5)
    found = played(player, 2.69, 0.5)
    assert found[0] == (0.5, Cue.WARNING.value.notes[0])
    for turn in (0, 1):
        assert rhythm(found, 0.5 + turn, Cue.WARNING.value) == Cue.WARNING.value.rhythm
    player.play(Cue.TAKEN.value, 2.7)  # the turn counts, and the motor starts
    player.calm(2.7)
    assert player.tick(2.7) is None
    after = played(player, INF, 2.7)
    assert rhythm(after, 2.7 + PAUSE_S, Cue.TAKEN.value) == Cue.TAKEN.value.rhythm


def test_a_warning_that_is_called_off_is_silent_at_once() -> None:
    player = Player()
    player.warn(due_s=0.7, now_s=0.0)
    assert player.tick(0.1) is not None
    player.calm(0.2)
    assert played(player, INF, 0.2) == []


def test_a_motion_that_never_comes_does_not_warn_for_ever() -> None:
    player = Player()
    player.warn(due_s=0.7, now_s=0.0)
    assert player.tick(0.0) is not None
    assert played(player, INF, 0.0)[-1][1] is None
    assert player.due_s(10.0) == INF


def test_hushing_for_a_menu_does_not_silence_a_warning() -> None:
    player = Player()
    player.warn(due_s=0.7, now_s=0.0)
    player.play(ticks(1), 0.1, at_once=True)
    assert player.tick(0.1) == Cue.WARNING.value.notes[0]
