"""The target serial:PORT: the simulator's controller in real time behind a pseudo-terminal, and what is not here."""

from collections.abc import Iterator
from time import monotonic

import pytest
from contract.realtime import RealTime
from contract.whole import PROMISES

from balanxd.contract.board import Fit, Need, NotHere
from balanxd.contract.port import MAY_MOVE, PortBoard
from balanxd.contract.simulated import SimBoard
from balanxd.contract.targets import target_names, wait_for_bytes
from balanxd.errors import BalanxError
from firmware_bridge.errors import BridgeError
from firmware_bridge.messages import Hello, ResetCause, TiltTo
from firmware_bridge.transport import PseudoPort, SerialTransport

UNTIMED = (
    "hello_answers_with_the_session_asked",
    "hello_tells_what_the_board_is",
    "fields_of_a_newer_minor_version_are_ignored",
    "broken_frames_are_dropped",
    "message_of_a_newer_version_is_no_damage",
)
"""Behaviours that do not ask when an answer came: the load of this machine does not decide."""
PATIENCE_S = 0.2


@pytest.fixture(scope="module")
def port() -> Iterator[str]:
    with RealTime(SimBoard(Fit())) as port:
        yield port


def opened(port: str, *, may_move: bool = False) -> PortBoard:
    board = PortBoard(Fit(), SerialTransport(port), wait_for_bytes, monotonic, may_move=may_move)
    board.slack_s = PATIENCE_S
    return board


@pytest.mark.parametrize("name", UNTIMED)
def test_a_board_at_a_port_is_asked_in_real_time(port: str, name: str) -> None:
    board = opened(port)
    try:
        PROMISES[name].check(board)
    finally:
        board.close()


def test_each_test_finds_the_board_restarted(port: str) -> None:
    boots = []
    for _ in range(2):
        board = opened(port)
        (hello,) = board.of(Hello)
        assert hello.reset_cause == ResetCause.SOFTWARE
        boots.append(hello.boot)
        board.close()
    assert boots[1] == boots[0] + 1


def test_nothing_moves_without_leave_and_nothing_is_driven_without_a_stimulus(port: str) -> None:
    board = opened(port)
    with pytest.raises(NotHere, match="stimulus"):
        board.input(3, 1)
    with pytest.raises(NotHere, match="may not move"):
        board.up(enabled=True)
    assert board.missing[Need.MOTION] == MAY_MOVE
    board.close()
    free = opened(port, may_move=True)
    assert Need.MOTION not in free.missing
    assert free.order(TiltTo(0, 600)) == 1  # not enabled yet
    free.close()


def test_a_port_without_a_board_says_so_in_one_line() -> None:
    pseudo = PseudoPort()
    clock = iter(range(1000))
    with pytest.raises(BridgeError, match="no hello") as told:
        PortBoard(
            Fit(),
            SerialTransport(pseudo.port),
            lambda _port, _s: None,
            lambda: next(clock) / 4,
            may_move=False,
        )
    assert "\n" not in str(told.value)
    pseudo.close()


@pytest.mark.parametrize("name", ["", "serial", "serial:", "board", "SIM"])
def test_another_target_is_refused_by_name(name: str) -> None:
    with pytest.raises(BalanxError, match="choose sim, host, emulated or serial:PORT"):
        target_names([name])


def test_targets_are_taken_once_each_in_order() -> None:
    assert target_names([]) == ["sim", "host", "emulated"]
    assert target_names(["host", "serial:/dev/ttyUSB0", "host"]) == ["host", "serial:/dev/ttyUSB0"]
