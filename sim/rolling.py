"""Marble at rest or moving in a slot, and the board's motion -> its whole path as a chain of parabolas.

Model "B" of the physics notes: pure rolling with rolling friction (force = mu * sum of the contact forces,
R/d), the swing felt, and at the wall only the velocity turns (v' = -e v), the spin stays; sliding friction
then brings both together again: v' = -v (e-k)/(1+k) in the end, k = 0.4 (R/d)^2. A marble that lies against
the wall acts as a wall.
Left out: motion across the slot, rocking, hopping (swings under 0.25 s are refused), friction between two
marbles, deformation, dirt other than the tilt below which nothing starts; a follower in a slot is limited
by where the leading marble comes to rest, not by where it is on the way (both start together and keep 25
mm, notes section 1).
"""

from bisect import bisect_right
from dataclasses import dataclass
from math import radians, sqrt, tan

from .model import Model
from .swing import Swing

_TOUCH_M = 1e-7
_HOP_M = 1e-5
_MAX_PARABOLAS = 4000  # far above any real path; a bound so that odd numbers cannot hang the table


@dataclass(frozen=True, slots=True)
class Rolling:
    """Constants of one slot, SI units."""

    k: float
    r_over_d: float
    rolling_mu: float
    stick_mu: float
    slide_mu: float
    wall_mu: float
    min_speed_m_s: float

    @classmethod
    def of(cls, model: Model, rolling_mu: float | None = None) -> "Rolling":
        """Constants of a model; `rolling_mu` overrides it for one groove."""
        ratio = 1.0 / model.seat.d_over_r
        mu = model.contact.rolling_mu if rolling_mu is None else rolling_mu
        return cls(
            k=0.4 * ratio * ratio,
            r_over_d=ratio,
            rolling_mu=mu,
            stick_mu=max(mu * ratio, tan(radians(model.tilt.min_roll_deg))),
            slide_mu=model.contact.slide_mu,
            wall_mu=model.contact.wall_mu,
            min_speed_m_s=model.contact.min_speed_m_s,
        )


class Path:
    """Position of one marble over time: parabolas (start s, place m, speed m/s, half acceleration m/s2)."""

    __slots__ = ("half_a", "position", "speed", "time")

    def __init__(self, t_s: float, s_m: float) -> None:
        """A marble that lies at `s_m` since `t_s`."""
        self.time = [t_s]
        self.position = [s_m]
        self.speed = [0.0]
        self.half_a = [0.0]

    @property
    def moves(self) -> bool:
        """Whether it moves at all."""
        return len(self.time) > 1

    @property
    def start_s(self) -> float:
        """When it first moves (the time of rest if it never does)."""
        for i in range(len(self.time)):
            if self.speed[i] or self.half_a[i]:
                return self.time[i]
        return self.time[-1]

    @property
    def rest_s(self) -> float:
        """From when on it lies still."""
        return self.time[-1]

    @property
    def rest_m(self) -> float:
        """Where it comes to rest."""
        return self.position[-1]

    def at(self, now_s: float) -> tuple[float, float]:
        """Position (m) and speed (m/s) at a time not before the path's start."""
        i = bisect_right(self.time, now_s) - 1
        if i < 0:
            return self.position[0], self.speed[0]
        t = now_s - self.time[i]
        a = self.half_a[i]
        return self.position[i] + (self.speed[i] + a * t) * t, self.speed[i] + 2 * a * t


def _reach(gap: float, v: float, half_a: float) -> float:
    """Smallest t > 0 with v t + half_a t^2 = gap, for motion towards it (gap and v or a of one sign); inf
    if none.
    """
    if abs(half_a) < 1e-12:
        return gap / v if v else float("inf")
    root = v * v + 4 * half_a * gap
    if root < 0:
        return float("inf")
    root = sqrt(root)
    # the stable form of the quadratic's smaller positive root
    below = v + root if gap > 0 else v - root
    return 2 * gap / below if below else float("inf")


