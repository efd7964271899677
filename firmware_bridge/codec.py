"""Messages to frames (`encode`) and bytes to messages (`Decoder`). No I/O, no clock.

frame   = COBS(body, crc) 00           at most FRAME_MAX bytes with the closing zero
body    = message number u8, fields    fields as declared in messages.py
crc     = CRC-16/CCITT-FALSE of body, high byte first, so that the CRC over body and crc is 0

A frame is shorter than 254 bytes, so a COBS block never reaches its full length of 254: a code byte always
stands for a zero (or the end), and decoding is one walk that puts the zeros back.
"""

from __future__ import annotations

import struct
from binascii import crc_hqx
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from dataclasses import fields as dataclass_fields
from operator import attrgetter
from typing import Any, Generic, TypeVar

from .errors import EncodeError
from .messages import (
    BITS_PER_CELL,
    DECLARATIONS,
    FLICKER_PAIRS_MAX,
    Declaration,
    Direction,
    Field,
    Kind,
    Message,
)

FRAME_MAX = 250
"""Bytes of the longest frame, closing zero included."""
BODY_MAX = FRAME_MAX - 4
"""Bytes of the longest body: a frame adds COBS' first code, two of CRC and the zero."""

M = TypeVar("M")

_CRC_START = 0xFFFF
_CRC_START_BEFORE_ZERO = 0x1E0C
"""One zero byte turns this register into _CRC_START. The walk leaves a zero before the body: no copy."""

_CODES = tuple(bytes((n + 1,)) for n in range(FRAME_MAX))
_STRUCT_CODES = {Kind.U8: "B", Kind.U16: "H", Kind.U32: "I", Kind.I16: "h", Kind.BOOL: "?"}


class _Malformed(Exception):
    """A frame with a good CRC that is too short for its message, or holds a length that cannot be."""


# -- readings --------------------

_DIGITS = bytes(b"0123456789abcdef"[i] if i < 16 else ord("~") for i in range(256))
_VALUES = bytes(int(chr(i), 16) if chr(i) in "0123456789abcdef" else 0 for i in range(256))
_UNPACKED = {
    bits: tuple(
        bytes((byte >> shift) & ((1 << bits) - 1) for shift in range(0, 8, bits)) for byte in range(256)
    )
    for bits in (1, 2, 4)
}


def pack_readings(readings: bytes, bits: int) -> bytes:
    """Readings (one number a cell) to `bits` bits a cell, first cell lowest; ValueError if one is too big."""
    if bits not in BITS_PER_CELL:
        raise ValueError(f"{bits} bits a cell; possible are {BITS_PER_CELL}")
    if bits == 8:
        return readings
    if not readings:
        return b""
    # A base of a power of two makes int() the packer; a reading that does not fit is no digit of that base.
    return int(readings[::-1].translate(_DIGITS), 1 << bits).to_bytes(
        (len(readings) * bits + 7) // 8, "little"
    )


def unpack_readings(packed: bytes, cells: int, bits: int) -> bytes:
    """Inverse of pack_readings; `packed` holds at least ceil(cells * bits / 8) bytes, unused bits ignored."""
    if bits == 8:
        return packed[:cells]
    if bits == 3:
        return f"{int.from_bytes(packed, 'little'):0{cells}o}"[::-1].encode().translate(_VALUES)[:cells]
    unpacked = _UNPACKED[bits]
    return b"".join([unpacked[byte] for byte in packed])[:cells]


# -- fields of varying length --------------------


def _put_version(value: Any, bits: int) -> bytes:
    return struct.pack("3B", *value)


def _put_text(value: Any, bits: int) -> bytes:
    return _put_octets(value.encode("ascii"), bits)


def _put_octets(value: Any, bits: int) -> bytes:
    return bytes((len(value),)) + bytes(value)


def _put_pairs8(value: Any, bits: int) -> bytes:
    if not value:
        return b"\0"
    if len(value) > FLICKER_PAIRS_MAX:
        raise ValueError(f"more than {FLICKER_PAIRS_MAX} pairs")
    return struct.pack(f"{1 + 2 * len(value)}B", len(value), *[n for pair in value for n in pair])


def _put_pairs16(value: Any, bits: int) -> bytes:
    return struct.pack(f"<B{2 * len(value)}H", len(value), *[n for pair in value for n in pair])


def _put_readings(value: Any, bits: int) -> bytes:
    return bytes((len(value),)) + pack_readings(value, bits)


_PUT: dict[Kind, Callable[[Any, int], bytes]] = {
    Kind.VERSION: _put_version,
    Kind.TEXT: _put_text,
    Kind.OCTETS: _put_octets,
    Kind.PAIRS8: _put_pairs8,
    Kind.PAIRS16: _put_pairs16,
    Kind.READINGS: _put_readings,
}
"""Kind to (value, bits a cell) -> bytes; ValueError, TypeError, struct.error when the value does not fit."""


def _take(buffer: bytearray, at: int, length: int, end: int) -> bytes:
    if at + length > end:
        raise _Malformed
    return bytes(buffer[at : at + length])


