"""What players want of the house: other players, a parked board, a computer that is switched off; what is kept."""

import asyncio
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
import live_rig
import pytest
from live_rig import Story, events_in, has_turns, tell, until

from balanxd.assemble import game_on
from balanxd.cli.arguments import players_of
from balanxd.config import BoardConfig, parse_board, simulated_board
from balanxd.errors import BalanxError
from balanxd.evening import (
    ANSWER_S,
    BY_HAND,
    FILE,
    Power,
    SwitchingOff,
    power_of,
    remember,
    remembered,
    seated_anew,
)
from balanxd.journal import read_journal
from balanxd.library import BROKEN_OFF
from balanxd.live import Live
from balanxd.options import checked_tags
from balanxd.outside import Outside
from balanxd.players import Player, parse_player
from balanxd.simulated.world import simulated_world
from balanxd.web import actions as a
from hardware.buttons import Button
from referee import commands as c
from referee import events as e
from referee.session import Phase

SPEED = 40.0
BOARDS = {
    "balanx": ("", ()),
    "pushed by hand": ('[tilt]\ndrive = "manual"\n', ()),
    "banks": ("", checked_tags("banks", {"Board": "4x4", "Players": "3"})),
    "boxilies": ("", checked_tags("boxilies", {})),
    "fourhigh": ("", checked_tags("fourhigh", {})),
}


def board(name: str = "balanx") -> BoardConfig:
    if name == "buttons":
        return simulated_board()
    text, tags = BOARDS[name]
    return parse_board(text, name, None, tags)


def seats(name: str) -> int:
    return len(game_on(board(name)).seats)


def play(
    folder: Path,
    story: Story,
    name: str = "balanx",
    who: tuple[str, ...] = (),
    power: Power | None = None,
    **more: Any,
) -> list[str]:
    """A daemon and a story, under a clock that steps by days; what it said. who: by seat, else random players."""
    said: list[str] = []
    clock = (datetime(2026, 3, 2 + number % 3, 12, tzinfo=UTC) for number in itertools.count())
    players = tuple(map(parse_player, who or ("random",) * seats(name)))

    async def run() -> None:
        options = live_rig.options(folder, 4, **{"speed": SPEED, "diary": True, **more})
        object.__setattr__(options, "players", players)
        outside = Outside(wall=lambda: next(clock), power=power or Power())
        await tell(Live(board(name), options, simulated_world, said.append, outside), story)

    asyncio.run(run())
    return said


def want(live: Live, command: c.HouseCommand) -> None:
    """Somebody has chosen it at the board."""
    live._step()
    live._obey(command, live._at_s)
    live._wake.set()


def motions_of(live: Live) -> int:
    """How often the motor has begun to move; 0 where people push."""
    return int(getattr(live.pipeline.drive, "motions", 0))


async def parked(live: Live) -> None:
    want(live, c.Park())
    await until(lambda: live.pipeline.parked)


# ---- who plays ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "wanted", "after"),
    [
        ("human engine:2", c.NewGame(), "human engine:2"),
        ("human engine:2", c.NewGame(exchanged=True), "engine:2 human"),
        ("human engine:2", c.NewGame(level=5), "human engine:5"),
        ("human engine:2", c.NewGame(exchanged=True, level=1), "engine:1 human"),
        ("engine:3 random", c.NewGame(level=4), "engine:4 random"),
        ("human human", c.NewGame(exchanged=True), "human human"),
    ],
)
def test_the_next_games_players(before: str, wanted: c.NewGame, after: str) -> None:
    players = tuple(map(parse_player, before.split()))
    assert " ".join(each.text for each in seated_anew(players, wanted, game_on(board()))) == after


def test_of_three_players_each_takes_the_next_seat() -> None:
    players = (Player("human"), Player("random"), Player("engine", 2))
    found = seated_anew(players, c.NewGame(exchanged=True), game_on(board("banks")))
    assert found == (Player("engine", 2), Player("human"), Player("random"))


