"""The link's states, each told by what a board says and when."""

from dataclasses import replace

import pytest
from wire.model_board import ModelBoard

from firmware_bridge.codec import Decoder, encode
from firmware_bridge.commands import WAITING_MAX
from firmware_bridge.errors import BridgeError, EncodeError, NotUp, TooManyCommands
from firmware_bridge.link import (
    Answered,
    EdgeSeen,
    FaultSeen,
    Incompatible,
    Link,
    LinkEvent,
    LinkLost,
    LinkState,
    LinkUp,
    MarginsSeen,
    PictureSeen,
    TiltSeen,
)
from firmware_bridge.messages import (
    HOST_TO_BOARD,
    Ack,
    AckEdges,
    EdgeMsg,
    Fault,
    FaultCode,
    GetHello,
    GetMargins,
    GetPicture,
    Hello,
    Lights,
    Margins,
    Picture,
    Ping,
    Pong,
    ResetCause,
    Result,
    StopTilt,
    TiltReport,
    TiltTo,
)
from firmware_bridge.states import IGNORED, TABLE, Input

SESSION = 0xBEEF
HELLO = Hello(1, 0, 7, 4, 1, 1000, ResetCause.POWER_ON, 3, SESSION, 3, (1, 0, 0), "Balanx", "small", b"\x01")
PICTURE = Picture(10, False, 1_000_000, 3, 1, (), b"\x00\x01\x00\x00")


class Desk:
    """A link under test: says what the board says, hears what the host writes."""

    def __init__(self):
        self.link = Link(session=SESSION)
        self.decoder = Decoder(HOST_TO_BOARD)

    def written(self):
        return self.decoder.feed(self.link.take_bytes())

    def says(self, now_s, *messages):
        return self.link.receive(b"".join(encode(m) for m in messages), now_s)

    def greeting(self):
        self.link.opened(0.0)
        return self

    def reading(self):
        self.greeting().says(1.0, HELLO)
        return self

    def up(self):
        self.reading().says(1.0, PICTURE)
        self.written()
        return self

    def incompatible(self):
        self.greeting().says(1.0, replace(HELLO, major=2))
        return self


def desk_in(state):
    desk = Desk()
    match state:
        case LinkState.CLOSED:
            pass
        case LinkState.GREETING:
            desk.greeting()
        case LinkState.READING:
            desk.reading()
        case LinkState.UP:
            desk.up()
        case LinkState.INCOMPATIBLE:
            desk.incompatible()
    assert desk.link.state is state
    desk.written()
    return desk


def happen(desk, what):
    """Makes one input happen at 1.5 s (silence: at 3 s)."""
    match what:
        case Input.PORT_OPENED:
            desk.link.opened(1.5)
            return []
        case Input.PORT_CLOSED:
            return desk.link.closed(1.5, "unplugged")
        case Input.HELLO:
            return desk.says(1.5, HELLO)
        case Input.FOREIGN_HELLO:
            return desk.says(1.5, replace(HELLO, major=2))
        case Input.WHOLE_PICTURE:
            return desk.says(1.5, PICTURE)
        case Input.RESTART:
            return desk.says(1.5, replace(HELLO, session=0, boot=4, reset_cause=ResetCause.BROWN_OUT))
        case Input.SILENCE:
            return desk.link.tick(3.0)


PAIRS = [(state, what) for state in LinkState for what in Input]


@pytest.mark.parametrize(("state", "what"), PAIRS, ids=lambda x: x.name)
def test_every_pair_of_state_and_input(state, what):
    desk = desk_in(state)
    in_table, ignored = what in TABLE[state], what in IGNORED[state]
    assert in_table + ignored <= 1
    if not in_table and not ignored:
        assert what is Input.PORT_OPENED
        with pytest.raises(BridgeError):
            happen(desk, what)
        return
    events = happen(desk, what)
    assert desk.link.state is (TABLE[state][what] if in_table else state)
    left = state is LinkState.UP and in_table
    assert [type(e) for e in events].count(LinkLost) == left


