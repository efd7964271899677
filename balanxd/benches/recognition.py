"""Recognition: how long the referee takes to explain a picture, on the widest position of each game."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from hardware.occupancy import Change
from referee.infer import Prospects, infer
from referee.quick import first_of_two
from referee.witness import Witness
from rules.games import AnyGame, game_of_tags

from .figures import Figure

WIDEST = {
    "balanx": "W3B2/1W5/1WW1W2/1WWBB2/2WBB2/2B1B2/W1B1B2/3B1W1 B 61",
    "banks": (
        ".20...../3.1...../4.....21/...0.11./20....../.....020/.......1/....2.0. 000111 "
        "2,2,2,2,2,2;2,2,2,2,2,2 0 0"
    ),
    "boxilies": ".,.,./.,.,./.,.,. A",
    "fourhigh": ("1,B,3,B,2/WWWW,2,B,3,WWWW/B,4,B,B,1/3,B,3,B/5,B,2/2,B,5/1,B,6/WWW,2,B,2,B,1 B 0"),
}
"""Positions with many legal moves: the widest of thousands drawn by chance."""

TIMES = 40
STRANGE = 83  # on an empty board: a stone of the player who is not to move


def measure_recognition() -> list[Figure]:
    """The slowest kind of answer for each game, each answer's time the median of many, nothing remembered."""
    return [_slowest(name, text) for name, text in WIDEST.items()]


def _slowest(name: str, text: str) -> Figure:
    game = game_of_tags({"Game": name, "Setup": text} if name == "banks" else {"Game": name})
    position = game.parse_position(text)
    times = {what: _median_ms(answer) for what, answer in answers_of(game, position).items()}
    worst = max(times, key=lambda what: times[what])
    moves = len(game.moves(position))
    return Figure(
        f"recognition_{name}", f"{moves} legal moves, {worst}, median", times[worst], "ms", 5.0, "max"
    )


def answers_of(game: AnyGame, position: Any) -> dict[str, Callable[[], object]]:
    """What has to be explained: the last of all moves, a piece that is nowhere, and two quick turns."""
    sensor, tilt = game.sensors[0], game.tilt(position)
    expected = game.level(game.picture(position, sensor), tilt)
    move = game.moves(position)[-1]
    after = game.play(position, move)
    moved = game.level(game.picture(after, sensor), tilt)
    wrong = bytearray(expected)
    wrong[expected.index(0)] = max(expected) or STRANGE
    answers: dict[str, Callable[[], object]] = {
        "a move": lambda: _infer(game, position, moved),
        "a wrong picture": lambda: _infer(game, position, bytes(wrong)),
    }
    if not game.tilts:
        second = game.play(after, game.moves(after)[-1])
        twice = game.picture(second, sensor)
        changes = [*_changes(expected, moved, 0.0), *_changes(moved, twice, 1.0)]

        def two_turns() -> object:
            prospects = Prospects(game, sensor, position, tilt)
            seen = infer(prospects, (), twice, (), edges_lost=False, bad=frozenset())
            first = first_of_two(prospects, twice, Witness(changes), frozenset(), None)
            return seen, first

        answers["two quick turns"] = two_turns
    return answers


def _infer(game: AnyGame, position: Any, picture: bytes) -> object:
    prospects = Prospects(game, game.sensors[0], position, game.tilt(position))
    return infer(prospects, (), picture, (), edges_lost=True, bad=frozenset())


def _changes(before: bytes, after: bytes, at_s: float) -> list[Change]:
    """From one picture to the next: what was lifted, then what was put."""
    cells = [cell for cell, (old, new) in enumerate(zip(before, after, strict=True)) if old != new]
    lifted = [Change(at_s, cell, 0) for cell in cells if before[cell]]
    return lifted + [Change(at_s + 0.5, cell, after[cell]) for cell in cells if after[cell]]


def _median_ms(answer: Callable[[], object]) -> float:
    times = []
    for _ in range(TIMES):
        begun = time.process_time()
        answer()
        times.append((time.process_time() - begun) * 1000)
    return sorted(times)[len(times) // 2]
