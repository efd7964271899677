"""A port in; a board that has forgotten its stored settings and uses those built in, or one sentence why not."""

from __future__ import annotations

from balanxd.errors import BalanxError
from firmware_bridge.codec import Decoder, encode
from firmware_bridge.commands import Sending
from firmware_bridge.messages import BOARD_TO_HOST, MAJOR, Ack, ConfigKey, Configure, Result
from firmware_bridge.transport import Transport

from .ports import check_free, hello_words, read_hello, refuse_foreign
from .surroundings import Surroundings

_LOOK_EVERY_S = 0.01
_WHY_NOT = {
    Result.BUSY: "the board is storing something else: try again",
    Result.NO_ANSWER: "the board does not answer any more: look at the cable and try again",
}


def store_defaults(around: Surroundings, port: str) -> str:
    """Has a board forget what it stored, which unlocks it too; the board in a line. Raises BalanxError, PortError."""
    check_free(around, port)
    with around.hold(port):
        transport = around.open_port(port)
        try:
            hello = refuse_foreign(port, read_hello(around, transport))
            if hello.major != MAJOR or hello.minor < 1:
                raise BalanxError(
                    f"{port}: its firmware speaks protocol {hello.major}.{hello.minor} and stores no settings that "
                    "we know: `balanx firmware flash` brings it up to date."
                )
            result = _order(around, transport, Configure(ConfigKey.STORE, 0))
        finally:
            transport.close()
    if result != Result.DONE:
        why = _WHY_NOT.get(result, f"it answers {result.name.lower()}")
        raise BalanxError(f"{port}: the settings are as they were: {why}.")
    return hello_words(hello)


def _order(around: Surroundings, transport: Transport, command: Configure) -> Result:
    """One command to a board that was just greeted."""
    sending: Sending[Configure] = Sending()
    sending.add(command)
    decoder = Decoder(BOARD_TO_HOST)
    while True:
        sending.tick(around.now_s())
        for each in sending.take_to_send():
            transport.write(encode(each))
        for message in decoder.feed(transport.read()):
            if isinstance(message, Ack):
                sending.acknowledged(message.id, message.result)
        for _, result in sending.take_finished():
            return Result(result)
        around.pause(_LOOK_EVERY_S)
