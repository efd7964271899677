"""What the engines of the sensor-board games know: held against the rules, and against a walk through every line."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.banks import search as banks_search
from engine.banks.search import View
from engine.banks.worth import standing, worth_for
from engine.boxilies.search import END, plies_left
from engine.boxilies.search import search as boxilies_search
from engine.errors import NothingToPlay
from engine.fourhigh.search import search as fourhigh_search
from engine.fourhigh.stacks import after, captures, closed, quiets, stacks_of, turned
from engine.fourhigh.worth import WON, worth_of
from rules.banks import BanksGame, Lattice
from rules.banks import HouseRules as BanksRules
from rules.boxilies import Board, BoxiliesGame, HouseRules
from rules.fourhigh import FourHighGame, Move
from rules.fourhigh import HouseRules as FourHighRules
from rules.fourhigh.judge import closed as closed_by_the_rules

SEEDS = st.integers(0, 2**32 - 1)
FOUR = FourHighGame()


def played(game: Any, seed: int, turns: int) -> Any:
    """A position after so many turns of chance, or the last before the end."""
    rng = random.Random(seed)
    position = game.start()
    for _ in range(turns):
        move = rng.choice(game.moves(position))
        if game.outcome_after(position, move) is not None:
            break
        position = game.play(position, move)
    return position


# -- Four High -----------------------------------------------------------------------------------------


@given(SEEDS, st.integers(0, 150))
@settings(max_examples=40)
def test_stacks_move_as_the_rules_say_and_their_worth_adds_up(seed: int, turns: int) -> None:
    position = played(FOUR, seed, turns)
    stacks, worth = stacks_of(position), worth_of(FOUR.house)
    steps = captures(stacks) + quiets(stacks)
    found = {Move(step.origin, step.target): step for step in steps}
    assert len(found) == len(steps)
    assert set(found) == set(FOUR.moves(position))
    assert turned(turned(stacks)) == stacks
    score = worth.score(position)
    for move, step in found.items():
        then = FOUR.play(position, move)
        assert after(stacks, step) == stacks_of(then)
        assert closed(stacks_of(then)) == closed_by_the_rules(then.stacks)
        of = worth.of
        gain = (
            of[step.height + step.prey][step.target]
            - of[step.height][step.origin]
            + of[step.prey][step.target]
        )
        assert worth.score(then) == -(score + gain)


FOURS = {
    "a four by a single": ("8/8/8/8/3,WWW,4/3,B,4/8/W,6,W B 3", "d3-d4", False),
    "the capture that closes the game and wins": ("8/8/8/8/3,WWW,4/3,B,4/8/8 B 3", "d3-d4", True),
    "far, by a three": ("7,W/8/8/8/8/8/8/BBB,7 B 3", "a1-h8", True),
}


@pytest.mark.parametrize(("text", "move", "won"), FOURS.values(), ids=FOURS)
@pytest.mark.parametrize("nodes", [200, 2000])
def test_what_counts_at_once_is_taken(text: str, move: str, won: bool, nodes: int) -> None:
    position = FOUR.parse_position(text)
    thought = fourhigh_search(FOUR, position, nodes=nodes, seed=1)
    assert FOUR.move_text(thought.move) == move
    assert not won or thought.score > WON


def test_the_end_by_quiet_turns_is_seen() -> None:
    """White leads by a four; Black, who must capture now or lose, finds the capture."""
    game = FourHighGame(FourHighRules(quiet_limit=20))
    text = "WWWW,7/8/8/8/2,WWW,5/2,B,5/8/6,W,W B 19"
    thought = fourhigh_search(game, game.parse_position(text), nodes=2000, seed=2)
    assert game.move_text(thought.move) == "c3-c4"
    with pytest.raises(NothingToPlay):
        fourhigh_search(game, game.parse_position(text[:-2] + "20"), nodes=10, seed=1)


# -- Boxilies ------------------------------------------------------------------------------------------


def lead(game: BoxiliesGame, position: Any) -> int:
    """By how many stones the player to move ends ahead if both play best: every line, by the rules alone."""
    if (over := game.outcome(position)) is not None:
        return over.scores[position.side] - over.scores[1 - position.side]
    return max(-lead(game, game.play(position, move)) for move in game.moves(position))


BOXES = {
    "3x3": BoxiliesGame(),
    "ties and chains on a ring": BoxiliesGame(
        Board(2, 3), house=HouseRules(ties=True, chains=True, wrap=True)
    ),
    "unturned and once": BoxiliesGame(
        Board(3, 3), house=HouseRules(turning=False, recapture=False), starter=1
    ),
    "2x5, which may be drawn": BoxiliesGame(Board(2, 5)),
}


@pytest.mark.parametrize("game", BOXES.values(), ids=BOXES)
@pytest.mark.parametrize("left", [1, 2, 3])
def test_the_end_is_solved_exactly(game: BoxiliesGame, left: int) -> None:
    for seed in range(4):
        position = game.start()
        rng = random.Random(f"{seed}")
        while plies_left(game, position) > left:
            position = game.play(position, rng.choice(game.moves(position)))
        thought = boxilies_search(game, position, nodes=1_000_000, seed=seed)
        best = lead(game, position)
        assert thought.depth == left
        assert thought.score == 100 * best + (END if best > 0 else -END if best < 0 else 0)
        assert -lead(game, game.play(position, thought.move)) == best


def test_the_search_deepens_to_the_full_board_and_no_further() -> None:
    game = BoxiliesGame(Board(2, 2))
    thought = boxilies_search(game, game.start(), nodes=1_000_000, seed=1)
    assert thought.depth == 4 == len(thought.line)
    assert thought.nodes < 1_000_000
    assert abs(thought.score) in (0, END + 200, END + 400)


# -- BANKS ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("view", View)
@pytest.mark.parametrize("players", [2, 3, 5])
def test_whoever_leads_ends_the_game_by_taking_the_last_disk_of_the_next(players: int, view: View) -> None:
    """Player 1 may capture any of three disks; only one of them leaves the next player without a disk."""
    owners = {2: "010101", 3: "012012", 5: "01234-"}[players]
    hands = ["2,2,2,0,0,0", *["1,0,0,0,0,0"] * (players - 1)]
    text = f"0..0./...../.1..2/...../0...0 {owners} {';'.join(hands)} 0 0"
    game = BanksGame.of_position(text)
    endings = [move for move in game.moves(game.start()) if game.outcome_after(game.start(), move)]
    assert endings
    thought = banks_search.search(game, game.start(), nodes=600, seed=1, view=view)
    assert thought.move in endings
    assert thought.score > 1_000_000


def test_new_colours_are_worth_more_while_disks_are_plenty_and_nothing_at_the_end() -> None:
    plenty = worth_for(BanksRules(), 2, 50, 6, 10)
    assert list(plenty.gain) == sorted(plenty.gain, reverse=True)
    assert plenty.gain[0] > plenty.gain[1] > 0
    end = worth_for(BanksRules(), 2, 0, 50, 10)
    assert end.gain[0] == 0 < end.gain[1]
    whole = worth_for(BanksRules(whole_set=True), 2, 0, 50, 10)
    assert whole.gain[0] > whole.gain[1]
    few = worth_for(BanksRules(), 6, 50, 6, 10)
    assert few.gain[0] < plenty.gain[0]
    broad, deep = (2, 2, 2, 1, 1, 1), (3, 3, 3, 0, 0, 0)
    assert plenty.hand(broad) - plenty.hand(deep) > 500 > 50 > abs(few.hand(broad) - few.hand(deep))
    assert standing((5, 1, 3), 0) == 5 - (3 + 2) // 2


@given(SEEDS, st.integers(2, 6), st.integers(0, 40), st.sampled_from(list(View)))
@settings(max_examples=30)
def test_banks_moves_are_legal_on_any_board(seed: int, players: int, turns: int, view: View) -> None:
    rng = random.Random(seed)
    lattice = Lattice(rng.randint(3, 6), rng.randint(2, 6))
    house = BanksRules(rng.choice([0, 1, 20]), rng.random() < 0.7, rng.random() < 0.3)
    game = BanksGame.shuffled(lattice, players, rng.randint(1, 5), seed, house)
    position = played(game, seed, turns + 6)
    if position.choosing:
        assert banks_search.best_choice(game, position, seed) in game.moves(position)
    elif game.moves(position):
        thought = banks_search.search(game, position, nodes=60, seed=seed, view=view)
        assert thought.move in game.moves(position)
