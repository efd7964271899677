"""What every game keeps, with every board, set and option: one list of games as data, one list of promises.

Where a game differs by its rules, the difference and its reason stand in `HABITS`.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cache
from typing import Any

import pytest
from balanx_boards import random_layout

from rules import banks, boxilies, fourhigh
from rules.balanx.game import BalanxGame
from rules.balanx.layout import SHIPPED, layout_named
from rules.balanx.moves import PASS as BALANX_PASS
from rules.balanx.moves import Move as BalanxMove
from rules.balanx.position import Position as BalanxPosition
from rules.boxilies import Board, BoxiliesGame, Stone, StoneSet
from rules.boxilies.board import Board as BoxiliesBoard
from rules.errors import IllegalMove, RulesError
from rules.fourhigh import FourHighGame, Numbers, Stuck
from rules.game import Game, Illegal, Legal
from rules.games import NAMES, game_of_tags
from rules.line import Line
from rules.record import Record

AnyGame = Game[Any, Any]
AnyLine = Line[Any, Any]

# -- the games as data -----------------------------------------------------------------------------


def _banks(size: str, players: int, disks: int | None, *rules: Any, seed: int = 7) -> AnyGame:
    house = banks.HouseRules(*rules)
    return banks.BanksGame.shuffled(banks.Lattice.parse(size), players, disks, seed, house)


def _boxilies(board: str, starter: int = 0, stones: StoneSet | None = None, **rules: bool) -> AnyGame:
    house = boxilies.HouseRules(**rules)
    chosen = stones or boxilies.stone_set_named("default")
    return BoxiliesGame(BoxiliesBoard.parse(board), chosen, house, starter)


_LETTERED = StoneSet(
    "lettered",
    (
        (
            Stone("1a", (1, 0, 0, 0)),
            Stone("1b", (0, 0, 1, 0)),
            Stone("4", (1, 1, 1, 1)),
            Stone("5", (5, 0, 0, 0)),
        ),
        (
            Stone("2", (1, 0, 1, 0)),
            Stone("3a", (3, 0, 0, 0)),
            Stone("3b", (1, 1, 1, 0)),
            Stone("5", (0, 0, 3, 2)),
        ),
    ),
)
_SLOPE = Numbers("slope", tuple(range(64)))

GAMES: dict[str, AnyGame] = {
    **{f"balanx {name}": BalanxGame(layout_named(name)) for name in SHIPPED},
    "balanx without repetition": BalanxGame(layout_named("classic"), False),
    "balanx on a board of its own": BalanxGame(random_layout(5)),
    "banks 8x8, 2 players": _banks("8x8", 2, None),
    "banks 5x4, 3 players": _banks("5x4", 3, None),
    "banks 3x6, 4 players": _banks("3x6", 4, 3),
    "banks 4x4, 5 players, more disks than cells": _banks("4x4", 5, 9),
    "banks 6x6, 6 players, full": _banks("6x6", 6, 6),
    "banks 2x3": _banks("2x3", 2, 1),
    "banks 5x5, other house rules": _banks("5x5", 2, 3, 3, False, True),
    "boxilies": _boxilies("3x3"),
    "boxilies 2x5, B begins": _boxilies("2x5", 1),
    "boxilies 4x3 with blocked cells": _boxilies("4x3#a1,d3"),
    "boxilies 1x4, lettered stones": _boxilies("1x4", 1, _LETTERED),
    "boxilies, ties and chains on a ring": _boxilies("3x3", ties=True, chains=True, wrap=True),
    "boxilies, unturned and once": _boxilies("3x3", turning=False, recapture=False),
    "fourhigh": FourHighGame(),
    "fourhigh, stuck ends": FourHighGame(fourhigh.HouseRules(stuck=Stuck.END, quiet_limit=30)),
    "fourhigh, other numbers": FourHighGame(fourhigh.HouseRules(_SLOPE, quiet_limit=60)),
}

SETUPS: dict[str, tuple[str, str]] = {
    "fourhigh, a pass is due": ("fourhigh", "8/8/8/8/8/8/BWBW,BBBW,6/B,WBWW,5,W B 7"),
    "balanx, a pass is due": ("balanx classic", "7/7/7/7/7/7/7/6B W 2"),
}
"""Positions that chance does not find: a game of the list, and the text."""


# -- where games differ ------------------------------------------------------------------------------

Same = Callable[[AnyGame, Any, Any, Any], bool]
"""Whether two legal moves of a position may leave the same picture."""


def _never(game: AnyGame, position: Any, one: Any, other: Any) -> bool:
    del game, position, one, other
    return False


def _rolls_alike(game: AnyGame, position: Any, one: Any, other: Any) -> bool:
    """balanx.md: both spaces of a groove are one place after the tilt; the position after it is the same."""
    return bool(game.play(position, one) == game.play(position, other))


def _alike_captured(game: AnyGame, position: Any, one: Any, other: Any) -> bool:
    """banks.md, Recognition: captures of disks of the mover's own colour look like a mere lift."""
    del game
    code = position.disks[one.origin]
    return one.origin == other.origin and code == position.disks[one.target] == position.disks[other.target]


