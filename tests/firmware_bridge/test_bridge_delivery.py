"""Over a line that loses, doubles, spoils and delays: no edge twice or out of order, readings right once quiet."""

import random

from hypothesis import given, settings
from hypothesis import strategies as st
from wire.model_board import ModelBoard

from firmware_bridge.link import Answered, EdgeSeen, Link, LinkLost, LinkState, LinkUp, PictureSeen
from firmware_bridge.messages import EnableTilt, Lights, Result, StopTilt, TiltTo

STEP_S = 0.01


class Run:
    """A link and a board with a bad line between, in steps of 10 ms, and what the host has been told."""

    def __init__(self, seed, loss, **board):
        self.chance = random.Random(seed)
        self.loss = loss
        self.board = ModelBoard(**board)
        self.link = Link(session=77)
        self.now_s = 0.0
        self.events = []
        self.changes = []  # (number, cell, reading) as they happened on the board
        self.seen = []  # edges told since the last picture with edges_lost
        self.readings = None  # the host's own, from pictures and edges
        self.up = False
        self.line: dict[str, list[bytes]] = {"up": [], "down": []}
        self.link.opened(0.0)

    def carry(self, way, frames):
        """What comes out of the line now; frames may wait a step, but not overtake."""
        arrived = self.line[way]
        self.line[way] = []
        for frame in frames:
            dice = self.chance.random()
            if dice < self.loss / 2:
                continue
            if dice < self.loss * 0.7:
                spoiled = bytearray(frame)
                spoiled[self.chance.randrange(len(frame))] ^= self.chance.randrange(1, 256)
                frame = bytes(spoiled)
            elif dice < self.loss:
                frame = frame * 2
            if self.line[way] or self.chance.random() < self.loss / 4:
                self.line[way].append(frame)
            else:
                arrived.append(frame)
        return b"".join(arrived)

    def step(self, change=None):
        self.now_s += STEP_S
        if change is not None:
            cell, reading = change
            if self.board.readings[cell] != reading:
                self.board.change(cell, reading, self.now_s)
                self.changes.append((self.board.number, cell, reading))
        self.board.tick(self.now_s)
        self.tell(self.link.receive(self.carry("up", self.board.take()), self.now_s))
        self.tell(self.link.tick(self.now_s))
        data = self.link.take_bytes()
        cut = [piece + b"\0" for piece in data.split(b"\0") if piece]
        self.board.receive(self.carry("down", cut), self.now_s)

    def tell(self, events):
        for event in events:
            match event:
                case LinkUp():
                    self.up = True
                case LinkLost():
                    self.up = False
                case PictureSeen():
                    assert self.up
                    if event.edges_lost or self.readings is None:
                        self.seen.append(None)
                    else:
                        assert bytes(self.readings) == event.readings, "edges and picture disagree"
                    self.readings = bytearray(event.readings)
                case EdgeSeen():
                    assert self.up
                    assert event.at_s <= self.now_s
                    assert self.readings is not None
                    assert self.readings[event.cell] != event.reading, "an edge told twice, or one left out"
                    self.readings[event.cell] = event.reading
                    self.seen.append((event.cell, event.reading))
        self.events += events

    def quiet(self, seconds):
        self.loss = 0.0
        for _ in range(round(seconds / STEP_S)):
            self.step()


changes = st.lists(st.one_of(st.none(), st.tuples(st.integers(0, 7), st.integers(0, 1))), max_size=120)


def in_order(part, whole):
    """Whether the edges told, cut where edges were lost, are pieces of what happened, in order."""
    at = 0
    piece = []
    for edge in [*part, None]:
        if edge is not None:
            piece.append(edge)
            continue
        starts = (i for i in range(at, len(whole) - len(piece) + 1) if whole[i : i + len(piece)] == piece)
        at = next(starts, -1)
        if at < 0:
            return False
        at += len(piece)
        piece = []
    return True


@settings(max_examples=60)
@given(st.integers(0, 2**32), st.sampled_from([0.0, 0.05, 0.2, 0.5]), changes, st.sampled_from([0, 65534]))
def test_readings_are_right_once_quiet(seed, loss, todo, number):
    run = Run(seed, loss, number=number, us_at_0=2**32 - 500_000)
    for change in todo:
        run.step(change)
    run.quiet(3.0)
    assert run.link.state is LinkState.UP
    assert run.readings == run.board.readings
    assert in_order(run.seen, [(cell, reading) for _, cell, reading in run.changes])
    assert run.board.queue == []
    assert run.board.lost_number is None


