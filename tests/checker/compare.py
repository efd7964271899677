"""A journal against the marbles: every turn must be what a marble really did, every position where all really lie.

Compared twice: at the moment of the turn groove by groove (the board has not tilted yet), and space by space, as
the next player sees it, when the next marble is lifted.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from pathlib import Path

from .board import Plan, Position, read_plan, read_position, space_name, space_named
from .journal import Entry, check_record, read_journal
from .marbles import Frame, faults, read_frames
from .pieces import check_pieces_trace
from .report import Report

HANDS = 2  # so many marbles may be in hands when a process dies


def check_trace(folder: Path, record: str | None = None) -> Report:
    """Check a trace's journal (and a record) with the trace's marbles."""
    game = json.loads((folder / "game.json").read_text())
    if game.get("tags"):
        return check_pieces_trace(folder, record)
    plan = read_plan(game["layout_text"])
    return check(
        plan, (folder / "game.journal").read_bytes(), read_frames(folder / "marbles.jsonl", plan), record
    )


def check(plan: Plan, journal: bytes, frames: list[Frame], record: str | None = None) -> Report:
    """Check a journal of one run with the marbles of the same run."""
    report = Report()
    entries, report.wrong = read_journal(journal)
    report.wrong += faults(frames)
    if frames and entries:
        _Comparison(plan, entries, frames, report).run()
    if record is not None:
        check_record(entries, record, report)
    return report


def check_table(plan: Plan, journal: bytes, table: str) -> Report:
    """Check a journal's last position with the snapshot of a simulated table (its JSON), groove by groove.

    For a process that was killed: a turn under way may be on the table and not yet in the journal; so at most
    one marble may be elsewhere.
    """
    report = Report()
    entries, report.wrong = read_journal(journal)
    positions = [entry["position"] for entry in entries if "position" in entry]
    marbles = json.loads(table)["marbles"]
    if len(marbles) != 20 or sorted(m["seat"] for m in marbles) != [0] * 10 + [1] * 10:
        report.wrong.append(f"table: {len(marbles)} marbles, or colours are not ten and ten")
    lying = {plan.space(m["cell"]): m["seat"] for m in marbles if m["cell"] is not None}
    if len(lying) < 20 - HANDS:
        report.wrong.append("table: marbles are missing")
    want, have = plan.rows(read_position(positions[-1]).lying), plan.rows(lying)
    gone = sum(max(0, w.count(c) - h.count(c)) for w, h in zip(want, have, strict=True) for c in (0, 1))
    come = sum(max(0, h.count(c) - w.count(c)) for w, h in zip(want, have, strict=True) for c in (0, 1))
    if gone > 1 or come > 1:
        report.wrong.append(f"table: {gone} marbles are not where the journal's last position has them")
    if want == have:
        report.exact += 1
    report.turns = sum(entry["event"] == "TurnTaken" for entry in entries)
    return report


class _Comparison:
    def __init__(self, plan: Plan, entries: list[Entry], frames: list[Frame], report: Report) -> None:
        self.plan, self.entries, self.frames, self.report = plan, entries, frames, report
        self._times = [frame.at_s for frame in frames]
        self._groove_of = plan.groove_of

    def run(self) -> None:
        began = self.entries[0]
        if began.get("event") != "GameStarted":
            self._say("journal: does not begin with the start of a game")
            return
        line = [read_position(began["position"])]
        base = self._frame_before_lift(0.0)
        self._lies_exactly(line[0], base, "the start")
        base_at = base
        before_s = 0.0
        for number, entry in enumerate(self.entries[1:], start=2):
            name = f"journal line {number}"
            at_s = entry.get("at_s", 0.0)
            if at_s < before_s:
                self._say(f"{name}: earlier than the line before")
            frame = self._frame_at(at_s)
            match entry["event"]:
                case "TurnTaken":
                    self.report.turns += 1
                    position = read_position(entry["position"])
                    self._counts(entry, line[-1], position, name)
                    self._lies_in_grooves(position, frame, name)
                    self._moved(entry, base_at, frame, before_s, name)
                    line.append(position)
                case "TakenBack":
                    del line[len(line) - entry["plies"] :]
                    if not line or read_position(entry["position"]) != line[-1]:
                        self._say(f"{name}: taken back to a position that was not there")
                        line.append(read_position(entry["position"]))
                    self._lies_in_grooves(line[-1], frame, name)
                case "PositionSet":
                    line = [read_position(entry["position"])]
                    self._lies_in_grooves(line[-1], frame, name)
                case "GameOver":
                    continue
            before_s = at_s
            base_at = frame
            follows = self.entries[number] if number < len(self.entries) else None
            lift = self._frame_before_lift(at_s)
            if follows is None or follows["event"] == "GameOver" or follows.get("at_s", 0.0) > lift.at_s:
                self._lies_exactly(line[-1], lift, name)

    # ---- frames --------------------------------------------------------------------------------------------

    def _frame_at(self, at_s: float) -> Frame:
        return self.frames[max(0, bisect_right(self._times, at_s) - 1)]

    def _frame_before_lift(self, at_s: float) -> Frame:
        """The last frame before a marble is next taken out of its groove; the last of all where none is any more.

        One that has not rolled is nudged, which is no move.
        """
        start = max(0, bisect_right(self._times, at_s) - 1)
        for number in range(start, len(self.frames)):
            if self.frames[number].held and not self._nudged(number):
                return self.frames[max(start, number - 1)]
        return self.frames[-1]

    def _nudged(self, number: int) -> bool:
        """Whether what is in a hand comes to lie on the other space of the groove from where it was taken."""
        for marble in self.frames[number].held:
            before = (frame.marbles[marble] for frame in reversed(self.frames[:number]))
            after = (frame.marbles[marble] for frame in self.frames[number:])
            taken = next((each.space for each in before if not each.in_hand), None)
            put = next((each.space for each in after if not each.in_hand), None)
            if taken is None or put is None or taken == put:
                return False
            if self._groove_of[taken] != self._groove_of[put]:
                return False
        return True

    # ---- what must hold ------------------------------------------------------------------------------------

    def _counts(self, entry: Entry, before: Position, after: Position, name: str) -> None:
        # A field that has its usual value is left out of a line: ply 0, seat 0 are always there.
        if entry["ply"] != before.ply or after.ply != before.ply + 1:
            self._say(f"{name}: ply {entry['ply']} does not follow {before.ply}")
        if entry["seat"] != before.side or after.side == before.side or after.side != after.ply % 2:
            self._say(f"{name}: it was not this player's turn")

    def _lies_in_grooves(self, position: Position, frame: Frame, name: str) -> None:
        if self.plan.rows(position.lying) != self.plan.rows(frame.lying) or frame.held:
            self._say(
                f"{name}: the marbles do not lie in the grooves of this position{self._where(position, frame)}"
            )

    def _lies_exactly(self, position: Position, frame: Frame, name: str) -> None:
        if position.lying == frame.lying and frame.at_rest:
            self.report.exact += 1
        elif frame.lying == self.plan.rolled(position.lying, 1 - position.side):
            self.report.early += 1
        elif self.plan.rows(frame.lying) == self.plan.rows(position.lying) and frame is self.frames[-1]:
            self.report.early += 1  # the run ended while the board tilted
        else:
            self._say(
                f"{name}: the marbles do not lie as this position has them{self._where(position, frame)}"
            )

    def _moved(self, entry: Entry, before: Frame, after: Frame, since_s: float, name: str) -> None:
        """The marble that is in another groove now is the one that the move names."""
        elsewhere = [
            number
            for number, marble in after.marbles.items()
            if self._groove(before, number) != self._groove(after, number)
        ]
        if entry["move"] == "--":
            if elsewhere:
                self._say(f"{name}: a pass, and a marble was moved")
            return
        start, goal = (space_named(part) for part in entry["move"].split("-"))
        if len(elsewhere) != 1:
            # Like marbles may be exchanged on a detour; the grooves have been compared already.
            if len({after.marbles[number].seat for number in elsewhere}) != 1:
                self._say(f"{name}: {len(elsewhere)} marbles were moved, the move is {entry['move']}")
            return
        number = elsewhere[0]
        if after.marbles[number].seat != entry["seat"]:
            self._say(f"{name}: the moved marble is not the player's own")
        taken, put = self._journey(number, since_s, after.at_s)
        if taken is None or put is None:
            self._say(f"{name}: no hand has moved marble {number}")
            return
        if (taken, put) == (start, goal):
            return
        if (self._groove_of[taken], self._groove_of[put]) == (self._groove_of[start], self._groove_of[goal]):
            self.report.twins += 1
            return
        self._say(f"{name}: {entry['move']}, but the marble went {space_name(taken)}-{space_name(put)}")

    def _journey(self, number: int, since_s: float, until_s: float) -> tuple:
        """Where a marble was first taken, and where it was put last, before it rolled."""
        taken = put = None
        first = max(0, bisect_right(self._times, since_s) - 1)
        for old, new in zip(self.frames[first:], self.frames[first + 1 :], strict=False):
            if new.at_s > until_s:
                break
            was, now = old.marbles[number], new.marbles[number]
            if now.in_hand and not was.in_hand and taken is None:
                taken = was.space
            if was.in_hand and not now.in_hand:
                put = now.space
        return taken, put

    def _groove(self, frame: Frame, number: int) -> int | None:
        space = frame.marbles[number].space
        return None if space is None else self._groove_of[space]

    def _where(self, position: Position, frame: Frame) -> str:
        spaces = {*position.lying.items()} ^ {*frame.lying.items()}
        return f" ({', '.join(sorted({space_name(space) for space, _ in spaces}))})"

    def _say(self, what: str) -> None:
        self.report.wrong.append(what)