def test_greeting_asks_twice_a_second_and_throws_noise_away():
    desk = Desk()
    desk.link.opened(0.0)
    first = desk.link.take_bytes()
    assert first == b"\0" + encode(GetHello(SESSION))
    assert desk.link.due_s() == 0.5
    assert desk.link.receive(b"Arduino boot\r\n\xff\x00\x07\xfe", 0.2) == []
    assert desk.link.tick(0.4) == []
    assert desk.written() == []
    for n in range(1, 6):
        desk.link.tick(n * 0.5)
        assert desk.written() == [GetHello(SESSION)]
    # what was on the line before the zero spoils nothing after it
    desk.link.receive(b"\0" + encode(HELLO), 2.6)
    assert desk.link.state is LinkState.READING
    assert desk.written() == [GetPicture()]


def test_a_dtr_reset_is_followed_by_a_question_at_once():
    desk = desk_in(LinkState.GREETING)
    assert desk.says(1.3, replace(HELLO, session=0)) == []
    assert desk.link.state is LinkState.GREETING
    assert desk.written() == [GetHello(SESSION)]


def test_a_board_that_restarts_without_end_makes_no_storm():
    desk = desk_in(LinkState.GREETING)
    for n in range(1000):
        desk.says(1.0 + n / 1000, replace(HELLO, session=0, boot=n))
        desk.link.tick(1.0 + n / 1000)
    assert 1 <= len(desk.written()) <= 21


def test_a_picture_that_does_not_come_is_asked_for_again():
    desk = Desk().reading()
    assert desk.written()[-1] == GetPicture()
    desk.link.tick(desk.link.due_s())
    assert desk.written() == [GetPicture()]
    desk.link.tick(2.0)
    assert desk.link.state is LinkState.GREETING  # silent for a second


def test_up_comes_with_the_first_whole_picture_and_faults_follow():
    desk = Desk().reading()
    edge = EdgeMsg(0, 1, 900_000, 10, 3)
    fault = Fault(FaultCode.SUPPLY_LOW, 4300)
    tilt = TiltReport(0, 1, False, False, 5000, 900_000)
    assert desk.says(1.1, edge, fault, tilt) == []  # edges mean nothing yet
    hello = replace(HELLO)
    assert desk.says(1.2, replace(PICTURE, flicker=((2, 9),))) == [
        LinkUp(1.2, hello),
        PictureSeen(1.2, PICTURE.readings, True, ((2, 9),)),
        FaultSeen(1.1, FaultCode.SUPPLY_LOW, 4300),
    ]
    assert desk.link.hello == HELLO
    assert desk.written()[-1] == AckEdges(10, 3)


def test_everything_a_board_says_becomes_an_event():
    desk = desk_in(LinkState.UP)
    events = desk.says(
        1.5,
        EdgeMsg(2, 1, 1_400_000, 11, 3),
        TiltReport(-800, 2, True, True, 4900, 1_450_000),
        Fault(FaultCode.CHAIN_BROKEN, 8),
        Margins(0, ((1, 2),)),
        Pong(0, 1_460_000),
        replace(PICTURE, number=11, readings=b"\x00\x01\x01\x00", board_us=1_470_000),
    )
    near = [replace(e, at_s=round(e.at_s, 2)) for e in events]
    assert near == [
        EdgeSeen(1.4, 2, 1),
        TiltSeen(1.45, -800, 2, True, True, 4900),
        FaultSeen(1.5, FaultCode.CHAIN_BROKEN, 8),
        MarginsSeen(1.5, 0, ((1, 2),)),
        PictureSeen(1.47, b"\x00\x01\x01\x00", False, ()),
    ]
    assert desk.written() == [AckEdges(11, 3)]


