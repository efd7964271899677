"""Servo pulses, one by one -> the board's motion: what a servo on the wire of another controller does.

The servo goes to where a pulse says until the next one comes, at most as fast as it can; without pulses it stays, and
a hand can turn the board. A motion begins with the first pulse after a pause, or with the first unlike those before.
Left out: the servo's own dead band and overshoot, what the supply does under its load but for the fault of a brown-out.
"""

from collections.abc import Callable
from math import inf

from .agenda import Agenda
from .drive import Drive
from .model import Model

LEVEL_US = 1500.0
US_PER_DEG = 50.0
PERIOD_S = 0.02
PAUSE_S = 2.5 * PERIOD_S  # without a pulse: there is no signal
FOLLOW_S = (
    2 * PERIOD_S
)  # a servo does not take each pulse as it comes; marbles' paths are worked out as often
STILL_S = 0.2  # so long without another width: the next one begins a motion
SAME_DEG = 0.005
JUMP_DEG = 0.3
BROWN_OUT_AFTER_S = 0.02


class PulsedServo:
    """Turns a drive as pulses tell. `weak_supply` is asked when a motion begins, `brown_out` called 20 ms later."""

    def __init__(
        self,
        agenda: Agenda,
        model: Model,
        drive: Drive,
        weak_supply: Callable[[], bool],
        brown_out: Callable[[], None],
    ) -> None:
        self._agenda = agenda
        self._tilt = model.tilt
        self._drive = drive
        self._weak_supply, self._brown_out = weak_supply, brown_out
        self._us_per_deg = -US_PER_DEG if model.tilt.reversed else US_PER_DEG
        self._fastest_deg_s = 2 * model.tilt.angle_deg / model.tilt.swing_s
        self._pulse_s = self._change_s = -inf
        self._told_deg = 0.0
        self._follow_s = -inf  # when it may follow again
        self._following = False
        drive.held = lambda: self.signal and not drive.dead

    @property
    def signal(self) -> bool:
        """Whether pulses come now."""
        return self._agenda.now_s - self._pulse_s < PAUSE_S

    @property
    def following(self) -> bool:
        """Whether it will follow what was told last by itself: no other width must be told at once."""
        return self._following

    def pulse(self, end_s: float, width_us: float) -> None:
        """A pulse was over at a time, which may lie ahead of the agenda. Pulses come in order."""
        paused = end_s - self._pulse_s > PAUSE_S
        self._pulse_s = end_s
        if self._tilt.kind != "servo":
            return
        angle_deg = (width_us - LEVEL_US) / self._us_per_deg
        if not paused and abs(angle_deg - self._told_deg) < SAME_DEG:
            return
        begins = paused or end_s - self._change_s > STILL_S
        self._told_deg, self._change_s = angle_deg, end_s
        if begins:
            self._agenda.at(end_s, self._begin)
        elif not self._following:
            self._following = True
            self._agenda.at(max(end_s, self._follow_s), self._follow)

    def _begin(self, number: int) -> None:
        del number
        drive = self._drive
        drive.faults.begins()
        if self._weak_supply():
            self._agenda.at(self._agenda.now_s + BROWN_OUT_AFTER_S, self._break_down)
        self._turn(self._tilt.jump_s if abs(self._told_deg - self._real_deg()) > JUMP_DEG else FOLLOW_S)

    def _follow(self, number: int) -> None:
        del number
        self._following = False
        self._turn(FOLLOW_S)

    def _turn(self, lasts_s: float) -> None:
        """Turn to what was told last."""
        self._follow_s = self._agenda.now_s + FOLLOW_S
        if (slow := self._drive.faults.slow) > 1.0:
            lasts_s = max(lasts_s, abs(self._told_deg - self._real_deg()) / self._fastest_deg_s * slow)
        self._drive.turn_to(self._told_deg, lasts_s)

    def _break_down(self, number: int) -> None:
        del number
        self._brown_out()

    def _real_deg(self) -> float:
        """Where the board is, told as a pulse would tell it."""
        return -self._drive.angle_deg if self._drive.faults.mirrored else self._drive.angle_deg