@settings(max_examples=30)
@given(st.integers(0, 2**32), changes)
def test_without_overflow_every_edge_is_told(seed, todo):
    run = Run(seed, 0.0, queue_max=1000)
    run.quiet(0.3)
    run.loss = 0.3
    for change in todo:
        run.step(change)
    run.quiet(3.0)
    if not any(isinstance(e, LinkLost) for e in run.events):
        assert run.seen == [None, *((cell, reading) for _, cell, reading in run.changes)]


@settings(max_examples=30)
@given(st.integers(0, 2**32), st.lists(st.integers(0, 4), min_size=1, max_size=12))
def test_commands_end_once_and_are_done_once_in_order(seed, gaps):
    run = Run(seed, 0.0)
    run.quiet(0.3)
    run.loss = 0.3
    given_ids = []
    for n, gap in enumerate(gaps):
        if run.link.state is not LinkState.UP:
            break
        given_ids.append(run.link.send(Lights(n, bytes([n]))))
        for _ in range(gap):
            run.step()
    run.loss = 0.3
    for _ in range(1500):
        run.step()
    answers = [(e.command_id, e.result) for e in run.events if isinstance(e, Answered)]
    assert sorted(i for i, _ in answers) == given_ids
    firsts = [c.first for c in run.board.done]
    assert firsts == sorted(set(firsts)), "done twice or out of order"
    for (_, result), first in zip(sorted(answers), range(len(answers)), strict=True):
        if result == Result.DONE:
            assert first in firsts


def test_a_stop_overtakes_and_nothing_moves_after_it():
    run = Run(1, 0.0)
    run.quiet(0.3)
    run.loss = 1.0
    first = run.link.send(TiltTo(800, 600))
    second = run.link.send(Lights(0, b"\x01"))
    third = run.link.send(TiltTo(-800, 600))
    run.step()
    stop = run.link.send(StopTilt())
    run.quiet(1.0)
    results = {e.command_id: e.result for e in run.events if isinstance(e, Answered)}
    assert results == {
        first: Result.OVERTAKEN,
        third: Result.OVERTAKEN,
        stop: Result.DONE,
        second: Result.DONE,
    }
    assert [type(c).__name__ for c in run.board.done] == ["StopTilt", "Lights"]


def test_motions_do_not_wait_for_lights_whose_answer_is_lost():
    run = Run(1, 0.0)
    run.quiet(0.3)
    run.loss = 1.0
    lights = [run.link.send(Lights(n, bytes([n]))) for n in range(3)]
    run.step()  # the first is under way, and lost
    motions = [run.link.send(EnableTilt(0)), run.link.send(TiltTo(800, 600))]
    run.quiet(0.1)
    answers = [e.command_id for e in run.events if isinstance(e, Answered)]
    assert answers[:2] == motions, "in their own order, and at once"
    assert answers[2:] == lights
    assert [type(c).__name__ for c in run.board.done] == [
        "EnableTilt",
        "TiltTo",
        "Lights",
        "Lights",
        "Lights",
    ]
    assert [c.first for c in run.board.done[2:]] == [0, 1, 2]


def test_overflow_is_told_once():
    run = Run(1, 0.0, queue_max=3)
    run.quiet(0.3)
    run.loss = 1.0
    for n in range(6):
        run.step((n, 1))
    run.quiet(2.5)
    lost = [e.edges_lost for e in run.events if isinstance(e, PictureSeen)]
    assert lost[0] is True  # the first of the link
    assert lost[1:].count(True) == 1
    assert run.readings == run.board.readings


def test_a_flood_does_not_starve_pings_or_pictures():
    run = Run(1, 0.0, queue_max=16)
    run.quiet(0.3)
    before = len(run.events)
    for n in range(500):
        for cell in range(8):
            run.board.change(cell, n % 2, run.now_s)
        run.step()
    assert run.link.state is LinkState.UP
    assert len(run.events) > before
    run.quiet(1.5)
    assert run.readings == run.board.readings
    assert not any(isinstance(e, LinkLost) for e in run.events)
