"""Any bytes on the serial line: nothing raises, noise between frames changes nothing, another board is told."""

import random
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from balanxd.__main__ import balanx
from balanxd.assemble import assemble, game_on, header_of
from balanxd.config import parse_board
from balanxd.pipeline import Pipeline
from balanxd.players import parse_player
from balanxd.retrace import retrace
from firmware_bridge.codec import Decoder, encode
from firmware_bridge.link import Link
from firmware_bridge.messages import (
    HOST_TO_BOARD,
    MAJOR,
    MINOR,
    PRODUCT,
    AckEdges,
    BoardMessage,
    EdgeMsg,
    Fault,
    FaultCode,
    Hello,
    Picture,
    Ping,
    Pong,
    TiltReport,
)
from referee import events as e
from rules.line import Line

Lines = list[tuple[float, bytes]]


# ---- a traced game with noise on its line --------------------------------------------------------------------


def traffic(folder: Path) -> Lines:
    lines = (line.split(" ") for line in (folder / "wire.txt").read_text().splitlines())
    return [(float(at), bytes.fromhex(data)) for at, way, data in lines if way == ">"]


def moves_of(record: str) -> list[str]:
    return [word for word in record.split("\n\n")[-1].split() if "-" in word]


def replayed(traced: Path, folder: Path, lines: Lines) -> str:
    folder.mkdir(exist_ok=True)
    (folder / "game.json").write_bytes((traced / "game.json").read_bytes())
    (folder / "wire.txt").write_text("".join(f"{at!r} > {data.hex()}\n" for at, data in lines))
    return retrace(folder).text()


def frames(lines: Lines) -> Lines:
    """The same bytes, a frame at a time, each when it was whole."""
    found: Lines = []
    rest = b""
    for at, data in lines:
        rest += data
        while b"\0" in rest:
            frame, _, rest = rest.partition(b"\0")
            found.append((at, frame + b"\0"))
    return [*found, (lines[-1][0], rest)]


@pytest.mark.parametrize("seed", range(5))
def test_noise_between_frames_changes_nothing(traced: tuple[Path, str], tmp_path: Path, seed: int) -> None:
    noise = random.Random(seed)
    lines: Lines = []
    for at, data in frames(traffic(traced[0])):
        if noise.random() < 0.5:
            lines.append((at, noise.randbytes(noise.randrange(1, 60)) + b"\0"))
        lines.append((at, data))
    assert replayed(traced[0], tmp_path / "noisy", lines) == traced[1]


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_the_size_of_reads_changes_nothing(traced: tuple[Path, str], tmp_path: Path, size: int) -> None:
    lines = [
        (at, data[begin : begin + size])
        for at, data in traffic(traced[0])
        for begin in range(0, max(1, len(data)), size)
    ]
    assert replayed(traced[0], tmp_path / "cut", lines) == traced[1]


@pytest.mark.parametrize("seed", range(12))
def test_lost_and_flipped_bytes_never_give_another_game(
    traced: tuple[Path, str], tmp_path: Path, seed: int
) -> None:
    """A trace cannot send again what was lost: the game may stop, but no other move may come of it."""
    noise = random.Random(seed)
    lines: Lines = []
    for at, data in traffic(traced[0]):
        bytes_ = bytearray(data)
        if bytes_ and noise.random() < 0.02:
            where = noise.randrange(len(bytes_))
            if noise.random() < 0.5:
                del bytes_[where]
            else:
                bytes_[where] ^= 1 << noise.randrange(8)
        lines.append((at, bytes(bytes_)))
    moves, told = moves_of(traced[1]), moves_of(replayed(traced[0], tmp_path / "hurt", lines))
    assert told == moves[: len(told)]


# ---- a board that says anything ------------------------------------------------------------------------------

BOOT, SESSION = 3, 77
CLEAN = Hello(
    major=MAJOR,
    minor=MINOR,
    build_id=0,
    cells=56,
    bits=1,
    reader_hz=1000,
    reset_cause=1,
    boot=BOOT,
    session=SESSION,
    features=0,
    firmware=(1, 0, 0),
    product=PRODUCT,
    board_kind="classic",
    unique_id=b"\1\2\3\4",
)


def hello(**what: Any) -> Hello:
    return replace(CLEAN, **what)


def pipeline(sensor: str = "presence") -> Pipeline[Any, Any]:
    board = parse_board(f'[board]\nsensor = "{sensor}"\n', "b")
    players = [parse_player("human")] * 2
    line: Any = Line.begin(game_on(board))
    made = assemble(board, line, players, seed=1, header=header_of(line, board, players, "????.??.??"))
    made.opened(0.0)
    return made


def picture(cells: int = 56, bits: int = 1, reading: int = 1, **what: Any) -> Picture:
    fields: dict[str, Any] = {"number": 0, "overflow": False, "board_us": 1000, "boot": BOOT, "flicker": ()}
    return Picture(**{**fields, "bits": bits, "readings": bytes([reading]) * cells, **what})


def said(chain: Pipeline[Any, Any], *messages: BoardMessage, at_s: float = 0.1) -> list[e.GameEvent]:
    """What comes of some messages; the session number of the host's own greeting is read from its bytes."""
    events: list[e.GameEvent] = []
    for number, message in enumerate(messages):
        events += chain.receive(encode(message), at_s + number / 100)
        chain.take_bytes()
    return events


