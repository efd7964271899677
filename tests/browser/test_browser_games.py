"""BANKS, Boxilies and Four High at the page: each from its start to its end by the page's hand, against machines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from page_rig import Daemon, at, click
from playwright.sync_api import Page, expect

from balanxd.options import checked_tags, game_of_options
from rules.line import Line

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SPEED = 30
MOST_TURNS = 60
TAGS = {
    "banks": {"Board": "4x4", "Players": "3", "QuietTurns": "1"},
    "boxilies": {},
    "fourhigh": {"QuietLimit": "6"},
}
READY = """() => {
  const now = document.body.dataset;
  return now.phase === "over" || now.condition === "question" || now.condition === "aligning"
    || now.condition === "turning" || document.querySelector("[data-mark=target]") !== null && !now.held
    || (now.condition === "turn" && now.side === "0");
}"""

PIECES_LIE = """cells => {
  const lie = [...document.querySelectorAll("[data-piece]")].map(piece => piece.dataset.at);
  return JSON.stringify(lie.sort()) === JSON.stringify(cells);
}"""


def arguments(game: str, seats: int) -> list[str]:
    """The game with its options, a person and machines, as a command line has them."""
    options = [word for tag, value in TAGS[game].items() for word in ("--set", f"{tag}={value}")]
    machines = [word for seat in range(2, seats + 1) for word in ("--seat", f"{seat}=random")]
    return ["--game", game, "--seed", "4", "--new", *options, *machines]


def held(page: Page, value: str) -> None:
    expect(page.locator("body")).to_have_attribute("data-held", value)


def make(page: Page, game: Any, move: Any) -> None:
    """Play a move with the page's hand: taken with one tap, put down with the next."""
    text = game.move_text(move)
    if game.name == "boxilies":
        click(page, f'[data-beside="{move.stone}"]')
        held(page, "1")
        for _ in range(move.rotation):
            click(page, "[data-action=turn]")
        click(page, at(game.cell_names[move.cell]))
    elif text.startswith("*"):
        ply = page.locator("body").get_attribute("data-ply")
        click(page, at(text[1:]))
        # It counts as soon as it is lifted, and is laid aside later: by a machine that plays then, or by us.
        page.wait_for_function("ply => document.body.dataset.ply !== ply", arg=ply)
        return
    else:
        origin, goal = game.travel(move)
        click(page, at(game.cell_names[origin]))
        held(page, "1")
        expect(page.locator(f'[data-mark=target][data-of="{game.cell_names[goal]}"]')).not_to_have_count(0)
        click(page, at(game.cell_names[goal]))
    held(page, "")


def moves_on(page: Page) -> list[str]:
    found = page.locator("#moves li").evaluate_all("turns => turns.map(turn => turn.dataset.move)")
    return [str(move) for move in found]


def line_on(page: Page, game: Any, begin: str) -> Line[Any, Any]:
    line: Line[Any, Any] = Line.begin(game, game.parse_position(begin))
    for move in moves_on(page):
        line = line.push(game.parse_move(move))
    return line


@pytest.mark.parametrize("name", TAGS)
def test_a_game_is_played_at_the_page_to_its_end(page: Page, tmp_path: Path, name: str) -> None:
    tags = checked_tags(name, TAGS[name])
    game: Any = game_of_options(tags, 4)
    begin = game.position_text(game.start())
    seats = len(game.seats)
    daemon = Daemon(tmp_path, *arguments(name, seats), speed=SPEED)
    try:
        page.goto(daemon.url)
        body = page.locator("body")
        expect(body).to_have_attribute("data-game", name)
        made = 0
        for _ in range(MOST_TURNS):
            page.wait_for_function(READY)
            # One look: what is there may be another thing a moment later.
            now = page.evaluate(
                "() => ({...document.body.dataset, due: document.querySelector('[data-mark=target]')?.dataset.of})"
            )
            if now["phase"] == "over":
                break
            if now.get("held"):  # a disk that was chosen
                page.keyboard.press("x")
                held(page, "")
                continue
            if now["condition"] == "turning" and now["side"] == "0" and now.get("due"):
                click(page, at(now["due"]))  # a figure is to be turned
                page.wait_for_function(
                    "([due, ply]) => document.body.dataset.ply !== ply || "
                    "document.querySelector(`[data-mark=target][data-of=${due}]`) === null",
                    arg=[now["due"], now["ply"]],
                )
                continue
            if now["condition"] != "turn" or now["side"] != "0":
                page.wait_for_function(
                    "([condition, ply]) => document.body.dataset.condition !== condition "
                    "|| document.body.dataset.ply !== ply",
                    arg=[now["condition"], now["ply"]],
                )
                continue
            line = line_on(page, game, begin)
            if line.position.side != 0:
                continue
            moves = list(game.moves(line.position))
            make(page, game, moves[(7 * made) % len(moves)])
            made += 1
            page.wait_for_function(
                "ply => document.body.dataset.ply !== ply || document.body.dataset.condition !== 'turn'",
                arg=str(line.position.ply),
            )
        expect(body).to_have_attribute("data-phase", "over")
        assert made > 1
        line = line_on(page, game, begin)
        assert line.outcome is not None
        expect(page.locator("#over")).to_have_attribute("data-outcome", game.result_text(line.outcome))
        shown = page.locator(".score").all_inner_texts()
        assert len(shown) == seats
        picture = game.picture(line.position, game.sensors[0])
        lies = [cell for cell, seen in zip(game.cell_names, picture, strict=True) if seen]
        page.wait_for_function(
            PIECES_LIE, arg=sorted(lies)
        )  # the table's news come a little after the result
        daemon.stop()
    finally:
        daemon.kill()
