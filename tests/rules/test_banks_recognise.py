"""What BANKS' sensors tell: pictures, lifts, drops, explanations, and adopting what lies there."""

from __future__ import annotations

import random
from collections import defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.banks import BanksGame, Lattice, Move, Position, choice
from rules.banks.judge import Reason
from rules.game import Illegal
from rules.line import Line

NONE = "0,0,0,0,0,0"
UNREAD = 7
SEEDS = st.integers(0, 2**32 - 1)


def place(rows: str) -> tuple[BanksGame, Position]:
    """A game of two where seat 0, to move, owns red, green and blue."""
    game = BanksGame.of_position(f"{rows} 010101 {NONE};{NONE} 0 0")
    return game, game.start()


@st.composite
def middles(draw: st.DrawFn) -> tuple[BanksGame, Position]:
    """A position that was reached by play, choosing or later, in a game that goes on."""
    players, lattice = draw(st.integers(2, 6)), Lattice(draw(st.integers(3, 6)), draw(st.integers(2, 6)))
    game = BanksGame.shuffled(lattice, players, draw(st.integers(1, 6)), draw(SEEDS))
    rng = random.Random(draw(SEEDS))
    line = Line.begin(game)
    for _ in range(draw(st.integers(0, 30))):
        further = line.push(rng.choice(game.moves(line.position)))
        if further.outcome is not None:
            break
        line = further
    return game, line.position


@given(middles())
@settings(max_examples=60)
def test_pictures_tell_moves_apart_but_for_captures_of_disks_alike(
    middle: tuple[BanksGame, Position],
) -> None:
    game, position = middle
    groups: dict[bytes, list[Move]] = defaultdict(list)
    for move in game.moves(position):
        groups[game.picture(game.play(position, move), "colour")].append(move)
    assert game.picture(position, "colour") not in groups
    for moves in groups.values():
        if len(moves) > 1:
            assert len({move.origin for move in moves}) == 1
            assert all(position.disks[move.target] == position.disks[move.origin] for move in moves)
            # And so it matters to the record alone which one it was.
            assert len({game.play(position, move) for move in moves}) == 1


@given(middles())
@settings(max_examples=40)
def test_pictures_are_level_and_hold_what_lies_there(middle: tuple[BanksGame, Position]) -> None:
    game, position = middle
    picture = game.picture(position, "colour")
    assert len(picture) == game.cells
    assert max(picture) <= 6
    assert game.tilt(position) is None
    for tilt in (None, 0, 1):
        assert game.level(picture, tilt) == picture
    for cell, reading in enumerate(picture):
        seat = position.owners[reading - 1] if reading else -1
        assert game.owner(position, cell) == (None if seat == -1 else seat)


def test_travel() -> None:
    game, _ = place("0.../..../..../....")
    assert game.travel(game.parse_move("a1-c2")) == (0, 6)
    assert game.travel(choice(5)) == (5, 5)
    assert not game.is_pass(choice(5))


EDGES = {
    "nothing": ([], "", ""),
    "lift": ([(0, 0)], "a1", ""),
    "flicker": ([(0, 0), (0, 1)], "", "a1"),
    "unread is no lift": ([(0, UNREAD)], "", ""),
    "unread and back": ([(0, UNREAD), (0, 1)], "", "a1"),
    "move": ([(0, 0), (2, UNREAD), (2, 1)], "a1", ""),
    "capture, mover first": ([(0, 0), (1, 0), (1, 1)], "a1 b1", "b1"),
    "capture, victim first": ([(1, 0), (0, 0), (1, UNREAD), (1, 1)], "a1 b1", "b1"),
    "capture by exchange": ([(0, 0), (1, UNREAD), (1, 1)], "a1 b1", "b1"),
    "capture of a disk alike": ([(0, 0), (3, 0), (3, 1)], "a1", "d1"),
    "two drops in order": ([(3, 0), (1, 0), (1, 2), (3, 1)], "", "b1 d1"),
}


@pytest.mark.parametrize(("edges", "gone", "drops"), EDGES.values(), ids=EDGES)
def test_edges(edges: list[tuple[int, int]], gone: str, drops: str) -> None:
    game, position = place("01.0/..../..../....")
    lifted = game.lifted(position, edges)
    assert lifted is not None
    assert {game.cell_names[cell] for cell in lifted} == set(gone.split())
    assert [game.cell_names[cell] for cell in game.dropped(position, edges)] == drops.split()


