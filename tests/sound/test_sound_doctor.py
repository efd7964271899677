"""The doctor of a board that speaks: program, voice, sound card and group, each with the command that mends it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from balanxd.doctor.access import Needs, groups
from balanxd.doctor.findings import Finding
from balanxd.doctor.machine import Machine, Space
from balanxd.doctor.sound import speech
from balanxd.flashing.surroundings import NotInstalled, Ran
from balanxd.sound.settings import NO_SOUND, SoundConfig

SPEAKS = SoundConfig(speech=True, voice="en-gb")
CARDS = (
    " 0 [Headphones     ]: bcm2835_headpho - bcm2835 Headphones\n                      bcm2835 Headphones\n"
)


def machine(root: Path, programs: Sequence[str], cards: str = CARDS) -> Machine:
    (root / "proc/asound").mkdir(parents=True)
    (root / "proc/asound/cards").write_text(cards)
    (root / "etc").mkdir()
    (root / "etc/passwd").write_text("balanx:x:990:990::/var/lib/balanx:/bin/false\n")
    (root / "etc/group").write_text("audio:x:29:\nbalanx:x:990:\n")

    def run(command: Sequence[str], limit_s: float) -> Ran:
        line = " ".join(command)
        if not any(each.split()[0] == command[0] for each in programs):
            raise NotInstalled(f"{command[0]} is not installed here.")
        return Ran(0 if line in programs else 1, "", "")

    return Machine(
        root,
        run,
        lambda folder: Space(1, 1),
        lambda package: None,
        lambda folder: None,
        lambda: datetime(2026, 5, 1, tzinfo=UTC),
        "pi",
        (3, 13, 5),
        dict,
    )


PROGRAM, VOICE = "espeak-ng --version", "espeak-ng -q -v en-gb a"
NONE = "--- no soundcards ---\n"


@pytest.mark.parametrize(
    ("programs", "cards", "what", "mend"),
    [
        ((), CARDS, "The program espeak-ng is missing.", "sudo apt-get install -y espeak-ng"),
        ((PROGRAM,), CARDS, "There is no voice en-gb.", "espeak-ng --voices=en"),
        ((PROGRAM, VOICE), NONE, "There is no sound card.", "plug a USB loudspeaker in"),
        ((PROGRAM, VOICE), CARDS, "The voice en-gb is there, and a sound card (bcm2835 Headphones).", ""),
    ],
)
def test_a_board_that_speaks(
    tmp_path: Path, programs: Sequence[str], cards: str, what: str, mend: str
) -> None:
    (found,) = speech(machine(tmp_path, programs, cards), SPEAKS)
    assert found.what == what
    assert found.mend.startswith(mend)
    assert found.wrong == bool(mend)


def test_of_a_board_that_does_not_speak_nothing_is_asked(tmp_path: Path) -> None:
    assert list(speech(machine(tmp_path, ()), NO_SOUND)) == []


def test_the_users_group(tmp_path: Path) -> None:
    needs = Needs(user="balanx", port="", pins=False, bus=False, daemon=None, sound=True)
    found: list[Finding] = list(groups(machine(tmp_path, ()), needs))
    assert [one.mend for one in found] == [
        "sudo usermod -aG audio balanx && sudo systemctl restart balanxd",
    ]