def _length(buffer: bytearray, at: int, end: int) -> int:
    if at >= end:
        raise _Malformed
    return buffer[at]


def _take_version(buffer: bytearray, at: int, end: int, bits: int) -> tuple[Any, int]:
    return tuple(_take(buffer, at, 3, end)), at + 3


def _take_text(buffer: bytearray, at: int, end: int, bits: int) -> tuple[Any, int]:
    length = _length(buffer, at, end)
    return _take(buffer, at + 1, length, end).decode("ascii", "replace"), at + 1 + length


def _take_octets(buffer: bytearray, at: int, end: int, bits: int) -> tuple[Any, int]:
    length = _length(buffer, at, end)
    return _take(buffer, at + 1, length, end), at + 1 + length


def _take_pairs8(buffer: bytearray, at: int, end: int, bits: int) -> tuple[Any, int]:
    count = _length(buffer, at, end)
    if count == 0:
        return (), at + 1
    if count > FLICKER_PAIRS_MAX:
        raise _Malformed
    raw = _take(buffer, at + 1, 2 * count, end)
    return tuple(zip(raw[::2], raw[1::2], strict=True)), at + 1 + 2 * count


def _take_pairs16(buffer: bytearray, at: int, end: int, bits: int) -> tuple[Any, int]:
    count = _length(buffer, at, end)
    raw = _take(buffer, at + 1, 4 * count, end)
    return tuple(struct.iter_unpack("<HH", raw)), at + 1 + 4 * count


def _take_readings(buffer: bytearray, at: int, end: int, bits: int) -> tuple[Any, int]:
    cells = _length(buffer, at, end)
    if bits not in BITS_PER_CELL:
        raise _Malformed
    size = (cells * bits + 7) // 8
    return unpack_readings(_take(buffer, at + 1, size, end), cells, bits), at + 1 + size


_TAKE: dict[Kind, Callable[[bytearray, int, int, int], tuple[Any, int]]] = {
    Kind.VERSION: _take_version,
    Kind.TEXT: _take_text,
    Kind.OCTETS: _take_octets,
    Kind.PAIRS8: _take_pairs8,
    Kind.PAIRS16: _take_pairs16,
    Kind.READINGS: _take_readings,
}
"""Kind to (buffer, place, end of body, bits a cell) -> (value, place behind it); they raise _Malformed."""


# -- messages --------------------


def _values_of(fixed: Sequence[Field]) -> Callable[[Any], tuple[Any, ...]]:
    names = [f.name for f in fixed]
    if not names:
        return lambda message: ()
    if len(names) == 1:
        only = attrgetter(names[0])
        return lambda message: (only(message),)
    return attrgetter(*names)


def _packer(declaration: Declaration) -> Callable[[Any], bytes]:
    """Message to body."""
    fixed = [f for f in declaration.fields if f.kind.fixed]
    tail = declaration.fields[len(fixed) :]
    number = declaration.number
    pack = struct.Struct("<B" + "".join(_STRUCT_CODES[f.kind] for f in fixed)).pack
    values = _values_of(fixed)
    if not tail:
        return lambda message: pack(number, *values(message))

    tail_values = _values_of(tail)
    putters = [_PUT[f.kind] for f in tail]
    has_bits = any(f.name == "bits" for f in fixed)

    def with_tail(message: Any) -> bytes:
        bits = message.bits if has_bits else 0
        parts = [pack(number, *values(message))]
        parts += [put(value, bits) for put, value in zip(putters, tail_values(message), strict=True)]
        return b"".join(parts)

    return with_tail


def _unpacker(declaration: Declaration) -> Callable[[bytearray, int], Any]:
    """(buffer, end of body) to message; buffer[0] is the walk's zero, [1] the number. Raises _Malformed."""
    fixed = [f for f in declaration.fields if f.kind.fixed]
    tail = declaration.fields[len(fixed) :]
    head = struct.Struct("<xx" + "".join(_STRUCT_CODES[f.kind] for f in fixed))
    unpack, size, type_ = head.unpack_from, head.size, declaration.type

    def plain(buffer: bytearray, end: int) -> Any:
        if size > end:
            raise _Malformed
        return type_(*unpack(buffer))

    if not tail:
        return plain
    defaults = {f.name: f.default for f in dataclass_fields(type_)}
    # (reader, whether an older board leaves it out, what that means)
    takers = [(_TAKE[f.kind], f.since > declaration.since, defaults[f.name]) for f in tail]
    wire_order = [f.name for f in declaration.fields]
    to_declared = [wire_order.index(f.name) for f in dataclass_fields(type_)]
    bits_at = wire_order.index("bits") if "bits" in wire_order else None

    def with_tail(buffer: bytearray, end: int) -> Any:
        if size > end:
            raise _Malformed
        values = list(unpack(buffer))
        bits = 0 if bits_at is None else values[bits_at]
        at = size
        for take, newer, default in takers:
            if newer and at == end:
                values.append(default)
                continue
            value, at = take(buffer, at, end, bits)
            values.append(value)
        return type_(*[values[i] for i in to_declared])

    return with_tail