def test_edges_in_order_only():
    desk = desk_in(LinkState.UP)
    second, third = EdgeMsg(1, 0, 1_200_000, 12, 3), EdgeMsg(0, 0, 1_300_000, 13, 3)
    first = EdgeMsg(0, 1, 1_100_000, 11, 3)
    assert desk.says(1.4, second, third) == []
    assert desk.written() == []
    ahead = replace(PICTURE, number=13, readings=b"\x00\x00\x00\x00", board_us=1_400_000)
    assert desk.says(1.41, ahead) == []
    seen = desk.says(1.5, first, second, third)
    assert [(e.cell, e.reading) for e in seen] == [(0, 1), (1, 0), (0, 0)]
    assert desk.written() == [AckEdges(13, 3), GetPicture()]  # the picture that came too early
    assert desk.says(1.6, second) == []  # our acknowledgement was lost
    assert desk.written() == [AckEdges(13, 3)]
    assert desk.says(1.7, replace(ahead, number=12)) == []  # a picture older than what we know


def test_numbers_wrap():
    desk = Desk().reading()
    desk.says(1.0, replace(PICTURE, number=65535))
    assert len(desk.says(1.1, EdgeMsg(0, 1, 1_000_001, 0, 3), EdgeMsg(0, 0, 1_000_002, 1, 3))) == 2
    assert desk.says(1.2, EdgeMsg(0, 1, 1_000_001, 0, 3)) == []


def test_overflow_resynchronises():
    desk = desk_in(LinkState.UP)
    picture = replace(PICTURE, number=40, overflow=True, board_us=1_500_000)
    (seen,) = desk.says(1.5, picture)
    assert seen.edges_lost
    assert desk.written() == [AckEdges(40, 3)]
    (again,) = desk.says(
        1.6, replace(picture, board_us=1_600_000)
    )  # the flag still stands: nothing new was lost
    assert not again.edges_lost
    assert desk.written() == [AckEdges(40, 3)]
    assert len(desk.says(1.7, EdgeMsg(0, 1, 1_650_000, 41, 3))) == 1


def test_what_does_not_fit_the_hello_is_dropped():
    desk = desk_in(LinkState.UP)
    assert desk.says(1.1, EdgeMsg(4, 1, 1_100_000, 11, 3), EdgeMsg(0, 2, 1_100_000, 12, 3)) == []
    assert desk.says(1.2, replace(PICTURE, readings=bytes(5)), replace(PICTURE, bits=2)) == []
    assert desk.link.strange == 4
    assert desk.link.state is LinkState.UP


def test_pings_only_when_nothing_else_was_said():
    desk = desk_in(LinkState.UP)
    assert desk.link.due_s() == 1.25
    desk.link.tick(1.24)
    assert desk.written() == []
    desk.link.tick(1.25)
    assert desk.written() == [Ping(1)]
    desk.says(1.4, EdgeMsg(0, 1, 1_300_000, 11, 3))  # acknowledged
    desk.written()
    desk.link.tick(1.6)
    assert desk.written() == []
    desk.link.tick(1.65)
    assert desk.written() == [Ping(2)]


def test_silence_is_lost_and_the_same_board_is_found_again():
    desk = desk_in(LinkState.UP)
    desk.says(1.5, Pong(0, 1_500_000))
    desk.link.receive(b"\x01\x02\x03\x00" * 50, 2.4)  # bytes that are no frame are no life
    assert desk.link.tick(2.49) == []
    assert desk.link.tick(2.5) == [LinkLost(2.5, "no word from the board for 1 s")]
    desk.written()
    assert desk.says(4.0, EdgeMsg(0, 1, 1, 11, 3)) == []
    desk.says(4.0, HELLO)
    up = desk.says(4.1, replace(PICTURE, number=11))
    assert [type(e) for e in up] == [LinkUp, PictureSeen]


