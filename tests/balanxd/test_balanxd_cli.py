"""Every command as a person would type it, good and nonsense: exit status, output, and one clear line for errors."""

import io
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from balanxd import __main__ as command_line

START = "WWWW3/WWW4/WW5/W6/6B/5BB/4BBB/3BBBB W 0"
RECORD = (
    '[Date "????.??.??"]\n[White "a"]\n[Black "b"]\n[Game "balanx"]\n[Layout "classic"]\n[Result "*"]\n\n'
    "1. a8-e8 g1-c1 2. a7-a4 g2-g5 3. b8-b5 f1-f4 *\n"
)


class Done:
    def __init__(self, status: object, out: str, err: str) -> None:
        self.status, self.out, self.err = status, out, err


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    """Runs `balanx ...` in this process; what would be a traceback fails the test."""

    def runs(*arguments: str, stdin: bytes = b"") -> Done:
        monkeypatch.setattr(sys, "argv", ["balanx", *arguments])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        status: object = 0
        try:
            command_line.main()
        except SystemExit as end:
            status = end.code
        said = capsys.readouterr()
        return Done(status, said.out, said.err)

    return runs


# ---- good commands: the specification's own examples ---------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "out"),
    [
        ("rules apply a8-e8 g1-c1", "1WWW3/WWW1W2/WW5/W6/6B/5BB/4BB1/2BBBBB W 2\noutcome: none\n"),
        ("rules apply a8e8 g1c1", "1WWW3/WWW1W2/WW5/W6/6B/5BB/4BB1/2BBBBB W 2\noutcome: none\n"),
        ("rules apply", f"{START}\noutcome: none\n"),
        ("rules perft 0", "1\n"),
        ("rules perft 1", "16\n"),
        ("rules perft 3", "4528\n"),
        ("rules perft 2 --layout classic --game balanx", "256\n"),
    ],
)
def test_the_examples_of_the_specification(run, arguments: str, out: str) -> None:
    done = run(*arguments.split())
    assert (done.status, done.out, done.err) == (0, out, "")


@pytest.mark.parametrize(
    ("arguments", "status", "out", "told"),
    [
        ("perft 2 --game fourhigh", 0, "5484\n", ""),
        ("perft 1 --game fourhigh --set QuietLimit=50", 0, "76\n", ""),
        ("perft 0 --game banks --set Board=4x4 --set Players=3", 0, "1\n", ""),
        ("perft 0 --game banks --set Board=99x99", 1, "", "[Board]"),
        ("perft 1 --game boxilies", 0, "162\n", ""),
        ("perft 1 --game boxilies --set Starter=B", 0, "162\n", ""),
        ("perft 1 --game boxilies --set Starter=C", 1, "", "[Starter]"),
        ("perft 1 --game boxilies --set Bored=3x3", 1, "", "--set Bored"),
        ("perft 1 --game boxilies --set Board", 2, "", "TAG=VALUE"),
        ("perft 1 --game boxilies --layout wide", 2, "", "--layout"),
        ("perft 1 --set Layout=wide", 2, "", "--set"),
    ],
)
def test_other_games_take_their_settings_as_tags(
    run, arguments: str, status: int, out: str, told: str
) -> None:
    done = run("rules", *arguments.split())
    assert (done.status, done.out) == (status, out)
    assert told in done.err


def test_moves_are_sorted_lines(run) -> None:
    done = run("rules", "moves", "--position", START)
    lines = done.out.splitlines()
    assert done.status == 0
    assert len(lines) == 16
    assert lines == sorted(lines)
    assert run("rules", "perft", "1", "--divide").out == "".join(f"{line} 1\n" for line in lines)


