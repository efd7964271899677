"""Other hands than a mouse at the page: keys, fingers, the New-game dialog, the board's buttons, a part of a stack."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from page_rig import PHONE, Daemon, at, centre, click, page_in
from playwright.sync_api import Browser, Page, expect

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SPEED = 8


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """One for all: each test begins its own game at the page."""
    daemon = Daemon(tmp_path_factory.mktemp("hands"), "--seed", "3", "--new", speed=SPEED)
    yield daemon
    daemon.kill()


def has(page: Page, /, **data: str) -> None:
    """The body's data say so, sooner or later."""
    for name, value in data.items():
        expect(page.locator("body")).to_have_attribute(
            f"data-{name}", re.compile(f"^({value})$"), timeout=20_000
        )


def open_dialog(page: Page) -> None:
    page.locator("[data-action=new_game]").click()
    expect(page.locator("#new-game-dialog")).to_be_visible()


def seat(page: Page, number: int) -> Any:
    return page.locator(f'#new-game-seats select[data-seat="{number}"]')


def people_play(page: Page, daemon: Daemon, game: str) -> None:
    """A new game between persons, asked for at the page."""
    page.goto(daemon.url)
    has(page, page="open")
    open_dialog(page)
    page.locator("#choose-game").select_option(game)
    for number in range(page.locator("#new-game-seats select").count()):
        seat(page, number).select_option("human")
    page.locator("#new-game-yes").click()
    has(page, game=game, ply="0", condition="turn")


def walk(page: Page, space: str) -> None:
    """Lead the cursor there by arrow keys; it says where it is."""
    told = page.locator("#cursor")
    for _ in range(24):
        here = (told.text_content() or "").partition(",")[0]
        if here == space:
            return
        if not here:
            page.keyboard.press("ArrowUp")
            expect(told).not_to_have_text("")
            continue
        (x0, y0), (x1, y1) = centre(page, at(here)), centre(page, at(space))
        if abs(x1 - x0) > 12:
            page.keyboard.press("ArrowRight" if x1 > x0 else "ArrowLeft")
        else:
            page.keyboard.press("ArrowDown" if y1 > y0 else "ArrowUp")
        expect(told).not_to_have_text(re.compile(rf"^{here},"))
    raise AssertionError(f"the keys do not lead to {space}")


@pytest.mark.parametrize(
    ("game", "start", "goal", "taken"),
    [("balanx", "a8", "e8", "[data-hand='1']"), ("fourhigh", "d7", "d3", "body[data-held='1']")],
)
def test_a_move_by_keys_alone(
    page: Page, daemon: Daemon, game: str, start: str, goal: str, taken: str
) -> None:
    people_play(page, daemon, game)
    page.locator("#board").focus()
    walk(page, start)
    page.keyboard.press("Enter")
    expect(page.locator(taken)).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page.locator(taken)).to_have_count(0)
    has(page, condition="turn")

    page.keyboard.press("Enter")
    expect(page.locator(taken)).to_have_count(1)
    walk(page, goal)
    expect(page.locator("#cursor")).to_contain_text("may go here")
    page.keyboard.press("Enter")
    has(page, ply="1")
    expect(page.locator("#moves li")).to_have_attribute("data-move", f"{start}-{goal}")