def up(chain: Pipeline[Any, Any], greeting: Hello, first: Picture) -> list[e.GameEvent]:
    """Say hello in the host's session and show a picture."""
    assert isinstance(chain.link, Link)
    return said(chain, replace(greeting, session=chain.link._session), first)


def test_a_board_that_fits_is_taken() -> None:
    chain = pipeline()
    events = up(chain, hello(), picture())
    assert any(isinstance(event, e.LinkChanged) and event.up for event in events)


def test_damaged_settings_are_told_with_the_command_that_helps() -> None:
    chain = pipeline()
    up(chain, hello(), picture())
    events = said(chain, Fault(FaultCode.SETTINGS_LOST, 0), at_s=0.5)
    (fault,) = [event for event in events if isinstance(event, e.Fault)]
    command = fault.say.split("`")[1].split()
    assert command[0] == "balanx"
    told = CliRunner().invoke(balanx, [*command[1:], "--help"])
    assert told.exit_code == 0, told.output


@pytest.mark.parametrize(
    ("sensor", "greeting", "shown", "names"),
    [
        ("presence", hello(cells=40), picture(40), "40 inputs"),
        ("presence", hello(bits=2), picture(bits=2, reading=2), "2 bits"),
        ("colour", hello(bits=1), picture(), "1 bits"),
    ],
)
def test_another_board_is_told_and_nothing_of_it_is_believed(
    sensor: str, greeting: Hello, shown: Picture, names: str
) -> None:
    chain = pipeline(sensor)
    events = up(chain, greeting, shown)
    faults = [event for event in events if isinstance(event, e.Fault)]
    assert len(faults) == 1
    assert names in faults[0].say
    later = said(
        chain,
        EdgeMsg(0, 1, 2000, 1, BOOT),
        EdgeMsg(55, 1, 2000, 2, BOOT),
        shown,
        TiltReport(commanded_cdeg=0, sensed=3, moving=True, enabled=True, supply_mv=0, board_us=3000),
        Fault(200, 65535),
        at_s=0.5,
    )
    assert later == []
    for now_s in range(1, 30):
        assert chain.tick(float(now_s)) == []


MESSAGES = st.one_of(
    st.builds(
        hello,
        cells=st.sampled_from([0, 1, 55, 56, 57, 200]),
        bits=st.sampled_from([1, 2, 4, 8]),
        boot=st.sampled_from([BOOT, BOOT + 1]),
        session=st.sampled_from([0, SESSION, 65535]),
        reset_cause=st.integers(0, 255),
        features=st.integers(0, 255),
    ),
    st.builds(
        picture,
        cells=st.sampled_from([0, 1, 55, 56, 57, 200]),
        number=st.sampled_from([0, 1, 65535]),
        overflow=st.booleans(),
        reading=st.integers(0, 1),
        boot=st.sampled_from([BOOT, BOOT + 1]),
        flicker=st.sampled_from([(), ((0, 255),), ((255, 1),)]),
    ),
    st.builds(
        EdgeMsg,
        st.sampled_from([0, 20, 55, 56, 255]),
        st.sampled_from([0, 1, 2, 255]),
        st.integers(0, 2**32 - 1),
        st.sampled_from([0, 1, 2, 3, 65535]),
        st.sampled_from([BOOT, BOOT + 1]),
    ),
    st.builds(Fault, st.integers(0, 255), st.integers(0, 65535)),
    st.builds(Pong, st.integers(0, 65535), st.integers(0, 2**32 - 1)),
    st.builds(
        TiltReport,
        commanded_cdeg=st.integers(-32768, 32767),
        sensed=st.integers(0, 255),
        moving=st.booleans(),
        enabled=st.booleans(),
        supply_mv=st.integers(0, 65535),
        board_us=st.integers(0, 2**32 - 1),
    ),
)


@settings(max_examples=60)
@given(st.lists(st.one_of(MESSAGES, st.binary(max_size=80)), max_size=25), st.booleans())
def test_no_message_and_no_bytes_raise(messages: list[BoardMessage | bytes], greeted: bool) -> None:
    chain = pipeline()
    if greeted:
        up(chain, hello(), picture(reading=0))
    now_s = 0.5
    for message in messages:
        data = message if isinstance(message, bytes) else encode(message)
        for event in chain.receive(data, now_s):
            assert not isinstance(event, e.TurnTaken)
        now_s += 0.05
        chain.tick(now_s)
        chain.take_bytes()


def test_a_flood_of_toggling_inputs_starves_nothing() -> None:
    """Every input changes as fast as it can: pings still leave on time."""
    chain = pipeline()
    up(chain, hello(), picture(reading=0))
    number = 0
    pings: list[float] = []
    board = Decoder(HOST_TO_BOARD)
    for step in range(1500):
        now_s = 0.5 + step / 1000
        number = (number + 1) & 0xFFFF
        chain.receive(encode(EdgeMsg(step % 56, step // 56 % 2, step * 1000, number, BOOT)), now_s)
        if chain.due_s() <= now_s:
            chain.tick(now_s)
        pings += [now_s for message in board.feed(chain.take_bytes()) if isinstance(message, Ping | AckEdges)]
    # The host's silence would let the tilt go after a second; it asks, or says something else, every 250 ms.
    assert max(later - now for now, later in pairwise(pings)) < 0.26
