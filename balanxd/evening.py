"""Evening: what players want of the house in; other players, or a computer that is to be switched off, out.

What was chosen at the board outlives a restart: `players.json` in the state folder has who sat at a game's seats last.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path
from typing import Any

from referee.commands import NewGame
from rules.games import AnyGame

from .config import BoardConfig, simulated_board
from .errors import BalanxError
from .options import BALANX, checked_tags
from .pipeline import Pipeline
from .players import Player, check_level, parse_player
from .wholefile import write_whole

FILE = "players.json"
ANSWER_S = 30.0  # real seconds in which the system must have begun to switch itself off
BY_HAND = "The board is parked; switch the computer off yourself."


def seated_anew(players: Sequence[Player], wanted: NewGame, game: AnyGame) -> tuple[Player, ...]:
    """Who plays the next game, by seat. Raises BalanxError where the engine does not play it at that level."""
    found = [*players[-1:], *players[:-1]] if wanted.exchanged else [*players]
    if wanted.level is not None:
        engine = Player("engine", wanted.level)
        found = [engine if player.kind == engine.kind else player for player in found]
    for player in found:
        check_level(player, game)
    return tuple(found)


def remembered(state: Path, game: AnyGame) -> tuple[Player, ...] | None:
    """Who sat at the seats of a game last; None where nobody did, or what is written there is of no use."""
    try:
        players = tuple(map(parse_player, _table(state)[game.name]))
        for player in players:
            check_level(player, game)
    except (KeyError, BalanxError):
        return None
    return players if len(players) == len(game.seats) else None


def remember(state: Path, game: AnyGame, players: Sequence[Player]) -> None:
    """Keep who sits at a game's seats from now on. A disk that takes nothing is no reason to stop."""
    table = {**_table(state), game.name: [player.text for player in players]}
    with contextlib.suppress(OSError):
        write_whole(state / FILE, json.dumps(table, indent=1) + "\n")


def another_board(now: BoardConfig, first: BoardConfig, name: str, options: Mapping[str, str]) -> BoardConfig:
    """The simulated board for a game, in the place of another one; `first`, the daemon's own, where that is it.

    Raises BalanxError: there is no such game or option, or the board is a real one.
    """
    if name == BALANX:
        if options:
            raise BalanxError("Balanx has no such options here: its layout is the board's.")
        return first if not first.tags else simulated_board()
    kept = dict(now.tags[1:]) if name == now.game else {}
    tags = checked_tags(name, {**kept, **options}, "")
    if tags != now.tags and not now.simulated:
        raise BalanxError("A real board is for one game; another one needs another board.")
    return first if tags == first.tags else simulated_board(None, tags)


def _table(state: Path) -> dict[str, list[str]]:
    try:
        found = json.loads((state / FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {
        game: seats
        for game, seats in found.items()
        if isinstance(seats, list) and all(isinstance(seat, str) for seat in seats)
    }


class _Stage(Enum):
    """How far a computer is on its way."""

    ON = auto()
    PARKING = auto()
    ASKED = auto()


@dataclass(frozen=True, slots=True)
class Power:
    """How this computer is switched off. request: the file that asks the system for it, None where nothing does.

    kept: whoever runs this program begins it again when it ends, so that it must not end by itself.
    """

    request: Path | None = None
    kept: bool = False


def power_of(environ: Mapping[str, str]) -> Power:
    """As systemd/balanxd.service tells it. A service that ended by itself would be begun again, and play."""
    request = environ.get("BALANX_POWEROFF", "")
    return Power(Path(request) if request else None, kept=bool(environ.get("NOTIFY_SOCKET")))


class SwitchingOff:
    """One computer's way from ShutDown to the end. say: one sentence for people. Times are real seconds."""

    def __init__(self, power: Power, say: Callable[[str], None]) -> None:
        self._power, self._say = power, say
        self._stage = _Stage.ON
        self._until_s = 0.0
        self._told = 0  # turns that are not saved, as last said

    def begin(self) -> None:
        """The players want it; the board is being parked."""
        if self._stage is _Stage.ON:
            self._stage = _Stage.PARKING

    def look(self, pipeline: Pipeline[Any, Any], save: Callable[[], int], now_s: float) -> bool:
        """Go on with it. save: everything; answers how many turns could not be. True where this program is to end."""
        if self._stage is _Stage.ASKED and now_s >= self._until_s:
            self._give_up()
        if self._stage is not _Stage.PARKING or pipeline.parking:
            return False
        self._stage = _Stage.ON
        if pipeline.park_stopped or not pipeline.parked:
            self._say("The computer stays on.")
            return False
        unsaved = save()
        if unsaved and unsaved != self._told:
            self._told = unsaved
            self._say(
                f"{unsaved} turns are not saved, so the computer stays on. Shut it down once more to lose them."
            )
            return False
        request = self._power.request
        if request is None:
            self._say(BY_HAND)
            return not self._power.kept
        try:
            request.touch()
        except OSError as error:
            self._say(f"{request}: {error.strerror or error}. {BY_HAND}")
            return False
        self._stage, self._until_s = _Stage.ASKED, now_s + ANSWER_S
        self._say("The computer is being switched off.")
        return False

    def _give_up(self) -> None:
        """The system does not answer: people do it. Nothing is switched off later, when nobody expects it."""
        self._stage = _Stage.ON
        if self._power.request is not None:
            with contextlib.suppress(OSError):
                self._power.request.unlink(missing_ok=True)
        self._say(f"The system does not switch the computer off (`balanx doctor` says why). {BY_HAND}")
