"""The other games: their journals against the simulator's own pieces. Position texts are read here, from the spec.

A turn must be what a hand has done (the same piece, by its number, now lies where the move says), and what lies on
the board must be the position at some moment since the turn before: later the next player may hold a piece already.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .journal import Entry, check_record, read_journal
from .report import Report

Look = tuple[Any, ...]
"""What is to be seen of one piece."""

Lying = dict[str, tuple[Look, ...]]
"""What lies on each cell that is not free, bottom first."""

SIDES = ((1, 0, 0, 0), (1, 0, 1, 0), (2, 1, 0, 0), (2, 1, 1, 0), (3, 1, 0, 1))
"""The default stones 1 to 5, arrows north, east, south, west."""


def _turned(stone: int, quarters: int) -> tuple[int, ...]:
    sides = SIDES[stone % 5]
    return tuple(sides[(side - quarters) % 4] for side in range(4))


def read_banks(text: str) -> Lying:
    """`0.3./1.4. ...`: the top row first, columns from a, row numbers from 1 at the top."""
    rows = text.split(" ")[0].split("/")
    return {
        f"{chr(97 + q)}{r + 1}": ((int(letter),),)
        for r, row in enumerate(rows)
        for q, letter in enumerate(row)
        if letter != "."
    }


def read_boxilies(text: str) -> Lying:
    """`.,A51B,#/...`: the highest row first; a stone is its number, how its arrows lie, and where its figure points."""
    rows = text.split(" ")[0].split("/")
    found: Lying = {}
    for up, row in enumerate(reversed(rows)):
        for column, cell in enumerate(row.split(",")):
            if cell not in (".", "#"):
                stone = "AB".index(cell[0]) * 5 + int(cell[1]) - 1
                look = (stone, _turned(stone, int(cell[2])), "A.B".index(cell[3]))
                found[f"{chr(97 + column)}{up + 1}"] = (look,)
    return found


def read_fourhigh(text: str) -> Lying:
    """`B,3,WB,.../...`: rank 8 first; stacks bottom to top, and counts of free spaces."""
    found: Lying = {}
    for down, row in enumerate(text.split(" ")[0].split("/")):
        file = 0
        for word in row.split(","):
            if word.isdigit():
                file += int(word)
            else:
                found[f"{chr(97 + file)}{8 - down}"] = tuple(("BW".index(letter),) for letter in word)
                file += 1
        if file != 8:
            raise ValueError(f"{text!r}: a rank has {file} spaces")
    return found


@dataclass(frozen=True)
class Kind:
    """How a game's texts are read, and what is to be seen of a piece of the trace."""

    read: Callable[[str], Lying]
    look: Callable[[Mapping[str, Any]], Look]


KINDS: Mapping[str, Kind] = {
    "banks": Kind(read_banks, lambda row: (row["kind"],)),
    "boxilies": Kind(
        read_boxilies, lambda row: (row["kind"], _turned(row["kind"], row["turn"]), row["pointer"])
    ),
    "fourhigh": Kind(read_fourhigh, lambda row: (row["kind"],)),
}


@dataclass(frozen=True)
class Snap:
    """All pieces at one moment: what lies on each cell, and the pieces' numbers there, bottom first."""

    at_s: float
    lying: Lying
    numbers: Mapping[str, tuple[int, ...]]
    held: frozenset[int]
    kinds: Mapping[int, int]
    looks: Mapping[int, Look]

    def put_back(self, home: Mapping[int, str]) -> Snap:
        """As if what is held lay where it was lifted, on top."""
        lying, numbers = dict(self.lying), dict(self.numbers)
        for number in sorted(self.held & home.keys()):
            cell = home[number]
            lying[cell] = (*lying.get(cell, ()), self.looks[number])
            numbers[cell] = (*numbers.get(cell, ()), number)
        return Snap(self.at_s, lying, numbers, frozenset(), self.kinds, self.looks)


def cell_names(game: str, tags: Mapping[str, str]) -> list[str]:
    """Names in the order of the cells' numbers."""
    board = {"fourhigh": "8x8", "boxilies": "3x3", "banks": "8x8"}[game]
    columns, rows = map(int, tags.get("Board", board).split("#")[0].split("x"))
    return [f"{chr(97 + column)}{row + 1}" for row in range(rows) for column in range(columns)]


