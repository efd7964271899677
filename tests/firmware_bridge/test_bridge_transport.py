"""Ports: a real pseudo-terminal through pyserial, and memory; each failure one line that names the port."""

import errno
import os
import select
import termios

import pytest

from firmware_bridge.codec import Decoder, encode
from firmware_bridge.errors import (
    BridgeError,
    PortBusy,
    PortDenied,
    PortError,
    PortGone,
    PortMissing,
    PortUnusable,
)
from firmware_bridge.link import Link, LinkLost, LinkState
from firmware_bridge.memory import memory_pipe
from firmware_bridge.messages import BOARD_TO_HOST, Hello, Picture, Pong
from firmware_bridge.transport import UNWRITTEN_MAX, PseudoPort, SerialTransport, Transport, open_error


@pytest.fixture
def pty():
    port = PseudoPort()
    yield port
    port.close()


@pytest.fixture
def wire(pty):
    """(host's end, board's end) of a pseudo-terminal."""
    host = SerialTransport(pty.port)
    yield host, pty
    host.close()


@pytest.fixture(params=["memory", "pseudo-terminal"])
def ends(request):
    """The same two ends, in memory and over a pseudo-terminal."""
    if request.param == "memory":
        return memory_pipe()
    return request.getfixturevalue("wire")


def arrive(end: Transport, length: int) -> bytes:
    """Reads until that many bytes are here; each read alone must not block."""
    data = b""
    while len(data) < length:
        number = end.fileno()
        if number is not None and not select.select([number], [], [], 5)[0]:
            break
        data += end.read()
    return data


def one_line(error: PortError, port: str) -> bool:
    text = str(error)
    return port in text and "\n" not in text and len(text) < 200 and error.port == port


def test_bytes_both_ways(ends):
    host, board = ends
    every = bytes(range(256))  # none is changed, swallowed or echoed by the terminal
    assert host.read() == b""
    assert board.read() == b""
    board.write(every)
    assert arrive(host, 256) == every
    host.write(every)
    host.write(b"")
    assert arrive(board, 256) == every
    assert host.read() == b""
    assert board.read() == b""


def test_the_other_end_goes_away(ends):
    host, board = ends
    board.close()
    with pytest.raises(PortGone) as caught:
        host.read()
    assert one_line(caught.value, host.port)
    with pytest.raises(PortGone):
        host.write(b"x")
    host.close()
    host.close()
    board.close()
    with pytest.raises(PortGone):
        board.read()
    with pytest.raises(PortGone):
        board.write(b"x")


def test_what_was_written_before_the_end_is_still_read_in_memory():
    host, board = memory_pipe("pipe")
    board.write(b"last")
    board.close()
    assert host.read() == b"last"
    with pytest.raises(PortGone):
        host.read()
    assert host.fileno() is None
    assert (board.bytes_written, host.bytes_read) == (4, 4)


def test_write_finds_out_too(wire):
    host, board = wire
    board.close()
    with pytest.raises(PortGone) as caught:
        host.write(b"x")
    assert one_line(caught.value, host.port)
    with pytest.raises(PortGone):
        host.read()


def test_partial_reads_still_give_whole_messages(wire):
    host, board = wire
    frames = encode(Pong(1, 2)) + encode(Pong(0, 0))
    decoder = Decoder(BOARD_TO_HOST)
    messages = []
    for byte in frames:
        board.write(bytes([byte]))
        messages += decoder.feed(arrive(host, 1))
    assert messages == [Pong(1, 2), Pong(0, 0)]


def test_a_line_that_is_full_loses_nothing_and_blocks_nobody(wire):
    host, board = wire
    data = os.urandom(50_000)
    host.write(data)  # more than a pseudo-terminal holds
    came = b""
    while len(came) < len(data):
        came += arrive(board, 1)
        host.read()  # an idle host reads; that sends what is left
    assert came == data


def test_a_port_that_takes_nothing_is_gone_in_the_end(wire):
    host, _ = wire
    host.write(bytes(UNWRITTEN_MAX))
    with pytest.raises(PortGone) as caught:
        host.write(bytes(UNWRITTEN_MAX))
    assert one_line(caught.value, host.port)


def test_a_busy_port_is_refused(pty):
    first = SerialTransport(pty.port)
    with pytest.raises(PortBusy) as caught:
        SerialTransport(pty.port)
    assert one_line(caught.value, pty.port)
    first.close()
    SerialTransport(pty.port).close()


def test_a_missing_port_is_refused():
    with pytest.raises(PortMissing) as caught:
        SerialTransport("/dev/ttyBALANX99")
    assert one_line(caught.value, "/dev/ttyBALANX99")


@pytest.mark.parametrize("text", ["a file", ""])
def test_what_is_no_port_is_refused(tmp_path, text):
    path = tmp_path / "file"
    path.write_text(text)
    for name in (str(path), str(tmp_path)):
        with pytest.raises(PortUnusable) as caught:
            SerialTransport(name)
        assert one_line(caught.value, name)


def test_a_senseless_speed_is_refused(pty):
    with pytest.raises(PortUnusable):
        SerialTransport(pty.port, baud=-1)


def test_every_error_has_its_line():
    for number, kind in [
        (errno.ENOENT, PortMissing),
        (errno.ENXIO, PortMissing),
        (errno.EBUSY, PortBusy),
        (errno.EAGAIN, PortBusy),
        (errno.EACCES, PortDenied),
        (errno.EIO, PortUnusable),
        (None, PortUnusable),
    ]:
        error = open_error("/dev/x", OSError(number, "words") if number else OSError("words"))
        assert type(error) is kind
        assert one_line(error, "/dev/x")
        assert isinstance(error, BridgeError)
    assert "dialout" in str(open_error("/dev/x", OSError(errno.EACCES, "")))


def test_the_terminal_is_raw_at_250000_and_has_no_modem_lines(pty):
    # ENOTTY of the modem lines on a pseudo-terminal must not keep the port from opening
    host = SerialTransport(pty.port)
    number = host.fileno()
    assert number is not None
    flags = termios.tcgetattr(number)
    assert not flags[3] & (termios.ECHO | termios.ICANON | termios.ISIG)
    assert not flags[0] & (termios.IXON | termios.ICRNL)
    assert not flags[1] & termios.OPOST
    assert flags[2] & termios.CSIZE == termios.CS8
    host.close()


def test_nothing_is_echoed_before_the_host_opens(pty):
    pty.write(b"hello\r\n\x03")
    assert pty.read() == b""


def test_a_link_comes_up_over_a_pseudo_terminal_and_is_lost_with_it(wire):
    host, board = wire
    link = Link(session=9)
    link.opened(0.0)
    host.write(link.take_bytes())
    arrive(board, 6)
    hello = Hello(1, 0, 0, 4, 1, 1000, 1, 1, 9, 0, (1, 0, 0), "Balanx", "x", b"")
    data = b"\xffnoise\0" + encode(hello) + encode(Picture(0, False, 5, 1, 1, (), bytes(4)))
    board.write(data)
    link.receive(arrive(host, len(data)), 0.1)
    assert link.state is LinkState.UP
    board.close()
    with pytest.raises(PortGone) as caught:
        host.read()
    (lost,) = link.closed(0.2, str(caught.value))
    assert isinstance(lost, LinkLost)
    assert host.port in lost.why
