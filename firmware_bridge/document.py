"""The declaration of messages.py as tables for docs/protocol.md and as a C header.

python -m firmware_bridge.document docs/protocol.md    rewrites the part between the markers
python -m firmware_bridge.document --c-header          prints the header for the firmware
python -m firmware_bridge.document --stimulus-header   prints that of the stimulus board
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
    DECLARATIONS,
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
    Field,
    Kind,
    ResetCause,
    Result,
    Sensed,
)
from .stimulus import HOST_TO_STIMULUS, STIMULUS_TO_HOST, StimulusLine

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
        lines += [
            f"| {f.name} | {f.kind.value} | {f.unit} | {f.meaning}{_since(f, declaration)} |"
            for f in declaration.fields
        ]
    return "\n".join(lines)


def _since(field: Field, declaration: Declaration) -> str:
    return "" if field.since == declaration.since else f" (since {field.since[0]}.{field.since[1]})"


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
    lines += [_c_codes(codes) for codes in _CODES]
    for direction in (BOARD_TO_HOST, HOST_TO_BOARD):
        lines += ["", f"/* {direction.name} */"]
        lines += [line for d in direction.declarations for line in _c_message(d, direction)]
    lines += ["", "#endif"]
    return "\n".join(lines) + "\n"


def stimulus_header() -> str:
    """The same for the stimulus board of a test rig; it builds on the controller's header."""
    shared = {d.number for d in DECLARATIONS}
    lines = [
        "/* Made from firmware_bridge/stimulus.py by firmware_bridge/document.py --stimulus-header. Do not edit. */",
        "#ifndef BALANX_STIMULUS_MESSAGES_H",
        "#define BALANX_STIMULUS_MESSAGES_H",
        '#include "messages.h"',
        "",
        _c_codes(StimulusLine),
    ]
    for direction in (STIMULUS_TO_HOST, HOST_TO_STIMULUS):
        lines += ["", f"/* {direction.name} */"]
        own = [d for d in direction.declarations if d.number not in shared]
        lines += [line for d in own for line in _c_message(d, direction)]
    lines += ["", "#endif"]
    return "\n".join(lines) + "\n"


def _c_codes(codes: type[IntEnum] | type[IntFlag]) -> str:
    prefix = _snake(codes.__name__).upper()
    members = [c for c in codes if codes is not Result or c < _HOST_MADE]
    return "enum {" + ", ".join(f"{prefix}_{c.name} = {c.value}" for c in members) + "};"


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
    if arguments == ["--stimulus-header"]:
        sys.stdout.write(stimulus_header())
        return 0
    if len(arguments) != 1 or arguments[0].startswith("-"):
        sys.stderr.write(
            f"{messages.__package__}.document: give docs/protocol.md, --c-header or --stimulus-header\n"
        )
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
