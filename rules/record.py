"""Game records: UTF-8 text in, tags, line, comments and result out, and back without loss."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .errors import IllegalMove, MoveError, RecordError, RulesError
from .game import Outcome
from .games import game_of_tags
from .line import Line

WIDTH = 80
"""Columns at which the movetext is wrapped; a longer word or a comment of several lines stands as it is."""

UNKNOWN_DATE = "????.??.??"

_TAG = re.compile(r'\[([A-Za-z][A-Za-z0-9_]*) "((?:[^"\\]|\\.)*)"\]')
_TAG_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_DATE = re.compile(r"(\d{4}|\?{4})\.(\d\d|\?\?)\.(\d\d|\?\?)")
_TOKEN = re.compile(r"\{([^}]*)\}|(\d{1,9})(\.{3}|\.)(?!\.)|([^\s{}]+)|\s+")
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n"}
_ESCAPED = {escape[1]: letter for letter, escape in _ESCAPES.items()}
_BY_PLAYERS = frozenset({"resigned", "agreed"})
"""Ends that no moves show."""

Comments = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Record:
    """One game. `comments[n]` stand after the n-th move, `comments[0]` before the first.

    Made by `of` or `parse`, which see to it that tags, line and result agree.
    """

    tags: tuple[tuple[str, str], ...]
    line: Line[Any, Any]
    comments: Comments
    result: str

    @classmethod
    def of(
        cls,
        line: Line[Any, Any],
        tags: Sequence[tuple[str, str]] = (),
        comments: Mapping[int, Sequence[str]] | None = None,
    ) -> Record:
        """The record of a line. `tags` (Event, Date, players, ...) stand first; those of the game are added.

        Raises RecordError for a tag that the line itself gives, or for a comment with a closing brace.
        """
        game, start = line.game, line.positions[0]
        result = game.result_text(line.outcome)
        own = list(game.tags())
        if game.setup_in_record or start != game.start():
            own.append(("Setup", game.position_text(start)))
        own.append(("Result", result))
        if twice := {name for name, _ in tags} & {name for name, _ in own}:
            raise RecordError(f"[{min(twice)}] is given by the game itself")
        notes = comments or {}
        every = tuple(tuple(notes.get(number, ())) for number in range(len(line.moves) + 1))
        for name, _ in tags:
            if not _TAG_NAME.fullmatch(name):
                raise RecordError(f"{name!r} cannot be the name of a tag")
        if any("}" in comment for some in every for comment in some):
            raise RecordError("a comment cannot hold a closing brace")
        return cls((*tags, *own), line, every, result)

    @classmethod
    def parse(cls, text: str) -> Record:
        """Read a record. Raises RulesError naming the line, the move or the tag."""
        tags, movetext, first_line = _split(text.removeprefix("\ufeff"))
        values = dict(tags)
        if "Result" not in values:
            raise RecordError("the tag [Result] is missing")
        if not _DATE.fullmatch(values.get("Date", UNKNOWN_DATE)):
            raise RecordError(
                f"[Date] must be written as 2026.11.29 or {UNKNOWN_DATE}, not {values['Date']!r}"
            )
        game = game_of_tags(values)
        setup = values.get("Setup")
        if setup is None and game.setup_in_record:
            raise RecordError("the tag [Setup] is missing")
        try:
            start = game.start() if setup is None else game.parse_position(setup)
        except RulesError as error:
            raise RecordError(f"[Setup] {error}") from None
        line, comments, result = _Reader(Line.begin(game, start), movetext, first_line).read()
        if result != values["Result"]:
            raise RecordError(f"the moves end with {result!r}, but [Result] says {values['Result']!r}")
        return cls(tags, _concluded(line, result), comments, result)

    def text(self) -> str:
        """The canonical text; `parse` gives the same record back."""
        head = "".join(f'[{name} "{_escape(value)}"]\n' for name, value in self.tags)
        return f"{head}\n{_wrapped(self._words())}\n"

    def _words(self) -> Iterator[str]:
        line = self.line
        yield from (f"{{{comment}}}" for comment in self.comments[0])
        for number, move in enumerate(line.moves):
            yield from _number(line, number)
            yield line.game.move_text(move)
            yield from (f"{{{comment}}}" for comment in self.comments[number + 1])
        yield self.result


def _number(line: Line[Any, Any], done: int) -> Iterator[str]:
    """The number before the next move: one a round of all seats, counted from the record's beginning."""
    round_, place = _round(line, done)
    if place == 0:
        yield f"{round_ + 1}."
    elif done == 0:
        yield f"{round_ + 1}..."


def _round(line: Line[Any, Any], done: int) -> tuple[int, int]:
    """Round and place in it, both from 0, of the turn after `done` turns of the record."""
    return divmod(line.game.place_in_round(line.positions[0]) + done, len(line.game.seats))


