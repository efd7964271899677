"""[buttons] in a board file: what is taken and refused; a press on every simulated board reaches the players."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from board_files import FILE, complaint
from live_rig import options, tell, until

from balanxd.assemble import assemble, game_on, header_of
from balanxd.buttons import NO_BUTTONS
from balanxd.calibration.values import Calibration, apply
from balanxd.config import BoardConfig, load_board, parse_board, simulated_board
from balanxd.devices import open_devices
from balanxd.errors import BalanxError
from balanxd.games import AnyLine
from balanxd.live import Live
from balanxd.options import checked_tags
from balanxd.players import Player
from balanxd.selftest.boardside import BoardSide
from balanxd.simulated.build import build_board, simulated_devices
from balanxd.simulated.lockstep import Lockstep
from balanxd.simulated.wire import PipeWire
from balanxd.simulated.world import simulated_world
from balanxd.web import actions as a
from hardware.buttons import STUCK_S, Button
from hardware.mockpins import MockPins
from referee import events as e
from rules.line import Line

EXAMPLES = Path(__file__).resolve().parents[2] / "examples/boards"
CHAIN = '[sensors]\nbackend = "chain"\n'
REEDS = (EXAMPLES / "pi-reeds.toml").read_text()
NEXT, YES, STOP = Button


def test_inputs_and_pins_are_read() -> None:
    board = parse_board(
        '[link]\nport = "/dev/balanx"\n[buttons]\nnext = 60\nyes = "GPIO17"\nstop = 56\n', FILE
    )
    assert board.buttons.inputs == ((NEXT, 60), (STOP, 56))
    assert board.buttons.pins == ((YES, 17),)
    assert board.buttons.all == (NEXT, YES, STOP)
    assert (len(board.wiring.inputs), board.inputs) == (56, 61)
    assert ("buttons.yes", 17) in board.backends.pins


def test_a_board_may_have_some_of_them_or_none() -> None:
    assert parse_board("", FILE).buttons == NO_BUTTONS
    assert parse_board("[buttons]\n", FILE).buttons == NO_BUTTONS
    assert parse_board("", FILE).inputs == 56
    assert parse_board('[link]\nport = "/dev/balanx"\n[buttons]\nstop = "GPIO4"', FILE).buttons.all == (STOP,)


def test_an_input_that_is_not_wired_may_lie_among_the_spaces() -> None:
    names = list(parse_board("", FILE).cell_names)
    wiring = ["-", *names, "-"]
    board = parse_board(f"board.wiring = {wiring}\n[buttons]\nnext = 0\nyes = 57\n".replace("'", '"'), FILE)
    assert board.inputs == 58


def test_reeds_have_buttons_on_their_own_inputs() -> None:
    """An expander's free pin is one more input of the list."""
    names = [*parse_board("", FILE).cell_names, "-"]
    text = REEDS.replace("[sensors]", f"wiring = {names}\n[sensors]".replace("'", '"'))
    text = text.replace('"0x22:B6",\n]', '"0x22:B6", "0x23:A0",\n]')
    board = parse_board(f"{text}\n[buttons]\nstop = 56\n", FILE)
    assert board.inputs == 57


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[buttons]\nnxt = 60", "buttons.nxt: no such key (did you mean next?)"),
        ("[buttons]\nmenu = 60", "buttons.menu: no such key (there are next, yes, stop)"),
        ("[button]\nnext = 60", "button: no such key (did you mean buttons?)"),
        ("[buttons]\nnext = 5", "buttons.next: input 5 lies under f1: 56 is free"),
        (CHAIN + "[buttons]\nnext = 55", "buttons.next: input 55 lies under g8: 56 is free"),
        (REEDS + "[buttons]\nnext = 5", 'buttons.next: input 5 lies under f1: name a pin, such as "GPIO17"'),
        (
            REEDS + "[buttons]\nyes = 56",
            "buttons.yes: input 56: the reeds are the inputs 0 to 55: name a pin",
        ),
        ("[buttons]\nnext = 128", "buttons.next: input 128: a chain has the inputs 0 to 127"),
        ("[buttons]\nnext = -1", "buttons.next: input -1: a chain has the inputs 0 to 127"),
        (
            "[buttons]\nnext = 60\nstop = 60",
            "buttons.stop: input 60 is buttons.next already: take another one",
        ),
        (
            "[buttons]\nnext = true",
            "buttons.next: must be an input of the chain such as 60, or a pin such as",
        ),
        ("[buttons]\nnext = 60.0", "buttons.next: must be an input of the chain such as 60"),
        (
            '[buttons]\nnext = "17"',
            "buttons.next: must be an input of the chain such as 60, or a pin such as",
        ),
        ('[buttons]\nyes = "GPIO1"', "buttons.yes: GPIO1: the header has GPIO2 to GPIO27 (BCM numbers)"),
        ('[buttons]\nyes = "GPIO28"', "buttons.yes: GPIO28: the header has GPIO2 to GPIO27 (BCM numbers)"),
        (
            '[buttons]\nyes = "GPIO17"\nstop = "GPIO17"',
            "buttons.stop: pin 17 is buttons.yes already: take another one",
        ),
        (
            CHAIN + '[buttons]\nnext = "GPIO11"',
            "buttons.next: pin 11 is sensors.clock_pin already: take another one",
        ),
        (
            '[link]\nport = "/dev/balanx"\n[buttons]\nnext = "GPIO4"\n[gpio]\nfactory = "mock"',
            'gpio.factory: "mock" has no real pins',
        ),
        (REEDS + '[buttons]\nnext = "GPIO2"', "buttons.next: pin 2 is the I2C bus of this board"),
    ],
)
def test_what_is_wrong_is_one_line_with_its_mend(text: str, said: str) -> None:
    assert said in complaint(text)


