"""Words: one game event and the facts around it in; what the page says of it out. Pure, no state.

A headline says what is going on, a detail why, a guide what to do next; each is one plain sentence or empty.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto

from engine.levels import levels
from referee import events as e
from referee.guide import names
from rules.game import Outcome
from rules.games import AnyGame

from .players import Player

HOW = {
    "balanx": "Lift a {side} marble: it jumps over others, or steps one space sideways.",
    "banks": "Lift a disk of one of your colours: it runs straight on, and banks on the edges.",
    "boxilies": "Place a stone with its figure to the other side: greater sides turn their neighbours over.",
    "fourhigh": "Lift a {side} stack: singles run like queens, higher ones step like kings; the other way to capture.",
}
"""How a turn is begun, by game; `side` is the seat's name."""

ENDS = {
    ("banks", "stuck"): "The player to move has no disk that can move.",
    ("", "stuck"): "Nobody can move.",
    ("", "quiet"): "Too many turns went by without a capture.",
    ("", "closed"): "No capture can happen any more.",
    ("", "full"): "All cells are full.",
    ("", "agreed"): "The players agreed.",
}
"""Why a game that counts came to its end, by game ("" for the others) and reason."""

TROUBLE = {
    "too_early": "Too early",
    "not_announced": "That is not the announced move",
    "second_marble": "A second {piece} was moved",
    "stuck_marble": "A marble is stuck",
    "changed": "Something else was changed",
    "differs": "The board and the game differ",
    "undone": "A turn is taken back",
}
"""Headlines of the referee's own codes; any other code is a reason of the rules."""


class Guide(Enum):
    """What a guide is for."""

    DO = auto()  # what to do, or to know
    BACK = auto()  # what is in a hand is to be put back
    ASIDE = auto()  # to be read by who looks for it, not to be said aloud


@dataclass(frozen=True, slots=True)
class Say:
    """What the page says. `condition` names the situation for scripts and style sheets."""

    condition: str
    headline: str
    detail: str = ""
    guide: str = ""
    kind: Guide = Guide.DO

    def because(self, detail: str, condition: str = "") -> Say:
        """The same situation with another reason."""
        return replace(self, detail=detail, condition=condition or self.condition)


