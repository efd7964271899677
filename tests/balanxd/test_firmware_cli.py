"""`balanx firmware`: which port, which board, which image; avrdude as a fake in each of its moods, and the real one."""

import contextlib
import json
import os
import re
import shutil
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from boot_loader import BootLoader, serving

from balanxd.__main__ import balanx
from balanxd.errors import BalanxError
from balanxd.flashing.avrdude import read_signature, write
from balanxd.flashing.images import INDEX, RENEW, build, images_in, shipped, sources
from balanxd.flashing.ports import find_ports
from balanxd.flashing.surroundings import Ran, Surroundings, hold_port, real_surroundings, run_process
from firmware_bridge.codec import Decoder, encode
from firmware_bridge.errors import BridgeError, PortBusy, PortMissing
from firmware_bridge.messages import HOST_TO_BOARD, MAJOR, MINOR, GetHello, Hello
from firmware_bridge.transport import PseudoPort, SerialTransport

SHIPPED = shipped()
CLASSIC = next(image for image in SHIPPED if image.kind == "classic")
OLD = 0x01020304
FAKE = """#!/bin/sh
# Plays avrdude: notes its arguments, answers by the file `mood`.
cd "$(dirname "$0")"
echo "$@" >> log
mood=$(cat mood)
case "$*" in
*signature:r*)
  case "$mood:$*" in
  silent:*|late:*115200*) echo "avrdude: stk500_getsync() attempt 10 of 10: not in sync: resp=0x00" >&2; exit 1 ;;
  denied:*) echo "avrdude: ser_open(): can't open device: Permission denied" >&2; exit 1 ;;
  mega:*) echo 0x1e,0x98,0x1 ;;
  pb:*) echo 0x1e,0x95,0x16 ;;
  *) echo 0x1e,0x95,0xf ;;
  esac ;;
*flash:w*)
  case "$mood" in
  mismatch) echo "avrdude: verification error, first mismatch at byte 0x0064" >&2; exit 1 ;;
  dies) echo "avrdude: stk500_loadaddr(): programmer is not responding" >&2; exit 1 ;;
  *) touch written; echo "avrdude: 9414 bytes of flash verified" >&2 ;;
  esac ;;
esac
"""


def hello(**changes: object) -> Hello:
    """What the board at the port says of itself."""
    known = Hello(
        major=MAJOR,
        minor=MINOR,
        build_id=OLD,
        cells=56,
        bits=1,
        reader_hz=1000,
        reset_cause=2,
        boot=7,
        session=0,
        features=7,
        firmware=(1, 0, 0),
        product="Balanx",
        board_kind="classic",
        unique_id=b"\x01\x02",
    )
    return replace(known, **changes)  # type: ignore[arg-type]


