"""Any bytes never raise, good frames are always understood, and what is dropped is counted."""

from binascii import crc_hqx
from dataclasses import fields, replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wire.strategies import any_of, of

from firmware_bridge import codec
from firmware_bridge.codec import BODY_MAX, FRAME_MAX, Decoder, encode, frame, pack_readings, unpack_readings
from firmware_bridge.errors import BridgeError, EncodeError
from firmware_bridge.messages import (
    BITS_PER_CELL,
    BOARD_TO_HOST,
    DECLARATIONS,
    HOST_TO_BOARD,
    Ack,
    EdgeMsg,
    Hello,
    Lights,
    Margins,
    Picture,
    Ping,
    Pong,
    TiltTo,
)

HELLO = Hello(1, 0, 7, 56, 1, 1000, 1, 3, 9, 3, (1, 2, 3), "Balanx", "classic", b"\x00\x01\xff")
EXAMPLES = [HELLO, EdgeMsg(0, 1, 0, 256, 0), Picture(3, False, 9, 1, 1, ((2, 5),), bytes(56)), Pong(0, 1)]


def direction_of(message):
    return BOARD_TO_HOST if type(message) in BOARD_TO_HOST.types else HOST_TO_BOARD


@pytest.mark.parametrize("declaration", DECLARATIONS, ids=lambda d: d.name)
def test_round_trip_of_every_message(declaration):
    @given(of(declaration))
    def check(message):
        data = encode(message)
        assert len(data) <= FRAME_MAX
        assert data.index(0) == len(data) - 1
        assert Decoder(direction_of(message)).feed(data) == [message]

    check()


@pytest.mark.parametrize("message", EXAMPLES, ids=lambda m: type(m).__name__)
def test_every_split_of_every_frame(message):
    data = encode(message)
    for cut in range(len(data) + 1):
        decoder = Decoder(BOARD_TO_HOST)
        assert decoder.feed(data[:cut]) + decoder.feed(data[cut:]) == [message]
    decoder = Decoder(BOARD_TO_HOST)
    assert [m for byte in data for m in decoder.feed(bytes([byte]))] == [message]
    assert decoder.counters.frames_dropped == 0


@given(st.binary(max_size=700), st.lists(st.integers(0, 700)))
def test_any_bytes_never_raise_and_splits_do_not_matter(junk, cuts):
    whole, pieces = Decoder(BOARD_TO_HOST), Decoder(BOARD_TO_HOST)
    at_once = whole.feed(junk + b"\0")
    places = sorted({0, len(junk), *[min(c, len(junk)) for c in cuts]})
    in_pieces = [m for a, b in pairwise(places) for m in pieces.feed(junk[a:b])]
    assert in_pieces + pieces.feed(b"\0") == at_once
    assert pieces.counters == whole.counters


@given(st.binary(max_size=600), st.lists(any_of(BOARD_TO_HOST.declarations), min_size=1, max_size=4))
def test_good_frames_after_junk_are_understood(junk, messages):
    decoder = Decoder(BOARD_TO_HOST)
    decoder.feed(junk)
    decoder.feed(b"\0")  # the end of whatever the junk was
    assert decoder.feed(b"".join(encode(m) for m in messages)) == messages


@given(st.sampled_from(EXAMPLES), st.data())
def test_a_changed_byte_is_never_another_message(message, data):
    good = bytearray(encode(message))
    at = data.draw(st.integers(0, len(good) - 2))
    good[at] ^= data.draw(st.integers(1, 255))
    # CRC-16 finds every error of up to 16 bits in a row; a byte turned to zero cuts the frame into two bad ones.
    decoder = Decoder(BOARD_TO_HOST)
    assert [m for m in decoder.feed(bytes(good)) if m != message] == []


def test_bodies_of_every_length_and_every_number_never_raise():
    host, board = Decoder(BOARD_TO_HOST), Decoder(HOST_TO_BOARD)
    for number in range(0x80):
        for length in range(24):
            for filler in (b"\x00", b"\x01", b"\xff"):
                data = frame(bytes([number]) + filler * length)
                host.feed(data)
                board.feed(data)
    assert host.counters.malformed > 100
    assert board.counters.malformed > 100