def _stone_seen(game: AnyGame, position: Any, one: Any, other: Any) -> bool:
    """boxilies.md, Sensor board: presence does not tell stone and rotation; a screen asks for them."""
    del game, position
    return bool(one.cell == other.cell)


@dataclass(frozen=True)
class Habits:
    """How a game differs. same: by sensor. bounded: whether its own rules end every game soon enough to wait for."""

    same: dict[str, Same]
    wrong_texts: Callable[[AnyGame], Iterator[str]]
    bounded: bool = True
    put: Callable[[Any], bool] = field(default=lambda move: False)
    """Whether a move puts a piece from the hand onto a free cell, so that nothing is lifted."""


def _from_to(game: AnyGame) -> Iterator[str]:
    names = [*game.cell_names, "z1", "a99"]
    yield from (f"{one}-{other}" for one in names for other in names)
    yield "--"


def _banks_texts(game: AnyGame) -> Iterator[str]:
    names = [*game.cell_names, "z1", "a99"]
    yield from (f"{one}-{other}" for one in names for other in names)
    yield from (f"*{name}" for name in names)


def _boxilies_texts(game: AnyGame) -> Iterator[str]:
    assert isinstance(game, BoxiliesGame)
    for stone in (*game.stones.names, "A9", "B9z"):
        for cell in (*game.cell_names, "z1", "a99"):
            yield from (f"{stone}@{cell}r{rotation}" for rotation in (0, 1, 2, 3, 4, 9))


HABITS = {
    "balanx": Habits({"presence": _rolls_alike, "colour": _rolls_alike}, _from_to, bounded=False),
    "banks": Habits({"colour": _alike_captured}, _banks_texts),
    "boxilies": Habits({"stone": _never, "presence": _stone_seen}, _boxilies_texts, put=lambda move: True),
    "fourhigh": Habits({"stack": _never, "height": _never}, _from_to),
}

LONGEST = {"balanx": 150, "banks": 2600, "boxilies": 81, "fourhigh": 2500}
"""Turns after which a game of chance is over, or (Balanx, which nobody need end) is left as it stands."""


# -- games of chance ---------------------------------------------------------------------------------


@cache
def played(name: str, seed: int = 1) -> AnyLine:
    """A whole game of chance."""
    game = GAMES[name]
    rng = random.Random(f"{name} {seed}")
    line: AnyLine = Line.begin(game)
    while line.outcome is None and len(line.moves) < LONGEST[game.name]:
        line = line.push(rng.choice(game.moves(line.position)))
    return line


@cache
def samples(name: str, most: int = 8) -> tuple[tuple[AnyGame, Any], ...]:
    """Positions of a game of chance, from its first to its last, and the setups that belong to it."""
    line = played(name)
    number = min(most, len(line.positions))
    chosen = {round(at * (len(line.positions) - 1) / max(number - 1, 1)) for at in range(number)}
    found = [(line.game, line.positions[at]) for at in sorted(chosen)]
    game = line.game
    found += [(game, game.parse_position(text)) for of, text in SETUPS.values() if of == name]
    return tuple(found)


def going_on(name: str, most: int = 8) -> Iterator[tuple[AnyGame, Any]]:
    """The samples in which somebody has a move on the board."""
    for game, position in samples(name, most):
        if game.moves(position) and not game.is_pass(game.moves(position)[0]):
            yield game, position


every_game = pytest.mark.parametrize("name", GAMES)


def test_the_list_holds_every_game_that_there_is() -> None:
    assert {game.name for game in GAMES.values()} == set(NAMES) == set(HABITS)
    for game in GAMES.values():
        assert set(HABITS[game.name].same) >= set(game.sensors)


