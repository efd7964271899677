"""A person at the page: a game dragged by mouse over the whole chain, in Debian's Chromium, over the pseudo-terminal.

The page is read as a person reads it. At the end three witnesses are compared: what the page shows, what the
journal says, and where the simulator's own marbles lie.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import checker
import pytest
from page_rig import PATIENCE_MS, Daemon, at, centre
from playwright.sync_api import Page, expect

from balanxd.games import replay
from balanxd.journal import read_journal
from engine.search import search
from rules.balanx.game import BalanxGame
from rules.balanx.layout import layout_named
from rules.game import Illegal
from rules.line import Line

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SPEED = 6
TURNS = 20
GAME = BalanxGame(layout_named("classic"))
AnyLine = Line[Any, Any]


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Daemon]:
    daemon = Daemon(tmp_path, "--black", "engine:1", "--seed", "5", speed=SPEED)
    yield daemon
    daemon.kill()


def drag(page: Page, start: str, goal: str) -> None:
    """Take the marble on `start` and let it go over `goal`, as a hand with a mouse does."""
    (x0, y0), (x1, y1) = centre(page, at(start)), centre(page, at(goal))
    page.mouse.move(x0, y0)
    page.mouse.down()
    page.mouse.move((x0 + x1) / 2, (y0 + y1) / 2, steps=3)
    page.mouse.move(x1, y1, steps=3)
    page.mouse.up()


def wait_for(page: Page, condition: str) -> None:
    expect(page.locator("body")).to_have_attribute(
        "data-condition", re.compile(condition), timeout=PATIENCE_MS
    )


def wait_for_ply(page: Page, ply: int) -> None:
    expect(page.locator("body")).to_have_attribute("data-ply", str(ply), timeout=PATIENCE_MS)
    expect(page.locator("#moves li")).to_have_count(ply, timeout=PATIENCE_MS)


def line_on(page: Page) -> AnyLine:
    """The line of play that the page shows."""
    moves = page.locator("#moves li").evaluate_all("turns => turns.map(turn => turn.dataset.move)")
    line: AnyLine = Line.begin(GAME)
    for move in moves:
        line = line.push(GAME.parse_move(move))
    return line


def marbles_on(page: Page) -> dict[str, int]:
    """Space -> seat, as the page draws them."""
    rows = page.locator("[data-marble]").evaluate_all(
        "marbles => marbles.map(marble => [marble.dataset.at, Number(marble.dataset.seat)])"
    )
    return dict(rows)


def marbles_come_to_rest(page: Page, line: AnyLine) -> None:
    """The page draws what rolls a little later than it is; in the end it shows the position."""
    wanted = marbles_in(line)
    for _ in range(PATIENCE_MS // 100):
        if marbles_on(page) == wanted:
            return
        page.wait_for_timeout(100)
    assert marbles_on(page) == wanted, "the page's marbles and its moves do not agree"


def marbles_in(line: AnyLine) -> dict[str, int]:
    return {
        name: seat
        for cell, name in enumerate(GAME.cell_names)
        if (seat := GAME.owner(line.position, cell)) is not None
    }


def good_move(line: AnyLine) -> tuple[str, str]:
    start, _, goal = GAME.move_text(search(GAME, line.position, nodes=300, seed=1).move).partition("-")
    return start, goal


def illegal_move(line: AnyLine) -> tuple[str, str]:
    """A from-to of the player to move that the rules refuse, and whose marbles cannot roll anywhere."""
    game, position = GAME, line.position
    singles = [cells[0] for cells in game.layout.grooves if len(cells) == 1]
    for start in range(game.cells):
        if game.owner(position, start) != position.side:
            continue
        for goal in singles:
            text = f"{game.cell_names[start]}-{game.cell_names[goal]}"
            if game.owner(position, goal) is None and isinstance(
                game.judge(position, game.parse_move(text)), Illegal
            ):
                return game.cell_names[start], game.cell_names[goal]
    raise AssertionError("every move is legal here")


def my_turn(page: Page) -> None:
    wait_for(page, "^turn$")
    expect(page.locator("body")).to_have_attribute("data-side", "0")


def play_turns(page: Page, count: int) -> None:
    """Drag `count` moves, each answered by the computer, whose moves the simulated hand makes."""
    for _ in range(count):
        my_turn(page)
        line = line_on(page)
        drag(page, *good_move(line))
        wait_for_ply(page, len(line.moves) + 2)


def test_a_game_dragged_against_the_computer(page: Page, daemon: Daemon) -> None:
    page.goto(daemon.url)
    my_turn(page)
    play_turns(page, 2)

    # An illegal move is explained and led back.
    my_turn(page)
    before = line_on(page)
    start, goal = illegal_move(before)
    drag(page, start, goal)
    wait_for(page, "^out_of_step$")
    verdict = GAME.judge(before.position, GAME.parse_move(f"{start}-{goal}"))
    assert isinstance(verdict, Illegal)
    expect(page.locator("#panel")).to_contain_text(verdict.sentence)
    expect(page.locator("#guide")).to_contain_text(start)
    expect(page.locator(f'[data-space="{start}"]')).to_have_attribute("data-marks", re.compile("missing"))
    drag(page, goal, start)
    my_turn(page)
    assert line_on(page).moves == before.moves

    # A lifted marble shows where it may go; put back, nothing has happened.
    start, goal = good_move(before)
    page.mouse.move(*centre(page, at(start)))
    page.mouse.down()
    expect(page.locator(f'[data-space="{goal}"]')).to_have_attribute("data-marks", re.compile("target"))
    page.keyboard.press("Escape")
    page.mouse.up()
    my_turn(page)

    # Taken back: the computer's marble goes home, then one's own.
    play_turns(page, 1)
    my_turn(page)
    after = line_on(page)
    assert len(after.moves) == len(before.moves) + 2
    for earlier, later in ((after.back(1), after), (after.back(2), after.back(1))):
        drag_back(page, earlier, later)
    wait_for(page, "^takeback$")
    wait_for_ply(page, len(before.moves))
    my_turn(page)
    assert line_on(page).moves == before.moves

    play_turns(page, TURNS)

    my_turn(page)
    line = line_on(page)
    assert len(line.moves) == len(before.moves) + 2 * TURNS
    marbles_come_to_rest(page, line)
    daemon.stop()
    (journal,) = (daemon.state / "games").glob("*.journal")
    replayed = replay(read_journal(journal.read_bytes()).events)
    assert replayed.line.moves == line.moves
    table = json.loads((daemon.state / "table.json").read_text())
    lying = {GAME.cell_names[marble["cell"]]: marble["seat"] for marble in table["marbles"]}
    assert lying == marbles_in(line), "the simulator's own marbles lie elsewhere"
    shutil.copy(journal, daemon.trace / "game.journal")
    assert checker.check_trace(daemon.trace).wrong == []


def drag_back(page: Page, earlier: AnyLine, later: AnyLine) -> None:
    """Undo one turn with the hand, on the board as it is tilted now."""
    seat = GAME.tilt(line_on(page).position)
    was, now = (GAME.level(GAME.picture(line.position, "colour"), seat) for line in (earlier, later))
    (start,) = (cell for cell, (a, b) in enumerate(zip(was, now, strict=True)) if b and not a)
    (goal,) = (cell for cell, (a, b) in enumerate(zip(was, now, strict=True)) if a and not b)
    expect(page.locator("[data-hand='1']")).to_have_count(0)
    drag(page, GAME.cell_names[start], GAME.cell_names[goal])


def test_the_page_says_when_its_program_is_gone_and_comes_back(page: Page, tmp_path: Path) -> None:
    people = ("--white", "human", "--black", "human", "--seed", "7")
    daemon = Daemon(tmp_path, *people, speed=SPEED)
    page.goto(daemon.url)
    my_turn(page)
    drag(page, "a8", "e8")
    wait_for_ply(page, 1)
    daemon.kill()
    expect(page.locator("body")).to_have_attribute("data-page", "lost")
    port = re.search(r":(\d+)/", daemon.url)
    assert port is not None
    again = Daemon(tmp_path, *people, "--http", f"127.0.0.1:{port[1]}", speed=SPEED)
    try:
        expect(page.locator("body")).to_have_attribute("data-page", "open", timeout=PATIENCE_MS)
        wait_for_ply(page, 1)
        wait_for(page, "^turn$")
        expect(page.locator("body")).to_have_attribute("data-side", "1")
        marbles_come_to_rest(page, line_on(page))
    finally:
        again.kill()


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_the_essentials_fit_without_scrolling(page: Page, daemon: Daemon, width: int, height: int) -> None:
    page.set_viewport_size({"width": width, "height": height})
    page.goto(daemon.url)
    my_turn(page)
    for selector in ("#board", "#headline", "#detail"):
        box = page.locator(selector).bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["y"] >= 0
        assert box["x"] + box["width"] <= width
        assert box["y"] + box["height"] <= height
    assert page.evaluate("document.documentElement.scrollWidth") <= width
