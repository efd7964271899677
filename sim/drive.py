"""What turns the board: servo pulses or a push -> the board's present motion, its angle and end-position
inputs.

Left out: a board that falls back when the signal ends (a geared servo holds), stall under load, measured
pulse width.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import degrees, radians

from .agenda import Agenda
from .model import Model
from .swing import Step, Swing

JUMP_S = 0.15  # a servo that is thrown from one end to the other


@dataclass(slots=True)
class DriveFaults:
    """What is wrong with the drive now (`sim.faults` sets it; a motor's turning obeys it, a hand's does not).

    reach: share of the angle that is reached. slow: so many times as long. mirrored: the other side goes down.
    never, always: end inputs that never close or are always closed, bit `seat`. begins: told before each motion of
    the motor. changed: to be called when an end input's fault has changed.
    """

    reach: float = 1.0
    slow: float = 1.0
    mirrored: bool = False
    never: int = 0
    always: int = 0
    begins: Callable[[], None] = lambda: None
    changed: Callable[[], None] = lambda: None


class Drive:
    """The see-saw's motion. `moved` is called when a new motion begins, `ends_changed` when an end input
    changes.
    """

    def __init__(self, agenda: Agenda, model: Model) -> None:
        tilt = model.tilt
        self._agenda = agenda
        self._tilt = tilt
        radius_m = model.marble.diameter_mm / 2000
        height_m = tilt.axle_below_centre_mm / 1000
        self._new_swing = partial(
            Swing,
            height_m=height_m,
            lever_m=height_m + 0.4 * radius_m / model.seat.d_over_r,  # h + k d, with k d = 0.4 R^2/d
            lean_rad=radians(tilt.lean_deg),
        )
        self._profiles: dict[tuple[float, float, float], tuple[tuple[Step, ...], tuple[float, ...]]] = {}
        start = tilt.start_deg
        if start is None:
            start = tilt.angle_deg if tilt.kind == "manual" else 0.0
        self.dead = False  # a fault: the servo gets its pulses and does not move
        self.held: Callable[[], bool] = lambda: False  # a servo under signal; nobody's hand turns it
        self.moved: Callable[[], None] = lambda: None
        self.ends_changed: Callable[[], None] = lambda: None
        self.faults = DriveFaults()
        self.faults.changed = lambda: self._look(self._version)
        self._version = 0
        self._back = 0.0, 0.0
        self._end_rad = radians(tilt.angle_deg - tilt.end_margin_deg)
        self.swing = self._at_rest(radians(start))
        self.sensed = self._ends(self.swing.to_rad)

    def _at_rest(self, angle_rad: float) -> Swing:
        return self._new_swing(self._agenda.now_s, 0.0, angle_rad, angle_rad)

    @property
    def angle_deg(self) -> float:
        """Where the board is now, positive = seat 0 down."""
        return degrees(self.swing.angle_rad(self._agenda.now_s))

    @property
    def rest_deg(self) -> float:
        """Where the present motion ends."""
        return degrees(self.swing.to_rad)

    @property
    def moving(self) -> bool:
        """Whether the board turns now."""
        return self._agenda.now_s < self.swing.end_s

    def set_angle(self, angle_deg: float) -> None:
        """The board is there at once (from a snapshot)."""
        self._begin(self._at_rest(radians(angle_deg)))

    def swing_to(self, angle_deg: float, duration_s: float, *, by_hand: bool = False) -> None:
        """Turns the board along the profile from where it is."""
        if not by_hand:
            self.faults.begins()
            if self.dead:
                return
            angle_deg *= -self.faults.reach if self.faults.mirrored else self.faults.reach
            if self._goes_wrong(angle_deg, duration_s):
                return
            duration_s *= self.faults.slow
        start, target = self.swing.angle_rad(self._agenda.now_s), radians(angle_deg)
        # the same few swings come again and again: their forcing is worked out once
        key = (round(start, 9), round(target, 9), duration_s)
        known = self._profiles.get(key)
        swing = self._new_swing(
            self._agenda.now_s, duration_s, start, target, steps=known[0] if known else None
        )
        if known is None:
            if len(self._profiles) > 64:
                self._profiles.clear()
            known = (tuple(swing.steps), self._end_times(swing))
            self._profiles[key] = known
        self._begin(swing, known[1])

    def turn_to(self, angle_deg: float, lasts_s: float) -> None:
        """Turns the board at one rate from where it is: a motor that is told anew many times a second."""
        if self.dead:
            return
        angle_deg *= -self.faults.reach if self.faults.mirrored else self.faults.reach
        start, target = self.swing.angle_rad(self._agenda.now_s), radians(angle_deg)
        swing = self._new_swing(self._agenda.now_s, lasts_s, start, target, even=True)
        self._begin(swing, self._end_times(swing))

    def _goes_wrong(self, angle_deg: float, duration_s: float) -> bool:
        """Whether a faulty motor does something else than turn to an angle (which is the faulty one already)."""
        faults, at_end = self.faults, abs(self.angle_deg - angle_deg) < 0.5
        if faults.slow > 1.0 and self.moving and abs(self.rest_deg - angle_deg) < 0.5:
            return True  # it is on its way, as fast as it can
        if not faults.mirrored or not at_end or abs(angle_deg) < 0.5:
            return False
        # A mirrored servo stands where it is to go: its first pulse throws it over, then it comes back.
        swing_s = min(JUMP_S, duration_s / 2)
        self.swing_to(-angle_deg, swing_s, by_hand=True)
        self._agenda.at(self._agenda.now_s + swing_s, self._come_back, self._version)
        self._back = angle_deg, max(duration_s - swing_s, 0.3)
        return True

    def _come_back(self, version: int) -> None:
        if version == self._version:
            self.swing_to(*self._back, by_hand=True)

    def brake(self) -> None:
        """Stops the board quickly, where it is."""
        if not self.moving:
            return
        angle, rate, _ = self.swing.state(self._agenda.now_s)
        lasts = self._tilt.brake_s
        swing = self._new_swing(self._agenda.now_s, lasts, angle, angle + rate * lasts / 2, brake_rate=rate)
        self._begin(swing, self._end_times(swing))

    def _begin(self, swing: Swing, end_times: tuple[float, ...] = ()) -> None:
        self.swing = swing
        self._version += 1
        for after_s in end_times:
            self._agenda.at(swing.start_s + after_s, self._look, self._version)
        self._look(self._version)
        self.moved()

    def _ends(self, angle_rad: float) -> int:
        if not self._tilt.end_inputs or self._tilt.kind == "none":
            return 0
        closed = self._end_at(angle_rad)
        return closed & ~self.faults.never | self.faults.always

    def _end_at(self, angle_rad: float) -> int:
        if self._tilt.ends_exchanged:
            angle_rad = -angle_rad
        return 1 if angle_rad >= self._end_rad else 2 if angle_rad <= -self._end_rad else 0

    def _end_times(self, swing: Swing) -> tuple[float, ...]:
        """Times after the start at which an end input changes, found to 0.1 ms."""
        found: list[float] = []
        pieces = 16
        before_s, before = 0.0, self._end_at(swing.from_rad)
        for i in range(1, pieces + 1):
            t = swing.duration_s * i / pieces
            now = self._end_at(swing.angle_rad(swing.start_s + t))
            if now != before:
                low, high = before_s, t
                while high - low > 1e-4:
                    half = (low + high) / 2
                    if self._end_at(swing.angle_rad(swing.start_s + half)) == before:
                        low = half
                    else:
                        high = half
                found.append(high)
            before_s, before = t, now
        return tuple(found)

    def _look(self, version: int) -> None:
        if version != self._version:
            return
        sensed = self._ends(self.swing.angle_rad(self._agenda.now_s))
        if sensed != self.sensed:
            self.sensed = sensed
            self.ends_changed()
