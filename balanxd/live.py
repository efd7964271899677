"""Live: one board, one page, one journal, in real time. asyncio outside, the pipeline inside.

The loop sleeps until something is due or a port has bytes; a step then moves bytes, lets the pipeline work,
journals and shows what it said, and only then lets its bytes out. Thinking happens in another process.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import assert_never

from firmware_bridge.errors import BridgeError, PortError
from referee import commands as c
from referee import events as e
from referee.errors import RefereeError
from referee.session import Phase
from rules.line import Line

from .assemble import assemble, game_on, header_of, make_session, seated
from .clock import Clock, date_of
from .config import BoardConfig
from .devices import open_devices
from .errors import BalanxError
from .evening import SwitchingOff, another_board, remember, seated_anew
from .games import AnyLine
from .gate import Gate
from .journal import Journal
from .library import BROKEN_OFF, Library
from .outside import Outside
from .players import Player, check_level, parse_player
from .port import BoardPort
from .sayings import BEARINGS, LOCKED, diary_line
from .selftest.last import LastReport
from .sound.board import BoardSound
from .thinker import Thinker
from .trace import Trace, trace_header
from .view import View
from .web import actions as a
from .web.orders import order_of
from .web.serve import PageServer
from .world import World, WorldMaker

LONGEST_SLEEP_S = 1.0
CATCH_UP_STEPS = 10_000  # at once; a computer that was busy for longer catches up in several steps
SAVE_AGAIN_S = 2.0  # pause before a disk that took nothing is tried again
FRAME_S = 1 / 30  # real time between two pictures of moving marbles


@dataclass(frozen=True, slots=True)
class Options:
    """What the command line says. http: None for the usual address, or another one where that is taken.

    diary: say what happens, an event a line, for people. patient: a port that is not there yet is waited for. park:
    before the end the board goes level, where it may.
    """

    players: tuple[Player, ...]
    state: Path
    seed: int | None = None
    http: tuple[str, int] | None = None
    open_browser: bool = False
    fresh: bool = False
    speed: float = 1.0
    max_turns: int | None = None
    trace: Path | None = None
    verbose: bool = False
    diary: bool = False
    patient: bool = False
    park: bool = False


def play_live(
    board: BoardConfig,
    options: Options,
    make_world: WorldMaker | None,
    say: Callable[[str], None],
    outside: Outside | None = None,
) -> None:
    """Play until the program is ended. make_world: None for a real board. Raises BalanxError."""

    async def play() -> None:
        live = Live(board, options, make_world, say, outside)
        try:
            await live.run()
        finally:
            await live.close()

    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(play())


class Live:
    """One running daemon; the page's Stage."""

    def __init__(
        self,
        board: BoardConfig,
        options: Options,
        make_world: WorldMaker | None,
        say: Callable[[str], None],
        outside: Outside | None = None,
    ) -> None:
        """Opens files and the simulated board; ports and page come with `run`. Raises BalanxError."""
        self._outside = outside = outside or Outside()
        self._board = self._first_board = board
        self._options, self._say, self._make_world = options, say, make_world
        self._seed = random.SystemRandom().randrange(1 << 31) if options.seed is None else options.seed
        self.players = options.players
        self._trace: Trace | None = None
        self.world: World | None = None
        self._clock = Clock(options.speed)
        self._wake = asyncio.Event()
        self._thinker = Thinker()
        self._stopping = False
        self._off = SwitchingOff(outside.power, self._tell)
        self._begun = 0  # games begun in this run: each has a set-up of its own
        self._save_again_s = 0.0
        self._at_s = 0.0  # the time up to which everything is done
        self._frame_s = 0.0  # when the page is shown the next picture
        self._stirred = True
        with contextlib.ExitStack() as undo:
            self.library = Library(options.state, say, outside.wall)
            undo.callback(self.library.close)
            self.gate = Gate(options.state, outside.chance, self._clock.steady_s, say)
            # Before any file is written: the address may be taken.
            self._last_test = LastReport(options.state, board.name)
            self.page = PageServer(self, options.http, self.gate, self._last_test.papers)
            undo.callback(self.page.release)
            self.gate.distrust, self.gate.hello = self.page.distrust, lambda: self.pipeline.hello
            if options.trace is not None:
                today = date_of(outside.wall)
                traced = trace_header(board, options.players, self._seed, today, options.max_turns)
                self._trace = Trace(options.trace, traced)
                undo.callback(self._trace.close, 0.0)
            self._port = BoardPort(self._wake.set, self._trace)
            if make_world is not None:
                self.world = self._new_world(board)
                undo.callback(self.world.close)
            self.journal, line, header = self._begin(options.fresh)
            self._devices = open_devices(board) if self.world is None else self.world.devices()
            undo.callback(self._devices.close, 0.0)
            self.pipeline = assemble(
                board, line, self.players, seed=self._seed, header=header, devices=self._devices
            )
            self.view = self._new_view(line if header is None else None)
            told = say if options.verbose else None
            self._sound = BoardSound(
                board.sound, self._devices.buzzer, self._clock.steady_s, self._mute, self._wake.set, told
            )
            self.gate.heard.append(lambda event: self.pipeline.pairing(event, self._at_s))
            self.gate.heard.append(self._sound.pairing)
            undo.pop_all()

    # ---- games ---------------------------------------------------------------------------------------------

    def _begin(self, fresh: bool) -> tuple[Journal, AnyLine, e.GameStarted | None]:
        """The unfinished game, or a new one."""
        if fresh:
            self.library.break_off()
        found = self.library.resume()
        if found is not None:
            journal, replayed = found
            if replayed.line.game.tags() == game_on(self._board).tags():
                self._say(
                    f"Going on with the game of {replayed.header.date}, turn {replayed.line.position.ply}."
                )
                if self.world is not None and not self.world.remembers:
                    self.world.lay(replayed.line)
                return journal, replayed.line, None
            self._say("The unfinished game was on another board; it is broken off and a new one begins.")
            self.library.break_off()
        return self._new_game()

    def _new_game(self) -> tuple[Journal, AnyLine, e.GameStarted]:
        line: AnyLine = Line.begin(game_on(self._board, seed=self._seed + self._begun))
        self._begun += 1
        if self.world is not None:
            self.world.lay(line)
        today = date_of(self._outside.wall)
        return self.library.new_journal(), line, header_of(line, self._board, self.players, today)

    def _new_view(self, resumed: AnyLine | None) -> View:
        view = View(
            game_on(self._board),
            players=tuple(player.text for player in self.players),
            simulated=self.world is not None,
            sensor=self._board.sensor,
            manual_tilt=not self._board.motor and not self._board.tags,
        )
        if resumed is not None:
            view.resume(resumed)
        return view

    def _ask_new_game(self, wanted: a.NewGame, now_s: float) -> None:
        """A new game, perhaps another one on another simulated board. Raises BalanxError before anything is changed."""
        board = self._board
        if wanted.game or wanted.options:
            board = another_board(board, self._first_board, wanted.game or board.game, wanted.options)
        players = tuple(map(parse_player, wanted.players))
        game = game_on(board)
        if len(players) != len(game.seats):
            raise BalanxError(f"{game.name} has {len(game.seats)} seats here, not {len(players)}.")
        for player in players:
            check_level(player, game)
        if board.tags != self._board.tags:
            self._change_board(board, players, now_s)
        else:
            self._replace_game(players, now_s)

    def _change_board(self, board: BoardConfig, players: tuple[Player, ...], now_s: float) -> None:
        """Put the simulated board away and another one in its place, with a new game."""
        if self._make_world is None or self.world is None:
            raise BalanxError("A real board is for one game; another one needs another board.")
        if self.pipeline.session.phase not in (Phase.OVER, Phase.SETTING_UP):
            self._handle(self.pipeline.command(c.BreakOff(BROKEN_OFF), now_s), now_s)
        self.world.save()
        self._port.drop()
        number = self.world.end.fileno()
        if number is not None:
            asyncio.get_running_loop().remove_reader(number)
        self.world.close()
        self._board = board
        self._seat(players)
        self.world = self._new_world(board)
        self.world.step(now_s)
        self._devices = self.world.devices()
        self._sound.another(self._devices.buzzer)
        self.journal, line, header = self._new_game()
        self.pipeline = assemble(
            board, line, players, seed=self._seed + self._begun, header=header, devices=self._devices
        )
        self.view = self._new_view(None)
        self._open_port(now_s, first=False)
        self.page.push_state()
        self.page.push_table()

    def _new_world(self, board: BoardConfig) -> World:
        assert self._make_world is not None
        memory = self._options.state / "table.json"
        return self._make_world(board, self._seed, memory, self._say, self._trace)

    def _replace_game(self, players: tuple[Player, ...], now_s: float) -> None:
        if self.pipeline.session.phase not in (Phase.OVER, Phase.SETTING_UP):
            self._handle(self.pipeline.command(c.BreakOff(BROKEN_OFF), now_s), now_s)
        self._seat(players)
        self.journal, line, header = self._new_game()
        self.view = self._new_view(None)
        session = make_session(
            self._board, line, players, self.pipeline.drive, self.pipeline.said, header=header
        )
        self._handle(self.pipeline.replace_session(session, now_s, seated(players, line)), now_s)

    def _seat(self, players: tuple[Player, ...]) -> None:
        self.players = players
        remember(self._options.state, game_on(self._board), players)

    # ---- the house -----------------------------------------------------------------------------------------

    def _obey(self, wanted: c.HouseCommand, now_s: float) -> None:
        """What players want of whoever runs the games."""
        match wanted:
            case c.NewGame():
                try:
                    players = seated_anew(self.players, wanted, self.pipeline.session.game)
                except BalanxError as error:
                    self._tell(str(error))
                    return
                self._replace_game(players, now_s)
            case c.Park():
                self._handle(self.pipeline.park(now_s), now_s)
            case c.ShutDown():
                self._off.begin()
                self._handle(self.pipeline.park(now_s), now_s)
            case _:
                assert_never(wanted)

    def _tell(self, say: str) -> None:
        """One sentence for people, wherever they look or listen."""
        self._say(say)
        self._handle([e.MenuClosed(at_s=self._at_s, say=say)], self._at_s)

    def _save_all(self) -> int:
        """Whatever is to outlive the daemon. How many turns cannot be saved."""
        if self.journal.unsaved:
            self._save_again(self._at_s)
        if self.world is not None:
            self.world.save()
        return self.journal.unsaved

    # ---- running -------------------------------------------------------------------------------------------

    async def run(self) -> None:
        """Until stopped. Raises BalanxError where the page cannot be served or the port cannot be opened."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self.stop)
        self._devices.wake_with(lambda: loop.call_soon_threadsafe(self._wake.set))
        await self.page.start()
        self._open_port(self._at_s, first=True)
        await self.gate.start()
        self._say(f"The board is at {self.page.shown_url} (Ctrl-C ends; the game is kept).")
        for sentence in self._devices.say:
            self._say(sentence)
        if self._board.drive != "manual" and not self._board.motor:
            self._say(LOCKED.format(self._board.source))
        if self._options.open_browser:
            self.page.open_browser()
        self._outside.notify.ready()
        self._outside.notify.status(f"The page is at {self.page.shown_url}")
        await self._work(lambda: self._stopping)
        self._outside.notify.stopping()
        if self._options.park and self._port.open and not self.pipeline.parked:
            self._stopping = False
            self._step()
            self._handle(self.pipeline.park(self._at_s), self._at_s)
            await self._work(lambda: not self.pipeline.parking or self._stopping)
            if self.pipeline.level:
                self._say("The board is level, its motor is off.")

    async def _work(self, done: Callable[[], bool]) -> None:
        """Whatever is due, until it is done. Each round feeds the watchdog; nothing else does."""
        while not done():
            self._wake.clear()
            self._step()
            self._outside.notify.beat(self._clock.steady_s())
            sleep_s = min(self._sleep_s(), LONGEST_SLEEP_S)
            if sleep_s > 0:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(sleep_s):
                        await self._wake.wait()
            else:
                await asyncio.sleep(0)

    def stop(self) -> None:
        """End `run`; a second time: without waiting for the board to be parked."""
        self._stopping = True
        self._wake.set()

    async def close(self) -> None:
        """Stop the motor, give everything back."""
        now_s = self._at_s
        self.pipeline.drive.let_go(now_s)
        await self._sound.close()
        self._devices.close(now_s)
        with contextlib.suppress(BridgeError):
            self._port.write(self.pipeline.take_bytes(), now_s)
        self._port.drop()
        await self._thinker.close()
        await self.gate.close()
        await self.page.close()
        if self.world is not None:
            self.world.save()
            self.world.close()
        if self._trace is not None:
            self._trace.close(now_s)
        self.library.close()

    def _sleep_s(self) -> float:
        now_s = self._clock.now_s()
        due_s = min(self.pipeline.due_s(), self._port.due_s())
        if self.world is not None:
            due_s = min(due_s, self.world.due_s())
            if self.world.stirring:
                due_s = min(due_s, self._frame_s)
        return min(self._clock.real_s(due_s - now_s), self._sound.sleep_s())

    def _step(self) -> None:
        """Everything that is due by now; `_at_s` is the present then."""
        now_s = self._clock.now_s()
        if self.world is not None:
            # A busy computer must not make a simulated board hear or say things late: its time goes on in
            # order, from one thing that is due to the next, however late they are looked at.
            for _ in range(CATCH_UP_STEPS):
                due_s = min(self.world.due_s(), self.pipeline.due_s())
                if due_s >= now_s:
                    break
                self._at_s = max(self._at_s, due_s)
                self._exchange(self._at_s)
        self._at_s = now_s
        self._exchange(now_s)
        self.gate.tick()
        if self._off.look(self.pipeline, self._save_all, self._clock.steady_s()):
            self.stop()
        if now_s >= self._port.due_s():
            self._open_port(now_s, first=False)
        if self.journal.unsaved and now_s >= self._save_again_s:
            self._save_again(now_s)
        if self.world is not None and now_s >= self._frame_s:
            self._look_at(self.world, now_s)
        self._sound.tick()

    def _exchange(self, now_s: float) -> None:
        """Bytes both ways, and what falls due, at one time."""
        if self.world is not None:
            self.world.step(now_s)
        if self._port.open:
            self._read_port(now_s)
        if self.pipeline.due_s() <= now_s:
            self._handle(self.pipeline.tick(now_s), now_s)
        if self.world is not None:
            self.world.listen()

    def _look_at(self, world: World, now_s: float) -> None:
        """Show the page what moves; remember where the marbles lie once they rest."""
        stirring, self._stirred = self._stirred, world.stirring
        if self._stirred:
            self._frame_s = now_s + FRAME_S * self._clock.speed
            self.page.push_table()
        elif stirring:
            self.page.push_table()
            world.save()

    # ---- the port ------------------------------------------------------------------------------------------

    def _open_port(self, now_s: float, *, first: bool) -> None:
        name = self.world.port if self.world is not None else self._board.port
        on_pins = self.world is None and self._devices.sensors is not None
        try:
            self._port.begin(None if on_pins else name, now_s)
        except PortError as error:
            if first and not self._options.patient:
                raise BalanxError(str(error)) from error
            if first:
                self._fault("link", f"{error} It is waited for.", now_s)
            return
        number = None if self.world is None else self.world.end.fileno()
        if number is not None:
            asyncio.get_running_loop().add_reader(number, self._wake.set)
        self._handle(self.pipeline.opened(now_s), now_s)

    def _read_port(self, now_s: float) -> None:
        try:
            data = self._port.read(now_s)
        except BridgeError as error:
            self._lose_port(str(error), now_s)
            return
        if data:
            self._handle(self.pipeline.receive(data, now_s), now_s)

    def _lose_port(self, why: str, now_s: float) -> None:
        self._port.lose(now_s)
        self._handle(self.pipeline.closed(now_s, why), now_s)

    # ---- events --------------------------------------------------------------------------------------------

    def _handle(self, events: list[e.GameEvent], now_s: float) -> None:
        """Journal, then show, then let the bytes out."""
        for event in events:
            if isinstance(event, e.GameStarted | e.TurnTaken | e.TakenBack | e.PositionSet | e.GameOver):
                self._save(event, now_s)
            self.view.take(event)
            self._sound.follow(event, self.view.say, motor=self.pipeline.drive.motor)
            if self._options.verbose:
                self._say(f"{event.at_s:10.3f}  {event}")
            elif self._options.diary and (told := diary_line(event)):
                self._say(told)
            self._follow(event, now_s)
        if events:
            self.page.push_state()
        try:
            self._port.write(self.pipeline.take_bytes(), now_s)
        except BridgeError as error:
            self._lose_port(str(error), now_s)
        for wanted in self.pipeline.take_wanted():
            self._obey(wanted, now_s)

    def _save(self, event: e.Lasting, now_s: float) -> None:
        """Journal; where that fails, say so once and try again later."""
        if self.world is not None:
            self.world.save()  # first: a table that is behind its journal has lost a marble
        was = self.journal.unsaved
        self.journal.append(event)
        self.view.unsaved = self.journal.unsaved
        if self.journal.unsaved and not was:
            self._save_again_s = now_s + SAVE_AGAIN_S
            say = f"{self.journal.path}: {self.journal.why}. The game goes on; turns are kept here until there is room."
            self._fault("disk", say, now_s)

    def _save_again(self, now_s: float) -> None:
        self._save_again_s = now_s + SAVE_AGAIN_S
        if self.journal.catch_up():
            self.view.unsaved = 0
            self._say("All turns are saved again.")
            self.page.push_state()

    def _fault(self, kind: str, say: str, now_s: float) -> None:
        """A fault that is not the board's."""
        self._say(say)
        fault = e.Fault(at_s=now_s, kind=kind, say=say)
        self.view.take(fault)
        self._sound.follow(fault, self.view.say, motor=False)
        self.page.push_state()

    def _mute(self, say: str) -> None:
        """Something of the sound does not work."""
        self._fault("sound", say, self._at_s)

    def _follow(self, event: e.GameEvent, now_s: float) -> None:
        session = self.pipeline.session
        match event:
            case e.MoveWanted(seat=seat, position=position):
                self._think(seat, position)
            case e.Announced():
                # Where it lies there already, its hand was killed together with the last daemon.
                if self.world is not None and session.to_make is not None:
                    self.world.play_move(session.line, event)
            case e.TiltWanted(seat=seat):
                if self.world is not None and all(player.machine for player in self.players):
                    self.world.push(seat)
            case e.TurnTaken(ply=ply):
                turns = self._options.max_turns
                if turns is not None and ply + 1 >= turns and session.phase is not Phase.OVER:
                    self._handle(self.pipeline.command(c.BreakOff("turn limit"), now_s), now_s)
            case e.TakenBack() | e.PositionSet() | e.GameOver():
                self._thinker.cancel()
            case _:
                pass

    def _think(self, seat: int, position: str) -> None:
        def announce(move: str) -> None:
            self._step()
            self._command(c.Announce(move, position), self._at_s)
            self._wake.set()

        def trouble(say: str) -> None:
            self._fault("engine", say, self._at_s)

        self._thinker.ask(self.pipeline.session.line, self.players[seat], self._seed, announce, trouble)

    # ---- the page's side -----------------------------------------------------------------------------------

    def state(self) -> dict[str, object]:
        """See Stage."""
        if self.world is not None:
            self.view.bearings_hold = BEARINGS[self.world.bearings_hold]
        state = self.view.state(self._clock.now_s())
        state["board"] = self._board.name
        state["speed"] = self._clock.speed
        state["board_buttons"] = self._board.buttons.all
        # It is of the board that the daemon was begun with.
        state["selftest"] = self._last_test.summary if self._board is self._first_board else None
        from .sound.aloud import aloud  # not loaded by a daemon without a page

        state["aloud"] = aloud(self.view, motor=self.pipeline.drive.motor)
        return state

    def table(self) -> dict[str, object] | None:
        """See Stage."""
        return None if self.world is None else self.world.table()

    def act(self, action: a.Action) -> str:
        """See Stage."""
        self._step()
        now_s = self._at_s
        try:
            order = order_of(action, self.pipeline.session)
            if isinstance(action, a.NewGame):
                self._ask_new_game(action, now_s)
            elif order is None:
                return (
                    "A real board is moved by real hands." if self.world is None else self.world.act(action)
                )
            elif self.world is None and isinstance(order, c.GoOn):
                return "A board that was stopped goes on when that is said at the board."
            else:
                self._command(order, now_s)
        except (RefereeError, BalanxError) as error:
            return str(error)
        finally:
            self._wake.set()
        return ""

    def _command(self, command: c.PlayerCommand, now_s: float) -> None:
        self._handle(self.pipeline.command(command, now_s), now_s)