def test_a_level_that_the_engine_does_not_know_is_refused() -> None:
    with pytest.raises(BalanxError, match="levels 1 to 5"):
        seated_anew((Player("human"), Player("engine", 2)), c.NewGame(level=8), game_on(board("boxilies")))


def test_who_played_last_is_kept_for_each_game(tmp_path: Path) -> None:
    balanx, boxilies = game_on(board()), game_on(board("boxilies"))
    assert remembered(tmp_path, balanx) is None
    remember(tmp_path, balanx, (Player("engine", 8), Player("human")))
    remember(tmp_path, boxilies, (Player("random"), Player("human")))
    assert remembered(tmp_path, balanx) == (Player("engine", 8), Player("human"))
    assert remembered(tmp_path, boxilies) == (Player("random"), Player("human"))
    assert remembered(tmp_path, game_on(board("fourhigh"))) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"balanx": "human"}',
        '{"balanx": ["human"]}',
        '{"balanx": ["human", 3]}',
        '{"balanx": ["human", "engine:9"]}',
        '{"balanx": ["human", "human", "human"]}',
        '{"balanx": null}',
        "\x00\xff",
    ],
)
def test_a_file_that_says_nothing_of_use_is_left_aside(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE).write_text(text, encoding="latin-1")
    assert remembered(tmp_path, game_on(board())) is None
    remember(tmp_path, game_on(board()), (Player("human"), Player("human")))
    assert remembered(tmp_path, game_on(board())) == (Player("human"), Player("human"))


def test_a_disk_that_takes_nothing_is_no_reason_to_stop(tmp_path: Path) -> None:
    remember(tmp_path / "nowhere", game_on(board()), (Player("human"), Player("human")))


def test_the_command_line_goes_before_what_was_chosen_last(tmp_path: Path) -> None:
    config = board()
    usual = (Player("human"), Player("engine", 2))
    assert players_of(config, (), None, None, tmp_path) == usual
    chosen = (Player("engine", 4), Player("human"))
    remember(tmp_path, game_on(config), chosen)
    assert players_of(config, (), None, None, tmp_path) == chosen
    assert players_of(config, (), None, None) == usual
    one = ((2, Player("random")),)
    assert players_of(config, one, None, None, tmp_path) == (Player("human"), Player("random"))
    assert players_of(config, (), None, Player("human"), tmp_path) == (Player("human"), Player("human"))
    with pytest.raises(click.UsageError):
        players_of(board("boxilies"), (), Player("human"), None, tmp_path)


# ---- new games ---------------------------------------------------------------------------------------------

PHASES: dict[str, Callable[[Live], bool]] = {
    "setting up": lambda live: live.pipeline.session.phase is Phase.SETTING_UP,
    "open": lambda live: live.pipeline.session.phase is Phase.OPEN,
    "provisional": lambda live: live.state()["condition"] == "provisional",
    "aligning": lambda live: live.pipeline.session.phase is Phase.ALIGNING,
    "over": lambda live: live.pipeline.session.phase is Phase.OVER,
}


def phases(name: str) -> tuple[str, ...]:
    """Those that last on a board: what does not tilt is never to be waited for."""
    return tuple(phase for phase in PHASES if phase != "aligning" or board(name).game == "balanx")


async def reach(live: Live, phase: str) -> None:
    if phase == "setting up":
        want(live, c.NewGame())
    elif phase == "over":
        await until(has_turns(live, 1))
        live._command(c.BreakOff("enough"), live._at_s)
    await until(lambda: PHASES[phase](live))


@pytest.mark.parametrize("name", BOARDS)
def test_seats_are_exchanged_in_every_phase_and_the_new_game_is_played(tmp_path: Path, name: str) -> None:
    who = ("random", "engine:1", "random")[: seats(name)]

    async def story(live: Live) -> None:
        await until(has_turns(live, 1))
        for phase in phases(name):
            await reach(live, phase)
            first, before = live.journal.path, live.players
            want(live, c.NewGame(exchanged=True))
            assert live.players == (before[-1], *before[:-1])
            if first.exists():
                over = read_journal(first.read_bytes()).events[-1]
                assert isinstance(over, e.GameOver)
                assert over.note == ("enough" if phase == "over" else BROKEN_OFF)
            await until(has_turns(live, 1))
            header = events_in(live)[0]
            assert isinstance(header, e.GameStarted)
            assert header.players == tuple(player.title for player in live.players)
        assert remembered(tmp_path, game_on(board(name))) == live.players

    play(tmp_path, story, name, who)


