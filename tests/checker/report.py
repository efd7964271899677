"""What a comparison found."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Report:
    """What was compared, so that nothing passes by comparing nothing, and what is wrong.

    exact: positions seen space by space; early: positions that were only seen before the board had tilted, or before
    the next player lifted; twins: turns whose move names the other space of the marble's groove (its twin in the
    picture).
    """

    turns: int = 0
    exact: int = 0
    early: int = 0
    twins: int = 0
    wrong: list[str] = field(default_factory=list)
