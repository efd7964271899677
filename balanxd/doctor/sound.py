"""Sound: what a board that speaks needs of a computer in; findings out."""

from __future__ import annotations

import re
from collections.abc import Iterator

from balanxd.sound.settings import SoundConfig

from .findings import Finding
from .machine import Machine

_CARD = re.compile(r"^\s*\d+ \[[^\]]*\]: .* - (.+)$", re.MULTILINE)


def speech(machine: Machine, sound: SoundConfig) -> Iterator[Finding]:
    """The program, its voice, and a sound card; nothing of a board that does not speak."""
    if not sound.speech:
        return
    if machine.said("espeak-ng", "--version") is None:
        why = "The board is to speak, and says nothing."
        yield Finding("speech", "The program espeak-ng is missing.", why, "sudo apt-get install -y espeak-ng")
        return
    if machine.said("espeak-ng", "-q", "-v", sound.voice, "a") is None:
        why = "The board is to speak with it, and says nothing."
        yield Finding("speech", f"There is no voice {sound.voice}.", why, "espeak-ng --voices=en")
        return
    cards = _CARD.findall(machine.text("/proc/asound/cards"))
    if cards:
        yield Finding("speech", f"The voice {sound.voice} is there, and a sound card ({cards[0].strip()}).")
    else:
        yield Finding(
            "speech",
            "There is no sound card.",
            "The board speaks, and nobody hears it.",
            "plug a USB loudspeaker in, or dtparam=audio=on in /boot/firmware/config.txt; then: sudo reboot",
        )
