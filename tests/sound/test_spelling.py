"""Spelling: moves and spaces are read out so that they are understood, in every game."""

from __future__ import annotations

import pytest

from balanxd.sound.spelling import NAMES, spoken


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Black plays a7-a4", "Black plays a7 to a4"),
        (
            "Please take the marble from a7 and put it on a4.",
            "Please take the marble from a7 and put it on a4.",
        ),
        ("Player 1 played *f8", "Player 1 played the disk on f8"),
        ("A: B4@a3r0", "A: B4 on a3"),
        ("A: B4@a3r2", "A: B4 on a3, turned by half"),
        ("Still to be filled: 14 spaces (marked).", "Still to be filled: 14 spaces."),
        ("White 13, Black 7.", "White 13, Black 7."),
    ],
)
def test_notation_is_said_in_words(text: str, said: str) -> None:
    assert spoken(text) == said


def test_files_may_be_said_as_names() -> None:
    assert spoken("Black plays b7-d10", names=True) == "Black plays Bella 7 to David 10"
    assert spoken("A: B4@a3r1", names=True) == "A: B4 on Anna 3, turned by a quarter"
    assert [name[0].lower() for name in NAMES] == list("abcdefghijklmnopqrstuvwxyz")
    assert len(set(NAMES)) == 26