def test_the_simulated_board_has_them_behind_its_last_space() -> None:
    for tags, first in (((), 56), (checked_tags("fourhigh", {}), 64), (checked_tags("boxilies", {}), 9)):
        board = simulated_board(None, tags)
        assert board.buttons.inputs == tuple((button, first + n) for n, button in enumerate(Button))
        assert parse_board(board.text, FILE, None, tags).buttons == board.buttons  # a trace tells it again


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.toml")), ids=lambda path: path.stem)
def test_the_examples_say_where_buttons_would_be(path: Path) -> None:
    """What stands there as a comment is a board's file as well."""
    text = path.read_text()
    before, _, after = text.partition("# [buttons]\n")
    table, _, rest = after.partition("\n\n")
    assert not load_board(path).buttons.all
    with_them = f"{before}[buttons]\n{table.replace('# ', '')}\n\n{rest}"
    assert parse_board(with_them, FILE).buttons.all == (NEXT, YES, STOP)


# ---- presses on simulated boards -----------------------------------------------------------------------


class Evening:
    """A board, its chain of bytes and its referee; what was said."""

    def __init__(self, board: BoardConfig, hello_of: BoardConfig | None = None) -> None:
        """hello_of: another board is plugged in."""
        game = game_on(board)
        line: AnyLine = Line.begin(game)
        players = [Player("human")] * len(game.seats)
        self.table = build_board(hello_of or board, game, 3)
        pipeline = assemble(
            board,
            line,
            players,
            seed=1,
            header=header_of(line, board, players, "????.??.??"),
            devices=simulated_devices(board, self.table),
        )
        self.said: list[e.GameEvent] = []
        self._lockstep = Lockstep(self.table, pipeline, PipeWire(), lambda event, _: self.said.append(event))
        self.run(7.0)

    def run(self, lasts_s: float) -> None:
        self._lockstep.run(lambda: False, self.table.now_s + lasts_s)

    def kinds(self) -> list[str]:
        return [type(event).__name__ for event in self.said]


PINS = '[gpio]\nfactory = "mock"\n[buttons]\nnext = "GPIO17"\nyes = "GPIO27"\nstop = "GPIO22"\n'
ON_THE_PI = f'[link]\nport = "sim"\n{CHAIN}scan_hz = 50\n' + PINS.replace('"GPIO17"', "56").replace(
    '"GPIO27"', "60"
)
BOARDS: dict[str, Callable[[], BoardConfig]] = {
    "sim": simulated_board,
    "colour": lambda: parse_board(
        '[board]\nsensor = "colour"\n[buttons]\nnext = 56\nyes = 57\nstop = 58', FILE
    ),
    "banks": lambda: simulated_board(None, checked_tags("banks", {})),
    "boxilies": lambda: simulated_board(None, checked_tags("boxilies", {})),
    "pins": lambda: parse_board(PINS, FILE),
    "fourhigh on pins": lambda: parse_board(PINS, FILE, None, checked_tags("fourhigh", {})),
    "a chain and a pin": lambda: parse_board(ON_THE_PI, FILE),
}


