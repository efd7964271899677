"""An evening by ear: its player hears what the voice says, feels where marbles lie, has a hand and three buttons."""

from __future__ import annotations

import re

from balanxd.assemble import assemble, game_on, header_of
from balanxd.buttons import buttons_text
from balanxd.config import parse_board
from balanxd.players import Player, choose
from balanxd.simulated.build import build_table
from balanxd.simulated.lockstep import Lockstep
from balanxd.simulated.wire import PipeWire
from balanxd.sound.outlet import Sound
from balanxd.view import View
from hardware.buttons import Button
from referee import commands as c
from referee import events as e
from rules.line import Line

LETTERS_S = 15.0  # how quickly a voice reads out
STEP_S = 0.05
SPACE = re.compile(r"\b[a-h]\d\b")


class Evening:
    """A board with a motor and buttons; White is the player, Black the computer. No page and no lights."""

    def __init__(self) -> None:
        board = parse_board(buttons_text(56), "evening")
        self.players = (Player("human"), Player("engine", 1))
        line = Line.begin(game_on(board))
        self.names = board.layout.cell_names
        self.table = build_table(board, 1)
        self.heard: list[str] = []
        self._silent_s = 0.0  # from when on the voice is silent
        self._view = View(
            line.game,
            players=("human", "engine:1"),
            simulated=False,
            sensor=board.sensor,
            manual_tilt=False,
        )
        self._sound = Sound(None, self, self.heard.append)
        header = header_of(line, board, self.players, "????.??.??")
        self.pipeline = assemble(board, line, self.players, seed=1, header=header)
        self._now_s = self.table.now_s
        self._lockstep = Lockstep(self.table, self.pipeline, PipeWire(), self._handle)

    @property
    def busy(self) -> bool:
        """See Voice."""
        return self._now_s < self._silent_s

    def say(self, text: str) -> None:
        """See Voice."""
        self.heard.append(text)
        self._silent_s = self._now_s + len(text) / LETTERS_S

    def hush(self) -> None:
        """See Voice."""
        self._silent_s = self._now_s

    async def close(self) -> None:
        """See Voice."""

    def _handle(self, event: e.GameEvent, now_s: float) -> None:
        self._now_s = now_s
        self._view.take(event)
        self._sound.follow(event, self._view.say, now_s, motor=True)
        if isinstance(event, e.MoveWanted):
            move = choose(self.players[event.seat], self.pipeline.session.line, 1)
            self._lockstep.command(c.Announce(move, event.position))

    def run(self, lasts_s: float) -> None:
        """Time passes, the voice speaks."""
        end_s = self._lockstep.now_s + lasts_s
        while self._lockstep.now_s < end_s:
            self._lockstep.run(lambda: False, min(end_s, self._lockstep.now_s + STEP_S))
            self._now_s = self._lockstep.now_s
            self._sound.tick(self._now_s)

    # ---- the player ----------------------------------------------------------------------------------------

    def hear(self, *beginnings: str, after: int = 0) -> str:
        """Wait for a sentence that begins so, among those from the `after`-th on."""
        for _ in range(300):
            for text in self.heard[after:]:
                if text.startswith(beginnings):
                    return text
            self.run(0.2)
        raise AssertionError(f"{beginnings} is not heard, but {self.heard[after:]}")

    def hand(self, deed: str, space: str) -> int:
        """Lift or put a marble. How many sentences were heard before."""
        before, cell = len(self.heard), self.names.index(space)
        hand = self.table.hand
        (hand.lift if deed == "lift" else hand.put)(cell)
        while hand.busy:
            self.run(STEP_S)
        return before

    def press(self, button: Button) -> int:
        before = len(self.heard)
        self.table.buttons.press(button)
        self.run(0.5)
        return before

    def marbles(self, seat: int) -> list[str]:
        """Felt with the fingers."""
        return [self.names[cell] for cell, owner in self.table.occupancy().items() if owner == seat]


def test_a_player_who_only_hears_plays_is_led_back_and_resigns() -> None:
    evening = Evening()
    evening.hear("White to move.")

    # A turn, found by lifting one marble after another and listening.
    for space in evening.marbles(0):
        before = evening.hand("lift", space)
        told = evening.hear("The marble from", after=before)
        goals = SPACE.findall(told.partition("It may go to")[2])
        assert SPACE.findall(told)[0] == space
        if goals:
            break
        assert f"Put it back on {space}." in told
        evening.hand("put", space)
        evening.run(1.0)
    before = evening.hand("put", goals[0])
    assert evening.hear("Hands off. White:", after=before) == f"Hands off. White: {space} to {goals[0]}."

    # The computer's move is said, and made for it.
    told = evening.hear("Black plays", after=before)
    start, goal = SPACE.findall(told.partition("Please take")[2])
    before = evening.hand("lift", start)
    assert f"Put it on {goal}." in evening.hear(f"The marble from {start} is up.", after=before)
    before = evening.hand("put", goal)
    evening.hear("White to move.", after=before)
    assert len(evening.pipeline.session.line.moves) == 2

    # A wrong move; what is said is enough to put it right.
    space, free = (
        min(evening.marbles(1)),
        max(set(evening.names) - set(evening.marbles(0) + evening.marbles(1))),
    )
    before = evening.hand("lift", space)
    assert f"But it is White's turn. Put it back on {space}." in evening.hear("The marble", after=before)
    before = evening.hand("put", free)
    told = evening.hear("That move is not allowed.", after=before)
    taken, wanted = SPACE.findall(told.partition("Take the marble")[2])
    assert wanted == space
    evening.hand("lift", taken)
    before = evening.hand("put", wanted)
    evening.hear("White to move.", after=before)
    assert len(evening.pipeline.session.line.moves) == 2

    # The menu: what it says is what it does, and it asks once more before it cannot be undone.
    before = evening.press(Button.NEXT)
    for _ in range(10):
        if "White resigns" in evening.heard[-1]:
            break
        before = evening.press(Button.NEXT)
        evening.hear("", after=before)
    before = evening.press(Button.YES)
    assert evening.hear("White resigns.", after=before) == "White resigns. Are you sure? Yes once more."
    before = evening.press(Button.YES)
    assert evening.hear("White resigned.", after=before) == "White resigned. Black wins. White resigned."