_PACKERS = {d.type: _packer(d) for d in DECLARATIONS}


def encode(message: Message) -> bytes:
    """One message as one frame, closing zero included; EncodeError when a value does not fit its field."""
    return _encode(_PACKERS[type(message)], message)


def encoder(direction: Direction[M]) -> Callable[[M], bytes]:
    """`encode` for the messages of one direction, also of a wire that is not the controller's."""
    packers = {d.type: _packer(d) for d in direction.declarations}
    return lambda message: _encode(packers[type(message)], message)


def _encode(pack: Callable[[Any], bytes], message: Any) -> bytes:
    try:
        body = pack(message)
    except (struct.error, ValueError, TypeError, AttributeError) as error:
        raise EncodeError(f"{message}: {error}") from None
    if len(body) > BODY_MAX:
        raise EncodeError(f"{type(message).__name__} of {len(body)} bytes; a frame carries {BODY_MAX}")
    return frame(body)


def frame(body: bytes) -> bytes:
    """A body as a frame: CRC, COBS, closing zero. `body` has at most BODY_MAX bytes (not checked)."""
    codes = _CODES
    blocks = (body + crc_hqx(body, _CRC_START).to_bytes(2, "big")).split(b"\0")
    return b"".join([codes[len(block)] + block for block in blocks]) + b"\0"


@dataclass(slots=True)
class Counters:
    """What a decoder has seen since it was made. Frames that were no message, by reason, and their bytes."""

    frames: int = 0
    bytes_dropped: int = 0
    bad_crc: int = 0  # COBS broken or CRC wrong
    one_bit: int = 0  # of those: right with one bit turned, so most likely a flipped bit and no lost byte
    too_long: int = 0
    unknown_message: int = 0  # good CRC, number not known in this direction
    malformed: int = 0  # good CRC, too short for its message

    @property
    def frames_dropped(self) -> int:
        return self.bad_crc + self.too_long + self.unknown_message + self.malformed


def _one_bit_crcs() -> dict[int, int]:
    """What one flipped bit leaves of a CRC that should be zero -> how many bytes before the end it lies."""
    found: dict[int, int] = {}
    registers = [crc_hqx(bytes((1 << bit,)), 0) for bit in range(8)]
    for distance in range(FRAME_MAX):
        for register in registers:
            found.setdefault(register, distance)
        registers = [crc_hqx(b"\0", register) for register in registers]
    return found


_ONE_BIT = _one_bit_crcs()


class Decoder(Generic[M]):
    """Bytes of one direction, in any pieces, to messages. Never raises on bytes; what it drops it counts."""

    __slots__ = ("_held", "_skipping", "_unpackers", "counters")

    def __init__(self, direction: Direction[M]) -> None:
        self.counters = Counters()
        self._unpackers: dict[int, Callable[[bytearray, int], M]] = {
            d.number: _unpacker(d) for d in direction.declarations
        }
        self._held = b""
        self._skipping = False  # within a frame that is already too long

    def reset(self) -> None:
        """Forgets a frame begun (the port was opened anew); counters go on."""
        self._held = b""
        self._skipping = False

    def feed(self, data: bytes) -> list[M]:
        """The messages whose last byte is in `data`, in order."""
        pieces = data.split(b"\0")
        if self._held:
            pieces[0] = self._held + pieces[0]
        rest = pieces.pop()
        messages: list[M] = []
        if pieces:
            if self._skipping:
                self._skipping = False
                self.counters.bytes_dropped += len(pieces.pop(0))
            decode = self._decode
            messages = [m for piece in pieces if piece and (m := decode(piece)) is not None]
        if self._skipping:
            self.counters.bytes_dropped += len(rest)
            rest = b""
        elif len(rest) >= FRAME_MAX:
            self._skipping = True
            self.counters.too_long += 1
            self.counters.bytes_dropped += len(rest)
            rest = b""
        self._held = rest
        return messages

    def _decode(self, piece: bytes) -> M | None:
        """One frame without its zero; None (and counted) when it is no message. `piece` is not empty."""
        counters = self.counters
        length = len(piece)
        if length >= FRAME_MAX:
            counters.too_long += 1
            counters.bytes_dropped += length
            return None
        buffer = bytearray(piece)
        at = 0
        while at < length:
            code = buffer[at]
            buffer[at] = 0
            at += code
        if at != length or length < 4 or (wrong := crc_hqx(buffer, _CRC_START_BEFORE_ZERO)):
            counters.bad_crc += 1
            if at == length and length >= 4:
                counters.one_bit += _ONE_BIT.get(wrong, FRAME_MAX) < length - 1
            counters.bytes_dropped += length
            return None
        unpack = self._unpackers.get(buffer[1])
        if unpack is None:
            counters.unknown_message += 1
            counters.bytes_dropped += length
            return None
        try:
            message = unpack(buffer, length - 2)
        except _Malformed:
            counters.malformed += 1
            counters.bytes_dropped += length
            return None
        counters.frames += 1
        return message