@pytest.mark.parametrize(
    ("cause", "words"),
    [(ResetCause.BROWN_OUT, "brown-out"), (ResetCause.WATCHDOG, "watchdog"), (99, "unknown")],
)
def test_a_restart_is_told_with_its_cause(cause, words):
    desk = desk_in(LinkState.UP)
    (lost,) = desk.says(1.5, replace(HELLO, session=0, boot=4, reset_cause=cause))
    assert isinstance(lost, LinkLost)
    assert words in lost.why
    assert desk.written() == [GetHello(SESSION)]
    desk.says(1.6, replace(HELLO, boot=4))
    up, _ = desk.says(1.7, replace(PICTURE, boot=4, number=0, board_us=5))
    assert up.hello.boot == 4


@pytest.mark.parametrize("message", [EdgeMsg(0, 1, 5, 1, 4), replace(PICTURE, boot=4)])
def test_a_restart_is_seen_when_its_hello_was_lost(message):
    desk = desk_in(LinkState.UP)
    (lost,) = desk.says(1.5, message, EdgeMsg(0, 1, 5, 11, 3))
    assert lost == LinkLost(1.5, "the board restarted")
    assert desk.link.state is LinkState.GREETING


def test_a_closed_port_says_why_and_reads_nothing():
    desk = desk_in(LinkState.UP)
    assert desk.link.closed(2.0, "/dev/x went away") == [LinkLost(2.0, "/dev/x went away")]
    assert desk.says(2.1, HELLO, PICTURE) == []
    assert desk.link.take_bytes() == b""
    assert desk.link.due_s() == float("inf")
    desk.link.opened(3.0)
    assert desk.link.take_bytes() == b"\0" + encode(GetHello(SESSION))


def test_two_majors_are_told_in_one_sentence():
    desk = desk_in(LinkState.GREETING)
    (event,) = desk.says(1.0, replace(HELLO, major=2, minor=3))
    assert isinstance(event, Incompatible)
    assert "2.3" in event.sentence
    assert "pip install" in event.sentence
    assert desk.says(1.1, replace(HELLO, major=2)) == []  # said once
    assert desk.link.due_s() == float("inf")
    with pytest.raises(NotUp):
        desk.link.send(TiltTo(0, 600))
    older = Desk().greeting()
    (event,) = older.says(1.0, replace(HELLO, major=0))
    assert "firmware" in event.sentence


def test_another_firmware_on_the_same_port_is_greeted_anew():
    desk = desk_in(LinkState.INCOMPATIBLE)
    desk.says(2.0, replace(HELLO, session=0, boot=9))
    assert desk.link.state is LinkState.GREETING
    desk.says(2.1, replace(HELLO, boot=9))
    assert desk.link.state is LinkState.READING


def test_a_newer_minor_plays():
    desk = desk_in(LinkState.GREETING)
    desk.says(1.0, replace(HELLO, minor=9))
    assert desk.link.state is LinkState.READING


@pytest.mark.parametrize("change", [{"cells": 0}, {"bits": 5}, {"bits": 0}])
def test_a_board_that_cannot_be_is_refused(change):
    desk = desk_in(LinkState.GREETING)
    (event,) = desk.says(1.0, replace(HELLO, **change))
    assert isinstance(event, Incompatible)


def test_a_command_is_sent_again_with_its_id_and_answered_once():
    desk = desk_in(LinkState.UP)
    number = desk.link.send(TiltTo(800, 600))
    assert desk.written() == [TiltTo(800, 600, 1)]
    desk.link.tick(1.0)
    assert desk.link.due_s() == 1.2
    desk.link.tick(1.2)
    assert desk.written() == [TiltTo(800, 600, 1)]
    assert desk.says(1.3, Ack(1, Result.DONE)) == [Answered(1.3, number, Result.DONE)]
    assert desk.says(1.3, Ack(1, Result.DONE)) == []
    refused = desk.link.send(TiltTo(800, 100))
    assert desk.says(1.4, Ack(2, Result.TOO_FAST)) == [Answered(1.4, refused, Result.TOO_FAST)]


