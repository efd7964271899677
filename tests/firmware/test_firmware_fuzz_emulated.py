"""The very image that is flashed, with stored bytes of any age and mutated frames: shorter than the core's run."""

from random import Random

import pytest

from balanxd.contract.board import Fit
from balanxd.contract.emulated import BOARD, EmulatedBoard
from balanxd.simulated.emulator import find_emulator
from balanxd.simulated.image import build_image
from firmware_bridge.codec import BODY_MAX, encode, frame
from firmware_bridge.messages import HOST_TO_BOARD, EnableTilt, GetHello, Hello, Ping, Pong, Result, TiltTo

FRAMES = 2000
SIZES = {d.number: 1 + 2 * len(d.fields) for d in HOST_TO_BOARD.declarations if d.name != "restart"}


def any_frame(random: Random) -> bytes:
    """Half well-framed with a valid CRC and mutated inside; the others noise."""
    if random.random() < 0.5:
        return random.randbytes(random.randrange(1, 40))
    if random.random() < 0.1:
        return frame(random.randbytes(random.randrange(1, BODY_MAX)))
    number = random.choice(list(SIZES))
    body = bytes(
        random.choice((0, 255, random.randrange(256))) for _ in range(SIZES[number] + random.randrange(6))
    )
    return frame(bytes((number, *body)))


@pytest.mark.parametrize("seed", range(2))
def test_the_image_stays_up_whatever_comes(seed: int) -> None:
    random = Random(seed)
    board = EmulatedBoard(Fit(), find_emulator(), build_image("classic", 56))
    board.emulator.set_eeprom(BOARD, random.randbytes(128) + b"\xff" * 896)
    board.pings = board.acks = False
    for _ in range(FRAMES // 50):
        board.write(b"".join(any_frame(random) for _ in range(50)))
        for _ in range(4):
            board.input(random.randrange(board.cells), random.randrange(2))
        board.turn(random.choice((-8.0, 0.0, 8.0)))
        board.run(0.04)
    assert board.widths_us == []  # the stored settings were damaged: motion is locked
    board.run(0.5)  # until all has come
    board.write(b"\0" + encode(GetHello(4242)) + encode(Ping(0x1234)))
    board.run(0.05)
    assert 0x1234 in [pong.token for pong in board.of(Pong)]
    hellos = board.of(Hello)
    assert hellos[-1].session == 4242
    assert len({hello.boot for hello in hellos}) == 1  # no restart
    assert board.emulator.stats(BOARD).resets <= 1
    assert board.order(EnableTilt(0)) == Result.LOCKED
    assert board.order(TiltTo(0, 600)) == Result.NOT_ENABLED
    board.close()