def test_a_finger_taps_one_move_and_drags_the_next(browser: Browser, daemon: Daemon) -> None:
    with page_in(browser, **PHONE) as page:
        people_play(page, daemon, "balanx")
        page.touchscreen.tap(*centre(page, at("a8")))
        expect(page.locator("[data-hand='1']")).to_have_count(1)
        page.touchscreen.tap(*centre(page, at("e8")))
        has(page, ply="1", condition="turn")

        (x0, y0), (x1, y1) = centre(page, at("g1")), centre(page, at("c1"))
        finger = page.context.new_cdp_session(page)
        for kind, part in (("Start", 0.0), ("Move", 0.3), ("Move", 0.7), ("Move", 1.0), ("End", 1.0)):
            there = {"x": x0 + part * (x1 - x0), "y": y0 + part * (y1 - y0)}
            points = [] if kind == "End" else [there]
            finger.send("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": points})
        has(page, ply="2")
        expect(page.locator("#moves li").last).to_have_attribute("data-move", "g1-c1")
        assert page.evaluate("[scrollX, scrollY]") == [0, 0]
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_new_game_is_another_one_at_a_level_and_back(page: Page, daemon: Daemon) -> None:
    people_play(page, daemon, "balanx")
    open_dialog(page)
    page.locator("#choose-game").select_option("banks")
    expect(page.locator("#new-game-seats select")).to_have_count(2)
    page.locator("select[data-tag=Players]").select_option("3")
    expect(page.locator("#new-game-seats select")).to_have_count(3)
    page.locator("select[data-tag=Board]").select_option("4x4")
    seat(page, 0).select_option("human")
    for number in (1, 2):
        seat(page, number).select_option("engine:1")
    page.locator("#new-game-yes").click()
    has(page, game="banks")
    expect(page.locator(".player .who")).to_have_text(["person", "computer, level 1", "computer, level 1"])
    expect(page.locator("[data-space]")).to_have_count(16)

    # Opened again it shows what is there, and Escape leaves that as it is.
    open_dialog(page)
    expect(page.locator("#choose-game")).to_have_value("banks")
    expect(page.locator("select[data-tag=Players]")).to_have_value("3")
    expect(page.locator("select[data-tag=Board]")).to_have_value("4x4")
    expect(seat(page, 2)).to_have_value("engine:1")
    page.keyboard.press("Escape")
    expect(page.locator("#new-game-dialog")).to_be_hidden()
    has(page, game="banks", page="open")

    open_dialog(page)
    page.locator("#choose-game").select_option("balanx")
    expect(page.locator("#new-game-options select")).to_have_count(0)
    seat(page, 0).select_option("human")
    seat(page, 1).select_option("engine:2")
    page.locator("#new-game-yes").click()
    has(page, game="balanx", ply="0", condition="turn")
    expect(page.locator(".player .who")).to_have_text(["person", "computer, level 2"])


def test_a_part_of_a_stack_is_lifted_at_its_side_view_and_led_back(page: Page, daemon: Daemon) -> None:
    people_play(page, daemon, "fourhigh")
    for ply, (start, goal) in enumerate((("d7", "d3"), ("c2", "d3")), start=1):
        click(page, at(start))
        has(page, held="1")
        click(page, at(goal))
        has(page, ply=str(ply), condition="turn", held="")
    page.mouse.move(*centre(page, at("d3")))
    expect(page.locator("#side-view .slice")).to_have_text(["white", "black"])
    page.locator("#side-view [data-lift='1']").click()
    has(page, held="1")
    page.keyboard.press("Escape")
    has(page, held="", condition="turn")

    page.mouse.move(*centre(page, at("d3")))
    page.locator("#board").focus()
    page.keyboard.press("1")
    has(page, held="1")
    click(page, at("d5"))
    has(page, held="", condition="out_of_step")
    expect(page.locator("#guide")).to_contain_text("d3")
    click(page, at("d5"))
    has(page, held="1")
    click(page, at("d3"))
    has(page, condition="turn", ply="2", held="")


def test_the_buttons_of_the_board_take_a_turn_back_and_stop_it(page: Page, daemon: Daemon) -> None:
    people_play(page, daemon, "balanx")
    click(page, at("a8"))
    expect(page.locator("[data-hand='1']")).to_have_count(1)
    click(page, at("e8"))
    has(page, ply="1", condition="turn")

    menu = page.locator("#menu")
    page.locator("[data-press=next]").click()
    expect(menu).to_contain_text("Take back 1 turn")  # the first item there is
    page.locator("[data-press=stop]").click()
    has(page, condition="stopped")
    expect(menu).to_be_hidden()
    page.locator("[data-action=go_on]").press("Enter")
    has(page, condition="turn")
    expect(page.locator("[data-action=go_on]")).to_have_count(0)
    expect(page.locator("#board")).to_be_focused()

    page.locator("[data-action=take_back]").click()
    has(page, ply="0")
    expect(page.locator("#moves li")).to_have_count(0)
    has(page, condition="out_of_step")
    expect(page.locator("[data-action=take_back]")).to_have_count(0)
