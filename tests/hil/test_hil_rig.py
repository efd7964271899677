"""The rig's own promises, without a controller image where none is needed."""

import json
import os
import subprocess
import sys
import tty
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from balanxd.cli.hil import hil
from balanxd.errors import BalanxError
from balanxd.hil.lock import rig_lock
from balanxd.hil.outcomes import Figure, Finding, Outcome, Run
from balanxd.hil.report import as_json, as_junit, as_page, write_report
from balanxd.hil.rig import CONTROLLER, STIMULUS, SerialRig
from firmware_bridge.codec import Decoder, encoder
from firmware_bridge.document import stimulus_header
from firmware_bridge.errors import BridgeError
from firmware_bridge.messages import Ack, Hello, Pong, Result
from firmware_bridge.stimulus import HOST_TO_STIMULUS, STIMULUS_TO_HOST, Drive, Driven, Pulse
from firmware_bridge.stimulus_link import ROOM, Done, Greeted, PulseSeen, Refused, StimulusLink
from firmware_bridge.transport import SerialTransport

FIRMWARE = Path(__file__).resolve().parents[2] / "firmware_bridge" / "firmware"
say = encoder(STIMULUS_TO_HOST)


def near(value: float, **within: Any) -> Any:
    """A number about as large."""
    return pytest.approx(value, **within)


def pty() -> tuple[int, int]:
    """A serial line without hardware: our end, and that of a port."""
    master, slave = os.openpty()
    tty.setraw(slave)
    return master, slave


def run_of(*outcomes: Outcome) -> Run:
    findings = [Finding(f"check_{n}", "It holds.", outcome) for n, outcome in enumerate(outcomes)]
    return Run("20260101T000000-00ff", "2026-01-01T00:00:00+00:00", "emulated", findings=findings)


@pytest.mark.parametrize(
    ("outcomes", "verdict"),
    [
        ((Outcome.PASS, Outcome.SKIP), "pass"),
        ((), "did not run"),
        ((Outcome.SKIP,), "did not run"),
        ((Outcome.PASS, Outcome.NOT_RUN), "did not run"),
        ((Outcome.PASS, Outcome.FAIL), "fail"),
        ((Outcome.FAIL, Outcome.RIG), "rig error"),
    ],
)
def test_nothing_executed_is_no_pass_and_a_broken_rig_blames_no_product(
    outcomes: tuple[Outcome, ...], verdict: str
) -> None:
    assert run_of(*outcomes).verdict == verdict


def test_control_bytes_of_a_log_leave_every_report_readable(tmp_path: Path) -> None:
    run = run_of(Outcome.FAIL, Outcome.NOT_RUN)
    run.findings[0].why = "it said \x00\x1b[31m <b>&\x07 \ud800 é"
    run.findings[0].raw = ["\x01\x02"]
    run.findings[0].figures = [Figure("delay", 7.9, "ms", most=8.0)]
    suite = ElementTree.fromstring(as_junit(run))
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("2", "1", "1")
    told = json.loads(as_json(run))
    assert told["verdict"] == "fail"
    assert told["counts"]["did not run"] == 1
    page = as_page(run)
    assert "&lt;b&gt;" in page
    assert "marginal" in page
    assert not any(ord(letter) < 32 and letter not in "\n\t" for letter in page)
    assert sorted(path.name for path in write_report(run, tmp_path)) == [
        "report.html",
        "report.json",
        "report.xml",
    ]


@pytest.mark.parametrize(
    ("value", "good", "marginal", "words"),
    [
        (5.0, True, False, "5 ms (at least 2 and at most 8 ms)"),
        (7.5, True, True, "7.5 ms"),
        (2.1, True, True, "2.1 ms"),
        (8.1, False, False, "8.1 ms"),
        (1.9, False, False, "1.9 ms"),
    ],
)
def test_figure_has_limits_to_both_sides(value: float, good: bool, marginal: bool, words: str) -> None:
    figure = Figure("delay", value, "ms", most=8.0, least=2.0)
    assert (figure.good, figure.marginal) == (good, marginal)
    assert words in figure.text()