def roll(
    now_s: float,
    s_m: float,
    v_m_s: float,
    low_m: float,
    high_m: float,
    e_low: float,
    e_high: float,
    swing: Swing,
    rolling: Rolling,
) -> Path:
    """The path from `now_s` on until it rests, of a marble between two walls under one motion of the board.

    `low_m` <= s <= `high_m`; `e_*` is the restitution of each wall. A marble that moves at the start rolls.
    """
    k, ratio, stick = rolling.k, rolling.r_over_d, rolling.stick_mu
    drag, slide = rolling.rolling_mu * ratio, rolling.slide_mu * ratio
    inverse = 1 / (1 + k)
    steps, step_s, start_s, still = swing.steps, swing.step_s, swing.start_s, swing.still
    count = len(steps)
    s = min(max(s_m, low_m), high_m)
    v = q = v_m_s  # q = surface speed of the spin; rolling means v == q
    t = now_s
    i = 0
    if count:
        i = int((now_s - start_s) / step_s) if now_s > start_s else 0
        if i < count and now_s >= start_s + (i + 1) * step_s:
            i += 1
    path = Path(t, s)
    times, places, speeds, halves = path.time, path.position, path.speed, path.half_a
    first = True
    infinite = float("inf")
    for _ in range(_MAX_PARABOLAS):
        if i < count and v == q:
            # the two common cases of a moving board, without the general step's questions
            if not v:
                if not first and (speeds[-1] or halves[-1]):
                    _add(path, t, s, 0.0, 0.0, False)
                while i < count:
                    along, alpha, omega2, into = steps[i]
                    drive = along + omega2 * s
                    hold = stick * (into - alpha * s)
                    if drive > hold:
                        if s < high_m - _TOUCH_M:
                            break
                    elif drive < -hold and s > low_m + _TOUCH_M:
                        break
                    i += 1
                    t = start_s + i * step_s
            else:
                way = drag if v > 0 else -drag
                while i < count:
                    along, alpha, omega2, into = steps[i]
                    end = start_s + (i + 1) * step_s
                    dt = end - t
                    a = (along + omega2 * s - way * (into - alpha * s)) * inverse
                    ahead_v = v + a * dt
                    ahead_s = s + (v + ahead_v) * 0.5 * dt
                    if ahead_s > high_m or ahead_s < low_m or ahead_v * v <= 0:
                        break
                    if first:
                        times[0], places[0], speeds[0], halves[0] = t, s, v, a / 2
                        first = False
                    else:
                        times.append(t)
                        places.append(s)
                        speeds.append(v)
                        halves.append(a / 2)
                    s, v, q, t = ahead_s, ahead_v, ahead_v, end
                    i += 1
        if i < count:
            along, alpha, omega2, into = steps[i]
            end = start_s + (i + 1) * step_s
        else:
            along, alpha, omega2, into = still
            end = infinite
        drive = along + omega2 * s
        into -= alpha * s
        slip = v - q
        if not slip:
            if not v:
                hold = stick * into
                if (
                    -hold <= drive <= hold
                    or (drive > 0 and s >= high_m - _TOUCH_M)
                    or (drive < 0 and s <= low_m + _TOUCH_M)
                ):
                    if end == infinite:
                        break
                    i += 1
                    t = end
                    continue
                way = 1.0 if drive > 0 else -1.0
            else:
                way = 1.0 if v > 0 else -1.0
            a = (drive - way * drag * into) * inverse
            aq = a
            until_grip = infinite
        else:
            push = slide * into if slip < 0 else -slide * into
            a = drive + push
            aq = -push / k
            if not v and ((a > 0 and s >= high_m - _TOUCH_M) or (a < 0 and s <= low_m + _TOUCH_M)):
                # pressed against the wall, still spinning: wait until the spin is gone
                spin = abs(q / aq)
                gone = spin <= end - t
                step = spin if gone else end - t
                if first or times[-1] != t:
                    _add(path, t, s, 0.0, 0.0, first)
                    first = False
                t += step
                q = 0.0 if gone else q + aq * step
                if not gone:
                    t = end
                    i += 1
                continue
            grip = a - aq
            until_grip = -slip / grip if slip * grip < 0 else infinite
            way = 1.0 if v > 0 or (not v and a > 0) else -1.0
        dt = end - t
        what = 0
        if until_grip <= dt:
            dt, what = until_grip, 1
        if v and v * a < 0:
            stop = -v / a
            if stop <= dt:
                dt, what = stop, 2
        gap = (high_m if way > 0 else low_m) - s
        if v or a * way > 0:
            hit = 0.0 if gap * way <= 0 else _reach(gap, v, a / 2)
            if hit <= dt:
                dt, what = hit, 3
        if dt > 0:
            if first:
                times[0], places[0], speeds[0], halves[0] = t, s, v, a / 2
                first = False
            else:
                times.append(t)
                places.append(s)
                speeds.append(v)
                halves.append(a / 2)
            s += (v + a * dt / 2) * dt
            t += dt
            v += a * dt
            q += aq * dt
        if not slip:
            q = v
        if what == 0:
            i += 1
            t = end
        elif what == 1:
            q = v
        elif what == 2:
            if not slip:
                q = 0.0
            v = 0.0
        else:
            s = high_m if way > 0 else low_m
            e = e_high if way > 0 else e_low
            if rolling.wall_mu:
                loss = 2.5 * rolling.wall_mu * (1 + e) * abs(v) / ratio
                q = max(0.0, abs(q) - loss) * (1.0 if q > 0 else -1.0)
            if abs(v) < rolling.min_speed_m_s:
                v = 0.0
                if not slip:
                    q = 0.0
            elif e * e * v * v < 2 * _HOP_M * (slide * into + abs(drive)):
                v = 0.0  # hops smaller than can be seen: pressed against the wall while the spin dies
            else:
                v = -e * v
    if not first and (speeds[-1] or halves[-1]):
        _add(path, t, s, 0.0, 0.0, False)
    return path


def _add(path: Path, t: float, s: float, v: float, half_a: float, first: bool) -> None:
    if first:
        path.time[0], path.position[0], path.speed[0], path.half_a[0] = t, s, v, half_a
        return
    path.time.append(t)
    path.position.append(s)
    path.speed.append(v)
    path.half_a.append(half_a)
