"""The text of a board file that is refused in; what is said of it out."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from balanxd.config import BoardConfig, parse_board
from balanxd.errors import BalanxError

FILE = "my/board.toml"


def complaint(text: str, then: Callable[[BoardConfig], object] = lambda board: None) -> str:
    """The one line, without the file that it begins with. then: who reads the board after its file was read."""
    with pytest.raises(BalanxError) as refused:
        then(parse_board(text, FILE))
    message = str(refused.value)
    assert message.startswith(f"{FILE}: ")
    assert "\n" not in message
    return message.removeprefix(f"{FILE}: ")
