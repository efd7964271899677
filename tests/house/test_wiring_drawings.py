"""The wiring in docs/ is what the project draws, with the pins of the firmware and the order of its chain."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from balanxd.__main__ import balanx
from balanxd.config import load_layout, parse_board
from balanxd.drawings.chain import INPUT_LETTERS, PACKAGE_PINS, PINS, inputs_of, table_text
from balanxd.drawings.plan import plan_svg
from hardware.wiring import Wiring

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = ROOT / "docs" / "wiring"
CHIP = (ROOT / "firmware_bridge/firmware/avr/chip.h").read_text()
RENEW = "balanx layout wiring classic --svg docs/wiring && balanx layout wiring wide --svg docs/wiring"


def test_the_shipped_drawings_are_what_the_project_draws(tmp_path: Path) -> None:
    for name in ("classic", "wide"):
        balanx(["layout", "wiring", name, "--svg", str(tmp_path)], standalone_mode=False)
    drawn = {path.name: path.read_text() for path in tmp_path.iterdir()}
    there = {path.name: path.read_text() for path in SHIPPED.iterdir()}
    assert drawn.keys() == there.keys()
    for name, text in drawn.items():
        assert text == there[name], f"{name} is old, run: {RENEW}"


@pytest.mark.parametrize("file", sorted(SHIPPED.glob("*.svg")), ids=lambda path: path.stem)
def test_a_drawing_is_whole_narrow_and_knows_light_and_dark(file: Path) -> None:
    root = ElementTree.fromstring(file.read_text())
    width, height = map(float, root.attrib["viewBox"].split()[2:])
    assert width <= 520  # words of 12 stay readable on a telephone
    assert "prefers-color-scheme:dark" in file.read_text()
    for text in root.iter("{http://www.w3.org/2000/svg}text"):
        x, y, words = float(text.attrib["x"]), float(text.attrib["y"]), text.text or ""
        room = {"start": width - x, "end": x, "middle": 2 * min(x, width - x)}[
            text.get("text-anchor", "start")
        ]
        kind = text.get("class", "")
        size = 17 if "title" in kind else 10 if "tiny" in kind else 12 if "small" in kind else 14
        assert len(words) * size * 0.5 <= room, f"{words!r} leaves the drawing"
        assert 0 < y < height


def test_the_pins_are_those_of_the_firmware() -> None:
    comment = CHIP.partition("/*\n")[2].partition("*/")[0]
    assert set(re.findall(r"\bP[BCD]\d\b", comment)) == {pin.port for pin in PINS.values()}
    bits = {name: int(bit) for name, bit in re.findall(r"#define (\w+)_PIN (\d)", CHIP)}
    assert bits == {"LOAD": 4, "CLOCK": 5, "DATA": 6, "LIGHT": 7, "END": 2}
    ours = {"LOAD": "load", "CLOCK": "clock", "DATA": "data", "LIGHT": "lights"}
    assert all(PINS[name].port == f"PD{bits[define]}" for define, name in ours.items())
    assert PINS["chain_end"].port == f"PC{bits['END']}"
    servo = (ROOT / "firmware_bridge/firmware/avr/servo.c").read_text()
    assert re.findall(r"DDRB \|= _BV\((\d)\)", servo) == [PINS["servo"].port[-1]]
    assert PINS["servo"].use in comment


def test_the_names_on_the_board_are_those_of_the_ports() -> None:
    for pin in PINS.values():
        base = {"PD": 0, "PB": 8, "PC": 0}[pin.port[:2]]
        letter = "A" if pin.port.startswith("PC") else "D"
        assert pin.board == f"{letter}{base + int(pin.port[-1])}"


def test_every_pin_is_drawn() -> None:
    words = " ".join(path.read_text() for path in SHIPPED.glob("*.svg"))
    for name, pin in PINS.items():
        if name not in ("receive", "send"):  # the USB cable
            assert f"{pin.port} · {pin.board}" in words


def test_inputs_leave_a_chip_from_h_to_a() -> None:
    """The firmware takes the level at QH before the first clock as input 0: that is H."""
    layout = load_layout("classic")
    chain = inputs_of(layout, Wiring.straight(56))
    assert [(one.number, one.chip, one.letter, one.leg, one.space) for one in chain[:2] + chain[7:9]] == [
        (0, 1, "H", 6, "a1"),
        (1, 1, "G", 5, "b1"),
        (7, 1, "A", 11, "a2"),
        (8, 2, "H", 6, "b2"),
    ]
    assert sorted(PACKAGE_PINS[letter] for letter in INPUT_LETTERS) == [3, 4, 5, 6, 11, 12, 13, 14]
    assert chain[-1].space == "g8"


def test_a_wiring_of_ones_own_is_drawn_as_the_board_file_says() -> None:
    layout = load_layout("wide")
    names = [*reversed(layout.cell_names), "-"]
    board = parse_board(f'[board]\nlayout = "wide"\nwiring = {names!r}\n'.replace("'", '"'), "test")
    chain = inputs_of(layout, board.wiring)
    assert (chain[0].space, chain[55].space) == ("h7", "a1")
    assert {item.space for item in chain[56:]} == {None}
    assert len(chain) == 64  # the eighth chip's seven other inputs are unused as well
    assert plan_svg(layout, board.wiring) != plan_svg(layout, Wiring.straight(56))
    assert "   8  -" in table_text(layout, board.wiring)


def test_the_table_names_each_space_once(capsys: pytest.CaptureFixture[str]) -> None:
    balanx(["layout", "wiring", "classic"], standalone_mode=False)
    told = capsys.readouterr().out
    for name in load_layout("classic").cell_names:
        assert len(re.findall(rf"\b{name}\b", told)) == 1
    assert "PD4  D4  SH/LD" in told


def test_buttons_on_the_chain_are_in_its_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "board.toml"
    path.write_text("[buttons]\nnext = 56\nyes = 57\nstop = 66\n")
    balanx(["layout", "wiring", "classic", "--board", str(path)], standalone_mode=False)
    told = capsys.readouterr().out
    assert re.search(r"^ +8  NEXT +YES +- ", told, re.MULTILINE)
    assert re.search(r"^ +9  - +- +STOP +- ", told, re.MULTILINE)