def snap_of(kind: Kind, names: list[str], at_s: float, rows: list[dict[str, Any]]) -> Snap:
    """One moment of a trace."""
    stacks: dict[str, list[dict[str, Any]]] = {}
    for row in sorted(rows, key=lambda row: row.get("level", 0)):
        if row["cell"] is not None:
            stacks.setdefault(names[row["cell"]], []).append(row)
    return Snap(
        at_s,
        {cell: tuple(kind.look(row) for row in stack) for cell, stack in stacks.items()},
        {cell: tuple(row["id"] for row in stack) for cell, stack in stacks.items()},
        frozenset(row["id"] for row in rows if row["hand"]),
        {row["id"]: row["kind"] for row in rows},
        {row["id"]: kind.look(row) for row in rows},
    )


def check_pieces_trace(folder: Path, record: str | None = None) -> Report:
    """Check a trace's journal (and a record) with the trace's pieces."""
    told = json.loads((folder / "game.json").read_text())
    tags = dict(told["tags"])
    kind, names = KINDS[tags["Game"]], cell_names(tags["Game"], tags)
    frames = [json.loads(line) for line in (folder / "marbles.jsonl").read_text().splitlines()]
    snaps = [snap_of(kind, names, frame["at_s"], frame["marbles"]) for frame in frames]
    return check_pieces(tags["Game"], (folder / "game.journal").read_bytes(), snaps, record)


def check_pieces(game: str, journal: bytes, snaps: list[Snap], record: str | None = None) -> Report:
    """Check a journal of one run with the pieces of the same run."""
    report = Report()
    entries, report.wrong = read_journal(journal)
    report.wrong += _faults(snaps)
    if snaps and entries:
        _Comparison(game, entries, snaps, report).run()
    if record is not None:
        check_record(entries, record, report)
    return report


def check_pieces_table(game: str, tags: Mapping[str, str], journal: bytes, table: str) -> Report:
    """Check a journal's last position with the snapshot of a simulated board (its JSON).

    For a process that was killed: a turn under way may be on the board and not yet in the journal. So no more than
    what one turn changes may be otherwise: three cells, or a stone's neighbours.
    """
    report = Report()
    entries, report.wrong = read_journal(journal)
    kind, names = KINDS[game], cell_names(game, tags)
    rows = json.loads(table)["pieces"]
    stacks: dict[str, list[Look]] = {}
    for row in rows:
        if row["cell"] >= 0:
            stacks.setdefault(names[row["cell"]], []).append(kind.look(row))
    lying = {cell: tuple(stack) for cell, stack in stacks.items()}
    want = kind.read([entry["position"] for entry in entries if "position" in entry][-1])
    differ = [cell for cell in names if lying.get(cell) != want.get(cell)]
    if len(differ) > (5 if game == "boxilies" else 3):
        report.wrong.append(f"table: {', '.join(differ)} are not as the journal's last position has them")
    report.exact += not differ
    report.turns = sum(entry["event"] == "TurnTaken" for entry in entries)
    return report


def _faults(snaps: list[Snap]) -> list[str]:
    """What pieces cannot do: become more or fewer, change their kind, be in two places, go back in time."""
    if not snaps:
        return ["pieces: no frame at all"]
    wrong: list[str] = []
    before_s = snaps[0].at_s
    for snap in snaps:
        at = f"pieces at {snap.at_s:.3f} s"
        if snap.at_s < before_s:
            wrong.append(f"{at}: earlier than the frame before")
        before_s = snap.at_s
        if snap.kinds != snaps[0].kinds:
            wrong.append(f"{at}: a piece came, went or changed its kind")
        lying = [number for stack in snap.numbers.values() for number in stack]
        if len(set(lying)) != len(lying) or snap.held.intersection(lying):
            wrong.append(f"{at}: a piece is in two places")
    return wrong


