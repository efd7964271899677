"""Debounce: samples of many one-bit inputs in, accepted levels out. The controller's rule, for sensors that we read.

A level is accepted at the n-th equal sample in a row. Nothing is blanked out after a change, so that a pulse which is
too short never hides the next real one. Levels of all inputs are one integer, bit i being input i.
"""

from __future__ import annotations

FLICKER_MOST = 255


class Debounce:
    """`accepted`: the levels that count, all inputs in one integer."""

    def __init__(self, samples: int, first: int) -> None:
        """samples: equal ones until a level is accepted, from 1; first: levels that count from the start."""
        self._samples = samples
        self.accepted = first
        self._runs: dict[int, int] = {}  # input -> samples in a row that differ from what is accepted
        self._flicker: dict[int, int] = {}

    def take(self, levels: int) -> list[int]:
        """Follow one sample of all inputs; the inputs that were accepted anew, in order."""
        differing = levels ^ self.accepted
        runs = self._runs
        if not differing and not runs:
            return []
        for number in [number for number in runs if not differing >> number & 1]:
            del runs[number]
            self._flicker[number] = self._flicker.get(number, 0) + 1
        changed: list[int] = []
        while differing:
            lowest = differing & -differing
            differing ^= lowest
            number = lowest.bit_length() - 1
            run = runs.get(number, 0) + 1
            if run >= self._samples:
                runs.pop(number, None)
                self.accepted ^= lowest
                changed.append(number)
            else:
                runs[number] = run
        return changed

    def flicker(self, most: int) -> tuple[tuple[int, int], ...]:
        """(input, changes not accepted since the last call) of the worst, at most `most`; counts start anew."""
        worst = sorted(self._flicker.items(), key=lambda pair: (-pair[1], pair[0]))[:most]
        self._flicker.clear()
        return tuple((number, min(count, FLICKER_MOST)) for number, count in worst)
