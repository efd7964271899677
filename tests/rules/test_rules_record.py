"""Records: the spec's example, the lossless round trip, and every refusal with its place."""

from __future__ import annotations

import random
from typing import Any

import pytest
from balanx_boards import layouts, random_position
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.balanx.game import BalanxGame
from rules.balanx.layout import Layout, layout_named
from rules.errors import RecordError, RulesError
from rules.game import Outcome
from rules.line import Line
from rules.record import Record

EXAMPLE = """\
[Event "Tuesday club"]
[Date "2026.11.29"]
[White "guest"]
[Black "engine 3"]
[Game "balanx"]
[Layout "classic"]
[Result "*"]

1. a8-e8 g1-c1 2. a7-a4 g2-g5 3. b8-b5 f1-f4 *
"""
TEXTS = st.text(st.characters(codec="utf-8"), max_size=12)


def test_the_example_of_the_spec_is_read_and_written_alike() -> None:
    record = Record.parse(EXAMPLE)
    assert record.text() == EXAMPLE
    assert record.result == "*"
    assert len(record.line.moves) == 6
    assert record.tags[3] == ("Black", "engine 3")


def _random_line(game: BalanxGame, rng: random.Random, setup: bool) -> Line[Any, Any]:
    start = random_position(game.layout, rng.getrandbits(32)) if setup else None
    line: Line[Any, Any] = Line.begin(game, start)
    for _ in range(rng.randint(0, 25)):
        if line.outcome is not None:
            return line
        line = line.push(rng.choice(game.moves(line.position)))
    ends = [None, Outcome(0, "resigned"), Outcome(1, "resigned"), Outcome(None, "agreed")]
    if line.outcome is None and (end := rng.choice(ends)) is not None:
        line = line.ended(end)
    return line


@given(layouts(), st.integers(0, 2**32 - 1), st.booleans(), st.booleans(), TEXTS, TEXTS, TEXTS)
@settings(max_examples=60)
def test_writing_and_reading_back_gives_the_same_record(
    layout: Layout, seed: int, repetition: bool, setup: bool, event: str, unknown: str, comment: str
) -> None:
    rng = random.Random(seed)
    line = _random_line(BalanxGame(layout, repetition), rng, setup)
    comments = {
        number: [comment.replace("}", ""), "turn limit"][: rng.randint(0, 2)]
        for number in rng.sample(range(len(line.moves) + 1), rng.randint(0, min(3, len(line.moves) + 1)))
    }
    record = Record.of(line, [("Event", event), ("Date", "????.??.??"), ("Mood", unknown)], comments)
    again = Record.parse(record.text())
    assert again == record
    assert again.text() == record.text()


@given(layouts(), st.integers(0, 2**32 - 1))
@settings(max_examples=20)
def test_line_ends_and_blanks_do_not_matter(layout: Layout, seed: int) -> None:
    record = Record.of(_random_line(BalanxGame(layout), random.Random(seed), False))
    head, movetext = record.text().split("\n\n")
    assert Record.parse("\ufeff" + record.text().replace("\n", "\r\n")) == record
    assert Record.parse(f"\n{head}\n{movetext.replace(' ', '  ')}\n\n") == record


def test_black_first_and_comments_between() -> None:
    text = (
        '[Game "balanx"]\n[Setup "5B1/7/7/7/7/7/1W5/7 B 11"]\n[Result "1-0 resigned"]\n\n'
        "{before} 1... f8-e8 {first}{second} 2. b1-c1 2... e8-f8 1-0   resigned\n"
    ).replace("1W5/7 B", "7/1W5 B")
    record = Record.parse(text)
    assert record.comments == (("before",), ("first", "second"), (), ())
    assert record.line.outcome == Outcome(0, "resigned")
    assert (
        record.text().splitlines()[-1] == "{before} 1... f8-e8 {first} {second} 2. b1-c1 e8-f8 1-0 resigned"
    )


def test_a_custom_layout_goes_into_the_record_and_a_shipped_one_does_not() -> None:
    classic = layout_named("classic")
    own = Layout.load(classic.text.replace("classic", 'my \\"own\\" board'))
    tags = dict(Record.of(Line.begin(BalanxGame(own))).tags)
    assert tags["Layout"] == 'my "own" board'
    assert tags["LayoutText"] == own.text
    assert "LayoutText" not in dict(Record.of(Line.begin(BalanxGame(classic))).tags)


