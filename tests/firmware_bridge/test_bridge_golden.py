"""Frames that neither side's encoder wrote are read and written byte for byte."""

import importlib.util
import json
from pathlib import Path

import pytest

from firmware_bridge.codec import FRAME_MAX, Decoder, encode
from firmware_bridge.messages import BOARD_TO_HOST, DECLARATIONS, HOST_TO_BOARD, Kind

ROOM = Path(__file__).resolve().parents[2] / "firmware_bridge"
GOLDEN = json.loads((ROOM / "golden" / "frames.json").read_text())
BY_NAME = {d.name: d for d in DECLARATIONS}


def value(kind, plain):
    """A field's value from its JSON form."""
    match kind:
        case Kind.OCTETS | Kind.READINGS:
            return bytes.fromhex(plain)
        case Kind.PAIRS8 | Kind.PAIRS16:
            return tuple(tuple(pair) for pair in plain)
        case Kind.VERSION:
            return tuple(plain)
        case _:
            return plain


def message_of(entry):
    declaration = BY_NAME[entry["message"]]
    return declaration.type(**{f.name: value(f.kind, entry["fields"][f.name]) for f in declaration.fields})


@pytest.mark.parametrize("entry", GOLDEN, ids=lambda entry: entry["name"])
def test_golden_frame_both_ways(entry):
    frame, message = bytes.fromhex(entry["frame"]), message_of(entry)
    if not entry["name"].endswith("(read only)"):
        assert encode(message) == frame
    direction = BOARD_TO_HOST if type(message) in BOARD_TO_HOST.types else HOST_TO_BOARD
    assert Decoder(direction).feed(frame) == [message]


def test_every_message_is_among_them():
    assert {entry["message"] for entry in GOLDEN} == set(BY_NAME)
    assert max(len(bytes.fromhex(entry["frame"])) for entry in GOLDEN) == FRAME_MAX


def test_the_file_is_what_the_independent_script_makes():
    spec = importlib.util.spec_from_file_location(
        "golden_by_hand", Path(__file__).with_name("golden_by_hand.py")
    )
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    assert script.crc(b"123456789") == 0x29B1
    assert script.golden() == GOLDEN
