"""`balanx firmware settings`: a board whose stored settings were damaged may move again, or one line."""

import contextlib
from dataclasses import dataclass, field, replace
from pathlib import Path

import click
import pytest
from contract.keeping import COPIES, restart, store
from contract.realtime import RealTime

from balanxd.__main__ import balanx
from balanxd.contract.board import Fit
from balanxd.contract.simulated import SimBoard
from balanxd.errors import BalanxError
from balanxd.flashing.settings import store_defaults
from balanxd.flashing.surroundings import Surroundings, real_surroundings
from firmware_bridge.codec import Decoder, encode
from firmware_bridge.messages import (
    HOST_TO_BOARD,
    MAJOR,
    MINOR,
    Ack,
    ConfigKey,
    Configure,
    EnableTilt,
    GetHello,
    Hello,
    Result,
)


def locked_board() -> SimBoard:
    """Somebody stored a narrow limit, and both copies were damaged."""
    board = SimBoard(Fit())
    board.up()
    assert board.order(Configure(ConfigKey.ANGLE_LIMIT_CDEG, 300)) == Result.DONE
    assert store(board) == Result.DONE
    for at in COPIES:
        board.spoil(at + 4, board.stored(at + 4) ^ 1)
    restart(board)
    assert board.order(EnableTilt(0)) == Result.LOCKED
    return board


def test_a_locked_board_at_a_port_may_move_again(capsys: pytest.CaptureFixture[str]) -> None:
    board = locked_board()
    with RealTime(board) as port:
        balanx(
            ["firmware", "settings", "--store-defaults", "--port", port, "--yes"],
            standalone_mode=False,
            obj=real_surroundings(),
        )
    told = capsys.readouterr().out.splitlines()
    assert told[0].startswith(f"{port}: Balanx classic")
    assert "the board may move" in told[1]
    board.greet()
    assert board.order(EnableTilt(800)) == Result.DONE, "the built-in limits"
    restart(board)
    assert board.order(EnableTilt(800)) == Result.DONE, "after a power cut too"


# -- what cannot be done


@dataclass
class Other:
    """An open port with a board that answers a store with `result`, None: not at all."""

    says: Hello | None
    result: Result | None = None
    port: str = "/dev/null"
    heard: list[object] = field(default_factory=list)
    waiting: bytes = b""

    def __post_init__(self) -> None:
        self._decoder = Decoder(HOST_TO_BOARD)

    def read(self) -> bytes:
        data, self.waiting = self.waiting, b""
        return data

    def write(self, data: bytes) -> None:
        for message in self._decoder.feed(data):
            self.heard.append(message)
            if isinstance(message, GetHello) and self.says is not None:
                self.waiting += encode(replace(self.says, session=message.session))
            if isinstance(message, Configure) and self.result is not None:
                self.waiting += encode(Ack(message.id, self.result))

    def close(self) -> None:
        pass

    def fileno(self) -> int | None:
        return None


HELLO = Hello(MAJOR, MINOR, 7, 56, 1, 1000, 1, 3, 0, 7, (1, 0, 0), "Balanx", "classic", b"\x01")


def around(board: Other) -> Surroundings:
    now_s = [0.0]

    def pause(lasts_s: float) -> None:
        now_s[0] += lasts_s

    return replace(
        real_surroundings(),
        open_port=lambda port: board,
        hold=lambda port: contextlib.nullcontext(),
        now_s=lambda: now_s[0],
        pause=pause,
    )


STRANGE = "a port that is there"


@pytest.fixture
def strange_port(tmp_path: Path) -> str:
    path = tmp_path / "ttyUSB7"
    path.touch()
    return str(path)


@pytest.mark.parametrize(
    ("board", "words"),
    [
        (Other(None), "nothing there answers as a Balanx board"),
        (Other(replace(HELLO, product="Marlin")), "'Marlin' board, not Balanx"),
        (Other(replace(HELLO, minor=0)), "protocol 1.0 .*balanx firmware flash"),
        (Other(replace(HELLO, major=MAJOR + 1)), "brings it up to date"),
        (Other(HELLO, Result.BUSY), "storing something else"),
        (Other(HELLO, Result.NOT_STORED), "answers not_stored"),
        (Other(HELLO), "does not answer any more"),
    ],
)
def test_what_cannot_be_done_is_one_line_and_changes_nothing(
    board: Other, words: str, strange_port: str
) -> None:
    with pytest.raises(BalanxError, match=words) as refused:
        store_defaults(around(board), strange_port)
    assert "\n" not in str(refused.value)
    orders = {each for each in board.heard if not isinstance(each, GetHello)}
    assert orders <= {Configure(ConfigKey.STORE, 0, 1)}
    assert bool(orders) == (board.says == HELLO)


@pytest.mark.parametrize(
    ("arguments", "kind", "words"),
    [
        ([], click.UsageError, "--store-defaults"),
        (["--store-defaults", "--port", "/dev/nowhere"], Exception, "no such port"),
        (["--store-defaults", "--port", STRANGE], BalanxError, "Say so with --yes"),
    ],
)
def test_wrong_usage_is_told_before_anything_is_opened(
    arguments: list[str], kind: type[Exception], words: str, strange_port: str
) -> None:
    board = Other(HELLO)
    told = [strange_port if word == STRANGE else word for word in arguments]
    with pytest.raises(kind, match=words):
        balanx(["firmware", "settings", *told], standalone_mode=False, obj=around(board))
    assert board.heard == []
