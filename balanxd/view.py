"""View: a game's events in, what the page shows of it out. Pure: the caller says what time it is.

It follows the events as the journal does and keeps no verdict of its own: what it knows of the position is
what the last lasting event said, and what is going on is what the last live event said.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeVar, assert_never

from referee import events as e
from rules.game import Game
from rules.line import Line

from . import boards
from .players import titled
from .words import Say, Words, label, outcome_words

UNKNOWN = -1
"""In `shown`: a marble whose owner nobody knows."""
FAULTS = 4
ASKABLE = 3  # more missing marbles than this are not a sensor's fault, but a hand's

V = TypeVar("V")


class View:
    """What the page shows of one game.

    players: `human`, `engine:3`, `random`, or the titles that a record gives them. manual_tilt: people push
    the board down. The runner sets `unsaved` (turns not yet on disk) and `bearings_hold` (a line of words).
    `menu` is what the board's menu shows, None where it is closed, and `menu_said` its last word.
    """

    def __init__(
        self,
        game: Game[Any, Any],
        *,
        players: tuple[str, ...],
        simulated: bool,
        sensor: str,
        manual_tilt: bool,
    ) -> None:
        self.unsaved = 0
        self.bearings_hold = ""
        self._game = game
        self._simulated = simulated
        self._sensor = sensor
        self._by_hand = manual_tilt
        self._players = tuple(map(titled, players))
        self._words = Words(game, self._players, simulated, manual_tilt)
        self._plan = boards.plan(game)
        self._bad: dict[str, str] = {}
        self._faults: list[e.Fault] = []
        self._link: bool | None = None
        self._why = ""
        self.menu: e.MenuShown | None = None
        self.menu_said = ""
        self._held: str | None = None  # "stopped" or "parked"
        self._begin(game.start())

    def _begin(self, position: Any, moves: Iterable[str] = (), before: Iterable[Any] = ()) -> None:
        self._moves = list(moves)
        self._positions = [*before, position]
        self._phase = "setting_up"
        self._result: e.GameOver | None = None
        self._down: int | None = self._game.tilt(position)
        self._moving = self._to_level = False
        self._say = self._base = self._words.waiting()
        self._event: e.GameEvent | None = None
        self._announced: e.Announced | None = None
        self._offer = 0  # so many turns may be taken back instead of the move that was just made

    def resume(self, line: Line[Any, Any]) -> None:
        """Show a game that was begun before."""
        self._begin(line.position, map(self._game.move_text, line.moves), line.positions[:-1])
        if line.outcome is None:
            self._phase = "aligning"
            self._set(self._words.resumed(len(self._moves)))
        else:
            over = e.GameOver(result=self._game.result_text(line.outcome))
            self._phase, self._result = "over", over
            self._set(self._words.over(over))

    @cached_property
    def _offered(self) -> list[dict[str, Any]]:
        """Found out for the first page, not for a daemon without one."""
        return boards.offered(self._game, self._simulated)

    @property
    def _position(self) -> Any:
        return self._positions[-1]

    @property
    def _side(self) -> int:
        return int(self._position.side)

    # ---- following -----------------------------------------------------------------------------------------

    def take(self, event: e.GameEvent) -> None:
        """Follow one event."""
        self._follow_offer(event)
        match event:
            case e.SensorNamed():
                self._bad[event.cell] = event.say
            case e.SensorTrusted():
                self._bad.pop(event.cell, None)
            case e.Fault():
                self._faults = [old for old in self._faults if (old.kind, old.say) != (event.kind, event.say)]
                self._faults = [*self._faults, event][-FAULTS:]
            case e.LinkChanged():
                self._link_changed(event)
            case e.MenuShown():
                self.menu, self.menu_said = event, ""
            case e.MenuClosed():
                self.menu, self.menu_said = None, event.say
            case e.GameStarted() | e.TurnTaken() | e.TakenBack() | e.PositionSet() | e.GameOver():
                self._lasting(event)
            case _:
                self._live(event)

    def _follow_offer(self, event: e.GameEvent) -> None:
        """What may be taken back instead stands until the next marble is lifted."""
        match event:
            case e.MoveProvisional():
                self._offer = event.or_takeback
            case e.TurnTaken() if self._offer:
                self._offer += 1
            case (
                e.InHand()
                | e.OutOfStep()
                | e.Question()
                | e.MoveWithdrawn()
                | e.TakebackShown()
                | e.TakenBack()
                | e.PositionSet()
                | e.GameOver()
            ):
                self._offer = 0
            case _:
                pass

    def _set(self, say: Say, event: e.GameEvent | None = None) -> None:
        """This is how the game stands, also after whatever comes between."""
        self._base = self._say = say
        self._event = event

    def _link_changed(self, event: e.LinkChanged) -> None:
        self._link, self._why = event.up, event.why
        if event.up:
            self._faults = [fault for fault in self._faults if fault.kind not in ("link", "board")]
        if self._phase == "over":
            return
        if self._phase == "open":
            self._phase = "aligning"
        self._announced, self._moving = None, False
        self._set(self._words.waiting() if self._phase == "setting_up" else self._words.aligning(self._side))

    def _lasting(self, event: e.Lasting) -> None:
        game, words = self._game, self._words
        self._announced = None
        if not self.unsaved:
            self._faults = [fault for fault in self._faults if fault.kind != "disk"]
        match event:
            case e.GameStarted():
                self._begin(game.parse_position(event.position))
                self._set(words.begun(), event)
                self._phase = "aligning"
                self._sensor = event.sensor
            case e.TurnTaken():
                self._moves.append(event.move)
                self._positions.append(game.parse_position(event.position))
                self._phase = "aligning"
                self._set(words.taken(event, self._side), event)
            case e.TakenBack():
                left = max(0, len(self._moves) - event.plies)
                del self._moves[left:], self._positions[left:]
                self._positions.append(game.parse_position(event.position))
                self._phase = "aligning"
                self._set(words.taken_back(event, self._side), event)
            case e.PositionSet():
                self._moves, self._positions = [], [game.parse_position(event.position)]
                self._phase = "aligning"
                self._set(words.position_set(self._side), event)
            case e.GameOver():
                self._phase, self._result = "over", event
                self._set(words.over(event), event)
            case _:
                assert_never(event)

    def _live(self, event: e.Live) -> None:
        words, side = self._words, self._side
        before, self._event = self._event, event
        match event:
            case e.TurnOpened():
                self._phase = "open"
                self._down, self._moving = event.seat if self._game.tilts else None, False
                self._faults = [fault for fault in self._faults if fault.kind != "tilt"]
                choosing = getattr(self._position, "choosing", False)
                self._set((words.choosing if choosing else words.turn)(event.seat), event)
            case e.MoveWanted():
                self._set(words.thinking(event.seat), event)
            case e.Announced():
                self._announced = event
                self._set(words.announced(event), event)
            case e.BackInStep():
                self._say = self._base
            case e.TakebackCancelled():
                self._say = self._base.because("Nothing is taken back.")
            case e.MoveWithdrawn():
                self._say = self._base.because(f"{event.move} was put back.")
            case e.CalledOff():
                waits = f"{before.move} waits" if isinstance(before, e.MoveProvisional) else "The tilt waits"
                self._say = self._base.because(f"{waits}: something moved on the board.", "looking")
            case e.MoveProvisional():
                self._say = words.provisional(event, side, self._next_side())
            case e.TakebackShown():
                self._say = words.takeback(event)
            case e.InHand():
                self._say = self._in_hand(event)
            case e.OutOfStep():
                self._say = words.out_of_step(event)
            case e.TurningWanted():
                self._say = words.turning(event)
            case e.Question():
                self._say = words.question(event)
            case e.SetUpWanted():
                self._set(words.set_up(event), event)
            case e.TiltWarning():
                self._say = words.tilt_warning(event)
            case e.TiltStarted():
                self._moving = True
                self._to_level = event.seat is None  # marbles stay where the last tilt has rolled them
                if event.seat is not None and not event.rock:
                    self._down = event.seat
                self._say = words.tilting(event)
            case e.TiltWanted():
                self._set(words.tilt_wanted(event), event)
            case e.TiltStopped():
                self._moving = False
                self._say = words.tilt_stopped(event)
            case e.Stopped():
                self._stopped(event)
            case e.WentOn():
                self._held = None
                self._set(words.aligning(side) if self._phase == "aligning" else self._base)
            case (
                e.SensorNamed()
                | e.SensorTrusted()
                | e.Fault()
                | e.LinkChanged()
                | e.MenuShown()
                | e.MenuClosed()
            ):
                raise AssertionError("follows elsewhere: such events leave the scene as it is")
            case _:
                assert_never(event)

    def _stopped(self, event: e.Stopped) -> None:
        self._moving = False
        self._held = "parked" if event.parked else "stopped"
        if event.parked and self._phase == "open":
            self._phase = "aligning"
        self._say = self._words.stopped(event)

    def _next_side(self) -> int:
        scene, game = self._event, self._game
        if game.tilts or not isinstance(scene, e.MoveProvisional):
            return (self._side + 1) % len(game.seats)
        return int(game.play(self._position, game.parse_move(scene.move)).side)

    def _in_hand(self, event: e.InHand) -> Say:
        own: bool | None = None
        owners = {self._owner(self._position, space) for space in event.lifted}
        if len(owners) == 1:
            own = owners == {self._side}
        goal = self._announced_goal(event)
        if goal and self._simulated:  # that is the hand on the screen, which needs no advice
            return replace(self._base, condition="in_hand")
        if self._phase == "aligning" and len(event.lifted) == len(event.targets) == 1:
            goal = event.targets[0]  # its turn was taken back
        return self._words.in_hand(event, self._side, own, self._phase == "open", goal)

    def _announced_goal(self, event: e.InHand) -> str:
        """Where the announced move leads, if the one lifted marble is the one that makes it; else empty."""
        announced, names = self._announced, self._game.cell_names
        if announced is None or event.missing != 1 or names[announced.from_cell] not in event.lifted:
            return ""
        return names[announced.to_cell]

    # ---- showing -------------------------------------------------------------------------------------------

    @property
    def say(self) -> Say:
        """The words of what the page shows."""
        if self._link is not True and self._phase != "over":
            return self._words.no_board(self._link, self._why)
        return self._words.held(self._say) if self._held else self._say

    @property
    def scene(self) -> e.GameEvent | None:
        """The event that `say` is about; None: none is."""
        return None if self.say.condition == "no_board" else self._event

    def state(self, now_s: float) -> dict[str, Any]:
        """The whole of what the page shows, in values that JSON knows. `left_s` counts from `now_s`."""
        say = self.say
        scene = self.scene
        position, game = self._position, self._game
        return {
            "game": game.name,
            "title": boards.TITLES[game.name],
            "piece": game.piece,
            "layout": self._plan,
            "simulated": self._simulated,
            "manual_tilt": self._by_hand,
            "sensor": self._sensor,
            "players": [
                {"seat": seat, "name": game.seats[seat], "title": label(player), "machine": player.machine}
                for seat, player in enumerate(self._players)
            ],
            "offered": self._offered,
            "position": game.position_text(position),
            "placement": self._placement(position),
            **({"shown": self._shown(scene)} if game.tilts else self._pieces(scene)),
            "side": self._side,
            "ply": len(self._moves),
            "moves": self._numbered(),
            "last": self._last(),
            "phase": self._phase,
            "condition": say.condition,
            "headline": say.headline,
            "detail": say.detail,
            "guide": say.guide,
            **self._marks(scene),
            **self._clocks(scene, now_s),
            "tilt": {"seat": None if self._to_level else self._down, "moving": self._moving},
            "announced": self._announced_state(),
            "question": {"moves": scene.moves, "say": scene.say} if isinstance(scene, e.Question) else None,
            "bad_sensors": [{"space": space, "say": text} for space, text in self._bad.items()],
            "faults": [{"kind": fault.kind, "say": fault.say} for fault in self._faults],
            "link": {"up": self._link, "why": self._why},
            "unsaved": self.unsaved,
            "bearings_hold": self.bearings_hold,
            "outcome": self._outcome(),
            "buttons": self._buttons(scene),
            "stopped": self._held,
            "menu": self._menu_state(),
            "menu_said": self.menu_said,
        }

    def _numbered(self) -> list[dict[str, object]]:
        """Turns as a record numbers them: from 1, and a round of all seats has one number."""
        number, found = 1, []
        for ply, (move, position) in enumerate(zip(self._moves, self._positions, strict=False)):
            if ply and self._game.place_in_round(position) == 0:
                number += 1
            found.append({"ply": ply, "number": number, "seat": position.side, "move": move})
        return found

    def _last(self) -> dict[str, str] | None:
        """The last move, and where its marble `rests` now that the board has tilted; None after a pass."""
        travel = self._travel(self._moves[-1]) if self._moves else None
        if travel is None:
            return None
        names, goal = self._game.cell_names, travel["to"]
        if self._game.tilts and self._owner(self._position, goal) is None:
            single = bytes(int(name == goal) for name in names)
            goal = names[self._game.level(single, self._side).index(1)]
        return {**travel, "rests": goal}

    def _marks(self, scene: e.GameEvent | None) -> dict[str, object]:
        """Spaces that the page lights, and arrows between them."""
        lifted: tuple[str, ...] = ()
        targets: tuple[str, ...] = ()
        missing: tuple[str, ...] = ()
        extra: tuple[str, ...] = ()
        wrong: tuple[str, ...] = ()
        arrows: list[dict[str, str]] = []
        if self._announced is not None:
            names = self._game.cell_names
            ends = names[self._announced.from_cell], names[self._announced.to_cell]
            arrows.append({"from": ends[0], "to": ends[1], "kind": "announced"})
        match scene:
            case e.InHand():
                lifted, targets = scene.lifted, scene.targets
                if goal := self._announced_goal(scene):
                    targets = (goal,)
            case e.OutOfStep():
                missing, extra, wrong = scene.missing, scene.extra, scene.spaces
                if missing and extra and missing[0] != extra[0]:
                    arrows = [{"from": extra[0], "to": missing[0], "kind": "back"}]
            case e.SetUpWanted():
                missing, extra = scene.missing, scene.extra
            case e.TurningWanted():
                targets, wrong = (scene.wrong or scene.cells)[:1], scene.wrong
            case e.MoveProvisional():
                if (travel := self._travel(scene.move)) is not None:
                    arrows = [{**travel, "kind": "provisional"}]
            case _:
                pass
        return {
            "lifted": lifted,
            "targets": targets,
            "missing": missing,
            "extra": extra,
            "wrong": wrong,
            "arrows": arrows,
        }

    def _clocks(self, scene: e.GameEvent | None, now_s: float) -> dict[str, object]:
        """What is under way to something: how long it still has, and how long it had at first."""
        clocks: dict[str, object] = {"provisional": None, "tilt_warning": None, "takeback": None}
        if isinstance(scene, e.MoveProvisional | e.TiltWarning | e.TakebackShown):
            clock: dict[str, object] = {
                "left_s": round(max(0.0, scene.due_s - now_s), 3),
                "total_s": round(max(0.0, scene.due_s - scene.at_s), 3),
            }
            match scene:
                case e.MoveProvisional():
                    clock |= {"move": scene.move, "or_takeback": scene.or_takeback, "warning": scene.warning}
                    clocks["provisional"] = clock
                case e.TiltWarning():
                    clocks["tilt_warning"] = clock | {"seat": scene.seat}
                case e.TakebackShown():
                    clocks["takeback"] = clock | {"plies": scene.plies}
        return clocks

    def _announced_state(self) -> dict[str, object] | None:
        announced = self._announced
        if announced is None:
            return None
        return {"seat": announced.seat, "move": announced.move, **(self._travel(announced.move) or {})}

    def _menu_state(self) -> dict[str, object] | None:
        menu = self.menu
        if menu is None:
            return None
        return {"number": menu.number, "count": menu.count, "say": menu.say, "sure": menu.sure}

    def _outcome(self) -> dict[str, object] | None:
        over = self._result
        if over is None:
            return None
        outcome = None if over.result == "*" else self._game.parse_result(over.result)
        headline, detail = outcome_words(self._game, over.result, over.note)
        winner = None if outcome is None else outcome.winner
        return {"result": over.result, "headline": headline, "detail": detail, "winner": winner}

    def _buttons(self, scene: e.GameEvent | None) -> dict[str, object]:
        """What may be asked for now; a key that is not there is a button that is not shown."""
        buttons: dict[str, object] = {"new_game": True}
        if self._phase in ("open", "aligning"):
            persons = [seat for seat, player in enumerate(self._players) if not player.machine]
            if persons and self._game.resigned(0) is not None:
                buttons["resign"] = persons
            if len(persons) == len(self._players):
                buttons["agree_draw"] = True
            turns = [ply for ply, at in enumerate(self._positions[:-1]) if at.side in persons]
            if turns and not self._offer:
                buttons["take_back"] = len(self._moves) - turns[-1]
            if self._game.tilts and not self._by_hand and not self._held:
                buttons["stop"] = True
        if self._held and self._simulated:
            buttons["go_on"] = True
        match scene:
            case e.OutOfStep():
                buttons["board_is_right"] = True
                # As many marbles as there should be are seen: no sensor is blind.
                if 0 < len(scene.missing) <= ASKABLE and not scene.extra:
                    buttons["marble_is_there"] = scene.missing
            case e.InHand():
                if 0 < len(scene.lifted) <= ASKABLE:
                    buttons["marble_is_there"] = scene.lifted
            case e.SetUpWanted():
                if self._game.setup_in_record:
                    buttons["board_is_right"] = True
                if 0 < len(scene.missing) <= ASKABLE:
                    buttons["marble_is_there"] = scene.missing
            case e.Question():
                buttons["confirm"] = scene.moves
            case _:
                pass
        if self._offer:
            buttons["take_back_instead"] = self._offer
        if self._simulated and self._by_hand and self._game.tilts and self._link:
            if isinstance(scene, e.TiltWanted):
                buttons["push"] = [scene.seat]
            elif isinstance(scene, e.MoveProvisional):
                buttons["push"] = [self._next_side()]
            elif isinstance(scene, e.TurnTaken):
                buttons["push"] = [self._side]
        return buttons

    # ---- where the marbles are, as far as events tell ------------------------------------------------------

    def _owner(self, position: Any, space: str) -> int | None:
        return self._game.owner(position, self._game.cell_names.index(space))

    def _placement(self, position: Any) -> dict[str, int]:
        names = self._game.cell_names
        owners = ((name, self._game.owner(position, cell)) for cell, name in enumerate(names))
        return {name: owner for name, owner in owners if owner is not None}

    def _pieces(self, scene: e.GameEvent | None) -> dict[str, object]:
        """What a board of unlike pieces shows: what lies where by the game, what events tell of it, scores, ways."""
        game, position = self._game, self._position
        at = position
        match scene:
            case e.TakebackShown() if scene.plies < len(self._positions):
                at = self._positions[-1 - scene.plies]
            case e.MoveProvisional() | e.TurningWanted():
                at = game.play(position, game.parse_move(scene.move))
            case _:
                pass
        lying = boards.pieces(game, at)
        gone: tuple[str, ...] = ()
        unknown: tuple[str, ...] = ()
        match scene:
            case e.InHand():
                gone = scene.lifted
            case e.OutOfStep() | e.SetUpWanted():
                gone, unknown = scene.missing, scene.extra
            case _:
                pass
        lying = _without(lying, gone) | {space: {"unknown": True, "owner": None} for space in unknown}
        own = self._phase == "open" and not self._players[self._side].machine
        lifted = scene.lifted if isinstance(scene, e.InHand) else ()
        turning = None
        if isinstance(scene, e.TurningWanted):
            turning = {"move": scene.move, "cells": scene.cells, "wrong": scene.wrong, "say": scene.say}
        before = self._positions[-2] if self._moves else None
        return {
            "pieces": boards.pieces(game, position),
            "shown_pieces": lying,
            "beside": boards.beside(game, position),
            "scores": boards.scores(game, position),
            "ways": boards.ways(game, position) if own else {},
            "routes": boards.routes(game, position, lifted) if own and lifted else {},
            "route": [] if before is None else boards.route(game, before, self._moves[-1]),
            "turning": turning,
        }

    def _travel(self, move: str) -> dict[str, str] | None:
        """From and to of a move; None for a pass."""
        parsed = self._game.parse_move(move)
        if self._game.is_pass(parsed):
            return None
        start, goal = self._game.travel(parsed)
        return {"from": self._game.cell_names[start], "to": self._game.cell_names[goal]}

    def _rolled(self, placement: dict[str, int]) -> dict[str, int]:
        """The placement when every marble has rolled to the side that is down."""
        game = self._game
        if not game.tilts:
            return placement
        picture = bytes(placement.get(name, UNKNOWN) + 1 for name in game.cell_names)
        rolled = game.level(picture, self._down)
        return {name: seen - 1 for name, seen in zip(game.cell_names, rolled, strict=True) if seen}

    def _shown(self, scene: e.GameEvent | None) -> dict[str, int]:
        """Whose marble lies where on the board now, for a page that sees no table."""
        position = self._position
        if isinstance(scene, e.TakebackShown) and scene.plies < len(self._positions):
            position = self._positions[-1 - scene.plies]
        placement = self._placement(position)
        match scene:
            case e.MoveProvisional():
                travel = self._travel(scene.move)
                if travel is not None and travel["from"] in placement:
                    placement[travel["to"]] = placement.pop(travel["from"])
            case e.InHand():
                return _without(self._rolled(placement), scene.lifted)
            case e.SetUpWanted():
                return _without(placement, scene.missing) | dict.fromkeys(scene.extra, UNKNOWN)
            case e.OutOfStep():
                rolled = self._rolled(placement)
                alike = {rolled.get(space, UNKNOWN) for space in scene.missing}
                colour = alike.pop() if len(alike) == 1 else UNKNOWN
                return _without(rolled, scene.missing) | dict.fromkeys(scene.extra, colour)
            case _:
                pass
        return self._rolled(placement)


def _without(placement: dict[str, V], spaces: Iterable[str]) -> dict[str, V]:
    gone = set(spaces)
    return {space: seat for space, seat in placement.items() if space not in gone}
