"""A journal's bytes -> its events as plain tables, checked line by line; a record's text -> its moves."""

from __future__ import annotations

import binascii
import json
import re
from typing import Any

Entry = dict[str, Any]


def read_journal(data: bytes) -> tuple[list[Entry], list[str]]:
    """The events, and what is wrong with the lines: `CRC32 NUMBER JSON`, numbered from 1, each ended."""
    entries: list[Entry] = []
    wrong: list[str] = []
    *lines, rest = data.split(b"\n")
    if rest:
        wrong.append(f"journal: {len(rest)} bytes behind the last line")
    for number, line in enumerate(lines, start=1):
        try:
            checksum, sequence, text = line.split(b" ", 2)
            if int(checksum, 16) != binascii.crc32(sequence + b" " + text):
                wrong.append(f"journal line {number}: checksum")
            if int(sequence) != number:
                wrong.append(f"journal line {number}: numbered {int(sequence)}")
            entries.append(json.loads(text))
        except ValueError as error:
            wrong.append(f"journal line {number}: {error}")
    return entries, wrong


def write_line(number: int, entry: Entry) -> bytes:
    """A line as the journal writes it (for those who forge journals, to see that it is found out)."""
    body = f"{number} {json.dumps(entry, separators=(',', ':'))}".encode()
    return b"%08x " % binascii.crc32(body) + body + b"\n"


def moves_of_record(text: str) -> tuple[list[str], str]:
    """Moves and result of a game record, in order."""
    body = "\n".join(line for line in text.splitlines() if not line.startswith("["))
    body = re.sub(r"\{[^}]*\}", " ", body)
    words = [word for word in body.split() if not re.fullmatch(r"\d+\.+", word)]
    moves = [word for word in words if re.fullmatch(r"[a-z]\d-?[a-z]\d|--", word)]
    return moves, " ".join(words[len(moves) :])