def test_a_resumed_game_goes_on_with_the_exchanged_players(tmp_path: Path) -> None:
    async def exchange(live: Live) -> None:
        await until(has_turns(live, 1))
        want(live, c.NewGame(exchanged=True))
        await until(has_turns(live, 1))

    play(tmp_path, exchange, who=("random", "engine:1"))
    players = players_of(board(), (), None, None, tmp_path)
    assert players == (Player("engine", 1), Player("random"))
    count: list[int] = []

    async def go_on(live: Live) -> None:
        count.append(len(live_rig.moves_in(live)))
        await until(has_turns(live, count[0] + 2))

    said = play(tmp_path, go_on, who=tuple(player.text for player in players))
    assert any("Going on with the game" in line for line in said)


def test_a_thought_under_way_is_given_up(tmp_path: Path) -> None:
    async def story(live: Live) -> None:
        await until(lambda: live._thinker._busy)
        asked = live._thinker._asked
        want(live, c.NewGame(level=1))
        assert live._thinker._asked > asked, "it was told to stop"
        await until(has_turns(live, 2))

    play(tmp_path, story, who=("engine:8", "engine:8"))


def test_a_level_that_is_not_there_changes_nothing(tmp_path: Path) -> None:
    async def story(live: Live) -> None:
        await until(has_turns(live, 1))
        first = live.journal.path
        want(live, c.NewGame(level=8))
        assert live.journal.path == first
        assert "levels 1 to 5" in str(live.state()["menu_said"])
        await until(has_turns(live, 3))

    play(tmp_path, story, "boxilies", ("engine:1", "engine:1"))
    assert remembered(tmp_path, game_on(board("boxilies"))) is None


# ---- parking -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", BOARDS)
def test_a_board_is_parked_in_every_phase_and_goes_on(tmp_path: Path, name: str) -> None:
    async def story(live: Live) -> None:
        await until(has_turns(live, 1))
        for phase in phases(name):
            await reach(live, phase)
            drive = live.pipeline.drive
            motions = motions_of(live)
            await parked(live)
            assert live.state()["stopped"] == "parked"
            assert live.pipeline.level == (drive.motor and motions_of(live) > motions)
            motions, turns = motions_of(live), len(live_rig.moves_in(live))
            assert live.act(a.GoOn()) == ""
            assert live.state()["stopped"] is None
            if phase != "over":
                await until(has_turns(live, turns + 2))
                assert not drive.motor or motions_of(live) > motions

    play(tmp_path, story, name)


def test_nothing_moves_and_nothing_is_lost_while_it_is_parked(tmp_path: Path) -> None:
    async def story(live: Live) -> None:
        await until(has_turns(live, 2))
        await parked(live)
        motions, until_s = motions_of(live), live._at_s + 20.0
        await until(lambda: live._at_s > until_s)
        assert motions_of(live) == motions
        assert live.pipeline.parked

    said = play(tmp_path, story)
    assert not any("Out of step" in line for line in said)


@pytest.mark.parametrize("how", [c.Park(), c.Stop()])
def test_a_daemon_that_is_ended_while_it_stands_still_ends_without_a_motion(
    tmp_path: Path, how: c.Park | c.Stop
) -> None:
    found: list[tuple[int, float]] = []
    kept: list[Live] = []

    async def story(live: Live) -> None:
        await until(has_turns(live, 1))
        if isinstance(how, c.Park):
            await parked(live)
        else:
            live._command(how, live._at_s)
        found.append((motions_of(live), live._at_s))
        kept.append(live)

    said = play(tmp_path, story, park=True)
    assert said.count("The board is parked.") == 1
    motions, at_s = found[0]
    assert motions_of(kept[0]) == motions
    assert kept[0]._at_s < at_s + 5.0
    assert kept[0].pipeline.parked