def _concluded(line: Line[Any, Any], result: str) -> Line[Any, Any]:
    """The line with the record's result. Raises RecordError when the moves contradict it."""
    told = line.game.result_text(line.outcome)
    outcome: Outcome | None = line.game.parse_result(result)
    if line.outcome is not None or (outcome is not None and outcome.reason not in _BY_PLAYERS):
        if told != result:
            raise RecordError(f"the result is {result!r}, but the moves lead to {told!r}")
        return line
    if outcome is None:
        return line
    agreed = line.game.agreed(line.position)
    if outcome.reason == agreed.reason and outcome != agreed:
        raise RecordError(
            f"the result is {result!r}, but agreed here it is {line.game.result_text(agreed)!r}"
        )
    return line.ended(outcome)


# -- text ------------------------------------------------------------------------------------------


def _split(text: str) -> tuple[tuple[tuple[str, str], ...], str, int]:
    """Tags, movetext, and the number of the movetext's first line."""
    lines = text.split("\n")
    tags: dict[str, str] = {}
    for number, row in enumerate(lines, start=1):
        row = row.strip()
        if row and not row.startswith("["):
            return tuple(tags.items()), "\n".join(lines[number - 1 :]), number
        if not row:
            continue
        if (match := _TAG.fullmatch(row)) is None:
            raise RecordError(f'line {number}: a tag is written as [Name "value"]')
        name, value = match.groups()
        if name in tags:
            raise RecordError(f"line {number}: the tag [{name}] stands there twice")
        tags[name] = _unescape(value, number)
    raise RecordError(f"line {len(lines)}: there are no moves and no result")


def _escape(value: str) -> str:
    return "".join(_ESCAPES.get(letter, letter) for letter in value)


def _unescape(value: str, number: int) -> str:
    def letter(match: re.Match[str]) -> str:
        if match[1] not in _ESCAPED:
            raise RecordError(f"line {number}: unknown escape \\{match[1]}")
        return _ESCAPED[match[1]]

    return re.sub(r"\\(.)", letter, value)


def _wrapped(words: Iterator[str]) -> str:
    rows: list[str] = []
    row = ""
    for word in words:
        if row and len(row) + 1 + len(word) > WIDTH:
            rows.append(row)
            row = word
        else:
            row = f"{row} {word}" if row else word
    return "\n".join([*rows, row])


class _Reader:
    """Walks through the movetext once."""

    def __init__(self, line: Line[Any, Any], text: str, first_line: int) -> None:
        self._line = line
        self._text = text
        self._first_line = first_line
        self._comments: list[list[str]] = [[]]

    def read(self) -> tuple[Line[Any, Any], Comments, str]:
        """The line, its comments and the result's text."""
        at = 0
        while at < len(self._text):
            match = _TOKEN.match(self._text, at)
            if match is None:
                raise RecordError(f"{self._place(at)}: a brace that does not close or open")
            comment, number, dots, word = match.groups()
            if comment is not None:
                self._comments[-1].append(comment)
            elif number is not None:
                self._check_number(f"{int(number)}{dots}", at)
            elif word is not None:
                if result := self._result(at):
                    return self._line, tuple(map(tuple, self._comments)), result
                self._push(word, at)
            at = match.end()
        raise RecordError(f"{self._place(at)}: the result is missing at the end")

    def _result(self, at: int) -> str | None:
        """The result, when what is left of the text is one."""
        rest = " ".join(self._text[at:].split())
        if rest[0] not in "*0123456789" or (rest[0] == "*" and rest[1:2] not in ("", " ")):
            return None  # BANKS writes a choice as *b2
        try:
            self._line.game.parse_result(rest)
        except RulesError as error:
            raise RecordError(f"{self._place(at)}: {error}") from None
        return rest

    def _push(self, word: str, at: int) -> None:
        name = self._name()
        try:
            self._line = self._line.push(self._line.game.parse_move(word))
        except MoveError as error:
            raise RecordError(f"{self._place(at)}: move {name}: {error}") from None
        except IllegalMove as error:
            raise RecordError(
                f"{self._place(at)}: move {name} {word}: {error.reason}: {error.sentence}"
            ) from None
        self._comments.append([])

    def _name(self) -> str:
        round_, _ = _round(self._line, len(self._line.moves))
        return f"{round_ + 1} of {self._line.game.seats[self._line.position.side]}"

    def _check_number(self, written: str, at: int) -> None:
        round_, place = _round(self._line, len(self._line.moves))
        due = f"{round_ + 1}{'...' if place else '.'}"
        if written != due:
            raise RecordError(f"{self._place(at)}: number {written} where {due} is due")

    def _place(self, at: int) -> str:
        return f"line {self._first_line + self._text.count(chr(10), 0, at)}"
