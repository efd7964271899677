"""Questions of people who have only the documents: each is answered where the list says. And build.md's own numbers."""

import re
import tomllib
from pathlib import Path

import pytest

from balanxd.__main__ import COMMANDS
from balanxd.cli.parts import PAIRS
from balanxd.drawings.chain import PINS
from balanxd.keys import Keys, dataclass_from
from firmware_bridge.messages import BAUD
from sim.parts import Parts, check

ROOT = Path(__file__).resolve().parents[2]
QUESTIONS = tomllib.loads((ROOT / "tests/house/questions.toml").read_text())["question"]
BUILD = (ROOT / "docs/build.md").read_text()


def sections(text: str) -> dict[str, str]:
    """Heading -> all up to the next heading, on one line. Fenced text has no headings."""
    found: dict[str, str] = {}
    heading, fenced = "", False
    for line in text.splitlines():
        fenced ^= line.startswith("```")
        if line.startswith("#") and not fenced:
            heading = line.lstrip("#").strip()
        found[heading] = f"{found.get(heading, '')} {line.strip()}"
    return {name: " ".join(body.split()) for name, body in found.items()}


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question["ask"])
def test_the_documents_answer(question: dict[str, str | list[str]]) -> None:
    assert question.keys() == {"ask", "file", "heading", "words"}
    found = sections((ROOT / str(question["file"])).read_text())
    heading = str(question["heading"])
    assert heading in found, f"{question['file']} has no section {heading!r}"
    for words in question["words"]:
        assert words in found[heading], f"{question['file']}, {heading}: does not say {words!r}"


def test_there_are_ten_questions_about_wiring() -> None:
    assert sum(question["file"] == "docs/build.md" for question in QUESTIONS) >= 10
    assert len({question["ask"] for question in QUESTIONS}) == len(QUESTIONS)


def test_there_are_ten_questions_about_the_start() -> None:
    assert sum(question["file"] == "docs/pi.md" for question in QUESTIONS) >= 10


@pytest.mark.parametrize("command", re.findall(r"(?<!-u )balanx ([a-z]+)", (ROOT / "docs/pi.md").read_text()))
def test_commands_of_the_guide_are_there(command: str) -> None:
    assert command in COMMANDS


@pytest.mark.parametrize("option", re.findall(r"install\.sh (--[a-z-]+)", (ROOT / "docs/pi.md").read_text()))
def test_options_of_the_installer_are_there(option: str) -> None:
    assert f"  {option}" in (ROOT / "scripts/install.sh").read_text()


def test_the_hazards_come_first() -> None:
    first = re.findall(r"^## (.+)$", BUILD, re.MULTILINE)[0]
    assert first == "Hazards first"
    for word in ("swallowed", "pinches", "stop switch", "supply of its own", "15 N", "4 mm", "25 mm"):
        assert word in sections(BUILD)[first]


@pytest.mark.parametrize("file", sorted(PAIRS.glob("*.toml")), ids=lambda path: path.stem)
def test_the_table_of_pairs_is_what_parts_check_says(file: Path) -> None:
    table = tomllib.loads(file.read_text())
    pair = dataclass_from(Keys(file.name, "", table), Parts, table)
    told = check(pair)
    pull = told.figures.get("pull / downhill force")
    cells = [
        f"`{file.stem}`: {pair.name}",
        f"{told.figures['missed orientations'][0]:.0f} %",
        f"{told.figures['one neighbour / threshold'][0]:.2f}",
        "none" if pull is None else f"{pull[0]:.2f}",
        "refused" if told.refused else "marginal" if told.marginal else "works",
    ]
    assert "| " + " | ".join(cells) + " |" in BUILD


def test_the_table_of_pins_is_the_firmwares() -> None:
    found = sections(BUILD)["Pins of the controller"]
    for name, pin in PINS.items():
        if name not in ("receive", "send"):
            assert f"| {pin.port} | {pin.board} |" in found
    assert f"{BAUD:,}".replace(",", " ") in BUILD


def test_the_servos_pulses_are_those_of_the_firmware() -> None:
    limits = (ROOT / "firmware_bridge/firmware/src/limits.h").read_text()
    number = {name: int(value) for name, value in re.findall(r"#define (\w+) (\d+)\b", limits)}
    reach = number["PULSE_US_PER_100_CDEG"] * number["ANGLE_MAX_CDEG"] // 100
    level = number["PULSE_LEVEL_US"]
    assert (
        f"{level} µs for level and {level - reach} to {level + reach} µs for full tilt"
        in sections(BUILD)["Mechanics"]
    )


def test_what_the_guide_points_to_is_there() -> None:
    # pi.md is written beside this page
    targets = set(re.findall(r"\]\(([^)#\s]+)", BUILD)) - {"pi.md"}
    assert [target for target in sorted(targets) if not (ROOT / "docs" / target).exists()] == []
    anchors = {re.sub(r"[^a-z0-9 -]", "", name.lower()).replace(" ", "-") for name in sections(BUILD)}
    assert [anchor for anchor in re.findall(r"\]\(#([^)]+)\)", BUILD) if anchor not in anchors] == []
