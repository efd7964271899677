"""What a page may ask: every action there and back, everything else refused in one line."""

from __future__ import annotations

import typing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from balanxd.web import actions as a

SPACES = st.text("abcdefghi123456789", min_size=1, max_size=8)
WORDS = st.text(min_size=1, max_size=32).filter(lambda text: text.isprintable())
METRES = st.floats(-a.FAR_SPACES, a.FAR_SPACES)
SEATS = st.integers(0, 7)
QUARTERS = st.none() | st.integers(0, 3)
PLAYERS = st.lists(WORDS, min_size=1, max_size=8).map(tuple)

ACTIONS = st.one_of(
    st.builds(a.Lift, SPACES, st.integers(0, 255)),
    st.builds(a.Hover, METRES, METRES),
    st.builds(a.Put, SPACES, QUARTERS, QUARTERS),
    st.builds(a.Turn, SPACES, QUARTERS, QUARTERS),
    st.builds(a.Fetch, st.integers(0, 255)),
    st.just(a.PutAside()),
    st.just(a.PutBack()),
    st.builds(a.Push, SEATS),
    st.builds(a.NewGame, PLAYERS, WORDS | st.just(""), st.dictionaries(WORDS, WORDS, max_size=3)),
    st.builds(a.Resign, SEATS),
    st.just(a.AgreeDraw()),
    st.just(a.BoardIsRight()),
    st.builds(a.MarbleIsThere, SPACES),
    st.builds(a.Confirm, WORDS),
    st.just(a.TakeBackInstead()),
    st.builds(a.TakeBack, st.integers(0, 100_000)),
    st.just(a.Stop()),
    st.just(a.GoOn()),
    st.builds(a.Pair, st.text("0123456789", min_size=1, max_size=16)),
    st.builds(a.Token, st.text("0123456789abcdef", min_size=1, max_size=64)),
)


@given(ACTIONS)
def test_round_trip(action):
    assert a.parse_action(a.action_json(action)) == action
    assert a.parse_action(a.action_json(action).decode()) == action


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ('{"do":"lift","space":"e4"}', a.Lift("e4")),
        ('{"do":"hover","x":1,"y":-0.25}', a.Hover(1.0, -0.25)),
        ('{"do":"put_back"}', a.PutBack()),
        (' {"players":["human","engine:3"],"do":"new_game"} ', a.NewGame(("human", "engine:3"))),
        ('{"do":"take_back_instead"}', a.TakeBackInstead()),
    ],
)
def test_the_form_that_the_page_sends(text, action):
    assert a.parse_action(text) == action


def test_every_action_has_a_name_of_its_own():
    names = {action.__struct_config__.tag for action in typing.get_args(a.Action)}
    assert len(names) == len(typing.get_args(a.Action))


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("", "truncated"),
        ("null", "object"),
        ("[]", "object"),
        ('"lift"', "object"),
        ("{}", "do"),
        ('{"do":"fly"}', "$.do"),
        ('{"do":7}', "$.do"),
        ('{"do":"lift"}', "space"),
        ('{"do":"lift","space":4}', "$.space"),
        ('{"do":"lift","space":""}', "$.space"),
        ('{"do":"lift","space":"e4","and":"e5"}', "and"),
        ('{"do":"lift","space":"%s"}' % ("e" * 9), "$.space"),
        ('{"do":"hover","x":1}', "y"),
        ('{"do":"hover","x":"1","y":1}', "$.x"),
        ('{"do":"hover","x":NaN,"y":1}', "malformed"),
        ('{"do":"hover","x":Infinity,"y":1}', "malformed"),
        ('{"do":"hover","x":1e999,"y":1}', "$.x"),
        ('{"do":"hover","x":51,"y":1}', "$.x"),
        ('{"do":"hover","x":null,"y":1}', "$.x"),
        ('{"do":"push","seat":true}', "$.seat"),
        ('{"do":"push","seat":1.5}', "$.seat"),
        ('{"do":"push","seat":-1}', "$.seat"),
        ('{"do":"push","seat":%s}' % ("9" * 400), "$.seat"),
        ('{"do":"put_back"}{"do":"put_back"}', "trailing"),
        ("[" * 4000, "object"),
        ('{"do":"lift","space":"\ud800"}', "surrogates"),
        (b'{"do":"lift","space":"\xff\xff"}', "UTF-8"),
        (b"\x00", "byte 0"),
        ('{"do":"confirm","move":"%s"}' % ("x" * a.MAX_BYTES), "too long"),
    ],
)
def test_refused_with_the_place(text, place):
    with pytest.raises(a.ActionError, match=f"(?s).*{place.replace('$', chr(92) + '$')}"):
        a.parse_action(text)


@given(st.one_of(st.binary(max_size=300), st.text(max_size=300), st.text('{}[]":,do lift', max_size=60)))
def test_anything_is_an_action_or_one_printable_line(data):
    say = ""
    try:
        a.parse_action(data)
    except a.ActionError as error:
        say = str(error)
    assert not say or say.isprintable()
    assert len(say) < 220


@given(st.text(min_size=1, max_size=3000))
def test_what_was_sent_is_never_quoted_at_length(name):
    import json

    with pytest.raises(a.ActionError) as caught:
        a.parse_action(json.dumps({"do": "put_back", name: 1}))
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 220


def test_an_error_of_the_room():
    from balanxd.errors import BalanxError

    assert issubclass(a.ActionError, BalanxError)
    assert issubclass(a.ActionError, ValueError)