def test_another_game_does_not_wake_a_parked_board(tmp_path: Path) -> None:
    async def story(live: Live) -> None:
        await until(has_turns(live, 1))
        await parked(live)
        motions = motions_of(live)
        want(live, c.NewGame(exchanged=True))
        until_s = live._at_s + 10.0
        await until(lambda: live._at_s > until_s)
        assert motions_of(live) == motions
        assert live.state()["stopped"] == "parked"
        assert live.act(a.GoOn()) == ""
        await until(has_turns(live, 2))

    play(tmp_path, story)


def press(live: Live, button: Button) -> None:
    assert live.act(a.Press(button)) == ""


async def choose(live: Live, item: str) -> None:
    """NEXT until the menu shows an item, then YES, and once more where it asks."""
    for _ in range(12):
        before = live.state()["menu"]
        press(live, Button.NEXT)
        await until(lambda before=before: live.state()["menu"] not in (None, before))  # type: ignore[misc]
        menu: Any = live.state()["menu"]
        if menu["say"] == item:
            break
    assert menu["say"] == item
    press(live, Button.YES)
    await until(lambda: live.state()["menu"] is None or live.state()["menu"]["sure"])  # type: ignore[index]
    if live.state()["menu"] is not None:
        press(live, Button.YES)
        await until(lambda: live.state()["menu"] is None)


def test_a_board_is_parked_goes_on_and_is_shut_down_with_buttons_alone(tmp_path: Path) -> None:
    request = tmp_path / "poweroff"

    async def story(live: Live) -> None:
        await until(lambda: PHASES["open"](live))
        await choose(live, "Park the board")
        await until(lambda: live.pipeline.parked)
        assert live.pipeline.level
        press(live, Button.YES)
        await until(lambda: live.state()["stopped"] is None)
        await until(lambda: live.pipeline.drive.side == 0)
        await until(lambda: PHASES["open"](live))
        await choose(live, "Shut down")
        await until(request.exists)
        assert live.pipeline.level
        press(live, Button.YES)
        await until(lambda: live.state()["stopped"] is None)
        press(live, Button.STOP)
        await until(lambda: live.state()["stopped"] == "stopped")

    power = Power(request, kept=True)
    play(tmp_path / "state", story, "buttons", ("human", "human"), power, speed=10.0)


# ---- shutting down -----------------------------------------------------------------------------------------


@dataclass
class Parked:
    """What a way to the end asks of a pipeline."""

    parking: bool = False
    park_stopped: bool = False
    parked: bool = True


def way(power: Power) -> tuple[SwitchingOff, list[str]]:
    said: list[str] = []
    off = SwitchingOff(power, said.append)
    off.begin()
    return off, said


def look(off: SwitchingOff, now_s: float = 0.0, unsaved: int = 0, **board: bool) -> bool:
    pipeline: Any = Parked(**board)
    return off.look(pipeline, lambda: unsaved, now_s)


def test_the_request_comes_after_the_board_is_parked_and_all_is_saved(tmp_path: Path) -> None:
    request = tmp_path / "poweroff"
    off, said = way(Power(request, kept=True))
    assert not look(off, parking=True)
    assert not request.exists()
    saved: list[bool] = []
    pipeline: Any = Parked()

    def save() -> int:
        saved.append(request.exists())
        return 0

    assert not off.look(pipeline, save, 1.0)
    assert saved == [False]
    assert request.exists()
    assert said == ["The computer is being switched off."]
    assert not off.look(pipeline, save, 1.0 + ANSWER_S / 2), "it waits to be ended"
    assert len(saved) == 1


def test_a_system_that_does_not_answer_is_told_and_the_request_withdrawn(tmp_path: Path) -> None:
    request = tmp_path / "poweroff"
    off, said = way(Power(request, kept=True))
    look(off, 1.0)
    assert not look(off, 1.0 + ANSWER_S)
    assert not request.exists()
    assert said[-1].endswith(BY_HAND)
    off.begin()
    look(off, 100.0)
    assert request.exists(), "it can be asked again"


