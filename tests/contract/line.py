"""Edges, pictures and commands on the line, by name: each one a function of a board."""

from itertools import pairwise

from contract.promises import behaviour, only, ready, seen

from balanxd.contract.board import ALL, Board, Fit, Need
from firmware_bridge.codec import encode, frame
from firmware_bridge.messages import (
    AckEdges,
    EdgeMsg,
    Feature,
    GetHello,
    GetMargins,
    GetPicture,
    Lights,
    Margins,
    Picture,
    Ping,
    Pong,
    Result,
    TiltReport,
    TiltTo,
)

# -- edges and pictures ----------------------------------------------------------------


@behaviour(Need.INPUTS)
def edges_come_again_each_100_ms_until_acknowledged(board: Board) -> None:
    ready(board)
    board.acks = False
    board.input(5, 1)
    board.run(0.557)
    edges = board.of(EdgeMsg)
    assert len(edges) == 6
    assert len(set(edges)) == 1
    times = board.times(EdgeMsg)
    assert all(board.near(b - a, 0.1, 0.002) for a, b in pairwise(times))
    board.send(AckEdges(edges[0].number, edges[0].boot))
    board.run(0.5)
    assert len(board.of(EdgeMsg)) == 6


@behaviour(Need.INPUTS)
def acknowledgement_of_another_life_is_ignored(board: Board) -> None:
    ready(board)
    board.acks = False
    board.input(5, 1)
    board.run(0.05)
    board.send(AckEdges(1, 2))
    board.run(0.1)
    assert len(board.of(EdgeMsg)) == 2


@behaviour(Need.INPUTS)
def acknowledgement_counts_for_all_before(board: Board) -> None:
    ready(board)
    board.acks = False
    for cell in (1, 2, 3, 4):
        board.input(cell, 1)
        board.run(0.01)
    board.run(0.02)
    assert [(e.number, e.cell) for e in board.of(EdgeMsg)] == [(1, 1), (2, 2), (3, 3), (4, 4)]
    board.send(AckEdges(3, 1))
    board.heard.clear()
    board.run(0.15)
    assert [e.number for e in board.of(EdgeMsg)] == [4]


@behaviour(Need.INPUTS)
def all_that_is_not_acknowledged_comes_again_in_order(board: Board) -> None:
    ready(board)
    board.acks = False
    for cell in range(10):
        board.input(cell, 1)
    board.run(0.05)
    first = board.of(EdgeMsg)
    assert [e.number for e in first] == list(range(1, 11))
    board.heard.clear()
    board.run(0.1)
    assert board.of(EdgeMsg) == first


@behaviour()
def picture_comes_20_ms_after_the_start_and_once_a_second(board: Board) -> None:
    board.pings = False
    board.run(3.5)
    times = board.times(Picture)
    assert len(times) == 4
    assert board.near(times[0], board.boot_s + 0.02, 0.05)
    assert all(board.near(b - a, 1.0, 0.003) for a, b in pairwise(times))


@behaviour(Need.INPUTS)
def picture_comes_20_ms_after_the_last_edge(board: Board) -> None:
    ready(board)
    board.run(0.1)
    board.heard.clear()
    for cell in (1, 2, 3):
        board.input(cell, 1)
        board.run(0.012)
    board.run(0.1)
    at = only(board.times(Picture))
    assert board.near(at - board.times(EdgeMsg)[-1], 0.02, 0.003)
    picture = only(board.of(Picture))
    assert (picture.number, picture.overflow) == (3, False)
    assert picture.readings == seen(board, 1, 2, 3)


@behaviour()
def picture_on_request_with_the_tilt_behind(board: Board) -> None:
    ready(board)
    board.run(0.1)
    board.heard.clear()
    begin = board.now_s
    board.send(GetPicture())
    board.soon()
    kinds = [type(m) for _, m in board.heard if isinstance(m, Picture | TiltReport)]
    assert kinds == [Picture, TiltReport]
    assert board.times(Picture)[0] - begin < 0.005 + board.slack_s


@behaviour(Need.INPUTS)
def full_queue_sets_overflow_and_throws_edges_away(board: Board) -> None:
    ready(board)
    board.acks = False
    for cell in range(20):
        board.input(cell, 1)
    board.run(0.02)
    for cell in range(20, 40):
        board.input(cell, 1)
    board.run(0.1)
    picture = board.of(Picture)[-1]
    assert (picture.number, picture.overflow) == (40, True)
    assert picture.readings == seen(board, *range(40))
    board.heard.clear()
    board.run(0.5)
    assert board.of(EdgeMsg) == []
    assert len(board.of(Picture)) == 5  # each 100 ms until the host has taken one
    board.send(AckEdges(39, 1))
    board.run(0.15)
    assert board.of(Picture)[-1].overflow
    board.send(AckEdges(40, 1))
    board.run(0.02)
    board.send(GetPicture())
    board.run(0.02)
    assert not board.of(Picture)[-1].overflow
    board.input(7, 0)
    board.run(0.02)
    assert [(e.number, e.cell, e.reading) for e in board.of(EdgeMsg)] == [(41, 7, 0)]


