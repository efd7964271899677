"""A journal's bytes -> its events as plain tables, checked line by line; a record's text -> its moves."""

from __future__ import annotations

import binascii
import json
import re
from typing import Any

from .report import Report

Entry = dict[str, Any]

_MOVE = re.compile(r"[a-z]\d\d?-?[a-z]\d\d?|--|\*[a-z]\d\d?|[AB]\d[a-z]?@[a-z]\dr\d")
"""A move of any game: from and to, a pass, a colour chosen, a stone placed."""


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
    moves = [word for word in words if _MOVE.fullmatch(word)]
    return moves, " ".join(words[len(moves) :])


def check_record(entries: list[Entry], record: str, report: Report) -> None:
    """The record must be the journal's line of play."""
    line: list[str] = []
    result = "*"
    for entry in entries:
        match entry["event"]:
            case "TurnTaken":
                line.append(entry["move"])
            case "TakenBack":
                del line[len(line) - entry["plies"] :]
            case "PositionSet":
                line.clear()
            case "GameOver":
                result = entry["result"]
    moves, told = moves_of_record(record)
    if moves != line:
        report.wrong.append("record: its moves are not the journal's")
    if told != result:
        report.wrong.append(f"record: ends with {told!r}, the journal with {result!r}")