@dataclass(frozen=True, slots=True)
class Words:
    """Speaks of one game with these players. by_hand: people push the board down."""

    game: AnyGame
    players: tuple[Player, ...]
    simulated: bool
    by_hand: bool

    def seat(self, seat: int) -> str:
        """`White`, or `White (computer, level 3)`."""
        name = self.game.seats[seat]
        player = self.players[seat]
        return f"{name} ({label(player)})" if player.machine else name

    def _tilt_to(self, side: int) -> str:
        if not self.game.tilts:
            return ""
        return f"Push the board down on {self.game.seats[side]}'s side." if self.by_hand else ""

    # ---- how the game stands -------------------------------------------------------------------------------

    def waiting(self) -> Say:
        """Nothing has been heard yet."""
        return Say("starting", "A moment, please", "The game is getting ready.")

    def resumed(self, turns: int) -> Say:
        """A game goes on that was begun before."""
        return Say(
            "settling",
            "The game goes on",
            f"{count(turns, 'turn')} so far. The board is compared with the game.",
        )

    def begun(self) -> Say:
        """A game has begun."""
        return Say(
            "settling",
            "A new game",
            " against ".join(self.seat(seat) for seat in range(len(self.players))) + ".",
        )

    def taken(self, event: e.TurnTaken, side: int) -> Say:
        """A turn is done; `side` is next."""
        name, nxt = self.game.seats[event.seat], self.game.seats[side]
        headline = (
            f"{name} has no move and passes" if event.witness == "pass" else f"{name} played {event.move}"
        )
        detail = f"The board tilts to {nxt}." if self.game.tilts else f"{nxt} is next."
        seen = f"The board did not see the {self.game.piece} being lifted, only where it came to lie."
        return Say(
            "settling",
            headline,
            self._tilt_to(side) or detail,
            seen if event.witness == "unwitnessed" else "",
        )

    def taken_back(self, event: e.TakenBack, side: int) -> Say:
        """Turns were undone."""
        return Say(
            "settling",
            f"{count(event.plies, 'turn')} taken back",
            f"{self.game.seats[side]} is to move again.",
        )

    def position_set(self, side: int) -> Say:
        """The board was accepted as it is."""
        detail = f"{self.game.seats[side]} is to move. The moves before stay in the record."
        return Say("settling", "The board is right", detail)

    def aligning(self, side: int) -> Say:
        """The board is not yet ready for `side`."""
        detail = self._tilt_to(side) or f"It gets ready for {self.game.seats[side]}."
        return Say("settling", "The board is compared with the game", detail)

    def turn(self, side: int) -> Say:
        """`side` may move."""
        name = self.game.seats[side]
        if self.players[side].machine:
            return self.thinking(side)
        detail = HOW[self.game.name].format(side=name.lower())
        guide = "Drag it with the mouse or a finger." if self.simulated else ""
        return Say("turn", f"{name} to move", detail, guide, Guide.ASIDE)

    def choosing(self, side: int) -> Say:
        """`side` is to choose a disk."""
        name = self.game.seats[side]
        if self.players[side].machine:
            return self.thinking(side)
        return Say("turn", f"{name} to choose", "Take a disk of a colour that nobody has: it is yours then.")

    def thinking(self, side: int) -> Say:
        """A machine has the move."""
        return Say(
            "thinking",
            f"{self.game.seats[side]} is thinking",
            f"It is the turn of the {label(self.players[side])}.",
        )

    def announced(self, event: e.Announced) -> Say:
        """A machine has chosen."""
        cells = self.game.cell_names
        headline = f"{self.game.seats[event.seat]} plays {event.move}"
        if self.simulated:
            return Say("announced", headline, "The hand on the screen makes the move.")
        piece, start, goal = self.game.piece, cells[event.from_cell], cells[event.to_cell]
        take = f"Please take the {piece} from {start} and put it on {goal}."
        if start == goal:  # it comes from beside the board, or goes there
            take = f"Please do {event.move} for it."
        return Say("announced", headline, f"The computer cannot move {piece}s: make its move for it.", take)

    def over(self, event: e.GameOver) -> Say:
        """The game has ended."""
        return Say("over", *outcome_words(self.game, event.result, event.note))

    # ---- what comes between --------------------------------------------------------------------------------

    def set_up(self, event: e.SetUpWanted) -> Say:
        """The pieces are to be set up."""
        guide = []
        if event.missing:
            guide.append(f"Still to be filled: {few(event.missing)}.")
        if event.extra:
            guide.append(f"To be cleared: {few(event.extra)}.")
        detail = "Each player's marbles begin in the corner at the far left." if self.game.tilts else ""
        return Say("set_up", event.say, detail, " ".join(guide))

    def provisional(self, event: e.MoveProvisional, side: int, after: int) -> Say:
        """A move was recognised and becomes a turn in a moment."""
        game, name = self.game, self.game.seats[side]
        if event.move and game.is_pass(game.parse_move(event.move)):
            nxt = (
                f"The board tilts to {game.seats[after]}." if game.tilts else f"{game.seats[after]} is next."
            )
            return Say("provisional", f"{name} has no move and passes", nxt)
        headline = f"{name}: {event.move}"
        if not game.tilts:
            detail = "It counts in a moment."
        else:
            detail = self._tilt_to(after) or f"In a moment the board tilts to {game.seats[after]}."
        if event.or_takeback:
            return Say(
                "provisional", headline, detail, f"Or was it to take back {count(event.or_takeback, 'turn')}?"
            )
        guide = "" if self.players[side].machine else "It can still be changed, or put back."
        return Say("provisional", headline, detail, guide, Guide.ASIDE)

    def in_hand(self, event: e.InHand, side: int, own: bool | None, ready: bool, target: str) -> Say:
        """Marbles are off the board.

        own: whether the one lifted marble is of the side to move, None if not known. target: where the
        announced move leads, if it was its marble.
        """
        home, piece = names(event.lifted), self.game.piece
        if event.missing > 1:
            guide = f"Put them back: {few(event.lifted)}." if event.lifted else "Put them back."
            headline = f"{event.missing} {piece}s are off the board"
            if event.targets:
                return Say("in_hand", headline, f"It may capture on {few(event.targets)}.", guide, Guide.BACK)
            return Say("in_hand", headline, f"One {piece} is moved at a time.", guide, Guide.BACK)
        headline = f"The {piece} from {home} is up" if len(event.lifted) == 1 else f"A {piece} is up"
        if target:
            return Say("in_hand", headline, "", f"Put it on {target}.")
        guide = f"Put it back on {home}." if len(event.lifted) == 1 else "Put it back where it was."
        back = Say("in_hand", headline, "", guide, Guide.BACK)
        if not ready:
            return back.because(
                f"The board never tilts while a {piece} is in a hand." if self.game.tilts else ""
            )
        if self.players[side].machine:
            return back.because(f"It is the turn of the {label(self.players[side])}.")
        if own is False:
            return back.because(f"But it is {self.game.seats[side]}'s turn.")
        if not event.targets:
            return back.because("It has nowhere to go." if own else "")
        return Say("in_hand", headline, f"It may go to {few(event.targets)}.", "Or put it back.", Guide.ASIDE)

    def out_of_step(self, event: e.OutOfStep) -> Say:
        """The picture fits no rule."""
        headline = TROUBLE.get(event.code, "That move is not allowed").format(piece=self.game.piece)
        return Say("out_of_step", headline, event.say, event.guide)

    def turning(self, event: e.TurningWanted) -> Say:
        """Pieces are to be turned for a move."""
        if event.wrong:
            return Say("turning", f"{event.move}, but something else was changed", event.say)
        left = len(event.cells) - 1
        guide = f"Then {left} more." if left else ""
        return Say("turning", event.move, event.say, guide)

    def question(self, event: e.Question) -> Say:
        """The players are asked."""
        return Say("question", "Which move was it?", event.say)

    def takeback(self, event: e.TakebackShown) -> Say:
        """Turns will be taken back."""
        return Say(
            "takeback",
            f"Taking back {count(event.plies, 'turn')}",
            f"The {self.game.piece}s lie as they did before.",
            f"Lift any {self.game.piece} to go on without taking back.",
        )

    def tilt_warning(self, event: e.TiltWarning) -> Say:
        """The motor will start."""
        goes = "go level" if event.seat is None else f"tilt to {self.game.seats[event.seat]}"
        return Say("tilt_warning", f"The board will {goes}", "Hands off, please.")

    def tilting(self, event: e.TiltStarted) -> Say:
        """The motor runs."""
        if event.rock:
            return Say("tilting", "The board rocks a little", "A marble has not rolled: this may free it.")
        if event.seat is None:
            return Say("tilting", "The board goes level", "The game is kept and goes on from here.")
        return Say(
            "tilting", f"The board tilts to {self.game.seats[event.seat]}", "Loose marbles roll one space."
        )

    def tilt_wanted(self, event: e.TiltWanted) -> Say:
        """People push."""
        return Say(
            "tilt_wanted",
            f"Push the board down on {self.game.seats[event.seat]}'s side",
            "Then the marbles roll.",
        )

    def tilt_stopped(self, event: e.TiltStopped) -> Say:
        """The motor was stopped."""
        detail = f"Something happened on {event.cell} that no rolling marble does."
        return Say(
            "tilt_stopped",
            "The tilt was stopped",
            detail,
            "Hands off: it goes on when all marbles are in place.",
        )

    def stopped(self, event: e.Stopped) -> Say:
        """Nothing moves until somebody says so."""
        guide = "" if self.simulated else f"It goes on by YES, or by two taps on a {self.game.piece}."
        if event.parked:
            return Say("parked", "The board is parked", "Its motor is off. The game is kept.", guide)
        return Say("stopped", "The board is stopped", "Nothing moves until you say that it may go on.", guide)

    def held(self, say: Say) -> Say:
        """The same on a board that was stopped: it does not tilt in a moment."""
        if self.by_hand or not self.game.tilts or say.condition not in ("settling", "provisional"):
            return say
        return say.because("It does not tilt until somebody says that it may go on.")

    def no_board(self, link: bool | None, why: str) -> Say:
        """The controller is not there. link None: it was never seen."""
        if link is None:
            return Say("no_board", "Looking for the board", "The game begins when it answers.")
        detail = f"{why[:1].upper()}{why[1:].rstrip('.')}." if why else ""
        return Say(
            "no_board",
            "The board is not connected",
            detail,
            "It is looked for all the time, and nothing is lost.",
        )


