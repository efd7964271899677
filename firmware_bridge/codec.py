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


def _counted(value: bytes, what: str) -> bytes:
    if len(value) > 255:
        raise ValueError(f"{what} longer than 255")
    return bytes((len(value),)) + value


def _pack_tail(kind: Kind, value: Any, message: Any) -> bytes:
    """One field of varying length; ValueError, TypeError, struct.error when the value does not fit."""
    match kind:
        case Kind.VERSION:
            return struct.pack("3B", *value)
        case Kind.TEXT:
            return _counted(value.encode("ascii"), "text")
        case Kind.OCTETS:
            return _counted(value, "octets")
        case Kind.PAIRS8:
            if len(value) > FLICKER_PAIRS_MAX:
                raise ValueError(f"more than {FLICKER_PAIRS_MAX} pairs")
            return bytes((len(value),)) + b"".join([bytes(pair) for pair in value])
        case Kind.PAIRS16:
            return bytes((len(value),)) + b"".join([struct.pack("<HH", *pair) for pair in value])
        case Kind.READINGS:
            if len(value) > 255:
                raise ValueError("more than 255 cells")
            return bytes((len(value),)) + pack_readings(value, message.bits)
        case _:
            raise AssertionError(kind)


def _take(buffer: bytearray, at: int, length: int, end: int) -> bytes:
    if at + length > end:
        raise _Malformed
    return bytes(buffer[at : at + length])


def _unpack_tail(kind: Kind, buffer: bytearray, at: int, end: int, got: dict[str, Any]) -> tuple[Any, int]:
    """One field of varying length and the place behind it; raises _Malformed."""
    if kind is Kind.VERSION:
        return tuple(_take(buffer, at, 3, end)), at + 3
    (length,) = _take(buffer, at, 1, end)
    at += 1
    match kind:
        case Kind.TEXT:
            return _take(buffer, at, length, end).decode("ascii", "replace"), at + length
        case Kind.OCTETS:
            return _take(buffer, at, length, end), at + length
        case Kind.PAIRS8:
            if length > FLICKER_PAIRS_MAX:
                raise _Malformed
            raw = _take(buffer, at, 2 * length, end)
            return tuple(zip(raw[::2], raw[1::2], strict=True)), at + 2 * length
        case Kind.PAIRS16:
            raw = _take(buffer, at, 4 * length, end)
            return tuple(struct.iter_unpack("<HH", raw)), at + 4 * length
        case Kind.READINGS:
            bits = got["bits"]
            if bits not in BITS_PER_CELL:
                raise _Malformed
            size = (length * bits + 7) // 8
            return unpack_readings(_take(buffer, at, size, end), length, bits), at + size
        case _:
            raise AssertionError(kind)


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

    def with_tail(message: Any) -> bytes:
        parts = [pack(number, *values(message))]
        parts += [_pack_tail(f.kind, getattr(message, f.name), message) for f in tail]
        return b"".join(parts)

    return with_tail


def _unpacker(declaration: Declaration) -> Callable[[bytearray, int], Any]:
    """(buffer, end of body) to message; buffer[0] is the walk's zero, [1] the number. Raises _Malformed."""
    fixed = [f for f in declaration.fields if f.kind.fixed]
    tail = declaration.fields[len(fixed) :]
    head = struct.Struct("<xx" + "".join(_STRUCT_CODES[f.kind] for f in fixed))
    unpack, size, type_ = head.unpack_from, head.size, declaration.type
    names = [f.name for f in fixed]

    def plain(buffer: bytearray, end: int) -> Any:
        if size > end:
            raise _Malformed
        return type_(*unpack(buffer))

    def with_tail(buffer: bytearray, end: int) -> Any:
        if size > end:
            raise _Malformed
        got: dict[str, Any] = dict(zip(names, unpack(buffer), strict=True))
        at = size
        for f in tail:
            got[f.name], at = _unpack_tail(f.kind, buffer, at, end, got)
        return type_(**got)

    return with_tail if tail else plain


_PACKERS = {d.type: _packer(d) for d in DECLARATIONS}


def encode(message: Message) -> bytes:
    """One message as one frame, closing zero included; EncodeError when a value does not fit its field."""
    try:
        body = _PACKERS[type(message)](message)
    except (struct.error, ValueError, TypeError) as error:
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
    too_long: int = 0
    unknown_message: int = 0  # good CRC, number not known in this direction
    malformed: int = 0  # good CRC, too short for its message

    @property
    def frames_dropped(self) -> int:
        return self.bad_crc + self.too_long + self.unknown_message + self.malformed


M = TypeVar("M")


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
        if at != length or length < 4 or crc_hqx(buffer, _CRC_START_BEFORE_ZERO):
            counters.bad_crc += 1
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
