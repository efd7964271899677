"""The other games live: a daemon with a simulated sensor board, its page, another game, going on after its end."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from live_rig import Story, events_in, has_turns, moves_in, options, tell, until

from balanxd.config import parse_board
from balanxd.games import replay
from balanxd.journal import read_journal
from balanxd.library import BROKEN_OFF
from balanxd.live import Live
from balanxd.options import checked_tags
from balanxd.simulated.world import simulated_world
from balanxd.web import actions as a
from referee import events as e
from rules.commands import check_output

SMALL = {
    "banks": {"Board": "4x4", "Players": "3", "QuietTurns": "2"},
    "boxilies": {},
    "fourhigh": {"QuietLimit": "8"},
}


def run(folder: Path, game: str, story: Story, who: str = "random", speed: float = 40.0) -> list[str]:
    said: list[str] = []

    async def play() -> None:
        board = parse_board("", "sim", None, checked_tags(game, SMALL[game]))
        seats = int(SMALL[game].get("Players", "2"))
        settings = options(folder, 4, who=who, seats=seats, speed=speed)
        await tell(Live(board, settings, simulated_world, said.append), story)

    asyncio.run(play())
    return said


@pytest.mark.parametrize("game", SMALL)
def test_a_game_is_played_to_its_end_and_all_its_states_are_json(tmp_path: Path, game: str) -> None:
    async def story(live: Live) -> None:
        seen: set[str] = set()

        def over() -> bool:
            state = live.state()
            msgspec.json.encode(state)
            msgspec.json.encode(live.table())
            seen.add(str(state["condition"]))
            return state["phase"] == "over"

        await until(over)
        state: Any = live.state()
        assert {"provisional", "over"} <= seen
        assert state["outcome"]["headline"]
        assert len(state["scores"]) == len(state["players"])
        record = replay(events_in(live)).record().text()
        assert check_output(record) == state["outcome"]["result"]

    run(tmp_path, game, story)


@pytest.mark.slow
@pytest.mark.parametrize("game", SMALL)
def test_a_daemon_that_ends_in_mid_game_goes_on_with_it(tmp_path: Path, game: str) -> None:
    before: list[str] = []

    async def begin(live: Live) -> None:
        await until(has_turns(live, 3))

    async def go_on(live: Live) -> None:
        before.append(str(live.state()["position"]))
        await until(has_turns(live, 6))
        replay(events_in(live))

    run(tmp_path, game, begin)
    said = run(tmp_path, game, go_on)
    assert any("Going on with the game" in line for line in said)


def test_another_game_is_chosen_on_the_page_and_the_first_one_broken_off(tmp_path: Path) -> None:
    async def story(live: Live) -> None:
        await until(has_turns(live, 2))
        first = live.journal.path
        refused = live.act(a.NewGame(players=("random",) * 2, game="banks", options={"Players": "9"}))
        assert "players" in refused
        assert "seats" in live.act(a.NewGame(players=("random",), game="fourhigh"))
        assert "levels" in live.act(a.NewGame(players=("engine:8", "random"), game="boxilies"))
        assert live.journal.path == first, "nothing was changed by what was refused"
        assert (
            live.act(a.NewGame(players=("random",) * 2, game="fourhigh", options={"QuietLimit": "8"})) == ""
        )
        last = read_journal(first.read_bytes()).events[-1]
        assert isinstance(last, e.GameOver)
        assert last.note == BROKEN_OFF
        await until(has_turns(live, 2))
        assert live.state()["game"] == "fourhigh"
        assert live.act(a.NewGame(players=("random", "random"), game="balanx")) == ""
        await until(has_turns(live, 1))
        assert live.state()["game"] == "balanx"

    run(tmp_path, "boxilies", story)


def test_people_place_stones_and_turn_figures_with_the_pages_hand(tmp_path: Path) -> None:
    async def story(live: Live) -> None:
        def waits(condition: str) -> Callable[[], bool]:
            return lambda: live.state()["condition"] == condition

        def free() -> bool:
            return live.world is not None and not live.world.simulator.hand.busy  # type: ignore[attr-defined]

        await until(waits("turn"))
        state: Any = live.state()
        numbers = {each["stone"]: each["number"] for seat in state["beside"] for each in seat["stones"]}
        for stone, cell, turn, pointer in (("A1", "b1", 0, 0), ("B5", "b2", 2, 2)):
            played = len(moves_in(live))
            assert live.act(a.Fetch(numbers[stone])) == ""
            assert live.act(a.Put(cell, turn, pointer)) == ""
            await until(free)
            if stone == "B5":
                await until(waits("turning"))
                assert live.state()["turning"]["cells"] == ("b1",)  # type: ignore[index]
                assert live.act(a.Turn("b1", pointer=2)) == ""
            await until(has_turns(live, played + 1))
        assert live.state()["scores"] == [0, 2]
        assert live.act(a.Resign(0)) == ""
        assert live.state()["outcome"]["winner"] == 1  # type: ignore[index]

    run(tmp_path, "boxilies", story, who="human", speed=20.0)
