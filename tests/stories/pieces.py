"""Stories on the boards of the other games: TOML files in; `PieceStage` plays a story on its board, and judges."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from checker.pieces import KINDS, Snap, check_pieces, snap_of

from balanxd.buttons import buttons_text
from balanxd.config import parse_board
from balanxd.games import AnyLine
from balanxd.options import checked_tags, game_of_options
from balanxd.simulated.build import build_sensor_board
from balanxd.simulated.marbles import marble_rows
from balanxd.simulated.pieces import set_of
from rules.line import Line
from sim.deeds import Manner
from sim.pieces import Laid
from sim.sensorboard import SensorBoard

from .performance import Performance
from .story import SHARED_KEYS, Step, Told, read_file, shared, variants_of

SEEDS = 6
_KEYS = SHARED_KEYS | {"game", "sensor", "options", "laid", "board_kind"}


@dataclass(frozen=True, kw_only=True)
class PieceStory(Told):
    """One story, or one variant. laid: the rows of disks that lie on the board at first, where they are others."""

    game: str
    sensor: str
    options: Mapping[str, str]
    laid: str
    board_kind: str


def read_piece_stories(folder: Path) -> tuple[PieceStory, ...]:
    """All stories of a folder, in the order of their names. Raises StoryError."""
    return tuple(
        story for path in sorted(folder.glob("*.toml")) for story in read_file(path, _KEYS, _stories)
    )


def _stories(stem: str, told: dict[str, Any]) -> Iterator[PieceStory]:
    many = len(told.get("variants", ()))
    for name, fill in variants_of(stem, told):
        yield PieceStory(
            **shared(name, told, fill),
            machines={
                int(seat): tuple(fill(text).split()) for seat, text in told.get("machines", {}).items()
            },
            seeds=told.get("seeds", max(2, SEEDS // many) if many else SEEDS),
            game=told["game"],
            sensor=fill(told.get("sensor", "")),
            options={tag: fill(value) for tag, value in told.get("options", {}).items()},
            laid=fill(told.get("laid", "")),
            board_kind=told.get("board_kind", ""),
        )


class PieceStage(Performance[PieceStory, SensorBoard]):
    """One performance. `play` raises Failed."""

    may_begin_nothing = True  # a board for another game is refused

    def __init__(self, story: PieceStory, seed: int) -> None:
        tags = checked_tags(story.game, story.options)
        sensor = f'[board]\nsensor = "{story.sensor}"\n' if story.sensor else ""
        game = game_of_options(tags, seed)
        buttons = buttons_text(len(game.cell_names)) if story.presses else ""
        board = parse_board(sensor + buttons, story.name, None, tags)
        if story.position and game.setup_in_record:
            game = game_of_options((*tags, ("Setup", story.position)), seed)
        begun: AnyLine = Line.begin(
            game, game.parse_position(story.position) if story.position else game.start()
        )
        super().__init__(story, seed, board, begun)
        self.table = build_sensor_board(board, game, seed)
        if story.board_kind:
            self.table.controller._kind = story.board_kind
        pieces = set_of(game, board.sensor)
        self.table.place(self._laid() if story.laid else pieces.laid(self._base.position))
        self._snaps: list[Snap] = []
        self._version = -1
        self._begin_story(new=not story.before)

    def _laid(self) -> list[Laid]:
        """Disks as the rows of a position have them, whatever they are, and one of each colour beside the board."""
        lying = KINDS["banks"].read(self.story.laid)
        return [
            *(Laid(look[0], self._names.index(cell)) for cell, (look,) in lying.items()),
            *(Laid(kind) for kind in range(6)),
        ]

    def _picture(self) -> None:
        kind = KINDS[self.story.game]
        self._snaps.append(snap_of(kind, list(self._names), self.now_s, marble_rows(self.table)))

    def _watch(self) -> None:
        if self.table.version != self._version:
            self._version = self.table.version
            self._picture()

    def _must_agree(self, what: str) -> None:
        self._picture()
        text = self._position_text()
        if self._snaps[-1].lying != KINDS[self.story.game].read(text):
            raise self._failed(f"{what}: the pieces lie elsewhere than in {text}")

    def _by_hand(self, step: Step) -> None:
        hand, words, told = self.table.hands[step.other], step.words, step.options or {}
        turn = int(told["turn"]) if "turn" in told else None
        pointer = int(told["pointer"]) if "pointer" in told else None
        match step.verb:
            case "lift":
                count = int(words[1]) if len(words) > 1 else 0
                hand.lift(self._cell(words[0]), Manner.RANDOM, count)
            case "put":
                manner = Manner(words[1]) if len(words) > 1 else Manner.RANDOM
                hand.put(self._cell(words[0]), manner, turn=turn, pointer=pointer)
            case "turn":
                hand.turn(self._cell(words[0]), turn=turn, pointer=pointer, manner=Manner.RANDOM)
            case _:
                super()._by_hand(step)

    def _line_must_be(self, turns: tuple[str, ...]) -> None:
        told = tuple(map(self.session.game.move_text, self.session.line.moves))
        if told != turns:
            raise self._failed(
                f"the line of play is {' '.join(told) or 'empty'}, not {' '.join(turns) or 'empty'}"
            )

    def _wrong(self, journal: bytes) -> list[str]:
        return check_pieces(self.story.game, journal, self._snaps).wrong