@dataclass
class World:
    """A computer of the test's own: /dev, /sys, /proc, a board on ttyUSB0, and the fake avrdude."""

    root: Path
    board: Hello | None = field(default_factory=hello)
    after: Hello | None = None
    """The board once avrdude has written; None: the same with the build id of the shipped image."""
    opened: list[str] = field(default_factory=list)
    now_s: float = 0.0
    installed: bool = True

    def __post_init__(self) -> None:
        for name in ("dev", "sys", "proc", "tool"):
            (self.root / name).mkdir()
        tool = self.root / "tool" / "avrdude"
        tool.write_text(FAKE)
        tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
        self.mood("well")
        self.plug("ttyUSB0", "1a86", "7523", "USB Serial")
        self.link("ttyUSB0")

    def mood(self, name: str) -> None:
        (self.root / "tool" / "mood").write_text(name)

    def plug(self, name: str, vendor: str, product: str, words: str) -> str:
        (self.root / "dev" / name).touch()
        usb = self.root / "sys" / "devices" / "usb1" / name
        (usb / "1-1:1.0" / name).mkdir(parents=True)
        for part, text in (("idVendor", vendor), ("idProduct", product), ("product", words)):
            (usb / part).write_text(text + "\n")
        tty = self.root / "sys" / "class" / "tty" / name
        tty.mkdir(parents=True)
        (tty / "device").symlink_to(usb / "1-1:1.0" / name)
        return str(self.root / "dev" / name)

    def link(self, name: str) -> None:
        (self.root / "dev" / "balanx").symlink_to(name)

    def unlink(self) -> None:
        (self.root / "dev" / "balanx").unlink()

    def occupy(self, device: str, number: int, program: str) -> None:
        """Another process has the port open."""
        folder = self.root / "proc" / str(number)
        (folder / "fd").mkdir(parents=True)
        (folder / "comm").write_text(program + "\n")
        (folder / "fd" / "5").symlink_to(Path(device).resolve())

    @property
    def log(self) -> list[str]:
        """The arguments of each run of avrdude."""
        log = self.root / "tool" / "log"
        return log.read_text().splitlines() if log.exists() else []

    @property
    def writes(self) -> list[str]:
        return [line for line in self.log if "flash:w" in line]

    def around(self) -> Surroundings:
        return Surroundings(
            open_port=self._open,
            hold=lambda port: contextlib.nullcontext(),
            run=self._run,
            now_s=lambda: self.now_s,
            pause=self._pause,
            session=99,
            dev=self.root / "dev",
            sys=self.root / "sys",
            proc=self.root / "proc",
        )

    def _pause(self, s: float) -> None:
        self.now_s += s

    def _run(self, command: Sequence[str], limit_s: float) -> Ran:
        folder = self.root / "tool" if self.installed else self.root
        return run_process([str(folder / command[0]), *command[1:]], limit_s)

    def _open(self, port: str) -> "Board":
        self.opened.append(Path(port).name)
        board = self.board
        if (self.root / "tool" / "written").exists():
            board = self.after or replace(board or hello(), build_id=CLASSIC.build_id)
        return Board(port, board)


class Board:
    """An open port with a board behind it, or nothing: boot noise, a hello that nobody asked for, then answers."""

    def __init__(self, port: str, says: Hello | None) -> None:
        self.port = port
        self._says = says
        self._decoder = Decoder(HOST_TO_BOARD)
        unasked = b"" if says is None else encode(replace(says, session=0, build_id=0xBAD))
        self._waiting = b"\x5a\x13noise\0" + unasked if says else b""

    def read(self) -> bytes:
        data, self._waiting = self._waiting, b""
        return data

    def write(self, data: bytes) -> None:
        for message in self._decoder.feed(data):
            if isinstance(message, GetHello) and self._says:
                self._waiting += b"\0" + encode(replace(self._says, session=message.session))

    def close(self) -> None:
        self._says = None

    def fileno(self) -> int | None:
        return None


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