# -- play --------------------------------------------------------------------------------------------


@every_game
def test_games_end_or_hit_their_limit_and_agree_with_themselves_all_the_way(name: str) -> None:
    for seed in (1, 2):
        line = played(name, seed)
        game = line.game
        assert line.outcome is not None or not HABITS[game.name].bounded
        for position, move, after in zip(line.positions, line.moves, line.positions[1:], strict=False):
            assert 0 <= position.side < len(game.seats)
            assert after.ply == position.ply + 1
            assert game.outcome(position) is None
            told = game.outcome_after(position, move)
            seen = game.outcome(after)
            # Where a board tilts, the mover may end the game before the next player sees it.
            assert told == seen or (game.tilts and told is not None)
        if line.outcome is not None and game.outcome(line.position) is not None:
            assert game.moves(line.position) == ()
        assert [game.place_in_round(position) for position in line.positions] != [0] * len(line.positions)


@every_game
def test_legal_moves_are_in_order_once_each_and_playable(name: str) -> None:
    for game, position in samples(name):
        moves = game.moves(position)
        texts = [game.move_text(move) for move in moves]
        assert texts == sorted(set(texts))
        assert bool(moves) == (game.outcome(position) is None)
        assert not any(map(game.is_pass, moves)) or len(moves) == 1
        for move, text in zip(moves, texts, strict=True):
            assert game.parse_move(text) == move
            assert hash(game.parse_move(text)) == hash(move)
            verdict = game.judge(position, move)
            assert isinstance(verdict, Legal), text
            assert verdict.after == game.play(position, move)
            assert verdict.outcome == game.outcome_after(position, move)


@every_game
def test_all_other_moves_are_refused_with_a_reason_with_cells_and_in_a_sentence(name: str) -> None:
    reasons: dict[str, str] = {}
    rng = random.Random(name)
    for game, position in samples(name):
        legal = {game.move_text(move) for move in game.moves(position)}
        texts = list(HABITS[game.name].wrong_texts(game))
        for text in rng.sample(texts, min(len(texts), 250)):
            move = game.parse_move(text)
            if game.move_text(move) in legal:
                continue
            verdict = game.judge(position, move)
            assert isinstance(verdict, Illegal), text
            assert isinstance(verdict.reason, StrEnum)
            assert all(0 <= cell < game.cells for cell in verdict.cells)
            assert len(set(verdict.cells)) == len(verdict.cells)
            sentence = verdict.sentence
            assert sentence.endswith(".")
            assert sentence[0].isupper()
            assert "\n" not in sentence
            reasons[verdict.reason] = sentence
            if game.outcome(position) is not None:
                assert verdict.reason == "game_over"
            with pytest.raises(IllegalMove, match=verdict.reason):
                Line.begin(game, position).push(move)
    assert len(reasons) >= 4, reasons


@every_game
def test_nothing_is_played_after_the_end(name: str) -> None:
    line = played(name)
    if line.outcome is None:
        line = line.ended(line.game.agreed(line.position))
    with pytest.raises(IllegalMove, match="game_over"):
        line.push(line.moves[0])
    assert line.back(1).push(line.moves[-1]) == played(name) or line.game.outcome(line.position) is None


@every_game
def test_perft_counts_the_lines_one_by_one(name: str) -> None:
    for game, position in samples(name, 4):
        moves = game.moves(position)
        assert game.perft(position, 0) == 1
        assert game.perft(position, 1) == len(moves)
        if len(moves) <= 200:
            one_by_one = sum(len(game.moves(game.play(position, move))) for move in moves)
            if all(
                game.outcome_after(position, move) == game.outcome(game.play(position, move))
                for move in moves
            ):
                assert game.perft(position, 2) == one_by_one


# -- texts -------------------------------------------------------------------------------------------


@every_game
def test_positions_have_texts_that_invert_and_equal_ones_are_equal(name: str) -> None:
    seen: dict[str, Any] = {}
    for game, position in samples(name, 30):
        text = game.position_text(position)
        again = game.parse_position(text)
        assert again == position
        assert hash(again) == hash(position)
        assert game.position_text(again) == text
        assert again.side == position.side
        assert again.ply >= 0
        assert game.moves(again) == game.moves(position)
        assert game.outcome(again) == game.outcome(position)
        for other, earlier in seen.items():
            assert (other == text) == (earlier == position)
        seen[text] = position


