"""Referees that lack one of their virtues. Nothing of ours is patched: what they lack comes in by arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hardware.tilt import TiltLimits
from referee.pending import Patience
from rules.balanx.game import BalanxGame
from rules.balanx.position import Position
from rules.games import AnyGame

from .stage import AnyPipeline, Mutation


class Hasty(TiltLimits):
    """Limits of a motor that gives no warning, so that a move is never provisional."""

    def __post_init__(self) -> None:
        """Nothing is refused."""


@dataclass(frozen=True, slots=True)
class Level(BalanxGame):
    """A game whose pictures are compared as White sees them, whatever side is down."""

    def level(self, picture: bytes, tilt: int | None) -> bytes:
        del tilt
        return BalanxGame.level(self, picture, 0)


@dataclass(frozen=True, slots=True)
class Deaf(BalanxGame):
    """A game to which edges say nothing."""

    def lifted(self, position_: Position, edges: Sequence[tuple[int, int]]) -> frozenset[int] | None:
        del position_, edges
        return None


def _unstoppable(pipeline: AnyPipeline) -> None:
    """It says that it is stopped, and moves."""
    session: Any = pipeline.session
    warn = type(session)._warn

    def deaf(seat: int | None, now_s: float) -> None:
        stopped, session.stopped = session.stopped, ""
        warn(session, seat, now_s)
        session.stopped = stopped

    session._warn = deaf
    session._arm = session._motion.drive.arm


def _forgetful(pipeline: AnyPipeline) -> None:
    """Does not remember which turns were taken back while they still lie on the board."""
    pipeline.session._lead_back = lambda *told: False  # type: ignore[method-assign]


def _numb(pipeline: AnyPipeline) -> None:
    """Feels no tap."""
    assert pipeline.panel is not None
    pipeline.panel.see = lambda occupancy: None  # type: ignore[method-assign]


def _as(kind: type[BalanxGame], game: AnyGame) -> AnyGame:
    assert isinstance(game, BalanxGame)
    return kind(game.layout, game.repetition)


MUTATIONS: Mapping[str, Mutation] = {
    "no rest": Mutation(patience=Patience(rest_s=0.0, rolling_rest_s=0.0, restless_rest_s=0.0)),
    "nothing is provisional": Mutation(
        patience=Patience(slide_s=0.0, by_hand_s=0.0), limits=Hasty(warning_s=0.0)
    ),
    "the present tilt is ignored": Mutation(game=lambda game: _as(Level, game)),
    "edges are ignored": Mutation(game=lambda game: _as(Deaf, game)),
    "a stop is only said": Mutation(pipeline=_unstoppable),
    "turns taken back are forgotten": Mutation(pipeline=_forgetful),
    "taps are not felt": Mutation(pipeline=_numb),
}
