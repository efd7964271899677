"""The simulated sensor board: readings of several bits, hands that stack, turn and fetch; it outlives its power."""

import json
from collections.abc import Callable

import pytest

from firmware_bridge.codec import Decoder
from firmware_bridge.messages import BOARD_TO_HOST, EdgeMsg, Hello, Picture
from sim.deeds import Manner
from sim.errors import SimError
from sim.model import HandModel, Model, NoiseModel
from sim.pieces import Codes, Laid
from sim.sensorboard import SensorBoard

NAMES = [f"c{number}" for number in range(12)]
CALM = Model(noise=NoiseModel(bounce=False, spikes_per_s=0.0), hand=HandModel(flicker=False))
DISKS = Codes(3)
STACKS = Codes(4, kind_step=4, highest=4, stacks=True)
STONES = Codes(8, kind_step=16, turn_step=4, pointer_step=1)


def board(codes: Codes, *pieces: Laid, model: Model = CALM, seed: int = 1) -> SensorBoard:
    made = SensorBoard("test 4x3", NAMES, codes, seed=seed, model=model)
    made.place(pieces)
    return made


def heard(made: SensorBoard, until_s: float) -> list[object]:
    """What the board says until then."""
    decoder = Decoder(BOARD_TO_HOST)
    found: list[object] = []
    while made.now_s < until_s:
        made.advance_to_bytes(until_s)
        found += decoder.feed(made.read())
    return found


def picture(made: SensorBoard, until_s: float) -> bytes:
    """The last picture up to a time."""
    return [message for message in heard(made, until_s) if isinstance(message, Picture)][-1].readings


def done(made: SensorBoard) -> list[tuple[str, int]]:
    """Let the hands come to their end; what the first one did."""
    while any(hand.busy for hand in made.hands):
        made.advance(made.next_s() if made.next_s() > made.now_s else made.now_s + 0.001)
        made.read()
    return [(report.what, report.cell) for report in made.hand.history]


@pytest.mark.parametrize(
    ("codes", "pieces", "reading"),
    [
        (DISKS, [Laid(5, 0)], 6),
        (STACKS, [Laid(0, 0)], 1),
        (STACKS, [Laid(0, 0), Laid(1, 0)], 6),
        (STACKS, [Laid(1, 0)] * 4, 8),
        (STACKS, [Laid(1, 0)] * 5, 15),
        (STONES, [Laid(9, 0, 3, 2)], 1 + (9 * 4 + 3) * 4 + 2),
        (Codes(1, kind_step=0), [Laid(9, 0, 3, 2)], 1),
    ],
)
def test_a_cell_reads_what_lies_there(codes: Codes, pieces: list[Laid], reading: int) -> None:
    made = board(codes, *pieces)
    assert picture(made, 2.0) == bytes([reading, *[0] * 11])
    hello = next(message for message in heard(board(codes), 1.0) if isinstance(message, Hello))
    assert (hello.board_kind, hello.bits, hello.cells) == ("test 4x3", codes.bits, 12)


def test_a_stack_is_lifted_whole_or_in_part_and_put_on_another() -> None:
    made = board(STACKS, Laid(0, 0), Laid(1, 0), Laid(1, 1))
    made.hand.move(0, 1)
    done(made)
    assert picture(made, made.now_s + 2)[:2] == bytes([0, 3 + 4])
    made.hand.lift(1, count=1)
    made.hand.put(2)
    done(made)
    assert picture(made, made.now_s + 2)[:3] == bytes([0, 2, 5])


def test_a_disk_is_refused_where_one_lies_and_stays_in_the_hand() -> None:
    made = board(DISKS, Laid(0, 0), Laid(1, 1))
    made.hand.move(0, 1)
    made.hand.wait(1)
    assert done(made) == [("lifted", 0), ("refused", 1)]
    assert [piece.kind for piece in made.hand.held] == [0]
    made.hand.put_back()
    assert done(made)[-1] == ("put", 0)


def test_a_stone_is_fetched_put_turned_and_laid_aside() -> None:
    made = board(STONES, Laid(4), Laid(5))
    made.hand.fetch(4)
    made.hand.put(7, turn=1, pointer=0)
    made.hand.turn(7, pointer=2)
    done(made)
    edges = [message for message in heard(made, made.now_s + 1) if isinstance(message, EdgeMsg)]
    assert picture(made, made.now_s + 2)[7] == 1 + (4 * 4 + 1) * 4 + 2
    assert any(edge.reading == 255 for edge in edges), "a figure under way reads as nothing that can be told"
    made.hand.lift(7)
    made.hand.put_aside()
    made.hand.fetch(3)
    assert done(made)[-2:] == [("aside", -1), ("empty", -1)]


def test_what_it_says_does_not_hang_on_how_time_is_cut() -> None:
    def told(step_s: float) -> bytes:
        made = board(STACKS, Laid(0, 0), Laid(1, 5), model=Model(), seed=3)
        made.hand.move(0, 6, Manner.RANDOM)
        made.other_hand.move(5, 7, Manner.HESITATING)
        said = b""
        for number in range(round(6 / step_s)):
            made.advance((number + 1) * step_s)
            said += made.read()
        return said

    assert told(0.003) == told(0.5) == told(6.0)


@pytest.mark.parametrize("held", [False, True])
def test_a_board_outlives_its_daemon_also_with_a_piece_in_the_hand(held: bool) -> None:
    made = board(STACKS, Laid(0, 3), Laid(1, 3), Laid(0, 8), Laid(1))
    if held:
        made.hand.lift(3)
        done(made)
    kept = json.loads(json.dumps(made.snapshot()))
    again = board(STACKS)
    again.restore(kept)
    assert again.snapshot()["pieces"] == kept["pieces"]
    if held:
        assert (again.hand.taken_from, len(again.hand.held)) == (3, 2)
        again.hand.put_back()
        done(again)
    assert picture(again, again.now_s + 2) == bytes([0, 0, 0, 6, 0, 0, 0, 0, 1, 0, 0, 0])


def spoil(key: str, value: object) -> Callable[[dict[str, object]], dict[str, object]]:
    return lambda kept: {**kept, key: value}


@pytest.mark.parametrize(
    "change",
    [
        spoil("version", 9),
        spoil("board", "other 4x3"),
        spoil("cells", 13),
        spoil("pieces", None),
        spoil("pieces", [{"kind": 0, "cell": 99, "turn": 0, "pointer": 0, "in_hand": False}]),
        spoil("pieces", [{"kind": 0, "cell": 0, "turn": 7, "pointer": 0, "in_hand": False}]),
        spoil("pieces", [{"kind": 0}]),
        spoil("boot", "x"),
        lambda kept: {},
    ],
)
def test_a_snapshot_that_does_not_fit_is_refused(
    change: Callable[[dict[str, object]], dict[str, object]],
) -> None:
    kept = board(DISKS, Laid(0, 0)).snapshot()
    with pytest.raises(SimError):
        board(DISKS).restore(change(kept))


def test_what_cannot_be_is_refused() -> None:
    made = board(DISKS)
    for wrong in (
        lambda: made.hand.lift(12),
        lambda: made.hand.put(-2),
        lambda: made.hand.turn(0, pointer=4),
        lambda: made.place([Laid(0, 0), Laid(1, 0)]),
        lambda: made.place([Laid(0, 99)]),
    ):
        with pytest.raises(SimError):
            wrong()
