"""Frames that neither side's encoder wrote are read and written byte for byte by the C codec, and obeyed."""

import ctypes
import json
from pathlib import Path

import pytest

from balanxd.contract.board import Fit
from balanxd.contract.host import HostBoard
from firmware_bridge.codec import BODY_MAX, FRAME_MAX, frame
from firmware_bridge.messages import (
    BOARD_TO_HOST,
    DECLARATIONS,
    HOST_TO_BOARD,
    Ack,
    Hello,
    Margins,
    Picture,
    Pong,
)

ROOM = Path(__file__).resolve().parents[2] / "firmware_bridge"
GOLDEN = json.loads((ROOM / "golden" / "frames.json").read_text())
TO_BOARD = [entry for entry in GOLDEN if entry["message"] in {d.name for d in HOST_TO_BOARD.declarations}]
NUMBERS = {d.name: d.number for d in DECLARATIONS}
ANSWERS = {"get_hello": Hello, "get_picture": Picture, "ping": Pong, "get_margins": Margins}


@pytest.mark.parametrize("entry", GOLDEN, ids=lambda entry: entry["name"])
def test_golden_frame_both_ways(entry, library: ctypes.CDLL) -> None:
    golden = bytes.fromhex(entry["frame"])
    body = ctypes.create_string_buffer(FRAME_MAX)
    length = library.host_frame_open(body, golden[:-1], len(golden) - 1)
    assert length == len(golden) - 4
    assert body.raw[0] == NUMBERS[entry["message"]]
    again = ctypes.create_string_buffer(FRAME_MAX)
    assert library.host_frame_close(again, body, length) == len(golden)
    assert again.raw[: len(golden)] == golden


@pytest.mark.parametrize("entry", TO_BOARD, ids=lambda entry: entry["name"])
def test_golden_command_is_understood(entry, library: ctypes.CDLL) -> None:
    bench = HostBoard(Fit(cells=128), library)
    bench.up()
    bench.write(bytes.fromhex(entry["frame"]))
    bench.run(0.15)  # a store is answered when it is written
    assert library.host_bad_frames() == 0
    fields = entry["fields"]
    if "id" in fields:
        assert [ack.id for ack in bench.of(Ack)] == [fields["id"]]
    elif answer := ANSWERS.get(entry["message"]):
        assert bench.of(answer)
    if entry["message"] == "get_hello":
        assert bench.of(Hello)[-1].session == fields["session"]
    if entry["message"] == "ping":
        assert fields["token"] in [pong.token for pong in bench.of(Pong)]


def test_each_message_of_the_host_is_among_them() -> None:
    assert {entry["message"] for entry in TO_BOARD} == {d.name for d in HOST_TO_BOARD.declarations}
    assert len(BOARD_TO_HOST.declarations) + len(HOST_TO_BOARD.declarations) == len(NUMBERS)


@pytest.mark.parametrize("length", [1, 2, 100, BODY_MAX])
@pytest.mark.parametrize("fill", [0, 1, 0xFF])
def test_bodies_of_zeros_and_of_none(length: int, fill: int, library: ctypes.CDLL) -> None:
    made = frame(bytes([fill]) * length)
    again = ctypes.create_string_buffer(FRAME_MAX)
    assert library.host_frame_close(again, bytes([fill]) * length, length) == len(made)
    assert again.raw[: len(made)] == made


def test_one_flipped_bit_is_found(library: ctypes.CDLL) -> None:
    golden = bytes.fromhex(GOLDEN[0]["frame"])
    body = ctypes.create_string_buffer(FRAME_MAX)
    for at in range(len(golden) - 1):
        for bit in range(8):
            flipped = bytearray(golden[:-1])
            flipped[at] ^= 1 << bit
            if 0 not in flipped:
                assert library.host_frame_open(body, bytes(flipped), len(flipped)) == 0
