"""BANKS as played: laying out, choosing, every reason, ends and scores, texts, and what holds in all games."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rules.banks import BanksGame, HouseRules, Lattice, Move, Position, choice
from rules.banks.deal import words
from rules.banks.judge import Reason
from rules.errors import LayoutError, MoveError, PositionError, RecordError, RulesError
from rules.game import Illegal, Legal, Outcome
from rules.line import Line

EXAMPLE = "0.3./1.4./..25/.... 012--- 1,0,0,0,0,0;0,1,0,0,0,0;0,0,1,0,0,0 2 0"
NONE = "0,0,0,0,0,0"
TWO = f"{NONE};{NONE} 0 0"
SEEDS = st.integers(0, 2**32 - 1)


def place(rows: str, rest: str = f"010101 {TWO}") -> tuple[BanksGame, Position]:
    """A game of two where seat 0 owns red, green and blue, as far as `rest` does not say otherwise."""
    game = BanksGame.of_position(f"{rows} {rest}")
    return game, game.start()


# -- laying out ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("size", "disks", "seed", "rows"),
    [
        ("4x4", 2, 1, "15533..0.2.41420"),
        ("4x4", 3, 1, "3213424205130554"),
        ("6x6", 6, 2511, "121025415450104440213333453221253005"),
    ],
)
@pytest.mark.parametrize("players", [2, 3, 6])
def test_laying_out_as_in_the_spec(size: str, disks: int, seed: int, rows: str, players: int) -> None:
    game = BanksGame.shuffled(Lattice.parse(size), players, disks, seed)
    text = game.position_text(game.start())
    assert text.split(" ")[0].replace("/", "") == rows
    assert text.split(" ")[1:] == ["------", ";".join([NONE] * players), str(players - 1), "0"]


def test_the_generator_of_the_spec() -> None:
    assert words(1, 3) == (0x910A2DEC89025CC1, 0xBEEB8DA1658EEC67, 0xF893A2EEFB32555E)


def test_default_set_fills_the_board_but_for_a_few_cells() -> None:
    game = BanksGame.shuffled(Lattice(8, 8))
    assert game.disks == 10
    assert [game.start().disks.count(code) for code in range(7)] == [4] + [10] * 6


@given(st.integers(2, 4), st.integers(2, 5), st.integers(2, 6), st.integers(1, 9), SEEDS)
@settings(max_examples=60)
def test_enough_colours_lie_on_every_board(
    width: int, height: int, players: int, disks: int, seed: int
) -> None:
    lattice, needed = Lattice(width, height), 6 if players < 4 else players
    assume(lattice.cells >= needed)
    game = BanksGame.shuffled(lattice, players, disks, seed)
    counts = [game.start().disks.count(code) for code in range(1, 7)]
    assert sum(map(bool, counts)) >= needed
    assert max(counts) <= disks
    assert sum(counts) == min(6 * disks, lattice.cells)
    assert game == BanksGame.shuffled(lattice, players, disks, seed)


@pytest.mark.parametrize(
    ("size", "players", "disks", "seed", "where"),
    [
        ("8x8", 1, None, 0, "players: 1 "),
        ("8x8", 7, None, 0, "players: 7 "),
        ("2x2", 2, 1, 0, "size: 2x2 has 4 cells for 6 colours"),
        ("2x2", 5, 1, 0, "size: 2x2 has 4 cells for 5 colours"),
        ("2x2", 4, None, 0, "disks: 0 "),
        ("8x8", 2, 0, 0, "disks: 0 "),
        ("8x8", 2, -1, 0, "disks: -1 "),
        ("8x8", 2, 129, 0, "disks: 129 "),
        ("8x8", 2, None, -1, "seed: -1 "),
        ("8x8", 2, None, 2**64, "seed: "),
    ],
)
def test_what_cannot_be_laid_out(size: str, players: int, disks: int | None, seed: int, where: str) -> None:
    with pytest.raises(PositionError, match=f"^{where}"):
        BanksGame.shuffled(Lattice.parse(size), players, disks, seed)


def test_a_board_laid_out_by_hand_is_read() -> None:
    lattice = Lattice(4, 4)
    dealt = BanksGame.shuffled(lattice, 3, 2, 5)
    assert BanksGame.of_picture(lattice, 3, dealt.start().disks, 2) == dealt
    for picture, players, where in (
        (dealt.start().disks[1:], 3, "picture: 15 cells"),
        (dealt.start().disks, 8, "players: 8"),
        (b"\7" + dealt.start().disks[1:], 3, "picture: the disk on a1 cannot be read"),
        (bytes([1, 2, 3, 4, 5, *[0] * 11]), 2, "picture: 5 colours where 6"),
    ):
        with pytest.raises(PositionError, match=f"^{where}"):
            BanksGame.of_picture(lattice, players, picture)


# -- choosing --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("players", "order"),
    [(2, "101010"), (3, "210210"), (4, "3210"), (5, "43210"), (6, "543210")],
)
def test_order_of_choosing(players: int, order: str) -> None:
    game = BanksGame.shuffled(Lattice(6, 6), players, seed=players)
    line = Line.begin(game)
    seats, places = "", []
    while line.position.choosing:
        seats += str(line.position.side)
        places.append(game.place_in_round(line.position))
        line = line.push(game.moves(line.position)[-1])
    assert seats == order
    assert places == [turn % players for turn in range(len(order))]
    assert line.position.side == 0
    assert line.position.ply == len(order)
    assert sum(map(sum, line.position.hands)) == len(order)
    assert all(line.position.owners.count(seat) == len(order) // players for seat in range(players))
    for ply in range(2 * players):
        assert line.position.side == game.place_in_round(line.position) == ply % players
        line = line.push(game.moves(line.position)[0])


def test_a_colour_is_chosen_once() -> None:
    game = BanksGame.of_position(f"0012/3345/..../.... ------ {NONE};{NONE};{NONE} 2 0")
    line = Line.begin(game).push(game.parse_move("*a1"))
    assert line.position.owners == (2, -1, -1, -1, -1, -1)
    assert line.position.hands[2] == (1, 0, 0, 0, 0, 0)
    assert [game.move_text(move) for move in game.moves(line.position)] == [
        "*a2",
        "*b2",
        "*c1",
        "*c2",
        "*d1",
        "*d2",
    ]
    verdict = game.judge(line.position, game.parse_move("*b1"))
    assert isinstance(verdict, Illegal)
    assert (verdict.reason, verdict.cells) == (Reason.COLOUR_TAKEN, (1,))
    line = line.extend(map(game.parse_move, ["*c1", "*d1", "*a2", "*c2", "*d2"]))
    assert line.position.owners == (2, 1, 0, 2, 1, 0)


def test_the_last_disk_of_a_colour_may_be_chosen() -> None:
    game = BanksGame.of_position(f"01/23/45 012120 {NONE};{NONE};{NONE} 0 0")
    assert game.outcome(game.start()) is None
    lost = BanksGame.of_position(f"12/34 0123-- {';'.join([NONE] * 4)} 0 0")
    assert lost.outcome(lost.start()) == Outcome(None, "stuck", (1, 1, 1, 1))
    assert lost.moves(lost.start()) == ()


# -- reasons ---------------------------------------------------------------------------------------

NO_ROOM = "1111/1021/1111/1111"
REASONS = {
    "over": (NO_ROOM.replace("1", "5"), "z1-z1", Reason.GAME_OVER, ""),
    "over, a choice too": (NO_ROOM.replace("1", "5"), "*a1", Reason.GAME_OVER, ""),
    "no choice any more": ("0...", "*z9", Reason.CHOICE_NOT_ALLOWED, ""),
    "from off the board": ("0...", "e1-a1", Reason.OFF_BOARD, "a1"),
    "to off the board": ("0...", "a1-a5", Reason.OFF_BOARD, "a1"),
    "both off the board": ("0...", "z99-z99", Reason.OFF_BOARD, ""),
    "same cell, even if empty": ("0...", "b1-b1", Reason.SAME_CELL, "b1"),
    "empty": ("0...", "b1-a1", Reason.EMPTY_FROM, "b1"),
    "another player's": ("01..", "b1-c1", Reason.NOT_YOUR_DISK, "b1"),
    "off its rails": ("0...", "a1-b2", Reason.OFF_RAILS, "a1 b2"),
    "in the way": ("01../11../..../....", "a1-d1", Reason.WAY_BLOCKED, "a1 d1 b1"),
    "in the way of a capture": ("0111/1011/1111/1111", "b2-d2", Reason.WAY_BLOCKED, "b2 d2 c2"),
    "straight": ("0111/1011/1111/1111", "b2-b1", Reason.NO_BANK, "b2 b1"),
}


@pytest.mark.parametrize(("rows", "move", "reason", "named"), REASONS.values(), ids=REASONS)
def test_reasons(rows: str, move: str, reason: Reason, named: str) -> None:
    game, position = place(rows if "/" in rows else f"{rows}/..../..../....")
    verdict = game.judge(position, game.parse_move(move))
    assert isinstance(verdict, Illegal)
    assert verdict.reason == reason
    assert [game.cell_names[cell] for cell in verdict.cells] == named.split()
    assert verdict.sentence.endswith(".")
    assert "\n" not in verdict.sentence


def test_reasons_while_colours_are_chosen() -> None:
    game = BanksGame.of_position(EXAMPLE)
    for move, reason in (
        ("a1-b1", Reason.CHOICE_DUE),
        ("a1-z1", Reason.CHOICE_DUE),
        ("*e1", Reason.OFF_BOARD),
        ("*b1", Reason.EMPTY_FROM),
        ("*a2", Reason.COLOUR_TAKEN),
    ):
        verdict = game.judge(game.start(), game.parse_move(move))
        assert isinstance(verdict, Illegal)
        assert verdict.reason == reason


def test_unowned_colours_never_move_but_are_captured_and_score() -> None:
    rows = "5555/5555/5550/5555"
    game, position = place(rows, f"0123-- {';'.join([NONE] * 4)} 0 0")
    verdict = game.judge(position, game.parse_move("a1-b1"))
    assert isinstance(verdict, Illegal)
    assert (verdict.reason, verdict.sentence) == (Reason.NOT_YOUR_DISK, "The violet disk on a1 is nobody's.")
    goal = game.moves(position)[0]
    after = game.play(position, goal)
    assert after.hands[0] == (0, 0, 0, 0, 0, 1)
    assert game.scores(after) == (1, 1, 1, 1)
    assert (after.side, after.quiet) == (1, 0)


def test_own_disks_may_be_captured() -> None:
    game, position = place("1011/2111/1111/1111")
    verdict = game.judge(position, game.parse_move("b1-a2"))
    assert isinstance(verdict, Legal)
    assert verdict.after.hands[0] == (0, 0, 1, 0, 0, 0)
    assert verdict.after.disks[4] == 1


def test_the_own_start_is_crossed_but_no_goal() -> None:
    game, position = place("5..5/..../50.5/5.55")  # P14 of the spec
    assert len(game.moves(position)) == 7
    verdict = game.judge(position, game.parse_move("b3-b3"))
    assert isinstance(verdict, Illegal)
    assert verdict.reason == Reason.SAME_CELL


# -- end and scores --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hand", "score"),
    [("3,3,1,0,0,0", 9), ("1,1,1,0,0,0", 1), ("4,2,2,1,3,0", 48), ("2,2,2,2,2,2", 64), (NONE, 1)],
)
def test_scores(hand: str, score: int) -> None:
    game = BanksGame.of_position(f"00/00 010101 {hand};{NONE} 0 0")
    assert game.scores(game.start())[0] == score
    strict = BanksGame.of_position(f"00/00 010101 {hand};{NONE} 0 0", house=HouseRules(whole_set=True))
    assert strict.scores(strict.start())[0] == (score if "0" not in hand.split(",") else 0)


def test_who_has_no_disk_ends_the_game_even_if_others_could_move() -> None:
    game, position = place("..../.1../..../....", "010101 1,3,0,0,0,0;2,1,0,0,0,0 0 0")
    assert game.outcome(position) == Outcome(0, "stuck", (3, 2))
    assert game.moves(position) == ()
    assert game.outcome(replace(position, side=1)) is None


def test_a_surrounded_disk_ends_the_game_but_not_on_an_edge() -> None:
    game, position = place(".11./101./11../....")
    assert game.outcome(position) == Outcome(None, "stuck", (1, 1))
    game, position = place("1011/1111/1111/1111")
    assert game.outcome(position) is None
    strict = replace(game, house=HouseRules(on_the_spot=False))
    assert strict.outcome(position) == Outcome(None, "stuck", (1, 1))
    assert strict.moves(position) == ()


def test_too_many_quiet_turns_end_the_game() -> None:
    rows = "0.../..../..../...1"
    game, position = place(rows, f"010101 2,0,0,0,0,0;{NONE} 0 39")
    assert game.disks == 2
    assert game.outcome(position) is None
    after = game.outcome_after(position, game.moves(position)[0])
    assert after == Outcome(0, "quiet", (2, 1))
    assert game.result_text(after) == "2 1 quiet"
    endless = replace(game, house=HouseRules(quiet_turns=0))
    assert endless.outcome_after(position, game.moves(position)[0]) is None
    single = replace(game, disks=1)
    assert single.outcome(position) == Outcome(0, "quiet", (2, 1))


def test_no_disk_left_goes_before_the_quiet_limit() -> None:
    game, position = place("..../.1../..../....", f"010101 {NONE};{NONE} 0 99")
    assert game.outcome(position) == Outcome(None, "stuck", (1, 1))


TAGS = {
    "Board": ("7", "[Board] size: '7' is no size"),
    "Players": ("7", "[Board], [Players], [Disks], [Seed] players: 7"),
    "Disks": ("0", "[Board], [Players], [Disks], [Seed] disks: 0"),
    "Seed": ("-1", "[Seed] must be a whole number"),
    "QuietTurns": ("1001", "[QuietTurns] quiet turns: 1001"),
    "BankOnTheSpot": ("yes", '[BankOnTheSpot] must be "on" or "off", not \'yes\''),
    "WholeSet": ("", '[WholeSet] must be "on" or "off", not \'\''),
    "Setup": ("0", "[Setup] a position is"),
}


@pytest.mark.parametrize(("tag", "value", "where"), [(tag, *bad) for tag, bad in TAGS.items()])
def test_tags_that_cannot_be(tag: str, value: str, where: str) -> None:
    for nonsense in (value, "\0"):
        with pytest.raises(RecordError) as error:
            BanksGame.of_tags({tag: nonsense})
        assert nonsense == "\0" or str(error.value).startswith(where)
        assert tag == "Setup" or str(error.value).startswith(f"[{tag}]") or nonsense == value


def test_tags_tell_the_game() -> None:
    assert BanksGame.of_tags({}) == BanksGame.shuffled(Lattice(8, 8))
    house = HouseRules(0, False, True)
    game = BanksGame.shuffled(Lattice(5, 4), 3, 2, 2511, house)
    asked = {"Board": "5x4", "Players": "3", "Disks": "2", "Seed": "2511"}
    asked |= {"QuietTurns": "0", "BankOnTheSpot": "off", "WholeSet": "on"}
    assert BanksGame.of_tags(asked) == game
    assert BanksGame.of_tags(dict(game.tags()) | {"Setup": game.position_text(game.start())}) == game
    assert game.tags()[:4] == (("Game", "banks"), ("Board", "5x4"), ("Players", "3"), ("Disks", "2"))
    with pytest.raises(RecordError, match=r"\[Board\] says '4x5', but \[Setup\] has 5x4"):
        BanksGame.of_tags({"Board": "4x5", "Setup": game.position_text(game.start())})


def test_house_rules_and_sets_that_cannot_be() -> None:
    for turns in (-1, 1001):
        with pytest.raises(RulesError, match="quiet turns: "):
            HouseRules(quiet_turns=turns)
    with pytest.raises(PositionError, match="disks: 0"):
        BanksGame.of_position(EXAMPLE, disks=0)
    with pytest.raises(RulesError, match="knows no sensor 'presence'"):
        BanksGame.of_position(EXAMPLE).picture(BanksGame.of_position(EXAMPLE).start(), "presence")


# -- texts -----------------------------------------------------------------------------------------


def test_the_example_of_the_spec() -> None:
    game = BanksGame.of_position(EXAMPLE)
    assert (game.lattice.name, game.players, game.disks) == ("4x4", 3, 2)
    assert game.position_text(game.start()) == EXAMPLE
    assert [game.move_text(move) for move in game.moves(game.start())] == ["*c1", "*c2", "*d3"]
    assert game.start().ply == 3
    assert game.seats == ("Player 1", "Player 2", "Player 3")
    assert game.player_tags == ("Seat1", "Seat2", "Seat3")


BAD_POSITIONS = {
    "rows": (EXAMPLE.split(" ", 1)[0], "a position is"),
    "two blanks": (EXAMPLE.replace(" ", "  ", 1), "a position is"),
    "letter": (EXAMPLE.replace("0.3.", "0.6."), "rows, row 1: unknown letter '6' at c1"),
    "short row": (EXAMPLE.replace("..25", ".25"), "rows, row 3: 3 cells where 4x4 has 4"),
    "small": (f". ------ {NONE};{NONE} 1 0", "rows: size: the width 1"),
    "large": ("/".join(["." * 16] * 9) + f" ------ {TWO}", "rows: size: 16x9 has 144 cells"),
    "one player": (f"00/00 ------ {NONE} 0 0", "hands: 1 players"),
    "seven players": (f"00/00 ------ {';'.join([NONE] * 7)} 0 0", "hands: 7 players"),
    "owners short": (EXAMPLE.replace("012---", "012--"), "owners: 5 characters"),
    "owner unknown": (EXAMPLE.replace("012---", "013---"), "owners, green: '3'"),
    "owner letter": (EXAMPLE.replace("012---", "01x---"), "owners, green: 'x'"),
    "owners out of order": (EXAMPLE.replace("012---", "11----"), "owners: seat 1 owns 2 of 2"),
    "too many owned": (f"00/00 01230- {';'.join([NONE] * 4)} 0 0", "owners: 5 colours are owned; 4 players"),
    "hand short": (EXAMPLE.replace("1,0,0,0,0,0;", "1,0,0,0,0;"), "hands, seat 0: 5 numbers"),
    "hand sign": (EXAMPLE.replace("0,1,0,0,0,0", "0,+1,0,0,0,0"), "hands, seat 1, amber: must be"),
    "hand zeros": (EXAMPLE.replace("0,1,0,0,0,0", "0,01,0,0,0,0"), "hands, seat 1, amber: must be"),
    "hand digits": (EXAMPLE.replace("0,1,0,0,0,0", f"0,{10**9},0,0,0,0"), "hands, seat 1, amber: 10 digits"),
    "hand empty": (EXAMPLE.replace("0,1,0,0,0,0", "0,,0,0,0,0"), "hands, seat 1, amber: must be"),
    "no such seat": (EXAMPLE.replace(" 2 0", " 3 0"), "seat: there is no seat 3"),
    "seat not a number": (EXAMPLE.replace(" 2 0", " W 0"), "seat: must be"),
    "seat out of order": (EXAMPLE.replace(" 2 0", " 1 0"), "seat: after 3 choices seat 2"),
    "quiet": (EXAMPLE.replace(" 2 0", " 2 -1"), "quiet: must be"),
    "nothing to choose": (EXAMPLE.replace("3", ".").replace("4", ".").replace("25", "2."), "rows: 0 free"),
    "too little to choose": (EXAMPLE.replace("3", "."), "rows: 2 free colours"),
}


@pytest.mark.parametrize(("text", "where"), BAD_POSITIONS.values(), ids=BAD_POSITIONS)
def test_positions_that_cannot_be(text: str, where: str) -> None:
    with pytest.raises(PositionError) as error:
        BanksGame.of_position(text)
    assert str(error.value).startswith(where)
    assert "\n" not in str(error.value)


def test_a_position_of_another_game_is_refused() -> None:
    game = BanksGame.of_position(EXAMPLE)
    with pytest.raises(PositionError, match=r"^rows: 2 rows where 4x4 has 4"):
        game.parse_position(f"00/00 ------ {NONE};{NONE};{NONE} 2 0")
    with pytest.raises(PositionError, match=r"^hands: 2 hands for 3 players"):
        game.parse_position(f"0000/1111/2222/3345 ------ {NONE};{NONE} 1 0")


@pytest.mark.parametrize(
    "text", ["", "--", "a1", "a1-", "*", "*a0", "a1-b2-c3", "A1-b2", "a01-b1", "*a1-b2", "a1 b2"]
)
def test_texts_that_are_no_move(text: str) -> None:
    with pytest.raises(MoveError, match="is no move"):
        BanksGame.of_position(EXAMPLE).parse_move(text)


def test_moves_are_read_with_and_without_a_dash() -> None:
    game = BanksGame.shuffled(Lattice(8, 16), 2)
    assert game.parse_move("a10h16") == game.parse_move("a10-h16") == Move(72, 127)
    assert game.parse_move("*b1") == choice(1)
    for text in ("z99-a1", "a17-h16", "*i1", "a1-h16"):
        assert game.move_text(game.parse_move(text)) == text


@pytest.mark.parametrize(
    "text", ["12 12", "12 12 6 stuck", "1 2 03", "1-0 home", "a b c", "", "12  12 6", "-1 2 3"]
)
def test_results_that_are_none(text: str) -> None:
    with pytest.raises(RecordError, match="is no result of banks with 3 players"):
        BanksGame.of_position(EXAMPLE).parse_result(text)


def test_results() -> None:
    game = BanksGame.of_position(EXAMPLE)
    for text, outcome in (
        ("*", None),
        ("12 12 6", Outcome(None, "stuck", (12, 12, 6))),
        ("1 0 6 quiet", Outcome(2, "quiet", (1, 0, 6))),
        ("9 8 8 agreed", Outcome(0, "agreed", (9, 8, 8))),
    ):
        assert game.parse_result(text) == outcome
        assert game.result_text(outcome) == text
    assert game.agreed(game.start()) == Outcome(None, "agreed", (1, 1, 1))


# -- what holds in every game ----------------------------------------------------------------------


@st.composite
def games(draw: st.DrawFn) -> BanksGame:
    """Small boards of every number of players and all house rules."""
    players = draw(st.integers(2, 6))
    lattice = Lattice(draw(st.integers(3, 5)), draw(st.integers(2, 5)))
    house = HouseRules(draw(st.sampled_from([1, 3, 20])), draw(st.booleans()), draw(st.booleans()))
    return BanksGame.shuffled(lattice, players, draw(st.integers(1, 4)), draw(SEEDS), house)


@given(games(), SEEDS)
@settings(max_examples=60, deadline=None)
def test_games_are_played_to_their_end(game: BanksGame, seed: int) -> None:
    rng = random.Random(seed)
    line = Line.begin(game)
    disks = len(game.laid.disks) - game.laid.disks.count(0)
    limit = 6 + (disks + 1) * game.house.quiet_turns * game.disks
    while line.outcome is None:
        position = line.position
        assert game.parse_position(game.position_text(position)) == position
        moves = game.moves(position)
        texts = [game.move_text(move) for move in moves]
        assert texts
        assert texts == sorted(set(texts))
        move = rng.choice(moves)
        assert game.parse_move(game.move_text(move)) == move
        line = line.push(move)
        assert line.outcome == game.outcome_after(position, move)
        after = line.position
        assert after.ply == position.ply + 1 == len(line.moves)
        on_board = len(after.disks) - after.disks.count(0)
        assert on_board + sum(map(sum, after.hands)) == disks
        assert len(line.moves) <= limit
    assert game.moves(line.position) == ()
    assert game.parse_result(game.result_text(line.outcome)) == line.outcome


@given(games(), SEEDS, st.integers(0, 30))
@settings(max_examples=40, deadline=None)
def test_the_judge_allows_exactly_the_legal_moves(game: BanksGame, seed: int, plies: int) -> None:
    rng = random.Random(seed)
    line = Line.begin(game)
    while line.outcome is None and len(line.moves) < plies:
        line = line.push(rng.choice(game.moves(line.position)))
    position, legal = line.position, set(game.moves(line.position))
    every = [Move(one, other) for one in range(game.cells) for other in range(-3, game.cells)]
    for move in rng.sample(every, min(80, len(every))) + sorted(legal, key=game.move_text)[:20]:
        verdict = game.judge(position, move)
        assert isinstance(verdict, Legal) == (move in legal)
        if isinstance(verdict, Legal):
            assert verdict.after == game.play(position, move)
            assert verdict.outcome == game.outcome_after(position, move)
            way = game.route(position, move)
            assert (way[0], way[-1]) == game.travel(move)


def test_counts_of_lines() -> None:
    game = BanksGame.shuffled(Lattice(4, 4), 2, 2, 1)
    assert [game.perft(game.start(), depth) for depth in range(3)] == [1, 12, 120]


def test_errors_are_the_rooms() -> None:
    assert issubclass(LayoutError, RulesError)