def test_a_record_is_checked_from_a_file_and_from_standard_input(run, tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    path.write_text(RECORD)
    assert run("rules", "check", str(path)).out == "*\n"
    done = run("rules", "check", "-", stdin=RECORD.encode())
    assert (done.status, done.out, done.err) == (0, "*\n", "")


def test_layouts_are_shown_and_checked(run) -> None:
    assert run("layout", "check", "classic").out == "classic: 7 x 8, 25 double and 6 single grooves\n"
    assert run("layout", "check", "wide").out == "wide: 8 x 7, 24 double and 8 single grooves\n"
    assert run("layout", "show", "wide").out.startswith("wide, 8 x 7\n")


@pytest.mark.parametrize(
    "arguments",
    [
        "--help",
        "-h",
        "play --help",
        "rules --help",
        "rules apply -h",
        "layout -h",
        "bench --help",
        "--version",
    ],
)
def test_help_is_no_error(run, arguments: str) -> None:
    done = run(*arguments.split())
    assert done.status == 0
    assert done.out
    assert done.err == ""


# ---- input that is wrong: status 1, one line -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        ("rules apply a8-e8 g1-g9", "move 2"),
        ("rules apply a8-e8 a7-a4", "move 2"),
        ("rules apply a8-e8 g1-c1 --position nonsense", "position"),
        ("rules apply nonsense", "move 1"),
        ("rules apply --", "move 1"),
        ("rules moves --position ''", ""),
        ("rules moves --layout nosuch", "nosuch"),
        ("rules moves --layout no/such.toml", "no/such.toml"),
        ("rules moves --layout .", "."),
        ("rules moves --layout /dev/null", "/dev/null"),
        ("rules perft 2 --position WWWW3", "position"),
        ("rules check no/such/file", "no/such/file"),
        ("rules check .", "."),
        ("rules check /dev/null", "/dev/null"),
        ("rules check -", "-"),
        ("layout show nosuch", "nosuch"),
        ("layout check no/such.toml", "no/such.toml"),
        ("layout check /proc/self/mem", "/proc/self/mem"),
        ("replay no/such/folder", "no/such/folder"),
        ("play --board no/such/board.toml", "no/such/board.toml"),
        ("play --board .", "."),
        ("play --layout nosuch --headless --white random --black random", "nosuch"),
        ("play --no-browser --state /proc/balanx", "/proc/balanx"),
        ("play --headless --white random --black random --trace /proc/balanx", "/proc/balanx"),
    ],
)
def test_wrong_input_is_one_line_that_names_the_place(run, arguments: str, names: str) -> None:
    done = run(*(word.strip("'") for word in arguments.split()))
    assert done.status == 1
    assert done.out == ""
    assert done.err.startswith("balanx: ")
    assert done.err.count("\n") == 1
    assert names in done.err


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (RECORD.replace("a7-a4", "a7-a5"), "line 8: move 2 of White a7-a5: occupied_to"),
        (RECORD.replace("*\n", "1-0 home\n"), "[Result]"),
        (RECORD.replace('[Layout "classic"]', '[Layout "nosuch"]'), "nosuch"),
        (RECORD.replace('[Game "balanx"]', '[Game "chess"]'), "chess"),
        (RECORD.replace("a8-e8", "{"), ""),
        ("", ""),
        ("\x00", ""),
        ("[", ""),
    ],
)
def test_a_wrong_record_names_the_file_and_the_reason(run, tmp_path: Path, text: str, names: str) -> None:
    path = tmp_path / "game.txt"
    path.write_text(text)
    done = run("rules", "check", str(path))
    assert done.status == 1
    assert done.err.startswith(f"balanx: {path}: ")
    assert done.err.count("\n") == 1
    assert names in done.err.removeprefix(f"balanx: {path}")


def test_bytes_that_are_no_text_name_their_place(run, tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    path.write_bytes(b"[Date \xff")
    for arguments in (
        ("rules", "check", str(path)),
        ("layout", "check", str(path)),
        ("play", "--board", str(path)),
    ):
        done = run(*arguments)
        assert (done.status, done.out) == (1, "")
        assert "not UTF-8 at byte 6" in done.err
        assert done.err.count("\n") == 1
    done = run("rules", "check", "-", stdin=b"\xff")
    assert done.err == "balanx: -: not UTF-8 at byte 0\n"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('name = "x"\nfiles = 3\nranks = 8\nfirst_groove = [1, 1, 1]', "files"),
        ('name = "x"\nfiles = 4\nranks = 4\nfirst_groove = [2, 1, 2, 1]', ""),
        ('name = "x"\nfiles = 7\nranks = 8\ngrooves = [["a1", "b1"]]', "a1"),
        ("files = ", ""),
        ("", ""),
    ],
)
def test_a_wrong_layout_names_the_file(run, tmp_path: Path, text: str, names: str) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(text)
    for arguments in (("layout", "check", str(path)), ("rules", "moves", "--layout", str(path))):
        done = run(*arguments)
        assert done.status == 1
        assert done.err.startswith(f"balanx: {path}: ")
        assert done.err.count("\n") == 1
        assert names in done.err


# ---- ports and addresses -------------------------------------------------------------------------------------


def board_file(tmp_path: Path, port: str) -> str:
    path = tmp_path / "board.toml"
    path.write_text(f'[link]\nport = "{port}"\n')
    return str(path)


def live(board: str, tmp_path: Path, *more: str) -> tuple[str, ...]:
    where = more or ("--http", "127.0.0.1:0")
    return ("play", "--board", board, "--no-browser", "--state", str(tmp_path / "state"), *where)


def test_a_port_that_is_not_there(run, tmp_path: Path) -> None:
    done = run(*live(board_file(tmp_path, "/dev/no-such-port"), tmp_path))
    assert done.status == 1
    assert done.err.splitlines()[-1].startswith("balanx: /dev/no-such-port: no such port")
    assert "Traceback" not in done.err


@pytest.mark.parametrize("port", ["", ".", "/dev/null", "/etc/hostname"])
def test_a_port_that_is_none(run, tmp_path: Path, port: str) -> None:
    done = run(*live(board_file(tmp_path, port), tmp_path))
    assert done.status == 1
    assert "Traceback" not in done.err
    assert done.err.splitlines()[-1].startswith(f"balanx: {port}")


