"""What a controller keeps over power cuts and watches by itself, by name: each one a function of a board."""

from binascii import crc_hqx

from contract.promises import behaviour, only, ready, seen

from balanxd.contract.board import Board, Fit, Need
from firmware_bridge.codec import frame
from firmware_bridge.messages import (
    Ack,
    ConfigKey,
    Configure,
    EdgeMsg,
    EnableTilt,
    Fault,
    FaultCode,
    Feature,
    GetHello,
    Hello,
    Picture,
    Ping,
    ResetCause,
    Result,
    TiltReport,
    TiltTo,
)

COPIES = (16, 48)
"""Where the two copies of the settings lie, as sim/settings.py and firmware/src/settings.c have them."""
FORM = 16
"""Bytes of a copy before its CRC."""
STORE_S = 0.3
TWICE = (Need.STORE, Need.RESETS)


def store(board: Board, value: int = 1) -> Result:
    return board.order(Configure(ConfigKey.STORE, value), within_s=STORE_S)


def restart(board: Board) -> None:
    board.reset(ResetCause.POWER_ON)
    board.run(1.2)
    board.greet(78)


def limit_of(board: Board) -> int:
    """The widest angle that is taken, of those that these behaviours set."""
    taken = [angle for angle in (800, 300, 200, 100) if board.order(EnableTilt(angle)) == Result.DONE]
    assert taken
    return taken[0]


# -- stored settings -------------------------------------------------------------------


@behaviour(*TWICE)
def settings_hold_until_the_next_reset_unless_stored(board: Board) -> None:
    ready(board)
    assert board.order(Configure(ConfigKey.ANGLE_LIMIT_CDEG, 300)) == Result.DONE
    restart(board)
    assert board.order(EnableTilt(301)) == Result.DONE


@behaviour(*TWICE, Need.INPUTS)
def stored_settings_outlive_a_reset(board: Board) -> None:
    ready(board)
    for key, value in (
        (ConfigKey.ANGLE_LIMIT_CDEG, 300),
        (ConfigKey.SWING_MIN_MS, 500),
        (ConfigKey.DEBOUNCE_SAMPLES, 20),
    ):
        assert board.order(Configure(key, value)) == Result.DONE
    assert store(board) == Result.DONE
    restart(board)
    assert board.order(EnableTilt(301)) == Result.OUT_OF_LIMITS
    assert board.order(EnableTilt(300)) == Result.DONE
    assert board.order(TiltTo(-300, 499)) == Result.TOO_FAST
    begin = board.now_s
    board.input(3, 1)
    board.run(0.05)
    assert board.near(board.times(EdgeMsg)[-1], begin + 0.02, 0.002)


@behaviour(Need.STORE)
def store_is_answered_once_it_is_written(board: Board) -> None:
    ready(board)
    board.send(Configure(ConfigKey.STORE, 1, 700))
    board.run(0.008)
    assert board.of(Ack) == []
    board.send(Configure(ConfigKey.STORE, 1, 700))  # asked again meanwhile: not begun anew
    board.send(Configure(ConfigKey.DEBOUNCE_SAMPLES, 9, 701))
    board.run(STORE_S)
    assert {(ack.id, ack.result) for ack in board.of(Ack)} == {(700, Result.DONE), (701, Result.BUSY)}
    assert board.order(Configure(ConfigKey.STORE, 2)) == Result.OUT_OF_LIMITS


@behaviour(*TWICE, Need.STORED)
def damaged_copy_of_settings_leaves_the_older_one(board: Board) -> None:
    ready(board)
    for limit in (200, 300):
        assert board.order(Configure(ConfigKey.ANGLE_LIMIT_CDEG, limit)) == Result.DONE
        assert store(board) == Result.DONE
    newer = max(COPIES, key=lambda at: board.stored(at + 1))
    board.spoil(newer + 7, board.stored(newer + 7) ^ 0x10)
    restart(board)
    assert board.of(Fault) == []
    assert limit_of(board) == 200


@behaviour(*TWICE, Need.STORED)
def damaged_settings_lock_the_motion_until_stored_anew(board: Board) -> None:
    ready(board)
    assert board.order(Configure(ConfigKey.ANGLE_LIMIT_CDEG, 300)) == Result.DONE
    assert store(board) == Result.DONE
    for at in COPIES:
        board.spoil(at + 4, board.stored(at + 4) ^ 1)
    restart(board)
    faults = board.of(Fault)
    assert set(faults) == {Fault(FaultCode.SETTINGS_LOST, 0)}
    assert len(faults) == 2  # when it started, and to the new session
    assert board.order(EnableTilt(0)) == Result.LOCKED
    assert board.order(Configure(ConfigKey.DEBOUNCE_SAMPLES, 7)) == Result.DONE
    assert board.order(EnableTilt(0)) == Result.LOCKED
    assert store(board) == Result.DONE
    assert board.order(EnableTilt(800)) == Result.DONE
    board.heard.clear()
    restart(board)
    assert board.of(Fault) == []
    assert board.order(EnableTilt(800)) == Result.DONE


@behaviour(*TWICE, Need.STORED)
def settings_of_another_form_lock_the_motion(board: Board) -> None:
    ready(board)
    assert store(board) == Result.DONE
    at = next(at for at in COPIES if board.stored(at) != 0xFF)
    raw = bytes([2, *(board.stored(at + i) for i in range(1, FORM))])
    for i, byte in enumerate(raw + crc_hqx(raw, 0xFFFF).to_bytes(2, "big")):
        board.spoil(at + i, byte)
    restart(board)
    assert Fault(FaultCode.SETTINGS_LOST, 0) in board.of(Fault)
    assert board.order(EnableTilt(0)) == Result.LOCKED