def test_a_command_without_an_answer_ends():
    desk = desk_in(LinkState.UP)
    number, other = desk.link.send(Lights(0, b"\x01")), desk.link.send(Lights(1, b"\x02"))
    events: list[LinkEvent] = []
    now_s = 1.0
    while not events:
        now_s += 0.05
        desk.says(now_s, Pong(0, 1_000_000))
        events = desk.link.tick(now_s)
    assert events == [Answered(now_s, number, Result.NO_ANSWER)]
    assert 2.15 <= now_s <= 2.3
    commands = [m for m in desk.written() if isinstance(m, Lights)]
    assert commands == [Lights(0, b"\x01", 1)] * 6 + [Lights(1, b"\x02", 2)]
    assert desk.says(2.4, Ack(2, 0)) == [Answered(2.4, other, Result.DONE)]


def test_commands_do_not_survive_a_lost_link():
    desk = desk_in(LinkState.UP)
    first, second = desk.link.send(TiltTo(800, 600)), desk.link.send(Lights(0, b"\x01"))
    assert desk.link.tick(2.1) == [
        LinkLost(2.1, "no word from the board for 1 s"),
        Answered(2.1, first, Result.LINK_LOST),
        Answered(2.1, second, Result.LINK_LOST),
    ]
    desk.says(3.0, HELLO)
    desk.says(3.1, PICTURE)
    for n in range(8):
        desk.says(3.2 + n / 10, Pong(0, 1_000_000))
        desk.link.tick(3.2 + n / 10)
    assert not any(isinstance(m, TiltTo | Lights) and m.id > 1 for m in desk.written())


def test_margins_answer_for_themselves():
    desk = desk_in(LinkState.UP)
    number = desk.link.send(GetMargins(0, 2))
    assert desk.written() == [GetMargins(0, 2)]
    pairs = ((500, 300), (20, 300))
    assert desk.says(1.1, Margins(0, pairs)) == [MarginsSeen(1.1, 0, pairs), Answered(1.1, number, 0)]


def test_commands_are_refused_here_when_they_must_be():
    desk = Desk()
    with pytest.raises(NotUp):
        desk.link.send(StopTilt())
    with pytest.raises(NotUp):
        desk.link.ask_picture()
    desk.up()
    with pytest.raises(EncodeError):
        desk.link.send(TiltTo(40_000, 600))
    for _ in range(WAITING_MAX + 1):
        desk.link.send(Lights(0, b"\x01"))
    with pytest.raises(TooManyCommands):
        desk.link.send(Lights(0, b"\x01"))
    with pytest.raises(BridgeError):
        Link(session=0)


def test_a_stop_is_never_refused_for_want_of_room():
    desk = desk_in(LinkState.UP)
    for _ in range(WAITING_MAX + 1):
        desk.link.send(Lights(0, b"\x01"))
    desk.written()
    for _ in range(1000):
        desk.link.send(StopTilt())
    assert desk.written() == [StopTilt(2)]
    assert len(desk.link._commands._waiting) <= WAITING_MAX + 3


def test_a_link_and_a_board_back_to_back():
    link, board = Link(session=5), ModelBoard(cells=56, us_at_0=2**32 - 2_000_000)
    link.opened(0.0)
    events, now_s = [], 0.0
    while now_s < 5.0:
        now_s += 0.01
        board.tick(now_s)
        if round(now_s * 100) % 7 == 0:
            board.change(round(now_s * 100) % 56, 1 - board.readings[round(now_s * 100) % 56], now_s)
        events += link.receive(b"".join(board.take()), now_s) + link.tick(now_s)
        board.receive(link.take_bytes(), now_s)
    edges = [e for e in events if isinstance(e, EdgeSeen)]
    assert len(edges) == board.number
    times = [e.at_s for e in edges]
    assert times == sorted(times)
    for edge in edges:
        assert round(edge.at_s * 100) % 7 == 0  # true to less than 5 ms, over the wrap of board time too