@every_game
def test_tags_tell_the_game_and_records_hold_all_of_it(name: str) -> None:
    game = GAMES[name]
    start = game.position_text(game.start())
    tags = dict(game.tags())
    assert tags["Game"] == game.name
    assert game_of_tags({**tags, "Setup": start}) == game
    assert hash(game_of_tags({**tags, "Setup": start})) == hash(game)
    line = played(name)
    for some in (line, line.back(len(line.moves) // 2), Line.begin(game)):
        record = Record.of(some, [(tag, "x") for tag in game.player_tags], {0: ["a remark"]})
        again = Record.parse(record.text())
        assert again == record
        assert again.line.moves == some.moves
        assert again.line.outcome == some.outcome
        assert again.text() == record.text()


@every_game
def test_results_invert(name: str) -> None:
    game, line = GAMES[name], played(name)
    outcomes = [None, line.outcome, game.agreed(line.positions[len(line.positions) // 2])]
    outcomes += [game.resigned(seat) for seat in range(len(game.seats))]
    for outcome in outcomes:
        assert game.parse_result(game.result_text(outcome)) == outcome
        assert outcome is None or outcome.winner in (None, *range(len(game.seats)))
        assert outcome is None or not outcome.scores or len(outcome.scores) == len(game.seats)


_INSERTED = "aBW0129./-,;#@*xr~\u00e9\u0663\n \x00"


def _spoilt(rng: random.Random, text: str) -> str:
    """A text with a few letters lost, doubled, exchanged or put in."""
    letters = list(text)
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(letters) + 1)
        match rng.randrange(4):
            case 0:
                del letters[at : at + 1]
            case 1:
                letters[at:at] = letters[at : at + 1]
            case 2:
                letters.insert(at, rng.choice(_INSERTED))
            case _:
                letters[at : at + 1] = rng.choice(_INSERTED)
    return "".join(letters)


def _tried(read: Callable[[Any], Any], source: Any) -> tuple[Any, str]:
    """What was read, and an empty text; or nothing, and why it was refused."""
    try:
        return read(source), ""
    except RulesError as error:
        return None, str(error) or "no reason"


def _game_with_its_start(tags: dict[str, str]) -> AnyGame:
    game = game_of_tags(tags)
    game.parse_position(tags["Setup"])
    return game


@every_game
def test_spoilt_texts_are_refused_in_one_line_or_mean_what_they_say(name: str) -> None:
    rng = random.Random(name)
    refused = 0
    for game, position in samples(name):
        moves = [game.move_text(move) for move in game.moves(position)[:3]]
        outcome = game.result_text(played(name).outcome)
        for _ in range(25):
            for text, read, write in (
                (game.position_text(position), game.parse_position, game.position_text),
                *((move, game.parse_move, game.move_text) for move in moves),
                (outcome, game.parse_result, game.result_text),
            ):
                spoilt = _spoilt(rng, text)
                value, why = _tried(read, spoilt)
                assert why.count("\n") == 0, why
                refused += bool(why)
                assert why or read(write(value)) == value
    assert refused > 50


@every_game
def test_spoilt_tags_are_refused_by_the_name_of_the_tag_or_mean_a_game(name: str) -> None:
    rng = random.Random(name)
    game = GAMES[name]
    tags = {**dict(game.tags()), "Setup": game.position_text(game.start())}
    for tag in tags:
        for _ in range(30):
            changed = {**tags, tag: _spoilt(rng, tags[tag])}
            other, why = _tried(_game_with_its_start, changed)
            assert why.count("\n") == 0, why
            if why:
                assert tag not in ("Stuck", "QuietLimit", "Repetition") or f"[{tag}]" in why
            else:
                told = {**dict(other.tags()), "Setup": other.position_text(other.start())}
                assert game_of_tags(told) == other


# -- the board ---------------------------------------------------------------------------------------


@every_game
def test_pictures_tell_moves_apart_but_where_the_spec_says_so(name: str) -> None:
    for game, position in going_on(name):
        for sensor in game.sensors:
            same = HABITS[game.name].same[sensor]
            groups: dict[bytes, list[Any]] = defaultdict(list)
            before = game.picture(position, sensor)
            assert len(before) == game.cells
            assert max(before) < 1 << game.bits(sensor)
            for move in game.moves(position):
                after = game.play(position, move)
                picture = game.level(game.picture(after, sensor), game.tilt(position))
                groups[picture].append(move)
                assert max(picture) < 1 << game.bits(sensor)
            if sensor != "presence" or game.name != "balanx":
                assert before not in groups
            for moves in groups.values():
                assert all(same(game, position, moves[0], other) for other in moves[1:])


@every_game
def test_pictures_are_level_and_show_whose_pieces_lie_where(name: str) -> None:
    for game, position in samples(name):
        for sensor in game.sensors:
            picture = game.picture(position, sensor)
            assert game.level(picture, game.tilt(position)) == picture
            levelled = game.level(picture, None)
            assert game.level(levelled, None) == levelled
            assert game.tilts or levelled == picture
            assert (game.tilt(position) is None) != game.tilts
            for cell, reading in enumerate(picture):
                owner = game.owner(position, cell)
                assert owner is None or (reading and 0 <= owner < len(game.seats))
        with pytest.raises(RulesError, match="smell"):
            game.picture(position, "smell")


@every_game
def test_the_board_is_right_where_it_shows_the_position_itself(name: str) -> None:
    """`adopt` gives the position back; of any other picture it makes a position that looks so, or nothing."""
    rng = random.Random(name)
    for game, position in samples(name):
        tilt = game.tilt(position)
        for sensor in game.sensors:
            picture = game.picture(position, sensor)
            for lifted in (frozenset[int](), None):
                assert game.adopt(position, picture, sensor, tilt, lifted) == position
            for _ in range(12):
                other = bytearray(picture)
                one, two = rng.randrange(game.cells), rng.randrange(game.cells)
                other[one], other[two] = other[two], other[one]
                if rng.random() < 0.3:
                    other[one] = rng.randrange(1 << game.bits(sensor))
                seen = game.level(bytes(other), tilt)
                found = game.adopt(position, seen, sensor, tilt, None)
                if found is not None:
                    assert (found.side, found.ply) == (position.side, position.ply)
                    shown = game.picture(found, sensor)
                    assert game.adopt(found, shown, sensor, tilt, None) == found
                    if not isinstance(game, BoxiliesGame):
                        pairs = zip(shown, seen, strict=True)
                        unread = (
                            1 << game.bits(sensor)
                        ) - 1  # a piece that cannot be read may be told by the rest
                        assert all(one == two or (one and two == unread) for one, two in pairs)
                    elif sensor == "stone":
                        assert shown == game.level(seen, None)


@every_game
def test_edges_tell_what_was_lifted(name: str) -> None:
    for game, position in going_on(name):
        assert game.lifted(position, []) == frozenset()
        sensor = game.sensors[0]
        before = game.picture(position, sensor)
        free = [cell for cell, reading in enumerate(before) if not reading]
        taken = [cell for cell, reading in enumerate(before) if reading]
        if free:
            assert game.lifted(position, [(free[0], 0)]) is None
        for cell in taken:
            away_and_back = [(cell, 0), (cell, before[cell])]
            assert game.lifted(position, away_and_back) == frozenset()
            assert game.lifted(position, [*away_and_back, (cell, 0), (cell, 0)]) is None
            if not game.tilts:  # where marbles roll, test_rules_recognise tells what a lift looks like
                assert game.lifted(position, [(cell, 0)]) == {cell}
        for move in game.moves(position)[:40]:
            origin, target = game.travel(move)
            assert 0 <= origin < game.cells
            assert 0 <= target < game.cells
            if HABITS[game.name].put(move):
                assert origin == target
                assert not before[target]
            else:
                assert before[origin]


@every_game
def test_an_explanation_is_an_illegal_move_with_the_judges_own_reason(name: str) -> None:
    rng = random.Random(name)
    explained = 0
    for game, position in going_on(name):
        texts = list(HABITS[game.name].wrong_texts(game))
        for sensor in game.sensors:
            picture = game.picture(position, sensor)
            for text in rng.sample(texts, min(len(texts), 60)):
                move = game.parse_move(text)
                origin, target = (0, 0) if game.is_pass(move) else game.travel(move)
                if not (0 <= origin < game.cells and 0 <= target < game.cells):
                    continue
                seen = bytearray(picture)
                seen[origin], seen[target] = 0, picture[origin] or rng.randrange(1 << game.bits(sensor))
                tilt = game.tilt(position)
                found = game.explain(position, game.level(bytes(seen), tilt), sensor, tilt, None)
                if found is not None:
                    explained += 1
                    assert game.judge(position, found[0]) == found[1]
    assert explained or name in ("boxilies 1x4, lettered stones",)


# -- symmetries --------------------------------------------------------------------------------------

Twin = tuple[Callable[[Any], Any], Callable[[Any], Any]]
"""The twin of a position and of a move. Boxilies', in which boards and stones turn too: test_boxilies_play."""


def _balanx_half_turn(game: BalanxGame) -> Twin:
    turn = game.layout.half_turn

    def bits(marbles: int) -> int:
        return sum(1 << turn(cell) for cell in range(game.cells) if marbles >> cell & 1)

    def place(old: BalanxPosition) -> BalanxPosition:
        return BalanxPosition(bits(old.black), bits(old.white), 1 - old.side, old.ply)

    return (
        place,
        lambda move: move if move == BALANX_PASS else BalanxMove(turn(move.origin), turn(move.target)),
    )


def _banks_turned(game: banks.BanksGame, cell: Callable[[int, int], tuple[int, int]]) -> Twin:
    lattice = game.lattice

    def to(old: int) -> int:
        return lattice.cell(*cell(*lattice.place(old)))

    def place(old: banks.Position) -> banks.Position:
        disks = bytearray(lattice.cells)
        for at, code in enumerate(old.disks):
            disks[to(at)] = code
        return replace(old, disks=bytes(disks))

    def moved(move: banks.Move) -> banks.Move:
        return banks.Move(to(move.origin), move.target if move.is_choice else to(move.target))

    return place, moved


def _fourhigh_turned(symmetry: int, swap: bool) -> Twin:
    def to(cell: int) -> int:
        rank, file = divmod(cell, 8)
        file, rank = (7 - file if symmetry & 1 else file), (7 - rank if symmetry & 2 else rank)
        return 8 * file + rank if symmetry & 4 else 8 * rank + file

    def place(old: fourhigh.Position) -> fourhigh.Position:
        stacks = bytearray(64)
        for at, code in enumerate(old.stacks):
            stacks[to(at)] = code ^ ((1 << code.bit_length() - 1) - 1 if swap else 0)
        return fourhigh.Position(bytes(stacks), old.side ^ swap, old.quiet, old.ply)

    def moved(move: fourhigh.Move) -> fourhigh.Move:
        return move if move == fourhigh.PASS else fourhigh.Move(to(move.origin), to(move.target))

    return place, moved


def twins(game: AnyGame) -> Iterator[tuple[bool, Twin]]:
    """Symmetries, and whether they exchange the two seats."""
    match game:
        case BalanxGame():
            yield True, _balanx_half_turn(game)
        case banks.BanksGame():
            last_q, last_r = game.lattice.width - 1, game.lattice.height - 1
            yield False, _banks_turned(game, lambda q, r: (last_q - q, last_r - r))
            if last_q == last_r:
                yield False, _banks_turned(game, lambda q, r: (r, q))
        case FourHighGame() if game.house.numbers.name == "rings":
            for symmetry in range(8):
                yield False, _fourhigh_turned(symmetry, False)
                yield True, _fourhigh_turned(symmetry, True)


@every_game
def test_symmetries_of_the_board_commute_with_play(name: str) -> None:
    for game, position in samples(name):
        if isinstance(game, BalanxGame) and position.ply < 2:
            continue  # balanx.md: a side that has not moved yet cannot have left its start
        for swapped, (place, moved) in twins(game):
            twin = place(position)
            assert {moved(move) for move in game.moves(position)} == set(game.moves(twin))
            for move in game.moves(position)[:25]:
                assert game.play(twin, moved(move)) == place(game.play(position, move))
                mine, theirs = game.outcome_after(position, move), game.outcome_after(twin, moved(move))
                assert (mine is None) == (theirs is None)
                if mine is not None and theirs is not None:
                    assert theirs.scores == (mine.scores[::-1] if swapped else mine.scores)
                    if swapped and mine.winner is not None:
                        assert theirs.winner == 1 - mine.winner
                    else:
                        assert theirs.winner == mine.winner


def test_the_list_has_boards_with_and_without_symmetry() -> None:
    kinds = {game.name: len(list(twins(game))) for game in GAMES.values()}
    assert kinds == {"balanx": 1, "banks": 2, "boxilies": 0, "fourhigh": 0}
    assert Board is BoxiliesBoard