@behaviour(*TWICE)
def store_cut_by_a_reset_leaves_what_was_stored_before(board: Board) -> None:
    ready(board)
    assert board.order(Configure(ConfigKey.ANGLE_LIMIT_CDEG, 200)) == Result.DONE
    assert store(board) == Result.DONE
    for cut_s in (0.003, 0.008, 0.014):
        assert board.order(Configure(ConfigKey.ANGLE_LIMIT_CDEG, 100)) == Result.DONE
        board.send(Configure(ConfigKey.STORE, 1, 900))
        board.run(cut_s)
        assert [ack for ack in board.of(Ack) if ack.id == 900] == []
        restart(board)
        assert limit_of(board) == 200
    assert board.of(Fault) == []


@behaviour(*TWICE)
def forgotten_settings_are_those_built_in(board: Board) -> None:
    ready(board)
    assert board.order(Configure(ConfigKey.ANGLE_LIMIT_CDEG, 200)) == Result.DONE
    assert store(board) == Result.DONE
    assert store(board, 0) == Result.DONE
    restart(board)
    assert board.of(Fault) == []
    assert limit_of(board) == 800


# -- the chain -------------------------------------------------------------------------


@behaviour(Need.CHAIN, Need.INPUTS)
def broken_chain_is_told_with_its_first_input(board: Board) -> None:
    for cell in (0, 9, 20, 30, 50):
        board.input(cell, 1)
    ready(board)
    board.run(0.1)
    assert board.greet(78).features & Feature.CHAIN_END
    board.heard.clear()
    begin = board.now_s
    board.chain(24)
    board.run(0.3)
    fault = only(board.of(Fault))
    assert fault == Fault(FaultCode.CHAIN_BROKEN, 24)
    assert board.times(Fault)[0] - begin < 0.2
    assert board.of(Picture)[-1].readings == seen(board, 0, 9, 20)
    board.send(GetHello(79))
    board.soon()
    assert board.of(Fault) == [fault, fault]  # whoever comes is told
    board.chain(None)
    board.run(0.3)
    board.send(GetHello(80))
    board.soon()
    assert board.of(Fault) == [fault, fault]
    assert board.of(Picture)[-1].readings == seen(board, 0, 9, 20, 30, 50)


@behaviour(Need.CHAIN, fit=Fit(chain_end=False))
def chain_that_is_not_wired_back_is_not_called_broken(board: Board) -> None:
    ready(board)
    board.run(1.0)
    assert not board.greet(78).features & Feature.CHAIN_END
    assert board.of(Fault) == []


@behaviour(Need.CHAIN, *TWICE, fit=Fit(chain_end=False))
def chain_end_that_must_answer_is_missed_from_the_start(board: Board) -> None:
    ready(board)
    assert board.order(Configure(ConfigKey.CHAIN_END, 2)) == Result.OUT_OF_LIMITS
    assert board.order(Configure(ConfigKey.CHAIN_END, 1)) == Result.DONE
    assert store(board) == Result.DONE
    board.heard.clear()
    restart(board)
    assert {fault.code for fault in board.of(Fault)} == {FaultCode.CHAIN_BROKEN}
    assert board.of(Hello)[-1].features & Feature.CHAIN_END


# -- supply and line -------------------------------------------------------------------


@behaviour(Need.SUPPLY)
def low_supply_is_measured_and_told(board: Board) -> None:
    ready(board)
    board.run(1.0)
    board.supply(5000)
    board.run(6.0)
    assert abs(board.of(TiltReport)[-1].supply_mv - 5000) <= 50
    assert board.of(Fault) == []
    board.supply(4000)
    board.run(0.2)
    fault = only(board.of(Fault))
    assert fault.code == FaultCode.SUPPLY_LOW
    assert abs(fault.argument - 4000) <= 50
    board.supply(5000)
    board.run(0.2)
    board.supply(4000)
    board.run(0.2)
    assert len(board.of(Fault)) == 2
    board.supply(5000)
    board.run(0.2)
    assert board.order(Configure(ConfigKey.SUPPLY_MIN_MV, 3500)) == Result.DONE
    board.supply(4000)
    board.run(0.2)
    assert len(board.of(Fault)) == 2


@behaviour()
def damaged_frames_are_counted_and_told(board: Board) -> None:
    ready(board)
    board.write(b"\x05\x4b\x07\x07\x07\0")
    board.soon()
    assert board.of(Fault) == [Fault(FaultCode.BAD_FRAMES, 1)]
    for _ in range(3):
        board.write(b"\x05\x4b\x07\x07\x07\0")
    board.run(1.0)
    assert len(board.of(Fault)) == 1  # not more often than each five seconds
    board.run(4.5)
    assert board.of(Fault)[1:] == [Fault(FaultCode.BAD_FRAMES, 4)]


@behaviour()
def message_of_a_newer_version_is_no_damage(board: Board) -> None:
    ready(board)
    board.write(frame(b"\x7e\x01\x02") + frame(bytes((0x4B, 1))))
    board.send(Ping(0x77))
    board.run(0.2)
    assert board.of(Fault) == []
    assert board.of(Hello) == []