def label(player: Player) -> str:
    """`computer, level 3`."""
    return {"human": "person", "random": "random player"}.get(player.kind, f"computer, level {player.level}")


def choices(name: str) -> list[dict[str, str]]:
    """Who can be chosen for a new game of that name: value for NewGame, and label."""
    players = [Player("human"), *(Player("engine", level) for level in levels(name)), Player("random")]
    return [{"value": player.text, "label": label(player)} for player in players]


def count(number: int, thing: str) -> str:
    """`1 turn`, `2 turns`."""
    return f"{number} {thing}" + ("" if number == 1 else "s")


def few(spaces: Sequence[str]) -> str:
    """The names, or how many where they are many."""
    return names(spaces) if len(spaces) <= 6 else f"{len(spaces)} spaces (marked)"


def outcome_words(game: AnyGame, result: str, note: str = "") -> tuple[str, str]:
    """Headline and detail of a record's last token."""
    if result == "*":
        return "The game was broken off", f"{note[:1].upper()}{note[1:].rstrip('.')}." if note else ""
    outcome = game.parse_result(result)
    assert outcome is not None
    if outcome.scores:
        return _counted(game, outcome)
    if outcome.winner is None:
        why = {
            "repetition": "The same position stood for the third time.",
            "stuck": "Neither player can move.",
            "agreed": "The players agreed.",
        }
        return "A draw", why.get(outcome.reason, "")
    winner, loser = game.seats[outcome.winner], game.seats[1 - outcome.winner]
    why = {
        "home": f"All ten of {winner}'s marbles are home.",
        "blocked": f"{winner}'s corner is full, and {loser}'s own marbles are in it.",
        "resigned": f"{loser} resigned.",
    }
    return f"{winner} wins", why.get(outcome.reason, "")


def _counted(game: AnyGame, outcome: Outcome) -> tuple[str, str]:
    """Headline and detail of a game that is won by its count."""
    best = max(outcome.scores)
    winners = [seat for seat, score in zip(game.seats, outcome.scores, strict=True) if score == best]
    counts = ", ".join(f"{seat} {score}" for seat, score in zip(game.seats, outcome.scores, strict=True))
    why = ENDS.get((game.name, outcome.reason), ENDS.get(("", outcome.reason), ""))
    if len(winners) == 1:
        return f"{winners[0]} wins", f"{counts}. {why}".rstrip()
    headline = "A draw" if len(winners) == len(game.seats) else f"{names(winners)} share the win"
    return headline, f"{counts}. {why}".rstrip()
