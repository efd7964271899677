"""Python controller and C core, given the same restless inputs, accept the same changes at the same board time."""

import ctypes
from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from balanxd.contract.board import Board, Fit
from balanxd.contract.host import HostBoard
from balanxd.contract.simulated import SimBoard
from firmware_bridge.codec import BODY_MAX, FRAME_MAX, Decoder, frame
from firmware_bridge.messages import HOST_TO_BOARD, ConfigKey, Configure, EdgeMsg, GetPicture, Picture, Result


def restless(board: Board, seed: int) -> None:
    """Inputs that change after 1 to 30 ms, some of them chattering, and a host that asks now and then."""
    random = Random(seed)
    board.up()
    samples = random.choice((1, 2, 5, 12))
    assert board.order(Configure(ConfigKey.DEBOUNCE_SAMPLES, samples)) == Result.DONE
    for _ in range(150):
        for cell in random.sample(range(board.cells), random.choice((1, 1, 2))):
            board.input(cell, random.randrange(1 << board.fit.bits))
        board.run(random.choice((0.001, 0.002, 0.005, 0.03)))
    board.run(0.3)
    board.send(GetPicture())
    board.run(0.01)


def told(board: Board) -> tuple[list[tuple[int, int, int]], Counter[int], bytes]:
    """Edges as (board time, cell, reading) whatever their order within a sample; flicker by cell; the last picture."""
    edges = {edge.number: (edge.board_us, edge.cell, edge.reading) for edge in board.of(EdgeMsg)}
    flicker: Counter[int] = Counter()
    for picture in board.of(Picture):
        flicker.update(dict(picture.flicker))
        assert not picture.overflow
    return sorted(edges.values()), flicker, board.of(Picture)[-1].readings


@pytest.mark.parametrize("bits", [1, 2])
@pytest.mark.parametrize("seed", range(8))
def test_the_same_inputs_give_the_same_edges(seed: int, bits: int, library: ctypes.CDLL) -> None:
    fit = Fit(cells=6, bits=bits)  # six: a picture names all that flicker
    boardes = (SimBoard(fit), HostBoard(fit, library))
    for board in boardes:
        restless(board, seed)
    python, c = (told(board) for board in boardes)
    assert len(c[0]) > 10
    assert c == python


@settings(max_examples=200)
@given(body=st.binary(min_size=1, max_size=BODY_MAX))
def test_any_body_becomes_the_same_frame(body: bytes, library: ctypes.CDLL) -> None:
    made = ctypes.create_string_buffer(FRAME_MAX)
    length = library.host_frame_close(made, body, len(body))
    assert made.raw[:length] == frame(body)


@settings(max_examples=300)
@given(
    piece=st.binary(min_size=1, max_size=FRAME_MAX - 1),
    whole=st.booleans(),
    at=st.integers(0, FRAME_MAX),
    bit=st.integers(0, 7),
)
def test_any_bytes_are_a_frame_to_both_or_to_none(
    piece: bytes, whole: bool, at: int, bit: int, library: ctypes.CDLL
) -> None:
    if whole:  # nearly a frame: one bit of it may be wrong
        good = bytearray(frame(piece[:BODY_MAX])[:-1])
        if at < len(good):
            good[at] ^= 1 << bit
        piece = bytes(good)
    piece = piece.replace(b"\0", b"\1")
    decoder = Decoder(HOST_TO_BOARD)
    decoder.feed(piece + b"\0")
    opened = library.host_frame_open(ctypes.create_string_buffer(FRAME_MAX), piece, len(piece))
    assert (opened == 0) == (decoder.counters.bad_crc == 1)
