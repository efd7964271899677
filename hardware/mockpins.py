"""Mock pins, shipped: gpiozero's mock factory with chips on its pins. The driver's side is gpiozero, this the world's.

Only a board that names the factory `mock` gets these, and only with simulated marbles behind them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .gpio import Pins
from .registers import ShiftRegisters


class MockPins(Pins):
    """Pins that are made of numbers. Wire the world to them before a driver claims them, or after."""

    def __init__(self) -> None:
        from gpiozero.pins import mock

        self._mock: Any = mock
        super().__init__(
            self._mock.MockFactory(pin_class=self._mock.MockPWMPin), "mock pins, made of numbers"
        )

    def pin(self, number: int) -> Any:
        """gpiozero's mock pin of a number."""
        return self.factory.pin(number)

    def chain(
        self, registers: ShiftRegisters, *, clock: int, load: int, data: int, check: int | None
    ) -> None:
        """Put a chain of 74HC165 on the pins: what the driver does to them clocks it."""
        line = self.pin(data)

        def watched(number: int, act: Callable[[bool], None]) -> None:
            class Watched(self._mock.MockPWMPin):  # type: ignore[misc, name-defined]
                def _set_state(self, value: float) -> None:
                    super()._set_state(value)
                    act(bool(value))
                    # A pull only counts where nobody drives the line.
                    line._change_state(registers.data)

            self.factory.pin(number, pin_class=Watched)

        def tail(level: bool) -> None:
            registers.tail = level

        watched(clock, registers.clock)
        watched(load, registers.load)
        if check is not None:
            watched(check, tail)

    def input(self, number: int, level: Callable[[], bool]) -> None:
        """A pin whose level the world decides, whenever it is looked at."""

        class Asked(self._mock.MockPWMPin):  # type: ignore[misc, name-defined]
            def _get_state(self) -> bool:
                return level()

        self.factory.pin(number, pin_class=Asked)

    def button(self, number: int, down: Callable[[], bool], clock: Callable[[], float]) -> Callable[[], None]:
        """A pin that a button draws to ground; what is returned tells the driver of an edge. clock: s, of all edges."""

        class Pushed(self._mock.MockPWMPin):  # type: ignore[misc, name-defined]
            def _get_state(self) -> bool:
                return not down()

        pin = self.factory.pin(number, pin_class=Pushed)
        self.factory.ticks = clock

        def tell() -> None:
            hook = pin.when_changed
            if hook is not None:
                hook(clock(), not down())

        return tell

    def output(self, number: int, told: Callable[[float | None], None]) -> None:
        """A pin whose servo pulse (us; None: no pulse) the world is told whenever it changes."""

        class Telling(self._mock.MockPWMPin):  # type: ignore[misc, name-defined]
            def _change_state(self, value: float) -> bool:
                changed = bool(super()._change_state(value))
                told(value / self._frequency * 1e6 if self._frequency and value else None)
                return changed

        self.factory.pin(number, pin_class=Telling)

    def pulse_us(self, number: int) -> float | None:
        """The servo pulse on a pin; None: no pulse."""
        pin = self.pin(number)
        return pin.state / pin.frequency * 1e6 if pin.frequency and pin.state else None
