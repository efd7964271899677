"""The declaration of messages.py as tables for docs/protocol.md and as a C header.

python -m firmware_bridge.document docs/protocol.md    rewrites the part between the markers
python -m firmware_bridge.document --c-header          prints the header for the firmware
"""

from __future__ import annotations

import re
import sys
from enum import IntEnum, IntFlag

from . import messages
from .codec import FRAME_MAX
from .errors import BridgeError
from .messages import (
    ANGLE_UNKNOWN_CDEG,
    BAUD,
    BOARD_TO_HOST,
    FLICKER_PAIRS_MAX,
    HOST_TO_BOARD,
    MAJOR,
    MINOR,
    SESSION_UNASKED,
    ConfigKey,
    Declaration,
    Direction,
    FaultCode,
    Feature,
    Kind,
    ResetCause,
    Result,
    Sensed,
)

BEGIN = "<!-- generated from firmware_bridge/messages.py by `python -m firmware_bridge.document`: begin -->"
END = "<!-- generated: end -->"

_CODES: tuple[type[IntEnum] | type[IntFlag], ...] = (
    ResetCause,
    Feature,
    Sensed,
    Result,
    FaultCode,
    ConfigKey,
)
_HOST_MADE = 250
"""Results from here on never travel."""

_C_TYPES = {
    Kind.U8: "uint8_t",
    Kind.U16: "uint16_t",
    Kind.U32: "uint32_t",
    Kind.I16: "int16_t",
    Kind.BOOL: "uint8_t",
}
_SIZES = {Kind.U8: 1, Kind.U16: 2, Kind.U32: 4, Kind.I16: 2, Kind.BOOL: 1}


# -- tables ----------------------------------------------------------------------------


def tables() -> str:
    """All messages and codes as Markdown."""
    parts = [f"Protocol version {MAJOR}.{MINOR}."]
    for direction in (BOARD_TO_HOST, HOST_TO_BOARD):
        parts.append(f"### {direction.name.capitalize()}")
        parts += [_table(d) for d in direction.declarations]
    parts.append("### Codes")
    parts += [_codes(codes) for codes in _CODES]
    return "\n\n".join(parts) + "\n"


def _table(declaration: Declaration) -> str:
    major, minor = declaration.since
    title = f"**`{declaration.name}`** (0x{declaration.number:02X}, since {major}.{minor})"
    lines = [f"{title}. {declaration.meaning}"]
    if declaration.fields:
        lines += ["", "| field | kind | unit | meaning |", "|---|---|---|---|"]
        lines += [f"| {f.name} | {f.kind.value} | {f.unit} | {f.meaning} |" for f in declaration.fields]
    return "\n".join(lines)


def _codes(codes: type[IntEnum] | type[IntFlag]) -> str:
    values = ", ".join(f"{code.value} {_lower(code.name or '')}" for code in codes)
    return f"**{codes.__name__}**: {values}."


def _lower(name: str) -> str:
    return name.lower()


def renewed(document: str) -> str:
    """The document with its generated part brought up to date; raises BridgeError when it has no markers."""
    before, begin, rest = document.partition(BEGIN)
    _old, end, after = rest.partition(END)
    if not begin or not end:
        raise BridgeError(f"the document lacks the markers {BEGIN!r} and {END!r}")
    return f"{before}{BEGIN}\n\n{tables()}\n{END}{after}"


# -- C ---------------------------------------------------------------------------------


def c_header() -> str:
    """The declaration as a C99 header for a little-endian controller: numbers, codes, packed structs."""
    lines = [
        "/* Made from firmware_bridge/messages.py by firmware_bridge/document.py --c-header. Do not edit. */",
        "#ifndef BALANX_MESSAGES_H",
        "#define BALANX_MESSAGES_H",
        "#include <stdint.h>",
        "",
        f"#define BALANX_MAJOR {MAJOR}",
        f"#define BALANX_MINOR {MINOR}",
        f"#define BALANX_BAUD {BAUD}UL",
        f"#define BALANX_FRAME_MAX {FRAME_MAX}",
        f"#define BALANX_FLICKER_PAIRS_MAX {FLICKER_PAIRS_MAX}",
        f"#define BALANX_ANGLE_UNKNOWN_CDEG {ANGLE_UNKNOWN_CDEG:#x}",
        f"#define BALANX_SESSION_UNASKED {SESSION_UNASKED}",
        "",
    ]
    for codes in _CODES:
        prefix = _snake(codes.__name__).upper()
        members = [c for c in codes if codes is not Result or c < _HOST_MADE]
        lines.append("enum {" + ", ".join(f"{prefix}_{c.name} = {c.value}" for c in members) + "};")
    for direction in (BOARD_TO_HOST, HOST_TO_BOARD):
        lines += ["", f"/* {direction.name} */"]
        lines += [line for d in direction.declarations for line in _c_message(d, direction)]
    lines += ["", "#endif"]
    return "\n".join(lines) + "\n"


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def _c_message(declaration: Declaration, direction: Direction[object]) -> list[str]:
    fixed = [f for f in declaration.fields if f.kind.fixed]
    tail = declaration.fields[len(fixed) :]
    name = declaration.name
    lines = [
        "",
        f"/* {declaration.meaning} */",
        f"#define MSG_{name.upper()} 0x{declaration.number:02X}",
        f"struct msg_{name} {{",
        f"    uint8_t message; /* MSG_{name.upper()} */",
    ]
    for f in fixed:
        unit = f" [{f.unit}]" if f.unit else ""
        lines.append(f"    {_C_TYPES[f.kind]} {f.name}; /* {f.meaning}{unit} */")
    lines += [f"    /* then {f.name}: {f.kind.value}: {f.meaning} */" for f in tail]
    lines.append("} __attribute__((packed));")
    size = 1 + sum(_SIZES[f.kind] for f in fixed)
    lines.append(f'_Static_assert(sizeof(struct msg_{name}) == {size}, "{name}, {direction.name}");')
    return lines


def main(arguments: list[str]) -> int:
    """See the module's docstring; returns the exit status."""
    if arguments == ["--c-header"]:
        sys.stdout.write(c_header())
        return 0
    if len(arguments) != 1 or arguments[0].startswith("-"):
        sys.stderr.write(f"{messages.__package__}.document: give docs/protocol.md or --c-header\n")
        return 2
    try:
        with open(arguments[0], encoding="utf-8") as file:
            old = file.read()
        new = renewed(old)
        if new != old:
            with open(arguments[0], "w", encoding="utf-8") as file:
                file.write(new)
    except (OSError, BridgeError) as error:
        sys.stderr.write(f"{arguments[0]}: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