@pytest.mark.parametrize("kept", [False, True])
def test_without_a_switch_it_ends_unless_it_would_be_begun_again(kept: bool) -> None:
    off, said = way(Power(kept=kept))
    assert look(off) is not kept
    assert said == [BY_HAND]
    assert not look(off), "once"


@pytest.mark.parametrize("board", [{"park_stopped": True}, {"parked": False}])
def test_whoever_stops_the_board_on_the_way_keeps_the_computer_on(
    tmp_path: Path, board: dict[str, bool]
) -> None:
    request = tmp_path / "poweroff"
    off, said = way(Power(request))
    assert not look(off, **board)
    assert not look(off)
    assert not request.exists()
    assert said == ["The computer stays on."]


def test_turns_that_are_not_saved_are_not_lost_at_once(tmp_path: Path) -> None:
    request = tmp_path / "poweroff"
    off, said = way(Power(request))
    look(off, unsaved=2)
    assert not request.exists()
    assert said[0].startswith("2 turns are not saved")
    off.begin()
    look(off, unsaved=2)
    assert request.exists()


def test_a_folder_that_takes_no_request_is_told(tmp_path: Path) -> None:
    off, said = way(Power(tmp_path / "nowhere" / "poweroff", kept=True))
    assert not look(off)
    assert said[0].endswith(BY_HAND)
    assert "No such file" in said[0]


def test_the_service_tells_how_it_is_switched_off() -> None:
    assert power_of({}) == Power()
    assert power_of({"NOTIFY_SOCKET": "/run/x"}) == Power(kept=True)
    assert power_of({"BALANX_POWEROFF": "/run/balanx/poweroff"}) == Power(Path("/run/balanx/poweroff"))


@pytest.mark.parametrize("name", ["balanx", "fourhigh"])
def test_shut_down_without_a_switch_parks_and_ends(tmp_path: Path, name: str) -> None:
    said: list[str] = []

    async def run() -> None:
        options = live_rig.options(tmp_path, 4, speed=SPEED, diary=True, seats=seats(name))
        live = Live(board(name), options, simulated_world, said.append)
        running = asyncio.create_task(live.run())
        await until(has_turns(live, 1))
        want(live, c.ShutDown())
        await asyncio.wait_for(running, live_rig.PATIENCE_S)
        assert live.pipeline.parked
        await live.close()

    asyncio.run(run())
    assert BY_HAND in said
    (journal,) = (tmp_path / "games").iterdir()
    found = read_journal(journal.read_bytes())
    assert found.torn == b""
    assert not any(isinstance(event, e.GameOver) for event in found.events), "the game is kept"


def test_shut_down_asks_the_system_and_waits_for_its_end(tmp_path: Path) -> None:
    request = tmp_path / "poweroff"

    async def story(live: Live) -> None:
        await until(has_turns(live, 1))
        want(live, c.ShutDown())
        assert not request.exists()
        await until(request.exists)
        assert "switched off" in str(live.state()["menu_said"])
        motions, until_s = motions_of(live), live._at_s + 10.0
        await until(lambda: live._at_s > until_s)
        assert live.pipeline.parked
        assert motions_of(live) == motions

    play(tmp_path / "state", story, power=Power(request, kept=True), park=True)


def test_stop_on_the_way_keeps_the_computer_on_and_the_game_goes_on(tmp_path: Path) -> None:
    request = tmp_path / "poweroff"

    async def story(live: Live) -> None:
        await until(has_turns(live, 1))
        want(live, c.ShutDown())
        await until(lambda: live.pipeline.parking)
        assert live.act(a.Stop()) == ""
        await until(lambda: "stays on" in str(live.state()["menu_said"]))
        assert live.act(a.GoOn()) == ""
        await until(has_turns(live, 3))

    play(tmp_path / "state", story, power=Power(request, kept=True))
    assert not request.exists()
