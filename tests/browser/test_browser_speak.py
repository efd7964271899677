"""The page reads its words aloud where somebody asks for it, and only there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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


def state(text: str, *, wait_s: float = 0.0, answer: str = "", menu: bool = False) -> Mapping[str, object]:
    """What `Speak` looks at in a state."""
    shown = {"number": 2, "count": 3, "say": "White resigns", "sure": False} if menu else None
    read = {"text": text, "cuts": menu, "wait_s": wait_s, "answer": answer}
    return {"aloud": read, "menu": shown, "menu_said": answer}


TURN = state("White to move.")
FOLLOW = """async (states) => {
  const { Speak } = await import("./speak.js");
  localStorage.setItem("balanx-speak", "yes");
  const speak = new Speak(document.createElement("div"));
  window.said.length = 0;
  for (const [state, ms] of states) {
    speak.follow(state);
    await new Promise((done) => setTimeout(done, ms));
  }
}"""


def follows(page: Page, *states: tuple[Mapping[str, object], int]) -> list[str]:
    """What a voice of its own says of these states, each of which stands for so many ms."""
    page.evaluate(FOLLOW, states)
    return said(page)


def test_the_menus_last_word_is_said_once_and_the_game_after_it(page: Page, daemon: Daemon) -> None:
    page.add_init_script(LISTEN)
    page.goto(daemon.url)
    menu = state("2. White resigns.", menu=True)
    answered = state("White to move.", answer="Level 3 from now on.")
    after = state("Black to move.", answer="Level 3 from now on.")
    heard = follows(page, (TURN, 30), (menu, 30), (answered, 30), (answered, 30), (after, 30))
    assert heard == [
        "White to move.",
        "2. White resigns.",
        "Level 3 from now on. White to move.",
        "Black to move.",
    ]


def test_a_marble_that_is_lifted_for_a_moment_is_not_spoken_of(page: Page, daemon: Daemon) -> None:
    page.add_init_script(LISTEN)
    page.goto(daemon.url)
    lifted = state("The marble from a8 is up.", wait_s=0.6)
    assert follows(page, (TURN, 30), (lifted, 30), (TURN, 30)) == ["White to move."]


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
