"""Outside: what a daemon reaches for beside its folder and its board; real ones as defaults, tests bring their own."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field

from .clock import Wall, wall_clock
from .evening import Power
from .notify import Notifier


@dataclass(frozen=True, slots=True)
class Outside:
    """The wall's clock, the service manager, chance that nobody can guess (so many bytes), this computer's switch."""

    wall: Wall = wall_clock
    notify: Notifier = field(default_factory=lambda: Notifier({}, 0))
    chance: Callable[[int], bytes] = secrets.token_bytes
    power: Power = field(default_factory=Power)
