"""Two turns without a rested picture between them: what edges prove, what the picture alone tells, and when to ask."""

from typing import Any

import pytest

from hardware.occupancy import Change
from referee.infer import Prospects
from referee.quick import Either, First, first_of_two
from referee.witness import Witness
from rules.games import AnyGame, game_named, game_of_tags

HIGH = game_named("fourhigh")
NONE: frozenset[int] = frozenset()


def after(game: AnyGame, *moves: str) -> Any:
    position = game.start()
    for move in moves:
        position = game.play(position, game.parse_move(move))
    return position


def cell(game: AnyGame, name: str) -> int:
    return game.cell_names.index(name)


def asked(game: AnyGame, picture: bytes, witness: Witness, made: str = "", sensor: str = "") -> Any:
    prospects = Prospects(game, sensor or game.sensors[0], game.start(), None)
    return first_of_two(prospects, picture, witness, NONE, game.parse_move(made) if made else None)


def changes(game: AnyGame, *told: tuple[str, int]) -> list[Change]:
    return [Change(number * 0.1, cell(game, name), reading) for number, (name, reading) in enumerate(told)]


BOTH = HIGH.picture(after(HIGH, "d7-d5", "d2-d4"), "stack")


@pytest.mark.parametrize(
    ("told", "left"),
    [
        ([("d7", 0), ("d5", 1), ("d2", 0), ("d4", 5)], 2),
        ([("d7", 0), ("d7", 1), ("d7", 0), ("d5", 1), ("d5", 0), ("d5", 1), ("d2", 0), ("d4", 5)], 2),
    ],
)
def test_edges_that_showed_the_first_turn_prove_it(told: list[tuple[str, int]], left: int) -> None:
    first = asked(HIGH, BOTH, Witness(changes(HIGH, *told)))
    assert isinstance(first, First)
    assert (HIGH.move_text(first.move), first.witnessed, len(first.rest)) == ("d7-d5", True, left)


@pytest.mark.parametrize(
    "witness",
    [
        Witness([], lost=True),
        Witness(changes(HIGH, ("d2", 0), ("d7", 0), ("d4", 5), ("d5", 1))),
    ],
    ids=["edges lost", "hands at the same time"],
)
def test_the_picture_alone_tells_two_whole_turns(witness: Witness) -> None:
    first = asked(HIGH, BOTH, witness)
    assert isinstance(first, First)
    assert (HIGH.move_text(first.move), first.witnessed) == ("d7-d5", False)


def test_a_provisional_turn_counts_when_the_next_player_lifts_and_not_when_its_own_does() -> None:
    picture = bytearray(HIGH.picture(after(HIGH, "d7-d5"), "stack"))
    own, other = picture.copy(), picture.copy()
    own[cell(HIGH, "e7")] = 0
    other[cell(HIGH, "d2")] = 0
    assert isinstance(asked(HIGH, bytes(other), Witness([]), "d7-d5"), First)
    assert asked(HIGH, bytes(own), Witness([]), "d7-d5") is None


def test_a_wrong_second_turn_is_no_second_turn() -> None:
    picture = bytearray(HIGH.picture(after(HIGH, "d7-d5"), "stack"))
    picture[cell(HIGH, "e7")], picture[cell(HIGH, "e6")] = 0, 1  # Black once more
    told = changes(HIGH, ("d7", 0), ("d5", 1), ("e7", 0), ("e6", 1))
    assert asked(HIGH, bytes(picture), Witness(told)) is None


def test_where_several_pairs_remain_it_is_asked() -> None:
    game = game_of_tags({"Game": "boxilies"})
    picture = game.picture(after(game, "A1@a1r0", "B1@c3r0"), "presence")
    found = asked(game, picture, Witness([], lost=True), sensor="presence")
    assert isinstance(found, Either)
    cells = {game.travel(move)[0] for move in found.moves}
    assert cells == {cell(game, "a1"), cell(game, "c3")}


def test_nothing_is_made_of_an_untouched_board() -> None:
    assert asked(HIGH, HIGH.picture(HIGH.start(), "stack"), Witness([])) is None
