"""Golden frames without the room's code: bodies are bytes laid out by hand, CRC and COBS as in the textbooks.

`python tests/firmware_bridge/golden_by_hand.py` prints firmware_bridge/golden/frames.json. Whoever changes the
wire changes the bytes here by hand. Each entry: message and fields as a reader should see them (bytes as hex),
and the frame.
"""

import json

READ_ONLY = " (read only)"
"""Ends the name of a frame as an older version wrote it: read by today's sides, written by none."""

# (name, message, fields, body in hex with one group a field)
FRAMES = [
    (
        "hello of a classic board",
        "hello",
        {
            "major": 1,
            "minor": 1,
            "build_id": 0xDEADBEEF,
            "cells": 56,
            "bits": 1,
            "reader_hz": 1000,
            "reset_cause": 1,
            "boot": 258,
            "session": 0xABCD,
            "features": 3,
            "firmware": [0, 3, 11],
            "product": "Balanx",
            "board_kind": "classic",
            "unique_id": "00ff1020",
            "commit_id": "cafe0042",
        },
        "01 01 01 efbeadde 38 01 e803 01 0201 cdab 03 00030b 0642616c616e78 07636c6173736963 0400ff1020 04cafe0042",
    ),
    (
        "hello of version 1.0, without commit_id" + READ_ONLY,
        "hello",
        {
            "major": 1,
            "minor": 0,
            "build_id": 1,
            "cells": 56,
            "bits": 1,
            "reader_hz": 1000,
            "reset_cause": 2,
            "boot": 1,
            "session": 1,
            "features": 7,
            "firmware": [1, 0, 0],
            "product": "Balanx",
            "board_kind": "wide",
            "unique_id": "01",
            "commit_id": "",
        },
        "01 01 00 01000000 38 01 e803 02 0100 0100 07 010000 0642616c616e78 0477696465 0101",
    ),
    (
        "hello that nobody asked for, of a board without a name, after a brown-out",
        "hello",
        {
            "major": 1,
            "minor": 7,
            "build_id": 0,
            "cells": 64,
            "bits": 4,
            "reader_hz": 500,
            "reset_cause": 3,
            "boot": 65535,
            "session": 0,
            "features": 0,
            "firmware": [1, 0, 0],
            "product": "",
            "board_kind": "",
            "unique_id": "",
            "commit_id": "",
        },
        "01 01 07 00000000 40 04 f401 03 ffff 0000 00 010000 00 00 00 00",
    ),
    (
        "edge without a zero",
        "edge",
        {"cell": 33, "reading": 1, "board_us": 0x075BCD15, "number": 0x014D, "boot": 0x0103},
        "02 21 01 15cd5b07 4d01 0301",
    ),
    (
        "edge of zeros",
        "edge",
        {"cell": 0, "reading": 0, "board_us": 0, "number": 0, "boot": 0},
        "02 00 00 00000000 0000 0000",
    ),
    (
        "edge of ones",
        "edge",
        {"cell": 255, "reading": 255, "board_us": 0xFFFFFFFF, "number": 65535, "boot": 65535},
        "02 ff ff ffffffff ffff ffff",
    ),
    (
        "picture, presence, 10 cells in two bytes",
        "picture",
        {
            "number": 5,
            "overflow": False,
            "board_us": 1000000,
            "boot": 3,
            "bits": 1,
            "flicker": [],
            "readings": "01000000000000000101",
        },
        "03 0500 00 40420f00 0300 01 00 0a 0103",
    ),
    (
        "picture, colour, 5 cells, overflow, flicker",
        "picture",
        {
            "number": 65535,
            "overflow": True,
            "board_us": 4294967295,
            "boot": 1,
            "bits": 2,
            "flicker": [[4, 17], [0, 2]],
            "readings": "0001020301",
        },
        "03 ffff 01 ffffffff 0100 02 02 0411 0002 05 e401",
    ),
    (
        "picture, 3 bits a cell",
        "picture",
        {
            "number": 1,
            "overflow": False,
            "board_us": 2,
            "boot": 3,
            "bits": 3,
            "flicker": [],
            "readings": "070001",
        },
        "03 0100 00 02000000 0300 03 00 03 4700",
    ),
    (
        "picture, 4 bits a cell",
        "picture",
        {
            "number": 1,
            "overflow": False,
            "board_us": 2,
            "boot": 3,
            "bits": 4,
            "flicker": [],
            "readings": "010f02",
        },
        "03 0100 00 02000000 0300 04 00 03 f102",
    ),
    (
        "picture, a byte a cell",
        "picture",
        {
            "number": 1,
            "overflow": False,
            "board_us": 2,
            "boot": 3,
            "bits": 8,
            "flicker": [],
            "readings": "00ff7f",
        },
        "03 0100 00 02000000 0300 08 00 03 00ff7f",
    ),
    ("ack", "ack", {"id": 513, "result": 3}, "04 0102 03"),
    ("fault", "fault", {"code": 5, "argument": 4300}, "05 05 cc10"),
    (
        "tilt under way to Black's side",
        "tilt",
        {
            "commanded_cdeg": -800,
            "sensed": 2,
            "moving": True,
            "enabled": True,
            "supply_mv": 4980,
            "board_us": 256,
        },
        "06 e0fc 02 01 01 7413 00010000",
    ),
    ("pong", "pong", {"token": 7, "board_us": 0x01020304}, "07 0700 04030201"),
    ("margins", "margins", {"first": 8, "pairs": [[512, 300], [0, 65535]]}, "08 08 02 00022c01 0000ffff"),
    ("get_hello", "get_hello", {"session": 0xABCD}, "41 cdab"),
    ("get_picture", "get_picture", {}, "42"),
    ("ack_edges", "ack_edges", {"number": 256, "boot": 1}, "43 0001 0100"),
    ("enable_tilt, angle unknown", "enable_tilt", {"angle_cdeg": 32767, "id": 1}, "44 ff7f 0100"),
    ("tilt_to", "tilt_to", {"angle_cdeg": 800, "swing_ms": 600, "id": 2}, "45 2003 5802 0200"),
    ("stop_tilt", "stop_tilt", {"id": 3}, "46 0300"),
    ("disable_tilt", "disable_tilt", {"id": 4}, "47 0400"),
    ("lights", "lights", {"first": 2, "palette": "000501", "id": 6}, "48 02 0600 03000501"),
    ("configure", "configure", {"key": 1, "value": 5, "id": 5}, "49 01 0500 0500"),
    ("get_margins", "get_margins", {"first": 0, "count": 56}, "4a 00 38"),
    ("ping", "ping", {"token": 0xFF00}, "4b 00ff"),
    ("restart", "restart", {"session": 0xABCD, "boot": 0x0100}, "4c cdab 0001"),
    ("configure: store", "configure", {"key": 9, "value": 1, "id": 8}, "49 09 0100 0800"),
    ("fault: stored settings lost", "fault", {"code": 10, "argument": 0}, "05 0a 0000"),
    (
        "the longest frame: 241 lights",
        "lights",
        {"first": 0, "palette": "07" * 241, "id": 0xFFFF},
        "48 00 ffff f1" + "07" * 241,
    ),
]


def crc(data):
    """CRC-16/CCITT-FALSE, bit by bit."""
    register = 0xFFFF
    for byte in data:
        for bit in range(7, -1, -1):
            top = register >> 15 & 1
            register = register << 1 & 0xFFFF
            if top != byte >> bit & 1:
                register ^= 0x1021
    return register


def cobs(data):
    """COBS as in the paper: a code byte counts up to the next zero or to 254 bytes."""
    out = bytearray([0])
    code_at, code = 0, 1
    for byte in data:
        if byte:
            out.append(byte)
            code += 1
        if byte == 0 or code == 255:
            out[code_at] = code
            code_at, code = len(out), 1
            out.append(0)
    out[code_at] = code
    return bytes(out)


def golden():
    entries = []
    for name, message, fields, body_hex in FRAMES:
        body = bytes.fromhex(body_hex)
        frame = cobs(body + crc(body).to_bytes(2, "big")) + b"\0"
        entries.append({"name": name, "message": message, "fields": fields, "frame": frame.hex()})
    return entries


if __name__ == "__main__":
    assert crc(b"123456789") == 0x29B1
    print("[\n" + ",\n".join(" " + json.dumps(entry) for entry in golden()) + "\n]")
