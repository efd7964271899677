"""The page reads its words aloud where somebody asks for it, and only there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from page_rig import PATIENCE_MS, Daemon, at, centre
from playwright.sync_api import Page, expect

pytestmark = [pytest.mark.browser, pytest.mark.slow]

LISTEN = """
window.said = [];
Object.defineProperty(window, "speechSynthesis", { value: {
  speaking: false,
  speak(words) { window.said.push(words.text); },
  cancel() { window.said.push("-"); },
} });
"""


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Daemon]:
    daemon = Daemon(tmp_path, "--black", "human", "--seed", "5", speed=10)
    yield daemon
    daemon.kill()


def said(page: Page) -> list[str]:
    found: list[str] = page.evaluate("window.said.filter((text) => text !== '-')")
    return found


def hears(page: Page, words: str) -> None:
    page.wait_for_function(
        "(words) => window.said.some((text) => text.includes(words))", arg=words, timeout=PATIENCE_MS
    )


def test_words_are_read_aloud_once_somebody_asks_for_it(page: Page, daemon: Daemon) -> None:
    page.add_init_script(LISTEN)
    page.goto(daemon.url)
    expect(page.locator("body")).to_have_attribute("data-condition", "turn")
    button = page.locator("#speak")
    expect(button).to_have_attribute("aria-pressed", "false")
    assert said(page) == []
    button.click()
    hears(page, "White to move.")
    x, y = centre(page, at("a8"))
    page.mouse.move(x, y)
    page.mouse.down()
    hears(page, "The marble from a8 is up. It may go to")
    gx, gy = centre(page, at("e8"))
    page.mouse.move(gx, gy, steps=3)
    page.mouse.up()
    hears(page, "White: a8 to e8.")
    hears(page, "Black to move.")
    assert not any("-" in text for text in said(page))

    page.reload()  # it is remembered, and stopped again
    expect(button).to_have_attribute("aria-pressed", "true")
    hears(page, "Black to move.")
    button.click()
    expect(button).to_have_attribute("aria-pressed", "false")
    count = len(said(page))
    page.locator("#tools [data-action=new_game]").click()
    page.keyboard.press("Escape")
    assert len(said(page)) == count
    assert daemon.stop() is not None