def test_report_that_cannot_be_written_is_told_before_the_run(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    result = CliRunner().invoke(hil, ["--emulated", "--report", str(tmp_path / "file" / "below")])
    assert isinstance(result.exception, BalanxError)
    assert result.output == ""


def test_port_that_is_not_there_is_a_rig_error_with_a_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BALANX_STATE", str(tmp_path))
    missing = str(tmp_path / "ttyUSB7")
    result = CliRunner().invoke(
        hil, ["--controller", missing, "--stimulus", missing, "--report", str(tmp_path)]
    )
    assert result.exit_code == 3
    assert f"The run came to no end: {missing}" in result.output
    told = json.loads((tmp_path / "report.json").read_text())
    assert set(told["counts"].items()) >= {("rig error", len(told["findings"])), ("pass", 0)}


def test_serial_rig_reads_and_writes_both_boards(tmp_path: Path) -> None:
    (controller, name), (stimulus, other) = ((master, os.ttyname(slave)) for master, slave in (pty(), pty()))
    rig = SerialRig(name, other)
    os.write(stimulus, b"from the stimulus board\0")
    rig.run_to(rig.now_s + 60.0)  # ends when bytes have come
    assert (rig.read(CONTROLLER), rig.read(STIMULUS)) == (b"", b"from the stimulus board\0")
    rig.write(CONTROLLER, b"to the controller\0")
    assert os.read(controller, 100) == b"to the controller\0"
    now_s = rig.now_s
    assert rig.run_to(now_s) >= now_s  # a time that is over is no wait
    rig.close()
    rig = SerialRig(name, other)  # both ports were let go
    rig.close()


def test_serial_rig_lets_the_first_port_go_where_the_second_is_missing(tmp_path: Path) -> None:
    _, slave = pty()
    name = os.ttyname(slave)
    with pytest.raises(BridgeError):
        SerialRig(name, str(tmp_path / "none"))
    SerialTransport(name).close()


def test_rig_has_one_user_who_is_named(tmp_path: Path) -> None:
    with (
        rig_lock(tmp_path, "/dev/rig", "the evening's tests"),
        pytest.raises(BalanxError, match=rf"in use: process {os.getpid()}, the evening's tests"),
        rig_lock(tmp_path, "/dev/rig", "mine"),
    ):
        pass
    with rig_lock(tmp_path, "/dev/rig", "mine"):
        pass  # it was given back


def test_lock_ends_with_a_killed_process(tmp_path: Path) -> None:
    script = (
        "import os, pathlib, signal; from balanxd.hil.lock import rig_lock\n"
        f"with rig_lock(pathlib.Path({str(tmp_path)!r}), 'r', 'x'): os.kill(os.getpid(), signal.SIGKILL)"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode != 0
    with rig_lock(tmp_path, "r", "mine"):
        pass


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "--controller PORT and --stimulus PORT, or --emulated"),
        (["--controller", "a"], "a rig has two ports"),
        (["--emulated", "--controller", "a"], "or --emulated"),
        (["--controller", "a", "--stimulus", "b", "--known-bad"], "--known-bad is for --emulated"),
        (["--emulated", "--only", "limits_holt"], "did you mean limits_hold"),
        (["--emulated", "--build", "xyz"], "hexadecimal"),
        (["--emulated", "--known-bad", "--only", "whole_game"], "no such check"),
        (["--emulated", "--known-bad", "--report", "out"], "neither --build nor --report"),
        (["--marbles"], "--marbles goes with --controller"),
    ],
)
def test_wrong_usage_is_told_in_one_sentence(arguments: list[str], words: str) -> None:
    result = CliRunner().invoke(hil, arguments)
    assert result.exit_code == 2
    assert words in result.output


def test_header_of_the_stimulus_board_is_current() -> None:
    assert (FIRMWARE / "stimulus" / "stimulus_messages.h").read_text() == stimulus_header()


# -- the stimulus board's link


def hello(session: int) -> Hello:
    return Hello(1, 1, 7, 56, 1, 0, 1, 0, session, 0, (1, 0, 0), "Balanx stimulus", "stimulus", b"x")


def sent(link: StimulusLink) -> list[object]:
    return list(Decoder(HOST_TO_STIMULUS).feed(link.take_bytes()))


def greeted() -> StimulusLink:
    link = StimulusLink(9)
    link.opened(1.0)
    assert link.receive(say(hello(8)), 1.0) == []  # an answer to somebody else
    assert isinstance(link.receive(say(hello(9)), 1.0)[0], Greeted)
    link.receive(say(Pong(1, 1_000_000)), 1.0)  # its clock is the host's here
    sent(link)
    return link


def test_drive_goes_out_at_its_time_by_the_boards_clock_and_is_done_when_it_says_so() -> None:
    link = greeted()
    number = link.drive(1.25, {3: 1, 240: 0}, 1.0)
    assert sent(link) == [Drive(1_250_000, bytes((3, 1, 240, 0)), number)]
    assert link.receive(say(Ack(number, Result.DONE)), 1.001) == []
    assert link.idle
    assert link.receive(say(Driven(number, 1_250_040)), 1.3) == [Done(near(1.25004, abs=0.002), number)]


def test_unanswered_command_is_sent_again_under_its_id_and_given_up_in_the_end() -> None:
    link = greeted()
    number = link.drive(1.0, {3: 1}, 1.0)
    told: list[object] = []
    events = []
    now_s = 1.0
    for _ in range(12):
        told += [each for each in sent(link) if isinstance(each, Drive)]
        now_s = link.due_s()
        events += link.tick(now_s)
    assert {drive.id for drive in told if isinstance(drive, Drive)} == {number}
    assert len(told) == 5
    assert [each for each in events if isinstance(each, Refused)] == [
        Refused(near(1.5), number, Result.NO_ANSWER)
    ]


def test_no_more_changes_go_out_than_the_board_can_keep() -> None:
    link = greeted()
    numbers = [link.drive(2.0, dict.fromkeys(range(n * 20, n * 20 + 20), 1), 1.0) for n in range(3)]
    for number in numbers[:2]:
        assert [each.id for each in sent(link) if isinstance(each, Drive)] == [number]
        link.receive(say(Ack(number, Result.DONE)), 1.01)
    assert ROOM < 60
    assert sent(link) == []  # the third would not fit
    link.receive(say(Driven(numbers[0], 2_000_000)), 2.0)
    assert [each.id for each in sent(link) if isinstance(each, Drive)] == [numbers[2]]


def test_pulses_that_were_not_told_are_counted() -> None:
    link = greeted()
    events = link.receive(say(Pulse(4, 1_000_000, 3000)) + say(Pulse(7, 1_060_000, 3001)), 1.1)
    assert [each for each in events if isinstance(each, PulseSeen)] == [
        PulseSeen(near(1.0, abs=0.001), 1500.0, 0),
        PulseSeen(near(1.06, abs=0.001), 1500.5, 2),
    ]
