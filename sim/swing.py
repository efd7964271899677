"""Board angle over time -> what a marble feels (forcing on a fine grid).

The board moves along a minimum-jerk profile, or brakes with constant deceleration. A marble at s (m from
the axle, positive towards seat 0) at height h above the axle feels, along the board, g sin - alpha (h + k
d) + omega^2 s, and into the board g cos - alpha s - omega^2 h (physics notes, section 2; angle positive =
seat 0 side down). Forcing is constant within a step of about 20 ms, taken at its middle: a rolling path is
then a chain of parabolas.
Left out: flexing of the board, servo lag and its 20 ms pulse grid, play, the marbles' load on the servo.
"""

from collections.abc import Sequence
from math import cos, radians, sin

G_M_S2 = 9.81
STEP_S = 0.020

Step = tuple[float, float, float, float]  # along at s=0, alpha, omega^2, into the board at s=0


class Swing:
    """One motion of the board, in rad and s; before it starts it is at `from_rad`, after it at `to_rad`.

    Marbles feel `felt_from_rad` and `felt_to_rad`, where the whole table leans.
    """

    __slots__ = (
        "_brake_rate",
        "_even",
        "duration_s",
        "end_s",
        "felt_from_rad",
        "felt_to_rad",
        "from_rad",
        "height_m",
        "lean_rad",
        "lever_m",
        "start_s",
        "step_s",
        "steps",
        "still",
        "to_rad",
    )

    def __init__(
        self,
        start_s: float,
        duration_s: float,
        from_rad: float,
        to_rad: float,
        *,
        height_m: float,
        lever_m: float,
        brake_rate: float | None = None,
        even: bool = False,
        lean_rad: float = 0.0,
        steps: Sequence[Step] | None = None,
        grid_s: float = STEP_S,
    ) -> None:
        """`height_m` = centre above the axle, `lever_m` = height + k d; `brake_rate` (rad/s) makes it a
        braking, `even` a turn at one rate; `lean_rad`: what marbles feel the board stand at when its angle is 0.
        """
        self.start_s = start_s
        self.duration_s = duration_s
        self.end_s = start_s + duration_s
        self.from_rad = from_rad
        self.to_rad = to_rad
        self.height_m = height_m
        self.lever_m = lever_m
        self.felt_from_rad = from_rad + lean_rad
        self.felt_to_rad = to_rad + lean_rad
        self.lean_rad = lean_rad
        self._brake_rate = brake_rate
        self._even = even
        count = max(1, round(duration_s / grid_s)) if duration_s > 0 else 0
        self.step_s = duration_s / count if count else 0.0
        felt = self.felt_to_rad
        self.still: Step = (G_M_S2 * sin(felt), 0.0, 0.0, G_M_S2 * cos(felt))
        self.steps: Sequence[Step] = (
            steps if steps is not None else tuple(self._step((i + 0.5) * self.step_s) for i in range(count))
        )

    @property
    def even(self) -> bool:
        """Whether it is a turn at one rate: a piece of a motion that is told bit by bit."""
        return self._even

    def _step(self, t_s: float) -> Step:
        angle, rate, alpha = self.state(self.start_s + t_s)
        angle += self.lean_rad
        return (
            G_M_S2 * sin(angle) - alpha * self.lever_m,
            alpha,
            rate * rate,
            G_M_S2 * cos(angle) - rate * rate * self.height_m,
        )

    def state(self, now_s: float) -> tuple[float, float, float]:
        """Angle (rad), rate (rad/s) and angular acceleration (rad/s2) at a time."""
        t = now_s - self.start_s
        whole = self.duration_s
        if t <= 0 and whole > 0:
            return self.from_rad, self._brake_rate or 0.0, 0.0
        if t >= whole:
            return self.to_rad, 0.0, 0.0
        if self._brake_rate is not None:
            slow = self._brake_rate / whole
            return self.from_rad + self._brake_rate * t - slow * t * t / 2, self._brake_rate - slow * t, -slow
        u = t / whole
        turn = self.to_rad - self.from_rad
        if self._even:
            return self.from_rad + turn * u, turn / whole, 0.0
        return (
            self.from_rad + turn * u * u * u * (10 - 15 * u + 6 * u * u),
            turn * 30 * u * u * (1 - u) * (1 - u) / whole,
            turn * 60 * u * (1 - u) * (1 - 2 * u) / (whole * whole),
        )

    def angle_rad(self, now_s: float) -> float:
        """Board angle at a time."""
        return self.to_rad if now_s >= self.end_s else self.state(now_s)[0]


def still(angle_deg: float, *, height_m: float = 0.02, lever_m: float = 0.02) -> Swing:
    """A board at rest at an angle."""
    angle = radians(angle_deg)
    return Swing(0.0, 0.0, angle, angle, height_m=height_m, lever_m=lever_m)