def test_a_port_that_another_program_has(run, tmp_path: Path) -> None:
    from firmware_bridge.transport import PseudoPort, SerialTransport

    board = PseudoPort()
    taken = SerialTransport(board.port)
    done = run(*live(board_file(tmp_path, board.port), tmp_path))
    taken.close()
    board.close()
    assert done.status == 1
    assert done.err.splitlines()[-1].startswith(f"balanx: {board.port}: another program has this port open")


def test_an_address_that_is_taken(run, tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        done = run(*live("sim", tmp_path, "--http", address))
    assert done.status == 1
    assert done.err == (
        f"balanx: --http {address}: Address already in use; another program serves there, give another port\n"
    )


def test_an_address_that_is_not_ours(run, tmp_path: Path) -> None:
    done = run(*live("sim", tmp_path, "--http", "192.0.2.1:8000"))
    assert done.status == 1
    assert done.err.startswith("balanx: --http 192.0.2.1:8000: ")
    assert done.err.count("\n") == 1


# ---- wrong usage: status 2 -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        ("nonsense", "nonsense"),
        ("--nonsense", "--nonsense"),
        ("rules nonsense", "nonsense"),
        ("rules moves extra", "extra"),
        ("rules perft", "DEPTH"),
        ("rules perft x", "x"),
        ("rules perft -1", "-1"),
        ("rules perft 1.5", "1.5"),
        ("rules moves --game chess", "chess"),
        ("rules moves --position -h --game", "--game"),
        ("rules check", "FILE"),
        ("rules check a b", "b"),
        ("layout show", "NAME|FILE"),
        ("layout paint classic", "paint"),
        ("bench --only nonsense", "nonsense"),
        ("replay", "FOLDER"),
        ("play extra", "extra"),
        ("play --white nobody", "nobody"),
        ("play --white engine:9", "engine:9"),
        ("play --black engine:", "engine:"),
        ("play --seed -1", "-1"),
        ("play --seed x", "x"),
        ("play --http nonsense", "nonsense"),
        ("play --http :80", ":80"),
        ("play --http 127.0.0.1:99999", "99999"),
        ("play --speed 0", "0"),
        ("play --speed nan", "--speed"),
        ("play --max-turns 0", "0"),
        ("play --headless", "--headless needs machines at all seats"),
        ("play --headless --white random --black human", "--headless needs machines at all seats"),
        ("play --pty", "--pty is for --headless"),
        ("play --state /etc/hostname", "/etc/hostname"),
    ],
)
def test_wrong_usage_is_status_2_and_says_what(run, arguments: str, names: str) -> None:
    done = run(*arguments.split())
    assert done.status == 2
    assert done.out == ""
    error = done.err.splitlines()[-1]
    assert error.startswith("Error: ")
    assert names in error


def test_a_real_board_is_not_for_headless_nor_for_another_speed(run, tmp_path: Path) -> None:
    board = board_file(tmp_path, "/dev/null")
    for more in (("--headless", "--white", "random", "--black", "random"), ("--speed", "2")):
        assert run("play", "--board", board, *more).status == 2


# ---- the process itself --------------------------------------------------------------------------------------


def balanx(*arguments: str, **how) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, "-m", "balanxd", *arguments], check=False, timeout=60, **how)


def test_a_reader_that_has_enough_is_no_error() -> None:
    done = subprocess.run(
        f"{sys.executable} -m balanxd rules perft 3 --divide | head -n 1; exit ${{PIPESTATUS[0]}}",
        shell=True,
        executable="/bin/bash",
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.stderr == b""
    assert done.returncode == 0


def test_output_that_cannot_be_written_is_one_line() -> None:
    with open("/dev/full", "wb") as full:
        done = balanx("rules", "moves", stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 1
    assert b"No space left on device" in done.stderr
    assert done.stderr.count(b"\n") == 1


def test_standard_output_is_the_record_and_nothing_else() -> None:
    done = balanx(
        *[
            "play",
            "--headless",
            "--white",
            "random",
            "--black",
            "random",
            "--seed",
            "5",
            "--max-turns",
            "4",
            "-v",
        ],
        capture_output=True,
    )
    assert done.returncode == 0
    assert done.stdout.startswith(b'[Date "????.??.??"]\n')
    assert b"[Event" not in done.stdout
    assert done.stdout.rstrip().endswith(b"{turn limit} *")
    assert b"TurnTaken" in done.stderr
    checked = balanx("rules", "check", "-", input=done.stdout, capture_output=True)
    assert (checked.returncode, checked.stdout, checked.stderr) == (0, b"*\n", b"")


def test_no_traceback_for_a_folder_that_vanishes(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    leave = "import os; os.rmdir(os.getcwd())"
    done = subprocess.run(
        [sys.executable, "-c", f"{leave}; from balanxd.__main__ import main; main()", "rules", "check", "x"],
        cwd=gone,
        env={**os.environ, "PYTHONPATH": str(Path(command_line.__file__).parents[1])},
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.count(b"\n") == 1
