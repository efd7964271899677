"""Four High's texts and data: positions, moves, numbers, house rules; every refusal names its place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.errors import LayoutError, MoveError, PositionError, RecordError, RulesError
from rules.fourhigh.game import FourHighGame
from rules.fourhigh.house import HouseRules, Stuck
from rules.fourhigh.layout import CELL_NAMES, CELLS, cell
from rules.fourhigh.moves import PASS, Move
from rules.fourhigh.numbers import Numbers, numbers_named
from rules.fourhigh.position import Position

GAME = FourHighGame()
START = "B,B,B,B,B,B,B,B/B,B,B,B,B,B,B,B/8/8/8/8/W,W,W,W,W,W,W,W/W,W,W,W,W,W,W,W B 0"
EMPTY = "8/8/8/8/8/8/8/"
CODES = st.integers(1, 31) | st.just(1)


def test_start() -> None:
    assert GAME.position_text(GAME.start()) == START
    assert GAME.parse_position(START) == GAME.start()
    assert (GAME.start().side, GAME.start().ply) == (0, 0)
    assert GAME.seats == ("Black", "White")
    assert (GAME.cells, CELL_NAMES[0], CELL_NAMES[1], CELL_NAMES[63]) == (64, "a1", "b1", "h8")


@given(st.lists(CODES, min_size=CELLS, max_size=CELLS), st.integers(0, 1), st.integers(0, 100))
def test_position_texts_invert(codes: list[int], side: int, quiet: int) -> None:
    position = Position(bytes(codes), side, quiet)
    text = GAME.position_text(position)
    read = GAME.parse_position(text)
    assert read == position
    assert hash(read) == hash(position)
    assert GAME.position_text(read) == text
    assert read.ply % 2 == side
    assert quiet <= read.ply <= quiet + 1


def test_stacks_are_written_from_bottom_to_top() -> None:
    position = GAME.parse_position(f"WB,6,BWWW/{EMPTY[2:]}8 W 12")
    a8, h8 = CELL_NAMES.index("a8"), CELL_NAMES.index("h8")
    assert (GAME.stack(position, a8), GAME.owner(position, a8)) == ("WB", 0)
    assert (GAME.stack(position, h8), GAME.owner(position, h8)) == ("BWWW", 1)
    assert (GAME.stack(position, 0), GAME.owner(position, 0)) == ("", None)


BAD_POSITIONS = {
    "": "one blank",
    "8 B": "one blank",
    f"{EMPTY}8  B 0": "one blank",
    f"{EMPTY}8 B 0 ": "one blank",
    f"{EMPTY[2:]}8 B 0": "ranks: 7",
    f"{EMPTY}8/8 B 0": "ranks: 9",
    f"{EMPTY}7 B 0": "rank 1: 7 files",
    f"{EMPTY}8,B B 0": "rank 1, at its end: more than 8",
    f"{EMPTY}4,W,4 B 0": "rank 1, at f1: more than 8",
    f"8/{EMPTY[2:]}3,5 B 0": "rank 1, at d1: two counts",
    f"{EMPTY}B,0,7 B 0": "rank 1, at b1: 0 is no number",
    f"{EMPTY}9 B 0": "rank 1, at a1: 9 is no number",
    f"{EMPTY}12 B 0": "rank 1, at a1: 12 is no number",
    f"{EMPTY}B,,6 B 0": "rank 1, at b1: nothing stands",
    f"{EMPTY},8 B 0": "rank 1, at a1: nothing stands",
    f"{EMPTY}2,BxW,5 B 0": "rank 1, at c1: 'x' is no piece",
    f"{EMPTY}b,7 B 0": "rank 1, at a1: 'b' is no piece",
    f"{EMPTY}٣,5 B 0": "rank 1, at a1: '٣' is no piece",
    f"8/8/2,BBWWB,5/{EMPTY[6:]}8 B 0": "rank 6, at c6: the stack BBWWB is 5 high",
    f"{EMPTY}8 b 0": "side: must be B or W",
    f"{EMPTY}8 BW 0": "side: must be B or W",
    f"{EMPTY}8 B -1": "quiet: must be",
    f"{EMPTY}8 B 01": "quiet: must be",
    f"{EMPTY}8 B ٣": "quiet: must be",
    f"{EMPTY}8 B 101": "quiet: 101 is more than 100",
    f"{EMPTY}8 B {'9' * 5000}": "more than 100",
}


@pytest.mark.parametrize(("text", "place"), BAD_POSITIONS.items())
def test_bad_positions_are_refused_with_their_place(text: str, place: str) -> None:
    with pytest.raises(PositionError, match=place):
        GAME.parse_position(text)


@given(st.text("BW18/, 0x", max_size=40) | st.text(max_size=30))
def test_any_other_text_is_refused_in_one_line(text: str) -> None:
    for parse in (GAME.parse_position, GAME.parse_move, GAME.parse_result):
        refusal = ""
        try:
            parse(text)
        except RulesError as error:
            refusal = str(error)
        assert "\n" not in refusal


@given(st.integers(0, 63), st.integers(0, 63))
def test_move_texts_invert(origin: int, target: int) -> None:
    move = Move(origin, target)
    text = GAME.move_text(move)
    assert GAME.parse_move(text) == GAME.parse_move(text.replace("-", "x")) == move
    assert GAME.travel(move) == (origin, target)


def test_passes_and_spaces_off_the_board_have_texts() -> None:
    assert GAME.parse_move("--") == PASS
    assert GAME.is_pass(PASS)
    for text in ("--", "z9-a1", "a1-a99", "i8-h9"):
        assert GAME.move_text(GAME.parse_move(text)) == text


@pytest.mark.parametrize(
    "text", ["", "-", "d4", "d4e5", "d4 e5", "D4-e5", "d0-e5", "d4-e5 ", "d4-e5\n", "x", "---", "d4-e100"]
)
def test_bad_moves_are_refused(text: str) -> None:
    with pytest.raises(MoveError, match="is no move"):
        GAME.parse_move(text)


def test_names_of_spaces() -> None:
    assert (cell("a1"), cell("h8"), cell("i1")) == (0, 63, None)


# -- numbers -----------------------------------------------------------------------------------------


def test_rings() -> None:
    rings = numbers_named("rings")
    assert rings.values == tuple(1 + min(x, y, 7 - x, 7 - y) for y in range(8) for x in range(8))
    assert [rings.values.count(number) for number in (1, 2, 3, 4)] == [28, 20, 12, 4]


def _table(rows: str, name: str = "mine") -> str:
    return f'name = "{name}"\nrows = [{rows}]\n'


ROW = "[1,2,3,4,5,6,7,8],"


def test_the_rows_stand_as_on_the_board() -> None:
    numbers = Numbers.load(_table("[9,0,0,0,0,0,0,0]," + ROW * 7))
    assert numbers.values[CELL_NAMES.index("a8")] == 9
    assert numbers.values[CELL_NAMES.index("h1")] == 8
    game = FourHighGame(HouseRules(numbers))
    assert game.scores(game.parse_position(f"BBBB,7/{EMPTY[2:]}7,BBBW B 0")) == (13, 12)


def test_numbers_that_were_not_read_have_a_source_too() -> None:
    numbers = Numbers('the "real" ones', tuple(range(64)))
    assert Numbers.load(numbers.text) == numbers


BAD_NUMBERS = {
    "not TOML": ("name = ", "not TOML"),
    "TOML without an end": ("rows = " + "[" * 50_000, "not TOML"),
    "no name": (f"rows = [{ROW * 8}]", "name: is missing"),
    "name": (f"name = 3\nrows = [{ROW * 8}]", "name: must be a text"),
    "empty name": (_table(ROW * 8, ""), "name: must be a printable"),
    "unknown key": (_table(ROW * 8) + "row = 1", "unknown key 'row'; the nearest is 'rows'"),
    "no rows": ('name = "mine"', "rows: must be a list of 8"),
    "seven rows": (_table(ROW * 7), "rows: must be a list of 8 rows, rank 8 first, not 7"),
    "a short row": (_table(ROW * 2 + "[1,2]," + ROW * 5), "rows: rank 6 must be a list of 8"),
    "a fraction": (_table("[1,2.5,3,4,5,6,7,8]," + ROW * 7), "rows: b8 must be a whole number, not 2.5"),
    "a truth": (_table(ROW * 7 + "[true,2,3,4,5,6,7,8],"), "rows: a1 must be a whole number"),
    "below zero": (_table(ROW * 7 + "[1,2,3,4,5,6,7,-8],"), "rows: h1 is -8"),
    "too great": (_table(ROW * 7 + "[1,2,3,4,5,6,7,1000],"), "rows: h1 is 1000"),
}


@pytest.mark.parametrize(("text", "place"), BAD_NUMBERS.values(), ids=BAD_NUMBERS)
def test_bad_numbers_are_refused_with_their_place(text: str, place: str) -> None:
    with pytest.raises(LayoutError, match=place):
        Numbers.load(text)


def test_unknown_numbers() -> None:
    with pytest.raises(LayoutError, match="no numbers are called 'stars'; there are rings"):
        numbers_named("stars")
    with pytest.raises(LayoutError, match="63 numbers where"):
        Numbers("mine", (1,) * 63)


# -- house rules -------------------------------------------------------------------------------------


@given(
    st.sampled_from([numbers_named("rings"), Numbers("rings", (2,) * 64), Numbers('x\\"y', (0,) * 64)]),
    st.sampled_from(Stuck),
    st.integers(1, 9999),
)
def test_house_rules_are_tags_and_back(numbers: Numbers, stuck: Stuck, limit: int) -> None:
    house = HouseRules(numbers, stuck, limit)
    assert HouseRules.of_tags(dict(house.tags())) == house
    game = FourHighGame(house)
    assert game.tags()[0] == ("Game", "fourhigh")
    assert FourHighGame.of_tags(dict(game.tags())) == game


def test_usual_rules_need_no_tags() -> None:
    assert GAME.tags() == (("Game", "fourhigh"), ("Numbers", "rings"))
    assert FourHighGame.of_tags({"Game": "fourhigh"}) == GAME


@pytest.mark.parametrize(
    ("tags", "place"),
    [
        ({"Stuck": "lost"}, r"\[Stuck\]"),
        ({"QuietLimit": "0"}, r"\[QuietLimit\]"),
        ({"QuietLimit": "010"}, r"\[QuietLimit\]"),
        ({"QuietLimit": "99999"}, r"\[QuietLimit\]"),
        ({"QuietLimit": "²"}, r"\[QuietLimit\]"),
        ({"Numbers": "stars"}, r"\[Numbers\] no numbers are called"),
        ({"NumbersText": "?"}, r"\[NumbersText\] not TOML"),
        ({"Numbers": "a", "NumbersText": _table(ROW * 8)}, r"holds the numbers 'mine', \[Numbers\] says 'a'"),
    ],
)
def test_bad_tags_are_refused(tags: dict[str, str], place: str) -> None:
    with pytest.raises(RecordError, match=place):
        FourHighGame.of_tags(tags)


def test_bad_house_rules_are_refused() -> None:
    with pytest.raises(RulesError, match="stuck: must be pass or end, not 'lose'"):
        HouseRules(stuck="lose")  # type: ignore[arg-type]
    for limit in (0, -3, 10_000, True, 2.5):
        with pytest.raises(RulesError, match="quiet_limit"):
            HouseRules(quiet_limit=limit)  # type: ignore[arg-type]


def test_a_text_is_a_house_rule_too() -> None:
    assert HouseRules(stuck="end").stuck is Stuck.END  # type: ignore[arg-type]