WON = '[Setup "7/7/7/7/6W/5WW/4WWW/2W1WWW W 20"]\n'
REFUSED = {
    "nothing": ("", "no moves and no result"),
    "tags only": (EXAMPLE.split("\n\n")[0], "no moves and no result"),
    "no game": (EXAMPLE.replace('[Game "balanx"]\n', ""), r"\[Game\] is missing"),
    "unknown game": (EXAMPLE.replace('"balanx"', '"chess"'), "no game is called 'chess'"),
    "unknown layout": (EXAMPLE.replace('"classic"', '"clasic"'), "'clasic'"),
    "no result tag": (EXAMPLE.replace('[Result "*"]\n', ""), r"\[Result\] is missing"),
    "tag twice": (EXAMPLE.replace("[White", "[Event"), r"line 3: the tag \[Event\]"),
    "broken tag": (EXAMPLE.replace('guest"]', "guest]"), "line 3: a tag"),
    "unknown escape": (EXAMPLE.replace("guest", "g\\x"), r"line 3: unknown escape \\x"),
    "date": (EXAMPLE.replace("2026.11.29", "29.11.2026"), r"\[Date\]"),
    "result differs": (EXAMPLE.replace("f1-f4 *", "f1-f4 1/2 agreed"), r"\[Result\] says '\*'"),
    "no result": (EXAMPLE.replace(" *", ""), "result is missing"),
    "unknown result": (EXAMPLE.replace("f1-f4 *", "f1-f4 1-0 luck"), "'1-0 luck' is no result"),
    "text after it": (EXAMPLE.replace("f1-f4 *", "f1-f4 * g1-g2"), "no result"),
    "illegal": (EXAMPLE.replace("a7-a4", "a7-a3"), "line 9: move 2 of White a7-a3: past_first_gap: .*a4"),
    "no move": (EXAMPLE.replace("g2-g5", "Nf3"), "line 9: move 2 of Black: 'Nf3' is no move"),
    "wrong number": (EXAMPLE.replace("2. a7", "3. a7"), "number 3. where 2. is due"),
    "open comment": (EXAMPLE.replace("3. b8", "{3. b8"), "line 9: a brace"),
    "closing brace": (EXAMPLE.replace("3. b8", "} b8"), "line 9: a brace"),
    "claimed win": (
        EXAMPLE.replace('"*"', '"1-0 home"').replace("f4 *", "f4 1-0 home"),
        "moves lead to '\\*'",
    ),
    "denied win": (
        f'[Game "balanx"]\n{WON}[Result "*"]\n\n1. c1-d1 *\n',
        "result is '\\*', but the moves lead to '1-0 home'",
    ),
    "moves after the end": (
        f'[Game "balanx"]\n{WON}[Result "1-0 home"]\n\n1. c1-d1 -- 1-0 home\n',
        "move 1 of Black --: game_over",
    ),
    "bad setup": (EXAMPLE.replace("[Result", '[Setup "x"]\n[Result'), r"\[Setup\] a position is"),
    "bad layout text": (EXAMPLE.replace("[Result", '[LayoutText "x"]\n[Result'), "not TOML"),
    "repetition": (EXAMPLE.replace("[Result", '[Repetition "no"]\n[Result'), r"\[Repetition\]"),
}


@pytest.mark.parametrize(("text", "says"), REFUSED.values(), ids=REFUSED)
def test_a_bad_record_is_refused_in_one_line(text: str, says: str) -> None:
    with pytest.raises(RulesError, match=says) as caught:
        Record.parse(text)
    assert "\n" not in str(caught.value)


@given(st.data())
@settings(max_examples=150)
def test_a_damaged_record_is_read_or_refused(data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(EXAMPLE)))
    cut = data.draw(st.integers(0, 5))
    damaged = EXAMPLE[:at] + data.draw(TEXTS) + EXAMPLE[at + cut :]
    refusal = ""
    try:
        record = Record.parse(damaged)
    except RulesError as error:
        refusal = str(error)
    else:
        assert Record.parse(record.text()) == record
    assert "\n" not in refusal


def test_what_cannot_be_written_is_refused() -> None:
    line = Line.begin(BalanxGame(layout_named("classic")))
    with pytest.raises(RecordError, match="Result"):
        Record.of(line, [("Result", "*")])
    with pytest.raises(RecordError, match="brace"):
        Record.of(line, (), {0: ["}"]})
    with pytest.raises(RecordError, match="name of a tag"):
        Record.of(line, [("no name", "x")])
