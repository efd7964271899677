"""What lights mean: the page's state in; a signal for each space, and from signals and a time a frame, out. No I/O.

Each signal has a colour and a blink of its own. Colours are white, blue, amber and cyan, which people who confuse red
and green tell apart; and no two blinks are alike, so nothing is said by colour alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from firmware_bridge.palette import PALETTE

STEPS = 8  # of a blink, which takes a second: the board is told at most so often
STEP_S = 1 / STEPS
DARK = 0
LIGHT_MA = 1.0  # a light draws this when it is dark
CHANNEL_MA = 20.0  # and each of its three colours this at 255
NIGHT = {1: 9, 13: 9, 4: 12, 5: 10, 6: 12}  # palette index by day -> by night


@dataclass(frozen=True, slots=True)
class Look:
    """colour: a palette index; blink: which of the STEPS it is lit in, from the highest bit on."""

    colour: int
    blink: int


class Signal(Enum):
    """What a light says. Later ones go before earlier ones on the same space."""

    TURN = Look(9, 0b11111111)  # marbles of the player to move: dim and steady
    THINKING = Look(9, 0b11111000)  # marbles of a machine that thinks
    LAST = Look(1, 0b11111100)  # the marble that was moved last
    OVER = Look(6, 0b11100000)  # the game is over: marbles of the winner, or all
    TAKEBACK = Look(6, 0b11001000)  # the last turn is being taken back
    FROM = Look(4, 0b10000000)  # a machine's move: take this one
    CHOICE = Look(6, 0b11010000)  # a question: was it a move to here
    TO = Look(4, 0b10100000)  # a machine's move: to here
    TARGET = Look(4, 0b11110000)  # the lifted marble may go here
    LIFTED = Look(1, 0b11111110)  # a marble was lifted here
    WRONG = Look(5, 0b10101000)  # the move from or to here is not legal
    MISSING = Look(4, 0b11001100)  # a marble belongs here
    EXTRA = Look(5, 0b10101010)  # take this marble off
    STOPPED = Look(5, 0b11000000)  # the board was stopped or is parked: all spaces that say nothing else
    MENU = Look(6, 0b10001000)  # an item of the menu: as many lights as its number
    SURE = Look(6, 0b10010010)  # the same, and it is done at one more YES
    TILT = Look(5, 0b11011010)  # hands off, the board tilts


RANK = {signal: rank for rank, signal in enumerate(Signal)}


def signals(
    state: Mapping[str, Any], own: Iterable[str], won: Iterable[str], choices: Iterable[str]
) -> dict[str, Signal]:
    """Signals by space, of a page's state (`View.state`).

    own: spaces of the player to move; won: of the winner, or of all; choices: spaces a Question is about.
    """
    found: dict[str, Signal] = {}

    def say(signal: Signal, spaces: Iterable[str]) -> None:
        for space in spaces:
            if space not in found or RANK[found[space]] < RANK[signal]:
                found[space] = signal

    if state["condition"] == "no_board":
        return {}
    if state["outcome"] is not None:
        say(Signal.OVER, won)
        return _held(state, found)
    last = state["last"]
    if state["phase"] == "open":
        say(Signal.THINKING if state["condition"] == "thinking" else Signal.TURN, own)
    if last is not None:
        say(Signal.LAST, (last["rests"],))
        if state["takeback"] is not None:
            say(Signal.TAKEBACK, (last["from"], last["to"]))
    for arrow in state["arrows"]:
        if arrow["kind"] == "announced":
            say(Signal.FROM, (arrow["from"],))
            say(Signal.TO, (arrow["to"],))
    say(Signal.CHOICE, choices)
    say(Signal.TARGET, state["targets"])
    say(Signal.LIFTED, state["lifted"])
    say(Signal.WRONG, state["wrong"])
    say(Signal.MISSING, state["missing"])
    say(Signal.EXTRA, state["extra"])
    if state["tilt_warning"] is not None:
        say(Signal.TILT, state["spaces"])
    return _held(state, found)


def _held(state: Mapping[str, Any], found: dict[str, Signal]) -> dict[str, Signal]:
    return {**dict.fromkeys(state["spaces"], Signal.STOPPED), **found} if state["stopped"] else found


def milliamps(frame: Iterable[int]) -> float:
    """What the lights of a frame draw, from their data sheet's most."""
    return sum(LIGHT_MA + CHANNEL_MA * sum(PALETTE[index]) / 255 for index in frame)


def frame_of(
    found: Mapping[str, Signal], names: Sequence[str | None], step: int, budget_ma: float, *, night: bool
) -> bytes:
    """Palette indices in chain order at a step of the blink. names: the space over each light, None for none.

    Where a step of any blink would draw more than `budget_ma`, all is dim; where that is too much still, the
    signals that matter least are left out. So the brightness does not change with the blink.
    """
    lit = sorted(
        (number for number, name in enumerate(names) if name is not None and name in found),
        key=lambda number: RANK[found[str(names[number])]],
    )
    looks = {number: found[str(names[number])].value for number in lit}
    dark_ma = LIGHT_MA * len(names)

    def draws(dim: bool) -> float:
        return dark_ma + sum(milliamps((_colour(looks[number], dim),)) - LIGHT_MA for number in lit)

    dim = night or draws(False) > budget_ma
    while lit and draws(dim) > budget_ma:
        lit.pop(0)
    frame = bytearray(len(names))
    for number in lit:
        if looks[number].blink >> (STEPS - 1 - step % STEPS) & 1:
            frame[number] = _colour(looks[number], dim)
    return bytes(frame)


def _colour(look: Look, dim: bool) -> int:
    return NIGHT.get(look.colour, look.colour) if dim else look.colour


MOST = 10  # lights by which people count


def menu_frame(number: int, step: int, lights: int, budget_ma: float, *, sure: bool, night: bool) -> bytes:
    """An item of the menu (from 1): as many of the first ten lights. sure: it is asked for once more."""
    names = tuple(map(str, range(lights)))
    signal = Signal.SURE if sure else Signal.MENU
    return frame_of(dict.fromkeys(names[: min(number, MOST)], signal), names, step, budget_ma, night=night)


def code_frame(code: str, step: int, lights: int) -> bytes:
    """Digits of a pairing code, one after the other: as many of the first ten lights as the digit, ten for a 0.

    Each digit is shown for a second and a half and followed by half a second of dark, the last by two more seconds.
    """
    digit, at = divmod(step % (2 * STEPS * (len(code) + 1)), 2 * STEPS)
    if digit >= len(code) or at >= 12:
        return bytes(lights)
    count = min(int(code[digit]) or MOST, lights)
    return bytes([1] * count + [DARK] * (lights - count))