@pytest.fixture
def run(world: World, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """`balanx firmware ...` in that world: what it prints, or raises what `main` tells in one line."""

    def runs(*arguments: str) -> str:
        balanx(["firmware", *arguments], standalone_mode=False, obj=world.around())
        return capsys.readouterr().out

    return runs


# ---- flashing a board that answers ---------------------------------------------------------------------------


def test_a_board_of_ours_is_written_verified_and_proves_its_image(
    world: World, run: Callable[..., str]
) -> None:
    told = run("flash")
    port = str(world.root / "dev" / "balanx")
    assert world.log == [
        f"-q -q -c arduino -p m328p -P {port} -b 115200 -n -F -U signature:r:-:h",
        f"-q -c arduino -p m328p -P {port} -b 115200 -D -U flash:w:{CLASSIC.path}:i",
    ]
    assert f"build 0x{CLASSIC.build_id:08x}" in told.splitlines()[-1]
    assert world.opened == ["balanx", "balanx"]  # who is it, and what runs now


@pytest.mark.parametrize(("cells", "arguments"), [(64, ()), (56, ("--cells", "64"))])
def test_a_board_with_buttons_on_its_chain_gets_the_image_with_their_inputs(
    world: World, run: Callable[..., str], cells: int, arguments: tuple[str, ...]
) -> None:
    image = next(image for image in SHIPPED if (image.kind, image.cells) == ("classic", 64))
    world.board = hello(cells=cells)
    world.after = hello(cells=64, build_id=image.build_id)
    run("flash", *arguments)
    assert world.writes[0].endswith(f"flash:w:{image.path}:i")


def test_an_older_boot_loader_is_found_at_its_rate(world: World, run: Callable[..., str]) -> None:
    world.mood("late")
    told = run("flash")
    assert "No boot loader answers at 115200 baud." in told
    assert [line.split(" -b ")[1].split()[0] for line in world.log] == ["115200", "57600", "57600"]


def test_the_newer_chip_is_written_as_what_it_is(world: World, run: Callable[..., str]) -> None:
    world.mood("pb")
    assert "ATmega328PB" in run("flash")
    assert "-p m328pb" in world.writes[0]


def test_a_board_that_runs_the_image_is_left_alone_unless_wanted(
    world: World, run: Callable[..., str]
) -> None:
    world.board = hello(build_id=CLASSIC.build_id)
    assert "nothing was written" in run("flash")
    assert world.log == []
    run("flash", "--again")
    assert len(world.writes) == 1


def test_a_board_of_another_protocol_can_be_brought_up_to_date(world: World, run: Callable[..., str]) -> None:
    world.board = hello(major=MAJOR + 3)
    world.after = hello(build_id=CLASSIC.build_id)
    run("flash")
    assert len(world.writes) == 1


REFUSED = [
    ("mega", "1E 98 01, an ATmega2560; .* Nothing was written"),
    ("silent", "neither at 115200 nor at 57600 baud"),
    ("denied", "cannot open it: .*Permission denied"),
    ("mismatch", "does not read back .*0x0064"),
    ("dies", "writing failed .*not responding"),
]


@pytest.mark.parametrize(("mood", "sentence"), REFUSED)
def test_each_failure_of_avrdude_is_one_sentence(
    world: World, run: Callable[..., str], mood: str, sentence: str
) -> None:
    world.mood(mood)
    with pytest.raises(BalanxError, match=sentence):
        run("flash")
    assert world.writes == [] if mood in ("mega", "silent", "denied") else len(world.writes) == 1


def test_where_avrdude_is_absent_its_package_is_named(world: World, run: Callable[..., str]) -> None:
    world.installed = False
    with pytest.raises(BalanxError, match="apt-get install avrdude"):
        run("flash")


def test_an_image_that_does_not_run_is_noticed(world: World, run: Callable[..., str]) -> None:
    world.after = hello(build_id=OLD)
    with pytest.raises(BalanxError, match=f"runs build 0x{OLD:08x}, not 0x{CLASSIC.build_id:08x}"):
        run("flash")


@pytest.mark.parametrize(
    ("board", "arguments", "sentence"),
    [
        (None, (), "nothing there answers as a Balanx board.*--first --port"),
        (hello(product="Marlin"), (), "'Marlin' board, not Balanx"),
        (hello(board_kind="banks 8x8"), (), "no image for a board of kind 'banks 8x8'"),
        (hello(), ("--kind", "wide"), "kind 'classic', not 'wide'"),
        (hello(cells=128), (), "'classic' with 128 inputs .*--cells 128"),
        (hello(), ("--cells", "40"), "'classic' with 40 inputs"),
    ],
)
def test_a_foreign_board_is_refused_before_avrdude_runs(
    world: World, run: Callable[..., str], board: Hello | None, arguments: tuple[str, ...], sentence: str
) -> None:
    world.board = board
    with pytest.raises(BalanxError, match=sentence):
        run("flash", *arguments)
    assert world.log == []


# ---- which port ----------------------------------------------------------------------------------------------


def test_a_port_that_another_program_has_open_is_refused_by_name(
    world: World, run: Callable[..., str]
) -> None:
    world.occupy(str(world.root / "dev" / "ttyUSB0"), 812, "balanx")
    with pytest.raises(PortBusy, match=r"in use by balanx \(process 812\).*systemctl stop balanxd"):
        run("flash")
    assert (world.opened, world.log) == ([], [])
    assert "in use by balanx (process 812)" in run("list")


def test_a_strange_port_is_opened_only_after_a_yes(world: World, run: Callable[..., str]) -> None:
    printer = world.plug("ttyACM0", "1d50", "6029", "Marlin USB Device")
    with pytest.raises(BalanxError, match=r"Marlin USB Device.* 3D printer.*Say so with --yes"):
        run("flash", "--port", printer)
    assert (world.opened, world.log) == ([], [])
    run("flash", "--port", printer, "--yes")
    assert world.opened[0] == "ttyACM0"


def test_the_port_of_the_board_file_needs_no_yes(
    world: World, run: Callable[..., str], tmp_path: Path
) -> None:
    world.unlink()
    file = tmp_path / "board.toml"
    file.write_text(f'[link]\nport = "{world.root}/dev/ttyUSB0"\n')
    run("flash", "--board", str(file))
    assert world.opened[0] == "ttyUSB0"


def test_a_board_without_a_controller_is_not_flashed(run: Callable[..., str], tmp_path: Path) -> None:
    file = tmp_path / "board.toml"
    file.write_text("")
    with pytest.raises(BalanxError, match="has no controller to flash"):
        run("flash", "--board", str(file))


def test_without_our_link_the_ports_are_named(world: World, run: Callable[..., str]) -> None:
    world.unlink()
    with pytest.raises(BalanxError, match=r"no Balanx board is plugged in .*ttyUSB0.*--port"):
        run("flash")
    with pytest.raises(PortMissing, match="no such port"):
        run("flash", "--port", str(world.root / "dev" / "ttyUSB9"), "--yes")


def test_two_boards_of_ours_need_a_choice(world: World, run: Callable[..., str]) -> None:
    world.plug("ttyUSB1", "1a86", "7523", "USB Serial")
    (world.root / "dev" / "balanx-2").symlink_to("ttyUSB1")
    with pytest.raises(BalanxError, match="several boards"):
        run("flash")
    run("flash", "--port", str(world.root / "dev" / "balanx-2"))
    assert world.opened[0] == "balanx-2"


def test_a_new_chip_is_flashed_first_by_port_alone(world: World, run: Callable[..., str]) -> None:
    world.unlink()
    world.board = None
    port = str(world.root / "dev" / "ttyUSB0")
    told = run("flash", "--first", "--port", port, "--yes")
    assert "signature" in world.log[0]  # read before anything is written
    assert len(world.writes) == 1
    assert f"build 0x{CLASSIC.build_id:08x}" in told


def test_first_without_a_port_is_wrong_usage(run: Callable[..., str]) -> None:
    with pytest.raises(Exception, match="--first needs --port"):
        run("flash", "--first")


def test_a_dry_run_prints_the_commands_and_opens_nothing(world: World, run: Callable[..., str]) -> None:
    told = run("flash", "--first", "--port", "/dev/ttyUSB7", "--dry-run").splitlines()
    assert [("signature:r" in line, line.split(" -b ")[1].split()[0]) for line in told] == [
        (True, "115200"),
        (False, "115200"),
        (True, "57600"),
        (False, "57600"),
    ]
    assert all(line.startswith("avrdude ") and " -P /dev/ttyUSB7 " in line for line in told)
    assert (world.opened, world.log) == ([], [])


def test_the_list_asks_our_boards_and_leaves_others_closed(world: World, run: Callable[..., str]) -> None:
    world.plug("ttyACM0", "2341", "0043", "Arduino Uno")
    ours, other = run("list").splitlines()
    assert "balanx" in ours
    assert f"Balanx classic, 56 inputs of 1 bit, firmware 1.0.0 build 0x{OLD:08x}" in ours
    assert "2341:0043 Arduino Uno: not asked" in other
    assert world.opened == ["balanx"]
    world.board = None
    assert "silent: no Balanx firmware" in run("list")


def test_the_version_of_what_is_shipped_and_of_the_board(world: World, run: Callable[..., str]) -> None:
    told = run("version")
    assert f"shipped: classic, 56 inputs, build 0x{CLASSIC.build_id:08x}" in told
    assert "The board runs another image" in told
    world.board = hello(build_id=CLASSIC.build_id)
    assert "The board runs the shipped image." in run("version")
    world.unlink()
    assert "none is plugged in" in run("version")


def test_ports_are_found_in_the_tree_that_is_given(world: World) -> None:
    (port,) = find_ports(world.around())
    assert (Path(port.name).name, Path(port.device).name, port.ours) == ("balanx", "ttyUSB0", True)
    assert port.usb == "1a86:7523 USB Serial"


# ---- real ports, real avrdude --------------------------------------------------------------------------------


def test_a_port_that_is_held_is_refused_to_the_daemon_and_the_other_way_round() -> None:
    port = PseudoPort()
    try:
        with hold_port(port.port), pytest.raises(PortBusy):
            SerialTransport(port.port)
        daemon = SerialTransport(port.port)
        with pytest.raises(PortBusy), hold_port(port.port):
            pass
        daemon.close()
    finally:
        port.close()


class Answering:
    """A board on a real pseudo-terminal: says hello when asked."""

    def __init__(self) -> None:
        self._decoder = Decoder(HOST_TO_BOARD)

    def feed(self, waiting: bytearray) -> bytes:
        asked = self._decoder.feed(bytes(waiting))
        waiting.clear()
        return b"".join(
            encode(replace(hello(), session=one.session)) for one in asked if isinstance(one, GetHello)
        )


def test_the_version_of_a_board_on_a_real_port(capsys: pytest.CaptureFixture[str]) -> None:
    with serving(Answering()) as port:
        balanx(["firmware", "version", "--port", port, "--yes"], standalone_mode=False)
        assert f"board: {port}: Balanx classic" in capsys.readouterr().out
        with hold_port(port), pytest.raises(PortBusy, match="another program"):
            balanx(["firmware", "version", "--port", port, "--yes"], standalone_mode=False)


def test_what_is_no_port_cannot_be_held(tmp_path: Path) -> None:
    with pytest.raises(BridgeError), hold_port(str(tmp_path / "none")):
        pass


def test_a_program_that_hangs_is_ended() -> None:
    assert run_process(["sleep", "60"], 0.05).status == -1


def tools(*names: str) -> None:
    """Nothing to test without them, which is no excuse in CI."""
    missing = [name for name in names if shutil.which(name) is None]
    if missing:
        told = f"no {', '.join(missing)} here; scripts/needs installs what the tests need"
        if os.environ.get("CI"):
            pytest.fail(told)
        pytest.skip(told)


@pytest.fixture
def boot_loader() -> Iterator[tuple[BootLoader, str]]:
    tools("avrdude")
    loader = BootLoader()
    with serving(loader) as port:
        yield loader, port


def test_the_real_avrdude_writes_the_image_over_a_boot_loader(boot_loader: tuple[BootLoader, str]) -> None:
    loader, port = boot_loader
    around = real_surroundings()
    with hold_port(port):  # as `flash` does: avrdude works beside us
        chip = read_signature(around, port, lambda text: None)
        assert (chip.name, chip.baud) == ("ATmega328P", 115_200)
        assert loader.flash == b"\xff" * 32768
        write(around, port, chip, CLASSIC.path)
    assert bytes(loader.flash).startswith(hex_bytes(CLASSIC.path))


def test_the_real_avrdude_tells_another_chips_signature(boot_loader: tuple[BootLoader, str]) -> None:
    loader, port = boot_loader
    loader.signature = bytes((0x1E, 0x98, 0x01))
    with pytest.raises(BalanxError, match="ATmega2560"):
        read_signature(real_surroundings(), port, lambda text: None)


def hex_bytes(path: Path) -> bytes:
    """The data of an Intel HEX file that begins at 0 and has no gaps."""
    data = b""
    for line in path.read_text().splitlines():
        record = bytes.fromhex(line[1:])
        if record[3] == 0:
            assert int.from_bytes(record[1:3], "big") == len(data)
            data += record[4:-1]
    return data


# ---- images --------------------------------------------------------------------------------------------------


def test_the_shipped_images_are_what_the_sources_give(tmp_path: Path) -> None:
    tools("avr-gcc", "make")
    index = json.loads((sources() / "prebuilt" / INDEX).read_text())
    compiler = "avr-gcc " + run_process(["avr-gcc", "-dumpversion"], 10).out.strip()
    if compiler != index["compiler"] and not os.environ.get("CI"):
        pytest.skip(f"the images were made with {index['compiler']}, here is {compiler}")
    for image in SHIPPED:
        made = build(real_surroundings(), tmp_path, image.kind, image.cells)
        assert (made.build_id, made.protocol) == (image.build_id, image.protocol), f"run: {RENEW}"
        assert made.path.read_bytes() == image.path.read_bytes(), f"run: {RENEW}"


def test_no_image_lies_there_that_the_index_does_not_name() -> None:
    assert {path.name for path in (sources() / "prebuilt").glob("*.hex")} == {
        image.path.name for image in SHIPPED
    }


def test_boards_of_our_layouts_have_an_image() -> None:
    assert {(image.kind, image.cells) for image in SHIPPED} >= {
        (kind, cells) for kind in ("classic", "wide") for cells in (56, 64)
    }
    assert all(image.protocol == f"{MAJOR}.{MINOR}" for image in SHIPPED), f"run: {RENEW}"


def test_an_own_build_is_flashed_by_its_folder(world: World, run: Callable[..., str], tmp_path: Path) -> None:
    tools("avr-gcc", "make")
    out = tmp_path / "made here"
    balanx(
        ["firmware", "build", "--out", str(out), "--kind", "my own", "--cells", "24"],
        standalone_mode=False,
        obj=real_surroundings(),
    )
    (image,) = images_in(out)
    assert (image.kind, image.cells, image.path.name) == ("my own", 24, "my-own-24.hex")
    world.board = hello(board_kind="my own", cells=24)
    world.after = replace(world.board, build_id=image.build_id)
    run("flash", "--from", str(out))
    assert world.writes[0].endswith(f"flash:w:{image.path}:i")


def test_a_build_without_a_compiler_says_what_to_install(
    world: World, run: Callable[..., str], tmp_path: Path
) -> None:
    world.installed = False
    with pytest.raises(BalanxError, match="apt-get install make gcc-avr"):
        run("build", "--out", str(tmp_path / "out"))


@pytest.mark.parametrize("kind", ["", 'a"b', "$(touch x)", "x" * 40])
def test_a_kind_that_is_no_name_is_refused(run: Callable[..., str], tmp_path: Path, kind: str) -> None:
    with pytest.raises(BalanxError, match="--kind"):
        run("build", "--out", str(tmp_path / "out"), "--kind", kind)


@pytest.mark.parametrize(
    ("index", "sentence"),
    [
        (None, "no images here"),
        ("{", "cannot be read"),
        ("[]", "cannot be read"),
        ('{"protocol": "1.0", "images": [{"file": "../x"}]}', "cannot be read"),
        (
            (
                '{"protocol": "1.0", "images": [{"file": "x.hex", "kind": "a", '
                '"cells": 1, "build_id": "0x1", "sha256": ""}]}'
            ),
            "x.hex: No such file",
        ),
    ],
)
def test_a_folder_of_images_that_is_damaged_is_refused(
    run: Callable[..., str], tmp_path: Path, index: str | None, sentence: str
) -> None:
    folder = tmp_path / "images"
    folder.mkdir()
    if index is not None:
        (folder / INDEX).write_text(index)
    with pytest.raises(BalanxError, match=sentence):
        run("flash", "--from", str(folder))


def test_an_image_that_was_changed_is_not_flashed(run: Callable[..., str], tmp_path: Path) -> None:
    folder = tmp_path / "images"
    shutil.copytree(sources() / "prebuilt", folder)
    text = (folder / CLASSIC.path.name).read_text()
    (folder / CLASSIC.path.name).write_text(re.sub(r"\A(.{20}).", r"\g<1>0", text))
    with pytest.raises(BalanxError, match="SHA-256 differs"):
        run("flash", "--from", str(folder))