@pytest.mark.parametrize("name", BOARDS)
def test_a_press_reaches_the_players(name: str) -> None:
    evening = Evening(BOARDS[name]())
    assert "MenuShown" not in evening.kinds()
    evening.table.buttons.press(NEXT)
    evening.run(1.0)
    assert "MenuShown" in evening.kinds()
    evening.table.buttons.press(STOP)
    evening.run(1.0)
    assert evening.kinds()[-1] == "Stopped"
    assert evening.kinds().count("Stopped") == 1


def test_a_hand_that_hits_yes_beside_stop_stops_the_board() -> None:
    for first, second in ((STOP, YES), (YES, STOP)):
        evening = Evening(simulated_board())
        evening.table.buttons.press(first)
        evening.run(0.01)
        evening.table.buttons.press(second)
        evening.run(1.0)
        assert "Stopped" in evening.kinds()
        assert "WentOn" not in evening.kinds()
        evening.table.buttons.press(YES)
        evening.run(1.0)
        assert evening.kinds().count("WentOn") == 1


def test_a_stuck_button_is_a_fault_that_the_page_shows() -> None:
    evening = Evening(simulated_board())
    evening.table.buttons.press(YES, held_s=float("inf"))
    evening.run(STUCK_S + 1.0)
    (fault,) = [event for event in evening.said if isinstance(event, e.Fault)]
    assert fault.kind == "button"
    assert "The button YES was down" in fault.say


def test_a_board_whose_chain_ends_before_its_buttons_is_refused() -> None:
    evening = Evening(simulated_board(), hello_of=parse_board("", FILE))
    (fault,) = [event for event in evening.said if isinstance(event, e.Fault)]
    assert fault.say.startswith(
        "The board has 56 inputs, its buttons are on inputs up to 58: this is another board"
    )
    assert "GameStarted" not in evening.kinds()


def test_the_page_presses_a_button_for_a_moment() -> None:
    world = simulated_world(simulated_board(), 1, None, print, None)
    try:
        world.step(1.0)
        assert world.act(a.parse_action('{"do": "press", "button": "yes"}')) == ""
        world.step(1.05)
        assert [world.simulator.buttons.down(button) for button in Button] == [False, True, False]
        world.step(1.3)
        assert not world.simulator.buttons.down(YES)
    finally:
        world.close()


def test_a_board_without_buttons_says_so() -> None:
    for tags in ((), checked_tags("fourhigh", {})):
        world = simulated_world(parse_board("", FILE, None, tags), 1, None, print, None)
        try:
            assert world.act(a.Press(STOP)) == "This board has no button STOP."
        finally:
            world.close()


# ---- calibration and self-test -------------------------------------------------------------------------


def test_a_wiring_that_is_found_may_not_lie_over_a_button() -> None:
    board = parse_board('[link]\nport = "/dev/balanx"\n[buttons]\nstop = 56\n', FILE)
    known = Calibration(board.layout.name, wiring=("-", *board.cell_names))
    with pytest.raises(BalanxError, match=r"buttons.stop: input 56 lies under g8: 0 is free \(so kept.json"):
        apply(board, known, "kept.json")
    moved = parse_board('[link]\nport = "/dev/balanx"\n[buttons]\nstop = 60\n', FILE)
    assert apply(moved, known, "kept.json").inputs == 61


def test_a_pressed_button_is_no_marble() -> None:
    side = BoardSide(simulated_board(), session=5)
    side.readings = bytes([1, 0] * 28 + [1, 1, 0])
    assert side.occupied() == frozenset(range(0, 56, 2))


# ---- the daemon ----------------------------------------------------------------------------------------


class Counting(asyncio.Event):
    """How often somebody woke the loop."""

    count = 0

    def set(self) -> None:
        self.count += 1
        super().set()


def test_an_edge_wakes_the_daemon_from_another_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pins = MockPins()
    down = [False]
    tell_edge = pins.button(17, lambda: down[0], lambda: 0.0)
    monkeypatch.setitem(open_devices.__globals__["OPENERS"], "lgpio", lambda: pins)
    said: list[str] = []
    board = parse_board(f'{CHAIN}scan_hz = 20\ntail = "none"\n[buttons]\nnext = "GPIO17"\n', FILE)

    async def story(live: Live) -> None:
        live._wake = woken = Counting()
        await until(lambda: any("LinkChanged" in line for line in said))
        before = woken.count
        down[0] = True
        await asyncio.to_thread(tell_edge)
        await until(lambda: woken.count > before)
        await until(lambda: any("MenuShown" in line for line in said))

    asyncio.run(tell(Live(board, options(tmp_path, 5, who="human", verbose=True), None, said.append), story))