@behaviour()
def board_time_counts_from_the_start(board: Board) -> None:
    board.run(2.0)
    board.heard.clear()
    begin = board.now_s
    board.send(Ping(0x1234))
    board.soon()
    pong = only([m for m in board.of(Pong) if m.token == 0x1234])
    since_start_s = begin - board.zero_s
    assert board.near(pong.board_us / 1e6, since_start_s, 0.0015 if board.zero_s else board.boot_s)
    board.run(1.0)
    begin, before_us = board.now_s, pong.board_us
    board.send(Ping(0x1235))
    board.soon()
    pong = only([m for m in board.of(Pong) if m.token == 0x1235])
    assert board.near((pong.board_us - before_us) / 1e6, begin - since_start_s - board.zero_s, 0.0015)


# -- commands --------------------------------------------------------------------------


@behaviour()
def ping_is_answered_at_once_with_its_token(board: Board) -> None:
    ready(board)
    board.pings = False
    begin = board.now_s
    board.send(Ping(0xABCD))
    board.soon()
    assert [pong.token for pong in board.of(Pong)] == [0xABCD]
    assert board.times(Pong)[0] - begin < 0.005 + board.slack_s


@behaviour(Need.MOTION)
def command_is_done_once_and_answered_again(board: Board) -> None:
    board.up(enabled=True)
    swing = TiltTo(800, 600)
    assert board.order_as(900, swing) == Result.DONE
    assert board.order_as(900, swing) == Result.DONE  # BUSY if it were done again
    assert board.order_as(901, swing) == Result.BUSY
    assert board.order_as(901, swing) == Result.BUSY


@behaviour(Need.MOTION)
def another_session_makes_the_same_id_a_new_command(board: Board) -> None:
    board.up(enabled=True)
    assert board.order_as(900, TiltTo(800, 600)) == Result.DONE
    board.send(GetHello(77))  # the same session: the id is known
    assert board.order_as(900, TiltTo(800, 600)) == Result.DONE
    board.send(GetHello(78))
    assert board.order_as(900, TiltTo(800, 600)) == Result.BUSY


@behaviour()
def broken_frames_are_dropped(board: Board) -> None:
    ready(board)
    board.pings = False
    good = encode(Ping(0x5555))
    board.write(bytes((good[0], good[1], good[2] ^ 4)) + good[3:])
    board.write(good[:3] + b"\0")
    board.write(b"\x99" * 300 + b"\0")
    board.write(frame(b"\x7e\x01"))  # no such message
    board.write(frame(bytes((0x4B, 1))))  # too short for its number
    board.write(b"\0\0")
    board.run(0.05)
    assert board.of(Pong) == []
    board.write(good)
    board.soon()
    assert len(board.of(Pong)) == 1


@behaviour()
def fields_of_a_newer_minor_version_are_ignored(board: Board) -> None:
    ready(board)
    board.pings = False
    board.write(frame(bytes((0x4B, 0x34, 0x12, 9, 9, 9))))
    board.soon()
    assert [pong.token for pong in board.of(Pong)] == [0x1234]


@behaviour(Need.LIGHTS)
def lights_take_palette_indices(board: Board) -> None:
    ready(board)
    assert board.order(Lights(3, bytes((1, 2, 3)))) == Result.DONE
    assert [board.light(i) for i in range(2, 7)] == [0, 1, 2, 3, 0]
    assert board.order(Lights(4, bytes((9,)))) == Result.DONE
    assert [board.light(i) for i in range(2, 7)] == [0, 1, 9, 3, 0]
    assert board.order(Lights(board.cells - 1, bytes((1, 2)))) == Result.UNKNOWN
    assert board.light(board.cells - 1) == 0


@behaviour(Need.LIGHTS)
def lights_say_that_the_host_is_silent(board: Board) -> None:
    ready(board)
    assert board.order(Lights(0, bytes((1, 2, 3)))) == Result.DONE
    board.pings = board.acks = False
    board.run(1.1)
    assert [board.light(i) for i in range(4)] == [15, 0, 0, 0]
    board.send(Ping(1))
    board.run(0.01)
    assert [board.light(i) for i in range(4)] == [1, 2, 3, 0]


@behaviour(Need.RESETS, fit=Fit(cells=16, features=ALL))
def margins_are_told_cell_by_cell(board: Board) -> None:
    board.greet()
    board.send(GetMargins(10, 60))
    board.soon()
    assert board.of(Margins) == [Margins(10, tuple((cell, 500) for cell in range(10, 16)))]


@behaviour(fit=Fit(features=ALL & ~Feature.MARGINS))
def margins_are_refused_where_there_are_none(board: Board) -> None:
    ready(board)
    board.send(GetMargins(0, 10))
    board.run(0.02)
    assert board.of(Margins) == [Margins(0, ())]