class _Comparison:
    def __init__(self, game: str, entries: list[Entry], snaps: list[Snap], report: Report) -> None:
        self.game, self.kind = game, KINDS[game]
        self.entries, self.snaps, self.report = entries, snaps, report
        home: dict[int, str] = {}
        self.put_back: list[Snap] = []
        for snap in snaps:
            home |= {number: cell for cell, stack in snap.numbers.items() for number in stack}
            self.put_back.append(snap.put_back(home))

    def run(self) -> None:
        began = self.entries[0]
        if began.get("event") != "GameStarted" or began.get("game") != self.game:
            self._say("journal: does not begin with the start of this game")
            return
        texts = [began["position"]]
        before = self._shown(texts[-1], 0.0, began.get("at_s", 0.0), "the start")
        before_s, ply = before.at_s if before else 0.0, None
        for number, entry in enumerate(self.entries[1:], start=2):
            name, at_s = f"journal line {number}", entry.get("at_s", 0.0)
            if at_s < before_s:
                self._say(f"{name}: earlier than the line before")
            if entry["event"] == "GameOver":
                continue
            if entry["event"] == "TakenBack":
                del texts[len(texts) - entry["plies"] :]
                if not texts or texts[-1] != entry["position"]:
                    self._say(f"{name}: taken back to a position that was not there")
                ply = None
            elif entry["event"] == "TurnTaken":
                self.report.turns += 1
                if ply is not None and entry["ply"] != ply + 1:
                    self._say(f"{name}: ply {entry['ply']} does not follow {ply}")
                ply = entry["ply"]
                if entry["seat"] != self._side(texts[-1]):
                    self._say(f"{name}: it was not this player's turn")
            else:
                texts.clear()
            snap = self._shown(entry["position"], before_s, at_s, name)
            if snap is not None and before is not None and entry["event"] == "TurnTaken":
                self._moved(entry["move"], before, snap, name)
            if entry["event"] != "TakenBack" or not texts:
                texts.append(entry["position"])
            # Of a position that was not there nothing more can be said than that.
            before = snap or before
            before_s = snap.at_s if snap else at_s

    def _side(self, text: str) -> int:
        word = text.split(" ")[{"banks": 3, "boxilies": 1, "fourhigh": 1}[self.game]]
        return (
            int(word) if self.game == "banks" else {"boxilies": "AB", "fourhigh": "BW"}[self.game].index(word)
        )

    def _shown(self, text: str, since_s: float, until_s: float, name: str) -> Snap | None:
        """The last frame up to a time that shows a position; exact where it is the one of that time.

        Where there is none, one in which somebody holds a piece already that belongs to it.
        """
        want = self.kind.read(text)
        for snaps in (self.snaps, self.put_back):
            latest = snaps is self.snaps
            for snap in reversed(snaps):
                if snap.at_s > until_s:
                    continue
                if snap.lying == want:
                    self.report.exact += latest
                    self.report.early += not latest
                    return snap
                if snap.at_s < since_s:
                    break
                latest = False
        lying = next((snap.lying for snap in reversed(self.snaps) if snap.at_s <= until_s), {})
        differ = sorted({cell for cell in {*want, *lying} if want.get(cell) != lying.get(cell)})
        self._say(f"{name}: the pieces have not lain as this position has them ({', '.join(differ)})")
        return None

    def _moved(self, move: str, before: Snap, after: Snap, name: str) -> None:
        """The pieces of the move are the ones that a hand has moved."""
        changed = {
            cell
            for cell in {*before.numbers, *after.numbers}
            if before.numbers.get(cell) != after.numbers.get(cell)
        }
        if move == "--":
            ends: set[str] = set()
        elif move.startswith("*"):
            ends = {move[1:]}
        elif "@" in move:
            ends = {move.split("@")[1].split("r")[0]}
            (cell,) = ends
            stone = "AB".index(move[0]) * 5 + int(move[1]) - 1
            put = after.numbers.get(cell, ())
            if [after.kinds[number] for number in put] != [stone] or before.numbers.get(cell):
                self._say(f"{name}: {move}, but another stone was placed")
        else:
            start, goal = move.split("-")
            ends = {start, goal}
            went = before.numbers.get(start, ())
            stays = before.numbers.get(goal, ()) if self.game == "fourhigh" else ()
            if not went or after.numbers.get(goal) != (*stays, *went) or start in after.numbers:
                self._say(f"{name}: {move}, but that piece did not go there")
        if changed != ends:
            self._say(f"{name}: {move}, but pieces came or went on {', '.join(sorted(changed))}")

    def _say(self, what: str) -> None:
        self.report.wrong.append(what)
