"""Sound of whole games: each start of a motor is heard coming for as long as the board warns; the daemon's own pin."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from live_rig import has_turns, options, tell, until

from balanxd.assemble import game_on
from balanxd.config import BoardConfig, parse_board, simulated_board
from balanxd.live import Live
from balanxd.options import checked_tags
from balanxd.players import parse_player
from balanxd.simulated.headless import headless_record
from balanxd.simulated.world import simulated_world
from balanxd.sound.outlet import Sound
from balanxd.sound.tunes import Cue
from balanxd.view import View
from referee import events as e
from rules.games import NAMES

PAUSE_S = 0.13  # the longest silence inside the warning


class Evening:
    """A game's events at their own times; what sounds is kept as (from, Hz)."""

    def __init__(self, board: BoardConfig) -> None:
        self.heard: list[tuple[float, float | None]] = []
        self.said: list[str] = []
        self.motions = 0
        self.busy = False
        self._now_s = 0.0
        self._board = board
        game = game_on(board, seed=1)
        self._view = View(
            game,
            players=("random",) * len(game.seats),
            simulated=False,
            sensor=board.sensor,
            manual_tilt=not board.motor,
        )
        self._sound = Sound(self, self, self.said.append)

    def tone(self, hz: float | None) -> None:
        """See Beeper."""
        self.heard.append((self._now_s, hz))

    def say(self, text: str) -> None:
        """See Voice. It is quick."""
        self.said.append(text)

    def hush(self) -> None:
        """See Voice."""

    async def close(self) -> None:
        """See Voice."""

    def follow(self, event: e.GameEvent) -> None:
        """What a daemon does with an event, and before it with the time that has passed."""
        while (due_s := self._sound.due_s(self._now_s)) < event.at_s:
            self._now_s = max(self._now_s, due_s)
            self._sound.tick(self._now_s)
        self._now_s = max(self._now_s, event.at_s)
        if isinstance(event, e.TiltStarted):
            self.motions += 1
            assert self._warned_s() >= self._board.limits.warning_s - 1e-6
        self._view.take(event)
        self._sound.follow(event, self._view.say, self._now_s, motor=self._board.motor)
        if isinstance(event, e.TiltStarted):
            assert self.heard[-1][1] is None  # silence, or the next tune after a pause

    def _warned_s(self) -> float:
        """For how long the warning has been heard by now, without a pause that is not its own."""
        notes, until_s, begun_s = set(Cue.WARNING.value.notes), self._now_s, self._now_s
        for at_s, hz in reversed(self.heard):
            if (hz is None and until_s - at_s > PAUSE_S) or (hz is not None and hz not in notes):
                break
            if hz is not None:
                begun_s = at_s
            until_s = at_s
        return self._now_s - begun_s


def played(board: BoardConfig, turns: int) -> Evening:
    evening = Evening(board)
    seats = len(game_on(board, seed=1).seats)
    headless_record(
        board,
        (parse_player("random"),) * seats,
        seed=1,
        max_turns=turns,
        pty=False,
        date="????.??.??",
        trace_folder=None,
        say=evening.follow,
    )
    return evening


def test_every_start_of_the_motor_is_heard_coming() -> None:
    evening = played(simulated_board(), 16)
    assert evening.motions >= 15
    hands_off = [text for text in evening.said if text.startswith("Hands off.")]
    assert len(hands_off) >= 15


@pytest.mark.parametrize("name", [name for name in NAMES if name != "balanx"])
def test_every_turn_of_the_other_games_is_heard(name: str) -> None:
    evening = played(simulated_board(None, checked_tags(name, {})), 6)
    plays = [text for text in evening.said if " plays " in text]
    assert len(plays) >= 5
    assert not any("Hands off" in text for text in evening.said)
    assert any(hz == Cue.ANNOUNCED.value.notes[1] for _, hz in evening.heard)


def test_a_daemon_plays_its_tunes_on_the_pin_of_its_board(tmp_path: Path) -> None:
    text = '[link]\nport = "sim"\n[sound]\nbuzzer = "GPIO13"\n[gpio]\nfactory = "mock"\n'
    lines, levels = list[str](), list[float]()

    async def story(live: Live) -> None:
        await until(has_turns(live, 1))
        buzzer: Any = live._devices.buzzer
        levels.extend(state.state for state in buzzer._buzzer.pwm_device.pin.states)

    async def evening() -> None:
        board = parse_board(text, "board.toml")
        live = Live(board, options(tmp_path, 1, speed=10.0, verbose=True), simulated_world, lines.append)
        try:
            await tell(live, story)
        finally:
            await live.close()

    asyncio.run(evening())
    assert any(line.startswith(f"sound: {Cue.WARNING.value.rhythm}") for line in lines)
    assert levels.count(0.5) > 2
    assert set(levels) == {0.0, 0.5}