def test_edges_that_do_not_fit() -> None:
    game, position = place("01.0/..../..../....")
    assert game.lifted(position, [(2, 0)]) is None
    assert game.lifted(position, [(0, 0), (0, 0)]) is None


SEEN = {
    "in step": ("0111/1011/1111/1111", "", None, None),
    "another player's": ("01../..../..../....", "b1 c1:2", None, ("b1-c1", Reason.NOT_YOUR_DISK)),
    "off its rails": ("0.../..../..../....", "a1 b2:1", None, ("a1-b2", Reason.OFF_RAILS)),
    "in the way": ("01../11../..../....", "a1 d1:1", None, ("a1-d1", Reason.WAY_BLOCKED)),
    "without a bank": ("0111/1011/1111/1111", "b2 b1:1", None, ("b2-b1", Reason.NO_BANK)),
    "legal": ("0.../..../..../....", "a1 b1:1", None, None),
    "in the hand": ("0111/1011/1111/1111", "b2", None, None),
    "two in the hand": ("0111/1011/1111/1111", "b2 b1", None, None),
    "disk alike dropped": ("0011/1011/1111/1111", "b2", "b2 b1", ("b2-b1", Reason.NO_BANK)),
    "disk alike, legally": ("0011/1011/1111/1111", "a1", "a1 b1", None),
    "another colour came": ("0.../..../..../....", "a1 b2:3", None, None),
    "unread": ("0.../..../..../....", "a1 b2:7", None, None),
    "one too many": ("0.../..../..../....", "b2:1", None, None),
}


@pytest.mark.parametrize(("rows", "changes", "witness", "answer"), SEEN.values(), ids=SEEN)
def test_explanations(
    rows: str, changes: str, witness: str | None, answer: tuple[str, Reason] | None
) -> None:
    game, position = place(rows)
    picture = bytearray(position.disks)
    for change in changes.split():
        name, _, reading = change.partition(":")
        picture[game.cell_names.index(name)] = int(reading or "0")
    lifted = None if witness is None else frozenset(map(game.cell_names.index, witness.split()))
    found = game.explain(position, bytes(picture), "colour", None, lifted)
    assert (found and (game.move_text(found[0]), found[1].reason)) == answer


def test_explanations_while_colours_are_chosen() -> None:
    game = BanksGame.of_position(f"0.3./1.4./..25/.... 012--- {NONE};{NONE};{NONE} 2 0")
    position = game.start()

    def found(changes: dict[int, int]) -> tuple[str, Reason] | None:
        picture = bytearray(position.disks)
        for cell, reading in changes.items():
            picture[cell] = reading
        answer = game.explain(position, bytes(picture), "colour", None, None)
        return answer and (game.move_text(answer[0]), Reason(answer[1].reason))

    assert found({0: 0}) == ("*a1", Reason.COLOUR_TAKEN)
    assert found({2: 0}) is None
    assert found({0: 0, 1: 1}) == ("a1-b1", Reason.CHOICE_DUE)


@given(middles(), SEEDS)
@settings(max_examples=60)
def test_every_illegal_from_to_is_explained(middle: tuple[BanksGame, Position], seed: int) -> None:
    game, position = middle
    rng = random.Random(seed)
    disks = [cell for cell, reading in enumerate(position.disks) if reading]
    for _ in range(20):
        move = Move(rng.choice(disks), rng.randrange(game.cells))
        verdict = game.judge(position, move)
        if move.origin == move.target or not isinstance(verdict, Illegal):
            continue
        picture = bytearray(position.disks)
        picture[move.origin], picture[move.target] = 0, position.disks[move.origin]
        witness = frozenset({move.origin, move.target})
        assert game.explain(position, bytes(picture), "colour", None, witness) == (move, verdict)


@given(middles(), SEEDS)
@settings(max_examples=40)
def test_the_board_is_right_when_all_disks_are_there(middle: tuple[BanksGame, Position], seed: int) -> None:
    game, position = middle
    disks = list(position.disks)
    random.Random(seed).shuffle(disks)
    picture = bytes(disks)
    adopted = game.adopt(position, picture, "colour", None, None)
    assert adopted is not None
    assert adopted.disks == picture
    assert (adopted.side, adopted.ply, adopted.hands) == (position.side, position.ply, position.hands)
    assert game.parse_position(game.position_text(adopted)) == adopted
    taken = picture.index(max(picture))
    for other in {0, 1, 2, UNREAD} - {picture[taken]}:
        changed = picture[:taken] + bytes([other]) + picture[taken + 1 :]
        assert game.adopt(position, changed, "colour", None, None) is None