def test_what_is_dropped_is_counted():
    decoder = Decoder(BOARD_TO_HOST)
    good = encode(Pong(1, 2))
    assert decoder.feed(b"\x05abc\0") == []  # COBS code points behind the end
    assert decoder.feed(b"\x05abcd\0") == []  # COBS fine, CRC not
    assert decoder.counters.bad_crc == 2
    assert decoder.feed(encode(Ping(1))) == []  # an echo of ours
    assert decoder.counters.unknown_message == 1
    assert decoder.feed(frame(b"\x02\x01")) == []  # an edge that is too short
    assert decoder.counters.malformed == 1
    before = decoder.counters.bytes_dropped
    assert decoder.feed(b"x" * 1000) == []
    assert decoder.feed(b"y" * 10 + b"\0" + good) == [Pong(1, 2)]
    assert decoder.counters.too_long == 1
    assert decoder.counters.bytes_dropped == before + 1010
    assert decoder.feed(b"z" * FRAME_MAX + b"\0" + good) == [Pong(1, 2)]
    assert decoder.counters.too_long == 2
    assert decoder.counters.frames == 2
    assert decoder.counters.frames_dropped == 6


def test_no_memory_grows_on_a_line_without_zeros():
    decoder = Decoder(BOARD_TO_HOST)
    for _ in range(1000):
        decoder.feed(b"\xaa" * 1000)
    assert len(decoder._held) < FRAME_MAX


def test_empty_frames_mean_nothing():
    decoder = Decoder(BOARD_TO_HOST)
    assert decoder.feed(b"\0\0\0" + encode(Pong(1, 2)) + b"\0\0") == [Pong(1, 2)]
    assert decoder.counters.frames_dropped == 0


def test_reset_forgets_a_frame_begun():
    decoder = Decoder(BOARD_TO_HOST)
    data = encode(Pong(1, 2))
    decoder.feed(data[:3])
    decoder.reset()
    assert decoder.feed(data) == [Pong(1, 2)]


@given(any_of(BOARD_TO_HOST.declarations), st.binary(max_size=20))
def test_a_newer_minor_may_append_fields(message, more):
    body = codec._PACKERS[type(message)](message) + more
    if len(body) <= BODY_MAX:
        assert Decoder(BOARD_TO_HOST).feed(frame(body)) == [message]


@given(st.sampled_from(BITS_PER_CELL), st.data())
def test_readings_pack_and_unpack(bits, data):
    readings = bytes(data.draw(st.lists(st.integers(0, (1 << bits) - 1), max_size=255)))
    packed = pack_readings(readings, bits)
    assert len(packed) == (len(readings) * bits + 7) // 8
    assert unpack_readings(packed, len(readings), bits) == readings
    number = int.from_bytes(packed, "little")
    assert bytes((number >> (i * bits)) & ((1 << bits) - 1) for i in range(len(readings))) == readings


@pytest.mark.parametrize(
    "message",
    [
        EdgeMsg(256, 0, 0, 0, 0),
        EdgeMsg(0, -1, 0, 0, 0),
        EdgeMsg(0, 0, 2**32, 0, 0),
        TiltTo(40000, 600),
        Ack("1", 0),  # type: ignore[arg-type]
        replace(HELLO, product="Bälanx"),
        replace(HELLO, product=None),  # type: ignore[arg-type]
        replace(HELLO, firmware=(1, 2)),  # type: ignore[arg-type]
        replace(HELLO, board_kind="x" * 250),
        Picture(0, False, 0, 0, 1, (), b"\x02"),
        Picture(0, False, 0, 0, 2, (), b"\x04"),
        Picture(0, False, 0, 0, 5, (), b"\x00"),
        Picture(0, False, 0, 0, 1, ((1, 1),) * 7, b"\x00"),
        Picture(0, False, 0, 0, 8, (), bytes(240)),
        Margins(0, ((1, 70000),)),
        Margins(0, ((1, 1),) * 61),
        Lights(0, bytes(242)),
        Lights(0, bytes(256)),
    ],
)
def test_what_does_not_fit_is_refused(message):
    with pytest.raises(EncodeError):
        encode(message)
    assert issubclass(EncodeError, BridgeError)


def test_the_shortened_crc_start_is_right():
    assert crc_hqx(b"\0", codec._CRC_START_BEFORE_ZERO) == codec._CRC_START


def test_the_declaration_is_sound():
    numbers = [d.number for d in DECLARATIONS]
    assert len(set(numbers)) == len(numbers)
    assert len({d.name for d in DECLARATIONS}) == len(numbers)
    assert all(d.number < 0x40 for d in BOARD_TO_HOST.declarations)
    assert all(d.number >= 0x40 for d in HOST_TO_BOARD.declarations)
    for declaration in DECLARATIONS:
        assert declaration.meaning.endswith(".")
        assert {f.name for f in declaration.fields} == {f.name for f in fields(declaration.type)}
        kinds = [f.kind.fixed for f in declaration.fields]
        assert kinds == sorted(kinds, reverse=True)
