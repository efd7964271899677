"""What the live runner needs of a simulated board beside it: its port, its hands, its marbles."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from firmware_bridge.transport import Transport
from referee.events import Announced

from .config import BoardConfig
from .devices import Devices
from .games import AnyLine
from .trace import Trace
from .web.actions import Action


class World(Protocol):
    """A table made of numbers on the far end of a pseudo-terminal. Times are the runner's host seconds."""

    @property
    def port(self) -> str:
        """The name under which a host opens the board."""

    @property
    def end(self) -> Transport:
        """The board's end of the line."""

    def devices(self) -> Devices:
        """The mock pins and fake buses that the board's back ends find, with its marbles behind them."""

    def step(self, now_s: float) -> None:
        """Live until `now_s` and send the board's bytes."""

    def listen(self) -> None:
        """Take the host's bytes, at the time of the last step."""

    def due_s(self) -> float:
        """When `step` wants to be called next."""

    @property
    def remembers(self) -> bool:
        """Whether the marbles lie as they were left; else they lie at the start."""

    def lay(self, line: AnyLine) -> None:
        """Somebody lays everything as the last position of a line has it."""

    def play_move(self, line: AnyLine, announced: Announced) -> None:
        """A hand makes a machine's move at the last position of a line."""

    def push(self, seat: int) -> None:
        """A hand pushes the board down for a machine."""

    def act(self, action: Action) -> str:
        """The virtual hand does what the page asks; empty when done, else why not."""

    def table(self) -> dict[str, object]:
        """What an eye sees: the page's table message."""

    @property
    def stirring(self) -> bool:
        """Whether something moves that an eye would follow."""

    @property
    def bearings_hold(self) -> bool:
        """Whether the original's ball bearings would hold the board."""

    def save(self) -> None:
        """Remember where the marbles lie: a board outlives its daemon."""

    def close(self) -> None:
        """Unplug."""


WorldMaker = Callable[[BoardConfig, int, Path | None, Callable[[str], None], Trace | None], World]
"""(board, seed, file of the marbles or None, say, trace) -> World."""
