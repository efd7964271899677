"""Push buttons of a simulated board: a finger's presses in; the level of each contact over time, with bounce, out.

A contact is one more input of the chain, read by the same scan as the sensors, or it is on a pin of the computer: then
whoever reads that pin is told of each change. Left out: springs that are soft, fingers that slip.
"""

from collections.abc import Callable, Mapping
from math import inf
from random import Random

from hardware.buttons import Button

from .agenda import Agenda
from .errors import SimError
from .inputs import Change, Line, Lines
from .model import NoiseModel

HELD_S = 0.15
BETWEEN_S = 0.12  # a finger is not quicker
BOUNCE_S = 0.02  # no contact bounces for longer
DOWN = 1


class PushButtons:
    """`places`: the input that each button is on; None: it is on no input but on a pin."""

    def __init__(
        self,
        agenda: Agenda,
        lines: Lines,
        places: Mapping[Button, int | None],
        noise: NoiseModel,
        chance: Random,
    ) -> None:
        """Raises SimError for an input that is not there or lies under a cell."""
        self._agenda = agenda
        self._lines = lines
        self._noise = noise
        self._chance = chance
        self._contacts: dict[Button, Line] = {}
        self._free_s: dict[Button, float] = {}
        self._told: dict[Button, Callable[[], None]] = {}
        for button, place in places.items():
            if place is not None and (
                not 0 <= place < len(lines.all) or any(line.index == place for line in lines.of_cell)
            ):
                raise SimError(f"the button {button} is on input {place}, which is none or lies under a cell")
            self._contacts[button] = Line(-1) if place is None else lines.all[place]

    @property
    def there(self) -> tuple[Button, ...]:
        """The buttons that the board has."""
        return tuple(self._contacts)

    def press(self, button: Button, held_s: float = HELD_S) -> None:
        """A finger presses now, or when it is done with the press before; held_s may be inf, until `let_go`."""
        at_s = max(self._agenda.now_s, self._free_s.get(button, -inf))
        self._plan(button, [(at_s, DOWN)] if held_s == inf else [(at_s, DOWN), (at_s + held_s, 0)])
        self._free_s[button] = at_s + (0.0 if held_s == inf else held_s) + BETWEEN_S

    def let_go(self, button: Button) -> None:
        """A button that was held is up from now on."""
        self._plan(button, [(self._agenda.now_s, 0)])

    def down(self, button: Button) -> bool:
        """Whether a contact is closed now."""
        return bool(self._contacts[button].base(self._agenda.now_s))

    def watch(self, button: Button, told: Callable[[], None]) -> None:
        """told: called at each change of a contact."""
        self._told[button] = told

    def _plan(self, button: Button, presses: list[Change]) -> None:
        line, now_s = self._contacts[button], self._agenda.now_s
        level, planned = line.plan_from(now_s)
        ends_s = [at_s for at_s, _ in presses[1:]] + [inf]
        changes = [
            change
            for press, end_s in zip(presses, ends_s, strict=True)
            for change in self._bounced(*press, end_s)
        ]
        line.set_base(level, (*planned, *changes))
        self._lines.changed(line)
        told = self._told.get(button)
        if told is not None:
            for at_s, _ in changes:
                self._agenda.at(at_s, lambda _: told())

    def _bounced(self, at_s: float, level: int, end_s: float) -> list[Change]:
        """A contact that closes or opens does it some times in the first milliseconds, before the next change."""
        changes = [(at_s, level)]
        noise, chance = self._noise, self._chance
        if not noise.bounce:
            return changes
        again = noise.bounce_mean / (1 + noise.bounce_mean)
        end_s = min(end_s, at_s + BOUNCE_S)
        while chance.random() < again:
            back_s = at_s + chance.uniform(*noise.bounce_ms) / 1000
            at_s = back_s + chance.uniform(*noise.bounce_ms) / 1000
            if at_s >= end_s:
                break
            changes += [(back_s, 1 - level), (at_s, level)]
        return changes
