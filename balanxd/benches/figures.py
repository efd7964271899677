"""Figures: measured values in; a table for people or rows for JSON out."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured value. value: None where this machine cannot measure it; target: None where there is none.

    bound: whether the target is the least or the most that is good.
    """

    name: str
    what: str
    value: float | None
    unit: str
    target: float | None = None
    bound: Literal["min", "max"] = "max"
    note: str = ""

    @property
    def verdict(self) -> str:
        """`ok`, `miss`, `not measured`, or nothing where there is no target."""
        if self.value is None:
            return "not measured"
        if self.target is None:
            return ""
        good = self.value >= self.target if self.bound == "min" else self.value <= self.target
        return "ok" if good else "miss"

    def row(self) -> dict[str, object]:
        """For JSON."""
        return {
            "name": self.name,
            "what": self.what,
            "value": self.value,
            "unit": self.unit,
            "target": self.target,
            "bound": self.bound if self.target is not None else None,
            "verdict": self.verdict,
            "note": self.note,
        }


def quantile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least `share` of all are not above. values: not empty."""
    ranked = sorted(values)
    return ranked[max(0, -int(-share * len(ranked) // 1) - 1)]


def machine() -> dict[str, object]:
    """What was measured on."""
    model = platform.processor() or platform.machine()
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith(("model name", "Model")):
                model = line.partition(":")[2].strip()
                break
    except OSError:
        pass
    return {
        "cpu": model,
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()}",
    }


def table_text(figures: Sequence[Figure]) -> str:
    """A table for people, the machine first."""
    here = machine()
    lines = [f"{here['cpu']}, {here['cores']} cores, Python {here['python']}, {here['system']}"]
    for figure in figures:
        value = "-" if figure.value is None else f"{figure.value:.4g}"
        target = ""
        if figure.target is not None:
            target = f"{'at least' if figure.bound == 'min' else 'at most'} {figure.target:g}"
        lines.append(
            f"{figure.name:<24}{value:>8} {figure.unit:<17}{target:<14}{figure.verdict:<13}{figure.what}"
            + (f" ({figure.note})" if figure.note else "")
        )
    return "\n".join(lines)
